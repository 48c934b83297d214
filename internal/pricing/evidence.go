package pricing

import (
	"slices"
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
	cell
	host, plan, instance string
}

func machineOf(q *Quote) machine {
	return machine{cellOf(q), q.Host, q.Plan, strings.ToLower(q.Instance)}
}

// evidence finds what can contradict a quote without looking at every pair: a
// marketplace has thousands of machines that say nothing about each other.
type evidence struct {
	better   map[cell][]int // of more than low confidence
	machines map[machine][]int
	anyName  map[machine][]int // by cell, host and plan
}

func newEvidence(qs []Quote) evidence {
	e := evidence{map[cell][]int{}, map[machine][]int{}, map[machine][]int{}}
	for i := range qs {
		q := &qs[i]
		if !competes(q) {
			continue
		}
		m := machineOf(q)
		e.machines[m] = append(e.machines[m], i)
		if q.price.Confidence != catalog.Low {
			e.better[m.cell] = append(e.better[m.cell], i)
		}
		m.instance = ""
		e.anyName[m] = append(e.anyName[m], i)
	}
	return e
}

// about lists the quotes that [contradicted] may find against q.
func (e evidence) about(q *Quote) []int {
	if !competes(q) {
		return nil
	}
	m := machineOf(q)
	nameless := m
	nameless.instance = ""
	list := e.anyName[nameless]
	if m.instance != "" {
		list = slices.Concat(e.machines[m], e.machines[nameless])
	}
	if q.price.Confidence == catalog.Low {
		list = slices.Concat(list, e.better[m.cell])
	}
	return list
}
