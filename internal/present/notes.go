package present

import "strings"

// Note is a footnote.
type Note struct{ Mark, Text string }

// Notes are the footnotes of a screen, in the order in which they were needed.
type Notes struct{ Items []Note }

const noteMarks = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Mark returns the mark of a note, a single letter, adding the note if it is
// new. Past 52 different notes they share the mark "+".
func (n *Notes) Mark(text string) string {
	for _, it := range n.Items {
		if it.Text == text {
			return it.Mark
		}
	}
	mark := "+"
	if len(n.Items) < len(noteMarks) {
		mark = noteMarks[len(n.Items) : len(n.Items)+1]
	}
	n.Items = append(n.Items, Note{mark, text})
	return mark
}

func (n Notes) empty() bool  { return len(n.Items) == 0 }
func (n Notes) check() error { return nil }

// grid sets short notes side by side and long ones on lines of their own.
func (n Notes) grid(g *grid) {
	const between = "    "
	line := ""
	flush := func() {
		if line != "" {
			g.text(line, 5, Plain)
		}
		line = ""
	}
	for _, it := range n.Items {
		s := g.say(it.Mark) + "  " + g.say(it.Text)
		if line != "" && width(line+between+s) <= g.width {
			line += between + s
			continue
		}
		flush()
		line = strings.Repeat(" ", indent) + s
	}
	flush()
}
