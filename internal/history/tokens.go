package history

import (
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// What the amounts of token and serverless prices are per. A token price is
// up to three series (plan input, output, cached) of one model; a serverless
// price is up to two (plan flex, active) of one GPU.
const (
	perMillionTokens = "million_tokens"
	perGPUSecond     = "gpu_second"

	planInput, planOutput, planCached = "input", "output", "cached"
	planFlex, planActive              = "flex", "active"
)

type tokenAttributes struct {
	ProviderName string `json:"provider_name,omitempty"`
	Model        string `json:"model,omitempty"`
	Context      int    `json:"context,omitempty"`
	Kind         string `json:"kind,omitempty"`
}

type serverlessAttributes struct {
	ColdStartS   *float64      `json:"cold_start_s,omitempty"`
	MinBillingMS *float64      `json:"min_billing_ms,omitempty"`
	MinCharge    *storedAmount `json:"min_charge,omitempty"`
	Currency     string        `json:"currency,omitempty"`
}

// token makes a record of each known amount. A token amount of 0 is a
// free one: the lists have no other way to say it.
func (s *sealer) token(p *catalog.TokenPrice, fetchedAt time.Time, add func(*record, error)) {
	a := &attributes{
		Ref: p.Ref, Confidence: string(p.Confidence), Note: p.Note,
		Token: &tokenAttributes{p.ProviderName, p.Model, p.Context, p.Kind},
	}
	if p.Source != s.source {
		a.Source = p.Source
	}
	id := p.ModelID
	if id == "" {
		id = p.Model
	}
	for _, of := range []planAmount{{planInput, p.Input}, {planOutput, p.Output}, {planCached, p.Cached}} {
		if !of.amount.Known() {
			continue
		}
		r := &record{
			identity: identity{provider: p.Provider, instance: id, purchase: string(catalog.Token), plan: of.plan},
			value:    value{of.amount, of.amount, perMillionTokens, of.amount.IsZero()},
			asOf:     codeDate(p.AsOf, fetchedAt),
		}
		s.addSealed(r, a, add)
	}
}

// serverless makes a record of each known amount.
func (s *sealer) serverless(p *catalog.ServerlessPrice, fetchedAt time.Time, add func(*record, error)) {
	a := &attributes{
		GPUKnown: p.GPUKnown, Ref: p.Ref, Confidence: string(p.Confidence), Note: p.Note,
		Serverless: &serverlessAttributes{p.ColdStartS, p.MinBillingMS, storeAmount(p.MinCharge), string(p.Currency)},
	}
	if p.Source != s.source {
		a.Source = p.Source
	}
	for _, of := range []planAmount{{planFlex, p.FlexPerSecond}, {planActive, p.ActivePerSecond}} {
		if !of.amount.Known() {
			continue
		}
		r := &record{
			identity: identity{provider: p.Provider, gpu: p.GPU, purchase: string(catalog.Serverless), plan: of.plan},
			value:    value{of.amount, of.amount, perGPUSecond, false},
			asOf:     codeDate(p.AsOf, fetchedAt),
		}
		s.addSealed(r, a, add)
	}
}

// planAmount is one of the amounts of a token or serverless price.
type planAmount struct {
	plan   string
	amount money.Amount
}

func (s *sealer) addSealed(r *record, a *attributes, add func(*record, error)) {
	err := r.check()
	if err == nil {
		err = s.seal(r, a)
	}
	add(r, err)
}

// addToken puts a series back into the token prices, beside the other amounts
// of its model if they came last.
func addToken(list []catalog.TokenPrice, id *identity, a *attributes, p catalog.Price) []catalog.TokenPrice {
	t := catalog.TokenPrice{
		Provider: id.provider, ModelID: id.instance, Source: p.Source, Ref: p.Ref, AsOf: p.AsOf, Confidence: p.Confidence, Note: p.Note,
	}
	if k := a.Token; k != nil {
		t.ProviderName, t.Model, t.Context, t.Kind = k.ProviderName, k.Model, k.Context, k.Kind
	}
	n := len(list) - 1
	for n >= 0 && list[n].Provider == t.Provider && list[n].ModelID == t.ModelID && list[n].Source != t.Source {
		n--
	}
	if n < 0 || list[n].Provider != t.Provider || list[n].ModelID != t.ModelID {
		list = append(list, t)
		n = len(list) - 1
	}
	switch t := &list[n]; id.plan {
	case planInput:
		t.Input = p.Low
	case planOutput:
		t.Output = p.Low
	case planCached:
		t.Cached = p.Low
	}
	return list
}

// addServerless is addToken for serverless prices.
func addServerless(list []catalog.ServerlessPrice, id *identity, a *attributes, p catalog.Price) []catalog.ServerlessPrice {
	t := catalog.ServerlessPrice{
		Provider: id.provider, GPU: id.gpu, GPUKnown: a.GPUKnown, Source: p.Source, Ref: p.Ref, AsOf: p.AsOf, Confidence: p.Confidence, Note: p.Note,
	}
	if k := a.Serverless; k != nil {
		t.ColdStartS, t.MinBillingMS, t.MinCharge, t.Currency = k.ColdStartS, k.MinBillingMS, k.MinCharge.amount(), money.Currency(k.Currency)
	}
	n := len(list) - 1
	for n >= 0 && list[n].Provider == t.Provider && list[n].GPU == t.GPU && list[n].Source != t.Source {
		n--
	}
	if n < 0 || list[n].Provider != t.Provider || list[n].GPU != t.GPU {
		list = append(list, t)
		n = len(list) - 1
	}
	if id.plan == planFlex {
		list[n].FlexPerSecond = p.Low
	} else {
		list[n].ActivePerSecond = p.Low
	}
	return list
}
