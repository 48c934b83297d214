package source

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var skypilot = &Format{
	Name: "skypilot", Title: "SkyPilot catalog (v8 vms.csv)", Kind: KindCatalog,
	Unit: "instance-hour USD, Price and SpotPrice; empty means none", Licence: "Apache-2.0 repository (README; check before redistributing)", Class: ListPrice,
	Shape: Verified, Evidence: "rows of the aws, gcp, nebius and hyperstack files of skypilot-org/skypilot-catalog v8, stored copies",
	Docs: "https://github.com/skypilot-org/skypilot-catalog", Confidence: catalog.Medium, Tax: "excluded", MinRecords: 5,
	Requests: []Request{{URL: "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{each}/vms.csv"}},
	EachIs:   "provider",
	Each:     []string{"aws", "gcp", "nebius", "lambda", "verda", "hyperstack", "cudo", "mithril", "seeweb", "jarvislabs", "oci"},
	Cap:      256 << 20,
	Canaries: []Canary{{"p5.48xlarge", "us-east-1", catalog.OnDemand, "55.04", "USD", unit.PerInstanceHour}},
	read:     readSkyPilot, finish: finishSkyPilot,
}

// skyRow is a row that has to be joined with others: GCP lists the host and
// its accelerators apart.
type skyRow struct {
	at, instance, gpu, region, zone string
	gpus                            unit.Count
	price, spot                     num
	vcpus, memory                   float64
}

// skyState gathers the rows of one GCP file.
type skyState struct {
	hosts []skyRow
	gpus  map[skyGPU]skyRow
}

type skyGPU struct {
	zone, gpu string
	gpus      unit.Count
}

// skyProviders are the folders that are named otherwise here.
var skyProviders = map[string]string{"do": "digitalocean"}

func readSkyPilot(c *collect, r io.Reader) error {
	br, err := notAPage(r)
	if err != nil {
		return err
	}
	t, err := c.openTable(br, c.f.bodyCap(), ',', "InstanceType", "AcceleratorName", "AcceleratorCount", "Price")
	if err != nil {
		return err
	}
	provider := cmp.Or(skyProviders[c.opt.Provider], c.opt.Provider)
	if provider == "" {
		return fmt.Errorf("the file does not say whose prices these are: name the provider")
	}
	for {
		more, err := t.next()
		if err != nil || !more {
			return err
		}
		c.b.Records++
		c.skyLine(t, provider)
	}
}

func (c *collect) skyLine(t *table, provider string) {
	row := skyRow{
		at: t.at(), instance: t.get("InstanceType"), gpu: t.get("AcceleratorName"), region: t.get("Region"), zone: t.get("AvailabilityZone"),
		price: t.num("Price"), spot: t.num("SpotPrice"), vcpus: t.num("vCPUs").float(), memory: t.num("MemoryGiB").float(),
	}
	if provider == "gcp" && (row.gpu == "" || row.instance == "") {
		c.skyPart(t, row)
		return
	}
	if row.gpu == "" {
		c.skip("a machine without a GPU", row.instance)
		return
	}
	what := fmt.Sprintf("%s: %s %s", row.at, row.instance, row.region)
	o := catalog.Offer{
		Provider: provider, Kind: "vm", Instance: row.instance, Region: row.region, GPU: row.gpu,
		VCPUs: row.vcpus, MemoryGiB: row.memory, GPUMemoryGB: pythonGPUMemory(t.get("GpuInfo")),
	}
	o.GPUs, _ = t.num("AcceleratorCount").count()
	c.ownTable(provider, what, &o)
	if provider == "runpod" {
		o.Kind, o.Tier = "pod", runpodTier(row.instance)
		if row.spot == row.price && row.spot != "" {
			c.skip("a spot price that only repeats the on-demand price", what)
			row.spot = ""
		}
	}
	c.zoned(what, o, c.skyPrices(what, row)...)
}

// ownTable corrects what the file says of a hyperscaler's machine: counts of
// 0, 12 or 6 for machines with 1 or 8 GPUs were published.
func (c *collect) ownTable(provider, what string, o *catalog.Offer) {
	find := map[string]func(string) (machine, bool){"aws": awsMachine, "azure": azureMachine}[provider]
	if find == nil {
		return
	}
	m, ok := find(o.Instance)
	if !ok {
		return
	}
	if o.GPUs != m.gpus {
		c.warn("%s: the file says %s GPUs, the machine has %s", what, cmp.Or(o.GPUs.String(), "no number of"), m.gpus)
		o.GPUs = m.gpus
	}
	o.GPU, o.GPUMemoryGB = m.gpu, m.memoryGB
}

func (c *collect) skyPrices(what string, row skyRow) []catalog.Price {
	p := c.price(what, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, row.price, "USD", whole)
	return append(p, c.price(what, catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour}, row.spot, "USD", whole)...)
}

func runpodTier(instance string) string {
	switch {
	case strings.HasSuffix(instance, "_SECURE"):
		return "secure"
	case strings.HasSuffix(instance, "_COMMUNITY"):
		return "community"
	}
	return ""
}

// skyPart keeps one part of a GCP machine for finishSkyPilot.
func (c *collect) skyPart(t *table, row skyRow) {
	s, _ := c.state.(*skyState)
	if s == nil {
		s = &skyState{gpus: map[skyGPU]skyRow{}}
		c.state = s
	}
	for _, f := range []*string{&row.instance, &row.gpu, &row.region, &row.zone, (*string)(&row.price), (*string)(&row.spot)} {
		*f = c.word(*f)
	}
	if row.gpu == "" {
		if _, ok := gcpMachines[row.instance]; !ok {
			c.skip("a machine without a GPU", row.instance)
			return
		}
		if !c.full(len(s.hosts)) {
			s.hosts = append(s.hosts, row)
		}
		return
	}
	n, err := t.num("AcceleratorCount").count()
	if err != nil {
		c.reject("the number of GPUs is missing or not above 0", row.at+" "+row.gpu)
		return
	}
	if row.gpus = n; c.full(len(s.gpus)) {
		return
	}
	s.gpus[skyGPU{row.zone, row.gpu, n}] = row
}

