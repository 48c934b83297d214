package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestStrictJSON(t *testing.T) {
	type answer struct {
		A json.Number `json:"a"`
		B []any       `json:"b"`
		C struct {
			D *string `json:"d"`
		} `json:"c"`
	}
	var got answer
	ps := DecodeJSON("f.json", []byte("\ufeff{\"a\": 1.10, \"b\": [12345678901234567890, \"x\", null], \"unknown\": {\"a\": 1, \"b\": {\"a\": 2}}}\r\n"), &got)
	if ps != nil || got.A != "1.10" || got.B[0] != json.Number("12345678901234567890") || got.B[2] != nil {
		t.Errorf("%v %+v", lines(ps), got)
	}
	kept := got.A
	for data, want := range map[string]string{
		``:                             `f.json:1:1: not valid JSON: unexpected end of JSON input`,
		`{"a": 1, "a": 2}`:             `f.json:1:12: the key "a" stands twice in one object`,
		`{"c": {"d": 1, "\u0064": 2}}`: `f.json:1:23: the key "d" stands twice in one object`,
		"{}\n{}":                       `f.json:2:1: something follows the end of the document`,
		`{} x`:                         `f.json:1:4: something follows the end of the document`,
		`{"a": 1`:                      `f.json:1:7: not valid JSON: unexpected end of JSON input`,
		`{"a": 01}`:                    `f.json:1:8: not valid JSON: invalid character '1' after object key:value pair`,
		`{"a": NaN}`:                   `f.json:1:7: not valid JSON: invalid character 'N' looking for beginning of value`,
		`{"a": .5}`:                    `f.json:1:7: not valid JSON: invalid character '.' looking for beginning of value`,
		`{'a': 1}`:                     `f.json:1:2: not valid JSON: invalid character '\'' looking for beginning of object key string`,
		`{"a": 1,}`:                    `f.json:1:9: not valid JSON: invalid character '}' looking for beginning of object key string`,
		`{"b": 7}`:                     `f.json:1:8: b: want []interface {}, got number`,
		`{"c": {"d": 7}}`:              `f.json:1:14: c.d: want string, got number`,
		"{\"a\": \"\xff\"}":            `f.json:1:8: text that is not UTF-8`,
		strings.Repeat("[", 100) + strings.Repeat("]", 100): `f.json:1:65: nested deeper than 64 levels`,
		"<html>": `f.json:1:1: not valid JSON: invalid character '<' looking for beginning of value`,
	} {
		got.A = kept
		if ps := DecodeJSON("f.json", []byte(data), &got); len(ps) != 1 || lines(ps)[0] != want {
			t.Errorf("%.40q:\n got %q\nwant %q", data, lines(ps), want)
		}
		if got.A != kept {
			t.Errorf("%.40q: a partial result", data)
		}
	}
}

