package buying

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %.12g, want %.12g within %g", what, got, want, tolerance)
	}
}

// Reference: an independent simulation (spotcheck/testdata/truth.csv, I60 and I61).
func TestFleetOfOne(t *testing.T) {
	for _, c := range []struct {
		w                  Worker
		rate, billed, cold float64
		tolBilled, tolCold float64
	}{
		{Worker{10, 5, 2}, 0.1, 12.827464515, 0.675324375, 0.05, 0.004},
		{Worker{5, 5, 1}, 0.5, 4.905865557, 0.28308125, 0.04, 0.004},
	} {
		r, err := Fleet{Worker: c.w, Concurrency: 1}.Simulate(c.rate, 400_000, 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "billed", r.BilledPerRequest, c.billed, c.tolBilled)
		near(t, "cold", r.ColdShare, c.cold, c.tolCold)
	}
}

// With room for everything a fleet is the one batching worker of the closed form.
func TestFleetIsTheBatchingWorker(t *testing.T) {
	w := Worker{ColdStartSeconds: 5, IdleTimeoutSeconds: 5, ServiceSeconds: 1}
	for _, rate := range []float64{0.01, 0.1, 0.5} {
		r, err := Fleet{Worker: w, Concurrency: 1000}.Simulate(rate, 400_000, 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "billed share", r.MeanBilledWorkers, w.BilledShare(rate), 0.006)
		near(t, "cold share", r.ColdShare, w.ColdShare(rate), 0.006)
	}
}

// More concurrency never costs more; a resident worker takes the cold starts away.
func TestFleetOrder(t *testing.T) {
	w := Worker{ColdStartSeconds: 5, IdleTimeoutSeconds: 5, ServiceSeconds: 1}
	last := math.Inf(1)
	for _, c := range []int{1, 2, 8} {
		r, err := Fleet{Worker: w, Concurrency: c}.Simulate(2, 100_000, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.MeanBilledWorkers > last {
			t.Errorf("concurrency %d: %g workers, fewer slots %g", c, r.MeanBilledWorkers, last)
		}
		last = r.MeanBilledWorkers
	}
	r, err := Fleet{Worker: w, Concurrency: 100, MinWorkers: 1}.Simulate(0.1, 50_000, 0)
	if err != nil || r.ColdShare != 0 || r.BilledPerRequest != 0 || r.PeakWorkers != 1 {
		t.Errorf("one resident worker: %+v, %v", r, err)
	}
	// Instant cold starts are counted as cold starts.
	r, _ = Fleet{Worker: Worker{ServiceSeconds: 1}, Concurrency: 1}.Simulate(0.5, 50_000, 0)
	near(t, "no keep-alive", r.ColdShare, 1, 1e-4)
	near(t, "no keep-alive", r.BilledPerRequest, 1, 1e-9)
}

func TestFleetRefuses(t *testing.T) {
	ok := Fleet{Worker: Worker{5, 5, 1}, Concurrency: 1}
	for _, c := range []struct {
		f    Fleet
		rate float64
		n    int
	}{
		{Fleet{Worker: Worker{-1, 5, 1}, Concurrency: 1}, 1, 1},
		{Fleet{Worker: Worker{5, 5, math.NaN()}, Concurrency: 1}, 1, 1},
		{Fleet{Worker: ok.Worker}, 1, 1},
		{ok, 0, 1},
		{ok, math.Inf(1), 1},
		{ok, 1, 0},
		{ok, 1, MaxRequests + 1},
		{ok, 1e6, 1},
	} {
		if r, err := c.f.Simulate(c.rate, c.n, 0); err == nil {
			t.Errorf("%+v accepted: %+v", c, r)
		}
	}
}

func BenchmarkFleet(b *testing.B) {
	f := Fleet{Worker: Worker{5, 5, 1}, Concurrency: 1}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Simulate(0.5, 100_000, 0); err != nil {
			b.Fatal(err)
		}
	}
}
