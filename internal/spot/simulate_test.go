package spot

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The closed form and the simulation share one model and must agree within five
// standard errors.
func TestSimulateAgreesWithExpected(t *testing.T) {
	base := Job{WorkHours: 24, IntervalHours: 1, CheckpointHours: 0.05, RestartHours: 0.1, WaitHours: 0.5, Rate: Rate{0.2}}
	with := func(f func(*Job)) Job { j := base; f(&j); return j }
	for name, j := range map[string]Job{
		"base":         base,
		"first start":  with(func(j *Job) { j.ChargeFirstStart = true }),
		"final save":   with(func(j *Job) { j.FinalCheckpoint = true }),
		"odd pieces":   with(func(j *Job) { j.IntervalHours = 1.7 }),
		"often":        with(func(j *Job) { j.Rate.PerHour = 1 }),
		"from scratch": with(func(j *Job) { j.NoCheckpoints, j.WorkHours = true, 12 }),
		"on notice":    with(func(j *Job) { j.SaveOnNotice = true }),
		"free saves":   with(func(j *Job) { j.IntervalHours, j.CheckpointHours = 0, 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Expected(j)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Simulate(j, Simulation{Runs: 40_000})
			if err != nil || d.Unfinished != 0 {
				t.Fatal(err, d.Unfinished)
			}
			near(t, "billed", d.BilledHours.Mean, o.BilledHours, 5*d.BilledHours.StdErr)
			near(t, "wall", d.WallHours.Mean, o.WallHours, 5*d.WallHours.StdErr)
			near(t, "interruptions", d.Interruptions/o.Interruptions, 1, 0.03)
			near(t, "lost", d.LostHours, o.LostHours, 0.03*o.LostHours+1e-9)
			near(t, "cost factor", d.CostFactor.P90, d.BilledHours.P90/j.WorkHours, 1e-12)
		})
	}
}

func TestSimulateIsRepeatable(t *testing.T) {
	j := Job{WorkHours: 10, IntervalHours: 1, CheckpointHours: 0.1, RestartHours: 0.1, Rate: Rate{0.3}}
	a, _ := Simulate(j, Simulation{Runs: 1000})
	b, _ := Simulate(j, Simulation{Runs: 1000, Seed: DefaultSeed})
	c, _ := Simulate(j, Simulation{Runs: 1000, Seed: 7})
	if a.BilledHours != b.BilledHours || a.BilledHours == c.BilledHours {
		t.Errorf("%+v %+v %+v", a.BilledHours, b.BilledHours, c.BilledHours)
	}
}

func TestSimulateCalm(t *testing.T) {
	d, err := Simulate(Job{WorkHours: 10, IntervalHours: 3, CheckpointHours: 0.1}, Simulation{Runs: 10})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "billed", d.BilledHours.P90, 10.3, 1e-12)
	near(t, "spread", d.BilledHours.StdErr, 0, 1e-12)
	near(t, "miss", d.MissShare(10.3+1e-9), 0, 0)
	near(t, "miss", d.MissShare(10.2), 1, 0)
}

