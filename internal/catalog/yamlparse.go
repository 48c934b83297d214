package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// The bounds of a YAML file. Anchors and aliases may be used as long as the
// file stays within maxNodes values and maxDepth levels with every alias
// written out.
const (
	maxBytes = 32 << 20
	maxNodes = 2_000_000
	maxDepth = 32
)

// parseYAML reads one bounded YAML document into its tree. The tree is nil
// when there is a problem.
func parseYAML(file string, data []byte) (*yaml.Node, Problems) {
	fail := func(code string, line, col int, what, hint string) (*yaml.Node, Problems) {
		return nil, Problems{{Code: code, File: file, Line: line, Col: col, What: what, Hint: hint}}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(data) > maxBytes {
		return fail("too-large", 1, 1, fmt.Sprintf("the file has %d MiB, more than %d", len(data)>>20, maxBytes>>20), "")
	}
	if line, col, what := badText(data); what != "" {
		return fail("bad-text", line, col, what, "")
	}
	if separators(data) > maxNodes {
		return fail("too-large", 1, 1, fmt.Sprintf("the file has more than %d values", maxNodes), "split it into several files")
	}
	docs, err := readNodes(data)
	if err != nil {
		line, what := syntaxError(err)
		return fail("yaml-syntax", line, firstColumn(data, line), what, "")
	}
	switch {
	case len(docs) == 0:
		return fail("empty-file", 1, 1, "the file is empty", "")
	case len(docs) > 1:
		return fail("second-document", docs[1].Line, docs[1].Column, "a second document begins here; a file holds one", "put it into a file of its own")
	}
	root := docs[0].Content[0]
	if at, what := expand(root); at != nil {
		return fail("too-large", at.Line, at.Column, what, "")
	}
	return root, nil
}

// readNodes parses at most two documents. The library panics on a few
// malformed inputs; that is a syntax error like any other.
func readNodes(data []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			docs, err = nil, fmt.Errorf("not readable as YAML: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for len(docs) < 2 {
		doc := new(yaml.Node)
		if err := dec.Decode(doc); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// syntaxError splits the library's message, "yaml: line 3: what", into line
// and text; it names no line for the first.
func syntaxError(err error) (line int, what string) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, what, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			return line, "not valid YAML: " + what
		}
	}
	return 1, "not valid YAML: " + text
}

// firstColumn is where the text of a line begins.
func firstColumn(data []byte, line int) int {
	for range line - 1 {
		_, rest, more := bytes.Cut(data, []byte("\n"))
		if !more {
			return 1
		}
		data = rest
	}
	return len(data) - len(bytes.TrimLeft(data, " \t")) + 1
}

// badText finds the first byte that is not UTF-8, the first control character
// and the first tab in an indentation, which YAML readers treat differently.
func badText(data []byte) (line, col int, what string) {
	line, col = 1, 0
	indent := true
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		i += size
		col++
		switch {
		case r == utf8.RuneError && size == 1:
			return line, col, fmt.Sprintf("byte 0x%02x is not UTF-8", data[i-1])
		case r == '\n':
			line, col, indent = line+1, 0, true
		case r == '\t' && indent:
			return line, col, "a tab in the indentation; use spaces"
		case isControl(r):
			return line, col, fmt.Sprintf("control character U+%04X", r)
		case r != ' ':
			indent = false
		}
	}
	return 0, 0, ""
}

// isControl reports a character that has no place in text: it can rewrite a
// terminal. Tab and line breaks are text.
func isControl(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85
}

// separators counts the marks that can begin a value, so that a file of
// nothing but brackets is refused before a tree of it is built.
func separators(data []byte) int {
	n := 0
	for i, c := range data {
		switch c {
		case ',', '[', '{', '\n':
			n++
		case '-', ':', '?':
			if i+1 == len(data) || strings.IndexByte(" \t\r\n,[]{}\"'", data[i+1]) >= 0 {
				n++
			}
		}
	}
	return n
}

// extent is the size and depth of a node with every alias written out.
type extent struct{ nodes, depth int }

// expand checks the bounds of a tree in one pass: each anchor is measured
// once. It returns the place where a bound breaks.
func expand(root *yaml.Node) (at *yaml.Node, what string) {
	const open = -1
	seen := map[*yaml.Node]extent{}
	var measure func(n *yaml.Node, depth int) extent
	measure = func(n *yaml.Node, depth int) extent {
		if at != nil {
			return extent{}
		}
		if depth > maxDepth {
			at, what = n, fmt.Sprintf("nested deeper than %d levels", maxDepth)
			return extent{}
		}
		if n.Kind == yaml.AliasNode {
			e, known := seen[n.Alias]
			if !known || e.nodes == open {
				at, what = n, fmt.Sprintf("the alias *%s contains itself", n.Value)
			}
			if depth+e.depth > maxDepth {
				at, what = n, fmt.Sprintf("nested deeper than %d levels by the alias *%s", maxDepth, n.Value)
			}
			return e
		}
		if n.Anchor != "" {
			seen[n] = extent{open, 0}
		}
		e := extent{1, 0}
		for _, c := range n.Content {
			ce := measure(c, depth+1)
			e.nodes, e.depth = e.nodes+ce.nodes, max(e.depth, ce.depth+1)
			if e.nodes > maxNodes && at == nil {
				at, what = c, fmt.Sprintf("with its aliases written out the file has more than %d values", maxNodes)
			}
		}
		if n.Anchor != "" {
			seen[n] = e
		}
		return e
	}
	measure(root, 0)
	return at, what
}
