package catalog

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/money"
)

// offerYAML is a file with one offer and one price; %s are further keys of
// each, after a comma.
const offerYAML = "schema: 1\nproviders:\n  - id: acme\n    currency: USD\n    offers:\n      - {gpu: a10, gpus: 1%s, prices: [{purchase: on_demand, per: gpu_hour%s}]}\n"

func TestNumbersAreReadFromTheirText(t *testing.T) {
	for text, want := range map[string]string{
		"1.10": "1.10", `"1.10"`: "1.10", "'2'": "2.00", "0.000004": "0.000004", "12345678.123456789": "12345678.123456789",
		".nan": "bad-number", ".inf": "bad-number", "-1": "bad-number", "+1": "bad-number", "010": "bad-number", "0x10": "bad-number", "0o17": "bad-number",
		"1_000": "bad-number", "1,5": "bad-number", "1e3": "bad-number", "1.": "bad-number", ".5": "bad-number", "1.0000000001": "bad-number",
		"99999999999": "bad-number", "'1 '": "bad-number", "١": "bad-number", "true": "bad-number", "one": "bad-number", "": "empty-value", "~": "n/a", "null": "n/a",
		"[1]": "wrong-kind", "{a: 1}": "wrong-kind", "!!float 1": "tag", "!money 1": "tag",
	} {
		separator := ", amount: "
		if strings.Contains(text, ",") {
			text = strconv.Quote(text)
		}
		c, ps := LoadOverlay(&Catalog{}, "f.yaml", fmt.Appendf(nil, offerYAML, "", separator+text))
		got := ""
		switch {
		case c != nil && !c.Offers[0].Prices[0].Known():
			got = "n/a"
		case c != nil:
			got = c.Offers[0].Prices[0].Low.String()
		case len(ps) == 1:
			got = ps[0].Code
		default:
			got = fmt.Sprint(lines(ps))
		}
		if got != want {
			t.Errorf("amount: %s gives %s, want %s", text, got, want)
		}
	}
}

func TestCountsOfGPUs(t *testing.T) {
	for text, want := range map[string]string{
		"8": "8", `"8"`: "8", "1/6": "1/6", "2/12": "1/6",
		"1.5": "bad-number", "0.166667": "bad-number", "0": "zero-gpus", "0.0": "zero-gpus", "-1": "bad-number", "08": "bad-number", "1e1": "bad-number", "0x8": "bad-number", "1/0": "bad-number", "eight": "bad-number",
	} {
		c, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(strings.Replace(fmt.Sprintf(offerYAML, "", ", amount: 1"), "gpus: 1", "gpus: "+text, 1)))
		if c != nil && c.Offers[0].GPUs.String() != want || c == nil && ps[0].Code != want {
			t.Errorf("gpus: %s: %v %v, want %s", text, c, lines(ps), want)
		}
	}
	_, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(strings.Replace(fmt.Sprintf(offerYAML, "", ", amount: 1"), "gpus: 1", "gpus: 0.166667", 1)))
	if want := "write the part of a card as a fraction, perhaps 1/6"; ps[0].Hint != want {
		t.Errorf("hint %q, want %q", ps[0].Hint, want)
	}
}

func TestTruthIsTrueOrFalse(t *testing.T) {
	for _, text := range []string{"True", "yes", "on", "1", "y", "TRUE", "off"} {
		if _, ps := LoadOverlay(&Catalog{}, "f.yaml", fmt.Appendf(nil, offerYAML, "", ", amount: 0, free: "+text)); len(ps) != 1 || ps[0].Code != "bad-bool" {
			t.Errorf("free: %s: %v", text, lines(ps))
		}
	}
	c, ps := LoadOverlay(&Catalog{}, "f.yaml", fmt.Appendf(nil, offerYAML, "", ", amount: 0, free: true"))
	if len(ps) != 0 || !c.Offers[0].Prices[0].Low.IsZero() {
		t.Errorf("free: true: %v", lines(ps))
	}
}

