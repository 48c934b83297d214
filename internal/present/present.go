package present

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Doc is a result ready to be shown: the same rows for machines and for people.
type Doc struct {
	Object   any       // json, yaml: the whole answer, through its JSON tags
	Rows     []any     // ndjson: one object a line
	Records  Records   // csv, tsv: the promised header and plain cells
	Screen   Screen    // table, wide, markdown, html
	Warnings []Warning // doubts about the result; on screens they are footnotes as well
}

// Warning is a doubt about a result.
type Warning struct {
	Code    string `json:"code"`    // stable name
	Message string `json:"message"` // one line in the language of the answer
}

// Options say how to show a Doc. The zero Options give a table of 80 columns
// in English, without colour.
type Options struct {
	Format Format
	Width  int  // columns of the terminal; 0 means 80
	Color  bool // bold and dim; the meaning is in the words anyway
	ASCII  bool // no ornament beyond ASCII: for consoles that are not UTF-8
	BOM    bool // csv, tsv: begin with a byte order mark, for Excel
	Lang   Lang
}

// Format is the name of an output format, as given to --output.
type Format string

// The output formats.
const (
	TableFormat Format = "table" // fits the width; long text is cut with an ellipsis
	Wide        Format = "wide"  // every column, nothing cut
	JSON        Format = "json"
	NDJSON      Format = "ndjson"
	CSV         Format = "csv"
	TSV         Format = "tsv"
	YAML        Format = "yaml"
	Markdown    Format = "markdown"
	HTML        Format = "html"
)

// writer renders a Doc. Where warn is set the format has no place for doubts
// that a program would see, and they go to the error stream.
type writer struct {
	name   Format
	render func(*bytes.Buffer, Doc, Options) error
	warn   bool
}

func writers() []writer {
	return []writer{
		{TableFormat, writeGrid, false},
		{Wide, writeGrid, false},
		{JSON, writeJSON, false},
		{NDJSON, writeNDJSON, true},
		{CSV, writeCSV, true},
		{TSV, writeTSV, true},
		{YAML, writeYAML, false},
		{Markdown, writeMarkdown, true},
		{HTML, writeHTML, true},
	}
}

// Formats lists the output formats in the order of the help text.
func Formats() []Format {
	var all []Format
	for _, w := range writers() {
		all = append(all, w.name)
	}
	return all
}

// ParseFormat reads the exact name of a format.
func ParseFormat(s string) (Format, error) {
	if slices.Contains(Formats(), Format(s)) {
		return Format(s), nil
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown output format %q, want one of %s", s, strings.Join(names, ", "))
}

// Write shows d on out and, for formats that cannot carry them, its warnings on
// errs (which may be nil). Errors name a value that must not be shown (NaN, a
// ragged row) or are those of out; see [IsBrokenPipe].
func Write(out, errs io.Writer, d Doc, o Options) error {
	if o.Format == "" {
		o.Format = TableFormat
	}
	i := slices.IndexFunc(writers(), func(w writer) bool { return w.name == o.Format })
	if i < 0 {
		_, err := ParseFormat(string(o.Format))
		return err
	}
	w := writers()[i]
	var b bytes.Buffer
	if err := w.render(&b, d, o); err != nil {
		return fmt.Errorf("cannot show the result as %s: %w", o.Format, err)
	}
	if err := writeAll(out, b.Bytes()); err != nil {
		return err
	}
	if !w.warn || errs == nil {
		return nil
	}
	return writeWarnings(errs, d.Warnings, o.Lang)
}

func writeAll(out io.Writer, p []byte) error {
	n, err := out.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// writeWarnings prints every distinct warning on a line of its own.
func writeWarnings(errs io.Writer, ws []Warning, l Lang) error {
	var b bytes.Buffer
	for i, w := range ws {
		if !slices.Contains(ws[:i], w) {
			fmt.Fprintf(&b, "gpucost: %s\n", l.T("warning", clean(w.Message)))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return writeAll(errs, b.Bytes())
}
