package present

import (
	"math"
	"slices"
	"strings"
)

// Axis is one axis of a Plot.
type Axis struct {
	Label string               // with its unit
	Log   bool                 // logarithmic; all values above 0
	Text  func(float64) string // writes a tick; nil writes it as [Compact] does
}

func (a Axis) text(v float64) string {
	if a.Text != nil {
		return a.Text(v)
	}
	return Compact(v)
}

// scale maps values to places between 0 and 1.
type scale struct {
	low, high float64 // in the units of the scale: logarithms when log is set
	log       bool
	ticks     []float64 // values, ascending
}

func (s scale) at(v float64) float64 {
	if s.log {
		v = math.Log10(v)
	}
	if s.high == s.low {
		return 0.5
	}
	return (v - s.low) / (s.high - s.low)
}

// scale covers the values with about n ticks: at 1, 2 or 5 times a power of ten
// on a linear axis, evenly between the extremes on a logarithmic one.
func (a Axis) scale(values []float64, n int) scale {
	low, high := slices.Min(values), slices.Max(values)
	if a.Log {
		return logScale(low, high, n)
	}
	step := niceStep((high - low) / float64(max(n-1, 1)))
	if step == 0 || math.IsInf(step, 0) {
		return scale{low: low, high: low, ticks: []float64{low}}
	}
	first, last := math.Floor(low/step), math.Ceil(high/step)
	s := scale{low: first * step, high: last * step}
	for i := first; i <= last && len(s.ticks) <= 2*n+2; i++ {
		s.ticks = append(s.ticks, i*step+0) // no -0
	}
	return s
}

func logScale(low, high float64, n int) scale {
	s := scale{low: math.Log10(low), high: math.Log10(high), log: true}
	if low == high {
		s.ticks = []float64{low}
		return s
	}
	for i := range n {
		s.ticks = append(s.ticks, math.Pow(10, s.low+(s.high-s.low)*float64(i)/float64(n-1)))
	}
	return s
}

// niceStep is the smallest of 1, 2, 5 times a power of ten that is not below
// step; 0 for 0.
func niceStep(step float64) float64 {
	if step <= 0 {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= step*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// beside are the ticks of a y axis, one a line of h, and their width.
func (a Axis) beside(g *grid, s scale, h int) (labels []string, w int) {
	labels = make([]string, h)
	for _, t := range s.ticks {
		text := cut(g.say(a.text(t)), g.width/4, g.ellipsis())
		labels[h-1-cellOf(s.at(t), h)] = text
		w = max(w, width(text))
	}
	return labels, w
}

// under are the ticks of an x axis as one line of w columns, each centred below
// its place; a tick that would touch the one before is left out.
func (a Axis) under(g *grid, s scale, w int) string {
	line, used := "", 0
	for _, t := range s.ticks {
		text := g.say(a.text(t))
		n := width(text)
		from := max(min(cellOf(s.at(t), w)-n/2, w-n), 0)
		if n > w || used > 0 && from < used+1 {
			continue
		}
		line += strings.Repeat(" ", from-used) + text
		used = from + n
	}
	return line
}
