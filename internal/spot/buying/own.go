package buying

import (
	"fmt"
	"math"
)

// Own is hardware bought instead of rented.
type Own struct {
	Capex        float64
	ResaleShare  float64 // of capex, at the end of life
	LifeYears    float64 // above 0
	CapitalRate  float64 // cost of capital or financing per year; 0: straight line
	OpexPerMonth float64
	GPUs         float64 // above 0
	DaysPerMonth float64 // above 0; 30 or 365/12: the convention is 1.4 % of the answer
}

func (o Own) check() error {
	for _, q := range []struct {
		name  string
		value float64
	}{{"capex", o.Capex}, {"resale share", o.ResaleShare}, {"cost of capital", o.CapitalRate}, {"opex", o.OpexPerMonth}} {
		if !(q.value >= 0) || math.IsInf(q.value, 1) {
			return fmt.Errorf("%s %g must be a finite number of at least 0", q.name, q.value)
		}
	}
	if !(o.LifeYears > 0 && o.GPUs > 0 && o.DaysPerMonth > 0) {
		return fmt.Errorf("life %g years, GPUs %g and days per month %g must be above 0", o.LifeYears, o.GPUs, o.DaysPerMonth)
	}
	return nil
}

// Annuity is the yearly payment that pays back 1 over the years at the rate:
// i / (1 - (1+i)^-n), and 1/n without interest.
func Annuity(rate, years float64) float64 {
	if rate == 0 {
		return 1 / years
	}
	return rate / -math.Expm1(-years*math.Log1p(rate))
}

// PerMonth is what owning costs a month:
// (capex - present value of the resale) x annuity / 12 + opex.
func (o Own) PerMonth() (float64, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	resale := o.Capex * o.ResaleShare * math.Exp(-o.LifeYears*math.Log1p(o.CapitalRate))
	return (o.Capex-resale)*Annuity(o.CapitalRate, o.LifeYears)/12 + o.OpexPerMonth, nil
}

// PerUsedGPUHour is the cost of a GPU-hour that is used. (Per calendar hour it is
// less, and says nothing about rent.)
func (o Own) PerUsedGPUHour(hoursPerDay float64) (float64, bool) {
	m, err := o.PerMonth()
	if err != nil {
		return 0, false
	}
	return ratio(m, o.GPUs*o.DaysPerMonth*hoursPerDay)
}

// BreakEvenHoursPerDay is the use from which owning is cheaper than rent; above
// 24 renting always wins.
func (o Own) BreakEvenHoursPerDay(rentPerGPUHour float64) (float64, bool) {
	m, err := o.PerMonth()
	if err != nil {
		return 0, false
	}
	return ratio(m, rentPerGPUHour*o.GPUs*o.DaysPerMonth)
}

// BreakEvenRent is the rent per GPU-hour at which a rule such as "buy from 18
// hours a day on" is exactly right: below it renting wins at that use. With 24
// hours it is the rent below which buying never pays.
func (o Own) BreakEvenRent(hoursPerDay float64) (float64, bool) {
	return o.PerUsedGPUHour(hoursPerDay)
}

// BreakEvenLifeMonths is the life at which owning at that use costs what the rent
// does: how long the hardware must last. The resale share is taken to be the same
// at any life. False when no life is long enough.
func (o Own) BreakEvenLifeMonths(rentPerGPUHour, hoursPerDay float64) (float64, bool) {
	o.LifeYears = 1 // not used
	if o.check() != nil {
		return 0, false
	}
	spare := rentPerGPUHour*o.GPUs*o.DaysPerMonth*hoursPerDay - o.OpexPerMonth
	if spare <= 0 {
		return 0, false
	}
	if o.CapitalRate == 0 {
		return finite(o.Capex * (1 - o.ResaleShare) / spare)
	}
	// C i (1 - r x) = 12 spare (1 - x) with x = (1+i)^-years.
	interest := o.Capex * o.CapitalRate
	x := (12*spare - interest) / (12*spare - interest*o.ResaleShare)
	if !(x > 0) {
		return 0, false
	}
	return finite(-12 * math.Log(x) / math.Log1p(o.CapitalRate))
}

// Power is the electricity of one machine.
type Power struct {
	IdleKW, MaxKW float64
	PUE           float64 // facility energy / machine energy
	PerKWh        float64
}

