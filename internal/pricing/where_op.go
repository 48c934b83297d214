package pricing

import (
	"math"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gpucost/gpucost/internal/catalog"
)

func whereUnary(t whereTerm, n *ast.UnaryNode) (whereTerm, error) {
	x, err := compileNode(n.Node)
	if err != nil {
		return t, err
	}
	t.literal = x.literal
	switch {
	case (n.Operator == "not" || n.Operator == "!") && x.kind == kindTruth:
		t.kind, t.text = kindTruth, "not "+x.text
		t.truth = func(row *WhereRow) truth { return -x.truth(row) }
	case (n.Operator == "-" || n.Operator == "+") && x.kind == kindNumber:
		t.kind, t.text, t.number = kindNumber, n.Operator+x.text, x.number
		if n.Operator == "-" {
			t.number = func(row *WhereRow) (float64, bool) {
				v, known := x.number(row)
				return -v, known
			}
		}
	default:
		return t, x.fault("%s %s: %s is %s", n.Operator, x.text, x.text, x.kind)
	}
	return t, nil
}

func whereBinary(t whereTerm, n *ast.BinaryNode) (whereTerm, error) {
	a, err := compileNode(n.Left)
	if err != nil {
		return t, err
	}
	b, err := compileNode(n.Right)
	if err != nil {
		return t, err
	}
	t.literal = a.literal && b.literal
	t.text = a.text + " " + n.Operator + " " + b.text
	a, b, err = asDates(a, b)
	if err != nil {
		return t, err
	}
	t.kind = kindTruth
	switch op := n.Operator; op {
	case "and", "&&", "or", "||":
		return joined(t, a, b, op == "and" || op == "&&")
	case "+", "-", "*", "/":
		return computed(t, a, b, op)
	case "==", "!=", "<", "<=", ">", ">=":
		return compared(t, a, b, op)
	case "in":
		return listed(t, a, b)
	case "contains", "startsWith", "endsWith":
		return worded(t, a, b, op)
	}
	return t, t.fault("%s is not an operator of a filter", n.Operator)
}

// asDates reads the text that a date is compared with.
func asDates(a, b whereTerm) (whereTerm, whereTerm, error) {
	var err error
	if a.kind == kindDate {
		b, err = asDate(b)
	} else if b.kind == kindDate {
		a, err = asDate(a)
	}
	return a, b, err
}

func asDate(t whereTerm) (whereTerm, error) {
	if t.kind == kindList {
		items := make([]whereTerm, len(t.items))
		for i, item := range t.items {
			var err error
			if items[i], err = asDate(item); err != nil {
				return t, err
			}
		}
		t.items = items
		return t, nil
	}
	if t.kind != kindText || !t.literal {
		return t, nil
	}
	d, err := catalog.ParseDate(t.words(nil))
	if err != nil || !d.Known() {
		return t, t.fault("%s is not a date: want \"2026-11-30\", \"2026-11\" or \"2026\"", t.text)
	}
	t.kind, t.number = kindDate, func(*WhereRow) (float64, bool) { return whereDays(d) }
	return t, nil
}

func whereDays(d catalog.Date) (float64, bool) {
	return float64(d.First().Unix() / 86400), d.Known()
}

func joined(t, a, b whereTerm, and bool) (whereTerm, error) {
	for _, x := range [...]whereTerm{a, b} {
		if x.kind != kindTruth {
			return t, x.fault("%s is %s, not a condition", x.text, x.kind)
		}
	}
	t.truth = func(row *WhereRow) truth { return max(a.truth(row), b.truth(row)) }
	if and {
		t.truth = func(row *WhereRow) truth { return min(a.truth(row), b.truth(row)) }
	}
	return t, nil
}

func computed(t, a, b whereTerm, op string) (whereTerm, error) {
	for _, x := range [...]whereTerm{a, b} {
		if x.kind != kindNumber {
			return t, x.fault("%s is %s, not a number", x.text, x.kind)
		}
	}
	t.kind = kindNumber
	t.number = func(row *WhereRow) (float64, bool) {
		x, known := a.number(row)
		y, knownToo := b.number(row)
		switch op {
		case "+":
			x += y
		case "-":
			x -= y
		case "*":
			x *= y
		case "/":
			x /= y
		}
		// What cannot be computed, such as 1/0, is not known either.
		return x, known && knownToo && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	return t, nil
}

func compared(t, a, b whereTerm, op string) (whereTerm, error) {
	switch {
	case a.kind != b.kind, a.kind == kindList:
		return t, t.fault("%s is %s and %s is %s", a.text, a.kind, b.text, b.kind)
	case a.kind == kindNumber, a.kind == kindDate:
		t.truth = compareNumbers(a, b, op)
		return t, nil
	case op != "==" && op != "!=":
		return t, t.fault("%s: %s has no order; use ==, != or in", t.text, a.kind)
	case a.kind == kindTruth:
		t.truth = func(row *WhereRow) truth { return a.truth(row) * b.truth(row) }
	default:
		t.truth = func(row *WhereRow) truth { return truthOf(sameText(row, &a, &b)) }
	}
	if op == "!=" {
		equal := t.truth
		t.truth = func(row *WhereRow) truth { return -equal(row) }
	}
	return t, nil
}

func compareNumbers(a, b whereTerm, op string) func(*WhereRow) truth {
	return func(row *WhereRow) truth {
		x, known := a.number(row)
		y, knownToo := b.number(row)
		if !known || !knownToo {
			return unsure
		}
		switch op {
		case "<":
			return truthOf(x < y)
		case "<=":
			return truthOf(x <= y)
		case ">":
			return truthOf(x > y)
		case ">=":
			return truthOf(x >= y)
		case "!=":
			return truthOf(x != y)
		}
		return truthOf(x == y)
	}
}

// sameText compares without case. A region is also its part before a hyphen
// and its country, as with --region.
func sameText(row *WhereRow, a, b *whereTerm) bool {
	switch {
	case a.same != nil:
		return a.same(row, b.words(row))
	case b.same != nil:
		return b.same(row, a.words(row))
	}
	return a.words(row) == b.words(row)
}

func listed(t, a, b whereTerm) (whereTerm, error) {
	if b.kind != kindList {
		return t, b.fault("%s is %s: after in stands a list such as [\"us\", \"jp\"]", b.text, b.kind)
	}
	var any []func(*WhereRow) truth
	for _, item := range b.items {
		one, err := compared(item, a, item, "==")
		if err != nil {
			return t, err
		}
		any = append(any, one.truth)
	}
	t.truth = func(row *WhereRow) truth {
		found := fails
		for _, holds := range any {
			found = max(found, holds(row))
		}
		return found
	}
	return t, nil
}

func worded(t, a, b whereTerm, op string) (whereTerm, error) {
	for _, x := range [...]whereTerm{a, b} {
		if x.kind != kindText {
			return t, x.fault("%s is %s, not text", x.text, x.kind)
		}
	}
	test := strings.Contains
	switch op {
	case "startsWith":
		test = strings.HasPrefix
	case "endsWith":
		test = strings.HasSuffix
	}
	t.truth = func(row *WhereRow) truth { return truthOf(test(a.words(row), b.words(row))) }
	return t, nil
}
