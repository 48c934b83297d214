package estimate

import (
	"errors"
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// perRequest bills the GPU-seconds of requests, as scale-to-zero platforms do:
// execution, cold starts of a share of them, the idle time after each, all
// rounded up per request. Every request is taken to be alone on its worker.
func perRequest(t *Terms, w *Work) (Bill, error) {
	var b Bill
	own := t.Own
	if own == nil {
		own = &OwnOffer{}
	}
	second, err := t.PerGPU.MulFrac(1, 3600)
	if own.Per == "gpu_second" { // exact, as it is stated
		if p := t.Quote.Price(); p != nil {
			if a, ok := t.convert(p.Low); ok {
				second, err = a, nil
			}
		}
	}
	if err != nil {
		return b, err
	}
	requests := w.Requests
	step := float64(max(own.IncrementS, 0))
	up := func(x float64) float64 {
		x = max(x, float64(own.MinimumS))
		if step == 0 {
			return x
		}
		return ceilTo(x, step)
	}
	warm := w.RequestSeconds + own.IdleTimeoutS.V
	cold := requests * own.ColdShare.V
	billed := (requests-cold)*up(warm) + cold*up(own.ColdStartS.V+warm)
	parts := []struct {
		component, basis string
		seconds          float64
	}{
		{CompGPU, "requests x GPU-seconds of each", requests * w.RequestSeconds},
		{CompStart, "cold starts: share of requests x seconds", cold * own.ColdStartS.V},
		{CompIdle, "idle time billed after each request", requests * own.IdleTimeoutS.V},
	}
	rest := billed
	for _, x := range parts {
		rest -= x.seconds
	}
	parts = append(parts, struct {
		component, basis string
		seconds          float64
	}{CompRounding, fmt.Sprintf("each request is rounded up to %d s", own.IncrementS), rest})
	for _, x := range parts {
		q, err := money.Quantify(x.seconds)
		if err != nil {
			return b, err
		}
		cost, err := second.Mul(q)
		if err != nil {
			return b, err
		}
		b.Month = add(b.Month, Line{Component: x.component, Quantity: Exact(x.seconds), Unit: "gpu_second", UnitPrice: second, Cost: money.Exactly(cost), Basis: x.basis})
	}
	for i := range b.Billed {
		b.Billed[i] = int64(billed * 1000)
	}
	if own.ColdShare.V > 0 || own.IdleTimeoutS.V > 0 {
		b.Warnings = append(b.Warnings, NewWarning(WarnAlone))
	}
	return b, nil
}

// protectedSpot bills a market price that changes while the machine runs: the
// first hours at the price of the start and safe from reclaim, the rest at the
// market's.
func protectedSpot(t *Terms, w *Work) (Bill, error) {
	var b Bill
	u := &w.Cases[1]
	end, protected := (u.Work+u.Start*max(u.Sessions, 1)+999)/1000, seconds(t.Own.ProtectedH.V)
	limit, err := t.market(t.Own.BidCap, u)
	if err != nil {
		return b, err
	}
	var steps []pricing.MarketStep
	for i := range t.Own.Market {
		step := &t.Own.Market[i]
		price, err := t.market(step.Amount, u)
		if err != nil {
			return b, err
		}
		from := seconds(step.FromHour.V)
		steps = append(steps, pricing.MarketStep{FromSeconds: from, PerHour: price})
		until := end
		if i+1 < len(t.Own.Market) {
			until = min(end, seconds(t.Own.Market[i+1].FromHour.V))
		}
		if limit.Known() && price.Cmp(limit) > 0 && until > protected && from < end {
			at := float64(max(from, protected)) / 3600
			return b, &RefusedError{fmt.Sprintf("reclaimed after %s h: the market rises to %s, above the cap of %s", plainNumber(at), price, limit), float64(end) / 3600, at, "h"}
		}
	}
	hour, err := hourly(t, 1, u)
	if err != nil {
		return b, err
	}
	first, err := pricing.PerSeconds(hour, min(protected, end))
	if err != nil {
		return b, err
	}
	all, err := pricing.MarketCost(hour, protected, steps, end)
	if err != nil {
		return b, err
	}
	rest, err := all.Sub(first)
	if err != nil {
		return b, err
	}
	hours := float64(min(protected, end)) / 3600
	b.Run = add(b.Run, Line{Component: CompGPU, Quantity: Exact(hours * float64(u.Paid)), Unit: "gpu_hour", UnitPrice: t.PerGPU, Cost: money.Exactly(first), Basis: "protected: at the price of the start, and not reclaimed"})
	b.Run = add(b.Run, Line{Component: CompMarket, Quantity: Exact((float64(end)/3600 - hours) * float64(u.Paid)), Unit: "gpu_hour", Cost: money.Exactly(rest), Basis: "at the market price of each hour"})
	for i := range b.Billed {
		b.Billed[i] = 1000 * end * u.Paid
	}
	return b, nil
}

// seconds is a time in whole seconds, rounded up.
func seconds(hours float64) int64 { return (millis(hours) + 999) / 1000 }

// market is a market price as what all machines cost for an hour.
func (t *Terms) market(text catalog.Decimal, u *Use) (money.Amount, error) {
	p := t.Quote.Price()
	if text == "" || p == nil {
		return money.Amount{}, nil
	}
	a, err := money.Parse(string(text), p.Low.Currency())
	if err != nil {
		return a, err
	}
	as := *p
	as.Low, as.High = a, a
	h, err := pricing.Hour(&as, t.Quote.Count(), t.Month)
	if err != nil {
		return a, err
	}
	r, ok := t.convert(h.PerInstance.Mid)
	if !ok {
		return a, errNoRate
	}
	return r.MulFrac(u.Machines, 1)
}

var errNoRate = errors.New("no exchange rate")
