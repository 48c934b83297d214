package present

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

// compared is the answer about three machines: 0.0215 in no region, 3 in one
// region long ago, and one without a price.
func compared(t *testing.T, change func(*Comparison)) (c Comparison) {
	t.Helper()
	seen := func(amount string, day catalog.Date) []catalog.Price {
		a := money.MustParse(amount, "USD")
		return []catalog.Price{{Purchase: catalog.OnDemand, Low: a, High: a, Per: unit.PerGPUHour, AsOf: day, Source: "s", Confidence: catalog.High}}
	}
	today := catalog.Date{Year: 2026, Month: 11, Day: 30}
	cat := &catalog.Catalog{
		Providers: []catalog.Provider{{ID: "acme", Name: "Acme"}},
		GPUs:      []catalog.GPU{{ID: "g", Name: "G", Family: "g", MemoryGB: 80}},
		Offers: []catalog.Offer{
			{Provider: "acme", GPU: "g", GPUs: unit.Whole(1), Prices: seen("0.0215", today)},
			{Provider: "acme", GPU: "g", GPUs: unit.Whole(1), Region: "north", Prices: seen("3", catalog.Date{Year: 2026, Month: 1, Day: 1})},
			{Provider: "acme", GPU: "g", GPUs: unit.Whole(1), Region: "south", Prices: []catalog.Price{{Purchase: catalog.Spot, AsOf: today, Source: "s"}}},
		},
	}
	c = Comparison{
		Query: pricing.Query{
			Need: 1, Purchases: []catalog.Purchase{catalog.OnDemand}, Selection: catalog.Selection{AsOf: today}, Now: today,
			Exchange: pricing.NewExchange("USD", nil, nil, today), HoursPerMonth: money.WholeQuantity(730),
		},
		Asked: Asked{Currency: "USD", AsOf: "2026-11-30", HoursPerMonth: "730"}, Catalog: Stamp{AsOf: "2026-11-30"}, GPUText: "g", Top: -1, Collapse: true, Lang: EN,
	}
	change(&c)
	c.Result = pricing.Compare(cat, c.Query)
	if c.GroupBy != "" {
		var err error
		if c.Groups, err = pricing.GroupBy(c.Result.Quotes, c.GroupBy); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func shownAs(t *testing.T, c Comparison, f Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, nil, c.Doc(), Options{Format: f, Lang: c.Lang}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompareScreen(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Comparison)
		says   []string
		not    []string
	}{
		{"small amounts read as in the table", func(*Comparison) {}, []string{"Cheapest: Acme, 1x G, 0.022 USD an hour."}, []string{"0.02 USD"}},
		{"only what has a price counts as more", func(*Comparison) {}, []string{"1 more priced offers"}, []string{"2 more"}},
		{"nothing has a price", func(c *Comparison) { c.Query.Purchases = []catalog.Purchase{catalog.Spot} }, []string{"No price is known for this."}, []string{"more priced"}},
		{
			"limits are not put aside", func(c *Comparison) { c.Query.MaxPrice = money.MustParse("1", "USD") },
			[]string{"Left out by what was asked: 2 (1 above --max-price, 1 without a price)."},
			[]string{"--all-quotes"},
		},
		{"nothing is left", func(c *Comparison) { c.Query.MaxPrice = money.MustParse("0.01", "USD") }, []string{"No offer matches."}, []string{"No price is known"}},
		{"the day asked for", func(c *Comparison) { c.Asked.AsOf = "2026-06-01" }, []string{"catalog 2026-11-30 as of 2026-06-01"}, nil},
		{
			"groups have dates, doubts and a name for what is not stated", func(c *Comparison) { c.GroupBy = "region" },
			[]string{"not stated", "2026-01-01 a", "older than 90 days", "Prices are without tax."},
			nil,
		},
		{"groups are cut by top", func(c *Comparison) { c.GroupBy, c.Top = "region", 1 }, []string{"2 more groups: --top 0."}, []string{"north"}},
		{"Chinese ends its sentences itself", func(c *Comparison) { c.Lang = ZH }, []string{"0.022 USD。"}, []string{"USD."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := shownAs(t, compared(t, c.change), TableFormat)
			for _, want := range c.says {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
					t.Errorf("does not say %q:\n%s", want, text)
				}
			}
			for _, no := range c.not {
				if strings.Contains(text, no) {
					t.Errorf("says %q:\n%s", no, text)
				}
			}
		})
	}
}

// A long name in any script is cut between characters.
func TestHeadlineIsCutBetweenCharacters(t *testing.T) {
	for n := range 40 {
		text := shownAs(t, compared(t, func(c *Comparison) { c.GPUText = strings.Repeat("x", n) + strings.Repeat("昇腾", 20) }), TableFormat)
		if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
			t.Fatalf("%d letters before: %q", n, text)
		}
	}
}
