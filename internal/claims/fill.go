package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// fill puts the facts into the places {name} of a sentence.
func fill(sentence string, fact func(name string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(sentence, "{")
		b.WriteString(before)
		if !open {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		value, ok := fact(name)
		if !closed || !ok {
			return "", fmt.Errorf("no fact {%s", name)
		}
		b.WriteString(value)
		sentence = after
	}
}

// plain is a number for programs: at most six decimals, no exponent.
func plain(x float64) Decimal {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	s := strconv.FormatFloat(x, 'f', 6, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		s = "0"
	}
	return Decimal(s)
}

// spoken is a number for people: three digits, or all before the point, with
// commas between thousands.
func spoken(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "?"
	}
	decimals := 0
	for a := math.Abs(x); a != 0 && a < 99.95 && decimals < 6; decimals++ {
		a *= 10
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return grouped(s)
}

// percent is a share as a percentage for people, one decimal below 10 %.
func percent(x float64) string {
	p, decimals := 100*x, 0
	if math.Abs(p) < 10 {
		decimals = 1
	}
	s := strings.TrimSuffix(strconv.FormatFloat(p, 'f', decimals, 64), ".0")
	if s == "-0" {
		s = "0"
	}
	return strings.Replace(s, "-", "−", 1)
}

// signed is percent with its sign.
func signed(x float64) string {
	s := percent(x)
	if s != "0" && x > 0 {
		s = "+" + s
	}
	return s
}

// price is an amount for people: two decimals, four below 0.10.
func price(a money.Amount) string {
	decimals := 2
	if n := a.Nano(); n > -100_000_000 && n < 100_000_000 {
		decimals = 4
	}
	return grouped(a.Round(decimals))
}

func grouped(s string) string {
	whole, frac, point := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return sign + whole + "." + frac
	}
	return sign + whole
}

// span is "low–high", or one of them where they read alike.
func span(low, high string) string {
	switch {
	case low == high:
		return low
	case strings.HasPrefix(low, "−"):
		return low + " … " + high
	}
	return low + "–" + high
}

func currencyName(c money.Currency) Text {
	switch c {
	case "USD":
		return Text{"USD", "美元"}
	case "CNY":
		return Text{"CNY", "元"}
	}
	return Text{string(c), string(c)}
}

// last is the last day a date may mean.
func last(d catalog.Date) time.Time {
	t := d.First()
	switch {
	case d.Month == 0:
		return t.AddDate(1, 0, -1)
	case d.Day == 0:
		return t.AddDate(0, 1, -1)
	}
	return t
}
