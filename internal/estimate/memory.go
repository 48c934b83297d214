package estimate

import (
	"fmt"
	"math"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// systemGB is what the driver's context, the communication buffers and the
// framework take on one GPU, GB.
func systemGB(gpus int) float64 {
	if gpus > 1 {
		return 1.8
	}
	return 0.8
}

// flash says that a GPU runs attention without writing the scores to memory.
// Cards before Ampere do not.
func flash(year int, arch string) bool {
	return !strings.HasPrefix(arch, "Turing") && !strings.HasPrefix(arch, "Volta") && (year == 0 || year >= 2020)
}

// TrainMemory works out what a resolved training configuration takes per GPU.
func TrainMemory(c *Train, s *Shape) Memory {
	m := trainMemory(c, s)
	m.say()
	return m
}

func trainMemory(c *Train, s *Shape) Memory {
	var m Memory
	tp, pp := float64(max(c.Layout.TP, 1)), float64(max(c.Layout.PP, 1))
	cp, ep := float64(max(c.Layout.CP, 1)), float64(max(c.Layout.EP, 1))
	dp := math.Max(1, float64(c.GPUs)/(tp*pp*cp))
	shard := dp * cp // context-parallel GPUs share the shards
	local := s.Params / (tp * pp)
	emb := s.Vocab * s.Hidden / tp * (1 - 1/pp) // the first stage holds the embedding beside its layers
	if s.MoE {
		local = s.Shared/(tp*pp) + (s.Params-s.Shared)/(math.Max(tp, ep)*pp)
		shard = math.Max(1, shard*s.Shared/(tp*pp)/local+math.Max(1, shard*tp/math.Max(tp, ep))*(1-s.Shared/(tp*pp)/local))
	}
	local += emb
	g, o := c.stateBytes()
	w := float64(weightBytes)
	d3, d2, d1 := 1.0, 1.0, 1.0
	switch c.Sharding {
	case ShardZeRO3:
		d3, d2, d1 = shard, shard, shard
	case ShardZeRO2:
		d2, d1 = shard, shard
	case ShardZeRO1:
		d1 = shard
	}
	p := &m.Parts
	train := local
	if c.frozen() {
		train = c.adapterParams(s) / (tp * pp)
		p.Adapter = c.adapterBytes() * train / d1 / 1e9
		p.Weights = c.residentBytes() * local / d3 / 1e9
		if c.Method == QLoRA {
			p.Weights += c.wideEmbeddings(s) / (tp * pp) / d3 / 1e9
		}
	} else {
		p.Weights = w * local / d3 / 1e9
		p.Gradients = g * train / d2 / 1e9
		p.Optimizer = o * train / d1 / 1e9
	}
	if c.Sharding == ShardZeRO3 && shard > 1 { // two gathered layers, and their gradients
		p.Temp = 2 * 4 * local / math.Max(1, s.Layers/pp) / 1e9
	}
	if c.Offload {
		m.HostGB = (p.Optimizer + p.Gradients) * float64(c.GPUs)
		if c.Sharding == ShardZeRO3 {
			m.HostGB += p.Weights * float64(c.GPUs)
			p.Weights = 0
		}
		p.Optimizer, p.Gradients = 0, 0
	}
	tok := c.MicroBatch * c.Sequence / cp
	p.Activations = c.activationGB(s, tok/tp, pp)
	p.Logits = logitBytes * tok * s.Vocab / tp / 1e9
	if c.Stack == "torchtune" { // the loss is computed in eight chunks
		p.Logits /= 8
	}
	if s.Diffusion {
		p.Logits = 0
	}
	p.System = systemGB(c.GPUs)
	if pp > 1 {
		p.System += 2 // buffers of the pipeline and of one communicator per direction
	}
	m.finish(UsableGB(c.GPU))
	return m
}

// logitBytes is what an output token's vocabulary scores take: BF16 scores,
// an FP32 copy and its gradient in both.
const logitBytes = 10

// UsableGB is what a card's memory holds in GB of 1e9 bytes, less 3 % that
// fragmentation leaves over. Stacked memory and GeForce cards are sold in
// binary gigabytes ("80 GB" is 85.5e9 bytes); the sixteenth that error
// correction takes from workstation cards undoes that.
func UsableGB(g *catalog.GPU) float64 {
	if strings.HasPrefix(g.MemoryType, "HBM") || strings.HasPrefix(g.ID, "rtx-3") || strings.HasPrefix(g.ID, "rtx-4") || strings.HasPrefix(g.ID, "rtx-5") {
		if !strings.HasSuffix(g.ID, "-ada") {
			return g.MemoryGB * 1.065 * 0.97
		}
	}
	return g.MemoryGB * 0.96
}

// adapterBytes is what a trainable parameter of an adapter takes.
func (c *Train) adapterBytes() float64 {
	if c.Optimizer == Paged {
		return 4
	}
	return 16
}

// weightBytes is the bytes of a trained parameter itself, in BF16.
const weightBytes = 2

// stateBytes is the bytes of gradients and optimiser states per parameter:
// 2 + 12 for mixed-precision AdamW (ZeRO, arXiv 1910.02054).
func (c *Train) stateBytes() (gradients, optimizer float64) {
	switch c.Optimizer {
	case AdamW8bit:
		return 2, 6
	case AdamWPure, SGD:
		return 2, 4
	case Paged:
		return 0.2, 0
	}
	if c.Layout.PP > 1 { // gradients of many micro-batches are summed in FP32
		return 4, 12
	}
	return 2, 12
}

func (c *Train) frozen() bool { return c.Method == LoRA || c.Method == QLoRA }

// residentBytes is what a frozen parameter takes while adapters train. The
// 8-bit layers of bitsandbytes keep a second layout for the backward pass.
func (c *Train) residentBytes() float64 {
	switch {
	case c.Method == QLoRA && c.Precision != INT8 && c.OneQuant:
		return 0.5625 // 4 bits and an FP32 scale per 64 values
	case c.Method == QLoRA && c.Precision != INT8:
		return 0.516 // the scales quantised again (arXiv 2305.14314)
	case c.Precision == INT8:
		return 2
	case c.Precision == INT4 || c.Precision == Q4:
		return 0.56
	}
	return 2
}

// adapterParams is the trainable parameters of low-rank adapters on every
// matrix of every layer: rank x (in + out) of each.
func (c *Train) adapterParams(s *Shape) float64 {
	kv := s.AttnDim / math.Max(1, s.Heads) * s.KVHeads
	perLayer := 2*(s.Hidden+s.AttnDim) + 2*(s.Hidden+kv) + 3*(s.Hidden+s.FFN)
	return math.Min(c.LoRARank*s.Layers*perLayer, 0.1*s.Params)
}

// wideEmbeddings is what embedding and head take beyond the quantised rest:
// preparing a model for k-bit training casts them to FP32.
func (c *Train) wideEmbeddings(s *Shape) float64 {
	matrices, b := 2.0, 4.0
	if s.Linear == s.Active {
		matrices = 1
	}
	if c.Stack == "torchtune" {
		b = 2
	}
	return b * matrices * s.Vocab * s.Hidden
}

// layerBytes is the activations of one token in one layer that the backward
// pass needs, bytes: Korthikanti 2022 (arXiv 2205.05198) without dropout,
// 14 hidden states around attention and norms, two of the feed-forward width
// for each of its products, and the scores where attention writes them.
func (c *Train) layerBytes(s *Shape) float64 {
	f := s.FFN
	if s.MoE {
		f = s.PerToken * (s.Active - s.Shared) / math.Max(1, s.PerToken*3*s.Hidden*s.Layers)
		f = math.Max(f, s.Hidden)
	}
	b := 16*s.Hidden + 8*f
	if s.FFN == 4*s.Hidden { // plain GELU block
		b = 34 * s.Hidden
	}
	if !flash(c.GPU.Year, c.GPU.Architecture) {
		b += 5 * s.Heads * c.Sequence
	}
	return b
}

// activationGB is the activations of one GPU for tokens per micro-batch. A
// pipeline holds as many micro-batches as it has stages, of 1/pp of the layers
// each, so its first stage holds one micro-batch of all layers.
func (c *Train) activationGB(s *Shape, tokens, pp float64) float64 {
	if s.Diffusion {
		return c.MicroBatch * s.Params * 2 / 1e9
	}
	layer := c.layerBytes(s)
	micro := c.microBatches(math.Max(1, float64(c.GPUs)/(pp*float64(max(c.Layout.TP, 1)*max(c.Layout.CP, 1)))))
	held := s.Layers / pp * math.Min(pp, micro)
	switch c.Recompute {
	case RecomputeFull:
		kept := 2 * s.Hidden * held
		if c.Stack == "megatron-deepspeed" { // no sequence parallelism: every GPU keeps the whole hidden state
			kept *= float64(max(c.Layout.TP, 1))
		}
		if c.Method == QLoRA && c.Stack != "torchtune" { // hidden states between k-bit layers are FP32
			kept, layer = 2*kept, 2*layer
		}
		return tokens * (kept + layer) / 1e9
	case RecomputeSelective:
		return tokens * (0.5*layer*held + 0.5*layer) / 1e9
	}
	return tokens * layer * held / 1e9
}

// finish sums the parts and compares them with the card.
func (m *Memory) finish(available float64) {
	p := &m.Parts
	m.NeededGB = p.Weights + p.Gradients + p.Optimizer + p.Activations + p.Logits + p.KVCache + p.Adapter + p.Temp + p.System
	m.AvailableGB = available
	m.Fits = m.NeededGB <= available
}

// say fills in why the configuration does not fit.
func (m *Memory) say() {
	if p := &m.Parts; !m.Fits {
		name, gb := p.largest()
		m.Why = fmt.Sprintf("memory: %.1f GB needed per GPU, %.4g GB available; the largest part is %s, %.1f GB", m.NeededGB, m.AvailableGB, name, gb)
	}
}

// Each calls f for every part that takes memory, in a fixed order.
func (p *Parts) Each(f func(name string, gb float64)) {
	for _, v := range [...]struct {
		name string
		gb   float64
	}{
		{"weights", p.Weights},
		{"gradients", p.Gradients},
		{"optimizer", p.Optimizer},
		{"adapter", p.Adapter},
		{"activations", p.Activations},
		{"logits", p.Logits},
		{"kv_cache", p.KVCache},
		{"temporary", p.Temp},
		{"system", p.System},
	} {
		if v.gb > 0 {
			f(v.name, v.gb)
		}
	}
}

func (p *Parts) largest() (name string, gb float64) {
	p.Each(func(n string, v float64) {
		if v > gb {
			name, gb = n, v
		}
	})
	return name, gb
}

// ServeMemory works out what a resolved replica takes per GPU at a batch of
// running sequences of the whole replica.
func ServeMemory(c *Serve, s *Shape, batch float64) Memory {
	var m Memory
	p := &m.Parts
	if s.Diffusion {
		p.System = systemGB(c.GPUs)
		p.Weights = 2 * s.Params * 1.4 / 1e9 // text encoders and decoder beside the denoiser
		p.Activations = 4
		m.finish(UsableGB(c.GPU))
		m.say()
		return m
	}
	d := c.divide(s)
	c.fixedParts(s, &d, p)
	seqs := math.Max(1, batch/d.workers)
	mean, full := s.KVAt(c.meanContext()), s.KVAt(c.InputTokens+c.OutputTokens)
	p.KVCache = ((seqs-1)*mean + full) * c.kvScale() / (d.kv * d.pp) / 1e9
	m.finish(UsableGB(c.GPU))
	m.say()
	return m
}

// fixedParts fills what does not grow with the cache: weights, the buffers of
// a chunk of prompt and of sampling, driver and communication.
func (c *Serve) fixedParts(s *Shape, d *division, p *Parts) {
	p.System = systemGB(c.GPUs)
	if c.Layout.LayerSplit {
		p.System = 0.5
	}
	p.Weights = c.weightBytes(s, *d) / 1e9
	chunk := math.Min(c.InputTokens, 2048) // prompts are read in chunks
	p.Activations = chunk * (8*s.Hidden + 4*s.FFN) / d.tp / 1e9
	p.Logits = 2 * 512 * s.Vocab / d.tp / 1e9 // sampled in groups
	if c.Mode == SingleStream {
		p.Logits = 2 * s.Vocab / d.tp / 1e9
	}
}

// weightBytes is the weights of one GPU. Embeddings stay in BF16 when the
// rest is quantised.
func (c *Serve) weightBytes(s *Shape, d division) float64 {
	wb := bytesPerWeight(c.Precision)
	if c.Precision == Q4 { // its average counts the embeddings
		return wb * s.Params / d.dense / d.pp
	}
	emb := math.Min(2*s.Vocab*s.Hidden, 0.5*s.Params)
	if s.Linear == s.Active {
		emb /= 2
	}
	return (wb*(s.Shared/d.dense+(s.Params-s.Shared)/d.experts) + math.Max(0, 2-wb)*emb/d.dense) / d.pp
}