func TestTextStaysText(t *testing.T) {
	for _, text := range []string{"NO", "no", "on", "010", "1e3", "0x10", "1_000", ".nan", "2026-11-30", "12:30:45", "true", "=", "yes", "1.10"} {
		c, ps := LoadOverlay(&Catalog{}, "f.yaml", fmt.Appendf(nil, offerYAML, ", region: "+text, ", amount: 1"))
		if len(ps) != 0 || c.Offers[0].Region != text {
			t.Errorf("region: %s: %v", text, lines(ps))
		}
	}
	for _, empty := range []string{"", "~", "null", "NULL"} {
		if _, ps := LoadOverlay(&Catalog{}, "f.yaml", fmt.Appendf(nil, offerYAML, ", region: "+empty, ", amount: 1")); len(ps) != 1 || ps[0].Code != "empty-value" {
			t.Errorf("region: %s: %v", empty, lines(ps))
		}
	}
}

// Every kind of fault, all in one file and all reported in one go, each at its
// line and column and with its path.
func TestAllProblemsInOneGo(t *testing.T) {
	_, ps := Load(fstest.MapFS{"bad.yaml": {Data: []byte(`schema: 1
offers: []
fx:
  - {base: USD, quote: RMB, rate: 7.1, as_of: 2026-02-30}
gpus:
  - id: a10
    memory_gb: "24 GB"
    aliases: A10
    sparse: [1]
providers:
  - id: acme
    naame: Acme
    currency: usd
    id: other
    kind: neo cloud
    offers:
      - instance: x
        gpus: 2
        purchase: spot
        prices:
          - {purchase: ondemand, amount: 1, per: hour}
          - {amount: 1, per: gpu_hour, currency: USD}
          - spot
`)}})
	equal(t, "problems", lines(ps), []string{
		`bad.yaml:2:1: offers: the key does not belong here (hint: offers belongs into providers[])`,
		`bad.yaml:4:24: fx[0].quote: unknown currency "RMB", want an ISO 4217 code (hint: did you mean CNY?)`,
		`bad.yaml:4:47: fx[0].as_of: not a date: "2026-02-30", want 2026-11-30, 2026-11, 2026 or unknown`,
		`bad.yaml:7:16: gpus[0].memory_gb: not a plain number: "24 GB"`,
		`bad.yaml:8:14: gpus[0].aliases: want a list, got a single value`,
		`bad.yaml:9:13: gpus[0].sparse: want a mapping, got a list`,
		`bad.yaml:12:5: providers[0].naame: unknown key (hint: did you mean name?)`,
		`bad.yaml:13:15: providers[0].currency: unknown currency "usd", want an ISO 4217 code (hint: did you mean USD?)`,
		`bad.yaml:14:5: providers[0].id: the key stands here twice, first in line 11`,
		`bad.yaml:15:11: providers[0].kind: unknown word "neo cloud" (hint: did you mean neocloud?)`,
		`bad.yaml:17:9: providers[0].offers[0]: missing gpu`,
		`bad.yaml:19:9: providers[0].offers[0].purchase: the key does not belong here (hint: purchase belongs into providers[].offers[].prices[])`,
		`bad.yaml:21:24: providers[0].offers[0].prices[0].purchase: unknown word "ondemand" (hint: did you mean on_demand?)`,
		`bad.yaml:21:50: providers[0].offers[0].prices[0].per: unknown unit "hour" (hint: did you mean gpu_hour or instance_hour?)`,
		`bad.yaml:22:13: providers[0].offers[0].prices[1]: missing purchase`,
		`bad.yaml:23:13: providers[0].offers[0].prices[2]: want a mapping, got a single value`,
	})
}

