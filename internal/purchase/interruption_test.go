package purchase

import (
	"math"
	"slices"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/pricing"
)

func percent(low, high float64) (l, h *float64) { return &low, &high }

// facts is a small catalog: dates in order, a regional row, Azure's band by the hour.
func facts(t *testing.T) *catalog.Catalog {
	t.Helper()
	day := func(s string) catalog.Date {
		d, err := catalog.ParseDate(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	row := func(provider, gpu, metric string, low, high float64, unit, date string) catalog.Interruption {
		l, h := percent(low, high)
		return catalog.Interruption{Provider: provider, GPU: gpu, Metric: metric, Low: l, High: h, Unit: unit, AsOf: day(date), Source: "s", Ref: "r"}
	}
	notice := 30
	return &catalog.Catalog{
		Providers: []catalog.Provider{{ID: "azure", SpotNoticeS: &notice, Source: "docs"}},
		Interruption: []catalog.Interruption{
			row("aws", "H100 (p5)", monthly, 10, 20, "percent", "2025-05-01"),
			row("aws", "H100 (p5)", monthly, 15, 20, "percent", "2026-02-24"),
			row("aws", "H100 p5", monthly, 20, 100, "percent, region us-east-1", "2025-07"),
			row("aws", "A100-40 p4d", monthly, 5, 10, "percent", "2026-02-24"),
			row("aws", "L4 (g6)", monthly, 0, 5, "percent", "2026-02-24"),
			row("azure", "any", hourly, 0, 5, "percent per hour", "2025-11-30"),
			row("any", "any", "reclaim_probability", 5, 30, "percent (period not stated)", "2026"),
			row("any", "any", "restart_cost_minutes", 5, 10, "minutes", "2026"),
			{Provider: "aws", GPU: "all", Metric: "first_hour_free", Source: "aws-docs"},
		},
	}
}

func TestInterruptions(t *testing.T) {
	c := facts(t)
	h100 := &catalog.GPU{ID: "h100-80gb-sxm", Family: "h100"}
	for _, x := range []struct {
		provider, region string
		gpu              *catalog.GPU
		low, mid         float64 // per hour
		known            bool
	}{
		// The newest row of no region: 15 to 20 % a month, the middle 17.5.
		{"aws", "", h100, -math.Log(0.85) / 730, -math.Log(0.825) / 730, true},
		// An open band counts with its lower end.
		{"aws", "us-east-1", h100, -math.Log(0.8) / 730, -math.Log(0.8) / 730, true},
		{"aws", "", &catalog.GPU{ID: "a100-40gb-sxm", Family: "a100"}, -math.Log(0.95) / 730, -math.Log(0.925) / 730, true},
		{"azure", "", h100, 0, -math.Log(0.975), true},
		{"runpod", "", h100, 0, 0, false}, // a percentage without a window is nobody's rate
		{"aws", "", &catalog.GPU{ID: "l40s", Family: "l40s"}, 0, 0, false},
	} {
		k, ok := Interruptions(c, x.provider, x.gpu, x.region)
		if ok != x.known || math.Abs(k.PerHour[0]-x.low) > 1e-12 || math.Abs(k.PerHour[1]-x.mid) > 1e-12 {
			t.Errorf("%s %s: %v %v, want %v %v", x.provider, x.gpu.ID, ok, k.PerHour, x.low, x.mid)
		}
		if x.provider == "aws" && ok && (k.PerHour[2] < 0.1 || len(k.Doubts) == 0) {
			t.Errorf("the Advisor's band stands without what was measured: %v %v", k.PerHour, k.Doubts)
		}
	}
	// Nothing is published for Google's H100, but launches were recorded.
	k, ok := Interruptions(c, "gcp", h100, "")
	if !ok || !(k.PerHour[0] < k.PerHour[1] && k.PerHour[1] < k.PerHour[2]) {
		t.Error(k, ok)
	}
	if s, _, ok := Notice(c, "azure"); s != 30 || !ok {
		t.Error(s, ok)
	}
	if _, ok := FirstHourFree(c, "aws"); !ok {
		t.Error("AWS bills the first hour")
	}
	if r, _, ok := RestartHours(c); r != [3]float64{5.0 / 60, 7.5 / 60, 10.0 / 60} || !ok {
		t.Error(r, ok)
	}
}

// A seller whose notes say that spot is gone, and a price whose region nobody
// stated, are named; a price on demand is no spot.
func TestDoubtSpot(t *testing.T) {
	c := &catalog.Catalog{Interruption: []catalog.Interruption{
		{Provider: "runpod", Note: "SIGTERM to SIGKILL of former spot pods; the documentation has described no spot since 2026-05-06"},
		{Provider: "gcp", Note: "notice"},
	}}
	for _, v := range []struct {
		quote pricing.Quote
		want  []string
	}{
		{pricing.Quote{Provider: "runpod", Purchase: catalog.Spot, Kind: "neocloud"}, []string{"no_spot_since"}},
		{pricing.Quote{Provider: "runpod", Purchase: catalog.OnDemand, Kind: "neocloud"}, nil},
		{pricing.Quote{Provider: "gcp", Purchase: catalog.Spot, Kind: "hyperscaler", Region: "us-central1"}, nil},
		{pricing.Quote{Provider: "gcp", Purchase: catalog.Spot, Kind: "hyperscaler"}, []string{"spot_no_region"}},
	} {
		var a Answer
		a.DoubtSpot(c, &v.quote)
		var got []string
		for _, d := range a.Doubts {
			got = append(got, d.Code)
		}
		if !slices.Equal(got, v.want) {
			t.Errorf("%s %s %q: %v, want %v", v.quote.Provider, v.quote.Purchase, v.quote.Region, got, v.want)
		}
	}
	if day, gone := NoSpotSince(c, "runpod"); day != "2026-05-06" || !gone {
		t.Error(day, gone)
	}
}
