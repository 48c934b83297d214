package purchase

import (
	"errors"
	"fmt"

	"github.com/gpucost/gpucost/internal/spot"
)

// Deadline answers which policy keeps a deadline for the least money when spot
// comes and goes as in a trace.
//
// Inputs: work_hours, deadline_hours, changeover_hours, gpus; spot_per_hour and
// on_demand_per_hour of all GPUs together.
func Deadline(in Inputs, t spot.Trace, threshold, starts, slices int) (Answer, error) {
	a := Answer{Command: "spot deadline", Inputs: in, Deciding: []string{"best_saving"}, Verdict: "deadline.best"}
	p := in.point(func(i *Input) any { return i.Mid })
	spotHour, odHour := p.Money("spot_per_hour"), p.Money("on_demand_per_hour")
	if odHour.Sign() <= 0 {
		return a, errors.New("the price on demand must be above 0")
	}
	work := p.Num("work_hours")
	share := plain(spotHour) / plain(odHour)
	g := Grid{Name: "policies", Columns: []Column{
		{"policy", "word"},
		{"cost_mean", ""},
		{"cost_p90", ""},
		{"saving", "share"},
		{"on_demand_share", "share"},
		{"on_demand_hours", "h"},
		{"finish_p50", "h"},
		{"finish_p90", "h"},
		{"switches", "count"},
		{"missed", "count"},
	}}
	var f figures
	best, saved := "", 0.0
	for _, policy := range spot.Policies() {
		j := spot.DeadlineJob{WorkHours: work, DeadlineHours: p.Num("deadline_hours"), ChangeoverHours: p.Num("changeover_hours"), Policy: policy, Slices: max(1, slices)}
		if !j.Feasible() {
			a.Verdict = "deadline.impossible"
			a.append([]Figure{{Name: "feasible", Value: false}, {Name: "best_saving", Unit: "share"}})
			return a, nil
		}
		s, err := j.PlayMany(t, threshold, starts, share)
		if err != nil {
			return a, fmt.Errorf("policy %s: %w", policy, err)
		}
		saving := 1 - s.CostFactor.Mean
		g.Rows = append(g.Rows, []any{
			string(policy), f.sum(part{odHour, s.CostFactor.Mean * (work + j.ChangeoverHours)}), f.sum(part{odHour, s.CostFactor.P90 * (work + j.ChangeoverHours)}), saving,
			s.OnDemandShare, s.OnDemandHours.Mean, s.FinishHours.P50, s.FinishHours.P90, s.Switches, float64(s.Missed),
		})
		if s.Missed == 0 && (best == "" || saving > saved) {
			best, saved = string(policy), saving
		}
	}
	a.Grids = append(a.Grids, g)
	stats := t.Stats(threshold)
	f.num("best_saving", "share", saved, best != "")
	f.add("feasible", "", true)
	f.num("share_up", "share", stats.ShareUp, true)
	f.num("drops_per_hour_up", "1/h", stats.DropPerHour, true)
	f.num("starts", "count", float64(starts), true)
	f.num("tightness", "share", work/p.Num("deadline_hours"), true)
	a.append(f.list)
	a.Say("best", best)
	a.Say("trace", t.ID)
	if best == "" {
		a.Verdict = "deadline.missed"
	}
	return a, f.err
}
