package estimate

import (
	"fmt"
	"math"
	"slices"
)

// placeTrain finds the fewest machines on which a run fits and, with a
// deadline, ends in time.
func (j *job) placeTrain(e *Estimator, p *placement) {
	c := j.train
	c.GPU = p.gpu
	if j.perGPU > 0 && j.model == nil {
		j.placeMeasured(p)
		return
	}
	late := int64(0) // the most machines known to be too slow
	for n, tries := j.firstMachines(p), 0; ; tries++ {
		t := *p
		t.bad = nil
		r, last, ok := j.tryTrain(e, &t, &c, n)
		if t.bad == nil {
			j.fewer(e, &t, &c, &r, late, n)
			*p = t
			j.explainTrain(e, p, &r)
			return
		}
		next := nextMachines(n)
		if ok { // as many as the time needs, at least
			late = n
			next = max(next, atLeast(int64(math.Ceil(float64(n)**t.bad.Needed/j.deadline))))
		}
		p.bad, p.loads = t.bad, t.loads
		if last || j.machines > 0 || next > mostMachines || tries > 24 || !ok && n >= 64 {
			return
		}
		if p.per > 0 && !p.fast() {
			if !ok && p.bad.Code == "memory" {
				p.alone(&r.Memory)
			}
			return
		}
		n = next
	}
}

// placeMeasured uses the rate that the user measured of a model that is not
// stated: it fits where it was measured.
func (j *job) placeMeasured(p *placement) {
	p.rate, p.basis = &Band{j.perGPU, j.perGPU, j.perGPU}, "stated: measured by the user"
	n := j.firstMachines(p)
	for range 2 {
		gpus, last := j.gpusOf(p, n)
		t := *p
		t.bad = nil
		j.finishTrain(&t, n, gpus, 1)
		*p = t
		if p.bad == nil || p.bad.Needed == nil || last || j.machines > 0 || !p.fast() {
			return
		}
		n = int64(math.Ceil(float64(n) * *p.bad.Needed / j.deadline))
	}
}

// tryTrain puts the run on n machines. ok says that it fits.
func (j *job) tryTrain(e *Estimator, p *placement, c *Train, n int64) (r TrainResult, last, ok bool) {
	gpus, last := j.gpusOf(p, n)
	p.loads[1].used = gpus
	if n > 1 && p.per > 0 && !p.fast() {
		p.refuse("network", fmt.Sprintf("no fast link: %d machines of %d cannot work on one run", n, p.per), nil, nil, "")
		return r, true, false
	}
	c.GPUs, c.PerNode, c.Network = int(gpus), int(max(p.per, min(gpus, 8))), Network{}
	if oneRack := p.rack() && gpus <= int64(DomainGPUs(p.gpu)); n > 1 && p.per > 0 && !oneRack {
		c.Network = p.net
	}
	if p.rack() {
		c.PerNode = 0
	}
	if r, ok = e.fastest(c, &j.shape); !ok {
		j.refuseMemory(p, &r.Memory)
		return r, last, false
	}
	p.useTrain(j, &r)
	j.finishTrain(p, n, gpus, r.Goodput)
	return r, last, true
}

// fewer looks between a number of machines that is too slow and one that is
// not for the fewest that end in time.
func (j *job) fewer(e *Estimator, p *placement, c *Train, r *TrainResult, late, n int64) {
	if late == 0 {
		return
	}
	for range 4 {
		mid := (late + n) / 2
		if mid <= late || mid >= n {
			return
		}
		t := *p
		if x, _, ok := j.tryTrain(e, &t, c, mid); ok && t.bad == nil {
			*p, *r, n = t, x, mid
		} else {
			late = mid
		}
	}
}

// alone says that more machines would not help without a network.
func (p *placement) alone(m *Memory) {
	p.bad.Reason = m.Why + "; no fast link joins several machines of this size"
}

func (j *job) refuseMemory(p *placement, m *Memory) {
	needed, have := round2(m.NeededGB), round2(m.AvailableGB)
	p.refuse("memory", m.Why, &needed, &have, "GB")
	p.memory = m
}

