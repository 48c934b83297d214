package claims

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Options say from which day and with what the claims are recomputed.
type Options struct {
	AsOf          catalog.Date         // newest day that counts
	Source        string               // evidence of this source only; empty for all
	Rates         []catalog.FXRate     // the user's own exchange rates
	HoursPerMonth money.Quantity       // length of a month
	Estimator     *estimate.Estimator  // nil: physics without calibration
	Scenarios     *estimate.Library    // nil: none
	Only          func(id string) bool // nil: every claim
}

// checker holds what all claims share.
type checker struct {
	file      *File
	o         Options
	cat       *catalog.Catalog // everything, the articles' own prices too
	evidence  *catalog.Catalog // without the articles' own prices
	names     *catalog.Names
	kinds     map[string]string // of providers
	sellers   map[string]Text   // names of providers
	exchanges map[money.Currency]*pricing.Exchange
}

// Check recomputes the claims of the file, in its order. An error is a fault
// of the file: a sentence without its facts, or a rule without its inputs.
func Check(f *File, c *catalog.Catalog, o Options) ([]Claim, error) {
	if o.Estimator == nil {
		o.Estimator = estimate.New(nil)
	}
	k := &checker{
		file: f, o: o, cat: c, names: catalog.NewNames(c.GPUs).WithOffers(c.Offers), kinds: map[string]string{}, sellers: map[string]Text{},
		evidence:  without(c, func(id string) bool { return f.article(id) != nil }),
		exchanges: map[money.Currency]*pricing.Exchange{},
	}
	for i := range c.Providers {
		p := &c.Providers[i]
		k.kinds[p.ID] = p.Kind
		k.sellers[p.ID] = Text{p.Name, cmp.Or(p.NameZH, p.Name)}
	}
	var out []Claim
	for i := range f.Claims {
		e := &f.Claims[i]
		if o.Only != nil && !o.Only(e.ID) {
			continue
		}
		claim, err := k.claim(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		out = append(out, claim)
	}
	return out, nil
}

// claim recomputes one claim.
func (c *checker) claim(e *Entry) (Claim, error) {
	r := newRun(c, e)
	if err := rules[e.Rule].run(r); err != nil {
		return Claim{}, err
	}
	return r.finish()
}

func (c *checker) exchange(to money.Currency) *pricing.Exchange {
	if to == "" {
		to = "USD"
	}
	if c.exchanges[to] == nil {
		c.exchanges[to] = pricing.NewExchange(to, c.cat.FX, c.o.Rates, c.o.AsOf)
	}
	return c.exchanges[to]
}

func (c *checker) gpu(id string) *catalog.GPU {
	i := slices.IndexFunc(c.cat.GPUs, func(g catalog.GPU) bool { return g.ID == id })
	if i < 0 {
		return nil
	}
	return &c.cat.GPUs[i]
}
