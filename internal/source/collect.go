package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// collect gathers a batch; readers add to it.
type collect struct {
	f      *Format
	opt    Options
	b      *Batch
	at     map[offerKey]int
	counts map[[2]string]int
	words  map[string]string
	names  map[nameKey]resolved
	state  any   // what a reader keeps between pages
	failed error // of Emit
}

type (
	offerKey struct{ provider, instance, gpu, gpus, region, tier, host string }
	nameKey  struct {
		name     string
		memory   float64
		instance string
	}
	resolved struct {
		id string
		ok bool
	}
)

func newCollect(f *Format, opt Options) *collect {
	return &collect{
		f: f, opt: opt,
		b:      &Batch{Format: f, UnknownGPUs: map[string]int{}},
		at:     map[offerKey]int{},
		counts: map[[2]string]int{},
		words:  map[string]string{},
		names:  map[nameKey]resolved{},
	}
}

func (c *collect) page(r io.Reader) error {
	c.b.next = ""
	if err := c.f.read(c, r); err != nil {
		return err
	}
	return c.failed
}

func (c *collect) finish() (*Batch, error) {
	if c.f.finish != nil {
		if err := c.f.finish(c); err != nil {
			return nil, err
		}
	}
	if c.failed != nil {
		return nil, c.failed
	}
	if c.b.Records == 0 {
		return nil, fmt.Errorf("%w: the list is empty", ErrEmpty)
	}
	if faulty := c.b.Count(Faulty); faulty >= c.b.Records && c.b.nothing() {
		return nil, fmt.Errorf("none of the %d records can be used: %s", c.b.Records, c.b.Left[0])
	}
	for i := range c.b.Offers {
		slices.SortStableFunc(c.b.Offers[i].Prices, comparePrices)
	}
	return c.b, nil
}

func (b *Batch) nothing() bool {
	return len(b.Offers)+len(b.Tokens)+len(b.FX)+len(b.Interruption)+len(b.Paid) == 0
}

func comparePrices(a, b catalog.Price) int {
	return cmp.Or(cmp.Compare(a.Purchase, b.Purchase), cmp.Compare(a.Plan, b.Plan),
		cmp.Compare(a.TermMonths, b.TermMonths), cmp.Compare(a.Commitment, b.Commitment), b.AsOf.Compare(a.AsOf))
}

// left records what did not become a priced offer.
func (c *collect) left(kind LeftKind, reason, example string) {
	key := [2]string{string(kind), reason}
	i, ok := c.counts[key]
	if !ok {
		i = len(c.b.Left)
		c.counts[key] = i
		c.b.Left = append(c.b.Left, LeftOut{Kind: kind, Reason: reason})
	}
	l := &c.b.Left[i]
	if l.Count++; len(l.Examples) < maxExamples {
		l.Examples = append(l.Examples, strings.Clone(example))
	}
}

func (c *collect) skip(reason, example string)   { c.left(Aside, reason, example) }
func (c *collect) reject(reason, example string) { c.left(Faulty, reason, example) }

func (c *collect) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(c.b.Warnings, w) && len(c.b.Warnings) < maxExamples {
		c.b.Warnings = append(c.b.Warnings, w)
	}
}

// word keeps one copy of a text that many rows share, and lets the row go.
func (c *collect) word(s string) string {
	if w, ok := c.words[s]; ok {
		return w
	}
	s = strings.Clone(s)
	if len(c.words) < maxWords {
		c.words[s] = s
	}
	return s
}

// price makes the price p of the number n, in currency cur and unit s, as a
// list of at most one: none when n is absent or faulty, an unknown price when
// n is 0, which no source means as free. at says where, for what was left out.
func (c *collect) price(at string, p catalog.Price, n num, cur money.Currency, s scale) []catalog.Price {
	if n == "" {
		return nil
	}
	if !catalog.KnownCurrency(cur) {
		c.reject("the currency is missing or not an ISO 4217 code", at)
		return nil
	}
	a, err := n.amount(cur, s)
	switch {
	case err == nil:
		p.Low, p.High = a, a
	case errors.Is(err, errZero):
		p.Note = joinNote(p.Note, "the source says 0: not a price")
		c.left(NoPrice, err.Error(), at+" "+string(p.Purchase))
	case errors.Is(err, errNegative):
		c.reject("a negative price is a sentinel, not an amount", fmt.Sprintf("%s %s %s", at, p.Purchase, n))
		return nil
	default:
		c.reject("the price is not a number", fmt.Sprintf("%s %s %.40s", at, p.Purchase, n))
		return nil
	}
	return []catalog.Price{p}
}

// offer adds one offer; words of its GPU are resolved, defaults filled in. An
// offer without any price is kept with an unknown one.
func (c *collect) offer(at string, o catalog.Offer, prices ...catalog.Price) {
	c.add(at, o, prices, false)
}

// zoned adds an offer of one zone of a region: prices of the same kind in
// other zones widen the range instead of contradicting it.
func (c *collect) zoned(at string, o catalog.Offer, prices ...catalog.Price) {
	c.add(at, o, prices, true)
}

