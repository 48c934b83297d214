package catalog

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// reader turns one decoded file into catalog entries and checks what a type
// alone cannot say. GPU names stay as they are written.
type reader struct {
	file string
	wire wireFile
	out  Catalog
	ps   Problems
}

// readFile reads one catalog file. The catalog is nil when there is an error.
func readFile(file string, data []byte) (*Catalog, Problems) {
	r := reader{file: file}
	if r.ps = Decode(file, data, &r.wire); r.ps.Err() != nil {
		return nil, r.ps
	}
	if r.wire.Schema != schemaVersion {
		r.add(r.wire.At.Problem("unknown-schema", "schema", fmt.Sprintf("version %d of the format is not known", r.wire.Schema), "this program reads version 1"))
	}
	r.out.AsOf = r.wire.AsOf
	r.reference()
	for i := range r.wire.Providers {
		r.provider(&r.wire.Providers[i])
	}
	r.others()
	for i := range r.wire.Overrides {
		r.override(&r.wire.Overrides[i])
	}
	r.doubles()
	if r.ps.Err() != nil {
		return nil, r.ps.sorted().capped()
	}
	return &r.out, r.ps.sorted().capped()
}

func (r *reader) add(p Problem) { r.ps = append(r.ps, p) }

// cite fills in the source and confidence of a figure that states none.
func (r *reader) cite(source, ref *string, c *Confidence) {
	*source = cmp.Or(*source, r.wire.Source, UserSource)
	if *source == UserSource && *ref == "" {
		*ref = r.file
	}
	*c = cmp.Or(*c, r.wire.Confidence, Medium)
}

// reference reads what the prices refer to.
func (r *reader) reference() {
	for _, w := range r.wire.Sources {
		r.out.Sources = append(r.out.Sources, Source(w))
	}
	for _, w := range r.wire.GPUs {
		w.Name = cmp.Or(w.Name, w.ID)
		r.out.GPUs = append(r.out.GPUs, GPU(w))
	}
	for _, w := range r.wire.Models {
		r.out.Models = append(r.out.Models, Model(w))
	}
	for i := range r.wire.FX {
		w := &r.wire.FX[i]
		switch {
		case w.Rate <= 0:
			r.add(w.At.Problem("bad-number", "rate", "a rate of 0", ""))
		case w.Base == w.Quote:
			r.add(w.At.Problem("bad-value", "quote", "a rate from a currency to itself", ""))
		}
		r.cite(&w.Source, &w.Ref, &w.Confidence)
		r.out.FX = append(r.out.FX, FXRate{money.Rate{Base: w.Base, Quote: w.Quote, Value: w.Rate}, w.AsOf, w.Source, w.Ref, w.Confidence, w.Note})
	}
}

func (r *reader) provider(w *wireProvider) {
	p := Provider(w.providerKey)
	p.Billing = Billing(w.Billing)
	for _, s := range w.Storage {
		r.cite(&s.Source, &s.Ref, &s.Confidence)
		p.Storage = append(p.Storage, StoragePrice(s))
	}
	r.out.Providers = append(r.out.Providers, p)
	for i := range w.Offers {
		r.offer(&w.Offers[i], &p)
	}
}

func (r *reader) offer(w *wireOffer, p *Provider) {
	o := Offer(w.offerKey)
	o.Provider = p.ID
	r.memory(w, &o)
	for i := range w.Prices {
		o.Prices = append(o.Prices, r.price(&w.Prices[i]))
	}
	if w.DiskPriceGBMonth != "" {
		cur := p.Currency
		for _, q := range o.Prices {
			cur = cmp.Or(cur, q.Low.Currency())
		}
		a, err := money.Parse(string(w.DiskPriceGBMonth), cur)
		switch {
		case err != nil:
			r.add(w.At.Problem("bad-number", "disk_price_gb_month", err.Error(), ""))
		case cur == "":
			r.add(w.At.Problem("missing-key", "disk_price_gb_month", "an amount without a currency", "state the provider's currency"))
		default:
			o.DiskPrice = a
		}
	}
	r.out.Offers = append(r.out.Offers, o)
}

// memoryTolerance is how far a stated memory may be from a computed one:
// vendors round, and some count GiB where they write GB (7 %).
const memoryTolerance = 0.1

