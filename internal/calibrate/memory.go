package calibrate

import (
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// fitRow is one row of memory.csv made ready.
type fitRow struct {
	id, gpu, source, method string
	skip                    string
	fits                    string // yes, no or empty
	peak                    float64
	memory                  estimate.Memory
	allocated               bool // the peak is what PyTorch allocated, without the driver's context
}

// predictedPeak is what the row's peak is compared with.
func (f *fitRow) predictedPeak() float64 {
	if f.allocated {
		return f.memory.NeededGB - f.memory.Parts.System
	}
	return f.memory.NeededGB
}

func readMemory(t *table, names *Names) []fitRow {
	out := make([]fitRow, len(t.rows))
	for i := range t.rows {
		out[i] = memoryRow(t.record(i), names)
	}
	return out
}

func memoryRow(r record, names *Names) fitRow {
	f := fitRow{
		id: r.text("id"), gpu: r.text("gpu"), source: r.text("source_group"), method: strings.ToLower(r.text("method")),
		fits: r.text("fits"), peak: r.number("peak_gb_per_gpu"),
	}
	if f.fits == "" && f.peak == 0 {
		f.skip = "an estimate of a vendor or a rule of thumb, not a measurement"
		return f
	}
	g := names.GPU(r.text("gpu"))
	if g == nil && r.number("gpu_memory_gb") > 0 {
		g = &catalog.GPU{ID: r.text("gpu"), MemoryGB: r.number("gpu_memory_gb"), BF16TFLOPS: 100, BandwidthGBs: 500, LinkGBs: 64}
	}
	if g == nil {
		f.skip = "the GPU is not in the catalog and its memory is not stated"
		return f
	}
	m := names.Model(r.text("model"), r.number("params_b"), r.number("active_params_b"))
	if m == nil {
		f.skip = "the model is not in the catalog and its size is not stated"
		return f
	}
	m = sized(m, r)
	f.allocated = f.source != "bigscience-grid"
	if strings.HasPrefix(f.method, "inference") || f.method == "" {
		f.memory = servingMemory(r, m, g)
	} else {
		f.memory = trainingMemory(r, m, g)
	}
	return f
}

func servingMemory(r record, m *catalog.Model, g *catalog.GPU) estimate.Memory {
	s := estimate.NewShape(m)
	text := strings.ToLower(r.text("strategy") + " " + r.text("workload"))
	c := estimate.Serve{Model: m, GPU: g, GPUs: max(1, r.gpus()), Mode: estimate.SingleStream, InputTokens: r.number("seq_len"), OutputTokens: 1, Engine: text}
	c.Precision, _ = precisionOf(r.text("precision"))
	if strings.Contains(text, "llama.cpp") {
		c.Layout.LayerSplit = true
	}
	if strings.Contains(text, "transformers") {
		c.KVPrecision = estimate.BF16
	}
	c.Resolve(&s)
	return estimate.ServeMemory(&c, &s, max(1, r.number("batch")))
}

func trainingMemory(r record, m *catalog.Model, g *catalog.GPU) estimate.Memory {
	s := estimate.NewShape(m)
	par := r.text("strategy")
	low := strings.ToLower(par + " " + r.text("notes") + " " + r.text("precision"))
	c := estimate.Train{
		Model: m, GPU: g, GPUs: max(1, r.gpus()), Method: methodOf(r.text("method")),
		Sequence: r.number("seq_len"), GlobalBatch: r.number("batch"), MicroBatch: float64(find(microPattern, par)),
		Layout: parseLayout(par), Recompute: recomputation(par), Stack: stackOf(r), Offload: strings.Contains(low, "offload true") || strings.Contains(low, "cpu offload"),
	}
	c.Precision, c.Recipe = precisionOf(r.text("precision"))
	c.Layout.DP = 0
	if strings.Contains(par, "FSDP") || strings.Contains(par, "ZeRO-3") {
		c.Sharding = estimate.ShardZeRO3
	}
	if strings.Contains(par, "MBS") {
		c.Sharding, c.Recompute = estimate.ShardZeRO1, estimate.RecomputeFull
	}
	if c.MicroBatch == 0 && c.GlobalBatch > 0 && c.Stack != "megatron-deepspeed" {
		mp := max(c.Layout.TP, 1) * max(c.Layout.PP, 1) * max(c.Layout.CP, 1)
		c.MicroBatch = max(1, c.GlobalBatch*float64(mp)/float64(c.GPUs))
		if c.Layout.PP > 1 || c.Layout.CP > 1 {
			c.MicroBatch = 1
		}
	}
	if strings.Contains(par, "AdamW") {
		c.Optimizer = estimate.AdamW
	}
	c.OneQuant = strings.Contains(par, "NF4") && !strings.Contains(par, "nested") || strings.Contains(par, "FP4 ")
	if c.Stack == "torchtune" { // its recipes: recomputation, and one card updates weights as gradients appear
		c.Recompute = estimate.RecomputeFull
		if c.GPUs == 1 && c.Method == estimate.Full {
			c.Optimizer = estimate.Paged
		}
	}
	c.Resolve(&s)
	return escalate(&c, &s)
}

// escalate tries, where a row does not say how it fitted, what a user tries:
// more recomputation, and for recipes that know it, offloading.
func escalate(c *estimate.Train, s *estimate.Shape) estimate.Memory {
	mem := estimate.TrainMemory(c, s)
	if c.Recompute == estimate.RecomputeAuto {
		for _, r := range [...]estimate.Recompute{estimate.RecomputeSelective, estimate.RecomputeFull} {
			if mem.Fits {
				break
			}
			c.Recompute = r
			mem = estimate.TrainMemory(c, s)
		}
	}
	if !mem.Fits && c.Stack == "torchtune" && c.GPUs > 1 {
		c.Offload = true
		mem = estimate.TrainMemory(c, s)
	}
	return mem
}
