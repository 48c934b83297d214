package spot

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Right values from an independent implementation in Python (see
// spotcheck/testdata/truth.csv, family makespan and graceful).
func TestExpected(t *testing.T) {
	base := Job{WorkHours: 24, IntervalHours: 1, CheckpointHours: 0.05, RestartHours: 0.1, WaitHours: 0.5, Rate: Rate{0.2}}
	with := func(f func(*Job)) Job { j := base; f(&j); return j }
	for _, c := range []struct {
		name                        string
		job                         Job
		wall, billed, interruptions float64
	}{
		{"with a wait", base, 31.399746390777782, 28.54522399161616, 5.709044798323233},
		{"first start charged", with(func(j *Job) { j.ChargeFirstStart, j.WaitHours = true, 0 }), 28.646230691749945, 28.646230691749945, 5.729246138349989},
		{"final checkpoint", with(func(j *Job) { j.FinalCheckpoint, j.WaitHours = true, 0 }), 28.60784038832665, 28.60784038832665, 5.72156807766533},
		{"one interval", with(func(j *Job) { j.WorkHours, j.WaitHours = 1, 0 }), 1.1293769528031252, 1.1293769528031252, 0.22587539056062503},
		{"from scratch", Job{WorkHours: 12, NoCheckpoints: true, CheckpointHours: 0.05, RestartHours: 0.1, Rate: Rate{0.15}}, 34.173087418861456, 34.173087418861456, 5.1259631128292185},
		{"save on notice", Job{WorkHours: 24, RestartHours: 0.2, WaitHours: 0.5, Rate: Rate{0.3}, SaveOnNotice: true}, 29.306688684651924, 25.48407711708863, 7.645223135126589},
		{"free and endless saves", Job{WorkHours: 24, RestartHours: 0.2, WaitHours: 0.5, Rate: Rate{0.3}}, 29.306688684651924, 25.48407711708863, 7.645223135126589},
		{"no work", with(func(j *Job) { j.WorkHours = 0 }), 0, 0, 0},
		{"no work, nothing to save", with(func(j *Job) { j.WorkHours, j.FinalCheckpoint, j.ChargeFirstStart = 0, true, true }), 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Expected(c.job)
			if err != nil || !o.Finishes {
				t.Fatalf("%+v, %v", o, err)
			}
			near(t, "wall", o.WallHours, c.wall, 1e-9)
			near(t, "billed", o.BilledHours, c.billed, 1e-9)
			near(t, "interruptions", o.Interruptions, c.interruptions, 1e-9)
			near(t, "parts", o.LostHours+o.RestartHours+o.CheckpointHours+c.job.WorkHours, o.BilledHours, 1e-9)
		})
	}
}

