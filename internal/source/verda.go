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

var (
	verdaKeys  = []Key{{"VERDA_CLIENT_ID", "DATACRUNCH_CLIENT_ID"}, {"VERDA_CLIENT_SECRET", "DATACRUNCH_CLIENT_SECRET"}}
	verdaLogin = Login{Header: "Authorization", Prefix: "Bearer ", TokenURL: "https://api.verda.com/v1/oauth2/token"}
)

var verda = &Format{
	Name: "verda", Title: "Verda (DataCrunch) instance types", Provider: "verda", Kind: KindAPI,
	Unit: "instance-hour, decimal string, EUR or USD", Licence: "none found", Class: ListPrice,
	Shape: Verified, Evidence: "verdacloud-sdk-go, sdk-python and gpuhunt fixtures; not called live",
	Docs: "https://api.verda.com/v1/docs", Confidence: catalog.High, Tax: "excluded", MinRecords: 5,
	Currencies: []money.Currency{"USD", "EUR"}, Keys: verdaKeys, Login: verdaLogin,
	Requests: []Request{{URL: "https://api.verda.com/v1/instance-types?currency=usd"}},
	read:     readVerda,
}

type verdaType struct {
	Name     string `json:"instance_type"`
	GPU      string `json:"name"`
	Currency string `json:"currency"`
	Price    num    `json:"price_per_hour"`
	Spot     num    `json:"spot_price"`
	GPUs     struct {
		N num `json:"number_of_gpus"`
	} `json:"gpu"`
	GPUMemory struct {
		GB num `json:"size_in_gigabytes"` // of all GPUs together
	} `json:"gpu_memory"`
	CPU struct {
		N num `json:"number_of_cores"`
	} `json:"cpu"`
	Memory struct {
		GB num `json:"size_in_gigabytes"`
	} `json:"memory"`
}

func readVerda(c *collect, r io.Reader) error {
	var body []json.RawMessage
	if err := c.decodeJSON(r, &body); err != nil {
		return fmt.Errorf("want a list of instance types: %w", err)
	}
	for i, raw := range body {
		t, ok := item[verdaType](c, fmt.Sprintf("type %d", i+1), raw)
		if !ok {
			continue
		}
		n, err := t.GPUs.N.count()
		if t.GPUs.N.float() == 0 {
			c.skip("a machine without a GPU", t.Name)
			continue
		}
		gpu, _ := memoryInWords(t.GPU)
		o := catalog.Offer{Kind: "vm", Instance: t.Name, GPU: gpu, GPUs: n, VCPUs: t.CPU.N.float(), MemoryGiB: t.Memory.GB.float()}
		if err == nil {
			o.GPUMemoryGB = t.GPUMemory.GB.float() / n.Float()
		}
		cur := money.Currency(strings.ToUpper(t.Currency))
		prices := c.price(t.Name, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, t.Price, cur, whole)
		c.offer(t.Name, o, append(prices, c.price(t.Name, catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour}, t.Spot, cur, whole)...)...)
	}
	return nil
}

var verdaHistory = &Format{
	Name: "verda-history", Title: "Verda price history (1 to 12 months, daily)", Provider: "verda", Kind: KindAPI,
	Unit: "instance-hour, string or number; fixed and dynamic price", Licence: "none found", Class: ListPrice,
	Shape: Verified, Evidence: "the SDK's types and mock; no recorded answer",
	Docs: "https://api.verda.com/v1/docs", Confidence: catalog.High, Tax: "excluded", MinRecords: 30,
	Currencies: []money.Currency{"USD", "EUR"}, Keys: verdaKeys, Login: verdaLogin,
	Requests: []Request{{URL: "https://api.verda.com/v1/instance-types/price-history?num_of_months=12&currency=usd"}},
	read:     readVerdaHistory,
}

// verdaName takes "1H100.80S.30V" apart: count, GPU, memory in GB.
var verdaName = pattern(`^(\d+)([A-Z][A-Za-z0-9]*?)(?:\.(\d+)S)?\.\d+V$`)

func readVerdaHistory(c *collect, r io.Reader) error {
	type point struct {
		Date     string `json:"date"`
		Fixed    num    `json:"fixed_price_per_hour"`
		Dynamic  num    `json:"dynamic_price_per_hour"`
		Currency string `json:"currency"`
	}
	var body map[string][]json.RawMessage
	if err := c.decodeJSON(r, &body); err != nil {
		return fmt.Errorf("want a map of instance types to daily prices: %w", err)
	}
	for name, points := range sorted(body) {
		m := verdaName().FindStringSubmatch(name)
		if m == nil {
			c.skip("a machine without a GPU", name)
			c.b.Records += len(points)
			continue
		}
		o := catalog.Offer{Kind: "vm", Instance: name, GPU: m[2], GPUMemoryGB: num(m[3]).float()}
		o.GPUs, _ = num(m[1]).count()
		var prices []catalog.Price
		for i, raw := range points {
			at := fmt.Sprintf("%s %d", name, i+1)
			p, ok := item[point](c, at, raw)
			if !ok {
				continue
			}
			day, err := catalog.ParseDate(p.Date[:min(10, len(p.Date))])
			if err != nil {
				c.reject("no date", at)
				continue
			}
			cur := money.Currency(strings.ToUpper(p.Currency))
			prices = append(prices, c.price(at, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour, AsOf: day}, p.Fixed, cur, whole)...)
			prices = append(prices, c.price(at, catalog.Price{
				Purchase: catalog.OnDemand, Commitment: "dynamic price", Per: unit.PerInstanceHour, AsOf: day, Note: "moves with demand, not interruptible",
			}, p.Dynamic, cur, whole)...)
		}
		if len(prices) > 0 {
			c.offer(name, o, prices...)
		}
	}
	if len(body) == 0 {
		return errors.New("the map is empty")
	}
	return nil
}
