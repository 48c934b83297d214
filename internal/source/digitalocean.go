package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var digitalOcean = &Format{
	Name: "digitalocean", Title: "DigitalOcean sizes", Provider: "digitalocean", Kind: KindAPI,
	Unit: "instance-hour USD", Licence: "DigitalOcean terms", Class: ListPrice,
	Shape: Verified, Evidence: "gpuhunt's test fixture and doctl's documentation; not called live",
	Docs: "https://docs.digitalocean.com/reference/api/", Confidence: catalog.High, Tax: "excluded", MinRecords: 20,
	Keys: []Key{{"DIGITALOCEAN_TOKEN", "DIGITALOCEAN_ACCESS_TOKEN"}}, Login: bearer,
	Requests: []Request{{URL: "https://api.digitalocean.com/v2/sizes?per_page=200"}},
	read:     readDigitalOcean,
}

type doSize struct {
	Slug      string   `json:"slug"`
	Memory    num      `json:"memory"` // MiB
	VCPUs     num      `json:"vcpus"`
	Disk      num      `json:"disk"`
	Hourly    num      `json:"price_hourly"`
	Regions   []string `json:"regions"`
	Available *bool    `json:"available"`
	GPU       *struct {
		Count num `json:"count"`
		VRAM  struct {
			Amount num    `json:"amount"` // of all GPUs together
			Unit   string `json:"unit"`
		} `json:"vram"`
		Model string `json:"model"`
	} `json:"gpu_info"`
}

func readDigitalOcean(c *collect, r io.Reader) error {
	var body struct {
		Sizes []json.RawMessage `json:"sizes"`
		Links struct {
			Pages struct {
				Next string `json:"next"`
			} `json:"pages"`
		} `json:"links"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Sizes == nil {
		return errors.New("no sizes list")
	}
	c.b.next = body.Links.Pages.Next
	for i, raw := range body.Sizes {
		if s, ok := item[doSize](c, fmt.Sprintf("size %d", i+1), raw); ok {
			c.doSize(s)
		}
	}
	return nil
}

func (c *collect) doSize(s doSize) {
	if s.GPU == nil {
		c.skip("a machine without a GPU", s.Slug)
		return
	}
	o := catalog.Offer{
		Kind: "vm", Instance: s.Slug, GPU: strings.ReplaceAll(s.GPU.Model, "_", " "), VCPUs: s.VCPUs.float(),
		MemoryGiB: s.Memory.float() / 1024, DiskGB: s.Disk.float(), Available: s.Available,
	}
	n, err := s.GPU.Count.count()
	if err == nil && strings.EqualFold(s.GPU.VRAM.Unit, "gib") {
		o.GPUs, o.GPUMemoryGB = n, s.GPU.VRAM.Amount.float()/n.Float()
	} else {
		o.GPUs = n
	}
	prices := c.price(s.Slug, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, s.Hourly, "USD", whole)
	if len(s.Regions) == 0 {
		no := false
		o.Available, o.Note = &no, "listed in no region"
		c.offer(s.Slug, o, prices...)
	}
	for _, region := range s.Regions {
		o.Region = region
		c.offer(s.Slug+" "+region, o, append([]catalog.Price(nil), prices...)...)
	}
}
