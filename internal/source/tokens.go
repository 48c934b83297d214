package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

var openRouter = &Format{
	Name: "openrouter", Title: "OpenRouter models", Provider: "openrouter", Kind: KindTokens,
	Unit: "USD per one token, string; -1 means variable", Licence: "OpenRouter terms of service", Class: ListPrice,
	Shape: Verified, Evidence: "a real dump stored in anomalyco/models.dev",
	Docs: "https://openrouter.ai/docs/api-reference/list-available-models", Confidence: catalog.High, MinRecords: 50,
	Requests: []Request{{URL: "https://openrouter.ai/api/v1/models"}},
	read:     readOpenRouter,
}

func readOpenRouter(c *collect, r io.Reader) error {
	type model struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Context int    `json:"context_length"`
		Pricing struct {
			Prompt     num `json:"prompt"`
			Completion num `json:"completion"`
			Cached     num `json:"input_cache_read"`
		} `json:"pricing"`
	}
	var body struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Data == nil {
		return errors.New("no data list")
	}
	for i, raw := range body.Data {
		m, ok := item[model](c, fmt.Sprintf("model %d", i+1), raw)
		if !ok {
			continue
		}
		t := tokenRow{provider: c.f.Provider, name: "OpenRouter", id: m.ID, context: m.Context, free: strings.HasSuffix(m.ID, ":free"), scale: perMillion}
		t.input, t.output, t.cached = m.Pricing.Prompt, m.Pricing.Completion, m.Pricing.Cached
		c.token(t)
	}
	return nil
}

var modelsDev = &Format{
	Name: "models-dev", Title: "models.dev", Kind: KindTokens,
	Unit: "USD per million tokens, number; a missing cost is unknown, 0 is free", Licence: "MIT", Class: ListPrice,
	Shape: Verified, Evidence: "the stored repository's TOML; api.json's provider -> models nesting in several readers",
	Docs: "https://models.dev", Confidence: catalog.Medium, MinRecords: 100,
	Requests: []Request{{URL: "https://models.dev/api.json"}},
	read:     readModelsDev,
}

func readModelsDev(c *collect, r io.Reader) error {
	type model struct {
		Name    string `json:"name"`
		Updated string `json:"last_updated"`
		Limit   struct {
			Context int `json:"context"`
		} `json:"limit"`
		Cost *struct {
			Input  num `json:"input"`
			Output num `json:"output"`
			Cached num `json:"cache_read"`
		} `json:"cost"`
	}
	var body map[string]struct {
		Name   string                     `json:"name"`
		Models map[string]json.RawMessage `json:"models"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	for id, p := range sorted(body) {
		for _, mid := range slices.Sorted(maps.Keys(p.Models)) {
			m, ok := item[model](c, id+"/"+mid, p.Models[mid])
			if !ok {
				continue
			}
			if m.Cost == nil {
				c.left(NoPrice, errNone.Error(), id+"/"+mid)
				continue
			}
			c.token(tokenRow{
				provider: id, name: p.Name, id: mid, model: m.Name, context: m.Limit.Context, scale: whole, free: true,
				input: m.Cost.Input, output: m.Cost.Output, cached: m.Cost.Cached,
			})
		}
	}
	return nil
}

var liteLLM = &Format{
	Name: "litellm", Title: "LiteLLM model prices", Kind: KindTokens,
	Unit: "USD per one token, float in scientific notation", Licence: "MIT (enterprise folder apart)", Class: ListPrice,
	Shape: Verified, Evidence: "rows read in stored copies", Docs: "https://github.com/BerriAI/litellm",
	Confidence: catalog.Medium, MinRecords: 500,
	Requests: []Request{{URL: "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"}},
	read:     readLiteLLM,
}

func readLiteLLM(c *collect, r io.Reader) error {
	type model struct {
		Provider string `json:"litellm_provider"`
		Mode     string `json:"mode"`
		Context  num    `json:"max_input_tokens"`
		Input    num    `json:"input_cost_per_token"`
		Output   num    `json:"output_cost_per_token"`
		Cached   num    `json:"cache_read_input_token_cost"`
	}
	var body map[string]json.RawMessage
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(body)) {
		if id == "sample_spec" {
			c.skip("the file's own example", id)
			continue
		}
		m, ok := item[model](c, id, body[id])
		switch {
		case !ok:
		case m.Provider == "":
			c.reject("the provider is not stated", id)
		case m.Input == "" && m.Output == "":
			c.left(NoPrice, "not priced per token", id)
		default:
			context, _ := m.Context.int()
			c.token(tokenRow{
				provider: m.Provider, id: id, kind: m.Mode, context: int(context), scale: perMillion,
				input: m.Input, output: m.Output, cached: m.Cached,
			})
		}
	}
	return nil
}

type tokenRow struct {
	provider, name, id, model, kind string
	input, output, cached           num
	context                         int
	scale                           scale
	free                            bool // a 0 is meant as free
}

// token adds a price per million tokens. -1 marks a router whose price
// varies; it is left out, never an amount.
func (c *collect) token(t tokenRow) {
	at := t.provider + " " + t.id
	p := catalog.TokenPrice{
		Provider: t.provider, ProviderName: t.name, Model: cmp.Or(t.model, t.id), ModelID: t.id, Context: t.context,
		Kind: cmp.Or(t.kind, "serverless_api"), Source: c.f.Name, AsOf: c.opt.AsOf, Confidence: c.f.Confidence,
	}
	for _, f := range []struct {
		to   *money.Amount
		n    num
		what string
	}{{&p.Input, t.input, "input"}, {&p.Output, t.output, "output"}, {&p.Cached, t.cached, "cached"}} {
		a, err := f.n.amount("USD", t.scale)
		switch {
		case err == nil:
			*f.to = a
		case errors.Is(err, errNone):
		case errors.Is(err, errZero):
			if t.free {
				*f.to = money.Zero("USD")
			} else {
				c.left(NoPrice, errZero.Error(), at+" "+f.what)
			}
		case errors.Is(err, errNegative):
			c.left(NoPrice, "-1: the price varies", at)
			return
		default:
			c.reject("the price is not a number", at+" "+f.what+" "+string(f.n))
			return
		}
	}
	if !p.Input.Known() && !p.Output.Known() {
		c.left(NoPrice, errNone.Error(), at)
		return
	}
	c.b.Tokens = append(c.b.Tokens, p)
}
