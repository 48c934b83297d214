package calibrate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// table is a CSV file with named columns; a missing column reads as empty.
type table struct {
	column map[string]int
	rows   [][]string
}

// readTable reads a CSV with a header. Rows may be short.
func readTable(r io.Reader) (*table, error) {
	cr := csv.NewReader(r)
	cr.FieldsPerRecord = -1
	head, err := cr.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("no header line")
		}
		return nil, fmt.Errorf("header: %w", err)
	}
	t := &table{column: map[string]int{}}
	for i, h := range head {
		t.column[strings.TrimSpace(strings.TrimPrefix(h, "\ufeff"))] = i
	}
	if t.rows, err = cr.ReadAll(); err != nil {
		return nil, err
	}
	return t, nil
}

// record is one row of a table.
type record struct {
	t      *table
	fields []string
}

func (t *table) record(i int) record { return record{t, t.rows[i]} }

func (r record) text(col string) string {
	if i, ok := r.t.column[col]; ok && i < len(r.fields) {
		return strings.TrimSpace(r.fields[i])
	}
	return ""
}

// number is the value of a column; 0 when empty or not a finite number.
func (r record) number(col string) float64 {
	v, err := strconv.ParseFloat(r.text(col), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// gpus is their number; 0 when empty, not a number or beyond any machine.
func (r record) gpus() int {
	v := r.number("n_gpus")
	if v < 0 || v > 1e7 {
		return 0
	}
	return int(v)
}
