package pricing

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Every offer that matches is a quote or is named under left_out, as often as
// it is left out: nothing disappears, whatever the limits.
func TestEveryOfferIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCatalog(t)
		q := ask()
		q.Purchases = []catalog.Purchase{catalog.OnDemand}
		all := len(Compare(c, q).Quotes) + len(Compare(c, q).LeftOut)
		q.MaxPrice = usd(rapid.SampledFrom([]string{"0", "1", "2.5", "1000"}).Draw(t, "limit"))
		where, err := CompileWhere("price >= 0")
		if err != nil {
			t.Fatal(err)
		}
		q.Where = where
		r := Compare(c, q)
		if got := len(r.Quotes) + len(r.LeftOut); got != all {
			t.Fatalf("%d quotes + %d left out, want %d in all", len(r.Quotes), len(r.LeftOut), all)
		}
	})
}

func TestLeftOutNamesEachOffer(t *testing.T) {
	c := acme(
		catalog.Offer{Region: "east", Prices: []catalog.Price{observed(t, "3", "2026-11-01", "x", catalog.High)}},
		catalog.Offer{Region: "west", Prices: []catalog.Price{observed(t, "4", "2026-11-01", "x", catalog.High)}},
	)
	q := ask()
	q.MaxPrice = usd("2")
	r := Compare(c, q)
	if len(r.LeftOut) != 2 || r.LeftOut[0].Region != "east" || r.LeftOut[1].Region != "west" || r.LeftOut[0].Purchase != catalog.OnDemand {
		t.Errorf("%+v", r.LeftOut)
	}
	q.MaxPrice, q.Purchases = money.Amount{}, []catalog.Purchase{catalog.Spot}
	var err error
	if q.Where, err = CompileWhere("price < 9"); err != nil {
		t.Fatal(err)
	}
	r = Compare(c, q)
	if len(r.Quotes) != 0 || len(r.LeftOut) != 2 || r.LeftOut[0].Code != "where_unknown" {
		t.Errorf("what a filter cannot know is not said: %+v", r)
	}
}

// A spot price that is too old is not "no spot price", also when the offer has
// a fresh price on demand.
func TestTooOldIsSaidPerPurchase(t *testing.T) {
	spot := observed(t, "1", "2026-06-01", "x", catalog.High)
	spot.Purchase = catalog.Spot
	c := acme(catalog.Offer{Prices: []catalog.Price{observed(t, "3", "2026-11-01", "x", catalog.High), spot}})
	q := ask()
	q.Selection.MaxAgeDays = 60
	q.Purchases = []catalog.Purchase{catalog.Spot}
	r := Compare(c, q)
	if len(r.Quotes) != 0 || len(r.LeftOut) != 1 || r.LeftOut[0].Code != "max_age" || r.LeftOut[0].Purchase != catalog.Spot {
		t.Errorf("spot only: %+v", r)
	}
	q.Purchases = []catalog.Purchase{catalog.OnDemand, catalog.Spot}
	if r = Compare(c, q); len(r.Quotes) != 1 || len(r.LeftOut) != 1 {
		t.Errorf("both: %d quotes, left out %+v", len(r.Quotes), r.LeftOut)
	}
}

// An offer whose prices are all too old is still an offer without a spot price;
// one that did not exist on that day is nothing.
func TestMaxAgeKeepsOffersWithoutThePurchase(t *testing.T) {
	c := acme(catalog.Offer{Prices: []catalog.Price{observed(t, "3", "2026-06-01", "x", catalog.High)}})
	q := ask()
	q.Purchases = []catalog.Purchase{catalog.Spot}
	q.Selection.MaxAgeDays = 60
	if x := only(t, Compare(c, q)); x.PerGPUHour.Known() || x.Purchase != catalog.Spot {
		t.Errorf("%+v", x)
	}
	q.Selection.AsOf = day(t, "2026-05-01")
	if r := Compare(c, q); len(r.Quotes)+len(r.LeftOut) != 0 {
		t.Errorf("%+v", r)
	}
}

