package pricing

import (
	"cmp"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// putAside removes, unless everything is asked for, what must not be ranked
// beside the rest: prices that better or newer evidence of the same seller
// contradicts, parts of a machine, indexes, sellers that have left.
func (c *comparison) putAside() {
	by := make([]contradiction, len(c.quotes))
	evidence := newEvidence(c.quotes)
	for i, q := range c.quotes {
		for j := range evidence.about(i, q) {
			if x := contradicted(q, c.quotes[j]); i != j && x.how != 0 {
				by[i] = first(by[i], x)
				c.conflicting(c.quotes[j], q)
			}
		}
	}
	kept := c.quotes[:0]
	for i, q := range c.quotes {
		code, reason := c.aside(q, by[i])
		switch {
		case code == "":
		case !c.All:
			c.leaveOut(q, code, reason)
			continue
		case code == WarnSuperseded:
			q.warn(WarnSuperseded, reason)
		}
		kept = append(kept, q)
	}
	c.quotes = kept
}

// aside says why a quote is put aside; an empty code when it is not.
func (c *comparison) aside(q *Quote, by contradiction) (code, reason string) {
	switch {
	case q.Has(WarnLeft):
		return WarnLeft, "the provider left public rental"
	case q.Has(WarnIndex):
		return WarnIndex, "an index: nobody sells at this price"
	case q.Has(WarnGPUOnly):
		return WarnGPUOnly, "price of the accelerator alone"
	case q.Has(WarnUnavailable) && !c.Unavailable:
		return WarnUnavailable, "listed, but not purchasable"
	case by.how != 0 && (c.Selection.Source == "" || c.All): // nothing contradicts the one source that was asked for
		return WarnSuperseded, by.reason(q)
	}
	return "", ""
}

// contradiction is how evidence puts a quote aside.
type contradiction struct {
	how      int // 0: not at all
	evidence catalog.Date
}

// How evidence contradicts, the reason that is given first.
const (
	betterEvidence = iota + 1
	newerEvidence
	datedEvidence
)

// first is the contradiction to name, of two against one quote.
func first(a, b contradiction) contradiction {
	d, e := a.evidence, b.evidence
	if a.how == 0 || cmp.Or(cmp.Compare(b.how, a.how), cmp.Compare(e.Year, d.Year), cmp.Compare(e.Month, d.Month), cmp.Compare(e.Day, d.Day)) < 0 {
		return b
	}
	return a
}

func (x contradiction) reason(q *Quote) string {
	switch x.how {
	case betterEvidence:
		return "low confidence (" + q.Source + ", " + q.AsOf + "): better evidence of " + x.evidence.String()
	case newerEvidence:
		return "seen " + q.AsOf + " (" + q.Source + "): newer evidence of " + x.evidence.String()
	}
	return "undated (" + q.Source + "): dated evidence of " + x.evidence.String()
}

// contradicted is how evidence e puts q aside.
func contradicted(q, e *Quote) (x contradiction) {
	qd, ed := q.asOf, e.asOf
	low, better := q.price.Confidence == catalog.Low, e.price.Confidence.Better(q.price.Confidence)
	switch {
	case !q.price.Known() || !ed.Known() || q.Scope == catalog.ScopeGPUOnly || e.Scope == catalog.ScopeGPUOnly:
	case !e.price.Known() && (!low || !better):
	case low && better && (!qd.Known() || ed.DaysUntil(qd) < catalog.FreshDays):
		return contradiction{betterEvidence, ed}
	case q.price.Confidence.Better(e.price.Confidence) || qd.Known() && qd.DaysUntil(ed) <= 0 || !covers(q, e):
	case qd.Known():
		return contradiction{newerEvidence, ed}
	default:
		return contradiction{datedEvidence, ed}
	}
	return x
}

// conflicting marks a quote whose evidence was contradicted by less than
// FreshDays and more than 20 %.
func (c *comparison) conflicting(q, other *Quote) {
	if q.Has(WarnConflict) || !q.asOf.Known() || !other.asOf.Known() || q.Source == other.Source {
		return
	}
	if days := q.asOf.DaysUntil(other.asOf); days > catalog.FreshDays || days < -catalog.FreshDays {
		return
	}
	low, high := q.PerGPUHour, other.PerGPUHour
	if low.Cmp(high) > 0 {
		low, high = high, low
	}
	if farApart(low, high) {
		q.warn(WarnConflict, low, high)
	}
}

// covers reports whether e is evidence of the same thing as q: equal where
// both say something, and q says no more than e about where it is sold.
func covers(q, e *Quote) bool {
	same := func(a, b string) bool { return a == "" || b == "" || strings.EqualFold(a, b) }
	return (q.Region == "" || strings.EqualFold(q.Region, e.Region)) &&
		same(q.Instance, e.Instance) && same(q.Tier, e.Tier) && q.Host == e.Host && q.Plan == e.Plan &&
		(!q.count.Known() || !e.count.Known() || q.count == e.count) &&
		(q.GPU == e.GPU || q.Has(WarnVariant) || e.Has(WarnVariant))
}

// applyLimits drops quotes over the price limit or outside the expression,
// which look at finished quotes.
func (c *comparison) applyLimits() {
	kept := c.quotes[:0]
	for _, q := range c.quotes {
		if c.MaxPrice.Known() {
			price := q.PerGPUHour
			if c.MaxInstance {
				price = q.PerInstanceHour
			}
			switch {
			case !price.Known():
				c.leaveOut(q, "no_price", "price not known")
				continue
			case price.Cmp(c.MaxPrice) > 0:
				c.leaveOut(q, "max_price", "above --max-price")
				continue
			}
		}
		if c.Where != nil {
			switch c.Where.holdsFor(whereRow(q)) {
			case fails:
				continue
			case unsure:
				c.leaveOut(q, "where_unknown", "what --where asks is not known")
				continue
			}
		}
		kept = append(kept, q)
	}
	c.quotes = kept
}

func compareLeftOut(a, b LeftOut) int {
	if c := cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.GPU, b.GPU)); c != 0 { // nearly always
		return c
	}
	return cmp.Or(
		strings.Compare(a.Instance, b.Instance),
		strings.Compare(a.Region, b.Region), strings.Compare(a.Tier, b.Tier), strings.Compare(a.GPUCount, b.GPUCount),
		strings.Compare(string(a.Purchase), string(b.Purchase)), cmp.Compare(deref(a.TermMonths), deref(b.TermMonths)),
		strings.Compare(a.Code, b.Code), strings.Compare(a.Reason, b.Reason),
	)
}
