package catalog

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// Names resolves the names of GPUs: those that providers write in their
// offers and those that people type. It is safe for concurrent use. Make one
// with [NewNames].
type Names struct {
	gpus   []GPU
	offers []Offer           // whose unknown names may be asked for
	index  func() *nameIndex // built when a name is first looked up
}

// NewNames makes a resolver over the GPUs. It does no work until asked.
func NewNames(gpus []GPU) *Names {
	n := &Names{gpus: gpus}
	n.index = sync.OnceValue(func() *nameIndex { return indexNames(gpus) })
	return n
}

// nameIndex is what the ids, names, aliases and families of the GPUs say.
type nameIndex struct {
	labels   []label
	byCore   map[string][]int // positions in labels
	byFamily map[string][]int // positions in the GPUs
	forms    []string         // of each GPU: sxm, pcie, nvl, oam or ""
}

// label is one way of writing one GPU.
type label struct {
	gpu  int
	text string
	spec
}

func indexNames(gpus []GPU) *nameIndex {
	x := &nameIndex{
		labels: make([]label, 0, 8*len(gpus)),
		byCore: make(map[string][]int, 4*len(gpus)), byFamily: make(map[string][]int, len(gpus)), forms: make([]string, len(gpus)),
	}
	for i := range gpus {
		g := &gpus[i]
		x.add(i, g.ID)
		x.add(i, g.Name)
		for _, alias := range g.Aliases {
			x.add(i, alias)
		}
		x.forms[i] = formOf(g)
		if core := familyCore(g.Family); core != "" {
			x.byFamily[core] = append(x.byFamily[core], i)
		}
	}
	return x
}

func (x *nameIndex) add(gpu int, text string) {
	l := label{gpu, text, parseSpec(text)}
	if l.core != "" {
		x.byCore[l.core] = append(x.byCore[l.core], len(x.labels))
	}
	x.labels = append(x.labels, l)
}

// familyCore is what a name must say to mean the family as a whole.
func familyCore(family string) string {
	if s := parseSpec(family); s.bare() {
		return s.core
	}
	return foldName(family)
}

// formOf is the form that the id states, else that of the specification:
// an NVL card is a PCIe card, and yet nobody calls it one.
func formOf(g *GPU) string {
	for _, run := range nameRuns(g.ID) {
		if f := formWord(run); f != "" {
			return f
		}
	}
	return formWord(strings.ToLower(g.Form))
}

// candidate is a GPU that a name may mean, and why.
type candidate struct {
	gpu    int
	own    bool // the GPU is called so: one of its labels has the name's core
	exact  bool // and that label says just what the name says of the variant
	noForm bool // and that label does not say the form
	noSize bool // and that label does not say the memory
	stated bool // and that label says the memory that the name says
	family bool // its family is called so
}

// candidates lists the GPUs that the name may mean, in catalog order. Memory
// and form in the name must be right; nearGB, the memory per GPU as an offer
// states it, is used only where it helps.
func (n *Names) candidates(s spec, nearGB float64) []candidate {
	x := n.index()
	all := n.gather(x, &s)
	all = slices.DeleteFunc(all, func(c candidate) bool { return !n.sells(s.vendor, c.gpu) })
	sized := true
	switch {
	case s.mem > 0:
		some := n.withMemory(all, s.mem, n.tolerance(all))
		if len(some) == 0 { // "GH200 480GB" is called by the memory of its CPU
			some = keep(all, func(c candidate) bool { return c.stated })
		}
		all = some
	case s.num > 0:
		all = n.withMemory(all, s.num, 0)
	default:
		some := n.withMemory(all, nearGB, loose)
		if sized = len(some) > 0; sized {
			all = some
		}
	}
	if s.form != "" {
		all = withForm(all, s.form, x.forms, n.gpus)
	}
	if some := keep(all, func(c candidate) bool { return strings.EqualFold(n.gpus[c.gpu].MemoryType, s.hbm) }); s.hbm != "" && len(some) > 0 {
		all = some
	}
	return byOwnership(all, sized, s.bare())
}

