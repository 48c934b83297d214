// Package money holds exact amounts: whole nano-units (1e-9) of a currency in
// an int64, so that no amount ever passes through a floating-point number.
// The largest amount is about 9.2 billion units; beyond it every operation
// returns [ErrOverflow]. Results that do not fit nano-units are rounded once,
// half to even.
package money

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"unique"
)

// Currency is an ISO 4217 code such as "USD". The empty Currency marks an
// amount that is not known.
type Currency string

const nano = 1_000_000_000

// Errors of this package.
var (
	ErrOverflow = errors.New("amount is out of range")
	ErrCurrency = errors.New("amounts are in different currencies")
)

// Amount is an exact amount of one currency. The zero Amount is unknown, which
// is not the same as an amount of 0.
type Amount struct {
	nano int64
	cur  named
}

// named is a currency as one word and not two: amounts are copied a lot, in
// thousands. The zero value is none.
type named = unique.Handle[Currency]

func name(c Currency) (n named) {
	if c != "" {
		n = unique.Make(c)
	}
	return n
}

// FromNano makes an amount from nano-units.
func FromNano(n int64, c Currency) Amount { return Amount{n, name(c)} }

// Nanos is an amount of n nano-units in the currency of a.
func (a Amount) Nanos(n int64) Amount { return Amount{n, a.cur} }

// Zero is an amount of 0 in currency c.
func Zero(c Currency) Amount { return FromNano(0, c) }

// Parse reads plain decimal text: digits, at most one point, at most nine
// decimals. Signs, exponents, separators, leading zeros ("010"), "1." and ".5"
// are errors, so that a locale's "1.355,90" is never misread.
func Parse(s string, c Currency) (Amount, error) {
	n, err := parseNano(s)
	if err != nil {
		return Amount{}, err
	}
	return FromNano(n, c), nil
}

