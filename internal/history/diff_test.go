package history

import (
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

func fxRate(base, quote, value string, n int) catalog.FXRate {
	q, err := money.ParseQuantity(value)
	if err != nil {
		panic(err)
	}
	return catalog.FXRate{Rate: money.Rate{Base: money.Currency(base), Quote: money.Currency(quote), Value: q}, AsOf: date(n), Source: "ecb"}
}

// The worked example of the design: 10 -> 11 USD while CNY goes 7.00 -> 6.80.
// 70.00 -> 74.80 is +4.80: price 1 x 6.90 = +6.90, rate -0.20 x 10.5 = -2.10.
func TestDiffAttributes(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		res, err := s.Apply(t.Context(), Run{Source: "ecb", FetchedAt: day(1)}, Batch{
			FX: []catalog.FXRate{fxRate("USD", "CNY", "7", 1), fxRate("USD", "CNY", "6.8", 10)},
		})
		if err != nil || res.Rates != 2 || res.Verdict != Updated {
			t.Fatal(res, err)
		}
		euro := offer("verda", "eur", "1", 1)
		euro.Prices[0].Low, euro.Prices[0].High = money.MustParse("1", "EUR"), money.MustParse("1", "EUR")
		changed := offer("verda", "eur", "1", 10)
		apply(t, s, at(1), offer("aws", "moved", "10", 1), offer("aws", "same", "10", 1), offer("aws", "gone", "5", 1), euro)
		for n := 8; n <= 10; n++ { // gone is missing three times
			apply(t, s, at(n), offer("aws", "moved", "11", n), offer("aws", "same", "10", n), offer("aws", "new", "4", n), changed)
		}
		late := Run{Source: "late", FetchedAt: day(9)}
		apply(t, s, late, offer("oci", "x", "3", 9))
		type row struct{ Kind, From, To, Price, Rate string }
		diff := func(currency money.Currency) (map[string]row, Diff) {
			d, err := s.Diff(t.Context(), DiffOptions{From: day(2), To: day(10), Currency: currency})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]row{}
			for _, c := range d.Changes {
				got[c.Series.Instance] = row{string(c.Kind), c.FromValue.String(), c.ToValue.String(), c.PriceEffect.String(), c.RateEffect.String()}
			}
			return got, d
		}
		got, d := diff("CNY")
		want := map[string]row{
			"moved": {"price_and_rate", "70.00", "74.80", "6.90", "-2.10"},
			"same":  {"exchange_rate", "70.00", "68.00", "0.00", "-2.00"},
			"gone":  {"gone", "35.00", "", "", ""},
			"new":   {"new", "", "27.20", "", ""},
			"eur":   {"terms", "", "6.80", "", ""}, // EUR -> USD; no rate for EUR
		}
		if diff := cmp.Diff(want, got); diff != "" || d.NotWatched != 1 || d.Unchanged != 0 || d.NoRate != 1 {
			t.Error(diff, d.NotWatched, d.Unchanged, d.NoRate)
		}
		got, d = diff("")
		want = map[string]row{
			"moved": {"price", "10.00", "11.00", "1.00", "0.00"},
			"gone":  {"gone", "5.00", "", "", ""},
			"new":   {"new", "", "4.00", "", ""},
			"eur":   {"terms", "1.00", "1.00", "", ""},
		}
		if diff := cmp.Diff(want, got); diff != "" || d.NotWatched != 1 || d.Unchanged != 1 || d.NoRate != 0 {
			t.Error(diff, d.NotWatched, d.Unchanged, d.NoRate)
		}
		latest, err := s.Latest(t.Context(), Filter{}, time.Time{})
		if err != nil || len(latest.FX) != 1 || latest.FX[0].AsOf != date(10) {
			t.Error(latest.FX, err)
		}
	})
}

func TestRates(t *testing.T) {
	r := newRates([]catalog.FXRate{
		fxRate("EUR", "USD", "1.1", 1), fxRate("EUR", "USD", "1.25", 5), fxRate("EUR", "CNY", "8", 4), fxRate("USD", "JPY", "150", 20),
	})
	for _, c := range []struct {
		from, to money.Currency
		on       int
		want     string
		date     int // 0: no rate
	}{
		{"EUR", "USD", 3, "11/10", 1},
		{"EUR", "USD", 5, "5/4", 5},
		{"USD", "EUR", 6, "4/5", 5},  // inverse
		{"USD", "CNY", 6, "32/5", 4}, // 8 / 1.25 = 6.4, as old as the older
		{"USD", "USD", 9, "1", 9},
		{"USD", "JPY", 19, "", 0}, // not before its day
		{"EUR", "USD", 14, "5/4", 5},
		{"EUR", "USD", 15, "", 0}, // 10 days old
		{"CNY", "CHF", 6, "", 0},
	} {
		got, on, ok := r.on(c.from, c.to, day(c.on))
		if ok != (c.date > 0) {
			t.Errorf("%s/%s on %d: %v", c.from, c.to, c.on, ok)
			continue
		}
		if want, _ := new(big.Rat).SetString(c.want); ok && (got.Cmp(want) != 0 || on != date(c.date)) {
			t.Errorf("%s/%s on %d: %v of %v", c.from, c.to, c.on, got, on)
		}
	}
}

func TestRounded(t *testing.T) {
	for in, want := range map[string]string{
		"0.0000000005": "0.00", "0.0000000015": "0.000000002", "-0.0000000005": "0.00", "-0.0000000015": "-0.000000002",
		"0.00000000051": "0.000000001", "-2.1": "-2.10", "1/3": "0.333333333", "99999999999": "",
	} {
		x, _ := new(big.Rat).SetString(in)
		got, ok := rounded(x, "USD")
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: %s %v, want %s", in, got, ok, want)
		}
	}
}

// The effects sum to the change, to the last nano-unit.
func TestAttributionIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		point := func(name string) *Point {
			a := money.FromNano(rapid.Int64Range(1, 1e13).Draw(t, name), "USD")
			return &Point{Low: a, High: a, Per: "gpu_hour"}
		}
		rate := func(name string, n int) catalog.FXRate {
			return fxRate("USD", "CNY", money.Quantity(rapid.Int64Range(1, 1e12).Draw(t, name)).String(), n)
		}
		c := Change{From: point("from"), To: point("to")}
		var d Diff
		d.add(c, &DiffOptions{From: day(1), To: day(5), Currency: "CNY"}, newRates([]catalog.FXRate{rate("f0", 1), rate("f1", 5)}))
		for _, c := range d.Changes {
			total, _ := c.ToValue.Sub(c.FromValue)
			sum, err := c.PriceEffect.Add(c.RateEffect)
			if err != nil || sum != total || !sum.Known() {
				t.Fatalf("%s + %s is not %s", c.PriceEffect, c.RateEffect, total)
			}
		}
	})
}
