package calibrate

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

// readInference turns the rows of inference.csv into observations.
func readInference(t *table, names *Names) []observation {
	out := make([]observation, len(t.rows))
	for i := range t.rows {
		out[i] = inferenceRow(t.record(i), names)
	}
	return out
}

// datasets are the mean prompt lengths of the MLPerf inference workloads,
// whose rows state the answer's length only, and the number of sequences that
// a sample decodes (GPT-J uses four beams).
var datasets = map[string]struct{ input, output, beams float64 }{
	"llama-2-70b":      {294, 292, 1}, // OpenOrca
	"mixtral-8x7b":     {430, 145, 1}, // OpenOrca, GSM8K, MBXP
	"gptj":             {919, 69, 4},  // CNN-DailyMail
	"llama-3.1-8b":     {778, 128, 1}, // CNN-DailyMail
	"llama-3.1-405b":   {9428, 652, 1},
	"deepseek-v3":      {800, 3700, 1},
	"deepseek-r1":      {800, 3700, 1},
	"whisper-large-v3": {1500, 64, 1}, // 30 s windows of LibriSpeech
}

func inferenceRow(r record, names *Names) observation {
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
	c := &o.serve
	*c = estimate.Serve{
		Model: m, GPU: g, GPUs: max(1, r.gpus()), Engine: strings.ToLower(r.text("engine")), Year: servingYear(r),
		InputTokens: r.number("input_len"), OutputTokens: r.number("output_len"), Concurrency: r.number("concurrency"),
		Layout: parseLayout(par), Mode: modeOf(r.text("scenario")),
	}
	c.Precision, _ = precisionOf(r.text("precision"))
	o.shape = estimate.NewShape(m)
	if o.shape.NativeFP4 && c.Precision != estimate.BF16 {
		c.Precision = estimate.FP4 // released in MXFP4, whatever a row calls it
	}
	if d, ok := datasets[m.ID]; ok && c.InputTokens == 0 && strings.Contains(o.source, "MLPerf") {
		c.InputTokens = d.input
		if c.OutputTokens == 0 {
			c.OutputTokens = d.output
		}
		c.OutputTokens *= d.beams
	}
	o.layoutOf(par)
	c.Resolve(&o.shape)
	o.arch, o.method = o.shape.Arch, string(c.Mode)
	o.group = o.arch + " " + g.ID + " " + o.method
	o.measureServing(r)
	return o
}

// layoutOf reads a serving layout; disaggregated decode workers of a mixture
// of experts with many requests each are taken to divide attention by request.
func (o *observation) layoutOf(par string) {
	c := &o.serve
	if m := disaggPattern().FindStringSubmatch(par); m != nil {
		var v [4]int
		for i := range v {
			v[i], _ = strconv.Atoi(m[i+1])
		}
		c.PrefillGPUs, c.DecodeGPUs, c.DecodeTP = v[0]*v[1], v[2]*v[3], v[3]
		c.Layout = estimate.Layout{EP: 1}
		if o.shape.MoE && c.Concurrency/float64(max(v[2], 1)) > 4*float64(v[3]) {
			c.Layout.AttentionDP = true
		}
	}
	if strings.Contains(strings.ToLower(c.Engine), "ep") && c.Layout == (estimate.Layout{}) && c.GPUs > 1 {
		c.Layout.AttentionDP, c.Layout.EP = true, c.GPUs
	}
	c.Layout.DP = 0
}

// measureServing picks what the row measured and works out the physics at the
// batch that the load implies.
func (o *observation) measureServing(r record) {
	c := &o.serve
	n := float64(c.GPUs)
	limit := c.BatchLimit(&o.shape)
	if limit == 0 && !o.shape.Diffusion && c.Mode != estimate.PrefillOnly {
		o.skip = "the stated GPUs cannot hold the weights: a share of a larger system"
		return
	}
	batch := math.Max(1, limit)
	switch {
	case c.Mode == estimate.SingleStream:
		batch = 1
	case c.Concurrency > 0 && c.Mode == estimate.Online:
		batch = math.Min(c.Concurrency, batch)
	case c.Concurrency > 0:
		batch = math.Min(c.Concurrency, batch)
	}
	estimate.ServePhysics(c, &o.shape, batch, &o.physics)
	out, samples, pre := r.number("out_tok_s_per_gpu"), r.number("samples_s_total"), r.number("prefill_tok_s")
	switch {
	case c.Mode == estimate.PrefillOnly && pre > 0:
		o.measured, o.scale = pre/n, 1/n
	case o.shape.Diffusion && samples > 0:
		o.measured, o.scale = samples/n, 1
	case out > 0:
		o.measured, o.scale = out, batch/n
	case r.number("out_tok_s_total") > 0:
		o.measured, o.scale = r.number("out_tok_s_total")/n, batch/n
	case samples > 0:
		o.measured, o.scale = samples/n, batch/c.OutputTokens/n
	default:
		o.skip = "no throughput is stated"
		return
	}
	o.logTime = math.Log(o.scale / o.measured)
	o.tpot, o.ttft = r.number("tpot_ms_mean"), r.number("ttft_ms_mean")
	o.batch = batch
	if o.ttft > 0 && c.Mode == estimate.Online {
		estimate.FirstTokenPhysics(c, &o.shape, batch, &o.first)
	}
	o.suspect = o.doubt(r)
	if o.suspect == "" && o.beatsPeak() {
		o.suspect = "prefill and decode together beat the peak: cached prompts not stated"
	}
}

