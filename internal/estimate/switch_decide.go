package estimate

import (
	"math"
	"math/big"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// decide says whether to move, what that saves, from how much work left on, and
// what would turn the answer.
func (w *switcher) decide() error {
	for _, x := range w.Ways {
		if err := w.saving(x); err != nil {
			return err
		}
	}
	if w.Aside != nil {
		if err := w.saving(w.Aside); err != nil {
			return err
		}
	}
	w.assume("moving.share_left", w.Left, "", w.shareOrigin())
	best := w.Best()
	inTime := w.Stay != nil
	if w.Stay != nil && w.DeadlineH > 0 {
		f, _ := w.Stay.Finish()
		inTime = f <= w.DeadlineH
	}
	if best != nil && w.Stay != nil {
		if err := w.needed(best); err != nil {
			return err
		}
		if w.Price != PriceCommitted {
			w.breakEven(best)
		}
		w.flips(best)
	}
	switch {
	case w.Stay == nil && best != nil:
		w.Verdict = VerdictUnknown
	case w.Stay == nil, best == nil && !inTime:
		w.Verdict = VerdictNothing
	case !inTime:
		w.Verdict = VerdictLate
	case best == nil:
		w.Verdict = VerdictAlone
	case best.Saving.Mid.Cmp(w.Need) > 0:
		w.Verdict = VerdictSwitch
	case w.Price == PriceCommitted:
		w.Verdict = VerdictCommitted
	default:
		w.Verdict = VerdictStay
	}
	return nil
}

func (w *switcher) shareOrigin() Origin {
	switch {
	case w.Remaining > 0:
		return Origin{"flag", "--remaining"}
	case w.Done > 0:
		return Origin{"flag", "--done"}
	}
	return Origin{"default", "nothing says how much is done: all of it is left"}
}

// saving is what a way of moving saves over staying. What both share, such as
// how long the work takes on the same hardware, does not widen it; where prices
// are ranges, the hardware differs or both are interrupted, each may be at its
// other end.
func (w *switcher) saving(x *Way) error {
	s := w.Stay
	if s == nil {
		return nil
	}
	rest, err := s.Cost.Sub(x.rest)
	if err != nil {
		return err
	}
	if s.GPU == x.GPU && s.GPUs == x.GPUs && s.Instances == x.Instances && s.doubt.IsZero() && x.doubt.IsZero() && (s.Purchase != catalog.Spot || x.Purchase != catalog.Spot) {
		rest.Low, rest.High = lowest(rest.Low, rest.Mid, rest.High), highest(rest.Low, rest.Mid, rest.High)
	} else {
		if rest.Low, err = s.Cost.Low.Sub(x.rest.High); err != nil {
			return err
		}
		if rest.High, err = s.Cost.High.Sub(x.rest.Low); err != nil {
			return err
		}
	}
	x.Saving, err = rest.Sub(money.Range{Low: x.Moving.High, Mid: x.Moving.Mid, High: x.Moving.Low})
	return err
}

func lowest(all ...money.Amount) money.Amount {
	out := all[0]
	for _, a := range all {
		if a.Cmp(out) < 0 {
			out = a
		}
	}
	return out
}

func highest(all ...money.Amount) money.Amount {
	out := all[0]
	for _, a := range all {
		if a.Cmp(out) > 0 {
			out = a
		}
	}
	return out
}

// needed is what moving must save: what was asked for, and more than either
// price may be off.
func (w *switcher) needed(best *Way) error {
	w.Need, w.NeedFrom = w.Least.Amount, "min_saving"
	if !w.Need.Known() {
		share, err := money.Quantify(w.Least.Share)
		if err != nil {
			return err
		}
		if w.Need, err = w.Stay.Cost.Mid.Mul(share); err != nil {
			return err
		}
	}
	if noise := highest(w.Stay.doubt, best.doubt); noise.Cmp(w.Need) > 0 {
		w.Need, w.NeedFrom = noise, "price_range"
	}
	return nil
}

// breakEven is how much work must be left for moving to save what is needed:
// what moves once against what is saved with every hour. Whatever grows with
// the work is taken to do so in proportion.
func (w *switcher) breakEven(best *Way) {
	s := w.Stay
	once := plainAmount(best.Moving.Mid) + plainAmount(best.fixed) - plainAmount(s.fixed)
	stay, move := plainAmount(s.Cost.Mid)-plainAmount(s.fixed), plainAmount(best.rest.Mid)-plainAmount(best.fixed)
	most := 0.0 // shares of what is left now
	need := func(once, each float64) {
		switch {
		case each > 0:
			most = math.Max(most, once/each)
		case once > 0 || each < 0:
			most = math.Inf(1)
		}
	}
	if a := w.Least.Amount; a.Known() {
		need(once+plainAmount(a), stay-move)
	} else {
		need(once+w.Least.Share*plainAmount(s.fixed), stay*(1-w.Least.Share)-move)
	}
	if noise := math.Max(plainAmount(s.doubt), plainAmount(best.doubt)); noise > 0 {
		need(once, stay-move-noise)
	}
	if h := most * s.Hours.Mid; !math.IsInf(h, 0) && !math.IsNaN(h) {
		w.BreakEven = &h
	}
}

// plainAmount is an amount as a number of its currency, for ratios only.
func plainAmount(a money.Amount) float64 { return money.Quantity(a.Nano()).Float() }

// The changes that turn the answer of a [Switch], each alone.
const (
	FlipThere  = "price_there" // of the way of moving, percent
	FlipHere   = "price_here"  // of the machines it runs on, percent
	FlipEgress = "egress"      // of leaving, per GB in the currency of the answer
)

// flips says which change of one price alone would turn the answer. More or
// fewer machines of the same offer have no price of their own.
func (w *switcher) flips(best *Way) {
	if s := w.Stay; s.Same && best.Same && s.Instance == best.Instance && s.Region == best.Region && s.GPU == best.GPU && s.Purchase == best.Purchase {
		return
	}
	margin, err := best.Saving.Mid.Sub(w.Need)
	if err != nil {
		return
	}
	percent := func(a, of money.Amount) (float64, bool) {
		r, ok := money.Ratio(a, of)
		if !ok || of.Sign() <= 0 {
			return 0, false
		}
		x, _ := r.Mul(r, big.NewRat(100, 1)).Float64()
		return x, x > -100 && x < 1e4
	}
	if x, ok := percent(margin, best.atRate); ok {
		w.Flips = append(w.Flips, Flip{By: FlipThere, Value: x, Unit: "percent", Provider: best.Provider, Purchase: string(best.Purchase)})
	}
	share := 0.0
	if !w.Least.Amount.Known() {
		share = w.Least.Share
	}
	base := plainAmount(w.Stay.atRate) * (1 - share)
	for _, l := range best.parts {
		if l.Component == CompSave || l.Component == CompUsedUp {
			base -= plainAmount(l.Cost.Mid)
		}
	}
	if x := -100 * plainAmount(margin) / base; base > 0 && w.Price != PriceCommitted && x > -100 && x < 1e4 {
		w.Flips = append(w.Flips, Flip{By: FlipHere, Value: x, Unit: "percent", Provider: w.Stay.Provider, Purchase: string(w.Stay.Purchase)})
	}
	for _, l := range best.parts {
		if l.Component == CompEgress && l.Quantity > 0 {
			if x := plainAmount(l.UnitPrice) + plainAmount(margin)/float64(l.Quantity); x >= 0 {
				w.Flips = append(w.Flips, Flip{By: FlipEgress, Value: x, Unit: string(best.Currency) + " per GB", Provider: w.Stay.Provider, Purchase: string(w.Stay.Purchase)})
			}
		}
	}
}