// "No link is stated" is said only where none is.
func TestSplitOverANetwork(t *testing.T) {
	for link, want := range map[string]bool{"": true, "NVLink": true, "NVLink + InfiniBand NDR": false, "EFA 3200G": false, "RoCE": false} {
		c := acme(catalog.Offer{GPUs: unit.Whole(8), Interconnect: link, Prices: []catalog.Price{observed(t, "3", "2026-11-01", "x", catalog.High)}})
		q := ask()
		q.Need = 16
		if x := only(t, Compare(c, q)); x.Has(WarnSplit) != want {
			t.Errorf("%q: warned %v, want %v", link, x.Has(WarnSplit), want)
		}
	}
}

// --term says which reservation, and leaves on demand to be compared with.
func TestTermIsForReservations(t *testing.T) {
	year, three := observed(t, "2", "2026-11-01", "x", catalog.High), observed(t, "1", "2026-11-01", "x", catalog.High)
	year.Purchase, year.TermMonths = catalog.Reserved, 12
	three.Purchase, three.TermMonths = catalog.Reserved, 36
	c := acme(catalog.Offer{Prices: []catalog.Price{observed(t, "3", "2026-11-01", "x", catalog.High), year, three}})
	q := ask()
	q.Purchases, q.TermMonths = []catalog.Purchase{catalog.OnDemand, catalog.Reserved}, 12
	var got []string
	for _, x := range Compare(c, q).Quotes {
		got = append(got, fmt.Sprintf("%s %s", x.Purchase, x.PerGPUHour))
	}
	if want := []string{"reserved 2.00", "on_demand 3.00"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An override changes what is paid, not what the source said; and it makes no
// conflict of sources that agree about the price it replaces.
func TestOverrideKeepsTheSourcesWord(t *testing.T) {
	c := acme(catalog.Offer{Prices: []catalog.Price{
		observed(t, "6", "2026-11-01", "x", catalog.High), observed(t, "6", "2026-10-01", "y", catalog.High),
	}})
	c.Overrides = []catalog.Override{{ID: "deal", Provider: "acme", Amount: cny("14"), Per: unit.PerGPUHour}}
	q := ask()
	q.Exchange = NewExchange("USD", []catalog.FXRate{{Rate: money.Rate{Base: "USD", Quote: "CNY", Value: quantity(t, "7")}, AsOf: day(t, "2026-11-01")}}, nil, today)
	r := Compare(c, q)
	x := only(t, r)
	if x.PerGPUHour.String() != "2.00" || x.Native.Amount.String() != "6.00" || x.Native.Currency != "USD" {
		t.Errorf("pays %s, source said %s %s", x.PerGPUHour, x.Native.Amount, x.Native.Currency)
	}
	if x.Has(WarnConflict) {
		t.Error("a conflict of sources that the override invented")
	}
	if len(r.Rates) != 1 || r.Rates[0].Quote != "CNY" {
		t.Errorf("rates used: %+v", r.Rates)
	}
}

// 200 GB at 0.05 a month are 10 a month: 0.33 x 730 + 10 = 250.90 exactly.
func TestDiskIsInTheMonthExactly(t *testing.T) {
	p := observed(t, "0.33", "2026-11-01", "x", catalog.High)
	c := acme(catalog.Offer{DiskPrice: usd("0.05"), Prices: []catalog.Price{p}})
	q := ask()
	q.DiskGB = quantity(t, "200")
	x := only(t, Compare(c, q))
	if x.NeedPerMonth.String() != "250.90" || x.NeedPerHour.String() != "0.34369863" || !x.Has(WarnDisk) {
		t.Errorf("%s a month, %s an hour", x.NeedPerMonth, x.NeedPerHour)
	}
	c.Offers[0].DiskPrice = money.Amount{}
	if x := only(t, Compare(c, q)); x.NeedPerHour.String() != "0.33" || !x.Has(WarnNoDisk) || x.Has(WarnDisk) {
		t.Errorf("without a disk price: %+v", x.Warnings)
	}
}

// drawEvidence is offers of one seller that say something about each other.
func drawEvidence(t *rapid.T) *catalog.Catalog {
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	var offers []catalog.Offer
	for range rapid.IntRange(2, 10).Draw(t, "offers") {
		month := rapid.Uint8Range(5, 11).Draw(t, "month")
		offers = append(offers, catalog.Offer{
			Instance: pick("instance", "", "P5", "p5", "p6"), Region: pick("region", "", "us", "eu"), Host: pick("host", "", "h"),
			Tier: pick("tier", "", "secure"), Prices: []catalog.Price{{
				Purchase: catalog.OnDemand, Per: unit.PerGPUHour, Low: usd("2"), High: usd("2"), Source: pick("source", "x", "y"),
				AsOf: catalog.Date{Year: 2026, Month: month, Day: 1}, Confidence: catalog.Confidence(pick("confidence", "low", "medium", "high")),
			}},
		})
	}
	return acme(offers...)
}

// 55,000 a month is 55,000 a month, and two machines are 110,000, whatever the
// hours of a month are.
func TestAPriceByTheMonthStaysExact(t *testing.T) {
	for _, c := range []struct {
		per    unit.Per
		term   int
		amount string
		gpus   unit.Count
		want   string
	}{
		{unit.PerInstanceMonth, 1, "55000", unit.Whole(8), "110000.00"},
		{unit.PerInstanceTerm, 12, "600000", unit.Whole(8), "100000.00"},
		{unit.PerGPUMonth, 1, "7000", unit.Whole(8), "112000.00"},
		{unit.PerGPUMonth, 1, "7000", unit.Count{}, "63000.00"},
	} {
		p := observed(t, c.amount, "2026-11-01", "x", catalog.High)
		p.Per, p.TermMonths, p.Purchase = c.per, c.term, catalog.Reserved
		cat := acme(catalog.Offer{Prices: []catalog.Price{p}})
		cat.Offers[0].GPUs = c.gpus
		q := ask()
		q.Need, q.Purchases = 9, []catalog.Purchase{catalog.Reserved}
		for _, hours := range []string{"730", "720"} {
			q.HoursPerMonth = quantity(t, hours)
			if x := only(t, Compare(cat, q)); x.NeedPerMonth.String() != c.want {
				t.Errorf("%s %s in a month of %s h: %s, want %s", c.amount, c.per, hours, x.NeedPerMonth, c.want)
			}
		}
	}
}

// The index of evidence finds exactly what a look at every pair finds.
func TestEvidenceMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		qs := Compare(drawEvidence(t), Query{
			Selection: catalog.Selection{AsOf: today}, Now: today, All: true, Exchange: NewExchange("USD", nil, nil, today),
			Purchases: catalog.Purchases(),
		}).Quotes
		at := make([]*Quote, len(qs))
		for i := range qs {
			at[i] = &qs[i]
		}
		e := newEvidence(at)
		for i, q := range at {
			about := slices.Collect(e.about(i, q))
			for j, other := range at {
				if !competes(q) || !competes(other) || cellOf(q) != cellOf(other) {
					continue
				}
				if contradicted(q, other).how != 0 && !slices.Contains(about, j) {
					t.Fatalf("quote %d is contradicted by %d, which the index does not list", i, j)
				}
			}
		}
	})
}

