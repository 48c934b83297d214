package spot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Run is a stretch of a trace with one value.
type Run struct {
	Value int // instances up; negative means that the probe is missing
	Ticks int
}

// Trace is a record of how many instances were up, sampled every GapHours.
type Trace struct {
	ID       string
	GapHours float64
	Runs     []Run
}

// maxTicks bounds a trace: 30 years at one second.
const maxTicks = 1 << 30

// Ticks is the number of samples.
func (t Trace) Ticks() int {
	n := 0
	for _, r := range t.Runs {
		n += r.Ticks
	}
	return n
}

// ParseRuns reads the short form "1x20,0x30": 20 ticks up, 30 ticks down.
func ParseRuns(text string) ([]Run, error) {
	if len(text) > 1<<20 {
		return nil, fmt.Errorf("trace of %d characters is too long", len(text))
	}
	parts := strings.Split(text, ",")
	runs := make([]Run, 0, len(parts))
	total := 0
	for _, part := range parts {
		v, n, ok := strings.Cut(strings.TrimSpace(part), "x")
		value, err1 := strconv.Atoi(v)
		ticks, err2 := strconv.Atoi(n)
		if !ok || err1 != nil || err2 != nil || ticks < 1 || ticks > maxTicks-total {
			return nil, fmt.Errorf("trace run %q is not VALUExTICKS such as 1x20", part)
		}
		total += ticks
		runs = append(runs, Run{value, ticks})
	}
	return runs, nil
}

// Spells cuts a trace into up-times and outages. A tick is up when its value is
// at least the threshold; a missing probe counts as down.
type Spells struct {
	UpHours, DownHours []float64 // alternating; the first and last may be cut short by the record
	StartsUp           bool
}

// Spells lists the up-times and outages of the trace.
func (t Trace) Spells(threshold int) Spells {
	var s Spells
	ticks, up := 0, false
	flush := func() {
		if ticks == 0 {
			return
		}
		if up {
			s.UpHours = append(s.UpHours, float64(ticks)*t.GapHours)
		} else {
			s.DownHours = append(s.DownHours, float64(ticks)*t.GapHours)
		}
	}
	for i, r := range t.Runs {
		is := r.Value >= threshold
		if i == 0 {
			s.StartsUp = is
		} else if is != up {
			flush()
			ticks = 0
		}
		up, ticks = is, ticks+r.Ticks
	}
	flush()
	return s
}

// TraceStats summarises a trace. Up-times cut short by the ends of the record
// are counted as they are.
type TraceStats struct {
	ShareUp     float64
	Drops       int     // changes from up to down
	DropPerHour float64 // drops per hour up: the lambda of the closed form; 0 without any up-time
	Up, Down    SpellStats
}

// SpellStats describes the lengths of spells in hours.
type SpellStats struct {
	Count                  int
	MeanHours, MedianHours float64
	MaxHours, CV           float64
}

// Stats summarises the trace at the threshold.
func (t Trace) Stats(threshold int) TraceStats {
	s := t.Spells(threshold)
	st := TraceStats{Up: spellStats(s.UpHours), Down: spellStats(s.DownHours)}
	up := st.Up.MeanHours * float64(st.Up.Count)
	down := st.Down.MeanHours * float64(st.Down.Count)
	if up+down > 0 {
		st.ShareUp = up / (up + down)
	}
	st.Drops = len(s.DownHours)
	if !s.StartsUp && st.Drops > 0 {
		st.Drops--
	}
	if up > 0 {
		st.DropPerHour = float64(st.Drops) / up
	}
	return st
}

func spellStats(v []float64) SpellStats {
	if len(v) == 0 {
		return SpellStats{}
	}
	s := append([]float64(nil), v...)
	sp := spread(s)
	n := len(s)
	st := SpellStats{Count: n, MeanHours: sp.Mean, MedianHours: (s[(n-1)/2] + s[n/2]) / 2, MaxHours: s[n-1]}
	var square float64
	for _, x := range s {
		square += (x - sp.Mean) * (x - sp.Mean)
	}
	if sp.Mean > 0 {
		st.CV = math.Sqrt(square/float64(n)) / sp.Mean
	}
	return st
}

// cursor walks a trace tick by tick; past its end nothing is available.
type cursor struct {
	runs []Run
	left int
}

// at starts a cursor at the given tick.
func (t Trace) at(tick int) cursor {
	for i, r := range t.Runs {
		if tick < r.Ticks {
			return cursor{t.Runs[i:], r.Ticks - tick}
		}
		tick -= r.Ticks
	}
	return cursor{}
}

// next is the value of the present tick, and steps on.
func (c *cursor) next() (value int, ok bool) {
	for c.left == 0 {
		if len(c.runs) <= 1 {
			return 0, false
		}
		c.runs = c.runs[1:]
		c.left = c.runs[0].Ticks
	}
	c.left--
	return c.runs[0].Value, true
}
