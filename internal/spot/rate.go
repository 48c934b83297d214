package spot

import (
	"fmt"
	"math"

	"github.com/gpucost/gpucost/internal/unit"
)

// Windows over which providers state an interruption probability, in hours.
const (
	HourWindow  = 1.0
	DayWindow   = 24.0
	WeekWindow  = 168.0
	MonthWindow = float64(unit.HoursPerMonth)
)

// Rate is how often running capacity is interrupted. The zero value is "never".
type Rate struct {
	PerHour float64 // interruptions per exposed hour, >= 0 and finite
}

// RateFromProbability turns "probability p of an interruption within a window
// of hours" into a rate: lambda = -ln(1-p)/hours. p is a fraction in [0, 1);
// 1 is refused because a certain interruption has no finite rate.
func RateFromProbability(p, hours float64) (Rate, error) {
	if !(p >= 0 && p < 1) {
		return Rate{}, fmt.Errorf("interruption probability %g must be at least 0 and below 1", p)
	}
	if !(hours > 0) || math.IsInf(hours, 1) {
		return Rate{}, fmt.Errorf("interruption window %g h must be above 0", hours)
	}
	return Rate{PerHour: -math.Log1p(-p) / hours}, nil
}

// RateFromMTBF turns a mean time between interruptions in hours into a rate.
func RateFromMTBF(hours float64) (Rate, error) {
	if !(hours > 0) || math.IsInf(hours, 1) {
		return Rate{}, fmt.Errorf("mean time between interruptions %g h must be above 0", hours)
	}
	return finiteRate(1 / hours)
}

func finiteRate(perHour float64) (Rate, error) {
	if !(perHour >= 0) || math.IsInf(perHour, 1) {
		return Rate{}, fmt.Errorf("interruption rate %g per hour must be at least 0 and finite", perHour)
	}
	return Rate{PerHour: perHour}, nil
}

// MTBFHours is the mean time between interruptions; false when there are none.
func (r Rate) MTBFHours() (float64, bool) {
	m := 1 / r.PerHour
	return m, r.PerHour > 0 && !math.IsInf(m, 1)
}

// Within is the probability of at least one interruption in the given exposed
// hours: 1 - exp(-lambda hours).
func (r Rate) Within(hours float64) float64 { return -math.Expm1(-r.PerHour * hours) }

// Gang is the rate of a job that needs all of its nodes at once:
// lambda (1 + (n-1)(1-rho)). rho = 1 means that nodes are taken together,
// rho = 0 that each is taken on its own. Wu et al. (NSDI'24) saw all or none of
// 4 and 16 nodes available 94 % of the time: rho near 1 is the evidence-based
// default, rho = 0 the pessimistic bound.
func (r Rate) Gang(nodes int, rho float64) (Rate, error) {
	if nodes < 1 {
		return Rate{}, fmt.Errorf("gang of %d nodes must have at least 1", nodes)
	}
	if !(rho >= 0 && rho <= 1) {
		return Rate{}, fmt.Errorf("gang correlation %g must lie between 0 and 1", rho)
	}
	return finiteRate(r.PerHour * (1 + float64(nodes-1)*(1-rho)))
}

// Band is a rate known only between two bounds.
type Band struct {
	Low, High Rate
	OpenTop   bool   // High is only a lower bound of the worst case
	Note      string // what the publisher means by it
}

// AWSBucket is the rate behind an AWS Spot Instance Advisor bucket, 0..4 for
// <5, 5-10, 10-15, 15-20 and >20 % of instances reclaimed in the trailing month.
// The last bucket is open-ended; drops measured per available hour are 100 to
// 1000 times what the buckets say, so never show one as an MTBF without Note.
func AWSBucket(index int) (Band, error) {
	if index < 0 || index > 4 {
		return Band{}, fmt.Errorf("AWS Spot Advisor bucket %d must be 0..4", index)
	}
	b := Band{Note: "share reclaimed in the trailing month; measured drops per available hour are 100 to 1000 times higher"}
	b.Low, _ = RateFromProbability(0.05*float64(index), MonthWindow)
	b.High, _ = RateFromProbability(math.Min(0.20, 0.05*float64(index+1)), MonthWindow)
	b.OpenTop = index == 4
	return b, nil
}

// AzureEviction is the rate behind an Azure eviction-rate range in percent
// (0-5, 5-10, 10-15, 15-20, 20+): the chance of eviction within the next hour.
// Give highPercent 0 for the open-ended "20+".
func AzureEviction(lowPercent, highPercent float64) (Band, error) {
	b := Band{Note: "chance of eviction within the next hour, from the last 7 or 28 days", OpenTop: highPercent == 0}
	if b.OpenTop {
		highPercent = lowPercent
	}
	if highPercent < lowPercent {
		return Band{}, fmt.Errorf("eviction range %g-%g %% is upside down", lowPercent, highPercent)
	}
	var err error
	if b.Low, err = RateFromProbability(lowPercent/100, HourWindow); err != nil {
		return Band{}, err
	}
	b.High, err = RateFromProbability(highPercent/100, HourWindow)
	return b, err
}
