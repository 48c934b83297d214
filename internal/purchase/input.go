package purchase

import "github.com/gpucost/gpucost/internal/money"

// Input is one value that an answer was made of.
type Input struct {
	Name           string // stable, with its unit: life_months
	Low, Mid, High any    // float64 or money.Amount; all equal unless it is a range
	Unit           string // of a number: h, months, share ...; empty for amounts and plain ratios
	From           Origin
	Stated         string // the amount as stated, where it was converted: "1.79 USD"
}

// Origin is where a value came from.
type Origin struct {
	Kind   string // flag, catalog, default or file
	Source string // the flag; the source and its place
	AsOf   string // date of the value, if it has one
}

// Flag is the origin of a value given on the command line.
func Flag(name string) Origin { return Origin{Kind: "flag", Source: "--" + name} }

// Default is the origin of a value that nobody gave, with the reason for it.
func Default(why string) Origin { return Origin{Kind: "default", Source: why} }

// Ranged reports whether the ends of the input differ.
func (in *Input) Ranged() bool { return in.Low != in.High }

// Inputs are the values of a question, in the order shown.
type Inputs []Input

// Number adds a plain number.
func (in *Inputs) Number(name string, v float64, unit string, from Origin) {
	in.Between(name, [3]float64{v, v, v}, unit, from)
}

// Between adds a number known from low over mid to high.
func (in *Inputs) Between(name string, v [3]float64, unit string, from Origin) {
	*in = append(*in, Input{Name: name, Low: v[0], Mid: v[1], High: v[2], Unit: unit, From: from})
}

// Amount adds an amount or a range of amounts; an unknown one is not added.
func (in *Inputs) Amount(name string, r money.Range, stated string, from Origin) {
	if r.Known() {
		*in = append(*in, Input{Name: name, Low: r.Low, Mid: r.Mid, High: r.High, From: from, Stated: stated})
	}
}

// Has reports whether there is an input of the name.
func (in Inputs) Has(name string) bool {
	for i := range in {
		if in[i].Name == name {
			return true
		}
	}
	return false
}

// Point is one value for each input: what a model computes from.
type Point map[string]any

// Has reports whether the input was given.
func (p Point) Has(name string) bool { return p[name] != nil }

// Num is a number; 0 when it was not given.
func (p Point) Num(name string) float64 {
	x, _ := p[name].(float64)
	return x
}

// Or is a number or, when it was not given, the fallback.
func (p Point) Or(name string, fallback float64) float64 {
	if x, ok := p[name].(float64); ok {
		return x
	}
	return fallback
}

// Money is an amount; unknown when it was not given.
func (p Point) Money(name string) money.Amount {
	a, _ := p[name].(money.Amount)
	return a
}

// Plain is an amount as a number of its currency, for ratios only.
func (p Point) Plain(name string) float64 { return plain(p.Money(name)) }

// plain is an amount as a number of its currency, for ratios only.
func plain(a money.Amount) float64 { return money.Quantity(a.Nano()).Float() }

// Times multiplies an amount that was given for one by how many there are.
func (in *Input) Times(n float64) error {
	for _, end := range []*any{&in.Low, &in.Mid, &in.High} {
		a, ok := (*end).(money.Amount)
		if !ok {
			continue
		}
		b, err := times(a, n)
		if err != nil {
			return err
		}
		*end = b
	}
	return nil
}
