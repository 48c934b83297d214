package estimate

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

// standing is the machines that the job runs on, as they are sold today or,
// where they are not, as the plan had them.
type standing struct {
	quote    pricing.Quote
	own      *OwnOffer
	hardware *Hardware
	offer    *OwnOffer       // of the scenario, where the price is that of the plan
	hour     [3]money.Amount // of all machines; with terms
	terms    *Terms          // nil: their price is not known
}

// here finds the machines that the job runs on, their price, and how much of
// the work is left.
func (w *switcher) here() error {
	c := w.Current
	s := w.Scenario.rest(1)
	s.Hardware = &Hardware{GPU: c.GPU, GPUs: int(c.GPUs)}
	w.at.hardware = s.Hardware
	r := w.asking(s)
	v, err := newEvaluator(r)
	if err != nil {
		return err
	}
	quotes, _, err := v.quotes()
	if err != nil {
		return fmt.Errorf("plan.gpu: %w", err)
	}
	w.Price = PriceToday
	if q := w.match(quotes); q != nil {
		w.at.quote, w.at.own = *q, v.own[q.Offer()]
	} else if v, err = w.asPlanned(r); err != nil {
		return err
	}
	if c.Committed() {
		w.Price = PriceCommitted
		w.at.quote.Purchase = catalog.OnDemand // its hours are not billed by what is used
	}
	e, err := w.evaluateHere(v)
	if err != nil {
		return err
	}
	if e != nil {
		w.WholeH = e.Hours.Mid
		w.know(e)
	}
	return w.share()
}

// asking is the request narrowed to who sells the current machines.
func (w *switcher) asking(s *Scenario) *Request {
	r := *w.Request
	r.Scenario = s
	r.Query.Providers, r.Query.Market, r.Query.Regions = []string{w.Current.Provider}, "", nil
	r.Query.Purchases = []catalog.Purchase{w.Current.Purchase}
	return &r
}

// match is the quote of the current machines with a price of today; nil when
// there is none.
func (w *switcher) match(quotes []pricing.Quote) *pricing.Quote {
	c := w.Current
	var best *pricing.Quote
	for i := range quotes {
		q := &quotes[i]
		switch {
		case q.Provider != c.Provider || q.GPU != c.GPU || q.Instance != c.Instance || q.Region != c.Region || q.Purchase != c.Purchase, !sameTerm(q.TermMonths, c.TermMonths),
			c.PerInstance != "" && q.GPUCount != c.PerInstance, q.Tier != c.Tier || q.Host != c.Host || q.Plan != c.Plan,
			!q.PerGPUHour.Known() && !q.PerInstanceHour.Known():
			continue
		case best == nil || q.Source == c.Source && best.Source != c.Source:
			best = q
		}
	}
	return best
}

func sameTerm(a, b *int) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// asPlanned takes the machines and the price of the plan where today's are not
// known. A price that the plan does not state is 0 here: only its hours count.
func (w *switcher) asPlanned(r *Request) (*evaluator, error) {
	c := w.Current
	w.Price = PriceNoOffer
	o := &OwnOffer{
		Name: c.Instance, Provider: c.Provider, Region: c.Region, GPU: c.GPU, Purchase: string(catalog.OnDemand), Amount: "0", Per: unit.PerGPUHour, Currency: "USD", Source: c.Source,
	}
	for i := range w.Catalog.Offers {
		if x := &w.Catalog.Offers[i]; x.Provider == c.Provider && x.GPU == c.GPU && x.Instance == c.Instance && x.Region == c.Region {
			w.Price, o.Interconnect = PriceOld, x.Interconnect
			break
		}
	}
	if n, err := unit.ParseCount(c.PerInstance); err == nil {
		o.GPUs = n
	} else {
		o.GPUs = unit.Whole((c.GPUs + c.Instances - 1) / c.Instances)
	}
	if d, err := catalog.ParseDate(c.AsOf); err == nil {
		o.AsOf = d
	}
	if c.PerGPUHour.Known() {
		o.Amount, o.Currency = catalog.Decimal(c.PerGPUHour.String()), c.PerGPUHour.Currency()
	}
	r.Scenario.Offer, r.Scenario.Offers = o, nil
	v, err := newEvaluator(r)
	if err != nil {
		return nil, err
	}
	quotes, _, err := v.quotes()
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	if len(quotes) == 0 {
		return nil, fmt.Errorf("plan.price_per_gpu_hour: no exchange rate of %s", o.Currency)
	}
	w.at.quote, w.at.own, w.at.offer = quotes[0], v.own[quotes[0].Offer()], o
	return v, nil
}

// evaluateHere is the work of an evaluator on the current machines; nil where
// the engine finds that they cannot do it.
func (w *switcher) evaluateHere(v *evaluator) (*Estimate, error) {
	if w.at.own != nil {
		v.own[w.at.quote.Offer()] = w.at.own
	}
	e, ok, err := v.evaluate(&w.at.quote)
	if err != nil || !ok || e.Hours == nil {
		return nil, err
	}
	return e, nil
}

