package purchase

import (
	"cmp"
	"errors"
	"slices"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// Interval is how often a job saves: what was asked for.
type Interval struct {
	Hours float64 // fixed; 0 with neither of the others set means the best
	None  bool    // start over after every interruption
}

// Spot answers what interruptions do to time and money.
//
// Inputs: work_hours, interruptions_per_hour (of one node), gpus; optional: nodes
// and correlation (gang jobs), checkpoint_hours, or checkpoint_gb and
// write_gb_per_s; restart_hours, wait_hours, notice_s, free_first_hours;
// spot_per_hour and on_demand_per_hour, both of all GPUs together, and
// reserved_per_hour.
func Spot(in Inputs, every Interval, saveOnNotice, effects bool) (Answer, error) {
	a := Answer{Command: "spot", Inputs: in, Deciding: []string{"effective_per_gpu_hour"}, Verdict: "spot.finishes"}
	model := spotModel(every, saveOnNotice)
	var err error
	if a.Figures, err = Solve(in, model, effects); err != nil {
		return a, err
	}
	p := in.point(func(i *Input) any { return i.Mid })
	job, err := p.job(every, saveOnNotice)
	if err != nil {
		return a, err
	}
	out, err := spot.Expected(job)
	if err != nil {
		return a, err
	}
	if !out.Finishes {
		a.Verdict = "spot.never"
		a.Say("reason", out.Reason)
		return a, nil
	}
	a.spotDoubts(p, every, job)
	if !every.None && job.CheckpointHours > 0 {
		if err := a.intervals(p, job); err != nil {
			return a, err
		}
	}
	a.ways(p, out.PaidHours, out.WallHours)
	return a, nil
}

func (a *Answer) spotDoubts(p Point, every Interval, job spot.Job) {
	if every.None && job.Rate.PerHour > 0 {
		a.Doubt("starts_over", nil)
	}
	if job.RestartHours == 0 && job.Rate.PerHour > 0 {
		a.Doubt("no_restart_time", nil)
	}
	if job.WaitHours == 0 && job.Rate.PerHour > 0 {
		a.Doubt("no_wait", nil)
	}
	switch s, ok := a.Num("saving"); {
	case !ok: // nothing to compare with
		a.Verdict = "spot.finishes_alone"
	case s < 0:
		a.Doubt("on_demand_cheaper", nil)
		a.Verdict = "spot.dearer"
	}
	if fits := a.Figure("notice_fits"); fits != nil && fits.Value == false {
		a.Doubt("notice_too_short", nil)
	}
	if f, ok := a.Num("free_hours"); ok && f > 0 {
		a.Doubt("first_hour_free", nil)
	}
	if p.Has("nodes") && !p.Has("correlation") {
		a.Doubt("correlation_assumed", nil)
	}
	for i := range a.Figures {
		if a.Figures[i].Name == "billed_hours" && a.Figures[i].High == nil {
			a.Doubt("high_end_never_finishes", nil)
		}
	}
	if job.Rate.PerHour > 0 {
		a.Doubt("heavy_tails", nil)
	}
}

// checkpointHours is the time one save blocks.
func (p Point) checkpointHours() (float64, error) {
	if !p.Has("checkpoint_gb") {
		return p.Num("checkpoint_hours"), nil
	}
	s, ok := p.checkpoint().WriteSeconds()
	if !ok {
		return 0, errors.New("a checkpoint needs a write bandwidth above 0")
	}
	return s / 3600, nil
}

func (p Point) checkpoint() spot.Checkpoint {
	return spot.Checkpoint{SizeGB: p.Num("checkpoint_gb"), WriteGBPerSecond: p.Num("write_gb_per_s")}
}

// job is the point as a job, with the interval in use.
func (p Point) job(every Interval, saveOnNotice bool) (spot.Job, error) {
	rate, err := spot.Rate{PerHour: p.Num("interruptions_per_hour")}.Gang(int(p.Or("nodes", 1)), p.Or("correlation", 1))
	if err != nil {
		return spot.Job{}, err
	}
	c, err := p.checkpointHours()
	if err != nil {
		return spot.Job{}, err
	}
	j := spot.Job{
		WorkHours: p.Num("work_hours"), IntervalHours: every.Hours, NoCheckpoints: every.None, CheckpointHours: c,
		RestartHours: p.Num("restart_hours"), WaitHours: p.Num("wait_hours"), Rate: rate, SaveOnNotice: saveOnNotice, FreeFirstHours: p.Num("free_first_hours"),
	}
	if !(j.WorkHours > 0) {
		return j, errors.New("work must be above 0 hours")
	}
	if every == (Interval{}) {
		if n, ok := spot.BestPieces(j); ok {
			j.IntervalHours = j.WorkHours / float64(n)
		}
	}
	return j, nil
}

func spotModel(every Interval, saveOnNotice bool) Model {
	return func(p Point) ([]Figure, error) {
		j, err := p.job(every, saveOnNotice)
		if err != nil {
			return nil, err
		}
		o, err := spot.Expected(j)
		if err != nil {
			return nil, err
		}
		var f figures
		f.interval(j)
		f.outcome(p, j, o)
		f.notice(p, j)
		f.add("finishes", "", o.Finishes)
		return f.list, f.err
	}
}

func (f *figures) interval(j spot.Job) {
	saves := j.CheckpointHours > 0 && !j.NoCheckpoints
	young, ok := spot.Young(j.CheckpointHours, j.Rate)
	f.num("interval.young", "h", young, ok && saves)
	daly, ok := spot.Daly(j.CheckpointHours, j.Rate)
	f.num("interval.daly", "h", daly, ok && saves)
	exact, ok := spot.Exact(j.CheckpointHours, j.Rate)
	f.num("interval.exact", "h", exact, ok && saves)
	longest := j.WorkHours
	if !j.NoCheckpoints && !j.SaveOnNotice && j.IntervalHours < j.WorkHours {
		longest = j.IntervalHours + j.CheckpointHours
	}
	f.num("longest_stretch_hours", "h", longest, !j.SaveOnNotice)
	f.num("interval.used", "h", j.IntervalHours, !j.NoCheckpoints && !j.SaveOnNotice)
}

func (f *figures) outcome(p Point, j spot.Job, o spot.Outcome) {
	ok := o.Finishes
	billed := o.PaidHours
	f.num("billed_hours", "h", billed, ok)
	f.num("wall_hours", "h", o.WallHours, ok)
	f.num("interruptions", "count", o.Interruptions, ok)
	f.num("lost_hours", "h", o.LostHours, ok)
	f.num("restart_hours", "h", o.RestartHours, ok)
	f.num("checkpoint_hours", "h", o.CheckpointHours, ok && j.CheckpointHours > 0)
	f.num("free_hours", "h", o.FreeHours, ok && p.Has("free_first_hours"))
	perSpot, perOD := p.Money("spot_per_hour"), p.Money("on_demand_per_hour")
	var cost money.Amount
	if ok {
		cost = f.sum(part{perSpot, billed})
	}
	gpuHours := p.Num("gpus") * j.WorkHours
	f.money("effective_per_gpu_hour", f.sum(part{cost, 1 / gpuHours}))
	f.money("cost", cost)
	f.money("on_demand_per_gpu_hour", f.sum(part{perOD, 1 / p.Num("gpus")}))
	f.money("on_demand_cost", f.sum(part{perOD, j.WorkHours}))
	be, has := o.BreakEvenDiscount(j.WorkHours)
	f.num("break_even_discount", "share", be, has)
	prices := perSpot.Known() && perOD.Known() && perOD.Sign() > 0
	list := 1 - plain(perSpot)/plain(perOD)
	f.num("list_discount", "share", list, prices)
	f.num("saving", "share", 1-(1-list)*billed/j.WorkHours, prices && ok)
	mtbf, has := j.Rate.MTBFHours()
	f.num("mtbf_hours", "h", mtbf, has)
}

func (f *figures) notice(p Point, j spot.Job) {
	notice := p.Num("notice_s")
	known := p.Has("notice_s") && (p.Has("checkpoint_gb") || p.Has("checkpoint_hours"))
	if !known {
		f.add("notice_fits", "", nil)
	} else {
		f.add("notice_fits", "", j.CheckpointHours*3600 <= notice)
	}
	if p.Has("checkpoint_gb") {
		need, ok := p.checkpoint().NeededGBPerSecond(notice)
		f.num("notice_needs_gb_per_s", "GB/s", need, ok && known)
	}
}

// intervals shows what each rule for the interval would cost.
func (a *Answer) intervals(p Point, used spot.Job) error {
	g := Grid{Name: "by_interval", Columns: []Column{{"rule", "word"}, {"interval_hours", "h"}, {"billed_hours", "h"}, {"wall_hours", "h"}, {"interruptions", "count"}, {"cost", ""}}}
	var f figures
	add := func(rule string, hours float64, none bool) error {
		j := used
		j.IntervalHours, j.NoCheckpoints = hours, none
		o, err := spot.Expected(j)
		if err != nil {
			return err
		}
		row := []any{rule, hours, nil, nil, nil, nil}
		if none {
			row[1] = nil
		}
		if o.Finishes {
			row[2], row[3], row[4] = o.PaidHours, o.WallHours, o.Interruptions
			if cost := f.sum(part{p.Money("spot_per_hour"), o.PaidHours}); cost.Known() {
				row[5] = cost
			}
		}
		g.Rows = append(g.Rows, row)
		return f.err
	}
	if err := add("used", used.IntervalHours, false); err != nil {
		return err
	}
	for _, rule := range []struct {
		name string
		f    func(float64, spot.Rate) (float64, bool)
	}{{"young", spot.Young}, {"daly", spot.Daly}, {"exact", spot.Exact}} {
		if tau, ok := rule.f(used.CheckpointHours, used.Rate); ok {
			if err := add(rule.name, tau, false); err != nil {
				return err
			}
		}
	}
	if err := add("none", 0, true); err != nil {
		return err
	}
	a.Grids = append(a.Grids, g)
	return nil
}

// ways ranks the ways of buying the same finished work.
func (a *Answer) ways(p Point, billed, wall float64) {
	work := p.Num("work_hours")
	var f figures
	g := Grid{Name: "ways", Columns: []Column{{"purchase", "word"}, {"billed_hours", "h"}, {"wall_hours", "h"}, {"cost", ""}, {"per_useful_gpu_hour", ""}}}
	for _, w := range []struct {
		name         string
		perHour      money.Amount
		billed, wall float64
	}{
		{"on_demand", p.Money("on_demand_per_hour"), work, work},
		{"spot", p.Money("spot_per_hour"), billed, wall},
		{"reserved", p.Money("reserved_per_hour"), work, work},
	} {
		if w.perHour.Known() {
			cost := f.sum(part{w.perHour, w.billed})
			g.Rows = append(g.Rows, []any{w.name, w.billed, w.wall, cost, f.sum(part{cost, 1 / (work * p.Num("gpus"))})})
		}
	}
	slices.SortStableFunc(g.Rows, func(x, y []any) int { return order(x[3], y[3]) })
	if len(g.Rows) > 1 && f.err == nil {
		a.Grids = append(a.Grids, g)
	}
}

// Redo answers what spot costs when the hours that interruptions take are stated
// and done again on demand.
//
// Inputs: work_hours, lost_hours, gpus, spot_per_hour, on_demand_per_hour, and
// optionally reserved_per_hour, all of all GPUs together.
func Redo(in Inputs, effects bool) (Answer, error) {
	a := Answer{Command: "spot", Inputs: in, Deciding: []string{"effective_per_gpu_hour"}, Verdict: "spot.redo"}
	var err error
	if a.Figures, err = Solve(in, redo, effects); err != nil {
		return a, err
	}
	a.redoWays()
	if s, ok := a.Num("saving"); ok && s < 0 {
		a.Doubt("on_demand_cheaper", nil)
	}
	return a, nil
}

func redo(p Point) ([]Figure, error) {
	work, lost := p.Num("work_hours"), p.Num("lost_hours")
	if !(work > 0 && lost >= 0 && p.Num("gpus") > 0) {
		return nil, errors.New("work and GPUs must be above 0, lost hours at least 0")
	}
	var f figures
	spotHour, odHour := p.Money("spot_per_hour"), p.Money("on_demand_per_hour")
	r := buying.Redo{WorkHours: work, LostHours: lost, Spot: plain(spotHour), OnDemand: plain(odHour)}
	cost := f.sum(part{spotHour, work}, part{odHour, lost})
	f.money("effective_per_gpu_hour", f.sum(part{cost, 1 / (work * p.Num("gpus"))}))
	f.money("cost", cost)
	f.money("on_demand_cost", f.sum(part{odHour, work}))
	f.money("saved", f.sum(part{odHour, work}, part{cost, -1}))
	s, ok := r.Saving()
	f.num("saving", "share", s, ok)
	h, ok := r.BreakEvenLostHours()
	f.num("break_even_lost_hours", "h", h, ok)
	u, ok := r.UsefulShare()
	f.num("useful_share", "share", u, ok)
	if res := p.Money("reserved_per_hour"); res.Known() {
		f.money("reserved_cost", f.sum(part{res, work}))
		f.money("reserved_saves", f.sum(part{cost, 1}, part{res, -work}))
	}
	return f.list, f.err
}

// redoWays ranks the three ways by the cost of the finished work.
func (a *Answer) redoWays() {
	g := Grid{Name: "ways", Columns: []Column{{"purchase", "word"}, {"cost", ""}}}
	for _, w := range []struct{ name, figure string }{{"on_demand", "on_demand_cost"}, {"spot", "cost"}, {"reserved", "reserved_cost"}} {
		if f := a.Figure(w.figure); f != nil && f.Value != nil {
			g.Rows = append(g.Rows, []any{w.name, f.Value})
		}
	}
	slices.SortStableFunc(g.Rows, func(x, y []any) int { return cmp.Compare(order(x[1], y[1]), 0) })
	a.Grids = append(a.Grids, g)
	if len(g.Rows) > 0 {
		name, _ := g.Rows[0][0].(string)
		a.Say("cheapest", name)
	}
}
