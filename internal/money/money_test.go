package money

import (
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want string // "" is an error
		nano int64
	}{
		{"1.10", "1.10", 1_100_000_000},
		{"0", "0.00", 0},
		{"55.04", "55.04", 55_040_000_000},
		{"0.000004", "0.000004", 4_000},
		{"0.123456789", "0.123456789", 123_456_789},
		{"9223372036.854775807", "9223372036.854775807", 1<<63 - 1},
		{"9223372036.854775808", "", 0},
		{"0.1234567891", "", 0},
		{"1.355,90", "", 0},
		{"0,75", "", 0},
		{"010", "", 0},
		{"0x10", "", 0},
		{"1_000", "", 0},
		{"1e3", "", 0},
		{"-1", "", 0},
		{"+1", "", 0},
		{".5", "", 0},
		{"1.", "", 0},
		{"", "", 0},
		{".nan", "", 0},
		{" 1", "", 0},
		{"٣", "", 0},
	} {
		a, err := Parse(tc.in, "USD")
		if (err != nil) != (tc.want == "") {
			t.Errorf("Parse(%q): error %v", tc.in, err)
			continue
		}
		if err == nil && (a.Nano() != tc.nano || a.String() != tc.want) {
			t.Errorf("Parse(%q) = %d nano, prints %q; want %d, %q", tc.in, a.Nano(), a, tc.nano, tc.want)
		}
	}
}

func TestRound(t *testing.T) {
	for _, tc := range []struct {
		nano     int64
		decimals int
		want     string
	}{
		{2_500_000_000, 0, "2"}, // half to even
		{3_500_000_000, 0, "4"},
		{1_005_000_000, 2, "1.00"}, // exactly half: even
		{1_015_000_000, 2, "1.02"},
		{-114_000_000, 2, "-0.11"},
		{6_155_000_000, 3, "6.155"},
		{123, 9, "0.000000123"},
	} {
		if got := FromNano(tc.nano, "USD").Round(tc.decimals); got != tc.want {
			t.Errorf("Round(%d nano, %d) = %q, want %q", tc.nano, tc.decimals, got, tc.want)
		}
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	var unknown Amount
	if unknown.Known() || unknown.IsZero() || unknown.String() != "" {
		t.Errorf("the unknown amount looks known: %q", unknown)
	}
	if !Zero("USD").IsZero() || Zero("USD").String() != "0.00" {
		t.Error("a free price of 0 must print 0.00")
	}
	if s, err := unknown.Add(Zero("USD")); err != nil || s.Known() {
		t.Errorf("unknown + 0 = %v, %v; want unknown", s, err)
	}
	if unknown.Cmp(Zero("USD")) <= 0 {
		t.Error("an unknown amount must sort after a known one")
	}
}

func TestJSON(t *testing.T) {
	half := FromNano(-500_000_000, "USD")
	for _, tc := range []struct {
		of   any
		want string
	}{
		{Amount{}, `null`},
		{Zero("USD"), `"0.00"`},
		{half, `"-0.50"`},
		{FromNano(-1<<63, "USD"), `"-9223372036.854775808"`},
		{Range{}, `null`},
		{Range{half, Zero("USD"), MustParse("1.005", "USD")}, `{"low":"-0.50","mid":"0.00","high":"1.005"}`},
	} {
		if b, err := json.Marshal(tc.of); err != nil || string(b) != tc.want {
			t.Errorf("%v is written %s (%v), want %s", tc.of, b, err, tc.want)
		}
	}
}

func TestErrors(t *testing.T) {
	if _, err := Zero("USD").Add(Zero("CNY")); !errors.Is(err, ErrCurrency) {
		t.Errorf("USD + CNY: %v", err)
	}
	top := FromNano(1<<63-1, "USD")
	if _, err := top.Add(FromNano(1, "USD")); !errors.Is(err, ErrOverflow) {
		t.Errorf("overflow: %v", err)
	}
	if _, err := top.MulFrac(2, 1); !errors.Is(err, ErrOverflow) {
		t.Errorf("overflow: %v", err)
	}
	if _, err := top.MulFrac(1, 0); !errors.Is(err, ErrOverflow) {
		t.Errorf("division by 0: %v", err)
	}
}

// Sums written out by hand, from the article's H100 table and public prices.
func TestWorked(t *testing.T) {
	half, err := MustParse("55.04", "USD").MulFrac(1, 8)
	if err != nil || half.String() != "6.88" {
		t.Errorf("55.04/8 = %v, %v", half, err)
	}
	month, err := MustParse("0.95", "USD").Mul(WholeQuantity(730))
	if err != nil || month.String() != "693.50" {
		t.Errorf("0.95 x 730 = %v, %v", month, err)
	}
	yuan := Rate{Base: "USD", Quote: "CNY", Value: 7_200_000_000}
	if usd, err := yuan.Convert(MustParse("14.40", "CNY")); err != nil || usd.String() != "2.00" || usd.Currency() != "USD" {
		t.Errorf("14.40 CNY at 7.20 = %v %s, %v", usd, usd.Currency(), err)
	}
	eur := Rate{Base: "USD", Quote: "EUR", Value: 900_000_000}
	cross, err := Cross(yuan, eur)
	if err != nil || cross.Value.String() != "0.125" {
		t.Errorf("EUR per CNY = %v, %v; want 0.9/7.2 = 0.125", cross.Value, err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := FromNano(rapid.Int64Min(0).Draw(t, "nano"), "USD")
		b, err := Parse(a.String(), "USD")
		if err != nil || a != b {
			t.Fatalf("%d prints %q, reads %d (%v)", a.Nano(), a, b.Nano(), err)
		}
	})
}

func TestSumInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.SliceOfN(rapid.Int64Range(-1e15, 1e15), 1, 50).Draw(t, "nanos")
		sum := func() Amount {
			s := Zero("USD")
			for _, n := range ns {
				s, _ = s.Add(FromNano(n, "USD"))
			}
			return s
		}
		first := sum()
		rand.Shuffle(len(ns), func(i, j int) { ns[i], ns[j] = ns[j], ns[i] })
		if second := sum(); first != second {
			t.Fatalf("%v in one order, %v in another", first, second)
		}
	})
}

func TestMulFracRoundsOnceHalfToEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		num := rapid.Int64().Draw(t, "num")
		den := rapid.Int64().Filter(func(d int64) bool { return d != 0 }).Draw(t, "den")
		got, err := FromNano(n, "USD").MulFrac(num, den)
		want, fits := halfEven(n, num, den)
		if (err == nil) != fits {
			t.Fatalf("error %v, fits %v", err, fits)
		}
		if fits && got.Nano() != want {
			t.Fatalf("%d x %d / %d = %d, want %d", n, num, den, got.Nano(), want)
		}
	})
}

// halfEven is the definition, in big integers.
func halfEven(n, num, den int64) (int64, bool) {
	r := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(n), big.NewInt(num)), big.NewInt(den))
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	switch m.Lsh(m, 1).Cmp(r.Denom()) {
	case 1:
		q.Add(q, big.NewInt(1))
	case 0:
		if q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
	}
	return q.Int64(), q.IsInt64() && q.Int64() != -1<<63
}

func TestQuantify(t *testing.T) {
	for x, want := range map[float64]string{100: "100", 0.5: "0.5", 1.0 / 3: "0.333333333", 0: "0", -0.114: "-0.114"} {
		if q, err := Quantify(x); err != nil || q.String() != want {
			t.Errorf("Quantify(%v) = %v, %v; want %s", x, q, err, want)
		}
	}
	for _, x := range []float64{1e10, -1e10} {
		if _, err := Quantify(x); !errors.Is(err, ErrOverflow) {
			t.Errorf("Quantify(%g): %v", x, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.10", "0", "1.355,90", "9223372036.854775807"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s, "USD")
		if err != nil {
			if a.Known() {
				t.Fatalf("%q: a value together with an error", s)
			}
			return
		}
		if b, err := Parse(a.String(), "USD"); err != nil || a != b {
			t.Fatalf("%q prints %q, which reads %v, %v", s, a, b, err)
		}
	})
}

func BenchmarkMulFrac(b *testing.B) {
	a := MustParse("55.04", "USD")
	for b.Loop() {
		if _, err := a.MulFrac(730, 8); err != nil {
			b.Fatal(err)
		}
	}
}