// gcpSkyNames are SkyPilot's words for the accelerators of GCP's machines.
var gcpSkyNames = map[string]string{
	"A100 SXM4 40GB": "A100", "A100 SXM4 80GB": "A100-80GB", "H100 SXM5 80GB": "H100", "H200 SXM5 141GB": "H200", "B200": "B200", "L4": "L4",
	"RTX PRO 6000": "RTXPRO6000",
}

// finishSkyPilot adds host and accelerators up; what has no partner is kept
// as the price of the accelerator alone.
func finishSkyPilot(c *collect) error {
	s, _ := c.state.(*skyState)
	if s == nil {
		return nil
	}
	used := map[skyGPU]bool{}
	for _, h := range s.hosts {
		m := gcpMachines[h.instance]
		name := gcpSkyNames[m.gpu]
		if strings.HasPrefix(h.instance, "a3-mega") {
			name = "H100-MEGA"
		}
		key := skyGPU{h.zone, name, unit.Whole(m.gpus)}
		g, ok := s.gpus[key]
		what := fmt.Sprintf("%s: %s %s", h.at, h.instance, h.zone)
		if !ok {
			c.left(NoPrice, "the host is listed without its accelerators", what)
			continue
		}
		used[key] = true
		o := catalog.Offer{
			Provider: "gcp", Kind: "vm", Instance: h.instance, Region: h.region, GPU: m.gpu, GPUs: unit.Whole(m.gpus), VCPUs: h.vcpus, MemoryGiB: h.memory,
		}
		prices := c.sumParts(what, catalog.OnDemand, h.price, g.price)
		c.zoned(what, o, append(prices, c.sumParts(what, catalog.Spot, h.spot, g.spot)...)...)
	}
	rest := make([]skyGPU, 0, len(s.gpus))
	for k := range s.gpus {
		if !used[k] {
			rest = append(rest, k)
		}
	}
	slices.SortFunc(rest, func(a, b skyGPU) int {
		return cmp.Or(cmp.Compare(a.gpu, b.gpu), cmp.Compare(a.gpus.Num, b.gpus.Num), cmp.Compare(a.zone, b.zone))
	})
	for _, k := range rest {
		c.skyAlone(s.gpus[k])
	}
	return nil
}

func (c *collect) skyAlone(g skyRow) {
	what := fmt.Sprintf("%s: %s %s", g.at, g.gpu, g.zone)
	gpu, n, scope := g.gpu, g.gpus, "gpu_only"
	if name, chips, ok := tpuSlice(g.gpu); ok {
		gpu, n, scope = name, chips, "whole"
	}
	prices := c.skyPrices(what, g)
	for i := range prices {
		prices[i].Scope = scope
	}
	c.zoned(what, catalog.Offer{Provider: "gcp", Kind: "vm", Instance: g.gpu, Region: g.region, GPU: gpu, GPUs: n}, prices...)
}

// sumParts is the price of the host plus the price of its accelerators, both
// of which must be known.
func (c *collect) sumParts(what string, p catalog.Purchase, host, gpus num) []catalog.Price {
	if host == "" || gpus == "" {
		return nil
	}
	a := c.price(what, catalog.Price{Purchase: p, Per: unit.PerInstanceHour}, host, "USD", whole)
	b := c.price(what, catalog.Price{Purchase: p, Per: unit.PerInstanceHour}, gpus, "USD", whole)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	sum, err := a[0].Low.Add(b[0].Low)
	if err != nil {
		c.reject("the price is out of range", what)
		return nil
	}
	a[0].Low, a[0].High = sum, sum
	a[0].Note = fmt.Sprintf("host %s + accelerators %s", host, gpus)
	return a
}

var tpuName = pattern(`^tpu-(v5lite|v[2-9][a-z]*)(?:pod)?-(\d+)$`)

// tpuSlice reads a TPU slice: the number counts chips from v5e on and cores,
// two a chip, for v2, v3, v4 and v5p.
func tpuSlice(name string) (gpu string, chips unit.Count, ok bool) {
	m := tpuName().FindStringSubmatch(name)
	if m == nil {
		return "", unit.Count{}, false
	}
	n, _ := num(m[2]).int()
	switch m[1] {
	case "v2", "v3", "v4", "v5p":
		n /= 2
	case "v5lite":
		m[1] = "v5e"
	}
	return "TPU " + m[1], unit.Whole(n), n > 0
}

var pythonMemory = pattern(`'SizeInMiB': (\d+)`)

// pythonGPUMemory takes the memory of the first GPU, in vendor's GB, out of
// the Python text of GpuInfo. RunPod's rows hold GB under the name MiB.
func pythonGPUMemory(info string) float64 {
	m := pythonMemory().FindStringSubmatch(info)
	if m == nil {
		return 0
	}
	return mibToGB(num(m[1]).float())
}

// mibToGB turns memory that the driver or a catalog states in MiB into the
// vendor's GB (81920 MiB is sold as 80 GB). Values below 1024 are GB already:
// no card has less than 1 GiB.
func mibToGB(mib float64) float64 {
	if mib < 1024 {
		return mib
	}
	return mib / 1024
}
