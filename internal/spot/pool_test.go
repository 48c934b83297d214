package spot

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPoolShares(t *testing.T) {
	shares, none, err := PoolShares([]float64{0.8, 0.6, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.8, 0.12, 0.08} {
		near(t, "share", shares[i], want, 1e-12)
	}
	near(t, "none", none, 0, 0)
	m, ok, err := PoolCost([]float64{0.8, 0.6, 1}, []float64{0.82, 0.79, 1.99})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	near(t, "mean", m, 0.91, 1e-12)
	if _, ok, _ := PoolCost([]float64{0, 0}, []float64{1, 1}); ok {
		t.Error("a pool that never runs has a cost")
	}
	for _, bad := range [][]float64{nil, {1.1}, {-0.1}, {math.NaN()}} {
		if _, _, err := PoolShares(bad); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
	if _, _, err := PoolCost([]float64{1}, nil); err == nil {
		t.Error("costs missing")
	}
	if d := cmp.Diff([]int{1, 0, 2, 3}, Cheapest([]float64{0.82, 0.79, 1.99, 1.99})); d != "" {
		t.Error(d)
	}
}

func TestSmoothGreedy(t *testing.T) {
	for _, c := range []struct{ share, spot, onDemand float64 }{{0.5, 12, 36}, {0.9, 48, 0}, {1, 48, 0}, {0, 0, 48}} {
		s, o, err := SmoothGreedy(48, 60, c.share)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "spot", s, c.spot, 1e-9)
		near(t, "on demand", o, c.onDemand, 1e-9)
	}
	if _, _, err := SmoothGreedy(48, 40, 0.5); err == nil {
		t.Error("a deadline before the work accepted")
	}
}

func review(rule PoolRule, back bool) PoolJob {
	return PoolJob{
		Job: Job{WorkHours: 72, IntervalHours: 1.5, CheckpointHours: 0.1, RestartHours: 0.15},
		Sellers: []Seller{
			{Name: "a spot", CostFactor: 0.41, Up: Exponential(8), Outage: Exponential(2)},
			{Name: "b spot", CostFactor: 0.40, Up: Exponential(6), Outage: Exponential(4)},
			{Name: "c on demand", CostFactor: 1, OnDemand: true},
		},
		Rule: rule, Return: back, Runs: 4000,
	}
}

// With free moves and saves a job that always goes back divides its time as the
// closed form says.
func TestPoolApproachesShares(t *testing.T) {
	p := review(BestAvailable, true)
	p.Job = Job{WorkHours: 400, IntervalHours: 0.01}
	p.Runs = 1000
	o, err := SimulatePool(p)
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := PoolShares([]float64{0.6, 0.8, 1})
	near(t, "b, the cheapest", o.SellerShare[1], want[0], 0.01)
	near(t, "a", o.SellerShare[0], want[1], 0.01)
	near(t, "on demand", o.OnDemandShare, want[2], 0.01)
	mean, _, _ := PoolCost([]float64{0.6, 0.8, 1}, []float64{0.40, 0.41, 1})
	near(t, "cost", o.CostFactor.Mean, mean, 0.01)
}

// Going back to the cheap sellers saves money: the trainer of the review, which
// only rotates forward, gets stuck on on-demand capacity.
func TestPoolRules(t *testing.T) {
	cost := map[string]PoolOutcome{}
	for name, p := range map[string]PoolJob{
		"rotate":      review(Rotate, false),
		"ordered":     review(FirstAvailable, false),
		"best":        review(BestAvailable, false),
		"best return": review(BestAvailable, true),
	} {
		o, err := SimulatePool(p)
		if err != nil || o.Unfinished > 0 {
			t.Fatal(err, o.Unfinished)
		}
		cost[name] = o
		t.Logf("%-12s cost factor %.3f (p90 %.3f) finish %.1f h (p90 %.1f) on demand %.1f %% interruptions %.1f moves %.1f",
			name, o.CostFactor.Mean, o.CostFactor.P90, o.FinishHours.Mean, o.FinishHours.P90, 100*o.OnDemandShare, o.Interruptions, o.Moves)
	}
	if cost["best return"].CostFactor.Mean >= cost["best"].CostFactor.Mean || cost["best return"].OnDemandShare >= cost["best"].OnDemandShare {
		t.Error("going back does not pay")
	}
	if cost["best"].CostFactor.Mean > cost["rotate"].CostFactor.Mean {
		t.Error("rotating forward is cheaper than the best available")
	}
	if cost["rotate"].Moves != 0 || cost["best return"].Moves == 0 {
		t.Error("moves")
	}
}

// One exponential seller is the job of the closed form with an exponential wait.
func TestPoolOfOne(t *testing.T) {
	j := Job{WorkHours: 24, IntervalHours: 1, CheckpointHours: 0.05, RestartHours: 0.1, WaitHours: 0.5, Rate: Rate{0.2}}
	want, err := Expected(j)
	if err != nil {
		t.Fatal(err)
	}
	o, err := SimulatePool(PoolJob{Job: j, Rule: BestAvailable, Runs: 20_000, Sellers: []Seller{{CostFactor: 1, Up: Exponential(5), Outage: Exponential(0.5)}}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "billed", o.CostFactor.Mean*24, want.BilledHours, 5*24*o.CostFactor.StdErr)
	first := 0.5 * 0.5 / 5.5 // not there at the start, with probability D/(M+D)
	near(t, "finish", o.FinishHours.Mean, want.WallHours+first, 5*o.FinishHours.StdErr)
	near(t, "interruptions", o.Interruptions, want.Interruptions, 0.1)
}

func TestPoolRefuses(t *testing.T) {
	for name, f := range map[string]func(*PoolJob){
		"rule":       func(p *PoolJob) { p.Rule = "hope" },
		"no sellers": func(p *PoolJob) { p.Sellers = nil },
		"no work":    func(p *PoolJob) { p.Job.WorkHours = 0 },
		"no up-time": func(p *PoolJob) { p.Sellers[0].Up = Law{} },
		"cost":       func(p *PoolJob) { p.Sellers[0].CostFactor = math.NaN() },
		"notice":     func(p *PoolJob) { p.Job.SaveOnNotice = true },
		"runs":       func(p *PoolJob) { p.Runs = 0 },
	} {
		p := review(BestAvailable, false)
		f(&p)
		if _, err := SimulatePool(p); err == nil {
			t.Errorf("%s accepted", name)
		}
	}
	p := review(FirstAvailable, false)
	p.Sellers = []Seller{{CostFactor: 1, Up: Exponential(0.01), Outage: Exponential(1)}}
	p.Runs = 3
	o, err := SimulatePool(p)
	if err != nil || o.Unfinished != 3 {
		t.Errorf("a hopeless job: %+v, %v", o, err)
	}
}
