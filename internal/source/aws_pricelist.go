package source

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var awsPriceList = &Format{
	Name: "aws-price-list", Title: "AWS Price List (EC2, SageMaker)", Provider: "aws", Kind: KindAPI,
	Unit:    "instance-hour, decimal string; a reservation's Quantity row is the upfront fee of the whole term",
	Licence: "public, AWS site terms; no open data licence: derived facts with a link", Class: ListPrice,
	Shape: Verified, Evidence: "header and one real CSV row (skypilot #4657), one real JSON document (cloudcost-exporter test); SageMaker columns from one reader; not called live",
	Docs:       "https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
	Confidence: catalog.High, Tax: "excluded", Currencies: []money.Currency{"USD", "CNY"},
	Cap: 1 << 30, Deadline: 300 * time.Second, Retry404: true, MinRecords: 1000,
	Each: []string{"us-east-1", "us-east-2", "us-west-2", "eu-west-1", "eu-central-1", "ap-northeast-1"},
	Requests: []Request{
		{URL: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/{each}/index.csv"},
		{URL: "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonSageMaker/current/{each}/index.csv"},
	},
	// Read on 2026-07-20 from Karpenter's generated table.
	Canaries: []Canary{
		{"p5.48xlarge", "us-east-1", catalog.OnDemand, "55.04", "USD", unit.PerInstanceHour},
		{"p4d.24xlarge", "us-east-1", catalog.OnDemand, "21.957642", "USD", unit.PerInstanceHour},
		{"g6.xlarge", "us-east-1", catalog.OnDemand, "0.8048", "USD", unit.PerInstanceHour},
	},
	read: readAWSPriceList, finish: finishAWSPriceList,
}

// awsRow is one rate of one product, from CSV or JSON.
type awsRow struct {
	at                                   string
	sku, term                            string // term: OfferTermCode
	termType, lease, option, class       string
	unit, currency                       string
	price                                num
	instance, component                  string
	tenancy, os, software, capacity      string
	licence, market, usage, region, gpus string
	vcpu, memory                         string
}

// awsReserved gathers the two rates of one reservation.
type awsReserved struct {
	row             awsRow
	hourly, upfront num
}

func readAWSPriceList(c *collect, r io.Reader) error {
	br, err := notAPage(r)
	if err != nil {
		return err
	}
	if c.state == nil {
		c.state = map[string]*awsReserved{}
	}
	head, _ := br.Peek(4096)
	if first := strings.TrimLeft(string(head), "\ufeff \r\n\t"); strings.HasPrefix(first, "{") {
		return c.awsJSON(br, awsDocument().MatchString(first) || strings.Contains(first, `"PriceList"`))
	}
	return c.awsCSV(br)
}

var awsDocument = pattern(`^\{\s*"product"`) // one document of the query API

func (c *collect) awsCSV(r io.Reader) error {
	t, err := c.openTable(r, c.f.bodyCap(), ',', "SKU", "TermType", "PricePerUnit", "Currency", "Unit")
	if err != nil {
		return err
	}
	c.published(t.pre["Publication Date"])
	for {
		more, err := t.next()
		if err != nil || !more {
			return err
		}
		c.b.Records++
		c.awsRate(awsRow{
			at: t.at(), sku: t.get("SKU"), term: t.get("OfferTermCode"),
			termType: t.get("TermType"), lease: t.get("LeaseContractLength"), option: t.get("PurchaseOption"), class: t.get("OfferingClass"),
			unit: t.get("Unit"), price: t.num("PricePerUnit"), currency: t.get("Currency"),
			instance: firstOf(t.get("Instance Type"), t.get("Instance Name"), t.get("instanceName")), component: firstOf(t.get("Component"), t.get("component")),
			tenancy: t.get("Tenancy"), os: t.get("Operating System"), software: t.get("Pre Installed S/W"),
			capacity: t.get("CapacityStatus"), licence: t.get("License Model"), market: t.get("MarketOption"),
			usage: firstOf(t.get("usageType"), t.get("UsageType")), region: firstOf(t.get("Region Code"), t.get("Location")), gpus: t.get("GPU"),
			vcpu: t.get("vCPU"), memory: t.get("Memory"),
		})
	}
}

func firstOf(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}

// published notes what the source says of its own age.
func (c *collect) published(text string) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			if t.After(c.b.PublishedAt) {
				c.b.PublishedAt = t
			}
			return
		}
	}
}

// awsNotWanted says why a row is not the plain Linux price of a machine, or "".
func (r *awsRow) notWanted() string {
	switch {
	case strings.HasPrefix(r.market, "Capacity") || strings.HasSuffix(r.usage, ":CB"):
		return "capacity block row: a surcharge, not the price"
	case strings.HasPrefix(r.instance, "ml."):
		return ""
	case r.capacity != "" && r.capacity != "Used":
		return "capacity reservation row"
	case r.tenancy != "" && r.tenancy != "Shared":
		return "dedicated tenancy"
	case r.os != "Linux":
		return "another operating system"
	case r.software != "" && r.software != "NA":
		return "pre-installed software"
	case r.licence != "" && r.licence != "No License required":
		return "licence included"
	case !strings.Contains(r.usage, "BoxUsage"):
		return "not a plain usage row"
	}
	return ""
}

