package present

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// finished is the answer about 72 h of work on machines of eight: 2 on demand,
// 1 on spot, 1.5 reserved for a year, and a seller without a price.
func finished(t *testing.T, change func(*Comparison)) Comparison {
	t.Helper()
	c := compared(t, change)
	day := catalog.Date{Year: 2026, Month: 11, Day: 30}
	price := func(p catalog.Purchase, amount string, months int) catalog.Price {
		a := money.MustParse(amount, "USD")
		return catalog.Price{Purchase: p, Low: a, High: a, Per: unit.PerGPUHour, TermMonths: months, AsOf: day, Source: "s", Confidence: catalog.High}
	}
	cat := &catalog.Catalog{
		Providers: []catalog.Provider{{ID: "acme", Name: "Acme", Status: "active"}, {ID: "zen", Name: "Zen", Status: "active"}},
		GPUs:      []catalog.GPU{{ID: "g", Name: "G", Family: "g", MemoryGB: 80}},
		Offers: []catalog.Offer{
			{Provider: "acme", GPU: "g", GPUKnown: true, GPUs: unit.Whole(8), Prices: []catalog.Price{price(catalog.OnDemand, "2", 0), price(catalog.Spot, "1", 0), price(catalog.Reserved, "1.5", 12)}},
			{Provider: "zen", GPU: "g", GPUKnown: true, GPUs: unit.Whole(8), Prices: []catalog.Price{price(catalog.OnDemand, "2.2", 0)}},
		},
	}
	c.Query.Need, c.Query.Purchases = 8, estimate.Purchases()
	if c.Work == nil {
		c.Work = &Work{}
	}
	f, err := estimate.Finish(&estimate.Rental{Catalog: cat, Query: c.Query, Hours: 72, Use: c.Work.Use})
	if err != nil {
		t.Fatal(err)
	}
	c.Work.Finished, c.Work.Hours, c.Result = f, 72, f.Result
	return c
}

func TestCompareWorkScreen(t *testing.T) {
	sixty := func(c *Comparison) { c.Work = &Work{Use: money.WholeQuantity(6) / 10} }
	for _, x := range []struct {
		name   string
		change func(*Comparison)
		says   []string
	}{
		{"alone", func(*Comparison) {}, []string{
			"G, need 8, 72 h of work", "EFFECTIVE", "182.50", "Best: #1 Acme, 8x G, spot: USD 1.2", "Runner-up: #2 Acme, 8x G, on demand: USD 2.00.",
			"an interruption every", "What is paid by the month is paid for whole terms", "Per token has no GPU-hours", "gpucost spot --gpu g --work 72h",
		}},
		{"shared", sixty, []string{"2.50", "is in use 60 % of the time"}},
		{"explained", func(c *Comparison) { c.Explain, c.Top = true, 0 }, []string{
			"per GPU-hour of finished work = USD 182.50", "utilisation 0.008219178 default", "10 % more of an input changes it by: price",
			"spot.checkpoint_interval_hours",
		}},
		{"Chinese", func(c *Comparison) { c.Lang = ZH }, []string{"有效价", "最佳：#1 Acme", "整个期限只为这一项工作付费"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := shownAs(t, finished(t, x.change), "table")
			for _, s := range x.says {
				if !strings.Contains(got, s) && !strings.Contains(strings.Join(strings.Fields(got), " "), s) {
					t.Errorf("does not say %q:\n%s", s, got)
				}
			}
			for line := range strings.Lines(got) {
				if width(strings.TrimRight(line, "\n")) > 80 {
					t.Errorf("wider than 80: %s", line)
				}
			}
		})
	}
}

// The keys of finished work come after those of a quote, and only with work.
func TestCompareWorkJSON(t *testing.T) {
	var o struct {
		Quotes []map[string]any `json:"quotes"`
		Work   map[string]any   `json:"work"`
	}
	if err := json.Unmarshal([]byte(shownAs(t, finished(t, func(*Comparison) {}), "json")), &o); err != nil {
		t.Fatal(err)
	}
	q := o.Quotes[3]
	if q["effective_per_gpu_hour"] != "182.50" || q["price_per_gpu_hour"] != "1.50" || q["work_cost"].(map[string]any)["mid"] != "105120.00" || q["utilisation"] == nil {
		t.Errorf("%v", q)
	}
	if o.Work["gpu_hours"] != 576.0 || o.Work["best_rank"] != 1.0 || o.Work["utilisation"] != nil || o.Work["runner_up_rank"] != 2.0 {
		t.Errorf("%v", o.Work)
	}
	plain := shownAs(t, compared(t, func(*Comparison) {}), "json")
	if strings.Contains(plain, "effective_per_gpu_hour") || strings.Contains(plain, `"work"`) {
		t.Error("nobody asked for work")
	}
}
