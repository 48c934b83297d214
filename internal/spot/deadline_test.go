package spot

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func play(t *testing.T, j DeadlineJob, runs string) DeadlineOutcome {
	t.Helper()
	r, err := ParseRuns(runs)
	if err != nil {
		t.Fatal(err)
	}
	o, err := j.Play(Trace{GapHours: 1.0 / 6, Runs: r}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// By hand, in ticks of 10 minutes.
func TestPlay(t *testing.T) {
	j := DeadlineJob{WorkHours: 10, DeadlineHours: 20, ChangeoverHours: 0.2, Policy: Greedy, Slices: 4}
	for _, p := range Policies()[:3] { // always up: one start, no on-demand
		j.Policy = p
		o := play(t, j, "1x400")
		near(t, "finish", o.FinishHours, 10.2, 1e-9)
		near(t, "on demand", o.OnDemandHours, 0, 0)
		if o.Switches != 1 || o.Missed {
			t.Errorf("%s: %+v", p, o)
		}
	}
	// Never up, 12 h: greedy waits until 10 + 2 x 0.2 h are left, one tick early.
	j.Policy, j.DeadlineHours = Greedy, 12
	o := play(t, j, "0x400")
	near(t, "finish", o.FinishHours, 1.5+10.2, 1e-9)
	near(t, "cost at a third", o.CostFactor(1.0/3), 10.2, 1e-9)
	near(t, "share on demand", o.OnDemandShare(), 1, 0)
	// A record that ends counts as gone.
	if o := play(t, j, "1x3"); o.Missed || o.OnDemandHours == 0 {
		t.Errorf("%+v", o)
	}
	// A deadline that on-demand cannot keep is reported as missed, not refused.
	j.DeadlineHours = 9
	if o := play(t, j, "0x10"); !o.Missed || j.Feasible() {
		t.Errorf("%+v", o)
	}
}

func TestPlayRefuses(t *testing.T) {
	ok := DeadlineJob{WorkHours: 1, DeadlineHours: 2, Policy: Greedy}
	tr := Trace{GapHours: 1, Runs: []Run{{1, 1}}}
	for _, f := range []func(*DeadlineJob){
		func(j *DeadlineJob) { j.WorkHours = -1 },
		func(j *DeadlineJob) { j.DeadlineHours = 1e12 },
		func(j *DeadlineJob) { j.Policy = "hope" },
		func(j *DeadlineJob) { j.Policy = TimeSliced },
	} {
		j := ok
		f(&j)
		if _, err := j.Play(tr, 0, 1); err == nil {
			t.Errorf("%+v accepted", j)
		}
	}
	if _, err := ok.Play(Trace{}, 0, 1); err == nil {
		t.Error("a trace without a gap accepted")
	}
	if _, err := ok.Play(tr, -1, 1); err == nil {
		t.Error("a start before the trace accepted")
	}
}

// No policy misses a feasible deadline, whatever spot does: not for any sampling
// interval, changeover or number of slices.
func TestNeverMisses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := DeadlineJob{
			WorkHours:       rapid.Float64Range(0, 40).Draw(t, "work"),
			ChangeoverHours: rapid.Float64Range(0, 1).Draw(t, "changeover"),
			Policy:          rapid.SampledFrom(Policies()).Draw(t, "policy"),
			Slices:          rapid.IntRange(1, 9).Draw(t, "slices"),
		}
		j.DeadlineHours = (j.WorkHours + j.ChangeoverHours) * rapid.Float64Range(1, 3).Draw(t, "slack")
		tr := Trace{GapHours: rapid.Float64Range(0.01, 1).Draw(t, "gap")}
		for range rapid.IntRange(1, 60).Draw(t, "runs") {
			tr.Runs = append(tr.Runs, Run{rapid.IntRange(-1, 1).Draw(t, "value"), rapid.IntRange(1, 30).Draw(t, "ticks")})
		}
		o, err := j.Play(tr, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if o.Missed {
			t.Fatalf("%+v misses: %+v", j, o)
		}
		if o.SpotHours+o.OnDemandHours < j.WorkHours-1e-9 {
			t.Fatalf("%+v: billed less than the work: %+v", j, o)
		}
	})
}

// 5,000 random starts per policy on real traces: no deadline is missed.
func TestNeverMissesOnRealTraces(t *testing.T) {
	traces := append(sharedSkypilot(t, "1-node", "v100"), readShared(t, "skynomad_h100_rle.csv", 600)...)
	rng := rand.New(rand.NewPCG(1, 5000))
	for _, p := range Policies() {
		missed, onDemand := 0, 0.0
		for range 5000 {
			tr := traces[rng.IntN(len(traces))]
			j := DeadlineJob{WorkHours: 8 + 40*rng.Float64(), ChangeoverHours: 0.05 + 0.3*rng.Float64(), Policy: p, Slices: 1 + rng.IntN(8)}
			j.DeadlineHours = (j.WorkHours + j.ChangeoverHours) * (1 + 1.2*rng.Float64())
			o, err := j.Play(tr, rng.IntN(tr.Ticks()), 1)
			if err != nil {
				t.Fatal(err)
			}
			if o.Missed {
				missed++
			}
			onDemand += o.OnDemandShare()
		}
		t.Logf("%-10s missed %d of 5000, mean share on demand %.3f", p, missed, onDemand/5000)
		if missed != 0 {
			t.Errorf("%s missed %d deadlines", p, missed)
		}
	}
}

// Wu et al. (NSDI'24, Table 3) publish 30.8 on-demand hours for greedy and 25.1
// for uniform progress for a 48 h job at C/R = 0.8. Their mix of traces is not
// published; on the eight single-node V100 traces recorded outside their
// two-month series the figures agree within 10 %.
func TestPublishedOnDemandHours(t *testing.T) {
	traces := append(sharedSkypilot(t, "ava-1-node-aws-10-26-2022", "v100"), sharedSkypilot(t, "pre-1-node", "v100")...)
	if len(traces) != 8 {
		t.Fatalf("%d traces", len(traces))
	}
	for _, c := range []struct {
		policy    Policy
		published float64
	}{{Greedy, 30.8}, {UniformProgress, 25.1}} {
		j := DeadlineJob{WorkHours: 48, DeadlineHours: 60, ChangeoverHours: 0.2, Policy: c.policy}
		sum, n := 0.0, 0
		for _, tr := range traces {
			room := tr.Ticks() - int(j.DeadlineHours/tr.GapHours)
			for s := range 300 {
				o, err := j.Play(tr, s*room/300, 1)
				if err != nil || o.Missed {
					t.Fatal(err, o)
				}
				sum, n = sum+o.OnDemandHours, n+1
			}
		}
		mean := sum / float64(n)
		t.Logf("%s: %.1f h on demand in %d starts, published %.1f (%+.1f %%)", c.policy, mean, n, c.published, 100*(mean/c.published-1))
		near(t, string(c.policy), mean/c.published, 1, 0.10)
	}
}
