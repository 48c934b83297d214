package buying

import (
	"fmt"
	"math"
)

// Rates are costs of one unit for one hour by way of buying.
type Rates struct {
	Committed float64 // paid for every hour, used or not
	OnDemand  float64
	Spot      float64 // of finished work: interruptions included
}

// Profile is demand over time: units wanted in equal slots.
type Profile struct {
	SlotHours float64
	Units     []float64
}

// MixResult is a demand profile served from a committed base, spot and on-demand.
type MixResult struct {
	BaseUnits                                int
	CommittedHours, IdleHours                float64 // paid; paid and not used
	OnDemandHours, SpotHours                 float64
	Total, PerUsedHour                       float64
	CommittedShare, OnDemandShare, SpotShare float64 // of the used hours
	Use                                      float64 // of the committed base; 1 without any
	Saving                                   float64 // against everything on demand; may be negative
}

// Mix serves the profile: the first base units from the commitment, the given
// share of the rest from spot (the work that bears interruptions), the remainder
// on demand.
func Mix(p Profile, base int, spotShare float64, r Rates) (MixResult, error) {
	if err := checkMix(p, base, spotShare, r); err != nil {
		return MixResult{}, err
	}
	m := MixResult{BaseUnits: base, Use: 1}
	used, fromBase := 0.0, 0.0
	for _, want := range p.Units {
		b := math.Min(want, float64(base))
		used += want * p.SlotHours
		fromBase += b * p.SlotHours
		m.SpotHours += (want - b) * spotShare * p.SlotHours
		m.OnDemandHours += (want - b) * (1 - spotShare) * p.SlotHours
	}
	m.CommittedHours = float64(base) * p.SlotHours * float64(len(p.Units))
	m.IdleHours = m.CommittedHours - fromBase
	m.Total = m.CommittedHours*r.Committed + m.OnDemandHours*r.OnDemand + m.SpotHours*r.Spot
	m.Saving = used*r.OnDemand - m.Total
	if base > 0 {
		m.Use = fromBase / m.CommittedHours
	}
	if used > 0 {
		m.PerUsedHour = m.Total / used
		m.CommittedShare, m.OnDemandShare, m.SpotShare = fromBase/used, m.OnDemandHours/used, m.SpotHours/used
	}
	return m, nil
}

// maxUnits bounds a search for the best base.
const maxUnits = 1_000_000

func checkMix(p Profile, base int, spotShare float64, r Rates) error {
	if len(p.Units) == 0 || !(p.SlotHours > 0) || math.IsInf(p.SlotHours, 1) {
		return fmt.Errorf("a demand profile needs slots of more than 0 hours")
	}
	for i, u := range p.Units {
		if !(u >= 0 && u <= maxUnits) {
			return fmt.Errorf("demand %g in slot %d must be 0 to %d units", u, i+1, maxUnits)
		}
	}
	if base < 0 || base > maxUnits || !(spotShare >= 0 && spotShare <= 1) {
		return fmt.Errorf("base %d must be 0 to %d units and the spot share %g between 0 and 1", base, maxUnits, spotShare)
	}
	for _, v := range []float64{r.Committed, r.OnDemand, r.Spot} {
		if _, ok := finite(v); !ok || v < 0 {
			return fmt.Errorf("rates %+v must be finite and not negative", r)
		}
	}
	return nil
}

// BestMix is the mix with the cheapest number of committed units. The cost is
// convex in it, so the search ends at the first unit that no longer pays.
func BestMix(p Profile, spotShare float64, r Rates) (MixResult, error) {
	best, err := Mix(p, 0, spotShare, r)
	if err != nil {
		return MixResult{}, err
	}
	for base := 1; base <= maxUnits; base++ {
		next, err := Mix(p, base, spotShare, r)
		if err != nil {
			return MixResult{}, err
		}
		if next.Total > best.Total || next.CommittedHours-next.IdleHours <= best.CommittedHours-best.IdleHours {
			break
		}
		best = next
	}
	return best, nil
}

// ReserveUnits is the newsvendor answer: reserve the k-th unit if and only if at
// least k units are wanted with probability 1 - discount or more.
// demandProbability[k] is the probability that k units are wanted.
func ReserveUnits(demandProbability []float64, discount float64) (int, error) {
	if err := checkDemand(demandProbability, discount); err != nil {
		return 0, err
	}
	atLeast, best := 0.0, 0
	for k := len(demandProbability) - 1; k > 0; k-- {
		atLeast += demandProbability[k]
		if atLeast >= 1-discount-1e-12 {
			best = k
			break
		}
	}
	return best, nil
}

// ReservedCost is the mean cost of an hour with that many units reserved, in
// units of the on-demand price of one unit.
func ReservedCost(demandProbability []float64, units int, discount float64) (float64, error) {
	if err := checkDemand(demandProbability, discount); err != nil {
		return 0, err
	}
	cost := float64(units) * (1 - discount)
	for k := units + 1; k < len(demandProbability); k++ {
		cost += demandProbability[k] * float64(k-units)
	}
	return cost, nil
}

func checkDemand(probability []float64, discount float64) error {
	sum := 0.0
	for k, p := range probability {
		if !(p >= 0) {
			return fmt.Errorf("probability %g of wanting %d units must not be negative", p, k)
		}
		sum += p
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("demand probabilities add up to %g, not 1", sum)
	}
	if !(discount <= 1) {
		return fmt.Errorf("discount %g must not be above 1", discount)
	}
	return nil
}
