package present

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// render is the answer of Write on out.
func render(t testing.TB, d Doc, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, nil, d, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestParseFormat(t *testing.T) {
	want := []Format{"table", "wide", "json", "ndjson", "csv", "tsv", "yaml", "markdown", "html"}
	if diff := cmp.Diff(want, Formats()); diff != "" {
		t.Error(diff)
	}
	for _, f := range want {
		if got, err := ParseFormat(string(f)); got != f || err != nil {
			t.Errorf("%s: %v %v", f, got, err)
		}
	}
	if _, err := ParseFormat("xml"); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("xml: %v", err)
	}
	if err := Write(io.Discard, nil, Doc{}, Options{Format: "xml"}); err == nil {
		t.Error("Write accepts xml")
	}
}

// Every format gives the same bytes each time, ends with a line end and holds
// no byte that moves a cursor.
func TestEveryFormat(t *testing.T) {
	for _, f := range Formats() {
		for _, l := range []Lang{EN, ZH} {
			o := Options{Format: f, Lang: l}
			first := render(t, sample(l), o)
			if !strings.HasSuffix(first, "\n") {
				t.Errorf("%s: no line end at the end", f)
			}
			if strings.ContainsAny(first, "\x1b\r\x00") {
				t.Errorf("%s: control characters", f)
			}
			for range 5 {
				if render(t, sample(l), o) != first {
					t.Errorf("%s: differs between runs", f)
				}
			}
		}
	}
}

func TestWarningsGoToErrs(t *testing.T) {
	for _, f := range Formats() {
		var errs bytes.Buffer
		if err := Write(io.Discard, &errs, sample(EN), Options{Format: f}); err != nil {
			t.Fatal(err)
		}
		want := "gpucost: warning: 2 prices are older than 90 days\n" // said once
		switch f {
		case TableFormat, Wide, JSON, YAML:
			want = "" // carried in the answer itself
		}
		if errs.String() != want {
			t.Errorf("%s: %q", f, errs.String())
		}
	}
}

// An answer that cannot be shown leaves no half of itself behind.
func TestNothingIsWrittenOnAnError(t *testing.T) {
	bad := map[string]Doc{
		"NaN in an object":     {Object: map[string]float64{"x": math.NaN()}, Rows: []any{1, math.Inf(1)}},
		"ragged record":        {Records: Records{Header: []string{"a", "b"}, Rows: [][]Cell{{Text("x"), Text("y")}, {Text("x")}}}},
		"number that is none":  {Records: Records{Header: []string{"a"}, Rows: [][]Cell{{Num("1")}, {Float(math.NaN())}}}},
		"ragged table":         {Screen: Screen{Blocks: []Block{Say("hello"), Table{Columns: []Column{{Head: "a"}}, Rows: [][]Cell{{}}}}}},
		"NaN in a table":       {Screen: Screen{Blocks: []Block{Table{Columns: []Column{{Head: "a"}}, Rows: [][]Cell{{Num("NaN")}}}}}},
		"infinite bar":         {Screen: Screen{Blocks: []Block{Bars{Items: []Bar{{"a", math.Inf(1), ""}}}}}},
		"NaN in a plot":        {Screen: Screen{Blocks: []Block{Plot{Series: []Series{{Points: []Point{{X: math.NaN()}}}}}}}},
		"0 on a log axis":      {Screen: Screen{Blocks: []Block{Plot{Y: Axis{Log: true}, Series: []Series{{Points: []Point{{X: 1}}}}}}}},
		"effect that is a NaN": {Screen: Screen{Blocks: []Block{Explain{{Effects: []Effect{{"a", math.NaN()}}}}}}},
	}
	formats := map[string][]Format{
		"NaN in an object": {JSON, YAML, NDJSON},
		"ragged record":    {CSV, TSV}, "number that is none": {CSV, TSV},
	}
	for name, d := range bad {
		fs := formats[name]
		if fs == nil {
			fs = []Format{TableFormat, Wide, Markdown, HTML}
		}
		for _, f := range fs {
			var out bytes.Buffer
			if err := Write(&out, nil, d, Options{Format: f}); err == nil || out.Len() > 0 {
				t.Errorf("%s as %s: error %v, %d bytes written", name, f, err, out.Len())
			}
		}
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system:", err)
	}
	defer func() { _ = full.Close() }()
	for _, f := range Formats() {
		err := Write(full, io.Discard, sample(EN), Options{Format: f})
		if err == nil || IsBrokenPipe(err) {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := Write(io.Discard, full, sample(EN), Options{Format: CSV}); err == nil {
		t.Error("a warning that cannot be written is lost")
	}
}

func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	_ = r.Close()
	if err := Write(w, nil, sample(EN), Options{}); !IsBrokenPipe(err) {
		t.Errorf("os.Pipe: %v", err)
	}
	pr, pw := io.Pipe()
	_ = pr.Close()
	if err := Write(pw, nil, sample(EN), Options{}); !IsBrokenPipe(err) {
		t.Errorf("io.Pipe: %v", err)
	}
	if IsBrokenPipe(nil) || IsBrokenPipe(io.ErrShortWrite) {
		t.Error("other errors are broken pipes too")
	}
}

type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestShortWrite(t *testing.T) {
	if err := Write(shortWriter{}, nil, sample(EN), Options{}); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

// tablewriter looks at the locale when it starts; what we show does not depend
// on that.
func TestSameBytesInEveryLocale(t *testing.T) {
	if os.Getenv("PRESENT_PRINT") != "" {
		fmt.Print("<<<" + render(t, sample(ZH), Options{}) + ">>>")
		return
	}
	want := "<<<" + render(t, sample(ZH), Options{}) + ">>>"
	for _, env := range []string{"LC_ALL=C", "LC_ALL=zh_CN.UTF-8", "LANG=ja_JP.eucJP", "RUNEWIDTH_EASTASIAN=1"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSameBytesInEveryLocale$")
		cmd.Env = []string{"PRESENT_PRINT=1", "TERM=linux", env}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(env, err)
		}
		if !strings.Contains(string(out), want) {
			t.Errorf("%s changes the table:\n%s", env, out)
		}
	}
}
