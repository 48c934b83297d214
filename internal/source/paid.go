package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Paid is what was charged for one kind of machine: the check of a list price
// or of an estimate. Costs are sums over its rows; EffectiveCost spreads
// prepaid fees over their use, BilledCost is the invoice. Never add the two.
type Paid struct {
	Provider, Instance, GPU string
	GPUKnown                bool
	GPUs                    unit.Count // of one machine; unknown when the instance is not in a table
	Region                  string
	Purchase                catalog.Purchase
	Hours                   money.Quantity // machine-hours
	List, Effective, Billed money.Amount
	Rows                    int
	From, To                catalog.Date // first and last day of the charges
	Unused                  bool         // a commitment that nothing ran on
}

var focus = &Format{
	Name: "focus", Title: "FOCUS cost and usage (CSV)", Kind: KindBill,
	Unit: "cost of a charge; price = EffectiveCost / PricingQuantity where the unit is hours", Licence: "the user's own bill; specification CC BY 4.0", Class: FileClass,
	Shape: Verified, Evidence: "FOCUS 1.0 sample rows and the 1.2 column files",
	Docs: "https://focus.finops.org", Get: "AWS Data Exports, Azure Cost exports, GCP BigQuery view, OCI: CSV", Confidence: catalog.High, Cap: 1 << 30,
	read: readFOCUS, finish: finishPaid,
}

type paidKey struct {
	provider, instance, region string
	purchase                   catalog.Purchase
	unused                     bool
	currency                   string
}

var focusProviders = map[string]string{
	"aws": "aws", "amazon web services": "aws", "microsoft": "azure", "azure": "azure", "google cloud": "gcp", "google": "gcp", "gcp": "gcp", "oracle": "oci", "oci": "oci",
}

func readFOCUS(c *collect, r io.Reader) error {
	br, err := notAPage(r)
	if err != nil {
		return err
	}
	t, err := c.openTable(br, c.f.bodyCap(), ',', "BillingCurrency", "ChargeCategory", "EffectiveCost", "PricingQuantity", "PricingUnit")
	if err != nil {
		return err
	}
	for {
		more, err := t.next()
		if err != nil || !more {
			return err
		}
		c.b.Records++
		c.focusRow(t)
	}
}

func (c *collect) focusRow(t *table) {
	what := t.at() + " " + t.get("ChargeDescription")
	instance := focusInstance(t)
	switch {
	case t.get("ChargeCategory") != "Usage":
		c.skip("not usage: a purchase, tax, credit or adjustment", what)
		return
	case instance == "":
		c.skip("no machine is named", what)
		return
	case !strings.Contains(strings.ToLower(t.get("PricingUnit")), "hour") && !strings.HasPrefix(strings.ToLower(t.get("PricingUnit")), "hrs"):
		c.skip("not charged by the hour", what)
		return
	}
	provider := strings.ToLower(firstOf(t.get("ServiceProviderName"), t.get("ProviderName")))
	provider = cmp.Or(c.opt.Provider, focusProviders[provider], provider)
	m, ok := paidMachine(provider, instance)
	if !ok {
		c.skip("a machine without a GPU", what)
		return
	}
	key := paidKey{provider: provider, instance: c.word(instance), region: c.word(t.get("RegionId")), currency: t.get("BillingCurrency")}
	key.purchase = map[string]catalog.Purchase{"Dynamic": catalog.Spot, "Committed": catalog.Reserved}[t.get("PricingCategory")]
	key.purchase = cmp.Or(key.purchase, catalog.OnDemand)
	key.unused = t.get("CommitmentDiscountStatus") == "Unused"
	c.pay(what, key, m, paidRow{
		hours: t.num("PricingQuantity"), list: t.num("ListCost"), effective: t.num("EffectiveCost"), billed: t.num("BilledCost"), day: t.get("ChargePeriodStart"),
	})
}

type paidRow struct {
	hours, list, effective, billed num
	day                            string
}

var (
	awsDescription = pattern(`\b((?:ml\.)?(?:[a-z]+\d+[a-z]*|u-p6e-gb200x\d+|p6-b[23]00)\.(?:\d*xlarge|large|medium|metal))\b`)
	focusSKUType   = pattern(`"InstanceType"\s*:\s*"([^"]+)"`)
)