func TestStrictCSV(t *testing.T) {
	for name, tc := range map[string]struct {
		data string
		o    CSVOptions
		want string
	}{
		"plain":             {"a,b\n1,2\n", CSVOptions{}, "[a b] 2:[1 2]"},
		"quoted":            {"a,b\n\"1,\"\"x\"\"\",\"2\n3\"\n4,5\n", CSVOptions{}, `[a b] 2:[1,"x" 2` + "\n" + `3] 4:[4 5]`},
		"BOM and CRLF":      {"\ufeffa,b\r\n1,2\r\n", CSVOptions{}, "[a b] 2:[1 2]"},
		"comments":          {"# x,y,z\na,b\n#c,d\n1,2\n", CSVOptions{}, "[a b] 4:[1 2]"},
		"preamble":          {"v,1\nnote\na,b\n1,2\n", CSVOptions{Columns: []string{"B", "a "}}, "[a b] 4:[1 2]"},
		"semicolons":        {"a;b\n1,5;2\n", CSVOptions{Columns: []string{"a", "b"}}, "[a b] 2:[1,5 2]"},
		"tabs":              {"a\tb\n1\t2\n", CSVOptions{}, "[a b] 2:[1 2]"},
		"given separator":   {"a|b;c\n1|2\n", CSVOptions{Comma: '|'}, "[a b;c] 2:[1 2]"},
		"no rows":           {"a,b\n", CSVOptions{}, "[a b]"},
		"empty lines":       {"\n\na,b\n\n1,2\n\n", CSVOptions{}, "[a b] 5:[1 2]"},
		"unclosed quote":    {"a,b\n1,\"2\n3,4\n", CSVOptions{}, "f.csv:2:1: a quote that is opened in this record is not closed properly"},
		"quote and text":    {"a,b\n\"1\"x,2\n", CSVOptions{}, "f.csv:2:3: a quote is not closed properly"},
		"stray quote":       {"a,b\n1\"2,3\n", CSVOptions{}, "f.csv:2:2: a stray quote: a cell with a quote is quoted as a whole, its quotes doubled"},
		"ragged":            {"a,b\n1\n1,2,3\n1,2\n", CSVOptions{}, "f.csv:2:1: 1 cells, but 2 columns | f.csv:3:1: 3 cells, but 2 columns"},
		"doubled column":    {"a,A\n1,2\n", CSVOptions{}, `f.csv:1:1: the column "A" stands twice in the header`},
		"no header":         {"x,y\n1,2\n", CSVOptions{Columns: []string{"a", "b"}}, "f.csv:1:1: no header with the columns a, b"},
		"empty":             {"", CSVOptions{}, "f.csv:1:1: the file has no header"},
		"not UTF-8":         {"a,b\n1,\xe9\n", CSVOptions{}, "f.csv:2:3: text that is not UTF-8"},
		"no header in time": {strings.Repeat("x,y\n", 200) + "a,b\n1,2\n", CSVOptions{Columns: []string{"a", "b"}}, "f.csv:1:1: no header with the columns a, b"},
	} {
		c, ps := ReadCSV("f.csv", []byte(tc.data), tc.o)
		got := strings.Join(lines(ps), " | ")
		if c != nil {
			got = fmt.Sprint(c.Header)
			for _, r := range c.Rows {
				got += fmt.Sprintf(" %d:%s", r.Line, r.Cells)
			}
		}
		if got != tc.want || (c == nil) == (ps == nil) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
}

func TestCaseE04BOMCRLFPreambleAndComments(t *testing.T) {
	c, ps := ReadCSV("E04.csv", caseFile(t, "E04.csv"), CSVOptions{Columns: []string{"provider", "gpu", "gpu_count", "price", "currency", "per"}})
	if ps != nil {
		t.Fatal(lines(ps))
	}
	var got []string
	for _, r := range c.Rows {
		price, err := r.Number("price")
		got = append(got, fmt.Sprint(r.Line, r.Text("provider"), r.Text("gpu_count"), price, r.Text("PER"), err))
	}
	equal(t, "rows", got, []string{"8aws855.04instance_hour<nil>", "9lambda14.29gpu_hour<nil>"})
	if c.Preamble != 5 || c.Comments != 1 {
		t.Errorf("%d records above the header, %d comments", c.Preamble, c.Comments)
	}
	if r := c.Rows[1].Cells; strings.ContainsRune(r[len(r)-1], '\r') {
		t.Error("a carriage return is left over")
	}
}

func TestCaseE05DecimalCommaOnlyWhenAsked(t *testing.T) {
	columns := []string{"provider", "gpu", "price", "currency"}
	c, ps := ReadCSV("E05.csv", caseFile(t, "E05.csv"), CSVOptions{Columns: columns, DecimalComma: true})
	if ps != nil {
		t.Fatal(lines(ps))
	}
	var got []string
	for _, r := range c.Rows {
		n, err := r.Number("price")
		got = append(got, fmt.Sprint(n, err))
	}
	equal(t, "with a decimal comma", got, []string{"0.75<nil>", "1.50<nil>", "1355.90<nil>", "173.900<nil>"})
	c, ps = ReadCSV("E05.csv", caseFile(t, "E05.csv"), CSVOptions{Columns: columns})
	if ps != nil {
		t.Fatal(lines(ps))
	}
	if n, err := c.Rows[0].Number("price"); n != "" || err == nil || err.Error() != "not a plain number: 0,75 (line 2)" {
		t.Errorf("%q %v", n, err)
	}
	if n, err := c.Rows[2].Number("price"); n != "" || err == nil {
		t.Errorf("1.355,90 was read as %s", n)
	}
}

func TestDecimalComma(t *testing.T) {
	for text, want := range map[string]string{
		"0,75": "0.75", "1.355,90": "1355.90", "1355,90": "1355.90", "12.345.678": "12345678", "7": "7", "173,900": "173.900", "": "",
		"1.5": "error", "1.5,0": "error", "1355.900,1": "error", ".355": "error", "1,2,3": "error", "1.355.90": "error", "-1,5": "error", "1e3": "error", "0.355": "error", ",5": "error", "5,": "error",
	} {
		r := CSVRow{Line: 1, Cells: []string{text}, table: &CSV{comma: true, column: map[string]int{"n": 0}}}
		n, err := r.Number("n")
		if err != nil {
			n = "error"
		}
		if string(n) != want {
			t.Errorf("%q: %s, want %s", text, n, want)
		}
	}
}

func TestCaseN04NothingIsDropped(t *testing.T) {
	c, ps := ReadCSV("N04.csv", caseFile(t, "N04.csv"), CSVOptions{})
	if ps != nil || len(c.Rows) != 5 || !c.Has("description") || c.Has("gpu") {
		t.Fatal(lines(ps))
	}
	known := 0
	n := NewNames(mustReference(t).GPUs)
	for _, r := range c.Rows {
		_, gpu, _ := strings.Cut(r.Text("description"), "x ")
		if _, ok := n.ResolveGPU(gpu, 0, ""); ok {
			known++
		}
	}
	if known != 4 {
		t.Errorf("%d of 5 GPUs are known, want 4", known)
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a": 1, "a": 2}`, `[1, [2, {"a": null}]]`, `{"a": 1} x`, "\xef\xbb\xbf[]", `{"a`, `1e999`, `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		ps := DecodeJSON("f.json", data, &v)
		if ps.Err() != nil && v != nil {
			t.Fatal("a result beside an error")
		}
		if ps == nil && !json.Valid([]byte(strings.TrimPrefix(string(data), "\ufeff"))) {
			t.Fatalf("accepted what encoding/json refuses: %q", data)
		}
	})
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b\r\n1,5;2\r\n", "\xef\xbb\xbf\"a\",\"b\"\n#c\n1,\"2\n", "x\na\tb\n1\t\"\"\"\"\n", "a,a\n"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, named bool) {
		o := CSVOptions{DecimalComma: true}
		if named {
			o.Columns = []string{"a", "b"}
		}
		c, ps := ReadCSV("f.csv", data, o)
		if (c == nil) != (ps.Err() != nil) {
			t.Fatalf("a table and %v", lines(ps))
		}
		if c == nil {
			return
		}
		for _, r := range c.Rows {
			if len(r.Cells) != len(c.Header) {
				t.Fatal("a ragged row")
			}
			if n, err := r.Number("b"); err == nil && n != "" {
				if _, ok := plainFloat(string(n), false); !ok {
					t.Fatalf("%q is no plain number", n)
				}
			}
		}
	})
}
