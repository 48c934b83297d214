package calibrate

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// observation is one measured row made ready: the configuration, what was
// measured and how an estimate is compared with it.
type observation struct {
	id, group, gpu, arch, source, method string
	shape                                estimate.Shape
	train                                estimate.Train
	serve                                estimate.Serve
	measured                             float64 // in the unit of the row
	scale                                float64 // measured = scale / time
	tpot, ttft                           float64 // ms, 0: not measured
	batch                                float64 // sequences running at once
	physics                              estimate.Physics
	first                                estimate.Physics // of the time to the first token
	logTime                              float64          // ln of the measured time, the target of the fit
	weight                               float64
	suspect                              string // why the row is not fitted on
	skip                                 string // why the row is not scored
}

// readTraining turns the rows of training.csv into observations.
func readTraining(t *table, names *Names) []observation {
	out := make([]observation, len(t.rows))
	for i := range t.rows {
		out[i] = trainingRow(t.record(i), names)
	}
	return out
}

func trainingRow(r record, names *Names) observation {
	o := observation{id: r.text("id"), source: r.text("source_group"), gpu: r.text("gpu"), weight: 1}
	g := names.GPU(r.text("gpu"))
	if g == nil {
		o.skip = "the GPU is not in the catalog"
		return o
	}
	m := names.Model(r.text("model"), r.number("params_b"), r.number("active_params_b"))
	if m == nil {
		o.skip = "the model is not in the catalog and its size is not stated"
		return o
	}
	par := r.text("parallelism")
	c := &o.train
	*c = estimate.Train{
		Model: sized(m, r), GPU: g, GPUs: r.gpus(), Method: methodOf(r.text("method")),
		Sequence: r.number("seq_len"), GlobalBatch: r.number("global_batch_seqs"), MicroBatch: float64(find(microPattern, par)),
		Layout: parseLayout(par), Recompute: recomputation(par), Stack: stackOf(r), Year: trainingYear(r),
	}
	c.Precision, c.Recipe = precisionOf(r.text("precision"))
	if strings.Contains(par, "slice(s)") || strings.HasPrefix(g.Architecture, "TPU") {
		c.Layout = estimate.Layout{}
	}
	notes := r.text("notes")
	c.Offload = strings.Contains(notes, "CPU offload") || strings.Contains(par, "offload True")
	c.Layout.DP = 0 // follows from the rest
	if strings.Contains(par, "FSDP") && !strings.Contains(par, "FSDP=0") {
		c.Sharding = estimate.ShardZeRO3
	}
	if strings.Contains(par, "PP=") && c.Sharding == "" || strings.Contains(par, "MBS") && c.Sharding == "" {
		c.Sharding = estimate.ShardZeRO1
	}
	if c.Layout.PP > 1 && c.Layout.Virtual == 0 && c.Stack == "megatron" {
		c.Layout.Virtual = 4 // interleaved unless stated
	}
	if c.Sharding == "" && c.Method != estimate.LoRA && (c.Stack == "megatron" || c.Stack == "mlperf") && c.Layout.TP > 0 {
		c.Sharding = estimate.ShardZeRO1
	}
	if strings.Contains(par, "SHARD_GRAD_OP") {
		c.Sharding = estimate.ShardZeRO2
	}
	o.finishTraining(r, par)
	return o
}

// sized is the model with the parameter counts that a row states, where they
// differ from the catalog's (other vocabulary or context).
func sized(m *catalog.Model, r record) *catalog.Model {
	p := r.number("params_b")
	if p == 0 || math.Abs(p-m.ParamsB) < 0.02*m.ParamsB || m.Experts > 0 {
		return m
	}
	own := *m
	own.ParamsB = p
	own.ActiveB = p
	return &own
}

func (o *observation) finishTraining(r record, par string) {
	c := &o.train
	o.shape = estimate.NewShape(c.Model)
	if c.GPUs == 0 {
		c.GPUs = 1024 // a published programme on a cluster of unknown size
	}
	if c.GlobalBatch > 0 && c.Layout.CP == 0 { // fewer sequences than GPUs: the sequence itself is divided
		mp := max(c.Layout.TP, 1) * max(c.Layout.PP, 1)
		if share := c.GlobalBatch * float64(mp) / float64(c.GPUs); share < 1 {
			c.Layout.CP = int(math.Round(1 / share))
		}
	}
	if strings.Contains(par, "EFA") {
		c.Network.Class = estimate.NetEFA
	}
	c.Resolve(&o.shape)
	o.arch, o.method = o.shape.Arch, string(c.Method)
	o.group = o.arch + " " + c.GPU.ID + " " + o.method
	estimate.TrainPhysics(c, &o.shape, &o.physics)
	o.measure(r)
	if o.skip == "" {
		o.logTime = math.Log(o.scale / o.measured)
	}
	if strings.Contains(r.text("notes"), "SUSPECT") {
		o.suspect = "the source is marked as suspect"
	}
}

