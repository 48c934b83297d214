package estimate

import (
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
)

func BenchmarkTrain(b *testing.B) {
	e, in := New(testCalibration()), Train{Model: llama70b(), GPU: h100(), GPUs: 64, Method: Full, Precision: BF16}
	b.ReportAllocs()
	for b.Loop() {
		e.Train(&in)
	}
}

func BenchmarkTrainMemory(b *testing.B) {
	in := Train{Model: llama70b(), GPU: h100(), GPUs: 64, Method: Full}
	s := NewShape(in.Model)
	in.Resolve(&s)
	b.ReportAllocs()
	for b.Loop() {
		TrainMemory(&in, &s)
	}
}

func BenchmarkServe(b *testing.B) {
	e, in := New(testCalibration()), Serve{Model: llama70b(), GPU: h100(), GPUs: 4, Precision: FP8, InputTokens: 1000, OutputTokens: 300, Concurrency: 64, Engine: "vllm"}
	b.ReportAllocs()
	for b.Loop() {
		e.Serve(&in)
	}
}

func BenchmarkPlanTrain(b *testing.B) {
	e, in := New(testCalibration()), Train{Model: llama70b(), GPU: h100(), Method: Full}
	b.ReportAllocs()
	for b.Loop() {
		e.PlanTrain(&in, 64)
	}
}

func BenchmarkPlanServe(b *testing.B) {
	e, in := New(testCalibration()), Serve{Model: llama70b(), GPU: h100(), Precision: FP8, InputTokens: 1000, OutputTokens: 300, Engine: "vllm"}
	b.ReportAllocs()
	for b.Loop() {
		e.PlanServe(&in, Demand{RequestsPerSecond: 5, PeakFactor: 3})
	}
}

// testCalibration is a small calibration with factors of every kind.
func testCalibration() *Calibration {
	return &Calibration{
		Schema: 1,
		Train: Coefficients{
			{Kind: "c", Term: tLinear + 1}: 0.3, {Kind: "c", Term: tShard + 1}: -2, {Kind: "stack", A: "megatron"}: -0.1,
			{Kind: "family", A: "Hopper"}: 0.05, {Kind: "gpu", A: "h100-80gb-sxm"}: 0.02, {Kind: "arch", A: "llama-70b"}: 0.01,
			{Kind: "pair", A: "llama-70b", B: "h100-80gb-sxm", C: "full"}: 0.03, {Kind: "nodes"}: 0.1,
		},
		Serve: Coefficients{
			{Kind: "c", Term: vWeights + 1}: 0.2, {Kind: "c", Term: vLaunch + 1}: 0.4, {Kind: "engine", A: "vllm"}: 0.1,
			{Kind: "family", Term: vWeights + 1, A: "Hopper"}: 0.05, {Kind: "gpu", A: "h100-80gb-sxm"}: 0.02, {Kind: "arch", A: "llama-70b"}: 0.01,
			{Kind: "group", A: "llama-70b", B: "h100-80gb-sxm", C: "online"}: -0.03,
		},
		TPOT:   Coefficients{{Kind: "c", Term: vWeights + 1}: 0.2},
		TTFT:   Coefficients{{Kind: "c", Term: vPrefill + 1}: -0.5},
		Errors: map[string]map[Class]Spread{"training": {ClassSeen: {-0.2, 0.2}}, "online": {ClassSeen: {-0.25, 0.25}}},
	}
}

func h100() *catalog.GPU {
	return &catalog.GPU{
		ID: "h100-80gb-sxm", Architecture: "Hopper", Year: 2022, MemoryGB: 80, MemoryType: "HBM3", BandwidthGBs: 3350, BF16TFLOPS: 989,
		FP8TFLOPS: 1979, INT8TOPS: 1979, MeasuredBF16TFLOPS: 794.5, MeasuredFP8TFLOPS: 1402.6, Link: "NVLink4", LinkGBs: 900,
	}
}

func llama70b() *catalog.Model {
	return &catalog.Model{
		ID: "llama-3.1-70b", ParamsB: 70.55, ActiveB: 70.55, Type: "dense", Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, HeadDim: 128,
		FFN: 28672, Vocab: 128256, Attention: "GQA", KVBytesPerTokenBF16: 327680,
	}
}

func deepseek() *catalog.Model {
	return &catalog.Model{
		ID: "deepseek-v3", ParamsB: 671, ActiveB: 37, Type: "MoE", Layers: 61, Hidden: 7168, Heads: 128, KVHeads: 128, HeadDim: 192,
		FFN: 18432, MoEFFN: 2048, Experts: 256, ExpertsPerToken: 8, SharedExperts: 1, FirstDense: 3, Vocab: 129280, Attention: "MLA", KVBytesPerTokenBF16: 70272,
	}
}
