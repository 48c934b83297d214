package estimate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

// evaluator carries one Run.
type evaluator struct {
	*Request
	job       *job
	gpus      map[string]*catalog.GPU
	providers map[string]*catalog.Provider
	own       map[*catalog.Offer]*OwnOffer
	placed    map[placeKey]*placement
	tight     [len(slack)]*evaluator // with less time for the work; nil until needed
	refused   map[refusedKey]*Infeasible
	stored    map[storedKey]*pricedBytes // by seller; nil: the price is not known
	used      map[money.Currency]bool
	tokens    map[*pricing.Quote]*catalog.TokenPrice
}

// placeKey is what physics depends on of an offer.
type placeKey struct {
	gpu    string
	per    int64
	net    Network
	stated bool
	perSec float64
}

// refusedKey tells hardware that cannot do the work apart.
type refusedKey struct {
	gpu  string
	gpus int64
	code string
}

func newEvaluator(r *Request) (*evaluator, error) {
	if r.Query.HoursPerMonth <= 0 {
		return nil, errors.New("the length of a month must be above 0")
	}
	j, err := newJob(r.Scenario, r.Catalog, r.Query.HoursPerMonth)
	if err != nil {
		return nil, err
	}
	v := &evaluator{
		Request: r, job: j, gpus: map[string]*catalog.GPU{}, providers: map[string]*catalog.Provider{}, own: map[*catalog.Offer]*OwnOffer{},
		placed: map[placeKey]*placement{}, refused: map[refusedKey]*Infeasible{}, stored: map[storedKey]*pricedBytes{}, used: map[money.Currency]bool{},
		tokens: map[*pricing.Quote]*catalog.TokenPrice{},
	}
	for i := range r.Catalog.GPUs {
		v.gpus[r.Catalog.GPUs[i].ID] = &r.Catalog.GPUs[i]
	}
	for i := range r.Catalog.Providers {
		v.providers[r.Catalog.Providers[i].ID] = &r.Catalog.Providers[i]
	}
	return v, nil
}

func (v *evaluator) exchange() *pricing.Exchange { return v.Query.Exchange }

func (v *evaluator) convert(a money.Amount) (money.Amount, bool) {
	if a.Known() {
		v.used[a.Currency()] = true
	}
	return v.exchange().Convert(a)
}

func leftOut(q *pricing.Quote, code, reason string) pricing.LeftOut {
	return pricing.LeftOut{Provider: q.Provider, Instance: q.Instance, Reason: reason, GPU: q.GPU, Code: code}
}

// leaveUnpriced records offers whose price is not known.
func (v *evaluator) leaveUnpriced(quotes []pricing.Quote, a *Answer) {
	for i := range quotes {
		if q := &quotes[i]; !q.PerGPUHour.Known() && !q.PerInstanceHour.Known() && v.own[q.Offer()] == nil {
			a.LeftOut = append(a.LeftOut, leftOut(q, WarnPriceUnknown, "price not known"))
		}
	}
}

// quotes are the offers to estimate: the scenario's own, or the catalog's.
func (v *evaluator) quotes() ([]pricing.Quote, []pricing.LeftOut, error) {
	q := v.Query
	names := catalog.NewNames(v.Catalog.GPUs).WithOffers(v.Catalog.Offers)
	if h := v.Scenario.Hardware; h != nil && h.GPU != "" {
		set, err := names.ParseGPUs(h.GPU)
		if err != nil {
			return nil, nil, err
		}
		q.GPU = set.Match
	}
	if h := v.Scenario.Hardware; h != nil {
		q.MinMemoryGB = max(q.MinMemoryGB, h.MinMemoryGB.V)
	}
	own := v.Scenario.ownOffers()
	switch {
	case len(own) > 0 || v.Scenario.Rent != nil && len(v.Scenario.Rent.Segments) > 0 || v.onlyOther():
		c, err := v.ownCatalog(own, names)
		if err != nil {
			return nil, nil, err
		}
		q.Purchases, q.Providers, q.GPU, q.All, q.Selection.Source = catalog.Purchases(), nil, nil, true, ""
		r := pricing.Compare(c, q)
		return r.Quotes, r.LeftOut, nil
	case v.Scenario.Kind == KindRent && (v.Scenario.Hardware == nil || v.Scenario.Hardware.GPU == "" && v.Scenario.Hardware.MinMemoryGB.V == 0):
		return nil, nil, v.Scenario.problem("missing-key", "hardware", "state which GPU is rented", "such as hardware.gpu: h100")
	}
	c, extra := v.offered(q.Purchases)
	q.Extra = extra
	r := pricing.Compare(c, q)
	return r.Quotes, r.LeftOut, nil
}

// onlyOther reports a scenario that buys no compute at all.
func (v *evaluator) onlyOther() bool {
	return len(v.Scenario.Other) > 0 && v.job.hours == 0 && v.job.gpuHours == 0 && v.Scenario.Kind == KindRent
}

