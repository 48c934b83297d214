package source

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var scaleway = &Format{
	Name: "scaleway", Title: "Scaleway products/servers", Provider: "scaleway", Kind: KindAPI,
	Unit: "instance-hour EUR, without a currency field, before VAT; memory in bytes", Licence: "Scaleway terms", Class: ListPrice,
	Shape: Verified, Evidence: "a recorded cassette of scaleway-sdk-go; not called live",
	Docs: "https://www.scaleway.com/en/developers/api/instance/", Confidence: catalog.High, Tax: "excluded", MinRecords: 10,
	Currencies: []money.Currency{"EUR"}, Keys: []Key{{"SCW_SECRET_KEY"}}, KeysOpt: true, Login: Login{Header: "X-Auth-Token"},
	Requests: []Request{{URL: "https://api.scaleway.com/instance/v1/zones/{each}/products/servers?page=1&per_page=100"}},
	Each:     []string{"fr-par-1", "fr-par-2", "nl-ams-1", "pl-waw-2"},
	read:     readScaleway,
}

type scalewayServer struct {
	Hourly num `json:"hourly_price"`
	CPUs   num `json:"ncpus"`
	RAM    num `json:"ram"` // bytes
	GPUs   num `json:"gpu"`
	Info   *struct {
		Maker  string `json:"gpu_manufacturer"`
		Name   string `json:"gpu_name"`
		Memory num    `json:"gpu_memory"` // bytes of one GPU
	} `json:"gpu_info"`
	EndOfService bool `json:"end_of_service"`
	BareMetal    bool `json:"baremetal"`
}

// readScaleway reads one zone; its name stands only in the URL, so it comes
// with the options.
func readScaleway(c *collect, r io.Reader) error {
	var body struct {
		Servers map[string]json.RawMessage `json:"servers"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Servers == nil {
		return errors.New("no servers map")
	}
	if len(body.Servers) >= 100 {
		c.b.next = nextPage
	}
	for name, raw := range sorted(body.Servers) {
		s, ok := item[scalewayServer](c, name, raw)
		if !ok {
			continue
		}
		n, err := s.GPUs.count()
		if err != nil || s.Info == nil {
			c.skip("a machine without a GPU", name)
			continue
		}
		o := catalog.Offer{
			Kind: "vm", Instance: name, GPU: s.Info.Name, GPUs: n, GPUMemoryGB: s.Info.Memory.float() / unit.GiB,
			VCPUs: s.CPUs.float(), MemoryGiB: s.RAM.float() / unit.GiB,
		}
		if s.BareMetal {
			o.Kind = "bare_metal"
		}
		if s.EndOfService {
			no := false
			o.Available, o.Note = &no, "end of service"
		}
		c.offer(name, o, c.price(name, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, s.Hourly, "EUR", whole)...)
	}
	return nil
}
