package estimate

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// rank orders estimates by what a month costs, then a run, then by names: a
// total order.
func rank(es []*Estimate) []Estimate {
	for i, e := range es { // the order in which they came, as the last resort
		e.Rank = i
	}
	slices.SortFunc(es, func(a, b *Estimate) int {
		if c := compareEstimates(a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.Rank, b.Rank)
	})
	out := make([]Estimate, len(es))
	for i, e := range es {
		out[i] = *e
		out[i].Rank = i + 1
	}
	return out
}

func compareEstimates(a, b *Estimate) int {
	if c := a.Monthly.Mid.Cmp(b.Monthly.Mid); c != 0 { // nearly always
		return c
	}
	if c := cmp.Or(a.Cost.Mid.Cmp(b.Cost.Mid), a.Monthly.High.Cmp(b.Monthly.High), strings.Compare(a.Provider, b.Provider), strings.Compare(a.GPU, b.GPU)); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.GPUs, b.GPUs), strings.Compare(a.Instance, b.Instance),
		strings.Compare(a.Region, b.Region), strings.Compare(a.Tier, b.Tier), strings.Compare(a.Host, b.Host),
		cmp.Compare(slices.Index(catalog.Purchases(), a.Purchase), slices.Index(catalog.Purchases(), b.Purchase)),
		strings.Compare(a.Plan, b.Plan), strings.Compare(a.Source, b.Source),
	)
}

// infeasible lists hardware that cannot do the work: what is sold most first,
// so that the first few are those that people ask about.
func (v *evaluator) infeasible() []Infeasible {
	out := make([]Infeasible, 0, len(v.refused))
	for _, x := range v.refused {
		out = append(out, *x)
	}
	known := func(x *Infeasible) int { // what is merely not known comes last
		if x.Code == "specification" {
			return 1
		}
		return 0
	}
	slices.SortFunc(out, func(a, b Infeasible) int {
		return cmp.Or(cmp.Compare(known(&a), known(&b)), cmp.Compare(b.Offers, a.Offers), strings.Compare(a.GPU, b.GPU), cmp.Compare(a.GPUs, b.GPUs), strings.Compare(a.Code, b.Code))
	})
	v.remedies(out)
	return out
}

// explained is for how many refusals remedies are looked for: each costs a
// search.
const explained = 3

// remedies says what would make the run fit, for the first refusals.
func (v *evaluator) remedies(out []Infeasible) {
	if v.Scenario.Kind != KindTrain || v.job.train.Model == nil {
		return
	}
	done := 0
	for i := range out {
		x := &out[i]
		g := v.gpus[x.GPU]
		if x.Code != "memory" || g == nil || done >= explained {
			continue
		}
		c := v.job.train
		c.GPU, c.GPUs = g, int(x.GPUs)
		if r, ok := v.Estimator.PlanTrain(&c, int(x.GPUs)); !ok && r.Memory.Remedies != nil {
			x.Remedies = r.Memory.Remedies
		}
		done++
	}
}

// rates lists the exchange rates that were used.
func (v *evaluator) rates() []catalog.FXRate {
	out := []catalog.FXRate{}
	for cur := range v.used {
		if r, ok := v.exchange().Rate(cur); ok && cur != v.exchange().To {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b catalog.FXRate) int {
		return cmp.Or(strings.Compare(string(a.Base), string(b.Base)), strings.Compare(string(a.Quote), string(b.Quote)))
	})
	return out
}

// Effect is what 10 % more of an input does to what a month costs.
type Effect struct {
	Input   string  // key of the scenario, price or throughput
	Percent float64 // change of the monthly cost
}

// widest names what moves the cost of an estimate most between its low and its
// high case: price, throughput, or interruptions where they are not counted.
func (v *evaluator) widest(e *Estimate) string {
	if e.Has(WarnInterrupted) {
		return "interruptions"
	}
	price, time := v.spread(e, true), v.spread(e, false)
	switch {
	case price.Sign() == 0 && time.Sign() == 0:
		return ""
	case price.Cmp(time) > 0:
		return "price"
	}
	return "throughput"
}