// share turns hours that are left into the share of the work.
func (w *switcher) share() error {
	if w.Remaining <= 0 {
		return nil
	}
	if w.WholeH <= 0 {
		return &RefusedError{Reason: "how long the work takes on the current machines is not known: state the share that is done"}
	}
	w.Left = w.Remaining / w.WholeH
	return nil
}

// stay works out what the rest costs on the current machines: nothing starts,
// and nothing more is paid for what is committed.
func (w *switcher) stay() error {
	r := w.asking(w.Rest.clone())
	r.Scenario.Hardware, r.Scenario.Deadline.V = w.at.hardware, 0
	if w.at.offer != nil {
		r.Scenario.Offer, r.Scenario.Offers = w.at.offer, nil
	}
	v, err := newEvaluator(r)
	if err != nil {
		return err
	}
	e, err := w.evaluateHere(v)
	if err != nil || e == nil {
		return err
	}
	w.LeftH = e.Hours.Mid
	if w.Price == PriceToday || w.Price == PriceCommitted || w.Current.PerGPUHour.Known() {
		if w.at.hour, w.at.terms, err = v.perHour(e); err != nil {
			return err
		}
	}
	if !w.priced() {
		return nil
	}
	way, err := w.way(e, w.Price == PriceCommitted)
	if err != nil {
		return err
	}
	way.Purchase, way.TermMonths, way.Same = w.Current.Purchase, w.Current.TermMonths, true
	way.start, way.Cost = 0, way.rest
	way.Lines = slices.DeleteFunc(slices.Clone(e.Lines), func(l Line) bool {
		return l.Component == CompStart || w.Price == PriceCommitted && compute(l.Component)
	})
	way.mayBeLate(w.DeadlineH)
	w.Stay = way
	return nil
}

// priced reports that it is known what staying costs: today's price, a price
// that does not matter, or the one that was agreed. The price of spot is never
// that of another day.
func (w *switcher) priced() bool {
	old := w.Price == PriceOld || w.Price == PriceNoOffer
	return !old || w.Current.PerGPUHour.Known() && w.Current.Purchase != catalog.Spot
}

// way splits the cost of an estimate: the start, what does not depend on how
// much is left, what its price scales and how far that price is known.
func (w *switcher) way(e *Estimate, free bool) (*Way, error) {
	x := *e
	x.Rank, x.Monthly, x.PerMTok, x.PerUseful, x.PerRequest, x.PerThousand = 0, money.Range{}, money.Range{}, money.Range{}, money.Range{}, money.Range{}
	x.UnitsPerMonth, x.After12, x.Warnings = nil, nil, slices.Clone(e.Warnings)
	way := &Way{Estimate: &x, rest: e.Cost, fixed: money.Zero(x.Currency), atRate: money.Zero(x.Currency), doubt: money.Zero(x.Currency)}
	var err error
	for _, l := range e.Lines {
		switch {
		case l.Component == CompStart || free && compute(l.Component):
			way.rest, err = way.rest.Sub(l.Cost)
		case compute(l.Component):
			way.atRate, err = way.atRate.Add(l.Cost.Mid)
		case l.Component == CompEgress || l.Component == CompTransfer:
			way.fixed, err = way.fixed.Add(l.Cost.Mid)
		}
		if err != nil {
			return nil, err
		}
	}
	q := e.quote
	if spread := spreadOf(q); spread.Sign() > 0 && q.PerGPUHour.Sign() > 0 && q.PerGPUHour.Nano() < math.MaxInt64/2 {
		if way.doubt, err = way.atRate.MulFrac(spread.Nano(), 2*q.PerGPUHour.Nano()); err != nil {
			return nil, err
		}
	}
	return way, nil
}

// spreadOf is how far a price is known, per GPU-hour: its range, or how far
// sources of the same weeks are apart.
func spreadOf(q *pricing.Quote) money.Amount {
	spread, _ := q.PerGPUHourHigh.Sub(q.PerGPUHourLow)
	for _, w := range q.Warnings {
		if w.Code != pricing.WarnConflict || len(w.Message.Args) != 2 {
			continue
		}
		low, _ := w.Message.Args[0].(money.Amount)
		high, _ := w.Message.Args[1].(money.Amount)
		if apart, err := high.Sub(low); err == nil && apart.Currency() == q.PerGPUHour.Currency() && (!spread.Known() || apart.Cmp(spread) > 0) {
			spread = apart
		}
	}
	return spread
}

// compute reports the lines of GPUs held.
func compute(component string) bool {
	switch component {
	case CompGPU, CompIdleGPUs, CompIdle, CompRounding, CompInterrupted, CompMarket, CompStart:
		return true
	}
	return false
}

// perHour is what all machines of an estimate cost an hour: low, middle, high.
func (v *evaluator) perHour(e *Estimate) (hour [3]money.Amount, t *Terms, err error) {
	if t, err = v.terms(e.quote, v.own[e.quote.Offer()]); err != nil {
		return hour, nil, err
	}
	for i, l := range e.place.loads {
		if hour[i], err = hourly(t, i, &Use{Machines: l.machines, Paid: l.machines * max(e.place.per, 1)}); err != nil {
			return hour, nil, err
		}
	}
	return hour, t, nil
}
