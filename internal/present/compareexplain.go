package present

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

// explained is how many rows --explain goes through when nobody says.
const explained = 3

// explain says how each shown price came about.
func (c Comparison) explain(qs []pricing.Quote) Explain {
	n := explained
	if c.Top >= 0 {
		n = len(qs)
	}
	var out Explain
	for i := range qs[:min(n, len(qs))] {
		if q := &qs[i]; q.PerGPUHour.Known() {
			out = append(out, c.explainQuote(q)...)
		}
	}
	return out
}

func (c Comparison) explainQuote(q *pricing.Quote) Explain {
	who := fmt.Sprintf("#%d %s %s %s", q.Rank, c.name(q), q.GPUName, c.bought(q))
	listed := Input{Name: c.Lang.T("explain.listed"), Value: q.Native.Amount.String(), Unit: string(q.Native.Currency) + " per " + string(q.Native.Per), Origin: "catalog", Source: c.source(q), AsOf: q.AsOf}
	per := Explanation{Name: who + ", " + c.Lang.T("explain.per_gpu"), Value: exact(q.PerGPUHour), Formula: c.Lang.T("explain.as_listed"), Inputs: []Input{listed}}
	switch q.Native.Per {
	case unit.PerInstanceHour:
		per.Formula, per.Symbols = c.Lang.T("explain.by_gpus"), "price / GPUs"
		per.Inputs = append(per.Inputs, Input{Name: "GPUs", Value: q.GPUCount, Origin: "catalog", Source: q.Source})
	case unit.PerGPUMonth, unit.PerInstanceMonth, unit.PerInstanceTerm:
		per.Formula, per.Symbols = c.Lang.T("explain.by_month"), "price / hours (/ GPUs)"
		per.Inputs = append(per.Inputs, c.month())
	}
	for _, r := range Rates(c.Result.Rates) {
		if q.Native.Currency != q.Currency && (r.Base == q.Native.Currency || r.Quote == q.Native.Currency) {
			per.Inputs = append(per.Inputs, Input{Name: c.Lang.T("explain.rate"), Value: r.Rate, Unit: string(r.Quote) + " per " + string(r.Base), Origin: "catalog", Source: r.Source, AsOf: r.AsOf})
		}
	}
	if q.Override != "" {
		per.Inputs = append(per.Inputs, Input{Name: c.Lang.T("explain.override"), Value: q.Override, Origin: "catalog"})
	}
	need := Explanation{
		Name: who + ", " + c.Lang.T("explain.need"), Value: exact(q.NeedPerHour), Formula: c.Lang.T("explain.need_formula"), Symbols: "ceil(need / GPUs) x GPUs x price",
		Inputs: []Input{
			{Name: c.Lang.T("explain.need_gpus"), Value: fmt.Sprint(c.Query.Need), Origin: "flag", Source: "--gpus"},
			{Name: c.Lang.T("explain.machine"), Value: q.GPUCount, Unit: "GPUs", Origin: "catalog", Source: q.Source},
			{Name: c.Lang.T("explain.per_gpu"), Value: q.PerGPUHour.String(), Unit: string(q.Currency), Origin: "catalog", Source: q.Source, AsOf: q.AsOf},
		},
	}
	out := Explain{per, need, {
		Name: who + ", " + c.Lang.T("explain.per_month"), Value: exact(q.NeedPerMonth), Formula: c.Lang.T("explain.month_formula"),
		Inputs: []Input{{Name: c.Lang.T("explain.need"), Value: q.NeedPerHour.String(), Unit: string(q.Currency), Origin: "catalog"}, c.month()},
	}}
	if q.SavingPercent != nil {
		out = append(out, Explanation{
			Name: who + ", " + c.Lang.T("col.saving"), Value: q.SavingPercent.String() + " %", Formula: c.Lang.T("explain.saving"), Symbols: "1 - price / on demand",
			Inputs: []Input{{Name: c.Lang.T("purchase." + string(catalog.OnDemand)), Value: q.OnDemandPerGPUHour.String(), Unit: string(q.Currency), Origin: "catalog"}},
		})
	}
	return out
}

// exact is an amount with its currency, not rounded: what can be redone.
func exact(a money.Amount) string {
	if !a.Known() {
		return "n/a"
	}
	return string(a.Currency()) + " " + a.String()
}

func (c Comparison) month() Input {
	origin := "default"
	if c.Asked.HoursPerMonth != "730" {
		origin = "flag"
	}
	return Input{Name: c.Lang.T("explain.hours_per_month"), Value: c.Asked.HoursPerMonth, Unit: "h", Origin: origin}
}

func (c Comparison) source(q *pricing.Quote) string {
	s := q.Source
	if p := q.Price(); p != nil && p.Ref != "" {
		s += ": " + p.Ref
	}
	return s
}
