package catalog

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const baseYAML = `schema: 1
as_of: 2026-11-01
sources: [{id: s, name: S}, {id: t, name: T}]
fx:
  - {base: USD, quote: CNY, rate: 7.2, as_of: 2026-10-01, source: s, confidence: high}
gpus:
  - {id: h100, name: H100, memory_gb: 80}
  - {id: a10, name: A10, memory_gb: 24}
models: [{id: m, layers: 1}]
providers:
  - id: aws
    name: AWS
    market: intl
    currency: USD
    billing: {increment_s: 1, minimum_s: 60}
    offers:
      - {instance: p5, gpu: H100, gpus: 8, region: us, prices: [{purchase: on_demand, amount: 55.04, per: instance_hour, as_of: 2026-11-01, source: s, confidence: high}, {purchase: spot, amount: 20, per: instance_hour, source: s}]}
      - {instance: p5, gpu: H100, gpus: 8, region: eu, prices: [{purchase: on_demand, amount: 60, per: instance_hour, source: s}]}
      - {instance: odd, gpu: Frobnicator X1, gpus: 1, prices: [{purchase: on_demand, amount: 1, per: gpu_hour, source: s}]}
  - {id: idle, name: Idle, currency: EUR}
overrides:
  - {id: deal, match: {provider: aws, gpu: h100, purchase: reserved, term_months: 12, region: us, instance: p5, tier: x, source: s}, amount: 2.10, per: gpu_hour, currency: USD, valid_from: 2026-01-01, valid_until: 2026-12-31, reason: contract 42}
  - {id: markup, match: {}, percent: +8, reason: internal mark-up}
`

func base(t *testing.T) *Catalog {
	t.Helper()
	c, ps := Load(fstest.MapFS{"base.yaml": {Data: []byte(baseYAML)}})
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoad(t *testing.T) {
	c := base(t)
	if c.AsOf != (Date{2026, 11, 1}) || len(c.SHA256) != 64 {
		t.Errorf("as of %s, digest %q", c.AsOf, c.SHA256)
	}
	p := c.Offers[0].Prices[1]
	if p.Source != "s" || p.Confidence != Medium || p.AsOf != (Date{2026, 11, 1}) {
		t.Errorf("defaults: %+v", p)
	}
	if o := c.Offers[0]; o.GPU != "h100" || !o.GPUKnown || o.Provider != "aws" {
		t.Errorf("%+v", o)
	}
	if o := c.Offers[2]; o.GPU != "Frobnicator X1" || o.GPUKnown {
		t.Errorf("an unknown name was not kept: %+v", o)
	}
	want := []Override{
		{
			ID: "deal", Provider: "aws", GPU: "h100", Region: "us", Instance: "p5", Tier: "x", Source: "s", Purchase: Reserved, TermMonths: 12,
			Amount: c.Overrides[0].Amount, Per: "gpu_hour", ValidFrom: Date{2026, 1, 1}, ValidUntil: Date{2026, 12, 31}, Reason: "contract 42", Pos: c.Overrides[0].Pos,
		},
		{ID: "markup", Percent: "+8", Reason: "internal mark-up", Pos: c.Overrides[1].Pos},
	}
	if d := cmp.Diff(want, c.Overrides, exact); d != "" || want[0].Amount.String() != "2.10" {
		t.Error(d)
	}
}

func TestOverlayReplacesAddsAndKeeps(t *testing.T) {
	b := base(t)
	before := string(Compile(b))
	c, ps := LoadOverlay(b, "mine.yaml", []byte(`schema: 1
fx:
  - {base: USD, quote: CNY, rate: 7.1, as_of: 2026-10-01}
  - {base: USD, quote: CNY, rate: 7.0, as_of: 2026-11-01}
gpus:
  - {id: frobnicator-x1, name: Frobnicator X1, memory_gb: 7}
  - {id: a10, name: A10, memory_gb: 25}
providers:
  - id: aws
    url: https://mine
    offers:
      - {instance: p5, gpu: h100, gpus: 8, region: us, prices: [{purchase: on_demand, amount: 50, per: instance_hour, currency: USD}]}
      - {instance: p5, gpu: h100, gpus: 8, region: ap, prices: [{purchase: on_demand, amount: 70, per: instance_hour, currency: USD}]}
  - id: lab
    kind: on_prem
    offers:
      - {gpu: a10, gpus: 4, prices: [{purchase: owned, amount: 0.2, per: gpu_hour, currency: USD}]}
overrides:
  - {id: markup, match: {provider: aws}, percent: "-12.5"}
`))
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	if string(Compile(b)) != before {
		t.Error("the base was changed")
	}
	var got []string
	for _, o := range c.Offers {
		got = append(got, fmt.Sprintf("%s known=%t prices=%d %s", o.title(), o.GPUKnown, len(o.Prices), o.Prices[0].Low))
	}
	equal(t, "offers", got, []string{
		"aws p5 8x h100 us known=true prices=1 50.00", // replaced with all its prices
		"aws p5 8x h100 eu known=true prices=1 60.00",
		"aws odd 1x frobnicator-x1 known=true prices=1 1.00", // known by now
		"aws p5 8x h100 ap known=true prices=1 70.00",
		"lab 4x a10 known=true prices=1 0.20",
	})
	p := c.Providers[0]
	if p.Name != "AWS" || p.URL != "https://mine" || p.Billing.MinimumS != 60 || p.Currency != "USD" {
		t.Errorf("provider %+v", p)
	}
	if c.Providers[2].Name != "lab" {
		t.Errorf("a provider without a name is called %q", c.Providers[2].Name)
	}
	if len(c.FX) != 2 || c.FX[0].Value.String() != "7.1" || len(c.GPUs) != 3 || c.GPUs[1].MemoryGB != 25 || len(c.Overrides) != 2 || c.Overrides[1].Percent != "-12.5" {
		t.Errorf("%+v %+v %+v", c.FX, c.GPUs, c.Overrides)
	}
	q := c.Offers[0].Prices[0]
	if q.Source != UserSource || q.Ref != "mine.yaml" || q.Confidence != Medium || q.AsOf.Known() || q.Pos.File != "mine.yaml" {
		t.Errorf("a price of the user: %+v", q)
	}
	if c.SHA256 == b.SHA256 || c.AsOf != b.AsOf {
		t.Errorf("digest %s, as of %s", c.SHA256, c.AsOf)
	}
}

func TestAFileWideDefaultYieldsToUnknown(t *testing.T) {
	c, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(`schema: 1
as_of: 2026-11-30
source: s
confidence: low
providers: [{id: p, offers: [{gpu: x, prices: [{purchase: spot, amount: null}, {purchase: spot, amount: null, as_of: unknown, source: t, confidence: high}]}]}]
`))
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	a, b := c.Offers[0].Prices[0], c.Offers[0].Prices[1]
	if a.AsOf != (Date{2026, 11, 30}) || a.Source != "s" || a.Confidence != Low || b.AsOf.Known() || b.Source != "t" || b.Confidence != High {
		t.Errorf("%+v %+v", a, b)
	}
}