// evaluate makes the estimate of one offer; false when it has no price or
// cannot do the work.
func (v *evaluator) evaluate(q *pricing.Quote) (*Estimate, bool, error) {
	own := v.own[q.Offer()]
	if !q.PerGPUHour.Known() && !q.PerInstanceHour.Known() && own == nil {
		return nil, false, nil
	}
	if own != nil && (own.Amount != "" || own.Low != "") && !q.PerGPUHour.Known() && !q.PerInstanceHour.Known() {
		return nil, false, errors.New("the price is out of range, or its currency has no rate")
	}
	p := v.placeOn(q, own)
	if p.bad != nil {
		v.refuse(p.bad)
		return nil, false, nil
	}
	if x := v.hostMemory(q, p); x != nil {
		v.refuse(x)
		return nil, false, nil
	}
	t, err := v.terms(q, own)
	if err != nil {
		return nil, false, err
	}
	e, ok, err := v.cost(q, t, p)
	if late, is := errors.AsType[*RefusedError](err); is {
		return v.sooner(q, t, p, late)
	}
	return e, ok, err
}

// hostMemory refuses machines whose own memory cannot hold what is offloaded.
func (v *evaluator) hostMemory(q *pricing.Quote, p *placement) *Infeasible {
	if p.memory == nil || p.memory.HostGB == 0 || q.MemoryGiB == nil {
		return nil
	}
	needed, have := round2(p.memory.HostGB), round2(unit.GiBToGB(*q.MemoryGiB)*float64(p.loads[1].machines))
	if needed <= have {
		return nil
	}
	x := *p
	x.refuse("host_memory", fmt.Sprintf("host memory: %.0f GB needed for offloaded states, %.0f GB available", needed, have), &needed, &have, "GB")
	return x.bad
}

// placeOn puts the job on the offer's hardware. Offers of the same hardware
// share the answer.
func (v *evaluator) placeOn(q *pricing.Quote, own *OwnOffer) *placement {
	var m machine
	var assumed bool
	if g := v.gpus[q.GPU]; g != nil {
		m.gpu, assumed = sheet(g, q.Offer(), v.gpus)
	}
	if c := q.Count(); c.Known() && !c.Fraction() {
		m.per = c.Num
	} else if c.Fraction() && v.Scenario.Kind != KindRent {
		p := &placement{machine: m}
		p.refuse("specification", "part of a GPU: its share of the rates is not known", nil, nil, "")
		return p
	}
	m.net, m.stated = network(q.Interconnect, m.per)
	if own != nil {
		m.perSec = own.TokensPerS.V
	}
	k := placeKey{q.GPU, m.per, m.net, m.stated, m.perSec}
	if m.gpu != nil {
		k.gpu = m.gpu.ID
	}
	alone := placeKey{gpu: k.gpu, per: k.per, perSec: k.perSec} // where no network is used
	p := v.placed[alone]
	if p == nil {
		p = v.placed[k]
	}
	if p == nil {
		p = v.job.place(v.Estimator, m)
		v.placed[k] = p
		if p.bad == nil && (v.Scenario.Kind != KindTrain || p.loads[1].machines == 1) && m.per <= 8 {
			v.placed[alone] = p
		}
	}
	if assumed && p.bad == nil && p.rate != nil {
		c := *p
		c.warnings = append(slices.Clip(c.warnings), NewWarning(WarnVariant, m.gpu.Name))
		return &c
	}
	return p
}

// refuse counts hardware that cannot do the work, each once.
func (v *evaluator) refuse(x *Infeasible) {
	k := refusedKey{x.GPU, x.GPUs, x.Code}
	if have := v.refused[k]; have != nil {
		have.Offers++
		return
	}
	c := *x
	c.Offers = 1
	v.refused[k] = &c
}

// terms are the price and the billing of an offer.
func (v *evaluator) terms(q *pricing.Quote, own *OwnOffer) (*Terms, error) {
	t := &Terms{Quote: q, PerGPU: q.PerGPUHour, Month: v.Query.HoursPerMonth, Own: own, Token: v.tokens[q], convert: v.convert}
	var err error
	if q.Count().Known() {
		t.Hour.Mid = q.PerInstanceHour
		t.Hour.Low, t.Hour.High = t.Hour.Mid, t.Hour.Mid
		if q.PerGPUHourLow != q.PerGPUHourHigh {
			c := q.Count()
			if t.Hour.Low, err = q.PerGPUHourLow.MulFrac(c.Num, c.Den); err != nil {
				return nil, err
			}
			if t.Hour.High, err = q.PerGPUHourHigh.MulFrac(c.Num, c.Den); err != nil {
				return nil, err
			}
		}
	} else {
		t.Hour = money.Range{Low: q.PerGPUHourLow, Mid: q.PerGPUHour, High: q.PerGPUHourHigh}
	}
	if !t.Hour.Known() {
		t.Hour, t.PerGPU = money.Exactly(money.Zero(v.exchange().To)), money.Zero(v.exchange().To)
	}
	if q.Native != nil {
		v.used[q.Native.Currency] = true
	}
	if p := v.providers[q.Provider]; p != nil {
		t.Increment, t.Minimum = int64(p.Billing.IncrementS), int64(p.Billing.MinimumS)
	}
	if own != nil {
		if own.At.Has("increment_s") {
			t.Increment = int64(own.IncrementS)
		}
		if own.At.Has("minimum_s") {
			t.Minimum = int64(own.MinimumS)
		}
		if own.BlockHours.V > 0 {
			t.Increment = (millis(own.BlockHours.V) + 999) / 1000
		}
	}
	return t, nil
}
