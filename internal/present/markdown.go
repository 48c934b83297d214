package present

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// markdown writes blocks as GitHub-flavoured Markdown. Every column of a table
// is shown and nothing is cut.
type markdown struct {
	out  *bytes.Buffer
	lang Lang
}

func writeMarkdown(b *bytes.Buffer, d Doc, o Options) error {
	blocks, err := d.Screen.blocks()
	if err != nil {
		return err
	}
	m := &markdown{b, o.Lang}
	for i, blk := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		blk.markdown(m)
	}
	return nil
}

// mdSpecial are the characters that may mean something inside a line.
var mdSpecial = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[\\\\`*_\\[\\]<>|~&]") })

// mdStart are beginnings of a line that would make it something else.
var mdStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([#+=-]|[0-9]+[.)])`) })

// mdText escapes text for the inside of a line.
func mdText(s string) string {
	return mdSpecial().ReplaceAllString(strings.TrimSpace(clean(s)), `\$0`)
}

// mdLine escapes text that begins a line.
func mdLine(s string) string {
	s = mdText(s)
	if at := mdStart().FindStringIndex(s); at != nil {
		return s[:at[1]-1] + `\` + s[at[1]-1:]
	}
	return s
}

func (m *markdown) line(s string) { m.out.WriteString(s + "\n") }

// title is a line of its own in bold, followed by an empty line.
func (m *markdown) title(s string) {
	if s != "" {
		m.line("**" + mdText(s) + "**\n")
	}
}

// fenced shows what a grid draws.
func (m *markdown) fenced(b Block) {
	g := newGrid(m.out, Options{Lang: m.lang})
	m.line("```text")
	b.grid(g)
	m.line("```")
}

func (l Lines) markdown(m *markdown) {
	var paragraphs []string
	for _, s := range l.Text {
		if s = mdLine(s); s == "" {
			continue
		}
		if l.Tone == Strong {
			s = "**" + s + "**"
		}
		paragraphs = append(paragraphs, s+"\n")
	}
	m.out.WriteString(strings.Join(paragraphs, "\n"))
}

func (t Table) markdown(m *markdown) {
	m.title(t.Caption)
	heads, rules := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i], rules[i] = mdText(c.Head), "---"
		if c.Right {
			rules[i] = "---:"
		}
	}
	m.line("| " + strings.Join(heads, " | ") + " |")
	m.line("|" + strings.Join(rules, "|") + "|")
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = strings.TrimSpace(mdText(c.shown()) + " " + mdText(c.Marks))
		}
		m.line("| " + strings.Join(cells, " | ") + " |")
	}
}

func (n Notes) markdown(m *markdown) {
	for _, it := range n.Items {
		m.line("- **" + mdText(it.Mark) + "** " + mdText(it.Text))
	}
}

func (b Bars) markdown(m *markdown) { m.fenced(b) }
func (p Plot) markdown(m *markdown) { m.fenced(p) }

func (x Explain) markdown(m *markdown) {
	for i, e := range x {
		if i > 0 {
			m.line("")
		}
		m.title(e.title())
		m.line(mdLine(e.formula()))
		if len(e.Inputs) > 0 {
			m.line("")
		}
		for _, in := range e.Inputs {
			m.line("- " + mdText(in.Name) + ": " + mdText(in.amount()) + " (" + mdText(in.origin()) + ")")
		}
		for j, f := range e.Effects {
			if j == 0 {
				m.line("\n" + mdLine(m.lang.T("effects", "")) + "\n")
			}
			m.line("- " + mdText(f.Input) + ": " + Percent(f.Percent, 1))
		}
	}
}
