package pricing

import (
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Result is the answer to a Query: every quote in rank order, what is not
// ranked and why, and the exchange rates that were used.
type Result struct {
	Quotes  []Quote
	LeftOut []LeftOut
	Rates   []catalog.FXRate
}

// comparison carries one Compare.
type comparison struct {
	*Query
	cat       *catalog.Catalog
	gpus      map[string]*catalog.GPU
	providers map[string]*catalog.Provider
	sources   map[string]*catalog.Source
	quotes    []Quote
	out       []LeftOut
}

// Compare answers the query from the catalog.
func Compare(c *catalog.Catalog, q Query) Result {
	q.Need = max(q.Need, 1)
	if q.HoursPerMonth <= 0 {
		q.HoursPerMonth = money.WholeQuantity(unit.HoursPerMonth)
	}
	if len(q.Purchases) == 0 {
		q.Purchases = []catalog.Purchase{catalog.OnDemand}
	}
	cmp := &comparison{
		Query: &q, cat: c,
		gpus:      index(c.GPUs, func(g *catalog.GPU) string { return g.ID }),
		providers: index(c.Providers, func(p *catalog.Provider) string { return p.ID }),
		sources:   index(c.Sources, func(s *catalog.Source) string { return s.ID }),
	}
	for i := range c.Offers {
		cmp.offer(&c.Offers[i])
	}
	cmp.putAside()
	cmp.applyLimits()
	cmp.quotes = order(cmp.quotes, q.Sort)
	return Result{cmp.quotes, compactLeftOut(cmp.out), cmp.ratesUsed()}
}

func index[T any](list []T, key func(*T) string) map[string]*T {
	m := make(map[string]*T, len(list))
	for i := range list {
		m[key(&list[i])] = &list[i]
	}
	return m
}

func (c *comparison) leaveOut(o *catalog.Offer, code, reason string) {
	c.out = append(c.out, LeftOut{o.Provider, o.Instance, reason, o.GPU, code})
}

// offer adds the quotes of one offer.
func (c *comparison) offer(o *catalog.Offer) {
	p := c.providers[o.Provider]
	if p == nil {
		return
	}
	g := c.gpus[o.GPU]
	ok, reason := c.matchOffer(o, g, p)
	if reason != "" {
		c.leaveOut(o, "memory", reason)
	}
	if !ok {
		return
	}
	terms := c.Selection.Terms(o)
	if len(terms) == 0 {
		c.reportTooOld(o)
		return
	}
	onDemand, listed := c.onDemand(o, terms)
	found := false
	for _, t := range terms {
		if !slices.Contains(c.Purchases, t.Purchase) || c.TermMonths > 0 && t.TermMonths != c.TermMonths {
			continue
		}
		found = true
		c.add(o, g, p, t, onDemand, listed)
		if c.All {
			for _, other := range t.Others {
				c.add(o, g, p, catalog.Chosen{Price: other}, onDemand, listed)
			}
		}
	}
	if !found {
		c.addUnknown(o, g, p)
	}
}

func (c *comparison) reportTooOld(o *catalog.Offer) {
	for i := range o.Prices {
		p := &o.Prices[i]
		if slices.Contains(c.Purchases, p.Purchase) && c.Selection.TooOld(p) {
			c.leaveOut(o, "max_age", "older than --max-age: seen "+p.AsOf.String())
			return
		}
	}
}

// onDemand is the on-demand price per GPU-hour that savings are measured
// against, in the query's currency; listed says that it cannot be bought.
func (c *comparison) onDemand(o *catalog.Offer, terms []catalog.Chosen) (price money.Amount, listed bool) {
	for _, t := range terms {
		if t.Purchase != catalog.OnDemand || t.Scope == catalog.ScopeGPUOnly || !t.Known() {
			continue
		}
		h, err := Hour(c.override(o, t.Price), o.GPUs, c.HoursPerMonth)
		if err != nil {
			continue
		}
		r, ok := c.Exchange.Range(c.untaxed(h.PerGPU, t.Price))
		if !ok {
			continue
		}
		return r.Mid, t.NotSold()
	}
	return money.Amount{}, false
}

func (c *comparison) ratesUsed() []catalog.FXRate {
	var out []catalog.FXRate
	seen := map[money.Currency]bool{c.Exchange.To: true}
	for i := range c.quotes {
		n := c.quotes[i].Native
		if n == nil || seen[n.Currency] {
			continue
		}
		seen[n.Currency] = true
		if r, ok := c.Exchange.Rate(n.Currency); ok {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b catalog.FXRate) int {
		if a.Quote != b.Quote {
			if a.Quote < b.Quote {
				return -1
			}
			return 1
		}
		return 0
	})
	return out
}

// compactLeftOut sorts what was left out and drops exact repetitions.
func compactLeftOut(out []LeftOut) []LeftOut {
	slices.SortFunc(out, compareLeftOut)
	return slices.Compact(out)
}
