package claims

import (
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/data"
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

func shippedFile(t testing.TB) *File {
	t.Helper()
	b, err := data.Files.ReadFile("claims.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, ps := Load("claims.yaml", b)
	if ps.Err() != nil {
		t.Fatal(ps)
	}
	return f
}

// pinned is a catalog of made-up prices that never move, with the shipped data
// sheets of GPUs and models.
func pinned(t testing.TB) *catalog.Catalog {
	t.Helper()
	fs := fstest.MapFS{}
	for _, name := range []string{"gpus.yaml", "models.yaml"} {
		b, err := data.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fs[name] = &fstest.MapFile{Data: b}
	}
	b, err := os.ReadFile("testdata/pinned.yaml")
	if err != nil {
		t.Fatal(err)
	}
	fs["pinned.yaml"] = &fstest.MapFile{Data: b}
	c, ps := catalog.Load(fs)
	if ps.Err() != nil {
		t.Fatal(ps)
	}
	return c
}

func shipped(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Embedded(data.CatalogTwin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func check(t testing.TB, f *File, c *catalog.Catalog, day string) map[string]Claim {
	t.Helper()
	asOf, err := catalog.ParseDate(day)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Check(f, c, Options{AsOf: asOf, HoursPerMonth: money.WholeQuantity(730)})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Claim{}
	for _, x := range list {
		out[x.ID] = x
	}
	return out
}

// Every figure here was worked out with a calculator from testdata/pinned.yaml,
// the formulas in the comment and the data sheets, not read off the program.
func TestWorkedOut(t *testing.T) {
	const none = -1e18
	for _, w := range []struct {
		id        string
		verdict   Verdict
		low, high float64 // our value
		cLow      float64 // condition
		cHigh     float64
	}{
		// AWS 96/8 = 12.00 in 2025 to 7.00: -41.7 %, one of one; since January 2026 only
		// RunPod moved, 3.00 to 4.00: a fall of -33.3 %; none of two.
		{"claim-01", HoldsIf, -100.0 / 3, 0, 0, 0},
		{"claim-05", HoldsIf, none, none, 200.0 / 3, 200.0 / 3},            // two of three parts: no week of commitment
		{"claim-06", Holds, none, none, none, none},                        // NVLink, no commitment
		{"claim-08", Holds, none, none, none, none},                        // IB, no commitment
		{"claim-09", DoesNotHold, 3, 3, none, none},                        // three years at 3.00 cost more than 2.40
		{"claim-10", DoesNotHold, none, none, none, none},                  // preemptible nodes are known
		{"claim-12", HoldsIf, 101.192394, 101.192394, 7.902439, 18.610095}, // Lambert W; 101 steps of 12 s = 20.24 min
		{"claim-13", DoesNotHold, 2.439834, 2.439834, none, none},          // .867 x 2.40 + .133 x .867 x 2.50 + .133^2 x 4.00
		{"claim-15", HoldsIf, 2, 60, 2, 60},                                // 5 s between 2 and 60; 1,000 ms, not 50
		{"claim-16", DoesNotHold, 3, 3, none, none},                        // 8 s is more than twice 3; 1 ms was read in the article
		{"claim-19", HoldsIf, -25.0 / 6, -25.0 / 6, 0.288, 0.576},          // edge 24 x 4 / (100,000 x 0.001) = 0.96 s
		{"claim-20", HoldsIf, 20.264211, 20.264211, 1.354473, 1.354473},    // overhead 1.32893; 0.45 x 4 / 1.32893
		{"claim-21", DoesNotHold, 0, 0.04, none, none},
		{"claim-22", HoldsIf, 37.5, 92.886251, 22.576, 45.152},                    // 1 - .625 x 8.03/70.55; .2/.625 x 70.55
		{"claim-23", HoldsIf, 0, 37.5, 37.5, 37.5},                                // 1 - 1/1.6
		{"claim-24", HoldsIf, 88.618001, 88.618001, 5, 8},                         // 1 - 8.03/70.55
		{"claim-25", HoldsIf, 10, 400.0 / 7, 12, 12},                              // Lambda 1 - 3.6/4 for 3 months and 1 - 2.4/4 for 12, AWS 1 - 3/7 for 36: one of three in the range
		{"claim-26", HoldsIf, 632.911392, 632.911392, 80, 80},                     // 200/0.79 x 2.50; 200/2.50
		{"claim-27", HoldsIf, 5853.658537, 5853.658537, 833.333333, 833.333333},   // 2,000/0.82 x 2.40; 2,000/2.40
		{"claim-28", HoldsIf, 3082.191781, 3082.191781, 3082.191781, 3082.191781}, // 150 / 0.0016 / (730/24)
		{"claim-29", DoesNotHold, 2920, 2920, none, none},                         // 4.00 x 730
		{"claim-30", HoldsIf, 630720, 630720, 5.707763, 5.707763},                 // 72 x 12 x 730; 50,000 / 8,760
		{"claim-31", Holds, 1452.7, 1452.7, none, none},                           // 1.99 x 730
		{"claim-32", DoesNotHold, 175000, 210000, none, none},                     // 25,000 and 30,000 x 7.00; the article's own row does not count
		{"claim-33", Holds, 1960000, 2100000, none, none},                         // 280,000 and 300,000 x 7.00
		{"claim-34", Holds, 7743.84, 7743.84, none, none},                         // 10.2 x 1.3 x 730 x 0.8
		{"claim-35", HoldsIf, 8.827160, 22.067901, 14.711934, 14.711934},          // (2,000,000/36 + 8,000) / 240 over 30, 12 and 18
		{"claim-37", Holds, 312, 312, none, none},
		{"claim-39", HoldsIf, 30, 50, 50, 50}, // 5.20/4 and 3/2: one of two
		{"claim-40", HoldsIf, 9, 18, 20, 20},
		{"claim-41", Holds, 25, 25, none, none},                         // 3.00/4.00
		{"claim-42", DoesNotHold, 0, 0, none, none},                     // 2.50/2.50
		{"claim-43", HoldsIf, 0, 25, 50, 50},                            // 4/4 and 7/5.60: one of two
		{"claim-46", NotCheckable, none, none, none, none},              // no monthly price of the big three
		{"claim-47", DoesNotHold, 1.071429, 2.380952, none, none},       // 30/28 and 20/8.40
		{"claim-48", Holds, 50, 50, none, none},                         // 10/20
		{"claim-53", Holds, 0, 60, none, none},                          // RunPod 0, CoreWeave and Verda 60: two of three
		{"claim-54", HoldsIf, 5.680245, 83.071963, 2.803673, 19.495726}, // 1 - e^(-1/17.1), 1 - e^(-1/0.563); -1/ln(0.7), -1/ln(0.95)
		{"claim-55", HoldsIf, 0.824667, 17.061667, 264, 564},            // (36 s + GB)/60
		{"claim-56", HoldsIf, 5.653128, 5.653128, 5.653128, 5.653128},   // e^(lR)(e^(lh)-1)/(lh) x 0.4 = 1 at l = 1/3.64
		{"claim-57", HoldsIf, 18.813333, 18.813333, 0.627111, 3.762667}, // 8 x 141.1 / seconds
		{"claim-60", HoldsIf, 12, 30, 28, 40},                           // 30 of 12 and 30
		{"claim-61", HoldsIf, 1.2, 1.6, 1, 1.4},                         // 1.20 of 1.20 and 1.60
		{"claim-62", HoldsIf, 5.6, 14, 5, 8},                            // 5.60 and 7.00 of three
		{"claim-63", DoesNotHold, 4, 4, none, none},                     // 1.99 against 4.00
		{"claim-64", DoesNotHold, none, none, none, none},               // seen as not sold
		{"claim-66", DoesNotHold, 2.4, 2.4, none, none},                 // 19.20/8
		{"claim-72", DoesNotHold, 7, 7, none, none},
		{"claim-80", DoesNotHold, none, none, none, none},
		{"claim-86", Holds, 0.2, 0.2, none, none},       // 0.20 is below 0.30
		{"claim-92", HoldsIf, 0.48, 0.48, 100, 100},     // 1.20/2.50 is below 2,039/3,350 and above 312/989
		{"claim-93", HoldsIf, 1.3, 1.5, 50, 50},         // 4,800/3,350 = 1.433: one of two
		{"claim-87", DoesNotHold, 0.9, 0.9, none, none}, // 0.90 is above 0.84
	} {
		x := checkPinned(t)[w.id]
		if x.Verdict != w.verdict {
			t.Errorf("%s: %s, want %s: %s", w.id, x.Verdict, w.verdict, x.Why)
		}
		same(t, w.id+" our low", x.Our.Low, w.low, none)
		same(t, w.id+" our high", x.Our.High, w.high, none)
		var c Condition
		if x.Condition != nil {
			c = *x.Condition
		}
		same(t, w.id+" condition low", c.Low, w.cLow, none)
		same(t, w.id+" condition high", c.High, w.cHigh, none)
	}
}

var pinnedClaims map[string]Claim

func checkPinned(t *testing.T) map[string]Claim {
	if pinnedClaims == nil {
		pinnedClaims = check(t, shippedFile(t), pinned(t), "2026-11-30")
	}
	return pinnedClaims
}

func same(t *testing.T, what string, got Decimal, want, none float64) {
	t.Helper()
	if want == none {
		if got != "" {
			t.Errorf("%s is %s, want none", what, got)
		}
		return
	}
	x, err := strconv.ParseFloat(string(got), 64)
	if err != nil || math.Abs(x-want) > 1e-6*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %q, want %g", what, got, want)
	}
}

var noNumber = regexp.MustCompile(`NaN|\bInf\b|\{|%!`)

// What every claim must have, with the shipped data and with prices that leave
// most of the evidence out.
func TestEveryClaim(t *testing.T) {
	f := shippedFile(t)
	empty := *shipped(t)
	empty.Offers, empty.Serverless, empty.Tokens, empty.Ownership, empty.Interruption, empty.FX = nil, nil, nil, nil, nil, nil
	for name, all := range map[string]map[string]Claim{
		"shipped": check(t, f, shipped(t), "2026-11-30"), "early": check(t, f, shipped(t), "2026-01-15"),
		"late": check(t, f, shipped(t), "2028-01-01"), "empty": check(t, f, &empty, "2026-11-30"), "pinned": checkPinned(t),
	} {
		if len(all) < 62 {
			t.Errorf("%s: %d claims", name, len(all))
		}
		for id, x := range all {
			switch {
			case !slices.Contains(Verdicts(), x.Verdict):
				t.Errorf("%s %s: verdict %q", name, id, x.Verdict)
			case (x.Verdict == HoldsIf) != (x.Condition != nil):
				t.Errorf("%s %s: %s with condition %v", name, id, x.Verdict, x.Condition)
			case x.Condition != nil && (x.Condition.Low == "" || x.Condition.High == "" || x.Condition.Text == "" || x.Condition.TextZH == ""):
				t.Errorf("%s %s: the condition %+v is no number or has no words", name, id, x.Condition)
			case x.Why == "" || x.WhyZH == "" || x.Text == "" || x.TextZH == "":
				t.Errorf("%s %s: a text is missing", name, id)
			case len(x.Sources) == 0:
				t.Errorf("%s %s: no source", name, id)
			case x.Article.Text == "" || x.Article.TextZH == "" || x.Our.Text == "" || x.Our.TextZH == "":
				t.Errorf("%s %s: a value without words: %+v %+v", name, id, x.Article, x.Our)
			}
			for _, s := range []string{x.Why, x.WhyZH, x.Our.Text, string(x.Our.Low)} {
				if noNumber.MatchString(s) {
					t.Errorf("%s %s says %s", name, id, s)
				}
			}
		}
	}
}

// The 62 claims of the two articles are there under their numbers, and both
// languages of a sentence have the same places.
func TestFile(t *testing.T) {
	f := shippedFile(t)
	for n := 1; n <= 62; n++ {
		id := "claim-" + strconv.Itoa(100 + n)[1:]
		if !slices.ContainsFunc(f.Claims, func(e Entry) bool { return e.ID == id }) {
			t.Errorf("no %s", id)
		}
	}
	places := regexp.MustCompile(`\{[^}]*\}`)
	sorted := func(s string) []string {
		return slices.Compact(slices.Sorted(slices.Values(places.FindAllString(s, -1))))
	}
	for i := range f.Claims {
		w := f.sentences(&f.Claims[i])
		if d := cmp.Diff(sorted(w.Why), sorted(w.WhyZH)); d != "" {
			t.Errorf("%s: the reasons differ:\n%s", f.Claims[i].ID, d)
		}
		if d := cmp.Diff(sorted(w.Condition), sorted(w.ConditionZH)); d != "" {
			t.Errorf("%s: the conditions differ:\n%s", f.Claims[i].ID, d)
		}
	}
}

// The figures that the file gives as the articles' are the ones that the catalog
// keeps of them, and every GPU and seller asked for exists.
func TestFileAgreesWithTheCatalog(t *testing.T) {
	f, c := shippedFile(t), shipped(t)
	k := &checker{file: f, cat: c, names: catalog.NewNames(c.GPUs).WithOffers(c.Offers), o: Options{AsOf: c.AsOf, HoursPerMonth: money.WholeQuantity(730)}}
	k.kinds, k.exchanges = map[string]string{}, nil
	for i := range f.Claims {
		e := &f.Claims[i]
		for _, q := range e.Evidence {
			if _, err := k.names.ParseGPUs(q.GPU); err != nil && q.GPU != "b100" {
				t.Errorf("%s, %s: %v", e.ID, q.Name, err)
			}
			for _, p := range q.Providers {
				if catalog.FindProvider(c, p) == nil {
					t.Errorf("%s, %s: no provider %q", e.ID, q.Name, p)
				}
			}
		}
	}
	tables := 0
	for i := range f.Claims {
		e := &f.Claims[i]
		if e.Rule != "price" || e.Source != "review-2026-06" {
			continue
		}
		q := e.Evidence[0]
		set, err := k.names.ParseGPUs(q.GPU)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for j := range c.Offers {
			o := &c.Offers[j]
			for _, p := range o.Prices {
				if p.Source == e.Source && p.Purchase == q.Purchases[0] && p.TermMonths == 0 && o.Provider == q.Providers[0] && set.Match(o, k.gpu(o.GPU)) {
					found = p.Low == money.MustParse(string(e.Low), "USD")
				}
			}
		}
		if !found {
			t.Errorf("%s: the catalog has no %s %s of the article at %s", e.ID, q.Providers[0], q.Purchases[0], e.Low)
		}
		tables++
	}
	if tables != 21 {
		t.Errorf("%d prices of the review's two tables, want 21", tables)
	}
}

func TestSameAnswerTwice(t *testing.T) {
	a, b := check(t, shippedFile(t), shipped(t), "2026-11-30"), check(t, shippedFile(t), shipped(t), "2026-11-30")
	for _, id := range slices.Sorted(maps.Keys(a)) {
		if d := cmp.Diff(a[id], b[id]); d != "" {
			t.Errorf("%s:\n%s", id, d)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	f, c := shippedFile(b), shipped(b)
	for b.Loop() {
		check(b, f, c, "2026-11-30")
	}
}
