package pricing

import "github.com/gpucost/gpucost/internal/money"

// MarketStep is a market price per hour from a moment on.
type MarketStep struct {
	FromSeconds int64
	PerHour     money.Amount
}

// MarketCost is what an instance costs from its start to end (in seconds) when
// the first protected seconds are billed at the price of the start, whatever
// the market does, and the market price applies after them. The steps are in
// order and the first is at 0. This is how the spot instances of Alibaba Cloud
// with a protection period are billed.
func MarketCost(deal money.Amount, protected int64, market []MarketStep, end int64) (money.Amount, error) {
	total, err := PerSeconds(deal, min(protected, end))
	if err != nil {
		return total, err
	}
	for i, s := range market {
		until := end
		if i+1 < len(market) {
			until = min(end, market[i+1].FromSeconds)
		}
		from := max(s.FromSeconds, protected)
		if until <= from {
			continue
		}
		part, err := PerSeconds(s.PerHour, until-from)
		if err != nil {
			return total, err
		}
		if total, err = total.Add(part); err != nil {
			return total, err
		}
	}
	return total, nil
}
