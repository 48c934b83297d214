package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var gcpSKUs = &Format{
	Name: "gcp-skus", Title: "Google Cloud Billing Catalog (Compute Engine)", Provider: "gcp", Kind: KindAPI,
	Unit:    "one GPU, one core or one GiB of RAM an hour, units + nanos; a machine is the sum of its parts",
	Licence: "Google APIs terms; no open licence", Class: ListPrice,
	Shape: Verified, Evidence: "7 real SKUs (opencost fixture, 2023-03-24); descriptions of newer GPUs from three public readers; A3, A4, G2, G4 sums not checked against a bill",
	Docs:       "https://cloud.google.com/billing/docs/reference/rest/v1/services.skus/list",
	Confidence: catalog.High, Tax: "excluded", MinRecords: 1000, Deadline: 300 * time.Second,
	Keys: []Key{{"GCP_API_KEY", "GOOGLE_API_KEY", "CLOUD_PROVIDER_API_KEY"}}, Login: Login{Header: "X-Goog-Api-Key"},
	Requests: []Request{{URL: "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus?pageSize=5000&currencyCode=USD"}},
	// Added up from the seven real SKUs: 2.933908 + 12 x 0.031611 + 85 x 0.004237.
	Canaries: []Canary{{"a2-highgpu-1g", "us-central1", catalog.OnDemand, "3.673385", "USD", unit.PerInstanceHour}},
	read:     readGCP, finish: finishGCP,
}

type gcpSKU struct {
	ID       string `json:"skuId"`
	Text     string `json:"description"`
	Category struct {
		Family string `json:"resourceFamily"`
		Group  string `json:"resourceGroup"`
		Usage  string `json:"usageType"`
	} `json:"category"`
	Regions []string `json:"serviceRegions"`
	Pricing []struct {
		Effective  string `json:"effectiveTime"`
		Expression struct {
			Unit  string `json:"usageUnit"`
			Rates []struct {
				Price struct {
					Currency string `json:"currencyCode"`
					Units    num    `json:"units"`
					Nanos    int64  `json:"nanos"`
				} `json:"unitPrice"`
			} `json:"tieredRates"`
		} `json:"pricingExpression"`
	} `json:"pricingInfo"`
}

// gcpRate is one part's price: of a GPU, a core, a GiB of RAM or of local SSD.
type gcpRate struct{ part, region, plan string }

// gcpParts gathers the parts of all pages.
type gcpParts struct {
	rates   map[gcpRate]money.Amount
	regions map[string]bool
	skus    map[gcpRate]string
}

