package present

import (
	"errors"
	"slices"
	"strings"
)

// Plot is points in a plane, such as cost against time. A mark on a point is
// usually its rank in the table above.
type Plot struct {
	Title  string
	X, Y   Axis
	Series []Series
	Height int // lines of the drawing; 0 means 12
}

// Series is points drawn with one sign; Line joins them in their order.
type Series struct {
	Name   string
	Line   bool
	Points []Point
}

// Point is one point; Mark, if any, is drawn in place of the sign of its series.
type Point struct {
	X, Y float64
	Mark string
}

const signs = "ox+*#@"

func sign(series int) string { return signs[series%len(signs):][:1] }

func (p Plot) empty() bool {
	for _, s := range p.Series {
		if len(s.Points) > 0 {
			return false
		}
	}
	return true
}

func (p Plot) check() error {
	for _, s := range p.Series {
		for _, pt := range s.Points {
			if err := finite("plot "+s.Name, pt.X, pt.Y); err != nil {
				return err
			}
			if p.X.Log && pt.X <= 0 || p.Y.Log && pt.Y <= 0 {
				return errors.New("plot " + s.Name + ": a logarithmic axis needs values above 0")
			}
		}
	}
	return nil
}

// scales are the axes over all points.
func (p Plot) scales(ticksX, ticksY int) (x, y scale) {
	var xs, ys []float64
	for _, s := range p.Series {
		for _, pt := range s.Points {
			xs, ys = append(xs, pt.X), append(ys, pt.Y)
		}
	}
	return p.X.scale(xs, ticksX), p.Y.scale(ys, ticksY)
}

// canvas is the drawing area: one string a character cell, row 0 on top.
type canvas struct {
	cells [][]string
	x, y  scale
}

func newCanvas(w, h int, x, y scale) canvas {
	c := canvas{make([][]string, h), x, y}
	for i := range c.cells {
		c.cells[i] = strings.Split(strings.Repeat(" ", w), "")
	}
	return c
}

func (c canvas) at(pt Point) (col, row int) {
	h, w := len(c.cells), len(c.cells[0])
	return cellOf(c.x.at(pt.X), w), h - 1 - cellOf(c.y.at(pt.Y), h)
}

// cellOf is the cell of a place between 0 and 1 among n.
func cellOf(place float64, n int) int { return min(max(int(place*float64(n-1)+0.5), 0), n-1) }

// join draws a dotted line between two points, without their ends.
func (c canvas) join(a, b Point) {
	x0, y0 := c.at(a)
	x1, y1 := c.at(b)
	n := max(x1-x0, x0-x1, y1-y0, y0-y1)
	for i := 1; i < n; i++ {
		c.cells[y0+(y1-y0)*i/n][x0+(x1-x0)*i/n] = "."
	}
}

// draw puts the lines below the points, and earlier points before later ones
// that fall on the same place.
func (c canvas) draw(series []Series, say func(string) string) {
	for _, s := range series {
		for i := 1; s.Line && i < len(s.Points); i++ {
			c.join(s.Points[i-1], s.Points[i])
		}
	}
	for k, s := range series {
		for _, pt := range s.Points {
			mark := say(pt.Mark)
			if width(mark) == 0 {
				mark = sign(k)
			}
			col, row := c.at(pt)
			c.put(row, col, mark)
		}
	}
}

// put writes a mark where the canvas is free, moved left where it would leave it.
func (c canvas) put(row, col int, mark string) {
	w := width(mark)
	col = max(min(col, len(c.cells[row])-w), 0)
	place := c.cells[row][col:min(col+w, len(c.cells[row]))]
	if len(place) < w || slices.ContainsFunc(place, func(s string) bool { return s != " " && s != "." }) {
		return
	}
	clear(place) // a mark wider than one column takes the cells beside it
	place[0] = mark
}

const widestPlot = 80 // terminal columns

func (p Plot) grid(g *grid) {
	if p.Title != "" {
		g.text(g.say(p.Title), 2, Strong)
	}
	h := p.Height
	if h <= 0 {
		h = 12
	}
	h = max(h, 3)
	x, y := p.scales(5, max(h/2+1, 3))
	labels, wy := p.Y.beside(g, y, h)
	w := max(min(g.width, widestPlot)-indent-wy-2, 8)
	c := newCanvas(w, h, x, y)
	c.draw(p.Series, g.say)

	left := strings.Repeat(" ", indent)
	if p.Y.Label != "" {
		g.text(left+g.say(p.Y.Label), 2, Plain)
	}
	for i, row := range c.cells {
		edge := "│"
		if labels[i] != "" {
			edge = "┤"
		}
		g.line(left+pad(labels[i], wy, true)+" "+g.glyphs.Replace(edge)+strings.Join(row, ""), Plain)
	}
	left += strings.Repeat(" ", wy+1)
	g.line(left+g.glyphs.Replace("└"+strings.Repeat("─", w)), Plain)
	g.line(left+" "+p.X.under(g, x, w), Plain)
	if label := g.say(p.X.Label); label != "" {
		g.text(left+" "+strings.Repeat(" ", max(w-width(label), 0))+label, indent, Plain)
	}
	p.legend(g)
}

func (p Plot) legend(g *grid) {
	var names []string
	for i, s := range p.Series {
		if s.Name != "" {
			names = append(names, sign(i)+" "+g.say(s.Name))
		}
	}
	if len(names) > 0 {
		g.text(strings.Repeat(" ", indent)+strings.Join(names, "   "), 2, Plain)
	}
}
