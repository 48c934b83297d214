package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

const (
	sharper    = 0.7 // the deadline of a step of the search over that of the step before
	mostSteps  = 14
	stepFaster = 0.95 // a point of the frontier takes at most this share of the time of the one before
	dearest    = 20   // times the cost of the cheapest: what speed beyond that costs is no plan
	mostPool   = 3    // sellers to ask, before the one on demand
)

// search adds what more machines would do, looking at ever shorter deadlines,
// and fills the frontier. All that is found is returned.
func (s *planner) search(all []*Estimate) ([]*Estimate, error) {
	if s.Scenario.Deadline.V > 0 { // what is cheap and too slow belongs to the frontier
		a, err := Run(s.at(0))
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, pointers(a.Estimates))
	}
	some := candidates(all)
	limit := 0.0
	for _, e := range some {
		if f, ok := e.Finish(); ok {
			limit = max(limit, f)
		}
	}
	if d := s.Scenario.Deadline.V; d > 0 {
		limit = min(limit, d)
	}
	for i := 0; i < mostSteps && len(some) > 0; i++ { // what is too slow for one deadline is so for the next
		limit *= sharper
		faster, err := s.evaluate(some, s.at(limit))
		if err != nil {
			return nil, err
		}
		all, some = append(all, faster...), faster
	}
	s.plan.Frontier = frontier(all)
	return all, nil
}

// at is the request with another deadline.
func (s *planner) at(hours float64) *Request {
	r := *s.Request
	r.Scenario, r.Explain = s.Scenario.clone(), false
	r.Scenario.Deadline.V = hours
	return &r
}

// evaluate makes the estimates of the quotes of others for another request.
// Those that cannot do the work are left out.
func (s *planner) evaluate(some []*Estimate, r *Request) ([]*Estimate, error) {
	v, err := newEvaluator(r)
	if err != nil {
		return nil, err
	}
	var out []*Estimate
	for _, e := range some {
		if e.own != nil {
			v.own[e.quote.Offer()] = e.own
		}
		if x, ok, err := v.evaluate(e.quote); err == nil && ok {
			v.adviseFabric(x)
			v.adviseBorder(x)
			s.real(x)
			out = append(out, x)
		}
	}
	return out, nil
}

// real puts the deadline of the scenario in the place of the one of a step of
// the search.
func (s *planner) real(e *Estimate) {
	d := s.Scenario.Deadline.V
	e.mayBeLate(d)
	for i, a := range e.Assumptions {
		if a.Name == "deadline" { // shared with all offers of the hardware
			e.Assumptions = slices.Clone(e.Assumptions)
			e.Assumptions[i].Value = plainNumber(d)
			return
		}
	}
}

// candidates are the offers worth more machines: the cheapest of each GPU, size
// of machine and way of buying, in doubt and without, as far as one of them is
// no too dear a plan already.
func candidates(all []*Estimate) []*Estimate {
	type key struct {
		gpu, per string
		purchase catalog.Purchase
		doubt    bool
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, compareEstimates)
	seen := map[key]bool{}
	var sound *Estimate
	var out []*Estimate
	for _, e := range sorted {
		k := key{e.GPU, e.PerInstance, e.Purchase, e.Grave() != ""}
		if e.place == nil || e.Purchase == catalog.Token || seen[k] || e.Hours == nil {
			continue
		}
		if !k.doubt && sound == nil {
			sound = e
		}
		if sound != nil && tooDear(e, sound) {
			break
		}
		seen[k] = true
		out = append(out, e)
	}
	return out
}

// Finish is the hours from the order to the end of a run in the middle case,
// with the start-up; false where time is not known.
func (e *Estimate) Finish() (float64, bool) {
	if e.Hours == nil {
		return 0, false
	}
	return e.Hours.Mid + e.start, true
}

// slowest is as [Estimate.Finish] in the slow case.
func (e *Estimate) slowest() float64 {
	if e.Hours == nil {
		return math.Inf(1)
	}
	return e.Hours.High + e.start
}

// frontier keeps those that nothing beats in both cost and time, from the
// cheapest on. What is in grave doubt counts only where there is nothing else.
func frontier(all []*Estimate) []*Estimate {
	timed := slices.DeleteFunc(slices.Clone(all), func(e *Estimate) bool { return e.Hours == nil })
	sound := slices.DeleteFunc(slices.Clone(timed), func(e *Estimate) bool { return e.Grave() != "" })
	if len(sound) == 0 {
		sound = timed
	}
	slices.SortStableFunc(sound, func(a, b *Estimate) int {
		fa, _ := a.Finish()
		fb, _ := b.Finish()
		return cmp.Or(a.Monthly.Mid.Cmp(b.Monthly.Mid), cmp.Compare(fa, fb), compareEstimates(a, b))
	})
	var out []*Estimate
	last := math.Inf(1)
	for _, e := range sound {
		if f, _ := e.Finish(); f <= stepFaster*last && (len(out) == 0 || !tooDear(e, out[0])) {
			out, last = append(out, e), f
		}
	}
	return out
}

// tooDear reports an estimate that costs far more than the cheapest.
func tooDear(e, cheapest *Estimate) bool { return dearerThan(e.Monthly.Mid, cheapest.Monthly.Mid) }

func dearerThan(a, cheapest money.Amount) bool {
	limit, err := cheapest.MulFrac(dearest, 1)
	return err == nil && limit.Sign() > 0 && a.Cmp(limit) > 0
}

func pointers(es []Estimate) []*Estimate {
	out := make([]*Estimate, len(es))
	for i := range es {
		out[i] = &es[i]
	}
	return out
}

// pool fills in who else sells the chosen hardware: on spot from the cheapest
// on, and last the cheapest on demand.
func (s *planner) pool(all []*Estimate) error {
	c := s.plan.Chosen
	s.plan.Pool = []*Estimate{c}
	if c.Purchase != catalog.Spot && c.Purchase != catalog.OnDemand || c.own != nil || !s.plan.Answer.Runs {
		return nil
	}
	same := slices.DeleteFunc(slices.Clone(all), func(e *Estimate) bool {
		return e.GPU != c.GPU || e.PerInstance != c.PerInstance || e.Purchase != catalog.Spot && e.Purchase != catalog.OnDemand || e.Grave() != ""
	})
	r := s.at(s.Scenario.Deadline.V)
	h := Hardware{}
	if r.Scenario.Hardware != nil {
		h = *r.Scenario.Hardware
	}
	h.GPUs = int(c.GPUs)
	r.Scenario.Hardware = &h
	same, err := s.evaluate(same, r)
	if err != nil {
		return err
	}
	slices.SortStableFunc(same, compareEstimates)
	for _, e := range same {
		if e.Purchase == c.Purchase && len(s.plan.Pool) < mostPool {
			s.join(e)
		}
	}
	if c.Purchase == catalog.OnDemand {
		return nil
	}
	for _, e := range same {
		if e.Purchase == catalog.OnDemand {
			s.plan.Pool = append(s.plan.Pool, e)
			if left := s.Scenario.Deadline.V - e.Hours.Mid - e.start; left > c.start { // else there is no time to try spot
				s.plan.OnDemandFrom = left
			}
			break
		}
	}
	return nil
}

// join adds a seller that is not yet in the pool.
func (s *planner) join(e *Estimate) {
	if !slices.ContainsFunc(s.plan.Pool, func(o *Estimate) bool { return o.Provider == e.Provider }) {
		s.plan.Pool = append(s.plan.Pool, e)
	}
}
