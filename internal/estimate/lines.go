package estimate

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gpucost/gpucost/internal/money"
)

// Line is one part of a cost: a quantity at a price. The quantity is that of
// the middle case; the cost has all three.
type Line struct {
	Component string       `json:"component"`
	Quantity  Exact        `json:"quantity"`
	Unit      string       `json:"unit"`
	UnitPrice money.Amount `json:"unit_price"`
	Cost      money.Range  `json:"cost"`
	Basis     string       `json:"basis"`
	Native    *Native      `json:"native"` // the price as it is stated, where it was converted
}

// Native is a price as its source states it.
type Native struct {
	Amount   money.Amount   `json:"amount"`
	Currency money.Currency `json:"currency"`
	Per      string         `json:"per"`
	AsOf     string         `json:"as_of"`
	Source   string         `json:"source"`
	Region   string         `json:"region"`
}

// The components of a cost.
const (
	CompGPU         = "gpu_hours"
	CompIdleGPUs    = "idle_gpus"
	CompIdle        = "idle_time"
	CompStart       = "startup"
	CompRounding    = "billing_rounding"
	CompInterrupted = "interruptions"
	CompInput       = "input_tokens"
	CompCached      = "cached_input_tokens"
	CompOutput      = "output_tokens"
	CompMarket      = "gpu_hours_market"
	CompDataset     = "dataset_storage"
	CompCheckpoints = "checkpoint_storage"
	CompVolume      = "network_volume"
	CompDisk        = "disk_running"
	CompDiskStopped = "disk_stopped"
	CompEgress      = "egress"
	CompTransfer    = "transfer"
	CompOther       = "other"
)

// add appends a line unless it costs nothing because there is nothing of it.
func add(lines []Line, l Line) []Line {
	if !l.Cost.Known() || l.Cost.Low.IsZero() && l.Cost.Mid.IsZero() && l.Cost.High.IsZero() && l.Quantity == 0 {
		return lines
	}
	return append(lines, l)
}

// Exact is a quantity that is written as a plain decimal of at most nine
// places.
type Exact float64

// String is the plain decimal: "8", "0.5".
func (x Exact) String() string {
	if q, err := money.Quantify(float64(x)); err == nil {
		return q.String()
	}
	return strconv.FormatFloat(float64(x), 'f', 0, 64)
}

// MarshalJSON writes a JSON number.
func (x Exact) MarshalJSON() ([]byte, error) {
	if err := finite(float64(x)); err != nil {
		return nil, err
	}
	return []byte(x.String()), nil
}

func finite(x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%v is not a quantity", x)
	}
	return nil
}

// cases is a range of the three cases. A line of what is not used, such as
// idle time, shrinks from low to high while the sum of all lines grows.
func cases(a [3]money.Amount) money.Range { return money.Range{Low: a[0], Mid: a[1], High: a[2]} }

func ceilTo(x, step float64) float64 { return math.Ceil(x/step-1e-9) * step }

// otherLines are the scenario's own costs beside compute and storage. Where a
// price is published in the currency of the answer, that one is taken.
func (v *evaluator) otherLines(j *job, e *Estimate) ([]Line, error) {
	var out []Line
	for i := range j.s.Other {
		o := &j.s.Other[i]
		native, published, err := v.otherPrice(o)
		if err != nil {
			return nil, err
		}
		q, err := money.Quantify(o.Quantity.V)
		if err != nil {
			return nil, err
		}
		there, err := native.Mul(q)
		if err != nil {
			return nil, err
		}
		cost, ok := v.convert(there)
		price, _ := v.convert(native)
		if !ok {
			return nil, errNoRate
		}
		if published {
			e.warn(WarnPublished, string(native.Currency()))
		}
		out = add(out, Line{
			Component: CompOther, Quantity: Exact(o.Quantity.V), Unit: o.Unit, UnitPrice: price, Cost: money.Exactly(cost), Basis: o.Name,
			Native: &Native{native, native.Currency(), o.Unit, "", "scenario", o.Region},
		})
	}
	return out, nil
}

func (v *evaluator) otherPrice(o *OtherCost) (a money.Amount, published bool, err error) {
	text, cur := o.Amount, o.Currency
	for i := range o.Prices {
		if p := &o.Prices[i]; text == "" || p.Currency == v.exchange().To {
			text, cur = p.Amount, p.Currency
		}
	}
	if cur == "" {
		cur = "USD"
	}
	a, err = money.Parse(string(text), cur)
	return a, len(o.Prices) > 1 && cur == v.exchange().To, err
}
