package pricing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// WhereRow is what a filter can ask of a quote. Numbers are nil when they are
// not known, and so are amounts.
type WhereRow struct {
	Provider, ProviderName, Market, Kind string
	Instance, Tier, Region, Country      string
	GPU, GPUName, Interconnect           string
	Purchase, Currency                   string
	Source, Confidence, Status           string
	GPUs, GPUMemoryGB, VCPUs, MemoryGiB  *float64
	TermMonths, AgeDays                  *int
	Instances                            *int64
	Saving                               *Percent
	AsOf                                 catalog.Date
	PerGPUHour, PerGPUHourLow            money.Amount
	PerGPUHourHigh, PerInstanceHour      money.Amount
	NeedPerHour, NeedPerMonth            money.Amount
	OnDemandPerGPUHour                   money.Amount
}

func whereRow(q *Quote) WhereRow {
	return WhereRow{
		Provider: q.Provider, ProviderName: q.ProviderName, Market: q.Market, Kind: q.Kind,
		Instance: q.Instance, Tier: q.Tier, Region: q.Region, Country: q.Country,
		GPU: q.GPU, GPUName: q.GPUName, Interconnect: q.Interconnect,
		Purchase: string(q.Purchase), Currency: string(q.Currency),
		Source: q.Source, Confidence: q.Confidence, Status: q.Status,
		GPUs: q.GPUs, GPUMemoryGB: q.GPUMemoryGB, VCPUs: q.VCPUs, MemoryGiB: q.MemoryGiB,
		TermMonths: q.TermMonths, AgeDays: q.AgeDays, Instances: q.Instances, Saving: q.SavingPercent, AsOf: q.asOf,
		PerGPUHour: q.PerGPUHour, PerGPUHourLow: q.PerGPUHourLow, PerGPUHourHigh: q.PerGPUHourHigh,
		PerInstanceHour: q.PerInstanceHour, NeedPerHour: q.NeedPerHour, NeedPerMonth: q.NeedPerMonth,
		OnDemandPerGPUHour: q.OnDemandPerGPUHour,
	}
}

// whereFields are the names of a filter: those of a quote in JSON, and short
// ones.
var whereFields = [...]struct {
	name string
	text func(*WhereRow) string
	num  func(*WhereRow) (float64, bool)
}{
	{name: "provider", text: func(r *WhereRow) string { return r.Provider }},
	{name: "provider_name", text: func(r *WhereRow) string { return r.ProviderName }},
	{name: "market", text: func(r *WhereRow) string { return r.Market }},
	{name: "kind", text: func(r *WhereRow) string { return r.Kind }},
	{name: "instance", text: func(r *WhereRow) string { return r.Instance }},
	{name: "tier", text: func(r *WhereRow) string { return r.Tier }},
	{name: "region", text: func(r *WhereRow) string { return r.Region }},
	{name: "country", text: func(r *WhereRow) string { return r.Country }},
	{name: "gpu", text: func(r *WhereRow) string { return r.GPU }},
	{name: "gpu_name", text: func(r *WhereRow) string { return r.GPUName }},
	{name: "interconnect", text: func(r *WhereRow) string { return r.Interconnect }},
	{name: "purchase", text: func(r *WhereRow) string { return r.Purchase }},
	{name: "currency", text: func(r *WhereRow) string { return r.Currency }},
	{name: "source", text: func(r *WhereRow) string { return r.Source }},
	{name: "confidence", text: func(r *WhereRow) string { return r.Confidence }},
	{name: "status", text: func(r *WhereRow) string { return r.Status }},
	{name: "gpus", num: func(r *WhereRow) (float64, bool) { return whereCount(r.GPUs) }},
	{name: "gpu_memory_gb", num: func(r *WhereRow) (float64, bool) { return whereCount(r.GPUMemoryGB) }},
	{name: "vram", num: func(r *WhereRow) (float64, bool) { return whereCount(r.GPUMemoryGB) }},
	{name: "vcpus", num: func(r *WhereRow) (float64, bool) { return whereCount(r.VCPUs) }},
	{name: "memory_gib", num: func(r *WhereRow) (float64, bool) { return whereCount(r.MemoryGiB) }},
	{name: "term_months", num: func(r *WhereRow) (float64, bool) { return whereCount(r.TermMonths) }},
	{name: "age_days", num: func(r *WhereRow) (float64, bool) { return whereCount(r.AgeDays) }},
	{name: "instances", num: func(r *WhereRow) (float64, bool) { return whereCount(r.Instances) }},
	{name: "saving_percent", num: func(r *WhereRow) (float64, bool) { v, ok := whereCount(r.Saving); return v / 100, ok }},
	{name: "price_per_gpu_hour", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.PerGPUHour) }},
	{name: "price", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.PerGPUHour) }},
	{name: "price_per_gpu_hour_low", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.PerGPUHourLow) }},
	{name: "price_per_gpu_hour_high", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.PerGPUHourHigh) }},
	{name: "price_per_instance_hour", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.PerInstanceHour) }},
	{name: "need_per_hour", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.NeedPerHour) }},
	{name: "need_per_month", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.NeedPerMonth) }},
	{name: "on_demand_per_gpu_hour", num: func(r *WhereRow) (float64, bool) { return whereAmount(r.OnDemandPerGPUHour) }},
	{name: "as_of", num: func(r *WhereRow) (float64, bool) { return whereDays(r.AsOf) }},
	{name: "spot"},
}

// WhereNames lists the names that a filter can use.
func WhereNames() []string {
	var out []string
	for i := range whereFields {
		out = append(out, whereFields[i].name)
	}
	return out
}

func whereField(name string, column int) (whereTerm, error) {
	t := whereTerm{text: name, column: column}
	for i := range whereFields {
		f := &whereFields[i]
		switch {
		case f.name != name:
			continue
		case f.text != nil:
			t.kind, t.words = kindText, func(r *WhereRow) string { return strings.ToLower(f.text(r)) }
		case f.num != nil:
			t.kind, t.number = kindNumber, f.num
		default:
			t.kind, t.truth = kindTruth, func(r *WhereRow) truth { return truthOf(r.Purchase == string(catalog.Spot)) }
		}
		switch name {
		case "as_of":
			t.kind = kindDate
		case "region":
			t.same = func(r *WhereRow, word string) bool {
				return inRegion([]string{word}, &catalog.Offer{Region: r.Region, Country: r.Country})
			}
		}
		return t, nil
	}
	return t, &WhereError{column, fmt.Sprintf("unknown field %q", name), catalog.Nearest(name, WhereNames(), 3)}
}

func whereCount[T int | int64 | float64 | Percent](p *T) (float64, bool) {
	if p == nil {
		return 0, false
	}
	return float64(*p), true
}

// whereAmount is an amount as a floating-point number, which is allowed here only:
// a filter decides between rows and computes nothing that is paid. It is read
// from the exact text, so 2.1 in a filter equals a price of 2.10.
func whereAmount(a money.Amount) (float64, bool) {
	v, err := strconv.ParseFloat(a.String(), 64)
	return v, err == nil
}
