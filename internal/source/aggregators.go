package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Aggregators list other sellers' machines. The seller stays the provider;
// the aggregator is the source and the last word of the tier, so that its
// offer never takes the place of the seller's own.

var primeIntellect = &Format{
	Name: "primeintellect", Title: "Prime Intellect GPU availability", Kind: KindAggregator,
	Unit: "whole configuration an hour, USD or EUR", Licence: "Prime Intellect terms", Class: AskPrice,
	Shape: Verified, Evidence: "recorded answers in PrimeIntellect-ai/prime-cli tests; not called live",
	Docs: "https://docs.primeintellect.ai/api-reference/availability/get-gpu-availability", Confidence: catalog.Medium, Tax: "excluded", MinRecords: 5,
	Currencies: []money.Currency{"USD", "EUR"}, Keys: []Key{{"PRIME_API_KEY"}}, Login: bearer,
	Requests: []Request{{URL: "https://api.primeintellect.ai/api/v1/availability/gpus?page=1&page_size=100"}},
	read:     readPrime,
}

// aggregated are the names under which aggregators list sellers.
var aggregated = map[string]string{
	"lambdalabs": "lambda", "datacrunch": "verda", "massedcompute": "massedcompute", "crusoecloud": "crusoe", "hyperstack": "hyperstack",
	"digitalocean": "digitalocean", "nebius": "nebius", "runpod": "runpod", "vultr": "vultr", "latitude": "latitude", "tensordock": "tensordock",
}

type primeItem struct {
	Cloud    string `json:"cloudId"`
	GPU      string `json:"gpuType"`
	Socket   string `json:"socket"`
	Provider string `json:"provider"`
	Region   string `json:"region"`
	Centre   string `json:"dataCenter"`
	Country  string `json:"country"`
	GPUs     num    `json:"gpuCount"`
	Memory   num    `json:"gpuMemory"` // GB of one GPU
	VCPU     struct {
		N num `json:"defaultCount"`
	} `json:"vcpu"`
	RAM struct {
		N num `json:"defaultCount"`
	} `json:"memory"`
	Stock    string `json:"stockStatus"`
	Security string `json:"security"`
	Prices   struct {
		OnDemand  num    `json:"onDemand"`
		Community num    `json:"communityPrice"`
		Variable  *bool  `json:"isVariable"`
		Currency  string `json:"currency"`
	} `json:"prices"`
	Spot *bool `json:"isSpot"`
}