// beatsPeak says that the measured rate needs more FLOP/s than the best
// product ever measured on the GPU.
func (o *observation) beatsPeak() bool {
	c := &o.serve
	if o.shape.Diffusion || c.Mode == estimate.PrefillOnly || c.Mode == estimate.DecodeOnly || c.DecodeGPUs > 0 {
		return false
	}
	tokens := o.measured * (1 + c.InputTokens/c.OutputTokens)
	return 2*o.shape.Active*tokens > 1e12*estimate.Achievable(c.GPU, c.Precision)
}

// doubt names why a row is not fitted on, from general rules only.
func (o *observation) doubt(r record) string {
	c := &o.serve
	if c.Engine != "" && strings.Contains(c.Engine, "transformers") && o.shape.MoE {
		return "mixtures of experts in Transformers run expert by expert"
	}
	if strings.Contains(r.text("notes"), "SUSPECT") {
		return "the source is marked as suspect"
	}
	return ""
}

func modeOf(s string) estimate.Mode {
	l := strings.ToLower(s)
	switch {
	case strings.Contains(l, "closed-loop"), strings.Contains(l, "online"):
		return estimate.Online
	case strings.Contains(l, "max throughput"):
		return estimate.Saturated
	case strings.Contains(l, "offline"):
		return estimate.Offline
	case strings.Contains(l, "interactive"):
		return estimate.Interactive
	case strings.Contains(l, "server"):
		return estimate.Server
	case strings.Contains(l, "single"):
		return estimate.SingleStream
	case strings.Contains(l, "prefill"):
		return estimate.PrefillOnly
	case strings.Contains(l, "decode"), strings.Contains(l, "mixed"):
		return estimate.DecodeOnly
	}
	return estimate.Online
}

// release dates an engine's version.
type release struct {
	version, year float64
}

// releases are when versions came out, by engine; versions are major x 1000 +
// minor x 10 + patch/10 of the usual numbering.
var releases = []struct {
	engine string
	dates  []release
}{
	{"vllm", []release{{5, 2024.55}, {6, 2024.75}, {9, 2025.45}, {10, 2025.6}, {12, 2025.95}, {15, 2026.1}, {19, 2026.3}}},
	{"sglang", []release{{4.6, 2025.35}, {5.1, 2025.65}, {5.5, 2025.85}, {5.6, 2025.95}, {5.8, 2026.1}, {5.91, 2026.3}}},
	{"tensorrt-llm", []release{{5, 2023.85}, {6, 2023.95}, {100, 2025.75}, {102, 2026.1}}},
	{"trtllm", []release{{8, 2026}, {100, 2025.6}, {102, 2026.1}, {103, 2026.25}}},
	{"tensorrt", []release{{93, 2024.5}, {102, 2024.6}, {108, 2025.1}, {111, 2025.55}, {113, 2025.7}}},
	{"llama.cpp", []release{{0, 2024.4}}},
	{"transformers", []release{{51, 2025.3}}},
}

// servingYear dates a row: by its own date, else by the engine's version.
func servingYear(r record) float64 {
	if m := measuredOn().FindStringSubmatch(r.text("notes")); m != nil {
		y, _ := strconv.Atoi(m[1])
		mo, _ := strconv.Atoi(m[2])
		return float64(y) + (float64(mo)-0.5)/12
	}
	return engineYear(strings.ToLower(r.text("engine")))
}

func engineYear(engine string) float64 {
	for _, e := range releases {
		at := strings.Index(engine, e.engine)
		if at < 0 {
			continue
		}
		v := 0.0
		if m := versionPattern().FindStringSubmatch(engine[at+len(e.engine):]); m != nil {
			major, _ := strconv.ParseFloat(m[1], 64)
			minor, _ := strconv.ParseFloat(m[2], 64)
			v = versionNumber(e.engine, major, minor, engine[at:])
		}
		return interpolate(e.dates, v)
	}
	return 0
}

// versionNumber orders an engine's versions in one number.
func versionNumber(engine string, major, minor float64, text string) float64 {
	switch engine {
	case "sglang": // 0.5.6 -> 5.6
		m := patchPattern().FindStringSubmatch(text)
		if m == nil {
			return 5.95
		}
		patch, _ := strconv.ParseFloat(m[1], 64)
		return minor + math.Min(patch, 9.5)/10
	case "tensorrt":
		return major*10 + minor
	case "transformers":
		return minor
	}
	return major*100 + minor
}

func interpolate(d []release, v float64) float64 {
	if v <= d[0].version {
		return d[0].year
	}
	for i := 1; i < len(d); i++ {
		if v <= d[i].version {
			f := (v - d[i-1].version) / (d[i].version - d[i-1].version)
			return d[i-1].year + f*(d[i].year-d[i-1].year)
		}
	}
	return d[len(d)-1].year
}
