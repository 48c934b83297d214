package estimate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

const published = sellers + `  - id: zen
    name: Zen
    currency: USD
    offers:
      - gpu: h100-sxm
        gpus: 1
        prices:
          - {purchase: spot, amount: 1.1, per: gpu_hour}
          - {purchase: on_demand, low: 2, high: 4, per: gpu_hour}
interruption:
  - {provider: acme, gpu: any, metric: eviction_rate_bucket, low: 2, high: 2, unit: percent, as_of: 2026-11-01, source: test, confidence: high}
`

func rental(c *catalog.Catalog, need int64, hours float64, use money.Quantity, buy ...catalog.Purchase) *estimate.Rental {
	if len(buy) == 0 {
		buy = []catalog.Purchase{catalog.OnDemand, catalog.Spot, catalog.Reserved}
	}
	q := query(c, buy...)
	q.Need = need
	return &estimate.Rental{Catalog: c, Query: q, Hours: hours, Use: use}
}

func finish(t failer, r *estimate.Rental) *estimate.Finished {
	t.Helper()
	f, err := estimate.Finish(r)
	if err != nil {
		t.Errorf("%v", err)
		return &estimate.Finished{}
	}
	return f
}

// each is what a GPU-hour of finished work costs at a seller; not known is NaN.
func each(f *estimate.Finished, provider string, p catalog.Purchase) money.Range {
	for i := range f.Result.Quotes {
		if q := &f.Result.Quotes[i]; q.Provider == provider && q.Purchase == p {
			return f.Ways[i].PerGPUHour
		}
	}
	return money.Range{}
}

func TestFinishedWork(t *testing.T) {
	c, _ := setup(t)
	c = overlay(t, c, published)
	sixty := money.WholeQuantity(60) / 100
	for _, x := range []struct {
		name           string
		need           int64
		hours          float64
		use            money.Quantity
		provider       string
		buy            catalog.Purchase
		low, mid, high string
	}{
		{"on demand is its price", 8, 72, 0, "acme", catalog.OnDemand, "2.00", "2.00", "2.00"},
		{"a machine of eight for one", 1, 72, 0, "acme", catalog.OnDemand, "16.00", "16.00", "16.00"},
		{"two machines for nine: 32 / 9", 9, 72, 0, "acme", catalog.OnDemand, "3.555555556", "3.555555556", "3.555555556"},
		{"a range stays one", 1, 72, 0, "zen", catalog.OnDemand, "2.00", "3.00", "4.00"},
		{"reserved in use for 60 %: 1.5 / 0.6", 8, 72, sixty, "acme", catalog.Reserved, "2.50", "2.50", "2.50"},
		{"and for other hours alike", 8, 1, sixty, "acme", catalog.Reserved, "2.50", "2.50", "2.50"},
		{"for this work alone: 1.5 x 8,760 / 72", 8, 72, 0, "acme", catalog.Reserved, "182.50", "182.50", "182.50"},
		{"two terms: 1.5 x 17,520 / 9,600", 8, 9600, 0, "acme", catalog.Reserved, "2.7375", "2.7375", "2.7375"},
		{"in full use", 8, 72, money.WholeQuantity(1), "acme", catalog.Reserved, "1.50", "1.50", "1.50"},
	} {
		r := each(finish(t, rental(c, x.need, x.hours, x.use)), x.provider, x.buy)
		if r.Low.String() != x.low || r.Mid.String() != x.mid || r.High.String() != x.high {
			t.Errorf("%s: %s %s %s, want %s %s %s", x.name, r.Low, r.Mid, r.High, x.low, x.mid, x.high)
		}
	}
	// The lines are the cost, and a seller that publishes nothing says so.
	f := finish(t, rental(c, 8, 72, sixty))
	for i, w := range f.Ways {
		if !w.Cost.Known() {
			continue
		}
		sum := money.Zero("USD")
		for _, l := range w.Lines {
			sum, _ = sum.Add(l.Cost.Mid)
		}
		if sum != w.Cost.Mid {
			t.Errorf("%s: lines %s, cost %s", f.Result.Quotes[i].Provider, sum, w.Cost.Mid)
		}
		if q := &f.Result.Quotes[i]; q.Purchase == catalog.Spot && w.Has(estimate.WarnStandIn) != (q.Provider == "zen") {
			t.Errorf("%s: %+v", q.Provider, w.Warnings)
		}
	}
}

