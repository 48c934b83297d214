package estimate

import (
	"math"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Shape is what the formulas need of a model, with every gap filled from the
// parameter count (see [NewShape]).
type Shape struct {
	Arch       string  // architecture: models of equal shape share it
	Params     float64 // all parameters
	Active     float64 // parameters a token passes through
	Linear     float64 // active parameters that multiply: without an untied input embedding
	Layers     float64
	AttnLayers float64 // layers that keep a full or windowed KV cache
	Hidden     float64
	Heads      float64
	KVHeads    float64
	AttnDim    float64 // heads x head dimension
	FFN        float64
	Vocab      float64
	Experts    float64
	PerToken   float64 // experts per token, with shared ones
	ExpertDim  float64 // width of what is sent to an expert
	Shared     float64 // parameters that every GPU of an expert-parallel group reads
	KVBytes    float64 // per token, BF16
	MLA        bool
	MoE        bool
	Diffusion  bool
	EncDec     bool
	WindowPart float64 // share of attention layers that look back at most Window tokens
	Window     float64
	ImageFLOP  float64 // forward FLOP of one denoising pass of a 1024 x 1024 image
	NativeFP8  bool    // released in FP8
	NativeFP4  bool    // released in MXFP4
	Derived    bool    // layers and width were derived from the parameter count
}

// window is a family's sliding attention: the share of attention layers that
// look back at most tokens, and the share of layers that have attention at
// all (hybrids). Sources: the released configurations; see docs/methodology.md.
type window struct {
	part, tokens, attnShare float64
}

func windowOf(id string) window {
	switch {
	case strings.HasPrefix(id, "gemma-2"):
		return window{0.5, 4096, 1}
	case strings.HasPrefix(id, "gemma-3"):
		return window{5.0 / 6, 1024, 1}
	case strings.HasPrefix(id, "gpt-oss"):
		return window{0.5, 128, 1}
	case strings.HasPrefix(id, "llama-4"):
		return window{0.75, 8192, 1}
	case strings.HasPrefix(id, "qwen3.5"):
		return window{0, 0, 0.25}
	case strings.HasPrefix(id, "nemotron-3"):
		return window{0, 0, 6.0 / 52}
	}
	return window{0, 0, 1}
}

// arches maps models of equal architecture to one name, so that a measurement
// of one counts for the other.
var arches = map[string]string{
	"deepseek-r1": "deepseek-v3", "deepseek-v3.1": "deepseek-v3", "deepseek-v3.2": "deepseek-v3",
	"kimi-k2.5":   "kimi-k2",
	"llama-3-70b": "llama-70b", "llama-3.1-70b": "llama-70b", "llama-3.3-70b": "llama-70b", "llama-2-70b": "llama-70b",
	"llama-3-8b": "llama-8b", "llama-3.1-8b": "llama-8b",
	"llama-2-7b": "llama-7b", "llama-7b": "llama-7b",
}

// NewShape derives the shape of a model. A dense model of which only the
// parameter count is known gets the usual proportions: hidden size about 100
// times the number of layers, 12 L h^2 parameters (Kaplan 2020).
func NewShape(m *catalog.Model) Shape {
	s := Shape{
		Arch: m.ID, Params: m.ParamsB * 1e9, Active: m.ActiveB * 1e9,
		Layers: float64(m.Layers), Hidden: float64(m.Hidden), Heads: float64(m.Heads),
		KVHeads: float64(m.KVHeads), FFN: float64(m.FFN), Vocab: float64(m.Vocab),
		Experts: float64(m.Experts), KVBytes: m.KVBytesPerTokenBF16,
		MLA: m.Attention == "MLA", Diffusion: strings.Contains(m.Type, "diffusion"),
		EncDec: strings.Contains(m.Type, "encoder-decoder"),
	}
	if a, ok := arches[m.ID]; ok {
		s.Arch = a
	}
	if s.Params == 0 {
		s.Params = m.CountedB * 1e9
	}
	if s.Active == 0 || s.Active > s.Params {
		s.Active = s.Params
	}
	s.fillProportions(m)
	w := windowOf(m.ID)
	s.AttnLayers = s.Layers * w.attnShare
	s.WindowPart, s.Window = w.part, w.tokens
	if s.KVBytes == 0 {
		s.KVBytes = 2 * s.AttnLayers * s.KVHeads * (s.AttnDim / s.Heads) * 2
	}
	s.Linear = s.Active
	if !m.TiedEmbeddings && s.Linear > 2*s.Vocab*s.Hidden {
		s.Linear -= s.Vocab * s.Hidden
	}
	s.experts(m)
	s.NativeFP8 = s.MLA && s.Experts > 0
	s.NativeFP4 = strings.HasPrefix(m.ID, "gpt-oss")
	if s.Diffusion {
		s.ImageFLOP = imageFLOP(m.ID, s.Params)
	}
	return s
}

func (s *Shape) fillProportions(m *catalog.Model) {
	if s.Layers == 0 || s.Hidden == 0 {
		s.Derived = true
		n := math.Max(s.Active, 1e6)
		s.Layers = math.Max(4, math.Round(math.Cbrt(n/1.2e5)))
		s.Hidden = math.Max(256, 128*math.Round(100*s.Layers/128))
	}
	if s.Heads == 0 {
		s.Heads = math.Max(1, s.Hidden/128)
	}
	if s.KVHeads == 0 {
		s.KVHeads = s.Heads
	}
	dim := float64(m.HeadDim)
	if dim == 0 {
		dim = s.Hidden / s.Heads
	}
	s.AttnDim = s.Heads * dim
	if s.FFN == 0 {
		s.FFN = 4 * s.Hidden
	}
	if s.Vocab == 0 {
		s.Vocab = math.Min(50000, s.Params/s.Hidden/4)
	}
}

// experts works out which parameters of a mixture of experts every GPU reads.
// The routed part follows from (all - active) = routed x (1 - k/E).
func (s *Shape) experts(m *catalog.Model) {
	s.Shared = s.Params
	if m.Experts == 0 && s.Active > 0.9*s.Params {
		s.PerToken = 0
		return
	}
	s.MoE = true
	s.ExpertDim = s.Hidden
	if m.ID == "nemotron-3-super" {
		s.ExpertDim = 1024 // experts work on a latent
	}
	if s.Experts == 0 {
		s.Experts = math.Max(8, math.Round(8*s.Params/s.Active))
	}
	k := float64(m.ExpertsPerToken)
	if k == 0 {
		k = 8
	}
	k = math.Min(k, s.Experts-1)
	s.PerToken = k + float64(m.SharedExperts)
	routed := math.Min(s.Params, (s.Params-s.Active)/(1-k/s.Experts))
	s.Shared = math.Max(s.Params-routed, 0.02*s.Params)
}

// Touched is the number of parameters a step of the given number of tokens
// reads: all of a dense model, the shared part and the experts that at least
// one token chose of a mixture: 1 - (1 - k/E)^tokens of them.
func (s *Shape) Touched(tokens float64) float64 {
	if !s.MoE {
		return s.Params
	}
	k := math.Min(1, s.PerToken/s.Experts)
	return s.Shared + (s.Params-s.Shared)*(1-math.Pow(1-k, math.Max(1, tokens)))
}

// KVAt is the bytes of KV cache, BF16, that a sequence of the given length
// keeps and reads: windowed layers stop at their window.
func (s *Shape) KVAt(tokens float64) float64 {
	if s.Window == 0 || tokens <= s.Window {
		return s.KVBytes * tokens
	}
	return s.KVBytes * ((1-s.WindowPart)*tokens + s.WindowPart*s.Window)
}

// AttnFLOP is the forward attention FLOP of one token at the end of a context
// of the given length, causal mean over a sequence: 2 L a s with s/2 keys on
// average (4 L a per key).
func (s *Shape) AttnFLOP(seq float64) float64 {
	full := 2 * s.AttnLayers * s.AttnDim
	if s.Window == 0 || seq <= 2*s.Window {
		return full * seq
	}
	return full * ((1-s.WindowPart)*seq + s.WindowPart*2*s.Window)
}

// imageFLOP is the forward FLOP of one pass of the denoiser over one image of
// 1024 x 1024 pixels: 5.98e12 for SDXL's U-Net (2.99 T multiply-adds), else
// two per parameter and latent position of a transformer of 4096 + 512 tokens.
func imageFLOP(id string, params float64) float64 {
	if strings.HasPrefix(id, "sdxl") || strings.HasPrefix(id, "stable-diffusion") {
		return 5.98e12
	}
	return 2 * params * 4608
}
