package catalog

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// sameButPlaces compares catalogs without places and digest.
var sameButPlaces = cmp.Options{exact, cmpopts.IgnoreTypes(Pos{}), cmpopts.IgnoreFields(Catalog{}, "SHA256")}

func written(t testing.TB, c *Catalog) string {
	t.Helper()
	var b strings.Builder
	if err := WriteYAML(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func reread(t interface{ Fatalf(string, ...any) }, text string) *Catalog {
	c, ps := Load(fstest.MapFS{"again.yaml": {Data: []byte(text)}})
	if err := ps.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

func TestTheEmbeddedCatalogSurvivesWriting(t *testing.T) {
	c := embeddedYAML(t)
	again := reread(t, written(t, c))
	if d := cmp.Diff(c, again, sameButPlaces); d != "" {
		t.Error(d)
	}
	if twice := written(t, again); twice != written(t, c) {
		t.Error("written twice, the text differs")
	}
}

func TestWritingReadsLikeTheDataFiles(t *testing.T) {
	c := base(t)
	c.AsOf = Date{}
	_, text, _ := strings.Cut(written(t, c), "providers:\n")
	want := `  - id: aws
    name: AWS
    market: intl
    currency: USD
    billing: {increment_s: 1, minimum_s: 60}
    offers:
      - instance: p5
        region: us
        gpu: h100
        gpus: 8
        prices:
          - {amount: 55.04, currency: USD, purchase: on_demand, per: instance_hour, as_of: 2026-11-01, source: s, confidence: high}
          - {amount: 20.00, currency: USD, purchase: spot, per: instance_hour, as_of: 2026-11-01, source: s, confidence: medium}
`
	if !strings.HasPrefix(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if want := "  - {id: deal, match: {provider: aws, gpu: h100, region: us, instance: p5, tier: x, source: s, purchase: reserved, term_months: 12}, amount: 2.10, currency: USD, per: gpu_hour, valid_from: 2026-01-01, valid_until: 2026-12-31, reason: contract 42}\n"; !strings.Contains(text, want) {
		t.Errorf("no %s in\n%s", want, text)
	}
}

var nasty = []string{
	"NO", "no", "on", "010", "1e3", "0x10", "1_000", ".nan", "null", "~", "true", "y", "2026-11-30", "12:30:45", "=cmd", "@x", "`x`", "%x", "a: b", "a:", ":a", "a #b", "#a", "- a", "-a", "? a", "a,b",
	"[a]", "{a}", "a]", "*a", "&a", "!a", "|", ">", "'", `"`, `\`, `a\nb`, "a\nb", "a\r\nb", "\ta", "a\t", " a", "a ", "a  b", "<<", "...", "---", "阿里云灵骏", "华东2（上海）", "🇨🇳", "⚡", "\u2028", "\u0085", "\ufeff", "\u200b", "\U0001F600",
	"https://x.y/z?a=b&c=d#e", "50% of 3", "a/b", "x@y", "p5.48xlarge", "1/6", "8a", "0", "-", "+1", "e", "0e0", "inf", ".inf", "1.5.2", "true story", "no: 1", "x;y", "(a)", "$1", "a\"b", "it's", "1:2", "c:/x", "c: /x",
}

func TestTextIsQuotedSafely(t *testing.T) {
	for _, s := range nasty {
		var got struct {
			A []string `yaml:"a"`
		}
		text := "a: [" + quote(s) + "]\n"
		if ps := Decode("f.yaml", []byte(text), &got); ps != nil || len(got.A) != 1 || got.A[0] != s {
			t.Errorf("%q as %s: %q %v", s, text, got.A, lines(ps))
		}
		// every YAML reader must take it for text
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil || n.Content[0].Content[1].Content[0].ShortTag() != "!!str" {
			t.Errorf("%q as %s is %s", s, text, n.Content[0].Content[1].Content[0].ShortTag())
		}
	}
	for s, want := range map[string]string{
		"NO": `"NO"`, "010": `"010"`, "1e3": `"1e3"`, "=cmd": `"=cmd"`, "a: b": `"a: b"`, "a\nb": `"a\nb"`, "阿里云": "阿里云", "us-east-1": "us-east-1", "p5.48xlarge": "p5.48xlarge", "": `""`,
		"bad \x1b[31m\xff": `"bad ` + "\ufffd[31m\ufffd" + `"`,
	} {
		if got := quote(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// The generators of catalogs that a loader could have made.

var (
	genText = rapid.OneOf(rapid.SampledFrom(nasty), rapid.StringMatching(`[a-zA-Z0-9 .:_/#,'"-]{1,12}`), rapid.String().Filter(func(s string) bool {
		return s != "" && strings.IndexFunc(s, isControl) < 0 && strings.ToValidUTF8(s, "") == s
	}))
	genMaybe = rapid.OneOf(rapid.Just(""), genText)
	genDate  = rapid.Custom(func(t *rapid.T) Date {
		d := Date{int16(rapid.IntRange(1990, 2100).Draw(t, "year")), uint8(rapid.IntRange(0, 12).Draw(t, "month")), 0}
		if d.Month > 0 {
			d.Day = uint8(rapid.IntRange(0, 28).Draw(t, "day"))
		}
		if rapid.IntRange(0, 4).Draw(t, "known") == 0 {
			return Date{}
		}
		return d
	})
	genFloat    = rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1e6))
	genCurrency = rapid.SampledFrom([]money.Currency{"USD", "CNY", "EUR"})
	genTruth    = rapid.SampledFrom([]*bool{nil, new(true), new(false)})
)

func genAmount(c money.Currency, low int64) *rapid.Generator[money.Amount] {
	return rapid.Map(rapid.Int64Range(low, 9e18), func(n int64) money.Amount { return money.FromNano(n, c) })
}

var genPrice = rapid.Custom(func(t *rapid.T) Price {
	p := Price{
		Purchase: rapid.SampledFrom(Purchases()).Draw(t, "purchase"), Plan: rapid.SampledFrom([]string{"", "cud", "low_priority"}).Draw(t, "plan"),
		Scope: rapid.SampledFrom([]string{"", "whole", "gpu_only"}).Draw(t, "scope"), Commitment: genMaybe.Draw(t, "commitment"),
		AsOf: genDate.Draw(t, "as_of"), Source: genText.Draw(t, "source"), Ref: genMaybe.Draw(t, "ref"), Note: genMaybe.Draw(t, "note"),
		Confidence: rapid.SampledFrom([]Confidence{High, Medium, Low}).Draw(t, "confidence"), Samples: rapid.IntRange(0, 1000).Draw(t, "samples"),
		Tax: rapid.SampledFrom([]string{"", "included", "unknown"}).Draw(t, "tax"), TaxPercent: rapid.Float64Range(0, 100).Draw(t, "percent"), Purchasable: genTruth.Draw(t, "purchasable"),
		Per: rapid.SampledFrom(unit.Pers()[:5]).Draw(t, "per"),
	}
	if p.Purchase == Reserved {
		p.TermMonths = rapid.IntRange(0, 60).Draw(t, "term")
	}
	c := genCurrency.Draw(t, "currency")
	switch rapid.IntRange(0, 3).Draw(t, "shape") {
	case 0: // not known
	case 1:
		p.Low, p.Free = money.Zero(c), true
		p.High = p.Low
	case 2:
		p.Low = genAmount(c, 1).Draw(t, "amount")
		p.High = p.Low
	case 3:
		p.Low = money.FromNano(rapid.Int64Range(0, 8e18).Draw(t, "low"), c)
		p.High = genAmount(c, p.Low.Nano()+1).Draw(t, "high")
	}
	return p
})

var genCatalog = rapid.Custom(func(t *rapid.T) *Catalog {
	c := &Catalog{AsOf: genDate.Draw(t, "as of")}
	for i := range rapid.IntRange(0, 3).Draw(t, "providers") {
		p := Provider{
			ID: fmt.Sprint(i, genText.Draw(t, "id")), Name: genText.Draw(t, "name"), NameZH: genMaybe.Draw(t, "zh"), Aliases: rapid.SliceOfN(genText, 0, 3).Draw(t, "aliases"),
			Market: rapid.SampledFrom([]string{"", "cn", "intl"}).Draw(t, "market"), Currency: genCurrency.Draw(t, "currency"), StatusSince: genDate.Draw(t, "since"),
			Billing: Billing{IncrementS: rapid.IntRange(0, 3600).Draw(t, "increment"), StoppedBilled: genMaybe.Draw(t, "stopped")},
		}
		p.Aliases = nilIfEmpty(p.Aliases)
		for range rapid.IntRange(0, 2).Draw(t, "storage") {
			p.Storage = append(p.Storage, StoragePrice{Kind: genText.Draw(t, "kind"), Amount: genAmount(genCurrency.Draw(t, "c"), 0).Draw(t, "amount"), Unit: "gb_month", Source: genText.Draw(t, "source"), AsOf: genDate.Draw(t, "as_of"), Confidence: Low, Ref: "r", Note: genMaybe.Draw(t, "note")})
		}
		c.Providers = append(c.Providers, p)
		for j := range rapid.IntRange(0, 3).Draw(t, "offers") {
			o := Offer{
				Provider: p.ID, Instance: fmt.Sprint("i", j, genText.Draw(t, "instance")), GPU: genText.Draw(t, "gpu"), Region: genMaybe.Draw(t, "region"), Country: genMaybe.Draw(t, "country"),
				GPUs: rapid.SampledFrom([]unit.Count{{}, {Num: 1, Den: 6}, {Num: 8, Den: 1}}).Draw(t, "gpus"), VCPUs: genFloat.Draw(t, "vcpus"), MemoryGiB: genFloat.Draw(t, "memory"), Available: genTruth.Draw(t, "available"),
				Prices: nilIfEmpty(rapid.SliceOfN(genPrice, 0, 3).Draw(t, "prices")), Note: genMaybe.Draw(t, "note"),
			}
			if rapid.Bool().Draw(t, "disk") {
				o.DiskPrice = genAmount(p.Currency, 0).Draw(t, "disk price")
			}
			c.Offers = append(c.Offers, o)
		}
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "tokens") {
		cur := genCurrency.Draw(t, "c")
		c.Tokens = append(c.Tokens, TokenPrice{Provider: genText.Draw(t, "p"), Model: fmt.Sprint(i), Input: genAmount(cur, 0).Draw(t, "in"), Output: genAmount(cur, 0).Draw(t, "out"), Source: "s", Ref: "r", Confidence: High, AsOf: genDate.Draw(t, "as_of")})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "overrides") {
		o := Override{ID: fmt.Sprint(i, genText.Draw(t, "id")), Provider: genMaybe.Draw(t, "provider"), Reason: genMaybe.Draw(t, "reason"), Percent: rapid.SampledFrom([]string{"+8", "-12.5", "+0"}).Draw(t, "percent")}
		if rapid.Bool().Draw(t, "absolute") {
			o.Percent, o.Per, o.Amount = "", unit.PerGPUHour, genAmount("USD", 0).Draw(t, "amount")
		}
		c.Overrides = append(c.Overrides, o)
	}
	if rapid.Bool().Draw(t, "fx") {
		c.FX = append(c.FX, FXRate{money.Rate{Base: "USD", Quote: "CNY", Value: money.Quantity(rapid.Int64Range(1, 1e12).Draw(t, "rate"))}, genDate.Draw(t, "day"), "s", "r", Low, genMaybe.Draw(t, "note")})
	}
	return c
})

func nilIfEmpty[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

func TestWhatIsWrittenReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genCatalog.Draw(t, "catalog")
		var b strings.Builder
		if err := WriteYAML(&b, c); err != nil {
			t.Fatal(err)
		}
		again := reread(t, b.String())
		if d := cmp.Diff(c, again, sameButPlaces); d != "" {
			t.Fatalf("%s\n%s", d, b.String())
		}
		twin, err := Embedded(string(Compile(c)))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, twin, exact); d != "" {
			t.Fatal(d)
		}
	})
}

