package present

import (
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

// Planned is the answer of plan, ready to become a Doc. Its Estimation says
// what was asked; the rows are those of the plan.
type Planned struct {
	Estimation
	Plan *estimate.Plan
}

// Doc makes the plan presentable in every format.
func (p Planned) Doc() Doc {
	points := p.points()
	d := Doc{Object: p.object(), Records: p.records(points), Warnings: p.planWarnings(), Screen: p.planScreen()}
	for _, x := range points {
		d.Rows = append(d.Rows, p.point(x))
	}
	return d
}

// points are the rows of the answer: the frontier, or the plan alone for work
// that has none.
func (p Planned) points() []*estimate.Estimate {
	if len(p.Plan.Frontier) == 0 && p.Plan.Chosen != nil {
		return []*estimate.Estimate{p.Plan.Chosen}
	}
	return p.Plan.Frontier
}

// object is the whole answer for machines.
func (p Planned) object() object {
	p.Asked.FX = Rates(p.Answer.Rates)
	o := object{
		{"schema_version", 1},
		{"command", "plan"},
		{"scenario", p.Answer.Scenario},
		{"deadline_hours", positive(p.Answer.Scenario.Deadline.V)},
		{"budget", p.Plan.Budget},
		{"plan", p.planObject()},
		{"frontier", p.frontierObjects()},
		{"safe", p.safe()},
		{"left_aside", p.leftAside()},
		{"infeasible", p.Answer.Infeasible},
		{"warnings", p.planWarnings()},
		{"catalog", p.Catalog},
		{"query", p.Asked},
	}
	if p.Explain && p.Plan.Chosen != nil {
		o = append(o, pair{"explain", p.explainPlan()})
	}
	return o
}

// positive is a number that is not known when it is 0.
func positive(x float64) any {
	if x <= 0 {
		return nil
	}
	return x
}

// planObject is the plan with all that is needed to run it; nil without one.
func (p Planned) planObject() any {
	x := p.Plan.Chosen
	if x == nil {
		return nil
	}
	o := p.point(x)
	for _, key := range layoutKeys {
		o = append(o, pair{key, known(x.Value(key))})
	}
	interval, _ := x.Interval()
	o = append(o,
		pair{"checkpoint_interval_hours", positive(interval)}, pair{"checkpoint_interval_seconds", positive(wholeSeconds(interval))},
		pair{"checkpoint_seconds", positive(x.SaveHours() * 3600)}, pair{"on_demand_from_hours", positive(p.Plan.OnDemandFrom)},
		pair{"pool", p.poolObjects()}, pair{"estimate", x})
	return o
}

// layoutKeys are the choices that a program has to be started with.
var layoutKeys = []string{"precision", "tensor_parallel", "pipeline_parallel", "sharding", "recompute", "micro_batch", "global_batch"}

func known(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (p Planned) poolObjects() []object {
	out := []object{}
	for i, x := range p.Plan.Pool {
		out = append(out, append(object{{"order", i + 1}}, p.point(x)...))
	}
	return out
}

func (p Planned) frontierObjects() []object {
	out := []object{}
	for i, x := range p.Plan.Frontier {
		out = append(out, append(object{{"point", i + 1}, {"plan", x == p.Plan.Chosen}}, p.point(x)...))
	}
	return out
}

// safe is the plan that keeps the deadline in the slow case as well.
func (p Planned) safe() any {
	if p.Plan.Safe == nil {
		return nil
	}
	return p.point(p.Plan.Safe)
}

// leftAside is what would be better but for a grave doubt.
func (p Planned) leftAside() any {
	x := p.Plan.Doubtful
	if x == nil {
		return nil
	}
	return append(p.point(x), pair{"doubt", x.Grave()})
}

// point is an estimate in short.
func (p Planned) point(x *estimate.Estimate) object {
	var finish any
	if f, ok := x.Finish(); ok && p.Answer.Runs {
		finish = f
	}
	return object{
		{"finish_hours", finish},
		{"hours", x.Hours},
		{"cost", x.Cost},
		{"monthly", x.Monthly},
		{"currency", x.Currency},
		{"provider", x.Provider},
		{"provider_name", x.ProviderName},
		{"instance", x.Instance},
		{"region", x.Region},
		{"gpu", x.GPU},
		{"gpu_name", x.GPUName},
		{"gpus", x.GPUs},
		{"instances", x.Instances},
		{"purchase", x.Purchase},
		{"term_months", x.TermMonths},
		{"price_per_gpu_hour", x.PerGPUHour},
		{"as_of", x.AsOf},
		{"source", x.Source},
		{"confidence", x.Confidence},
		{"notes", codes(x)},
	}
}

func codes(x *estimate.Estimate) []string {
	out := []string{}
	for _, w := range x.Warnings {
		out = append(out, w.Code)
	}
	return out
}

var planHeader = strings.Split("point,plan,finish_hours,hours_low,hours_mid,hours_high,cost_low,cost_mid,cost_high,monthly_mid,currency,provider,instance,region,gpu,gpus,instances,"+
	"purchase,term_months,price_per_gpu_hour,as_of,source,confidence,notes", ",")

func (p Planned) records(points []*estimate.Estimate) Records {
	r := Records{Header: planHeader}
	for i, x := range points {
		finish := Unknown()
		if f, ok := x.Finish(); ok && p.Answer.Runs {
			finish = Float(f)
		}
		r.Rows = append(r.Rows, []Cell{
			Num(fmt.Sprint(i + 1)), Text(fmt.Sprint(x == p.Plan.Chosen)), finish, middle(x.Hours, lowOf), middle(x.Hours, midOf), middle(x.Hours, highOf),
			Exact(x.Cost.Low), Exact(x.Cost.Mid), Exact(x.Cost.High), Exact(x.Monthly.Mid), Text(string(x.Currency)), Text(x.Provider), Text(x.Instance), Text(x.Region),
			Text(x.GPU), Num(fmt.Sprint(x.GPUs)), Num(fmt.Sprint(x.Instances)), Text(string(x.Purchase)), integer(x.TermMonths), Exact(x.PerGPUHour), Text(x.AsOf), Text(x.Source), Text(x.Confidence),
			Text(strings.Join(codes(x), " ")),
		})
	}
	return r
}

// planWarnings are the doubts about the plan.
func (p Planned) planWarnings() []Warning {
	out := []Warning{}
	if x := p.Plan.Chosen; x != nil {
		for _, w := range x.Warnings {
			out = append(out, Warning{w.Code, p.doubt(w)})
		}
	}
	return append(out, p.warnings(0)...)
}

// explainPlan shows how the figures of the plan came about.
func (p Planned) explainPlan() Explain {
	x := *p.Plan.Chosen
	x.Rank = 1
	a := *p.Answer
	a.Effects = p.Plan.Effects
	p.Answer = &a
	return p.explain([]estimate.Estimate{x})
}
