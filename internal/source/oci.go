package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var oci = &Format{
	Name: "oci", Title: "Oracle Cloud list prices", Provider: "oci", Kind: KindAPI,
	Unit: "GPU-hour, CPU and RAM included", Licence: "Oracle site terms; no open licence", Class: ListPrice,
	Shape: Verified, Evidence: "two independent readers (2026-06, 2026-09); values from a stored derived file; not called live",
	Docs:       "https://docs.oracle.com/iaas/Content/Billing/Tasks/signingup_topic-Estimating_Costs.htm",
	Confidence: catalog.High, Tax: "excluded", MinRecords: 20,
	Requests: []Request{{URL: "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/?currencyCode=USD"}},
	Canaries: []Canary{{Instance: "BM.GPU.H100.8", Purchase: catalog.OnDemand, Amount: "10", Currency: "USD", Per: unit.PerGPUHour}},
	read:     readOCI,
}

// ociShapes are the shape, the GPU and its count behind the last words of a
// part's name. Source: the Compute shapes page.
var ociShapes = map[string]struct {
	shape, gpu string
	gpus       int64
}{
	"A10": {"BM.GPU.A10.4", "A10", 4}, "A100 - v2": {"BM.GPU.A100-v2.8", "A100 SXM4 80GB", 8}, "L40S": {"BM.GPU.L40S.4", "L40S", 4},
	"H100": {"BM.GPU.H100.8", "H100 SXM5 80GB", 8}, "H200": {"BM.GPU.H200.8", "H200 SXM5 141GB", 8},
	"B200": {"BM.GPU.B200.8", "B200", 8}, "B300": {"BM.GPU.B300.8", "B300", 8},
	"GB200": {"BM.GPU.GB200.4", "GB200", 4}, "GB300": {"BM.GPU.GB300.4", "GB300", 4},
	"MI300X": {"BM.GPU.MI300X.8", "MI300X", 8}, "MI355X": {"BM.GPU.MI355X.8", "MI355X", 8},
	"RTX PRO 6000": {"BM.GPU.RTXPRO.8", "RTX PRO 6000", 8}, "E3": {"BM.GPU3.8", "V100 16GB", 8}, "V2": {"BM.GPU3.8", "V100 16GB", 8},
}

type ociItem struct {
	Part     string `json:"partNumber"`
	Name     string `json:"displayName"`
	Metric   string `json:"metricName"`
	Category string `json:"serviceCategory"`
	Local    []struct {
		Currency string `json:"currencyCode"`
		Prices   []struct {
			Model string `json:"model"`
			Value num    `json:"value"`
		} `json:"prices"`
	} `json:"currencyCodeLocalizations"`
}

func readOCI(c *collect, r io.Reader) error {
	var body struct {
		LastUpdated *string           `json:"lastUpdated"`
		Items       []json.RawMessage `json:"items"`
		HasMore     bool              `json:"hasMore"`
		Links       []struct{ Rel, Href string }
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Items == nil {
		return errors.New("no items list")
	}
	if body.LastUpdated != nil {
		c.published(*body.LastUpdated)
	}
	for _, l := range body.Links {
		if l.Rel == "next" {
			c.b.next = l.Href
		}
	}
	if body.HasMore && c.b.next == "" {
		return errors.New("more pages are announced but not linked")
	}
	for i, raw := range body.Items {
		it, ok := item[ociItem](c, fmt.Sprintf("item %d", i+1), raw)
		if ok {
			c.ociPart(it)
		}
	}
	return nil
}

// ociPart keeps the list price of a GPU shape. Rows with the same metric that
// are not one (NVIDIA AI Enterprise, monitoring, Cloud@Customer) are skipped.
func (c *collect) ociPart(it ociItem) {
	what := it.Part + " " + it.Name
	if it.Metric != "GPU Per Hour" || it.Category != "Compute - GPU" {
		c.skip("not a GPU of the public cloud", what)
		return
	}
	prefix, model, ok := strings.Cut(it.Name, "Compute - GPU - ")
	if !ok || strings.Contains(prefix, "Customer") || strings.Contains(it.Name, "AI Enterprise") {
		c.skip("a licence or another service, not a GPU", what)
		return
	}
	s, known := ociShapes[strings.TrimSpace(model)]
	if !known {
		c.ociUnknown(it, model, what)
		return
	}
	for _, l := range it.Local {
		cur := money.Currency(l.Currency)
		o := catalog.Offer{Kind: "bare_metal", Instance: s.shape, GPU: s.gpu, GPUs: unit.Whole(s.gpus), Note: "all commercial regions"}
		prices := c.ociPrices(what, cur, l.Prices)
		if len(prices) > 0 && prices[0].Low.Known() {
			if half, err := prices[0].Low.MulFrac(1, 2); err == nil {
				prices = append(prices, catalog.Price{
					Purchase: catalog.Spot, Per: unit.PerGPUHour, Low: half, High: half, Ref: it.Part, Confidence: catalog.Medium,
					Note: "derived: preemptible capacity is 50 % of the list price (documentation rule)",
				})
			}
		}
		c.offer(what, o, prices...)
	}
	if len(it.Local) == 0 {
		c.reject("the currency is missing or not an ISO 4217 code", what)
	}
}

// ociUnknown keeps a GPU that the table of shapes does not have: per GPU-hour,
// as one GPU.
func (c *collect) ociUnknown(it ociItem, model, what string) {
	for _, l := range it.Local {
		o := catalog.Offer{Kind: "bare_metal", Instance: it.Part, GPU: strings.TrimSpace(model), GPUs: unit.Whole(1), Note: "the shape and its number of GPUs are not known"}
		c.offer(what, o, c.ociPrices(what, money.Currency(l.Currency), l.Prices)...)
	}
}

// ociPrices takes the pay-as-you-go price; a first tier of 0 is a free
// allowance, not the price.
func (c *collect) ociPrices(what string, cur money.Currency, prices []struct {
	Model string `json:"model"`
	Value num    `json:"value"`
},
) []catalog.Price {
	for i, p := range prices {
		if p.Model != "PAY_AS_YOU_GO" || p.Value.float() == 0 && i+1 < len(prices) {
			continue
		}
		return c.price(what, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerGPUHour}, p.Value, cur, whole)
	}
	return nil
}
