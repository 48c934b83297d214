package estimate

import (
	"math"
	"strings"
)

// The terms of a training step, per token and GPU.
const (
	tLinear    = iota // matrix products of the parameters
	tAttn             // attention scores and values
	tMemory           // elementwise traffic through memory
	tExpert           // all-to-all of a mixture of experts, fast link
	tExpertNet        // the same between machines
	tShard            // gathering and reducing parameters over the data-parallel GPUs
	tExposed          // the part of it that is longer than the compute it could hide behind
	tTensor           // all-reduces of tensor parallelism
	tLaunch           // fixed cost per layer and micro-batch
	tOptim            // reading and writing optimiser states
	tBubble           // idle stages of a pipeline
	trainTerm         // number of terms
)

var trainTermNames = [...]string{
	"parameter matrix products", "attention", "elementwise memory traffic", "expert all-to-all in the machine", "expert all-to-all between machines",
	"parameter gather and reduce", "gather that compute cannot hide", "tensor-parallel all-reduce", "kernel launches", "optimiser step", "pipeline bubble",
}

// TrainTermName is what a term of training time stands for.
func TrainTermName(i int) string { return trainTermNames[i] }

// passes is how often activations travel through a layer: forward and twice
// backward; frozen weights need 2.2 (no weight gradients, small adapters).
func passes(m Method) float64 {
	if m == LoRA || m == QLoRA {
		return 2.2
	}
	return 3
}

// flopFactor is FLOP per parameter and token: 6 (Kaplan 2020), 4 with frozen
// weights, which need no weight gradient.
func flopFactor(m Method) float64 {
	if m == LoRA || m == QLoRA {
		return 4
	}
	return 6
}

// recomputeFactor is the share of extra matrix work of recomputation: a full
// one repeats the forward pass (2 of 6, or of 4 with frozen weights).
func recomputeFactor(r Recompute, m Method) float64 {
	switch r {
	case RecomputeFull:
		return 1 + 2/flopFactor(m)
	case RecomputeSelective:
		return 1 + 0.1/flopFactor(m)
	}
	return 1
}

// TrainPhysics works out the terms and features of a training configuration
// whose choices are filled in (see [Train.Resolve]).
func TrainPhysics(c *Train, s *Shape, p *Physics) {
	p.reset()
	peak := Achievable(c.GPU, c.Precision) * 1e12
	bf16 := Achievable(c.GPU, BF16) * 1e12
	bw := c.GPU.BandwidthGBs * 1e9
	link := linkGBs(c.GPU) * 1e9
	n := float64(max(c.GPUs, 1))
	rec := recomputeFactor(c.Recompute, c.Method)
	ps := passes(c.Method) * rec
	tp, pp := float64(max(c.Layout.TP, 1)), float64(max(c.Layout.PP, 1))
	cp := float64(max(c.Layout.CP, 1))
	dp := math.Max(1, n/(tp*pp*cp))
	tok := c.MicroBatch * c.Sequence / cp // tokens per GPU group and micro-step
	micro := c.microBatches(dp)

	p.Terms[tLinear] = flopFactor(c.Method) * s.Linear * rec / peak
	if s.Diffusion {
		p.Terms[tLinear] = flopFactor(c.Method) / 2 * s.ImageFLOP * rec / peak
	} else {
		p.Terms[tAttn] = 3 * s.AttnFLOP(c.Sequence) * rec / bf16
		p.Terms[tMemory] = ps * 40 * s.Hidden * 2 * s.Layers / bw
		p.Terms[tTensor] = s.Layers * 16 * s.Hidden * (tp - 1) / link * rec
		p.Terms[tLaunch] = tp * cp * s.Layers * 150e-6 * ps / 3 / tok
	}
	if s.MoE {
		c.expertTerms(s, p)
	}
	p.Floor = p.Terms[tLinear] // the best measured product is never beaten
	c.shardTerms(s, p, dp, tp*pp, tok, micro)
	busy := 0.0
	for i := range tShard {
		busy += p.Terms[i]
	}
	p.Terms[tExposed] = math.Max(0, p.Terms[tShard]-busy)
	if pp > 1 {
		v := float64(max(c.Layout.Virtual, 1))
		p.Terms[tBubble] = (busy + p.Terms[tTensor]) * (pp - 1) / (v * micro)
	}
	c.features(s, p, n, tok)
}

// expertTerms adds the all-to-all of a mixture of experts: every token's
// hidden state goes to k experts and back, forward and backward. Between
// machines it is sent once per machine, not once per expert.
func (c *Train) expertTerms(s *Shape, p *Physics) {
	if c.Layout.EP <= 1 {
		return
	}
	one := 4 * 2 * s.ExpertDim * s.Layers
	domain := float64(DomainGPUs(c.GPU))
	ep := float64(c.Layout.EP)
	p.Terms[tExpert] = one * s.PerToken * math.Min(ep, domain) / ep / (linkGBs(c.GPU) * 1e9)
	if machines := math.Ceil(ep / domain); machines > 1 {
		p.Terms[tExpertNet] = one * math.Min(s.PerToken, machines-1) / (c.Network.GBsPerGPU * 1e9)
	}
}

