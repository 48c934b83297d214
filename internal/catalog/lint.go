package catalog

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// StaleDays is the age in days beyond which a price is called stale.
const StaleDays = FreshDays

// Lint looks for figures that are probably wrong, as seen on the day now.
// docs/lint.md describes every code. Only a figure that would mislead a result
// is an error; everything else is a warning, since a market also does what a
// rule does not expect.
func Lint(c *Catalog, now Date) Problems {
	l := &linter{c: c, now: now, n: NewNames(c.GPUs), gpus: map[string]*GPU{}, sources: map[string]bool{UserSource: true}, providers: map[string]*Provider{}}
	for i := range c.GPUs {
		l.gpus[c.GPUs[i].ID] = &c.GPUs[i]
	}
	for i := range c.Sources {
		l.sources[c.Sources[i].ID] = true
	}
	for i := range c.Providers {
		l.providers[c.Providers[i].ID] = &c.Providers[i]
	}
	l.markets()
	for i := range c.Offers {
		l.offer(&c.Offers[i])
	}
	l.families()
	l.names()
	l.overrides()
	l.figures()
	return l.ps.sorted()
}

type linter struct {
	c         *Catalog
	now       Date
	n         *Names
	gpus      map[string]*GPU
	sources   map[string]bool
	providers map[string]*Provider
	market    map[string][]level // newest on-demand prices by GPU, lowest first
	ps        Problems
}

// level is one offer's price level, in USD per GPU-hour.
type level struct {
	usd   money.Amount
	offer *Offer
}

func (l *linter) warn(pos Pos, o *Offer, code, hint, format string, a ...any) {
	p := Problem{Code: code, Severity: SeverityWarning, File: pos.File, Line: pos.Line, Col: pos.Col, What: fmt.Sprintf(format, a...), Hint: hint}
	if o != nil {
		p.Path = o.title()
	}
	l.ps = append(l.ps, p)
}

func (l *linter) fail(pos Pos, o *Offer, code, hint, format string, a ...any) {
	l.warn(pos, o, code, hint, format, a...)
	l.ps[len(l.ps)-1].Severity = SeverityError
}

// offer looks at one offer and its prices.
func (l *linter) offer(o *Offer) {
	l.gpuName(o)
	l.memory(o)
	if !o.GPUs.Known() && slices.ContainsFunc(o.Prices, func(p Price) bool { return p.Per.Instance() && p.Known() }) {
		l.warn(o.Pos, o, "gpus-missing", "state gpus", "priced per instance, but the number of GPUs is not stated")
	}
	byTerm := map[Term][]*Price{}
	for i := range o.Prices {
		p := &o.Prices[i]
		byTerm[p.Term()] = append(byTerm[p.Term()], p)
		l.price(o, p)
	}
	for _, ps := range byTerm {
		slices.SortStableFunc(ps, newestFirst)
		l.age(o, ps[0])
		l.history(o, ps)
	}
	l.spot(o, byTerm)
}

// gpuName: a GPU that is not known, a maker's name in its place, a name that
// may mean cards of different memory.
func (l *linter) gpuName(o *Offer) {
	switch g := l.gpus[o.GPU]; {
	case isMaker(o.GPU, l.c.GPUs):
		l.fail(o.Pos, o, "vendor-as-gpu", "write the model, such as H200", "%q is a maker, not a GPU", o.GPU)
	case g == nil && len(l.mayBe(o.GPU)) > 1:
		l.warn(o.Pos, o, "ambiguous-gpu", "state gpu_memory_gb or a variant", "%q may be %s", o.GPU, orList(l.mayBe(o.GPU)))
	case g == nil:
		l.warn(o.Pos, o, "unknown-gpu", "the offer is kept; add the GPU or an alias to gpus", "the GPU %q is not known", o.GPU)
	case o.GPUMemoryGB == 0 && l.memoryOpen(g):
		l.warn(o.Pos, o, "ambiguous-gpu", "state gpu_memory_gb or a variant", "%s may have different memory: %s", g.Name, strings.Join(g.StandsFor, ", "))
	}
}

// mayBe lists the GPUs that a name which is none of them may mean.
func (l *linter) mayBe(name string) []string {
	set, err := l.n.ParseGPUs(name)
	if err != nil || len(set.Queries) != 1 {
		return nil
	}
	return set.Queries[0].IDs
}

func isMaker(name string, gpus []GPU) bool {
	plain := strings.ToLower(strings.TrimSpace(name))
	makers := []string{"nvidia", "nvidia corporation", "amd", "intel", "huawei", "google", "aws", "cambricon", "gpu"}
	return slices.Contains(makers, plain) || slices.ContainsFunc(gpus, func(g GPU) bool { return g.Vendor != "" && plain == strings.ToLower(g.Vendor) })
}

