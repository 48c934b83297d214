package catalog

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
)

// FileSchema is the JSON Schema of the catalog's YAML files, for editors.
func FileSchema() []byte { return Schema("gpucost catalog", wireFile{}) }

// Schema is the JSON Schema (2020-12) of the files that [Decode] reads into a
// struct like from. An editor checks what it can see; the loader checks more.
func Schema(title string, from any) []byte {
	s := schemas{plans: plans{}, defs: map[string]any{}}
	root := s.object(s.plans.of(reflect.TypeOf(from)), reflect.TypeOf(from))
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	root["patternProperties"] = schema{"^x-": schema{"description": "anchors to be used elsewhere"}}
	root["$defs"] = s.defs
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(err)
	}
	return out.Bytes()
}

type schema = map[string]any

type schemas struct {
	plans plans
	defs  schema
}

// object is the schema of a mapping.
func (s *schemas) object(pl *plan, t reflect.Type) schema {
	props := schema{}
	var required []string
	for _, f := range pl.fields {
		var p schema
		if f.group != nil {
			p = s.object(f.group, t)
		} else {
			p = s.value(t.FieldByIndex(f.index).Type, f)
		}
		if f.doc != "" {
			p["description"] = f.doc
		}
		props[f.key] = p
		if f.required {
			required = append(required, f.key)
		}
	}
	if pl.currency {
		props["currency"] = s.value(currencyType, &planField{})
	}
	out := schema{"type": "object", "additionalProperties": false, "properties": props}
	if required != nil {
		out["required"] = required
	}
	return out
}

func (s *schemas) value(t reflect.Type, f *planField) schema {
	switch {
	case t.Kind() == reflect.Pointer:
		return schema{"anyOf": []any{schema{"type": "null"}, s.value(t.Elem(), f)}}
	case t.Kind() == reflect.Slice && isScalar(t):
		return schema{"anyOf": []any{s.scalar(t, f), schema{"type": "array", "items": s.value(t.Elem(), f)}}}
	case t.Kind() == reflect.Slice:
		return schema{"type": "array", "items": s.value(t.Elem(), f)}
	case t.Kind() == reflect.Map:
		return schema{"type": "object", "additionalProperties": s.value(t.Elem(), f)}
	case isScalar(t):
		return s.scalar(t, f)
	}
	return s.define(strings.TrimPrefix(t.Name(), "wire"), func() schema { return s.object(s.plans.of(t), t) })
}

// define keeps a schema under a name and refers to it.
func (s *schemas) define(name string, what func() schema) schema {
	if _, done := s.defs[name]; !done {
		s.defs[name] = nil // a type inside itself refers to its name
		s.defs[name] = what()
	}
	return schema{"$ref": "#/$defs/" + name}
}

// scalar is what an editor sees of a value: unquoted numbers are numbers to
// it, also where the loader takes text.
func (s *schemas) scalar(t reflect.Type, f *planField) schema {
	named := func(name, pattern string, types ...string) schema {
		return s.define(name, func() schema {
			out := schema{"type": types}
			if pattern != "" {
				out["pattern"] = pattern
			}
			return out
		})
	}
	number := `^(0|[1-9][0-9]*)(\.[0-9]+)?$`
	if f.signed {
		number = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`
	}
	switch kind := t.Kind(); {
	case len(f.oneOf) > 0:
		return schema{"enum": f.oneOf}
	case t == currencyType:
		return named("Currency", "^[A-Z]{3}$", "string")
	case t == dateType:
		return named("Date", `^(unknown|[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)$`, "string", "integer")
	case t == countType:
		return named("Count", `^[1-9][0-9]*(/[1-9][0-9]*)?$`, "string", "integer")
	case kind == reflect.Bool:
		return schema{"type": "boolean"}
	case kind == reflect.Int || kind == reflect.Int64 && t != reflect.TypeFor[money.Quantity]():
		return f.limited(schema{"type": []string{"integer", "string"}, "pattern": number})
	case kind == reflect.Float64, kind == reflect.Int64, t == amountType, t == reflect.TypeFor[Decimal]():
		return f.limited(schema{"type": []string{"number", "string"}, "pattern": number})
	}
	return named("Text", "", "string", "number", "boolean")
}

// limited adds the limits of a number.
func (f *planField) limited(out schema) schema {
	if !f.signed {
		out["minimum"] = 0
	}
	if f.min != "" {
		out["minimum"] = json.Number(f.min)
	}
	if f.max != "" {
		out["maximum"] = json.Number(f.max)
	}
	return out
}
