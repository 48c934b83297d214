package pricing

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Hourly is a price per GPU-hour and per instance-hour in its own currency.
type Hourly struct{ PerGPU, PerInstance money.Range }

// Hour brings an observation to hours. A price per GPU of an offer whose
// GPU count is not stated has no instance price. A price for a whole term
// is spread over its months. hoursPerMonth must be above 0.
func Hour(p *catalog.Price, gpus unit.Count, hoursPerMonth money.Quantity) (Hourly, error) {
	if !p.Known() {
		return Hourly{}, nil
	}
	base, err := money.Between(p.Low, p.High)
	if err != nil {
		return Hourly{}, err
	}
	perHour, err := perHour(base, p, hoursPerMonth)
	if err != nil {
		return Hourly{}, err
	}
	switch {
	case p.Per.Instance() && !gpus.Known():
		return Hourly{PerInstance: perHour}, nil
	case p.Per.Instance():
		each, err := perHour.MulFrac(gpus.Den, gpus.Num)
		return Hourly{each, perHour}, err
	case !gpus.Known():
		return Hourly{PerGPU: perHour}, nil
	}
	whole, err := perHour.MulFrac(gpus.Num, gpus.Den)
	return Hourly{perHour, whole}, err
}

func perHour(r money.Range, p *catalog.Price, hoursPerMonth money.Quantity) (money.Range, error) {
	one := int64(money.WholeQuantity(1))
	switch p.Per {
	case unit.PerGPUHour, unit.PerInstanceHour:
		return r, nil
	case unit.PerGPUSecond:
		return r.MulFrac(3600, 1)
	case unit.PerGPUMonth, unit.PerInstanceMonth:
		return r.MulFrac(one, int64(hoursPerMonth))
	case unit.PerInstanceTerm:
		if p.TermMonths <= 0 {
			return money.Range{}, fmt.Errorf("price per term of %s without term_months", p.Low)
		}
		month, err := r.MulFrac(1, int64(p.TermMonths))
		if err != nil {
			return money.Range{}, err
		}
		return month.MulFrac(one, int64(hoursPerMonth))
	}
	return money.Range{}, fmt.Errorf("unknown unit %q", p.Per)
}

// statedMonth is the price of an instance for a month, or of a GPU where the
// size of the instance is not stated, when the source states it for months.
func statedMonth(p *catalog.Price, gpus unit.Count) (money.Range, bool) {
	base, err := money.Between(p.Low, p.High)
	switch {
	case err != nil:
		return base, false
	case p.Per == unit.PerGPUMonth && gpus.Known():
		base, err = base.MulFrac(gpus.Num, gpus.Den)
	case p.Per == unit.PerInstanceTerm && p.TermMonths > 0:
		base, err = base.MulFrac(1, int64(p.TermMonths))
	case p.Per != unit.PerInstanceMonth && p.Per != unit.PerGPUMonth:
		return base, false
	}
	return base, err == nil
}

// Billed is the time that is charged for a use of so many seconds: at least
// the minimum, rounded up to the increment. Increment and minimum of 0 mean to
// the second and none.
func Billed(seconds, increment, minimum int64) int64 {
	seconds = max(seconds, minimum)
	if increment > 1 {
		seconds = (seconds + increment - 1) / increment * increment
	}
	return seconds
}

// PerSeconds is the price of so many seconds at an hourly price.
func PerSeconds(hourly money.Amount, seconds int64) (money.Amount, error) {
	return hourly.MulFrac(seconds, 3600)
}

// StorageCost is gb GB kept for hours at a price per GB and month of
// hoursPerMonth hours.
func StorageCost(perGBMonth money.Amount, gb, hours, hoursPerMonth money.Quantity) (money.Amount, error) {
	month, err := perGBMonth.Mul(gb)
	if err != nil {
		return money.Amount{}, err
	}
	return month.MulFrac(int64(hours), int64(hoursPerMonth))
}