// memory reads the memory per GPU from whichever way it is given and checks
// the ways against each other.
func (r *reader) memory(w *wireOffer, o *Offer) {
	mib := func(x float64) float64 { return unit.GiBToGB(x / 1024) }
	if w.MemoryMiB > 0 {
		if w.GPUMemoryGB > 0 && apart(w.GPUMemoryGB, mib(w.MemoryMiB)) {
			r.add(w.At.Problem("memory-total", "gpu_memory_mib", fmt.Sprintf("%g MiB are %.1f GB, not %g", w.MemoryMiB, mib(w.MemoryMiB), w.GPUMemoryGB), ""))
		}
		o.GPUMemoryGB = cmp.Or(w.GPUMemoryGB, mib(w.MemoryMiB))
	}
	for i, total := range []float64{w.TotalMemoryGB, mib(w.TotalMemoryMiB)} {
		if total == 0 {
			continue
		}
		key := []string{"total_gpu_memory_gb", "total_gpu_memory_mib"}[i]
		count := max(1, o.GPUs.Float()) // a part of a card has its own memory and no more
		if o.GPUMemoryGB == 0 {
			o.GPUMemoryGB = total / count
		}
		if apart(total, count*o.GPUMemoryGB) {
			r.add(w.At.Problem("memory-total", key, fmt.Sprintf("%.1f GB in all, but %s x %.4g GB are %.1f GB", total, o.GPUs, o.GPUMemoryGB, count*o.GPUMemoryGB), ""))
		}
	}
	if named := memoryInName(o.GPU); named > 0 && o.GPUMemoryGB > 0 && apart(named, o.GPUMemoryGB) && apart(named, o.GPUMemoryGB*o.GPUs.Float()) && !o.GPUs.Fraction() {
		p := w.At.Problem("memory-contradicts-name", "gpu", fmt.Sprintf("the name %q says %g GB, the offer %.4g GB", o.GPU, named, o.GPUMemoryGB), "")
		p.Severity = SeverityWarning
		r.add(p)
	}
}

func apart(a, b float64) bool { return math.Abs(a-b) > memoryTolerance*max(a, b) }

func (r *reader) price(w *wirePrice) Price {
	p := Price(w.priceKey)
	if !w.At.Has("as_of") {
		p.AsOf = r.wire.AsOf
	}
	r.cite(&p.Source, &p.Ref, &p.Confidence)
	bad := func(code, key, what, hint string) { r.add(w.At.Problem(code, key, what, hint)) }
	ranged := w.At.Has("low") || w.At.Has("high")
	switch {
	case w.Amount != nil && ranged:
		bad("bad-value", "amount", "amount stands beside low and high", "write one or the other")
	case w.Amount != nil:
		p.Low, p.High = *w.Amount, *w.Amount
	case !ranged:
		bad("missing-key", "", "missing amount", "write amount: null for a price that is known not to be known")
	case !p.Low.Known() || !p.High.Known():
		bad("missing-key", "", "low and high go together", "")
	case p.Low.Cmp(p.High) > 0:
		bad("bad-value", "low", fmt.Sprintf("low %s is above high %s", p.Low, p.High), "")
	}
	if p.Low.Known() && p.Per == "" {
		bad("missing-key", "", "missing per", "one of gpu_hour, instance_hour ...: whose hour it is must be said")
	}
	if p.Per == unit.PerInstanceTerm && p.TermMonths == 0 {
		bad("missing-key", "", "missing term_months", "a price per instance_term needs the length of the term")
	}
	if p.TermMonths != 0 && p.Purchase != Reserved {
		bad("bad-value", "term_months", fmt.Sprintf("a term on a price that is %s", p.Purchase), "")
	}
	if p.ValidUntil.Known() && p.ValidUntil.Compare(p.AsOf) < 0 {
		bad("bad-date", "valid_until", fmt.Sprintf("%s is before %s", p.ValidUntil, p.AsOf), "")
	}
	r.zero(w, &p)
	return p
}

// zero keeps an amount of 0 from being taken for a price unless it is marked.
func (r *reader) zero(w *wirePrice, p *Price) {
	switch {
	case p.Free && !p.High.IsZero():
		r.add(w.At.Problem("bad-value", "free", "free: true needs an amount of 0", ""))
	case p.High.IsZero() && !p.Free:
		p.Low, p.High = money.Amount{}, money.Amount{}
		q := w.At.Problem("zero-price", "amount", "an amount of 0 is taken as not known", "mark a price that is 0 on purpose with free: true")
		q.Severity = SeverityWarning
		r.add(q)
	}
}