// A run of the same hours costs the same in an estimate: there is one engine.
func TestFinishedWorkIsTheEstimate(t *testing.T) {
	c, e := setup(t)
	c = overlay(t, c, published)
	f := finish(t, rental(c, 8, 72, 0))
	a := answer(t, read(t, "schema: 1\nkind: train\ntrain: {hours: 72}\nhardware: {gpu: h100, gpus: 8}\n"), c, e, catalog.OnDemand, catalog.Spot)
	if len(a.Estimates) != 4 {
		t.Fatalf("%d estimates", len(a.Estimates))
	}
	for i := range a.Estimates {
		x := &a.Estimates[i]
		if got := each(f, x.Provider, x.Purchase); got.Mid != x.PerUseful.Mid {
			t.Errorf("%s %s: %s, the estimate says %s", x.Provider, x.Purchase, got.Mid, x.PerUseful.Mid)
		}
	}
}

// Acme's spot ends at 1.0609 for a list price of 1; on demand at 2 it loses when
// interrupted as often as flips says, checked by a seller that is.
func TestFlipsOfFinishedWork(t *testing.T) {
	c, _ := setup(t)
	c = overlay(t, c, published)
	r := rental(c, 8, 72, 0)
	r.Query.Providers = []string{"acme"}
	f := finish(t, r)
	if f.Best != 0 || f.Second != 1 || f.Result.Quotes[1].Purchase != catalog.OnDemand {
		t.Fatalf("best %d, second %d", f.Best, f.Second)
	}
	flips := map[string]float64{}
	for _, x := range f.Flips {
		flips[x.By] = x.Value
	}
	if math.Abs(flips["price"]-100*(2/1.060912527-1)) > 1e-4 || flips["use"] != 0 { // reserved at 1.5 never beats 1.06
		t.Errorf("%+v", f.Flips)
	}
	percent := -100 * math.Expm1(-flips["interruptions"]) // of an hour
	often := *c
	often.Interruption = slices.Clone(c.Interruption)
	setRate(&often, percent)
	r.Catalog = &often
	if got := float(each(finish(t, r), "acme", catalog.Spot).Mid); math.Abs(got-2) > 1e-4 {
		t.Errorf("at %v %% an hour: %v, want 2", percent, got)
	}
	// Against on demand alone, reserved pays from 1.5 / 2 on.
	r.Query.Purchases = []catalog.Purchase{catalog.OnDemand, catalog.Reserved}
	f = finish(t, r)
	if x := f.Flips[len(f.Flips)-1]; x.By != "use" || math.Abs(x.Value-0.75) > 1e-9 {
		t.Errorf("%+v", f.Flips)
	}
	r.Use = money.WholeQuantity(1)
	f = finish(t, r)
	if x := f.Flips[len(f.Flips)-1]; x.By != "use_below" || math.Abs(x.Value-0.75) > 1e-9 || f.Result.Quotes[0].Purchase != catalog.Reserved {
		t.Errorf("%+v", f.Flips)
	}
	// Spot that loses says how rare interruptions would have to be.
	r.Query.Purchases, r.Use = []catalog.Purchase{catalog.OnDemand, catalog.Spot}, 0
	setRate(&often, percent+20)
	f = finish(t, r)
	if x := f.Flips[len(f.Flips)-1]; x.By != "interruptions_below" || math.Abs(x.Value/flips["interruptions"]-1) > 1e-6 {
		t.Errorf("%+v, want %v", f.Flips, flips)
	}
	for _, x := range f.Effects(0) {
		if x.Input == "price" && x.Percent != 10 {
			t.Errorf("%+v", x)
		}
	}
}

func setRate(c *catalog.Catalog, percent float64) {
	for i := range c.Interruption {
		if c.Interruption[i].Provider == "acme" {
			c.Interruption[i].Low, c.Interruption[i].High = &percent, &percent
		}
	}
}

// Interruptions that come too often for the work ever to be done have no price,
// and come last.
func TestWorkThatIsNeverDone(t *testing.T) {
	c, _ := setup(t)
	c = overlay(t, c, strings.Replace(published, "low: 2, high: 2, unit", "low: 99.99999, high: 99.99999, unit", 1))
	r := rental(c, 8, 100_000, 0)
	r.Query.Providers = []string{"acme"}
	setRate(c, 100-1e-13)
	f := finish(t, r)
	last := len(f.Ways) - 1
	if w := f.Ways[last]; w.PerGPUHour.Known() || w.Code != estimate.UnknownEnd || f.Result.Quotes[last].Purchase != catalog.Spot {
		t.Errorf("%+v", w)
	}
}

