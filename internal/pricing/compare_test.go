package pricing

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var today = catalog.Date{Year: 2026, Month: 11, Day: 30}

func day(t testing.TB, s string) catalog.Date {
	t.Helper()
	d, err := catalog.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func observed(t testing.TB, amount, date, source string, c catalog.Confidence) catalog.Price {
	t.Helper()
	return catalog.Price{
		Purchase: catalog.OnDemand, Low: usd(amount), High: usd(amount), Per: unit.PerGPUHour,
		AsOf: day(t, date), Source: source, Confidence: c,
	}
}

func acme(offers ...catalog.Offer) *catalog.Catalog {
	for i := range offers {
		offers[i].Provider = "acme"
		if offers[i].GPU == "" {
			offers[i].GPU = "g"
		}
		if !offers[i].GPUs.Known() {
			offers[i].GPUs = unit.Whole(1)
		}
	}
	return &catalog.Catalog{
		Providers: []catalog.Provider{{ID: "acme", Name: "Acme"}},
		GPUs:      []catalog.GPU{{ID: "g", Family: "g", MemoryGB: 80}},
		Offers:    offers,
	}
}

func ask() Query {
	return Query{Need: 1, Selection: catalog.Selection{AsOf: today}, Now: today, Exchange: NewExchange("USD", nil, nil, today)}
}

func only(t *testing.T, r Result) Quote {
	t.Helper()
	if len(r.Quotes) != 1 {
		t.Fatalf("%d quotes, want 1: %+v", len(r.Quotes), r.Quotes)
	}
	return r.Quotes[0]
}

// Which observation stands for an offer.
func TestSelection(t *testing.T) {
	o := catalog.Offer{Prices: []catalog.Price{
		observed(t, "1.00", "2026-11-01", "article", catalog.Low),
		observed(t, "3.00", "2026-08-20", "page", catalog.High), // 73 days before the article
		observed(t, "2.50", "2026-01-15", "page", catalog.High),
	}}
	if q := only(t, Compare(acme(o), ask())); q.PerGPUHour.String() != "3.00" || !q.Has(WarnConflict) {
		t.Errorf("a low-confidence price displaced one 73 days older: %s, %v", q.PerGPUHour, q.Warnings)
	}
	o.Prices[1].AsOf = day(t, "2026-07-01") // 123 days: old enough to yield
	if q := only(t, Compare(acme(o), ask())); q.PerGPUHour.String() != "1.00" || !q.Has(WarnLow) {
		t.Errorf("want the article's price after more than 90 days: %s", q.PerGPUHour)
	}
	past := ask()
	past.Selection.AsOf = day(t, "2026-02-01")
	if q := only(t, Compare(acme(o), past)); q.PerGPUHour.String() != "2.50" {
		t.Errorf("as of February the January price stands, got %s", q.PerGPUHour)
	}
	one := ask()
	one.Selection.Source = "article"
	if q := only(t, Compare(acme(o), one)); q.PerGPUHour.String() != "1.00" {
		t.Errorf("one source was asked for, got %s", q.PerGPUHour)
	}
	undated := o
	undated.Prices = []catalog.Price{observed(t, "1.00", "unknown", "list", catalog.Medium)}
	if r := Compare(acme(undated), ask()); len(r.Quotes) != 1 || !r.Quotes[0].Has(WarnUndated) {
		t.Errorf("an undated price is kept and marked: %+v", r.Quotes)
	}
	past.Selection.Dated = true
	if r := Compare(acme(undated), past); len(r.Quotes) != 0 {
		t.Errorf("on a past day an undated price may not have been seen yet: %+v", r.Quotes)
	}
	all := ask()
	all.All = true
	if r := Compare(acme(o), all); len(r.Quotes) != 3 {
		t.Errorf("--all-quotes shows %d of 3 observations", len(r.Quotes))
	}
	aged := ask()
	aged.Selection.MaxAgeDays = 20
	if r := Compare(acme(o), aged); len(r.Quotes) != 0 || len(r.LeftOut) != 1 || r.LeftOut[0].Code != "max_age" {
		t.Errorf("--max-age 20: %d quotes, left out %v", len(r.Quotes), r.LeftOut)
	}
}

// What must not be ranked beside the rest is put aside, with its reason.
func TestPutAside(t *testing.T) {
	page := catalog.Offer{Instance: "g.8x", GPUs: unit.Whole(8), Region: "east", Prices: []catalog.Price{observed(t, "3.00", "2026-09-01", "page", catalog.High)}}
	article := catalog.Offer{Prices: []catalog.Price{observed(t, "1.00", "2026-06", "article", catalog.Low)}}
	r := Compare(acme(page, article), ask())
	if q := only(t, r); q.PerGPUHour.String() != "3.00" || len(r.LeftOut) != 1 || r.LeftOut[0].Code != WarnSuperseded {
		t.Errorf("the article's price ranks beside the page's: %v", r.LeftOut)
	}
	other := page
	other.Region = "west"
	other.Prices = []catalog.Price{observed(t, "2.00", "2026-03-01", "page", catalog.High)}
	if r := Compare(acme(page, other), ask()); len(r.Quotes) != 2 {
		t.Errorf("an older price of another region is not contradicted: %d quotes", len(r.Quotes))
	}
	vague := catalog.Offer{GPUs: unit.Whole(8), Prices: []catalog.Price{observed(t, "2.00", "2026-03-01", "list", catalog.Medium)}}
	if q := only(t, Compare(acme(page, vague), ask())); q.PerGPUHour.String() != "3.00" {
		t.Errorf("an older price that says no more than the page ranks beside it")
	}
	no := false
	unsold := catalog.Offer{Instance: "g.8x", Prices: []catalog.Price{{Purchase: catalog.OnDemand, Per: unit.PerGPUHour, AsOf: day(t, "2026-09-01"), Source: "page", Confidence: catalog.High, Purchasable: &no}}}
	if r := Compare(acme(unsold, article), ask()); len(r.Quotes) != 0 {
		t.Errorf("the seller's page says that it is not sold, yet the article's price ranks: %+v", r.Quotes[0].PerGPUHour)
	}
	part := page
	part.Prices = []catalog.Price{observed(t, "0.50", "2026-11-01", "skus", catalog.High)}
	part.Prices[0].Scope = catalog.ScopeGPUOnly
	if q := only(t, Compare(acme(page, part), ask())); q.PerGPUHour.String() != "3.00" {
		t.Errorf("the accelerator alone ranks beside the whole machine")
	}
	gone := acme(page)
	gone.Providers[0].Status = "left"
	if r := Compare(gone, ask()); len(r.Quotes) != 0 || r.LeftOut[0].Code != WarnLeft {
		t.Errorf("a seller that has left ranks: %v", r.LeftOut)
	}
}

func drawCatalog(t *rapid.T) *catalog.Catalog {
	n := rapid.IntRange(1, 12).Draw(t, "offers")
	var offers []catalog.Offer
	for i := range n {
		offers = append(offers, catalog.Offer{
			Region: string(rune('a' + i)), GPUs: unit.Whole(rapid.SampledFrom([]int64{1, 2, 4, 8}).Draw(t, "gpus")),
			VCPUs: float64(rapid.IntRange(0, 3).Draw(t, "vcpus")), MemoryGiB: float64(rapid.IntRange(0, 3).Draw(t, "memory")),
			Prices: []catalog.Price{{
				Purchase: catalog.OnDemand, Per: rapid.SampledFrom([]unit.Per{unit.PerGPUHour, unit.PerInstanceHour}).Draw(t, "per"),
				Low: money.FromNano(rapid.Int64Range(1, 5).Draw(t, "nano")*1e9, "USD"), AsOf: today, Source: "s", Confidence: catalog.High,
			}},
		})
		offers[i].Prices[0].High = offers[i].Prices[0].Low
	}
	return acme(offers...)
}

// Ranking is a total order: every permutation of the catalog gives one answer,
// ranks are 1..n, and what must be paid never falls.
func TestRankingIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCatalog(t)
		q := ask()
		q.Need = rapid.Int64Range(1, 16).Draw(t, "need")
		first := Compare(c, q).Quotes
		perm := *c
		perm.Offers = rapid.Permutation(c.Offers).Draw(t, "order")
		second := Compare(&perm, q).Quotes
		for i := range first {
			if first[i].Rank != i+1 || first[i].Region != second[i].Region {
				t.Fatalf("rank %d: %s in one order, %s in another", first[i].Rank, first[i].Region, second[i].Region)
			}
			if i > 0 && first[i-1].NeedPerHour.Cmp(first[i].NeedPerHour) > 0 {
				t.Fatalf("rank %d costs less than rank %d", i+1, i)
			}
		}
	})
}