// focusInstance finds the machine type: a column of one's own, the details of
// the SKU (1.1 and later), or the description of an AWS charge.
func focusInstance(t *table) string {
	if s := firstOf(t.get("x_InstanceType"), t.get("x_SkuInstanceType")); s != "" && s != "NULL" {
		return s
	}
	if m := focusSKUType().FindStringSubmatch(t.get("SkuPriceDetails")); m != nil {
		return m[1]
	}
	if m := awsDescription().FindStringSubmatch(t.get("ChargeDescription")); m != nil {
		return m[1]
	}
	return ""
}

func paidMachine(provider, instance string) (machine, bool) {
	switch provider {
	case "aws", "sagemaker":
		return awsMachine(instance)
	case "azure":
		return azureMachine(instance)
	case "gcp":
		m, ok := gcpMachines[instance]
		return machine{gpu: m.gpu, gpus: unit.Whole(max(m.gpus, 1))}, ok
	}
	return machine{}, false
}

// pay adds one charge. Corrections are negative and count.
func (c *collect) pay(what string, key paidKey, m machine, row paidRow) {
	if !catalog.KnownCurrency(money.Currency(key.currency)) {
		c.reject("the currency is missing or not an ISO 4217 code", what)
		return
	}
	sums, _ := c.state.(map[paidKey]*paidSum)
	if sums == nil {
		sums = map[paidKey]*paidSum{}
		c.state = sums
	}
	s := sums[key]
	if s == nil && c.full(len(sums)) {
		return
	}
	if s == nil {
		s = &paidSum{machine: m, hours: new(big.Rat), list: new(big.Rat), effective: new(big.Rat), billed: new(big.Rat)}
		sums[key] = s
	}
	var parsed [4]*big.Rat
	for i, n := range []num{row.hours, row.effective, row.list, row.billed} {
		r, err := cmp.Or(n, "0").rat()
		if err != nil || i < 2 && n == "" {
			c.reject("a cost or quantity is missing or not a number", what)
			return
		}
		parsed[i] = r
	}
	s.hours.Add(s.hours, parsed[0])
	s.effective.Add(s.effective, parsed[1])
	s.list.Add(s.list, parsed[2])
	s.billed.Add(s.billed, parsed[3])
	s.rows++
	if d, err := catalog.ParseDate(row.day[:min(10, len(row.day))]); err == nil {
		if !s.from.Known() || d.Compare(s.from) < 0 {
			s.from = d
		}
		if d.Compare(s.to) > 0 {
			s.to = d
		}
	}
}

type paidSum struct {
	machine                        machine
	hours, list, effective, billed *big.Rat
	rows                           int
	from, to                       catalog.Date
}

// finishPaid turns the sums into Paid rows and, where hours were used, into
// offers at the price that was really paid.
func finishPaid(c *collect) error {
	sums, _ := c.state.(map[paidKey]*paidSum)
	keys := make([]paidKey, 0, len(sums))
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b paidKey) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.instance, b.instance), cmp.Compare(a.region, b.region), cmp.Compare(a.purchase, b.purchase),
			cmp.Compare(a.currency, b.currency), cmp.Compare(fmt.Sprint(a.unused), fmt.Sprint(b.unused)))
	})
	for _, k := range keys {
		if err := c.paid(k, sums[k]); err != nil {
			return err
		}
	}
	return nil
}

func (c *collect) paid(k paidKey, s *paidSum) error {
	cur := money.Currency(k.currency)
	p := Paid{
		Provider: k.provider, Instance: k.instance, GPUs: s.machine.gpus, Region: k.region, Purchase: k.purchase,
		Rows: s.rows, From: s.from, To: s.to, Unused: k.unused,
	}
	o := catalog.Offer{
		Provider: k.provider, Kind: "vm", Instance: k.instance, Region: k.region, GPU: s.machine.gpu, GPUs: s.machine.gpus, GPUMemoryGB: s.machine.memoryGB, Tier: "paid",
	}
	named := o
	c.resolve(&named)
	p.GPU, p.GPUKnown = named.GPU, named.GPUKnown
	hours, ok := roundHalfEven(new(big.Rat).Mul(s.hours, big.NewRat(1e9, 1)))
	if !ok {
		return money.ErrOverflow
	}
	p.Hours = money.Quantity(hours)
	for _, f := range []struct {
		to *money.Amount
		r  *big.Rat
	}{{&p.List, s.list}, {&p.Effective, s.effective}, {&p.Billed, s.billed}} {
		nano, ok := roundHalfEven(new(big.Rat).Mul(f.r, big.NewRat(1e9, 1)))
		if !ok {
			return money.ErrOverflow
		}
		*f.to = money.FromNano(nano, cur)
	}
	c.b.Paid = append(c.b.Paid, p)
	if k.unused || s.hours.Sign() <= 0 || s.effective.Sign() <= 0 {
		c.left(NoPrice, "nothing ran, or nothing was charged", k.instance+" "+k.region)
		return nil
	}
	nano, ok := roundHalfEven(new(big.Rat).Mul(new(big.Rat).Quo(s.effective, s.hours), big.NewRat(1e9, 1)))
	if !ok {
		return money.ErrOverflow
	}
	amount := money.FromNano(nano, cur)
	c.offer(k.instance, o, catalog.Price{
		Purchase: k.purchase, Per: unit.PerInstanceHour, Low: amount, High: amount, AsOf: s.to, Samples: s.rows,
		Note: fmt.Sprintf("paid: effective cost %s / %s hours, %s to %s", p.Effective, p.Hours, s.from, s.to),
	})
	return nil
}