// What a type alone cannot say.
func TestContradictionsInAPrice(t *testing.T) {
	for keys, want := range map[string]string{
		", amount: 1, low: 1, high: 2": "amount stands beside low and high",
		"":                             "missing amount",
		", low: 1":                     "low and high go together",
		", low: 3, high: 2":            "low 3.00 is above high 2.00",
		", amount: 1, free: true":      "free: true needs an amount of 0",
		", amount: 1, term_months: 12": "a term on a price that is on_demand",
		", amount: 1, as_of: 2026-11-30, valid_until: 2026-11-29":        "2026-11-29 is before 2026-11-30",
		", amount: 1, tax_percent: 101":                                  "101 is above 100",
		", amount: 1, samples: 2.5":                                      `not a whole number: "2.5"`,
		`, amount: 1, note: "a\eb"`:                                      "control character U+001B in the text",
		", amount: 1, term_months: 0":                                    "0 is below 1",
		", amount: 1, purchase: spot":                                    "the key stands here twice, first in line 6",
		", amount: 1, confidence: certain":                               `unknown word "certain"`,
		", amount: 1, scope: half":                                       `unknown word "half"`,
		", amount: 1, plan: savings":                                     `unknown word "savings"`,
		", low: null, high: 2":                                           "there is no value",
		", amount: 1, currency: XXX":                                     `unknown currency "XXX", want an ISO 4217 code`,
		", amount: 1, ? [a, b] : 1":                                      "a key must be plain text",
		", amount: 1, <<: 1":                                             "a merge takes the alias of a mapping",
		", amount: 1, source: [a]":                                       "want a single value, got a list",
		", amount: 1, term_months: 99999999999999999999, as_of: 2026-11": `not a whole number: "99999999999999999999"`,
	} {
		c, ps := LoadOverlay(&Catalog{}, "f.yaml", fmt.Appendf(nil, offerYAML, "", keys))
		if c != nil || len(ps) != 1 || ps[0].What != want || ps[0].Line != 6 {
			t.Errorf("%s: %q, want %q", keys, lines(ps), want)
		}
	}
}

func TestCurrencyComesFromTheNearestPlace(t *testing.T) {
	c, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(`schema: 1
providers:
  - id: a
    currency: CNY
    offers:
      - {gpu: x, disk_price_gb_month: 0.5, prices: [{purchase: spot, amount: 1, per: gpu_hour}, {purchase: on_demand, amount: 2, currency: USD, per: gpu_hour}]}
  - id: b
    offers:
      - {gpu: x, disk_price_gb_month: 0.5, prices: [{purchase: spot, amount: 1, per: gpu_hour, currency: EUR}]}
`))
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, o := range c.Offers {
		got = append(got, string(o.DiskPrice.Currency()))
		for _, p := range o.Prices {
			got = append(got, string(p.Low.Currency()))
		}
	}
	equal(t, "currencies", got, []string{"CNY", "CNY", "USD", "EUR", "EUR"})
	_, ps = LoadOverlay(&Catalog{}, "f.yaml", []byte("schema: 1\nproviders: [{id: a, offers: [{gpu: x, prices: [{purchase: spot, amount: 1, per: gpu_hour}]}]}]\n"))
	equal(t, "without one", lines(ps), []string{"f.yaml:2:73: providers[0].offers[0].prices[0].amount: an amount without a currency (hint: state currency beside it or at the provider)"})
}

func TestAFileAsAWhole(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for name, tc := range map[string]struct{ data, want string }{
		"empty":              {"", "f.yaml:1:1: the file is empty"},
		"comment only":       {"# nothing\n", "f.yaml:1:1: the file is empty"},
		"no schema":          {"gpus: []\n", "f.yaml:1:1: missing schema"},
		"other schema":       {"schema: 2\n", "f.yaml:1:9: schema: version 2 of the format is not known"},
		"a list":             {"- a\n", "f.yaml:1:1: want a mapping, got a list"},
		"a word":             {"hello\n", "f.yaml:1:1: want a mapping, got a single value"},
		"two documents":      {"schema: 1\n---\nschema: 1\n", "f.yaml:2:1: a second document begins here; a file holds one"},
		"trailing separator": {"schema: 1\n---\n", "f.yaml:2:1: a second document begins here; a file holds one"},
		"syntax":             {"schema: 1\ngpus: [\n", "f.yaml:2:1: not valid YAML: did not find expected node content"},
		"tab":                {"schema: 1\ngpus:\n\t- id: x\n", "f.yaml:3:1: a tab in the indentation; use spaces"},
		"not UTF-8":          {"schema: 1\nsource: \"a\xffb\"\n", "f.yaml:2:11: byte 0xff is not UTF-8"},
		"UTF-16":             {"\xff\xfes\x00c\x00", "f.yaml:1:1: byte 0xff is not UTF-8"},
		"NUL":                {"schema: 1\nsource: \x00\n", "f.yaml:2:9: control character U+0000"},
		"deep":               {"schema: 1\ngpus: " + deep + "\n", "f.yaml:2:39: nested deeper than 32 levels"},
		"alias of itself":    {"schema: 1\ngpus: &a [*a]\n", "f.yaml:2:11: the alias *a contains itself"},
		"unknown alias":      {"schema: 1\ngpus: *a\n", "f.yaml:1:1: not valid YAML: unknown anchor 'a' referenced"},
		"key of no text":     {"schema: 1\n? [a]\n: b\n", "f.yaml:2:3: a key must be plain text"},
	} {
		c, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(tc.data))
		if c != nil || len(ps) != 1 || ps[0].String() != tc.want {
			t.Errorf("%s: %q, want %q", name, lines(ps), tc.want)
		}
	}
}