// A need costs whole machines, never less for more GPUs, and a higher price
// never lowers it.
func TestNeedLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCatalog(t)
		q := ask()
		q.Need = rapid.Int64Range(1, 16).Draw(t, "need")
		before := byRegion(Compare(c, q))
		more := q
		more.Need++
		dearer := *c
		dearer.Offers = slices.Clone(c.Offers)
		for i := range dearer.Offers {
			p := dearer.Offers[i].Prices[0]
			p.Low, _ = p.Low.MulFrac(11, 10)
			p.High = p.Low
			dearer.Offers[i].Prices = []catalog.Price{p}
		}
		bigger, raised := byRegion(Compare(c, more)), byRegion(Compare(&dearer, q))
		for region, b := range before {
			if b.NeedPerHour.Cmp(bigger[region].NeedPerHour) > 0 {
				t.Fatalf("%s: %d GPUs cost more than %d", region, q.Need, more.Need)
			}
			if b.NeedPerHour.Cmp(raised[region].NeedPerHour) >= 0 {
				t.Fatalf("%s: a higher price lowered what must be paid", region)
			}
			whole, err := b.PerInstanceHour.MulFrac(*b.Instances, 1)
			if err != nil || whole != b.NeedPerHour || *b.Instances*b.Count().Num < q.Need {
				t.Fatalf("%s: %d machines at %s, need costs %s", region, *b.Instances, b.PerInstanceHour, b.NeedPerHour)
			}
		}
	})
}

