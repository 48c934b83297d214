package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

type diffOptions struct {
	selectOptions
	from, to  string
	attribute bool
	top       int
}

func (a *App) pricesDiff() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use: "diff --from DAY --to DAY", Short: "What moved between two days: a price, an exchange rate, new and gone offers",
		Long: "Compares what the store knew at the end of two days. --attribute converts into one currency and splits each\n" +
			"move into the part of the price and the part of the exchange rate; the two sum exactly to the move.",
		Example: "  gpucost prices diff --from 2026-09-01 --to 2026-10-01 --gpu h100\n  gpucost prices diff --from 2026-09 --to 2026-10 --attribute --currency CNY",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.moves(&o) },
	}
	o.flags(a, cmd, false)
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "the earlier day, 2026-09-01")
	f.StringVar(&o.to, "to", "", "the later day (default: now)")
	f.BoolVar(&o.attribute, "attribute", false, "split each move into price and exchange rate")
	f.IntVar(&o.top, "top", 40, "show so many moves on a screen; 0 for all")
	return cmd
}

func (a *App) moves(o *diffOptions) error {
	d, err := a.diffTimes(o)
	if err != nil {
		return err
	}
	c, err := a.ground(catalog.SectionCompare)
	if err != nil {
		return err
	}
	if d.Filter, err = o.filter(c); err != nil {
		return err
	}
	if err := a.diffCurrency(&d, o, c); err != nil {
		return err
	}
	s, err := a.readStore(a.context())
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // reading only
	got, err := s.Diff(a.context(), d)
	if err != nil {
		return err
	}
	answer := present.MovesAnswer{
		From: d.From.Format(time.DateOnly), To: d.To.Format(time.DateOnly), Store: s.Location(), Attribute: o.attribute,
		Moves: []present.PriceMove{}, Unchanged: got.Unchanged, NotWatched: got.NotWatched, NoRate: got.NoRate, Top: o.top, Lang: a.lang(),
	}
	names := gpuTitles(c)
	for i := range got.Changes {
		answer.Moves = append(answer.Moves, move(&got.Changes[i], names))
	}
	if len(answer.Moves)+got.Unchanged+got.NotWatched == 0 {
		return nothingStored(c, &o.selectOptions)
	}
	slices.SortStableFunc(answer.Moves, func(x, y present.PriceMove) int {
		return cmp.Or(strings.Compare(x.GPU, y.GPU), strings.Compare(x.Provider, y.Provider), strings.Compare(x.Region, y.Region), strings.Compare(x.Purchase, y.Purchase))
	})
	return a.show(answer.Doc())
}

// diffTimes are the ends of the two days, never later than now.
func (a *App) diffTimes(o *diffOptions) (d history.DiffOptions, err error) {
	if o.from == "" {
		return d, usagef("prices diff wants --from").hint("gpucost prices diff --from 2026-09-01 --to 2026-10-01")
	}
	first, err := dayFlag("from", o.from)
	if err != nil {
		return d, err
	}
	now, err := a.moment()
	if err != nil {
		return d, err
	}
	d.From, d.To = endOf(first).Add(-time.Microsecond), now
	if o.to != "" {
		last, err := dayFlag("to", o.to)
		if err != nil {
			return d, err
		}
		if end := endOf(last).Add(-time.Microsecond); end.Before(now) {
			d.To = end
		}
	}
	if !d.From.Before(d.To) {
		return d, usagef("--from %s is not before --to", o.from)
	}
	return d, nil
}

// diffCurrency says into what to convert, and at which rates besides those of
// the store: the catalog's, and the user's own for both days.
func (a *App) diffCurrency(d *history.DiffOptions, o *diffOptions, c *catalog.Catalog) error {
	d.Currency = money.Currency(strings.ToUpper(a.settings.get("currency")))
	if d.Currency != "" && !catalog.KnownCurrency(d.Currency) {
		return a.badSetting("currency", "want an ISO 4217 code such as USD or CNY")
	}
	if d.Currency == "" && o.attribute {
		d.Currency = "USD"
	}
	d.Rates = slices.Clone(c.FX)
	for _, text := range a.settings.list("fx") {
		r, err := pricing.ParseFX(text)
		if err != nil {
			return usagef("%s: %v", a.settings.origin("fx"), err)
		}
		for _, at := range []time.Time{d.From, d.To} {
			r.AsOf = catalog.DateOf(at)
			d.Rates = append(d.Rates, r)
		}
	}
	return nil
}

func move(c *history.Change, names map[string]string) present.PriceMove {
	s := &c.Series
	m := present.PriceMove{
		Source: s.Source, Provider: s.Provider, Instance: s.Instance, GPU: s.GPU, GPUName: cmp.Or(names[s.GPU], s.GPU), GPUs: s.GPUs.String(), Region: s.Region, Tier: s.Tier, Host: s.Host,
		Purchase: string(s.Purchase), Plan: s.Plan, TermMonths: months(s.TermMonths), What: string(c.Kind), From: c.FromValue, To: c.ToValue,
		PriceEffect: c.PriceEffect, RateEffect: c.RateEffect, Currency: cmp.Or(c.ToValue.Currency(), c.FromValue.Currency()),
	}
	if c.FromRate.Known() {
		m.FromRateDate = c.FromRate.String()
	}
	if c.ToRate.Known() {
		m.ToRateDate = c.ToRate.String()
	}
	if p := c.From; p != nil {
		m.Per, m.FromNative, m.FromCurrency = p.Per, p.Low, p.Low.Currency()
		m.LastVerifiedAt = p.LastVerifiedAt.Format(time.RFC3339)
	}
	if p := c.To; p != nil {
		m.Per, m.ToNative, m.ToCurrency = p.Per, p.Low, p.Low.Currency()
		m.LastVerifiedAt = p.LastVerifiedAt.Format(time.RFC3339)
	}
	if c.FromValue.Currency() == c.ToValue.Currency() {
		if m.ChangePercent = pricing.Saving(c.ToValue, c.FromValue); m.ChangePercent != nil {
			*m.ChangePercent = -*m.ChangePercent
		}
	}
	return m
}
