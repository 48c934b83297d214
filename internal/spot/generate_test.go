package spot

import (
	"math"
	"testing"
)

// A generated trace has the drop rate, availability and tail it was asked for.
func TestGenerate(t *testing.T) {
	o := Observed("gcp", "h100")[7] // mean 2.1 h, cv 3.06
	tr, err := Generate(o.Up.Law(), o.Outage.Law(), 1.0/360, 200_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	if tr.Ticks() != 72_000_000 {
		t.Errorf("%d samples", tr.Ticks())
	}
	st := tr.Stats(1)
	near(t, "share up", st.ShareUp, o.Up.MeanHours/(o.Up.MeanHours+o.Outage.MeanHours), 0.01)
	near(t, "mean up", st.Up.MeanHours/o.Up.MeanHours, 1, 0.03)
	near(t, "cv", st.Up.CV/o.Up.CV, 1, 0.05)
	near(t, "median", st.Up.MedianHours, o.Up.MedianHours, 0.02)
	again, _ := Generate(o.Up.Law(), o.Outage.Law(), 1.0/360, 200_000, DefaultSeed)
	if len(again.Runs) != len(tr.Runs) {
		t.Error("the same seed gives another trace")
	}
	calm, err := Generate(Exponential(1), Law{}, 0.1, 10, 0)
	if err != nil || len(calm.Runs) != 1 || calm.Runs[0] != (Run{1, 100}) {
		t.Errorf("no outages: %+v, %v", calm, err)
	}
	for _, bad := range [][2]float64{{0, 1}, {1, 0.5}, {math.NaN(), 1}, {1e-9, 1e6}} {
		if _, err := Generate(Exponential(1), Exponential(1), bad[0], bad[1], 0); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
	if _, err := Generate(Law{}, Exponential(1), 1, 10, 0); err == nil {
		t.Error("no up-time accepted")
	}
}

// On generated heavy-tailed traces: no misses, on-demand only is the reference
// cost, greedy is cheaper at a loose deadline and uniform progress at a tight one.
func TestPlayMany(t *testing.T) {
	o := Observed("aws", "v100")[4]
	tr, err := Generate(o.Up.Law(), o.Outage.Law(), 1.0/6, 20_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	cost := func(p Policy, deadline float64) float64 {
		d, err := DeadlineJob{WorkHours: 48, DeadlineHours: deadline, ChangeoverHours: 0.2, Policy: p, Slices: 4}.PlayMany(tr, 1, 1000, 0.3)
		if err != nil || d.Missed > 0 {
			t.Fatalf("%s: %+v, %v", p, d, err)
		}
		t.Logf("%g h %-10s cost %.3f (p90 %.3f) finish %.1f h (p90 %.1f) on demand %.1f h, %.1f switches",
			deadline, p, d.CostFactor.Mean, d.CostFactor.P90, d.FinishHours.Mean, d.FinishHours.P90, d.OnDemandHours.Mean, d.Switches)
		return d.CostFactor.Mean
	}
	near(t, "on demand", cost(OnDemandOnly, 60), 1, 1e-9)
	if g, u := cost(Greedy, 54), cost(UniformProgress, 54); u >= g {
		t.Errorf("tight: greedy %g, uniform %g", g, u)
	}
	if g, u := cost(Greedy, 96), cost(UniformProgress, 96); u <= g {
		t.Errorf("loose: greedy %g, uniform %g", g, u)
	}
	cost(TimeSliced, 60)
	j := DeadlineJob{WorkHours: 1, DeadlineHours: 2, Policy: Greedy}
	if _, err := j.PlayMany(tr, 1, 0, 0.3); err == nil {
		t.Error("no starts accepted")
	}
	if _, err := j.PlayMany(tr, 1, 1, math.NaN()); err == nil {
		t.Error("NaN price accepted")
	}
	if _, err := (DeadlineJob{Policy: Greedy}).PlayMany(tr, 1, 1, 1); err == nil {
		t.Error("no work accepted")
	}
}
