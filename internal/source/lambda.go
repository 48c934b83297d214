package source

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var lambdaCloud = &Format{
	Name: "lambda", Title: "Lambda instance types", Provider: "lambda", Kind: KindAPI,
	Unit: "instance-hour in whole US cents", Licence: "Lambda terms of service", Class: ListPrice,
	Shape: Verified, Evidence: "OpenAPI v1.10.0 and a payload of 2026-08-15 in a public repository; not called live",
	Docs: "https://docs.lambda.ai/api/cloud", Confidence: catalog.High, Tax: "excluded", Interval: time.Second, MinRecords: 3,
	Keys: []Key{{"LAMBDA_API_KEY"}}, Login: bearer,
	Requests: []Request{{URL: "https://cloud.lambda.ai/api/v1/instance-types"}},
	read:     readLambda,
}

type lambdaType struct {
	Type struct {
		Name  string `json:"name"`
		GPU   string `json:"gpu_description"`
		Cents num    `json:"price_cents_per_hour"`
		Specs struct {
			VCPUs   num `json:"vcpus"`
			Memory  num `json:"memory_gib"`
			Storage num `json:"storage_gib"`
			GPUs    num `json:"gpus"`
		} `json:"specs"`
	} `json:"instance_type"`
	Regions []struct {
		Name string `json:"name"`
	} `json:"regions_with_capacity_available"`
}

func readLambda(c *collect, r io.Reader) error {
	var body struct {
		Data  map[string]json.RawMessage `json:"data"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Data == nil {
		if body.Error != nil {
			return errors.New("the answer is an error: " + body.Error.Message)
		}
		return errors.New("no data map")
	}
	for name, raw := range sorted(body.Data) {
		if t, ok := item[lambdaType](c, name, raw); ok {
			c.lambdaType(name, t)
		}
	}
	return nil
}

func (c *collect) lambdaType(name string, t lambdaType) {
	s := t.Type.Specs
	if n, ok := s.GPUs.int(); ok && n == 0 {
		c.skip("a machine without a GPU", name)
		return
	}
	// Cents are whole: a fraction means that the unit has changed.
	if _, ok := t.Type.Cents.int(); !ok && t.Type.Cents != "" {
		c.reject("cents that are not whole: the unit is in doubt", name+" "+string(t.Type.Cents))
		return
	}
	gpu, memory := memoryInWords(t.Type.GPU)
	o := catalog.Offer{
		Kind: "vm", Instance: name, GPU: gpu, GPUMemoryGB: memory,
		VCPUs: s.VCPUs.float(), MemoryGiB: s.Memory.float(), DiskGB: s.Storage.float() * unit.GiB / unit.GB,
	}
	o.GPUs, _ = s.GPUs.count()
	// The list of regions is today's capacity; the price holds without it.
	var free []string
	for _, r := range t.Regions {
		free = append(free, r.Name)
	}
	o.Note = "one price in all regions; capacity now: " + firstOf(strings.Join(free, ", "), "none")
	c.offer(name, o, c.price(name, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, t.Type.Cents, "USD", cents)...)
}

var memoryWords = pattern(`\(?(\d+) ?GB\b\)?`)

// memoryInWords takes the memory out of "H100 (80 GB SXM5)" and leaves
// "H100 SXM5".
func memoryInWords(s string) (name string, memoryGB float64) {
	m := memoryWords().FindStringSubmatchIndex(s)
	if m == nil {
		return s, 0
	}
	memoryGB = num(s[m[2]:m[3]]).float()
	name = strings.NewReplacer("(", " ", ")", " ").Replace(s[:m[0]] + " " + s[m[1]:])
	return strings.Join(strings.Fields(name), " "), memoryGB
}
