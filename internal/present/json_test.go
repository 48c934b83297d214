package present

import "testing"

type answer struct {
	Z     string   `json:"z"`
	A     *float64 `json:"a"`
	Tags  []string `json:"tags"`
	Empty struct{} `json:"empty"`
	None  []int    `json:"none"`
	List  [][]int  `json:"list"`
	Quote []struct {
		Rank  int               `json:"rank"`
		Price string            `json:"price"`
		More  map[string]string `json:"more"`
	} `json:"quote"`
}

func anAnswer() answer {
	a := answer{Z: "a<b & 中", Tags: []string{"yes", "x y"}, None: []int{}, List: [][]int{{1, 2}, {3}}}
	a.Quote = append(a.Quote, struct {
		Rank  int               `json:"rank"`
		Price string            `json:"price"`
		More  map[string]string `json:"more"`
	}{1, "2.10", map[string]string{"b": "2026-11-26", "a": "https://x/y"}})
	return a
}

func TestJSON(t *testing.T) {
	want := `{
  "z": "a<b & 中",
  "a": null,
  "tags": [
    "yes",
    "x y"
  ],
  "empty": {},
  "none": [],
  "list": [
    [
      1,
      2
    ],
    [
      3
    ]
  ],
  "quote": [
    {
      "rank": 1,
      "price": "2.10",
      "more": {
        "a": "https://x/y",
        "b": "2026-11-26"
      }
    }
  ]
}
`
	if got := render(t, Doc{Object: anAnswer()}, Options{Format: JSON}); got != want {
		t.Error(got)
	}
}

func TestNDJSON(t *testing.T) {
	d := Doc{Rows: []any{map[string]any{"a": "<", "p": nil}, map[string]any{"a": "中"}}}
	if got, want := render(t, d, Options{Format: NDJSON}), "{\"a\":\"<\",\"p\":null}\n{\"a\":\"中\"}\n"; got != want {
		t.Error(got)
	}
	if got := render(t, Doc{}, Options{Format: NDJSON}); got != "" {
		t.Error(got)
	}
}

func TestYAML(t *testing.T) {
	want := `z: "a<b & 中"
a: null
tags:
  - "yes"
  - x y
empty: {}
none: []
list:
  - - 1
    - 2
  - - 3
quote:
  - rank: 1
    price: "2.10"
    more:
      a: "https://x/y"
      b: "2026-11-26"
`
	if got := render(t, Doc{Object: anAnswer()}, Options{Format: YAML}); got != want {
		t.Error(got)
	}
	for _, s := range []string{"null", "No", "on", "1e3", "0x10", ".5", "~", "- a", "a: b", "a #b", " a", "a ", "", "=", "<<", "a\nb", "\x7f", "!x", "&x", "*x", "%x", "@x", "2026-11-26", "12:30", "-1", ".inf"} {
		if got := yamlString(s); got[0] != '"' {
			t.Errorf("%q stands without quotes", s)
		}
	}
	for _, s := range []string{"Lambda", "阿里云灵骏", "H100 SXM 80", "us-east-1", "sxm/pcie", "on_demand", "90 (99%)"} {
		if got := yamlString("x" + s); got != "x"+s {
			t.Errorf("%q is quoted: %s", s, got)
		}
	}
	for object, want := range map[any]string{nil: "null\n", 1.5: "1.5\n", 1e-9: "1.0e-9\n", 1e21: "1.0e+21\n", -2.5e30: "-2.5e+30\n", "x": "x\n", true: "true\n"} {
		if got := render(t, Doc{Object: object}, Options{Format: YAML}); got != want {
			t.Errorf("%v: %q", object, got)
		}
	}
}
