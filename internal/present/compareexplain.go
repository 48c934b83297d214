package present

import (
	"fmt"
	"math"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
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
			if c.Work != nil {
				out = append(out, c.explainWork(q, c.who(q))...)
			}
		}
	}
	return out
}

func (c Comparison) who(q *pricing.Quote) string {
	return fmt.Sprintf("#%d %s %s %s", q.Rank, c.name(q), q.GPUName, c.bought(q))
}

func (c Comparison) explainQuote(q *pricing.Quote) Explain {
	who := c.who(q)
	out := Explain{c.explainGPU(q, who), c.explainNeed(q, who), {
		Name: who + ", " + c.Lang.T("explain.per_month"), Value: exact(q.NeedPerMonth), Formula: c.Lang.T("explain.month_formula"),
		Inputs: []Input{{Name: c.Lang.T("explain.need"), Value: q.NeedPerHour.String(), Unit: string(q.Currency), Origin: "catalog"}, c.month()},
	}}
	if q.SavingPercent != nil {
		reference := Input{Name: c.Lang.T("purchase." + string(catalog.OnDemand)), Value: q.OnDemandPerGPUHour.String(), Unit: string(q.Currency), Origin: "catalog"}
		if p := q.OnDemand(); p != nil {
			reference.Source, reference.AsOf = sourceOf(p), p.AsOf.String()
		}
		out = append(out, Explanation{
			Name: who + ", " + c.Lang.T("col.saving"), Value: q.SavingPercent.String() + " %", Formula: c.Lang.T("explain.saving"), Symbols: "1 - price / on demand",
			Inputs: []Input{reference},
		})
	}
	return out
}

// explainGPU is the price per GPU-hour from what the source states.
func (c Comparison) explainGPU(q *pricing.Quote, who string) Explanation {
	e := Explanation{Name: who + ", " + c.Lang.T("explain.per_gpu"), Value: exact(q.PerGPUHour), Formula: c.Lang.T("explain.as_listed")}
	p := q.Price()
	if q.Native != nil {
		e.Inputs = append(e.Inputs, Input{
			Name: c.Lang.T("explain.listed"), Value: q.Native.Amount.String(), Unit: string(q.Native.Currency) + " per " + string(q.Native.Per),
			Origin: "catalog", Source: sourceOf(p), AsOf: q.AsOf,
		})
	}
	if q.Override != "" {
		value := p.Low.String()
		if p.Low != p.High {
			value += " - " + p.High.String()
		}
		e.Inputs = append(e.Inputs, Input{
			Name: c.Lang.T("explain.override"), Value: value, Unit: string(p.Low.Currency()) + " per " + string(p.Per), Origin: "override", Source: q.Override,
		})
	}
	switch p.Per {
	case unit.PerInstanceHour:
		e.Formula, e.Symbols = c.Lang.T("explain.by_gpus"), "price / GPUs"
		e.Inputs = append(e.Inputs, Input{Name: "GPUs", Value: q.GPUCount, Origin: "catalog", Source: q.Source})
	case unit.PerGPUSecond:
		e.Formula, e.Symbols = c.Lang.T("explain.by_second"), "price x 3600"
	case unit.PerGPUMonth:
		e.Formula, e.Symbols = c.Lang.T("explain.by_month"), "price / hours"
		e.Inputs = append(e.Inputs, c.month())
	case unit.PerInstanceMonth, unit.PerInstanceTerm:
		e.Formula, e.Symbols = c.Lang.T("explain.by_month"), "price / hours / GPUs"
		if p.Per == unit.PerInstanceTerm {
			e.Symbols = "price / months / hours / GPUs"
			e.Inputs = append(e.Inputs, Input{Name: c.Lang.T("explain.months"), Value: fmt.Sprint(p.TermMonths), Origin: "catalog", Source: p.Source})
		}
		e.Inputs = append(e.Inputs, c.month(), Input{Name: "GPUs", Value: q.GPUCount, Origin: "catalog", Source: q.Source})
	}
	e.Inputs = append(e.Inputs, c.taxInputs(p)...)
	for _, r := range Rates(c.Result.Rates) {
		if cur := p.Low.Currency(); cur != q.Currency && (r.Base == cur || r.Quote == cur) {
			e.Inputs = append(e.Inputs, c.rateInput(r))
		}
	}
	return e
}

