package estimate

import (
	"math"
	"strings"
)

// The terms of serving, in seconds per output token of one request.
const (
	vWeights     = iota // reading the weights that a step touches
	vKV                 // reading the KV cache
	vCompute            // matrix products of decoding
	vLaunch             // fixed cost per layer and step
	vReduce             // latency of the collectives of tensor or expert parallelism
	vTransfer           // bytes of the collectives
	vPrefill            // prefill of the other requests, shared by all
	vOwnPrefill         // the request's own prefill, spread over its output
	vSequence           // scheduling and sampling per sequence
	vExpert             // small products of many experts
	vPreTransfer        // bytes of the collectives of prefill
	vRequest            // admitting and answering a request
	serveTerm
)

var serveTermNames = [...]string{
	"weights through memory", "KV cache through memory", "decode matrix products", "launch floor per layer",
	"collective latency", "collective bytes", "prefill of all requests", "own prefill", "scheduling per sequence", "expert dispatch", "collective bytes of prefill", "handling of requests",
}

// ServeTermName is what a term of serving time stands for.
func ServeTermName(i int) string { return serveTermNames[i] }

// division is how a replica divides its work.
type division struct {
	gpus    float64 // GPUs that decode
	tp      float64 // GPUs over which one weight matrix is divided
	pp      float64
	dense   float64 // GPUs over which non-expert weights are divided
	experts float64 // GPUs over which experts are divided
	kv      float64 // GPUs over which the cache of a step is divided
	pre     float64 // GPUs that prefill
	workers float64 // decode workers among which requests are divided
	ranks   float64 // schedulers of a worker: one, or one per GPU with attention data parallelism
}

// divide works out the division from a layout. Attention-data-parallel
// replicas keep the attention weights on every GPU and divide sequences and
// experts; a layer split reads one card after the other.
func (c *Serve) divide(s *Shape) division {
	n := float64(max(c.GPUs, 1))
	d := division{gpus: n, pp: float64(max(c.Layout.PP, 1)), pre: n, workers: 1, ranks: 1}
	if c.DecodeGPUs > 0 {
		d.gpus, d.pre = float64(c.DecodeGPUs), float64(max(c.PrefillGPUs, 1))
		d.workers = math.Max(1, d.gpus/float64(max(c.DecodeTP, 1)))
		d.gpus /= d.workers
		d.pre /= d.workers
	}
	d.tp = math.Max(1, d.gpus/d.pp)
	if c.Layout.TP > 0 {
		d.tp = math.Min(d.tp, float64(c.Layout.TP))
	}
	d.dense, d.experts = d.tp, d.tp
	d.kv = math.Min(d.tp, math.Max(1, s.KVHeads))
	if s.MLA {
		d.kv = 1
	}
	if c.Layout.AttentionDP {
		d.experts = math.Max(1, d.gpus/d.pp)
		d.dense, d.kv = 1, d.experts
		d.tp, d.ranks = d.experts, d.experts
	}
	if extra := d.gpus / (d.tp * d.pp); extra > 1 { // data-parallel copies inside the replica
		d.workers *= extra
		d.gpus /= extra
		d.pre /= extra
	}
	if c.Layout.LayerSplit {
		d.tp, d.dense, d.experts, d.kv = 1, 1, 1, 1
		d.pp = d.gpus
	}
	return d
}

// computePrecision is the format in which products are made: integer weights
// are unpacked to BF16, and so is any format the GPU has no unit for.
func (c *Serve) computePrecision() Precision {
	switch c.Precision {
	case INT4, Q4:
		return BF16
	}
	return c.Precision
}

// kvScale is the bytes of a cache element relative to BF16.
func (c *Serve) kvScale() float64 {
	switch c.KVPrecision {
	case FP8, INT8:
		return 0.5
	case FP4, INT4:
		return 0.25
	case FP32:
		return 2
	}
	return 1
}

// meanContext is the mean length of a running sequence: all of the prompt and
// half of the answer.
func (c *Serve) meanContext() float64 { return c.InputTokens + c.OutputTokens/2 }

