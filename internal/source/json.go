package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"
)

// Limits of a JSON body. They bound the memory a hostile body can take: a
// list element costs at least 24 bytes when decoded, whatever its text.
const (
	maxDepth    = 64
	maxElements = 1_000_000 // of one list or one object
	maxValues   = 8_000_000 // of the whole body
)

// Errors about whole bodies.
var (
	ErrTooLarge = errors.New("body is too large")
	ErrEmpty    = errors.New("no records")
)

// readAll reads at most limit bytes and refuses what is longer.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%w: more than %d MiB", ErrTooLarge, limit>>20)
	}
	return b, nil
}

// decodeJSON reads one strict JSON value into v: no doubled keys, no bad
// UTF-8, nothing after the value, bounded depth and size.
func (c *collect) decodeJSON(r io.Reader, v any) error {
	b, err := readAll(r, c.f.bodyCap())
	if err != nil {
		return err
	}
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	if err := looksLike(b, "{["); err != nil {
		return err
	}
	if err := strictJSON(b); err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// looksLike reports what a body is when its first byte is not one of want.
func looksLike(b []byte, want string) error {
	switch {
	case len(b) == 0:
		return fmt.Errorf("%w: the body is empty", ErrEmpty)
	case bytes.IndexByte([]byte(want), b[0]) >= 0:
		return nil
	case b[0] == '<':
		return errors.New("this is an HTML or XML page, not JSON")
	}
	return fmt.Errorf("not JSON: starts with %.20q", b)
}

// strictJSON checks what encoding/json lets through.
func strictJSON(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("not valid UTF-8")
	}
	s := jsonScan{b: b}
	s.space()
	if err := s.value(0); err != nil {
		return err
	}
	s.space()
	if s.i < len(b) {
		return s.errorf("data after the end of the JSON value")
	}
	return nil
}

type jsonScan struct {
	b      []byte
	i      int
	values int
}

func (s *jsonScan) errorf(format string, args ...any) error {
	line := 1 + bytes.Count(s.b[:min(s.i, len(s.b))], []byte{'\n'})
	return fmt.Errorf("line %d (byte %d): %s", line, s.i, fmt.Sprintf(format, args...))
}

func (s *jsonScan) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
}

func (s *jsonScan) value(depth int) error {
	if s.values++; s.values > maxValues {
		return s.errorf("more than %d values", maxValues)
	}
	if s.i >= len(s.b) {
		return s.errorf("the JSON ends too early")
	}
	switch s.b[s.i] {
	case '{', '[':
		if depth == maxDepth {
			return s.errorf("nested deeper than %d", maxDepth)
		}
		return s.list(s.b[s.i] == '{', depth+1)
	case '"':
		_, _, err := s.text()
		return err
	}
	// A number or a word: json.Unmarshal checks its spelling.
	from := s.i
	for s.i < len(s.b) && bytes.IndexByte([]byte(" \n\t\r,]}:\"{["), s.b[s.i]) < 0 {
		s.i++
	}
	if s.i == from {
		return s.errorf("a value is missing")
	}
	return nil
}

// list reads an object or an array and its closing bracket.
func (s *jsonScan) list(object bool, depth int) error {
	end := byte(']')
	var seen map[string]bool
	if object {
		end, seen = '}', map[string]bool{}
	}
	s.i++
	for n := 0; ; n++ {
		s.space()
		if n == 0 && s.i < len(s.b) && s.b[s.i] == end {
			s.i++
			return nil
		}
		if n == maxElements {
			return s.errorf("more than %d elements in one list", maxElements)
		}
		if object {
			if err := s.key(seen); err != nil {
				return err
			}
		}
		if err := s.value(depth); err != nil {
			return err
		}
		s.space()
		switch {
		case s.i >= len(s.b):
			return s.errorf("the JSON ends too early")
		case s.b[s.i] == end:
			s.i++
			return nil
		case s.b[s.i] != ',':
			return s.errorf("want a comma, got %.10q", s.b[s.i:])
		}
		s.i++
	}
}

func (s *jsonScan) key(seen map[string]bool) error {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return s.errorf("want a key")
	}
	raw, escaped, err := s.text()
	if err != nil {
		return err
	}
	k := string(raw[1 : len(raw)-1])
	if escaped && json.Unmarshal(raw, &k) != nil {
		return s.errorf("key %.40q is not a JSON string", raw)
	}
	if seen[k] {
		return s.errorf("key %.40q is doubled", k)
	}
	seen[k] = true
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != ':' {
		return s.errorf("want a colon after key %.40q", k)
	}
	s.i++
	s.space()
	return nil
}

// text passes over a string and returns it with its quotes.
func (s *jsonScan) text() (raw []byte, escaped bool, err error) {
	from := s.i
	for s.i++; s.i < len(s.b) && s.b[s.i] != '"'; s.i++ {
		if s.b[s.i] == '\\' {
			escaped = true
			s.i++
		}
	}
	if s.i >= len(s.b) {
		return nil, false, s.errorf("the JSON ends inside a string")
	}
	s.i++
	return s.b[from:s.i], escaped, nil
}

// item decodes one record of a list; a record that does not fit is rejected
// alone, not with its whole list.
func item[T any](c *collect, at string, raw json.RawMessage) (T, bool) {
	var v T
	c.b.Records++
	if err := json.Unmarshal(raw, &v); err != nil {
		c.left(Faulty, "the record does not have the documented shape", at+": "+err.Error())
		return v, false
	}
	return v, true
}

// sorted walks a map in the order of its keys: the same body gives the same
// batch.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
