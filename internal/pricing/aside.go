package pricing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// putAside removes, unless everything is asked for, what must not be ranked
// beside the rest: prices that better or newer evidence of the same seller
// contradicts, parts of a machine, indexes, sellers that have left.
func (c *comparison) putAside() {
	reasons := make([]string, len(c.quotes))
	codes := make([]string, len(c.quotes))
	evidence := newEvidence(c.quotes)
	for i := range c.quotes {
		for _, j := range evidence.about(&c.quotes[i]) {
			r := contradicted(&c.quotes[i], &c.quotes[j])
			if i == j || r == "" {
				continue
			}
			if reasons[i] == "" || r < reasons[i] {
				reasons[i], codes[i] = r, WarnSuperseded
			}
			c.conflicting(&c.quotes[j], &c.quotes[i])
		}
	}
	for i := range c.quotes {
		q := &c.quotes[i]
		switch {
		case q.Has(WarnLeft):
			reasons[i], codes[i] = "the provider left public rental", WarnLeft
		case q.Has(WarnIndex):
			reasons[i], codes[i] = "an index: nobody sells at this price", WarnIndex
		case q.Has(WarnGPUOnly):
			reasons[i], codes[i] = "price of the accelerator alone", WarnGPUOnly
		case q.Has(WarnUnavailable) && !c.Unavailable:
			reasons[i], codes[i] = "listed, but not purchasable", WarnUnavailable
		}
	}
	if c.Selection.Source != "" && !c.All {
		for i := range reasons { // one source was asked for: nothing contradicts it
			if codes[i] == WarnSuperseded {
				reasons[i] = ""
			}
		}
	}
	c.remove(reasons, codes)
}

func (c *comparison) remove(reasons, codes []string) {
	kept := c.quotes[:0]
	for i := range c.quotes {
		q := c.quotes[i]
		switch {
		case reasons[i] == "":
		case !c.All:
			c.leaveOut(&q, codes[i], reasons[i])
			continue
		case codes[i] == WarnSuperseded:
			q.warn(WarnSuperseded, reasons[i])
		}
		kept = append(kept, q)
	}
	c.quotes = kept
}

// contradicted says why evidence e puts q aside, or "".
func contradicted(q, e *Quote) string {
	if q.Scope == catalog.ScopeGPUOnly || e.Scope == catalog.ScopeGPUOnly || !covers(q, e) && q.price.Confidence != catalog.Low {
		return ""
	}
	qd, ed := q.asOf, e.asOf
	better := e.price.Confidence.Better(q.price.Confidence)
	switch {
	case !q.price.Known() || !e.price.Known() && (q.price.Confidence != catalog.Low || !better):
		return ""
	case q.price.Confidence == catalog.Low && better && ed.Known() && (!qd.Known() || ed.DaysUntil(qd) < catalog.FreshDays):
		return fmt.Sprintf("low confidence (%s, %s): better evidence of %s", q.Source, qd, ed)
	case q.price.Confidence.Better(e.price.Confidence) || !covers(q, e) || !ed.Known():
		return ""
	case !qd.Known():
		return fmt.Sprintf("undated (%s): dated evidence of %s", q.Source, ed)
	case qd.DaysUntil(ed) > 0:
		return fmt.Sprintf("seen %s (%s): newer evidence of %s", qd, q.Source, ed)
	}
	return ""
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
	for i := range c.quotes {
		q := c.quotes[i]
		if c.MaxPrice.Known() {
			price := q.PerGPUHour
			if c.MaxInstance {
				price = q.PerInstanceHour
			}
			switch {
			case !price.Known():
				c.leaveOut(&q, "no_price", "price not known")
				continue
			case price.Cmp(c.MaxPrice) > 0:
				c.leaveOut(&q, "max_price", "above --max-price")
				continue
			}
		}
		if c.Where != nil {
			switch c.Where.holdsFor(whereRow(&q)) {
			case fails:
				continue
			case unsure:
				c.leaveOut(&q, "where_unknown", "what --where asks is not known")
				continue
			}
		}
		kept = append(kept, q)
	}
	c.quotes = kept
}

func compareLeftOut(a, b LeftOut) int {
	return cmp.Or(
		strings.Compare(a.Provider, b.Provider), strings.Compare(a.GPU, b.GPU), strings.Compare(a.Instance, b.Instance),
		strings.Compare(a.Region, b.Region), strings.Compare(a.Tier, b.Tier), strings.Compare(a.GPUCount, b.GPUCount),
		strings.Compare(string(a.Purchase), string(b.Purchase)), cmp.Compare(deref(a.TermMonths), deref(b.TermMonths)),
		strings.Compare(a.Code, b.Code), strings.Compare(a.Reason, b.Reason),
	)
}