// A job that cannot finish is refused with the reason, and no figure is NaN or
// infinite. 72 h without checkpoints at 30 % an hour are 4e11 h.
func TestDoesNotFinish(t *testing.T) {
	o, err := Expected(Job{WorkHours: 72, NoCheckpoints: true, RestartHours: 0.15, Rate: Rate{0.35667494393873234}})
	if err != nil || o.Finishes || o.Overflows || !strings.Contains(o.Reason, "72 h between saves") || !strings.Contains(o.Reason, "save checkpoints more often") {
		t.Errorf("%+v, %v", o, err)
	}
	near(t, "hours, in 1e11", o.BilledHours/1e11, 4.2, 0.2)
	o, err = Expected(Job{WorkHours: 1000, NoCheckpoints: true, RestartHours: 0.1, Rate: Rate{1}})
	if err != nil || o.Finishes || !o.Overflows || o.WallHours != 0 || o.Reason == "" {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = Expected(Job{WorkHours: 5000, NoCheckpoints: true, Rate: Rate{0.35667494393873234}})
	if err != nil || !strings.Contains(o.Reason, "every 5000 h between saves must pass without an interruption, which come every 2.8 h") {
		t.Errorf("%s, %v", o.Reason, err)
	}
	for _, bad := range []Job{
		{WorkHours: math.NaN()},
		{WorkHours: -1},
		{WorkHours: math.Inf(1)},
		{WorkHours: 1, Rate: Rate{-1}},
		{WorkHours: 1, CheckpointHours: 0.1}, // interval 0: nothing but saving
	} {
		if _, err := Expected(bad); err == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
}

// What is paid after the free first hour, worked out with 60 digits: at 60
// interruptions an hour hardly anything is, and it is never negative.
func TestPaidHours(t *testing.T) {
	for _, c := range []struct {
		job  Job
		paid float64
	}{
		{Job{WorkHours: 24, IntervalHours: 0.5, CheckpointHours: 0.05, RestartHours: 0.1, Rate: Rate{0.2}, ChargeFirstStart: true, FreeFirstHours: 1}, 28.015171155350615},
		{Job{WorkHours: 24, IntervalHours: 0.5, CheckpointHours: 0.05, RestartHours: 0.1, Rate: Rate{1}, ChargeFirstStart: true, FreeFirstHours: 1}, 28.628013627671145},
		{Job{WorkHours: 24, IntervalHours: 0.01, CheckpointHours: 0.001, RestartHours: 0.002, Rate: Rate{60}, FreeFirstHours: 1}, 2.2517987856493124e-23},
		{Job{WorkHours: 24, IntervalHours: 1, CheckpointHours: 0.05, RestartHours: 0.1, Rate: Rate{0}, FreeFirstHours: 1}, 25.15},
	} {
		o, err := Expected(c.job)
		if err != nil || o.PaidHours < 0 || math.Abs(o.PaidHours-c.paid) > 1e-9*c.paid || o.FreeHours > o.BilledHours {
			t.Errorf("%+v: paid %g of %g, free %g (%v), want %g", c.job, o.PaidHours, o.BilledHours, o.FreeHours, err, c.paid)
		}
	}
}

func drawJob(t *rapid.T) Job {
	return Job{
		WorkHours:        rapid.Float64Range(0.1, 500).Draw(t, "W"),
		IntervalHours:    rapid.Float64Range(0.05, 24).Draw(t, "tau"),
		CheckpointHours:  rapid.Float64Range(0, 1).Draw(t, "C"),
		RestartHours:     rapid.Float64Range(0, 1).Draw(t, "R"),
		WaitHours:        rapid.Float64Range(0, 5).Draw(t, "D"),
		Rate:             Rate{rapid.Float64Range(0, 5).Draw(t, "lambda")},
		NoCheckpoints:    rapid.Bool().Draw(t, "from scratch"),
		ChargeFirstStart: rapid.Bool().Draw(t, "first start"),
		FinalCheckpoint:  rapid.Bool().Draw(t, "final"),
		SaveOnNotice:     rapid.Bool().Draw(t, "notice"),
		FreeFirstHours:   rapid.Float64Range(0, 2).Draw(t, "free"),
	}
}

// Laws: no figure is ever NaN or infinite; without interruptions only work, saves
// and a charged first start are billed; more interruptions, longer restarts and
// dearer saves are never cheaper; waiting costs time and no money.
func TestExpectedLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		o, err := Expected(j)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []float64{o.WallHours, o.BilledHours, o.Interruptions, o.LostHours, o.RestartHours, o.CheckpointHours, o.FreeHours} {
			if _, ok := finite(v); !ok || v < 0 {
				t.Fatalf("%+v", o)
			}
		}
		if o.Finishes == (o.Reason != "") {
			t.Fatalf("finishes %v, reason %q", o.Finishes, o.Reason)
		}
		calm := j
		calm.Rate = Rate{}
		c, _ := Expected(calm)
		list := j.WorkHours + c.CheckpointHours
		if j.ChargeFirstStart {
			list += j.RestartHours
		}
		if math.Abs(c.BilledHours-list) > 1e-9*list || c.WallHours != c.BilledHours {
			t.Fatalf("calm: %+v, list %g", c, list)
		}
		if o.Overflows {
			return
		}
		if o.BilledHours < c.BilledHours*(1-1e-12) {
			t.Fatalf("interruptions save %g of %g h", c.BilledHours-o.BilledHours, c.BilledHours)
		}
		for name, worse := range map[string]func(*Job){
			"rate":    func(j *Job) { j.Rate.PerHour *= 1.01 },
			"restart": func(j *Job) { j.RestartHours *= 1.01 },
			"save":    func(j *Job) { j.CheckpointHours *= 1.01 },
			"work":    func(j *Job) { j.WorkHours *= 1.01 },
		} {
			w := j
			worse(&w)
			p, _ := Expected(w)
			if !p.Overflows && p.BilledHours < o.BilledHours*(1-1e-12) {
				t.Fatalf("more %s: %g < %g h", name, p.BilledHours, o.BilledHours)
			}
		}
		if got := o.BilledHours + o.Interruptions*j.WaitHours; math.Abs(got-o.WallHours) > 1e-9*o.WallHours {
			t.Fatalf("wall %g, billed and waits %g", o.WallHours, got)
		}
	})
}

func TestBreakEvenDiscount(t *testing.T) {
	o, _ := Expected(Job{WorkHours: 24, IntervalHours: 1, CheckpointHours: 0.05, RestartHours: 0.1, Rate: Rate{0.2}})
	d, ok := o.BreakEvenDiscount(24)
	if !ok {
		t.Fatal("no break-even")
	}
	near(t, "billed at the break-even discount", o.BilledHours*(1-d), 24, 1e-9)
	if _, ok := (Outcome{}).BreakEvenDiscount(24); ok {
		t.Error("a job that does not finish breaks even")
	}
}

func TestPerInterruption(t *testing.T) {
	near(t, "lost", LostPerInterruption(1.05, Rate{0.2}), 0.5066384914597117, 1e-12)
	near(t, "lost, rare", LostPerInterruption(1, Rate{1e-9}), 0.5, 1e-9)
	near(t, "lost, series meets formula", LostPerInterruption(1, Rate{0.9999e-4}), LostPerInterruption(1, Rate{1.0001e-4}), 1e-8)
	near(t, "free", FreePerInterruption(Rate{0.2}, 1), 0.08761548153210952, 1e-12)
	near(t, "free", FreePerInterruption(Rate{1}, 1), 0.26424111765711533, 1e-12)
	near(t, "free, never", FreePerInterruption(Rate{}, 1), 0, 0)
}
