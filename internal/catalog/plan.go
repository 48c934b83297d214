package catalog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// A plan says how a mapping of a YAML file and a struct correspond. It is read
// from the struct's tags:
//
//	yaml:"key"              the key; "-" keeps the field out
//	yaml:"key,required"     the key must be there
//	yaml:"key,signed"       a number may be negative
//	yaml:"key,flow"         written on one line
//	yaml:"key,always"       written also when it is not stated
//	yaml:"group.key"        the key stands in a mapping called group
//	yaml:",inline"          the fields of an embedded struct stand here
//	oneof:"vm pod"          the only words allowed
//	min:"1" max:"100"       limits of a number
//	doc:"..."               for editors
//
// Fields of type Pos and At receive the place of the mapping. A struct that
// holds a money.Amount also has the key currency; without one, the currency
// of the nearest mapping around it counts.
type plan struct {
	fields   []*planField
	byKey    map[string]*planField
	pos, at  []int
	currency bool // holds amounts and no field for their currency
	states   bool // has the key currency, be it a field or not
}

type planField struct {
	key              string
	index            []int
	required, signed bool
	flow, always     bool // for writing
	oneOf            []string
	min, max         string
	doc              string
	group            *plan // the keys of a group; index is not used
}

var (
	posType    = reflect.TypeFor[Pos]()
	atType     = reflect.TypeFor[At]()
	amountType = reflect.TypeFor[money.Amount]()
)

// plans caches the plans of one reading or writing.
type plans map[reflect.Type]*plan

func (ps plans) of(t reflect.Type) *plan {
	if p := ps[t]; p != nil {
		return p
	}
	p := &plan{byKey: map[string]*planField{}}
	ps[t] = p
	p.add(t, nil)
	f := p.byKey["currency"]
	p.currency = p.currency && f == nil
	p.states = p.currency || f != nil && t.FieldByIndex(f.index).Type == currencyType
	return p
}

func (p *plan) add(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		tag, tagged := f.Tag.Lookup("yaml")
		key, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Type == posType && !tagged:
			p.pos = at
		case f.Type == atType:
			p.at = at
		case options == "inline":
			p.add(f.Type, at)
		case key != "-" && f.IsExported():
			p.put(key, at, f, options)
		}
	}
}

func (p *plan) put(key string, at []int, f reflect.StructField, options string) {
	if key == "" {
		panic(fmt.Sprintf("catalog: field %s has no yaml tag", f.Name))
	}
	if group, rest, grouped := strings.Cut(key, "."); grouped {
		g := p.byKey[group]
		if g == nil {
			g = &planField{key: group, flow: true, group: &plan{byKey: map[string]*planField{}}}
			p.fields, p.byKey[group] = append(p.fields, g), g
		}
		g.group.put(rest, at, f, options)
		return
	}
	pf := &planField{
		key: key, index: at, oneOf: strings.Fields(f.Tag.Get("oneof")),
		min: f.Tag.Get("min"), max: f.Tag.Get("max"), doc: f.Tag.Get("doc"),
	}
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "required":
			pf.required = true
		case "signed":
			pf.signed = true
		case "flow":
			pf.flow = true
		case "always":
			pf.always = true
		}
	}
	if len(pf.oneOf) == 0 {
		pf.oneOf = wordsOf(f.Type)
	}
	if f.Type == amountType || f.Type == reflect.PointerTo(amountType) {
		p.currency = true
	}
	p.fields, p.byKey[key] = append(p.fields, pf), pf
}

// wordsOf lists the words of a type that is an enumeration.
func wordsOf(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[Purchase]():
		return words(Purchases())
	case reflect.TypeFor[Confidence]():
		return words([]Confidence{High, Medium, Low})
	case reflect.TypeFor[unit.Per]():
		return words(unit.Pers())
	}
	return nil
}

func words[T ~string](ts []T) []string {
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = string(t)
	}
	return out
}

// keys lists the keys of the plan as written.
func (p *plan) keys() []string {
	var out []string
	for _, f := range p.fields {
		out = append(out, f.key)
	}
	if p.currency {
		out = append(out, "currency")
	}
	return out
}

// places maps each key to the places where the format knows it, such as
// providers[].offers[].
func (ps plans) places(root reflect.Type) map[string][]string {
	out := map[string][]string{}
	open := map[reflect.Type]bool{}
	var walk func(p *plan, t reflect.Type, at string)
	inner := func(f *planField, t reflect.Type, at string) {
		for name := at + f.key; ; t = t.Elem() {
			switch {
			case t.Kind() == reflect.Slice:
				name += "[]"
			case t.Kind() == reflect.Struct && !isScalar(t) && !open[t]:
				open[t] = true
				walk(ps.of(t), t, name+".")
				open[t] = false
				return
			case t.Kind() != reflect.Pointer:
				return
			}
		}
	}
	walk = func(p *plan, t reflect.Type, at string) {
		for _, f := range p.fields {
			out[f.key] = append(out[f.key], strings.TrimSuffix(at, "."))
			if f.group != nil {
				walk(f.group, t, at+f.key+".")
				continue
			}
			inner(f, t.FieldByIndex(f.index).Type, at)
		}
	}
	walk(ps.of(root), root, "")
	return out
}
