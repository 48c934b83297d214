package estimate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Limits are what a plan keeps to, besides the deadline of its scenario.
type Limits struct {
	Budget  money.Amount // of a run, and of all runs of a month; null: none
	Fastest bool         // the fastest that keeps to the limits, in the place of the cheapest
}

// Plan is how to have a workload done within limits.
type Plan struct {
	Limits
	Answer   *Answer     // every estimate that keeps the deadline
	Chosen   *Estimate   // nil: nothing keeps to the limits
	Doubtful *Estimate   // better than the chosen one, but in grave doubt; else nil
	Safe     *Estimate   // in time in the slow case as well, where the chosen one is not; else nil
	Frontier []*Estimate // of runs: from the cheapest on, each faster and dearer than the one before
	Pool     []*Estimate // sellers of the chosen hardware in the order in which to ask; the first is the chosen one
	Effects  []Effect    // of the chosen one, with Explain

	// OnDemandFrom is the hour by which a run on spot must move to the last of
	// the pool, on demand, if nothing of it is done by then; 0 where that is not
	// needed or there is none.
	OnDemandFrom float64

	near *Estimate
}

// grave are the doubts that keep an estimate from being the answer without a
// word, in the order of their weight.
var grave = []string{
	pricing.WarnLeft, pricing.WarnIndex, pricing.WarnGPUOnly, pricing.WarnUnavailable, pricing.WarnUndated, pricing.WarnStale, pricing.WarnLow, pricing.WarnSize,
	WarnUnmeasured, WarnHost,
}

// Grave is the code of the gravest doubt about the estimate; "" when there is
// none that would keep one from planning on it.
func (e *Estimate) Grave() string {
	for _, code := range grave {
		if e.Has(code) {
			return code
		}
	}
	return ""
}

// MakePlan finds the cheapest way to have the work of the request done within
// the limits and the deadline of its scenario, and what more speed would cost.
// Errors are those of [Run].
func MakePlan(r *Request, l Limits) (*Plan, error) {
	s, all, err := find(r, l)
	if err != nil {
		return nil, err
	}
	p := s.plan
	s.choose(slices.DeleteFunc(slices.Clone(all), func(e *Estimate) bool { return !s.keeps(e) }))
	if p.Chosen == nil {
		p.near = s.nearest(all)
		return p, nil
	}
	if err := s.pool(all); err != nil {
		return nil, err
	}
	return p, s.examine(p.Chosen)
}

// find is every way to have the work done that is worth a look, and the plan
// to be filled in, with its frontier.
func find(r *Request, l Limits) (*planner, []*Estimate, error) {
	quick := *r
	quick.Explain = false
	a, err := Run(&quick)
	if err != nil {
		return nil, nil, err
	}
	s := &planner{Request: r, plan: &Plan{Limits: l, Answer: a}}
	all := pointers(a.Estimates)
	if a.Runs && r.Scenario.Kind != KindRent {
		all, err = s.search(all)
	}
	return s, all, err
}

// choose picks from what keeps to the limits: the best without grave doubt, or
// else the best.
func (s *planner) choose(kept []*Estimate) {
	p := s.plan
	slices.SortStableFunc(kept, p.better())
	sound := slices.DeleteFunc(slices.Clone(kept), func(e *Estimate) bool { return e.Grave() != "" && !s.ownPrice() })
	switch {
	case len(kept) == 0:
		return
	case len(sound) == 0:
		p.Chosen, sound = kept[0], kept
	default:
		p.Chosen = sound[0]
	}
	if kept[0] != p.Chosen {
		p.Doubtful = kept[0]
	}
	if d := s.Scenario.Deadline.V; d > 0 && p.Answer.Runs && p.Chosen.slowest() > d {
		if i := slices.IndexFunc(sound, func(e *Estimate) bool { return e.slowest() <= d }); i >= 0 {
			p.Safe = sound[i]
		}
	}
}

// examine fills in what is said about the chosen estimate alone.
func (s *planner) examine(e *Estimate) error {
	v, err := newEvaluator(s.Request)
	if err != nil {
		return err
	}
	if e.own != nil {
		v.own[e.quote.Offer()] = e.own
	}
	e.WidestDoubt = v.widest(e)
	if !s.Explain || e.place == nil {
		return nil
	}
	s.plan.Effects = v.sensitivity(e)
	if e.place.explain != nil {
		e.factors = e.place.explain()
	}
	return nil
}

// better orders estimates by what the plan is made for.
func (l Limits) better() func(a, b *Estimate) int {
	if l.Fastest {
		return func(a, b *Estimate) int {
			fa, oka := a.Finish()
			fb, okb := b.Finish()
			switch {
			case oka && !okb: // what takes an unknown time comes last
				return -1
			case okb && !oka:
				return 1
			}
			return cmp.Or(cmp.Compare(fa, fb), compareEstimates(a, b))
		}
	}
	return compareEstimates
}

// InTime reports whether an estimate keeps the deadline of the scenario. Work
// without runs has none.
func (p *Plan) InTime(e *Estimate) bool {
	d := p.Answer.Scenario.Deadline.V
	f, ok := e.Finish()
	return d <= 0 || !p.Answer.Runs || ok && f <= d
}

// Nearest is the estimate that comes closest to the limits where nothing keeps
// to them: the cheapest that is in time, or else the fastest; nil where the
// work cannot be done at all.
func (p *Plan) Nearest() *Estimate { return p.near }

// planner carries one MakePlan.
type planner struct {
	*Request
	plan *Plan
}

// ownPrice reports a scenario whose prices are its own: nothing better is to be
// had, whatever the doubt.
func (s *planner) ownPrice() bool { return len(s.Scenario.ownOffers()) > 0 }

// keeps reports whether an estimate keeps to the limits.
func (s *planner) keeps(e *Estimate) bool {
	b := s.plan.Budget
	return s.plan.InTime(e) && (!b.Known() || e.Cost.Mid.Cmp(b) <= 0 && e.Monthly.Mid.Cmp(b) <= 0)
}

// nearest is the cheapest that is in time, or else the fastest.
func (s *planner) nearest(all []*Estimate) *Estimate {
	var near *Estimate
	quicker := Limits{Fastest: true}.better()
	for _, e := range all {
		switch in := s.plan.InTime(e); {
		case near == nil || in && !s.plan.InTime(near):
			near = e
		case in && compareEstimates(e, near) < 0, !in && !s.plan.InTime(near) && quicker(e, near) < 0:
			near = e
		}
	}
	return near
}

// Value is what the estimate assumes for the last part of a key, such as
// tensor_parallel; "" when it assumes nothing.
func (e *Estimate) Value(name string) string {
	for _, a := range e.Assumptions {
		if _, key, ok := strings.Cut(a.Name, "."); ok && key == name {
			return a.Value
		}
	}
	return ""
}