func (l *linter) memoryOpen(g *GPU) bool {
	for _, id := range g.StandsFor {
		if v := l.gpus[id]; v != nil && v.MemoryGB != g.MemoryGB {
			return true
		}
	}
	return false
}

// memory compares the memory stated with the names of GPU and instance.
func (l *linter) memory(o *Offer) {
	stated, whose := o.GPUMemoryGB, "the offer"
	g := l.gpus[o.GPU]
	if stated == 0 && g != nil {
		stated, whose = g.MemoryGB, g.Name
	}
	if stated == 0 || o.GPUs.Fraction() {
		return
	}
	if g != nil && g.MemoryGB > 0 && apart(stated, g.MemoryGB) {
		l.warn(o.Pos, o, "memory-contradicts-name", "", "%s has %g GB, the offer says %.4g", g.Name, g.MemoryGB, stated)
	}
	named := memoryInName(o.Instance) // may be that of the host, as in 16vcpu-200gb
	host := strings.Contains(strings.ToLower(o.Instance), "cpu") || named > 0 && !apart(named, o.MemoryGiB)
	if named > 0 && !host && apart(named, stated) && apart(named, stated*o.GPUs.Float()) {
		l.warn(o.Pos, o, "memory-contradicts-name", "", "the instance name says %g GB, %s %.4g", named, whose, stated)
	}
}

// price looks at one observation by itself.
func (l *linter) price(o *Offer, p *Price) {
	switch {
	case p.Source == "":
		l.fail(p.Pos, o, "missing-source", "", "a price of %s without a source", p.AsOf)
	case !l.sources[p.Source]:
		l.fail(p.Pos, o, "unknown-source", didYouMean(p.Source, l.sourceIDs()), "the source %q is not listed", p.Source)
	}
	if p.High.IsZero() && !p.Free {
		l.warn(p.Pos, o, "zero-price", "mark a price that is 0 on purpose with free: true", "an amount of 0")
	}
	if pr := l.providers[o.Provider]; pr != nil && pr.Currency != "" && p.Known() && p.Low.Currency() != pr.Currency {
		l.warn(p.Pos, o, "provider-currency", "", "priced in %s, but %s bills in %s", p.Low.Currency(), pr.Name, pr.Currency)
	}
	l.level(o, p)
}

func (l *linter) sourceIDs() []string {
	out := make([]string, len(l.c.Sources))
	for i, s := range l.c.Sources {
		out[i] = s.ID
	}
	return out
}

// age looks at the newest observation of a term: older ones are history.
func (l *linter) age(o *Offer, p *Price) {
	switch {
	case !p.AsOf.Known():
		l.warn(p.Pos, o, "undated-price", "state as_of", "the %s price has no date, so it may be of any age", p.Term())
	case l.now.Known() && p.AsOf.DaysUntil(l.now) > StaleDays:
		l.warn(p.Pos, o, "stale-price", "", "the newest %s price is of %s, %d days old", p.Term(), p.AsOf, p.AsOf.DaysUntil(l.now))
	}
}

// history compares the observations of one term, newest first: rows that stand
// twice, sources that contradict each other, and a price per GPU that does not
// fit the price per instance.
func (l *linter) history(o *Offer, ps []*Price) {
	for i, p := range ps {
		for _, q := range ps[:i] {
			if p.AsOf == q.AsOf && p.Source == q.Source && p.Low == q.Low && p.High == q.High && p.Per == q.Per && p.Commitment == q.Commitment {
				l.warn(later(p, q).Pos, o, "duplicate-price", "", "the same %s price of %s stands here twice", p.Term(), p.AsOf)
				break
			}
		}
	}
	l.perUnit(o, ps)
	l.conflict(o, ps)
}

func later(a, b *Price) *Price {
	if cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line)) > 0 {
		return a
	}
	return b
}

// perUnit finds count x the price per GPU that differs from the price per
// instance.
func (l *linter) perUnit(o *Offer, ps []*Price) {
	if !o.GPUs.Known() || o.GPUs == unit.Whole(1) {
		return
	}
	var each, whole *Price
	for _, p := range ps {
		if p.Known() && p.Per.Instance() && whole == nil {
			whole = p
		}
		if p.Known() && !p.Per.Instance() && each == nil {
			each = p
		}
	}
	if each == nil || whole == nil || !near(each, whole) {
		return
	}
	a, okA := gpuHour(o, each)
	b, okB := gpuHour(o, whole)
	if !okA || !okB || a.Currency() != b.Currency() || within(a, b, 102) {
		return
	}
	l.warn(whole.Pos, o, "per-gpu-or-instance", "check which of the two is per GPU", "%s x %s per GPU-hour is not %s per %s: a factor of %s",
		o.GPUs, each.Low, whole.Low, whole.Per, ratio(a, b))
}