func round2(x float64) float64 { return math.Round(x*100) / 100 }

// firstMachines is the number of machines that is asked for, or one.
func (j *job) firstMachines(p *placement) int64 {
	switch {
	case j.gpus > 0 && p.per > 0:
		return (int64(j.gpus) + p.per - 1) / p.per
	case j.machines > 0:
		return int64(j.machines)
	}
	return 1
}

// gpusOf is the number of GPUs in use on n machines, and whether no other
// number may be tried. Machines of no stated size are taken to have 1, 2, 4 or
// 8 GPUs.
func (j *job) gpusOf(p *placement, n int64) (gpus int64, last bool) {
	switch {
	case j.gpus > 0:
		return int64(j.gpus), true
	case p.per > 0:
		return n * p.per, false
	}
	gpus = 1
	for k := int64(1); k < n && gpus < 8; k = nextMachines(k) {
		gpus *= 2
	}
	return gpus, gpus >= 8
}

func (p *placement) useTrain(j *job, r *TrainResult) {
	mem := r.Memory
	p.memory, p.class, p.mfu = &mem, r.Class, r.MFU
	b := r.TokensPerSecondGPU
	if j.perGPU > 0 {
		b = Band{j.perGPU, j.perGPU, j.perGPU}
		p.basis = "stated: measured by the user"
	}
	p.rate = &b
}

// finishTrain works out the hours of a run and refuses too many.
func (j *job) finishTrain(p *placement, machines, gpus int64, goodput float64) {
	if j.goodput > 0 {
		goodput = j.goodput
	}
	p.goodput = goodput
	at := func(rate float64) float64 { return j.units / (rate * float64(gpus) * goodput * 3600) }
	low, mid, high := at(p.rate.High), at(p.rate.Mid), at(p.rate.Low)
	if p.per == 0 { // the seller's machine has what is needed
		machines = 1
	}
	if start := j.starts * j.startSeconds() / 3600; j.deadline > 0 && mid+start > j.deadline {
		p.loads[1].used = gpus
		p.late(mid+start, j.deadline)
		return
	}
	p.set(gpus, machines, low, mid, high)
	if p.per == 0 {
		p.per = gpus
	}
	for i, h := range [3]float64{low, mid, high} {
		p.work[i] = h * goodput * float64(gpus)
	}
}

// explainTrain lists what was chosen and what the rate rests on.
func (j *job) explainTrain(e *Estimator, p *placement, r *TrainResult) {
	c := r.Config
	given := j.train
	given.GPUs = j.gpus
	chosen := c.Assumptions(&given)
	if p.loads[1].machines == 1 { // nothing crosses a network
		chosen = slices.DeleteFunc(chosen, func(a Assumption) bool { return a.Name == "network" })
	}
	p.chosen(chosen, "train.")
	if j.goodput == 0 {
		p.assumed = append(p.assumed, Assumed{"train.goodput", fmt.Sprintf("%.4g", p.goodput), "", "default", "interruptions of large runs (Llama 3.1)"})
	}
	p.assumed = append(p.assumed, Assumed{"train.tokens_per_second_per_gpu", fmt.Sprintf("%.5g", p.rate.Mid), unitPerSecond(j.unit), "calibrated", "data/calibration.yaml"})
	if p.basis != "" {
		return
	}
	p.nearest = e.nearest("training", j.shape.Arch, c.GPU, string(c.Method), p.rate.Mid)
	p.basis = basis(r.Class, j.shape.Arch, c.GPU, p.nearest)
	p.explain = func() []Factor {
		c.Explain = true
		return e.Train(&c).Factors
	}
}

func unitPerSecond(unit string) string {
	if unit == "images" {
		return "images/s"
	}
	return "tokens/s"
}

func (p *placement) chosen(as []Assumption, prefix string) {
	p.assumed = slices.Grow(p.assumed, len(as)+2)
	for _, a := range as {
		p.assumed = append(p.assumed, Assumed{prefix + a.Name, a.Value, a.Unit, a.Origin, a.Source})
	}
}
