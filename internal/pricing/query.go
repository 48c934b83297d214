package pricing

import (
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// Query is what is asked of the catalog. The zero value of a filter matches
// everything.
type Query struct {
	Need          int64           // GPUs to hold; at least 1
	Extra         []catalog.Offer // sold beside the offers of the catalog
	Purchases     []catalog.Purchase
	TermMonths    int
	GPU           func(*catalog.Offer, *catalog.GPU) bool
	Providers     []string
	Market        string
	Regions       []string
	Tiers         []string
	Interconnect  string
	MinMemoryGB   float64 // per GPU
	MinTotalGB    float64 // of the whole instance
	MaxPrice      money.Amount
	MaxInstance   bool // MaxPrice is per instance-hour, not per GPU-hour
	Where         *Where
	Selection     catalog.Selection
	Now           catalog.Date // ages are counted from here
	Exchange      *Exchange
	HoursPerMonth money.Quantity
	DiskGB        money.Quantity // disk to add where its price is known
	TaxPercent    *money.Quantity
	All           bool // every observation, and what is put aside otherwise
	Unavailable   bool // what is listed but cannot be bought
	Sort          []SortKey
}

// matchOffer applies the filters on the offer itself. The reason is empty
// when the offer is simply not asked for.
func (q *Query) matchOffer(o *catalog.Offer, g *catalog.GPU, p *catalog.Provider) (ok bool, reason string) {
	switch {
	case q.GPU != nil && !q.GPU(o, g):
	case q.Market != "" && p.Market != q.Market:
	case len(q.Providers) > 0 && !anyFold(q.Providers, o.Provider):
	case len(q.Tiers) > 0 && !anyFold(q.Tiers, o.Tier):
	case len(q.Regions) > 0 && !inRegion(q.Regions, o):
	case q.Interconnect != "" && !hasLink(q.Interconnect, o, g):
	default:
		return q.enoughMemory(o, g)
	}
	return false, ""
}

func (q *Query) enoughMemory(o *catalog.Offer, g *catalog.GPU) (ok bool, reason string) {
	if q.MinMemoryGB == 0 && q.MinTotalGB == 0 {
		return true, ""
	}
	each := catalog.UsableMemoryGB(o, g)
	if each == 0 {
		return false, "memory not known"
	}
	if each < q.MinMemoryGB {
		return false, ""
	}
	if q.MinTotalGB > 0 && !o.GPUs.Known() {
		return false, "number of GPUs per instance not known"
	}
	if o.GPUs.Fraction() { // the memory of a fraction is already the fraction's
		return each >= q.MinTotalGB, ""
	}
	return q.MinTotalGB == 0 || each*o.GPUs.Float() >= q.MinTotalGB, ""
}

func anyFold(list []string, s string) bool {
	for _, x := range list {
		if strings.EqualFold(x, s) {
			return true
		}
	}
	return false
}

// inRegion takes a region's exact name, the part before a hyphen ("us" for
// us-east-1), or a country code.
func inRegion(list []string, o *catalog.Offer) bool {
	for _, x := range list {
		if strings.EqualFold(x, o.Region) || strings.EqualFold(x, o.Country) ||
			len(o.Region) > len(x) && o.Region[len(x)] == '-' && strings.EqualFold(x, o.Region[:len(x)]) {
			return true
		}
	}
	return false
}

// linkWords maps what people type to what providers write.
var linkWords = map[string][]string{
	"ib":       {"infiniband", "ib ", "ndr", "quantum"},
	"nvlink":   {"nvlink", "nvl", "sxm"},
	"roce":     {"roce"},
	"efa":      {"efa"},
	"rdma":     {"rdma", "infiniband", "roce", "efa"},
	"pcie":     {"pcie"},
	"ethernet": {"ethernet", "gbe"},
}

// networked reports whether the provider states a fast network between machines.
func networked(o *catalog.Offer) bool { return hasLink("ib", o, nil) || hasLink("rdma", o, nil) }

func hasLink(want string, o *catalog.Offer, g *catalog.GPU) bool {
	have := strings.ToLower(o.Interconnect) + " "
	if g != nil {
		have += strings.ToLower(g.Link) + " "
	}
	want = strings.ToLower(want)
	words, ok := linkWords[want]
	if !ok {
		words = []string{want}
		if want == "infiniband" {
			words = linkWords["ib"]
		}
	}
	for _, w := range words {
		if strings.Contains(have, w) {
			return true
		}
	}
	return false
}
