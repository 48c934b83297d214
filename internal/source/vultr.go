package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var vultr = &Format{
	Name: "vultr", Title: "Vultr plans", Provider: "vultr", Kind: KindAPI,
	Unit: "instance-hour USD, capped at the monthly cost", Licence: "Vultr terms; none found for the data", Class: ListPrice,
	Shape: Verified, Evidence: "real rows in gpuhunt's tests; not called live",
	Docs: "https://www.vultr.com/api/", Confidence: catalog.High, Tax: "excluded", MinRecords: 10,
	Requests: []Request{{URL: "https://api.vultr.com/v2/plans?type=vcg&per_page=500"}, {URL: "https://api.vultr.com/v2/plans-metal?per_page=500"}},
	read:     readVultr,
}

type vultrPlan struct {
	ID         string   `json:"id"`
	VCPUs      num      `json:"vcpu_count"`
	Threads    num      `json:"cpu_threads"`
	RAM        num      `json:"ram"`  // MiB
	Disk       num      `json:"disk"` // GB of one disk
	Disks      num      `json:"disk_count"`
	Hourly     num      `json:"hourly_cost"`
	Monthly    num      `json:"monthly_cost"`
	HourlySpot num      `json:"hourly_cost_preemptible"`
	Locations  []string `json:"locations"`
	GPUType    string   `json:"gpu_type"`
	GPUMemory  num      `json:"gpu_vram_gb"` // of the whole plan
	isMetal    bool
}

// vultrCards is the memory of one whole card in GB, from which the number of
// cards, or the share of one, follows. Source: the plan ids themselves (the
// largest plan of one card).
var vultrCards = map[string]int64{
	"NVIDIA_A100": 80, "NVIDIA_A40": 48, "NVIDIA_A16": 16, "NVIDIA_L40S": 48, "NVIDIA_GH200": 96, "NVIDIA_H100": 80,
	"NVIDIA_H200": 141, "NVIDIA_B200": 180, "AMD_MI300X": 192, "AMD_MI325X": 256, "AMD_MI355X": 288,
}

var vultrMetal = pattern(`-(\d+)-([a-z0-9]+)-gpu$`)

func readVultr(c *collect, r io.Reader) error {
	var body struct {
		Plans []json.RawMessage `json:"plans"`
		Metal []json.RawMessage `json:"plans_metal"`
		Meta  struct {
			Links struct{ Next string }
		}
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Plans == nil && body.Metal == nil {
		return errors.New("no plans and no plans_metal")
	}
	if n := body.Meta.Links.Next; n != "" {
		c.b.next = "?cursor=" + url.QueryEscape(n)
	}
	for i, raw := range append(body.Plans, body.Metal...) {
		p, ok := item[vultrPlan](c, fmt.Sprintf("plan %d", i+1), raw)
		if ok {
			p.isMetal = i >= len(body.Plans)
			c.vultrPlan(p)
		}
	}
	return nil
}

func (c *collect) vultrPlan(p vultrPlan) {
	o := catalog.Offer{Kind: "vm", Instance: p.ID, VCPUs: p.VCPUs.float(), MemoryGiB: p.RAM.float() / 1024, DiskGB: p.Disk.float() * max(p.Disks.float(), 1)}
	switch {
	case p.isMetal:
		m := vultrMetal().FindStringSubmatch(p.ID)
		if m == nil {
			c.skip("a machine without a GPU", p.ID)
			return
		}
		o.Kind, o.VCPUs, o.GPU = "bare_metal", p.Threads.float(), strings.ToUpper(m[2])
		o.GPUs, _ = num(m[1]).count()
	case p.GPUType == "":
		c.skip("a machine without a GPU", p.ID)
		return
	default:
		o.GPU, o.GPUs, o.GPUMemoryGB = vultrGPU(p)
	}
	prices := c.price(p.ID, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, p.Hourly, "USD", whole)
	prices = append(prices, c.price(p.ID, catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour}, p.HourlySpot, "USD", whole)...)
	prices = append(prices, c.price(p.ID, catalog.Price{
		Purchase: catalog.Reserved, Plan: "monthly", TermMonths: 1, Per: unit.PerInstanceMonth, Note: "the hours of a month cost at most this",
	}, p.Monthly, "USD", whole)...)
	if len(p.Locations) == 0 {
		no := false
		o.Available, o.Note = &no, "listed in no location"
		c.offer(p.ID, o, prices...)
	}
	for _, loc := range p.Locations {
		o.Region = loc
		c.offer(p.ID, o, append([]catalog.Price(nil), prices...)...)
	}
}

// vultrGPU reads a card or a share of one: gpu_vram_gb is the plan's whole
// GPU memory, 4 for a twentieth of an A100.
func vultrGPU(p vultrPlan) (gpu string, n unit.Count, memoryGB float64) {
	gpu = strings.ReplaceAll(p.GPUType, "_", " ")
	vram, ok := p.GPUMemory.int()
	card := vultrCards[p.GPUType]
	if !ok || vram <= 0 || card == 0 {
		return gpu, unit.Count{}, p.GPUMemory.float()
	}
	if vram >= card {
		if vram%card != 0 {
			return gpu, unit.Count{}, 0
		}
		return gpu, unit.Whole(vram / card), float64(card)
	}
	return gpu, reduce(vram, card), float64(vram)
}

// reduce is n/d in lowest terms.
func reduce(n, d int64) unit.Count {
	a, b := n, d
	for b != 0 {
		a, b = b, a%b
	}
	return unit.Count{Num: n / a, Den: d / a}
}
