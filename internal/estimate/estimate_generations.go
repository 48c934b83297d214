package estimate

import (
	"cmp"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// Generation is how one kind of GPU does one piece of work: whether it fits,
// how fast it is beside what was measured, and what the cheapest offer costs.
type Generation struct {
	Workload   string         `json:"workload"` // lora, full, online or offline
	GPU        string         `json:"gpu"`      // as it was asked for
	Variant    string         `json:"variant"`  // the GPU that is cheapest
	GPUs       int64          `json:"gpus"`
	Fits       bool           `json:"fits"`
	Reason     string         `json:"reason"` // why it does not, or not as it is sold
	Rate       *Triple        `json:"tokens_per_second_per_gpu"`
	Measured   *Measured      `json:"measured"`
	Single     *float64       `json:"single_stream_tokens_per_second"`
	Class      string         `json:"class"`
	Hours      *Triple        `json:"hours"`
	Cost       money.Range    `json:"cost"`
	PerMTok    money.Range    `json:"per_mtok"`
	Currency   money.Currency `json:"currency"`
	Provider   string         `json:"provider"`
	Purchase   string         `json:"purchase"`
	AsOf       string         `json:"as_of"`
	Confidence string         `json:"confidence"`
}

// Measured is the spread of measured rates of a model on a GPU, tokens per
// second and GPU, over precisions, software and loads.
type Measured struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Rows int     `json:"rows"`
}

// generationWork is the work that GPUs are compared on.
var generationWork = []struct {
	name, kind, method string // of the measured rows
	settings           []Setting
}{
	{"lora", "training", "lora", []Setting{
		{"kind", "train", ""}, {"train.method", "lora", ""}, {"train.tokens", "30M", ""}, {"train.epochs", "3", ""}, {"train.sequence", "4096", ""}, {"train.lora_rank", "16", ""}, {"storage.checkpoint_gb", "0", ""},
	}},
	{"full", "training", "full", []Setting{
		{"kind", "train", ""}, {"train.method", "full", ""}, {"train.tokens", "50M", ""}, {"train.sequence", "4096", ""}, {"storage.checkpoint_gb", "0", ""},
	}},
	{"online", "online", "online", []Setting{
		{"kind", "serve", ""}, {"serve.requests_per_day", "100000", ""}, {"serve.input_tokens", "1000", ""}, {"serve.output_tokens", "300", ""}, {"serve.precision", "fp8", ""},
	}},
	{"offline", "offline", "", []Setting{
		{"kind", "batch", ""}, {"batch.requests", "100000", ""}, {"batch.input_tokens", "1000", ""}, {"batch.output_tokens", "300", ""}, {"batch.precision", "fp8", ""},
	}},
}

// Generations compares GPUs on LoRA, full fine-tuning, online and offline
// serving of one model. A GPU that nobody sells at a known price is still put
// to the work, on a machine of eight.
func Generations(r *Request, model string, gpus []string) ([]Generation, error) {
	var out []Generation
	for _, w := range generationWork {
		for _, name := range gpus {
			s := &Scenario{}
			if err := s.Set(append(slices.Clone(w.settings), Setting{"model", model, "--model"}, Setting{"hardware.gpu", name, "--gpu"})...); err != nil {
				return nil, err
			}
			one := *r
			one.Scenario, one.Explain = s, false
			v, err := newEvaluator(&one)
			if err != nil {
				return nil, err
			}
			a, err := Run(&one)
			if err != nil {
				return nil, err
			}
			g := Generation{Workload: w.name, GPU: name, Currency: a.Currency}
			switch {
			case len(a.Estimates) > 0:
				g.priced(&a.Estimates[0])
			default:
				v.unpriced(&g, name, a)
			}
			g.Measured = r.Estimator.measured(w.kind, w.method, v.job.shape.Arch, g.Variant)
			out = append(out, g)
		}
	}
	return out, nil
}

func (g *Generation) priced(x *Estimate) {
	g.Fits, g.Variant, g.GPUs, g.Rate, g.Class, g.Single = true, x.place.gpu.ID, x.GPUs, x.Throughput.PerGPU, x.Class, x.Throughput.SingleStream
	g.Hours, g.Cost, g.PerMTok, g.Provider, g.Purchase, g.AsOf, g.Confidence = x.Hours, x.Cost, x.PerMTok, x.ProviderName, string(x.Purchase), x.AsOf, x.Confidence
}

// unpriced puts the work on a machine of eight.
func (v *evaluator) unpriced(g *Generation, name string, a *Answer) {
	if len(a.Infeasible) > 0 {
		g.Reason, g.Variant = a.Infeasible[0].Reason, a.Infeasible[0].GPU
	}
	set, err := catalog.NewNames(v.Catalog.GPUs).ParseGPUs(name)
	if err != nil || len(set.Queries[0].IDs) == 0 {
		return
	}
	ids := slices.Clone(set.Queries[0].IDs)
	slices.SortFunc(ids, func(x, y string) int { // the best known, then the fastest
		return cmp.Or(cmp.Compare(v.gpus[y].BF16TFLOPS, v.gpus[x].BF16TFLOPS), cmp.Compare(x, y))
	})
	p := v.job.place(v.Estimator, machine{gpu: v.gpus[ids[0]], per: 8, net: Network{Class: NetEthernet, GBsPerGPU: plainEthernet / 8}})
	g.Variant = ids[0]
	if p.bad != nil {
		g.Reason = p.bad.Reason
		return
	}
	g.Fits, g.GPUs, g.Rate, g.Class = true, p.loads[1].used, triple(p.rate), string(p.class)
	if p.single > 0 {
		g.Single = &p.single
	}
	h := func(i int) float64 { return hoursOf(p.loads[i].ms) }
	g.Hours = &Triple{h(0), h(1), h(2)}
}

// measured is the spread of the measured rows of an architecture on a GPU.
func (e *Estimator) measured(kind, method, arch, gpu string) *Measured {
	var m *Measured
	for _, a := range e.cal.Anchors {
		if a.Kind != kind || a.Arch != arch || a.GPU != gpu || method != "" && a.Method != method {
			continue
		}
		if m == nil {
			m = &Measured{a.Value, a.Value, 0}
		}
		m.Low, m.High, m.Rows = min(m.Low, a.Value), max(m.High, a.Value), m.Rows+1
	}
	return m
}