// ServePhysics works out the terms and features of a configuration whose
// choices are filled in, at a running batch of the whole replica.
func ServePhysics(c *Serve, s *Shape, batch float64, p *Physics) {
	p.reset()
	if s.Diffusion {
		c.imagePhysics(s, p)
		return
	}
	d := c.divide(s)
	if c.Mode == PrefillOnly {
		c.prefillPhysics(s, d, p)
		return
	}
	c.terms(s, &d, batch, p)
	c.features(s, p, d)
}

// terms works out the terms of a running batch of the whole replica.
func (c *Serve) terms(s *Shape, d *division, batch float64, p *Physics) {
	p.Terms = [MaxTerms]float64{}
	b := math.Max(1, batch/d.workers)
	step := math.Max(1, b/d.pp) // sequences of one step: a pipeline runs pp groups in turn
	if c.Layout.LayerSplit {
		step = b
	}
	bw := c.GPU.BandwidthGBs * 1e9
	rate := Achievable(c.GPU, c.computePrecision()) * 1e12
	bf16 := Achievable(c.GPU, BF16) * 1e12
	link := linkGBs(c.GPU) * 1e9
	if d.tp > float64(DomainGPUs(c.GPU)) {
		link = NetworkGBs(NetAuto, c.GPU) * 1e9
	}
	draft := math.Max(1, c.DraftTokens)
	wb := bytesPerWeight(c.Precision)
	out := math.Max(1, c.OutputTokens)
	ctx := c.meanContext()

	touched := s.Touched(step * draft)
	p.Terms[vWeights] = wb * (s.Shared/d.dense + math.Max(0, touched-s.Shared)/d.experts) / bw
	if !s.MoE {
		p.Terms[vWeights] = wb * s.Params / d.dense / bw
	}
	p.Terms[vKV] = step * s.KVAt(ctx) * c.kvScale() / (d.kv * bw)
	p.Terms[vCompute] = step * draft * (2*s.Active/rate + s.AttnFLOP(2*ctx)/bf16) / d.tp
	if s.MLA { // absorbed products work on the latent: 512 + 576 values per head
		p.Terms[vCompute] = step * draft * (2*s.Active/rate + 2*s.AttnLayers*s.Heads*1088*ctx/bf16) / d.tp
	}
	p.Terms[vLaunch] = s.Layers * 20e-6
	if s.MoE {
		p.Terms[vExpert] = s.Layers * 20e-6
	}
	if d.tp > 1 {
		p.Terms[vReduce] = s.Layers * 20e-6
		if d.tp > float64(DomainGPUs(c.GPU)) { // every collective crosses machines
			p.Terms[vReduce] *= 3
		}
		p.Terms[vTransfer] = 8 * s.Layers * step * draft * s.Hidden * (d.tp - 1) / d.tp / link
		if c.Layout.AttentionDP {
			p.Terms[vTransfer] = 4 * s.PerToken * s.Layers * step * draft * s.Hidden / d.tp / link
		}
	}
	pre := (1 - c.CacheHit) * c.InputTokens * (2*s.Active/rate + s.AttnFLOP(c.InputTokens)/bf16)
	if c.DecodeGPUs > 0 {
		c.disaggregated(p, *d, b, pre, out)
	} else {
		p.Terms[vPrefill] = b * pre / (d.tp * d.pp) / out
		if c.Layout.LayerSplit {
			p.Terms[vPrefill] = b * pre / out
		}
	}
	p.Terms[vOwnPrefill] = pre / d.tp / out
	p.Terms[vSequence] = b / d.ranks * 5e-6
	p.Terms[vRequest] = b / d.ranks * 0.5e-3 / out
	if d.tp > 1 && c.DecodeGPUs == 0 && !c.Layout.AttentionDP {
		p.Terms[vPreTransfer] = b * (1 - c.CacheHit) * c.InputTokens * 8 * s.Layers * s.Hidden * (d.tp - 1) / d.tp / (link * d.pp) / out
	}
	for i := range p.Terms {
		if i < vPrefill || i == vSequence || i == vExpert {
			p.Terms[i] /= draft
		}
	}
	p.Floor = math.Max(p.Terms[vWeights]+p.Terms[vKV], p.Terms[vCompute])
}

