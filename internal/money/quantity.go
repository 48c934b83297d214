package money

import (
	"bytes"
	"fmt"
	"math"
)

// Quantity is an exact number of units, in nano-units: what an amount per
// unit is multiplied by. Physical results (hours, GB) enter money through it,
// rounded once.
type Quantity int64

// Quantify makes a quantity from a physical number, rounded half to even at
// 1e-9. NaN, infinities and magnitudes above 9.2e9 are errors.
func Quantify(x float64) (Quantity, error) {
	n := math.RoundToEven(x * nano)
	if math.IsNaN(n) || math.Abs(n) >= 1<<63 {
		return 0, fmt.Errorf("%w: quantity %g", ErrOverflow, x)
	}
	return Quantity(n), nil
}

// WholeQuantity is n whole units; n must be below 9.2e9.
func WholeQuantity(n int64) Quantity { return Quantity(n * nano) }

// ParseQuantity reads a plain decimal such as "0.5".
func ParseQuantity(s string) (Quantity, error) {
	n, err := parseNano(s)
	return Quantity(n), err
}

// Float is the quantity as a number, for physics.
func (q Quantity) Float() float64 { return float64(q) / nano }

// String prints the plain decimal without trailing zeros: "8", "0.5".
func (q Quantity) String() string {
	return string(bytes.TrimSuffix(trimZeros(appendNano(make([]byte, 0, 24), int64(q)), 0), []byte(".")))
}

// Rate is an exchange rate: so many units of Quote for one unit of Base.
type Rate struct {
	Base, Quote Currency
	Value       Quantity // units of Quote per unit of Base, above 0
}

// Convert changes a into the other currency of the rate, in either direction,
// rounding once.
func (r Rate) Convert(a Amount) (Amount, error) {
	num, den, to := int64(r.Value), int64(nano), r.Quote
	switch a.Currency() {
	case "":
		return Amount{}, nil
	case r.Base:
	case r.Quote:
		num, den, to = den, num, r.Base
	default:
		return Amount{}, fmt.Errorf("%w: rate %s/%s for %s", ErrCurrency, r.Base, r.Quote, a.Currency())
	}
	out, err := a.MulFrac(num, den)
	if err != nil {
		return Amount{}, err
	}
	return FromNano(out.nano, to), nil
}

// Cross makes the rate a.Quote/b.Quote out of two rates with one base.
func Cross(a, b Rate) (Rate, error) {
	if a.Base != b.Base {
		return Rate{}, fmt.Errorf("%w: rates of %s and %s", ErrCurrency, a.Base, b.Base)
	}
	n, ok := mulDivHalfEven(int64(b.Value), nano, int64(a.Value))
	if !ok {
		return Rate{}, ErrOverflow
	}
	return Rate{Base: a.Quote, Quote: b.Quote, Value: Quantity(n)}, nil
}

// Range is a low, middle and high amount of one currency, Low <= Mid <= High.
type Range struct{ Low, Mid, High Amount }

// Exactly is a range of one amount.
func Exactly(a Amount) Range { return Range{a, a, a} }

// Between is the range from low to high with the arithmetic middle, half to
// even at the last nano-unit.
func Between(low, high Amount) (Range, error) {
	sum, err := low.Add(high)
	if err != nil {
		return Range{}, err
	}
	mid, err := sum.MulFrac(1, 2)
	return Range{low, mid, high}, err
}

// Known reports whether the range holds amounts.
func (r Range) Known() bool { return r.Mid.Known() }

// Add adds ranges end by end.
func (r Range) Add(o Range) (out Range, err error) {
	if out.Low, err = r.Low.Add(o.Low); err != nil {
		return Range{}, err
	}
	if out.Mid, err = r.Mid.Add(o.Mid); err != nil {
		return Range{}, err
	}
	if out.High, err = r.High.Add(o.High); err != nil {
		return Range{}, err
	}
	return out, nil
}

// Sub subtracts a range end by end.
func (r Range) Sub(o Range) (Range, error) {
	return r.Add(Range{o.Low.Neg(), o.Mid.Neg(), o.High.Neg()})
}

// MulFrac is the range x num/den, each end rounded once. den must not be 0.
func (r Range) MulFrac(num, den int64) (out Range, err error) {
	if num == den && den != 0 {
		return r, nil
	}
	if out.Mid, err = r.Mid.MulFrac(num, den); err != nil {
		return Range{}, err
	}
	if r == Exactly(r.Mid) {
		return Exactly(out.Mid), nil
	}
	if out.Low, err = r.Low.MulFrac(num, den); err != nil {
		return Range{}, err
	}
	if out.High, err = r.High.MulFrac(num, den); err != nil {
		return Range{}, err
	}
	return out, nil
}

// Map applies f to the three amounts.
func (r Range) Map(f func(Amount) (Amount, error)) (out Range, err error) {
	if out.Low, err = f(r.Low); err != nil {
		return Range{}, err
	}
	if out.Mid, err = f(r.Mid); err != nil {
		return Range{}, err
	}
	if out.High, err = f(r.High); err != nil {
		return Range{}, err
	}
	return out, nil
}
