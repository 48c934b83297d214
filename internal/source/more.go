package source

import (
	"cmp"
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

var awsCapacityBlocks = &Format{
	Name: "aws-capacity-blocks", Title: "AWS Capacity Blocks (describe-capacity-block-offerings)", Provider: "aws", Kind: KindFile,
	Unit: "UpfrontFee: total for all instances and the whole block, decimal string", Licence: "account data under AWS terms", Class: FileClass,
	Shape: Verified, Evidence: "documentation examples; some mocks name the duration CapacityDurationHours",
	Docs: "https://docs.aws.amazon.com/cli/latest/reference/ec2/describe-capacity-block-offerings.html", Confidence: catalog.High, Tax: "excluded",
	Get:  "aws ec2 describe-capacity-block-offerings --instance-type ... -> file",
	read: readCapacityBlocks,
}

func readCapacityBlocks(c *collect, r io.Reader) error {
	type block struct {
		InstanceType, AvailabilityZone, CurrencyCode string
		InstanceCount                                num
		Hours                                        num `json:"CapacityBlockDurationHours"`
		HoursOld                                     num `json:"CapacityDurationHours"`
		Minutes                                      num `json:"CapacityBlockDurationMinutes"`
		UpfrontFee                                   num
	}
	var body struct{ CapacityBlockOfferings []json.RawMessage }
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.CapacityBlockOfferings == nil {
		return errors.New("no CapacityBlockOfferings list")
	}
	for i, raw := range body.CapacityBlockOfferings {
		at := fmt.Sprintf("offering %d", i+1)
		b, ok := item[block](c, at, raw)
		if !ok {
			continue
		}
		m, ok := awsMachine(b.InstanceType)
		if !ok {
			c.skip("a machine without a GPU", b.InstanceType)
			continue
		}
		n, okN := b.InstanceCount.int()
		hours, okH := cmp.Or(b.Hours, b.HoursOld).int()
		if minutes, ok := b.Minutes.int(); ok && !okH && minutes%60 == 0 {
			hours, okH = minutes/60, true
		}
		if !okN || !okH || n < 1 || hours < 1 {
			c.reject("the count or the duration is missing", at+" "+b.InstanceType)
			continue
		}
		o := catalog.Offer{Kind: "vm", Instance: b.InstanceType, Region: zoneRegion(b.AvailabilityZone), GPU: m.gpu, GPUs: m.gpus, GPUMemoryGB: m.memoryGB}
		at += " " + b.InstanceType
		c.zoned(at, o, c.price(at, catalog.Price{
			Purchase: catalog.Reserved, Plan: "capacity_block", Per: unit.PerInstanceHour, Commitment: fmt.Sprintf("%d h, paid ahead", hours),
			Note: fmt.Sprintf("derived: fee %s / (%d instances x %d h)", b.UpfrontFee, n, hours),
		}, b.UpfrontFee, money.Currency(b.CurrencyCode), whole.times(1, n*hours))...)
	}
	return nil
}

var akash = &Format{
	Name: "akash", Title: "Akash GPU prices", Provider: "akash", Kind: KindMarketplace,
	Unit: "GPU-hour USD from bids, with the CPU and RAM of the deployment", Licence: "none found", Class: AskPrice,
	Shape: Verified, Evidence: "source and tests of akash-network/console; sample constructed from its tests", Docs: "https://console.akash.network",
	Confidence: catalog.Medium, Tax: "unknown", MinRecords: 3,
	Requests: []Request{{URL: "https://console-api.akash.network/v1/gpu-prices"}},
	read:     readAkash,
}

func readAkash(c *collect, r io.Reader) error {
	type model struct {
		Vendor    string `json:"vendor"`
		Model     string `json:"model"`
		RAM       string `json:"ram"`
		Interface string `json:"interface"`
		Price     *struct {
			Currency string `json:"currency"`
			Median   num    `json:"med"`
			Min, Max num
		} `json:"price"`
	}
	var body struct {
		Models []json.RawMessage `json:"models"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Models == nil {
		return errors.New("no models list")
	}
	for i, raw := range body.Models {
		m, ok := item[model](c, fmt.Sprintf("model %d", i+1), raw)
		if !ok {
			continue
		}
		name := strings.TrimSpace(m.Model + " " + m.Interface)
		o := catalog.Offer{
			Kind: "marketplace", Instance: strings.TrimSpace(m.Model + " " + m.RAM + " " + m.Interface), Tier: "community", GPU: name, GPUs: unit.Whole(1),
			GPUMemoryGB: num(strings.TrimSuffix(m.RAM, "Gi")).float(),
		}
		var prices []catalog.Price
		if m.Price != nil {
			prices = c.price(name, catalog.Price{
				Purchase: catalog.OnDemand, Per: unit.PerGPUHour, Note: fmt.Sprintf("median of bids; %s to %s", m.Price.Min, m.Price.Max),
			}, m.Price.Median, money.Currency(m.Price.Currency), whole)
		}
		c.offer(name, o, prices...)
	}
	return nil
}

var hyperbolic = &Format{
	Name: "hyperbolic", Title: "Hyperbolic marketplace", Provider: "hyperbolic", Kind: KindMarketplace,
	Unit: "GPU-hour in US cents (one contrary test: values below 10 are refused)", Licence: "none found", Class: AskPrice,
	Shape: Claim, Evidence: "clients and a mock; the unit is an open question", Docs: "https://docs.hyperbolic.xyz", Confidence: catalog.Low, Tax: "unknown", MinRecords: 3,
	Requests: []Request{{Method: "POST", URL: "https://api.hyperbolic.xyz/v1/marketplace", Body: `{"filters":{}}`}},
	read:     readHyperbolic,
}

func readHyperbolic(c *collect, r io.Reader) error {
	type instance struct {
		ID       string `json:"id"`
		Reserved bool   `json:"reserved"`
		Hardware struct {
			GPUs []struct {
				Model string `json:"model"`
				RAM   num    `json:"ram"`
			} `json:"gpus"`
		} `json:"hardware"`
		Total   num `json:"gpus_total"`
		Pricing struct {
			Price struct {
				Amount num    `json:"amount"`
				Period string `json:"period"`
			} `json:"price"`
		} `json:"pricing"`
		Location struct {
			Region string `json:"region"`
		} `json:"location"`
	}
	var body struct {
		Instances []json.RawMessage `json:"instances"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Instances == nil {
		return errors.New("no instances list")
	}
	for i, raw := range body.Instances {
		at := fmt.Sprintf("instance %d", i+1)
		in, ok := item[instance](c, at, raw)
		switch {
		case !ok:
			continue
		case in.Reserved:
			c.skip("reserved by somebody", at)
			continue
		case len(in.Hardware.GPUs) == 0 || in.Pricing.Price.Period != "hourly":
			c.reject("no GPU, or not priced by the hour", at)
			continue
		case in.Pricing.Price.Amount.float() > 0 && in.Pricing.Price.Amount.float() < 10:
			c.reject("below 10: cents or dollars is in doubt", at+" "+string(in.Pricing.Price.Amount))
			continue
		}
		g := in.Hardware.GPUs[0]
		o := catalog.Offer{
			Kind: "marketplace", Instance: g.Model, Host: in.ID, Region: in.Location.Region, Tier: "community", GPU: strings.ReplaceAll(g.Model, "-", " "),
			GPUMemoryGB: mibToGB(g.RAM.float()),
		}
		o.GPUs, _ = in.Total.count()
		c.offer(at, o, c.price(at, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerGPUHour}, in.Pricing.Price.Amount, "USD", cents)...)
	}
	return nil
}

var cudo = &Format{
	Name: "cudo", Title: "CUDO Compute machine types", Provider: "cudo", Kind: KindAPI,
	Unit: "one GPU, one vCPU and one GiB an hour, decimal strings; the sum for a stated shape", Licence: "none found", Class: ListPrice,
	Shape: Verified, Evidence: "an old gpuhunt fixture and newer rows; sample constructed", Docs: "https://www.cudocompute.com/docs", Confidence: catalog.High, Tax: "excluded", MinRecords: 3,
	Requests: []Request{{URL: "https://rest.compute.cudo.org/v1/vms/machine-types"}},
	read:     readCudo,
}

func readCudo(c *collect, r io.Reader) error {
	type value struct {
		Value num `json:"value"`
	}
	type machineType struct {
		Centre string `json:"dataCenterId"`
		Type   string `json:"machineType"`
		GPU    string `json:"gpuModel"`
		Memory num    `json:"gpuMemoryGib"`
		GPUHr  value  `json:"gpuPriceHr"`
		CPUHr  value  `json:"vcpuPriceHr"`
		RAMHr  value  `json:"memoryGibPriceHr"`
		CPUs   num    `json:"minVcpuPerGpu"`
		RAM    num    `json:"minMemoryGibPerGpu"`
	}
	var body struct {
		Types []json.RawMessage `json:"machineTypes"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Types == nil {
		return errors.New("no machineTypes list")
	}
	for i, raw := range body.Types {
		at := fmt.Sprintf("type %d", i+1)
		t, ok := item[machineType](c, at, raw)
		if !ok {
			continue
		}
		if t.GPU == "" {
			c.skip("a machine without a GPU", at+" "+t.Type)
			continue
		}
		at += " " + t.Type
		o := catalog.Offer{
			Kind: "vm", Instance: t.Type, Region: t.Centre, GPU: t.GPU, GPUs: unit.Whole(1), GPUMemoryGB: t.Memory.float(),
			VCPUs: t.CPUs.float(), MemoryGiB: t.RAM.float(),
		}
		p := catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}
		cpus, okC := t.CPUs.int()
		ram, okR := t.RAM.int()
		if !okC || !okR || cpus < 1 || ram < 1 {
			p.Per, p.Scope = unit.PerGPUHour, "gpu_only"
			c.offer(at, o, c.price(at, p, t.GPUHr.Value, "USD", whole)...)
			continue
		}
		c.offer(at, o, c.components(at, p, []component{{t.GPUHr.Value, 1, "GPU"}, {t.CPUHr.Value, cpus, "vCPU"}, {t.RAMHr.Value, ram, "GiB"}})...)
	}
	return nil
}

// component is one part of a machine that is priced by its parts.
type component struct {
	price num
	n     int64
	what  string
}

// components is the sum of n x price over the parts; one part without a price
// makes the whole unknown.
func (c *collect) components(at string, p catalog.Price, parts []component) []catalog.Price {
	sum, text := money.Zero("USD"), ""
	for _, part := range parts {
		a, err := part.price.amount("USD", whole.times(part.n, 1))
		if err == nil {
			sum, err = sum.Add(a)
		}
		if err != nil {
			c.left(NoPrice, "a part of the machine has no price", at+" "+part.what)
			return []catalog.Price{p}
		}
		text = joinNote(text, fmt.Sprintf("%d %s x %s", part.n, part.what, part.price))
	}
	p.Low, p.High, p.Note = sum, sum, "sum of parts: "+strings.ReplaceAll(text, ";", " +")
	return []catalog.Price{p}
}

var sfCompute = &Format{
	Name: "sfcompute", Title: "SF Compute quote (v0)", Provider: "sfcompute", Kind: KindMarketplace,
	Unit: "US cents for the whole block of nodes of 8 GPUs", Licence: "none found", Class: AskPrice,
	Shape: Verified, Evidence: "the vendor's CLI; sample constructed; not called live", Docs: "https://docs.sfcompute.com", Confidence: catalog.High, Tax: "excluded",
	Keys: []Key{{"SF_API_TOKEN", "SFC_API_KEY"}}, Login: bearer, Deadline: 600 * time.Second,
	Requests: []Request{{URL: "https://api.sfcompute.com/v0/quote?side=buy&instance_type=h100i&quantity=1&min_start_date=NOW&min_duration=86400&max_duration=86400"}},
	read:     readSFCompute,
}

func readSFCompute(c *collect, r io.Reader) error {
	var body struct {
		Object string `json:"object"`
		Quote  *struct {
			Price    num    `json:"price"`
			Nodes    num    `json:"quantity"`
			Start    string `json:"start_at"`
			End      string `json:"end_at"`
			Instance string `json:"instance_type"`
		} `json:"quote"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Object != "quote" {
		return errors.New("this is not a quote")
	}
	c.b.Records++
	if body.Quote == nil {
		c.left(NoPrice, "no quote: nobody sells that block now", "h100i")
		return nil
	}
	q := body.Quote
	start, err1 := time.Parse(time.RFC3339, q.Start)
	end, err2 := time.Parse(time.RFC3339, q.End)
	nodes, ok := q.Nodes.int()
	minutes := int64(end.Sub(start).Round(time.Minute) / time.Minute)
	if err1 != nil || err2 != nil || !ok || nodes < 1 || minutes < 1 {
		c.reject("the block's length or size is missing", q.Instance)
		return nil
	}
	gpu, ok := map[string]string{"h100i": "H100 SXM5 80GB", "h100v": "H100 SXM5 80GB", "h200ki": "H200 SXM5 141GB"}[q.Instance]
	if !ok {
		gpu = q.Instance
	}
	c.offer(q.Instance, catalog.Offer{Kind: "vm", Instance: q.Instance, GPU: gpu, GPUs: unit.Whole(8)}, c.price(q.Instance, catalog.Price{
		Purchase: catalog.Reserved, Plan: "capacity_block", Per: unit.PerInstanceHour, Commitment: fmt.Sprintf("%d min, paid ahead", minutes),
		Note: fmt.Sprintf("derived: %s cents / (%d nodes x %d min)", q.Price, nodes, minutes),
	}, q.Price, "USD", cents.times(60, nodes*minutes))...)
	return nil
}