// byOwnership prefers GPUs that are called so to those whose family is. Where
// no memory is known the whole family is meant, and a GPU that is always
// called by its memory ("4090 48GB") is not; an alias such as "H100 SXM" is
// the one GPU that has it.
func byOwnership(all []candidate, sized, bare bool) []candidate {
	is := func(c candidate) bool { return c.own }
	if !sized {
		all = keep(all, func(c candidate) bool { return c.noSize || c.family })
		is = func(c candidate) bool { return c.exact && !bare }
	}
	if some := keep(all, is); len(some) > 0 {
		return some
	}
	return all
}

func keep(all []candidate, ok func(candidate) bool) []candidate {
	var out []candidate
	for _, c := range all {
		if ok(c) {
			out = append(out, c)
		}
	}
	return out
}

// gather lists every GPU with a label or a family of the name's core.
func (n *Names) gather(x *nameIndex, s *spec) []candidate {
	labels := x.byCore[s.core]
	numbered := s.times > 0 && n.numbered(s)
	var out []candidate
	at := func(gpu int) *candidate {
		i, ok := slices.BinarySearchFunc(out, gpu, func(c candidate, gpu int) int { return c.gpu - gpu })
		if !ok {
			out = slices.Insert(out, i, candidate{gpu: gpu})
		}
		return &out[i]
	}
	for _, i := range labels {
		l := &x.labels[i]
		if numbered && l.times != s.times {
			continue // MLU370-X4 is no MLU370-X8
		}
		c := at(l.gpu)
		c.own = true
		c.exact = c.exact || l.mem == s.mem && l.num == s.num && l.form == s.form && l.hbm == s.hbm
		c.noForm = c.noForm || l.form == ""
		c.noSize = c.noSize || l.mem == 0 && l.num == 0
		c.stated = c.stated || l.mem == s.mem
	}
	if !numbered {
		for _, gpu := range x.byFamily[s.core] {
			at(gpu).family = true
		}
	}
	return out
}

// numbered reports whether the "x8" of such a name belongs to the model.
func (n *Names) numbered(s *spec) bool {
	x := n.index()
	return slices.ContainsFunc(x.byCore[s.core], func(l int) bool { return x.labels[l].times > 0 })
}

// How far a stated memory may be from the nominal one, as the logarithm of
// their ratio. Drivers and sources state some percent less, or more where
// they count in GiB. In a name, 2 % keeps the 94 GB H100 from the 96 GB one.
const (
	strict = 0.02
	loose  = 0.10
)

// tolerance is loose where all have one memory, which then decides nothing.
func (n *Names) tolerance(all []candidate) float64 {
	for _, c := range all {
		if n.gpus[c.gpu].MemoryGB != n.gpus[all[0].gpu].MemoryGB {
			return strict
		}
	}
	return loose
}

// withMemory keeps the candidates whose memory is nearest to gb, if it is near
// enough.
func (n *Names) withMemory(all []candidate, gb, tolerance float64) []candidate {
	far := func(c candidate) float64 {
		if tolerance == 0 && gb != n.gpus[c.gpu].MemoryGB {
			return math.MaxFloat64
		}
		return memoryFar(gb, n.gpus[c.gpu].MemoryGB)
	}
	best := tolerance
	for _, c := range all {
		best = min(best, far(c))
	}
	return keep(all, func(c candidate) bool { return far(c) <= best+1e-9 })
}

// memoryFar is the distance between a stated and a nominal memory; a stated
// one may be in GiB taken for GB, or in GB converted from such GiB.
func memoryFar(gb, nominal float64) float64 {
	if gb <= 0 || nominal <= 0 {
		return math.MaxFloat64
	}
	const gib = 1.073741824
	return min(math.Abs(math.Log(gb/nominal)), math.Abs(math.Log(gb/gib/nominal)))
}

// withForm keeps the candidates of the form, else those that have none to be
// told apart by (a GB200 is written SXM by some). An entry that stands for
// several forms is none of them.
func withForm(all []candidate, form string, forms []string, gpus []GPU) []candidate {
	if some := keep(all, func(c candidate) bool { return forms[c.gpu] == form && len(gpus[c.gpu].StandsFor) == 0 }); len(some) > 0 {
		return some
	}
	return keep(all, func(c candidate) bool { return forms[c.gpu] == "" && len(gpus[c.gpu].StandsFor) == 0 })
}
