package present

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/purchase"
)

// object is a JSON object that keeps the order of its keys.
type object []pair

type pair struct {
	key   string
	value any
}

// set adds a key; a dot in its name nests it.
func (o object) set(name string, v any) object {
	outer, inner, nested := strings.Cut(name, ".")
	if !nested {
		return append(o, pair{name, v})
	}
	for i := range o {
		if in, ok := o[i].value.(object); ok && o[i].key == outer {
			o[i].value = in.set(inner, v)
			return o
		}
	}
	return append(o, pair{outer, object{}.set(inner, v)})
}

// MarshalJSON writes the keys in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(p.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(p.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// value is a value with its unit, for people; "" when there is none.
func (b Bought) value(v any, unit string) string {
	switch x := v.(type) {
	case money.Amount:
		return Coded(x, amountDecimals(x))
	case bool:
		return b.Lang.T(map[bool]string{true: "buy.yes", false: "buy.no"}[x])
	case string:
		return x
	case float64:
		s := b.bare(v, unit)
		if key := "unit." + unit; s != "" && unit != "" && unit != "share" {
			if word := b.Lang.T(key); word != key {
				return s + word
			}
		}
		return s
	}
	return ""
}

// amountDecimals leaves the decimals away where they say nothing, and gives small
// amounts three digits.
func amountDecimals(a money.Amount) int {
	x := math.Abs(money.Quantity(a.Nano()).Float())
	if x >= 10_000 || x == 0 {
		return map[bool]int{true: 0, false: 2}[x > 0]
	}
	for d := 2; d < 9; d++ {
		if x >= math.Pow(10, float64(2-d)) || strings.HasSuffix(a.Round(d+1), "0") {
			return d
		}
	}
	return 9
}

// bare is a value without the word of its unit.
func (b Bought) bare(v any, unit string) string {
	switch x := v.(type) {
	case money.Amount:
		return Amount(x, amountDecimals(x))
	case string:
		return x
	case bool:
		return b.value(x, "")
	case float64:
		switch unit {
		case "share":
			return Share(x, shareDecimals(x))
		case "tokens/day", "tokens/month":
			return Compact(x)
		}
		return significant(x)
	}
	return ""
}

func shareDecimals(x float64) int {
	if a := math.Abs(x); a < 0.01 && a > 1e-5 {
		return 3
	}
	return 1
}

// significant writes about four digits: 9.458, 34,114, 0.3411.
func significant(x float64) string {
	if x == 0 {
		return "0"
	}
	decimals := 3 - int(math.Floor(math.Log10(math.Abs(x))))
	s := Number(x, min(max(decimals, 0), 6))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// formula is how a figure is made, in words and in symbols.
func (b Bought) formula(name string) (words, symbols string) {
	key := "formula." + name
	text := b.Lang.T(key)
	if text == key { // simulated.cost_p90 is made as all that is simulated
		family, _, nested := strings.Cut(name, ".")
		key = "formula." + family
		if text = b.Lang.T(key); text == key || !nested {
			return "", ""
		}
	}
	words, symbols, _ = strings.Cut(text, " = ")
	return words, symbols
}

// explain says how each figure came about.
func (b Bought) explain() Explain {
	var out Explain
	for i := range b.Answer.Figures {
		f := &b.Answer.Figures[i]
		if f.Value == nil {
			continue
		}
		words, symbols := b.formula(f.Name)
		e := Explanation{Name: b.label(f.Name), Value: b.value(f.Value, f.Unit), Formula: words, Symbols: symbols}
		used := map[string]bool{}
		for _, x := range f.Effects {
			if math.Abs(x.Percent) >= 0.05 {
				e.Effects = append(e.Effects, Effect{b.inputLabel(x.Input), x.Percent})
			}
			used[x.Input] = true
		}
		for k := range b.Answer.Inputs {
			if in := &b.Answer.Inputs[k]; len(used) == 0 || used[in.Name] {
				e.Inputs = append(e.Inputs, b.input(in))
			}
		}
		out = append(out, e)
	}
	return out
}

func (b Bought) input(in *purchase.Input) Input {
	source := in.From.Source
	if in.Stated != "" {
		source = strings.TrimSpace(in.Stated + " " + source)
	}
	unit := ""
	if key := "unit." + in.Unit; in.Unit != "" && in.Unit != "share" && b.Lang.T(key) != key {
		unit = strings.TrimSpace(b.Lang.T(key))
	}
	value := b.bare(in.Mid, in.Unit)
	if in.Ranged() {
		value = withSpan(value, span(b.bare(in.Low, in.Unit), b.bare(in.High, in.Unit)))
	}
	if a, ok := in.Mid.(money.Amount); ok {
		unit = string(a.Currency())
	}
	return Input{Name: b.inputLabel(in.Name), Value: value, Unit: unit, Origin: in.From.Kind, Source: source, AsOf: in.From.AsOf}
}

// fill puts the answer's own values into a text: {life_months} is that input,
// figure or word.
func (b Bought) fill(text string) string { return b.fillWith(text, nil) }

func (b Bought) fillWith(text string, args map[string]any) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return out.String() + "{" + rest
		}
		out.WriteString(b.word(name, args))
		text = after
	}
}

// word is the value of a name for people.
func (b Bought) word(name string, args map[string]any) string {
	if v, ok := args[name]; ok {
		return b.value(v, "")
	}
	if s, ok := b.Answer.Words[name]; ok {
		if w := b.Lang.T("word." + s); w != "word."+s {
			return w
		}
		return s
	}
	if f := b.Answer.Figure(name); f != nil {
		if s := b.value(f.Value, f.Unit); s != "" {
			return s
		}
		return "n/a"
	}
	for i := range b.Answer.Inputs {
		if in := &b.Answer.Inputs[i]; in.Name == name {
			return b.spanned(in)
		}
	}
	return b.Lang.T("unknown")
}

// spanned is an input with its ends where they differ.
func (b Bought) spanned(in *purchase.Input) string {
	s := b.value(in.Mid, in.Unit)
	if !in.Ranged() {
		return s
	}
	return withSpan(s, span(b.bare(in.Low, in.Unit), b.bare(in.High, in.Unit)))
}
