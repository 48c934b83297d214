package purchase

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/money"
)

func usd(s string) money.Amount { return money.MustParse(s, "USD") }

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		a      string
		factor float64
		want   string
	}{
		{"2000000", 1.0 / 36, "55555.555555556"}, // 2e6/36
		{"2000000", 1.0 / 1920, "1041.666666667"},
		{"1.45", 250, "362.50"},
		{"3", 1e-12, "0.00"},
		{"3", 1e-9, "0.000000003"},
		{"2", -0.5, "-1.00"},
	} {
		got, err := times(usd(c.a), c.factor)
		if err != nil || got.String() != c.want {
			t.Errorf("%s x %g = %s, want %s (%v)", c.a, c.factor, got, c.want, err)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e30} {
		if got, err := times(usd("1"), bad); err == nil {
			t.Errorf("1 x %g = %s", bad, got)
		}
	}
	if a, err := times(money.Amount{}, 2); a.Known() || err != nil {
		t.Error("unknown x 2 is known")
	}
}

// A factor changes an amount by less than a nano-unit more than the float says.
func TestTimesIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1e15, 1e15).Draw(t, "nano")
		f := rapid.Float64Range(-1e3, 1e3).Draw(t, "factor")
		got, err := times(money.FromNano(n, "USD"), f)
		if err != nil {
			t.Fatal(err)
		}
		want := float64(n) * f
		if d := math.Abs(float64(got.Nano()) - want); d > 1+1e-14*math.Abs(want) {
			t.Fatalf("%d x %g = %d, %g away", n, f, got.Nano(), d)
		}
	})
}

// rent = price x hours: the ends combine, the effects are 10 % each.
func TestSolve(t *testing.T) {
	var in Inputs
	in.Amount("price", money.Range{Low: usd("2"), Mid: usd("3"), High: usd("4")}, "", Flag("price"))
	in.Between("hours", [3]float64{5, 10, 20}, "h", Flag("hours"))
	in.Number("unused", 7, "", Flag("unused"))
	model := func(p Point) ([]Figure, error) {
		var f figures
		f.money("rent", f.sum(part{p.Money("price"), p.Num("hours")}))
		f.num("inverse", "", 1/p.Num("hours"), true)
		f.num("at_most_15", "", p.Num("hours"), p.Num("hours") <= 15)
		return f.list, f.err
	}
	got, err := Solve(in, model, true)
	if err != nil {
		t.Fatal(err)
	}
	want := []Figure{
		{Name: "rent", Value: usd("30"), Low: usd("10"), High: usd("80"), Effects: []Effect{{"price", 10}, {"hours", 10}}},
		{Name: "inverse", Value: 0.1, Low: 0.05, High: 0.2, Effects: []Effect{{"hours", -9.090909090909093}}},
		{Name: "at_most_15", Value: 10.0, Low: 5.0, High: nil, Effects: []Effect{{"hours", 10}}},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b money.Amount) bool { return a == b }), cmp.Comparer(near)); diff != "" {
		t.Error(diff)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }
