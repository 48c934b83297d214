package catalog

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// The embedded data, by itself and against its schema.

func TestEveryEmbeddedFigureHasSourceDateAndConfidence(t *testing.T) {
	c := embeddedYAML(t)
	if len(c.Offers) < 1000 || len(c.GPUs) < 90 {
		t.Errorf("only %d offers and %d GPUs", len(c.Offers), len(c.GPUs))
	}
	check := func(what string, source string, conf Confidence) {
		if source == "" || source == UserSource || conf == "" {
			t.Errorf("%s: source %q, confidence %q", what, source, conf)
		}
	}
	for i := range c.Offers {
		o := &c.Offers[i]
		if len(o.Prices) == 0 {
			t.Errorf("%s: no price", o.title())
		}
		for _, p := range o.Prices {
			check(o.title(), p.Source, p.Confidence)
		}
	}
	for _, p := range c.Providers {
		for _, s := range p.Storage {
			check(p.ID+" "+s.Kind, s.Source, s.Confidence)
		}
	}
	for _, x := range c.FX {
		check(string(x.Base+"/"+x.Quote), x.Source, x.Confidence)
	}
	for _, x := range c.Serverless {
		check(x.Provider+" "+x.GPU, x.Source, x.Confidence)
	}
	for _, x := range c.Tokens {
		check(x.Provider+" "+x.Model, x.Source, x.Confidence)
	}
	for _, x := range c.Ownership {
		check(x.Item, x.Source, x.Confidence)
	}
	for _, x := range c.Interruption {
		check(x.Provider+" "+x.Metric, x.Source, x.Confidence)
	}
}

// A date is written on every price, if only as unknown.
func TestEveryEmbeddedPriceStatesItsDate(t *testing.T) {
	files, err := Files(os.DirFS("../../data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile("../../data/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var w wireFile
		if ps := Decode(name, data, &w); ps != nil {
			t.Fatal(lines(ps))
		}
		for _, p := range w.Providers {
			for _, o := range p.Offers {
				for _, x := range o.Prices {
					need := []string{"as_of", "source", "confidence"}
					if x.Low.Known() || x.Amount != nil && x.Amount.Known() {
						need = append(need, "per", "currency")
					}
					given := map[string]bool{"as_of": w.AsOf.Known(), "source": w.Source != "", "confidence": w.Confidence != ""}
					for _, key := range need {
						if !x.At.Has(key) && !given[key] {
							t.Error(x.At.Problem("missing-key", "", "missing "+key, ""))
						}
					}
				}
			}
		}
	}
}

func TestTheEmbeddedCatalogHasNoLintErrors(t *testing.T) {
	c, ps := Load(os.DirFS("../../data"))
	ps = append(ps, Lint(c, c.AsOf)...)
	for _, p := range ps.Errors() {
		t.Error(p)
	}
	for _, p := range ps.Warnings() {
		switch p.Code {
		case "zero-price", "offers-differ", "duplicate-price", "unknown-gpu", "memory-contradicts-name", "per-gpu-or-instance", "gpus-missing":
			t.Errorf("%s: %s", p.Code, p) // a curated catalog has none of these
		}
	}
}

// $/GPU-h lies inside a band around the median of its GPU, or a note says why
// not.
func TestEveryEmbeddedPriceIsInsideTheBandOrSaysWhyNot(t *testing.T) {
	c := embeddedYAML(t)
	noted := map[Pos]bool{}
	for _, o := range c.Offers {
		for _, p := range o.Prices {
			noted[p.Pos] = p.Note != "" || o.Note != ""
		}
	}
	for _, p := range Lint(c, c.AsOf) {
		if p.Code == "far-from-median" && !noted[Pos{p.File, p.Line, p.Col}] {
			t.Error(p)
		}
	}
}

func TestEmbeddedFilesFitTheSchema(t *testing.T) {
	schema := catalogSchema(t)
	files, err := Files(os.DirFS("../../data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile("../../data/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(asEditorsSeeIt(t, name, data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSchemaOnDiskIsTheFormat(t *testing.T) {
	onDisk, err := os.ReadFile("../../data/schema/catalog.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(onDisk) != string(FileSchema()) {
		t.Error("data/schema/catalog.schema.json is of another format: run go generate ./data")
	}
}

// What the loader refuses and an editor can see, the schema refuses as well.
func TestTheSchemaRefusesWhatTheLoaderDoes(t *testing.T) {
	schema := catalogSchema(t)
	const price = "{purchase: on_demand, amount: 1, per: gpu_hour, currency: USD}"
	file := func(offer, price string) string {
		return "schema: 1\nproviders: [{id: p, offers: [{gpu: x, " + offer + "prices: [" + price + "]}]}]\n"
	}
	for text, fits := range map[string]bool{
		file("", price):            true,
		file("gpus: 1/6, ", price): true,
		file("gpus: 8, country: NO, instance: 1e3, ", price):                      true,
		file("gpus: 0.5, ", price):                                                false,
		file("gpu_count: 8, ", price):                                             false,
		file("", strings.Replace(price, "amount: 1", "amount: -1", 1)):            false,
		file("", strings.Replace(price, "amount: 1", `amount: "010"`, 1)):         false,
		file("", strings.Replace(price, "amount: 1", "amount: null", 1)):          true,
		file("", strings.Replace(price, "gpu_hour", "hour", 1)):                   false,
		file("", strings.Replace(price, "on_demand", "ondemand", 1)):              false,
		file("", strings.Replace(price, "USD", "usd", 1)):                         false,
		file("", strings.Replace(price, "currency", "as_of: 11/30, currency", 1)): false,
		"schema: 1\noverrides: [{id: a, match: {gpu: x}, percent: +8}]\n":         true,
		"gpus: []\n": false,
	} {
		err := schema.Validate(asEditorsSeeIt(t, "f.yaml", []byte(text)))
		if _, ps := LoadOverlay(&Catalog{}, "f.yaml", []byte(text)); (ps.Err() == nil) != fits {
			t.Errorf("the loader: %v on %s", lines(ps), text)
		}
		if (err == nil) != fits {
			t.Errorf("the schema: %v on %s", err, text)
		}
	}
}

func catalogSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(FileSchema())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("catalog.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("catalog.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asEditorsSeeIt is the file in the types of YAML 1.2, as a language server
// hands them to a schema.
func asEditorsSeeIt(t *testing.T, name string, data []byte) any {
	t.Helper()
	root, ps := parseYAML(name, data)
	if ps != nil {
		t.Fatal(lines(ps))
	}
	var see func(n *yaml.Node) any
	see = func(n *yaml.Node) any {
		n = target(n)
		switch n.Kind {
		case yaml.SequenceNode:
			out := []any{}
			for _, c := range n.Content {
				out = append(out, see(c))
			}
			return out
		case yaml.MappingNode:
			out := map[string]any{}
			for i := 0; i < len(n.Content); i += 2 {
				out[n.Content[i].Value] = see(n.Content[i+1])
			}
			return out
		}
		switch n.ShortTag() {
		case "!!null":
			return nil
		case "!!bool":
			return n.Value == "true"
		case "!!int", "!!float":
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimLeft(n.Value, "+")))
			if err == nil {
				return v
			}
		}
		return n.Value
	}
	return see(root)
}
