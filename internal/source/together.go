package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var together = &Format{
	Name: "together", Title: "Together hardware and models", Provider: "together", Kind: KindAPI,
	Unit:    "hardware: US cents a minute for the whole configuration; models: USD per million tokens",
	Licence: "Together terms", Class: ListPrice,
	Shape: Verified, Evidence: "types of togethercomputer/together-python and the documentation's hardware example; model prices constructed",
	Docs: "https://docs.together.ai/reference/listhardware", Confidence: catalog.High, Tax: "excluded", MinRecords: 3,
	Keys: []Key{{"TOGETHER_API_KEY"}}, Login: bearer,
	Requests: []Request{{URL: "https://api.together.xyz/v1/hardware"}, {URL: "https://api.together.xyz/v1/models"}},
	read:     readTogether,
}

type togetherHardware struct {
	ID      string `json:"id"`
	Pricing *struct {
		CentsPerMinute num `json:"cents_per_minute"`
	} `json:"pricing"`
	Specs struct {
		GPU    string `json:"gpu_type"`
		Link   string `json:"gpu_link"`
		Memory num    `json:"gpu_memory"`
		Count  num    `json:"gpu_count"`
	} `json:"specs"`
}

// readTogether takes {"data": [hardware]} or a bare list of models.
func readTogether(c *collect, r io.Reader) error {
	var raw json.RawMessage
	if err := c.decodeJSON(r, &raw); err != nil {
		return err
	}
	var models []json.RawMessage
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &models); err != nil {
			return err
		}
		c.togetherModels(models)
		return nil
	}
	var body struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return err
	}
	if body.Data == nil {
		return errors.New("no data list")
	}
	for i, raw := range body.Data {
		h, ok := item[togetherHardware](c, fmt.Sprintf("hardware %d", i+1), raw)
		if !ok {
			continue
		}
		o := catalog.Offer{
			Kind: "pod", Instance: h.ID, Tier: "dedicated endpoint", GPU: h.Specs.GPU + " " + h.Specs.Link, GPUMemoryGB: h.Specs.Memory.float(),
		}
		o.GPUs, _ = h.Specs.Count.count()
		var prices []catalog.Price
		if h.Pricing != nil {
			prices = c.price(h.ID, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, h.Pricing.CentsPerMinute, "USD", cents.times(60, 1))
		}
		c.offer(h.ID, o, prices...)
	}
	return nil
}

func (c *collect) togetherModels(list []json.RawMessage) {
	type model struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Context int    `json:"context_length"`
		Pricing struct {
			Input  num `json:"input"`
			Output num `json:"output"`
			Cached num `json:"cached_input"`
		} `json:"pricing"`
	}
	for i, raw := range list {
		if m, ok := item[model](c, fmt.Sprintf("model %d", i+1), raw); ok {
			c.token(tokenRow{
				provider: c.f.Provider, name: "Together", id: m.ID, kind: m.Type, context: m.Context, scale: whole,
				input: m.Pricing.Input, output: m.Pricing.Output, cached: m.Pricing.Cached,
			})
		}
	}
}