func readGCP(c *collect, r io.Reader) error {
	var body struct {
		SKUs []json.RawMessage `json:"skus"`
		Next string            `json:"nextPageToken"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.SKUs == nil {
		return errors.New("no skus list")
	}
	if body.Next != "" {
		c.b.next = "?pageToken=" + url.QueryEscape(body.Next)
	}
	parts, _ := c.state.(*gcpParts)
	if parts == nil {
		parts = &gcpParts{map[gcpRate]money.Amount{}, map[string]bool{}, map[gcpRate]string{}}
		c.state = parts
	}
	for i, raw := range body.SKUs {
		if s, ok := item[gcpSKU](c, fmt.Sprintf("sku %d", i+1), raw); ok {
			c.gcpSKU(parts, s)
		}
	}
	return nil
}

var (
	gcpRegionClause = pattern(` (running )?in [A-Z].*$`)
	gcpCoreOrRAM    = pattern(`^(A2|A3|A3Plus|A3Ultra|G2|G4) (?:Instance )?(Core|Cpu|Ram)$`)
)

// gcpSKU files the rate of one SKU under its part, region and plan. B200 spot
// rows say usageType OnDemand; the description decides.
func (c *collect) gcpSKU(parts *gcpParts, s gcpSKU) {
	part, plan, why := s.part()
	if why != "" {
		c.skip(why, s.ID+" "+s.Text)
		return
	}
	amount, why := s.hourly(part)
	if why != "" {
		c.left(NoPrice, why, s.ID+" "+s.Text)
		return
	}
	if len(s.Pricing) > 0 {
		c.published(s.Pricing[0].Effective)
	}
	for _, region := range s.Regions {
		key := gcpRate{part, region, plan}
		if old, ok := parts.rates[key]; ok && old != amount {
			c.warn("%s in %s has two prices: %s (%s) and %s (%s)", part, region, old, parts.skus[key], amount, s.ID)
			if amount.Cmp(old) < 0 {
				continue
			}
		}
		parts.rates[key], parts.regions[region], parts.skus[key] = amount, true, s.ID
	}
}

// part says which part a SKU prices and by which plan, or why none.
func (s *gcpSKU) part() (part, plan, why string) {
	text := gcpRegionClause().ReplaceAllString(s.Text, "")
	plan = map[string]string{"OnDemand": "on_demand", "Preemptible": "spot", "Commit1Yr": "cud12", "Commit3Yr": "cud36"}[s.Category.Usage]
	for _, marker := range []string{"Sole Tenancy", "Custom", "Extended", "Reserved ", "DWS", "Defined Duration", "Calendar Mode", "Capacity Optimi", "Committed Use"} {
		if strings.Contains(s.Text, marker) {
			return "", "", "not a plain rate of a machine (" + strings.TrimSpace(marker) + ")"
		}
	}
	if strings.HasPrefix(text, "Spot ") || strings.HasSuffix(text, "attached to Spot Preemptible VMs") {
		plan = "spot"
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "Commitment v1: "), "Spot Preemptible ")
	text = strings.TrimSuffix(strings.TrimPrefix(text, "Spot "), " attached to Spot Preemptible VMs")
	text = strings.TrimSpace(text)
	if name, ok := gcpRenamed[text]; ok {
		text = name
	}
	switch {
	case plan == "":
		return "", "", "another way of buying"
	case gcpCoreOrRAM().MatchString(text):
		m := gcpCoreOrRAM().FindStringSubmatch(text)
		if m[2] == "Ram" {
			return m[1] + " ram", plan, ""
		}
		return m[1] + " core", plan, ""
	case strings.HasPrefix(text, "SSD backed Local Storage"):
		return "ssd", plan, ""
	case s.Category.Group == "GPU" || gcpAccelerators()[text] || gcpAttached[text] != "":
		return text, plan, ""
	}
	return "", "", "not a part of a GPU machine"
}

var gcpAccelerators = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, g := range gcpMachines {
		m[g.accel] = true
	}
	return m
})

// hourly is the price of one unit of the part an hour. Local SSD is charged
// per GiB and month.
func (s *gcpSKU) hourly(part string) (money.Amount, string) {
	want := map[bool]string{true: "GiBy.h", false: "h"}[strings.HasSuffix(part, " ram")]
	if part == "ssd" {
		want = "GiBy.mo"
	}
	if len(s.Pricing) == 0 || len(s.Pricing[0].Expression.Rates) == 0 {
		return money.Amount{}, errNone.Error()
	}
	e := s.Pricing[0].Expression
	if e.Unit != want {
		return money.Amount{}, "the unit is " + e.Unit + ", want " + want
	}
	p := e.Rates[len(e.Rates)-1].Price // a first tier of 0 is a free allowance
	units, ok := p.Units.int()
	if p.Units == "" {
		units, ok = 0, true
	}
	if !ok || units < 0 || units > 1_000_000 || p.Nanos < 0 || p.Nanos >= 1_000_000_000 || !catalog.KnownCurrency(money.Currency(p.Currency)) {
		return money.Amount{}, "no currency, or units and nanos out of range"
	}
	nano := units*1_000_000_000 + p.Nanos
	if nano == 0 {
		return money.Amount{}, errZero.Error()
	}
	return money.FromNano(nano, money.Currency(p.Currency)), ""
}

func finishGCP(c *collect) error {
	parts, _ := c.state.(*gcpParts)
	if parts == nil {
		return nil
	}
	for _, region := range slices.Sorted(maps.Keys(parts.regions)) {
		for _, name := range slices.Sorted(maps.Keys(gcpMachines)) {
			c.gcpMachine(parts, region, name)
		}
		for _, part := range slices.Sorted(maps.Keys(gcpAttached)) {
			c.gcpAlone(parts, region, part, gcpAttached[part], "attaches to N1 machines; vCPUs and memory are extra")
		}
		for _, part := range c.gcpUnknown(parts, region) {
			c.gcpAlone(parts, region, part, part, "not in the table of GCP machines")
		}
	}
	return nil
}

// gcpUnknown are the accelerators that no machine of the table uses.
func (c *collect) gcpUnknown(parts *gcpParts, region string) []string {
	var out []string
	for key := range parts.rates {
		p := key.part
		if key.region == region && p != "ssd" && !gcpCoreOrRAM().MatchString(strings.NewReplacer(" core", " Core", " ram", " Ram").Replace(p)) &&
			!gcpAccelerators()[p] && gcpAttached[p] == "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

var gcpPlans = []struct {
	key   string
	price catalog.Price
}{
	{"on_demand", catalog.Price{Purchase: catalog.OnDemand}},
	{"spot", catalog.Price{Purchase: catalog.Spot}},
	{"cud12", catalog.Price{Purchase: catalog.Reserved, Plan: "cud", TermMonths: 12}},
	{"cud36", catalog.Price{Purchase: catalog.Reserved, Plan: "cud", TermMonths: 36}},
}

func (c *collect) gcpMachine(parts *gcpParts, region, name string) {
	m := gcpMachines[name]
	var prices []catalog.Price
	for _, plan := range gcpPlans {
		p := plan.price
		p.Per = unit.PerInstanceHour
		total, text, missing := gcpSum(parts, region, plan.key, m)
		if missing != "" {
			if missing != m.accel {
				c.left(NoPrice, "a part of the machine has no price", fmt.Sprintf("%s %s %s: %s", name, region, plan.key, missing))
			}
			continue
		}
		p.Low, p.High, p.Note = total, total, text
		prices = append(prices, p)
	}
	if len(prices) > 0 {
		c.offer(name+" "+region, catalog.Offer{
			Kind: "vm", Instance: name, Region: region, GPU: m.gpu, GPUs: unit.Whole(m.gpus),
			VCPUs: float64(m.vcpus), MemoryGiB: float64(m.gib), DiskGB: float64(m.ssdGiB),
		}, prices...)
	}
}

// gcpSum is gpus x GPU + vCPUs x core + GiB x RAM + local SSD / 730.
func gcpSum(parts *gcpParts, region, plan string, m gcpMachine) (total money.Amount, text, missing string) {
	type term struct {
		part     string
		num, den int64
	}
	terms := []term{{m.accel, m.gpus, 1}}
	if m.family != "" {
		terms = append(terms, term{m.family + " core", m.vcpus, 1}, term{m.family + " ram", m.gib, 1})
		if m.ssdGiB > 0 {
			terms = append(terms, term{"ssd", m.ssdGiB, unit.HoursPerMonth})
		}
	}
	for i, t := range terms {
		rate, ok := parts.rates[gcpRate{t.part, region, plan}]
		if !ok {
			return total, "", t.part
		}
		a, err := rate.MulFrac(t.num, t.den)
		if err == nil && i > 0 {
			a, err = total.Add(a)
		}
		if err != nil {
			return total, "", t.part
		}
		total = a
		text = joinNote(text, fmt.Sprintf("%d x %s", t.num, rate))
	}
	return total, "sum of parts: " + strings.ReplaceAll(text, ";", " +"), ""
}

func (c *collect) gcpAlone(parts *gcpParts, region, part, gpu, note string) {
	var prices []catalog.Price
	for _, plan := range gcpPlans {
		if rate, ok := parts.rates[gcpRate{part, region, plan.key}]; ok {
			p := plan.price
			p.Per, p.Scope, p.Low, p.High = unit.PerGPUHour, "gpu_only", rate, rate
			prices = append(prices, p)
		}
	}
	if len(prices) > 0 {
		c.offer(part+" "+region, catalog.Offer{Kind: "vm", Instance: part, Region: region, GPU: gpu, GPUs: unit.Whole(1), Note: note}, prices...)
	}
}
