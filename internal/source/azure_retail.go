package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var azureRetail = &Format{
	Name: "azure-retail", Title: "Azure Retail Prices", Provider: "azure", Kind: KindAPI,
	Unit:    "instance-hour; a Reservation row's price is the total of its term although its unit says 1 Hour",
	Licence: "public API under Microsoft API terms; no open licence", Class: ListPrice,
	Shape: Verified, Evidence: "documentation copies and many clients (gpuhunt, infracost, CUDly); figures read 2026-06-15; not called live",
	Docs:       "https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices",
	Confidence: catalog.High, Tax: "excluded", Interval: 3 * time.Second, Deadline: 600 * time.Second, MinRecords: 100,
	Requests: []Request{{URL: "https://prices.azure.com/api/retail/prices?api-version=2023-01-01-preview&meterRegion=%27primary%27&$filter=serviceName%20eq%20%27Virtual%20Machines%27%20and%20armRegionName%20eq%20%27{each}%27%20and%20contains(armSkuName,%27Standard_N%27)"}},
	Each:     []string{"eastus", "eastus2", "southcentralus", "westus2", "westus3", "westeurope", "northeurope", "swedencentral", "japaneast", "southeastasia"},
	Canaries: []Canary{{Instance: "Standard_ND96isr_H100_v5", Region: "eastus", Purchase: catalog.OnDemand, Amount: "98.32", Currency: "USD", Per: unit.PerInstanceHour}},
	read:     readAzureRetail, finish: finishAzureRetail,
}

type azureItem struct {
	Currency      string `json:"currencyCode"`
	Price         num    `json:"retailPrice"`
	Unit          string `json:"unitOfMeasure"`
	Type          string `json:"type"`
	Term          string `json:"reservationTerm"`
	SKU           string `json:"armSkuName"`
	SKUName       string `json:"skuName"`
	Meter         string `json:"meterName"`
	MeterID       string `json:"meterId"`
	Product       string `json:"productName"`
	Region        string `json:"armRegionName"`
	Service       string `json:"serviceName"`
	Primary       *bool  `json:"isPrimaryMeterRegion"`
	Effective     string `json:"effectiveStartDate"`
	TierMinimum   num    `json:"tierMinimumUnits"`
	SavingsPlan   []azurePlan
	at            string
	effectiveTime time.Time
}

type azurePlan struct {
	Term  string `json:"term"`
	Price num    `json:"retailPrice"`
}

// azureKey is one way of buying one machine in one region.
type azureKey struct{ sku, region, kind, term, currency string }

