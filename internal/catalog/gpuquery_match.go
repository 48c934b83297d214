package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// UnknownGPUError is a name that no GPU has.
type UnknownGPUError struct {
	Name   string
	Near   []string // ids that may have been meant, the likeliest first
	Vendor bool     // the name is that of a vendor
}

func (e *UnknownGPUError) Error() string {
	if e.Vendor {
		return fmt.Sprintf("unknown GPU %q: that is a vendor; %s: stands for all its GPUs", e.Name, e.Name)
	}
	return fmt.Sprintf("unknown GPU %q", e.Name)
}

// AmbiguousGPUError is a name that several different GPUs share.
type AmbiguousGPUError struct {
	Name       string
	Candidates []string // their ids, the newest first
}

func (e *AmbiguousGPUError) Error() string {
	return fmt.Sprintf("GPU %q is ambiguous", e.Name)
}

// GPUSyntaxError is a --gpu that cannot be read.
type GPUSyntaxError struct{ Text, Problem string }

func (e *GPUSyntaxError) Error() string { return fmt.Sprintf("GPU %q: %s", e.Text, e.Problem) }

// meant finds what the text of the query means: GPUs, else names that offers
// have and the catalog does not. whole says that the text is a vendor, and
// means all its GPUs.
func (n *Names) meant(q *GPUQuery, whole bool) error {
	s := parseSpec(q.Text)
	var found []candidate
	switch {
	case s.core != "":
		if found = n.family(q.Text); len(found) == 0 || !s.bare() {
			found = n.candidates(s, 0)
		}
	case whole:
		for i := range n.gpus {
			if n.gpus[i].Vendor != "" && n.sells(s.vendor, i) {
				found = append(found, candidate{gpu: i})
			}
		}
	}
	if len(found) == 0 {
		gpu := n.exactly(q.Text)
		if gpu < 0 {
			gpu = n.fromSeries(s, 0)
		}
		if gpu >= 0 {
			found = []candidate{{gpu: gpu}}
		}
	}
	if count := cmp.Or(s.count, float64(s.times)); count > 0 && len(found) > 0 && !q.Count.Set() && (s.times == 0 || !n.numbered(&s)) {
		q.Count = Limits{count, count}
	}
	q.IDs = n.ids(found)
	if len(found) > 0 {
		return nil
	}
	err := n.notFound(q.Text, s)
	if _, unknown := errors.AsType[*UnknownGPUError](err); unknown && s.core != "" {
		if q.Raw = n.offered(q.Text); len(q.Raw) > 0 {
			return nil
		}
	}
	return err
}

// family lists the GPUs of the family of exactly that id: what most people
// ask for, found without reading any other name.
func (n *Names) family(name string) []candidate {
	var out []candidate
	for i := range n.gpus {
		if strings.EqualFold(n.gpus[i].Family, name) {
			out = append(out, candidate{gpu: i})
		}
	}
	return out
}

// WithOffers lets [Names.ParseGPUs] find the unknown names of the offers, too.
func (n *Names) WithOffers(offers []Offer) *Names {
	return &Names{gpus: n.gpus, index: n.index, offers: offers}
}

// offered lists the unknown names of offers that are the name.
func (n *Names) offered(name string) []string {
	var out []string
	for i := range n.offers {
		if o := &n.offers[i]; !o.GPUKnown && foldName(o.GPU) == foldName(name) && !slices.Contains(out, o.GPU) {
			out = append(out, o.GPU)
		}
	}
	return out
}