// spread is high minus low of the monthly cost when only the price, or only
// the time, takes its extremes.
func (v *evaluator) spread(e *Estimate, price bool) money.Amount {
	zero := money.Zero(e.Currency)
	t, err := v.terms(e.quote, v.own[e.quote.Offer()])
	if err != nil {
		return zero
	}
	p := *e.place
	if price {
		p.loads = [3]held{p.loads[1], p.loads[1], p.loads[1]}
	} else {
		t.Hour = money.Exactly(t.Hour.Mid)
	}
	x, ok, err := v.cost(e.quote, t, &p)
	if err != nil || !ok {
		return zero
	}
	d, err := x.Monthly.High.Sub(x.Monthly.Low)
	if err != nil {
		return zero
	}
	return d
}

// sensitivity is what 10 % more of each stated number, of the price and of the
// throughput does to the monthly cost of an estimate, largest first.
func (v *evaluator) sensitivity(e *Estimate) []Effect {
	var out []Effect
	base := float64(e.Monthly.Mid.Nano())
	if base == 0 {
		return nil
	}
	note := func(name string, monthly money.Amount) {
		if pct := 100 * (float64(monthly.Nano()) - base) / base; math.Abs(pct) >= 0.005 {
			out = append(out, Effect{name, math.Round(pct*100) / 100})
		}
	}
	if m, ok := v.dearer(e); ok {
		note("price", m)
	}
	if m, ok := v.faster(e); ok {
		note("throughput", m)
	}
	for i, l := range v.Scenario.Leaves() {
		if l.number() == nil || *l.number() == 0 {
			continue
		}
		if m, ok := v.changed(e, i); ok {
			note(l.Key, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Percent), math.Abs(a.Percent)), strings.Compare(a.Input, b.Input))
	})
	return out
}

func (v *evaluator) dearer(e *Estimate) (money.Amount, bool) {
	t, err := v.terms(e.quote, v.own[e.quote.Offer()])
	if err != nil {
		return money.Amount{}, false
	}
	t.Hour, err = t.Hour.MulFrac(11, 10)
	if err != nil || len(v.Scenario.ownOffers()) > 0 && v.own[e.quote.Offer()].Per == "gpu_second" {
		return money.Amount{}, false
	}
	x, ok, err := v.cost(e.quote, t, e.place)
	return monthly(x, ok && err == nil)
}

// faster runs the work in a tenth less time; a service keeps its machines
// until a whole one is spared.
func (v *evaluator) faster(e *Estimate) (money.Amount, bool) {
	p := *e.place
	if p.rate == nil || v.Scenario.Kind == KindServe {
		return money.Amount{}, false
	}
	for i := range p.loads {
		p.loads[i].ms = int64(math.Ceil(float64(p.loads[i].ms) / 1.1))
	}
	t, err := v.terms(e.quote, v.own[e.quote.Offer()])
	if err != nil {
		return money.Amount{}, false
	}
	x, ok, err := v.cost(e.quote, t, &p)
	return monthly(x, ok && err == nil)
}

func monthly(x *Estimate, ok bool) (money.Amount, bool) {
	if !ok {
		return money.Amount{}, false
	}
	return x.Monthly.Mid, true
}

// changed is the monthly cost with one stated number 10 % larger.
func (v *evaluator) changed(e *Estimate, leaf int) (money.Amount, bool) {
	s := v.Scenario.clone()
	ls := s.Leaves()
	*ls[leaf].number() *= 1.1
	if _, share := reflect.TypeAssert[Share](ls[leaf].value); share && *ls[leaf].number() > 1 {
		*ls[leaf].number() = 1
	}
	r := *v.Request
	r.Scenario = s
	w, err := newEvaluator(&r)
	if err != nil {
		return money.Amount{}, false
	}
	if own := s.ownOffers(); len(own) > 0 {
		w.own[e.quote.Offer()] = own[v.indexOf(e)]
	}
	x, ok, err := w.evaluate(e.quote)
	return monthly(x, ok && err == nil)
}

func (v *evaluator) indexOf(e *Estimate) int {
	return max(slices.Index(v.Scenario.ownOffers(), v.own[e.quote.Offer()]), 0)
}
