package spot

import (
	"fmt"
	"math"
)

// Policy decides, tick by tick, between spot, on-demand and waiting so that a
// deadline is kept ("Can't Be Late", Wu et al., NSDI'24). All policies stop when
// done, stay on spot until it is taken, and share one safety net: idle with less
// than the remaining work plus two changeovers left, they go on demand to the end.
type Policy string

// The policies.
const (
	// Greedy waits for spot until the safety net.
	Greedy Policy = "greedy"
	// TimeSliced is greedy in equal slices of the deadline, each with its share of
	// the work.
	TimeSliced Policy = "timesliced"
	// UniformProgress goes on demand when idle and behind the straight line from
	// nothing to done, and leaves it for spot (or idleness) once it is ahead of
	// where the line will be two changeovers from now.
	UniformProgress Policy = "uniform"
	// OnDemandOnly never uses spot: the baseline.
	OnDemandOnly Policy = "od_only"
)

// Policies lists every policy, the baseline last.
func Policies() []Policy { return []Policy{Greedy, TimeSliced, UniformProgress, OnDemandOnly} }

// ParsePolicy reads a policy by its exact name.
func ParsePolicy(s string) (Policy, error) {
	for _, p := range Policies() {
		if string(p) == s {
			return p, nil
		}
	}
	return "", fmt.Errorf("unknown policy %q; known are greedy, timesliced, uniform, od_only", s)
}

// DeadlineJob is work that must be done in time. Work is kept at every change
// (the changeover covers saving, waiting for the machine and loading).
type DeadlineJob struct {
	WorkHours       float64 // C0
	DeadlineHours   float64 // R0, counted from the start
	ChangeoverHours float64 // d, billed at each start of an instance
	Policy          Policy
	Slices          int // TimeSliced only; at least 1
}

// DeadlineOutcome is one job played against one trace.
type DeadlineOutcome struct {
	SpotHours     float64 // billed
	OnDemandHours float64 // billed
	FinishHours   float64 // from the start
	Switches      int     // instances started
	Missed        bool    // finished after the deadline
}

// CostFactor is the cost in units of one on-demand hour, given the spot price as
// a share of the on-demand price.
func (o DeadlineOutcome) CostFactor(spotOverOnDemand float64) float64 {
	return o.OnDemandHours + o.SpotHours*spotOverOnDemand
}

// OnDemandShare is the share of the billed hours that ran on demand.
func (o DeadlineOutcome) OnDemandShare() float64 {
	if t := o.SpotHours + o.OnDemandHours; t > 0 {
		return o.OnDemandHours / t
	}
	return 0
}

// Feasible reports whether the deadline can be kept with certainty, which is
// when on-demand from the start would keep it.
func (j DeadlineJob) Feasible() bool { return j.WorkHours+j.ChangeoverHours <= j.DeadlineHours }

// maxDeadlineTicks bounds one playing of a trace.
const maxDeadlineTicks = 50_000_000

func (j DeadlineJob) check(gap float64) error {
	for _, q := range []struct {
		name  string
		value float64
	}{{"work", j.WorkHours}, {"deadline", j.DeadlineHours}, {"changeover", j.ChangeoverHours}} {
		if !(q.value >= 0) || math.IsInf(q.value, 1) {
			return fmt.Errorf("%s %g h must be a finite number of at least 0", q.name, q.value)
		}
	}
	if !(gap > 0) || math.IsInf(gap, 1) {
		return fmt.Errorf("time between samples %g h must be above 0", gap)
	}
	if (j.WorkHours+j.ChangeoverHours+j.DeadlineHours)/gap > maxDeadlineTicks {
		return fmt.Errorf("deadline %g h is more than %d samples of %g h", j.DeadlineHours, maxDeadlineTicks, gap)
	}
	if j.Policy == TimeSliced && j.Slices < 1 {
		return fmt.Errorf("time slices %d must be at least 1", j.Slices)
	}
	_, err := ParsePolicy(string(j.Policy))
	return err
}

