package purchase

import (
	"cmp"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Hardware is GPUs to buy, for what the catalog says about owning them.
type Hardware struct {
	GPU      *catalog.GPU
	GPUs     int64
	Market   string // cn takes Chinese prices and tariffs where there are any
	Exchange *pricing.Exchange
}

// Fill adds what was not given and the catalog knows: capex, power, PUE and tariff.
func (h Hardware) Fill(c *catalog.Catalog, in *Inputs) error {
	if !in.Has("capex") {
		if o, each := h.price(c); o != nil {
			r, err := h.amounts(o, float64(h.GPUs)/each)
			if err != nil {
				return err
			}
			in.Amount("capex", r, stated(o), ownershipOrigin(o))
		}
	}
	if in.Has("opex_per_month") || in.Has("opex_total") {
		return nil
	}
	h.power(c, in)
	for _, x := range []struct{ input, item string }{{"pue", "pue"}, {"tariff_per_kwh", "power price"}} {
		if in.Has(x.input) {
			continue
		}
		o := h.find(c, func(o *catalog.OwnershipCost) bool { return strings.HasPrefix(strings.ToLower(o.Item), x.item) })
		switch {
		case o == nil:
		case o.Currency != "":
			r, err := h.amounts(o, 1)
			if err != nil {
				return err
			}
			in.Amount(x.input, r, stated(o), ownershipOrigin(o))
		default:
			if v, ok := ends(o); ok {
				in.Between(x.input, v, "", ownershipOrigin(o))
			}
		}
	}
	return nil
}

// PerMonth is what a month of the machines costs: the purchase over its life in a
// straight line, and power. The range is that of the purchase; the item is the
// one its price comes from. False when the catalog does not say what they cost.
func (h Hardware) PerMonth(c *catalog.Catalog, months, hours float64) (money.Range, *catalog.OwnershipCost, bool) {
	o, each := h.price(c)
	if o == nil || each != float64(h.GPUs) {
		return money.Range{}, nil, false
	}
	var in Inputs
	if err := h.Fill(c, &in); err != nil || !in.Has("capex") || !in.Has("power_kw") || !in.Has("tariff_per_kwh") {
		return money.Range{}, nil, false
	}
	in.Number("life_months", months, "months", Default("three_years"))
	in.Number("days_per_month", hours/24, "count", Default("hours_per_month"))
	in.Number("gpus", float64(h.GPUs), "count", Default("machines"))
	figs, err := Solve(in, func(p Point) ([]Figure, error) {
		var f figures
		f.money("month", f.perMonth(p, f.opex(p, 1)))
		return f.list, f.err
	}, false)
	if err != nil || len(figs) != 1 {
		return money.Range{}, nil, false
	}
	low, ok1 := figs[0].Low.(money.Amount)
	mid, ok2 := figs[0].Value.(money.Amount)
	high, ok3 := figs[0].High.(money.Amount)
	return money.Range{Low: low, Mid: mid, High: high}, o, ok1 && ok2 && ok3
}

// price is the best statement about what the GPU costs, and how many GPUs it is
// for: a server where whole servers are bought, else a card.
func (h Hardware) price(c *catalog.Catalog) (*catalog.OwnershipCost, float64) {
	for _, each := range []float64{8, 1} {
		if each > 1 && h.GPUs%int64(each) != 0 {
			continue
		}
		o := h.find(c, func(o *catalog.OwnershipCost) bool {
			return o.Currency != "" && gpusPer(o) == each && h.named(o.Item) && !secondHand(o.Item)
		})
		if o != nil {
			return o, each
		}
	}
	return nil, 0
}

// power is what the machines draw: a whole machine's figure, else the boards'.
func (h Hardware) power(c *catalog.Catalog, in *Inputs) {
	if in.Has("power_kw") {
		return
	}
	o := h.find(c, func(o *catalog.OwnershipCost) bool { return strings.HasPrefix(o.Unit, "kW") && h.named(o.Item) })
	if v, ok := ends(o); ok && !strings.Contains(o.Item, "rack") {
		machines := float64(h.GPUs) / 8
		in.Between("power_kw", [3]float64{v[0] * machines, v[1] * machines, v[2] * machines}, "kW", ownershipOrigin(o))
		return
	}
	if h.GPU.TDPWatts > 0 {
		in.Number("power_kw", h.GPU.TDPWatts*float64(h.GPUs)/1000, "kW", Origin{Kind: "catalog", Source: "boards alone, " + h.GPU.Source})
	}
}

// find is the best item of a kind: in the market's currency, then of the highest
// confidence, then the newest.
func (h Hardware) find(c *catalog.Catalog, keep func(*catalog.OwnershipCost) bool) *catalog.OwnershipCost {
	var best *catalog.OwnershipCost
	for i := range c.Ownership {
		if o := &c.Ownership[i]; keep(o) && (best == nil || cmp.Or(cmp.Compare(h.rank(o), h.rank(best)), best.AsOf.Compare(o.AsOf)) < 0) {
			best = o
		}
	}
	return best
}

// rank is how far an item is from one of the market and of high confidence.
func (h Hardware) rank(o *catalog.OwnershipCost) (n int) {
	chinese := o.Currency == "CNY" || strings.Contains(o.Item, "CN ")
	switch o.Confidence {
	case catalog.Medium:
		n = 1
	case catalog.Low:
		n = 2
	}
	if (o.Currency != "" || chinese) && chinese != (h.Market == "cn") {
		n += 10
	}
	return n
}

// named reports whether an item's words name the GPU's family.
func (h Hardware) named(item string) bool {
	for word := range strings.FieldsFuncSeq(item, func(r rune) bool { return r == ' ' || r == '/' || r == '(' || r == ')' }) {
		if len(word) == len(h.GPU.Family) && strings.EqualFold(word, h.GPU.Family) {
			return true
		}
	}
	return false
}

// gpusPer is how many GPUs an item's price is for; 0 when it is for something else.
func gpusPer(o *catalog.OwnershipCost) float64 {
	switch o.Unit {
	case "per GPU", "per card":
		return 1
	case "per 8-GPU server", "per node":
		return 8
	}
	return 0
}

func secondHand(item string) bool {
	item = strings.ToLower(item)
	for _, word := range []string{"used", "refurbished", "secondary", "tco"} {
		if strings.Contains(item, word) {
			return true
		}
	}
	return false
}

func ends(o *catalog.OwnershipCost) ([3]float64, bool) {
	if o == nil {
		return [3]float64{}, false
	}
	low, err := money.ParseQuantity(o.Low)
	high, err2 := money.ParseQuantity(o.High)
	if err2 != nil {
		high = low
	}
	return [3]float64{low.Float(), (low.Float() + high.Float()) / 2, high.Float()}, err == nil
}

// amounts is an item's price range, times a number, in the answer's currency. An
// item with a lower end alone ("from 2 million") is that amount.
func (h Hardware) amounts(o *catalog.OwnershipCost, n float64) (money.Range, error) {
	low, err := money.Parse(o.Low, o.Currency)
	if err != nil {
		return money.Range{}, err
	}
	high, err := money.Parse(o.High, o.Currency)
	if err != nil {
		high = low
	}
	r, err := money.Between(low, high)
	if err != nil {
		return r, err
	}
	if r, err = r.Map(func(a money.Amount) (money.Amount, error) { return times(a, n) }); err != nil {
		return r, err
	}
	out, ok := h.Exchange.Range(r)
	if !ok {
		return money.Range{}, nil
	}
	return out, nil
}

func stated(o *catalog.OwnershipCost) string {
	s := o.Low
	if o.High != "" && o.High != o.Low {
		s += ".." + o.High
	}
	return s + " " + string(o.Currency) + " " + o.Unit
}

func ownershipOrigin(o *catalog.OwnershipCost) Origin {
	return Origin{Kind: "catalog", Source: o.Item + ", " + o.Source + ": " + o.Ref, AsOf: o.AsOf.String()}
}
