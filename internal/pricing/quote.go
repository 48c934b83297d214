package pricing

import (
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Quote is a price made comparable: per GPU-hour, per instance-hour, and per
// hour and month for the stated need, in one currency. Amounts that are not
// known are null.
type Quote struct {
	Rank                int              `json:"rank"`
	Provider            string           `json:"provider"`
	ProviderName        string           `json:"provider_name"`
	Market              string           `json:"market"`
	Kind                string           `json:"kind"`
	Instance            string           `json:"instance"`
	Tier                string           `json:"tier"`
	Region              string           `json:"region"`
	GPU                 string           `json:"gpu"`
	GPUName             string           `json:"gpu_name"`
	GPUMemoryGB         *float64         `json:"gpu_memory_gb"`
	GPUs                *float64         `json:"gpus"` // GPUs per instance
	VCPUs               *float64         `json:"vcpus"`
	MemoryGiB           *float64         `json:"memory_gib"`
	Interconnect        string           `json:"interconnect"`
	Purchase            catalog.Purchase `json:"purchase"`
	TermMonths          *int             `json:"term_months"`
	Currency            money.Currency   `json:"currency"`
	PerGPUHour          money.Amount     `json:"price_per_gpu_hour"`
	PerGPUHourLow       money.Amount     `json:"price_per_gpu_hour_low"`
	PerGPUHourHigh      money.Amount     `json:"price_per_gpu_hour_high"`
	PerInstanceHour     money.Amount     `json:"price_per_instance_hour"`
	Instances           *int64           `json:"instances"`
	NeedPerHour         money.Amount     `json:"need_per_hour"`
	NeedPerMonth        money.Amount     `json:"need_per_month"`
	OnDemandPerGPUHour  money.Amount     `json:"on_demand_per_gpu_hour"`
	SavingPercent       *Percent         `json:"saving_percent"`
	Native              *Native          `json:"native"`
	AsOf                string           `json:"as_of"`
	AgeDays             *int             `json:"age_days"`
	Source              string           `json:"source"`
	SourceURL           string           `json:"source_url"`
	Confidence          string           `json:"confidence"`
	Status              string           `json:"status"`
	Warnings            []Warning        `json:"warnings"`
	GPUCount            string           `json:"gpu_count"` // exact: 8 or 1/6
	Plan                string           `json:"plan"`
	Commitment          string           `json:"commitment"`
	Scope               string           `json:"scope"`
	Samples             *int             `json:"samples"`
	Country             string           `json:"country"`
	Host                string           `json:"host"`
	Override            string           `json:"override"`
	OnDemandPurchasable bool             `json:"on_demand_purchasable"`
	Note                string           `json:"note"`

	offer *catalog.Offer
	gpu   *catalog.GPU
	price *catalog.Price // after the overrides
	need  money.Range    // per hour for the need

	onDemand *catalog.Price // behind OnDemandPerGPUHour
	asOf     catalog.Date
	count    unit.Count
}

// Native is the price as its source states it.
type Native struct {
	Currency money.Currency `json:"currency"`
	Amount   money.Amount   `json:"amount"`
	Low      money.Amount   `json:"low"`
	High     money.Amount   `json:"high"`
	Per      unit.Per       `json:"per"`
}

// LeftOut is what a result does not rank, and why.
type LeftOut struct {
	Provider string `json:"provider"`
	Instance string `json:"instance"`
	Reason   string `json:"reason"`
	GPU      string `json:"gpu"`
	Code     string `json:"code"`

	GPUCount   string           `json:"gpu_count"`
	Region     string           `json:"region"`
	Tier       string           `json:"tier"`
	Purchase   catalog.Purchase `json:"purchase"` // empty: the offer in every way it is sold
	TermMonths *int             `json:"term_months"`
}

// Percent is an exact percentage in hundredths, rounded half to even.
type Percent int64

// String prints "-11.36".
func (p Percent) String() string { return money.FromNano(int64(p)*1e7, "%").String() }

// MarshalJSON writes a JSON number.
func (p Percent) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// Saving is how much less price is than the reference, in percent: negative
// when it is more. Nil when either is unknown or the reference is 0.
func Saving(price, reference money.Amount) *Percent {
	less, err := reference.Sub(price)
	if err != nil || !less.Known() || reference.Sign() == 0 {
		return nil
	}
	hundredths, err := less.MulFrac(10_000, reference.Nano())
	if err != nil {
		return nil
	}
	p := Percent(hundredths.Nano())
	return &p
}

// Offer is the offer that the quote is of.
func (q *Quote) Offer() *catalog.Offer { return q.offer }

// GPUSpec is the specification of the GPU, nil when the name is unknown.
func (q *Quote) GPUSpec() *catalog.GPU { return q.gpu }

// OnDemand is the observation that the saving is measured against, or nil.
func (q *Quote) OnDemand() *catalog.Price { return q.onDemand }

// Price is the observation behind the quote after the overrides, nil when there
// is none.
func (q *Quote) Price() *catalog.Price { return q.price }

// Need is the range of what must be paid per hour.
func (q *Quote) Need() money.Range { return q.need }

// Date is the day of the observation.
func (q *Quote) Date() catalog.Date { return q.asOf }

// Count is the exact number of GPUs per instance.
func (q *Quote) Count() unit.Count { return q.count }

// Has reports whether the quote carries the warning.
func (q *Quote) Has(code string) bool {
	for _, w := range q.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func (q *Quote) warn(code string, args ...any) {
	q.Warnings = append(q.Warnings, NewWarning(code, args...))
}

// stated is where a number above 0 stands, nil for any other.
func stated[T int | float64](x *T) *T {
	if *x <= 0 {
		return nil
	}
	return x
}
