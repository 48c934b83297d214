package pricing

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Where is a compiled filter over quotes, such as
//
//	vram >= 80 and spot and price < 3 and region in ["us", "jp"]
//
// The grammar is that of expr-lang without functions, and the names are those
// of a quote in JSON. Only the parser is used: the filter is evaluated here
// because it must treat what is not known as neither true nor false. A
// comparison with an unknown number is unknown, so is its negation, and an
// unknown filter does not let a quote pass. It never fails on a quote.
type Where struct {
	holds func(*WhereRow) truth
}

// Bounds of a filter.
const (
	longestWhere = 2000 // bytes
	mostNodes    = 300  // of the syntax tree
)

// WhereError is a filter that cannot be used.
type WhereError struct {
	Column  int // of the fault, in characters from 1; 0 when it is the whole
	Problem string
	Near    []string // names that may have been meant
}

func (e *WhereError) Error() string {
	if e.Column == 0 {
		return e.Problem
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.Problem)
}

// CompileWhere reads a filter. The error is a [WhereError].
func CompileWhere(text string) (*Where, error) {
	if len(text) > longestWhere {
		return nil, &WhereError{Problem: fmt.Sprintf("longer than %d bytes", longestWhere)}
	}
	text = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text)
	tree, err := parser.ParseWithConfig(text, &conf.Config{MaxNodes: mostNodes, DisableIfOperator: true})
	if err != nil {
		return nil, whereSyntax(err)
	}
	t, err := compileNode(tree.Node)
	if err != nil {
		return nil, err
	}
	if t.kind != kindTruth {
		return nil, t.fault("%s is %s, not a condition", t.text, t.kind)
	}
	return &Where{t.truth}, nil
}

// whereSyntax is the parser's error on one line.
func whereSyntax(err error) error {
	at, ok := errors.AsType[*file.Error](err)
	if !ok {
		return &WhereError{Problem: err.Error()}
	}
	problem := strings.TrimPrefix(at.Message, "compilation failed: ")
	switch problem {
	case "unexpected token EOF":
		problem = "the filter ends too early"
	case `unexpected token Operator("=")`:
		problem = "write == for equal"
	}
	return &WhereError{Column: at.Column + 1, Problem: problem}
}

// Match reports whether the quote passes.
func (w *Where) Match(row WhereRow) bool { return w.holdsFor(row) == holds }

func (w *Where) holdsFor(row WhereRow) truth { return w.holds(&row) }

// truth is yes, no or unknown, with the logic of Kleene: unknown and no is no,
// unknown or yes is yes, and everything else with unknown is unknown.
type truth int8

const (
	fails truth = iota - 1
	unsure
	holds
)

func truthOf(b bool) truth {
	if b {
		return holds
	}
	return fails
}

// whereKind is what an expression is.
type whereKind string

const (
	kindTruth  whereKind = "a condition"
	kindNumber whereKind = "a number"
	kindText   whereKind = "text"
	kindDate   whereKind = "a date"
	kindList   whereKind = "a list"
)

// whereTerm is a compiled expression; its kind says which of the functions is set.
type whereTerm struct {
	kind    whereKind
	text    string // as written, for errors
	column  int
	literal bool
	truth   func(*WhereRow) truth
	number  func(*WhereRow) (v float64, known bool) // of a date: days
	words   func(*WhereRow) string                  // lower case
	same    func(row *WhereRow, word string) bool   // how text equals a word, where not by its letters
	items   []whereTerm
}

func (t *whereTerm) fault(format string, args ...any) *WhereError {
	return &WhereError{Column: t.column, Problem: fmt.Sprintf(format, args...)}
}

// compileNode turns a syntax tree into closures. What is not listed is refused:
// functions, loops, indexing and ranges have no place in a filter.
func compileNode(n ast.Node) (whereTerm, error) {
	t := whereTerm{column: n.Location().From + 1, literal: true}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return whereField(n.Value, t.column)
	case *ast.IntegerNode:
		return whereNumber(t, float64(n.Value)), nil
	case *ast.FloatNode:
		return whereNumber(t, n.Value), nil
	case *ast.StringNode:
		word := strings.ToLower(n.Value)
		t.kind, t.text = kindText, fmt.Sprintf("%q", n.Value)
		t.words = func(*WhereRow) string { return word }
		return t, nil
	case *ast.BoolNode:
		v := truthOf(n.Value)
		t.kind, t.text = kindTruth, fmt.Sprint(n.Value)
		t.truth = func(*WhereRow) truth { return v }
		return t, nil
	case *ast.ArrayNode:
		return whereList(t, n.Nodes)
	case *ast.UnaryNode:
		return whereUnary(t, n)
	case *ast.BinaryNode:
		return whereBinary(t, n)
	}
	return t, t.fault("a filter holds fields, numbers, texts, lists, comparisons, and, or, not; no functions")
}

func whereNumber(t whereTerm, v float64) whereTerm {
	t.kind, t.text = kindNumber, fmt.Sprint(v)
	t.number = func(*WhereRow) (float64, bool) { return v, true }
	return t
}

func whereList(t whereTerm, nodes []ast.Node) (whereTerm, error) {
	t.kind, t.text = kindList, "a list"
	for _, n := range nodes {
		item, err := compileNode(n)
		if err != nil {
			return t, err
		}
		if !item.literal || item.kind != kindNumber && item.kind != kindText {
			return t, item.fault("%s: a list holds numbers or texts", item.text)
		}
		t.items = append(t.items, item)
	}
	return t, nil
}
