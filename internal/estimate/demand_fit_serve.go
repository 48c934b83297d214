package estimate

import (
	"fmt"
	"math"

	"github.com/gpucost/gpucost/internal/catalog"
)

// placeBatch runs a set of requests on the fewest machines that hold the
// model.
func (j *job) placeBatch(e *Estimator, p *placement) {
	c := j.serve
	c.GPU = p.gpu
	if j.factors == nil {
		j.factors = new(served)
	}
	for n := j.firstMachines(p); ; n = nextMachines(n) {
		gpus, last := j.gpusOf(p, n)
		c.GPUs = int(gpus)
		r := e.serve(c, &j.shape, j.factors)
		p.loads[1].used = gpus
		if !fits(&r, &j.shape) || !(r.TokensPerSecondGPU.Mid > 0) {
			j.refuseMemory(p, &r.Memory)
			if last || j.machines > 0 || n >= 4 {
				return
			}
			if p.per > 0 && !p.fast() {
				p.alone(&r.Memory)
				return
			}
			p.bad = nil
			continue
		}
		b := r.TokensPerSecondGPU
		p.memory, p.rate, p.class, p.single = filled(&r), &b, r.Class, r.SingleStream
		machines := n
		if p.per == 0 {
			p.per, machines = gpus, 1
		}
		if j.deadline > 0 { // requests are independent: any number of such groups
			each := j.units/(b.Mid*float64(gpus)*3600) + j.starts*j.startSeconds()/3600
			if work := j.deadline - j.starts*j.startSeconds()/3600; each > j.deadline {
				groups := int64(math.Ceil(j.units / (b.Mid * float64(gpus) * 3600 * work)))
				if work <= 0 || last || j.machines > 0 || groups*machines > mostMachines {
					p.late(each, j.deadline)
					return
				}
				machines, gpus = machines*groups, gpus*groups
			}
		}
		at := func(rate float64) float64 { return j.units / (rate * float64(gpus) * 3600) }
		p.set(gpus, machines, at(b.High), at(b.Mid), at(b.Low))
		for i, rate := range [3]float64{b.High, b.Mid, b.Low} {
			p.work[i] = at(rate) * float64(gpus)
		}
		j.explainServe(e, p, &r, "batch.")
		return
	}
}

// fits reports whether a replica holds its weights and at least one sequence;
// how many more it holds decides its speed, not whether it works.
func fits(r *ServeResult, s *Shape) bool {
	m := ServeMemory(&r.Config, s, 1)
	return m.Fits && r.BatchLimit >= 1
}

// filled is the memory of a replica whose cache takes what is left.
func filled(r *ServeResult) *Memory {
	m := r.Memory
	if over := m.NeededGB - m.AvailableGB; over > 0 && m.Parts.KVCache > over {
		m.NeededGB, m.Parts.KVCache = m.AvailableGB, m.Parts.KVCache-over
	}
	return &m
}

// explainServe lists what was chosen and what the rate rests on.
func (j *job) explainServe(e *Estimator, p *placement, r *ServeResult, prefix string) {
	c := r.Config
	p.chosen(c.Assumptions(&j.serve), prefix)
	p.assumed = append(p.assumed, Assumed{prefix + "tokens_per_second_per_gpu", fmt.Sprintf("%.5g", p.rate.Mid), unitPerSecond(j.unit), "calibrated", "data/calibration.yaml"})
	kind := bandKind(c.Mode)
	if j.shape.Diffusion {
		kind = "image"
	}
	p.nearest = e.nearest(kind, j.shape.Arch, c.GPU, string(c.Mode), p.rate.Mid)
	p.basis = basis(r.Class, j.shape.Arch, c.GPU, p.nearest)
	p.explain = func() []Factor {
		c.Explain = true
		return e.Serve(&c).Factors
	}
}

// replicaGPUs are the sizes of a replica that are tried.
var replicaGPUs = [...]int64{1, 2, 4, 8, 16}

// placeServe finds the replica size that carries the peak on the fewest
// machines.
func (j *job) placeServe(e *Estimator, p *placement) {
	c := j.serve
	c.GPU = p.gpu
	if j.model == nil {
		p.refuse("specification", "neither a model nor GPU-seconds per request nor a measured rate is stated", nil, nil, "")
		return
	}
	if j.shape.Diffusion {
		c.Mode = Server
		r := e.Serve(&c)
		b := r.TokensPerSecondGPU
		p.memory, p.rate, p.class = &r.Memory, &b, r.Class
		j.carry(p, 1, b.Mid, &Band{b.Low / b.Mid, 1, b.High / b.Mid})
		j.explainServe(e, p, &r, "serve.")
		return
	}
	var best *placement
	var plan *ServePlan
	var why ServePlan
	for _, n := range replicaGPUs {
		if n > max(p.per, 8) && !p.fast() || p.per > 0 && n > p.per && !p.fast() || p.per == 0 && n > 8 || j.gpus > 0 && n > int64(j.gpus) {
			continue
		}
		if n > 8 && best != nil { // several machines only where one does not hold a replica
			break
		}
		c.GPUs = int(n)
		s := j.plan(e, &c)
		if !s.Feasible {
			why = *s
			continue
		}
		t := *p
		b := s.Replica.TokensPerSecondGPU
		t.rate = &b
		j.carry(&t, n, s.RequestsPerSecond, &Band{b.Low / b.Mid, 1, b.High / b.Mid})
		switch {
		case best == nil, t.bad == nil && best.bad != nil:
			best, plan = &t, s
		case t.bad != nil:
		case t.smaller(best, 1):
			t.least(best)
			best, plan = &t, s
		default:
			best.least(&t)
		}
	}
	if best == nil {
		r := &why.Replica
		p.loads[1].used = int64(max(r.Config.GPUs, 1))
		if r.Config.Model != nil && !r.Memory.Fits {
			j.refuseMemory(p, &r.Memory)
			if p.per > 0 && !p.fast() {
				p.alone(&r.Memory)
			}
			return
		}
		need, have := round2(r.TPOTms.Mid), j.demand.MaxTPOTms
		if r.TTFTms.Mid > j.demand.MaxTTFTms {
			need, have = round2(r.TTFTms.Mid), j.demand.MaxTTFTms
		}
		p.refuse("latency", why.Why, &need, &have, "ms")
		return
	}
	*p = *best
	if p.bad != nil {
		return
	}
	r := &plan.Replica
	p.memory, p.class, p.single, p.ttft, p.tpot = filled(r), r.Class, r.SingleStream, &r.TTFTms, &r.TPOTms
	j.explainServe(e, p, r, "serve.")
}

