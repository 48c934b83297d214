package purchase

import (
	"maps"
	"slices"

	"github.com/gpucost/gpucost/internal/money"
)

// Answer is what a question about a way of buying found.
type Answer struct {
	Command  string // as typed: breakeven buy
	Currency money.Currency
	Deciding []string // names of the figures that decide
	Verdict  string   // code of the sentence that says what they mean
	Inputs   Inputs
	Figures  []Figure
	Grids    []Grid
	Doubts   []Doubt
	Words    map[string]string // names and dates for the text: seller, gpu ...
	Next     []string          // commands worth trying next
}

// Figure is one named number of an answer. Its value is a float64, a
// money.Amount, a bool or nil when it does not exist.
type Figure struct {
	Name    string // stable key; a dot nests it in JSON
	Value   any
	Low     any // of ranged inputs; equal to Value without any; nil when an end does not exist
	High    any
	Unit    string
	Effects []Effect // of each input 10 % larger, largest first
}

// Effect is the change of a figure, in percent, when an input is 10 % larger.
type Effect struct {
	Input   string
	Percent float64
}

// Grid is a small table: a curve or a sensitivity.
type Grid struct {
	Name    string
	Columns []Column
	Rows    [][]any // float64, money.Amount, bool, string or nil
}

// Column is one column of a grid.
type Column struct{ Name, Unit string }

// Doubt is something to know about the answer. Words with its figures are
// elsewhere; Args are values that stand in no figure.
type Doubt struct {
	Code string
	Args map[string]any
}

// Figure is the figure of a name; nil when there is none.
func (a *Answer) Figure(name string) *Figure {
	for i := range a.Figures {
		if a.Figures[i].Name == name {
			return &a.Figures[i]
		}
	}
	return nil
}

// Num is the middle of a figure as a number; false when it does not exist.
func (a *Answer) Num(name string) (float64, bool) {
	if f := a.Figure(name); f != nil {
		x, ok := f.Value.(float64)
		return x, ok
	}
	return 0, false
}

// Doubt adds something to know, once.
func (a *Answer) Doubt(code string, args map[string]any) {
	if slices.ContainsFunc(a.Doubts, func(d Doubt) bool { return d.Code == code && maps.Equal(d.Args, args) }) {
		return
	}
	a.Doubts = append(a.Doubts, Doubt{code, args})
}

// Say adds a word for the text.
func (a *Answer) Say(name, word string) {
	if a.Words == nil {
		a.Words = map[string]string{}
	}
	a.Words[name] = word
}

// figures collects the figures of a model and its first error.
type figures struct {
	list []Figure
	err  error
}

func (f *figures) add(name, unit string, v any) {
	f.list = append(f.list, Figure{Name: name, Unit: unit, Value: v})
}

// num adds a number, or nil when it does not exist.
func (f *figures) num(name, unit string, v float64, ok bool) {
	if !ok {
		f.add(name, unit, nil)
		return
	}
	f.add(name, unit, v)
}

// money adds an amount, or nil when it is not known.
func (f *figures) money(name string, a money.Amount) {
	if !a.Known() {
		f.add(name, "", nil)
		return
	}
	f.add(name, "", a)
}

// fail keeps the first error.
func (f *figures) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// sum is the sum of amounts, each times its factor; unknown when one of them is.
func (f *figures) sum(parts ...part) money.Amount {
	var total money.Amount
	for i, p := range parts {
		a, err := times(p.amount, p.factor)
		if err == nil && i > 0 {
			a, err = total.Add(a)
		}
		if err != nil {
			f.fail(err)
			return money.Amount{}
		}
		total = a
	}
	return total
}

// part is an amount and the factor it counts with.
type part struct {
	amount money.Amount
	factor float64
}
