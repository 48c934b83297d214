package present

import (
	"encoding/csv"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/money"
)

func TestCSV(t *testing.T) {
	d := Doc{Records: Records{
		Header: []string{"provider", "price", "saving_percent", "notes"},
		Rows: [][]Cell{
			{Text(`=HYPERLINK("http://x","y")`), Exact(money.MustParse("2", "USD")), Num("-0.114"), Text("a\nb")},
			{Text("腾讯云, 上海"), Exact(money.Amount{}), Unknown(), Text("")},
			{Text("-x"), Exact(money.MustParse("0.000004", "CNY")), Float(-12.5), Text(`say "hi"`)},
		},
	}}
	want := "provider,price,saving_percent,notes\n" +
		"\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\",2.00,-0.114,\"a\nb\"\n" +
		"\"腾讯云, 上海\",,,\n" +
		"'-x,0.000004,-12.5,\"say \"\"hi\"\"\"\n"
	if diff := cmp.Diff(want, render(t, d, Options{Format: CSV})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("\xEF\xBB\xBF"+want, render(t, d, Options{Format: CSV, BOM: true})); diff != "" {
		t.Error(diff)
	}
	want = "provider\tprice\tsaving_percent\tnotes\n" +
		"'=HYPERLINK(\"http://x\",\"y\")\t2.00\t-0.114\ta b\n" +
		"腾讯云, 上海\t\t\t\n" +
		"'-x\t0.000004\t-12.5\tsay \"hi\"\n"
	if diff := cmp.Diff(want, render(t, d, Options{Format: TSV})); diff != "" {
		t.Error(diff)
	}
	if got := render(t, d, Options{Format: TSV, BOM: true}); got != "\uFEFF"+want {
		t.Errorf("%q", got[:10])
	}
}

// Text that a spreadsheet would run is neutralised; numbers are left alone.
func TestFormulaInjection(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1",
		"a=1": "a=1", "": "", "'=1": "'=1", "阿里云": "阿里云", "1": "1", "\xff": "\uFFFD",
	} {
		if got, err := Text(in).plain(); got != want || err != nil {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
	for _, s := range []string{"", "0", "-0.114", "1031.44", "123456789.000000001"} {
		if got, err := Num(s).plain(); got != s || err != nil {
			t.Errorf("%q: %q %v", s, got, err)
		}
	}
	for _, s := range []string{"NaN", "+Inf", "1,000", "$2", "=1", "+1", "1e6", " 1", "1\n", ".5", "−1"} {
		if _, err := Num(s).plain(); err == nil {
			t.Errorf("%q passes for a number", s)
		}
	}
	if Float(math.Inf(1)).Text == "" || Float(1e-7).Text != "0.0000001" {
		t.Error(Float(math.Inf(1)), Float(1e-7))
	}
}

func TestOneEmptyColumnIsNotAnEmptyLine(t *testing.T) {
	d := Doc{Records: Records{Header: []string{"a"}, Rows: [][]Cell{{Unknown()}, {Num("1")}}}}
	if got, want := render(t, d, Options{Format: CSV}), "a\n\"\"\n1\n"; got != want {
		t.Errorf("%q", got)
	}
}

// What a CSV reader gets back is the text that went in, and never a formula.
func FuzzCSVCell(f *testing.F) {
	for _, s := range []string{"", "=1", "-1", "a,b", "a\"b", "a\nb", "a\r\nb", "\xff", "\uFEFF", `\.`, " x", "阿里云"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		d := Doc{Records: Records{Header: []string{"h", "i"}, Rows: [][]Cell{{Text(a), Text(b)}, {Unknown(), Num("-1")}}}}
		out := render(t, d, Options{Format: CSV})
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		back := func(s string) string {
			s = strings.ToValidUTF8(s, "\uFFFD")
			if s != "" && strings.Contains("=+-@\t\r\n", s[:1]) {
				s = "'" + s
			}
			return strings.ReplaceAll(s, "\r\n", "\n") // what a reader makes of it
		}
		want := [][]string{{"h", "i"}, {back(a), back(b)}, {"", "-1"}}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Error(diff)
		}
		tsv := render(t, d, Options{Format: TSV})
		if lines := strings.Split(tsv, "\n"); len(lines) != 4 || strings.Count(lines[1], "\t") != 1 || strings.Contains(tsv, "\r") {
			t.Errorf("%q", tsv)
		}
		if !utf8.ValidString(out) || !utf8.ValidString(tsv) {
			t.Error("not UTF-8")
		}
	})
}