// Play runs the job against the trace from the given tick. Spot is there while
// the value is at least the threshold; a missing probe and everything after the
// end of the record count as unavailable.
func (j DeadlineJob) Play(t Trace, startTick, threshold int) (DeadlineOutcome, error) {
	if err := j.check(t.GapHours); err != nil {
		return DeadlineOutcome{}, err
	}
	if startTick < 0 {
		return DeadlineOutcome{}, fmt.Errorf("start tick %d must be at least 0", startTick)
	}
	var out DeadlineOutcome
	gap := t.GapHours
	s := deadlineState{job: j, gap: gap, slice: -1}
	over := 0.0 // changeover still to go on the running instance
	c := t.at(startTick)
	for tick := 0; ; tick++ {
		value, ok := c.next()
		s.up = ok && value >= threshold
		s.now = float64(tick) * gap
		if s.mode == onSpot && !s.up {
			s.mode = idle
		}
		before := s.mode
		s.decide()
		if s.mode == idle {
			continue
		}
		if s.mode != before {
			over = j.ChangeoverHours
			out.Switches++
		}
		left := j.WorkHours - s.done
		use := math.Min(gap, over+left)
		if s.mode == onSpot {
			out.SpotHours += use
		} else {
			out.OnDemandHours += use
		}
		if over+left <= gap+1e-12 {
			out.FinishHours = s.now + over + left
			out.Missed = out.FinishHours > j.DeadlineHours+1e-9
			return out, nil
		}
		s.done += math.Max(0, gap-over)
		over = math.Max(0, over-gap)
	}
}

type mode uint8

const (
	idle mode = iota
	onSpot
	onDemand
)

// deadlineState is what a policy sees at a tick.
type deadlineState struct {
	job    DeadlineJob
	gap    float64
	mode   mode
	now    float64
	done   float64 // work kept
	up     bool    // spot is there
	locked bool    // the safety net holds: on demand to the end
	slice  int     // TimeSliced: the slice that was put on demand
}

func (s *deadlineState) decide() {
	switch {
	case s.job.Policy == OnDemandOnly:
		s.mode = onDemand
	case s.mode == onSpot || s.locked:
		// exploit spot until it is taken; never leave the net
	case s.mode == idle && s.short(s.job.DeadlineHours, s.job.WorkHours):
		s.mode, s.locked = onDemand, true
	case s.job.Policy == Greedy:
		s.takeSpotOrWait()
	case s.job.Policy == TimeSliced:
		s.sliced()
	default:
		s.uniform()
	}
}

// short reports whether waiting one more tick would leave less time to the given
// hour than reaching the given amount of work takes with two changeovers.
func (s *deadlineState) short(until, work float64) bool {
	return until-s.now-s.gap < work-s.done+2*s.job.ChangeoverHours
}

// takeSpotOrWait leaves on-demand only if coming back to it would still be in
// time: after a lost changeover to spot, or after one idle tick.
func (s *deadlineState) takeSpotOrWait() {
	slack := s.job.DeadlineHours - s.now - (s.job.WorkHours - s.done)
	switch {
	case s.up && (s.mode == idle || slack >= 2*s.job.ChangeoverHours):
		s.mode = onSpot
	case s.mode == idle || slack >= s.gap+s.job.ChangeoverHours:
		s.mode = idle
	}
}

func (s *deadlineState) sliced() {
	n := float64(s.job.Slices)
	k := min(int(s.now/(s.job.DeadlineHours/n)+1e-12), s.job.Slices-1)
	end := float64(k+1) * (s.job.DeadlineHours / n)
	work := float64(k+1) * s.job.WorkHours / n
	switch {
	case s.mode == onDemand && k == s.slice && work > s.done:
		// the slice's own safety net holds until its share is done
	case s.mode == idle && work > s.done && s.short(end, work):
		s.mode, s.slice = onDemand, k
	default:
		s.takeSpotOrWait()
	}
}

func (s *deadlineState) uniform() {
	switch {
	case s.mode == onDemand && s.done < (s.now+2*s.job.ChangeoverHours)*s.job.WorkHours/s.job.DeadlineHours:
		// not far enough ahead to pay for a change
	case s.mode == idle && !s.up && s.done < s.now*s.job.WorkHours/s.job.DeadlineHours:
		s.mode = onDemand
	default:
		s.takeSpotOrWait()
	}
}
