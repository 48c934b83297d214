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
	if in.Explain {
		r.Config.Explain = true
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
	{TP: 1, PP: 1}, {TP: 2, PP: 1}, {TP: 4, PP: 1}, {TP: 8, PP: 1},
	{TP: 8, PP: 2}, {TP: 8, PP: 4}, {TP: 8, PP: 8}, {TP: 8, PP: 16},
}

// fastest is the fastest layout that fits on the given GPUs, or the one that
// needs the least memory.
func (e *Estimator) fastest(in *Train, s *Shape) (best TrainResult, ok bool) {
	fixed := in.Layout.TP > 0 || in.Layout.PP > 0 || in.Sharding != ShardAuto
	if fixed {
		best = e.train(*in, s)
		return best, best.Memory.Fits
	}
	least := math.Inf(1)
	for _, l := range layouts {
		if l.TP*l.PP > in.GPUs || in.GPUs%(l.TP*l.PP) != 0 {
			continue
		}
		for _, sh := range [...]Sharding{ShardZeRO1, ShardZeRO3} {
			if sh == ShardZeRO3 && l.PP > 1 || in.GPUs == 1 && sh == ShardZeRO3 {
				continue
			}
			c := *in
			c.Layout.TP, c.Layout.PP, c.Sharding = l.TP, l.PP, sh
			r := e.train(c, s)
			switch {
			case r.Memory.Fits && (!ok || r.TokensPerSecondGPU.Mid > 1.02*best.TokensPerSecondGPU.Mid):
				best, ok = r, true
			case !r.Memory.Fits && !ok && r.Memory.NeededGB < least:
				best, least = r, r.Memory.NeededGB
			}
		}
		if ok && l.TP*l.PP >= 2 { // deeper divisions only cost more
			break
		}
	}
	return best, ok
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
