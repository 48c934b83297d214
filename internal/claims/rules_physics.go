package claims

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// parties are the claim's model and GPU.
func (r *run) parties() (*catalog.Model, *catalog.GPU, error) {
	m, g := catalog.FindModel(r.cat, r.e.Model), r.gpu(r.e.GPU)
	if m == nil || g == nil {
		return nil, nil, fmt.Errorf("no model %q or GPU %q", r.e.Model, r.e.GPU)
	}
	r.cite(m.Source, catalog.Date{})
	r.spec(g, "memory", g.MemoryGB, "GB")
	return m, g, nil
}

func (r *run) spec(g *catalog.GPU, name string, x float64, unit string) {
	r.input(g.ID+" "+name, x, unit, g.Source, catalog.Date{})
	r.cite(g.Source, catalog.Date{})
}

// ruleSheet: a rate against the data sheet.
func ruleSheet(r *run) error {
	low, _, err := r.articleRange()
	if err != nil {
		return err
	}
	g := r.gpu(r.e.GPU)
	if g == nil {
		return fmt.Errorf("no GPU %q", r.e.GPU)
	}
	r.spec(g, "BF16 and FP16, dense", g.BF16TFLOPS, "TFLOPS")
	r.num("dense", g.BF16TFLOPS)
	r.num("measured", g.MeasuredBF16TFLOPS)
	r.our(g.BF16TFLOPS, g.BF16TFLOPS, r.e.Unit)
	d := low/g.BF16TFLOPS - 1
	r.judge(d >= -tolerance/100.0 && d <= tolerance/100.0)
	return nil
}

// ruleSparse: an FP4 rate that only a sparse figure reaches, and single cards
// that are hard to rent: two parts. The other GPU is the first word.
func ruleSparse(r *run) error {
	low, _, err := r.articleRange()
	if err != nil {
		return err
	}
	g, other := r.gpu(r.e.GPU), r.gpu(r.e.Words[0])
	if g == nil || other == nil {
		return fmt.Errorf("no GPU %q or %q", r.e.GPU, r.e.Words[0])
	}
	r.spec(g, "FP4 dense", g.FP4TFLOPS, "TFLOPS")
	r.spec(g, "FP4 sparse", g.SparseFP4TFLOPS, "TFLOPS")
	r.spec(other, "FP4 sparse", other.SparseFP4TFLOPS, "TFLOPS")
	single, err := r.prices("single")
	if err != nil {
		return err
	}
	sellers := single.now.sellers()
	r.num("dense", g.FP4TFLOPS/1000)
	r.num("sparse", g.SparseFP4TFLOPS/1000)
	r.num("other_dense", other.FP4TFLOPS/1000)
	r.num("other_sparse", other.SparseFP4TFLOPS/1000)
	r.say("n_single", fmt.Sprint(len(sellers)))
	r.tell("singles", list(r.named(sellers), 6))
	good, bad := 0, 0
	matches := func(x float64) bool { return x >= 1000*low*(1-tolerance/100.0) && x <= 1000*low*(1+tolerance/100.0) }
	switch {
	case matches(g.FP4TFLOPS), matches(g.SparseFP4TFLOPS), matches(other.SparseFP4TFLOPS):
		good++
	default:
		bad++
	}
	if len(sellers) < several {
		good++
	} else {
		bad++
	}
	r.our(g.FP4TFLOPS/1000, g.SparseFP4TFLOPS/1000, r.e.Unit)
	r.parts(good, bad, 2)
	if !matches(g.FP4TFLOPS) && good > 0 {
		r.verdict(HoldsIf)
	}
	r.condition(other.SparseFP4TFLOPS/1000, other.SparseFP4TFLOPS/1000, r.e.Unit)
	return nil
}

