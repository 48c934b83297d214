package estimate

import (
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
)

func TestKVCache(t *testing.T) {
	m := *llama70b()
	m.KVBytesPerTokenBF16 = 0
	s := NewShape(&m)
	near(t, "70B bytes per token", s.KVBytes, 327680, 0) // 2 x 80 layers x 8 heads x 128 x 2 bytes
	d := NewShape(deepseek())
	near(t, "DeepSeek-V3 bytes per token", d.KVBytes, 70272, 0) // 61 x (512 + 64) x 2 bytes
	g := NewShape(&catalog.Model{ID: "gpt-oss-120b", ParamsB: 116.8, ActiveB: 5.1, Layers: 36, Hidden: 2880, Heads: 64, KVHeads: 8, HeadDim: 64, FFN: 2880, Experts: 128, ExpertsPerToken: 4, Vocab: 201088, KVBytesPerTokenBF16: 73728})
	near(t, "half of the layers stop at 128 tokens", g.KVAt(1128), 73728*(0.5*1128+0.5*128), 1e-12)
}

func TestTouchedExperts(t *testing.T) {
	s := NewShape(deepseek())
	one := s.Touched(1)
	if one < 0.9*37e9 || one > 1.1*37e9 {
		t.Errorf("one token touches %.3g parameters, want about the 37e9 active ones", one)
	}
	near(t, "many tokens touch all", s.Touched(4096), 671e9, 1e-3)
	l := NewShape(llama70b())
	near(t, "a dense model is always read whole", l.Touched(1), 70.55e9, 0)
}

func TestShapeOfAParameterCount(t *testing.T) {
	s := NewShape(&catalog.Model{ID: "unknown-70b", ParamsB: 70})
	if s.Layers < 70 || s.Layers > 95 || s.Hidden < 7000 || s.Hidden > 9500 || !s.Derived {
		t.Errorf("derived %v layers of %v, want about 80 of 8192", s.Layers, s.Hidden)
	}
}

func TestMatrixProductsPerToken(t *testing.T) {
	s := NewShape(llama70b())
	near(t, "parameters that multiply", s.Linear, 70.55e9-128256*8192, 1e-12)
	near(t, "attention FLOP per token at 8,192", 3*s.AttnFLOP(8192), 6*80*8192*8192, 1e-12) // 6 L a s, causal
}

func TestRatesWithoutTheUnit(t *testing.T) {
	g := h100()
	near(t, "FP4 on Hopper", Achievable(g, FP4), Achievable(g, BF16), 0)
	near(t, "int4 on Hopper", Achievable(g, INT4), Achievable(g, BF16), 0)
	a := *g
	a.Architecture, a.FP8TFLOPS, a.MeasuredFP8TFLOPS, a.MeasuredBF16TFLOPS, a.BF16TFLOPS = "Ampere", 0, 0, 0, 312
	near(t, "FP8 on Ampere", Achievable(&a, FP8), 312*0.87, 1e-12)
}
