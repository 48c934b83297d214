package catalog

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Decimal is the text of a plain number: digits, at most one point. It is for
// numbers whose meaning depends on their surroundings.
type Decimal string

// badCurrency stands for a currency whose problem is reported already.
const badCurrency money.Currency = "???"

var (
	currencyType = reflect.TypeFor[money.Currency]()
	dateType     = reflect.TypeFor[Date]()
	countType    = reflect.TypeFor[unit.Count]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// isScalar reports a type that is read from a single value.
func isScalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return true
	}
	return t == amountType || t == dateType || t == countType || reflect.PointerTo(t).Implements(textType)
}

// isNull reports a value that YAML takes for nothing: empty, ~ or null.
func isNull(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Kind != yaml.ScalarNode || n.Style&quoted != 0 {
		return false
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// fault is what is wrong with the text of a scalar.
type fault struct{ code, what, hint string }

func (d *decoder) scalar(at, n *yaml.Node, v reflect.Value, f *planField, p *path, cur money.Currency) {
	if n.Kind != yaml.ScalarNode {
		d.kind(at, n, p, yaml.ScalarNode)
		return
	}
	if isNull(n) {
		hint := "leave the key out"
		if v.Kind() == reflect.String {
			hint += ", or quote the text"
		}
		d.report(at, p, "empty-value", "there is no value", hint)
		return
	}
	if x := readScalar(n.Value, v, f, cur); x != nil {
		d.report(at, p, x.code, x.what, x.hint)
	}
}

// readScalar reads the text of a scalar into v.
func readScalar(text string, v reflect.Value, f *planField, cur money.Currency) *fault {
	switch dst := v.Addr().Interface().(type) {
	case *Date:
		var err error
		if *dst, err = ParseDate(text); err != nil {
			return &fault{"bad-date", err.Error(), ""}
		}
		return nil
	case *money.Amount:
		return readAmount(dst, text, cur)
	case *money.Currency:
		if *dst = money.Currency(text); !KnownCurrency(*dst) {
			return &fault{"unknown-currency", fmt.Sprintf("unknown currency %q, want an ISO 4217 code", text), currencyHint(text)}
		}
		return nil
	case *money.Quantity:
		var err error
		if *dst, err = money.ParseQuantity(text); err != nil {
			return &fault{"bad-number", err.Error(), ""}
		}
		return nil
	case *unit.Count:
		return readCount(dst, text)
	case *unit.Per:
		var err error
		if *dst, err = unit.ParsePer(text); err != nil {
			return &fault{"unknown-unit", err.Error(), didYouMean(text, f.oneOf)}
		}
		return nil
	case encoding.TextUnmarshaler:
		if err := dst.UnmarshalText([]byte(text)); err != nil {
			return &fault{"bad-value", err.Error(), ""}
		}
		return nil
	case *Decimal:
		*dst = Decimal(text)
		if _, ok := plainFloat(text, f.signed); !ok {
			return notPlain(text)
		}
		return nil
	}
	return readKind(text, v, f)
}

func readKind(text string, v reflect.Value, f *planField) *fault {
	switch v.Kind() {
	case reflect.String:
		for _, r := range text {
			if isControl(r) {
				return &fault{"bad-text", fmt.Sprintf("control character U+%04X in the text", r), ""}
			}
		}
		if len(f.oneOf) > 0 && !slices.Contains(f.oneOf, text) {
			return &fault{"unknown-word", fmt.Sprintf("unknown word %q", text), didYouMean(text, f.oneOf)}
		}
		if text == "" && f.required {
			return &fault{"empty-value", "there is no text", ""}
		}
		v.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return &fault{"bad-bool", fmt.Sprintf("not true or false: %q", text), ""}
		}
		v.SetBool(text == "true")
	case reflect.Float64:
		x, ok := plainFloat(text, f.signed)
		if !ok {
			return notPlain(text)
		}
		v.SetFloat(x)
		return f.limits(x, text)
	default:
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if _, ok := plainFloat(text, f.signed); !ok || err != nil {
			return &fault{"bad-number", fmt.Sprintf("not a whole number: %q", text), ""}
		}
		v.SetInt(i)
		return f.limits(float64(i), text)
	}
	return nil
}

func readAmount(dst *money.Amount, text string, cur money.Currency) *fault {
	a, err := money.Parse(text, cur)
	if err != nil {
		return &fault{"bad-number", err.Error(), ""}
	}
	switch cur {
	case "":
		return &fault{"missing-key", "an amount without a currency", "state currency beside it or at the provider"}
	case badCurrency:
		return nil
	}
	*dst = a
	return nil
}

func readCount(dst *unit.Count, text string) *fault {
	c, err := unit.ParseCount(text)
	if err == nil {
		*dst = c
		return nil
	}
	if x, ok := plainFloat(text, false); ok && x == 0 {
		return &fault{"zero-gpus", fmt.Sprintf("%s GPUs in something that is sold as a GPU", text), "leave gpus out when the number is not known"}
	} else if ok && x < 1 {
		return &fault{"bad-number", fmt.Sprintf("%v: %q", err, text), fmt.Sprintf("write the part of a card as a fraction, perhaps 1/%.0f", 1/x)}
	}
	return &fault{"bad-number", fmt.Sprintf("%v: %q", err, text), ""}
}

func notPlain(text string) *fault {
	return &fault{"bad-number", fmt.Sprintf("not a plain number: %q", text), ""}
}

// plainFloat reads digits with at most one point between them, after a minus
// sign where one is allowed.
func plainFloat(text string, signed bool) (float64, bool) {
	digits := text
	if signed {
		digits = strings.TrimPrefix(digits, "-")
	}
	whole, frac, point := strings.Cut(digits, ".")
	plain := func(s string) bool { return s != "" && strings.TrimLeft(s, "0123456789") == "" }
	if !plain(whole) || point && !plain(frac) || len(whole) > 1 && whole[0] == '0' {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// limits checks a number against the limits of its field.
func (f *planField) limits(x float64, text string) *fault {
	lo, hi := math.Inf(-1), math.Inf(1)
	if f.min != "" {
		lo, _ = strconv.ParseFloat(f.min, 64)
	}
	if f.max != "" {
		hi, _ = strconv.ParseFloat(f.max, 64)
	}
	switch {
	case x < lo:
		return &fault{"out-of-range", fmt.Sprintf("%s is below %s", text, f.min), ""}
	case x > hi:
		return &fault{"out-of-range", fmt.Sprintf("%s is above %s", text, f.max), ""}
	}
	return nil
}