// The union of two catalogs has the rows of both.
func TestUnionsLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawCatalog(t), drawCatalog(t)
		for i := range b.Offers {
			b.Offers[i].Region = "z" + b.Offers[i].Region
		}
		both := *a
		both.Offers = append(slices.Clone(a.Offers), b.Offers...)
		if got, want := len(Compare(&both, ask()).Quotes), len(Compare(a, ask()).Quotes)+len(Compare(b, ask()).Quotes); got != want {
			t.Fatalf("%d rows, want %d", got, want)
		}
	})
}

func byRegion(r Result) map[string]Quote {
	m := map[string]Quote{}
	for _, q := range r.Quotes {
		m[q.Region] = q
	}
	return m
}

// A filter that a row satisfies never removes it.
func TestFiltersOnlyNarrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCatalog(t)
		q := ask()
		q.MinMemoryGB = rapid.SampledFrom([]float64{0, 40, 80}).Draw(t, "memory")
		q.MaxPrice = money.FromNano(rapid.Int64Range(1, 6).Draw(t, "limit")*1e9, "USD")
		narrow := byRegion(Compare(c, q))
		for region, row := range byRegion(Compare(c, ask())) {
			if _, kept := narrow[region]; kept != (row.PerGPUHour.Cmp(q.MaxPrice) <= 0) {
				t.Fatalf("%s at %s: kept %v under a limit of %s", region, row.PerGPUHour, kept, q.MaxPrice)
			}
		}
	})
}

func TestSortKeys(t *testing.T) {
	for _, name := range SortNames() {
		if _, err := ParseSort("-" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ParseSort("prize"); err == nil || err.Error() != `unknown sort key "prize"` {
		t.Errorf("unknown key: %v", err)
	}
	// 2.00 at 1,000 TFLOPS is 2 per PFLOP-hour; 1.50 at 500 is 3.
	c := acme(
		catalog.Offer{Region: "a", GPU: "fast", Prices: []catalog.Price{observed(t, "2.00", "2026-11-01", "s", catalog.High)}},
		catalog.Offer{Region: "b", GPU: "slow", Prices: []catalog.Price{observed(t, "1.50", "2026-11-01", "s", catalog.High)}},
		catalog.Offer{Region: "c", GPU: "unstated", Prices: []catalog.Price{observed(t, "0.10", "2026-11-01", "s", catalog.High)}},
	)
	c.GPUs = []catalog.GPU{{ID: "fast", BF16TFLOPS: 1000}, {ID: "slow", BF16TFLOPS: 500}, {ID: "unstated"}}
	for keys, want := range map[string]string{"price_per_pflop": "abc", "-price_per_pflop": "bac", "price": "cba", "-price": "abc"} {
		q := ask()
		var err error
		if q.Sort, err = ParseSort(keys); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, row := range Compare(c, q).Quotes {
			got += row.Region
		}
		if got != want {
			t.Errorf("--sort %s: %s, want %s", keys, got, want)
		}
	}
}