func TestLawsOfFinishedWork(t *testing.T) {
	c, _ := setup(t)
	c = overlay(t, c, published)
	rapid.Check(t, func(t *rapid.T) {
		c := *c
		c.Interruption = slices.Clone(c.Interruption)
		need := rapid.Int64Range(1, 40).Draw(t, "need")
		hours := rapid.Float64Range(0.1, 500).Draw(t, "hours")
		use := money.Quantity(rapid.Int64Range(1, 1e9).Draw(t, "use"))
		rate := rapid.Float64Range(0, 60).Draw(t, "percent an hour")
		setRate(&c, rate)
		f := finish(t, rental(&c, need, hours, use))
		ranked(t, f)
		// More interruptions are never cheaper.
		was := each(f, "acme", catalog.Spot)
		setRate(&c, rate+rapid.Float64Range(0, 30).Draw(t, "more"))
		if now := each(finish(t, rental(&c, need, hours, use)), "acme", catalog.Spot); now.Known() && (!was.Known() || now.Mid.Cmp(was.Mid) < 0) {
			t.Fatalf("more interruptions: %s, was %s", now.Mid, was.Mid)
		}
		// None at all is the price of the machines.
		setRate(&c, 0)
		f = finish(t, rental(&c, need, hours, use))
		od, spot := each(f, "acme", catalog.OnDemand), each(f, "acme", catalog.Spot)
		if half, _ := od.Mid.MulFrac(1, 2); math.Abs(float64(half.Nano()-spot.Mid.Nano())) > 1+1/hours {
			t.Fatalf("never interrupted: %s, list %s", spot.Mid, half)
		}
		// Less use is never cheaper.
		less := max(money.Quantity(float64(use)*rapid.Float64Range(0.01, 1).Draw(t, "less")), 1)
		a, b := each(f, "acme", catalog.Reserved), each(finish(t, rental(&c, need, hours, less)), "acme", catalog.Reserved)
		if b.Known() && b.Mid.Cmp(a.Mid) < 0 {
			t.Fatalf("used less: %s, was %s", b.Mid, a.Mid)
		}
	})
}

// ranked checks a total order: ranks from 1 on, costs that do not fall, what is
// not known last, and bands in order.
func ranked(t failer, f *estimate.Finished) {
	t.Helper()
	for i, w := range f.Ways {
		if f.Result.Quotes[i].Rank != i+1 {
			t.Errorf("rank %d at %d", f.Result.Quotes[i].Rank, i)
		}
		if r := w.PerGPUHour; r.Known() && (r.Low.Cmp(r.Mid) > 0 || r.Mid.Cmp(r.High) > 0) {
			t.Errorf("band out of order: %s %s %s", r.Low, r.Mid, r.High)
		}
		if i > 0 && f.Ways[i-1].Cost.Mid.Cmp(w.Cost.Mid) > 0 {
			t.Errorf("%s before %s", f.Ways[i-1].Cost.Mid, w.Cost.Mid)
		}
	}
}

// The order does not depend on that of the catalog.
func TestOrderOfFinishedWork(t *testing.T) {
	c, _ := setup(t)
	names := func(c *catalog.Catalog) string {
		r := rental(c, 8, 72, money.WholeQuantity(1)/2, estimate.Purchases()...)
		r.Query.GPU = func(_ *catalog.Offer, g *catalog.GPU) bool { return g != nil && g.Family == "h100" }
		f := finish(t, r)
		ranked(t, f)
		var out []string
		for i := range f.Result.Quotes {
			q := &f.Result.Quotes[i]
			out = append(out, fmt.Sprint(q.Provider, q.Instance, q.Region, q.Purchase, q.PerGPUHour, f.Ways[i].PerGPUHour.Mid))
		}
		return strings.Join(out, "\n")
	}
	reversed := *c
	reversed.Offers = slices.Clone(c.Offers)
	slices.Reverse(reversed.Offers)
	if a, b := names(c), names(&reversed); a != b || len(a) < 1000 {
		t.Error("another order of the catalog is another answer")
	}
}

func TestFinishRefuses(t *testing.T) {
	c, _ := setup(t)
	for _, hours := range []float64{0, -1, math.NaN(), math.Inf(1), 2e6} {
		if _, err := estimate.Finish(rental(c, 1, hours, 0)); err == nil {
			t.Errorf("%v h are no work", hours)
		}
	}
	if _, err := estimate.Finish(rental(c, 1, 1, money.WholeQuantity(2))); err == nil {
		t.Error("more than all of the time is no use")
	}
}

func BenchmarkFinish(b *testing.B) {
	c, _ := setup(b)
	r := rental(c, 8, 72, 0, estimate.Purchases()...)
	r.Query.GPU = func(_ *catalog.Offer, g *catalog.GPU) bool { return g != nil && g.Family == "h100" }
	for b.Loop() {
		if _, err := estimate.Finish(r); err != nil {
			b.Fatal(err)
		}
	}
}
