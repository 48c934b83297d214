package present

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// Screen is what people see: blocks from top to bottom.
type Screen struct {
	Title  string // of the HTML page
	Blocks []Block
}

// Block is one part of a screen: [Lines], [Table], [Notes], [Bars], [Plot] or
// [Explain].
type Block interface {
	empty() bool
	check() error // values that must not be shown
	grid(*grid)
	markdown(*markdown)
	html(Lang) page
}

// blocks are the blocks that have something to show.
func (s Screen) blocks() ([]Block, error) {
	var all []Block
	for _, b := range s.Blocks {
		if b == nil || b.empty() {
			continue
		}
		if err := b.check(); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// Tone is how loud a line is. It never carries meaning of its own.
type Tone int

// The tones.
const (
	Plain  Tone = iota
	Strong      // bold where there is colour
	Quiet       // dim where there is colour
)

// Lines are lines of text. A long line is wrapped with a hanging indent; an
// empty one is kept as a gap.
type Lines struct {
	Tone  Tone
	Text  []string
	Whole bool // never wrapped: an editor or a script reads them
}

// Say makes plain lines.
func Say(text ...string) Lines { return Lines{Text: text} }

func (l Lines) empty() bool  { return len(l.Text) == 0 }
func (l Lines) check() error { return nil }

func (l Lines) grid(g *grid) {
	for _, s := range l.Text {
		if l.Whole {
			g.line(g.say(s), l.Tone)
			continue
		}
		g.text(g.say(s), 2, l.Tone)
	}
}

// narrowest is the narrowest terminal that a grid is drawn for, in columns;
// anything narrower is treated like it.
const narrowest = 20

// grid draws blocks in fixed-width characters: the table and wide formats.
type grid struct {
	out    *bytes.Buffer
	o      Options
	width  int
	wide   bool // nothing is cut, every column is shown
	glyphs *strings.Replacer
}

func newGrid(b *bytes.Buffer, o Options) *grid {
	g := &grid{out: b, o: o, width: o.Width, wide: o.Format == Wide, glyphs: gridType}
	if g.width <= 0 {
		g.width = 80
	}
	g.width = max(g.width, narrowest)
	if o.ASCII {
		g.glyphs = asciiType
	}
	return g
}

// writeGrid draws the screen. Text and notes flow into each other; an empty
// line stands around everything else.
func writeGrid(b *bytes.Buffer, d Doc, o Options) error {
	blocks, err := d.Screen.blocks()
	if err != nil {
		return err
	}
	g := newGrid(b, o)
	for i, blk := range blocks {
		if i > 0 && (!flows(blocks[i-1]) || !flows(blk)) {
			g.line("", Plain)
		}
		blk.grid(g)
	}
	return nil
}

func flows(b Block) bool {
	switch b.(type) {
	case Lines, Notes:
		return true
	}
	return false
}

// In a grid, minus and range dashes are the ASCII hyphen: it can be searched
// and copied, and is one column wide in every terminal.
var gridDashes = []string{"−", "-", "–", "-"}

var (
	gridType  = strings.NewReplacer(gridDashes...)
	asciiType = strings.NewReplacer(append(gridDashes,
		"—", "-", "·", "|", "•", "*", "…", "...", "×", "x", "÷", "/", "±", "+/-", "√", "sqrt", "µ", "u", "²", "2", "³", "3",
		"≈", "~", "≤", "<=", "≥", ">=", "≠", "!=", "→", "->", "←", "<-", "“", `"`, "”", `"`, "‘", "'", "’", "'",
		"▁", "_", "▂", ".", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "%", "█", "#",
		"▏", "#", "▎", "#", "▍", "#", "▌", "#", "▋", "#", "▊", "#", "▉", "#",
		"│", "|", "└", "+", "─", "-", "┤", "+",
	)...)
)

// say makes text fit for the grid.
func (g *grid) say(s string) string { return clean(g.glyphs.Replace(s)) }

func (g *grid) ellipsis() string { return g.glyphs.Replace("…") }

// text writes a paragraph, wrapped.
func (g *grid) text(s string, hang int, t Tone) {
	for _, line := range wrap(s, g.width, hang) {
		g.line(line, t)
	}
}

// line writes one line without trailing spaces.
func (g *grid) line(s string, t Tone) {
	s = strings.TrimRight(s, " ")
	if g.o.Color && s != "" && t != Plain {
		s = map[Tone]string{Strong: "\x1b[1m", Quiet: "\x1b[2m"}[t] + s + "\x1b[0m"
	}
	g.out.WriteString(s + "\n")
}

// finite refuses a number that must not be shown.
func finite(what string, xs ...float64) error {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s: %v is not a number to show", what, x)
		}
	}
	return nil
}
