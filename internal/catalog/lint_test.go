package catalog

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lintYAML wraps offers of one provider, with what they refer to.
func lintYAML(offers string) string {
	return `schema: 1
as_of: 2026-11-01
source: s
confidence: high
sources: [{id: s, name: S}, {id: t, name: T}]
fx: [{base: USD, quote: CNY, rate: 7, as_of: 2026-10-01}]
gpus:
  - {id: a10, name: A10, vendor: NVIDIA, family: a10, memory_gb: 24}
  - {id: h100-80gb-sxm, name: H100 SXM, vendor: NVIDIA, family: h100, form: SXM, memory_gb: 80}
  - {id: t4, name: T4, vendor: NVIDIA, family: t4, memory_gb: 16}
providers:
  - {id: m1, offers: [{gpu: a10, gpus: 1, prices: [{purchase: on_demand, amount: 1, per: gpu_hour, currency: USD}]}]}
  - {id: m2, offers: [{gpu: a10, gpus: 1, prices: [{purchase: on_demand, amount: 7, per: gpu_hour, currency: CNY}]}]}
  - id: p
    currency: USD
    offers:
` + offers
}

func TestLintCodes(t *testing.T) {
	const od = "{purchase: on_demand, per: gpu_hour, "
	const odi = "{purchase: on_demand, per: instance_hour, "
	for name, tc := range map[string]struct {
		offers string
		want   string // the codes found
	}{
		"in order":          {"      - {gpu: a10, gpus: 2, prices: [" + od + "amount: 1}, {purchase: spot, per: gpu_hour, amount: 0.5}]}\n", ""},
		"unknown":           {"      - {gpu: Frobnicator X1, gpus: 1, prices: [" + od + "amount: 1}]}\n", "unknown-gpu"},
		"maker":             {"      - {gpu: NVIDIA, gpus: 1, prices: [" + od + "amount: 1}]}\n", "vendor-as-gpu"},
		"maker in full":     {"      - {gpu: nvidia corporation, gpus: 1, prices: [" + od + "amount: 1}]}\n", "vendor-as-gpu"},
		"no count":          {"      - {gpu: a10, prices: [" + odi + "amount: 1}]}\n", "gpus-missing"},
		"no count needed":   {"      - {gpu: a10, prices: [" + od + "amount: 1}]}\n", ""},
		"wrong memory":      {"      - {gpu: a10, gpus: 1, gpu_memory_gb: 48, prices: [" + od + "amount: 1}]}\n", "memory-contradicts-name"},
		"GiB for GB":        {"      - {gpu: a10, gpus: 1, gpu_memory_gb: 25.8, prices: [" + od + "amount: 1}]}\n", ""},
		"part of a card":    {"      - {gpu: a10, gpus: 1/6, gpu_memory_gb: 4, prices: [" + odi + "amount: 0.2}]}\n", ""},
		"name of instance":  {"      - {gpu: a10, gpus: 1, instance: a10-48gb, prices: [" + od + "amount: 1}]}\n", "memory-contradicts-name"},
		"memory of all":     {"      - {gpu: a10, gpus: 4, instance: a10-96gb, prices: [" + od + "amount: 1}]}\n", ""},
		"memory of host":    {"      - {gpu: a10, gpus: 1, instance: a10-8vcpu-48gb, prices: [" + od + "amount: 1}]}\n", ""},
		"memory of host 2":  {"      - {gpu: a10, gpus: 1, instance: a10-48gb, memory_gib: 48, prices: [" + od + "amount: 1}]}\n", ""},
		"name of GPU":       {"      - {gpu: A10 24GB, gpus: 1, gpu_memory_gb: 48, prices: [" + od + "amount: 1}]}\n", "memory-contradicts-name memory-contradicts-name"},
		"unknown source":    {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1, source: u}]}\n", "unknown-source"},
		"user's own source": {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1, source: user}]}\n", ""},
		"currency":          {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 7, currency: CNY}]}\n", "provider-currency"},
		"zero":              {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 0}]}\n", "zero-price"},
		"free":              {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 0, free: true}]}\n", ""},
		"not known":         {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: null}]}\n", ""},
		"stale":             {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1, as_of: 2026-08-31}]}\n", "stale-price"}, // 91 days before 30 November
		"not yet stale":     {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1, as_of: 2026-09-01}]}\n", ""},
		"a month is old":    {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1, as_of: 2026}]}\n", "stale-price"},
		"history":           {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, " + od + "amount: 1, as_of: 2024-01-01}]}\n", ""},
		"undated":           {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1, as_of: unknown}]}\n", "undated-price"},
		"twice":             {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, " + od + "amount: 1}]}\n", "duplicate-price"},
		"twice as an offer": {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}]}\n      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}]}\n", "duplicate-price"},
		"two machines":      {"      - {gpu: a10, gpus: 1, vcpus: 4, prices: [" + od + "amount: 1}]}\n      - {gpu: a10, gpus: 1, vcpus: 8, prices: [" + od + "amount: 1.1}]}\n", "offers-differ"},
		"per GPU fits":      {"      - {gpu: a10, gpus: 4, prices: [" + od + "amount: 1}, " + odi + "amount: 4.04}]}\n", ""},
		"per GPU differs":   {"      - {gpu: a10, gpus: 4, prices: [" + od + "amount: 1}, " + odi + "amount: 1}]}\n", "per-gpu-or-instance per-gpu-or-instance"},
		"instance as GPU":   {"      - {gpu: a10, gpus: 8, prices: [" + od + "amount: 8.8}]}\n", "per-gpu-or-instance"},
		"GPU as instance":   {"      - {gpu: a10, gpus: 8, prices: [" + odi + "amount: 1}]}\n", "per-gpu-or-instance"},
		"dear, not eight":   {"      - {gpu: a10, gpus: 8, prices: [" + od + "amount: 5}]}\n", ""},
		"far above":         {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 5.01}]}\n", "far-from-median"},
		"just below":        {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 0.2}]}\n", ""},
		"far below":         {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 0.199}]}\n", "far-from-median"},
		"spot may be low":   {"      - {gpu: a10, gpus: 1, prices: [{purchase: spot, per: gpu_hour, amount: 0.05}]}\n", ""},
		"spot too low":      {"      - {gpu: a10, gpus: 1, prices: [{purchase: spot, per: gpu_hour, amount: 0.049}]}\n", "far-from-median"},
		"no market":         {"      - {gpu: t4, gpus: 1, prices: [" + od + "amount: 99}]}\n", ""},
		"GPU only":          {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 0.1, scope: gpu_only}]}\n", ""},
		"spot equal":        {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, {purchase: spot, per: gpu_hour, amount: 1}]}\n", "spot-equals-on-demand"},
		"spot above":        {"      - {gpu: a10, gpus: 2, prices: [" + od + "amount: 1}, {purchase: spot, per: instance_hour, amount: 2.2}]}\n", "spot-above-on-demand"},
		"spot another time": {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, {purchase: spot, per: gpu_hour, amount: 1.1, as_of: 2026-07-01}]}\n", "stale-price"},
		"conflict":          {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, " + od + "amount: 1.21, source: t, as_of: 2026-10-01}]}\n", "sources-conflict"},
		"no conflict":       {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, " + od + "amount: 1.2, source: t, as_of: 2026-10-01}]}\n", ""},
		"same source":       {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, " + od + "amount: 2, as_of: 2026-10-01}]}\n", ""},
		"older source":      {"      - {gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, " + od + "amount: 2, source: t, as_of: 2025-10-01}]}\n", "older-source-differs"},
		"marketplace":       {"      - {kind: marketplace, gpu: a10, gpus: 1, prices: [" + od + "amount: 1}, " + od + "amount: 2, source: t}]}\n", ""},
		"larger is cheaper": {"      - {instance: a, gpu: a10, gpus: 1, prices: [" + od + "amount: 1}]}\n      - {instance: b, gpu: a10, gpus: 2, prices: [" + odi + "amount: 0.99}]}\n", "larger-is-cheaper"},
		"other region":      {"      - {instance: a, region: x, gpu: a10, gpus: 1, prices: [" + od + "amount: 1}]}\n      - {instance: b, region: y, gpu: a10, gpus: 2, prices: [" + odi + "amount: 0.99}]}\n", ""},
		"same total":        {"      - {instance: a, gpu: a10, gpus: 1, prices: [" + od + "amount: 1}]}\n      - {instance: b, gpu: a10, gpus: 2, prices: [" + odi + "amount: 1}]}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(lintYAML(tc.offers)))
			if err := ps.Err(); err != nil {
				t.Fatal(err)
			}
			ps = append(ps, Lint(c, Date{2026, 11, 30})...)
			var got []string
			for _, p := range ps {
				got = append(got, p.Code)
				if p.Line < 17 {
					t.Errorf("not placed: %s", p)
				}
				if wantError := p.Code == "vendor-as-gpu" || p.Code == "unknown-source"; wantError != (p.Severity == SeverityError) {
					t.Errorf("%s is %s", p.Code, p.Severity)
				}
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("got %q, want %q\n%s", s, tc.want, strings.Join(lines(ps), "\n"))
			}
		})
	}
}

