package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var ovh = &Format{
	Name: "ovh", Title: "OVHcloud Public Cloud catalog", Provider: "ovh", Kind: KindAPI,
	Unit:    "instance-hour x 1e8 in the subsidiary's currency, before VAT; each subsidiary has its own price book",
	Licence: "OVHcloud terms", Class: ListPrice,
	Shape: Verified, Evidence: "sc-crawler's source; sample constructed; number of GPUs by flavour name is a claim; not called live",
	Docs: "https://eu.api.ovh.com/console/", Confidence: catalog.High, Tax: "excluded", MinRecords: 50, Cap: 256 << 20, Deadline: 300 * time.Second,
	Currencies: []money.Currency{"EUR", "GBP", "CAD", "USD", "PLN", "INR", "AUD", "SGD"},
	Requests:   []Request{{URL: "https://eu.api.ovh.com/v1/order/catalog/public/cloud?ovhSubsidiary=IE"}},
	read:       readOVH,
}

type ovhAddon struct {
	Plan    string `json:"planCode"`
	Name    string `json:"invoiceName"`
	Product string `json:"product"`
	Blobs   *struct {
		Technical *struct {
			GPU *struct {
				Model  string `json:"model"`
				Number num    `json:"number"`
				Memory struct {
					Size num `json:"size"`
				} `json:"memory"`
			} `json:"gpu"`
		} `json:"technical"`
	} `json:"blobs"`
	Pricings []struct {
		Price        num      `json:"price"`
		IntervalUnit string   `json:"intervalUnit"`
		Capacities   []string `json:"capacities"`
		Mode         string   `json:"mode"`
	} `json:"pricings"`
}

// ovhFlavours are the GPUs behind the first word of a flavour's name; the second
// is its memory in GB, of which one card has that of the smallest flavour.
var ovhFlavours = map[string]struct {
	gpu string
	gb  int64
}{"h100": {"H100 PCIe", 380}, "a100": {"A100 PCIe 80GB", 180}, "l40s": {"L40S", 90}, "l4": {"L4", 90}, "a10": {"A10", 45}, "h200": {"H200", 240}}

var ovhFlavour = pattern(`^([a-z]+\d+[a-z]*)-(\d+)$`)

func readOVH(c *collect, r io.Reader) error {
	var body struct {
		Locale struct {
			Currency   string `json:"currencyCode"`
			Subsidiary string `json:"subsidiary"`
		} `json:"locale"`
		Addons []json.RawMessage `json:"addons"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Addons == nil {
		return errors.New("no addons list")
	}
	cur := money.Currency(body.Locale.Currency)
	for i, raw := range body.Addons {
		a, ok := item[ovhAddon](c, fmt.Sprintf("addon %d", i+1), raw)
		if !ok {
			continue
		}
		flavour, hourly := strings.CutSuffix(a.Plan, ".consumption")
		if !hourly {
			flavour, _, _ = strings.Cut(a.Plan, ".")
		}
		o, isGPU := a.offer(flavour)
		switch {
		case !isGPU:
			c.skip("not a GPU machine", a.Plan)
		case !hourly && !strings.Contains(a.Plan, "monthly"):
			c.skip("another way of billing", a.Plan)
		default:
			o.Note = "price book of " + body.Locale.Subsidiary
			c.offer(a.Plan, o, c.ovhPrices(a, hourly, cur)...)
		}
	}
	return nil
}

func (a *ovhAddon) offer(flavour string) (catalog.Offer, bool) {
	o := catalog.Offer{Kind: "vm", Instance: flavour}
	if a.Product != "" && a.Product != "publiccloud-instance" {
		return o, false
	}
	if a.Blobs != nil && a.Blobs.Technical != nil && a.Blobs.Technical.GPU != nil {
		g := a.Blobs.Technical.GPU
		o.GPU, o.GPUMemoryGB = g.Model, g.Memory.Size.float()
		o.GPUs, _ = g.Number.count()
		return o, g.Model != ""
	}
	m := ovhFlavour().FindStringSubmatch(flavour)
	if m == nil {
		return o, false
	}
	f, ok := ovhFlavours[m[1]]
	size, _ := num(m[2]).int()
	if !ok || size < f.gb || size%f.gb != 0 {
		return o, false
	}
	o.GPU, o.GPUs = f.gpu, unit.Whole(size/f.gb)
	return o, true
}

func (c *collect) ovhPrices(a ovhAddon, hourly bool, cur money.Currency) []catalog.Price {
	p := catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}
	if !hourly {
		p = catalog.Price{Purchase: catalog.Reserved, Plan: "monthly", TermMonths: 1, Per: unit.PerInstanceMonth}
	}
	for _, price := range a.Pricings {
		if price.Mode == "" || price.Mode == "default" {
			return c.price(a.Plan, p, price.Price, cur, ovhUnit)
		}
	}
	return nil
}