func TestFilesOfOneCatalogArePeers(t *testing.T) {
	fsys := fstest.MapFS{
		"a.yaml": {Data: []byte(baseYAML)},
		"b.yaml": {Data: []byte(`schema: 1
as_of: 2026-11-20
source: t
providers:
  - id: aws
    name_zh: 亚马逊
    offers:
      - {instance: p5, gpu: h100, gpus: 8, region: us, vcpus: 192, prices: [{purchase: on_demand, amount: 53, per: instance_hour, currency: USD}]}
`)},
		"scenarios.yaml": {Data: []byte("not: a catalog")},
	}
	c, ps := Load(fsys)
	if len(ps) > 0 {
		t.Fatal(lines(ps))
	}
	if o := c.Offers[0]; len(o.Prices) != 3 || o.VCPUs != 192 || c.Providers[0].NameZH != "亚马逊" || c.Providers[0].Name != "AWS" || c.AsOf != (Date{2026, 11, 20}) {
		t.Errorf("%+v", c.Offers[0])
	}
	fsys["c.yaml"] = &fstest.MapFile{Data: []byte("schema: 1\ngpus: [{id: a10}]\nproviders: [{id: aws, offers: [{instance: p5, gpu: h100, gpus: 8, region: us, vcpus: 96, kind: vm}]}]\n")}
	c, ps = Load(fsys)
	equal(t, "problems", lines(ps), []string{
		"c.yaml:2:8: gpus: a10 stands in a.yaml, line 8, as well",
		"c.yaml:3:32: aws p5 8x h100 us: the same offer stands in line 17 of a.yaml with another VCPUs: 192, here 96; the first counts (hint: tell them apart by instance, region, tier or host)",
	})
	if c != nil {
		t.Error("a catalog beside an error")
	}
	if _, ps = Load(fsys, "a.yaml", "none.yaml"); len(ps) != 1 || !strings.HasPrefix(lines(ps)[0], "none.yaml: ") {
		t.Errorf("%q", lines(ps))
	}
}

