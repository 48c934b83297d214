package catalog

import (
	"encoding"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Encode writes a struct that [Decode] reads, as YAML for people: fields in
// their order, nothing that is not stated, the items of a list tagged flow on
// one line each. Text that a YAML reader might take for something else is
// quoted.
func Encode(w io.Writer, from any) error {
	e := encoder{plans: plans{}}
	v := reflect.Indirect(reflect.ValueOf(from))
	e.block(v, e.plans.of(v.Type()), "", "")
	_, err := io.WriteString(w, e.out.String())
	return err
}

type encoder struct {
	out   strings.Builder
	plans plans
}

// entry is one key with its value, ready to be written.
type entry struct {
	key string
	f   *planField
	v   reflect.Value
}

// entries lists what a mapping states.
func (e *encoder) entries(v reflect.Value, pl *plan) []entry {
	var out []entry
	cur, amounts := money.Currency(""), 0
	for _, f := range pl.fields {
		if f.group != nil {
			if len(e.entries(v, f.group)) > 0 {
				out = append(out, entry{f.key, f, v})
			}
			continue
		}
		x := v.FieldByIndex(f.index)
		if x.IsZero() && !f.required && !f.always || x.Kind() == reflect.Slice && x.Len() == 0 {
			continue
		}
		out = append(out, entry{f.key, f, x})
		if a, ok := reflect.TypeAssert[money.Amount](reflect.Indirect(x)); ok && a.Known() {
			cur, amounts = a.Currency(), len(out)
		}
	}
	if pl.currency && cur != "" {
		out = slices.Insert(out, amounts, entry{"currency", &planField{}, reflect.ValueOf(cur)})
	}
	return out
}

// block writes a mapping over several lines; lead stands before its first key
// and indent before the others.
func (e *encoder) block(v reflect.Value, pl *plan, lead, indent string) {
	for _, x := range e.entries(v, pl) {
		fmt.Fprintf(&e.out, "%s%s:", lead, x.key)
		lead = indent
		list := x.v.Kind() == reflect.Slice && x.v.Type().Elem().Kind() == reflect.Struct
		switch {
		case x.f.group == nil && list && x.f.flow:
			e.out.WriteByte('\n')
			for i := range x.v.Len() {
				e.out.WriteString(indent + "  - " + e.flow(x.v.Index(i), &planField{}) + "\n")
			}
		case x.f.group == nil && list:
			e.out.WriteByte('\n')
			for i := range x.v.Len() {
				item := x.v.Index(i)
				e.block(item, e.plans.of(item.Type()), indent+"  - ", indent+"    ")
			}
		case x.f.group == nil && !x.f.flow && x.v.Kind() == reflect.Struct && !isScalar(x.v.Type()):
			e.out.WriteByte('\n')
			e.block(x.v, e.plans.of(x.v.Type()), indent+"  ", indent+"  ")
		default:
			e.out.WriteString(" " + e.flow(x.v, x.f) + "\n")
		}
	}
}

// flow writes a value on one line.
func (e *encoder) flow(v reflect.Value, f *planField) string {
	switch {
	case f.group != nil:
		return e.flowMapping(v, f.group)
	case v.Kind() == reflect.Pointer:
		return e.flow(v.Elem(), f)
	case isScalar(v.Type()):
		return scalarText(v)
	case v.Kind() == reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = e.flow(v.Index(i), &planField{})
		}
		return "[" + strings.Join(items, ", ") + "]"
	case v.Kind() == reflect.Map:
		var items []string
		for _, k := range v.MapKeys() {
			items = append(items, quote(k.String())+": "+e.flow(v.MapIndex(k), &planField{}))
		}
		slices.Sort(items)
		return "{" + strings.Join(items, ", ") + "}"
	}
	return e.flowMapping(v, e.plans.of(v.Type()))
}

func (e *encoder) flowMapping(v reflect.Value, pl *plan) string {
	var items []string
	for _, x := range e.entries(v, pl) {
		items = append(items, x.key+": "+e.flow(x.v, x.f))
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// scalarText is the text of a scalar, quoted where it must be.
func scalarText(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case money.Amount:
		if !x.Known() {
			return "null"
		}
		return x.String()
	case Decimal:
		return string(x)
	case Date:
		return x.String()
	case unit.Count:
		return x.String()
	case money.Quantity:
		return x.String()
	case encoding.TextMarshaler:
		text, _ := x.MarshalText()
		return quote(string(text))
	}
	switch v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}

// quote writes text plain where every YAML reader takes it for the same text,
// else between double quotes.
func quote(s string) string {
	if plainText(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s { // a byte that is not UTF-8 becomes U+FFFD here
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case isControl(r):
			b.WriteRune(unicode.ReplacementChar)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// plainText reports text that needs no quotes in a list on one line.
func plainText(s string) bool {
	if s == "" || s[len(s)-1] == ' ' || s[len(s)-1] == ':' || looksTyped(s) {
		return false
	}
	for i, r := range s {
		letter := unicode.IsLetter(r) || r == '_'
		switch {
		case i == 0 && !letter && !unicode.IsDigit(r):
			return false
		case letter || unicode.IsDigit(r) || strings.ContainsRune("-./+()@%=~;*!$^", r):
		case r == ' ' && s[i+1] != '#':
		case r == ':' && s[i+1] == '/':
		default:
			return false
		}
	}
	return true
}

// looksTyped reports text that some reader takes for a number, a date, a
// truth value or nothing: NO, 010, 1e3, 12:30, 2026-11-30.
func looksTyped(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return s[0] >= '0' && s[0] <= '9' && strings.Trim(strings.ToLower(s), "0123456789abcdefox._+-:tz ") == ""
}
