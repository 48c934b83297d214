package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

type compareOptions struct {
	gpu, market, link, where, sort, groupBy, per string
	purchases, providers, regions, tiers         []string
	gpus                                         int64
	term, top                                    int
	spot, all, unavailable                       bool
	minMemory, minTotal, maxPrice, failAbove     string
	disk, tax                                    string

	workOptions
}

func (a *App) compareCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "What does this GPU cost where, ranked by what must be paid",
		Long: "Ranks every offer of a GPU by what must be paid per hour to hold the GPUs needed:\n" +
			"a machine sold only in eights costs eight. Every price has its date, source and doubts.\n" +
			"With --work every way of buying is ranked by what a GPU-hour of finished work costs: spot with\n" +
			"its interruptions, reserved and owned hardware at their utilisation, serverless by the second.\n\n" +
			"Keys of --sort: " + strings.Join(compareSorts(), ", "),
		Example: "  gpucost compare --gpu h100 --spot\n" +
			"  gpucost compare --gpu nvidia:h100,h200:80GB..:8 --purchase on_demand,reserved\n" +
			"  gpucost compare --gpu h100 --gpus 8 --work 72h --utilisation 60%\n" +
			"  gpucost compare --gpu 4090 --market cn --currency CNY\n" +
			"  gpucost compare --where 'vram>=80 and spot and price<3' --spot --sort price_per_pflop\n" +
			"  gpucost compare --gpu h100 --max-price 3 -o csv",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.compare(&o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.gpu, "gpu", "", "GPUs: any name people type, a family, or vendor:names:memory:count")
	f.Int64Var(&o.gpus, "gpus", 1, "how many GPUs must be held")
	f.BoolVar(&o.spot, "spot", false, "rank by spot price; the same as --purchase spot")
	f.StringSliceVar(&o.purchases, "purchase", nil, "ways of buying: on_demand, spot, reserved, serverless, token, owned")
	f.IntVar(&o.term, "term", 0, "reserved for this many months")
	f.StringSliceVar(&o.providers, "provider", nil, "only these providers")
	f.StringVar(&o.market, "market", "", "only this market: intl or cn")
	f.StringSliceVar(&o.regions, "region", nil, "only these regions (us, us-east-1) or countries")
	f.StringSliceVar(&o.tiers, "tier", nil, "only these tiers, such as secure or community")
	f.StringVar(&o.minMemory, "min-memory", "", "GB of memory per GPU, at least")
	f.StringVar(&o.minTotal, "min-total-memory", "", "GB of GPU memory per machine, at least")
	f.StringVar(&o.link, "interconnect", "", "nvlink, ib, roce, efa, rdma or a word of the provider's")
	f.StringVar(&o.maxPrice, "max-price", "", "leave out what costs more, per GPU-hour (see --per)")
	f.StringVar(&o.per, "per", "gpu", "what --max-price is per: gpu or instance (per hour)")
	f.StringVar(&o.failAbove, "fail-above", "", "exit 3 when the cheapest GPU-hour (with --work: of finished work) costs more than this")
	f.StringVar(&o.where, "where", "", "expression over the row, such as 'vram>=80 and price<3'")
	f.StringVar(&o.sort, "sort", "", "keys in order, such as price,-saving; a minus for descending")
	f.StringVar(&o.groupBy, "group-by", "", "one row per gpu, provider or region")
	f.IntVar(&o.top, "top", -1, "show so many rows; 0 for all")
	f.BoolVar(&o.all, "all-quotes", false, "every observation, also what is put aside otherwise")
	f.BoolVar(&o.unavailable, "include-unavailable", false, "also what is listed but cannot be bought")
	f.StringVar(&o.disk, "disk", "", "GB of disk to add where its price is known")
	f.StringVar(&o.tax, "tax", "", "show prices with this percentage of tax (default: without tax)")
	f.Bool("bom", false, "begin csv with a byte order mark, for Excel")
	o.flags(f)
	a.completeCompare(cmd)
	return cmd
}