var infracost = &Format{
	Name: "infracost", Title: "Infracost breakdown (JSON)", Kind: KindBill,
	Unit: "price of a component an hour, decimal string", Licence: "Infracost terms: prices must not be re-hosted; for checking one's own plan", Class: FileClass,
	Shape: Claim, Evidence: "the fields of breakdown 0.2 from one reading of the documentation; the wording of component names is not verified",
	Docs: "https://www.infracost.io/docs/features/cli_commands/", Get: "infracost breakdown --format json", Confidence: catalog.Medium,
	read: readInfracost,
}

// readInfracost reads the output of infracost breakdown. An answer of the
// pricing API names no machine and is refused with that reason.
func readInfracost(c *collect, r io.Reader) error {
	var raw json.RawMessage
	if err := c.decodeJSON(r, &raw); err != nil {
		return err
	}
	if raw[0] == '[' {
		return errors.New("an answer of the pricing API does not say which machine it prices; give the output of infracost breakdown --format json")
	}
	type component struct {
		Name     string `json:"name"`
		Unit     string `json:"unit"`
		Price    num    `json:"price"`
		NotFound bool   `json:"priceNotFound"`
	}
	type resource struct {
		Name       string      `json:"name"`
		Components []component `json:"costComponents"`
	}
	var body struct {
		Currency string `json:"currency"`
		Time     string `json:"timeGenerated"`
		Projects []struct {
			Breakdown struct {
				Resources []resource `json:"resources"`
			} `json:"breakdown"`
		} `json:"projects"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return err
	}
	if body.Projects == nil {
		return errors.New("no projects list")
	}
	c.published(body.Time)
	for _, p := range body.Projects {
		for _, res := range p.Breakdown.Resources {
			for _, comp := range res.Components {
				c.b.Records++
				c.infracost(res.Name, comp.Name, comp.Unit, comp.Price, comp.NotFound, body.Currency)
			}
		}
	}
	return nil
}

// infracostName is "Instance usage (Linux/UNIX, on-demand, p5.48xlarge)".
var infracostName = pattern(`^Instance usage \((?:Linux/UNIX|Linux), ([a-z-]+), ([^)]+)\)$`)

func (c *collect) infracost(resource, name, per string, price num, notFound bool, cur string) {
	what := resource + ": " + name
	m := infracostName().FindStringSubmatch(name)
	if m == nil || per != "hours" {
		c.skip("not a Linux machine by the hour", what)
		return
	}
	provider := ""
	var mach machine
	for _, p := range []string{"aws", "azure", "gcp"} {
		if found, ok := paidMachine(p, m[2]); ok {
			provider, mach = p, found
			break
		}
	}
	if provider == "" {
		c.skip("a machine without a GPU", what)
		return
	}
	purchase := map[string]catalog.Purchase{"on-demand": catalog.OnDemand, "spot": catalog.Spot, "reserved": catalog.Reserved}[m[1]]
	if purchase == "" {
		c.skip("another way of buying", what)
		return
	}
	if notFound {
		price = ""
	}
	o := catalog.Offer{Provider: provider, Kind: "vm", Instance: m[2], GPU: mach.gpu, GPUs: mach.gpus, GPUMemoryGB: mach.memoryGB, Note: resource}
	c.offer(what, o, c.price(what, catalog.Price{Purchase: purchase, Per: unit.PerInstanceHour}, price, money.Currency(cur), whole)...)
}
