package spot

import (
	"errors"
	"fmt"
	"math"
)

// DeadlineSpread is one deadline job played from many points of a trace.
type DeadlineSpread struct {
	Starts        int
	Missed        int
	CostFactor    Spread // against on-demand only, changeover included: below 1 is a saving
	FinishHours   Spread
	OnDemandHours Spread
	SpotHours     Spread
	OnDemandShare float64 // of all billed hours
	Switches      float64 // mean
}

// PlayMany plays the job from evenly spaced starts that leave room for the whole
// deadline (from the first sample only if the record is shorter than that). The
// spot price is given as a share of the on-demand price; it may be above 1.
func (j DeadlineJob) PlayMany(t Trace, threshold, starts int, spotOverOnDemand float64) (DeadlineSpread, error) {
	if err := j.check(t.GapHours); err != nil {
		return DeadlineSpread{}, err
	}
	if starts < 1 || starts > MaxRuns || !(spotOverOnDemand >= 0) || math.IsInf(spotOverOnDemand, 1) {
		return DeadlineSpread{}, fmt.Errorf("starts %d must be 1 to %d and the spot price share %g finite and not negative", starts, MaxRuns, spotOverOnDemand)
	}
	if j.WorkHours+j.ChangeoverHours == 0 {
		return DeadlineSpread{}, errors.New("a deadline without work has no cost to compare")
	}
	room := max(1, t.Ticks()-int(math.Ceil(j.DeadlineHours/t.GapHours)))
	d := DeadlineSpread{Starts: starts}
	cost, finish := make([]float64, starts), make([]float64, starts)
	onDemand, spot := make([]float64, starts), make([]float64, starts)
	for i := range starts {
		o, err := j.Play(t, int(float64(i)*float64(room)/float64(starts)), threshold)
		if err != nil {
			return DeadlineSpread{}, err
		}
		if o.Missed {
			d.Missed++
		}
		cost[i] = o.CostFactor(spotOverOnDemand) / (j.WorkHours + j.ChangeoverHours)
		finish[i], onDemand[i], spot[i] = o.FinishHours, o.OnDemandHours, o.SpotHours
		d.Switches += float64(o.Switches) / float64(starts)
	}
	d.CostFactor, d.FinishHours = spread(cost), spread(finish)
	d.OnDemandHours, d.SpotHours = spread(onDemand), spread(spot)
	d.OnDemandShare = d.OnDemandHours.Mean / (d.OnDemandHours.Mean + d.SpotHours.Mean)
	return d, nil
}
