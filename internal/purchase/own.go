package purchase

import (
	"errors"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// Buy answers from where on buying hardware beats renting it.
//
// Inputs: capex, gpus, life_months, days_per_month, rent_per_gpu_hour,
// hours_per_day (of use), rule_hours_per_day; opex_per_month or opex_total, and
// what comes on top: power_kw, pue, tariff_per_kwh, colocation_per_month,
// staff_per_month, maintenance_share (of capex a year); resale_share and
// cost_of_capital are optional.
func Buy(in Inputs, effects bool) (Answer, error) {
	a := Answer{Command: "breakeven buy", Inputs: in, Deciding: []string{"break_even_hours_per_day"}, Verdict: "buy.above"}
	var err error
	if a.Figures, err = Solve(in, own, effects); err != nil {
		return a, err
	}
	mid := in.point(func(i *Input) any { return i.Mid })
	a.ownVerdict(mid)
	if a.Grids, err = ownGrids(mid); err != nil {
		return a, err
	}
	return a, nil
}

// ownVerdict says what the figures mean, and where the criteria disagree.
func (a *Answer) ownVerdict(p Point) {
	if h, ok := a.Num("break_even_hours_per_day"); !ok || h > 24 {
		a.Verdict = "buy.never"
	}
	saving, npv := a.Figure("simple_saving"), a.Figure("npv")
	if s, ok := saving.Value.(money.Amount); ok {
		if n, ok := npv.Value.(money.Amount); ok && (s.Sign() < 0) != (n.Sign() < 0) {
			a.Doubt("criteria_disagree", nil)
		}
	}
	stated := p.Has("opex_per_month") || p.Has("opex_total")
	parts := p.Has("power_kw") || p.Has("colocation_per_month") || p.Has("staff_per_month") || p.Has("maintenance_share")
	switch {
	case stated && parts:
		a.Doubt("opex_added", nil)
	case !stated && parts:
		a.Doubt("opex_parts", nil)
	case !stated:
		a.Doubt("no_opex", nil)
	}
	if !p.Has("colocation_per_month") && !p.Has("staff_per_month") {
		a.Doubt("no_staff", nil)
	}
	if !p.Has("resale_share") {
		a.Doubt("no_resale", nil)
	}
	if !p.Has("cost_of_capital") {
		a.Doubt("no_capital_cost", nil)
	}
}

// holding is what a point says about owning, in the form of package buying, with
// amounts as plain numbers.
func holding(p Point, opexPerMonth float64) buying.Own {
	return buying.Own{
		Capex: p.Plain("capex"), ResaleShare: p.Num("resale_share"), LifeYears: p.Num("life_months") / 12, CapitalRate: p.Num("cost_of_capital"),
		OpexPerMonth: opexPerMonth, GPUs: p.Num("gpus"), DaysPerMonth: p.Num("days_per_month"),
	}
}

// opex is what running takes over so many months besides capital: as stated, and
// what is stated of its parts on top.
func (f *figures) opex(p Point, months float64) money.Amount {
	total := money.Zero(p.Money("capex").Currency())
	hours := p.Num("days_per_month") * 24
	for _, x := range []part{
		{p.Money("opex_per_month"), months},
		{p.Money("opex_total"), months / p.Num("life_months")},
		{p.Money("tariff_per_kwh"), p.Num("power_kw") * p.Or("pue", 1) * hours * months},
		{p.Money("colocation_per_month"), months},
		{p.Money("staff_per_month"), months},
		{p.Money("capex"), p.Num("maintenance_share") / 12 * months},
	} {
		if x.amount.Known() {
			total = f.sum(part{total, 1}, x)
		}
	}
	return total
}

// perMonth is (capex - present value of the resale) x annuity / 12 + opex. It is
// linear in capex, so the factor of capex is what owning for 1 costs.
func (f *figures) perMonth(p Point, opex money.Amount) money.Amount {
	unit := holding(p, 0)
	unit.Capex = 1
	k, err := unit.PerMonth()
	if err != nil {
		f.fail(err)
		return money.Amount{}
	}
	return f.sum(part{p.Money("capex"), k}, part{opex, 1})
}

func own(p Point) ([]Figure, error) {
	var f figures
	if err := ownDomain(p); err != nil {
		return nil, err
	}
	opex := f.opex(p, 1)
	month := f.perMonth(p, opex)
	if f.err != nil {
		return nil, f.err
	}
	o := holding(p, plain(opex))
	rent, use := p.Plain("rent_per_gpu_hour"), p.Num("hours_per_day")
	gpuDays := p.Num("gpus") * p.Num("days_per_month")

	h, ok := o.BreakEvenHoursPerDay(rent)
	f.num("break_even_hours_per_day", "h/day", h, ok)
	f.money("own_per_month", month)
	f.money("opex_per_month", opex)
	f.money("own_per_used_gpu_hour", f.sum(part{month, 1 / (gpuDays * use)}))
	f.money("own_per_calendar_gpu_hour", f.sum(part{month, 1 / (gpuDays * 24)}))
	f.money("rule_rent_per_gpu_hour", f.sum(part{month, 1 / (gpuDays * p.Num("rule_hours_per_day"))}))
	f.money("never_below_rent_per_gpu_hour", f.sum(part{month, 1 / (gpuDays * 24)}))
	months, ok := o.BreakEvenLifeMonths(rent, use)
	f.num("break_even_months", "months", months, ok)
	months, ok = o.BreakEvenLifeMonths(rent, p.Num("rule_hours_per_day"))
	f.num("rule_life_months", "months", months, ok)
	f.invest(p)
	return f.list, f.err
}

// ownDomain refuses inputs that would divide by nothing.
func ownDomain(p Point) error {
	for _, name := range []string{"gpus", "life_months", "days_per_month", "hours_per_day", "rule_hours_per_day"} {
		if !(p.Num(name) > 0) {
			return errors.New(name + " must be above 0")
		}
	}
	if p.Money("rent_per_gpu_hour").Sign() <= 0 {
		return errors.New("the rent must be above 0: against free GPU-hours buying never pays")
	}
	for _, name := range []string{"hours_per_day", "rule_hours_per_day"} {
		if p.Num(name) > 24 {
			return errors.New(name + " must be at most 24")
		}
	}
	return nil
}

// invest adds the undiscounted and the discounted comparison at the stated use;
// both, because they can disagree.
func (f *figures) invest(p Point) {
	years := p.Num("life_months") / 12
	gpuHours := p.Num("gpus") * p.Num("days_per_month") * 12 * p.Num("hours_per_day") // a year
	capex, rent := p.Money("capex"), p.Money("rent_per_gpu_hour")
	running := f.opex(p, p.Num("life_months"))
	rentTotal := f.sum(part{rent, gpuHours * years})
	ownTotal := f.sum(part{capex, 1 - p.Num("resale_share")}, part{running, 1})
	f.money("rent_total", rentTotal)
	f.money("own_total", ownTotal)
	f.money("simple_saving", f.sum(part{rentTotal, 1}, part{ownTotal, -1}))

	v := buying.Investment{
		Capex: p.Plain("capex"), OpexPerYear: plain(running) / years, Resale: p.Plain("capex") * p.Num("resale_share"), Years: years, GPUs: p.Num("gpus"),
		HoursPerYear: p.Num("days_per_month") * 12 * 24, Use: p.Num("hours_per_day") / 24, RentPerGPUHour: plain(rent), DiscountRate: p.Num("cost_of_capital"),
	}
	r, err := v.Evaluate()
	if err != nil {
		f.fail(err)
		return
	}
	paid := 1 / buying.Annuity(v.DiscountRate, years) // present value of 1 a year
	sold := pastValue(v.DiscountRate, years)
	f.money("npv", f.sum(part{rent, gpuHours * paid}, part{running, -paid / years}, part{capex, p.Num("resale_share")*sold - 1}))
	f.num("payback_years", "years", r.PaybackYears, r.Pays)
	f.num("break_even_use", "share", r.BreakEvenUse, true)
	f.num("break_even_use_npv", "share", r.BreakEvenUseNPV, true)
}

// ownLives and ownUses are the lives in months and the hours a day of the tables.
var (
	ownLives = []float64{12, 24, 36, 48, 60}
	ownUses  = []float64{4, 8, 12, 18, 24}
)

// ownGrids show what life and rent do to the rule, and use to the cost.
func ownGrids(p Point) ([]Grid, error) {
	lives := Grid{Name: "by_life", Columns: []Column{
		{"life_months", "months"}, {"own_per_month", ""}, {"rule_rent_per_gpu_hour", ""}, {"break_even_hours_per_day", "h/day"},
	}}
	for _, life := range ownLives {
		if err := lives.row(p, own, map[string]any{"life_months": life}); err != nil {
			return nil, err
		}
	}
	uses := Grid{Name: "by_use", Columns: []Column{
		{"hours_per_day", "h/day"}, {"own_per_used_gpu_hour", ""}, {"break_even_months", "months"}, {"simple_saving", ""}, {"npv", ""},
	}}
	for _, use := range ownUses {
		if err := uses.row(p, own, map[string]any{"hours_per_day": use}); err != nil {
			return nil, err
		}
	}
	return []Grid{lives, uses}, nil
}

// BuyAgainst adds the break-even hours a day against further rents.
func (a *Answer) BuyAgainst(names []string, rents []money.Amount) error {
	g := Grid{Name: "by_rent", Columns: []Column{{"rent", "text"}, {"rent_per_gpu_hour", ""}, {"break_even_hours_per_day", "h/day"}, {"break_even_months", "months"}}}
	p := a.Inputs.point(func(i *Input) any { return i.Mid })
	for i := range rents {
		if err := g.row(p, own, map[string]any{"rent_per_gpu_hour": rents[i], "rent": names[i]}); err != nil {
			return err
		}
	}
	a.Grids = append([]Grid{g}, a.Grids...)
	return nil
}
