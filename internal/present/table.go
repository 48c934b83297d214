package present

import (
	"fmt"
	"strings"
)

// Table is rows under heads.
type Table struct {
	Caption string // markdown and html; grids rely on the line before
	Columns []Column
	Rows    [][]Cell
}

// Column says how one column behaves.
type Column struct {
	Key   string // stable name
	Head  string // shown in capitals in a grid
	Right bool   // numbers: the caller gives all cells the same decimals
	Flex  bool   // text that the table format may cut; wide never cuts
	Wide  bool   // only where there is room for it, and in wide
	// Priority 0 is never left out while another column can be. Of the others
	// the highest goes first when a terminal is too narrow, and the lowest
	// comes first when there is room for Wide columns.
	Priority int
}

func (t Table) empty() bool { return len(t.Columns) == 0 }

func (t Table) check() error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("row %d has %d cells, the table has %d columns", i+1, len(row), len(t.Columns))
		}
		for j, c := range row {
			if c.Number && (strings.Contains(c.Text, "NaN") || strings.Contains(c.Text, "Inf")) {
				return fmt.Errorf("row %d, column %s: %s is not a number to show", i+1, t.Columns[j].Key, c.Text)
			}
		}
	}
	return nil
}

// shown is the text of a cell on a screen.
func (c Cell) shown() string {
	if c.Number && c.Text == "" {
		return "n/a"
	}
	return c.Text
}

const (
	margin = 1 // terminal columns left of a table
	gutter = 2 // and between its columns
	indent = 2 // and left of charts and notes
)

func (t Table) grid(g *grid) {
	lines, left := t.lines(g, g.width, g.wide)
	for i, line := range lines {
		tone := Plain
		if i == 0 {
			tone = Strong
		}
		g.line(strings.Repeat(" ", margin)+line, tone)
	}
	if len(left) > 0 {
		g.text(g.say(g.o.Lang.T("columns_left_out", g.width, strings.Join(left, ", "))), 2, Quiet)
	}
}

// lines are the head and the rows at their full width, and the heads of the
// columns that there was no room for.
func (t Table) lines(g *grid, w int, wide bool) (lines, left []string) {
	d := t.drawn(g)
	widths, shown := fit(t.Columns, d.natural(), w-margin, wide)
	for i, c := range t.Columns {
		if !shown[i] && !c.Wide {
			left = append(left, d.heads[i].text)
		}
	}
	return d.draw(widths, shown, g.ellipsis()), left
}

// drawn is a table in the characters of a grid.
type drawn struct {
	cols  []Column
	heads []drawnCell
	rows  [][]drawnCell
	text  []int // columns of text in the widest cell
	marks []int // columns of footnote marks in the widest cell, with the space before
	both  []int // columns of the widest text and marks together
}

type drawnCell struct{ text, marks string }

func (t Table) drawn(g *grid) drawn {
	n := len(t.Columns)
	d := drawn{cols: t.Columns, text: make([]int, n), marks: make([]int, n), both: make([]int, n)}
	add := func(i int, c drawnCell) drawnCell {
		w, m := width(c.text), width(c.marks)
		d.text[i], d.marks[i], d.both[i] = max(d.text[i], w), max(d.marks[i], m), max(d.both[i], w+m)
		return c
	}
	for i, c := range t.Columns {
		d.heads = append(d.heads, add(i, drawnCell{text: strings.TrimSpace(g.say(strings.ToUpper(c.Head)))}))
	}
	for _, row := range t.Rows {
		line := make([]drawnCell, n)
		for i, c := range row {
			line[i].text = strings.TrimRight(g.say(c.shown()), " ")
			if c.Marks != "" {
				line[i].marks = " " + g.say(c.Marks)
			}
			add(i, line[i])
		}
		d.rows = append(d.rows, line)
	}
	return d
}

// natural is the width of every column when nothing is cut. Marks stand outside
// a column of numbers, so that the numbers stay in line.
func (d drawn) natural() []int {
	ws := make([]int, len(d.cols))
	for i, c := range d.cols {
		ws[i] = d.both[i]
		if c.Right {
			ws[i] = d.text[i] + d.marks[i]
		}
	}
	return ws
}

// cell is the text and the marks of a cell in w columns, at most.
func (d drawn) cell(i int, c drawnCell, w int, ellipsis string) string {
	if !d.cols[i].Right {
		return cut(cut(c.text, max(w-width(c.marks), 0), ellipsis)+c.marks, w, "")
	}
	return cut(cut(c.text, max(w-d.marks[i], 0), ellipsis)+pad(c.marks, d.marks[i], false), w, "")
}