// least takes the cases in which another replica size needs less: whoever runs
// the service would take that one.
func (p *placement) least(o *placement) {
	for _, i := range [...]int{0, 2} {
		if o.smaller(p, i) {
			p.loads[i] = held{o.loads[i].machines * o.per / p.per, o.loads[i].used, o.loads[i].ms}
			if p.loads[i].machines*p.per < o.loads[i].machines*o.per {
				p.loads[i].machines++
			}
		}
	}
	for i := range p.loads { // fast is never dearer than slow
		p.loads[0].machines = min(p.loads[0].machines, p.loads[i].machines)
		p.loads[2].machines = max(p.loads[2].machines, p.loads[i].machines)
	}
}

// carry works out how many machines the peak needs when one replica of n GPUs
// carries capacity requests per second (output tokens per second where only
// those are known) in the middle case, and spread times that in the others.
func (j *job) carry(p *placement, n int64, capacity float64, spread *Band) {
	mean := j.demand.RequestsPerSecond
	if p.perSec > 0 { // a machine's measured tokens
		n = p.per
		mean = j.units / (3600 * j.hours)
	}
	share := int64(1) // replicas of a machine
	each := int64(1)  // machines of a replica
	switch {
	case p.per == 0:
		p.per = n
	case n <= p.per:
		share = p.per / n
	default:
		each = n / p.per
	}
	if j.rateAlone {
		j.units = j.demand.Utilisation * capacity * 3600 * j.hours
		mean = j.demand.Utilisation * capacity
	}
	peak := mean * j.demand.PeakFactor
	if j.rateAlone {
		peak = mean
	}
	need := func(f, demand float64) int64 {
		r := math.Ceil(demand/(capacity*f*j.demand.Utilisation) - 1e-9)
		return max(int64(j.minimum), int64(math.Min(r, 1e9)), 1)
	}
	machines := func(replicas int64) int64 {
		if each > 1 {
			return replicas * each
		}
		return (replicas + share - 1) / share
	}
	fixed := int64(j.machines)
	if j.gpus > 0 {
		fixed = max(1, int64(j.gpus)/p.per)
	}
	for i, f := range [3]float64{spread.High, 1, spread.Low} {
		r := need(f, peak)
		m := machines(r)
		if fixed > 0 {
			r, m = min(r, fixed*share/each), fixed
		}
		p.loads[i] = held{m, min(r*n, m*p.per), millis(j.hours)}
		p.work[i] = math.Min(mean/(capacity*f), float64(r)) * float64(n) * j.hours
	}
	p.replicas = need(1, peak)
	p.busy = mean / (capacity * float64(p.replicas))
	p.after = machines(need(1, peak*j.after))
	if fixed > 0 {
		have := float64(fixed*share/max(each, 1)) * capacity * j.demand.Utilisation
		if peak > have*(1+1e-9) {
			j.overCapacity(p, fixed, machines(p.replicas), mean/capacity*float64(n)*j.hours, peak/have)
		}
	}
	if p.loads[2].machines > mostMachines {
		p.refuse("capacity", fmt.Sprintf("over capacity: %d machines would be needed", p.loads[2].machines), nil, nil, "")
	}
}

// overCapacity refuses work that the stated machines cannot do, with the load
// and the number that could.
func (j *job) overCapacity(p *placement, have, need int64, gpuHours, load float64) {
	rented := float64(have*p.per) * j.hours
	p.loads[1].used = have * p.per
	p.refuse("capacity", fmt.Sprintf("over capacity: %.1f %% of what %d machines can do (%.1f GPU-hours of work, %.0f rented); %d machines carry it at %.1f %%",
		100*load, have, gpuHours, rented, need, 100*load*float64(have)/float64(need)), &gpuHours, &rented, "GPU-hours")
	p.bad.Remedies = []string{fmt.Sprintf("%d machines", need)}
}

// plan is a replica of so many GPUs, worked out once for machines of every size.
func (j *job) plan(e *Estimator, c *Serve) *ServePlan {
	k := planKey{c.GPU, c.GPUs}
	p := j.plans[k]
	if p == nil {
		s := e.PlanServe(c, j.demand)
		p = &s
		if j.plans == nil {
			j.plans = map[planKey]*ServePlan{}
		}
		j.plans[k] = p
	}
	return p
}

type planKey struct {
	gpu  *catalog.GPU
	gpus int
}

// smaller reports whether a case needs less hardware than another placement's.
func (p *placement) smaller(o *placement, i int) bool {
	a, b := p.loads[i], o.loads[i]
	return a.machines*p.per < b.machines*o.per || a.machines*p.per == b.machines*o.per && a.used < b.used
}