// ruleServeFits: a model in FP16 on one card, with room for at least one
// request.
func ruleServeFits(r *run) error {
	m, g, err := r.parties()
	if err != nil {
		return err
	}
	in := estimate.Serve{Model: m, GPU: g, GPUs: 1, Precision: estimate.FP16, InputTokens: 1000, OutputTokens: 300, Concurrency: 1}
	full := r.o.Estimator.Serve(&in)
	in.Precision = estimate.FP8
	half := r.o.Estimator.Serve(&in)
	r.num("weights", full.Memory.Parts.Weights)
	r.num("needed", full.Memory.NeededGB)
	r.num("available", full.Memory.AvailableGB)
	r.num("fp8", half.Memory.NeededGB)
	r.num("room", float64(int(full.BatchLimit)))
	r.our(full.Memory.NeededGB, full.Memory.NeededGB, "GB")
	r.judge(full.Memory.Fits)
	return nil
}

// ruleFullFits: full fine-tuning on the claim's machine and host memory.
func ruleFullFits(r *run) error {
	m, g, err := r.parties()
	if err != nil {
		return err
	}
	v, err := r.givens("gpus", "host_gb")
	if err != nil {
		return err
	}
	in := estimate.Train{Model: m, GPU: g, GPUs: int(v[0]), Method: estimate.Full, Sequence: 4096}
	plain := r.o.Estimator.Train(&in)
	in.Offload = true
	offload := r.o.Estimator.Train(&in)
	plan, found := r.o.Estimator.PlanTrain(&estimate.Train{Model: m, GPU: g, Method: estimate.Full, Sequence: 4096}, 256)
	r.num("needed", plain.Memory.NeededGB)
	r.num("available", plain.Memory.AvailableGB)
	r.num("host", offload.Memory.HostGB)
	r.num("least", 0)
	if found {
		r.num("least", float64(plan.Config.GPUs))
	}
	r.our(float64(plan.Config.GPUs), float64(plan.Config.GPUs), "gpus")
	switch {
	case plain.Memory.Fits:
		r.verdict(Holds)
	case offload.Memory.Fits && offload.Memory.HostGB <= v[1]:
		r.verdict(HoldsIf)
	default:
		r.verdict(DoesNotHold)
	}
	r.condition(offload.Memory.HostGB, offload.Memory.HostGB, "GB")
	return nil
}

// ruleLoRAFits: a LoRA run on one card.
func ruleLoRAFits(r *run) error {
	m, g, err := r.parties()
	if err != nil {
		return err
	}
	res := r.o.Estimator.Train(&estimate.Train{Model: m, GPU: g, GPUs: 1, Method: estimate.LoRA, Sequence: 4096})
	r.num("needed", res.Memory.NeededGB)
	r.num("available", res.Memory.AvailableGB)
	r.num("weights", res.Memory.Parts.Weights)
	r.num("rate", res.TokensPerSecondGPU.Mid)
	r.our(res.Memory.NeededGB, res.Memory.NeededGB, "GB")
	r.judge(res.Memory.Fits)
	return nil
}

// manyRequests is the load at which a replica's capacity is stated.
const manyRequests = 64

// ruleStream: a speed of a whole replica, which is reached by so many requests
// in flight: one stream cannot exceed bandwidth / bytes of the weights.
func ruleStream(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	m, g, err := r.parties()
	if err != nil {
		return err
	}
	v, err := r.givens("gpus", "weight_bytes", "input_tokens", "output_tokens")
	if err != nil {
		return err
	}
	gpus := int(v[0])
	bound := v[0] * g.BandwidthGBs / (m.ParamsB * v[1])
	r.spec(g, "bandwidth", g.BandwidthGBs, "GB/s")
	r.input("parameters of "+m.ID, m.ParamsB, "billion", m.Source, catalog.Date{})
	total := func(requests int) float64 {
		res := r.o.Estimator.Serve(&estimate.Serve{
			Model: m, GPU: g, GPUs: gpus, Precision: estimate.Precision(r.e.Words[0]), Engine: "vllm",
			InputTokens: v[2], OutputTokens: v[3], Concurrency: float64(requests),
		})
		return res.TokensPerSecondGPU.Mid * v[0]
	}
	alone, many := total(1), total(manyRequests)
	from, to := 0, 0
	for n := 1; n <= manyRequests; n++ {
		switch t := total(n); {
		case from == 0 && t >= low*(1-tolerance/100.0):
			from, to = n, n
		case from > 0 && t <= high*(1+tolerance/100.0):
			to = n
		}
	}
	r.num("bound", bound)
	r.num("alone", alone)
	r.num("many", many)
	r.say("requests", fmt.Sprint(manyRequests))
	r.input("estimate for 1 request in flight", alone, "tokens/s", "estimate", catalog.Date{})
	r.input(fmt.Sprintf("estimate for %d requests in flight", manyRequests), many, "tokens/s", "estimate", catalog.Date{})
	r.our(alone, bound, r.e.Unit)
	r.verdict(HoldsIf)
	if from == 0 {
		r.verdict(DoesNotHold)
	}
	r.condition(float64(from), float64(to), "requests")
	return nil
}

