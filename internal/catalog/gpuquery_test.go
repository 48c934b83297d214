package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/unit"
)

func TestParseGPUs(t *testing.T) {
	n := NewNames(fewGPUs())
	a100 := []string{"a100", "a100-40gb-sxm", "a100-80gb", "a100-80gb-pcie", "a100-80gb-sxm"}
	a100of80 := []string{"a100-80gb", "a100-80gb-pcie", "a100-80gb-sxm"}
	for _, c := range []struct {
		text string
		want []GPUQuery
	}{
		{"a100", []GPUQuery{{Text: "a100", IDs: a100}}},
		{"NVIDIA A100", []GPUQuery{{Text: "NVIDIA A100", IDs: a100}}},
		{"A100-80GB", []GPUQuery{{Text: "A100-80GB", IDs: a100of80}}},
		{"a100 80", []GPUQuery{{Text: "a100 80", IDs: a100of80}}},
		{"a100-sxm", []GPUQuery{{Text: "a100-sxm", IDs: []string{"a100-40gb-sxm", "a100-80gb-sxm"}}}},
		{"a100 80gb pcie", []GPUQuery{{Text: "a100 80gb pcie", IDs: []string{"a100-80gb-pcie"}}}},
		{"A100-80GB:8", []GPUQuery{{Text: "A100-80GB", IDs: a100of80, Count: Limits{8, 8}}}},
		{"8x A100-80GB", []GPUQuery{{Text: "8x A100-80GB", IDs: a100of80, Count: Limits{8, 8}}}},
		{"a100-80gb x8", []GPUQuery{{Text: "a100-80gb x8", IDs: a100of80, Count: Limits{8, 8}}}},
		{"a10:1/6", []GPUQuery{{Text: "a10", IDs: []string{"a10"}, Count: Limits{1. / 6, 1. / 6}}}},
		{"a100:80..:4..8", []GPUQuery{{Text: "a100", IDs: a100, Memory: Limits{80, 0}, Count: Limits{4, 8}}}},
		{"a100:80GB", []GPUQuery{{Text: "a100", IDs: a100, Memory: Limits{80, 80}}}},
		{"a100:..40GB:", []GPUQuery{{Text: "a100", IDs: a100, Memory: Limits{0, 40}}}},
		{" a10 , mi300x:8.. ", []GPUQuery{{Text: "a10", IDs: []string{"a10"}}, {Text: "mi300x", IDs: []string{"mi300x"}, Count: Limits{8, 0}}}},
		{"a10，mi300x：8", []GPUQuery{{Text: "a10", IDs: []string{"a10"}}, {Text: "mi300x", IDs: []string{"mi300x"}, Count: Limits{8, 8}}}},
		{"nvidia:a100,h200:80..:1..8", []GPUQuery{
			{Text: "nvidia a100", IDs: a100, Memory: Limits{80, 0}, Count: Limits{1, 8}},
			{Text: "nvidia h200", IDs: []string{"h200-141gb-sxm"}, Memory: Limits{80, 0}, Count: Limits{1, 8}},
		}},
		{"AMD::100GB..", []GPUQuery{{Text: "AMD", IDs: []string{"mi300x"}, Memory: Limits{100, 0}}}},
		{"amd:", []GPUQuery{{Text: "amd", IDs: []string{"mi300x"}}}},
		{"rtx6000 48gb", []GPUQuery{{Text: "rtx6000 48gb", IDs: []string{"rtx-6000-ada"}}}},
	} {
		set, err := n.ParseGPUs(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, set.Queries); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestParseGPUsErrors(t *testing.T) {
	n := NewNames(fewGPUs())
	for _, c := range []struct {
		text string
		want error
	}{
		{"a100-8", &UnknownGPUError{Name: "a100-8", Near: []string{"a100-80gb", "a100-80gb-sxm", "a100-80gb-pcie"}}},
		{"A100-8:8", &UnknownGPUError{Name: "A100-8", Near: []string{"a100-80gb", "a100-80gb-sxm", "a100-80gb-pcie"}}},
		{"a10o", &UnknownGPUError{Name: "a10o", Near: []string{"a10", "a100-40gb-sxm", "a100-80gb-sxm"}}},
		{"rtx6000", &AmbiguousGPUError{"rtx6000", []string{"rtx-pro-6000", "rtx-6000-ada"}}},
		{"RTX 6000", &AmbiguousGPUError{"RTX 6000", []string{"rtx-pro-6000", "rtx-6000-ada"}}},
		{"6000", &AmbiguousGPUError{"6000", []string{"rtx-pro-6000", "rtx-6000-ada", "a6000"}}},
		{"pro 6000", &UnknownGPUError{Name: "pro 6000", Near: []string{"rtx-pro-6000"}}},
		{"nvidia", &UnknownGPUError{Name: "nvidia", Vendor: true}},
		{"a10,nvidia", &UnknownGPUError{Name: "nvidia", Vendor: true}},
		{"amd:a100", &UnknownGPUError{Name: "amd a100", Near: []string{"a100-40gb-sxm", "a100-80gb-sxm", "a100-80gb-pcie"}}},
		{"frobnicator", &UnknownGPUError{Name: "frobnicator"}},
		{"", &UnknownGPUError{}},
		{"a10,,a100", &UnknownGPUError{}},
		{"intel:", &UnknownGPUError{Name: "intel", Vendor: true}},
		{"a100:8x", &GPUSyntaxError{"a100:8x", `"8x" is not a number of GPUs: want a whole number or a fraction such as 1/6`}},
		{"a100:0", &GPUSyntaxError{"a100:0", `"0" is not a number of GPUs: want a whole number or a fraction such as 1/6`}},
		{"a100:8..1", &GPUSyntaxError{"a100:8..1", `"8..1" is no range: want 8, 1..8, 80.. or ..80`}},
		{"a100:..", &GPUSyntaxError{"a100:..", `".." is no range: want 8, 1..8, 80.. or ..80`}},
		{"a100:-80gb", &GPUSyntaxError{"a100:-80gb", `"-80gb" is no memory in GB`}},
		{"a100:1:2:3", &GPUSyntaxError{"a100:1:2:3", "more than name:memory:count"}},
		{"nvidia:a100:80:8:1", &GPUSyntaxError{"nvidia:a100:80:8:1", "more than vendor:names:memory:count"}},
		{"nvidia:a100:8", &GPUSyntaxError{"nvidia:a100:8", "no such GPU has that memory (the number of GPUs stands last, as in h100:8 or nvidia:h100:80:8)"}},
		{"a10:80..:", &GPUSyntaxError{"a10:80..:", "no such GPU has that memory (the number of GPUs stands last, as in h100:8 or nvidia:h100:80:8)"}},
	} {
		_, err := n.ParseGPUs(c.text)
		if diff := cmp.Diff(c.want, err); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
	for _, text := range []string{strings.Repeat("a100,", 300), strings.Repeat("语", 5000)} {
		_, err := n.ParseGPUs(text)
		if _, ok := errors.AsType[*GPUSyntaxError](err); !ok || len(err.Error()) > 300 {
			t.Errorf("%.20q...: %v", text, err)
		}
	}
}

// The GPUs that the source articles name, and other ways in which people
// type them.
func TestArticlesGPUs(t *testing.T) {
	n := NewNames(realGPUs(t))
	for text, want := range map[string]string{
		"a100-80gb": "a100-80gb-sxm", "h100": "h100-94gb-nvl", "h200": "h200-141gb-nvl", "b200": "b200-180gb-sxm", "gb300": "gb300",
		"l40s": "l40s", "rtx 6000 ada": "rtx-6000-ada", "mi300x": "mi300x", "ascend 910b": "ascend-910b", "mlu370": "mlu370-x8",
		"rtx 4090": "rtx-4090", "rtx 3090": "rtx-3090", "h800": "h800-80gb", "h20": "h20-96gb", "H100-80GB": "h100-80gb",
		"NVIDIA H100 80GB HBM3": "h100-80gb-sxm", "h100-sxm": "h100-80gb-sxm", "h100 pcie": "h100-80gb-pcie", "4090": "rtx-4090",
		"A100-40GB": "a100-40gb", "rtx4090": "rtx-4090", "昇腾910b": "ascend-910b",
	} {
		set, err := n.ParseGPUs(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if ids := set.Queries[0].IDs; !slices.Contains(ids, want) {
			t.Errorf("%q is %v and not %s", text, ids, want)
		}
		if e, err := Find(&Catalog{GPUs: realGPUs(t)}, text); err != nil || len(e.GPUs) == 0 {
			t.Errorf("show %q: %v %v", text, e.GPUs, err)
		}
	}
	_, err := n.ParseGPUs("h10o")
	if unknown, ok := errors.AsType[*UnknownGPUError](err); !ok || err.Error() != `unknown GPU "h10o"` {
		t.Errorf("h10o: %v", err)
	} else if diff := cmp.Diff([]string{"h100-80gb-sxm", "h100-80gb-pcie", "h100-94gb-nvl"}, unknown.Near); diff != "" {
		t.Errorf("near h10o (-want +got):\n%s", diff)
	}
	_, err = n.ParseGPUs("rtx6000")
	if shared, ok := errors.AsType[*AmbiguousGPUError](err); !ok || slices.Contains(shared.Candidates, "a6000") ||
		!slices.Contains(shared.Candidates, "rtx-6000-ada") || !slices.Contains(shared.Candidates, "rtx-pro-6000") {
		t.Errorf("rtx6000: %v", err)
	}
}

// Names that the catalog does not know are found in the offers, by their own
// words or when all that they may mean is asked for.
func TestUnknownNames(t *testing.T) {
	offers := []Offer{
		{GPU: "Frobnicator X1"}, {GPU: "A100"}, {GPU: "RTX 6000"}, {GPU: "A100/H100"}, {GPU: "a10", GPUKnown: true}, {GPU: "A100", GPUMemoryGB: 80},
	}
	n := NewNames(slices.DeleteFunc(fewGPUs(), func(g GPU) bool { return len(g.StandsFor) > 0 }))
	if _, err := n.ParseGPUs("frobnicator-x1"); err == nil {
		t.Error("known without its offer")
	}
	n = n.WithOffers(offers)
	for _, c := range []struct {
		text string
		want []int
	}{
		{"frobnicator-x1", []int{0}},
		{"a100", []int{1, 5}},
		{"a100-80gb", []int{5}},
		{"a100-40gb", nil},
		{"a100/h100", []int{3}},
		{"rtx-6000-ada", nil},
		{"rtx-6000-ada,rtx-pro-6000", []int{2}},
		{"nvidia:", []int{1, 2, 4, 5}},
	} {
		set, err := n.ParseGPUs(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var got []int
		for i := range offers {
			var g *GPU
			if offers[i].GPUKnown {
				g = n.byID(offers[i].GPU)
			}
			if set.Match(&offers[i], g) {
				got = append(got, i)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestUsableMemory(t *testing.T) {
	h100, a10, b300 := &GPU{MemoryGB: 80}, &GPU{MemoryGB: 24}, &GPU{MemoryGB: 288}
	for _, c := range []struct {
		gpu    *GPU
		stated float64
		count  unit.Count
		want   float64
	}{
		{h100, 0, unit.Whole(8), 80},
		{h100, 79.6, unit.Whole(8), 80},                         // as a driver shows it
		{h100, 81920 * 1048576 / 1e9, unit.Whole(8), 80},        // GiB, converted
		{h100, 10, unit.Whole(1), 10},                           // a slice
		{a10, 0, unit.Count{Num: 1, Den: 6}, 4},                 // a sixth
		{a10, 8, unit.Count{Num: 1, Den: 3}, 8},                 //
		{a10, 0, unit.Count{Num: 3, Den: 2}, 24},                //
		{b300, 262, unit.Whole(1), 262},                         // usable, and well below nominal
		{nil, 48, unit.Count{}, 48},                             //
		{&GPU{}, 48, unit.Count{}, 48},                          //
		{nil, 0, unit.Count{}, 0},                               //
		{&GPU{MemoryGB: 141}, 151.397597184, unit.Count{}, 141}, // 144,384 MiB
	} {
		if got := UsableMemoryGB(&Offer{GPUMemoryGB: c.stated, GPUs: c.count}, c.gpu); got != c.want {
			t.Errorf("%g GB of %v, %v GPUs: %g, want %g", c.stated, c.gpu, c.count, got, c.want)
		}
	}
}

// offerOf draws an offer of a GPU.
func offerOf(t *rapid.T, gpus []GPU) (Offer, *GPU) {
	g := &gpus[rapid.IntRange(0, len(gpus)-1).Draw(t, "gpu")]
	o := Offer{GPU: g.ID, GPUKnown: true, GPUs: rapid.SampledFrom([]unit.Count{{}, unit.Whole(1), unit.Whole(8), {Num: 1, Den: 3}}).Draw(t, "count")}
	o.GPUMemoryGB = rapid.SampledFrom([]float64{0, g.MemoryGB, g.MemoryGB * 1.0737, g.MemoryGB / 3}).Draw(t, "memory")
	return o, g
}

// Adding a limit to a query keeps exactly the offers that satisfy it: those of
// N03 and N01.
func TestLimitsKeepWhatSatisfiesThem(t *testing.T) {
	gpus := realGPUs(t)
	n := NewNames(gpus)
	rapid.Check(t, func(t *rapid.T) {
		o, g := offerOf(t, gpus)
		name := rapid.SampledFrom([]string{g.Family, g.ID}).Draw(t, "name")
		low := rapid.SampledFrom([]float64{1, 16, 24, 80}).Draw(t, "low")
		count := rapid.SampledFrom([]int64{1, 8}).Draw(t, "min count")
		match := func(text string) bool {
			set, err := n.ParseGPUs(text)
			return err == nil && set.Match(&o, g)
		}
		if !match(name) {
			t.Fatalf("%q does not match an offer of %s", name, g.ID)
		}
		memoryOK, countOK := UsableMemoryGB(&o, g) >= low, o.GPUs.Float() >= float64(count)
		for text, want := range map[string]bool{
			fmt.Sprintf("%s:%gGB..:", name, low):              memoryOK,
			fmt.Sprintf("%s:%d..", name, count):               countOK,
			fmt.Sprintf("%s:%g..:%d..", name, low, count):     memoryOK && countOK,
			fmt.Sprintf("%s::%g..", vendorOf(g), low):         memoryOK && vendorOf(g) != "any",
			fmt.Sprintf("b100,%s:%d..,%s", name, count, name): true,
		} {
			if strings.HasPrefix(text, "any:") {
				continue
			}
			if got := match(text); got != want {
				t.Fatalf("%q: %t for %+v of %g GB, want %t", text, got, o, g.MemoryGB, want)
			}
		}
	})
}

// vendorOf is a vendor that a query can start with.
func vendorOf(g *GPU) string {
	if s := parseSpec(g.Vendor); s.vendor != "" {
		return s.vendor
	}
	return "any"
}

// A narrower name never means a GPU that the wider one does not.
func TestNarrowerNames(t *testing.T) {
	gpus := realGPUs(t)
	n := NewNames(gpus)
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(gpus).Draw(t, "gpu")
		wide := g.Family
		narrow := wide
		if rapid.Bool().Draw(t, "memory") && g.MemoryGB > 0 {
			narrow += fmt.Sprintf(" %gGB", g.MemoryGB)
		}
		if form := formOf(&g); form != "" && rapid.Bool().Draw(t, "form") {
			narrow += " " + form
		}
		ids := func(text string) []string {
			set, err := n.ParseGPUs(text)
			if err != nil {
				t.Fatal(err)
			}
			return set.Queries[0].IDs
		}
		all := ids(wide)
		for _, id := range ids(narrow) {
			if !slices.Contains(all, id) {
				t.Fatalf("%q means %s, %q does not: %v", narrow, id, wide, all)
			}
		}
	})
}

// The short way to a family and the long one have the same answer.
func TestFamilyShortcut(t *testing.T) {
	n := NewNames(realGPUs(t))
	for _, g := range n.gpus {
		s := parseSpec(g.Family)
		if short := n.family(g.Family); s.bare() {
			if diff := cmp.Diff(n.ids(n.candidates(s, 0)), n.ids(short)); diff != "" {
				t.Errorf("%s (-candidates +family):\n%s", g.Family, diff)
			}
		}
	}
}

func FuzzParseGPUs(f *testing.F) {
	for _, s := range []string{
		"nvidia:h100,h200:80..:1..8", "a100-8", "rtx6000", "昇腾910b，4090：8", "::::", "nvidia:::", ",", "a10:1/6", "h100:80GB..:..", "8x x8 8", "amd:h100/a100",
	} {
		f.Add(s)
	}
	gpus := realGPUs(f)
	n := NewNames(gpus).WithOffers([]Offer{{GPU: "Frobnicator X1"}})
	f.Fuzz(func(t *testing.T, text string) {
		set, err := n.ParseGPUs(text)
		if err != nil {
			if len(set.Queries) > 0 {
				t.Fatalf("an error and %d queries: %v", len(set.Queries), err)
			}
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		if len(set.Queries) == 0 {
			t.Fatal("neither an error nor a query")
		}
		for _, q := range set.Queries {
			if len(q.IDs) == 0 && len(q.Raw) == 0 || !slices.IsSorted(q.IDs) || len(slices.Compact(slices.Clone(q.IDs))) != len(q.IDs) {
				t.Fatalf("%q: %v %v", q.Text, q.IDs, q.Raw)
			}
			for _, id := range q.IDs {
				if n.byID(id) == nil {
					t.Fatalf("%q means %q", q.Text, id)
				}
			}
		}
		set.Match(&Offer{GPU: text}, nil)
	})
}

func BenchmarkParseGPUs(b *testing.B) {
	gpus := realGPUs(b)
	for _, text := range []string{"h100", "4090", "nvidia:h100,h200:80..:1..8"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewNames(gpus).ParseGPUs(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUnknownGPU(b *testing.B) {
	gpus := realGPUs(b)
	for b.Loop() {
		if _, err := NewNames(gpus).ParseGPUs("h10o"); err == nil {
			b.Fatal("known")
		}
	}
}