// Cost is the cost of running for some hours at a share of full power:
// (idle + (max - idle) share) x PUE x hours x tariff.
func (p Power) Cost(utilisation, hours float64) float64 {
	return (p.IdleKW + (p.MaxKW-p.IdleKW)*utilisation) * p.PUE * hours * p.PerKWh
}

// Opex is what a month of owning takes besides capital.
type Opex struct {
	PowerPerMonth           float64
	ColocationPerMonth      float64 // space and cooling not in the PUE
	NetworkPerMonth         float64
	StaffPerMonth           float64
	MaintenanceSharePerYear float64 // of capex
}

// PerMonth adds it up.
func (o Opex) PerMonth(capex float64) float64 {
	return o.PowerPerMonth + o.ColocationPerMonth + o.NetworkPerMonth + o.StaffPerMonth + capex*o.MaintenanceSharePerYear/12
}

// LoanPayment is the monthly payment of a loan at a yearly rate, charged monthly.
func LoanPayment(principal, ratePerYear, months float64) (float64, error) {
	if !(principal >= 0 && ratePerYear >= 0 && months > 0) {
		return 0, fmt.Errorf("loan of %g at %g over %g months: the months must be above 0, the rest at least 0", principal, ratePerYear, months)
	}
	return principal * Annuity(ratePerYear/12, months), nil
}

// Investment is hardware bought to save the rent of a known use.
type Investment struct {
	Capex          float64
	OpexPerYear    float64
	Resale         float64 // amount at the end
	Years          float64
	GPUs           float64
	HoursPerYear   float64 // that can be used: 8760
	Use            float64 // share of them that is used
	RentPerGPUHour float64
	DiscountRate   float64 // per year; savings come at the end of each
}

// InvestmentResult holds the undiscounted and the discounted answer; they can
// disagree, and then both must be shown.
type InvestmentResult struct {
	RentTotal, OwnTotal float64
	SimpleSaving        float64 // undiscounted
	NPV                 float64
	BreakEvenUse        float64 // undiscounted; above 1 never
	BreakEvenUseNPV     float64 // at which the NPV is zero
	PaybackYears        float64 // 0 when Pays is false
	Pays                bool    // a year's rent is more than a year's opex
	Agree               bool    // saving and NPV have the same sign
}

// Evaluate compares buying with renting the used hours.
func (v Investment) Evaluate() (InvestmentResult, error) {
	if !(v.Capex >= 0 && v.OpexPerYear >= 0 && v.Years > 0 && v.GPUs > 0 && v.HoursPerYear > 0 && v.RentPerGPUHour > 0) {
		return InvestmentResult{}, fmt.Errorf("years %g, GPUs %g, hours %g and rent %g must be above 0, capex %g and opex %g not negative", v.Years, v.GPUs, v.HoursPerYear, v.RentPerGPUHour, v.Capex, v.OpexPerYear)
	}
	if !(v.Use >= 0 && v.Use <= 1 && v.DiscountRate >= 0 && v.Resale >= 0) {
		return InvestmentResult{}, fmt.Errorf("use %g must lie between 0 and 1, discount rate %g and resale %g not be negative", v.Use, v.DiscountRate, v.Resale)
	}
	fullRent := v.GPUs * v.HoursPerYear * v.RentPerGPUHour
	yearly := fullRent*v.Use - v.OpexPerYear
	years := 1 / Annuity(v.DiscountRate, v.Years) // present value of 1 a year
	resale := v.Resale * math.Exp(-v.Years*math.Log1p(v.DiscountRate))
	r := InvestmentResult{
		RentTotal:       fullRent * v.Use * v.Years,
		OwnTotal:        v.Capex + v.OpexPerYear*v.Years - v.Resale,
		NPV:             yearly*years + resale - v.Capex,
		BreakEvenUseNPV: ((v.Capex-resale)/years + v.OpexPerYear) / fullRent,
		Pays:            yearly > 0,
	}
	r.SimpleSaving = r.RentTotal - r.OwnTotal
	r.BreakEvenUse = r.OwnTotal / (fullRent * v.Years)
	r.Agree = (r.SimpleSaving >= 0) == (r.NPV >= 0)
	if r.Pays {
		r.PaybackYears = v.Capex / yearly
	}
	return r, nil
}
