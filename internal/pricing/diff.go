package pricing

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Change is how one price differs between two catalogs.
type Change struct {
	Provider   string           `json:"provider"`
	Instance   string           `json:"instance"`
	GPU        string           `json:"gpu"`
	GPUs       string           `json:"gpu_count"`
	Region     string           `json:"region"`
	Tier       string           `json:"tier"`
	Purchase   catalog.Purchase `json:"purchase"`
	TermMonths *int             `json:"term_months"`
	Plan       string           `json:"plan"`
	What       string           `json:"what"` // price, exchange_rate, both, new or gone
	Currency   money.Currency   `json:"currency"`
	Old        money.Amount     `json:"old"` // per GPU-hour, or per instance-hour when GPUs are not stated
	New        money.Amount     `json:"new"`
	Percent    *Percent         `json:"change_percent"` // null when there is no old price or it is 0
	ByPrice    *Percent         `json:"by_price_percent"`
	ByRate     *Percent         `json:"by_exchange_rate_percent"`
	OldAsOf    string           `json:"old_as_of"`
	NewAsOf    string           `json:"new_as_of"`
	OldSource  string           `json:"old_source"`
	NewSource  string           `json:"new_source"`
}

// Side is one catalog of a comparison with its selection and rates.
type Side struct {
	Catalog   *catalog.Catalog
	Selection catalog.Selection
	Exchange  *Exchange
}

type priced struct {
	offer  *catalog.Offer
	price  *catalog.Price
	native money.Amount
	shown  money.Amount
}

// Diff says what changed from a to b: each price that moved, with the part
// that its own currency's exchange rate moved it told apart, and what is new
// or gone. Prices that did not change are not listed.
func Diff(a, b Side, hoursPerMonth money.Quantity) []Change {
	old, now := a.prices(hoursPerMonth), b.prices(hoursPerMonth)
	out := []Change{}
	for k, p := range old {
		q, still := now[k]
		if !still {
			out = append(out, p.change("gone", p, nil))
			continue
		}
		if c, changed := p.moved(q, b.Exchange); changed {
			out = append(out, c)
		}
	}
	for k, q := range now {
		if _, before := old[k]; !before {
			out = append(out, q.change("new", nil, q))
		}
	}
	slices.SortFunc(out, compareChanges)
	return out
}

func (s Side) prices(hoursPerMonth money.Quantity) map[string]*priced {
	out := map[string]*priced{}
	for i := range s.Catalog.Offers {
		o := &s.Catalog.Offers[i]
		for _, t := range s.Selection.Terms(o) {
			h, err := Hour(t.Price, o.GPUs, hoursPerMonth)
			if err != nil || !t.Known() {
				continue
			}
			native := h.PerGPU.Mid
			if !native.Known() {
				native = h.PerInstance.Mid
			}
			shown, ok := s.Exchange.Convert(native)
			if !ok {
				continue
			}
			term := t.Term()
			key := strings.Join([]string{o.Provider, o.Instance, o.GPU, o.GPUs.String(), o.Region, o.Tier, o.Host, string(term.Purchase), term.Plan, unit.Whole(int64(term.TermMonths)).String(), t.Scope}, "\x00")
			if _, twice := out[key]; !twice {
				out[key] = &priced{o, t.Price, native, shown}
			}
		}
	}
	return out
}

func (p *priced) moved(q *priced, now *Exchange) (Change, bool) {
	if p.native == q.native && p.shown == q.shown {
		return Change{}, false
	}
	c := p.change("price", p, q)
	atNewRate, ok := now.Convert(p.native)
	if p.native.Currency() != q.native.Currency() || !ok {
		return c, p.shown != q.shown
	}
	c.ByPrice, c.ByRate = grown(atNewRate, q.shown), grown(p.shown, atNewRate)
	switch {
	case p.native == q.native:
		c.What = "exchange_rate"
	case p.shown != atNewRate:
		c.What = "both"
	}
	return c, true
}

func (p *priced) change(what string, old, now *priced) Change {
	o := p.offer
	c := Change{
		Provider: o.Provider, Instance: o.Instance, GPU: o.GPU, GPUs: o.GPUs.String(), Region: o.Region, Tier: o.Tier,
		Purchase: p.price.Purchase, TermMonths: stated(&p.price.TermMonths), Plan: p.price.Plan, What: what, Currency: p.shown.Currency(),
	}
	if old != nil {
		c.Old, c.OldAsOf, c.OldSource = old.shown, old.price.AsOf.String(), old.price.Source
	}
	if now != nil {
		c.New, c.NewAsOf, c.NewSource = now.shown, now.price.AsOf.String(), now.price.Source
	}
	c.Percent = grown(c.Old, c.New)
	return c
}

// grown is the growth from a to b in percent; nil when a is unknown or 0.
func grown(a, b money.Amount) *Percent {
	s := Saving(b, a)
	if s == nil || !b.Known() {
		return nil
	}
	n := -*s
	return &n
}

func compareChanges(a, b Change) int {
	return cmp.Or(
		strings.Compare(a.Provider, b.Provider), strings.Compare(a.GPU, b.GPU), strings.Compare(a.Instance, b.Instance),
		strings.Compare(a.GPUs, b.GPUs), strings.Compare(a.Region, b.Region), strings.Compare(a.Tier, b.Tier),
		strings.Compare(string(a.Purchase), string(b.Purchase)), cmp.Compare(deref(a.TermMonths), deref(b.TermMonths)),
		strings.Compare(a.Plan, b.Plan), strings.Compare(a.What, b.What), a.Old.Cmp(b.Old), a.New.Cmp(b.New),
	)
}
