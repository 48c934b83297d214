package present

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
)

// The three offers of case F01, laid out by hand: widths 10, 13 and 8 of the
// names, a gutter of 2, numbers in line on the point.
func TestTableByHand(t *testing.T) {
	table := Table{
		Columns: []Column{{Head: "provider"}, {Head: "region"}, {Head: "gpu"}, {Head: "cny/h", Right: true}, {Head: "as of"}},
		Rows: [][]Cell{
			{Text("阿里云灵骏"), Text("华东2（上海）"), Text("H20"), Num("12.00"), Text("2026-11-30").Noted("a")},
			{Text("AutoDL"), Text("西北B区 ⚡"), Text("RTX 4090"), Num("1.98").Noted("b"), Text("2026-11")},
			{Text("潞晨云"), Text("🇨🇳"), Text("昇腾910B"), Unknown(), Text("unknown").Noted("ab")},
		},
	}
	want := ` PROVIDER    REGION         GPU       CNY/H    AS OF
 阿里云灵骏  华东2（上海）  H20       12.00    2026-11-30 a
 AutoDL      西北B区 ⚡     RTX 4090   1.98 b  2026-11
 潞晨云      🇨🇳             昇腾910B    n/a    unknown ab
`
	for _, f := range []Format{TableFormat, Wide} {
		if diff := cmp.Diff(want, render(t, Doc{Screen: Screen{Blocks: []Block{table}}}, Options{Format: f})); diff != "" {
			t.Errorf("%s:\n%s", f, diff)
		}
	}
	narrow := &runewidth.Condition{StrictEmojiNeutral: true}
	lines, _ := table.lines(newGrid(&bytes.Buffer{}, Options{}), 80, false)
	for _, line := range lines {
		if n := narrow.StringWidth(line); n != 10+2+13+2+8+2+7+2+12 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

func TestFit(t *testing.T) {
	fixed, flex := Column{}, Column{Flex: true}
	low, high := Column{Priority: 1}, Column{Priority: 2}
	for name, c := range map[string]struct {
		cols    []Column
		natural []int
		room    int
		widths  []int
		shown   string
	}{
		"fits":                        {[]Column{fixed, flex}, []int{5, 10}, 17, []int{5, 10}, "xx"},
		"flex is cut by one":          {[]Column{fixed, flex}, []int{5, 20}, 26, []int{5, 19}, "xx"},
		"the widest is cut first":     {[]Column{flex, flex}, []int{30, 20}, 42, []int{20, 20}, "xx"},
		"then the rightmost":          {[]Column{flex, flex}, []int{20, 20}, 41, []int{20, 19}, "xx"},
		"not below a readable width":  {[]Column{flex, low, fixed}, []int{20, 5, 5}, 21, []int{14, 5, 5}, "x.x"},
		"highest priority goes first": {[]Column{flex, low, high, fixed}, []int{12, 5, 5, 5}, 26, []int{12, 5, 5, 5}, "xx.x"},
		"then the next":               {[]Column{flex, low, high, fixed}, []int{12, 5, 5, 5}, 19, []int{12, 5, 5, 5}, "x..x"},
		"then flex below readable":    {[]Column{flex, low, high, fixed}, []int{12, 5, 5, 5}, 17, []int{10, 5, 5, 5}, "x..x"},
		"then the right":              {[]Column{flex, fixed, fixed}, []int{12, 5, 5}, 11, []int{4, 5, 5}, "xx."},
		"the last is cut anyway":      {[]Column{fixed, fixed}, []int{30, 5}, 20, []int{20, 5}, "x."},
		"wide columns where there is room": {
			[]Column{{Wide: true, Priority: 2}, fixed, {Wide: true, Priority: 1}, {Wide: true, Priority: 3}}, []int{9, 5, 6, 3}, 18, []int{9, 5, 6, 3}, ".xxx",
		},
		"no wide ones after a cut": {[]Column{flex, {Wide: true}}, []int{30, 1}, 20, []int{20, 1}, "x."},
	} {
		widths, shown := fit(c.cols, c.natural, c.room, false)
		got := ""
		for _, s := range shown {
			got += map[bool]string{true: "x", false: "."}[s]
		}
		if got != c.shown || (strings.Count(got, "x") > 0 && cmp.Diff(visible(c.widths, shown), visible(widths, shown)) != "") {
			t.Errorf("%s: %v %s, want %v %s", name, widths, got, c.widths, c.shown)
		}
	}
	widths, shown := fit([]Column{flex, {Wide: true}}, []int{300, 7}, 20, true)
	if diff := cmp.Diff([]int{300, 7}, widths); diff != "" || !shown[0] || !shown[1] {
		t.Error("wide cuts or hides", widths, shown)
	}
}

func visible(widths []int, shown []bool) (v []int) {
	for i, s := range shown {
		if s {
			v = append(v, widths[i])
		}
	}
	return v
}

func TestLeftOutColumnsAreNamed(t *testing.T) {
	table := Table{
		Columns: []Column{{Head: "name", Flex: true}, {Head: "tier", Priority: 1}, {Head: "region", Wide: true}},
		Rows:    [][]Cell{{Text("a long provider name"), Text("secure cloud"), Text("us-east-1")}},
	}
	got := render(t, Doc{Screen: Screen{Blocks: []Block{table}}}, Options{Width: 24})
	want := " NAME\n a long provider name\nLeft out to fit 24\n  columns: TIER.\n  Everything: -o wide.\n"
	if got != want {
		t.Error(got)
	}
	got = render(t, Doc{Screen: Screen{Blocks: []Block{table}}}, Options{Width: 24, Format: Wide})
	want = " NAME                  TIER          REGION\n a long provider name  secure cloud  us-east-1\n"
	if got != want {
		t.Error(got)
	}
}

func TestColourOnlyWhenAsked(t *testing.T) {
	d := Doc{Screen: Screen{Blocks: []Block{Lines{Tone: Quiet, Text: []string{"quiet", ""}}, Table{Columns: []Column{{Head: "a"}}, Rows: [][]Cell{{Text("b")}}}}}}
	if got, want := render(t, d, Options{Color: true}), "\x1b[2mquiet\x1b[0m\n\n\n\x1b[1m A\x1b[0m\n b\n"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := render(t, d, Options{}), "quiet\n\n\n A\n b\n"; got != want {
		t.Errorf("%q", got)
	}
}

func TestNotes(t *testing.T) {
	var n Notes
	for _, c := range [][2]string{{"old", "a"}, {"dear", "b"}, {"old", "a"}, {"few", "c"}} {
		if got := n.Mark(c[0]); got != c[1] {
			t.Errorf("%s: %s", c[0], got)
		}
	}
	if got := render(t, Doc{Screen: Screen{Blocks: []Block{Say("x"), n}}}, Options{Width: 24}); got != "x\n  a  old    b  dear\n  c  few\n" {
		t.Error(got)
	}
	for i := range 60 {
		n.Mark(strings.Repeat("x", i+1))
	}
	if got := n.Items[51].Mark + n.Items[52].Mark + n.Mark("more"); got != "Z++" {
		t.Error(got)
	}
}

// A fixed-width screen never leaves its width, its table lines are equally wide,
// and nothing in it moves a cursor, whatever the names are.
func FuzzTable(f *testing.F) {
	f.Add("阿里云灵骏", "华东2（上海）", "⚡🇨🇳", "a", uint8(80), false)
	f.Add("", "\u0301", "\u0600", "ab", uint8(20), true)
	f.Add("👩\u200d", "\U0001F1E8", "क्\u200d", "", uint8(33), false)
	f.Fuzz(func(t *testing.T, a, b, c, marks string, columns uint8, ascii bool) {
		table := Table{
			Columns: []Column{{Head: c, Flex: true}, {Head: "price", Right: true}, {Head: b, Priority: 1}, {Head: a, Flex: true, Right: true}, {Head: "w", Wide: true}},
			Rows:    [][]Cell{{Text(a), Num("1.25").Noted(marks), Text(b), Text(c), Text(b)}, {Text(b).Noted(marks), Unknown(), Text(c), Text(a), Text(a)}},
		}
		o := Options{Width: int(columns), ASCII: ascii}
		g := newGrid(&bytes.Buffer{}, o)
		for _, wide := range []bool{false, true} {
			lines, _ := table.lines(g, g.width, wide)
			if len(lines) != 3 {
				t.Fatalf("%d lines: %q", len(lines), lines)
			}
			for _, line := range lines {
				if width(line) != width(lines[0]) {
					t.Errorf("%d and %d columns:\n%q\n%q", width(lines[0]), width(line), lines[0], line)
				}
			}
		}
		d := Doc{Screen: Screen{Title: a, Blocks: []Block{
			Say(a, b+" "+c), table,
			Notes{[]Note{{marks, a + b}}},
			Bars{a, []Bar{{b, 1, c}, {c, 2, a}}},
			Plot{Title: a, X: Axis{Label: b}, Y: Axis{Label: c, Text: func(float64) string { return a }}, Series: []Series{{c, true, []Point{{1, 1, b}, {2, 3, c}, {1, 1, a}}}}},
			Explain{{Name: a, Value: b, Formula: c, Inputs: []Input{{a, b, c, a, b, c}}, Effects: []Effect{{a, 1}}}},
		}}}
		for _, format := range Formats() {
			o.Format = format
			out := render(t, d, o)
			if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
				t.Errorf("%s: control characters in %q", format, out)
			}
			if format != TableFormat {
				continue
			}
			for line := range strings.Lines(out) {
				if line = strings.TrimSuffix(line, "\n"); width(line) > g.width || strings.HasSuffix(line, " ") {
					t.Errorf("%d of %d columns: %q", width(line), g.width, line)
				}
			}
		}
	})
}
