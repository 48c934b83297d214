package buying

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestWorker(t *testing.T) {
	for _, c := range []struct {
		w                  Worker
		rate, billed, cold float64
	}{
		{Worker{10, 5, 2}, 0.01, 0.1471274861977396, 0.9381597651824866},
		{Worker{5, 5, 1}, 0.5, 0.9557238774796033, 0.15496642882138834},
		{Worker{5, 5, 1}, 0, 0, 1},
		{Worker{0, 0, 2}, 0.01, 0.0198013266932447, 0.9801986733067554},
		{Worker{5, 5, 1}, 1e6, 1, 0}, // overflow is "always on, never cold"
	} {
		near(t, "billed", c.w.BilledShare(c.rate), c.billed, 1e-12)
		near(t, "cold", c.w.ColdShare(c.rate), c.cold, 1e-12)
	}
}

// The break-even arrival rate solves its own equation to 1e-9, and more requests
// are never billed for less time or colder.
func TestWorkerLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Worker{
			ColdStartSeconds:   rapid.Float64Range(0, 60).Draw(t, "cold start"),
			IdleTimeoutSeconds: rapid.Float64Range(0, 300).Draw(t, "timeout"),
			ServiceSeconds:     rapid.Float64Range(0.01, 30).Draw(t, "service"),
		}
		u := rapid.Float64Range(0.001, 0.999).Draw(t, "share")
		rate, ok := w.BreakEvenRequestsPerSecond(u)
		if !ok || math.Abs(w.BilledShare(rate)-u) > 1e-9 {
			t.Fatalf("%g at %g/s: billed %g (%v)", u, rate, w.BilledShare(rate), ok)
		}
		if w.BilledShare(rate*1.01) < w.BilledShare(rate) || w.ColdShare(rate*1.01) > w.ColdShare(rate) {
			t.Fatal("more requests, less time or colder")
		}
	})
	for _, u := range []float64{0, 1, 1.5, -1, math.NaN()} {
		if _, ok := (Worker{5, 5, 1}).BreakEvenRequestsPerSecond(u); ok {
			t.Errorf("a billed share of %g breaks even", u)
		}
	}
	if _, ok := (Worker{}).BreakEvenRequestsPerSecond(0.5); ok {
		t.Error("a worker that is never billed breaks even")
	}
}

// The review's "under 100,000 requests a day": with its own prices the threshold
// for one worker that keeps alive 5 s is about 5,000 a day.
func TestHonestThreshold(t *testing.T) {
	u, _ := BreakEvenBusy(1.79, 0.00116)
	near(t, "busy share", u, 0.428639846743295, 1e-12)
	w := Worker{ColdStartSeconds: 5, IdleTimeoutSeconds: 5, ServiceSeconds: 1}
	rate, _ := w.BreakEvenRequestsPerSecond(u)
	near(t, "requests a day", rate*86400, 5400, 200)
	curve, err := w.Curve(0.00116, 1.79, []float64{0, 1000, 5000, 10000, 50000})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 0.73, 0.04, -0.43, -1.27} {
		near(t, "saving", curve[i].Saving, want, 0.012)
	}
	near(t, "cold at 1,000 a day", curve[1].ColdShare, 0.94, 0.01)
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := w.Curve(1, 1, []float64{bad}); err == nil {
			t.Errorf("%g requests accepted", bad)
		}
	}
	if _, err := w.Curve(1, 0, nil); err == nil {
		t.Error("a free resident GPU accepted")
	}
	if _, err := (Worker{ServiceSeconds: -1}).Curve(1, 1, nil); err == nil {
		t.Error("negative service time accepted")
	}
}

func TestMetering(t *testing.T) {
	for _, c := range []struct{ inc, least, s, want float64 }{
		{1, 0, 5.2, 6}, {0.001, 0, 5.2, 5.2}, {1, 60, 5.2, 60}, {0, 0, 5.2, 5.2}, {60, 0, 60, 60},
	} {
		near(t, "billed", Metering{c.inc, c.least}.Billed(c.s), c.want, 1e-9)
	}
}

func TestBatchSeconds(t *testing.T) {
	for _, c := range []struct {
		size        int
		added, want float64
	}{{1, 1, 2}, {8, 1, 2}, {8, 0, 0.25}, {8, 0.1, 0.425}} {
		got, err := BatchSeconds(2, c.size, c.added)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "per request", got, c.want, 1e-12)
	}
	if _, err := BatchSeconds(2, 0, 0); err == nil {
		t.Error("empty batch accepted")
	}
}

func TestErlang(t *testing.T) {
	for _, c := range []struct {
		rate, service, target float64
		servers               int
		wait                  float64
	}{{2, 1, 0.5, 3, 0.4444444444444445}, {10, 0.5, 0.1, 7, 0.08103748729332198}, {0, 1, 0, 1, 0}} {
		n, w, err := ServersFor(c.rate, c.service, c.target)
		if err != nil || n != c.servers {
			t.Errorf("%+v: %d servers, %v", c, n, err)
		}
		near(t, "wait", w, c.wait, 1e-12)
		again, ok := MeanWait(n, c.rate, c.service)
		if !ok {
			t.Error("no wait")
		}
		near(t, "the same", again, w, 1e-12)
	}
	if _, ok := MeanWait(2, 2, 1); ok {
		t.Error("full servers keep up")
	}
	if n, _, err := ServersFor(5000, 2, 0.01); err != nil || n < 10000 {
		t.Errorf("a large load: %d, %v", n, err)
	}
	if _, _, err := ServersFor(1e9, 1, 1); err == nil {
		t.Error("a load beyond all servers accepted")
	}
	if _, _, err := ServersFor(1, 1, math.NaN()); err == nil {
		t.Error("NaN target accepted")
	}
}