func (c *collect) awsRate(r awsRow) {
	m, known := awsMachine(r.instance)
	if !known {
		n, err := cell(r.gpus).count()
		if err != nil {
			c.skip("a machine without a GPU", r.instance)
			return
		}
		m = machine{gpu: "unknown GPU of " + r.instance, gpus: n}
	}
	if why := r.notWanted(); why != "" {
		c.skip(why, r.at+" "+r.instance)
		return
	}
	if n, err := cell(r.gpus).count(); err == nil && known && n != m.gpus && !m.gpus.Fraction() {
		c.warn("%s: %s says %s GPUs, the machine has %s", r.at, r.instance, n, m.gpus)
	}
	switch {
	case r.termType == "OnDemand" && r.unit == "Hrs":
		what := r.at + " " + r.instance
		p := c.price(what, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, r.price, money.Currency(r.currency), whole)
		c.offer(what, r.offer(m), p...)
	case r.termType == "Reserved":
		c.awsReservation(r)
	default:
		c.skip("a rate in another unit", r.at+" "+r.instance+" "+r.unit)
	}
}

func (r *awsRow) offer(m machine) catalog.Offer {
	o := catalog.Offer{
		Kind: "vm", Instance: r.instance, Region: r.region, GPU: m.gpu, GPUs: m.gpus, GPUMemoryGB: m.memoryGB,
		VCPUs: cell(r.vcpu).float(), MemoryGiB: quantity(r.memory, "GiB"),
	}
	if strings.HasPrefix(r.instance, "ml.") {
		o.Provider, o.Tier = "sagemaker", strings.ToLower(r.component)
	}
	return o
}

// quantity reads "1,152 GiB"; 0 when the unit is another.
func quantity(s, want string) float64 {
	n, u, _ := strings.Cut(strings.TrimSpace(s), " ")
	if !strings.EqualFold(strings.TrimSpace(u), want) {
		return 0
	}
	return num(strings.ReplaceAll(n, ",", "")).float()
}

// awsReservation gathers a reservation's rates; the two rates of one term are
// added up when all rows are read.
func (c *collect) awsReservation(r awsRow) {
	all := c.state.(map[string]*awsReserved)
	key := r.sku + " " + r.term
	res := all[key]
	if res == nil && c.full(len(all)) {
		return
	}
	if res == nil {
		res = &awsReserved{row: cloneRow(r)}
		all[key] = res
	}
	switch r.unit {
	case "Hrs":
		res.hourly = num(strings.Clone(string(r.price)))
	case "Quantity":
		res.upfront = num(strings.Clone(string(r.price)))
	default:
		c.skip("a rate in another unit", r.at+" "+r.instance+" "+r.unit)
	}
}

func cloneRow(r awsRow) awsRow {
	for _, s := range []*string{&r.sku, &r.term, &r.lease, &r.option, &r.class, &r.currency, &r.instance, &r.component, &r.region, &r.vcpu, &r.memory} {
		*s = strings.Clone(*s)
	}
	return awsRow{
		at: r.at, lease: r.lease, option: r.option, class: r.class, currency: r.currency, instance: r.instance,
		component: r.component, region: r.region, vcpu: r.vcpu, memory: r.memory,
	}
}

func finishAWSPriceList(c *collect) error {
	all, _ := c.state.(map[string]*awsReserved)
	for _, res := range sorted(all) {
		r := &res.row
		years, ok := map[string]int64{"1yr": 1, "1 yr": 1, "3yr": 3, "3 yr": 3}[r.lease]
		if !ok {
			c.reject("a reservation without a term", r.at+" "+r.instance)
			continue
		}
		m, known := awsMachine(r.instance)
		if !known {
			continue // reported by its on-demand row
		}
		c.offer(r.at+" "+r.instance, r.offer(m), c.awsReservedPrice(res, years)...)
	}
	return nil
}

// awsReservedPrice is the hourly rate plus the upfront fee spread over the
// term: hourly + upfront / (8760 h x years).
func (c *collect) awsReservedPrice(res *awsReserved, years int64) []catalog.Price {
	r, cur := &res.row, money.Currency(res.row.currency)
	p := catalog.Price{
		Purchase: catalog.Reserved, TermMonths: int(years) * 12, Per: unit.PerInstanceHour,
		Commitment: strings.TrimSpace(r.class + " " + r.option),
	}
	hourly, hErr := res.hourly.amount(cur, whole)
	upfront, uErr := res.upfront.amount(cur, whole)
	switch {
	case !catalog.KnownCurrency(cur):
		c.reject("the currency is missing or not an ISO 4217 code", r.at)
		return nil
	case hErr == nil && uErr != nil:
		p.Low = hourly
	case uErr == nil:
		if hErr != nil {
			hourly = money.Zero(cur)
		}
		spread, err := upfront.MulFrac(1, unit.HoursPerYear*years)
		if err == nil {
			p.Low, err = hourly.Add(spread)
		}
		if err != nil {
			c.reject("the price is out of range", r.at)
			return nil
		}
		p.Note = fmt.Sprintf("derived: %s an hour + %s upfront / %d h", hourly, upfront, unit.HoursPerYear*years)
	default:
		c.left(NoPrice, errZero.Error(), r.at+" "+r.instance+" reserved")
	}
	p.High = p.Low
	return []catalog.Price{p}
}