func TestOverridesAreChecked(t *testing.T) {
	for keys, want := range map[string]string{
		"percent: 8":      "f.yaml:2:30: overrides[0].percent: a percentage without its sign: \"8\" (hint: +8 adds, -8 takes off)",
		`percent: "+8%"`:  "f.yaml:2:30: overrides[0].percent: not a signed percentage: \"+8%\" (hint: such as +8 or -12.5)",
		"percent: +1e1":   "f.yaml:2:30: overrides[0].percent: not a signed percentage: \"+1e1\" (hint: such as +8 or -12.5)",
		"percent: +-1":    "f.yaml:2:30: overrides[0].percent: not a signed percentage: \"+-1\" (hint: such as +8 or -12.5)",
		"percent: -100.5": "f.yaml:2:30: overrides[0].percent: nothing can be taken off beyond 100 percent",
		"reason: none":    "f.yaml:2:13: overrides[0]: an override has an amount or a percent",
		"percent: +1, amount: 1, per: gpu_hour, currency: USD":         "f.yaml:2:13: overrides[0]: an override has an amount or a percent",
		"amount: 1, currency: USD":                                     "f.yaml:2:13: overrides[0]: missing per (hint: whose hour the amount is for)",
		"percent: +1, match: {vendor: x}":                              "f.yaml:2:42: overrides[0].match.vendor: the key does not belong here (hint: vendor belongs into gpus[])",
		"percent: +1, valid_from: 2026-02-01, valid_until: 2026-01-31": "f.yaml:2:71: overrides[0].valid_until: 2026-01-31 is before valid_from 2026-02-01",
		"percent: +1, match: {purchase: sopt}":                         `f.yaml:2:52: overrides[0].match.purchase: unknown word "sopt" (hint: did you mean spot?)`,
	} {
		_, ps := LoadOverlay(&Catalog{}, "f.yaml", fmt.Appendf(nil, "schema: 1\noverrides: [{id: a, %s}]\n", keys))
		if len(ps) != 1 || lines(ps)[0] != want {
			t.Errorf("%s:\n got %q\nwant %q", keys, lines(ps), want)
		}
	}
	_, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte("schema: 1\noverrides:\n  - {id: a, percent: +1}\n  - {id: a, percent: +2}\n"))
	equal(t, "twice", lines(ps), []string{"f.yaml:4:5: overrides: a stands here twice, first in line 3"})
}

func TestOverridesNameTheirGPU(t *testing.T) {
	c, ps := LoadOverlay(base(t), "f.yaml", []byte(`schema: 1
gpus: [{id: h100-80gb-sxm, name: H100 SXM, family: h100, memory_gb: 80}]
overrides:
  - {id: family, match: {gpu: H100}, percent: +1}
  - {id: alias, match: {gpu: h100 sxm}, percent: +1}
  - {id: typo, match: {gpu: h10, source: u}, percent: +1}
`))
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range c.Overrides {
		got = append(got, o.ID+" "+o.GPU)
	}
	equal(t, "overrides", got, []string{"deal h100", "markup ", "family H100", "alias h100-80gb-sxm", "typo h10"})
	var found []string
	for _, p := range Lint(c, Date{2026, 11, 2}) {
		if p.Code == "unmatched-override" {
			found = append(found, p.String())
		}
	}
	equal(t, "unmatched", found, []string{
		`f.yaml:6:5: overrides: typo is for the GPU "h10", which is not known`, `f.yaml:6:5: overrides: typo is for the source "u", which is not listed`,
	})
}

func TestMemoryInName(t *testing.T) {
	for name, want := range map[string]float64{
		"A100-80GB": 80, "gpu_8x_a100_80gb_sxm4": 80, "H100 80 GB HBM3": 80, "a100_80_gb": 80, "80GiB": 80, "192GB": 192,
		"p5.48xlarge": 0, "": 0, "L4": 0, "40GB/80GB": 0, "10GbE": 0, "1.5GB": 0, "99999GB": 0, "80GBPS": 0, "80g": 0,
	} {
		if got := memoryInName(name); got != want {
			t.Errorf("%q: %g, want %g", name, got, want)
		}
	}
}
