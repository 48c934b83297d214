package pricing

import (
	"iter"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// cell is what quotes compete in as evidence: one seller, GPU family and
// memory, and way of buying.
type cell struct {
	provider, family string
	memory           int
	purchase         catalog.Purchase
	term             int
}

func cellOf(q *Quote) cell {
	c := cell{provider: q.Provider, family: q.GPU, purchase: q.Purchase}
	if q.gpu != nil {
		c.family = q.gpu.Family
	}
	if q.GPUMemoryGB != nil {
		c.memory = int(*q.GPUMemoryGB)
	}
	if q.TermMonths != nil {
		c.term = *q.TermMonths
	}
	return c
}

// competes reports whether the quote is evidence, or can be put aside by it.
func competes(q *Quote) bool { return q.price != nil && (q.price.Known() || q.price.NotSold()) }

// machine is what evidence must agree on besides the cell, the instance being
// one that both name or that one does not.
type machine struct {
	cell                 int32
	host, plan, instance string
}

// evidence finds what can contradict a quote without looking at every pair: a
// marketplace has thousands of machines that say nothing about each other.
type evidence struct {
	of       []machine    // of each quote; cell 0: no evidence
	better   lists[int32] // of more than low confidence, by cell
	machines lists[machine]
	anyName  lists[machine] // by cell, host and plan
}

func newEvidence(qs []*Quote) *evidence {
	e := &evidence{make([]machine, len(qs)), newLists[int32](len(qs)), newLists[machine](len(qs)), newLists[machine](len(qs))}
	cells := make(map[cell]int32, len(qs))
	for i, q := range qs {
		if !competes(q) {
			continue
		}
		c := cellOf(q)
		if cells[c] == 0 {
			cells[c] = int32(len(cells) + 1)
		}
		m := machine{cells[c], q.Host, q.Plan, strings.ToLower(q.Instance)}
		e.of[i] = m
		e.machines.add(m, i)
		if q.price.Confidence != catalog.Low {
			e.better.add(m.cell, i)
		}
		e.anyName.add(m.nameless(), i)
	}
	return e
}

func (m machine) nameless() machine {
	m.instance = ""
	return m
}

// about lists the quotes that [contradicted] may find against quote i.
func (e *evidence) about(i int, q *Quote) iter.Seq[int] {
	return func(yield func(int) bool) {
		m := e.of[i]
		switch {
		case m.cell == 0:
			return
		case m.instance == "":
			if !e.anyName.each(m, yield) {
				return
			}
		case !e.machines.each(m, yield) || !e.machines.each(m.nameless(), yield):
			return
		}
		if q.price.Confidence == catalog.Low {
			e.better.each(m.cell, yield)
		}
	}
}

// lists are lists of numbers, one for each key, in one piece of memory.
type lists[K comparable] struct {
	last   map[K]int32
	before []int32 // of each number, the one before it in its list; both count from 1
}

func newLists[K comparable](n int) lists[K] {
	return lists[K]{make(map[K]int32, n), make([]int32, n+1)}
}

func (l lists[K]) add(k K, i int) { l.before[i+1], l.last[k] = l.last[k], int32(i+1) }

func (l lists[K]) each(k K, yield func(int) bool) bool {
	for at := l.last[k]; at > 0; at = l.before[at] {
		if !yield(int(at - 1)) {
			return false
		}
	}
	return true
}
