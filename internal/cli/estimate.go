package cli

import (
	"bytes"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/data"
	"github.com/gpucost/gpucost/internal/calibrate"
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

type estimateOptions struct {
	scenario                      string
	set                           []string
	providers, purchases, regions []string
	market, maxCost, maxMonthly   string
	calibration                   string
	top                           int
	compareSources                bool
}

// shortcut is a flag that states one key of a scenario.
type shortcut struct{ flag, key, help string }

// everywhere are the shortcuts of every estimate.
var everywhere = []shortcut{
	{"gpu", "hardware.gpu", "only these GPUs: any name people type"},
	{"gpus", "hardware.gpus", "this many GPUs in all (default the fewest that work)"},
	{"deadline", "deadline", "a run must take no longer, such as 48h or 3d"},
}

func (a *App) estimateCommand() *cobra.Command {
	var o estimateOptions
	cmd := &cobra.Command{
		Use:   "estimate [train | serve | batch | rent]",
		Short: "What a workload costs, where, and how sure that is",
		Long: "Finds, for every GPU that is sold, the fewest machines on which the work fits, how long it\n" +
			"takes, and what a run and a month cost: low, middle and high. What does not fit is listed\n" +
			"with the reason. Scenarios: gpucost scenario list.",
		Example: "  gpucost estimate --scenario finetune-70b\n" +
			"  gpucost estimate --scenario finetune-70b --set train.tokens=200M --deadline 12h --explain\n" +
			"  gpucost estimate train --model llama-3.1-70b --method lora --tokens 100M --epochs 3\n" +
			"  gpucost estimate serve --model llama-3.3-70b --requests-per-day 50k --input 1000 --output 300\n" +
			"  gpucost estimate batch --model llama-3.1-8b --requests 100k --deadline 6h\n" +
			"  gpucost estimate rent --gpu h100 --gpus 8 --hours 100 --disk 500GB",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.estimate(cmd, &o, "") },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.scenario, "scenario", "", "name of a scenario or its file; - is stdin")
	f.StringArrayVar(&o.set, "set", nil, "state one value, such as train.tokens=200M (repeatable)")
	for _, s := range everywhere {
		f.String(s.flag, "", s.help)
	}
	f.StringSliceVar(&o.providers, "provider", nil, "only these providers")
	f.StringVar(&o.market, "market", "", "only this market: intl or cn")
	f.StringSliceVar(&o.regions, "region", nil, "only these regions or countries")
	f.StringSliceVar(&o.purchases, "purchase", nil, "ways of buying: on_demand, spot, reserved, serverless, token, owned (default all that suit the work)")
	f.StringVar(&o.maxCost, "max-cost", "", "exit 3 when the cheapest run costs more")
	f.StringVar(&o.maxMonthly, "max-monthly", "", "exit 3 when the cheapest costs more a month")
	f.StringVar(&o.calibration, "calibration", "", "correction from your own runs, see gpucost calibrate (default $GPUCOST_CALIBRATION)")
	f.IntVar(&o.top, "top", -1, "show so many rows; 0 for all")
	f.BoolVar(&o.compareSources, "compare-sources", false, "the best by the prices of each source alone")
	f.Bool("bom", false, "begin csv with a byte order mark, for Excel")
	for _, k := range estimate.Kinds() {
		cmd.AddCommand(a.estimateKind(k, &o))
	}
	cmd.AddCommand(a.generationsCommand(&o))
	a.flagValues(cmd, map[string]completer{
		"gpu": gpuNames, "provider": providerIDs, "region": regionNames, "market": fixed("intl", "cn"),
		"purchase": fixed("on_demand", "spot", "reserved", "serverless", "token", "owned"), "scenario": fixed(library().IDs()...),
	})
	return cmd
}

// estimate answers the scenario, or the shortcuts of a kind of work.
func (a *App) estimate(cmd *cobra.Command, o *estimateOptions, kind estimate.Kind) error {
	c, err := a.catalog()
	if err != nil {
		return err
	}
	s, err := a.scenarioOf(cmd, o, kind, c)
	if err != nil {
		return err
	}
	r, err := a.request(o, s, c)
	if err != nil {
		return err
	}
	answer, err := estimate.Run(r)
	if err != nil {
		return scenarioFault(err)
	}
	view := present.Estimation{
		Answer: answer, Asked: a.askedEstimate(o, &r.Query), Catalog: a.stamp(c), Top: o.top, Explain: r.Explain, Names: providerNames(c), Lang: a.lang(), Command: typed(cmd), Format: present.Format(a.settings.get("output")),
	}
	if o.compareSources {
		if view.Sources, err = bySource(r, c); err != nil {
			return err
		}
	}
	over, err := a.budgets(o, &view)
	if err != nil {
		return err
	}
	if err := a.show(view.Doc()); err != nil {
		return err
	}
	return judgeEstimate(answer, over)
}

