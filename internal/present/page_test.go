package present

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	var notes Notes
	d := Doc{Screen: Screen{Blocks: []Block{
		Say("# not a head", "1. not a list", "", "a_b *c* <br> [x](y) `z` R&D"),
		Lines{Tone: Strong, Text: []string{"loud"}},
		Table{
			Caption: "H100",
			Columns: []Column{{Head: "name | alias", Flex: true}, {Head: "price", Right: true}, {Head: "region", Wide: true}},
			Rows:    [][]Cell{{Text("a|b\nc"), Unknown(), Text("us")}, {Text(strings.Repeat("long ", 30)), Num("−1.00").Noted(notes.Mark("old|er")), Text("")}},
		},
		notes,
	}}}
	want := `\# not a head

1\. not a list

a\_b \*c\* \<br\> \[x\](y) ` + "\\`z\\`" + ` R\&D

**loud**

**H100**

| name \| alias | price | region |
|---|---:|---|
| a\|b c | n/a | us |
| ` + strings.TrimSpace(strings.Repeat("long ", 30)) + ` | −1.00 a |  |

- **a** old\|er
`
	if diff := cmp.Diff(want, render(t, d, Options{Format: Markdown})); diff != "" {
		t.Error(diff)
	}
}

func TestExplain(t *testing.T) {
	e := Explanation{
		Name: "cost", Value: "USD 16.00", Formula: "price x GPUs", Symbols: "p n",
		Inputs:  []Input{{"price", "2.00", "USD", "catalog", "aws", "2026-11-26"}, {"GPUs", "8", "", "flag", "", ""}, {"share", "", "", "default", "", ""}},
		Effects: []Effect{{"share", 1}, {"b", -10}, {"a", 10}},
	}
	e.Order()
	d := Doc{Object: Explain{e}, Screen: Screen{Blocks: []Block{Explain{e, {Name: "other", Formula: "none"}}}}}
	want := `cost = USD 16.00
  price x GPUs  [p n]
    price  2.00 USD  catalog aws 2026-11-26
    GPUs   8         flag
    share  n/a       default
  10 % more of an input changes it by: a +10.0%, b -10.0%, share +1.0%

other: n/a
  none
`
	if diff := cmp.Diff(want, render(t, d, Options{})); diff != "" {
		t.Error(diff)
	}
	want = `**cost = USD 16.00**

price x GPUs  \[p n\]

- price: 2.00 USD (catalog aws 2026-11-26)
- GPUs: 8 (flag)
- share: n/a (default)

10 % more of an input changes it by:

- a: +10.0%
- b: −10.0%
- share: +1.0%

**other: n/a**

none
`
	if diff := cmp.Diff(want, render(t, d, Options{Format: Markdown})); diff != "" {
		t.Error(diff)
	}
	json := render(t, d, Options{Format: JSON})
	if !strings.HasPrefix(json, "[\n  {\n    \"name\": \"cost\",\n    \"value\": \"USD 16.00\",\n") || !strings.Contains(json, `"origin": "catalog",`) {
		t.Error(json)
	}
}

func TestHTML(t *testing.T) {
	evil := `<script>alert("x")</script>`
	d := Doc{Screen: Screen{Title: evil, Blocks: []Block{
		Say(evil),
		Table{Caption: evil, Columns: []Column{{Head: evil}}, Rows: [][]Cell{{Text(evil).Noted(`"'`)}}},
		Notes{[]Note{{`"`, evil}}},
		Bars{evil, []Bar{{evil, 2, evil}, {"b", 1, ""}}},
		Plot{Title: evil, X: Axis{Label: evil}, Series: []Series{{evil, true, []Point{{1, 1, evil}, {2, 2, ""}}}}},
		Explain{{Name: evil, Value: evil, Inputs: []Input{{Name: evil}}}},
	}}}
	out := render(t, d, Options{Format: HTML, Lang: ZH})
	for _, never := range []string{"<script", "alert(\"", "http:", "https:", "src=", "@import", "ZgotmplZ", "<no value>"} {
		if strings.Contains(out, never) {
			t.Errorf("holds %q", never)
		}
	}
	for _, always := range []string{"<!DOCTYPE html>\n<html lang=\"zh-CN\">", "charset=\"utf-8\"", "@media (prefers-", "<caption>&lt;script", "<th scope=\"col\">", "style=\"width: 50.00%\"", "<polyline points="} {
		if !strings.Contains(out, always) {
			t.Errorf("lacks %q", always)
		}
	}
	for _, tag := range []string{"table", "section", "svg", "figure", "dl", "p", "html", "body"} {
		if open, closed := strings.Count(out, "<"+tag+">")+strings.Count(out, "<"+tag+" "), strings.Count(out, "</"+tag+">"); open != closed {
			t.Errorf("%d <%s> and %d </%s>", open, tag, closed, tag)
		}
	}
}
