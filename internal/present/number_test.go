package present

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// usd reads plain decimals; "" is unknown and a leading "-" allowed.
func usd(texts ...string) []money.Amount {
	var as []money.Amount
	for _, s := range texts {
		plain, negative := strings.CutPrefix(s, "-")
		switch a := (money.Amount{}); {
		case s == "":
			as = append(as, a)
		case negative:
			as = append(as, money.MustParse(plain, "USD").Neg())
		default:
			as = append(as, money.MustParse(plain, "USD"))
		}
	}
	return as
}

func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		in           []money.Amount
		price, total int
	}{
		{nil, 2, 2},
		{usd("", "0"), 2, 2},
		{usd("1.47", "1031.44"), 2, 2},
		{usd("0.10", "2"), 2, 2},
		{usd("0.099", "2"), 3, 3},
		{usd("-0.05"), 3, 3},
		{usd("0.01"), 3, 3},
		{usd("0.0099", ""), 4, 4},
		{usd("0.00006"), 4, 4}, // 0.0001
		{usd("0.00005"), 5, 5}, // half to even would be 0.0000
		{usd("0.000004"), 6, 6},
		{usd("0.000000001"), 9, 9},
		{usd("100", "0", "2500.50"), 2, 0},
		{usd("99.99", "2500.50"), 2, 2},
	} {
		if got := Decimals(c.in...); got != c.price {
			t.Errorf("%v: %d, want %d", c.in, got, c.price)
		}
		if got := TotalDecimals(c.in...); got != c.total {
			t.Errorf("total %v: %d, want %d", c.in, got, c.total)
		}
	}
}

// An amount that is not 0 is never shown as 0 in its column.
func TestNothingIsRoundedToZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := money.FromNano(rapid.Int64Range(1, 1e12).Draw(t, "nano"), "USD")
		if cell := MoneyColumn([]money.Amount{a})[0]; strings.Trim(cell.Text, "0.,") == "" {
			t.Fatalf("%s is shown as %s", a, cell.Text)
		}
	})
}

func TestAmounts(t *testing.T) {
	as := usd("1031.44", "-1234567.5", "", "0", "0.05")
	for i, want := range []string{"1,031.44", "−1,234,567.50", "", "0.00", "0.05"} {
		if got := Amount(as[i], 2); got != want {
			t.Errorf("%v: %q, want %q", as[i], got, want)
		}
	}
	if got := Amount(as[0], 0); got != "1,031" {
		t.Error(got)
	}
	if got := Coded(as[0], 2) + Coded(as[2], 2); got != "USD 1,031.44n/a" {
		t.Error(got)
	}
	column := MoneyColumn(as)
	for i, want := range []string{"1,031.440", "−1,234,567.500", "", "0.000", "0.050"} {
		if column[i].Text != want || !column[i].Number {
			t.Errorf("%v: %+v, want %q", as[i], column[i], want)
		}
	}
	r := money.Range{Low: usd("900")[0], Mid: usd("1000")[0], High: usd("1200.4")[0]}
	if got := AmountRange(r, 0) + " " + AmountWithRange(r, 0); got != "900–1,200 1,000 (900–1,200)" {
		t.Error(got)
	}
	same := money.Exactly(usd("2")[0])
	if got := AmountRange(same, 2) + " " + AmountWithRange(same, 2); got != "2.00 2.00" {
		t.Error(got)
	}
	if got := AmountRange(money.Range{}, 2) + AmountWithRange(money.Range{}, 2); got != "" {
		t.Error(got)
	}
	if got := AmountRange(money.Range{Low: usd("-5")[0], High: usd("3")[0]}, 0); got != "−5 – 3" {
		t.Error(got)
	}
}

// Three lines of 0.005 are shown as 0.00 (half to even) and their total 0.015
// as 0.02: a reader who adds the lines misses 0.02.
func TestRoundingGap(t *testing.T) {
	gap, err := RoundingGap(usd("0.015")[0], usd("0.005", "0.005", "0.005"), 2)
	if err != nil || gap.String() != "0.02" {
		t.Error(gap, err)
	}
	gap, err = RoundingGap(usd("3.30")[0], usd("1.10", "2.20"), 2)
	if err != nil || !gap.IsZero() {
		t.Error(gap, err)
	}
	if _, err = RoundingGap(usd("1")[0], []money.Amount{money.MustParse("1", "CNY")}, 2); err == nil {
		t.Error("adds dollars and yuan")
	}
}

func TestNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct{ got, want string }{
		{Number(1234567.891, 1), "1,234,567.9"},
		{Number(-1234, 0), "−1,234"},
		{Number(-0.04, 1), "0.0"},
		{Number(nan, 2) + Number(inf, 2), ""},
		{Percent(3.4, 0), "+3%"},
		{Percent(-40, 0), "−40%"},
		{Percent(-0.4, 0), "0%"},
		{Percent(0.4, 0), "0%"},
		{Percent(0.4, 1), "+0.4%"},
		{Percent(1500, 0), "+1,500%"},
		{Percent(nan, 0), ""},
		{Share(0.92, 0), "92 %"},
		{Share(inf, 0), ""},
		{Compact(0), "0"},
		{Compact(950), "950"},
		{Compact(999.9), "1 k"},
		{Compact(1000), "1 k"},
		{Compact(128_000), "128 k"},
		{Compact(999_999), "1 M"},
		{Compact(1_234_567), "1.23 M"},
		{Compact(-2.5e9), "−2.5 G"},
		{Compact(1e12), "1 T"},
		{Compact(1e16), "10,000 T"},
		{Compact(0.0042), "0.0042"},
		{Compact(nan), ""},
		{Hours(0, EN), "0 h"},
		{Hours(0.001, EN), "3.6 s"},
		{Hours(0.75, EN), "45 min"},
		{Hours(1, EN), "1 h"},
		{Hours(12.5, EN), "12.5 h"},
		{Hours(71.96, EN), "72 h"},
		{Hours(76.8, EN), "3.2 d"},
		{Hours(12.5, ZH), "12.5 小时"},
		{Hours(76.8, ZH), "3.2 天"},
		{Hours(26_280, EN), "1,095 d"},
		{Hours(nan, EN), ""},
		{HoursWithRange(12, 14, 17, EN), "14 (12–17) h"},
		{HoursWithRange(60, 96, 120, EN), "4 (2.5–5) d"},
		{HoursWithRange(14, 14, 14, ZH), "14 小时"},
		{HoursWithRange(nan, nan, nan, EN), ""},
		{Age(1, EN), "1 day"},
		{Age(71, EN), "71 days"},
		{Age(1200, ZH), "1,200 天"},
		{Date(catalog.Date{Year: 2026, Month: 8, Day: 22}, EN), "2026-08-22"},
		{Date(catalog.Date{Year: 2026}, ZH), "2026"},
		{Date(catalog.Date{}, ZH), "未知"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
