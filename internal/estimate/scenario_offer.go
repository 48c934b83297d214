package estimate

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

func (o *OwnOffer) currency() money.Currency {
	if o.Currency == "" {
		return "USD"
	}
	return o.Currency
}

func (o *OwnOffer) purchase() catalog.Purchase {
	switch {
	case o.Purchase != "":
		return catalog.Purchase(o.Purchase)
	case len(o.Market) > 0:
		return catalog.Spot
	case o.Per == unit.PerGPUSecond:
		return catalog.Serverless
	}
	return catalog.OnDemand
}

// ownCatalog is a catalog of the scenario's own prices alone. A scenario that
// only has other costs gets one offer without a price.
func (v *evaluator) ownCatalog(own []*OwnOffer, names *catalog.Names) (*catalog.Catalog, error) {
	c := v.Catalog.WithoutPrices()
	if len(own) == 0 {
		own = []*OwnOffer{{}}
	}
	for i, o := range own {
		p, err := v.ownPrice(o)
		if err != nil {
			return nil, err
		}
		offer := catalog.Offer{
			Provider: v.ownProvider(c, o), Instance: o.Name, Region: o.Region, GPU: o.GPU, GPUs: o.GPUs, Interconnect: o.Interconnect,
			Host: fmt.Sprint(i + 1), Prices: []catalog.Price{p},
		}
		if o.GPU != "" {
			if id, ok := names.ResolveGPU(o.GPU, 0, ""); ok {
				offer.GPU, offer.GPUKnown = id, true
			}
		}
		if !offer.GPUs.Known() {
			offer.GPUs = unit.Whole(1)
		}
		c.Offers = append(c.Offers, offer)
	}
	for i := range c.Offers {
		v.own[&c.Offers[i]] = own[i]
	}
	return c, nil
}

// ownProvider is the seller of a price: one of the catalog, whose billing and
// storage prices then hold, or one of the scenario's.
func (v *evaluator) ownProvider(c *catalog.Catalog, o *OwnOffer) string {
	name := o.Provider
	if name == "" {
		name = o.Name
	}
	if name == "" {
		name = "scenario"
	}
	if p := catalog.FindProvider(v.Catalog, name); p != nil && o.Provider != "" {
		if !slices.ContainsFunc(c.Providers, func(x catalog.Provider) bool { return x.ID == p.ID }) {
			c.Providers = append(c.Providers, *p)
		}
		return p.ID
	}
	if !slices.ContainsFunc(c.Providers, func(x catalog.Provider) bool { return x.ID == name }) {
		c.Providers = append(c.Providers, catalog.Provider{ID: name, Name: name, Market: "intl", Currency: o.currency()})
	}
	return name
}

func (v *evaluator) ownPrice(o *OwnOffer) (catalog.Price, error) {
	p := catalog.Price{Purchase: o.purchase(), Per: o.Per, AsOf: o.AsOf, Source: o.Source, Confidence: catalog.High}
	if p.Source == "" {
		p.Source = "scenario"
	}
	low, high := o.Low, o.High
	if low == "" {
		low, high = o.Amount, o.Amount
	}
	if low == "" {
		return p, nil
	}
	if p.Per == "" {
		return p, o.problem("missing-key", "per", "state what the amount is per: gpu_hour, instance_hour, gpu_month, instance_month or gpu_second", "a bare hour does not say whose")
	}
	var err error
	if p.Low, err = money.Parse(string(low), o.currency()); err == nil {
		p.High, err = money.Parse(string(high), o.currency())
	}
	if err != nil {
		return p, o.problem("bad-number", "amount", err.Error(), "")
	}
	p.Free = p.Low.IsZero()
	return p, nil
}

func (o *OwnOffer) problem(code, key, what, hint string) error {
	return catalog.Problems{o.At.Problem(code, key, what, hint)}
}

// Outliers differ from the catalog's median by more than this factor.
const outlier = 3

// plausible warns about a price of the scenario that is far from what the
// catalog knows of this GPU.
func (v *evaluator) plausible(e *Estimate, t *Terms) {
	if v.gpus[e.GPU] == nil || !e.PerGPUHour.Known() || e.PerGPUHour.Sign() <= 0 {
		return
	}
	family := v.gpus[e.GPU].Family
	q := v.Query
	q.Purchases = []catalog.Purchase{t.Quote.Purchase}
	q.GPU = func(_ *catalog.Offer, g *catalog.GPU) bool { return g != nil && g.Family == family }
	q.Providers, q.MinMemoryGB = nil, 0
	var prices []money.Amount
	for _, x := range pricing.Compare(v.Catalog, q).Quotes {
		if x.PerGPUHour.Known() && x.PerGPUHour.Sign() > 0 {
			prices = append(prices, x.PerGPUHour)
		}
	}
	if len(prices) < 3 {
		return
	}
	slices.SortFunc(prices, money.Amount.Cmp)
	ratio, ok := money.Ratio(e.PerGPUHour, prices[len(prices)/2])
	if !ok {
		return
	}
	if ratio.Cmp(big.NewRat(outlier, 1)) > 0 || ratio.Cmp(big.NewRat(1, outlier)) < 0 {
		f, _ := ratio.Float64()
		e.warn(WarnOutlier, e.PerGPUHour.String()+" "+string(e.Currency), f)
	}
}

// Rates lists the exchange rates of the scenario, for the exchange that the
// answer is made with.
func (s *Scenario) Rates() []catalog.FXRate {
	var out []catalog.FXRate
	for i := range s.FX {
		r := &s.FX[i]
		out = append(out, catalog.FXRate{Rate: money.Rate{Base: r.Base, Quote: r.Quote, Value: r.Rate}, AsOf: r.AsOf, Source: "scenario", Confidence: catalog.High})
	}
	return out
}
