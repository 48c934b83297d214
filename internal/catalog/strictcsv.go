package catalog

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// CSVOptions says how to read a CSV file.
type CSVOptions struct {
	Columns      []string // names that the header must have, in any case and order; empty: the first record is the header
	Comma        rune     // 0: the one of , ; tab | that the header uses
	DecimalComma bool     // 1.355,90 is 1355.90
}

// The bounds of a CSV file beside its size.
const (
	maxPreamble = 100 // lines above the header
	maxColumns  = 2000
)

// CSV is a strictly read table. Lines that begin with # are comments.
type CSV struct {
	Header   []string
	Rows     []CSVRow
	Preamble int // records above the header
	Comments int // lines left out because they begin with #

	file   string
	column map[string]int
	comma  bool
}

// CSVRow is one record of a table.
type CSVRow struct {
	Line  int // where it begins in the file
	Cells []string

	table *CSV
}

// ReadCSV reads a CSV file with a header. A byte order mark, CRLF, comment
// lines and a preamble above the header are left out; an unclosed quote, a
// stray quote, a record of another length than the header, a doubled column
// name and invalid UTF-8 are errors, all of them reported. The table is nil
// when there is one.
func ReadCSV(file string, data []byte, o CSVOptions) (*CSV, Problems) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	t := &CSV{file: file, comma: o.DecimalComma, column: map[string]int{}}
	switch {
	case len(data) > maxImportBytes:
		return nil, Problems{t.problem(1, 1, "too-large", fmt.Sprintf("the file has %d MiB, more than %d", len(data)>>20, maxImportBytes>>20))}
	case !utf8.Valid(data):
		line, col := lineAndColumn(data, invalidUTF8(data))
		return nil, Problems{t.problem(line, col, "bad-text", "text that is not UTF-8")}
	}
	commas := []rune{o.Comma}
	if o.Comma == 0 {
		commas = []rune{',', ';', '\t', '|'}
		if len(o.Columns) == 0 {
			commas = []rune{likeliest(data, commas)}
		}
	}
	var first Problems
	for _, c := range commas {
		ps := t.read(data, c, o.Columns)
		if t.Header != nil {
			if ps != nil {
				return nil, ps.capped()
			}
			return t, nil
		}
		if first == nil {
			first = ps
		}
	}
	return nil, first
}

// likeliest is the separator that occurs most in the first line with text.
func likeliest(data []byte, commas []rune) rune {
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			return slices.MaxFunc(commas, func(a, b rune) int {
				return bytes.Count(line, []byte(string(a))) - bytes.Count(line, []byte(string(b)))
			})
		}
	}
	return ','
}

// read reads the file with one separator. Header stays nil when it is not
// found.
func (t *CSV) read(data []byte, comma rune, columns []string) (ps Problems) {
	*t = CSV{file: t.file, comma: t.comma, column: map[string]int{}}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.Comment, r.FieldsPerRecord = comma, '#', -1
	records := 0
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			ps = append(ps, t.broken(err))
			break // nothing after a broken quote can be trusted
		}
		line, _ := r.FieldPos(0)
		switch {
		case t.Header == nil && t.isHeader(cells, columns):
			t.Header, t.Preamble = cells, records
			ps = append(ps, t.name(line)...)
		case t.Header == nil && records >= maxPreamble:
			return append(ps, t.noHeader(columns))
		case t.Header == nil:
		case len(cells) != len(t.Header):
			ps = append(ps, t.problem(line, 1, "ragged-row", fmt.Sprintf("%d cells, but %d columns", len(cells), len(t.Header))))
		default:
			t.Rows = append(t.Rows, CSVRow{line, cells, t})
		}
		if records++; len(ps) > maxProblems {
			break
		}
	}
	if t.Header == nil && ps == nil {
		ps = append(ps, t.noHeader(columns))
	}
	t.Comments = comments(data)
	return ps
}

func (t *CSV) isHeader(cells, columns []string) bool {
	for _, c := range columns {
		if !slices.ContainsFunc(cells, func(s string) bool { return columnName(s) == columnName(c) }) {
			return false
		}
	}
	return true
}

// name makes the columns known by name.
func (t *CSV) name(line int) (ps Problems) {
	if len(t.Header) > maxColumns {
		return Problems{t.problem(line, 1, "too-large", fmt.Sprintf("%d columns, more than %d", len(t.Header), maxColumns))}
	}
	for i, h := range t.Header {
		n := columnName(h)
		if _, twice := t.column[n]; twice && n != "" {
			ps = append(ps, t.problem(line, 1, "doubled-key", fmt.Sprintf("the column %q stands twice in the header", h)))
		}
		t.column[n] = i
	}
	return ps
}

func columnName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func (t *CSV) noHeader(columns []string) Problem {
	if len(columns) == 0 {
		return t.problem(1, 1, "empty-file", "the file has no header")
	}
	return t.problem(1, 1, "missing-key", "no header with the columns "+strings.Join(columns, ", "))
}

// comments counts the lines that encoding/csv takes for comments. A line
// inside a quoted cell may be counted as well.
func comments(data []byte) (n int) {
	for line := range bytes.Lines(data) {
		if line[0] == '#' {
			n++
		}
	}
	return n
}

func (t *CSV) broken(err error) Problem {
	pe, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return t.problem(1, 1, "csv-syntax", err.Error())
	}
	switch {
	case pe.StartLine != pe.Line:
		return t.problem(pe.StartLine, 1, "csv-syntax", "a quote that is opened in this record is not closed properly")
	case errors.Is(pe.Err, csv.ErrQuote):
		return t.problem(pe.Line, pe.Column, "csv-syntax", "a quote is not closed properly")
	}
	return t.problem(pe.Line, pe.Column, "csv-syntax", "a stray quote: a cell with a quote is quoted as a whole, its quotes doubled")
}

func (t *CSV) problem(line, col int, code, what string) Problem {
	return Problem{Code: code, File: t.file, Line: line, Col: col, What: what}
}

// Has reports whether the table has the column.
func (t *CSV) Has(column string) bool {
	_, ok := t.column[columnName(column)]
	return ok
}

// Text is the trimmed text of a cell; empty when there is no such column.
func (r CSVRow) Text(column string) string {
	if i, ok := r.table.column[columnName(column)]; ok {
		return strings.TrimSpace(r.Cells[i])
	}
	return ""
}

// Number is the plain decimal in a cell, "" when the cell is empty. With
// DecimalComma, 1.355,90 becomes 1355.90; without it, 0,75 is an error that
// names the line, never 75.
func (r CSVRow) Number(column string) (Decimal, error) {
	text := r.Text(column)
	if text == "" {
		return "", nil
	}
	plain, ok := text, true
	if r.table.comma {
		plain, ok = fromDecimalComma(text)
	}
	if _, isPlain := plainFloat(plain, false); !ok || !isPlain {
		return "", fmt.Errorf("not a plain number: %s (line %d)", text, r.Line)
	}
	return Decimal(plain), nil
}

// fromDecimalComma turns 1.355,90 into 1355.90; false when the points do not
// stand between groups of three digits.
func fromDecimalComma(s string) (string, bool) {
	whole, frac, comma := strings.Cut(s, ",")
	groups := strings.Split(whole, ".")
	for i, g := range groups[1:] {
		if len(g) != 3 || i == 0 && (len(groups[0]) == 0 || len(groups[0]) > 3) {
			return "", false
		}
	}
	if whole = strings.Join(groups, ""); comma {
		whole += "." + frac
	}
	return whole, true
}