// measure picks what the row measured: tokens/s/GPU, else TFLOP/s or MFU with
// attention counted as the source counted it.
func (o *observation) measure(r record) {
	c, s := &o.train, &o.shape
	if s.Diffusion {
		o.skip = "a whole two-stage image programme in GPU-hours, without images per second"
		return
	}
	attn := 3 * s.AttnFLOP(c.Sequence)
	if o.source == "MaxText" || r.number("tflops_per_gpu_reported") > 0 {
		attn *= 2 // MaxText before July 2025 and NeMo count all keys, not the causal half
	}
	flop := 6*s.Linear + attn
	tok := r.number("tokens_per_s_per_gpu")
	tf, mfu := r.number("tflops_per_gpu_reported"), r.number("mfu_reported_pct")
	switch {
	case tok > 0:
		o.measured, o.scale = tok, 1
	case tf > 0:
		o.measured, o.scale = tf, flop/1e12
	case mfu > 0:
		o.measured, o.scale = mfu, 100*flop/(estimate.Sheet(c.GPU, c.Precision)*1e12)
	default:
		o.skip = "no throughput and no amount of work is stated"
	}
}

func methodOf(s string) estimate.Method {
	l := strings.ToLower(s)
	switch {
	case strings.Contains(l, "qlora"):
		return estimate.QLoRA
	case strings.Contains(l, "lora"):
		return estimate.LoRA
	case strings.Contains(l, "full"):
		return estimate.Full
	}
	return estimate.Pretrain
}

// precisionOf reads a number format and its scaling recipe.
func precisionOf(s string) (estimate.Precision, string) {
	l := strings.ToLower(s)
	switch {
	case strings.Contains(l, "mxfp8"):
		return estimate.FP8, "mx"
	case strings.Contains(l, "fp4"):
		return estimate.FP4, ""
	case strings.Contains(l, "rowwise"):
		return estimate.FP8, "row"
	case strings.Contains(l, "fp8"):
		return estimate.FP8, ""
	case strings.Contains(l, "int8"), strings.Contains(l, "8-bit"):
		return estimate.INT8, ""
	case strings.Contains(l, "q4"):
		return estimate.Q4, ""
	case strings.Contains(l, "int4"), strings.Contains(l, "nf4"), strings.Contains(l, "4-bit"), strings.Contains(l, "awq"):
		return estimate.INT4, ""
	case strings.Contains(l, "bf16"), strings.Contains(l, "16"):
		return estimate.BF16, ""
	case strings.Contains(l, "fp32"), strings.Contains(l, "32-bit"):
		return estimate.FP32, ""
	}
	return estimate.BF16, ""
}

// stackOf is the training software, read from the source and its repository.
func stackOf(r record) string {
	text := strings.ToLower(r.text("source_group") + " " + r.text("source_repo") + " " + r.text("parallelism"))
	notes := strings.ToLower(r.text("notes"))
	switch {
	case strings.Contains(notes, "includes every stop"):
		return "programme"
	case strings.Contains(text, "bigscience"), strings.Contains(text, "megatron-deepspeed"):
		return "megatron-deepspeed"
	case strings.Contains(text, "mlperf"):
		return "mlperf"
	case strings.Contains(text, "megatron"), strings.Contains(text, "nemo"):
		return "megatron"
	case strings.Contains(text, "foundry"):
		return "llm-foundry"
	case strings.Contains(text, "torchtitan"):
		return "torchtitan"
	case strings.Contains(text, "torchtune"):
		return "torchtune"
	case strings.Contains(text, "maxtext"):
		return "maxtext"
	case strings.Contains(text, "deepspeed"):
		return "deepspeed"
	}
	return "other"
}

// trainingYear dates a row by its container or benchmark round.
func trainingYear(r record) float64 {
	if m := containerDate().FindStringSubmatch(r.text("notes")); m != nil {
		y, _ := strconv.Atoi(m[1])
		mo, _ := strconv.Atoi(m[2])
		return 2000 + float64(y) + float64(mo-1)/12
	}
	switch g := r.text("source_group"); {
	case strings.Contains(g, "v4.0"):
		return 2024.4
	case strings.Contains(g, "v4.1"):
		return 2024.8
	case strings.Contains(g, "v5.0"):
		return 2025.4
	case strings.Contains(g, "v5.1"):
		return 2025.8
	case strings.Contains(g, "foundry"):
		return 2023.8
	case strings.Contains(g, "bigscience"):
		return 2022
	case strings.Contains(g, "torchtitan"):
		return 2025
	}
	return 0
}
