package spot

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Generate makes a trace of one instance that is up and away for spells drawn
// from two laws, for example those of an [Observation]. It begins in its
// long-run state. The seed 0 means DefaultSeed.
func Generate(up, outage Law, gapHours, hours float64, seed uint64) (Trace, error) {
	if !(gapHours > 0 && hours >= gapHours && hours/gapHours <= maxTicks) {
		return Trace{}, fmt.Errorf("trace of %g h sampled every %g h must have 1 to %d samples", hours, gapHours, maxTicks)
	}
	if !(up.MeanHours() > 0 && outage.MeanHours() >= 0) {
		return Trace{}, fmt.Errorf("mean up-time %g h must be above 0 and mean outage %g h not negative", up.MeanHours(), outage.MeanHours())
	}
	if seed == 0 {
		seed = DefaultSeed
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	t := Trace{ID: "generated", GapHours: gapHours}
	is := rng.Float64()*(up.MeanHours()+outage.MeanHours()) < up.MeanHours()
	total, end := int(math.Round(hours/gapHours)), 0.0
	for at := 0; at < total; is = !is {
		law := outage
		if is {
			law = up
		}
		end += law.draw(rng)
		until := total
		if end < hours {
			until = int(math.Round(end / gapHours))
		}
		if until > at {
			value := 0
			if is {
				value = 1
			}
			t.add(Run{value, until - at})
			at = until
		}
	}
	return t, nil
}

// add appends a run, joining it to one of the same value.
func (t *Trace) add(r Run) {
	if n := len(t.Runs); n > 0 && t.Runs[n-1].Value == r.Value {
		t.Runs[n-1].Ticks += r.Ticks
		return
	}
	t.Runs = append(t.Runs, r)
}
