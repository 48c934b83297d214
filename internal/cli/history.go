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
	"github.com/gpucost/gpucost/internal/source"
)

// selectOptions select series of a store.
type selectOptions struct {
	gpu, since, until                                       string
	providers, purchases, sources, regions, tiers, machines []string
	term                                                    int
}

func (o *selectOptions) flags(a *App, cmd *cobra.Command, times bool) {
	f := cmd.Flags()
	f.StringVar(&o.gpu, "gpu", "", "GPUs: any name people type, a family, or a list")
	f.StringSliceVar(&o.providers, "provider", nil, "only these providers")
	f.StringSliceVar(&o.purchases, "purchase", nil, "only these ways of buying: on_demand, spot, reserved, serverless, token")
	f.StringSliceVar(&o.sources, "source", nil, "only these price sources")
	f.StringSliceVar(&o.regions, "region", nil, "only these regions; * stands for anything, as in us-*")
	f.StringSliceVar(&o.tiers, "tier", nil, "only these tiers, such as secure or community")
	f.StringSliceVar(&o.machines, "instance", nil, "only these machines or models, by the provider's name")
	f.IntVar(&o.term, "term", 0, "reserved for this many months")
	if times {
		f.StringVar(&o.since, "since", "", "from this day on, 2026-09-01")
		f.StringVar(&o.until, "until", "", "up to and with this day")
	}
	var purchases []string
	for _, p := range catalog.Purchases() {
		purchases = append(purchases, string(p))
	}
	a.flagValues(cmd, map[string]completer{"gpu": gpuNames, "provider": providerIDs, "purchase": fixed(purchases...), "source": fixed(fetchedNames()...)})
}

// filter turns what people type into ids.
func (o *selectOptions) filter(c *catalog.Catalog) (f history.Filter, err error) {
	f = history.Filter{Sources: o.sources, Regions: o.regions, Tiers: o.tiers, Instances: o.machines, TermMonths: o.term}
	if f.GPUs, err = gpuIDs(c, o.gpu); err != nil {
		return f, err
	}
	f.Providers = providersNamed(c, o.providers)
	f.Purchases, err = purchasesNamed(o.purchases)
	return f, err
}

// gpuIDs are the ids that a text like that of --gpu means, and the unknown
// names that it holds.
func gpuIDs(c *catalog.Catalog, text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	set, err := catalog.NewNames(c.GPUs).WithOffers(c.Offers).ParseGPUs(text)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, q := range set.Queries {
		if q.Memory.Set() || q.Count.Set() {
			return nil, usagef("--gpu %q: limits of memory and count are not used here", q.Text).hint("give names only, such as h100-80gb-sxm")
		}
		ids = append(append(ids, q.IDs...), q.Raw...)
	}
	return ids, nil
}

// providersNamed are the ids of providers; one that only a store knows is
// taken as it is.
func providersNamed(c *catalog.Catalog, names []string) []string {
	var ids []string
	for _, name := range names {
		if p := catalog.FindProvider(c, name); p != nil {
			name = p.ID
		}
		ids = append(ids, name)
	}
	return ids
}

func purchasesNamed(names []string) (out []catalog.Purchase, err error) {
	all := catalog.Purchases()
	for _, name := range names {
		p := catalog.Purchase(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_"))
		if !slices.Contains(all, p) {
			return nil, usagef("unknown purchase %q", name).hint("want %s", joinPurchases(all))
		}
		out = append(out, p)
	}
	return out, nil
}

// nothingStored is the fault of a selection without a row.
func nothingStored(c *catalog.Catalog, o *selectOptions) *fault {
	f := nothingf("the store has no such price")
	for _, name := range o.providers {
		if catalog.FindProvider(c, name) == nil {
			f = f.hint("%q is no provider of the catalog", name).near(catalog.Nearest(name, providerIDs(c), 3))
		}
	}
	return f.hint("what it holds: gpucost prices sources")
}

// shownSeries is how many series a screen shows when nobody says.
const shownSeries = 20

func (a *App) pricesHistory() *cobra.Command {
	var o selectOptions
	var top int
	cmd := &cobra.Command{
		Use: "history --gpu NAME", Short: "How prices moved: a line of blocks on a screen, every observation as csv or json",
		Long:    "Reads the store. Prices are in their own currency; --top 0 shows every series.",
		Example: "  gpucost prices history --gpu h100 --provider lambda --purchase spot --since 2026-01-01\n  gpucost prices history --gpu h100 -o csv",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.history(&o, top) },
	}
	o.flags(a, cmd, true)
	cmd.Flags().IntVar(&top, "top", shownSeries, "show so many series; 0 for all")
	return cmd
}

