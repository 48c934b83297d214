package purchase

import (
	"fmt"
	"math"

	"github.com/gpucost/gpucost/internal/money"
)

// times is an amount times a physical factor, exact to the last bit of the
// factor where that is 2^-9 or more, and rounded once.
func times(a money.Amount, factor float64) (money.Amount, error) {
	if !a.Known() {
		return a, nil
	}
	if math.IsNaN(factor) || math.IsInf(factor, 0) {
		return money.Amount{}, fmt.Errorf("%w: times %g", money.ErrOverflow, factor)
	}
	if factor == math.Trunc(factor) && math.Abs(factor) < 1<<53 {
		return a.MulFrac(int64(factor), 1)
	}
	fraction, exponent := math.Frexp(factor)
	den := 53 - exponent // factor = fraction x 2^53 / 2^den
	switch {
	case den < 0:
		return money.Amount{}, fmt.Errorf("%w: times %g", money.ErrOverflow, factor)
	case den > 62:
		return a.MulFrac(int64(math.RoundToEven(math.Ldexp(factor, 62))), 1<<62)
	}
	return a.MulFrac(int64(math.Ldexp(fraction, 53)), 1<<den)
}
