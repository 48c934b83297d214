package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// FreshDays is how long a price counts as fresh. Older prices are marked, a
// low-confidence price does not displace a better one that is younger than
// this beside it, and sources are compared for conflicts within it.
const FreshDays = 90

// Term is one way of buying one offer: every observation of the same Term is
// history of one price.
type Term struct {
	Purchase   Purchase
	Plan       string
	TermMonths int
	GPUOnly    bool // the accelerator without its host
}

// Term is what the observation is of.
func (p *Price) Term() Term {
	return Term{p.Purchase, p.Plan, p.TermMonths, p.Scope == ScopeGPUOnly}
}

// ScopeGPUOnly marks a price of the accelerator alone.
const ScopeGPUOnly = "gpu_only"

// Known reports whether the observation carries an amount.
func (p *Price) Known() bool { return p.Low.Known() }

// NotSold reports whether the observation says that this cannot be bought.
func (p *Price) NotSold() bool { return p.Purchasable != nil && !*p.Purchasable }

// Selection limits which observations count.
type Selection struct {
	AsOf       Date   // newest day that counts
	Source     string // only this source; empty for all
	MaxAgeDays int    // oldest age at AsOf that counts; 0 for any
	Dated      bool   // an undated price does not count: on a past day it may not have been seen yet
}

// Counts reports whether the observation may be used at all.
func (s Selection) Counts(p *Price) bool {
	if s.Source != "" && p.Source != s.Source {
		return false
	}
	if !p.AsOf.Known() {
		return s.MaxAgeDays == 0 && !s.Dated
	}
	if p.AsOf.Compare(s.AsOf) > 0 {
		return false
	}
	if p.ValidUntil.Known() && p.ValidUntil.Compare(s.AsOf) < 0 {
		return false
	}
	return s.MaxAgeDays == 0 || p.AsOf.DaysUntil(s.AsOf) <= s.MaxAgeDays
}

// TooOld reports whether the observation counts but for its age.
func (s Selection) TooOld(p *Price) bool {
	if s.MaxAgeDays == 0 || s.Counts(p) {
		return false
	}
	s.MaxAgeDays = 0
	return s.Counts(p)
}

// Chosen is the observation that stands for one Term of an offer, and the
// others that count.
type Chosen struct {
	*Price
	Others []*Price
}

// Terms lists the ways an offer is sold under the selection, each with its
// chosen price, in a stable order. The newest observation at or before
// the day wins; a low-confidence one yields to a better one less than
// [FreshDays] older; one without an amount yields to any with one.
func (s Selection) Terms(o *Offer) []Chosen {
	all := make([]*Price, 0, len(o.Prices))
	for i := range o.Prices {
		if p := &o.Prices[i]; s.Counts(p) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b *Price) int {
		if c := compareTerms(a, b); c != 0 {
			return c
		}
		return newestFirst(a, b)
	})
	out := make([]Chosen, 0, len(all))
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Term() == all[0].Term() {
			n++
		}
		out, all = append(out, choose(all[:n:n])), all[n:]
	}
	return out
}

// choose takes the price that stands for the others of its term, which come
// newest first.
func choose(ps []*Price) Chosen {
	best := 0
	if ps[0].Confidence == Low && ps[0].Known() {
		for i, p := range ps {
			if p.Confidence != Low && (p.Known() || p.NotSold()) && p.AsOf.Known() && p.AsOf.DaysUntil(ps[0].AsOf) < FreshDays {
				best = i
				break
			}
		}
	}
	chosen := ps[best]
	copy(ps[1:best+1], ps[:best])
	return Chosen{chosen, ps[1:]}
}

// newestFirst is a total order: amounts before none, then date, confidence,
// source, amount.
func newestFirst(a, b *Price) int {
	switch {
	case a.Known() && !b.Known():
		return -1
	case b.Known() && !a.Known():
		return 1
	}
	if c := b.AsOf.Compare(a.AsOf); c != 0 { // nearly always
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Confidence.rank(), b.Confidence.rank()),
		strings.Compare(a.Source, b.Source),
		a.Low.Cmp(b.Low),
		a.High.Cmp(b.High),
		strings.Compare(a.Ref, b.Ref),
	)
}

func compareTerms(a, b *Price) int {
	if a.Purchase != b.Purchase {
		return cmp.Or(cmp.Compare(slices.Index(Purchases(), a.Purchase), slices.Index(Purchases(), b.Purchase)), cmp.Compare(a.Purchase, b.Purchase))
	}
	only := func(p *Price) int {
		if p.Scope == ScopeGPUOnly {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.TermMonths, b.TermMonths), strings.Compare(a.Plan, b.Plan), cmp.Compare(only(a), only(b)))
}

func (c Confidence) rank() int {
	switch c {
	case High:
		return 0
	case Medium:
		return 1
	}
	return 2
}

// Better reports whether c is a higher confidence than d.
func (c Confidence) Better(d Confidence) bool { return c.rank() < d.rank() }