// microBatches is the number of micro-batches of an optimiser step.
func (c *Train) microBatches(dp float64) float64 {
	return math.Max(1, c.GlobalBatch/(dp*c.MicroBatch))
}

// nodeGBs is the rate at which a machine receives parameters: rings use the
// adapters of all its GPUs, and the fast link passes the data on inside.
func (c *Train) nodeGBs() float64 {
	return c.Network.GBsPerGPU * float64(min(max(c.PerNode, 1), 8))
}

// shardTerms adds what data parallelism and the optimiser cost. FSDP and
// ZeRO-3 gather the weights twice and reduce the gradients once per
// micro-step, 3 x 2 N bytes; the lower stages all-reduce once per optimiser
// step, 2 x 2 N. Frozen weights have no gradients to reduce.
func (c *Train) shardTerms(s *Shape, p *Physics, dp, mp, tok, micro float64) {
	params := s.Params / mp
	if s.MoE {
		ep := float64(max(c.Layout.EP, 1)) * float64(max(c.Layout.PP, 1))
		params = s.Shared/mp + (s.Params-s.Shared)/math.Max(mp, ep)
	}
	net := linkGBs(c.GPU) * 1e9
	if c.GPUs > DomainGPUs(c.GPU) {
		net = math.Min(net, c.nodeGBs()*1e9)
	}
	frozen := c.Method == LoRA || c.Method == QLoRA
	step := tok * micro // tokens per GPU group and optimiser step
	if dp > 1 {
		switch {
		case c.Sharding == ShardZeRO3 && !frozen:
			p.Terms[tShard] = mp * 6 * params * (1 - 1/dp) / (net * tok)
		case c.Sharding == ShardZeRO3:
			p.Terms[tShard] = mp * 4 * params * (1 - 1/dp) / (net * tok)
		case !frozen:
			p.Terms[tShard] = mp * 4 * params * (1 - 1/dp) / (net * step)
		}
	}
	trainable := params
	if frozen {
		trainable *= 0.01
	}
	if c.Sharding != ShardNone {
		trainable /= dp
	}
	bw := c.GPU.BandwidthGBs * 1e9
	if c.Offload {
		bw = 16e9 // PCIe and host memory in both directions
	}
	p.Terms[tOptim] = mp * 30 * trainable / (bw * step)
}

// features names what fitted coefficients may depend on: never the sequence
// length, bandwidth or FLOP/s, so that the laws hold by construction.
func (c *Train) features(s *Shape, p *Physics, n, tok float64) {
	fam, dt := family(c.GPU), c.dtype()
	for i := range trainTerm {
		if p.Terms[i] > 0 {
			p.add("c", i+1, "", "", 1)
		}
	}
	if p.Terms[tAttn] > 0 {
		p.add("family", tAttn+1, fam, "", 1)
		p.add("stack", tAttn+1, c.Stack, fam, 1)
	}
	kind := "dense"
	if s.MoE {
		kind = "moe"
	}
	method := string(c.Method)
	p.add("stack", 0, c.Stack, "", 1)
	p.add("method", 0, method, "", 1)
	p.add("kind", 0, kind, "", 1)
	p.add("family", 0, fam, "", 1)
	p.add("dtype", 0, fam, dt, 1)
	p.add("dtype-kind", 0, dt, kind, 1)
	if c.Stack == Programme { // what stops and restarts cost says nothing about the model or the card
		p.add("programme", 0, s.Arch, c.GPU.ID, 1)
		return
	}
	p.add("gpu", 0, c.GPU.ID, "", 1)
	p.add("arch", 0, s.Arch, "", 1)
	p.addKey(Key{Kind: "gpu-method", A: c.GPU.ID, B: method, C: dt}, 1)
	p.add("stack-family", 0, c.Stack, fam, 1)
	p.add("kind-gpu", 0, kind, c.GPU.ID, 1)
	p.addKey(Key{Kind: "pair", A: s.Arch, B: c.GPU.ID, C: method}, 1)
	p.addKey(Key{Kind: "pair-method", A: s.Arch, B: c.GPU.ID, C: method, D: dt}, 1)
	p.add("recompute", 0, string(c.Recompute), "", 1)
	if s.MoE {
		if DomainGPUs(c.GPU) >= 64 {
			p.add("moe-rack", 0, "", "", 1)
		}
		p.add("moe-sparsity", 0, "", "", math.Log(s.Params/s.Active/10))
	}
	p.add("width", 0, "", "", math.Log(math.Max(s.Hidden, 256)/5120))
	p.add("narrow", 0, "", "", math.Max(0, math.Log(2048/s.Hidden)))
	if c.GPUs > c.PerNode {
		p.add("nodes", 0, "", "", 1)
	}
	p.add("scale", 0, "", "", math.Max(0, math.Log(n/64)))
	p.add("small-step", 0, "", "", math.Max(0, math.Log(4096/tok)))
	if c.Year > 0 {
		p.add("year", 0, "", "", c.Year-2025)
	}
	p.personal(s.Arch, c.GPU.ID)
}

