package present

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Explain shows where numbers come from, one paragraph a number. As JSON it is
// an array of objects.
type Explain []Explanation

// Explanation is one number of an answer and all that it was made of.
type Explanation struct {
	Name    string   `json:"name"`
	Value   string   `json:"value"`             // with its unit; empty when not known
	Formula string   `json:"formula"`           // in words
	Symbols string   `json:"symbols,omitempty"` // the same in symbols
	Inputs  []Input  `json:"inputs"`
	Effects []Effect `json:"effects,omitempty"` // see [Explanation.Order]
}

// Input is one value that a number was made of.
type Input struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Unit   string `json:"unit"`
	Origin string `json:"origin"`           // flag, scenario, default, calibrated, catalog
	Source string `json:"source,omitempty"` // id of a source, file and line
	AsOf   string `json:"as_of,omitempty"`  // date of the value
}

// Effect is what 10 % more of an input does to the number.
type Effect struct {
	Input   string  `json:"input"`
	Percent float64 `json:"percent"` // change of the number
}

// Order puts the effects largest first, whichever way they go.
func (e *Explanation) Order() {
	slices.SortStableFunc(e.Effects, func(a, b Effect) int {
		switch d := math.Abs(b.Percent) - math.Abs(a.Percent); {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return strings.Compare(a.Input, b.Input)
	})
}

func (x Explain) empty() bool { return len(x) == 0 }

func (x Explain) check() error {
	for _, e := range x {
		for _, f := range e.Effects {
			if err := finite(fmt.Sprintf("effect of %s on %s", f.Input, e.Name), f.Percent); err != nil {
				return err
			}
		}
	}
	return nil
}

// title is "name = value".
func (e Explanation) title() string {
	if e.Value == "" {
		return e.Name + ": n/a"
	}
	return e.Name + " = " + e.Value
}

// formula is the formula in words and, if stated, in symbols.
func (e Explanation) formula() string {
	if e.Symbols == "" {
		return e.Formula
	}
	return e.Formula + "  [" + e.Symbols + "]"
}

// amount is the value of an input with its unit.
func (in Input) amount() string {
	if in.Value == "" {
		return "n/a"
	}
	return strings.TrimSpace(in.Value + " " + in.Unit)
}

// origin is where an input came from, with source and date.
func (in Input) origin() string {
	return strings.Join(slices.DeleteFunc([]string{in.Origin, in.Source, in.AsOf}, func(s string) bool { return s == "" }), " ")
}

func (x Explain) grid(g *grid) {
	for i, e := range x {
		if i > 0 {
			g.line("", Plain)
		}
		g.text(g.say(e.title()), 2, Strong)
		g.text("  "+g.say(e.formula()), 4, Plain)
		e.inputs(g)
		e.effects(g)
	}
}

// inputs are set as a table without heads; text that does not fit wraps.
func (e Explanation) inputs(g *grid) {
	names, values := 0, 0
	for _, in := range e.Inputs {
		names, values = max(names, width(g.say(in.Name))), max(values, width(g.say(in.amount())))
	}
	names, values = min(names, g.width/3), min(values, g.width/4)
	for _, in := range e.Inputs {
		line := "    " + pad(g.say(in.Name), names, false) + "  " + pad(g.say(in.amount()), values, false) + "  " + g.say(in.origin())
		g.text(line, 6, Plain)
	}
}

func (e Explanation) effects(g *grid) {
	if len(e.Effects) == 0 {
		return
	}
	var parts []string
	for _, f := range e.Effects {
		parts = append(parts, f.Input+" "+Percent(f.Percent, 1))
	}
	g.text("  "+g.say(g.o.Lang.T("effects", strings.Join(parts, ", "))), 4, Plain)
}