// near reports observations that belong to the same time.
func near(p, q *Price) bool {
	if !p.AsOf.Known() || !q.AsOf.Known() {
		return p.AsOf == q.AsOf
	}
	days := p.AsOf.DaysUntil(q.AsOf)
	return -FreshDays <= days && days <= FreshDays
}

// conflictPercent is how far two sources may be apart.
const conflictPercent = 120

// conflict compares the chosen price with those of other sources: of the same
// time as a conflict, older ones as what they are.
func (l *linter) conflict(o *Offer, ps []*Price) {
	if o.Kind == "marketplace" {
		return // many sellers, many prices
	}
	chosen := choose(slices.Clone(ps)).Price
	a, ok := gpuHour(o, chosen)
	seen := map[string]bool{chosen.Source: true}
	for _, q := range ps {
		b, okB := gpuHour(o, q)
		if !ok || !okB || seen[q.Source] || a.Currency() != b.Currency() || within(a, b, conflictPercent) {
			continue
		}
		seen[q.Source] = true
		if near(chosen, q) {
			l.warn(q.Pos, o, "sources-conflict", "", "%s: %s says %s per GPU-hour on %s, %s %s on %s: a factor of %s",
				q.Term(), chosen.Source, a, chosen.AsOf, q.Source, b, q.AsOf, ratio(a, b))
		} else if q.AsOf.Known() && chosen.AsOf.Known() {
			l.warn(q.Pos, o, "older-source-differs", "", "%s: %s said %s per GPU-hour on %s, since %s it is %s by %s: a factor of %s",
				q.Term(), q.Source, b, q.AsOf, chosen.AsOf, a, chosen.Source, ratio(a, b))
		}
	}
}

// spot compares the newest spot price with the on-demand price of the same
// offer that is nearest in time.
func (l *linter) spot(o *Offer, byTerm map[Term][]*Price) {
	for term, spots := range byTerm {
		if term.Purchase != Spot || !spots[0].Known() {
			continue
		}
		var best *Price
		for _, p := range byTerm[Term{Purchase: OnDemand, GPUOnly: term.GPUOnly}] {
			if p.Known() && near(p, spots[0]) && (best == nil || nearer(p, best, spots[0])) {
				best = p
			}
		}
		if best == nil {
			continue
		}
		a, okA := gpuHour(o, spots[0])
		b, okB := gpuHour(o, best)
		switch {
		case !okA || !okB || a.Currency() != b.Currency() || best.Free:
		case a.Cmp(b) == 0:
			l.warn(spots[0].Pos, o, "spot-equals-on-demand", "perhaps a copied column", "spot and on demand are both %s per GPU-hour", a)
		case a.Cmp(b) > 0:
			l.warn(spots[0].Pos, o, "spot-above-on-demand", "on demand is cheaper", "spot %s of %s is above on demand %s of %s", a, spots[0].AsOf, b, best.AsOf)
		}
	}
}

// nearer reports that p fits q better than best: the same source, then the
// nearer day.
func nearer(p, best, q *Price) bool {
	if (p.Source == q.Source) != (best.Source == q.Source) {
		return p.Source == q.Source
	}
	days := func(x *Price) int { d := x.AsOf.DaysUntil(q.AsOf); return max(d, -d) }
	return p.AsOf.Known() && q.AsOf.Known() && days(p) < days(best)
}

// ratio is the larger through the smaller, for people.
func ratio(a, b money.Amount) string {
	if a.Cmp(b) < 0 {
		a, b = b, a
	}
	r, ok := money.Ratio(a, b)
	if !ok {
		return "?"
	}
	return r.FloatString(2)
}

// within reports that the larger is at most percent hundredths of the smaller.
func within(a, b money.Amount, percent int64) bool {
	if a.Cmp(b) < 0 {
		a, b = b, a
	}
	r, ok := money.Ratio(a, b)
	return ok && r.Cmp(big.NewRat(percent, 100)) <= 0 || !ok && a.Cmp(b) == 0
}

// String names the term for people: "on_demand", "reserved 36 months
// savings_plan".
func (t Term) String() string {
	s := string(t.Purchase)
	if t.TermMonths > 0 {
		s += fmt.Sprintf(" %d months", t.TermMonths)
	}
	if t.Plan != "" {
		s += " " + t.Plan
	}
	if t.GPUOnly {
		s += " gpu_only"
	}
	return s
}
