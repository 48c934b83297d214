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

	"github.com/gpucost/gpucost/internal/catalog"
)

const (
	maxDepth    = 64
	maxElements = 2_000_000 // of all lists and objects of a body: a list element takes 24 bytes and more, whatever its text
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

// decodeJSON reads one strict JSON value into what v points to.
func (c *collect) decodeJSON(r io.Reader, v any) error {
	b, err := readAll(r, c.f.bodyCap())
	if err != nil {
		return err
	}
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	if err := looksLike(b, "{["); err != nil {
		return err
	}
	return strictJSON(b, v)
}

// strictJSON decodes b, which must not be able to fill the memory with lists
// of nothing.
func strictJSON(b []byte, v any) error {
	if n := bytes.Count(b, []byte(",")); n > maxElements {
		return fmt.Errorf("%w: more than %d elements", ErrTooLarge, maxElements)
	}
	if ps := catalog.DecodeJSON("body", b, v); len(ps) > 0 {
		return errors.New(ps[0].String())
	}
	return nil
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

// item decodes one record of a list; a record that does not fit is rejected
// alone, not with its whole list.
func item[T any](c *collect, at string, raw json.RawMessage) (T, bool) {
	var v T
	c.b.Records++
	if err := json.Unmarshal(raw, &v); err != nil {
		c.reject("the record does not have the documented shape", at+": "+err.Error())
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
