package estimate

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var (
	textType  = reflect.TypeFor[encoding.TextUnmarshaler]()
	countType = reflect.TypeFor[unit.Count]()
	dateType  = reflect.TypeFor[catalog.Date]()
)

// keyOf is the YAML key of a field, empty for fields that are not read.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// section reports a mapping inside a scenario: a pointer to a struct that is
// not a value of its own.
func section(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && !reflect.PointerTo(t.Elem()).Implements(textType)
}

// lay copies every key that src's file states over dst and records where it
// came from. Lists replace lists; sections are laid key by key.
func (s *Scenario) lay(src *Scenario, from func(key string, at *catalog.At, own string) Origin) {
	if s.origins == nil {
		s.origins = map[string]Origin{}
	}
	s.layStruct(reflect.ValueOf(s).Elem(), reflect.ValueOf(src).Elem(), "", from)
	if s.Offer != nil && src.Offers != nil { // one list of prices, whoever states it
		s.Offer = nil
	}
}

func (s *Scenario) layStruct(dst, src reflect.Value, prefix string, from func(string, *catalog.At, string) Origin) {
	t := src.Type()
	at, _ := reflect.TypeAssert[catalog.At](src.FieldByName("At"))
	for i := range t.NumField() {
		f := t.Field(i)
		key := keyOf(f)
		if key == "" || !at.Has(key) {
			continue
		}
		path := prefix + key
		if !section(f.Type) {
			dst.Field(i).Set(src.Field(i))
			s.origins[path] = from(path, &at, key)
			continue
		}
		if src.Field(i).IsNil() {
			continue
		}
		fresh := reflect.New(f.Type.Elem())
		if !dst.Field(i).IsNil() {
			fresh.Elem().Set(dst.Field(i).Elem())
		}
		fresh.Elem().FieldByName("At").Set(src.Field(i).Elem().FieldByName("At"))
		dst.Field(i).Set(fresh)
		s.layStruct(fresh.Elem(), src.Field(i).Elem(), path+".", from)
	}
}

// Leaf is one value of a scenario.
type Leaf struct {
	Key   string // train.tokens
	Unit  string // GB, h, min, bytes; empty for counts and words
	Text  string // as it is shown
	value reflect.Value
}

// Leaves lists the values that a file or a flag states, in the order of the
// format.
func (s *Scenario) Leaves() []Leaf {
	var out []Leaf
	s.walk(reflect.ValueOf(s).Elem(), "", func(key string, v reflect.Value) {
		if s.Stated(key) && v.Kind() != reflect.Slice {
			out = append(out, Leaf{key, unitOf(v), textOf(v), v})
		}
	})
	return out
}

func (s *Scenario) walk(v reflect.Value, prefix string, visit func(string, reflect.Value)) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		key := keyOf(f)
		switch {
		case key == "":
		case section(f.Type):
			if !v.Field(i).IsNil() {
				s.walk(v.Field(i).Elem(), prefix+key+".", visit)
			}
		default:
			visit(prefix+key, v.Field(i))
		}
	}
}

func unitOf(v reflect.Value) string {
	switch v.Interface().(type) {
	case GB:
		return "GB"
	case Bytes:
		return "bytes"
	case Hours:
		return "h"
	case Minutes:
		return "min"
	case Percent:
		return "%"
	}
	return ""
}

func textOf(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case unit.Count:
		return x.String()
	case catalog.Date:
		return x.String()
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return strings.Trim(string(b), `"`)
}

// number is the adjustable number behind a leaf, or nil.
func (l *Leaf) number() *float64 {
	if l.value.Kind() == reflect.Struct && l.value.NumField() == 1 && l.value.Field(0).Kind() == reflect.Float64 {
		return l.value.Field(0).Addr().Interface().(*float64)
	}
	return nil
}

// MarshalJSON writes what is stated, nested and named as in the file.
func (s *Scenario) MarshalJSON() ([]byte, error) {
	b, err := s.object(reflect.ValueOf(s).Elem(), "")
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (s *Scenario) object(v reflect.Value, prefix string) (json.RawMessage, error) {
	var parts []string
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		key := keyOf(f)
		if key == "" {
			continue
		}
		var b []byte
		var err error
		switch x := v.Field(i); {
		case section(f.Type) && !x.IsNil():
			inside := prefix + key + "."
			if prefix == "-" {
				inside = "-"
			}
			b, err = s.object(x.Elem(), inside)
		case section(f.Type):
			continue
		case x.Kind() == reflect.Slice && x.Len() > 0:
			b, err = s.list(x)
		case x.Kind() == reflect.Slice || s.origins != nil && prefix != "-" && !s.Stated(prefix+key), x.IsZero() && prefix == "-":
			continue
		case f.Type == countType || f.Type == dateType:
			b, err = json.Marshal(textOf(x))
		default:
			b, err = json.Marshal(x.Interface())
		}
		if err != nil {
			return nil, err
		}
		name, _ := json.Marshal(key)
		parts = append(parts, string(name)+":"+string(b))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}"), nil
}

// list writes the mappings of a list, every key that is not empty.
func (s *Scenario) list(v reflect.Value) (json.RawMessage, error) {
	var items []string
	for i := range v.Len() {
		b, err := s.object(v.Index(i), "-")
		if err != nil {
			return nil, err
		}
		items = append(items, string(b))
	}
	return json.RawMessage("[" + strings.Join(items, ",") + "]"), nil
}

// clone copies a scenario so that its numbers can be changed.
func (s *Scenario) clone() *Scenario {
	c := *s
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); section(f.Type()) && keyOf(v.Type().Field(i)) != "" && !f.IsNil() {
			fresh := reflect.New(f.Type().Elem())
			fresh.Elem().Set(f.Elem())
			f.Set(fresh)
		}
	}
	c.Offers = slices.Clone(s.Offers)
	return &c
}
