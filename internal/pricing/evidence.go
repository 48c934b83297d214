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

// numbers stand for a cell, a machine and the same without its instance; all
// count from 1.
type numbers struct{ cell, machine, nameless int32 }

// evidence finds what can contradict a quote without looking at every pair: a
// marketplace has thousands of machines that say nothing about each other.
type evidence struct {
	cells    map[cell]int32
	machines map[machine]numbers
	of       []numbers // each quote; zero: no evidence
	better   lists     // quotes of more than low confidence, by cell
	same     lists     // quotes by machine
	anyName  lists     // quotes by machine without its instance
}

func newEvidence(qs []*Quote) *evidence {
	n := len(qs)
	e := &evidence{
		cells: make(map[cell]int32, n/4), machines: make(map[machine]numbers, n), of: make([]numbers, n),
		better: newLists(n, n), same: newLists(2*n, n), anyName: newLists(2*n, n),
	}
	for i, q := range qs {
		if !competes(q) {
			continue
		}
		x := e.number(q)
		e.of[i] = x
		e.same.add(x.machine, i)
		e.anyName.add(x.nameless, i)
		if q.price.Confidence != catalog.Low {
			e.better.add(x.cell, i)
		}
	}
	return e
}

func (e *evidence) number(q *Quote) numbers {
	c := cellOf(q)
	n := e.cells[c]
	if n == 0 {
		n = int32(len(e.cells) + 1)
		e.cells[c] = n
	}
	return e.machine(machine{n, q.Host, q.Plan, strings.ToLower(q.Instance)})
}

func (e *evidence) machine(m machine) numbers {
	x, known := e.machines[m]
	if known {
		return x
	}
	if m.instance != "" {
		x.nameless = e.machine(machine{m.cell, m.host, m.plan, ""}).machine
	}
	x.cell, x.machine = m.cell, int32(len(e.machines)+1)
	if m.instance == "" {
		x.nameless = x.machine
	}
	e.machines[m] = x
	return x
}

// about lists the quotes that [contradicted] may find against quote i.
func (e *evidence) about(i int, q *Quote) iter.Seq[int] {
	return func(yield func(int) bool) {
		x := e.of[i]
		switch {
		case x.cell == 0:
			return
		case x.machine == x.nameless:
			if !e.anyName.each(x.machine, yield) {
				return
			}
		case !e.same.each(x.machine, yield) || !e.same.each(x.nameless, yield):
			return
		}
		if q.price.Confidence == catalog.Low {
			e.better.each(x.cell, yield)
		}
	}
}

// lists are lists of quotes, one for each number.
type lists struct{ last, before []int32 } // of a number; of a quote in its list

func newLists(numbers, quotes int) lists {
	return lists{make([]int32, numbers+1), make([]int32, quotes+1)}
}

func (l lists) add(k int32, i int) { l.before[i+1], l.last[k] = l.last[k], int32(i+1) }

func (l lists) each(k int32, yield func(int) bool) bool {
	for at := l.last[k]; at > 0; at = l.before[at] {
		if !yield(int(at - 1)) {
			return false
		}
	}
	return true
}
