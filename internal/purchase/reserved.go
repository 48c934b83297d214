package purchase

import (
	"errors"
	"math"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// Reserve answers from which use on a commitment beats paying on demand.
//
// Inputs: reserved_per_gpu_hour, or package_per_month of all GPUs with paid_share
// (5 zhe is half) and hours_included; on_demand_per_gpu_hour, gpus, term_months,
// hours_per_month; optional: upfront (of all GPUs), use (share of the term),
// decline_per_year of the market price (0.25: a quarter less after a year; a rise is negative), exit_after_months and exit_fee_share,
// committed_gpu_hours with used_gpu_hours and resold_share.
func Reserve(in Inputs, effects bool) (Answer, error) {
	a := Answer{Command: "breakeven reserved", Inputs: in, Deciding: []string{"break_even_utilisation"}, Verdict: "reserved.above"}
	var err error
	if a.Figures, err = Solve(in, reserved, effects); err != nil {
		return a, err
	}
	p := in.point(func(i *Input) any { return i.Mid })
	if u, ok := a.Num("break_even_utilisation"); !ok || u > 1 {
		a.Verdict = "reserved.never"
	}
	if gap, _ := a.Num("coverage_gap_gpu_hours"); gap > 0 {
		a.Doubt("coverage_gap", nil)
	}
	if !p.Has("decline_per_year") {
		a.Doubt("market_may_fall", nil)
	}
	if p.Has("committed_gpu_hours") {
		return a, nil
	}
	uses := Grid{Name: "by_utilisation", Columns: []Column{{"use", "share"}, {"per_used_gpu_hour", ""}, {"saving_at_use", ""}, {"wasted", ""}}}
	for _, u := range []float64{0.25, 0.5, 0.75, 0.9, 1} {
		if err := uses.row(p, reserved, map[string]any{"use": u}); err != nil {
			return a, err
		}
	}
	a.Grids = append(a.Grids, uses)
	return a, nil
}

func reserved(p Point) ([]Figure, error) {
	term := p.Num("term_months") * p.Num("hours_per_month") * p.Num("gpus")
	if p.Has("committed_gpu_hours") {
		term = p.Num("committed_gpu_hours")
	}
	if !(term > 0) {
		return nil, errors.New("the term and the number of GPUs must be above 0")
	}
	var f figures
	rate, onDemand := f.committed(p), p.Money("on_demand_per_gpu_hour")
	total := f.sum(part{rate, term})
	upfront := 0.0
	if up := p.Money("upfront"); up.Known() {
		total, upfront = f.sum(part{rate, term}, part{up, 1}), plain(up)
	}
	c := buying.Commitment{Upfront: upfront, PerHour: plain(rate), TermHours: term}
	be, ok := c.BreakEvenUse(plain(onDemand))
	f.num("break_even_utilisation", "share", be, ok)
	f.num("break_even_hours_per_day", "h/day", be*24, ok)
	f.num("discount", "share", 1-be, ok)
	f.money("effective_per_gpu_hour", f.sum(part{total, 1 / term}))
	f.money("commitment_total", total)
	f.money("saving_at_full_use", f.sum(part{onDemand, term}, part{total, -1}))
	if use, ok := p.usedShare(term); ok {
		f.num("utilisation", "share", use, true)
		f.money("saving_at_use", f.sum(part{onDemand, use * term}, part{total, -1}))
		if use > 0 {
			f.money("per_used_gpu_hour", f.sum(part{total, 1 / (use * term)}))
		} else {
			f.money("per_used_gpu_hour", money.Amount{})
		}
		f.money("wasted", f.sum(part{total, max(0, 1-use)}))
	}
	f.market(p, be, ok)
	f.stranded(p, rate)
	f.exit(p, total)
	return f.list, f.err
}

// committed is the price of a committed GPU-hour, used or not.
func (f *figures) committed(p Point) money.Amount {
	if !p.Has("package_per_month") {
		return p.Money("reserved_per_gpu_hour")
	}
	return f.sum(part{p.Money("package_per_month"), p.Or("paid_share", 1) / (p.Or("hours_included", p.Num("hours_per_month")) * p.Num("gpus"))})
}

// usedShare is the share of the term that is used, if it was stated.
func (p Point) usedShare(term float64) (float64, bool) {
	if p.Has("used_gpu_hours") {
		return min(1, p.Num("used_gpu_hours")/term), true
	}
	return p.Num("use"), p.Has("use")
}

// market is what a falling or rising price on demand does to the break-even.
func (f *figures) market(p Point, breakEven float64, ok bool) {
	if !p.Has("decline_per_year") {
		return
	}
	fall := -math.Log1p(-p.Num("decline_per_year")) // the stated fall compounds: after a year the price is 1 less it
	needed, known := buying.MarketBreakEvenDiscount(fall, p.Num("term_months")/12)
	f.num("market_discount_needed", "share", needed, known)
	f.num("break_even_utilisation_in_market", "share", breakEven/(1-needed), ok && known && needed < 1)
}

// stranded is a commitment in hours against what was used of it.
func (f *figures) stranded(p Point, rate money.Amount) {
	if !p.Has("committed_gpu_hours") {
		return
	}
	b, err := buying.Stranded(p.Num("committed_gpu_hours"), p.Num("used_gpu_hours"), plain(rate), p.Num("resold_share"))
	if err != nil {
		f.fail(err)
		return
	}
	f.num("unused_gpu_hours", "h", b.UnusedHours, true)
	f.num("coverage_gap_gpu_hours", "h", b.CoverageGapHours, true)
	f.money("stranded_gross", f.sum(part{rate, b.UnusedHours}))
	f.money("stranded_recovered", f.sum(part{rate, b.UnusedHours * p.Num("resold_share")}))
	f.money("stranded_net", f.sum(part{rate, b.UnusedHours * (1 - p.Num("resold_share"))}))
}

// exit is what leaving early costs; without a fee the rest is not paid.
func (f *figures) exit(p Point, total money.Amount) {
	if !p.Has("exit_after_months") {
		return
	}
	share, err := buying.EarlyExit(1/p.Num("term_months"), p.Num("term_months"), p.Num("exit_after_months"), p.Num("exit_fee_share"))
	if err != nil {
		f.fail(err)
		return
	}
	f.money("exit_total", f.sum(part{total, share}))
}

// Demand is units wanted in equal slots of time.
type Demand struct {
	Units     []float64
	SlotHours float64
	SpotShare float64 // of what the base does not cover
}

// Mix adds the cheapest mix of a committed base, on demand and spot for a demand.
// The inputs of the answer may hold spot_per_gpu_hour, of finished work.
func (a *Answer) Mix(d Demand) error {
	p := a.Inputs.point(func(i *Input) any { return i.Mid })
	var f figures
	committed := f.committed(p)
	rates := buying.Rates{Committed: plain(committed), OnDemand: p.Plain("on_demand_per_gpu_hour"), Spot: p.Plain("spot_per_gpu_hour")}
	if d.SpotShare > 0 && !p.Has("spot_per_gpu_hour") {
		return errors.New("a spot share needs a spot price")
	}
	profile := buying.Profile{SlotHours: d.SlotHours, Units: d.Units}
	best, err := buying.BestMix(profile, d.SpotShare, rates)
	if err != nil {
		return err
	}
	g := Grid{Name: "mix", Columns: []Column{
		{"base_gpus", "count"}, {"committed_share", "share"}, {"on_demand_share", "share"}, {"spot_share", "share"}, {"base_use", "share"}, {"cost", ""}, {"per_used_gpu_hour", ""}, {"best", "flag"},
	}}
	for base := max(0, best.BaseUnits-2); base <= best.BaseUnits+2; base++ {
		m, err := buying.Mix(profile, base, d.SpotShare, rates)
		if err != nil {
			return err
		}
		cost := f.sum(part{committed, m.CommittedHours}, part{p.Money("on_demand_per_gpu_hour"), m.OnDemandHours})
		if m.SpotHours > 0 {
			cost = f.sum(part{cost, 1}, part{p.Money("spot_per_gpu_hour"), m.SpotHours})
		}
		used := m.CommittedHours - m.IdleHours + m.OnDemandHours + m.SpotHours
		var per any
		if used > 0 {
			per = f.sum(part{cost, 1 / used})
		}
		g.Rows = append(g.Rows, []any{float64(base), m.CommittedShare, m.OnDemandShare, m.SpotShare, m.Use, cost, per, base == best.BaseUnits})
	}
	a.Grids = append(a.Grids, g)
	a.Figures = append(a.Figures, Figure{Name: "best_base_gpus", Unit: "count", Value: float64(best.BaseUnits), Low: float64(best.BaseUnits), High: float64(best.BaseUnits)})
	return f.err
}