// ids are those of the candidates and of what they stand for.
func (n *Names) ids(found []candidate) []string {
	var out []string
	for _, c := range found {
		out = append(out, n.gpus[c.gpu].ID)
		for _, id := range n.gpus[c.gpu].StandsFor {
			if n.byID(id) != nil {
				out = append(out, id)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// notFound is the error for a name that means nothing: ambiguous where the
// GPUs of several families continue it, else unknown with what is near.
func (n *Names) notFound(name string, s spec) error {
	if s.core == "" {
		return &UnknownGPUError{Name: name, Vendor: s.vendor != "" && s.bare()}
	}
	var shared []candidate
	if s.bare() {
		shared = keep(n.series(s), func(c candidate) bool { return c.exact && len(n.gpus[c.gpu].StandsFor) == 0 })
	}
	slices.SortStableFunc(shared, func(a, b candidate) int { return n.gpus[b.gpu].Year - n.gpus[a.gpu].Year })
	var ids []string
	families := map[string]bool{}
	for _, c := range shared {
		ids = append(ids, n.gpus[c.gpu].ID)
		families[n.gpus[c.gpu].Family] = true
	}
	switch {
	case len(families) > 1:
		return &AmbiguousGPUError{name, ids[:min(len(ids), 5)]}
	case len(ids) > 0:
		return &UnknownGPUError{Name: name, Near: ids[:min(len(ids), 3)]}
	}
	return &UnknownGPUError{Name: name, Near: n.near(name, s.core)}
}

// near lists the ids of the GPUs whose names are nearest to the name, or to
// its core; of a family, its variants by memory and form.
func (n *Names) near(name, core string) []string {
	means := map[string][]string{}
	var texts []string
	add := func(text, id string) {
		if means[text] == nil {
			texts = append(texts, text)
		}
		means[text] = append(means[text], id)
	}
	for _, i := range n.byVariant() {
		g := &n.gpus[i]
		if len(g.StandsFor) == 0 {
			add(g.Family, g.ID)
		}
		if g.ID != g.Family {
			add(g.ID, g.ID)
		}
		for _, a := range g.Aliases {
			add(a, g.ID)
		}
	}
	words := Nearest(name, texts, 12)
	if len(words) == 0 {
		words = Nearest(core, texts, 12)
	}
	var out []string
	for _, text := range words {
		for _, id := range means[text] {
			if len(out) < 3 && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// byVariant is the order of the GPUs by memory, then form as people list them.
func (n *Names) byVariant() []int {
	order := make([]int, len(n.gpus))
	for i := range order {
		order[i] = i
	}
	form := func(i int) int {
		if at := slices.Index([]string{"sxm", "pcie", "nvl"}, formOf(&n.gpus[i])); at >= 0 {
			return at
		}
		return 3
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(n.gpus[a].MemoryGB, n.gpus[b].MemoryGB), cmp.Compare(form(a), form(b)))
	})
	return order
}

// Match reports whether the offer is one that is asked for. gpu is the offer's
// GPU, nil when its name is unknown: it then matches by its own words, or when
// every GPU that they may mean is asked for ("H100" for h100).
func (s GPUSet) Match(offer *Offer, gpu *GPU) bool {
	memory, count := UsableMemoryGB(offer, gpu), offer.GPUs.Float()
	asked := func(is func(*GPUQuery) bool) bool {
		return slices.ContainsFunc(s.Queries, func(q GPUQuery) bool {
			return q.Count.Hold(count) && q.Memory.Hold(memory) && is(&q)
		})
	}
	byID := func(id string) bool {
		return asked(func(q *GPUQuery) bool {
			_, ok := slices.BinarySearch(q.IDs, id)
			return ok
		})
	}
	switch {
	case gpu != nil, offer.GPUKnown:
		return byID(offer.GPU)
	case asked(func(q *GPUQuery) bool { return slices.Contains(q.Raw, offer.GPU) }):
		return true
	}
	may := s.names.mayBe(offer)
	return len(may) > 0 && !slices.ContainsFunc(may, func(c candidate) bool { return !byID(s.names.gpus[c.gpu].ID) })
}

// mayBe lists the GPUs that the unknown name of an offer may mean.
func (n *Names) mayBe(offer *Offer) []candidate {
	s := parseSpec(offer.GPU)
	if all := n.candidates(s, offer.GPUMemoryGB); len(all) > 0 || !s.bare() {
		return all
	}
	return n.series(s)
}

// UsableMemoryGB is the memory of one GPU as the offer sells it, GB; 0 when it
// is not known. A stated memory that is the nominal one as a driver or a count
// in GiB gives it (79.6, 85.9 and 80 GB are one H100) is the nominal; a
// fraction of a GPU has its share.
func UsableMemoryGB(offer *Offer, gpu *GPU) float64 {
	switch {
	case gpu == nil, gpu.MemoryGB == 0:
		return offer.GPUMemoryGB
	case offer.GPUMemoryGB == 0 && offer.GPUs.Fraction() && offer.GPUs.Float() < 1:
		return gpu.MemoryGB * offer.GPUs.Float()
	case offer.GPUMemoryGB == 0, memoryFar(offer.GPUMemoryGB, gpu.MemoryGB) <= strict:
		return gpu.MemoryGB
	}
	return offer.GPUMemoryGB
}
