package purchase

import (
	"maps"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot"
)

// Simulate adds what random interruptions do to cost and finish time. Laws other
// than zero stand for measured up-times and outages.
func (a *Answer) Simulate(every Interval, saveOnNotice bool, s spot.Simulation) error {
	p := a.Inputs.point(func(i *Input) any { return i.Mid })
	j, err := p.job(every, saveOnNotice)
	if err != nil {
		return err
	}
	d, err := spot.Simulate(j, s)
	if err != nil {
		return err
	}
	var f figures
	f.num("simulated.runs", "count", float64(d.Runs), true)
	f.num("simulated.unfinished", "count", float64(d.Unfinished), true)
	f.distribution("simulated", d, p.Money("spot_per_hour"), j.WorkHours)
	a.append(f.list)
	if s.Up != (spot.Law{}) {
		a.Doubt("measured_up_times", nil)
	}
	return f.err
}

// append adds figures without a range.
func (a *Answer) append(list []Figure) {
	for i := range list {
		list[i].Low, list[i].High = list[i].Value, list[i].Value
	}
	a.Figures = append(a.Figures, list...)
}

func (f *figures) distribution(prefix string, d spot.Distribution, perHour money.Amount, work float64) {
	ok := d.Runs > d.Unfinished
	f.num(prefix+".billed_hours_mean", "h", d.BilledHours.Mean, ok)
	f.num(prefix+".billed_hours_stderr", "h", d.BilledHours.StdErr, ok)
	f.num(prefix+".wall_hours_p50", "h", d.WallHours.P50, ok)
	f.num(prefix+".wall_hours_p90", "h", d.WallHours.P90, ok)
	f.num(prefix+".interruptions", "count", d.Interruptions, ok)
	for _, q := range []struct {
		name   string
		factor float64
	}{{"cost_mean", d.CostFactor.Mean}, {"cost_p50", d.CostFactor.P50}, {"cost_p90", d.CostFactor.P90}} {
		var cost money.Amount
		if ok {
			cost = f.sum(part{perHour, q.factor * work})
		}
		f.money(prefix+"."+q.name, cost)
	}
}

// Replay adds what recorded availability does to the job: a row a trace, each
// beside what the closed form says at the trace's own rate of drops. threshold is
// how many instances the job needs.
func (a *Answer) Replay(every Interval, saveOnNotice bool, traces []spot.Trace, threshold, starts int) error {
	p := a.Inputs.point(func(i *Input) any { return i.Mid })
	g := Grid{Name: "by_trace", Columns: []Column{
		{"trace", "text"},
		{"share_up", "share"},
		{"mtbf_hours", "h"},
		{"closed_form_billed_hours", "h"},
		{"billed_hours_mean", "h"},
		{"wall_hours_p50", "h"},
		{"wall_hours_p90", "h"},
		{"cost_p50", ""},
		{"cost_p90", ""},
		{"unfinished", "count"},
	}}
	var f figures
	for _, t := range traces {
		row, err := f.replayed(p, every, saveOnNotice, t, threshold, starts)
		if err != nil {
			return err
		}
		g.Rows = append(g.Rows, row)
	}
	a.Grids = append(a.Grids, g)
	a.Doubt("replayed", nil)
	return f.err
}

func (f *figures) replayed(p Point, every Interval, saveOnNotice bool, t spot.Trace, threshold, starts int) ([]any, error) {
	stats := t.Stats(threshold)
	at := Point{}
	maps.Copy(at, p)
	at["interruptions_per_hour"], at["nodes"] = stats.DropPerHour, 1.0
	j, err := at.job(every, saveOnNotice)
	if err != nil {
		return nil, err
	}
	d, err := spot.Replay(j, t, threshold, starts)
	if err != nil {
		return nil, err
	}
	closed, err := spot.Expected(j)
	if err != nil {
		return nil, err
	}
	var own figures
	own.distribution("r", d, p.Money("spot_per_hour"), j.WorkHours)
	if own.err != nil {
		return nil, own.err
	}
	get := func(name string) any {
		for i := range own.list {
			if own.list[i].Name == "r."+name {
				return own.list[i].Value
			}
		}
		return nil
	}
	row := []any{t.ID, stats.ShareUp, nil, nil, get("billed_hours_mean"), get("wall_hours_p50"), get("wall_hours_p90"), get("cost_p50"), get("cost_p90"), float64(d.Unfinished)}
	if stats.DropPerHour > 0 {
		row[2] = 1 / stats.DropPerHour
	}
	if closed.Finishes {
		row[3] = closed.PaidHours
	}
	return row, nil
}
