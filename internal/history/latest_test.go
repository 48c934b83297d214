package history

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

func usd(s string) money.Amount { return money.MustParse(s, "USD") }

// Everything that an offer says comes back, merged over sources.
func TestLatestRoundTrip(t *testing.T) {
	yes, no, three := true, false, 3.5
	full := catalog.Offer{
		Provider: "vast", Kind: "marketplace", Instance: "m", Tier: "community", Region: "eu", Country: "DE", GPU: "H100 \"odd\" 名", GPUs: unit.Count{Num: 1, Den: 6},
		GPUMemoryGB: 80, VCPUs: 12.5, MemoryGiB: 64, DiskGB: 100, Interconnect: "PCIe", Host: "h1", Available: &no, DiskPrice: usd("0.3"), Note: "a note",
		Prices: []catalog.Price{
			{
				Purchase: catalog.Reserved, Plan: "monthly", TermMonths: 1, Low: usd("1"), High: usd("2.000000001"), Per: unit.PerInstanceMonth,
				Scope: "gpu_only", Commitment: "one month", AsOf: date(1), Source: "a", Ref: "page 1", Confidence: catalog.Medium, Samples: 3,
				Tax: "included", TaxPercent: 19, Purchasable: &yes, ValidUntil: date(30), Note: "price note",
			},
			{Purchase: catalog.Spot, Per: unit.PerGPUHour, AsOf: date(1), Source: "a"}, // known not to be known
		},
	}
	other := catalog.Offer{
		Provider: full.Provider, Kind: "vm", Instance: full.Instance, Tier: full.Tier, Region: full.Region, GPU: full.GPU, GPUs: full.GPUs, Host: full.Host,
		Prices: []catalog.Price{{Purchase: catalog.OnDemand, Low: usd("3"), High: usd("3"), Per: unit.PerGPUHour, AsOf: date(2), Source: "elsewhere"}},
	}
	tokens := []catalog.TokenPrice{
		{
			Provider: "p", ProviderName: "P", Model: "llama", ModelID: "meta/llama", Input: usd("0.1"), Output: usd("0.4"), Cached: usd("0.05"), Context: 8192,
			Kind: "chat", Source: "a", AsOf: date(2),
		},
		{Provider: "p", Model: "free", ModelID: "free", Input: money.Zero("USD"), Output: money.Zero("USD"), Source: "a", AsOf: date(2)},
	}
	serverless := []catalog.ServerlessPrice{{
		Provider: "runpod", GPU: "h100", GPUKnown: true, FlexPerSecond: usd("0.0012"), ActivePerSecond: usd("0.0009"), ColdStartS: &three, MinCharge: usd("0.01"),
		Currency: "USD", Source: "a", AsOf: date(2), Confidence: catalog.High,
	}}
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		if _, err := s.Apply(t.Context(), Run{Source: "b", FetchedAt: day(2)}, Batch{Offers: Offers([]catalog.Offer{other})}); err != nil {
			t.Fatal(err)
		}
		res, err := s.Apply(t.Context(), Run{Source: "a", FetchedAt: day(3)}, Batch{
			Offers: Offers([]catalog.Offer{full}), Tokens: tokens, Serverless: serverless, FX: []catalog.FXRate{fxRate("EUR", "USD", "1.1", 2)},
		})
		if err != nil || res.New != 9 || res.Rejected != 0 {
			t.Fatal(res, err)
		}
		want := &catalog.Catalog{Offers: []catalog.Offer{full}, Tokens: tokens, Serverless: serverless, FX: []catalog.FXRate{fxRate("EUR", "USD", "1.1", 2)}}
		want.Offers[0].Prices = append(append([]catalog.Price{}, full.Prices...), other.Prices...)
		got, err := s.Latest(t.Context(), Filter{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		byPurchase := cmpopts.SortSlices(func(a, b catalog.Price) bool { return a.Purchase < b.Purchase })
		byModel := cmpopts.SortSlices(func(a, b catalog.TokenPrice) bool { return a.ModelID < b.ModelID })
		exact := cmp.Comparer(func(a, b money.Amount) bool { return a == b })
		if d := cmp.Diff(want, got, byPurchase, byModel, exact); d != "" {
			t.Error(d)
		}
		none, err := s.Latest(t.Context(), Filter{GPUs: []string{"other"}}, time.Time{})
		if err != nil || len(none.Offers)+len(none.Tokens)+len(none.Serverless) != 0 {
			t.Error(none, err)
		}
	})
}
