package catalog

import (
	"math"
	"slices"
	"strings"
)

// ResolveGPU finds the GPU that an offer's own words mean. memoryGB is the
// memory per GPU as the offer states it (GB, 0: not stated); instance is the
// provider's name of the machine. Both decide between the variants of a name
// and stand in for one that says only the vendor; neither overrides a name. A
// name that fits several variants is the entry that stands for them, if the
// catalog has one. Anything else stays unknown: false, and never a GPU whose
// name is merely similar.
func (n *Names) ResolveGPU(name string, memoryGB float64, instance string) (id string, ok bool) {
	if math.IsNaN(memoryGB) || memoryGB < 0 {
		memoryGB = 0
	}
	if g := n.byID(name); g != nil && (memoryGB == 0 || memoryFar(memoryGB, g.MemoryGB) < loose) && len(g.StandsFor) == 0 {
		return g.ID, true
	}
	gpu := n.resolve(name, memoryGB, instance)
	if gpu < 0 {
		return "", false
	}
	return n.gpus[gpu].ID, true
}

func (n *Names) byID(name string) *GPU {
	for i := range n.gpus {
		if strings.EqualFold(n.gpus[i].ID, name) {
			return &n.gpus[i]
		}
	}
	return nil
}

func (n *Names) resolve(name string, memoryGB float64, instance string) int {
	s := parseSpec(name)
	if s.core == "" {
		return n.fromInstance(s, max(s.mem, memoryGB), instance)
	}
	all := n.candidates(s, memoryGB)
	if len(all) > 1 && instance != "" {
		all = n.intersect(all, n.fromMachine(instance))
	}
	for _, gpu := range [...]func() int{
		func() int { return n.pick(all) },
		func() int { return n.exactly(name) },
		func() int { return n.fromSeries(s, memoryGB) },
	} {
		if i := gpu(); i >= 0 {
			return i
		}
	}
	return -1
}

// exactly is the GPU with that id, name or alias, or -1 if there are none or
// several.
func (n *Names) exactly(name string) int {
	folded, found := foldName(name), -1
	for i := range n.index().labels {
		l := &n.index().labels[i]
		if l.gpu == found || foldName(l.text) != folded {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = l.gpu
	}
	return found
}

// intersect narrows the candidates to what the instance says; one that says
// something else is not believed.
func (n *Names) intersect(all, machine []candidate) []candidate {
	some := keep(machine, func(m candidate) bool {
		return slices.ContainsFunc(all, func(c candidate) bool { return c.gpu == m.gpu })
	})
	if len(some) > 0 {
		return some
	}
	return all
}

// pick is the one GPU that the candidates are, or -1: the only one, the only
// one that is called just so, where they differ in form only the one that is
// called without, or the narrowest entry that stands for them all.
func (n *Names) pick(all []candidate) int {
	for _, sure := range [...]func(candidate) bool{
		func(candidate) bool { return true },
		func(c candidate) bool { return c.exact },
		func(c candidate) bool { return c.noForm && n.tolerance(all) == loose },
	} {
		if some := keep(all, sure); len(some) == 1 {
			return some[0].gpu
		}
	}
	return n.standIn(all)
}

// standIn is the narrowest entry that stands for every candidate, or -1.
func (n *Names) standIn(all []candidate) int {
	best := -1
	for i := range n.gpus {
		stands := n.gpus[i].StandsFor
		if len(all) == 0 || best >= 0 && len(stands) >= len(n.gpus[best].StandsFor) {
			continue
		}
		if !slices.ContainsFunc(all, func(c candidate) bool {
			return c.gpu != i && len(n.gpus[c.gpu].StandsFor) == 0 && !slices.Contains(stands, n.gpus[c.gpu].ID)
		}) && len(stands) > 0 {
			best = i
		}
	}
	return best
}

// fromSeries reads a name that several families share ("RTX 6000") where the
// memory leaves only one.
func (n *Names) fromSeries(s spec, memoryGB float64) int {
	tolerance := loose
	if s.mem > 0 {
		memoryGB, tolerance = s.mem, strict
	}
	if memoryGB == 0 || !slices.ContainsFunc(s.words, func(w string) bool { return len(w) > 3 && allDigits(w) }) {
		return -1
	}
	return n.pick(n.withMemory(n.series(s), memoryGB, tolerance))
}

// series lists the GPUs whose name continues the words of s, with others
// before or between them: "RTX 6000" is continued by RTX 6000 Ada and by
// RTX PRO 6000, but not by RTX A6000. A number alone is continued by every
// card of that number. The one with the fewest other words of each family is
// exact.
func (n *Names) series(s spec) []candidate {
	x := n.index()
	fewest := map[int]int{}
	for i := range x.labels {
		l := &x.labels[i]
		if len(s.words) == 0 || len(l.words) < len(s.words) || !continues(l.words, s.words) {
			continue
		}
		if !n.sells(s.vendor, l.gpu) {
			continue
		}
		if k, ok := fewest[l.gpu]; !ok || len(l.words) < k {
			fewest[l.gpu] = len(l.words)
		}
	}
	var out []candidate
	for i := range n.gpus {
		k, ok := fewest[i]
		if !ok {
			continue
		}
		fewestOfAll := true
		for j := range n.gpus {
			if other, ok := fewest[j]; ok && n.gpus[j].Family == n.gpus[i].Family && other < k {
				fewestOfAll = false
			}
		}
		out = append(out, candidate{gpu: i, own: true, exact: fewestOfAll})
	}
	return out
}

// continues reports whether words holds each of part, in order.
func continues(words, part []string) bool {
	if len(part) == 1 && allDigits(part[0]) {
		return len(part[0]) > 2 && slices.ContainsFunc(words, func(w string) bool {
			return strings.HasSuffix(w, part[0]) && !hasDigit(strings.TrimSuffix(w, part[0]))
		})
	}
	for _, w := range words {
		if len(part) > 0 && w == part[0] {
			part = part[1:]
		}
	}
	return len(part) == 0
}
