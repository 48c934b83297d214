package buying

import (
	"fmt"
	"math"
)

// PriceStep is a market price from an hour on until the next step.
type PriceStep struct{ FromHour, Price float64 }

// ProtectedSpot is a spot instance with a protected first stretch at the deal
// price and the market price afterwards (Alibaba Cloud: one hour, market checked
// every five minutes). It is reclaimed when the market is above the bid outside
// the protected stretch.
type ProtectedSpot struct {
	ProtectedHours float64
	DealPrice      float64
	Market         []PriceStep // in order, the first at hour 0
	BidCap         float64     // 0: no cap
}

// Held is what holding the instance until an hour costs.
type Held struct {
	Cost          float64
	Hours         float64 // held: less than asked for if reclaimed
	Reclaimed     bool
	FlatLastPrice float64 // what multiplying all hours by the last price would say
}

// Hold prices the instance from hour 0 to the given hour.
func (p ProtectedSpot) Hold(untilHour float64) (Held, error) {
	if len(p.Market) == 0 || p.Market[0].FromHour != 0 || !(untilHour >= 0) || math.IsInf(untilHour, 1) {
		return Held{}, fmt.Errorf("a market needs a price from hour 0 and an end at or after it, not %g", untilHour)
	}
	protected := math.Min(untilHour, p.ProtectedHours)
	h := Held{Cost: protected * p.DealPrice, Hours: protected}
	last := p.Market[0].Price
	for i, step := range p.Market {
		if i > 0 && step.FromHour <= p.Market[i-1].FromHour {
			return Held{}, fmt.Errorf("market step %d at hour %g is not after the one before", i+1, step.FromHour)
		}
		end := untilHour
		if i+1 < len(p.Market) {
			end = math.Min(end, p.Market[i+1].FromHour)
		}
		if step.FromHour <= untilHour {
			last = step.Price
		}
		from := math.Max(step.FromHour, p.ProtectedHours)
		if end <= from || h.Reclaimed {
			continue
		}
		if p.BidCap > 0 && step.Price > p.BidCap {
			h.Reclaimed = true
			continue
		}
		h.Cost += (end - from) * step.Price
		h.Hours += end - from
	}
	h.FlatLastPrice = untilHour * last
	return h, nil
}
