package source

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var hyperstack = &Format{
	Name: "hyperstack", Title: "Hyperstack price book", Provider: "hyperstack", Kind: KindAPI,
	Unit:    "one GPU-hour USD, billed by the minute",
	Licence: "contract: the account's own price must not be passed on; only original_value is read, publish it with permission only", Class: ListPrice,
	Shape: Verified, Evidence: "the vendor's SDK documentation; values beside SkyPilot's rows; not called live",
	Docs: "https://docs.hyperstack.cloud/docs/api-reference/pricebook", Confidence: catalog.High, Tax: "excluded", MinRecords: 5,
	Keys: []Key{{"HYPERSTACK_API_KEY"}}, Login: Login{Header: "api_key"},
	Requests: []Request{{URL: "https://infrahub-api.nexgencloud.com/v1/pricebook"}},
	read:     readHyperstack,
}

func readHyperstack(c *collect, r io.Reader) error {
	type entry struct {
		Name     string `json:"name"`
		Original num    `json:"original_value"`
	}
	var body []json.RawMessage
	if err := c.decodeJSON(r, &body); err != nil {
		return fmt.Errorf("want a list of resources: %w", err)
	}
	for i, raw := range body {
		e, ok := item[entry](c, fmt.Sprintf("entry %d", i+1), raw)
		if !ok {
			continue
		}
		if !isHyperstackGPU(e.Name) {
			c.skip("not a GPU", e.Name)
			continue
		}
		p := catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerGPUHour}
		gpu, spot := strings.CutSuffix(e.Name, "-spot")
		if spot {
			p.Purchase = catalog.Spot
		}
		o := catalog.Offer{Kind: "vm", Instance: gpu, GPU: strings.TrimSuffix(strings.TrimSuffix(gpu, "-K8S"), "-NVLink"), GPUs: unit.Whole(1)}
		if strings.Contains(gpu, "-NVLink") {
			o.Interconnect = "NVLink bridge"
		}
		c.offer(e.Name, o, c.price(e.Name, p, e.Original, "USD", whole)...)
	}
	return nil
}

// isHyperstackGPU tells GPUs from the other resources of the price book by
// their words: a GPU that is new today must not be dropped.
func isHyperstackGPU(name string) bool {
	for _, word := range []string{"cpu", "ram", "disk", "volume", "ip", "snapshot", "storage", "ephemeral", "bucket", "object", "egress", "image", "firewall"} {
		for _, part := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '(' }) {
			if part == word || part == "v"+word || part == word+"s" {
				return false
			}
		}
	}
	return name != ""
}
