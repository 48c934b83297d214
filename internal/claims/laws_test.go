package claims

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/money"
)

func TestShares(t *testing.T) {
	for _, tc := range []struct {
		then, now share
		want      Verdict
	}{
		{share{}, share{}, NotCheckable},
		{share{}, share{2, 3}, Holds}, // two thirds
		{share{}, share{1, 2}, HoldsIf},
		{share{}, share{1, 10}, HoldsIf}, // a tenth
		{share{}, share{1, 11}, DoesNotHold},
		{share{3, 3}, share{0, 4}, HoldsIf}, // true then, false now
		{share{0, 4}, share{3, 3}, HoldsIf},
		{share{1, 2}, share{0, 4}, DoesNotHold}, // half true then, false now
		{share{1, 2}, share{4, 4}, HoldsIf},
		{share{2, 2}, share{}, Holds},
	} {
		if got := both(tc.then, tc.now); got != tc.want {
			t.Errorf("%v then, %v now: %s, want %s", tc.then, tc.now, got, tc.want)
		}
	}
}

// More agreeing evidence never makes a verdict worse.
func TestMoreAgreementIsNeverWorse(t *testing.T) {
	rank := map[Verdict]int{DoesNotHold: 0, HoldsIf: 1, Holds: 2}
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 200).Draw(t, "n"), rapid.IntRange(1, 200).Draw(t, "m")
		a, b := rapid.IntRange(0, n).Draw(t, "a"), rapid.IntRange(0, m).Draw(t, "b")
		more := rapid.IntRange(b, m).Draw(t, "more")
		less, greater := both(share{a, n}, share{b, m}), both(share{a, n}, share{more, m})
		if rank[greater] < rank[less] {
			t.Fatalf("%d of %d and %d of %d: %s; %d of %d: %s", a, n, b, m, less, more, m, greater)
		}
	})
}

// Five percent, to the last nano-unit: 1.99 x 1.05 = 2.0895 and 1.99 x 0.95 = 1.8905.
func TestNear(t *testing.T) {
	usd := func(s string) money.Amount { return money.MustParse(s, "USD") }
	for text, want := range map[string]bool{
		"1.99": true, "2.0895": true, "2.089500001": false, "1.8905": true, "1.890499999": false,
	} {
		if got := near(usd(text), usd("1.99"), usd("1.99")); got != want {
			t.Errorf("%s near 1.99: %v", text, got)
		}
	}
	if near(money.Amount{}, usd("1"), usd("2")) || near(money.MustParse("1", "CNY"), usd("1"), usd("2")) {
		t.Error("an unknown price or another currency is near")
	}
}

func TestFill(t *testing.T) {
	facts := map[string]string{"a": "1", "b.c": "2 %"}
	fact := func(name string) (string, bool) { s, ok := facts[name]; return s, ok }
	for _, tc := range []struct {
		sentence, want string
		ok             bool
	}{
		{"", "", true},
		{"no places", "no places", true},
		{"{a} and {b.c}.", "1 and 2 %.", true},
		{"{a}{a}", "11", true},
		{"{d}", "", false},
		{"open {a", "", false},
	} {
		got, err := fill(tc.sentence, fact)
		if (err == nil) != tc.ok || got != tc.want {
			t.Errorf("%q: %q, %v", tc.sentence, got, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.37037: "0.37", 45.152: "45.2", 99.96: "100", 253.16: "253", 2439.02: "2,439", 541158: "541,158", -21.06: "−21.1", 0.0714: "0.0714", 1e-9: "0",
	} {
		if got := spoken(x); got != want {
			t.Errorf("%g is spoken %q, want %q", x, got, want)
		}
	}
	for x, want := range map[float64]Decimal{0.1 + 0.2: "0.3", -1e-9: "0", 1e15: "1000000000000000", 14.711934156: "14.711934", math.NaN(): "", math.Inf(1): ""} {
		if got := plain(x); got != want {
			t.Errorf("%g is %q, want %q", x, got, want)
		}
	}
	for x, want := range map[float64]string{0.1479: "+15", -0.4403: "−44", 0.0254: "+2.5", 0: "0", -0.00001: "0"} {
		if got := signed(x); got != want {
			t.Errorf("%g is %q, want %q", x, got, want)
		}
	}
}

// Bisecting finds the edge of what is allowed from either side.
func TestBisect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Float64Range(0.001, 1000).Draw(t, "edge")
		if x := bisect(0, 2000, func(v float64) bool { return v >= edge }); math.Abs(x-edge) > 1e-9*edge {
			t.Fatalf("from below: %g, want %g", x, edge)
		}
		if x := bisect(2000, 0, func(v float64) bool { return v <= edge }); math.Abs(x-edge) > 1e-9*edge {
			t.Fatalf("from above: %g, want %g", x, edge)
		}
	})
}

func TestFaultsOfAFileAreNamed(t *testing.T) {
	const good = `schema: 1
articles: [{id: a, as_of: 2026-06, name: A, name_zh: 甲}]
units: [{id: percent, en: "%", zh: "%"}]
claims:
  - {id: claim-1, source: a, topic: x, rule: vendor, text: t, text_zh: t, article: {low: 1, unit: percent}, words: [NVIDIA], why: w, why_zh: w}
`
	if _, ps := Load("c.yaml", []byte(good)); ps.Err() != nil {
		t.Fatal(ps)
	}
	for _, tc := range []struct{ old, new, want string }{
		{"source: a", "source: b", `no article "b"`},
		{"rule: vendor", "rule: guess", `no rule "guess"`},
		{"unit: percent}, w", "unit: pint}, w", `no unit "pint"`},
		{"why: w, why_zh: w", "why_zh: w", "says why"},
		{"topic: x", "topik: x", "topik"},
		{"low: 1", "low: one", "one"},
		{"schema: 1", "schema: 2", "schema"},
	} {
		if _, ps := Load("c.yaml", []byte(strings.Replace(good, tc.old, tc.new, 1))); ps.Err() == nil || !strings.Contains(ps.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.new, ps, tc.want)
		}
	}
	twice := good + strings.Split(good, "claims:\n")[1]
	if _, ps := Load("c.yaml", []byte(twice)); ps.Err() == nil || !strings.Contains(ps.Error(), "stands twice") {
		t.Errorf("a doubled id: %v", ps)
	}
}

// Whatever the file holds: no panic, and a file that loads is checked or refused
// with an error.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("schema: 1\narticles: [{id: a, as_of: 2026, name: A, name_zh: B}]\nunits: [{id: u}]\nclaims:\n  - {id: c, source: a, topic: t, rule: price, text: x, text_zh: x, why: \"{now}\", why_zh: y, article: {low: 1, high: 2, unit: u}, evidence: [{name: price, gpu: h100, purchases: [spot]}]}\n"))
	f.Add([]byte("schema: 1\nclaims: []\n"))
	c := pinned(f)
	f.Fuzz(func(_ *testing.T, b []byte) {
		file, ps := Load("fuzz.yaml", b)
		if ps.Err() != nil {
			return
		}
		_, _ = Check(file, c, Options{AsOf: c.AsOf, HoursPerMonth: money.WholeQuantity(730)})
	})
}
