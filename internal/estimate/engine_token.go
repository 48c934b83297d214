package estimate

import (
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
)

// tokenEstimates adds the sellers of the model by the token, where the work is
// tokens and they were asked for.
func (v *evaluator) tokenEstimates(a *Answer, found []*Estimate) ([]*Estimate, error) {
	if !slices.Contains(v.Query.Purchases, catalog.Token) || len(v.Scenario.ownOffers()) > 0 || v.job.units <= 0 || v.job.serve.Model == nil || v.job.unit != "output tokens" {
		return found, nil
	}
	if h := v.Scenario.Hardware; h != nil && (h.GPU != "" || h.GPUs > 0) { // asked for on certain hardware
		return found, nil
	}
	p := &placement{goodput: 1, basis: "by the token", class: ClassSeen}
	p.summarise(v.job)
	for _, tp := range purchase.TokenPrices(v.Catalog, v.job.model) {
		price := catalog.Price{Purchase: catalog.Token, AsOf: tp.AsOf, Source: tp.Source, Confidence: tp.Confidence}
		if !v.Query.Selection.Counts(&price) || !v.sells(tp) {
			continue
		}
		q := v.tokenQuote(tp)
		v.tokens[q] = tp
		t, err := v.terms(q, nil)
		if err != nil {
			return found, err
		}
		e, ok, err := v.cost(q, t, p)
		switch {
		case err != nil:
			a.LeftOut = append(a.LeftOut, leftOut(q, WarnRange, err.Error()))
		case ok:
			e.Class = "stated"
			found = append(found, e)
		}
	}
	return found, nil
}

// sells reports whether the seller was asked for.
func (v *evaluator) sells(tp *catalog.TokenPrice) bool {
	if v.Query.Market != "" && v.Query.Market != tokenMarket(tp) {
		return false
	}
	return len(v.Query.Providers) == 0 || slices.Contains(v.Query.Providers, tp.Provider)
}

// tokenMarket is where a seller of tokens is: its name says so.
func tokenMarket(tp *catalog.TokenPrice) string {
	if strings.HasSuffix(tp.Provider, "-cn") || strings.Contains(tp.ProviderName, "(CN)") {
		return "cn"
	}
	return "intl"
}

// tokenQuote is a quote without hardware.
func (v *evaluator) tokenQuote(tp *catalog.TokenPrice) *pricing.Quote {
	q := &pricing.Quote{
		Provider: tp.Provider, ProviderName: tp.ProviderName, Market: tokenMarket(tp), Kind: "serverless", Instance: tp.ModelID, Purchase: catalog.Token,
		Currency: v.exchange().To, AsOf: tp.AsOf.String(), Source: tp.Source, Confidence: string(tp.Confidence), OnDemandPurchasable: true,
	}
	if p := v.providers[tp.Provider]; p != nil {
		q.ProviderName, q.Market = p.Name, p.Market
	}
	if tp.AsOf.Known() && v.Query.Now.Known() {
		days := tp.AsOf.DaysUntil(v.Query.Now)
		q.AgeDays = &days
		if days > catalog.FreshDays {
			q.Warnings = append(q.Warnings, pricing.NewWarning(pricing.WarnStale, days))
		}
	}
	if !tp.AsOf.Known() {
		q.Warnings = append(q.Warnings, pricing.NewWarning(pricing.WarnUndated))
	}
	return q
}

// perToken bills the tokens of the work at the seller's list.
func perToken(t *Terms, w *Work) (Bill, error) {
	b := Bill{Warnings: []Warning{NewWarning(WarnPerToken)}}
	tp := t.Token
	cached := tp.Cached
	if !cached.Known() {
		cached = tp.Input
	}
	for _, x := range []struct {
		component, basis string
		tokens           float64
		price            money.Amount
	}{
		{CompInput, "input tokens that are not cached, in millions", w.Tokens.Input, tp.Input},
		{CompCached, "input tokens found in the seller's cache, in millions", w.Tokens.Cached, cached},
		{CompOutput, "output tokens, in millions", w.Tokens.Output, tp.Output},
	} {
		if x.tokens == 0 {
			continue
		}
		price, ok := t.convert(x.price)
		if !ok {
			return b, errNoRate
		}
		q, err := money.Quantify(x.tokens / 1e6)
		if err != nil {
			return b, err
		}
		cost, err := price.Mul(q)
		if err != nil {
			return b, err
		}
		b.Run = add(b.Run, Line{
			Component: x.component, Quantity: Exact(x.tokens / 1e6), Unit: "mtok", UnitPrice: price, Cost: money.Exactly(cost), Basis: x.basis,
			Native: &Native{x.price, x.price.Currency(), "mtok", tp.AsOf.String(), tp.Source, ""},
		})
	}
	return b, nil
}

// TokenUse is the tokens of a run, or of the month of a service.
type TokenUse struct{ Input, Cached, Output float64 }

// tokenUse divides the work into tokens by what they are paid for.
func (j *job) tokenUse() TokenUse {
	out := j.serve.OutputTokens
	if out <= 0 || j.unit != "output tokens" {
		return TokenUse{}
	}
	in := j.units / out * j.serve.InputTokens
	return TokenUse{Input: in * (1 - j.serve.CacheHit), Cached: in * j.serve.CacheHit, Output: j.units}
}
