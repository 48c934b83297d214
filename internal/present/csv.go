package present

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/gpucost/gpucost/internal/money"
)

// Records is the table for spreadsheets and scripts: a promised header, one
// cell a column, exact values. Columns are only ever appended.
type Records struct {
	Header []string
	Rows   [][]Cell
}

// Cell is one value of a table. In Records a number is a plain decimal; on
// screens it is written for people. An unknown value is an empty Number:
// nothing in CSV, "n/a" on screens.
type Cell struct {
	Text   string
	Number bool
	Marks  string // footnote marks, screens only; one letter each, see [Notes.Mark]
}

// Text is a cell of words. In CSV it never becomes a formula.
func Text(s string) Cell { return Cell{Text: s} }

// Num is a cell holding a number that is already written out.
func Num(s string) Cell { return Cell{Text: s, Number: true} }

// Unknown is the cell of a value that is not known, which is not 0.
func Unknown() Cell { return Cell{Number: true} }

// Exact is the cell of an amount for Records: never rounded, no separators.
func Exact(a money.Amount) Cell { return Num(a.String()) }

// Float is the cell of a physical number for Records, in the fewest digits
// that give the same number back.
func Float(x float64) Cell { return Num(strconv.FormatFloat(x, 'f', -1, 64)) }

// Noted adds footnote marks to a cell.
func (c Cell) Noted(marks string) Cell {
	c.Marks += marks
	return c
}

var plainNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-?[0-9]+(\.[0-9]+)?)?$`) })

// plain is the text of the cell for a spreadsheet. Text that a spreadsheet
// would run as a formula gets an apostrophe in front (OWASP, "CSV Injection");
// numbers are left alone and must be numbers.
func (c Cell) plain() (string, error) {
	if c.Number {
		if !plainNumber().MatchString(c.Text) {
			return "", fmt.Errorf("%q is not a plain number", c.Text)
		}
		return c.Text, nil
	}
	s := strings.ToValidUTF8(c.Text, "\uFFFD")
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r\n") {
		return "'" + s, nil
	}
	return s, nil
}

// lines are the header and the rows as plain text.
func (r Records) lines() ([][]string, error) {
	all := [][]string{r.Header}
	for i, row := range r.Rows {
		if len(row) != len(r.Header) {
			return nil, fmt.Errorf("row %d has %d cells, the header has %d", i+1, len(row), len(r.Header))
		}
		line := make([]string, len(row))
		for j, c := range row {
			var err error
			if line[j], err = c.plain(); err != nil {
				return nil, fmt.Errorf("row %d, column %s: %w", i+1, r.Header[j], err)
			}
		}
		all = append(all, line)
	}
	return all, nil
}

const byteOrderMark = "\uFEFF"

// writeCSV writes RFC 4180 with LF line ends.
func writeCSV(b *bytes.Buffer, d Doc, o Options) error {
	lines, err := d.Records.lines()
	if err != nil {
		return err
	}
	if o.BOM {
		b.WriteString(byteOrderMark)
	}
	w := csv.NewWriter(b)
	for _, line := range lines {
		if len(line) == 1 && line[0] == "" { // else an empty line, which readers skip
			w.Flush()
			b.WriteString("\"\"\n")
			continue
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// writeTSV writes one line a row. TSV has no quoting, so tabs and line ends
// inside a cell become spaces.
func writeTSV(b *bytes.Buffer, d Doc, o Options) error {
	lines, err := d.Records.lines()
	if err != nil {
		return err
	}
	if o.BOM {
		b.WriteString(byteOrderMark)
	}
	flat := strings.NewReplacer("\r\n", " ", "\t", " ", "\n", " ", "\r", " ")
	for _, line := range lines {
		for i, s := range line {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(flat.Replace(s))
		}
		b.WriteByte('\n')
	}
	return nil
}