func TestByteOrderMarkAndCRLF(t *testing.T) {
	data := "\ufeff" + strings.ReplaceAll(fmt.Sprintf(offerYAML, ", region: eu", ", amount: 1"), "\n", "\r\n")
	c, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(data))
	if len(ps) != 0 || c.Offers[0].Region != "eu" || c.Offers[0].Pos != (Pos{"f.yaml", 6, 9}) {
		t.Errorf("%v %+v", lines(ps), c)
	}
}

func TestAFileIsBounded(t *testing.T) {
	for name, data := range map[string][]byte{
		"bytes":  bytes.Repeat([]byte("# a long comment, again and again\n"), maxBytes/30),
		"values": []byte("schema: 1\ngpus: [" + strings.Repeat("[],", maxNodes) + "]\n"),
	} {
		_, ps := LoadOverlay(&Catalog{}, "f.yaml", data)
		if len(ps) != 1 || ps[0].Code != "too-large" {
			t.Errorf("%s: %v", name, lines(ps))
		}
	}
	hopeless := "schema: 1\ngpus:\n" + strings.Repeat("  - {no: 1}\n", 5000)
	_, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(hopeless))
	if len(ps) != maxProblems+1 || ps[maxProblems].Code != "too-many" {
		t.Errorf("%d problems", len(ps))
	}
	// A chain of aliases that grows at every level of the format: 200 providers
	// share 200 offers that share 200 prices, 8 million in all.
	var b strings.Builder
	b.WriteString("schema: 1\nx-p: &p [" + strings.Repeat("{purchase: spot, amount: null},", 200) + "]\n")
	b.WriteString("x-o: &o [" + strings.Repeat("{gpu: a, prices: *p},", 200) + "]\nproviders:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "  - {id: p%d, offers: *o}\n", i)
	}
	_, ps = LoadOverlay(&Catalog{}, "f.yaml", []byte(b.String()))
	if len(ps) != 1 || ps[0].Code != "too-large" {
		t.Errorf("aliases: %v", lines(ps)[:1])
	}
}

func TestMerges(t *testing.T) {
	c, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(`schema: 1
x-a: &a {purchase: spot, per: gpu_hour, currency: USD}
x-b: &b {per: instance_hour, note: from b}
providers:
  - id: p
    offers:
      - gpu: x
        prices:
          - {<<: *a, amount: 1}
          - {<<: [*b, *a], amount: 2, purchase: on_demand}
`))
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	one, two := c.Offers[0].Prices[0], c.Offers[0].Prices[1]
	if one.Purchase != Spot || one.Per != "gpu_hour" || one.Low.String() != "1.00" || one.Pos.Line != 9 {
		t.Errorf("%+v", one)
	}
	if two.Purchase != OnDemand || two.Per != "instance_hour" || two.Note != "from b" || two.Low.Currency() != "USD" {
		t.Errorf("%+v", two)
	}
}

func TestNoPartialResult(t *testing.T) {
	into := struct {
		A string `yaml:"a"`
		B int    `yaml:"b"`
	}{A: "before"}
	if ps := Decode("f.yaml", []byte("a: after\nb: x\n"), &into); ps.Err() == nil || into.A != "before" {
		t.Errorf("%v %+v", lines(ps), into)
	}
	if ps := Decode("f.yaml", []byte("a: after\nb: 2\n"), &into); ps != nil || into.A != "after" || into.B != 2 {
		t.Errorf("%v %+v", lines(ps), into)
	}
}

