package purchase

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// FindServerless is the cheapest of the sellers' newest prices per second of a
// GPU, at or before the day; nil when none is known.
func FindServerless(c *catalog.Catalog, match func(*catalog.Offer, *catalog.GPU) bool, providers []string, day catalog.Date) *catalog.ServerlessPrice {
	gpus := map[string]*catalog.GPU{}
	for i := range c.GPUs {
		gpus[c.GPUs[i].ID] = &c.GPUs[i]
	}
	newest := map[string]*catalog.ServerlessPrice{}
	for i := range c.Serverless {
		p := &c.Serverless[i]
		if !p.FlexPerSecond.Known() || p.AsOf.Compare(day) > 0 || len(providers) > 0 && !slices.Contains(providers, p.Provider) {
			continue
		}
		if !match(&catalog.Offer{Provider: p.Provider, GPU: p.GPU, GPUKnown: p.GPUKnown}, gpus[p.GPU]) {
			continue
		}
		key := p.Provider + " " + p.GPU
		if old := newest[key]; old == nil || p.AsOf.Compare(old.AsOf) > 0 {
			newest[key] = p
		}
	}
	var best *catalog.ServerlessPrice
	for _, p := range newest {
		if best == nil || cheaper(p, best) {
			best = p
		}
	}
	return best
}

func cheaper(a, b *catalog.ServerlessPrice) bool {
	if d := a.FlexPerSecond.Cmp(b.FlexPerSecond); d != 0 && a.Currency == b.Currency {
		return d < 0
	}
	return a.Provider+a.GPU < b.Provider+b.GPU
}

// FillServerless adds a seller's price and billing rules where they were not given.
func FillServerless(in *Inputs, p *catalog.ServerlessPrice, x *pricing.Exchange) error {
	from := Origin{Kind: "catalog", Source: p.Provider + " " + p.GPU + ", " + p.Source + ": " + p.Ref, AsOf: p.AsOf.String()}
	a, ok := x.Convert(p.FlexPerSecond)
	if !ok {
		return errors.New("no exchange rate from " + string(p.Currency))
	}
	was := ""
	if p.FlexPerSecond.Currency() != x.To {
		was = p.FlexPerSecond.String() + " " + string(p.FlexPerSecond.Currency())
	}
	in.Amount("serverless_per_second", money.Exactly(a), was, from)
	if p.ColdStartS != nil && !in.Has("cold_start_s") {
		in.Number("cold_start_s", *p.ColdStartS, "s", from)
	}
	if m := idleDefault().FindStringSubmatch(p.Note); m != nil && !in.Has("idle_timeout_s") {
		if v, err := strconv.ParseFloat(m[1], 64); err == nil {
			in.Number("idle_timeout_s", v, "s", from)
		}
	}
	if p.MinBillingMS != nil && !in.Has("increment_s") {
		in.Number("increment_s", *p.MinBillingMS/1000, "s", from)
	}
	return nil
}

// idleDefault is how the note of a price states the idle time that is billed
// after a request unless the user sets another.
var idleDefault = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`idle timeout \(default ([0-9.]+) s\)`) })

// ActiveTimeOnly reports a seller that bills public models for active time only
// and private ones for set-up and idle time as well.
func ActiveTimeOnly(p *catalog.ServerlessPrice) bool {
	return strings.Contains(p.Note, "private models bill")
}

// FindTokens is the cheapest of the sellers' newest per-token prices of a model;
// nil with the nearest names when none is known.
func FindTokens(c *catalog.Catalog, model string, sellers []string, day catalog.Date) (best *catalog.TokenPrice, near []string) {
	wanted := map[string]bool{fold(model): true}
	if m := catalog.FindModel(c, model); m != nil {
		maps.Copy(wanted, modelNames(m))
	}
	var names []string
	for i := range c.Tokens {
		p := &c.Tokens[i]
		if !slices.Contains(names, p.Model) {
			names = append(names, p.Model)
		}
		if !wanted[fold(p.Model)] && !wanted[fold(p.ModelID)] || p.AsOf.Compare(day) > 0 || (p.Input.Sign() <= 0 || p.Output.Sign() <= 0) {
			continue
		}
		if len(sellers) > 0 && !slices.Contains(sellers, p.Provider) {
			continue
		}
		if best == nil || tokenCost(p) < tokenCost(best) {
			best = p
		}
	}
	if best == nil {
		near = catalog.Nearest(model, names, 3)
	}
	return best, near
}

// TokenPrices are the sellers' newest price lists of a model.
func TokenPrices(c *catalog.Catalog, m *catalog.Model) []*catalog.TokenPrice {
	wanted := modelNames(m)
	newest := map[[2]string]*catalog.TokenPrice{}
	var keys [][2]string
	for i := range c.Tokens {
		p := &c.Tokens[i]
		if !wanted[fold(p.Model)] && !wanted[fold(p.ModelID)] || (p.Input.Sign() <= 0 || p.Output.Sign() <= 0) {
			continue
		}
		k := [2]string{p.Provider, p.ModelID}
		if old := newest[k]; old == nil {
			keys = append(keys, k)
			newest[k] = p
		} else if p.AsOf.Compare(old.AsOf) > 0 {
			newest[k] = p
		}
	}
	out := make([]*catalog.TokenPrice, len(keys))
	for i, k := range keys {
		out[i] = newest[k]
	}
	return out
}

func modelNames(m *catalog.Model) map[string]bool {
	names := map[string]bool{fold(m.ID): true}
	for _, alias := range m.Aliases {
		names[fold(alias)] = true
	}
	return names
}

// tokenCost orders price lists: three input tokens to one output token.
func tokenCost(p *catalog.TokenPrice) float64 { return 3*plain(p.Input) + plain(p.Output) }

// fold keeps the letters and digits of the last part of a name.
func fold(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// FillTokens adds a seller's price list.
func FillTokens(in *Inputs, p *catalog.TokenPrice, x *pricing.Exchange) error {
	from := Origin{Kind: "catalog", Source: p.Provider + " " + p.ModelID + ", " + p.Source + ": " + p.Ref, AsOf: p.AsOf.String()}
	for _, v := range []struct {
		name  string
		price money.Amount
	}{{"api_input_per_mtok", p.Input}, {"api_cached_per_mtok", p.Cached}, {"api_output_per_mtok", p.Output}} {
		if !v.price.Known() || in.Has(v.name) {
			continue
		}
		a, ok := x.Convert(v.price)
		if !ok {
			return errors.New("no exchange rate from " + string(v.price.Currency()))
		}
		was := ""
		if v.price.Currency() != x.To {
			was = v.price.String() + " " + string(v.price.Currency())
		}
		in.Amount(v.name, money.Exactly(a), was, from)
	}
	return nil
}