// An overlay that repeats its base changes nothing but places.
func TestAnOverlayOfTheSameChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := genCatalog.Draw(t, "catalog")
		c.Tokens = nil // have no identity and are added
		var b strings.Builder
		_ = WriteYAML(&b, c)
		again, ps := LoadOverlay(c, "again.yaml", []byte(b.String()))
		if err := ps.Err(); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, again, sameButPlaces); d != "" {
			t.Fatal(d)
		}
	})
}

// Price levels never depend on how a price is stated.
func TestPerGPUHourDoesNotDependOnTheUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 16).Draw(t, "gpus")
		each := money.FromNano(rapid.Int64Range(0, 1e12).Draw(t, "amount"), "USD")
		whole, _ := each.MulFrac(n, 1)
		o := &Offer{GPUs: unit.Whole(n)}
		a, okA := gpuHour(o, &Price{Low: each, High: each, Per: unit.PerGPUHour})
		b, okB := gpuHour(o, &Price{Low: whole, High: whole, Per: unit.PerInstanceHour})
		if !okA || !okB || a != b || a != each {
			t.Fatalf("%s and %s for %s", a, b, each)
		}
		month, _ := each.MulFrac(unit.HoursPerMonth, 1)
		if c, ok := gpuHour(o, &Price{Low: month, High: month, Per: unit.PerGPUMonth}); !ok || c != each {
			t.Fatalf("%s a month is %s an hour, want %s", month, c, each)
		}
	})
}

func TestAboutTheNumberOfGPUs(t *testing.T) {
	for _, tc := range []struct {
		num, den, n  int64
		strict, want bool
	}{
		{8, 1, 8, true, true}, {1, 8, 8, true, true}, {7, 1, 8, true, false}, {7, 1, 8, false, true}, {12, 1, 8, false, true}, {13, 1, 8, false, false}, {1, 5, 8, false, false},
	} {
		if got := about(big.NewRat(tc.num, tc.den), tc.n, tc.strict); got != tc.want {
			t.Errorf("%+v: %t", tc, got)
		}
	}
	if !slices.Equal(Problems(nil).Counts(), nil) {
		t.Error("counts of nothing")
	}
}
