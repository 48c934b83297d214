package pricing

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// whereExample is a spot quote of 2 H100 at 2.10 USD.
func whereExample() WhereRow {
	two, memory, days, saving := 2.0, 80.0, 40, Percent(-1250)
	return WhereRow{
		Provider: "runpod", Market: "intl", Region: "us-east-1", Country: "US", GPU: "h100-80gb-sxm", Purchase: "spot", Confidence: "high",
		GPUs: &two, GPUMemoryGB: &memory, AgeDays: &days, Saving: &saving,
		AsOf: catalog.Date{Year: 2026, Month: 10, Day: 21}, PerGPUHour: money.MustParse("2.10", "USD"),
	}
}

func TestWhere(t *testing.T) {
	known, blank := whereExample(), WhereRow{}
	for _, c := range []struct {
		filter              string
		onKnown, onUnpriced bool
	}{
		{`vram>=80 and spot and price<3 and region in ["us","jp"]`, true, false},
		{`price == 2.1`, true, false},
		{`price_per_gpu_hour < 2.1`, false, false},
		{`price != 2`, true, false},
		{`not (price < 2)`, true, false}, // nor does its negation know a price
		{`not (price < 2) or not spot`, true, true},
		{`price < 3 or provider == ""`, true, true},
		{`price < 3 == spot`, true, false},
		{`price < 3 != spot`, false, false},
		{`price * gpus <= 4.2`, true, false},
		{`price / 0 > 1`, false, false},
		{`price / 0 <= 1`, false, false},
		{`1 < price < 2.5`, true, false},
		{`-price < +1`, true, false},
		{`saving_percent < -12 && saving_percent > -13`, true, false},
		{`provider == "RunPod"`, true, false},
		{`provider not in ["aws", "gcp"]`, true, true},
		{`region == "us"`, true, false},
		{`region == "US-EAST-1"`, true, false},
		{`region == "us-e"`, false, false},
		{`"us" == region`, true, false},
		{`region != "us"`, false, true},
		{`gpu startsWith "h100" and gpu contains "80GB" and gpu endsWith "sxm"`, true, false},
		{`as_of >= "2026-10"`, true, false},
		{`as_of < "2026"`, false, false},
		{`as_of in ["2026-10-21"]`, true, false},
		{`"2026-10-20" < as_of`, true, false},
		{`age_days <= 90`, true, false},
		{`term_months == 12`, false, false},
		{`term_months != 12`, false, false},
		{`gpus in [1, 2, 4]`, true, false},
		{`spot == true`, true, false},
		{`!spot`, false, true},
		{`price > 0 and false`, false, false},
		{`not (price > 5 and spot)`, true, true}, // not spot decides it
	} {
		w, err := CompileWhere(c.filter)
		if err != nil {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		if got := w.Match(known); got != c.onKnown {
			t.Errorf("%s: %t on a priced quote, want %t", c.filter, got, c.onKnown)
		}
		if got := w.Match(blank); got != c.onUnpriced {
			t.Errorf("%s: %t on one of which nothing is known, want %t", c.filter, got, c.onUnpriced)
		}
	}
}

func TestWhereErrors(t *testing.T) {
	deep := strings.Repeat("(", 900) + "spot" + strings.Repeat(")", 900)
	if _, err := CompileWhere(deep); err != nil {
		t.Errorf("900 brackets: %v", err)
	}
	for _, c := range []struct {
		filter string
		want   WhereError
	}{
		{"vrm >= 80", WhereError{1, `unknown field "vrm"`, []string{"vram"}}},
		{"spot and prize < 3", WhereError{10, `unknown field "prize"`, []string{"price"}}},
		{"显存 > 3", WhereError{1, `unknown field "显存"`, nil}},
		{"price", WhereError{1, "price is a number, not a condition", nil}},
		{"price < \"3\"", WhereError{7, `price is a number and "3" is text`, nil}},
		{"spot and price", WhereError{10, "price is a number, not a condition", nil}},
		{"gpu < \"h100\"", WhereError{5, `gpu < "h100": text has no order; use ==, != or in`, nil}},
		{"as_of > \"yesterday\"", WhereError{9, `"yesterday" is not a date: want "2026-11-30", "2026-11" or "2026"`, nil}},
		{"as_of > 2026", WhereError{7, `as_of is a date and 2026 is a number`, nil}},
		{"gpu in \"h100\"", WhereError{8, `"h100" is text: after in stands a list such as ["us", "jp"]`, nil}},
		{"gpu in [1]", WhereError{9, `gpu is text and 1 is a number`, nil}},
		{"gpu in [tier]", WhereError{9, `tier: a list holds numbers or texts`, nil}},
		{"not price", WhereError{5, `not price: price is a number`, nil}},
		{"gpu + 1 < 3", WhereError{1, `gpu is text, not a number`, nil}},
		{"price contains \"3\"", WhereError{1, `price is a number, not text`, nil}},
		{"price < 3 ** 2", WhereError{11, "** is not an operator of a filter", nil}},
		{"gpu matches \"(a+)+$\"", WhereError{5, "matches is not an operator of a filter", nil}},
		{"price <", WhereError{7, "the filter ends too early", nil}},
		{"price = 3", WhereError{7, "write == for equal", nil}},
		{"gpus in 1..8", WhereError{10, ".. is not an operator of a filter", nil}},
	} {
		w, err := CompileWhere(c.filter)
		got, ok := errors.AsType[*WhereError](err)
		if w != nil || !ok {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		if diff := cmp.Diff(c.want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.filter, diff)
		}
	}
	for _, filter := range []string{
		"", " ", "price <", "price < 3)", "(price < 3", "price = 3", "price < 3 and", "\"", "'", "price < 1e999",
		"len(gpu) > 3", "now() > as_of", "all([1], # > 0)", "repeat(gpu, 1000000000) == gpu", "map(1..1000000000, #) == []",
		"let x = price; x < 3", "spot ? true : false", "gpu[0] == \"h\"", "gpu.name == 1", "$env.price < 3", "price ?? 3 < 4", "{\"a\": 1} == 1", "price | max(3) > 1",
		"spot; spot", "if spot { true } else { false }", "nil == price", "b\"x\" == gpu", "1 | 2",
		strings.Repeat("spot and ", 500) + "spot", strings.Repeat("x", 3000),
	} {
		_, err := CompileWhere(filter)
		if _, ok := errors.AsType[*WhereError](err); !ok {
			t.Errorf("%.40q: %v", filter, err)
		} else if strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 200 {
			t.Errorf("%.40q: not one short line: %q", filter, err)
		}
	}
}

// An unknown price is in no comparison and in no negation of one.
func TestUnknownPriceNeverMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "op")
		bound := rapid.Float64Range(0, 100).Draw(t, "bound")
		filter := fmt.Sprintf("price %s %f", op, bound)
		for range rapid.IntRange(0, 3).Draw(t, "nots") {
			filter = "not (" + filter + ")"
		}
		w, err := CompileWhere(filter)
		if err != nil {
			t.Fatal(err)
		}
		if w.Match(WhereRow{}) {
			t.Fatalf("%s lets an unknown price pass", filter)
		}
		price := rapid.Float64Range(0, 100).Draw(t, "price")
		row := WhereRow{PerGPUHour: money.MustParse(fmt.Sprintf("%.6f", price), "USD")}
		if opposite, err := CompileWhere("not (" + filter + ")"); err != nil || w.Match(row) == opposite.Match(row) {
			t.Fatalf("%s and its negation agree on %f: %v", filter, price, err)
		}
	})
}