// disaggregated charges the wait for the prefill workers: a closed loop of
// two stations turns no faster than the slower one.
func (c *Serve) disaggregated(p *Physics, d division, b, pre, out float64) {
	decode := 0.0
	for i := range vPrefill {
		decode += p.Terms[i]
	}
	station := b * pre * 1.6 / d.pre / out
	p.Terms[vPrefill] = math.Max(0, station-1.6*decode) / 1.6
}

// features names what fitted coefficients may depend on.
func (c *Serve) features(s *Shape, p *Physics, d division) {
	for i := range serveTerm {
		p.add("c", i+1, "", "", 1)
	}
	fam, dt, mode := family(c.GPU), string(c.Precision), string(c.Mode)
	eng := engineFamily(c.Engine)
	kind := "dense"
	if s.MoE {
		kind = "moe"
	}
	if s.MLA {
		kind = "mla"
	}
	lay := c.layoutName()
	mem := "hbm"
	if gddr(c.GPU) {
		mem = "gddr"
	}
	for _, t := range [...]int{vWeights, vCompute, vLaunch, vPrefill} {
		p.add("mode", t+1, mode, "", 1)
		p.add("engine", t+1, eng, "", 1)
		p.add("family", t+1, fam, "", 1)
		p.add("dtype", t+1, dt, "", 1)
	}
	p.add("engine", vKV+1, eng, "", 1)
	p.add("engine", vSequence+1, eng, "", 1)
	p.add("memory", vWeights+1, mem, "", 1)
	p.add("mode", 0, mode, "", 1)
	p.add("engine", 0, eng, "", 1)
	p.add("engine-kind", 0, eng, kind, 1)
	p.add("engine-dtype", 0, eng, dt, 1)
	p.add("pipeline", 0, "", "", math.Log(d.pp))
	p.addKey(Key{Kind: "pair-split", A: s.Arch, B: c.GPU.ID, C: eng}, math.Log(float64(c.GPUs)))
	if c.Year > 0 {
		p.add("engine-year", 0, eng, "", c.Year-2025.5)
	}
	p.add("dtype", 0, dt, fam, 1)
	p.add("layout", 0, lay, kind, 1)
	p.add("arch", 0, s.Arch, "", 1)
	p.add("gpu", 0, c.GPU.ID, "", 1)
	p.addKey(Key{Kind: "group", A: s.Arch, B: c.GPU.ID, C: mode}, 1)
	p.addKey(Key{Kind: "pair-engine", A: s.Arch, B: c.GPU.ID, C: dt, D: eng}, 1)
	p.personal(s.Arch, c.GPU.ID)
}

// layoutName is the kind of parallelism, for fitted factors.
func (c *Serve) layoutName() string {
	switch {
	case c.DecodeGPUs > 0:
		return "disagg"
	case c.Layout.AttentionDP:
		return "dep"
	case c.Layout.LayerSplit:
		return "split"
	case c.Layout.EP > 1:
		return "ep"
	case c.Layout.PP > 1:
		return "pp"
	case c.GPUs > 1:
		return "tp"
	}
	return "one"
}

// engineFamily is the serving software without its version; unknown names
// share one family.
func engineFamily(name string) string {
	n := strings.ToLower(name)
	for _, e := range [...]struct{ in, out string }{
		{"vllm", "vllm"},
		{"sglang", "sglang"},
		{"trtllm", "trtllm"},
		{"tensorrt-llm", "trtllm"},
		{"tensorrt", "tensorrt"},
		{"transformers", "transformers"},
		{"llama.cpp", "llama.cpp"},
		{"llamacpp", "llama.cpp"},
	} {
		if strings.Contains(n, e.in) {
			return e.out
		}
	}
	return "other"
}

