package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// The bounds of JSON and CSV input.
const (
	maxImportBytes = 256 << 20
	maxJSONDepth   = 64
)

// DecodeJSON reads one strict JSON document into the value that into points
// to. Unlike encoding/json alone it refuses a key that stands twice in one
// object, text after the document, invalid UTF-8 and deep nesting, and a
// number read into an interface keeps its text (json.Number). Keys that into
// does not know are ignored: what providers answer grows. With a problem, into
// is left as it was.
func DecodeJSON(file string, data []byte, into any) Problems {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	fail := func(code string, offset int64, what string) Problems {
		line, col := lineAndColumn(data, offset)
		return Problems{{Code: code, File: file, Line: line, Col: col, What: what}}
	}
	if len(data) > maxImportBytes {
		return fail("too-large", 0, fmt.Sprintf("the file has %d MiB, more than %d", len(data)>>20, maxImportBytes>>20))
	}
	if !utf8.Valid(data) {
		return fail("bad-text", invalidUTF8(data), "text that is not UTF-8")
	}
	if code, offset, what := checkJSON(data); what != "" {
		return fail(code, offset, what)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v := reflect.ValueOf(into).Elem()
	out := reflect.New(v.Type())
	if err := dec.Decode(out.Interface()); err != nil {
		if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			ps := fail("wrong-kind", te.Offset, fmt.Sprintf("want %s, got %s", te.Type, te.Value))
			ps[0].Path = te.Field
			return ps
		}
		return fail("json-syntax", dec.InputOffset(), "not valid JSON: "+err.Error())
	}
	v.Set(out.Elem())
	return nil
}

// checkJSON finds what encoding/json lets pass. Syntax comes first, because
// only the check of a whole document tells the right place.
func checkJSON(data []byte) (code string, offset int64, what string) {
	if se, bad := errors.AsType[*json.SyntaxError](json.Unmarshal(data, new(json.RawMessage))); bad {
		if strings.HasSuffix(se.Error(), "after top-level value") {
			return "trailing-data", se.Offset - 1, "something follows the end of the document"
		}
		return "json-syntax", se.Offset - 1, "not valid JSON: " + se.Error()
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var open []jsonLevel
	for {
		tok, err := dec.Token()
		if err != nil {
			return "", 0, "" // the end: the syntax is right
		}
		if top := len(open) - 1; top >= 0 && open[top].keys != nil && tok != json.Delim('}') {
			if open[top].inside = !open[top].inside; open[top].inside {
				key, _ := tok.(string)
				if open[top].keys[key] {
					return "doubled-key", dec.InputOffset() - 1, fmt.Sprintf("the key %q stands twice in one object", key)
				}
				open[top].keys[key] = true
				continue
			}
		}
		switch tok {
		case json.Delim('{'):
			open = append(open, jsonLevel{keys: map[string]bool{}})
		case json.Delim('['):
			open = append(open, jsonLevel{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) > maxJSONDepth {
			return "too-large", dec.InputOffset() - 1, fmt.Sprintf("nested deeper than %d levels", maxJSONDepth)
		}
	}
}

// jsonLevel is one open object or array; keys is nil for an array.
type jsonLevel struct {
	keys   map[string]bool
	inside bool // a key was read, its value comes next
}

// lineAndColumn of a byte offset, both from 1, the column in characters.
func lineAndColumn(data []byte, offset int64) (line, col int) {
	before := data[:min(max(offset, 0), int64(len(data)))]
	line = bytes.Count(before, []byte("\n")) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

func invalidUTF8(data []byte) int64 {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return int64(i)
		}
		i += size
	}
	return int64(len(data))
}