// A filter and another is what passes both: adding one never adds a quote nor
// removes one that satisfies it.
func TestWhereConjunction(t *testing.T) {
	parts := []string{"spot", "price < 2", "vram >= 80", `provider == "aws"`, "not (price < 2)", `region in ["us"]`, "saving_percent > 0"}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(parts).Draw(t, "a")
		b := rapid.SampledFrom(parts).Draw(t, "b")
		row := whereExample()
		if rapid.Bool().Draw(t, "unpriced") {
			row.PerGPUHour, row.Saving = money.Amount{}, nil
		}
		match := func(filter string) bool {
			w, err := CompileWhere(filter)
			if err != nil {
				t.Fatal(err)
			}
			return w.Match(row)
		}
		if match(a+" and "+b) != (match(a) && match(b)) {
			t.Fatalf("%s and %s", a, b)
		}
	})
}

func TestWhereNames(t *testing.T) {
	quote := Quote{PerGPUHour: money.MustParse("2.5", "USD"), Purchase: catalog.Spot, asOf: catalog.Date{Year: 2026}}
	if row := whereRow(&quote); row.Purchase != "spot" || row.PerGPUHour != quote.PerGPUHour || row.AsOf != quote.asOf {
		t.Errorf("row of a quote: %+v", row)
	}
	for _, name := range WhereNames() {
		if _, err := whereField(name, 1); err != nil {
			t.Error(err)
		}
	}
}

func FuzzWhere(f *testing.F) {
	for _, s := range []string{
		`vram>=80 and spot and price<3 and region in ["us","jp"]`, `not (price / gpus != -1.5e3) || as_of > "2026-10"`, `gpu matches "(a+)+$"`,
		"map(1..9, {# > 1})", "((((", `gpu contains "显"`, "1..2", "let a = 1; a", "0x1F + 0b1 < price", "'\\u00e9' == gpu", "// c", "/* c */ spot",
	} {
		f.Add(s)
	}
	row := whereExample()
	f.Fuzz(func(t *testing.T, filter string) {
		w, err := CompileWhere(filter)
		if (w == nil) == (err == nil) {
			t.Fatalf("%v with %v", w, err)
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error of several lines: %q", err)
			}
			return
		}
		w.Match(WhereRow{})
		opposite, err := CompileWhere("not (" + filter + ")")
		if err == nil && w.Match(row) && opposite.Match(row) {
			t.Fatal("a quote passes the filter and its negation")
		}
	})
}

func BenchmarkCompileWhere(b *testing.B) {
	for b.Loop() {
		if _, err := CompileWhere(`vram>=80 and spot and price<3 and region in ["us","jp"]`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWhereMatch(b *testing.B) {
	w, err := CompileWhere(`vram>=80 and spot and price<3 and region in ["us","jp"]`)
	if err != nil {
		b.Fatal(err)
	}
	row := whereExample()
	for b.Loop() {
		w.Match(row)
	}
}

func TestWhereAmount(t *testing.T) {
	if v, known := whereAmount(money.MustParse("2.10", "USD")); v != 2.1 || !known {
		t.Errorf("2.10: %g %t", v, known)
	}
	if v, known := whereAmount(money.Amount{}); known || math.IsNaN(v) {
		t.Errorf("unknown: %g %t", v, known)
	}
}
