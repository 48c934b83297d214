package present

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// Decimals is how many decimals a column of prices needs so that all are
// written alike: 2; 3 when the smallest that is not 0 is below 0.10; 4 below
// 0.01; more where it would otherwise be shown as 0. Unknown amounts do not count.
func Decimals(amounts ...money.Amount) int {
	least, ok := smallest(amounts)
	d := 2
	for step := int64(100_000_000); ok && d < 4 && least < step; step /= 10 { // 0.10, 0.01
		d++
	}
	for half := int64(50_000); ok && d < 9 && least <= half; half /= 10 { // 0.00005 rounds to 0 at 4
		d++
	}
	return d
}

// TotalDecimals is Decimals for a column of totals: none when all amounts but 0
// are 100 or more.
func TotalDecimals(amounts ...money.Amount) int {
	if least, ok := smallest(amounts); ok && least >= 100_000_000_000 {
		return 0
	}
	return Decimals(amounts...)
}

// smallest is the smallest magnitude above 0, in nano-units.
func smallest(amounts []money.Amount) (int64, bool) {
	least := int64(math.MaxInt64)
	for _, a := range amounts {
		if n := a.Nano(); a.Known() && n != 0 && n != math.MinInt64 {
			least = min(least, max(n, -n))
		}
	}
	return least, least < math.MaxInt64
}

// Amount writes an amount for people: thousands separated, a true minus,
// without its currency, which stands in the head. Unknown is "".
func Amount(a money.Amount, decimals int) string { return grouped(a.Round(decimals)) }

// MoneyColumn writes a column of prices, all with the same decimals.
func MoneyColumn(amounts []money.Amount) []Cell {
	d := Decimals(amounts...)
	cells := make([]Cell, len(amounts))
	for i, a := range amounts {
		cells[i] = Num(Amount(a, d))
	}
	return cells
}

// Coded writes an amount with its ISO 4217 code: "USD 1,234.50". Unknown is "n/a".
func Coded(a money.Amount, decimals int) string {
	if !a.Known() {
		return "n/a"
	}
	return string(a.Currency()) + " " + Amount(a, decimals)
}

// AmountRange writes "low–high", or one amount where both read the same.
func AmountRange(r money.Range, decimals int) string {
	return span(Amount(r.Low, decimals), Amount(r.High, decimals))
}

// AmountWithRange writes "mid (low–high)", or mid alone where all read the same.
func AmountWithRange(r money.Range, decimals int) string {
	return withSpan(Amount(r.Mid, decimals), AmountRange(r, decimals))
}

// RoundingGap is what is missing from the sum of the lines, each as it is
// shown, to the total as it is shown. When it is not 0 the lines need a
// rounding line to add up in front of a reader.
func RoundingGap(total money.Amount, lines []money.Amount, decimals int) (money.Amount, error) {
	gap, err := rounded(total, decimals)
	for _, a := range lines {
		if err != nil {
			break
		}
		var r money.Amount
		if r, err = rounded(a, decimals); err == nil {
			gap, err = gap.Sub(r)
		}
	}
	return gap, err
}

func rounded(a money.Amount, decimals int) (money.Amount, error) {
	step := int64(1)
	for range 9 - decimals {
		step *= 10
	}
	n, err := a.MulFrac(1, step)
	if err != nil {
		return n, err
	}
	return n.MulFrac(step, 1)
}

// Number writes a physical number: thousands separated, a true minus. NaN and
// infinities are "", which a table shows as n/a.
func Number(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return grouped(s)
}

// Percent writes a change in percent with its sign: "+3%", "−40%", "0%".
func Percent(x float64, decimals int) string {
	s := Number(x, decimals)
	switch {
	case s == "":
		return ""
	case x > 0 && strings.Trim(s, "0.") != "":
		s = "+" + s
	}
	return s + "%"
}

// Share writes a fraction of a whole: 0.92 is "92 %".
func Share(x float64, decimals int) string {
	if s := Number(x*100, decimals); s != "" {
		return s + " %"
	}
	return ""
}

// Compact writes a large number with k, M, G or T: "128 k", "1.5 M". It keeps
// three significant digits.
func Compact(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	m, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64) // three digits, before the unit is chosen
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if math.Abs(m) >= u.size {
			return grouped(strconv.FormatFloat(m/u.size, 'f', -1, 64)) + u.name
		}
	}
	return grouped(strconv.FormatFloat(m, 'f', -1, 64))
}

// Hours writes a duration given in hours: seconds, minutes, hours below three
// days, then days, with at most one decimal. It is "" for NaN and infinities.
func Hours(h float64, l Lang) string {
	key, per := hoursUnit(h)
	if s := short(h * per); s != "" {
		return l.T(key, s)
	}
	return ""
}

// HoursWithRange writes "mid (low–high)" in the unit that suits mid.
func HoursWithRange(low, mid, high float64, l Lang) string {
	key, per := hoursUnit(mid)
	s := withSpan(short(mid*per), span(short(low*per), short(high*per)))
	if s == "" {
		return ""
	}
	return l.T(key, s)
}

// hoursUnit is the key of the unit for h hours and how many of it an hour has.
func hoursUnit(h float64) (key string, per float64) {
	switch a := math.Abs(h); {
	case a >= 72:
		return "n_d", 1.0 / 24
	case a >= 1 || a == 0:
		return "n_h", 1
	case a >= 1.0/60:
		return "n_min", 60
	}
	return "n_s", 3600
}

// short writes one decimal, or none where it is 0 or the number is 100 or more.
func short(x float64) string {
	if math.Abs(x) >= 99.95 {
		return Number(x, 0)
	}
	return strings.TrimSuffix(Number(x, 1), ".0")
}

// Age writes a number of days: "1 day", "71 days".
func Age(days int, l Lang) string {
	if days == 1 {
		return l.T("one_day")
	}
	return l.T("n_days", grouped(strconv.Itoa(days)))
}

// Date writes a date as precisely as it is known.
func Date(d catalog.Date, l Lang) string {
	if !d.Known() {
		return l.T("unknown")
	}
	return d.String()
}

// span is "low–high"; with spaces around the dash where low is negative.
func span(low, high string) string {
	switch {
	case low == "" || high == "":
		return ""
	case low == high:
		return low
	case strings.HasPrefix(low, "−"):
		return low + " – " + high
	}
	return low + "–" + high
}

func withSpan(mid, span string) string {
	if mid == "" || span == "" || mid == span {
		return mid
	}
	return mid + " (" + span + ")"
}

// grouped puts commas between thousands of a plain decimal and a true minus in
// front of a negative one. English and Chinese write both alike.
func grouped(s string) string {
	s, negative := strings.CutPrefix(s, "-")
	whole, frac, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + frac
	}
	if negative {
		return "−" + whole
	}
	return whole
}
