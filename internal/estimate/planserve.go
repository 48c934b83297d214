package estimate

import (
	"fmt"
	"math"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Default latency targets where none is stated.
const (
	DefaultMaxTTFTms = 2000
	DefaultMaxTPOTms = 100
)

// replicaSizes are the GPU counts tried for one replica.
var replicaSizes = [...]int{1, 2, 4, 8, 16, 32}

// PlanServe finds the replica that carries the demand with the fewest GPUs:
// its size, the concurrency at which it meets the latency targets, and how
// many of them the peak needs. GPUs set in the configuration fix the size.
func (e *Estimator) PlanServe(in *Serve, d Demand) ServePlan {
	s := NewShape(in.Model)
	if d.MaxTTFTms <= 0 {
		d.MaxTTFTms = DefaultMaxTTFTms
	}
	if d.MaxTPOTms <= 0 {
		d.MaxTPOTms = DefaultMaxTPOTms
	}
	d.PeakFactor = math.Max(1, d.PeakFactor)
	if d.Utilisation <= 0 || d.Utilisation > 1 {
		d.Utilisation = 0.8
	}
	var best ServePlan
	var factors served
	for _, n := range replicaSizes {
		c := *in
		c.Explain = false
		if in.GPUs > 0 {
			n = in.GPUs
		}
		c.GPUs = n
		p := e.replica(&c, &s, &d, &factors)
		better := p.Feasible && (!best.Feasible || p.GPUs < best.GPUs)
		if better || !best.Feasible && best.Why == "" {
			best = p
		}
		if in.GPUs > 0 {
			break
		}
	}
	if in.Explain && best.Replica.Config.Model != nil {
		c := best.Replica.Config
		c.Explain = true
		best.Replica = e.serve(c, &s, &factors)
	}
	return best
}

// replica sizes one replica: the largest concurrency whose times meet the
// targets (times grow with concurrency), and the count for the peak.
func (e *Estimator) replica(c *Serve, s *Shape, d *Demand, f *served) ServePlan {
	c.Resolve(s)
	limit := math.Floor(c.BatchLimit(s))
	if limit < 1 {
		c.Concurrency = 1
		r := e.serve(*c, s, f)
		return ServePlan{Replica: r, Why: r.Memory.Why}
	}
	var l load
	l.of(e, c, s, f)
	meets := func(b float64) (ServeResult, bool) {
		r := l.at(b)
		return r, r.TPOTms.Mid <= d.MaxTPOTms && r.TTFTms.Mid <= d.MaxTTFTms
	}
	r, ok := meets(1)
	if !ok {
		return ServePlan{Replica: r, Why: fmt.Sprintf("latency: one request alone takes %.0f ms to the first token and %.1f ms per token; targets are %.0f and %.1f",
			r.TTFTms.Mid, r.TPOTms.Mid, d.MaxTTFTms, d.MaxTPOTms)}
	}
	lo, hi := 1.0, limit+1
	for hi-lo > math.Max(1, lo/32) {
		mid := math.Floor((lo + hi) / 2)
		if t, ok := meets(mid); ok {
			lo, r = mid, t
		} else {
			hi = mid
		}
	}
	l.finish(&r, f)
	p := ServePlan{Replica: r, Feasible: true}
	p.RequestsPerSecond = r.TokensPerSecondGPU.Mid * float64(c.GPUs) / math.Max(1, r.Config.OutputTokens)
	peak := d.RequestsPerSecond * d.PeakFactor
	p.Replicas = max(1, int(math.Ceil(peak/(p.RequestsPerSecond*d.Utilisation)-1e-9)))
	p.GPUs = p.Replicas * c.GPUs
	p.Busy = d.RequestsPerSecond / (p.RequestsPerSecond * float64(p.Replicas))
	return p
}
