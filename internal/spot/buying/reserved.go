package buying

import (
	"fmt"
	"math"
)

// Commitment is capacity paid for over a whole term, used or not.
type Commitment struct {
	Upfront   float64 // paid at the start
	PerHour   float64 // paid for every hour of the term
	TermHours float64 // above 0; of all units together
}

// Total is what the term costs.
func (c Commitment) Total() float64 { return c.Upfront + c.PerHour*c.TermHours }

// EffectivePerHour folds the upfront payment in over the term.
func (c Commitment) EffectivePerHour() (float64, bool) { return ratio(c.Total(), c.TermHours) }

// BreakEvenUse is the share of the term that must be used for the commitment to
// cost what on-demand hours would: effective rate / on-demand rate. Above 1 it
// never pays.
func (c Commitment) BreakEvenUse(onDemandPerHour float64) (float64, bool) {
	return ratio(c.Total(), c.TermHours*onDemandPerHour)
}

// PerUsedHour is the cost of an hour that is used, at the given use (0..1].
func (c Commitment) PerUsedHour(use float64) (float64, bool) {
	return ratio(c.Total(), c.TermHours*use)
}

// Saving is what the commitment saves over its term against paying the used
// hours on demand: negative below the break-even use.
func (c Commitment) Saving(onDemandPerHour, use float64) float64 {
	return use*c.TermHours*onDemandPerHour - c.Total()
}

// Waste is what is paid for hours that are not used.
func (c Commitment) Waste(use float64) float64 { return c.Total() * math.Max(0, 1-use) }

// Breakage is a commitment in hours against what was used of it.
type Breakage struct {
	Use              float64 // used share of the committed hours, at most 1
	UnusedHours      float64
	CoverageGapHours float64 // hours used beyond the commitment: bought elsewhere, not negative waste
	Gross            float64 // cost of the unused hours
	Recovered        float64 // from reselling a share of them
	Net              float64 // stranded
}

// Stranded is the over-commitment of committed against used hours when a share
// of the unused hours can be sold on at cost.
func Stranded(committedHours, usedHours, perHour, resaleShare float64) (Breakage, error) {
	if !(committedHours > 0 && usedHours >= 0 && resaleShare >= 0 && resaleShare <= 1) {
		return Breakage{}, fmt.Errorf("committed hours %g must be above 0, used hours %g at least 0, resale share %g between 0 and 1",
			committedHours, usedHours, resaleShare)
	}
	b := Breakage{
		Use:              math.Min(1, usedHours/committedHours),
		UnusedHours:      math.Max(0, committedHours-usedHours),
		CoverageGapHours: math.Max(0, usedHours-committedHours),
	}
	b.Gross = b.UnusedHours * perHour
	b.Recovered = b.Gross * resaleShare
	b.Net = b.Gross - b.Recovered
	return b, nil
}

// EarlyExit is the total paid when a monthly commitment is left after some
// months for a fee that is a share of what remains: 0 is a free exit, 1 a
// commitment that cannot be left.
func EarlyExit(perMonth, termMonths, usedMonths, feeShare float64) (float64, error) {
	if !(usedMonths >= 0 && usedMonths <= termMonths && feeShare >= 0) {
		return 0, fmt.Errorf("used months %g must lie between 0 and the term of %g, the fee share %g at least 0", usedMonths, termMonths, feeShare)
	}
	return perMonth*usedMonths + feeShare*perMonth*(termMonths-usedMonths), nil
}

// MarketBreakEvenDiscount is the discount a fixed price needs, at full use, over
// a term in which the on-demand price falls as exp(-decline t):
//
//	1 - (1 - exp(-g T)) / (g T)
//
// "-40 % in two years" is g = 0.2554 a year: 11.7 % for one year, 30.1 % for
// three. A rising market (g < 0) gives a negative answer: even a dearer fixed
// price pays.
func MarketBreakEvenDiscount(declinePerYear, years float64) (float64, bool) {
	x := declinePerYear * years
	if math.Abs(x) < 1e-4 { // series: the difference below loses its digits
		return finite(x/2 - x*x/6)
	}
	return finite(1 + math.Expm1(-x)/x)
}

// ratio is a/b if that is a number.
func ratio(a, b float64) (float64, bool) { return finite(a / b) }

func finite(x float64) (float64, bool) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, false
	}
	return x, true
}
