package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/unit"
)

// Limits is a closed range of numbers; 0 leaves an end open.
type Limits struct{ Min, Max float64 }

// Set reports whether either end is closed.
func (l Limits) Set() bool { return l.Min > 0 || l.Max > 0 }

// Hold reports whether v is within the limits. An unknown v (0) is not, unless
// both ends are open.
func (l Limits) Hold(v float64) bool {
	return !l.Set() || v > 0 && v >= l.Min && (l.Max == 0 || v <= l.Max)
}

// GPUQuery is one GPU that is asked for.
type GPUQuery struct {
	Text   string   // as it was typed
	IDs    []string // of the GPUs that are meant, sorted
	Raw    []string // names that no GPU of the catalog has, but offers have
	Memory Limits   // GB per GPU
	Count  Limits   // GPUs per instance
}

// GPUSet is a list of GPUs that are asked for; an offer matches one of them.
type GPUSet struct {
	Queries []GPUQuery
	names   *Names
}

// Bounds of the text of --gpu, against pasted files.
const (
	longestGPUs = 4096 // bytes
	mostGPUs    = 200  // names
)

// ParseGPUs reads the GPUs that a user asks for: a list of names divided by
// commas, each a family, a family with memory or form, an id or an alias, and
// optionally with the GPUs per instance or the memory and the GPUs:
//
//	h100, a100-80gb:8, l40s:1..2, a10:24..:1
//
// or a vendor with names, memory and GPUs per instance, each of which may be
// empty:
//
//	nvidia:h100,h200:80..:1..8
//
// Ranges are "8", "1..8", "80.." and "..80". The error is an
// [UnknownGPUError], an [AmbiguousGPUError] or a [GPUSyntaxError].
func (n *Names) ParseGPUs(text string) (GPUSet, error) {
	items, err := splitGPUs(strings.NewReplacer("，", ",", "：", ":").Replace(text))
	if err != nil {
		return GPUSet{}, err
	}
	set := GPUSet{names: n}
	for _, item := range items {
		q := GPUQuery{Text: strings.TrimSpace(item.vendor + " " + item.name)}
		if q.Memory, err = parseLimits(item.memory, parseGB); err != nil {
			return GPUSet{}, &GPUSyntaxError{text, err.Error()}
		}
		if q.Count, err = parseLimits(item.count, parseCount); err != nil {
			return GPUSet{}, &GPUSyntaxError{text, err.Error()}
		}
		if err = n.meant(&q, item.vendor != "" && item.name == ""); err != nil {
			return GPUSet{}, err
		}
		set.Queries = append(set.Queries, q)
	}
	if !slices.ContainsFunc(set.Queries, n.possible) {
		return GPUSet{}, &GPUSyntaxError{text, "no such GPU has that memory (the number of GPUs stands last, as in h100:8 or nvidia:h100:80:8)"}
	}
	return set, nil
}

// gpuItem is one name of a --gpu with the text of what limits it.
type gpuItem struct{ vendor, name, memory, count string }

// splitGPUs splits the text into names. With a vendor in front all of them
// share its memory and count.
func splitGPUs(text string) ([]gpuItem, error) {
	if len(text) > longestGPUs || strings.Count(text, ",") >= mostGPUs {
		return nil, &GPUSyntaxError{firstRunes(text, 40), fmt.Sprintf("longer than %d names or %d bytes", mostGPUs, longestGPUs)}
	}
	parts := strings.Split(text, ":")
	vendor := strings.TrimSpace(parts[0])
	if s := parseSpec(vendor); len(parts) > 1 && s.vendor != "" && s.core == "" && s.bare() {
		if len(parts) > 4 {
			return nil, &GPUSyntaxError{text, "more than vendor:names:memory:count"}
		}
		parts = append(parts, "", "")
		var items []gpuItem
		for name := range strings.SplitSeq(parts[1], ",") {
			items = append(items, gpuItem{vendor, strings.TrimSpace(name), parts[2], parts[3]})
		}
		return items, nil
	}
	var items []gpuItem
	for item := range strings.SplitSeq(text, ",") {
		name, rest, _ := strings.Cut(strings.TrimSpace(item), ":")
		memory, count, both := strings.Cut(rest, ":")
		switch {
		case strings.Contains(count, ":"):
			return nil, &GPUSyntaxError{text, "more than name:memory:count"}
		case !both && !strings.Contains(strings.ToLower(rest), "g"): // no unit
			memory, count = "", rest
		}
		items = append(items, gpuItem{"", name, memory, count})
	}
	return items, nil
}

func firstRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "..."
	}
	return s
}

// possible reports whether a GPU of the query has the memory that is asked
// for: an empty answer would not say why it is empty. Fractions of a GPU have
// less than its own, so only a number as small as a count is doubted.
func (n *Names) possible(q GPUQuery) bool {
	count := q.Memory.Min == q.Memory.Max && q.Memory.Max <= 8
	return !q.Memory.Set() || len(q.Raw) > 0 || slices.ContainsFunc(q.IDs, func(id string) bool {
		g := n.byID(id)
		if g.MemoryGB == 0 {
			return len(g.StandsFor) == 0
		}
		return g.MemoryGB >= q.Memory.Min && (!count || g.MemoryGB == q.Memory.Max)
	})
}

// parseLimits reads "", "8", "1..8", "80.." or "..80".
func parseLimits(text string, number func(string) (float64, error)) (Limits, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Limits{}, nil
	}
	low, high, isRange := strings.Cut(text, "..")
	if !isRange {
		high = low
	}
	var l Limits
	var err error
	for _, end := range [...]struct {
		text string
		to   *float64
	}{{low, &l.Min}, {high, &l.Max}} {
		if end.text = strings.TrimSpace(end.text); end.text == "" {
			continue
		}
		if *end.to, err = number(end.text); err != nil {
			return Limits{}, err
		}
	}
	if !l.Set() || l.Max > 0 && l.Min > l.Max {
		return Limits{}, fmt.Errorf("%q is no range: want 8, 1..8, 80.. or ..80", text)
	}
	return l, nil
}

func parseGB(text string) (float64, error) {
	text = strings.ToLower(text)
	if gb, ok := parseMemory(text); ok {
		return gb, nil
	}
	if gb, ok := plainNumber(text); ok && gb < 10_000 {
		return gb, nil
	}
	return 0, fmt.Errorf("%q is no memory in GB", text)
}

func parseCount(text string) (float64, error) {
	c, err := unit.ParseCount(text)
	if err != nil {
		return 0, fmt.Errorf("%q is %w", text, err)
	}
	return c.Float(), nil
}
