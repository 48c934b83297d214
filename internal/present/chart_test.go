package present

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func show(t *testing.T, b Block, o Options) string {
	t.Helper()
	return render(t, Doc{Screen: Screen{Blocks: []Block{b}}}, o)
}

// 8 columns for bars: 8 eighths a column, 64 for the whole; 2.5 of 10 is 16
// eighths, 0.2 is 1.28 and so one.
func TestBars(t *testing.T) {
	bars := Bars{Title: "Where it goes", Items: []Bar{{"GPU", 10, "10"}, {"流量", 2.5, "2.5"}, {"disk", 0.2, "0.2"}, {"none", 0, "0"}, {"credit", -3, "−3"}}}
	want := "Where it goes\n  GPU      10  ████████\n  流量    2.5  ██\n  disk    0.2  ▏\n  none      0\n  credit   -3\n"
	if diff := cmp.Diff(want, show(t, bars, Options{Width: 23})); diff != "" {
		t.Error(diff)
	}
	want = "Where it goes\n  GPU      10  ########\n  流量    2.5  ##\n  disk    0.2  #\n  none      0\n  credit   -3\n"
	if diff := cmp.Diff(want, show(t, bars, Options{Width: 23, ASCII: true})); diff != "" {
		t.Error(diff)
	}
	if got := show(t, Bars{Items: []Bar{{"a", 0, "0"}}}, Options{}); got != "  a  0\n" {
		t.Error(got)
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want string
	}{
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, "▁▂▃▄▅▆▇█"},
		{[]float64{3, 3}, "▄▄"},
		{[]float64{1, math.NaN(), 2}, "▁ █"},
		{[]float64{math.NaN()}, " "},
		{nil, ""},
	} {
		if got := Spark(c.in); got != c.want {
			t.Errorf("%v: %q", c.in, got)
		}
	}
}

// By hand: y goes from 0 to 40 in steps of 20, so that 5 lines are 10 apart; x
// has the 14 columns that the labels leave of 20 - 2 - 2 - 2, so that 10 is in
// column 7 and 20 in column 13. The line falls by 3 lines in 13 columns.
func TestPlot(t *testing.T) {
	p := Plot{
		Title: "Cost", X: Axis{Label: "h"}, Y: Axis{Label: "USD"}, Height: 5,
		Series: []Series{{"best", true, []Point{{0, 30, "2"}, {20, 0, "1"}}}, {"rest", false, []Point{{20, 30, ""}, {10, 20, ""}, {20, 0, ""}}}},
	}
	want := `Cost
  USD
  40 +
     |2....        x
  20 +     ..x.
     |         ....
   0 +             1
     +--------------
      0  5  10 15 20
                   h
  o best   x rest
`
	if diff := cmp.Diff(want, show(t, p, Options{Width: 20, ASCII: true})); diff != "" {
		t.Error(diff)
	}
	one := Plot{Series: []Series{{"", false, []Point{{5, 7, ""}}}}, Height: 3}
	want = "    │\n  7 ┤       o\n    │\n    └───────────────\n            5\n"
	if diff := cmp.Diff(want, show(t, one, Options{Width: 20})); diff != "" {
		t.Error(diff)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		values []float64
		n      int
		ticks  []float64
	}{
		{Axis{}, []float64{1, 9}, 5, []float64{0, 2, 4, 6, 8, 10}},
		{Axis{}, []float64{1100, 2400}, 5, []float64{1000, 1500, 2000, 2500}},
		{Axis{}, []float64{-3, 4}, 3, []float64{-5, 0, 5}},
		{Axis{}, []float64{0.1, 0.3}, 3, []float64{0.1, 0.2, 0.3}},
		{Axis{}, []float64{5, 5}, 3, []float64{5}},
		{Axis{Log: true}, []float64{1, 100}, 3, []float64{1, 10, 100}},
		{Axis{Log: true}, []float64{7, 7}, 3, []float64{7}},
	} {
		s := c.axis.scale(c.values, c.n)
		if len(s.ticks) != len(c.ticks) {
			t.Errorf("%v: %v, want %v", c.values, s.ticks, c.ticks)
			continue
		}
		for i, tick := range s.ticks {
			if math.Abs(tick-c.ticks[i]) > 1e-9 {
				t.Errorf("%v: %v, want %v", c.values, s.ticks, c.ticks)
			}
		}
		for _, v := range c.values {
			if at := s.at(v); at < -1e-9 || at > 1+1e-9 {
				t.Errorf("%v is at %v", v, at)
			}
		}
	}
	for _, values := range [][]float64{{-math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}, {1e300, 1e300 * (1 + 1e-15)}, {math.MaxFloat64 / 2, math.MaxFloat64}} {
		p := Plot{Series: []Series{{"s", true, []Point{{values[0], values[0], ""}, {values[1], values[1], ""}}}}}
		for _, f := range []Format{TableFormat, HTML} {
			if err := p.check(); err != nil {
				t.Fatal(err)
			}
			if got := show(t, p, Options{Format: f}); len(got) > 20_000 {
				t.Errorf("%v: %d bytes", values, len(got))
			}
		}
	}
}
