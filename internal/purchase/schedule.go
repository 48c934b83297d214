package purchase

import (
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// Schedule answers whether running only in a window of cheaper hours pays, and
// says what evidence there is that such hours are cheaper.
//
// Inputs: shifted_share of the work, window_price_factor (price in the window over
// the price at any time; optional: without it there is no saving to state),
// per_hour and hours_per_month of the work, both optional.
func Schedule(in Inputs, windows buying.Schedule, series []buying.PricePoint, effects bool) (Answer, error) {
	a := Answer{Command: "breakeven schedule", Inputs: in, Deciding: []string{"saving"}, Verdict: "schedule.no_evidence"}
	hours, err := windows.HoursPerWeek()
	if err != nil {
		return a, err
	}
	model := func(p Point) ([]Figure, error) {
		var f figures
		known := p.Has("window_price_factor")
		s, err := windows.Shift(p.Or("shifted_share", 1), p.Or("window_price_factor", 1))
		if err != nil {
			return nil, err
		}
		f.num("saving", "share", 1-s.CostFactor, known)
		f.num("time_factor", "times", s.TimeFactor, true)
		f.num("window_hours_per_week", "h", hours, true)
		if p.Has("per_month") {
			var saved money.Amount
			if known {
				saved = f.sum(part{p.Money("per_month"), 1 - s.CostFactor})
			}
			f.money("saving_per_month", saved)
		}
		return f.list, f.err
	}
	if a.Figures, err = Solve(in, model, effects); err != nil {
		return a, err
	}
	if in.Has("window_price_factor") {
		a.Verdict = "schedule.stated"
	}
	a.evidence(windows, series)
	return a, nil
}

// evidence adds a series' own figures and what is known from elsewhere.
func (a *Answer) evidence(windows buying.Schedule, series []buying.PricePoint) {
	if e, ok := windows.Evidence(series); ok {
		a.append([]Figure{
			{Name: "series_saving", Unit: "share", Value: e.Saving},
			{Name: "series_mean", Value: e.Mean},
			{Name: "series_mean_in_window", Value: e.InsideMean},
			{Name: "series_hours", Unit: "h", Value: e.HoursSeen},
		})
		a.Verdict = "schedule.measured"
	}
	g := Grid{Name: "evidence", Columns: []Column{{"fact", "fact"}, {"saving", "share"}, {"source", "text"}}}
	for _, f := range buying.WindowFacts() {
		row := []any{f.Code, nil, f.Source}
		if f.HasPrice {
			row[1] = f.Saving
		}
		g.Rows = append(g.Rows, row)
	}
	alt := Grid{Name: "alternatives", Columns: []Column{{"alternative", "fact"}, {"cost_factor_low", ""}, {"cost_factor_high", ""}, {"source", "text"}}}
	for _, x := range buying.Alternatives() {
		row := []any{x.Code, nil, x.HighCostFactor, x.Source}
		if x.LowCostFactor > 0 {
			row[1] = x.LowCostFactor
		}
		alt.Rows = append(alt.Rows, row)
	}
	a.Grids = append(a.Grids, g, alt)
}
