package calibrate

import (
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Names finds the model and the GPU that a measured row speaks of, however the
// source spelled them.
type Names struct {
	models map[string]*catalog.Model
	gpus   map[string]*catalog.GPU
}

// NewNames indexes a catalog and the models and cards that were measured but
// cannot be rented.
func NewNames(cat *catalog.Catalog) *Names {
	n := &Names{models: map[string]*catalog.Model{}, gpus: map[string]*catalog.GPU{}}
	for i := range cat.Models {
		m := &cat.Models[i]
		n.models[plain(m.ID)] = m
		for _, a := range m.Aliases {
			if _, taken := n.models[plain(a)]; !taken {
				n.models[plain(a)] = m
			}
		}
	}
	for i := range measuredModels {
		m := &measuredModels[i]
		if _, known := n.models[plain(m.ID)]; !known {
			n.models[plain(m.ID)] = m
		}
		for _, a := range m.Aliases {
			if _, known := n.models[plain(a)]; !known {
				n.models[plain(a)] = m
			}
		}
	}
	for i := range cat.GPUs {
		g := &cat.GPUs[i]
		if len(g.StandsFor) > 0 {
			continue
		}
		n.gpus[plain(g.ID)] = g
		for _, a := range g.Aliases {
			if _, taken := n.gpus[plain(a)]; !taken {
				n.gpus[plain(a)] = g
			}
		}
	}
	for i := range cat.GPUs { // a name without a form means the first variant it may stand for
		if g := &cat.GPUs[i]; len(g.StandsFor) > 0 {
			if v := n.gpus[plain(g.StandsFor[0])]; v != nil {
				for _, name := range append([]string{g.ID}, g.Aliases...) {
					if _, taken := n.gpus[plain(name)]; !taken {
						n.gpus[plain(name)] = v
					}
				}
			}
		}
	}
	for i := range measuredGPUs {
		g := &measuredGPUs[i]
		if _, known := n.gpus[plain(g.ID)]; !known {
			n.gpus[plain(g.ID)] = g
		}
	}
	return n
}

// GPU finds a card by id or alias.
func (n *Names) GPU(name string) *catalog.GPU { return n.gpus[plain(name)] }

// Model finds a model by name. An unknown one is built from the parameters
// stated (billions, 0: unknown) or written in its name ("397B-A17B"); nil when
// neither says how large it is.
func (n *Names) Model(name string, paramsB, activeB float64) *catalog.Model {
	if m := n.find(name); m != nil {
		return m
	}
	key := plain(name)
	if paramsB == 0 {
		paramsB, activeB = sizeInName(key)
	}
	if paramsB == 0 {
		return nil
	}
	if activeB == 0 {
		activeB = paramsB
	}
	m := &catalog.Model{ID: key, ParamsB: paramsB, ActiveB: activeB, Type: "dense"}
	if activeB < 0.9*paramsB {
		m.Type = "MoE"
	}
	return m
}

func (n *Names) find(name string) *catalog.Model {
	key := plain(name)
	if m, ok := n.models[key]; ok {
		return m
	}
	if a, ok := spellings[key]; ok {
		return n.models[plain(a)]
	}
	for _, s := range [...]string{"-instruct", "-chat", "-base", "-hf", "-it", "-fp8", "-nvfp4", "-fp4", "-bf16", "-awq", "-0528", "-2507", "-v0.1"} {
		if t, ok := strings.CutSuffix(key, s); ok && t != "" {
			return n.find(t)
		}
	}
	return nil
}

// spellings are names of the sources that no alias covers.
var spellings = map[string]string{
	"llama3-70b": "llama-3-70b", "llama3-8b": "llama-3-8b", "llama3-405b": "llama-3.1-405b", "llama3.1-405b": "llama-3.1-405b",
	"llama3.1-8b": "llama-3.1-8b", "llama3-1-405b": "llama-3.1-405b", "llama3.1-70b": "llama-3.1-70b", "llama3.3-70b": "llama-3.3-70b",
	"llama2-70b": "llama-2-70b", "llama2-7b": "llama-2-7b", "llama2-13b": "llama-2-13b", "llama-7b": "llama-2-7b", "llama-13b": "llama-2-13b",
	"deepseekv3": "deepseek-v3", "deepseek-v3/r1": "deepseek-v3", "deepseek-v3-r1": "deepseek-v3", "deepseek-v3.1": "deepseek-v3",
	"qwen3-30b": "qwen3-30b-a3b", "qwen3-235b": "qwen3-235b-a22b", "kimi-k2.5": "kimi-k2", "kimi-k2-thinking": "kimi-k2",
	"stable-diffusion-xl": "sdxl", "whisper": "whisper-large-v3", "gpt-j-6b": "gptj", "gpt-3-175b": "gpt3-175b", "gpt3": "gpt3-175b",
	"7b-class": "llama-2-7b", "14b-class": "qwen2.5-14b", "30b-class": "llama-33b", "70b-class": "llama-2-70b", "32b-class": "qwen2.5-32b", "13b-class": "llama-2-13b",
	"llama4-scout": "llama-4-scout", "llama4-maverick": "llama-4-maverick", "gptoss-120b": "gpt-oss-120b", "gptoss-20b": "gpt-oss-20b",
}

// plain is a name without owner, case, spaces and underscores.
func plain(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if i := strings.LastIndexByte(s, '/'); i >= 0 && !strings.HasSuffix(s, "v3/r1") {
		s = s[i+1:]
	}
	return strings.NewReplacer(" ", "-", "_", "-").Replace(s)
}

var sizePattern = pattern(`(\d+(?:\.\d+)?)b(?:[-.]*a(\d+(?:\.\d+)?)b)?`)

// sizeInName reads "70b" or "397b-a17b".
func sizeInName(key string) (params, active float64) {
	m := sizePattern().FindStringSubmatch(key)
	if m == nil {
		return 0, 0
	}
	params, _ = strconv.ParseFloat(m[1], 64)
	active, _ = strconv.ParseFloat(m[2], 64)
	return params, active
}
