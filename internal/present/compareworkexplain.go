package present

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// explainWork is what a GPU-hour of finished work costs, and what all of it
// costs, line by line.
func (c Comparison) explainWork(q *pricing.Quote, who string) Explain {
	w, l := c.way(q), c.Lang
	each := Explanation{Name: who + l.T("comma") + l.T("work.explain.each"), Value: rangeOf(w.PerGPUHour), Formula: l.T("work.explain.each_f"), Symbols: "cost / (GPUs x work)"}
	if !w.PerGPUHour.Known() {
		each.Value, each.Formula, each.Symbols = "", l.T("work.note."+w.Code), ""
		return Explain{each}
	}
	each.Inputs = []Input{
		{Name: l.T("work.explain.cost"), Value: w.Cost.Mid.String(), Unit: string(q.Currency), Origin: "line"},
		{Name: l.T("explain.need_gpus"), Value: fmt.Sprint(c.Query.Need), Unit: "GPUs", Origin: "flag", Source: "--gpus"},
		{Name: l.T("work.explain.work"), Value: plainHours(c.Work.Hours), Unit: "h", Origin: "flag", Source: "--work"},
	}
	if c.Query.Need == 1 {
		each.Inputs[1].Origin, each.Inputs[1].Source = "default", ""
	}
	if w.Use != nil {
		each.Inputs = append(each.Inputs, c.useInput(*w.Use))
	}
	for _, a := range w.Assumptions {
		each.Inputs = append(each.Inputs, Input{Name: a.Name, Value: a.Value, Unit: a.Unit, Origin: a.Origin, Source: a.Source})
	}
	for _, f := range c.Work.Effects(q.Rank - 1) {
		each.Effects = append(each.Effects, Effect{f.Input, f.Percent})
	}
	each.Order()
	return append(Explain{each, c.explainWorkCost(q, who)}, c.workLines(q, who)...)
}

// explainWorkCost is all of the work, with the formula of the way of buying.
func (c Comparison) explainWorkCost(q *pricing.Quote, who string) Explanation {
	w, l := c.way(q), c.Lang
	kind, symbols := "hours", "machines x price x work"
	switch {
	case w.Use != nil:
		kind, symbols = "months", "machines x price x work / utilisation"
	case q.Purchase == catalog.Spot:
		kind, symbols = "spot", "n pieces of t = W/n: sum of exp(lR) (exp(l(t+C)) - 1) / l; the last without C"
	}
	cost := Explanation{Name: who + l.T("comma") + l.T("work.explain.cost"), Value: rangeOf(w.Cost), Formula: l.T("work.explain." + kind), Symbols: symbols}
	for _, x := range w.Lines {
		cost.Inputs = append(cost.Inputs, Input{Name: c.lineName(x), Value: x.Cost.Mid.String(), Unit: string(q.Currency), Origin: "line"})
	}
	return cost
}

// workLines are the lines of the cost, where there are several.
func (c Comparison) workLines(q *pricing.Quote, who string) Explain {
	var out Explain
	if len(c.way(q).Lines) < 2 {
		return nil
	}
	for _, x := range c.way(q).Lines {
		e := Explanation{
			Name: who + c.Lang.T("comma") + c.lineName(x), Value: exact(x.Cost.Mid), Formula: x.Basis, Symbols: "quantity x unit price",
			Inputs: []Input{{Name: c.Lang.T("est.explain.quantity"), Value: x.Quantity.String(), Unit: x.Unit, Origin: "estimate"}},
		}
		if x.UnitPrice.Known() {
			e.Inputs = append(e.Inputs, Input{Name: c.Lang.T("est.explain.unit_price"), Value: x.UnitPrice.String(), Unit: string(q.Currency), Origin: "catalog", Source: q.Source, AsOf: q.AsOf})
		}
		out = append(out, e)
	}
	return out
}

func (c Comparison) lineName(x estimate.Line) string { return c.Lang.T("est.comp." + x.Component) }

// useInput is the share in use, and who said so.
func (c Comparison) useInput(use float64) Input {
	in := Input{Name: c.Lang.T("work.explain.use"), Value: estimate.Exact(use).String(), Origin: "flag", Source: "--utilisation"}
	if c.Work.Use == 0 {
		in.Origin, in.Source = "default", c.Lang.T("work.note.alone")
	}
	return in
}

// plainHours is hours as they can be typed again.
func plainHours(h float64) string { return estimate.Exact(h).String() }

// rangeOf is the exact middle and the ends in brackets.
func rangeOf(r money.Range) string {
	s := exact(r.Mid)
	if r.Low == r.High {
		return s
	}
	return s + " (" + AmountRange(r, Decimals(r.Mid)+2) + ")"
}
