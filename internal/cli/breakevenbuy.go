package cli

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/purchase"
)

var buyAsks = []ask{
	{"capex", "capex", ownKind, "what the machines cost, all of them"},
	{"gpus", "gpus", wholeKind, "GPUs bought (default 8)"},
	{"opex-month", "opex_per_month", ownKind, "running them a month; --power, --colocation, --staff and --maintenance come on top"},
	{"opex-total", "opex_total", ownKind, "running them over the whole life, instead of --opex-month"},
	{"life", "life_months", monthKind, "months until they are written off (default 36)"},
	{"days-per-month", "days_per_month", dayKind, "days of a month (default --hours-per-month / 24)"},
	{"resale", "resale_share", partKind, "what they still fetch at the end, of --capex"},
	{"wacc", "cost_of_capital", shareKind, "cost of capital a year"},
	{"hours-per-day", "hours_per_day", dailyKind, "use, hours a day, for totals and NPV (default 24: the best case for buying)"},
	{"rule-hours", "rule_hours_per_day", dailyKind, "the rule of thumb to test: buy from so many hours a day (default 18)"},
	{"power", "power_kw", kwKind, "power in kW of all machines"},
	{"pue", "pue", pueKind, "facility energy over machine energy"},
	{"tariff", "tariff_per_kwh", ownKind, "price of a kWh"},
	{"colocation", "colocation_per_month", ownKind, "space and cooling a month"},
	{"staff", "staff_per_month", ownKind, "people a month"},
	{"maintenance", "maintenance_share", shareKind, "maintenance a year, of --capex"},
}

func (a *App) breakevenBuyCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use: "buy", Short: "From how many hours a day on buying beats renting", Args: noArgs,
		Long: "From how many hours a day on buying hardware beats renting it, and the rent at which a rule such as\n" +
			"\"buy from 18 hours a day\" is exactly right. The simple saving and the net present value are shown side by side.",
		Example: "  gpucost breakeven buy --capex 2000000 --capex-currency CNY --gpus 8 --opex-month 8000 --life 36 --rent 28,1.79USD --currency CNY\n" +
			"  gpucost breakeven buy --gpu h100 --gpus 8 --resale 25% --wacc 8%\n" +
			"  gpucost breakeven buy --capex 1920000 --gpus 64 --opex-total 728681 --life 4y --rent 2 --use 70% --wacc 10%",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.breakevenBuy(cmd, o) },
	}
	declare(cmd, buyAsks)
	f := cmd.Flags()
	f.String("rent", "", "rent of a GPU-hour; several after commas are compared")
	f.String("capex-currency", "", "currency of --capex, --opex-month and the rest of owning")
	f.String("rent-currency", "", "currency of --rent")
	f.String("use", "", "use as a share of all hours, instead of --hours-per-day")
	f.String("used-hours-per-year", "", "use in hours a year, instead of --hours-per-day")
	lookupFlags(a, cmd, &o)
	return cmd
}

func (a *App) breakevenBuy(cmd *cobra.Command, o compareOptions) error {
	s, err := a.open(cmd, buyAsks, o)
	if err != nil {
		return err
	}
	s.fill("gpus", 8, "count", "eight")
	s.fill("life_months", 36, "months", "three_years")
	s.fill("days_per_month", s.basis.month.Float()/24, "count", "hours_per_month")
	if err := s.use(); err != nil {
		return err
	}
	s.fill("rule_hours_per_day", 18, "h/day", "rule")
	if s.o.gpu != "" {
		if err := s.hardware(); err != nil {
			return err
		}
	}
	if !s.in.Has("capex") {
		return usagef("breakeven buy needs what the machines cost").hint("--capex 2000000 --capex-currency CNY, or --gpu h100 to take it from the catalog")
	}
	if err := s.electricity(); err != nil {
		return err
	}
	names, rents, err := s.rents()
	if err != nil {
		return err
	}
	answer, err := purchase.Buy(s.in, a.settings.is("explain"))
	if err != nil {
		return usagef("%v", err)
	}
	if s.own != "" && s.rent == "" && s.own != s.exchange.To && !strings.ContainsFunc(s.text("rent"), unicode.IsLetter) && s.text("rent") != "" {
		answer.Doubt("rent_currency", map[string]any{"is": string(s.exchange.To), "own": string(s.own)})
	}
	if len(rents) > 1 {
		if err := answer.BuyAgainst(names, rents); err != nil {
			return err
		}
	}
	if s.o.gpu != "" {
		answer.Next = append(answer.Next, "gpucost compare --gpu "+s.o.gpu+" --purchase on_demand,reserved,owned")
	}
	return s.tell(answer)
}