func parseNano(s string) (int64, error) {
	whole, frac, point := strings.Cut(s, ".")
	digits := func(t string) bool { return t != "" && strings.TrimLeft(t, "0123456789") == "" }
	if !digits(whole) || point && !digits(frac) || len(whole) > 1 && whole[0] == '0' {
		return 0, fmt.Errorf("not a plain number: %q", s)
	}
	if len(frac) > 9 {
		return 0, fmt.Errorf("more than nine decimals: %q", s)
	}
	n, err := strconv.ParseInt(whole+frac+strings.Repeat("0", 9-len(frac)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", s, ErrOverflow)
	}
	return n, nil
}

// MustParse is Parse for constants; it panics on bad text.
func MustParse(s string, c Currency) Amount {
	a, err := Parse(s, c)
	if err != nil {
		panic(err)
	}
	return a
}

// Known reports whether there is an amount at all.
func (a Amount) Known() bool { return a.cur != named{} }

// Currency is the currency of a, empty when a is unknown.
func (a Amount) Currency() Currency {
	if !a.Known() {
		return ""
	}
	return a.cur.Value()
}

// Nano is the amount in nano-units.
func (a Amount) Nano() int64 { return a.nano }

// IsZero reports a known amount of exactly 0.
func (a Amount) IsZero() bool { return a.Known() && a.nano == 0 }

// Sign is -1, 0 or 1.
func (a Amount) Sign() int { return cmp.Compare(a.nano, 0) }

// Cmp orders amounts of one currency; unknown amounts come last.
func (a Amount) Cmp(b Amount) int {
	switch {
	case !a.Known() && !b.Known():
		return 0
	case !a.Known():
		return 1
	case !b.Known():
		return -1
	}
	return cmp.Compare(a.nano, b.nano)
}

// Neg is -a.
func (a Amount) Neg() Amount { return Amount{-a.nano, a.cur} }

// Add is a+b. An unknown operand makes the sum unknown.
func (a Amount) Add(b Amount) (Amount, error) {
	if !a.Known() || !b.Known() {
		return Amount{}, nil
	}
	if a.cur != b.cur {
		return Amount{}, fmt.Errorf("%w: %s and %s", ErrCurrency, a.Currency(), b.Currency())
	}
	s := a.nano + b.nano
	if (s > a.nano) != (b.nano > 0) && b.nano != 0 {
		return Amount{}, ErrOverflow
	}
	return Amount{s, a.cur}, nil
}

// Sub is a-b.
func (a Amount) Sub(b Amount) (Amount, error) { return a.Add(b.Neg()) }

// MulFrac is a x num/den, rounded once, half to even. den must not be 0.
func (a Amount) MulFrac(num, den int64) (Amount, error) {
	if !a.Known() {
		return Amount{}, nil
	}
	if den == 0 {
		return Amount{}, fmt.Errorf("%w: division by 0", ErrOverflow)
	}
	n, ok := mulDivHalfEven(a.nano, num, den)
	if !ok {
		return Amount{}, ErrOverflow
	}
	return Amount{n, a.cur}, nil
}

// Mul is a x q.
func (a Amount) Mul(q Quantity) (Amount, error) { return a.MulFrac(int64(q), nano) }

// String prints the plain decimal, at least two decimals, never rounded:
// "1.10", "0.000004". The unknown amount is "".
func (a Amount) String() string { return string(a.appendTo(make([]byte, 0, 24))) }

// appendTo appends what String prints.
func (a Amount) appendTo(b []byte) []byte {
	if !a.Known() {
		return b
	}
	return trimZeros(appendNano(b, a.nano), 2)
}

// Round prints the amount with a fixed number of decimals (0 to 9), half to
// even, for people. The unknown amount is "".
func (a Amount) Round(decimals int) string {
	if !a.Known() {
		return ""
	}
	step := int64(1)
	for range 9 - decimals {
		step *= 10
	}
	n, ok := mulDivHalfEven(a.nano, 1, step)
	r, fits := mulDivHalfEven(n, step, 1)
	if !ok || !fits {
		return a.String()
	}
	s := appendNano(make([]byte, 0, 24), r)
	if decimals == 0 {
		return string(s[:len(s)-10])
	}
	return string(s[:len(s)-9+decimals])
}

// appendNano appends the decimal with its nine decimals.
func appendNano(b []byte, n int64) []byte {
	if n < 0 {
		b = append(b, '-')
	}
	u := abs(n)
	b = append(strconv.AppendUint(b, u/nano, 10), '.')
	for step := uint64(nano / 10); step > 0; step /= 10 {
		b = append(b, '0'+byte(u/step%10))
	}
	return b
}

// trimZeros drops the zeros at the end of nine decimals, but for the first few.
func trimZeros(b []byte, keep int) []byte {
	for least := len(b) - 9 + keep; len(b) > least && b[len(b)-1] == '0'; {
		b = b[:len(b)-1]
	}
	return b
}

// mulDivHalfEven is a*b/c rounded half to even with a 128-bit product; false
// when the result does not fit.
func mulDivHalfEven(a, b, c int64) (int64, bool) {
	neg := (a < 0) != (b < 0) != (c < 0)
	hi, lo := bits.Mul64(abs(a), abs(b))
	d := abs(c)
	if hi >= d {
		return 0, false
	}
	q, r := bits.Div64(hi, lo, d)
	if twice, over := bits.Add64(r, r, 0); over != 0 || twice > d || twice == d && q&1 == 1 {
		q++
	}
	if q > 1<<63-1 {
		return 0, false
	}
	if neg {
		return -int64(q), true
	}
	return int64(q), true
}

func abs(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Ratio is a/b as an exact rational; false when either is unknown, the
// currencies differ, or b is 0.
func Ratio(a, b Amount) (*big.Rat, bool) {
	if !a.Known() || a.cur != b.cur || b.nano == 0 {
		return nil, false
	}
	return big.NewRat(a.nano, b.nano), true
}