// imagePhysics is the time of one image of 1024 x 1024 pixels on one GPU: 20
// steps with guidance pass the denoiser 40 times (MLPerf), the decoder and the
// text encoders add a tenth.
func (c *Serve) imagePhysics(s *Shape, p *Physics) {
	p.Terms[vCompute] = 44 * s.ImageFLOP / (Achievable(c.GPU, c.computePrecision()) * 1e12)
	p.Terms[vWeights] = 44 * 20 * s.ImageFLOP / 400 / (c.GPU.BandwidthGBs * 1e9)
	fam := family(c.GPU)
	p.add("image-c", vCompute+1, "", "", 1)
	p.add("image-c", vWeights+1, "", "", 1)
	p.add("image-family", 0, fam, "", 1)
	p.add("image-gpu", 0, c.GPU.ID, "", 1)
	p.add("image-dtype", 0, string(c.Precision), "", 1)
	p.add("image-mode", 0, string(c.Mode), "", 1)
	p.addKey(Key{Kind: "image-pair", A: s.Arch, B: c.GPU.ID, C: string(c.Precision)}, 1)
	if c.Year > 0 {
		p.add("image-year", 0, "", "", c.Year-2025.5)
	}
}

// prefillPhysics is the time of one prompt token on the whole replica.
func (c *Serve) prefillPhysics(s *Shape, d division, p *Physics) {
	rate := Achievable(c.GPU, c.computePrecision()) * 1e12
	bf16 := Achievable(c.GPU, BF16) * 1e12
	p.Terms[vPrefill] = (2*s.Active/rate + s.AttnFLOP(c.InputTokens)/bf16) / d.pre
	p.add("prefill-c", vPrefill+1, "", "", 1)
	p.add("prefill-engine", 0, engineFamily(c.Engine), "", 1)
	p.add("prefill-family", 0, family(c.GPU), "", 1)
}

// Resolve fills every choice that was left open.
func (c *Serve) Resolve(s *Shape) {
	c.GPUs = max(c.GPUs, 1)
	if c.Precision == "" {
		c.Precision = BF16
		if s.NativeFP8 && c.GPU.FP8TFLOPS > 0 {
			c.Precision = FP8
		}
		if s.NativeFP4 {
			c.Precision = FP4
		}
	}
	if c.KVPrecision == "" {
		c.KVPrecision = BF16
		if c.GPU.FP8TFLOPS > 0 && (c.Precision == FP8 || c.Precision == FP4) && engineFamily(c.Engine) != "transformers" {
			c.KVPrecision = FP8
		}
	}
	if c.Mode == "" {
		c.Mode = Online
	}
	if c.InputTokens <= 0 {
		c.InputTokens = 1024
	}
	if c.OutputTokens <= 0 {
		c.OutputTokens = 256
	}
	if s.Diffusion || c.DecodeGPUs > 0 {
		return
	}
	l := &c.Layout
	if l.TP == 0 && l.PP == 0 && !l.AttentionDP && !l.LayerSplit {
		l.TP = c.GPUs
		if c.Mode != Online && c.Mode != SingleStream { // throughput: the smallest group that holds the weights
			l.TP = 1
			for l.TP < c.GPUs && bytesPerWeight(c.Precision)*s.Params > 0.65e9*c.GPU.MemoryGB*float64(l.TP) {
				l.TP *= 2
			}
			l.TP = min(l.TP, c.GPUs)
			if s.MLA && s.MoE && l.TP > 1 {
				l.AttentionDP, l.EP = true, l.TP
			}
		}
	}
}

// maxSequences is the largest batch engines are run with.
const maxSequences = 4096

// BatchLimit is the number of sequences whose cache fits beside the weights
// on all GPUs that decode. A replica that cannot hold its weights has 0.
func (c *Serve) BatchLimit(s *Shape) float64 {
	if s.Diffusion {
		return 1
	}
	d := c.divide(s)
	var p Parts
	c.fixedParts(s, &d, &p)
	usable := UsableGB(c.GPU)
	room := usable - p.Weights - p.Activations - p.Logits - p.System
	if !c.Layout.LayerSplit && c.Mode != SingleStream {
		room = math.Min(room, 0.93*usable-p.Weights-0.8) // engines leave a tenth of the card free
	}
	last := (s.KVAt(c.InputTokens+c.OutputTokens) - s.KVAt(c.meanContext())) * c.kvScale() / (d.kv * d.pp)
	room = 1e9*room - last
	per := s.KVAt(c.meanContext()) * c.kvScale() / (d.kv * d.pp)
	if room <= 0 || per <= 0 {
		return 0
	}
	return math.Min(math.Floor(room/per), maxSequences*d.pp*d.ranks) * d.workers
}
