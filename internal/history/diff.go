package history

import (
	"context"
	"math/big"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// ChangeKind says what moved between two dates.
type ChangeKind string

// The kinds of change.
const (
	PriceMoved        ChangeKind = "price"
	RateMoved         ChangeKind = "exchange_rate"
	PriceAndRateMoved ChangeKind = "price_and_rate"
	TermsChanged      ChangeKind = "terms" // another currency or unit, or a price that became known or unknown: not comparable
	Appeared          ChangeKind = "new"
	Disappeared       ChangeKind = "gone"
)

// Change is how one series differs between two dates.
type Change struct {
	Series   Series // without points
	Kind     ChangeKind
	From, To *Point // nil when there was none
	// FromValue and ToValue are the prices in the report's currency, per the
	// point's unit; the middle of a range. Unknown without a rate.
	FromValue, ToValue money.Amount
	// PriceEffect and RateEffect sum exactly to ToValue - FromValue.
	PriceEffect, RateEffect money.Amount
	FromRate, ToRate        catalog.Date // dates of the exchange rates; zero when none was needed
}

// Diff is what changed between two dates, and what is not in it.
type Diff struct {
	Changes    []Change
	Unchanged  int
	NotWatched int // series of sources that were not in the store at the first date: not new, only newly seen
	NoRate     int // series that changed but could not be converted: their values are unknown
}

// DiffOptions is how Diff reports.
type DiffOptions struct {
	Filter   Filter
	From, To time.Time
	Currency money.Currency   // convert into it; empty for each price's own
	Rates    []catalog.FXRate // besides those in the store
}

// Diff compares what the store knew at two times. For a price P in its own
// currency and F units of the report's currency for one of it, the value
// V = P x F moves by the price effect (P1-P0) x (F0+F1)/2 and the rate effect
// (F1-F0) x (P0+P1)/2: the midpoint split, which favours no order and leaves
// no rest.
func (s *Store) Diff(ctx context.Context, o DiffOptions) (Diff, error) {
	var out Diff
	var w where
	from, to := w.arg(o.From.UnixMicro()), w.arg(o.To.UnixMicro())
	w.add("(a.series_id IS NOT NULL OR b.series_id IS NOT NULL)")
	w.series(&o.Filter)
	query := "SELECT " + seriesSelect + ", COALESCE(src.first_accepted_at, 0), " + pointSelect("a") + ", " + pointSelect("b") + seriesFrom +
		" LEFT JOIN observation a ON a.series_id = s.id AND " + atTime("a", from) +
		" LEFT JOIN observation b ON b.series_id = s.id AND " + atTime("b", to) + w.String() + " ORDER BY s.id"
	err := s.read(ctx, "compare two dates", func(t *tx) error {
		stored, err := t.fx(ctx, o.From, o.To)
		if err != nil {
			return err
		}
		fx := newRates(append(stored, o.Rates...))
		return t.each(ctx, query, w.args, func(scan func(...any) error) error {
			var row seriesRow
			var first int64
			var a, b pointRow
			if err := scan(append(append(append(row.dest(), &first), a.dest()...), b.dest()...)...); err != nil {
				return err
			}
			c, err := makeChange(&row, &a, &b)
			if err != nil {
				return err
			}
			if c.Kind == Appeared && first > o.From.UnixMicro() {
				out.NotWatched++
				return nil
			}
			out.add(c, &o, fx)
			return nil
		})
	})
	return out, err
}

func makeChange(row *seriesRow, a, b *pointRow) (c Change, err error) {
	if c.Series, err = row.series(); err != nil {
		return c, err
	}
	for _, end := range []struct {
		row *pointRow
		to  **Point
	}{{a, &c.From}, {b, &c.To}} {
		if !end.row.valid() {
			continue
		}
		p, err := end.row.point()
		if err != nil {
			return c, err
		}
		*end.to = &p
	}
	switch {
	case c.From == nil:
		c.Kind = Appeared
	case c.To == nil:
		c.Kind = Disappeared
	}
	return c, nil
}

func (d *Diff) add(c Change, o *DiffOptions, fx *rates) {
	f0, f1 := c.convert(o, fx)
	switch {
	case c.Kind != "":
	case c.From.Per != c.To.Per || c.From.Low.Currency() != c.To.Low.Currency():
		c.Kind = TermsChanged
	case f0 == nil || f1 == nil:
		if c.From.ObservedAt.Equal(c.To.ObservedAt) { // the same observation: only the rate could have moved
			d.Unchanged++
			return
		}
		c.Kind = PriceMoved
	default:
		c.attribute(middle(c.From), middle(c.To), f0, f1)
	}
	if c.Kind == "" {
		d.Unchanged++
		return
	}
	if c.From != nil && c.From.Low.Known() && !c.FromValue.Known() || c.To != nil && c.To.Low.Known() && !c.ToValue.Known() {
		d.NoRate++
	}
	d.Changes = append(d.Changes, c)
}

// convert fills the values and returns the rates, nil where there is none.
func (c *Change) convert(o *DiffOptions, fx *rates) (f0, f1 *big.Rat) {
	one := func(p *Point, at time.Time, value *money.Amount, date *catalog.Date) *big.Rat {
		if p == nil || !p.Low.Known() {
			return nil
		}
		to := o.Currency
		if to == "" {
			to = p.Low.Currency()
		}
		rate, on, ok := fx.on(p.Low.Currency(), to, at)
		if !ok {
			return nil
		}
		v, ok := rounded(new(big.Rat).Mul(middle(p), rate), to)
		if !ok {
			return nil
		}
		*value = v
		if to != p.Low.Currency() {
			*date = on
		}
		return rate
	}
	return one(c.From, o.From, &c.FromValue, &c.FromRate), one(c.To, o.To, &c.ToValue, &c.ToRate)
}

func middle(p *Point) *big.Rat {
	sum := new(big.Rat).Add(rational(p.Low), rational(p.High))
	return sum.Quo(sum, big.NewRat(2, 1))
}

// attribute splits the change of value; it leaves Kind empty when there is none.
func (c *Change) attribute(p0, p1, f0, f1 *big.Rat) {
	price, rate := p0.Cmp(p1) != 0, f0.Cmp(f1) != 0
	switch {
	case price && rate:
		c.Kind = PriceAndRateMoved
	case price:
		c.Kind = PriceMoved
	case rate && c.FromValue.Cmp(c.ToValue) != 0:
		c.Kind = RateMoved
	default:
		return
	}
	total, err := c.ToValue.Sub(c.FromValue)
	if err != nil {
		return
	}
	effect := new(big.Rat).Sub(p1, p0)
	effect.Mul(effect, new(big.Rat).Add(f0, f1))
	effect.Quo(effect, big.NewRat(2, 1))
	if !price {
		effect.SetInt64(0)
	}
	priceEffect, ok := rounded(effect, total.Currency())
	if !rate {
		priceEffect = total
	}
	if rateEffect, err := total.Sub(priceEffect); ok && err == nil {
		c.PriceEffect, c.RateEffect = priceEffect, rateEffect
	}
}
