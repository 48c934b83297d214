package purchase

import (
	"errors"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot"
)

// Member is one seller of a pool.
type Member struct {
	Name       string
	PerHour    money.Amount // of all GPUs together
	OnDemand   bool
	Up, Outage spot.Law
}

// Pool answers what a job costs that moves between sellers: by rotating forward,
// to the first that is there, to the cheapest that is there, and back to a cheaper
// one.
//
// Inputs: work_hours, gpus, checkpoint_hours or checkpoint_gb and write_gb_per_s,
// restart_hours, interruptions_per_hour (for the interval).
func Pool(in Inputs, members []Member, every Interval, runs int, seed uint64) (Answer, error) {
	a := Answer{Command: "spot pool", Inputs: in, Deciding: []string{"best_per_useful_gpu_hour"}, Verdict: "pool.best"}
	if len(members) == 0 {
		return a, errors.New("a pool needs a seller")
	}
	p := in.point(func(i *Input) any { return i.Mid })
	job, err := p.job(every, false)
	if err != nil {
		return a, err
	}
	job.WaitHours = 0
	reference := members[0].PerHour
	sellers := make([]spot.Seller, len(members))
	for i, m := range members {
		factor, ok := money.Ratio(m.PerHour, reference)
		if !ok {
			return a, errors.New("every seller of a pool needs a price above 0 in one currency")
		}
		sellers[i] = spot.Seller{Name: m.Name, OnDemand: m.OnDemand, Up: m.Up, Outage: m.Outage}
		sellers[i].CostFactor, _ = factor.Float64()
	}
	g := Grid{Name: "rules", Columns: []Column{
		{"rule", "word"},
		{"per_useful_gpu_hour", ""},
		{"cost_mean", ""},
		{"cost_p90", ""},
		{"on_demand_share", "share"},
		{"finish_p50", "h"},
		{"finish_p90", "h"},
		{"interruptions", "count"},
		{"moves", "count"},
		{"unfinished", "count"},
		{"shares", "text"},
	}}
	var f figures
	var best []any
	for _, r := range []struct {
		name   string
		rule   spot.PoolRule
		goBack bool
	}{{"rotate", spot.Rotate, false}, {"ordered", spot.FirstAvailable, false}, {"best", spot.BestAvailable, false}, {"ordered_return", spot.FirstAvailable, true}, {"best_return", spot.BestAvailable, true}} {
		o, err := spot.SimulatePool(spot.PoolJob{Job: job, Sellers: sellers, Rule: r.rule, Return: r.goBack, Runs: runs, Seed: seed})
		if err != nil {
			return a, err
		}
		row := f.poolRow(r.name, o, members, reference, job.WorkHours, p.Num("gpus"), runs)
		if row[1] != nil && (best == nil || order(row[1], best[1]) < 0) {
			best = row
		}
		g.Rows = append(g.Rows, row)
	}
	a.Grids = append(a.Grids, poolMembers(members, p.Num("gpus"), &f), g)
	a.poolFigures(job, members, best, &f)
	return a, f.err
}

func (f *figures) poolRow(name string, o spot.PoolOutcome, members []Member, reference money.Amount, work, gpus float64, runs int) []any {
	row := []any{name, nil, nil, nil, nil, nil, nil, nil, nil, float64(o.Unfinished), ""}
	if o.Unfinished == runs {
		return row
	}
	var shares []string
	for i, s := range o.SellerShare {
		shares = append(shares, members[i].Name+" "+percentText(s))
	}
	return []any{
		name, f.sum(part{reference, o.CostFactor.Mean / gpus}), f.sum(part{reference, o.CostFactor.Mean * work}), f.sum(part{reference, o.CostFactor.P90 * work}),
		o.OnDemandShare, o.FinishHours.P50, o.FinishHours.P90, o.Interruptions, o.Moves, float64(o.Unfinished), strings.Join(shares, ", "),
	}
}

// poolFigures are the best rule and, for comparison, everything on demand.
func (a *Answer) poolFigures(job spot.Job, members []Member, best []any, f *figures) {
	var each, cost any
	if best != nil {
		each, cost = best[1], best[2]
		name, _ := best[0].(string)
		a.Say("best", name)
	} else {
		a.Verdict = "pool.never"
	}
	f.add("best_per_useful_gpu_hour", "", each)
	f.add("best_cost", "", cost)
	f.num("interval.used", "h", job.IntervalHours, !job.NoCheckpoints)
	var od money.Amount
	for _, m := range members {
		if m.OnDemand && (!od.Known() || m.PerHour.Cmp(od) < 0) {
			od = m.PerHour
		}
	}
	f.money("on_demand_cost", f.sum(part{od, job.WorkHours}))
	c, _ := cost.(money.Amount)
	f.num("saving", "share", 1-plain(c)/(plain(od)*job.WorkHours), od.Sign() > 0 && c.Known())
	a.append(f.list)
	if od.Known() {
		return
	}
	if best != nil {
		a.Verdict = "pool.best_alone"
	}
	a.Doubt("pool_without_fallback", nil)
}

func poolMembers(members []Member, gpus float64, f *figures) Grid {
	g := Grid{Name: "sellers", Columns: []Column{{"seller", "text"}, {"purchase", "word"}, {"per_gpu_hour", ""}, {"up_mean_hours", "h"}, {"outage_mean_hours", "h"}, {"share_up", "share"}}}
	for _, m := range members {
		row := []any{m.Name, "spot", f.sum(part{m.PerHour, 1 / gpus}), nil, nil, nil}
		if m.OnDemand {
			row[1], row[5] = "on_demand", 1.0
		} else {
			up, out := m.Up.MeanHours(), m.Outage.MeanHours()
			row[3], row[4] = up, out
			if up+out > 0 {
				row[5] = up / (up + out)
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
