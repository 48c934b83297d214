package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// num is a number as the source wrote it, kept as text so that no amount
// passes through a float; "" is null, absent or a word for "none".
type num string

// Why a number is not an amount.
var (
	errNone     = errors.New("no price stated")
	errZero     = errors.New("a price of 0 is unknown, not free")
	errNegative = errors.New("negative price")
	errNumber   = errors.New("not a number")
)

// UnmarshalJSON takes a JSON number, a string or null.
func (n *num) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		*n = ""
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*n = cell(s)
	case b[0] == '-' || b[0] >= '0' && b[0] <= '9':
		*n = num(b)
	default:
		return fmt.Errorf("%w: %.20s", errNumber, b)
	}
	return nil
}

// cell is the number in a CSV cell or a string; the usual words for "none"
// become "".
func cell(s string) num {
	s = strings.TrimSpace(s)
	switch strings.ToLower(s) {
	case "null", "nil", "none", "nan", "na", "n/a", "n/a*", "-":
		return ""
	}
	return num(s)
}

// scale turns the source's unit into a whole unit of currency by num/den.
type scale struct{ num, den int64 }

var (
	whole      = scale{1, 1}
	cents      = scale{1, 100}
	milli      = scale{1, 1000}        // AutoDL: 1/1000 yuan
	perMillion = scale{1_000_000, 1}   // per token -> per million tokens
	ovhUnit    = scale{1, 100_000_000} // OVH: 1e-8 of the currency
)

// times is s multiplied by num/den.
func (s scale) times(num, den int64) scale { return scale{s.num * num, s.den * den} }

// amount is n x s in currency c, rounded once to nano-units. Float artefacts
// such as 1.6567999999999998 end as 1.6568 by that rounding.
func (n num) amount(c money.Currency, s scale) (money.Amount, error) {
	if n == "" {
		return money.Amount{}, errNone
	}
	if s == whole {
		if a, err := money.Parse(string(n), c); err == nil {
			if a.IsZero() {
				return money.Amount{}, errZero
			}
			return a, nil
		}
	}
	r, err := n.rat()
	if err != nil {
		return money.Amount{}, err
	}
	switch r.Sign() {
	case 0:
		return money.Amount{}, errZero
	case -1:
		return money.Amount{}, errNegative
	}
	nano, ok := roundHalfEven(r.Mul(r, big.NewRat(s.num, s.den)).Mul(r, big.NewRat(1_000_000_000, 1)))
	if !ok {
		return money.Amount{}, money.ErrOverflow
	}
	if nano == 0 {
		return money.Amount{}, errZero
	}
	return money.FromNano(nano, c), nil
}

// check says whether n is a decimal number, with an exponent or without.
// Length and exponent are bounded, because 1e999999999 would otherwise fill
// the memory.
func (n num) check() error {
	mantissa, exp, hasExp := strings.Cut(string(n), "e")
	if !hasExp {
		mantissa, exp, hasExp = strings.Cut(string(n), "E")
	}
	if hasExp {
		if e, err := strconv.Atoi(exp); err != nil || e < -40 || e > 40 {
			return fmt.Errorf("%w: %.40q", errNumber, string(n))
		}
	}
	whole, frac, point := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	if len(n) > 48 || strings.Trim(whole+frac, "0123456789") != "" || whole+frac == "" || point && frac == "" {
		return fmt.Errorf("%w: %.40q", errNumber, string(n))
	}
	return nil
}

// rat is n exactly.
func (n num) rat() (*big.Rat, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil, fmt.Errorf("%w: %.40q", errNumber, string(n))
	}
	return r, nil
}

func roundHalfEven(r *big.Rat) (int64, bool) {
	q, rem := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	twice := rem.Lsh(rem.Abs(rem), 1)
	if c := twice.Cmp(r.Denom()); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(int64(r.Sign())))
	}
	return q.Int64(), q.IsInt64()
}

// float is n as a physical number; 0 when it is absent or not a number.
func (n num) float() float64 {
	if n == "" || n.check() != nil {
		return 0
	}
	f, _ := strconv.ParseFloat(string(n), 64)
	return f
}

// int is n as a whole number ("8", "8.0").
func (n num) int() (int64, bool) {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil && n[0] != '+' {
		return i, true
	}
	r, err := n.rat()
	if err != nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// count is n GPUs: a whole number, "1/6", or a decimal near a fraction of a
// card (0.1667, 0.17, 0.125).
func (n num) count() (unit.Count, error) {
	if strings.Contains(string(n), "/") {
		return unit.ParseCount(string(n))
	}
	if i, ok := n.int(); ok {
		return unit.ParseCount(strconv.FormatInt(i, 10))
	}
	x := n.float()
	if x <= 0 || x >= 1 {
		return unit.Count{}, unit.ErrCount
	}
	return nearFraction(x)
}

// nearFraction is the fraction p/q with q <= 16 nearest to x, which must be
// within 0.005: sources round thirds and sixths.
func nearFraction(x float64) (unit.Count, error) {
	best, gap := unit.Count{}, 0.005
	for q := int64(2); q <= 16; q++ {
		p := int64(x*float64(q) + 0.5)
		if d := x - float64(p)/float64(q); p > 0 && p < q && max(d, -d) < gap-1e-12 {
			best, gap = unit.Count{Num: p, Den: q}, max(d, -d)
		}
	}
	if !best.Known() {
		return unit.Count{}, unit.ErrCount
	}
	return best, nil
}