func (a *App) history(o *selectOptions, top int) error {
	if o.gpu == "" && len(o.machines) == 0 && len(o.providers) == 0 {
		return usagef("prices history wants --gpu, --instance or --provider").hint("gpucost prices history --gpu h100; everything: gpucost prices export")
	}
	from, to, err := between(o.since, o.until)
	if err != nil {
		return err
	}
	c, err := a.ground(catalog.SectionCompare)
	if err != nil {
		return err
	}
	filter, err := o.filter(c)
	if err != nil {
		return err
	}
	now, err := a.moment()
	if err != nil {
		return err
	}
	s, err := a.readStore(a.context())
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // reading only
	names := gpuTitles(c)
	answer := present.HistoryAnswer{Asked: cmp.Or(strings.ToUpper(o.gpu), strings.Join(append(o.machines, o.providers...), ", ")), Store: s.Location(), Top: top, Lang: a.lang()}
	for series, err := range s.History(a.context(), filter, from, to) {
		if err != nil {
			return err
		}
		answer.Series = append(answer.Series, shownHistory(&series, names))
	}
	if len(answer.Series) == 0 {
		return nothingStored(c, o)
	}
	answer.From, answer.To = span(answer.Series, from, to, now)
	slices.SortStableFunc(answer.Series, cheapestLast)
	return a.show(answer.Doc())
}

// span is the time that a drawing covers: what was asked for, else from the
// first observation to now.
func span(list []present.HistorySeries, from, to, now time.Time) (time.Time, time.Time) {
	if from.IsZero() {
		for i := range list {
			if at := list[i].Points[0].ObservedAt; from.IsZero() || at.Before(from) {
				from = at
			}
		}
	}
	if to.IsZero() || to.After(now) {
		to = now
	}
	if !to.After(from) {
		to = from.Add(time.Second)
	}
	return from, to
}

// cheapestLast orders series by their last price, gone ones last.
func cheapestLast(x, y present.HistorySeries) int {
	p, q := x.Last(), y.Last()
	gone := func(h *present.HistoryPoint) int {
		if h.EndedAt != nil {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(gone(p), gone(q)), cmp.Compare(p.Currency, q.Currency), p.PerGPUHourLow.Cmp(q.PerGPUHourLow), p.Low.Cmp(q.Low))
}

func shownHistory(s *history.Series, names map[string]string) present.HistorySeries {
	out := present.HistorySeries{
		ID: s.ID, Source: s.Source, Provider: s.Provider, Instance: s.Instance, GPU: s.GPU, GPUName: cmp.Or(names[s.GPU], s.GPU), GPUs: s.GPUs.String(), Region: s.Region, Tier: s.Tier,
		Host: s.Host, Purchase: string(s.Purchase), Plan: s.Plan, TermMonths: months(s.TermMonths), Points: make([]present.HistoryPoint, 0, len(s.Points)),
	}
	offer := catalog.Offer{GPUs: s.GPUs}
	for i := range s.Points {
		p := &s.Points[i]
		price := pointPrice(s, p)
		perGPU := func(m money.Amount) money.Amount {
			m, ok := source.PerGPUHour(&offer, &price, m)
			if !ok {
				return money.Amount{}
			}
			return m
		}
		h := present.HistoryPoint{
			ObservedAt: p.ObservedAt, LastVerifiedAt: p.LastVerifiedAt, EndReason: p.EndReason, Low: p.Low, High: p.High, Currency: p.Low.Currency(),
			Per: p.Per, Free: p.Free, AsOf: p.AsOf.String(), PerGPUHourLow: perGPU(p.Low), PerGPUHourHigh: perGPU(p.High),
		}
		if !p.Open() {
			h.EndedAt = &p.EndedAt
		}
		out.Points = append(out.Points, h)
	}
	return out
}

// gpuTitles are the names of the GPUs by id.
func gpuTitles(c *catalog.Catalog) map[string]string {
	m := make(map[string]string, len(c.GPUs))
	for i := range c.GPUs {
		m[c.GPUs[i].ID] = c.GPUs[i].Name
	}
	return m
}

func months(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}
