package estimate

import (
	"math"
	"testing"
)

// By hand: 6 x 69.4993e9 FLOP over 794.5e12 FLOP/s = 524.85 us; attention
// 6 x 80 x 8192 x 8192 / 794.5e12 = 40.54 us; elementwise 3 passes x 40 x 8192
// x 2 bytes x 80 layers / 3.35e12 = 46.951 us.
func TestTrainingTerms(t *testing.T) {
	c := Train{Model: llama70b(), GPU: h100(), GPUs: 8, Method: Full, Precision: BF16, Sequence: 8192, MicroBatch: 1, Recompute: RecomputeNone, Sharding: ShardZeRO3}
	s := NewShape(c.Model)
	c.Resolve(&s)
	var p Physics
	TrainPhysics(&c, &s, &p)
	near(t, "matrix products", p.Terms[tLinear]*1e6, 524.85, 1e-4)
	near(t, "attention", p.Terms[tAttn]*1e6, 40.545, 1e-4)
	near(t, "elementwise", p.Terms[tMemory]*1e6, 46.951, 1e-4)
	near(t, "gather: 6 x 70.55e9 x 7/8 bytes over 450 GB/s and 8,192 tokens", p.Terms[tShard]*1e6, 6*70.55e9*0.875/450e9/8192*1e6, 1e-9)
	c.Recompute = RecomputeFull
	TrainPhysics(&c, &s, &p)
	near(t, "full recomputation is 8/6 of the products", p.Terms[tLinear]*1e6, 524.85*8/6, 1e-4)
}

// Pipeline bubble (p - 1) / (v m): 7 stages to wait, 4 chunks, 32 micro-batches.
func TestPipelineBubble(t *testing.T) {
	c := Train{Model: llama70b(), GPU: h100(), GPUs: 64, Method: Pretrain, MicroBatch: 1, GlobalBatch: 256, Layout: Layout{TP: 1, PP: 8, Virtual: 4}}
	s := NewShape(c.Model)
	c.Resolve(&s)
	var p Physics
	TrainPhysics(&c, &s, &p)
	busy := p.Terms[tLinear] + p.Terms[tAttn] + p.Terms[tMemory]
	near(t, "bubble", p.Terms[tBubble]/busy, 7.0/(4*32), 1e-9)
}

// One card, FP8: 70.55 GB of weights over 3.35 TB/s = 21.06 ms; 80 layers x
// 20 us; 64 sequences of 1,150 tokens at 163,840 bytes over 3.35 TB/s.
func TestDecodeTerms(t *testing.T) {
	c := Serve{Model: llama70b(), GPU: h100(), GPUs: 1, Precision: FP8, KVPrecision: FP8, InputTokens: 1000, OutputTokens: 300}
	s := NewShape(c.Model)
	c.Resolve(&s)
	var p Physics
	ServePhysics(&c, &s, 64, &p)
	near(t, "weights", p.Terms[vWeights]*1e3, 21.0597, 1e-4)
	near(t, "launch floor", p.Terms[vLaunch]*1e3, 1.6, 1e-9)
	near(t, "cache", p.Terms[vKV]*1e3, 64*1150*163840/3.35e12*1e3, 1e-9)
	near(t, "products", p.Terms[vCompute]*1e3, 64*(2*70.55e9/1402.6e12+4*80*8192*1150/794.5e12)*1e3, 1e-9)
	ServePhysics(&c, &s, 1, &p)
	near(t, "own prefill per output token", p.Terms[vOwnPrefill]*1e6, (2*70.55e9/1402.6e12+2*80*8192*1000/794.5e12)*1000/300*1e6, 1e-9)
}

