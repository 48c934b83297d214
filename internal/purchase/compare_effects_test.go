package purchase

import (
	"math"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

// A machine of two at 8 yuan a GPU and 7 to the dollar, with 730 GB of disk at 7
// yuan a GB-month: 16/7 + 7/7 = 3.2857 dollars an hour, of which 69.6 % are the
// machine. A rate of 7.7 makes 2.9870.
func TestCompareEffects(t *testing.T) {
	day := catalog.Date{Year: 2026, Month: 11, Day: 30}
	yuan := func(s string) money.Amount { return money.MustParse(s, "CNY") }
	c := &catalog.Catalog{
		Providers: []catalog.Provider{{ID: "acme", Name: "Acme"}},
		GPUs:      []catalog.GPU{{ID: "g", Name: "G", Family: "g"}},
		Offers: []catalog.Offer{{
			Provider: "acme", GPU: "g", GPUKnown: true, GPUs: unit.Whole(2), DiskPrice: yuan("7"),
			Prices: []catalog.Price{{Purchase: catalog.OnDemand, Low: yuan("8"), High: yuan("8"), Per: unit.PerGPUHour, AsOf: day, Source: "s", Confidence: catalog.High}},
		}},
	}
	rate, err := pricing.ParseFX("CNY=7")
	if err != nil {
		t.Fatal(err)
	}
	x := pricing.NewExchange("USD", nil, []catalog.FXRate{rate}, day)
	q := pricing.Query{
		Need: 1, Purchases: []catalog.Purchase{catalog.OnDemand}, Selection: catalog.Selection{AsOf: day}, Now: day, Exchange: x,
		HoursPerMonth: money.WholeQuantity(730), DiskGB: money.WholeQuantity(730),
	}
	quote := &pricing.Compare(c, q).Quotes[0]
	got := CompareEffects(quote, 1, x)
	want := []Effect{{"exchange_rate", -9.090909}, {"price", 6.956522}, {"disk", 3.043478}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i].Input != want[i].Input || math.Abs(got[i].Percent-want[i].Percent) > 1e-5 {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if CompareEffects(&pricing.Quote{}, 1, x) != nil {
		t.Error("what has no price has no effects")
	}
}