func (c *collect) add(at string, o catalog.Offer, prices []catalog.Price, zoned bool) {
	o.Provider = c.word(cmp.Or(o.Provider, c.opt.Provider, c.f.Provider))
	o.Region = c.word(cmp.Or(o.Region, c.opt.Region))
	o.Instance, o.Tier, o.Host = c.word(o.Instance), c.word(o.Tier), c.word(o.Host)
	switch {
	case o.Provider == "":
		c.reject("the provider is not stated; name it", at)
		return
	case o.GPU == "":
		c.reject("the GPU is not stated", at+" "+o.Instance)
		return
	case !o.GPUs.Known():
		c.reject("the number of GPUs is missing or not above 0", at+" "+o.Instance+" "+o.GPU)
		return
	}
	c.resolve(&o)
	if len(prices) == 0 {
		c.left(NoPrice, errNone.Error(), at+" "+o.Instance)
		prices = []catalog.Price{{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}}
	}
	for i := range prices {
		c.fill(&prices[i])
	}
	if c.opt.Emit != nil {
		o.Prices = prices
		if c.failed == nil {
			c.failed = c.opt.Emit(o)
		}
		return
	}
	key := offerKey{o.Provider, o.Instance, o.GPU, o.GPUs.String(), o.Region, o.Tier, o.Host}
	i, ok := c.at[key]
	if !ok && c.full(len(c.b.Offers)) {
		return
	}
	if !ok {
		c.at[key] = len(c.b.Offers)
		o.Prices = prices
		c.b.Offers = append(c.b.Offers, o)
		return
	}
	for _, p := range prices {
		c.merge(at, &c.b.Offers[i], p, zoned)
	}
}

// full ends the reading of a body with too many rows.
func (c *collect) full(n int) bool {
	if n >= maxOffers && c.failed == nil {
		c.failed = fmt.Errorf("%w: more than %d offers", ErrTooLarge, maxOffers)
	}
	return n >= maxOffers
}

func (c *collect) resolve(o *catalog.Offer) {
	if c.opt.Names == nil {
		o.GPU = c.word(o.GPU)
		return
	}
	key := nameKey{o.GPU, o.GPUMemoryGB, o.Instance}
	if o.GPUs.Fraction() {
		key.memory = 0 // the share's memory would name another card
	}
	r, seen := c.names[key]
	if !seen {
		key.name, key.instance = strings.Clone(key.name), strings.Clone(key.instance)
		r.id, r.ok = c.opt.Names(key.name, key.memory, key.instance)
		if len(c.names) < maxWords {
			c.names[key] = r
		}
	}
	if r.ok {
		o.GPU, o.GPUKnown = r.id, true
		return
	}
	o.GPU = c.word(o.GPU)
	if _, seen := c.b.UnknownGPUs[o.GPU]; seen || len(c.b.UnknownGPUs) < maxWords {
		c.b.UnknownGPUs[o.GPU]++
	}
}

// fill sets what a reader leaves to the format.
func (c *collect) fill(p *catalog.Price) {
	if !p.AsOf.Known() {
		p.AsOf = c.opt.AsOf
	}
	if !p.AsOf.Known() && !c.b.PublishedAt.IsZero() {
		p.AsOf = catalog.DateOf(c.b.PublishedAt.UTC())
	}
	p.Source = cmp.Or(p.Source, c.f.Name)
	p.Confidence = cmp.Or(p.Confidence, c.f.Confidence)
	p.Tax = cmp.Or(p.Tax, c.f.Tax)
}

// merge adds price p to an offer that is there already.
func (c *collect) merge(at string, o *catalog.Offer, p catalog.Price, zoned bool) {
	for i := range o.Prices {
		q := &o.Prices[i]
		if priceKeyOf(*q) != priceKeyOf(p) {
			continue
		}
		switch {
		case q.Low == p.Low && q.High == p.High, !p.Low.Known():
			return
		case !q.Low.Known():
			*q = p
			return
		case zoned && q.Low.Currency() == p.Low.Currency():
			q.Samples = max(q.Samples, 1) + max(p.Samples, 1)
			q.Low, q.High = minAmount(q.Low, p.Low), maxAmount(q.High, p.High)
			q.Note = "range over zones"
			return
		}
		c.warn("%s: %s %s has two prices: %s and %s", at, o.Instance, p.Purchase, q.Low, p.Low)
	}
	o.Prices = append(o.Prices, p)
}

// priceKey tells the prices of one offer apart.
type priceKey struct {
	purchase         catalog.Purchase
	plan, commitment string
	term             int
	per              unit.Per
	scope            string
	asOf             catalog.Date
}

func priceKeyOf(p catalog.Price) priceKey {
	return priceKey{p.Purchase, p.Plan, p.Commitment, p.TermMonths, p.Per, p.Scope, p.AsOf}
}

func minAmount(a, b money.Amount) money.Amount {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

func maxAmount(a, b money.Amount) money.Amount {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

func joinNote(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