// The running batch is not the concurrency: what does not fit waits.
func TestQueueing(t *testing.T) {
	e := New(nil)
	c := Serve{Model: llama70b(), GPU: h100(), GPUs: 1, Precision: FP8, InputTokens: 8000, OutputTokens: 300, Concurrency: 512}
	r := e.Serve(&c)
	if r.Batch >= 512 || r.Batch != r.BatchLimit {
		t.Errorf("batch %.0f of limit %.0f at concurrency 512", r.Batch, r.BatchLimit)
	}
	c.Concurrency = r.Batch
	full := e.Serve(&c)
	near(t, "throughput does not grow beyond the limit", r.TokensPerSecondGPU.Mid, full.TokensPerSecondGPU.Mid, 1e-12)
	if r.TTFTms.Mid <= full.TTFTms.Mid {
		t.Error("waiting requests must wait for their first token")
	}
}

// W02 and the review's figures: single-stream speed is bandwidth over bytes at
// most, and saturated throughput is many times that.
func TestSingleStreamIsNotThroughput(t *testing.T) {
	r := New(nil).Serve(&Serve{Model: llama70b(), GPU: h100(), GPUs: 4, Precision: FP8, InputTokens: 500, OutputTokens: 500, Concurrency: 64})
	if limit := 4 * 3350 / 70.55; r.SingleStream <= 0 || r.SingleStream > limit {
		t.Errorf("single stream %.1f tokens/s, want at most bandwidth / bytes = %.1f", r.SingleStream, limit)
	}
	if total := r.TokensPerSecondGPU.Mid * 4; total < 10*r.SingleStream {
		t.Errorf("saturated %.0f tokens/s is not far above the single stream's %.0f", total, r.SingleStream)
	}
}

func TestGoodput(t *testing.T) {
	near(t, "16,384 GPUs", Goodput(16384), 1/(1+466.0/(54*24)*0.3), 1e-12) // 0.903
	if Goodput(8) < 0.9999 {
		t.Errorf("8 GPUs: %v", Goodput(8))
	}
}

func TestDivision(t *testing.T) {
	d := NewShape(deepseek())
	for _, v := range []struct {
		name string
		c    Serve
		want division
	}{
		{"tensor parallel 8", Serve{GPUs: 8, Layout: Layout{TP: 8}}, division{gpus: 8, tp: 8, pp: 1, dense: 8, experts: 8, kv: 1, pre: 8, workers: 1, ranks: 1}},
		{"attention data parallel 8", Serve{GPUs: 8, Layout: Layout{AttentionDP: true, EP: 8}}, division{gpus: 8, tp: 8, pp: 1, dense: 1, experts: 8, kv: 8, pre: 8, workers: 1, ranks: 8}},
		{"two copies", Serve{GPUs: 8, Layout: Layout{TP: 4}}, division{gpus: 4, tp: 4, pp: 1, dense: 4, experts: 4, kv: 1, pre: 4, workers: 2, ranks: 1}},
		{"one prefill worker, two decode workers of 8", Serve{GPUs: 20, PrefillGPUs: 4, DecodeGPUs: 16, DecodeTP: 8}, division{gpus: 8, tp: 8, pp: 1, dense: 8, experts: 8, kv: 1, pre: 2, workers: 2, ranks: 1}},
		{"layers on two cards", Serve{GPUs: 2, Layout: Layout{LayerSplit: true}}, division{gpus: 2, tp: 1, pp: 2, dense: 1, experts: 1, kv: 1, pre: 2, workers: 1, ranks: 1}},
	} {
		if got := v.c.divide(&d); got != v.want {
			t.Errorf("%s: %+v, want %+v", v.name, got, v.want)
		}
	}
}

func TestNothingIsNotANumber(t *testing.T) {
	e := New(testCalibration())
	for _, m := range []func() *Serve{
		func() *Serve { return &Serve{Model: llama70b(), GPU: h100()} },
		func() *Serve { return &Serve{Model: deepseek(), GPU: h100(), GPUs: 1} },
		func() *Serve { return &Serve{Model: deepseek(), GPU: h100(), GPUs: 8, Concurrency: 1e9} },
	} {
		r := e.Serve(m())
		for _, v := range []float64{r.TokensPerSecondGPU.Mid, r.TPOTms.Mid, r.TTFTms.High, r.SingleStream, r.Memory.NeededGB} {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				t.Errorf("%+v", r)
			}
		}
	}
}
