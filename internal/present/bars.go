package present

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bars is a horizontal bar chart; the longest bar is the largest value.
type Bars struct {
	Title string
	Items []Bar
}

// Bar is one bar. A negative value has no bar, only its text.
type Bar struct {
	Label string
	Value float64
	Text  string // the value, written for people
}

func (b Bars) empty() bool { return len(b.Items) == 0 }

func (b Bars) check() error {
	for _, it := range b.Items {
		if err := finite("bar "+it.Label, it.Value); err != nil {
			return err
		}
	}
	return nil
}

// most is the largest value, never below 0.
func (b Bars) most() float64 {
	m := 0.0
	for _, it := range b.Items {
		m = max(m, it.Value)
	}
	return m
}

const longestBar = 40 // terminal columns

// grid puts the value before the bar, so that nothing has to line up behind
// block characters, whose width depends on the terminal.
func (b Bars) grid(g *grid) {
	if b.Title != "" {
		g.text(g.say(b.Title), 2, Strong)
	}
	labels, texts := make([]string, len(b.Items)), make([]string, len(b.Items))
	wl, wt := 0, 0
	for i, it := range b.Items {
		labels[i], texts[i] = g.say(it.Label), g.say(it.Text)
		wl, wt = max(wl, width(labels[i])), max(wt, width(texts[i]))
	}
	least := indent + gutter + wt // without labels and bars
	if !g.wide {
		wl = min(wl, max(g.width-least, 0))
	}
	room := min(longestBar, g.width-least-wl-gutter)
	for i, it := range b.Items {
		line := strings.Repeat(" ", indent) + pad(cut(labels[i], wl, g.ellipsis()), wl, false) + "  " + pad(texts[i], wt, true)
		if !g.wide {
			line = cut(line, g.width, g.ellipsis())
		}
		if room >= 4 {
			line += "  " + bar(it.Value, b.most(), room, g.o.ASCII)
		}
		g.line(line, Plain)
	}
}

// bar is v of most as blocks in room columns, to an eighth of a column, or in
// ASCII to a whole one. Anything above 0 can be seen.
func bar(v, most float64, room int, ascii bool) string {
	if v <= 0 {
		return ""
	}
	if ascii {
		return strings.Repeat("#", max(int(math.Round(v/most*float64(room))), 1))
	}
	eighths := max(int(math.Round(v/most*float64(room*8))), 1)
	return strings.Repeat("█", eighths/8) + []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}[eighths%8]
}

// Spark is a row of values as blocks of eight heights, lowest to highest; equal
// values are drawn in the middle and a NaN is a gap.
func Spark(values []float64) string {
	known := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(known) == 0 {
		return strings.Repeat(" ", len(values))
	}
	low, high := slices.Min(known), slices.Max(known)
	var b strings.Builder
	for _, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			b.WriteByte(' ')
		case high == low:
			b.WriteRune('▄')
		default:
			b.WriteRune('▁' + rune(math.Round((v-low)/(high-low)*7)))
		}
	}
	return b.String()
}

// percent is the length of a bar in HTML.
func (b Bars) percent(it Bar) string {
	if it.Value <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", it.Value/b.most()*100)
}