func (c Comparison) rateInput(r RateUsed) Input {
	in := Input{Name: c.Lang.T("explain.rate"), Value: r.Rate, Unit: string(r.Quote) + " per " + string(r.Base), Origin: "catalog", Source: r.Source, AsOf: r.AsOf}
	if r.Source == pricing.UserRate {
		in.Origin, in.Source = "flag", "--fx"
	}
	return in
}

// taxInputs says what the price holds of tax and what was asked for, where
// either changes the number.
func (c Comparison) taxInputs(p *catalog.Price) []Input {
	var out []Input
	switch {
	case p.Tax == "included" && c.Asked.TaxPercent == nil:
		out = append(out, Input{Name: c.Lang.T("explain.tax_removed"), Value: fmt.Sprint(p.TaxPercent), Unit: "%", Origin: "catalog", Source: p.Source})
	case p.Tax == "included":
		out = append(out, Input{Name: c.Lang.T("explain.tax_kept"), Value: fmt.Sprint(p.TaxPercent), Unit: "%", Origin: "catalog", Source: p.Source})
	case c.Asked.TaxPercent != nil && p.Tax == "unknown":
		out = append(out, Input{Name: c.Lang.T("explain.tax_perhaps"), Value: *c.Asked.TaxPercent, Unit: "%", Origin: "flag", Source: "--tax"})
	case c.Asked.TaxPercent != nil:
		out = append(out, Input{Name: c.Lang.T("explain.tax_added"), Value: *c.Asked.TaxPercent, Unit: "%", Origin: "flag", Source: "--tax"})
	}
	return out
}

// explainNeed is what must be paid per hour for the GPUs needed.
func (c Comparison) explainNeed(q *pricing.Quote, who string) Explanation {
	e := Explanation{
		Name: who + ", " + c.Lang.T("explain.need"), Value: exact(q.NeedPerHour), Formula: c.Lang.T("explain.need_formula"), Symbols: "ceil(need / GPUs) x GPUs x price",
		Inputs: []Input{{Name: c.Lang.T("explain.need_gpus"), Value: fmt.Sprint(c.Query.Need), Origin: "flag", Source: "--gpus"}},
	}
	if c.Query.Need == 1 {
		e.Inputs[0].Origin, e.Inputs[0].Source = "default", ""
	}
	if q.Instances == nil {
		e.Formula, e.Symbols = c.Lang.T("explain.need_exact"), "need x price"
	} else {
		e.Inputs = append(e.Inputs, Input{Name: c.Lang.T("explain.machine"), Value: q.GPUCount, Unit: "GPUs", Origin: "catalog", Source: q.Source})
	}
	e.Inputs = append(e.Inputs, Input{Name: c.Lang.T("explain.per_gpu"), Value: q.PerGPUHour.String(), Unit: string(q.Currency), Origin: "catalog", Source: q.Source, AsOf: q.AsOf})
	if q.Has(pricing.WarnDisk) {
		disk := q.Offer().DiskPrice
		e.Symbols += " + disk x price / hours"
		e.Inputs = append(e.Inputs,
			Input{Name: c.Lang.T("explain.disk"), Value: c.Asked.DiskGB, Unit: "GB", Origin: "flag", Source: "--disk"},
			Input{Name: c.Lang.T("explain.disk_price"), Value: disk.String(), Unit: string(disk.Currency()) + " per GB-month", Origin: "catalog", Source: q.Source},
			c.month(),
		)
	}
	for _, f := range purchase.CompareEffects(q, c.Query.Need, c.Query.Exchange) {
		e.Effects = append(e.Effects, Effect{f.Input, math.Round(f.Percent*100) / 100})
	}
	return e
}

// exact is an amount with its currency, not rounded: what can be redone.
func exact(a money.Amount) string {
	if !a.Known() {
		return "n/a"
	}
	return string(a.Currency()) + " " + a.String()
}

// month is the length of a month and where it was set.
func (c Comparison) month() Input {
	in := Input{Name: c.Lang.T("explain.hours_per_month"), Value: c.Asked.HoursPerMonth, Unit: "h", Origin: "default"}
	switch origin := c.MonthOrigin; {
	case strings.HasPrefix(origin, "--"):
		in.Origin, in.Source = "flag", origin
	case origin != "" && origin != "default":
		in.Origin, in.Source = "configuration", origin
	}
	return in
}

func sourceOf(p *catalog.Price) string {
	if p.Ref == "" {
		return p.Source
	}
	return p.Source + ": " + p.Ref
}
