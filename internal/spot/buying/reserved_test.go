package buying

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestCommitment(t *testing.T) {
	u, _ := Commitment{Upfront: 8760, PerHour: 0.5, TermHours: 8760}.BreakEvenUse(2)
	near(t, "upfront folded in", u, 0.75, 1e-12)
	u, ok := Commitment{PerHour: 2.2, TermHours: 8760}.BreakEvenUse(2)
	if !ok || u <= 1 {
		t.Errorf("dearer than on-demand: %g %v", u, ok)
	}
	if _, ok := (Commitment{}).EffectivePerHour(); ok {
		t.Error("a term of no hours has a rate")
	}
	if _, ok := (Commitment{PerHour: 1, TermHours: 1}).BreakEvenUse(0); ok {
		t.Error("break-even against free")
	}
}

// A commitment at full use costs the list commitment; the saving at the
// break-even use is nothing; less use never makes a used hour cheaper.
func TestCommitmentLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Commitment{
			Upfront:   rapid.Float64Range(0, 1e6).Draw(t, "upfront"),
			PerHour:   rapid.Float64Range(0.01, 100).Draw(t, "rate"),
			TermHours: rapid.Float64Range(1, 30000).Draw(t, "term"),
		}
		od := rapid.Float64Range(0.01, 200).Draw(t, "on demand")
		full, _ := c.PerUsedHour(1)
		list, _ := c.EffectivePerHour()
		if math.Abs(full-list) > 1e-12*list {
			t.Fatalf("full use %g, list %g", full, list)
		}
		u, ok := c.BreakEvenUse(od)
		if !ok {
			t.Fatal("no break-even")
		}
		if got := c.Saving(od, u); math.Abs(got) > 1e-9*c.Total() {
			t.Fatalf("saving at the break-even: %g", got)
		}
		use := rapid.Float64Range(0.01, 1).Draw(t, "use")
		if h, _ := c.PerUsedHour(use); h < list*(1-1e-12) {
			t.Fatalf("use %g: %g an hour, list %g", use, h, list)
		}
	})
}

func TestEarlyExit(t *testing.T) {
	for _, c := range []struct{ term, used, fee, want float64 }{{12, 4, 0.12, 4960}, {36, 6, 0, 6000}, {12, 4, 1, 12000}} {
		got, err := EarlyExit(1000, c.term, c.used, c.fee)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "paid", got, c.want, 1e-9)
	}
	if _, err := EarlyExit(1000, 12, 13, 0); err == nil {
		t.Error("more months used than the term has")
	}
}

func TestMarket(t *testing.T) {
	for _, c := range []struct{ g, years, want float64 }{
		{0.2554, 3, 0.30145636278203936},
		{0.2554, 1, 0.11748861921280884},
		{0, 1, 0},
		{-0.2554, 1, -0.13930269683608087},
	} {
		got, ok := MarketBreakEvenDiscount(c.g, c.years)
		if !ok {
			t.Fatal(c)
		}
		near(t, "discount", got, c.want, 1e-12)
	}
	a, _ := MarketBreakEvenDiscount(0.99999e-4, 1)
	b, _ := MarketBreakEvenDiscount(1.00001e-4, 1)
	near(t, "series meets formula", a, b, 1e-8)
	// The fixed price at that discount costs what the falling market costs.
	d, _ := MarketBreakEvenDiscount(0.3, 2)
	near(t, "solves its equation", (1-d)*2, (1-math.Exp(-0.6))/0.3, 1e-9)
}

func TestReserveUnits(t *testing.T) {
	for _, c := range []struct {
		p        []float64
		discount float64
		units    int
		cost     float64
	}{
		{[]float64{0.1, 0.2, 0.3, 0.2, 0.2}, 0.35, 2, 1.9},
		{[]float64{0, 0, 0, 0, 1}, 0.35, 4, 2.6},
		{[]float64{0.1, 0.2, 0.3, 0.2, 0.2}, 0.3, 2, 2}, // exactly at the threshold: reserve
		{[]float64{1}, 0.5, 0, 0},
	} {
		n, err := ReserveUnits(c.p, c.discount)
		if err != nil || n != c.units {
			t.Errorf("%v at %g: %d, %v", c.p, c.discount, n, err)
		}
		cost, _ := ReservedCost(c.p, n, c.discount)
		near(t, "cost", cost, c.cost, 1e-12)
	}
	for _, bad := range [][]float64{{0.5}, {-0.5, 1.5}, {math.NaN(), 1}, nil} {
		if _, err := ReserveUnits(bad, 0.3); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
}

// No other number of reserved units is cheaper, and the best mix of a profile
// without spot reserves the same number.
func TestReserveUnitsIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(0, 20), 2, 8).Draw(t, "slots by demand")
		p := Profile{SlotHours: 1}
		for k, n := range counts {
			for range n {
				p.Units = append(p.Units, float64(k))
			}
		}
		if len(p.Units) == 0 {
			return
		}
		prob := make([]float64, len(counts))
		for k, n := range counts {
			prob[k] = float64(n) / float64(len(p.Units))
		}
		discount := rapid.Float64Range(0, 0.9).Draw(t, "discount")
		n, err := ReserveUnits(prob, discount)
		if err != nil {
			t.Fatal(err)
		}
		best, _ := ReservedCost(prob, n, discount)
		for k := range prob {
			if c, _ := ReservedCost(prob, k, discount); c < best-1e-9 {
				t.Fatalf("%d units cost %g, %d units %g", k, c, n, best)
			}
		}
		m, err := BestMix(p, 0, Rates{Committed: 1 - discount, OnDemand: 1, Spot: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Total / float64(len(p.Units)); math.Abs(got-best) > 1e-9 {
			t.Fatalf("mix %g, newsvendor %g", got, best)
		}
	})
}

