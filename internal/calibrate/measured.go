package calibrate

import "github.com/gpucost/gpucost/internal/catalog"

// measuredModels are models that appear in measurements only. Shapes are those
// of the released configurations and papers, as remembered; a shape that is
// not known is left out and follows from the parameter count.
var measuredModels = []catalog.Model{
	dense("llama-3.2-1b", 1.24, 16, 2048, 32, 8, 64, 8192, 128256, true),
	dense("llama-3.2-3b", 3.21, 28, 3072, 24, 8, 128, 8192, 128256, true),
	dense("llama-33b", 32.5, 60, 6656, 52, 52, 128, 17920, 32000, false, "llama-30b"),
	dense("llama-65b", 65.2, 80, 8192, 64, 64, 128, 22016, 32000, false),
	dense("qwen3-0.6b", 0.6, 28, 1024, 16, 8, 128, 3072, 151936, true),
	dense("qwen3-1.7b", 1.72, 28, 2048, 16, 8, 128, 6144, 151936, true),
	dense("gptj", 6.05, 28, 4096, 16, 16, 256, 16384, 50400, false),
	dense("gpt-neox-20b", 20.6, 44, 6144, 64, 64, 96, 24576, 50432, false),
	dense("falcon-180b", 180, 80, 14848, 232, 8, 64, 59392, 65024, true),
	dense("gpt3-175b", 175, 96, 12288, 96, 96, 128, 49152, 51200, true),
	dense("opt-175b", 175, 96, 12288, 96, 96, 128, 49152, 50272, true),
	dense("bloom-176b", 176.25, 70, 14336, 112, 112, 128, 57344, 250880, true),
	dense("pythia-1b", 1.01, 16, 2048, 8, 8, 256, 8192, 50304, false),
	dense("smollm-1.7b", 1.71, 24, 2048, 32, 32, 64, 8192, 49152, true),
	dense("olmo-3-7b", 7.3, 32, 4096, 32, 32, 128, 11008, 100278, false),
	dense("olmo-3-32b", 32.2, 64, 5120, 40, 8, 128, 27648, 100278, false),
	dense("mpt-125m", 0.125, 12, 768, 12, 12, 64, 3072, 50368, true),
	dense("mpt-350m", 0.36, 24, 1024, 16, 16, 64, 4096, 50368, true),
	dense("mpt-760m", 0.76, 24, 1536, 12, 12, 128, 6144, 50368, true),
	dense("mpt-1b", 1.316, 24, 2048, 16, 16, 128, 8192, 50368, true),
	dense("mpt-3b", 2.65, 32, 2560, 20, 20, 128, 10240, 50368, true),
	dense("mpt-7b", 6.66, 32, 4096, 32, 32, 128, 16384, 50368, true),
	dense("mpt-13b", 12.85, 40, 5120, 40, 40, 128, 20480, 50368, true),
	dense("mpt-30b", 29.97, 48, 7168, 56, 56, 128, 28672, 50368, true),
	dense("mpt-70b", 64.86, 80, 8192, 64, 64, 128, 32768, 50368, true),
	{
		ID: "minimax-m2.5", ParamsB: 229, ActiveB: 10, Type: "MoE", Layers: 62, Hidden: 3072, Heads: 48, KVHeads: 8, HeadDim: 128,
		MoEFFN: 1536, Experts: 256, ExpertsPerToken: 8, Vocab: 200064, Attention: "GQA", Aliases: []string{"minimax-m2", "minimax-m2.1"},
	},
	{
		ID: "glm-5", ParamsB: 744, ActiveB: 40, Type: "MoE", Layers: 78, Hidden: 6144, Heads: 64, KVHeads: 64, HeadDim: 192,
		MoEFFN: 2048, Experts: 256, ExpertsPerToken: 8, SharedExperts: 1, FirstDense: 3, Vocab: 154880, Attention: "MLA", KVBytesPerTokenBF16: 89856,
	},
	{
		ID: "qwen3.5-397b-a17b", ParamsB: 397, ActiveB: 17, Type: "MoE", Layers: 60, Hidden: 4096, Heads: 32, KVHeads: 2, HeadDim: 256,
		MoEFFN: 1024, Experts: 512, ExpertsPerToken: 10, SharedExperts: 1, Vocab: 248320, Attention: "GQA",
	},
	{
		ID: "nemotron-3-nano", ParamsB: 31.6, ActiveB: 3.6, Type: "MoE", Layers: 52, Hidden: 2688, Heads: 32, KVHeads: 2, HeadDim: 128,
		MoEFFN: 1856, Experts: 128, ExpertsPerToken: 6, SharedExperts: 1, Vocab: 131072, Attention: "GQA",
	},
	{
		ID: "nemotron-3-super", ParamsB: 120, ActiveB: 12, Type: "MoE", Layers: 88, Hidden: 4096, Heads: 32, KVHeads: 2, HeadDim: 128,
		MoEFFN: 2688, Experts: 512, ExpertsPerToken: 22, SharedExperts: 1, Vocab: 131072, Attention: "GQA",
	},
	{ID: "deepseek-v4-flash", ParamsB: 284, ActiveB: 13, Type: "MoE", Attention: "MLA"},
	{ID: "deepseekv4-flash", ParamsB: 284, ActiveB: 13, Type: "MoE", Attention: "MLA"},
	{ID: "whisper-small", ParamsB: 0.244, ActiveB: 0.244, Type: "encoder-decoder", Layers: 24, Hidden: 768, Heads: 12, KVHeads: 12, HeadDim: 64, FFN: 3072, Vocab: 51866},
	{ID: "whisper-medium", ParamsB: 0.769, ActiveB: 0.769, Type: "encoder-decoder", Layers: 48, Hidden: 1024, Heads: 16, KVHeads: 16, HeadDim: 64, FFN: 4096, Vocab: 51866},
	{ID: "whisper-turbo", ParamsB: 0.809, ActiveB: 0.809, Type: "encoder-decoder", Layers: 36, Hidden: 1280, Heads: 20, KVHeads: 20, HeadDim: 64, FFN: 5120, Vocab: 51866},
	{ID: "sd2-base-u-net", ParamsB: 0.866, ActiveB: 0.866, Type: "diffusion U-Net", Aliases: []string{"sd2-base"}},
}

func dense(id string, paramsB float64, layers, hidden, heads, kv, dim, ffn, vocab int, tied bool, aliases ...string) catalog.Model {
	return catalog.Model{
		ID: id, Aliases: aliases, ParamsB: paramsB, ActiveB: paramsB, Type: "dense", Layers: layers, Hidden: hidden,
		Heads: heads, KVHeads: kv, HeadDim: dim, FFN: ffn, Vocab: vocab, TiedEmbeddings: tied,
	}
}

// measuredGPUs are cards that appear in measurements only.
var measuredGPUs = []catalog.GPU{
	{ID: "rtx-5000-ada", Vendor: "NVIDIA", Architecture: "Ada", Year: 2023, MemoryGB: 32, MemoryType: "GDDR6", BandwidthGBs: 576, BF16TFLOPS: 130.6, FP8TFLOPS: 261, INT8TOPS: 522, LinkGBs: 64},
	{ID: "rtx-4000-ada", Vendor: "NVIDIA", Architecture: "Ada", Year: 2023, MemoryGB: 20, MemoryType: "GDDR6", BandwidthGBs: 360, BF16TFLOPS: 53.4, FP8TFLOPS: 107, INT8TOPS: 214, LinkGBs: 64},
	{ID: "rtx-4070ti", Vendor: "NVIDIA", Architecture: "Ada", Year: 2023, MemoryGB: 12, MemoryType: "GDDR6X", BandwidthGBs: 504, BF16TFLOPS: 80.2, FP8TFLOPS: 160, INT8TOPS: 321, LinkGBs: 64},
	{ID: "rtx-4080", Vendor: "NVIDIA", Architecture: "Ada", Year: 2022, MemoryGB: 16, MemoryType: "GDDR6X", BandwidthGBs: 717, BF16TFLOPS: 97.5, FP8TFLOPS: 195, INT8TOPS: 390, LinkGBs: 64},
	{ID: "rtx-3080ti", Vendor: "NVIDIA", Architecture: "Ampere", Year: 2021, MemoryGB: 12, MemoryType: "GDDR6X", BandwidthGBs: 912, BF16TFLOPS: 68.2, INT8TOPS: 273, LinkGBs: 64},
	{ID: "rtx-3080", Vendor: "NVIDIA", Architecture: "Ampere", Year: 2020, MemoryGB: 10, MemoryType: "GDDR6X", BandwidthGBs: 760, BF16TFLOPS: 59.5, INT8TOPS: 238, LinkGBs: 64},
	{ID: "rtx-3070", Vendor: "NVIDIA", Architecture: "Ampere", Year: 2020, MemoryGB: 8, MemoryType: "GDDR6", BandwidthGBs: 448, BF16TFLOPS: 40.6, INT8TOPS: 163, LinkGBs: 64},
}
