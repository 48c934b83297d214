package estimate

import (
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// hfConfig is the part of a Hugging Face config.json that says how a model is
// built. Families spell some of it differently.
type hfConfig struct {
	Name      string `json:"_name_or_path"`
	ModelType string `json:"model_type"`
	Layers    int    `json:"num_hidden_layers"`
	Hidden    int    `json:"hidden_size"`
	Heads     int    `json:"num_attention_heads"`
	KVHeads   int    `json:"num_key_value_heads"`
	HeadDim   int    `json:"head_dim"`
	FFN       int    `json:"intermediate_size"`
	Vocab     int    `json:"vocab_size"`
	Context   int    `json:"max_position_embeddings"`
	Tied      *bool  `json:"tie_word_embeddings"`

	GPT2Layers int `json:"n_layer"`
	GPT2Hidden int `json:"n_embd"`
	GPT2Heads  int `json:"n_head"`
	GPT2FFN    int `json:"n_inner"`

	Local      int `json:"num_local_experts"`
	Routed     int `json:"n_routed_experts"`
	Experts    int `json:"num_experts"`
	PerToken   int `json:"num_experts_per_tok"`
	PerToken2  int `json:"experts_per_token"`
	Shared     int `json:"n_shared_experts"`
	MoEFFN     int `json:"moe_intermediate_size"`
	SharedFFN  int `json:"shared_expert_intermediate_size"`
	FirstDense int `json:"first_k_dense_replace"`
	Step       int `json:"interleave_moe_layer_step"`

	QRank   int `json:"q_lora_rank"`
	KVRank  int `json:"kv_lora_rank"`
	RopeDim int `json:"qk_rope_head_dim"`
	NopeDim int `json:"qk_nope_head_dim"`
	VDim    int `json:"v_head_dim"`

	Window     int      `json:"sliding_window"`
	UseWindow  *bool    `json:"use_sliding_window"`
	LayerTypes []string `json:"layer_types"`

	Text *hfConfig `json:"text_config"`
}

// windowFamilies are the families whose sliding windows the formulas know, by
// what their configurations call them.
var windowFamilies = map[string]string{
	"gemma2": "gemma-2", "gemma3": "gemma-3", "gemma3_text": "gemma-3", "gpt_oss": "gpt-oss", "llama4": "llama-4", "llama4_text": "llama-4",
}

// ModelFromConfig reads a Hugging Face config.json: dense models and mixtures
// of experts, grouped-query and latent attention, tied embeddings. The
// parameters are counted from the shapes. A configuration with the shape of a
// model of the catalog is that model, so that what was measured of it counts.
func ModelFromConfig(file string, data []byte, cat *catalog.Catalog) (*catalog.Model, error) {
	var c hfConfig
	if ps := catalog.DecodeJSON(file, data, &c); ps.Err() != nil {
		return nil, ps
	}
	if c.Text != nil { // a model that also sees or hears
		c.Text.Name = c.Name
		c = *c.Text
	}
	c.fill()
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	m := c.model()
	for i := range cat.Models {
		k := &cat.Models[i]
		if k.Layers == m.Layers && k.Hidden == m.Hidden && k.Heads == m.Heads && k.KVHeads == m.KVHeads && k.Vocab == m.Vocab && k.Experts == m.Experts && k.FFN == m.FFN {
			return k, nil
		}
	}
	if m.ID == "" {
		m.ID = strings.TrimSuffix(path.Base(file), ".json")
	}
	return m, nil
}

func (c *hfConfig) fill() {
	first := func(dst *int, others ...int) {
		for _, v := range others {
			if *dst == 0 {
				*dst = v
			}
		}
	}
	first(&c.Layers, c.GPT2Layers)
	first(&c.Hidden, c.GPT2Hidden)
	first(&c.Heads, c.GPT2Heads)
	first(&c.FFN, c.GPT2FFN, 4*c.Hidden)
	first(&c.KVHeads, c.Heads)
	first(&c.Experts, c.Routed, c.Local)
	first(&c.PerToken, c.PerToken2)
	if c.Heads > 0 {
		first(&c.HeadDim, c.Hidden/c.Heads)
	}
	if c.Experts > 0 {
		first(&c.MoEFFN, c.FFN)
	}
}

// check bounds what a file may claim, so that every product stays finite.
func (c *hfConfig) check() error {
	for _, v := range []struct {
		name        string
		value, most int
	}{
		{"num_hidden_layers", c.Layers, 1000},
		{"hidden_size", c.Hidden, 1_000_000},
		{"num_attention_heads", c.Heads, 10_000},
		{"num_key_value_heads", c.KVHeads, 10_000},
		{"head_dim", c.HeadDim, 10_000},
		{"intermediate_size", c.FFN, 10_000_000},
		{"vocab_size", c.Vocab, 10_000_000},
	} {
		if v.value < 1 || v.value > v.most {
			return fmt.Errorf("%s %d: want 1 to %d", v.name, v.value, v.most)
		}
	}
	for _, v := range []struct {
		name        string
		value, most int
	}{
		{"number of experts", c.Experts, 10_000},
		{"experts per token", c.PerToken, c.Experts},
		{"shared experts", c.Shared, 1000},
		{"moe_intermediate_size", c.MoEFFN, 10_000_000},
		{"shared_expert_intermediate_size", c.SharedFFN, 10_000_000},
		{"first_k_dense_replace", c.FirstDense, c.Layers},
		{"interleave_moe_layer_step", c.Step, c.Layers},
		{"q_lora_rank", c.QRank, 1_000_000},
		{"kv_lora_rank", c.KVRank, 1_000_000},
		{"qk_rope_head_dim", c.RopeDim, 10_000},
		{"qk_nope_head_dim", c.NopeDim, 10_000},
		{"v_head_dim", c.VDim, 10_000},
		{"max_position_embeddings", c.Context, 1_000_000_000},
	} {
		if v.value < 0 || v.value > v.most {
			return fmt.Errorf("%s %d: want 0 to %d", v.name, v.value, v.most)
		}
	}
	return nil
}

// model counts the parameters: attention, gated feed-forward layers, experts
// with their router, embeddings.
func (c *hfConfig) model() *catalog.Model {
	h, l := float64(c.Hidden), float64(c.Layers)
	m := &catalog.Model{
		ID: strings.ToLower(path.Base(c.Name)), Type: "dense", Layers: c.Layers, Hidden: c.Hidden, Heads: c.Heads, KVHeads: c.KVHeads, HeadDim: c.HeadDim,
		FFN: c.FFN, Vocab: c.Vocab, Context: c.Context, Attention: "GQA", Source: "model configuration", Verified: "counted from the shapes",
	}
	if c.Name == "" {
		m.ID = ""
	}
	tied := c.Tied != nil && *c.Tied || c.Tied == nil && strings.HasPrefix(c.ModelType, "gemma")
	m.TiedEmbeddings = tied
	attn := c.attention(m)
	matrices := 3.0 // gate, up, down
	if c.GPT2Layers > 0 {
		matrices = 2
	}
	dense := matrices * h * float64(c.FFN)
	emb := float64(c.Vocab) * h
	if !tied {
		emb *= 2
	}
	all, active := emb+l*(attn+dense), emb+l*(attn+dense)
	if c.Experts > 0 {
		m.Type, m.Experts, m.ExpertsPerToken, m.SharedExperts, m.FirstDense, m.MoEFFN = "MoE", c.Experts, c.PerToken, c.Shared, c.FirstDense, c.MoEFFN
		moe := l - float64(c.FirstDense)
		if c.Step > 1 {
			moe = math.Floor(l / float64(c.Step))
		}
		expert := 3 * h * float64(c.MoEFFN)
		shared := float64(c.Shared)*expert + 3*h*float64(c.SharedFFN) + h*float64(c.Experts)
		all = emb + l*attn + (l-moe)*dense + moe*(float64(c.Experts)*expert+shared)
		active = emb + l*attn + (l-moe)*dense + moe*(float64(c.PerToken)*expert+shared)
	}
	m.ParamsB, m.ActiveB, m.CountedB = all/1e9, active/1e9, all/1e9
	m.WeightsGBBF16 = 2 * m.ParamsB
	if f, known := windowFamilies[c.ModelType]; known && !strings.HasPrefix(m.ID, f) {
		m.ID = strings.Trim(f+"-"+m.ID, "-")
	} else if !known && c.windowed() {
		m.Note = fmt.Sprintf("sliding window of %d tokens is not used: the KV cache is overestimated", c.Window)
	}
	return m
}

func (c *hfConfig) windowed() bool {
	return c.Window > 0 && (c.UseWindow == nil || *c.UseWindow)
}

// attention is the parameters of one attention layer, and fills what the cache
// of a token takes: two vectors per KV head, or one compressed vector with
// latent attention.
func (c *hfConfig) attention(m *catalog.Model) float64 {
	h, heads, dim := float64(c.Hidden), float64(c.Heads), float64(c.HeadDim)
	if c.KVRank > 0 {
		m.Attention = "MLA"
		rope, nope, v, rank := float64(c.RopeDim), float64(c.NopeDim), float64(c.VDim), float64(c.KVRank)
		q := h * heads * (nope + rope)
		if c.QRank > 0 {
			q = h*float64(c.QRank) + float64(c.QRank)*heads*(nope+rope)
		}
		m.KVBytesPerTokenBF16 = float64(c.Layers) * (rank + rope) * 2
		return q + h*(rank+rope) + rank*heads*(nope+v) + heads*v*h
	}
	if c.KVHeads == c.Heads {
		m.Attention = "MHA"
	}
	kv := float64(c.KVHeads)
	m.KVBytesPerTokenBF16 = 2 * float64(c.Layers) * kv * dim * 2
	return h*heads*dim + 2*h*kv*dim + heads*dim*h
}

// model is a model made of the numbers of a scenario.
func (z *ModelSize) model() (*catalog.Model, error) {
	p := z.Params.V / 1e9
	if p <= 0 || p > 1e5 {
		return nil, fmt.Errorf("model_size: params: want a number of parameters such as 13B")
	}
	a := z.Active.V / 1e9
	if a == 0 {
		a = p
	}
	if a > p {
		return nil, fmt.Errorf("model_size: active: more than all %gB parameters", p)
	}
	m := &catalog.Model{
		ID: fmt.Sprintf("own-%gb", p), Type: "dense", ParamsB: p, ActiveB: a, CountedB: p, Layers: z.Layers, Hidden: z.Hidden, Heads: z.Heads, KVHeads: z.KVHeads, Vocab: z.Vocab,
		Experts: z.Experts, ExpertsPerToken: z.PerToken, Attention: "GQA", Source: "scenario",
	}
	if a < p {
		m.Type = "MoE"
	}
	if z.KVHeads == 0 { // what most models of this size have
		m.KVHeads = 8
	}
	return m, nil
}