// use reads the three ways to state it.
func (s *shop) use() error {
	if text := s.text("use"); text != "" {
		v, ok := percentage(text)
		if !ok || v <= 0 || v > 1 {
			return usagef("--use %q: want %s, up to 100%%", text, shareKind.want)
		}
		s.in.Number("hours_per_day", 24*v, "h/day", purchase.Flag("use"))
	}
	if text := s.text("used-hours-per-year"); text != "" {
		v, ok := positiveNumber(text)
		if !ok || v > 8784 {
			return usagef("--used-hours-per-year %q: want hours, up to 8784", text)
		}
		days := 0.0
		for i := range s.in {
			if s.in[i].Name == "days_per_month" {
				days, _ = s.in[i].Mid.(float64)
			}
		}
		s.in.Number("hours_per_day", v/(12*days), "h/day", purchase.Flag("used-hours-per-year"))
	}
	s.fill("hours_per_day", 24, "h/day", "best_case")
	return nil
}

// electricity refuses half of what a month of power takes.
func (s *shop) electricity() error {
	switch {
	case s.in.Has("power_kw") && !s.in.Has("tariff_per_kwh"):
		return usagef("--power needs the price of a kWh").hint("--tariff 0.8")
	case s.in.Has("tariff_per_kwh") && !s.in.Has("power_kw"):
		return usagef("--tariff needs the power of the machines").hint("--power 10.2, in kW")
	}
	return nil
}

// hardware takes what was not given from the catalog: what the machines cost and
// what they draw.
func (s *shop) hardware() error {
	set, err := catalog.NewNames(s.cat.GPUs).ParseGPUs(s.o.gpu)
	if err != nil {
		return err
	}
	var g *catalog.GPU
	for i := range s.cat.GPUs {
		if set.Match(&catalog.Offer{GPU: s.cat.GPUs[i].ID, GPUKnown: true}, &s.cat.GPUs[i]) {
			g = &s.cat.GPUs[i]
			break
		}
	}
	if g == nil {
		return nil
	}
	own := purchase.Hardware{GPU: g, GPUs: s.count("gpus", 8), Market: s.o.market, Exchange: s.exchange}
	return own.Fill(s.cat, &s.in)
}

// rents reads --rent, or takes the cheapest rent of the catalog.
func (s *shop) rents() (names []string, rents []money.Amount, err error) {
	text := s.text("rent")
	if text == "" {
		if s.o.gpu == "" {
			return nil, nil, usagef("breakeven buy needs the rent it is compared with").hint("--rent 28 --currency CNY, or --gpu h100 to take it from the catalog")
		}
		gpus := s.count("gpus", 8)
		q, err := s.cheapest(gpus, catalog.OnDemand, 0, nil)
		if err != nil {
			return nil, nil, err
		}
		s.perGPU("rent_per_gpu_hour", q)
		return nil, nil, nil
	}
	cur := s.exchange.To
	if s.rent != "" {
		cur = s.rent
	}
	for i, part := range strings.Split(text, ",") {
		r, stated, err := s.money("rent", strings.TrimSpace(part), cur)
		if err != nil {
			return nil, nil, err
		}
		if i == 0 {
			s.in.Amount("rent_per_gpu_hour", r, stated, purchase.Flag("rent"))
		}
		names, rents = append(names, strings.TrimSpace(part)), append(rents, r.Mid)
	}
	return names, rents, nil
}
