package catalog

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The files of testdata/cases are public bug reports, translated to this
// format with their numbers kept; each names its source.

func caseFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/cases/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// reference is the embedded GPUs, models, sources and rates without prices.
var reference = sync.OnceValues(func() (*Catalog, Problems) {
	c, ps := Load(os.DirFS("../../data"))
	if c == nil {
		return nil, ps
	}
	return c.WithoutPrices(), nil
})

func mustReference(t testing.TB) *Catalog {
	t.Helper()
	c, ps := reference()
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// loadCase reads a case over the embedded GPUs and nothing else.
func loadCase(t testing.TB, name string) (*Catalog, Problems) {
	t.Helper()
	return LoadOverlay(mustReference(t), name, caseFile(t, name))
}

// mustCase is a case that loads, with what the loader and lint say about it.
func mustCase(t testing.TB, name string, now Date) (*Catalog, Problems) {
	t.Helper()
	c, ps := loadCase(t, name)
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	return c, append(ps, Lint(c, now)...)
}

// perGPUHours lists every known price per GPU-hour, in the order of the file.
func perGPUHours(c *Catalog) []string {
	var out []string
	for i := range c.Offers {
		for j := range c.Offers[i].Prices {
			if a, ok := gpuHour(&c.Offers[i], &c.Offers[i].Prices[j]); ok {
				out = append(out, a.String())
			} else {
				out = append(out, "n/a")
			}
		}
	}
	return out
}

func codes(ps Problems) []string {
	var out []string
	for _, c := range ps.Counts() {
		out = append(out, c.Code)
	}
	slices.Sort(out)
	return out
}

func gpusOf(c *Catalog) []string {
	var out []string
	for _, o := range c.Offers {
		out = append(out, o.GPU)
	}
	return out
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestCasesOfPrices(t *testing.T) {
	for _, tc := range []struct {
		file      string
		now       Date
		perGPU    []string // worked by hand: amount / GPUs
		wantCodes []string
	}{
		{"P02.yaml", Date{2024, 10, 24}, []string{"0.16"}, nil},
		{"P05-mended.yaml", Date{2025, 8, 18}, []string{"6.88", "6.88"}, nil},
		{"P06.yaml", Date{2025, 3, 26}, []string{"n/a", "7.9125", "0.00"}, []string{"zero-price"}},
		{"P07.yaml", Date{2026, 3, 22}, []string{"0.01", "0.01", "3.45", "4.84125"}, []string{"far-from-median", "spot-equals-on-demand"}},
		{"P08.yaml", Date{2024, 3, 25}, []string{"1.475", "0.50"}, []string{"larger-is-cheaper"}},
		{"P09.yaml", Date{2024, 10, 23}, []string{"0.49", "0.76"}, nil},
		{"P11.yaml", Date{2026, 9, 25}, []string{"6.155", "4.29", "3.99"}, nil},
		{"N01.yaml", Date{2023, 2, 3}, []string{"1.50", "1.50", "5.12075"}, []string{"ambiguous-gpu", "memory-contradicts-name"}},
		{"N03.yaml", Date{2024, 11, 7}, []string{"4.49"}, nil},
		{"N08.yaml", Date{2026, 6, 30}, []string{"1.39", "0.49", "0.77", "1.69"}, nil},
		{"N09.yaml", Date{2024, 8, 26}, []string{"2.724", "2.724", "0.60"}, nil},
		{"N10.yaml", Date{2024, 10, 4}, []string{"1.66875"}, nil},
		{"N12.yaml", Date{2021, 8, 15}, []string{"1.83", "1.14375", "12.5625", "n/a"}, []string{"ambiguous-gpu"}},
		{"N13.yaml", Date{2025, 9, 18}, []string{"0.16", "0.16", "0.27", "0.27"}, []string{"duplicate-price"}},
		{"N14.yaml", Date{2026, 10, 13}, []string{"10.9791", "6.571", "n/a", "6.8865"}, nil},
		{"S01.yaml", Date{2026, 11, 30}, []string{"12.29", "6.88", "1.208375", "5.00"}, []string{"older-source-differs", "stale-price", "undated-price"}},
		{"S02.yaml", Date{2025, 3, 7}, []string{"0.44", "0.49"}, []string{"spot-above-on-demand"}},
		{"E01.yaml", Date{2026, 11, 30}, []string{"2.10", "0.80", "0.20"}, []string{"ambiguous-gpu"}},
		{"F01.yaml", Date{2026, 11, 30}, []string{"12.00", "1.98", "6.50"}, nil},
		{"F04.yaml", Date{2026, 11, 30}, []string{"2.00", "18.00", "n/a", "0.60"}, []string{"ambiguous-gpu"}},
		{"F05-old.yaml", Date{2026, 1, 1}, nil, nil},
		{"F05-new.yaml", Date{2026, 1, 1}, []string{"0.20"}, nil},
	} {
		t.Run(tc.file, func(t *testing.T) {
			c, ps := mustCase(t, tc.file, tc.now)
			equal(t, "per GPU-hour", perGPUHours(c), tc.perGPU)
			equal(t, "codes", codes(ps), tc.wantCodes)
			for _, p := range ps {
				if p.File != tc.file || p.Line == 0 || p.Col == 0 {
					t.Errorf("%s: not placed", p)
				}
			}
		})
	}
}

func TestCaseP04AUnitIsNeverAssumed(t *testing.T) {
	c, ps := loadCase(t, "P04.yaml")
	if c != nil {
		t.Error("a catalog beside an error")
	}
	equal(t, "problems", lines(ps), []string{
		"P04.yaml:12:54: providers[0].offers[0].prices[1].per: unknown unit \"month\" (hint: did you mean gpu_month or instance_month?)",
	})
	mended := strings.ReplaceAll(string(caseFile(t, "P04.yaml")), "per: month", "per: gpu_month")
	_, ps = LoadOverlay(&Catalog{}, "P04.yaml", []byte(mended))
	equal(t, "then", lines(ps.Errors()), []string{
		"P04.yaml:11:13: providers[0].offers[0].prices[0]: missing per (hint: one of gpu_hour, instance_hour ...: whose hour it is must be said)",
	})
}

func TestCaseP05ZeroGPUsNameTheRow(t *testing.T) {
	c, ps := loadCase(t, "P05.yaml")
	if c != nil {
		t.Error("a catalog beside an error")
	}
	equal(t, "problems", lines(ps), []string{
		"P05.yaml:7:68: providers[0].offers[0].gpus: 0 GPUs in something that is sold as a GPU (hint: leave gpus out when the number is not known)",
	})
}

func TestCaseP06UnknownIsNotZeroAndFreeIs(t *testing.T) {
	c, _ := mustCase(t, "P06.yaml", Date{2025, 3, 26})
	if p := c.Offers[0].Prices[0]; p.Known() || p.Free {
		t.Errorf("the 0 that is not marked: %+v", p)
	}
	if p := c.Offers[2].Prices[0]; !p.Low.IsZero() || !p.Free {
		t.Errorf("the price that is free: %+v", p)
	}
}

func TestCaseP07NamesRatioAndMedian(t *testing.T) {
	_, ps := mustCase(t, "P07.yaml", Date{2026, 3, 22})
	// the others are 3.45 and 38.73/8 = 4.84125: their median is 4.145625,
	// 414.56 times 0.01
	want := "mithril b200.1x 1x b200-180gb-sxm: on_demand: 0.0100 USD per GPU-hour is a factor of 414.56 from the median of the others, 4.15"
	if !slices.ContainsFunc(ps, func(p Problem) bool { return strings.HasPrefix(p.Message(), want) }) {
		t.Errorf("no %q in\n%s", want, strings.Join(lines(ps), "\n"))
	}
}

func TestCaseN07AMakerIsNoGPU(t *testing.T) {
	c, ps := mustCase(t, "N07.yaml", Date{2025, 2, 5})
	for i := range c.Offers {
		o := &c.Offers[i]
		switch {
		case o.GPUKnown && strings.HasPrefix(o.GPU, "h200"):
			if a, _ := gpuHour(o, &o.Prices[0]); a.String() != "10.60" {
				t.Errorf("%s: %s per GPU-hour, want 10.60", o.title(), a)
			}
		case !slices.ContainsFunc(ps, func(p Problem) bool {
			return p.Code == "vendor-as-gpu" && p.Severity == SeverityError && p.Line == o.Pos.Line
		}):
			t.Errorf("%s: neither resolved nor an error", o.title())
		}
	}
	if c.Offers[2].GPUKnown {
		t.Errorf("an instance nobody knows was taken for %s", c.Offers[2].GPU)
	}
}

func TestCaseN08NeighboursStayApart(t *testing.T) {
	c, _ := mustCase(t, "N08.yaml", Date{2026, 6, 30})
	got := gpusOf(c)
	slices.Sort(got)
	if len(slices.Compact(got)) != 4 {
		t.Errorf("four cards became %q", got)
	}
}

func TestCaseN09FractionsStayFractions(t *testing.T) {
	c, _ := mustCase(t, "N09.yaml", Date{2024, 8, 26})
	for i, want := range []struct {
		gpus string
		gb   float64
	}{{"1/6", 4}, {"1/3", 8}, {"1", 24}} {
		if o := c.Offers[i]; o.GPUs.String() != want.gpus || o.GPUMemoryGB != want.gb || o.GPU != "a10" {
			t.Errorf("%s: %s of %s with %g GB", o.Instance, o.GPUs, o.GPU, o.GPUMemoryGB)
		}
	}
}

func TestCaseN10TotalIsCountTimesEach(t *testing.T) {
	c, _ := mustCase(t, "N10.yaml", Date{2024, 10, 4})
	// 22,888 MiB x 1,048,576 / 1e9 = 23.99980 GB each
	if gb := c.Offers[0].GPUMemoryGB; gb < 23.9997 || gb > 23.9999 {
		t.Errorf("%g GB", gb)
	}
	_, ps := loadCase(t, "N10-wrong.yaml")
	equal(t, "problems", lines(ps), []string{
		"N10-wrong.yaml:7:96: providers[0].offers[0].total_gpu_memory_mib: 1536.0 GB in all, but 8 x 24 GB are 192.0 GB",
	})
}

func TestCaseN11SameEveryTime(t *testing.T) {
	first, _ := mustCase(t, "N11.yaml", Date{2023, 1, 17})
	want := string(Compile(first))
	upTo := 0
	for _, a := range perGPUHours(first) {
		if len(a) <= 4 && a <= "1.00" {
			upTo++
		}
	}
	if upTo != 20 { // 0.05 x i up to 1.00 for i = 1..20
		t.Errorf("%d prices up to 1.00", upTo)
	}
	for range 20 {
		c, _ := mustCase(t, "N11.yaml", Date{2023, 1, 17})
		if string(Compile(c)) != want {
			t.Fatal("another catalog from the same file")
		}
	}
}

func TestCaseN13SameOfferIsOneOffer(t *testing.T) {
	c, _ := mustCase(t, "N13.yaml", Date{2025, 9, 18})
	if len(c.Offers) != 3 {
		t.Errorf("%d offers, want 3", len(c.Offers))
	}
}

func TestCaseN14NotPurchasableIsKept(t *testing.T) {
	c, _ := mustCase(t, "N14.yaml", Date{2026, 10, 13})
	if p := c.Offers[0].Prices[0]; p.Purchasable == nil || *p.Purchasable {
		t.Error("the list price that cannot be bought is not marked")
	}
	if p := c.Offers[0].Prices[1]; p.Purchasable != nil {
		t.Error("the spot price does not say whether it can be bought")
	}
}

func TestCaseS01AgeAndConflict(t *testing.T) {
	c, ps := mustCase(t, "S01.yaml", Date{2026, 11, 30})
	for _, term := range (Selection{AsOf: Date{2026, 11, 30}}).Terms(&c.Offers[0]) {
		if term.Purchase == OnDemand && term.Low.String() != "55.04" {
			t.Errorf("%s wins, want 55.04", term.Low)
		}
	}
	all := strings.Join(lines(ps), "\n")
	for _, want := range []string{
		"old-page said 12.29 per GPU-hour on 2024-09-28, since 2026-11-09 it is 6.88 by hyperscalers: a factor of 1.79", // 98.32/55.04
		"the newest spot price is of 2025-08-18, 469 days old",
		"the reserved 12 months price has no date, so it may be of any age",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

func TestCaseE01TextStaysText(t *testing.T) {
	c, _ := mustCase(t, "E01.yaml", Date{2026, 11, 30})
	for i, want := range [][3]string{{"NO", "no", ""}, {"SE", "on", ""}, {"DE", "010", "1e3"}} {
		if o := c.Offers[i]; o.Country != want[0] || o.Region != want[1] || o.Instance != want[2] {
			t.Errorf("%q %q %q, want %q", o.Country, o.Region, o.Instance, want)
		}
		if d := c.Offers[i].Prices[0].AsOf; d != (Date{2026, 11, 30}) {
			t.Errorf("as_of %s", d)
		}
	}
}

func TestCaseE03Aliases(t *testing.T) {
	c, ps := loadCase(t, "E03-bomb.yaml")
	if c != nil || len(ps) != 1 || ps[0].Code != "too-large" || ps[0].Line != 9 {
		t.Errorf("the bomb: %v", ps)
	}
	allocated := testing.AllocsPerRun(1, func() { _, _ = parseYAML("E03-bomb.yaml", caseFile(t, "E03-bomb.yaml")) })
	if allocated > 5000 {
		t.Errorf("%g allocations before the bomb is refused", allocated)
	}
	c, ps = mustCase(t, "E03-shared.yaml", Date{2026, 11, 30})
	if len(c.Offers) != 30 || len(ps.Errors()) != 0 {
		t.Fatalf("%d offers, %v", len(c.Offers), ps.Errors())
	}
	for i, a := range perGPUHours(c) {
		if want := c.Offers[i].Prices[0]; a != want.Low.String() || want.Per != "gpu_hour" || want.Low.Currency() != "USD" || want.Purchase != OnDemand {
			t.Errorf("%+v", want)
		}
	}
	if first, last := perGPUHours(c)[0], perGPUHours(c)[29]; first != "0.20" || last != "0.49" {
		t.Errorf("from %s to %s", first, last)
	}
}

// lines prints problems with their hints.
func lines(ps Problems) []string {
	var out []string
	for _, p := range ps {
		s := p.String()
		if p.Hint != "" {
			s += " (hint: " + p.Hint + ")"
		}
		out = append(out, s)
	}
	return out
}
