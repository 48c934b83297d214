package present

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/estimate"
)

// explain shows how the best estimate came about: the month, the run, every
// line with its price, the hours, the throughput as the product it is, the
// memory, and what 10 % more of each input does.
func (e Estimation) explain(all []estimate.Estimate) Explain {
	if len(all) == 0 {
		return nil
	}
	x := &all[0]
	out := Explain{e.explainMonth(x), e.explainCost(x)}
	for _, l := range x.Lines {
		out = append(out, e.explainLine(x, l))
	}
	if p, ok := e.explainPrice(x); ok {
		out = append(out, p)
	}
	if h, ok := e.explainHours(x); ok {
		out = append(out, h)
	}
	if t, ok := e.explainRate(x); ok {
		out = append(out, t)
	}
	if m, ok := e.explainMemory(x); ok {
		out = append(out, m)
	}
	in := Explanation{Name: e.Lang.T("est.explain.inputs"), Value: fmt.Sprint(len(x.Assumptions)), Formula: e.Lang.T("est.explain.inputs_f")}
	for _, a := range x.Assumptions {
		in.Inputs = append(in.Inputs, Input{Name: a.Name, Value: a.Value, Unit: a.Unit, Origin: a.Origin, Source: a.Source})
	}
	return append(out, in)
}

func (e Estimation) who(x *estimate.Estimate) string {
	if h := hardware(x); h != "" {
		return fmt.Sprintf("#%d %s, %s, %s", x.Rank, e.name(x), h, e.bought(x))
	}
	return fmt.Sprintf("#%d %s", x.Rank, e.name(x))
}

func (e Estimation) explainMonth(x *estimate.Estimate) Explanation {
	l := e.Lang
	m := Explanation{
		Name: l.T("est.explain.month", e.who(x)), Value: exact(x.Monthly.Mid) + " (" + x.Monthly.Low.Round(2) + "–" + x.Monthly.High.Round(2) + ")",
		Formula: l.T("est.explain.month_f"), Symbols: "run x runs",
	}
	for _, a := range x.Assumptions {
		if a.Name == "train.runs_per_month" || a.Name == "batch.runs_per_month" {
			m.Inputs = append(m.Inputs, Input{Name: l.T("est.explain.runs"), Value: a.Value, Origin: a.Origin, Source: a.Source})
		}
	}
	m.Inputs = append(m.Inputs, Input{Name: l.T("explain.hours_per_month"), Value: e.Answer.Month.String(), Unit: "h", Origin: e.monthOrigin()})
	for _, f := range e.Answer.Effects {
		m.Effects = append(m.Effects, Effect{f.Input, f.Percent})
	}
	m.Order()
	return m
}

func (e Estimation) monthOrigin() string {
	if e.Answer.Month.String() != "730" {
		return "flag"
	}
	return "default"
}

func (e Estimation) explainCost(x *estimate.Estimate) Explanation {
	key := "est.explain.cost"
	if !e.Answer.Runs {
		key = "est.explain.cost_m"
	}
	c := Explanation{Name: e.Lang.T(key, e.who(x)), Value: exact(x.Cost.Mid), Formula: e.Lang.T("est.explain.cost_f")}
	for _, l := range x.Lines {
		c.Inputs = append(c.Inputs, Input{Name: e.component(l), Value: l.Cost.Mid.String(), Unit: string(x.Currency), Origin: "line"})
	}
	return c
}

func (e Estimation) explainLine(x *estimate.Estimate, l estimate.Line) Explanation {
	p := Explanation{
		Name: e.component(l), Value: exact(l.Cost.Mid), Formula: l.Basis, Symbols: "quantity x unit price",
		Inputs: []Input{{Name: e.Lang.T("est.explain.quantity"), Value: l.Quantity.String(), Unit: l.Unit, Origin: "estimate"}},
	}
	if l.UnitPrice.Known() {
		in := Input{Name: e.Lang.T("est.explain.unit_price"), Value: l.UnitPrice.String(), Unit: string(x.Currency), Origin: "catalog", Source: x.Source, AsOf: x.AsOf}
		if l.Native != nil {
			in.Origin, in.Source, in.AsOf = origin(l.Native.Source), l.Native.Source, l.Native.AsOf
		}
		p.Inputs = append(p.Inputs, in)
	}
	if n := l.Native; n != nil && n.Currency != x.Currency {
		p.Inputs = append(p.Inputs, Input{Name: e.Lang.T("est.explain.native"), Value: n.Amount.String(), Unit: string(n.Currency) + " per " + n.Per, Origin: origin(n.Source), Source: n.Source + " " + n.Region, AsOf: n.AsOf})
		p.Inputs = append(p.Inputs, e.rate(string(n.Currency))...)
	}
	return p
}

// origin is scenario for prices that the scenario brings along.
func origin(source string) string {
	if source == "scenario" {
		return "scenario"
	}
	return "catalog"
}

