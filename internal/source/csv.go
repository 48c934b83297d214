package source

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	maxRecord   = 1 << 20 // bytes of one CSV record, so that an unclosed quote cannot swallow the rest
	maxPreamble = 20      // lines above the header
	doubled     = -1      // place of a column that stands twice
)

// table reads CSV rows by column name, because sources reorder columns. It is
// a stream (catalog.ReadCSV holds a whole file): a price list of one region is
// hundreds of MB.
type table struct {
	csv  *csv.Reader
	name map[string]int
	row  []string
	pre  map[string]string // name,value lines above the header
	fail *error            // set: reading is over
	over int               // lines above the header
}

// openTable finds the header: the first line that has all the needed columns.
// A BOM, a preamble and lines that start with # are passed over.
func (c *collect) openTable(r io.Reader, limit int64, comma rune, need ...string) (*table, error) {
	cr := csv.NewReader(&cappedCSV{r: r, left: limit})
	cr.Comma, cr.Comment, cr.ReuseRecord, cr.FieldsPerRecord = comma, '#', true, -1
	pre := map[string]string{}
	for over := range maxPreamble {
		row, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := map[string]int{}
		for i, h := range row {
			h = strings.Clone(strings.TrimSpace(h))
			if _, twice := name[h]; twice {
				i = doubled
			}
			name[h] = i
			if lower := strings.ToLower(h); lower != h {
				if _, taken := name[lower]; !taken {
					name[lower] = i
				}
			}
		}
		if hasAll(name, need) {
			cr.FieldsPerRecord = len(row)
			return &table{csv: cr, name: name, pre: pre, fail: &c.failed, over: over}, nil
		}
		if len(row) == 2 {
			pre[strings.Clone(row[0])] = strings.Clone(row[1])
		}
	}
	return nil, fmt.Errorf("no header: want the columns %s within the first %d lines", strings.Join(need, ", "), maxPreamble)
}

func hasAll(name map[string]int, need []string) bool {
	for _, n := range need {
		if _, ok := name[n]; !ok {
			return false
		}
	}
	return true
}

// next reads a row; false at the end of the file.
func (t *table) next() (bool, error) {
	if *t.fail != nil {
		return false, *t.fail
	}
	row, err := t.csv.Read()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, f := range row {
		if !utf8.ValidString(f) {
			return false, fmt.Errorf("line %d: not valid UTF-8", t.line())
		}
	}
	t.row = row
	return true, nil
}

func (t *table) line() int {
	n, _ := t.csv.FieldPos(0)
	return n
}

func (t *table) at() string { return fmt.Sprintf("line %d", t.line()) }

// get is the cell of a column without outer spaces; "" when there is none. A
// column that is asked for and stands twice ends the file. The text is valid
// until the next row.
func (t *table) get(column string) string {
	i, ok := t.name[column]
	switch {
	case !ok:
		return ""
	case i == doubled:
		*t.fail = fmt.Errorf("column %q is doubled", column)
		return ""
	}
	return strings.TrimSpace(t.row[i])
}

func (t *table) num(column string) num { return cell(t.get(column)) }

// cappedCSV ends a body that is too long, and a record that is too long.
type cappedCSV struct {
	r      io.Reader
	left   int64
	record int
	quoted bool
}

func (c *cappedCSV) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, ErrTooLarge
	}
	for rest := p[:n]; len(rest) > 0; {
		i := bytes.IndexAny(rest, "\"\n")
		if i < 0 {
			c.record += len(rest)
			break
		}
		c.record += i + 1
		if rest[i] == '"' {
			c.quoted = !c.quoted
		} else if !c.quoted {
			c.record = 0
		}
		rest = rest[i+1:]
	}
	if c.record > maxRecord {
		return 0, fmt.Errorf("%w: a CSV record of more than %d bytes; is a quote not closed?", ErrTooLarge, maxRecord)
	}
	return n, err
}

// notAPage refuses a page of markup where a CSV file should be.
func notAPage(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head, err := br.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		if _, err := br.Discard(3); err != nil {
			return nil, err
		}
		head = head[3:]
	}
	head = bytes.TrimSpace(head)
	switch {
	case len(head) == 0:
		return nil, fmt.Errorf("%w: the body is empty", ErrEmpty)
	case head[0] == '<':
		return nil, errors.New("this is an HTML or XML page, not CSV")
	}
	return br, nil
}
