package estimate_test

import (
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// world is the shipped calibration, cards and language models.
type world struct {
	e      *estimate.Estimator
	gpus   []catalog.GPU
	models []catalog.Model
}

func shipped(t *testing.T) *world {
	t.Helper()
	bin, err := os.ReadFile("../../data/calibration.bin")
	if err != nil {
		t.Fatal(err)
	}
	cal, err := estimate.DecodeCalibration(bin)
	if err != nil {
		t.Fatal(err)
	}
	cat, problems := catalog.Load(os.DirFS("../../data"), "gpus.yaml", "models.yaml")
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	w := &world{e: estimate.New(cal)}
	for _, g := range cat.GPUs {
		if len(g.StandsFor) == 0 && g.MemoryGB > 0 && g.BandwidthGBs > 0 && g.BF16TFLOPS > 0 {
			w.gpus = append(w.gpus, g)
		}
	}
	for _, m := range cat.Models {
		if m.Type == "dense" || m.Type == "MoE" {
			w.models = append(w.models, m)
		}
	}
	return w
}

func (w *world) gpu(t *rapid.T) *catalog.GPU {
	g := rapid.SampledFrom(w.gpus).Draw(t, "gpu")
	return &g
}

func (w *world) model(t *rapid.T) *catalog.Model {
	m := rapid.SampledFrom(w.models).Draw(t, "model")
	return &m
}

var (
	engines    = []string{"vllm", "sglang", "trtllm", "llama.cpp", "transformers", "none known"}
	precisions = []estimate.Precision{estimate.BF16, estimate.FP8, estimate.FP4, estimate.INT4}
	counts     = []int{1, 2, 4, 8, 16, 64}
)

func (w *world) serve(t *rapid.T) estimate.Serve {
	n := rapid.SampledFrom(counts).Draw(t, "gpus")
	return estimate.Serve{
		Model: w.model(t), GPU: w.gpu(t), GPUs: n, Precision: rapid.SampledFrom(precisions).Draw(t, "precision"), KVPrecision: estimate.BF16,
		Engine: rapid.SampledFrom(engines).Draw(t, "engine"), InputTokens: float64(rapid.IntRange(1, 30000).Draw(t, "input")),
		OutputTokens: float64(rapid.IntRange(1, 4000).Draw(t, "output")), Concurrency: float64(rapid.IntRange(1, 3000).Draw(t, "concurrency")),
		Layout: estimate.Layout{TP: n},
	}
}

func (w *world) train(t *rapid.T) estimate.Train {
	return estimate.Train{
		Model: w.model(t), GPU: w.gpu(t), GPUs: rapid.SampledFrom(counts).Draw(t, "gpus"),
		Method:    rapid.SampledFrom([]estimate.Method{estimate.Pretrain, estimate.Full, estimate.LoRA, estimate.QLoRA}).Draw(t, "method"),
		Precision: rapid.SampledFrom([]estimate.Precision{estimate.BF16, estimate.FP8}).Draw(t, "precision"),
		Sequence:  float64(int(512) << rapid.IntRange(0, 5).Draw(t, "sequence")),
		Network:   estimate.Network{Class: rapid.SampledFrom([]estimate.NetworkClass{estimate.NetInfiniBand, estimate.NetEFA, estimate.NetEthernet}).Draw(t, "network")},
		Stack:     rapid.SampledFrom([]string{"", "megatron", "torchtitan", "llm-foundry"}).Draw(t, "stack"),
	}
}

const slack = 1 + 1e-9

// wait is the seconds per output token of a request in flight.
func wait(r estimate.ServeResult) float64 {
	return r.Config.Concurrency / (r.TokensPerSecondGPU.Mid * float64(r.Config.GPUs))
}

func TestLawsOfServing(t *testing.T) {
	w := shipped(t)
	rapid.Check(t, func(t *rapid.T) {
		c := w.serve(t)
		base := w.e.Serve(&c)
		if base.BatchLimit < 1 {
			return
		}
		faster := *c.GPU
		faster.BandwidthGBs *= 1.7
		better := c
		better.GPU = &faster
		if r := w.e.Serve(&better); r.TokensPerSecondGPU.Mid*slack < base.TokensPerSecondGPU.Mid {
			t.Fatalf("more bandwidth is slower: %v, %v", r.TokensPerSecondGPU.Mid, base.TokensPerSecondGPU.Mid)
		}
		faster = *c.GPU
		faster.BF16TFLOPS, faster.FP8TFLOPS, faster.FP4TFLOPS = 2*faster.BF16TFLOPS, 2*faster.FP8TFLOPS, 2*faster.FP4TFLOPS
		faster.MeasuredBF16TFLOPS, faster.MeasuredFP8TFLOPS = 2*faster.MeasuredBF16TFLOPS, 2*faster.MeasuredFP8TFLOPS
		if r := w.e.Serve(&better); r.TokensPerSecondGPU.Mid*slack < base.TokensPerSecondGPU.Mid {
			t.Fatalf("more FLOP/s is slower: %v, %v", r.TokensPerSecondGPU.Mid, base.TokensPerSecondGPU.Mid)
		}
		longer := c
		longer.InputTokens *= 2
		if r := w.e.Serve(&longer); r.BatchLimit >= 1 && r.TokensPerSecondGPU.Mid > base.TokensPerSecondGPU.Mid*slack {
			t.Fatalf("a longer prompt is faster: %v, %v", r.TokensPerSecondGPU.Mid, base.TokensPerSecondGPU.Mid)
		}
		busier := c
		busier.Concurrency *= 2
		r := w.e.Serve(&busier)
		if wait(r)*slack < wait(base) {
			t.Fatalf("more concurrency is faster per request: %v, %v", wait(r), wait(base))
		}
		if r.TPOTms.Mid*slack < base.TPOTms.Mid || r.TTFTms.Mid*slack < base.TTFTms.Mid {
			t.Fatalf("more concurrency shortens a time: %+v, %+v", r.TPOTms, base.TPOTms)
		}
		if r.TokensPerSecondGPU.Mid*slack < base.TokensPerSecondGPU.Mid {
			t.Fatalf("a larger batch has less throughput: %v, %v", r.TokensPerSecondGPU.Mid, base.TokensPerSecondGPU.Mid)
		}
		checkBand(t, base.TokensPerSecondGPU)
		checkBand(t, base.TPOTms)
	})
}

func TestLawsOfTraining(t *testing.T) {
	w := shipped(t)
	rapid.Check(t, func(t *rapid.T) {
		c := w.train(t)
		base, ok := w.e.PlanTrain(&c, 64)
		checkBand(t, base.TokensPerSecondGPU)
		if !ok {
			return
		}
		better := c
		faster := *c.GPU
		faster.BandwidthGBs *= 1.5
		faster.LinkGBs *= 1.5
		faster.BF16TFLOPS, faster.FP8TFLOPS = 1.5*faster.BF16TFLOPS, 1.5*faster.FP8TFLOPS
		faster.MeasuredBF16TFLOPS, faster.MeasuredFP8TFLOPS = 1.5*faster.MeasuredBF16TFLOPS, 1.5*faster.MeasuredFP8TFLOPS
		better.GPU = &faster
		if r, _ := w.e.PlanTrain(&better, 64); r.TokensPerSecondGPU.Mid*slack < base.TokensPerSecondGPU.Mid {
			t.Fatalf("a better card is slower: %v, %v", r.TokensPerSecondGPU.Mid, base.TokensPerSecondGPU.Mid)
		}
		longer := c
		longer.Sequence *= 2
		if r, ok := w.e.PlanTrain(&longer, 64); ok && r.TokensPerSecondGPU.Mid > base.TokensPerSecondGPU.Mid*slack {
			t.Fatalf("a longer context is faster: %v, %v (%+v, %+v)", r.TokensPerSecondGPU.Mid, base.TokensPerSecondGPU.Mid, r.Config, base.Config)
		}
		slow := c
		slow.Network.GBsPerGPU = estimate.NetworkGBs(c.Network.Class, c.GPU) / 3
		if r, _ := w.e.PlanTrain(&slow, 64); r.TokensPerSecondGPU.Mid > base.TokensPerSecondGPU.Mid*slack {
			t.Fatalf("a slower network is faster: %v, %v", r.TokensPerSecondGPU.Mid, base.TokensPerSecondGPU.Mid)
		}
	})
}

func checkBand(t *rapid.T, b estimate.Band) {
	if !(b.Low > 0 && b.Low <= b.Mid && b.Mid <= b.High && b.High < 1e12) {
		t.Fatalf("band out of order: %+v", b)
	}
}

// A request alone is never faster than the weights can be read, whatever was
// fitted, and a replica at its batch limit fits.
func TestRooflineHolds(t *testing.T) {
	w := shipped(t)
	rapid.Check(t, func(t *rapid.T) {
		c := w.serve(t)
		c.Mode, c.Concurrency, c.Layout = estimate.Saturated, 0, estimate.Layout{}
		r := w.e.Serve(&c)
		if r.BatchLimit < 1 {
			return
		}
		if !r.Memory.Fits {
			t.Fatalf("the batch limit does not fit: %+v", r.Memory)
		}
		s := estimate.NewShape(c.Model)
		bits := map[estimate.Precision]float64{estimate.BF16: 2, estimate.FP8: 1, estimate.FP4: 0.5625, estimate.INT4: 0.56}[c.Precision]
		if limit := float64(c.GPUs) * c.GPU.BandwidthGBs / (bits * s.Touched(1) / 1e9); r.SingleStream > limit*slack {
			t.Fatalf("%v tokens/s from one request, bandwidth allows %v", r.SingleStream, limit)
		}
	})
}

// Measured: FSDP of a 7B model on H100 machines is 26 to 28 times slower over
// sockets of 40-50 Gb/s than over eight 400 Gb/s adapters (network.csv,
// net-01). One adapter of 45 Gb/s shared by eight GPUs is 0.7 GB/s each.
func TestSlowNetworkIsPaidInFull(t *testing.T) {
	w := shipped(t)
	c := estimate.Train{GPUs: 16, Method: estimate.Full, Sequence: 4096, MicroBatch: 1, Sharding: estimate.ShardZeRO3, Recompute: estimate.RecomputeNone}
	for i := range w.gpus {
		if w.gpus[i].ID == "h100-80gb-sxm" {
			c.GPU = &w.gpus[i]
		}
	}
	for i := range w.models {
		if w.models[i].ID == "qwen2.5-7b" {
			c.Model = &w.models[i]
		}
	}
	fast := w.e.Train(&c).TokensPerSecondGPU.Mid
	c.Network.GBsPerGPU = 0.7
	if ratio := fast / w.e.Train(&c).TokensPerSecondGPU.Mid; ratio < 18 || ratio > 40 {
		t.Errorf("InfiniBand is %.1f times faster than sockets, measured 26 to 28", ratio)
	}
}

// A card of a family that nobody measured gets physics and a wide band.
func TestUnmeasuredFamilies(t *testing.T) {
	w := shipped(t)
	for i := range w.gpus {
		g := &w.gpus[i]
		if g.Vendor != "Huawei" && g.Vendor != "Cambricon" {
			continue
		}
		m := w.models[0]
		for _, b := range []estimate.Band{
			w.e.Serve(&estimate.Serve{Model: &m, GPU: g, GPUs: 8, Concurrency: 8}).TokensPerSecondGPU,
			w.e.Train(&estimate.Train{Model: &m, GPU: g, GPUs: 8}).TokensPerSecondGPU,
		} {
			if b.Low > 0.4001*b.Mid || b.High < 1.6999*b.Mid {
				t.Errorf("%s: %+v is narrower than x0.4 to x1.7", g.ID, b)
			}
		}
	}
}