func readPrime(c *collect, r io.Reader) error {
	var body struct {
		Items []json.RawMessage `json:"items"`
		Total *int              `json:"totalCount"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Items == nil {
		return errors.New("no items list: this is not the availability of GPUs")
	}
	if body.Total != nil && len(body.Items) > 0 && c.b.Records+len(body.Items) < *body.Total {
		c.b.next = nextPage
	}
	for i, raw := range body.Items {
		at := fmt.Sprintf("item %d", i+1)
		if it, ok := item[primeItem](c, at, raw); ok {
			c.primeItem(at, it)
		}
	}
	return nil
}

func (c *collect) primeItem(at string, it primeItem) {
	at = fmt.Sprintf("%s: %s %s %s", at, it.Provider, it.GPU, it.Centre)
	o := catalog.Offer{
		Provider: cmp.Or(aggregated[it.Provider], it.Provider), Kind: "vm", Instance: cmp.Or(it.Cloud, it.GPU),
		GPU: strings.ReplaceAll(it.GPU, "_", " ") + " " + it.Socket, GPUMemoryGB: it.Memory.float(),
		Region: cmp.Or(it.Centre, it.Region), Country: it.Country, VCPUs: it.VCPU.N.float(), MemoryGiB: it.RAM.N.float(),
		Note: "by way of Prime Intellect; disk is extra",
	}
	o.GPU = strings.TrimSpace(o.GPU)
	o.GPUs, _ = it.GPUs.count()
	o.Tier = strings.TrimSuffix(it.Security, "_cloud") + " via primeintellect"
	p := catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}
	if it.Spot != nil && *it.Spot {
		p.Purchase = catalog.Spot
	}
	if it.Prices.Variable != nil && *it.Prices.Variable {
		p.Note = "variable price"
	}
	cur := money.Currency(it.Prices.Currency)
	prices := c.price(at, p, it.Prices.OnDemand, cur, whole)
	if len(prices) == 0 {
		prices = c.price(at, p, it.Prices.Community, cur, whole)
	}
	c.offer(at, o, prices...)
}

var shadeform = &Format{
	Name: "shadeform", Title: "Shadeform instance types", Kind: KindAggregator,
	Unit: "instance-hour in whole US cents", Licence: "Shadeform terms", Class: AskPrice,
	Shape: Verified, Evidence: "stored OpenAPI and its example; not called live",
	Docs: "https://docs.shadeform.ai/api-reference/instances/instances-types", Confidence: catalog.Medium, Tax: "excluded", MinRecords: 20,
	Keys: []Key{{"SHADEFORM_API_KEY"}}, Login: Login{Header: "X-API-KEY"},
	Requests: []Request{{URL: "https://api.shadeform.ai/v1/instances/types"}},
	read:     readShadeform,
}

type shadeType struct {
	Cloud  string `json:"cloud"`
	Shade  string `json:"shade_instance_type"`
	Native string `json:"cloud_instance_type"`
	Config struct {
		Memory  num    `json:"memory_in_gb"`
		Storage num    `json:"storage_in_gb"`
		VCPUs   num    `json:"vcpus"`
		GPUs    num    `json:"num_gpus"`
		GPU     string `json:"gpu_type"`
		Link    string `json:"interconnect"`
		VRAM    num    `json:"vram_per_gpu_in_gb"`
	} `json:"configuration"`
	Cents      num    `json:"hourly_price"`
	Deployment string `json:"deployment_type"`
	Places     []struct {
		Region    string `json:"region"`
		Available *bool  `json:"available"`
	} `json:"availability"`
}

func readShadeform(c *collect, r io.Reader) error {
	var body struct {
		Types []json.RawMessage `json:"instance_types"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Types == nil {
		return errors.New("no instance_types list")
	}
	for i, raw := range body.Types {
		at := fmt.Sprintf("type %d", i+1)
		if t, ok := item[shadeType](c, at, raw); ok {
			c.shadeType(at, t)
		}
	}
	return nil
}

func (c *collect) shadeType(at string, t shadeType) {
	at = fmt.Sprintf("%s: %s %s", at, t.Cloud, t.Shade)
	if n, ok := t.Config.GPUs.int(); ok && n == 0 {
		c.skip("a machine without a GPU", at)
		return
	}
	if _, ok := t.Cents.int(); !ok && t.Cents != "" {
		c.reject("cents that are not whole: the unit is in doubt", at+" "+string(t.Cents))
		return
	}
	o := catalog.Offer{
		Provider: cmp.Or(aggregated[t.Cloud], t.Cloud), Kind: map[string]string{"vm": "vm", "container": "pod", "baremetal": "bare_metal"}[t.Deployment],
		Instance: cmp.Or(t.Native, t.Shade), GPU: strings.TrimSpace(strings.ReplaceAll(t.Config.GPU, "_", " ") + " " + shadeLink(t.Config.GPU, t.Config.Link)),
		GPUMemoryGB: t.Config.VRAM.float(), VCPUs: t.Config.VCPUs.float(), MemoryGiB: t.Config.Memory.float(), DiskGB: t.Config.Storage.float(),
		Interconnect: t.Config.Link, Tier: "via shadeform", Note: "by way of Shadeform",
	}
	o.GPUs, _ = t.Config.GPUs.count()
	prices := c.price(at, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, t.Cents, "USD", cents)
	for _, p := range t.Places {
		o.Region, o.Available = p.Region, p.Available
		c.offer(at+" "+p.Region, o, append([]catalog.Price(nil), prices...)...)
	}
	if len(t.Places) == 0 {
		c.offer(at, o, prices...)
	}
}

// shadeLink adds the form factor where the name does not have it.
func shadeLink(gpu, link string) string {
	form := strings.ToUpper(link)
	if strings.HasPrefix(form, "SXM") || form == "PCIE" {
		if !strings.Contains(strings.ToUpper(gpu), form) {
			return form
		}
	}
	return ""
}