// Thousands of machines of one seller take no time: this took minutes when every
// pair was looked at.
func BenchmarkManyMachines(b *testing.B) {
	var offers []catalog.Offer
	for i := range 20_000 {
		offers = append(offers, catalog.Offer{Instance: fmt.Sprint("i", i), Prices: []catalog.Price{observed(b, "2", "2026-11-01", "x", catalog.Medium)}})
	}
	c := acme(offers...)
	for b.Loop() {
		Compare(c, ask())
	}
}

func TestTheDateOfACrossRate(t *testing.T) {
	on := day(t, "2026-09-30")
	rates := []catalog.FXRate{{Rate: money.Rate{Base: "USD", Quote: "CNY", Value: quantity(t, "7")}, AsOf: on, Source: "bank"}}
	own, err := ParseFX("jpy = 140")
	if err != nil {
		t.Fatal(err)
	}
	r, ok := NewExchange("JPY", rates, []catalog.FXRate{own}, today).Rate("CNY")
	if !ok || r.AsOf != on {
		t.Errorf("the rate is of %s, want %s: a rate of the user's own has no date", r.AsOf, on)
	}
	for _, bad := range []string{"USD=2", "XYZ=3", "CNY=0", "CNY", "=7", "CN=7"} {
		if _, err := ParseFX(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
