package buying

import (
	"fmt"
	"math"
)

// Worker is one scale-to-zero worker that takes everything that arrives
// (batching) and is billed from the start of its cold start until it has been
// idle for the timeout. Requests arrive as a Poisson process.
type Worker struct {
	ColdStartSeconds   float64
	IdleTimeoutSeconds float64
	ServiceSeconds     float64 // of one request
}

func (w Worker) check() error {
	for _, q := range []struct {
		name  string
		value float64
	}{{"cold start", w.ColdStartSeconds}, {"idle timeout", w.IdleTimeoutSeconds}, {"service time", w.ServiceSeconds}} {
		if !(q.value >= 0) || math.IsInf(q.value, 1) {
			return fmt.Errorf("%s %g s must be a finite number of at least 0", q.name, q.value)
		}
	}
	return nil
}

// BilledShare is the share of the time the worker is billed: a cycle of
// alive = S + (exp(l (s + K)) - 1)/l seconds and then 1/l seconds of nothing.
func (w Worker) BilledShare(requestsPerSecond float64) float64 {
	x := w.aliveRequests(requestsPerSecond)
	if math.IsInf(x, 1) {
		return 1
	}
	return x / (1 + x)
}

// aliveRequests is l times the alive time of a cycle.
func (w Worker) aliveRequests(l float64) float64 {
	return l*w.ColdStartSeconds + math.Expm1(l*(w.ServiceSeconds+w.IdleTimeoutSeconds))
}

// ColdShare is the share of requests that find the worker away or starting:
// (1 + l S) / (l S + exp(l (s + K))).
func (w Worker) ColdShare(requestsPerSecond float64) float64 {
	s := requestsPerSecond * w.ColdStartSeconds
	return (1 + s) / (s + math.Exp(requestsPerSecond*(w.ServiceSeconds+w.IdleTimeoutSeconds)))
}

// BreakEvenRequestsPerSecond is the arrival rate at which the worker is billed
// the given share of the time, which is where a resident GPU costs the same if
// the share is [BreakEvenBusy]. False when the share is 1 or more (the resident
// GPU never wins on price) or not above 0 (it always does).
func (w Worker) BreakEvenRequestsPerSecond(billedShare float64) (float64, bool) {
	if !(billedShare > 0 && billedShare < 1) || w.check() != nil || w.aliveRequests(1) == 0 {
		return 0, false
	}
	want := billedShare / (1 - billedShare)
	lo, hi := 0.0, 1.0
	for w.aliveRequests(hi) < want {
		lo, hi = hi, 2*hi
		if hi > 1e15 {
			return 0, false
		}
	}
	for range 200 {
		mid := (lo + hi) / 2
		if w.aliveRequests(mid) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2, true
}

// BreakEvenBusy is the busy share from which a resident GPU is cheaper:
// dedicated per hour / (3600 x serverless per second). Above 1 it never is.
func BreakEvenBusy(dedicatedPerHour, serverlessPerSecond float64) (float64, bool) {
	return ratio(dedicatedPerHour, 3600*serverlessPerSecond)
}

// BreakEvenRequestsPerDay is the number of requests a day at which serverless,
// billed that many seconds each, costs what the resident GPUs do.
func BreakEvenRequestsPerDay(dedicatedPerHour float64, gpus, serverlessPerSecond, billedSeconds float64) (float64, bool) {
	return ratio(24*dedicatedPerHour*gpus, serverlessPerSecond*billedSeconds)
}

// BreakEvenSecondsPerRequest is the billed GPU-seconds per request at which
// serverless costs what the resident GPUs do, at the given requests a day. It is
// the input that decides: a number of requests alone has no answer.
func BreakEvenSecondsPerRequest(dedicatedPerHour float64, gpus, serverlessPerSecond, requestsPerDay float64) (float64, bool) {
	return ratio(24*dedicatedPerHour*gpus, serverlessPerSecond*requestsPerDay)
}

// ServerlessSaving is the share serverless saves against the resident GPUs;
// negative when it costs more.
func ServerlessSaving(requestsPerDay, billedSeconds, serverlessPerSecond, dedicatedPerHour, gpus float64) (float64, bool) {
	s, ok := ratio(requestsPerDay*billedSeconds*serverlessPerSecond, 24*dedicatedPerHour*gpus)
	return 1 - s, ok
}

// Metering is how a platform rounds what it bills.
type Metering struct {
	IncrementSeconds float64 // rounded up to whole increments; 0: not rounded
	MinimumSeconds   float64
}

// Billed is what the given seconds are billed as.
func (m Metering) Billed(seconds float64) float64 {
	s := math.Max(seconds, m.MinimumSeconds)
	if m.IncrementSeconds <= 0 {
		return s
	}
	return math.Ceil(s/m.IncrementSeconds-1e-9) * m.IncrementSeconds
}

// AloneSeconds is the mean billed time of a request that never meets another:
// execution, the whole idle timeout, and a cold start for the given share.
func (w Worker) AloneSeconds(m Metering, coldShare float64) float64 {
	warm := w.ServiceSeconds + w.IdleTimeoutSeconds
	return coldShare*m.Billed(w.ColdStartSeconds+warm) + (1-coldShare)*m.Billed(warm)
}

// BatchSeconds is the GPU time per request of a batch: the first request takes
// the full service time, each further one adds the given share of it (0: free
// batching, 1: none).
func BatchSeconds(serviceSeconds float64, size int, addedShare float64) (float64, error) {
	if size < 1 || !(addedShare >= 0 && addedShare <= 1) {
		return 0, fmt.Errorf("batch of %d must be at least 1 and its added share %g between 0 and 1", size, addedShare)
	}
	return serviceSeconds * (1 + addedShare*float64(size-1)) / float64(size), nil
}

// CurvePoint is one volume on the curve of serverless against a resident GPU.
type CurvePoint struct {
	RequestsPerDay   float64
	ServerlessPerDay float64
	ResidentPerDay   float64
	Saving           float64 // of serverless against resident; may be negative
	ColdShare        float64
	BilledShare      float64 // of the day
}

// Curve is the cost and cold-start share of one batching worker over volumes.
func (w Worker) Curve(serverlessPerSecond, dedicatedPerHour float64, requestsPerDay []float64) ([]CurvePoint, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	if !(dedicatedPerHour > 0 && serverlessPerSecond >= 0) {
		return nil, fmt.Errorf("costs must not be negative and the resident GPU not free")
	}
	out := make([]CurvePoint, len(requestsPerDay))
	for i, n := range requestsPerDay {
		if !(n >= 0) || math.IsInf(n, 1) {
			return nil, fmt.Errorf("requests a day %g must be a finite number of at least 0", n)
		}
		p := CurvePoint{RequestsPerDay: n, ResidentPerDay: 24 * dedicatedPerHour}
		p.BilledShare, p.ColdShare = w.BilledShare(n/86400), w.ColdShare(n/86400)
		p.ServerlessPerDay = 86400 * p.BilledShare * serverlessPerSecond
		p.Saving = 1 - p.ServerlessPerDay/p.ResidentPerDay
		out[i] = p
	}
	return out, nil
}
