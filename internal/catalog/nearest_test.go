package catalog

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"h100", "h100", 0},
		{"h10o", "h100", 1}, // replaced
		{"h1o0", "h10", 1},  // one letter too many
		{"lamdba", "lambda", 1},
		{"ca", "abc", 3}, // optimal string alignment, not the full distance of 2
		{"kitten", "sitting", 3},
		{"", "abc", 3},
	} {
		if got := editDistance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	gpus := []string{"a100-40gb", "a100-80gb", "h100", "h200", "l40", "l40s", "rtx-4090"}
	for _, c := range []struct {
		name string
		from []string
		want []string
	}{
		{"h10o", gpus, []string{"h100"}},
		{"a100-8", gpus, []string{"a100-80gb"}},
		{"A100 ", gpus, []string{"a100-40gb", "a100-80gb", "h100"}}, // continued before changed
		{"4090", gpus, []string{"rtx-4090"}},
		{"４０９０", gpus, []string{"rtx-4090"}},
		{"frobnicator", gpus, nil},
		{"", gpus, nil},
		{"---", gpus, nil},
		{"prize", []string{"price", "provider"}, []string{"price"}},
		{"priec", []string{"price", "provider"}, []string{"price"}},
		{"阿里", []string{"阿里云", "腾讯云"}, []string{"阿里云"}},
		{"--provder", []string{"--provider", "--purchase"}, []string{"--provider"}},
		{"gpu", []string{"gpu", "gpu"}, []string{"gpu"}},
	} {
		if diff := cmp.Diff(c.want, Nearest(c.name, c.from, 3)); diff != "" {
			t.Errorf("nearest to %q (-want +got):\n%s", c.name, diff)
		}
	}
	if got := Nearest("a100", gpus, 1); len(got) != 1 {
		t.Errorf("limit 1: %v", got)
	}
}

// The answer does not hang on the order of the candidates, is a subset of
// them, and a candidate is nearest to itself.
func TestNearestLaws(t *testing.T) {
	word := rapid.StringMatching(`[a-c1-3-]{1,8}`)
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SliceOfNDistinct(word, 1, 8, rapid.ID[string]).Draw(t, "from")
		name := word.Draw(t, "name")
		got := Nearest(name, from, 3)
		if diff := cmp.Diff(got, Nearest(name, rapid.Permutation(from).Draw(t, "shuffled"), 3)); diff != "" {
			t.Fatalf("order matters:\n%s", diff)
		}
		if self := Nearest(from[0], from, 8); len(foldRunes(from[0])) > 1 && !slices.Contains(self, from[0]) {
			t.Fatalf("%q is not near itself: %v", from[0], self)
		}
	})
}

func BenchmarkNearest(b *testing.B) {
	from := make([]string, 0, 700)
	for range 100 {
		from = append(from, "h100-80gb-sxm", "NVIDIA H100 80GB HBM3", "rtx-pro-6000", "昇腾910B", "mi300x", "a6000", "l40s")
	}
	for b.Loop() {
		Nearest("h10o", from, 3)
	}
}
