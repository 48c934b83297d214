package spot

import (
	"fmt"
	"math"
	"sort"
)

// Replay runs the job against a recorded trace from evenly spaced starting
// points over the whole record. An instance is up while the value is at least
// the threshold; the wait for the first instance counts to the wall time. A job
// that reaches the end of the record goes on at its start. The job's Rate and
// WaitHours are not used: the trace says when and how long.
func Replay(j Job, t Trace, threshold, starts int) (Distribution, error) {
	if err := j.check(); err != nil {
		return Distribution{}, err
	}
	if starts < 1 || starts > MaxRuns {
		return Distribution{}, fmt.Errorf("replay from %d starts: must be 1 to %d", starts, MaxRuns)
	}
	ring, err := newRing(t, threshold)
	if err != nil {
		return Distribution{}, err
	}
	return collect(j, starts, func(run int) (spells, float64) {
		return ring, ring.enter((float64(run) + 0.5) / float64(starts))
	})
}

// ring is a trace closed into a circle of up-times, each with the outage after it.
type ring struct {
	up, down []float64
	begin    []float64 // when each up-time begins
	period   float64

	i     int
	taken float64 // hours of up[i] already gone
}

func newRing(t Trace, threshold int) (*ring, error) {
	s := t.Spells(threshold)
	if len(s.UpHours) == 0 {
		return nil, fmt.Errorf("trace %q is never up at %d instances", t.ID, threshold)
	}
	if len(s.DownHours) == 0 {
		return &ring{up: []float64{math.Inf(1)}, down: []float64{0}, begin: []float64{0}, period: 1}, nil
	}
	r := &ring{up: s.UpHours, down: s.DownHours}
	switch {
	case !s.StartsUp && len(r.down) > len(r.up): // down ... down: join the ends
		n := len(r.down) - 1
		r.down = append(append([]float64(nil), r.down[1:n]...), r.down[n]+r.down[0])
	case !s.StartsUp: // down ... up: the first outage follows the last up-time
		r.down = append(append([]float64(nil), r.down[1:]...), r.down[0])
	case len(r.up) > len(r.down): // up ... up: join the ends
		n := len(r.up) - 1
		r.up = append([]float64{r.up[n] + r.up[0]}, r.up[1:n]...)
	}
	for i := range r.up {
		r.begin = append(r.begin, r.period)
		r.period += r.up[i] + r.down[i]
	}
	return r, nil
}

// enter places the ring at a share of its period and returns the wait until an
// instance is up.
func (r *ring) enter(share float64) (wait float64) {
	x := share * r.period
	r.i = max(0, sort.SearchFloat64s(r.begin, x)-1)
	r.taken = x - r.begin[r.i]
	if r.taken < r.up[r.i] {
		return 0
	}
	wait = r.begin[r.i] + r.up[r.i] + r.down[r.i] - x
	r.i, r.taken = (r.i+1)%len(r.up), 0
	return math.Max(0, wait)
}

func (r *ring) next() (up, outage float64) {
	up, outage = r.up[r.i]-r.taken, r.down[r.i]
	r.i, r.taken = (r.i+1)%len(r.up), 0
	return up, outage
}