func TestLintOfNamesAndFigures(t *testing.T) {
	c := &Catalog{
		Sources:   []Source{{ID: "s"}},
		GPUs:      []GPU{{ID: "a", Name: "A 1", Aliases: []string{"card"}}, {ID: "b", Name: "a1", StandsFor: []string{"c"}}},
		Providers: []Provider{{ID: "p", Aliases: []string{"Q"}, Storage: []StoragePrice{{Kind: "object", Source: "x"}}}, {ID: "q"}},
		Tokens:    []TokenPrice{{Provider: "p", Model: "m"}},
		Offers:    []Offer{{Provider: "p", GPU: "a", Prices: []Price{{Purchase: Spot}}}},
	}
	ps := Lint(c, Date{})
	equal(t, "codes", codes(ps), []string{"doubled-alias", "missing-source", "undated-price", "unknown-gpu-id", "unknown-source"})
	equal(t, "counts", []string{ps.Counts()[0].Code, ps.Counts()[1].Code}, []string{"doubled-alias", "missing-source"})
	if n := len(ps.Errors()) + len(ps.Warnings()); n != len(ps) || len(ps.Warnings()) != 1 {
		t.Errorf("%d of %d", n, len(ps))
	}
}

func TestLintSaysTheSameEveryTime(t *testing.T) {
	c := embeddedYAML(t)
	want := strings.Join(lines(Lint(c, Date{2026, 11, 30})), "\n")
	for range 5 {
		if strings.Join(lines(Lint(c, Date{2026, 11, 30})), "\n") != want {
			t.Fatal("another order")
		}
	}
}

func TestFolded(t *testing.T) {
	ps := Problems{{Code: "a", What: "1"}, {Code: "b", What: "2"}, {Code: "a", What: "3"}, {Code: "a", What: "4"}}
	equal(t, "folded", lines(ps.Folded(1)), []string{"1", "2", "2 more of a"})
	equal(t, "not folded", lines(ps.Folded(3)), lines(ps))
}

// Every code that the package reports is described, and none is described that
// it does not report.
func TestEveryCodeIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, used []string
	for line := range strings.Lines(string(doc)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for _, m := range regexp.MustCompile("`([a-z0-9-]+)`").FindAllStringSubmatch(cells[1], -1) {
				documented = append(documented, m[1])
			}
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?:(?:warn|fail)\([^"]*|report\([^"]*|fault\{|\.Problem\(|bad\(|Code: |fail\(|problem\([^"]*|return )"([a-z]+-[a-z-]+|tag|unreadable)"`)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		src, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range code.FindAllStringSubmatch(string(src), -1) {
			used = append(used, m[1])
		}
	}
	slices.Sort(documented)
	slices.Sort(used)
	equal(t, "codes in docs/lint.md", slices.Compact(documented), slices.Compact(used))
}