func (a *App) compare(o *compareOptions) error {
	c, err := a.catalog(o.sections()...)
	if err != nil {
		return err
	}
	q, err := a.query(c, o)
	if err != nil {
		return err
	}
	answer := present.Comparison{
		Query: q, Asked: a.asked(o, &q), Catalog: a.stamp(c), Top: o.top, GroupBy: o.groupBy, GPUText: o.gpu,
		Collapse: o.sort == "" && slices.Contains([]string{"table", "wide"}, a.settings.get("output")),
		Lang:     a.lang(), Explain: a.settings.is("explain"), Names: providerNames(c), MonthOrigin: a.settings.origin("hours-per-month"),
	}
	if o.work != "" {
		if answer.Work, err = a.finished(c, q, o); err != nil {
			return err
		}
		answer.Result = answer.Work.Result
	} else {
		answer.Result = pricing.Compare(c, q)
	}
	if o.groupBy != "" {
		if answer.Groups, err = pricing.GroupBy(answer.Result.Quotes, o.groupBy); err != nil {
			return usagef("%v", err)
		}
	}
	shown := a.show(answer.Doc())
	if shown != nil && !present.IsBrokenPipe(shown) {
		return shown
	}
	if format := a.settings.get("output"); answer.Explain && slices.Contains([]string{"csv", "tsv", "ndjson"}, format) {
		fmt.Fprintf(a.Stderr, "gpucost: warning: %s has no place for --explain: -o table, json, yaml, markdown or html\n", format)
	}
	if err := a.judge(o, &answer, c); err != nil {
		return err // a reader that has gone does not open a gate
	}
	return shown
}

// asked is the query for the record.
func (a *App) asked(o *compareOptions, q *pricing.Query) present.Asked {
	r := present.Asked{
		GPU: o.gpu, GPUs: o.gpus, Purchases: q.Purchases, TermMonths: o.term, Providers: q.Providers, Market: o.market, Regions: o.regions, Tiers: o.tiers,
		MaxPrice: q.MaxPrice, MaxPricePer: o.per, Where: o.where, Sort: o.sort, Currency: q.Exchange.To, AsOf: q.Selection.AsOf.String(), Now: q.Now.String(),
		Source: q.Selection.Source, MaxAgeDays: q.Selection.MaxAgeDays, HoursPerMonth: q.HoursPerMonth.String(), DiskGB: q.DiskGB.String(), AllQuotes: o.all,
	}
	if q.TaxPercent != nil {
		t := q.TaxPercent.String()
		r.TaxPercent = &t
	}
	return r
}

// judge turns the answer into an exit code.
func (a *App) judge(o *compareOptions, answer *present.Comparison, c *catalog.Catalog) error {
	r := answer.Result
	if len(r.Quotes) == 0 {
		return nothingf("no offer matches").leftOut(r.LeftOut).misspelt(o.regions, regionNames(c)).misspelt(o.tiers, tierNames(c))
	}
	if o.failAbove != "" {
		limit, err := a.amount("fail-above", o.failAbove, r.Quotes[0].Currency)
		if err != nil {
			return err
		}
		best := r.Quotes[0].PerGPUHour
		for i := range r.Quotes {
			if p := r.Quotes[i].PerGPUHour; p.Cmp(best) < 0 {
				best = p
			}
		}
		if answer.Work != nil {
			best = cheapestFinished(answer.Work)
		}
		if !best.Known() || best.Cmp(limit) > 0 {
			return checkf("the cheapest GPU-hour costs %s %s, above --fail-above %s", best, limit.Currency(), limit)
		}
	}
	if a.settings.is("strict") && slices.ContainsFunc(r.LeftOut, func(l pricing.LeftOut) bool { return l.Code == "max_age" }) {
		return checkf("--strict: prices older than --max-age %s days were left out", a.settings.get("max-age"))
	}
	return nil
}

// leftOut adds the reasons for which rows were left out, most frequent first.
func (f *fault) leftOut(out []pricing.LeftOut) *fault {
	if len(out) == 0 {
		return f.hint("loosen a filter, or see every observation with --all-quotes")
	}
	return f.hint("left out: %s", present.Reasons(present.EN, out))
}

// misspelt adds the names nearest to those asked for that nothing is called.
func (f *fault) misspelt(asked, names []string) *fault {
	for _, x := range asked {
		called := func(name string) bool {
			return strings.EqualFold(name, x) || len(name) > len(x) && name[len(x)] == '-' && strings.EqualFold(name[:len(x)], x)
		}
		if !slices.ContainsFunc(names, called) {
			f = f.near(catalog.Nearest(x, names, 3))
		}
	}
	return f
}

