package pricing

import (
	"cmp"
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
	quotes    []*Quote
	out       []LeftOut
	room      []Quote   // for the next quotes
	doubted   []Warning // room for the doubts about the next quote
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
	run := &comparison{
		Query: &q, cat: c,
		gpus:      index(c.GPUs, func(g *catalog.GPU) string { return g.ID }),
		providers: index(c.Providers, func(p *catalog.Provider) string { return p.ID }),
		sources:   index(c.Sources, func(s *catalog.Source) string { return s.ID }),
	}
	for _, offers := range [...][]catalog.Offer{c.Offers, q.Extra} {
		for i := range offers {
			run.offer(&offers[i])
		}
	}
	run.putAside()
	run.applyLimits()
	slices.SortStableFunc(run.out, compareLeftOut)
	return Result{order(run.quotes, q.Sort), run.out, run.ratesUsed()}
}

func index[T any](list []T, key func(*T) string) map[string]*T {
	m := make(map[string]*T, len(list))
	for i := range list {
		m[key(&list[i])] = &list[i]
	}
	return m
}

func leftOffer(o *catalog.Offer, code, reason string) LeftOut {
	return LeftOut{
		Provider: o.Provider, Instance: o.Instance, Reason: reason, GPU: o.GPU, Code: code,
		GPUCount: o.GPUs.String(), Region: o.Region, Tier: o.Tier,
	}
}

// leaveOut records a quote that is not ranked.
func (c *comparison) leaveOut(q *Quote, code, reason string) {
	out := leftOffer(q.offer, code, reason)
	out.Purchase, out.TermMonths = q.Purchase, q.TermMonths
	c.out = append(c.out, out)
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
		c.out = append(c.out, leftOffer(o, "memory", reason))
	}
	if !ok {
		return
	}
	terms := c.Selection.Terms(o)
	onDemand := c.onDemand(o, terms)
	found := c.reportTooOld(o, terms)
	if len(terms) == 0 && !slices.ContainsFunc(o.Prices, func(p catalog.Price) bool { return c.Selection.TooOld(&p) }) {
		return // on that day, or to that source, there was no such offer
	}
	like := c.base(o, g, p)
	for _, t := range terms {
		if !c.asksFor(t.Price) {
			continue
		}
		found = true
		c.add(&like, t, onDemand)
		if c.All {
			for _, other := range t.Others {
				c.add(&like, catalog.Chosen{Price: other}, onDemand)
			}
		}
	}
	if !found {
		c.addUnknown(&like)
	}
}

// asksFor reports whether a way of buying is wanted. The months of a term say
// which reservation: what is not reserved has none, and stays comparable.
func (q *Query) asksFor(p *catalog.Price) bool {
	return slices.Contains(q.Purchases, p.Purchase) &&
		(q.TermMonths == 0 || p.Purchase != catalog.Reserved || p.TermMonths == q.TermMonths)
}

// reportTooOld names, once for every way of buying that is wanted, a price
// that only its age keeps out.
func (c *comparison) reportTooOld(o *catalog.Offer, terms []catalog.Chosen) (any bool) {
	if c.Selection.MaxAgeDays == 0 {
		return false
	}
	seen := map[catalog.Term]bool{}
	for _, t := range terms {
		seen[t.Term()] = true
	}
	for i := range o.Prices {
		p := &o.Prices[i]
		if t := p.Term(); !seen[t] && c.asksFor(p) && c.Selection.TooOld(p) {
			seen[t], any = true, true
			out := leftOffer(o, "max_age", "older than --max-age: seen "+p.AsOf.String())
			out.Purchase, out.TermMonths = p.Purchase, stated(&p.TermMonths)
			c.out = append(c.out, out)
		}
	}
	return any
}

// reference is the on-demand price per GPU-hour that savings are measured
// against, in the query's currency, and the observation behind it.
type reference struct {
	amount money.Amount
	*catalog.Price
}

func (c *comparison) onDemand(o *catalog.Offer, terms []catalog.Chosen) reference {
	for _, t := range terms {
		if t.Purchase != catalog.OnDemand || t.Scope == catalog.ScopeGPUOnly || !t.Known() {
			continue
		}
		h, err := Hour(c.override(o, t.Price), o.GPUs, c.HoursPerMonth)
		if err != nil {
			continue
		}
		if r, ok := c.Exchange.Range(c.untaxed(h.PerGPU, t.Price)); ok {
			return reference{r.Mid, t.Price}
		}
	}
	return reference{}
}

func (c *comparison) ratesUsed() []catalog.FXRate {
	var out []catalog.FXRate
	seen := map[money.Currency]bool{"": true, c.Exchange.To: true}
	use := func(a money.Amount) {
		if !a.Known() || seen[a.Currency()] {
			return
		}
		seen[a.Currency()] = true
		if r, ok := c.Exchange.Rate(a.Currency()); ok {
			out = append(out, r)
		}
	}
	for _, q := range c.quotes {
		if q.price != nil {
			use(q.price.Low)
		}
		if q.Has(WarnDisk) {
			use(q.offer.DiskPrice)
		}
	}
	slices.SortStableFunc(out, func(a, b catalog.FXRate) int {
		return cmp.Or(cmp.Compare(a.Quote, b.Quote), cmp.Compare(a.Base, b.Base))
	})
	return out
}
