package present

import (
	"bytes"
	"io"
	"strings"

	"github.com/olekukonko/ll"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// draw lays the shown columns out with tablewriter and returns the head and the
// rows, all equally wide.
func (d drawn) draw(widths []int, shown []bool, ellipsis string) []string {
	var cols []int
	var aligns []tw.Align
	set := tw.NewMapper[int, int]()
	for i, c := range d.cols {
		if !shown[i] {
			continue
		}
		align := tw.AlignLeft
		if c.Right {
			align = tw.AlignRight
		}
		set.Set(len(cols), widths[i])
		cols, aligns = append(cols, i), append(aligns, align)
	}
	row := func(cells []drawnCell) []string {
		line := make([]string, len(cols))
		for k, i := range cols {
			line[k] = d.cell(i, cells[i], widths[i], ellipsis)
		}
		return line
	}
	var b bytes.Buffer
	t := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(&calm{}),
		tablewriter.WithColumnWidths(set),
		tablewriter.WithAlignment(aligns),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithPadding(tw.PaddingNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithTrimTab(tw.Off),
	)
	t.Header(row(d.heads))
	for _, cells := range d.rows {
		_ = t.Append(row(cells)) // fails on types it cannot print; these are strings
	}
	_ = t.Render() // fails with its writer, which is a buffer
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// calm is a tablewriter renderer without borders: cells side by side, two
// spaces between them. tablewriter's own renderers add up single runes, which
// counts a flag as four columns, and ask the locale whether a box line is one
// column or two; this one pads with our measure, so that a table is the same
// bytes everywhere.
type calm struct{ w io.Writer }

func (c *calm) Start(w io.Writer) error                { c.w = w; return nil }
func (c *calm) Header(_ [][]string, ctx tw.Formatting) { c.cells(ctx.Row) }
func (c *calm) Row(_ []string, ctx tw.Formatting)      { c.cells(ctx.Row) }
func (c *calm) Footer([][]string, tw.Formatting)       {}
func (c *calm) Line(tw.Formatting)                     {}
func (c *calm) Config() tw.Rendition                   { return tw.Rendition{} }
func (c *calm) Close() error                           { return nil }
func (c *calm) Logger(*ll.Logger)                      {}

func (c *calm) cells(row tw.RowContext) {
	line := make([]string, len(row.Current))
	for i := range line {
		cell := row.Current[i]
		line[i] = pad(cell.Data, row.Widths.Get(i), cell.Align == tw.AlignRight)
	}
	_, _ = io.WriteString(c.w, strings.Join(line, strings.Repeat(" ", gutter))+"\n") // to a buffer
}