// query turns the flags into the engine's question.
func (a *App) query(c *catalog.Catalog, o *compareOptions) (q pricing.Query, err error) {
	o.market, o.per = strings.ToLower(o.market), strings.ToLower(o.per)
	b, err := a.basis(c, o.market)
	if err != nil {
		return q, err
	}
	q = pricing.Query{
		Need: o.gpus, TermMonths: o.term, Market: o.market, Regions: o.regions, Tiers: o.tiers, Interconnect: o.link,
		Selection: b.selection, Now: b.now, Exchange: b.exchange, HoursPerMonth: b.month, All: o.all, Unavailable: o.unavailable,
		MaxInstance: o.per == "instance",
	}
	if o.gpus < 1 || o.gpus > 1_000_000 {
		return q, usagef("--gpus %d: want 1 to 1,000,000", o.gpus)
	}
	if o.per != "gpu" && o.per != "instance" {
		return q, usagef("--per %q: want gpu or instance", o.per)
	}
	if o.top < 0 && a.settings.flags.Changed("top") {
		return q, usagef("--top %d: want how many rows, 0 for all", o.top)
	}
	if o.market != "" && o.market != "intl" && o.market != "cn" {
		return q, usagef("--market %q: want intl or cn", o.market)
	}
	for _, step := range []func(*pricing.Query, *catalog.Catalog, *compareOptions) error{a.gpuFlags, a.buyFlags, a.limitFlags} {
		if err := step(&q, c, o); err != nil {
			return q, err
		}
	}
	return q, nil
}

func (a *App) gpuFlags(q *pricing.Query, c *catalog.Catalog, o *compareOptions) error {
	if o.gpu != "" {
		set, err := catalog.NewNames(c.GPUs).WithOffers(c.Offers).ParseGPUs(o.gpu)
		if err != nil {
			return err
		}
		q.GPU = set.Match
	}
	for _, name := range o.providers {
		id, err := findProvider(c, name)
		if err != nil {
			return err
		}
		q.Providers = append(q.Providers, id)
	}
	var err error
	if q.MinMemoryGB, err = gigabytes("min-memory", o.minMemory); err != nil {
		return err
	}
	q.MinTotalGB, err = gigabytes("min-total-memory", o.minTotal)
	return err
}

func (a *App) buyFlags(q *pricing.Query, _ *catalog.Catalog, o *compareOptions) error {
	purchases := o.purchases
	if o.spot {
		if len(purchases) > 0 {
			return usagef("--spot and --purchase: give one of them")
		}
		purchases = []string{string(catalog.Spot)}
	}
	if o.term > 0 && len(purchases) == 0 {
		purchases = []string{string(catalog.Reserved)}
	}
	if o.term < 0 || o.term > 120 {
		return usagef("--term %d: want months, 1 to 120", o.term)
	}
	all := catalog.Purchases()
	for _, name := range purchases {
		p := catalog.Purchase(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_"))
		if !slices.Contains(all, p) {
			return usagef("unknown purchase %q", name).hint("want %s", joinPurchases(all))
		}
		q.Purchases = append(q.Purchases, p)
	}
	if len(q.Purchases) == 0 {
		q.Purchases = []catalog.Purchase{catalog.OnDemand, catalog.Owned}
		if o.work != "" {
			q.Purchases = estimate.Purchases()
		}
	}
	if o.use != "" && o.work == "" {
		return usagef("--utilisation %s: only finished work depends on it", o.use).hint("--work 72h")
	}
	if o.term > 0 && !slices.Contains(q.Purchases, catalog.Reserved) {
		return usagef("--term %d: only reserved prices have a term", o.term).hint("add reserved to --purchase, or leave out --term")
	}
	return nil
}

func joinPurchases(all []catalog.Purchase) string {
	var names []string
	for _, p := range all {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

func (a *App) limitFlags(q *pricing.Query, _ *catalog.Catalog, o *compareOptions) (err error) {
	if o.maxPrice != "" {
		if q.MaxPrice, err = a.amount("max-price", o.maxPrice, q.Exchange.To); err != nil {
			return err
		}
	}
	if o.disk != "" {
		gb, err := gigabytes("disk", o.disk)
		if err != nil {
			return err
		}
		if q.DiskGB, err = money.Quantify(gb); err != nil {
			return usagef("--disk %q: want GB, such as 200", o.disk)
		}
	}
	if o.tax != "" {
		t, err := money.ParseQuantity(strings.TrimSuffix(o.tax, "%"))
		if err != nil || t > money.WholeQuantity(100) {
			return usagef("--tax %q: want a percentage, 0 to 100", o.tax)
		}
		q.TaxPercent = &t
	}
	if o.where != "" {
		if q.Where, err = pricing.CompileWhere(o.where); err != nil {
			return whereFault(err)
		}
	}
	keys, err := o.sortKeys()
	if keys != "" && err == nil {
		q.Sort, err = pricing.ParseSort(keys)
	}
	return err
}