func readAzureRetail(c *collect, r io.Reader) error {
	var body struct {
		Items        []json.RawMessage
		NextPageLink *string
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Items == nil {
		return errors.New("no Items list")
	}
	if body.NextPageLink != nil {
		c.b.next = *body.NextPageLink
	}
	best, _ := c.state.(map[azureKey]azureItem)
	if best == nil {
		best = map[azureKey]azureItem{}
		c.state = best
	}
	for i, raw := range body.Items {
		at := fmt.Sprintf("item %d", i+1)
		it, ok := item[azureItem](c, at, raw)
		if !ok {
			continue
		}
		it.at = at
		c.azureKeep(best, it)
	}
	return nil
}

// azureKeep holds the newest price in force of each way of buying.
func (c *collect) azureKeep(best map[azureKey]azureItem, it azureItem) {
	it.SKU = strings.TrimSpace(it.SKU)
	what := it.at + " " + it.SKU + " " + it.Region
	kind, why := it.kind()
	if why != "" {
		c.skip(why, what)
		return
	}
	if t, err := time.Parse(time.RFC3339, it.Effective); err == nil {
		it.effectiveTime = t
		if c.opt.AsOf.Known() && catalog.DateOf(t).Compare(c.opt.AsOf) > 0 {
			c.skip("a price that begins later", what+" "+it.Effective)
			return
		}
	}
	key := azureKey{strings.ToLower(it.SKU), it.Region, kind, it.Term, it.Currency}
	old, seen := best[key]
	switch {
	case seen && old.effectiveTime.Equal(it.effectiveTime) && old.Price != it.Price:
		c.warn("%s: two prices of %s from the same day: %s and %s", it.SKU, it.Region, old.Price, it.Price)
		if it.Price.float() < old.Price.float() {
			return // the dearer of two unexplained prices
		}
	case seen:
		c.skip("the same price again, or an older one", what)
		if !it.effectiveTime.After(old.effectiveTime) {
			return
		}
	}
	best[key] = it
}

// kind says how a row sells, or why it is not wanted.
func (it *azureItem) kind() (kind, why string) {
	names := it.SKUName + " " + it.Meter
	switch {
	case it.Service != "" && it.Service != "Virtual Machines":
		return "", "another service"
	case strings.Contains(it.Product, "Windows"):
		return "", "another operating system"
	case strings.Contains(it.Product, "Dedicated") || strings.Contains(it.Product, "Cloud Services") || strings.Contains(it.Product, "CloudServices"):
		return "", "dedicated host or cloud service"
	case strings.Contains(names, "Low Priority"):
		return "", "low priority: the former batch tier"
	case it.Primary != nil && !*it.Primary:
		return "", "not the primary meter of the region"
	case it.TierMinimum.float() > 0:
		return "", "a volume tier"
	case it.Unit != "1 Hour":
		return "", "another unit"
	}
	switch it.Type {
	case "Reservation":
		return "reserved", ""
	case "Consumption":
		if strings.HasSuffix(it.SKUName, "Spot") || strings.HasSuffix(it.Meter, "Spot") {
			return "spot", ""
		}
		return "on_demand", ""
	}
	return "", "a price for developers or of another type"
}

func finishAzureRetail(c *collect) error {
	best, _ := c.state.(map[azureKey]azureItem)
	items := make([]azureKey, 0, len(best))
	for k := range best {
		items = append(items, k)
	}
	slices.SortFunc(items, func(a, b azureKey) int {
		return cmp.Or(cmp.Compare(a.sku, b.sku), cmp.Compare(a.region, b.region), cmp.Compare(a.kind, b.kind), cmp.Compare(a.term, b.term), cmp.Compare(a.currency, b.currency))
	})
	for _, k := range items {
		it := best[k]
		m, ok := azureMachine(it.SKU)
		if !ok {
			if strings.HasPrefix(k.sku, "standard_n") {
				c.left(NoPrice, "not in the table of Azure GPU sizes: its GPUs are not known", it.SKU)
			} else {
				c.skip("a machine without a GPU", it.SKU)
			}
			continue
		}
		at := it.SKU + " " + it.Region
		o := catalog.Offer{Kind: "vm", Instance: it.SKU, Region: it.Region, GPU: m.gpu, GPUs: m.gpus, GPUMemoryGB: m.memoryGB}
		if prices := c.azurePrices(at, k.kind, it); len(prices) > 0 || k.kind == "on_demand" {
			c.offer(at, o, prices...)
		}
	}
	return nil
}

func (c *collect) azurePrices(at, kind string, it azureItem) []catalog.Price {
	cur := money.Currency(it.Currency)
	hourly := catalog.Price{Purchase: catalog.Purchase(kind), Per: unit.PerInstanceHour}
	if kind == "reserved" {
		months, ok := azureTerm(it.Term)
		if !ok {
			c.reject("a reservation without a term", at)
			return nil
		}
		return c.price(at, catalog.Price{Purchase: catalog.Reserved, TermMonths: months, Per: unit.PerInstanceTerm}, it.Price, cur, whole)
	}
	prices := c.price(at, hourly, it.Price, cur, whole)
	for _, plan := range it.SavingsPlan {
		months, ok := azureTerm(plan.Term)
		if !ok {
			c.reject("a savings plan without a term", at)
			continue
		}
		prices = append(prices, c.price(at, catalog.Price{Purchase: catalog.Reserved, Plan: "savings_plan", TermMonths: months, Per: unit.PerInstanceHour}, plan.Price, cur, whole)...)
	}
	return prices
}

// azureTerm reads "1 Year" or "3 Years" as months.
func azureTerm(s string) (int, bool) {
	n, u, _ := strings.Cut(s, " ")
	years, ok := num(n).int()
	return int(years) * 12, ok && years > 0 && years < 10 && strings.HasPrefix(u, "Year")
}