// others reads serverless, token, ownership and interruption figures.
func (r *reader) others() {
	for _, w := range r.wire.Serverless {
		r.cite(&w.Source, &w.Ref, &w.Confidence)
		r.out.Serverless = append(r.out.Serverless, ServerlessPrice(w))
	}
	for _, w := range r.wire.Tokens {
		r.cite(&w.Source, &w.Ref, &w.Confidence)
		r.out.Tokens = append(r.out.Tokens, TokenPrice(w))
	}
	for i := range r.wire.Ownership {
		w := &r.wire.Ownership[i]
		lo, _ := plainFloat(string(w.Low), false)
		hi, _ := plainFloat(string(w.High), false)
		if w.Low != "" && w.High != "" && lo > hi {
			r.add(w.At.Problem("bad-value", "low", fmt.Sprintf("low %s is above high %s", w.Low, w.High), ""))
		}
		r.cite(&w.Source, &w.Ref, &w.Confidence)
		r.out.Ownership = append(r.out.Ownership, OwnershipCost{w.Item, string(w.Low), string(w.High), w.Unit, w.Currency, w.Source, w.Ref, w.AsOf, w.Confidence, w.Note})
	}
	for _, w := range r.wire.Interruption {
		r.cite(&w.Source, &w.Ref, &w.Confidence)
		r.out.Interruption = append(r.out.Interruption, Interruption(w))
	}
}

func (r *reader) override(w *wireOverrideAt) {
	o := Override(w.wireOverride)
	bad := func(code, key, what, hint string) { r.add(w.At.Problem(code, key, what, hint)) }
	_, number := plainFloat(o.Percent, true)
	signed := len(o.Percent) > 1 && (o.Percent[0] == '+' || o.Percent[0] == '-')
	if signed {
		_, number = plainFloat(o.Percent[1:], false)
	}
	switch {
	case o.Amount.Known() == (o.Percent != ""):
		bad("bad-value", "", "an override has an amount or a percent", "")
	case o.Percent != "" && !number:
		bad("bad-number", "percent", fmt.Sprintf("not a signed percentage: %q", o.Percent), "such as +8 or -12.5")
	case o.Percent != "" && !signed:
		bad("bad-number", "percent", fmt.Sprintf("a percentage without its sign: %q", o.Percent), fmt.Sprintf("+%s adds, -%s takes off", o.Percent, o.Percent))
	case o.Amount.Known() && o.Per == "":
		bad("missing-key", "", "missing per", "whose hour the amount is for")
	case o.Percent != "" && o.Percent[0] == '-' && percentAbove100(o.Percent[1:]):
		bad("out-of-range", "percent", "nothing can be taken off beyond 100 percent", "")
	}
	if o.ValidUntil.Known() && o.ValidUntil.Compare(o.ValidFrom) < 0 {
		bad("bad-date", "valid_until", fmt.Sprintf("%s is before valid_from %s", o.ValidUntil, o.ValidFrom), "")
	}
	r.out.Overrides = append(r.out.Overrides, o)
}

func percentAbove100(s string) bool {
	x, _ := plainFloat(s, false)
	return x > 100
}

// doubles reports ids that stand twice in the file.
func (r *reader) doubles() {
	type entry struct {
		section, id string
	}
	first := map[entry]Pos{}
	once := func(section, id string, at Pos) {
		e := entry{section, id}
		if p, twice := first[e]; twice {
			r.add(Problem{
				Code: "doubled-id", File: at.File, Line: at.Line, Col: at.Col,
				Path: section, What: fmt.Sprintf("%s stands here twice, first in line %d", id, p.Line),
			})
			return
		}
		first[e] = at
	}
	for _, x := range r.out.Providers {
		once("providers", x.ID, x.Pos)
	}
	for _, x := range r.out.GPUs {
		once("gpus", x.ID, x.Pos)
	}
	for _, x := range r.out.Models {
		once("models", x.ID, x.Pos)
	}
	for _, x := range r.out.Sources {
		once("sources", x.ID, x.Pos)
	}
	for _, x := range r.out.Overrides {
		once("overrides", x.ID, x.Pos)
	}
}
