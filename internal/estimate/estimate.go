package estimate

import (
	"errors"
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

// Request is what an answer is asked for.
type Request struct {
	Scenario  *Scenario
	Catalog   *catalog.Catalog
	Query     pricing.Query // who sells, day and source, currency, length of the month
	Estimator *Estimator
	Explain   bool // fill the factors and the sensitivities of the best
}

// Answer is what a workload costs, where, and where it cannot be done.
type Answer struct {
	Scenario   *Scenario
	Unit       string // what the work produces
	Runs       bool   // costs are of runs, and a month has some of them
	Estimates  []Estimate
	Infeasible []Infeasible
	LeftOut    []pricing.LeftOut
	Rates      []catalog.FXRate
	Warnings   []Warning // about the whole answer
	Effects    []Effect  // of the best, with Explain
	Flips      []Flip    // what would make another row the best
	Currency   money.Currency
	Month      money.Quantity // hours
}

// Estimate is one way to have the work done. Amounts that are not known are
// null.
type Estimate struct {
	Rank          int              `json:"rank"`
	Provider      string           `json:"provider"`
	Instance      string           `json:"instance"`
	Region        string           `json:"region"`
	GPU           string           `json:"gpu"`
	GPUs          int64            `json:"gpus"` // in use
	Instances     int64            `json:"instances"`
	Purchase      catalog.Purchase `json:"purchase"`
	TermMonths    *int             `json:"term_months"`
	Currency      money.Currency   `json:"currency"`
	Feasible      bool             `json:"feasible"`
	Memory        MemoryUse        `json:"memory"`
	Throughput    Throughput       `json:"throughput"`
	Hours         *Triple          `json:"hours"` // wall clock of a run; of the month of a service
	GPUHours      *Triple          `json:"gpu_hours"`
	Billed        *Triple          `json:"billed_gpu_hours"`
	Cost          money.Range      `json:"cost"`
	Monthly       money.Range      `json:"monthly"`
	PerMTok       money.Range      `json:"per_mtok"`
	Lines         []Line           `json:"lines"`
	Assumptions   []Assumed        `json:"assumptions"`
	Warnings      []Warning        `json:"warnings"`
	ProviderName  string           `json:"provider_name"`
	Market        string           `json:"market"`
	GPUName       string           `json:"gpu_name"`
	Tier          string           `json:"tier"`
	Host          string           `json:"host"`
	Plan          string           `json:"plan"`
	PerInstance   string           `json:"gpus_per_instance"`
	PerGPUHour    money.Amount     `json:"price_per_gpu_hour"`
	PerInstHour   money.Amount     `json:"price_per_instance_hour"`
	AsOf          string           `json:"as_of"`
	AgeDays       *int             `json:"age_days"`
	Source        string           `json:"source"`
	Confidence    string           `json:"confidence"`
	PerUseful     money.Range      `json:"cost_per_useful_gpu_hour"`
	PerRequest    money.Range      `json:"per_request"`
	PerThousand   money.Range      `json:"per_1k_units"` // images or requests, where the work is not tokens
	Unit          string           `json:"unit"`         // what the work produces
	UnitsPerMonth *float64         `json:"units_per_month"`
	Replicas      *int64           `json:"replicas"`
	Busy          *float64         `json:"busy"` // share of the capacity in use on average
	After12       *Later           `json:"after_12_months"`
	Class         string           `json:"class"` // how much was measured near it: seen, pair, half, family, stated
	WidestDoubt   string           `json:"widest_doubt"`

	quote   *pricing.Quote
	place   *placement
	factors []Factor
	missing []string // bytes whose price is not known
	spot    *Interrupted
}

// Triple is a low, middle and high physical number.
type Triple struct {
	Low  float64 `json:"low"`
	Mid  float64 `json:"mid"`
	High float64 `json:"high"`
}

// MemoryUse is what fills a GPU, GB; null where nothing was estimated.
type MemoryUse struct {
	NeededGB    *float64           `json:"needed_gb_per_gpu"`
	AvailableGB *float64           `json:"available_gb"`
	Parts       map[string]float64 `json:"parts"`
}

// Throughput is what a GPU produces; null where time is known without it.
type Throughput struct {
	PerGPU       *Triple  `json:"tokens_per_second_per_gpu"`
	Basis        string   `json:"basis"`
	Unit         string   `json:"unit"`
	SingleStream *float64 `json:"single_stream_tokens_per_second"` // of one request alone on a replica; not what is priced
	TTFTms       *Triple  `json:"ttft_ms"`
	TPOTms       *Triple  `json:"tpot_ms"`
	MFU          *float64 `json:"mfu"`
	Nearest      []string `json:"nearest_measured"`
}

// Later is a service in twelve months, at today's prices.
type Later struct {
	Demand    float64      `json:"demand_factor"`
	Instances int64        `json:"instances"`
	Monthly   money.Amount `json:"monthly"`
}

// Quote is the price that the estimate rests on.
func (e *Estimate) Quote() *pricing.Quote { return e.quote }

// Factors is the product behind the throughput, for --explain.
func (e *Estimate) Factors() []Factor { return e.factors }

// Has reports whether the estimate carries the warning.
func (e *Estimate) Has(code string) bool {
	for _, w := range e.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func (e *Estimate) warn(code string, args ...any) {
	e.Warnings = append(e.Warnings, NewWarning(code, args...))
}

// evaluator carries one Run.
type evaluator struct {
	*Request
	job       *job
	gpus      map[string]*catalog.GPU
	providers map[string]*catalog.Provider
	own       map[*catalog.Offer]*OwnOffer
	placed    map[placeKey]*placement
	refused   map[string]*Infeasible
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

// Run answers what the scenario costs at every offer that the query matches,
// ranked by what a month costs. Errors are faults of the scenario.
func Run(r *Request) (*Answer, error) {
	v, err := newEvaluator(r)
	if err != nil {
		return nil, err
	}
	a := &Answer{Scenario: r.Scenario, Unit: v.job.unit, Runs: r.Scenario.Kind != KindServe, Currency: v.exchange().To, Month: r.Query.HoursPerMonth, Warnings: v.job.warnings}
	quotes, left, err := v.quotes()
	if err != nil {
		return nil, err
	}
	a.LeftOut = left
	found := make([]*Estimate, 0, len(quotes))
	for i := range quotes {
		e, ok, err := v.evaluate(&quotes[i])
		switch {
		case err != nil:
			a.LeftOut = append(a.LeftOut, leftOut(&quotes[i], WarnRange, err.Error()))
		case ok:
			found = append(found, e)
		}
	}
	v.leaveUnpriced(quotes, a)
	if found, err = v.tokenEstimates(a, found); err != nil {
		return nil, err
	}
	a.Estimates = rank(found)
	v.advise(a)
	a.Infeasible = v.infeasible()
	a.Rates = v.rates()
	if len(a.Estimates) > 0 {
		best := &a.Estimates[0]
		best.WidestDoubt = v.widest(best)
		if r.Explain {
			a.Effects = v.sensitivity(best)
			if best.place.explain != nil {
				best.factors = best.place.explain()
			}
		}
	}
	return a, nil
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
		placed: map[placeKey]*placement{}, refused: map[string]*Infeasible{}, used: map[money.Currency]bool{},
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
	r := pricing.Compare(v.offered(q.Purchases), q)
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
	return v.cost(q, t, p)
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
	p := v.placed[k]
	if p == nil {
		p = v.job.place(v.Estimator, m)
		v.placed[k] = p
	}
	if assumed && p.bad == nil && p.rate != nil {
		c := *p
		c.warnings = append(c.warnings[:len(c.warnings):len(c.warnings)], NewWarning(WarnVariant, m.gpu.Name))
		return &c
	}
	return p
}

// refuse counts hardware that cannot do the work, each once.
func (v *evaluator) refuse(x *Infeasible) {
	k := fmt.Sprintf("%s %d %s", x.GPU, x.GPUs, x.Code)
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