// Reference share of late runs: spotcheck/testdata/truth.csv, case C40.
func TestMiss(t *testing.T) {
	j := Job{WorkHours: 24, IntervalHours: 1, CheckpointHours: 0.05, RestartHours: 0.1, WaitHours: 0.5, Rate: Rate{0.2}}
	p, se, err := MissProbability(j, 33, Simulation{Runs: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "late", p, 0.2767, 5*math.Hypot(0.001, se))
	d, _ := Simulate(j, Simulation{Runs: 100_000})
	near(t, "as simulated to the end", d.MissShare(33), p, 5*math.Sqrt2*se)
}

// AWS does not bill the first hour of an instance it interrupts: the credit per
// interruption is within 1 % of the simulation.
func TestFirstHourFree(t *testing.T) {
	for rate, want := range map[float64]float64{0.2: 27.942265, 1: 28.460406} {
		j := Job{WorkHours: 24, IntervalHours: 0.5, CheckpointHours: 0.05, RestartHours: 0.1, Rate: Rate{rate}, ChargeFirstStart: true, FreeFirstHours: 1}
		d, err := Simulate(j, Simulation{Runs: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "billed", d.BilledHours.Mean, want, 0.07)
		o, _ := Expected(j)
		near(t, "approximation", (o.BilledHours-o.FreeHours)/want, 1, 0.01)
	}
}

func TestSimulateRefuses(t *testing.T) {
	j := Job{WorkHours: 1000, NoCheckpoints: true, Rate: Rate{1}}
	if _, err := Simulate(j, Simulation{Runs: 1000}); err == nil {
		t.Error("a job that never finishes was simulated to the end")
	}
	if p, _, err := MissProbability(j, 10, Simulation{Runs: 1000}); err != nil || p != 1 {
		t.Errorf("a job that never finishes is late with %g: %v", p, err)
	}
	for _, runs := range []int{0, -1, MaxRuns + 1} {
		if _, err := Simulate(Job{WorkHours: 1}, Simulation{Runs: runs}); err == nil {
			t.Errorf("%d runs accepted", runs)
		}
	}
}

func TestRunDoesNotAllocate(t *testing.T) {
	j := Job{WorkHours: 72, IntervalHours: 1.5, CheckpointHours: 0.1, RestartHours: 0.15, WaitHours: 1, Rate: Rate{0.36}}
	src, err := Simulation{Runs: 1, Up: Law{0.5, 0.5, 5}, Outage: Exponential(1)}.source(j)
	if err != nil {
		t.Fatal(err)
	}
	p := j.plan()
	if n := testing.AllocsPerRun(100, func() { p.run(src) }); n != 0 {
		t.Errorf("%g allocations per run", n)
	}
}

// Every shipped shape can be generated: mean and coefficient of variation exactly
// (for cv >= 1), the median within a quarter, and a million draws agree.
func TestObservedShapes(t *testing.T) {
	off := 0
	for _, o := range Observed("", "") {
		if o.Source() == "" || o.From == "" {
			t.Errorf("%s: no source", o.Zone)
		}
		l := o.Up.Law()
		near(t, o.Zone+" mean", l.MeanHours()/o.Up.MeanHours, 1, 1e-9)
		near(t, o.Zone+" cv", l.CV()/o.Up.CV, 1, 1e-9)
		near(t, o.Zone+" median", l.MedianHours()/o.Up.MedianHours, 1, 0.25)
		if math.Abs(l.MedianHours()/o.Up.MedianHours-1) > 0.02 {
			off++
		}
		near(t, o.Zone+" outage mean", o.Outage.Law().MeanHours()/o.Outage.MeanHours, 1, 1e-9)
		near(t, o.Zone+" share up", o.Up.MeanHours/(o.Up.MeanHours+o.Outage.MeanHours), o.ShareUp, 0.06)
	}
	if off > 2 {
		t.Errorf("%d medians are off by more than 2 %%", off)
	}
	l := Observed("gcp", "h100")[7].Up.Law()
	rng := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 1_000_000)
	for i := range v {
		v[i] = l.draw(rng)
	}
	s := spellStats(v)
	near(t, "drawn mean", s.MeanHours/l.MeanHours(), 1, 0.02)
	near(t, "drawn median", s.MedianHours/l.MedianHours(), 1, 0.02)
	near(t, "drawn cv", s.CV/l.CV(), 1, 0.03)
}

func TestObservedRates(t *testing.T) {
	low, mid, high, ok := ObservedRates(Observed("gcp", "h100"))
	if !ok {
		t.Fatal("none")
	}
	near(t, "lowest", low.PerHour, 1/17.1, 1e-12)
	near(t, "median", mid.PerHour, 1/3.64, 0.01)
	near(t, "highest", high.PerHour, 1/0.563, 1e-12)
	if _, _, _, ok := ObservedRates(Observed("nobody", "")); ok {
		t.Error("rates from nothing")
	}
}

func TestFitLaw(t *testing.T) {
	for _, bad := range [][3]float64{{math.NaN(), 1, 1}, {-1, 1, 1}, {1, math.Inf(1), 1}} {
		if _, err := FitLaw(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
	l, _ := FitLaw(4, 0, 2)
	near(t, "mean", l.MeanHours(), 4, 1e-9)
	near(t, "cv", l.CV(), 2, 1e-9)
	near(t, "both phases take half the time", l.ShortShare*l.ShortMeanHours, 2, 1e-9)
	l, _ = FitLaw(4, 1, 0.5)
	near(t, "exponential below cv 1", l.MedianHours(), 4*math.Ln2, 1e-9)
}