// ruleDownload: the time that weights take to come over the network, and the
// rates at which that is what the article says.
func ruleDownload(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	m := catalog.FindModel(r.cat, r.e.Model)
	small := catalog.FindModel(r.cat, r.e.Words[0])
	if m == nil || small == nil {
		return fmt.Errorf("no models %q, %q", r.e.Model, r.e.Words)
	}
	gb := 2 * m.ParamsB
	r.cite(m.Source, catalog.Date{})
	r.input("weights of "+m.ID+", BF16", gb, "GB", m.Source, catalog.Date{})
	rate := func(minutes, gb float64) float64 { return 8 * gb / (60 * minutes) }
	r.num("gb", gb)
	r.num("small_gb", 2*small.ParamsB)
	r.num("small_from", rate(high, 2*small.ParamsB))
	r.num("small_to", rate(low, 2*small.ParamsB))
	at, err := r.given("rate_gbit")
	if err != nil {
		return err
	}
	minutes := 8 * gb / at / 60
	r.num("minutes", minutes)
	r.our(minutes, minutes, r.e.Unit)
	r.verdict(HoldsIf)
	r.condition(rate(high, gb), rate(low, gb), "Gbit/s")
	return nil
}

// ruleFabric: fully sharded training moves about 3 x 2 bytes per parameter in
// and out of every GPU a step; hidden behind the compute it costs nothing, and
// from twice the compute time on it halves the speed.
func ruleFabric(r *run) error {
	m, g, err := r.parties()
	if err != nil {
		return err
	}
	v, err := r.givens("gpus", "tokens_per_gpu", "bytes_per_parameter", "slow_gbit", "gpus_per_node")
	if err != nil {
		return err
	}
	res := r.o.Estimator.Train(&estimate.Train{
		Model: m, GPU: g, GPUs: int(v[0]), Method: estimate.Full, Sequence: 4096, Network: estimate.Network{Class: estimate.NetInfiniBand},
	})
	mfu := res.MFU
	if mfu <= 0 {
		return fmt.Errorf("no utilisation")
	}
	r.spec(g, "BF16, dense", g.BF16TFLOPS, "TFLOPS")
	r.input("share of the peak rate reached", mfu, "ratio", "estimate", catalog.Date{})
	compute := 6 * m.ParamsB * 1e9 * v[1] / (g.BF16TFLOPS * 1e12 * mfu)
	bytes := v[2] * m.ParamsB // GB
	half := bytes / (2 * compute)
	ib := estimate.NetworkGBs(estimate.NetInfiniBand, g)
	slow := v[3] / 8 / v[4]
	r.pct("mfu", mfu)
	r.num("compute", compute)
	r.num("bytes", bytes)
	r.num("ib", ib)
	r.num("ib_s", bytes/ib)
	r.num("slow", slow)
	r.num("slow_s", bytes/slow)
	r.num("slower", max(1, bytes/slow/compute))
	r.num("half", half)
	r.num("half_gbit", 8*half)
	r.our(max(1, bytes/slow/compute), max(1, bytes/slow/compute), "times")
	r.verdict(HoldsIf)
	r.condition(half, half, "GB/s per GPU")
	return nil
}