// request is the engine's question.
func (a *App) request(o *estimateOptions, s *estimate.Scenario, c *catalog.Catalog) (*estimate.Request, error) {
	if o.market != "" && o.market != "intl" && o.market != "cn" {
		return nil, usagef("--market %q: want intl or cn", o.market)
	}
	b, err := a.basis(withRates(c, s), o.market)
	if err != nil {
		return nil, err
	}
	q := pricing.Query{
		Need: 1, Market: o.market, Regions: o.regions, Selection: b.selection, Now: b.now, Exchange: b.exchange, HoursPerMonth: b.month,
	}
	for _, name := range o.providers {
		id, err := findProvider(c, name)
		if err != nil {
			return nil, err
		}
		q.Providers = append(q.Providers, id)
	}
	if q.Purchases, err = purchases(o.purchases, s.Kind); err != nil {
		return nil, err
	}
	e, err := a.estimator(o.calibration)
	if err != nil {
		return nil, err
	}
	return &estimate.Request{Scenario: s, Catalog: c, Query: q, Estimator: e, Explain: a.settings.is("explain")}, nil
}

// withRates is the catalog with the exchange rates of the scenario in the place
// of its own; a flag's still win.
func withRates(c *catalog.Catalog, s *estimate.Scenario) *catalog.Catalog {
	if len(s.FX) == 0 {
		return c
	}
	with := *c
	with.FX = s.Rates()
	for _, r := range c.FX {
		if !slices.ContainsFunc(s.FX, func(o estimate.OwnRate) bool { return o.Base == r.Base && o.Quote == r.Quote }) {
			with.FX = append(with.FX, r)
		}
	}
	return &with
}

// purchases are the ways of buying that are ranked side by side: for runs, which
// can be repeated, also spot; for services also what scales to zero.
func purchases(names []string, kind estimate.Kind) ([]catalog.Purchase, error) {
	if len(names) == 0 {
		switch kind {
		case estimate.KindServe:
			return []catalog.Purchase{catalog.OnDemand, catalog.Reserved, catalog.Serverless, catalog.Token, catalog.Owned}, nil
		case estimate.KindRent:
			return []catalog.Purchase{catalog.OnDemand, catalog.Owned, catalog.Spot}, nil
		}
		return []catalog.Purchase{catalog.OnDemand, catalog.Spot, catalog.Reserved, catalog.Token, catalog.Owned}, nil
	}
	can := catalog.Purchases()
	var out []catalog.Purchase
	for _, name := range names {
		p := catalog.Purchase(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_"))
		if !slices.Contains(can, p) {
			return nil, usagef("unknown purchase %q", name).hint("want %s", joinPurchases(can))
		}
		out = append(out, p)
	}
	return out, nil
}

// estimator is the shipped calibration with the user's own runs over it.
func (a *App) estimator(personal string) (*estimate.Estimator, error) {
	cal, err := a.calibration(personal)
	if err != nil {
		return nil, err
	}
	return estimate.New(cal), nil
}

func (a *App) calibration(personal string) (*estimate.Calibration, error) {
	cal, err := estimate.DecodeCalibration(data.CalibrationTwin)
	if err != nil {
		return nil, failf("embedded calibration: %v", err)
	}
	if personal == "" {
		personal = a.Env("GPUCOST_CALIBRATION")
	}
	if personal == "" {
		return cal, nil
	}
	b, err := a.read(personal)
	if err != nil {
		return nil, err
	}
	p, err := calibrate.ReadPersonal(bytes.NewReader(b))
	if err != nil {
		return nil, usagef("%s: %v", personal, err)
	}
	return p.Apply(cal), nil
}

func (a *App) askedEstimate(o *estimateOptions, q *pricing.Query) present.AskedEstimate {
	return present.AskedEstimate{
		Purchases: q.Purchases, Providers: q.Providers, Market: o.market, Regions: o.regions, Currency: q.Exchange.To, AsOf: q.Selection.AsOf.String(), Now: q.Now.String(),
		Source: q.Selection.Source, MaxAgeDays: q.Selection.MaxAgeDays, HoursPerMonth: q.HoursPerMonth.String(),
	}
}