func TestMix(t *testing.T) {
	// Two days of 24 slots: 2 units at night, 10 by day.
	p := Profile{SlotHours: 1}
	for h := range 48 {
		u := 2.0
		if h%24 >= 8 && h%24 < 20 {
			u = 10
		}
		p.Units = append(p.Units, u)
	}
	m, err := Mix(p, 4, 0.5, Rates{Committed: 0.6, OnDemand: 1, Spot: 0.4})
	if err != nil {
		t.Fatal(err)
	}
	// Committed 4 x 48 = 192 h of which 2 x 24 idle; above the base 6 x 24 = 144 h, half on spot.
	near(t, "idle", m.IdleHours, 48, 1e-9)
	near(t, "spot", m.SpotHours, 72, 1e-9)
	near(t, "total", m.Total, 192*0.6+72*1+72*0.4, 1e-9)
	near(t, "saving", m.Saving, 288-216, 1e-9)
	near(t, "use", m.Use, 0.75, 1e-12)
	near(t, "shares", m.CommittedShare+m.OnDemandShare+m.SpotShare, 1, 1e-12)
	best, err := BestMix(p, 0.5, Rates{Committed: 0.6, OnDemand: 1, Spot: 0.4})
	if err != nil || best.BaseUnits != 2 { // units 3-10 are used half the time, worth 0.35 an hour
		t.Errorf("best base %d, %v", best.BaseUnits, err)
	}
	for _, bad := range []Profile{{}, {SlotHours: 1}, {SlotHours: 1, Units: []float64{-1}}, {SlotHours: math.Inf(1), Units: []float64{1}}} {
		if _, err := BestMix(bad, 0, Rates{}); err == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
	if _, err := Mix(p, -1, 0, Rates{}); err == nil {
		t.Error("negative base accepted")
	}
	if _, err := Mix(p, 1, 0, Rates{Spot: math.NaN()}); err == nil {
		t.Error("NaN rate accepted")
	}
}

func TestParseDiscount(t *testing.T) {
	for text, want := range map[string]float64{
		"5折": 0.5, "5 zhe": 0.5, "8.8折": 0.88, "88折": 0.88, "7.5 ZHE": 0.75, "五折": 0.5, "七五折": 0.75, "9折": 0.9, "95折": 0.95, "1折": 0.1, "10折": 1,
	} {
		got, err := ParseDiscount(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		near(t, text, got, want, 1e-12)
	}
	for _, bad := range []string{"", "折", "50%", "0.5", "0折", "100折", "x折", "-5折", "1e1折", "123456789折"} {
		if got, err := ParseDiscount(bad); err == nil {
			t.Errorf("%q accepted as %g", bad, got)
		}
	}
}

func FuzzParseDiscount(f *testing.F) {
	for _, s := range []string{"5折", "七五折", "5 zhe", "9.9.9折", "zhe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseDiscount(s); err == nil && !(v > 0 && v < 1) && v != 1 {
			t.Errorf("%q is %g", s, v)
		}
	})
}

func TestMonthlyPackage(t *testing.T) {
	paid, _ := ParseDiscount("5折")
	m := MonthlyPackage{PerMonth: 14000 * paid, HoursIncluded: 730}
	h, ok := m.BreakEvenHours(28)
	if !ok {
		t.Fatal("no break-even")
	}
	near(t, "hours", h, 250, 1e-9)
	near(t, "on demand for those hours", h*28, m.PerMonth, 1e-9)
	used, _ := m.PerUsedHour(365)
	near(t, "half used", used, 7000.0/365, 1e-9)
	if _, ok := m.BreakEvenHours(5); ok {
		t.Error("a package dearer than every hour on demand breaks even")
	}
}
