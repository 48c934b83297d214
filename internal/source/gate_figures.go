package source

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// FigureKey is what an interruption figure is about.
type FigureKey struct{ Provider, GPU, Metric, Ref string }

func (k FigureKey) String() string {
	return fmt.Sprintf("%s %s %s %s", k.Provider, k.GPU, k.Metric, k.Ref)
}

func figureKeyOf(x *catalog.Interruption) FigureKey {
	return FigureKey{x.Provider, x.GPU, x.Metric, x.Ref}
}

// FiguresOf is what interruption figures leave for the next run's comparison.
func FiguresOf(list []catalog.Interruption) map[FigureKey]float64 {
	out := map[FigureKey]float64{}
	for i := range list {
		x := &list[i]
		out[figureKeyOf(x)] = 0
		if x.Low != nil {
			out[figureKeyOf(x)] = *x.Low
		}
	}
	return out
}

// figures checks each interruption figure alone, and that no key has two.
func (g *gate) figures() {
	list := g.b.Interruption
	g.v.Rows += len(list)
	bad := make([]string, len(list))
	first := map[FigureKey]int{}
	for i := range list {
		x := &list[i]
		bad[i] = figureFault(x)
		j, seen := first[figureKeyOf(x)]
		switch {
		case !seen:
			first[figureKeyOf(x)] = i
		case !sameEnd(x.Low, list[j].Low) || !sameEnd(x.High, list[j].High) || x.Unit != list[j].Unit:
			bad[i] = firstOf(bad[i], "identity: two figures")
			bad[j] = firstOf(bad[j], "identity: two figures")
		}
	}
	for i := range list {
		if bad[i] == "" {
			g.v.Interruption = append(g.v.Interruption, list[i])
			continue
		}
		if g.v.Bad++; len(g.v.Rejected) < maxRejectedRows {
			g.v.Rejected = append(g.v.Rejected, Rejection{figureKeyOf(&list[i]).String(), bad[i]})
		}
	}
}

func sameEnd(a, b *float64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// figureFault is why a figure is left out: a share is from 0 to 100 percent.
func figureFault(x *catalog.Interruption) string {
	if x.Provider == "" || x.GPU == "" || x.Metric == "" {
		return "schema: no provider, no GPU or no metric"
	}
	for _, end := range []*float64{x.Low, x.High} {
		switch {
		case end == nil:
		case math.IsNaN(*end) || math.IsInf(*end, 0):
			return "schema: not a number"
		case strings.HasPrefix(x.Unit, "percent") && (*end < 0 || *end > 100):
			return fmt.Sprintf("band: %g percent", *end)
		}
	}
	if x.Low != nil && x.High != nil && *x.Low > *x.High {
		return "schema: low and high are not a range"
	}
	return ""
}

// figureJump is the median of |ln(new/old)| from which figures look as if
// their unit had changed: shares for percent, or the other way round.
const figureJump = 0.7

// figuresMoved compares the figures with the previous run's.
func (g *gate) figuresMoved() {
	prev := g.prev.Figures
	if len(prev) == 0 {
		return
	}
	shrink, jump := Reject, Hold
	if g.pol.AcceptShrink {
		shrink = ""
	}
	if g.pol.AcceptJump {
		jump = ""
	}
	now := FiguresOf(g.v.Interruption)
	if float64(len(now)) < leastRows*float64(len(prev)) {
		g.find(shrink, "collapse", "%d interruption figures, the previous run had %d", len(now), len(prev))
	}
	var moves []float64
	for key, x := range now {
		if old := prev[key]; old > 0 && x > 0 {
			moves = append(moves, math.Abs(math.Log(x/old)))
		}
	}
	if len(moves) == 0 {
		return
	}
	slices.Sort(moves)
	if m := moves[len(moves)/2]; m > figureJump {
		g.find(jump, "jump", "half of the %d interruption figures moved by a factor of %.3g or more", len(moves), math.Exp(m))
	}
}
