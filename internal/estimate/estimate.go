package estimate

import (
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
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
	spot    *Interrupted
	own     *OwnOffer
	save    float64 // hours that a checkpoint blocks; 0: nothing is saved
	start   float64 // hours before work begins
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
