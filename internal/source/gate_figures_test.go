package source

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
)

// bands are interruption figures of as many regions, each from low to high.
func bands(n int, low, high float64) (list []catalog.Interruption) {
	for i := range n {
		l, h := low, high
		list = append(list, catalog.Interruption{Provider: "aws", GPU: "h100-80gb-sxm", Metric: "interruption_band_30d", Low: &l, High: &h, Unit: "percent", Ref: fmt.Sprint("r", i)})
	}
	return list
}

// The gate decides about interruption figures as about prices.
func TestGateFigures(t *testing.T) {
	nan := math.NaN()
	spoil := func(n int, f func(*catalog.Interruption)) []catalog.Interruption {
		list := bands(100, 5, 10)
		for i := range n {
			f(&list[i])
		}
		return list
	}
	high := func(x float64) func(*catalog.Interruption) {
		return func(r *catalog.Interruption) { r.High = &x }
	}
	for _, c := range []struct {
		name     string
		list     []catalog.Interruption
		pol      Policy
		decision Decision
		kept     int
		says     string
	}{
		{"as before", bands(100, 5, 10), Policy{}, Accept, 100, ""},
		{"one of 120 percent", spoil(1, high(120)), Policy{}, Accept, 99, "band: 120 percent"},
		{"three of 120 percent", spoil(3, high(120)), Policy{}, Reject, 97, "more than 2 %"},
		{"no number", spoil(1, high(nan)), Policy{}, Accept, 99, "not a number"},
		{"the ends the wrong way round", spoil(1, high(1)), Policy{}, Accept, 99, "not a range"},
		{"two figures of one key", append(bands(100, 5, 10), bands(1, 10, 15)...), Policy{}, Accept, 99, "identity: two figures"},
		{"the same twice", append(bands(100, 5, 10), bands(1, 5, 10)...), Policy{}, Accept, 101, ""},
		{"a third of them", bands(33, 5, 10), Policy{}, Reject, 33, "33 interruption figures, the previous run had 100"},
		{"a third of them, after a look", bands(33, 5, 10), Policy{AcceptShrink: true}, Accept, 33, "33 interruption figures"},
		{"shares for percent", bands(100, 0.05, 0.1), Policy{}, Hold, 100, "a factor of 100 or more"},
		{"shares for percent, after a look", bands(100, 0.05, 0.1), Policy{AcceptJump: true}, Accept, 100, "a factor of 100"},
		{"nothing", nil, Policy{}, Reject, 0, "no row has a price"},
	} {
		f := *awsSpotAdvisor
		v := Check(&Batch{Format: &f, Interruption: c.list}, Previous{Figures: FiguresOf(bands(100, 5, 10))}, c.pol)
		if v.Decision != c.decision || len(v.Interruption) != c.kept {
			t.Errorf("%s: %s, %d kept, want %s, %d: %v", c.name, v.Decision, len(v.Interruption), c.decision, c.kept, v.Findings)
		}
		if text := fmt.Sprint(v.Findings, v.Rejected); !strings.Contains(text, c.says) {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