// The kinds of values that files of other rooms use.
func TestDecodeOtherStructs(t *testing.T) {
	type inner struct {
		X *float64 `yaml:"x"`
	}
	type file struct {
		At      At
		Factor  float64            `yaml:"factor,signed" min:"-1" max:"2"`
		Table   map[string]float64 `yaml:"table,signed"`
		Lists   [][]int            `yaml:"lists"`
		Inner   inner              `yaml:"inner"`
		Mode    string             `yaml:"group.mode" oneof:"fast slow"`
		When    Date               `yaml:"when"`
		Decimal Decimal            `yaml:"decimal"`
		Big     int64              `yaml:"big"`
	}
	var got file
	ps := Decode("s.yaml", []byte("factor: -0.5\ntable: {a: 1.5, NO: -2}\nlists: [[1, 2], []]\ninner: {x: 0}\ngroup: {mode: slow}\nwhen: 2026-11\ndecimal: \"0.10\"\nbig: 9007199254740993\n"), &got)
	if ps != nil {
		t.Fatal(lines(ps))
	}
	zero := 0.0
	want := file{Factor: -0.5, Table: map[string]float64{"a": 1.5, "NO": -2}, Lists: [][]int{{1, 2}, nil}, Inner: inner{&zero}, Mode: "slow", When: Date{2026, 11, 0}, Decimal: "0.10", Big: 9007199254740993}
	got.At = At{}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(At{})); d != "" {
		t.Error(d)
	}
	for data, want := range map[string]string{
		"factor: -1.5":           "s.yaml:1:9: factor: -1.5 is below -1",
		"factor: 3":              "s.yaml:1:9: factor: 3 is above 2",
		"table: {a: x}":          `s.yaml:1:12: table.a: not a plain number: "x"`,
		"table: {a: 1, a: 2}":    "s.yaml:1:15: table.a: the key stands here twice, first in line 1",
		"lists: [[1, -2]]":       `s.yaml:1:13: lists[0][1]: not a whole number: "-2"`,
		"mode: fast":             "s.yaml:1:1: mode: the key does not belong here (hint: mode belongs into group)",
		"group: !x {mode: fast}": "s.yaml:1:8: group: the tag !x is not used here",
		"inner: !x {x: 0}":       "s.yaml:1:8: inner: the tag !x is not used here (hint: quote the value instead)",
		"inner: {<<: !x {x: 0}}": "s.yaml:1:13: inner: the tag !x is not used here",
		"group: {mode: fsat}":    `s.yaml:1:15: group.mode: unknown word "fsat" (hint: did you mean fast?)`,
	} {
		if ps := Decode("s.yaml", []byte(data), &got); len(ps) != 1 || lines(ps)[0] != want {
			t.Errorf("%s: %q, want %q", data, lines(ps), want)
		}
	}
}

// The types of the format hold every field of the catalog's types, and every
// field has a key.
func TestThePlanIsComplete(t *testing.T) {
	ps := plans{}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(x reflect.Type) {
		if x.Kind() == reflect.Slice || x.Kind() == reflect.Pointer {
			walk(x.Elem())
			return
		}
		if x.Kind() != reflect.Struct || seen[x] || isScalar(x) {
			return
		}
		seen[x] = true
		for _, f := range ps.of(x).fields {
			if f.group == nil {
				walk(x.FieldByIndex(f.index).Type)
			}
		}
	}
	walk(reflect.TypeFor[wireFile]())
	if len(seen) != 15 {
		t.Errorf("%d mappings in the format, want 15", len(seen))
	}
	if got := ps.places(reflect.TypeFor[wireFile]())["amount"]; !slices.Equal(got, []string{"providers[].storage[]", "providers[].offers[].prices[]", "overrides[]"}) {
		t.Errorf("amount stands in %q", got)
	}
}

func TestCurrencies(t *testing.T) {
	for _, c := range []string{"USD", "CNY", "AED", "ZWG", "JPY"} {
		if !KnownCurrency(money.Currency(c)) {
			t.Errorf("%s is not known", c)
		}
	}
	for _, c := range []string{"", "usd", "US", "SD ", "D A", "XXX", "RMB", "USDC", "AED AFN"} {
		if KnownCurrency(money.Currency(c)) {
			t.Errorf("%q is known", c)
		}
	}
	if n := len(strings.Fields(isoCurrencies)); n < 150 || n > 170 {
		t.Errorf("%d currencies", n)
	}
}
