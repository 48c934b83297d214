package estimate

import "math"

// PlanTrain finds the smallest number of GPUs, up to maxGPUs, on which the
// run fits, and the fastest layout that fits there. GPUs set in the
// configuration are taken as they are; so is every part of the layout that is
// set. The result's Memory says why nothing fits when ok is false.
func (e *Estimator) PlanTrain(in *Train, maxGPUs int) (r TrainResult, ok bool) {
	s := NewShape(in.Model)
	c := *in
	c.Explain = false
	if c.GPUs > 0 {
		r, ok = e.fastest(&c, &s)
	} else {
		for n := 1; n <= max(maxGPUs, 1) && !ok; n = nextCount(n, c.PerNode) {
			c.GPUs = n
			r, ok = e.fastest(&c, &s)
		}
	}
	if in.Explain || !ok {
		r.Config.Explain = in.Explain
		r = e.train(r.Config, &s)
	}
	if !ok {
		r.Memory.Remedies = e.remedies(in, &s)
	}
	return r, ok
}

// nextCount doubles inside a machine and then adds machines.
func nextCount(n, perNode int) int {
	if perNode <= 0 {
		perNode = 8
	}
	switch {
	case n < perNode:
		return min(2*n, perNode)
	case n < 8*perNode:
		return n + perNode
	}
	return 2 * n
}

// layouts are the divisions tried, in the order of preference: sharding alone,
// then tensor parallelism inside the machine and a pipeline over machines.
var layouts = [...]Layout{
	{TP: 1, PP: 1},
	{TP: 2, PP: 1},
	{TP: 4, PP: 1},
	{TP: 8, PP: 1},
	{TP: 8, PP: 2},
	{TP: 8, PP: 4},
	{TP: 8, PP: 8},
	{TP: 8, PP: 16},
}

// maxMicroTokens bounds the tokens of a micro-batch that is searched for.
const maxMicroTokens = 65536

// fastest is the fastest layout that fits on the given GPUs, or the one that
// needs the least memory, without its rate. Recomputation and micro-batch are searched where
// they are open: for every recomputation the largest micro-batch that fits.
func (e *Estimator) fastest(in *Train, s *Shape) (best TrainResult, ok bool) {
	f := finder{e: e, s: s, in: in, least: math.Inf(1)}
	if in.Layout.TP > 0 || in.Layout.PP > 0 || in.Sharding != ShardAuto {
		f.try(in.Layout, in.Sharding)
		return f.result()
	}
	for _, l := range layouts {
		if l.TP*l.PP > in.GPUs || in.GPUs%(l.TP*l.PP) != 0 {
			continue
		}
		l.CP, l.EP, l.AttentionDP = in.Layout.CP, in.Layout.EP, in.Layout.AttentionDP
		f.try(l, ShardZeRO1)
		if in.GPUs > 1 && l.PP == 1 {
			f.try(l, ShardZeRO3)
		}
		if f.found && l.TP*l.PP >= 8 { // deeper divisions only cost more
			break
		}
	}
	return f.result()
}

// finder keeps the fastest configuration that fits and the one nearest to it.
type finder struct {
	e           *Estimator
	s           *Shape
	in          *Train
	best, close Train
	memory      Memory // of the best, else of the nearest
	rate, least float64
	found       bool
	physics     Physics // of the last one
	factors     looked
}

func (f *finder) try(l Layout, sh Sharding) {
	c := *f.in
	c.Layout, c.Sharding = l, sh
	levels := [...]Recompute{RecomputeNone, RecomputeSelective, RecomputeFull}
	for _, r := range levels {
		if c.Recompute = f.in.Recompute; c.Recompute == RecomputeAuto {
			c.Recompute = r
		}
		f.grow(c)
		if f.in.Recompute != RecomputeAuto {
			break
		}
	}
}

// grow takes the largest micro-batch that fits, doubling from one sequence.
func (f *finder) grow(c Train) {
	fixed := f.in.MicroBatch > 0
	fit, mem := c, Memory{}
	for mb := 1.0; ; mb *= 2 {
		t := c
		if !fixed {
			t.MicroBatch = mb
		}
		t.Resolve(f.s)
		m := trainMemory(&t, f.s)
		if !m.Fits {
			if !mem.Fits && !f.found && m.NeededGB < f.least {
				f.close, f.memory, f.least = t, m, m.NeededGB
			}
			break
		}
		fit, mem = t, m
		dp := float64(t.GPUs) / float64(t.Layout.TP*t.Layout.PP*t.Layout.CP)
		if fixed || 2*mb*t.Sequence > maxMicroTokens || f.in.GlobalBatch > 0 && 2*mb*dp > f.in.GlobalBatch {
			break
		}
	}
	if !mem.Fits {
		return
	}
	TrainPhysics(&fit, f.s, &f.physics)
	scales := f.factors.scales(f.e.cal.Train, &f.physics)
	if rate := math.Exp(-scales.LogTime(&f.physics)); rate > f.rate {
		f.best, f.memory, f.rate, f.found = fit, mem, rate, true
	}
}

func (f *finder) result() (TrainResult, bool) {
	switch {
	case f.found:
		return f.e.trained(&f.best, f.s, f.memory, f.rate), true
	case f.close.Model == nil:
		return f.e.train(*f.in, f.s), false
	}
	f.memory.say()
	return TrainResult{Config: f.close, Memory: f.memory, Unit: "token"}, false
}

// remedies tries what a user can change, cheapest first.
func (e *Estimator) remedies(in *Train, s *Shape) []string {
	var out []string
	try := func(what string, change func(*Train)) {
		c := *in
		c.Explain = false
		change(&c)
		if c.GPUs == 0 {
			c.GPUs = 1
		}
		if _, ok := e.fastest(&c, s); ok {
			out = append(out, what)
		}
	}
	try("micro-batch 1 with full recomputation", func(c *Train) { c.MicroBatch, c.Recompute = 1, RecomputeFull })
	if !in.frozen() {
		try("an 8-bit optimiser", func(c *Train) { c.Optimizer, c.MicroBatch, c.Recompute = AdamW8bit, 1, RecomputeFull })
		try("optimiser states in host memory", func(c *Train) { c.Offload, c.MicroBatch, c.Recompute = true, 1, RecomputeFull })
		try("LoRA instead of full fine-tuning", func(c *Train) { c.Method = LoRA })
	}
	if in.Method != QLoRA {
		try("QLoRA", func(c *Train) { c.Method = QLoRA })
	}
	for n := max(in.GPUs, 1); n <= 4096; n = nextCount(n, in.PerNode) {
		c := *in
		c.Explain = false
		c.GPUs = n
		if r, ok := e.fastest(&c, s); ok && n > max(in.GPUs, 1) {
			out = append(out, gpuCount(r.Config.GPUs)+" of the same kind")
			break
		}
	}
	return out
}

func gpuCount(n int) string { return itoa(n) + " GPUs" }
