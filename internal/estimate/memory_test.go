package estimate

import (
	"math"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
)

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s: got %.6g, want %.6g", name, got, want)
	}
}

// Sixteen bytes per parameter: 70.55e9 x 16 / 8 = 141.1 GB per GPU before any
// activation, so eight cards of 80 GB cannot hold it.
func TestFullFineTuningOf70BOn8xH100(t *testing.T) {
	c := Train{Model: llama70b(), GPU: h100(), GPUs: 8, Method: Full, Recompute: RecomputeFull, MicroBatch: 1, Sequence: 2048, Sharding: ShardZeRO3}
	s := NewShape(c.Model)
	c.Resolve(&s)
	m := TrainMemory(&c, &s)
	near(t, "weights", m.Parts.Weights, 17.6375, 1e-6)
	near(t, "gradients", m.Parts.Gradients, 17.6375, 1e-6)
	near(t, "optimizer", m.Parts.Optimizer, 105.825, 1e-6)
	if m.Fits || !strings.Contains(m.Why, "memory") || !strings.Contains(m.Why, "optimizer") {
		t.Errorf("fits %v, why %q", m.Fits, m.Why)
	}
	c.Offload = true
	m = TrainMemory(&c, &s)
	if !m.Fits {
		t.Errorf("with states in host memory: %s", m.Why)
	}
	near(t, "host memory", m.HostGB, 8*(17.6375+17.6375+105.825), 1e-6)
}

func TestFitVerdicts(t *testing.T) {
	a100 := *h100()
	a100.ID, a100.Architecture, a100.FP8TFLOPS = "a100-80gb-sxm", "Ampere", 0
	h200 := *h100()
	h200.ID, h200.MemoryGB = "h200-141gb-sxm", 141
	l13 := &catalog.Model{ID: "llama-2-13b", ParamsB: 13.02, ActiveB: 13.02, Layers: 40, Hidden: 5120, Heads: 40, KVHeads: 40, HeadDim: 128, FFN: 13824, Vocab: 32000, KVBytesPerTokenBF16: 819200}
	l8 := &catalog.Model{ID: "llama-3.1-8b", ParamsB: 8.03, ActiveB: 8.03, Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, FFN: 14336, Vocab: 128256}
	for _, v := range []struct {
		name string
		c    Train
		want bool
	}{
		{"13B LoRA on one A100", Train{Model: l13, GPU: &a100, GPUs: 1, Method: LoRA, Sequence: 2048, MicroBatch: 1}, true},
		{"8B full on one H100", Train{Model: l8, GPU: h100(), GPUs: 1, Method: Full, Sequence: 2048, MicroBatch: 1}, false}, // 128 GB of states
		{"8B full on two H100", Train{Model: l8, GPU: h100(), GPUs: 2, Method: Full, Sequence: 2048, MicroBatch: 1, Sharding: ShardZeRO3}, true},
		{"70B full with 8-bit states on 16 H100", Train{Model: llama70b(), GPU: h100(), GPUs: 16, Method: Full, Optimizer: AdamW8bit, Sequence: 2048, MicroBatch: 1, Sharding: ShardZeRO3}, true},
		{"70B LoRA on one H100", Train{Model: llama70b(), GPU: h100(), GPUs: 1, Method: LoRA, Sequence: 2048, MicroBatch: 1}, false}, // 141 GB of weights
		{"70B QLoRA on one H100", Train{Model: llama70b(), GPU: h100(), GPUs: 1, Method: QLoRA, Sequence: 2048, MicroBatch: 1}, true},
	} {
		if got := New(nil).Train(&v.c).Memory; got.Fits != v.want {
			t.Errorf("%s: fits %v (%.1f of %.1f GB), want %v", v.name, got.Fits, got.NeededGB, got.AvailableGB, v.want)
		}
	}
}

// 70.55e9 BF16 parameters are 141.1 GB: one H200 holds them and little else.
func TestH200Holds70BInBF16WithoutRoom(t *testing.T) {
	h200 := *h100()
	h200.ID, h200.MemoryGB, h200.BandwidthGBs = "h200-141gb-sxm", 141, 4800
	r := New(nil).Serve(&Serve{Model: llama70b(), GPU: &h200, GPUs: 1, Precision: BF16, InputTokens: 1000, OutputTokens: 1000, Concurrency: 1})
	if r.BatchLimit > 12 {
		t.Errorf("room for %.0f sequences of 2,000 tokens, want almost none", r.BatchLimit)
	}
	fp8 := New(nil).Serve(&Serve{Model: llama70b(), GPU: &h200, GPUs: 1, Precision: FP8, InputTokens: 1000, OutputTokens: 1000, Concurrency: 1})
	if !fp8.Memory.Fits || fp8.BatchLimit < 100 {
		t.Errorf("FP8: fits %v, room for %.0f sequences", fp8.Memory.Fits, fp8.BatchLimit)
	}
}

func TestRefusalSaysWhatWouldFit(t *testing.T) {
	r, ok := New(nil).PlanTrain(&Train{Model: llama70b(), GPU: h100(), GPUs: 1, Method: Full}, 1)
	if ok || r.Memory.Why == "" {
		t.Fatalf("70B full fine-tuning on one 80 GB card: fits %v, why %q", ok, r.Memory.Why)
	}
	all := strings.Join(r.Memory.Remedies, "; ")
	for _, want := range []string{"QLoRA", "GPUs of the same kind"} {
		if !strings.Contains(all, want) {
			t.Errorf("remedies %q do not name %s", all, want)
		}
	}
}

func TestPartsSumToNeeded(t *testing.T) {
	c := Train{Model: deepseek(), GPU: h100(), GPUs: 512, Method: Pretrain, Precision: FP8}
	s := NewShape(c.Model)
	c.Resolve(&s)
	m := TrainMemory(&c, &s)
	sum := 0.0
	m.Parts.Each(func(_ string, gb float64) { sum += gb })
	near(t, "sum of parts", sum, m.NeededGB, 1e-9)
}
