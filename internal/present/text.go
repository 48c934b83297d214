package present

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// measure counts terminal columns by grapheme cluster: wide characters and
// emoji are 2, ambiguous ones such as box lines 1, whatever the locale says.
var measure displaywidth.Options

// width is the number of terminal columns of s.
func width(s string) int { return measure.String(s) }

// clean makes text safe for one line of a terminal: no control or invisible
// format characters (a provider's name must not move the cursor), line ends and
// odd spaces as spaces, and no character that would merge with its neighbours.
func clean(s string) string {
	if printable(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && r != '\u3000':
			return ' '
		case r == '\u200D': // joins emoji
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, s)
	for s != "" && width(" "+s) != 1+width(s) {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	for s != "" && width(s+" ") != width(s)+1 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// printable reports plain ASCII, which is most text.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// cut shortens s to w columns, the last of them the ellipsis.
func cut(s string, w int, ellipsis string) string {
	if width(s) <= w {
		return s
	}
	if w <= width(ellipsis) {
		return measure.TruncateString(s, max(w, 0), "")
	}
	head := measure.TruncateString(s, w-width(ellipsis), "")
	return strings.TrimRight(head, " ") + ellipsis
}

// pad fills s with spaces to w columns.
func pad(s string, w int, right bool) string {
	fill := strings.Repeat(" ", max(w-width(s), 0))
	if right {
		return fill + s
	}
	return s + fill
}

// wrap breaks one line of text at w columns (at least narrowest): at its
// separating dots if it has any, otherwise between words or between wide
// characters. Runs of spaces inside a line are kept; continuation lines hang by
// hang columns.
func wrap(s string, w, hang int) []string {
	s = strings.TrimRight(s, " ")
	if width(s) <= w {
		return []string{s}
	}
	var lines []string
	line, used, margin := "", 0, 0
	hang = min(hang, w/2)
	next := func() {
		lines = append(lines, strings.TrimRight(line, " "))
		line, used, margin = strings.Repeat(" ", hang), hang, hang
	}
	for _, a := range pieces(s, w-hang) {
		a.gap = min(a.gap, w/2)
		if used > margin && used+a.gap+a.width > w {
			next()
			a.gap = 0
		}
		line, used = line+strings.Repeat(" ", a.gap), used+a.gap
		for used+a.width > w { // longer than a whole line: an address, say
			head := measure.TruncateString(a.text, w-used, "")
			line += head
			a.text = a.text[len(head):]
			a.width = width(a.text)
			next()
		}
		line, used = line+a.text, used+a.width
	}
	return append(lines, line)
}

// pieces are the parts between the dots of a headline such as
// "H100 · USD per hour", where they fit a line of w columns, and the words of
// the others.
func pieces(s string, w int) []atom {
	for _, dot := range []string{" · ", " | "} {
		parts := strings.Split(s, dot)
		if len(parts) == 1 {
			continue
		}
		var all []atom
		for i, part := range parts {
			if i < len(parts)-1 {
				part += strings.TrimRight(dot, " ")
			}
			as := atoms(part)
			if len(as) > 1 && width(part) <= w {
				text := strings.TrimLeft(part, " ")
				as = []atom{{text, width(text), as[0].gap}}
			}
			if i > 0 && len(as) > 0 {
				as[0].gap++
			}
			all = append(all, as...)
		}
		return all
	}
	return atoms(s)
}

// atom is a piece of text that stays on one line, and the spaces before it.
type atom struct {
	text       string
	width, gap int
}

// Characters that must not begin or end a line of Chinese.
const (
	notFirst = "，。、；：？！）》」』】”’％…"
	notLast  = "（《「『【“‘"
)

// atoms splits at spaces and on either side of wide characters.
func atoms(s string) []atom {
	var all []atom
	gap := 0
	before, wide := " ", false
	for g := measure.StringGraphemes(s); g.Next(); {
		c, w := g.Value(), g.Width()
		if c == " " {
			gap, before = gap+1, c
			continue
		}
		word := w < 2 && !wide
		if before != " " && (word || strings.Contains(notFirst, c) || strings.Contains(notLast, before)) {
			last := &all[len(all)-1]
			last.text, last.width = last.text+c, last.width+w
		} else {
			all = append(all, atom{c, w, gap})
		}
		gap, before, wide = 0, c, w == 2
	}
	return all
}
