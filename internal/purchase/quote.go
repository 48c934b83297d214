package purchase

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// QuoteOrigin is where a quote's price came from.
func QuoteOrigin(q *pricing.Quote) Origin {
	o := Origin{Kind: "catalog", Source: q.Provider, AsOf: q.AsOf}
	if q.Instance != "" {
		o.Source += " " + q.Instance
	}
	if q.Region != "" {
		o.Source += " " + q.Region
	}
	o.Source += ", " + q.Source
	if p := q.Price(); p != nil && p.Ref != "" {
		o.Source += ": " + p.Ref
	}
	return o
}

// Stated is a quote's price as its source states it, where that is another
// currency or unit.
func Stated(q *pricing.Quote) string {
	if q.Native == nil || q.Native.Currency == q.Currency {
		return ""
	}
	return fmt.Sprintf("%s %s/%s", q.Native.Amount, q.Native.Currency, q.Native.Per)
}

// Held is the number of GPUs that are paid for when the need is held.
func Held(q *pricing.Quote, need int64) float64 {
	if q.Instances == nil || !q.Count().Known() {
		return float64(need)
	}
	return float64(*q.Instances) * q.Count().Float()
}

// HeldOnDemand is what holding the same machines costs an hour on demand.
func HeldOnDemand(q *pricing.Quote, need int64) (money.Amount, error) {
	return times(q.OnDemandPerGPUHour, Held(q, need))
}

// SameOffer is the origin of a quote's own price on demand.
func SameOffer(q *pricing.Quote) Origin {
	return Origin{Kind: "catalog", Source: strings.TrimSpace("the same offer on demand, " + q.Provider + " " + q.Instance)}
}

// Cheaper says that the price to beat is another seller's on demand.
func (a *Answer) Cheaper(other *pricing.Quote, need int64) {
	f := a.Figure("on_demand_per_gpu_hour")
	if other == nil || f == nil {
		return
	}
	own, ok := f.Value.(money.Amount)
	each, err := times(other.NeedPerHour, 1/float64(need))
	if ok && err == nil && each.Cmp(own) < 0 {
		a.Doubt("cheaper_on_demand", map[string]any{"seller": other.ProviderName, "price": each})
	}
}

// Priced is the first quote with a price that keep accepts (nil: any).
func Priced(qs []pricing.Quote, keep func(*pricing.Quote) bool) *pricing.Quote {
	for i := range qs {
		if qs[i].NeedPerHour.Known() && (keep == nil || keep(&qs[i])) {
			return &qs[i]
		}
	}
	return nil
}

// Doubtful is the gravest doubt about a quote's price, or "".
func Doubtful(q *pricing.Quote) string {
	for _, code := range []string{
		pricing.WarnLeft, pricing.WarnIndex, pricing.WarnGPUOnly, pricing.WarnUnavailable, pricing.WarnUndated, pricing.WarnStale, pricing.WarnLow, pricing.WarnSize,
	} {
		if q.Has(code) {
			return code
		}
	}
	return ""
}

// Describe names what was priced, for the text of an answer.
func (a *Answer) Describe(q *pricing.Quote, need int64) {
	a.Say("seller", q.ProviderName)
	a.Say("provider", q.Provider)
	a.Say("instance", q.Instance)
	a.Say("region", q.Region)
	a.Say("gpu", q.GPUName)
	a.Say("price_date", q.AsOf)
	a.Say("price_source", q.Source)
	if held := Held(q, need); held > float64(need) {
		a.Doubt("pays_for_more", map[string]any{"held": strconv.FormatFloat(math.Ceil(held), 'f', -1, 64), "need": strconv.FormatInt(need, 10)})
	}
}

// DoubtSpot says that a seller's documentation no longer describes spot, and that
// a spot price is of no stated region where regions differ.
func (a *Answer) DoubtSpot(c *catalog.Catalog, q *pricing.Quote) {
	if day, gone := NoSpotSince(c, q.Provider); gone && q.Purchase == catalog.Spot {
		a.Doubt("no_spot_since", map[string]any{"what": q.ProviderName, "day": day})
	}
	if q.Purchase == catalog.Spot && q.Region == "" && q.Kind == "hyperscaler" {
		a.Doubt("spot_no_region", map[string]any{"what": q.ProviderName})
	}
}

// DoubtWhole says that a member of a pool is paid for by the whole machine.
func (a *Answer) DoubtWhole(q *pricing.Quote, need int64) {
	if held := Held(q, need); held > float64(need) {
		a.Doubt("member_pays_for_more", map[string]any{"what": q.ProviderName, "held": strconv.FormatFloat(math.Ceil(held), 'f', -1, 64), "need": strconv.FormatInt(need, 10)})
	}
}

// DoubtPrice says what speaks against a price that the answer rests on.
func (a *Answer) DoubtPrice(q *pricing.Quote) {
	args := map[string]any{"what": q.ProviderName}
	switch code := Doubtful(q); code {
	case "":
	case pricing.WarnStale:
		args["days"] = strconv.Itoa(*q.AgeDays)
		a.Doubt("price_stale", args)
	default:
		a.Doubt("price_"+code, args)
	}
	if q.Has(pricing.WarnSpotDearer) {
		a.Doubt("spot_dearer", args)
	}
}

// Surer names the first seller whose price is not doubtful where the chosen one's
// is, with what finished work costs there.
func (a *Answer) Surer(chosen, other *pricing.Quote) error {
	f := a.Figure("effective_per_gpu_hour")
	if other == nil || f == nil || Doubtful(chosen) == "" {
		return nil
	}
	each, ok := f.Value.(money.Amount)
	if !ok {
		return nil
	}
	each, err := times(each, plain(other.NeedPerHour)/plain(chosen.NeedPerHour))
	if err != nil {
		return err
	}
	a.Doubt("surer", map[string]any{"seller": other.ProviderName, "price": each})
	return nil
}

// GPUOf is the specification behind a quote; a stand-in with its name when the
// catalog does not know the GPU.
func GPUOf(q *pricing.Quote) *catalog.GPU {
	if g := q.GPUSpec(); g != nil {
		return g
	}
	return &catalog.GPU{ID: q.GPU, Family: q.GPU, Name: q.GPUName}
}