func (e Estimation) rate(from string) []Input {
	for _, r := range Rates(e.Answer.Rates) {
		if string(r.Base) == from || string(r.Quote) == from {
			return []Input{{Name: e.Lang.T("explain.rate"), Value: r.Rate, Unit: string(r.Quote) + " per " + string(r.Base), Origin: origin(r.Source), Source: r.Source, AsOf: r.AsOf}}
		}
	}
	return nil
}

func (e Estimation) explainPrice(x *estimate.Estimate) (Explanation, bool) {
	q := x.Quote()
	if q.Native == nil {
		return Explanation{}, false
	}
	n := q.Native
	p := Explanation{
		Name: e.Lang.T("est.explain.price"), Value: exact(x.PerGPUHour), Formula: e.Lang.T("est.explain.price_f"),
		Inputs: []Input{
			{Name: e.Lang.T("explain.listed"), Value: n.Amount.String(), Unit: string(n.Currency) + " per " + string(n.Per), Origin: origin(x.Source), Source: x.Source, AsOf: x.AsOf},
			{Name: e.Lang.T("explain.machine"), Value: x.PerInstance, Unit: "GPUs", Origin: origin(x.Source), Source: x.Source},
		},
	}
	if string(n.Currency) != string(x.Currency) {
		p.Inputs = append(p.Inputs, e.rate(string(n.Currency))...)
	}
	if q.Region != "" {
		p.Inputs = append(p.Inputs, Input{Name: e.Lang.T("region"), Value: q.Region, Origin: origin(x.Source)})
	}
	return p, true
}

func (e Estimation) explainHours(x *estimate.Estimate) (Explanation, bool) {
	if x.Hours == nil || x.Throughput.PerGPU == nil || !e.Answer.Runs {
		return Explanation{}, false
	}
	h := Explanation{
		Name: e.Lang.T("est.explain.hours"), Value: fmt.Sprintf("%.6g h (%.6g–%.6g)", x.Hours.Mid, x.Hours.Low, x.Hours.High),
		Formula: e.Lang.T("est.explain.hours_f"), Symbols: "W / (r n g 3600)",
		Inputs: []Input{
			{Name: "r", Value: fmt.Sprintf("%.6g", x.Throughput.PerGPU.Mid), Unit: x.Throughput.Unit, Origin: "calibrated", Source: x.Throughput.Basis},
			{Name: "n", Value: fmt.Sprint(x.GPUs), Unit: "GPUs", Origin: "estimate"},
		},
	}
	if x.UnitsPerMonth != nil {
		runs := 1.0
		for _, a := range x.Assumptions {
			switch a.Name {
			case "train.runs_per_month", "batch.runs_per_month":
				if v, ok := plainFloat(a.Value); ok && v > 0 {
					runs = v
				}
			case "train.goodput":
				h.Inputs = append(h.Inputs, Input{Name: "g", Value: a.Value, Origin: a.Origin, Source: a.Source})
			}
		}
		h.Inputs = append([]Input{{Name: "W", Value: fmt.Sprintf("%.10g", *x.UnitsPerMonth/runs), Unit: x.Unit, Origin: "scenario"}}, h.Inputs...)
	}
	return h, true
}

func (e Estimation) explainRate(x *estimate.Estimate) (Explanation, bool) {
	t := x.Throughput.PerGPU
	if t == nil {
		return Explanation{}, false
	}
	r := Explanation{
		Name: e.Lang.T("est.explain.rate"), Value: fmt.Sprintf("%.5g %s (%.5g–%.5g)", t.Mid, x.Throughput.Unit, t.Low, t.High), Formula: e.Lang.T("est.explain.rate_f"), Symbols: x.Throughput.Basis,
	}
	for _, f := range x.Factors() {
		r.Inputs = append(r.Inputs, Input{Name: f.Name, Value: fmt.Sprintf("%.5g", f.Value), Unit: f.Unit, Origin: f.Origin, Source: f.Source})
	}
	for _, id := range x.Throughput.Nearest {
		r.Inputs = append(r.Inputs, Input{Name: "measured", Value: id, Origin: "catalog", Source: "docs/methodology.md"})
	}
	return r, true
}

func (e Estimation) explainMemory(x *estimate.Estimate) (Explanation, bool) {
	if x.Memory.NeededGB == nil {
		return Explanation{}, false
	}
	m := Explanation{
		Name: e.Lang.T("est.explain.memory"), Value: fmt.Sprintf("%.4g GB of %.4g", *x.Memory.NeededGB, *x.Memory.AvailableGB), Formula: e.Lang.T("est.explain.memory_f"),
	}
	for _, name := range sortedKeys(x.Memory.Parts) {
		m.Inputs = append(m.Inputs, Input{Name: name, Value: fmt.Sprint(x.Memory.Parts[name]), Unit: "GB", Origin: "formula", Source: "docs/methodology.md"})
	}
	return m, true
}
