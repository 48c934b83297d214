package present

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"
)

//go:embed page.gohtml
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageText))
})

// page is one block in the words of the template; one field is set.
type page struct {
	Lines   *htmlLines
	Table   *htmlTable
	Notes   []Note
	Bars    *htmlBars
	Plot    *htmlPlot
	Explain []htmlExplanation
}

type (
	htmlLines struct {
		Class string
		Text  []string
	}
	htmlTable struct {
		Caption string
		Heads   []htmlCell
		Rows    [][]htmlCell
	}
	htmlCell struct {
		Text   string
		Number bool
		Marks  []string
	}
	htmlBars struct {
		Title string
		Items []htmlBar
	}
	htmlBar         struct{ Label, Text, Percent string }
	htmlExplanation struct {
		Title, Formula string
		Inputs         [][3]string
		Effects        string
	}
)

// writeHTML writes one page that needs nothing else: no script, no font, no
// style or image from anywhere.
func writeHTML(b *bytes.Buffer, d Doc, o Options) error {
	blocks, err := d.Screen.blocks()
	if err != nil {
		return err
	}
	view := struct {
		Lang, Title                 string
		Name, Value, Origin, Inputs string
		Blocks                      []page
	}{Lang: o.Lang.Tag(), Title: d.Screen.Title}
	if view.Title == "" {
		view.Title = "gpucost"
	}
	view.Name, view.Value, view.Origin = o.Lang.T("name"), o.Lang.T("value"), o.Lang.T("origin")
	for _, blk := range blocks {
		view.Blocks = append(view.Blocks, blk.html(o.Lang))
	}
	var raw bytes.Buffer
	if err := pageTemplate().Execute(&raw, view); err != nil {
		return err
	}
	for line := range strings.Lines(raw.String()) {
		if line = clean(strings.TrimSuffix(line, "\n")); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return nil
}

func (l Lines) html(Lang) page {
	h := &htmlLines{Class: map[Tone]string{Plain: "plain", Strong: "strong", Quiet: "quiet"}[l.Tone]}
	for _, s := range l.Text {
		if s != "" {
			h.Text = append(h.Text, s)
		}
	}
	return page{Lines: h}
}

func (t Table) html(Lang) page {
	h := &htmlTable{Caption: t.Caption}
	for _, c := range t.Columns {
		h.Heads = append(h.Heads, htmlCell{Text: c.Head, Number: c.Right})
	}
	for _, row := range t.Rows {
		line := make([]htmlCell, len(row))
		for i, c := range row {
			line[i] = htmlCell{c.shown(), t.Columns[i].Right, strings.Split(c.Marks, "")}
			if c.Marks == "" {
				line[i].Marks = nil
			}
		}
		h.Rows = append(h.Rows, line)
	}
	return page{Table: h}
}

func (n Notes) html(Lang) page { return page{Notes: n.Items} }

func (b Bars) html(Lang) page {
	h := &htmlBars{Title: b.Title}
	for _, it := range b.Items {
		h.Items = append(h.Items, htmlBar{it.Label, it.Text, b.percent(it)})
	}
	return page{Bars: h}
}

func (x Explain) html(l Lang) page {
	var all []htmlExplanation
	for _, e := range x {
		h := htmlExplanation{Title: e.title(), Formula: e.formula()}
		for _, in := range e.Inputs {
			h.Inputs = append(h.Inputs, [3]string{in.Name, in.amount(), in.origin()})
		}
		var parts []string
		for _, f := range e.Effects {
			parts = append(parts, f.Input+" "+Percent(f.Percent, 1))
		}
		if len(parts) > 0 {
			h.Effects = l.T("effects", strings.Join(parts, ", "))
		}
		all = append(all, h)
	}
	return page{Explain: all}
}

// The drawing area of a plot in HTML, in SVG units, and the space around it.
const (
	svgWidth, svgHeight = 640, 320
	svgLeft, svgBottom  = 80, 40
	svgTop, svgRight    = 16, 24
)

type (
	htmlPlot struct {
		Title, X, Y      string
		Left, Base, Edge int // left and lower edge of the area, and its right edge
		TicksX, TicksY   []htmlTick
		Series           []htmlSeries
	}
	htmlTick   struct{ At, Text string }
	htmlSeries struct {
		Name, Ink, Path string
		Points          []htmlPoint
	}
	htmlPoint struct{ X, Y, Mark, Text string }
)

// svgInks are told apart by people who see few colours (Okabe and Ito 2008);
// the names beside them and the marks on the points say the same in words.
var svgInks = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}

func (p Plot) html(Lang) page {
	x, y := p.scales(6, 5)
	at := func(pt Point) (string, string) {
		return fmt.Sprintf("%.1f", svgLeft+x.at(pt.X)*(svgWidth-svgLeft-svgRight)),
			fmt.Sprintf("%.1f", svgHeight-svgBottom-y.at(pt.Y)*(svgHeight-svgBottom-svgTop))
	}
	h := &htmlPlot{Title: p.Title, X: p.X.Label, Y: p.Y.Label, Left: svgLeft, Base: svgHeight - svgBottom, Edge: svgWidth - svgRight}
	for _, t := range x.ticks {
		sx, _ := at(Point{X: t, Y: 1})
		h.TicksX = append(h.TicksX, htmlTick{sx, p.X.text(t)})
	}
	for _, t := range y.ticks {
		_, sy := at(Point{X: 1, Y: t})
		h.TicksY = append(h.TicksY, htmlTick{sy, p.Y.text(t)})
	}
	for k, s := range p.Series {
		hs := htmlSeries{Name: s.Name, Ink: svgInks[k%len(svgInks)]}
		for _, pt := range s.Points {
			sx, sy := at(pt)
			hs.Points = append(hs.Points, htmlPoint{sx, sy, pt.Mark, p.X.text(pt.X) + ", " + p.Y.text(pt.Y)})
			if s.Line {
				hs.Path += sx + "," + sy + " "
			}
		}
		h.Series = append(h.Series, hs)
	}
	return page{Plot: h}
}
