package purchase

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// Step is a market price from an hour on.
type Step struct {
	FromHour float64
	PerHour  money.Amount
}

// Hold answers what a spot instance with a protected first stretch costs when the
// market price moves: the deal price while protected, the market's afterwards,
// and a reclaim when it rises above the cap.
//
// Inputs: until_hours, protected_hours, deal_per_hour, and optionally cap_per_hour.
func Hold(in Inputs, market []Step) (Answer, error) {
	a := Answer{Command: "spot hold", Inputs: in, Deciding: []string{"cost"}, Verdict: "hold.kept"}
	p := in.point(func(i *Input) any { return i.Mid })
	protected, err := held(p, market, p.Num("protected_hours"))
	if err != nil {
		return a, err
	}
	bare, err := held(p, market, 0)
	if err != nil {
		return a, err
	}
	var f figures
	f.money("cost", f.cost(p, market, p.Num("protected_hours"), protected.Hours))
	f.num("held_hours", "h", protected.Hours, true)
	f.add("reclaimed", "", protected.Reclaimed)
	last := market[0].PerHour
	for _, s := range market {
		if s.FromHour <= p.Num("until_hours") {
			last = s.PerHour
		}
	}
	f.money("cost_at_last_price", f.sum(part{last, p.Num("until_hours")}))
	f.add("reclaimed_without_protection", "", bare.Reclaimed)
	f.num("held_hours_without_protection", "h", bare.Hours, true)
	a.append(f.list)
	if protected.Reclaimed {
		a.Verdict = "hold.reclaimed"
	}
	return a, f.err
}

func held(p Point, market []Step, protectedHours float64) (buying.Held, error) {
	m := buying.ProtectedSpot{ProtectedHours: protectedHours, DealPrice: p.Plain("deal_per_hour"), BidCap: p.Plain("cap_per_hour")}
	for _, s := range market {
		m.Market = append(m.Market, buying.PriceStep{FromHour: s.FromHour, Price: plain(s.PerHour)})
	}
	h, err := m.Hold(p.Num("until_hours"))
	if err != nil {
		return h, fmt.Errorf("market: %w", err)
	}
	return h, nil
}

// cost is the exact sum over the stretches that are held.
func (f *figures) cost(p Point, market []Step, protectedHours, heldHours float64) money.Amount {
	parts := []part{{p.Money("deal_per_hour"), math.Min(heldHours, protectedHours)}}
	for i, s := range market {
		end := heldHours
		if i+1 < len(market) {
			end = math.Min(end, market[i+1].FromHour)
		}
		if from := math.Max(s.FromHour, protectedHours); end > from {
			parts = append(parts, part{s.PerHour, end - from})
		}
	}
	return f.sum(parts...)
}

// percentText is a share as a whole percentage.
func percentText(share float64) string { return strconv.FormatFloat(share*100, 'f', 0, 64) + "%" }