// Programme is the stack of published GPU-hours: a whole training programme
// with its stops, restarts and side runs.
const Programme = "programme"

// dtype is the number format with its scaling recipe.
func (c *Train) dtype() string {
	if c.Recipe != "" {
		return string(c.Precision) + "-" + c.Recipe
	}
	return string(c.Precision)
}

// Resolve fills every choice that was left open.
func (c *Train) Resolve(s *Shape) {
	if c.GPUs <= 0 {
		c.GPUs = 1
	}
	if c.PerNode <= 0 {
		c.PerNode = min(DomainGPUs(c.GPU), 8)
		if DomainGPUs(c.GPU) > 8 {
			c.PerNode = DomainGPUs(c.GPU)
		}
	}
	if c.Method == "" {
		c.Method = Pretrain
	}
	if c.Precision == "" {
		c.Precision = BF16
	}
	if c.Sequence <= 0 {
		c.Sequence = 4096
	}
	if c.Network.GBsPerGPU <= 0 {
		c.Network.GBsPerGPU = NetworkGBs(c.Network.Class, c.GPU)
	}
	c.resolveLayout(s)
	if c.Optimizer == "" {
		c.Optimizer = AdamW
		if c.Method == QLoRA {
			c.Optimizer = Paged
		}
	}
	if c.LoRARank <= 0 {
		c.LoRARank = 16
		if c.Method == QLoRA {
			c.LoRARank = 64
		}
	}
	c.Stack = strings.ToLower(c.Stack)
}

// resolveLayout chooses the division of the model. Frozen weights that fit
// beside their activations are copied to every GPU; else parameters are
// sharded over all GPUs (FSDP) while the network can hide the gathering
// behind compute, and beyond that divided inside the machine (tensor
// parallelism) and over machines (pipeline) until the states fit.
func (c *Train) resolveLayout(s *Shape) {
	l := &c.Layout
	open := l.TP == 0 && l.PP == 0 && c.Sharding == ShardAuto
	l.TP, l.PP, l.CP = max(l.TP, 1), max(l.PP, 1), max(l.CP, 1)
	tok := c.MicroBatch * c.Sequence
	if c.MicroBatch <= 0 {
		tok = math.Max(8192, c.Sequence)
	}
	if open && c.GPUs > DomainGPUs(c.GPU) && Achievable(c.GPU, c.Precision)*1e3/(c.nodeGBs()*tok) > 0.5 {
		l.TP = min(8, c.PerNode)
		if strings.HasPrefix(c.GPU.Architecture, "TPU") {
			l.TP = 4
		}
		for l.PP < c.GPUs/l.TP && 16*s.Params/float64(l.TP*l.PP) > 0.8e9*c.GPU.MemoryGB {
			l.PP *= 2
		}
		c.Sharding = ShardZeRO1
	}
	if c.Sharding == ShardAuto {
		c.Sharding = ShardZeRO3
		frozen := c.Method == LoRA || c.Method == QLoRA
		if l.TP*l.PP > 1 || frozen && c.frozenBytes()*s.Params < 0.6e9*c.GPU.MemoryGB {
			c.Sharding = ShardZeRO1
		}
	}
	if l.EP == 0 {
		l.EP = 1
		if s.MoE {
			l.EP = max(1, min(c.GPUs/l.PP, 8))
		}
	}
	dp := math.Max(1, float64(c.GPUs)/float64(l.TP*l.PP*l.CP))
	if c.MicroBatch <= 0 {
		c.MicroBatch = math.Max(1, 8192/c.Sequence)
		if c.GlobalBatch > 0 {
			c.MicroBatch = math.Max(1, math.Min(c.MicroBatch, c.GlobalBatch/dp))
			if c.Sharding == ShardZeRO3 { // gather as rarely as the batch allows
				c.MicroBatch = math.Max(c.MicroBatch, math.Min(c.GlobalBatch/dp, 65536/c.Sequence))
			}
		}
	}
	if c.GlobalBatch <= 0 {
		c.GlobalBatch = dp * c.MicroBatch * math.Max(8, float64(4*l.PP))
	}
}

// frozenBytes is what a frozen parameter takes.
func (c *Train) frozenBytes() float64 {
	switch {
	case c.Method == QLoRA:
		return 0.56
	case c.Precision == FP8:
		return 1
	}
	return 2
}
