package estimate

import (
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/unit"
)

// Own hardware is written off over so many months; a seller of this id stands
// for it.
const (
	ownMonths = 36
	ownSeller = "own"
)

// offered is the catalog, and what is asked for and not sold as an offer:
// serverless GPUs and own hardware.
func (v *evaluator) offered(purchases []catalog.Purchase) (*catalog.Catalog, []catalog.Offer) {
	c := *v.Catalog
	var extra []catalog.Offer
	if slices.Contains(purchases, catalog.Serverless) && v.Scenario.Kind == KindServe {
		extra = serverlessOffers(v.Catalog)
	}
	if slices.Contains(purchases, catalog.Owned) && (v.Query.Market != "" || len(v.Query.Regions) == 0) {
		own := v.ownedOffers()
		if len(own) > 0 && v.providers[ownSeller] == nil {
			seller := catalog.Provider{ID: ownSeller, Name: "Own hardware", NameZH: "自有硬件", Market: v.Query.Market, Kind: "on_prem", Currency: v.exchange().To, Status: "active"}
			if seller.Market == "" {
				seller.Market = "intl"
			}
			c.Providers = append(slices.Clip(c.Providers), seller)
			extra = append(extra, own...)
		}
	}
	return &c, extra
}

// ownedOffers are machines of eight, or single cards, as bought: what a month of
// each costs.
func (v *evaluator) ownedOffers() []catalog.Offer {
	var out []catalog.Offer
	seen := map[string]bool{}
	for i := range v.Catalog.GPUs {
		g := &v.Catalog.GPUs[i]
		if seen[g.Family] || len(g.StandsFor) > 0 || g.BF16TFLOPS <= 0 {
			continue
		}
		for _, n := range []int64{8, 1} {
			h := purchase.Hardware{GPU: g, GPUs: n, Market: v.Query.Market, Exchange: v.exchange()}
			month, from, ok := h.PerMonth(v.Catalog, ownMonths, v.Query.HoursPerMonth.Float())
			if !ok {
				continue
			}
			seen[g.Family] = true
			out = append(out, catalog.Offer{Provider: ownSeller, Kind: "bare_metal", GPU: g.ID, GPUKnown: true, GPUs: unit.Whole(n), Prices: []catalog.Price{{
				Purchase: catalog.Owned, Low: month.Low, High: month.High, Per: unit.PerInstanceMonth, AsOf: from.AsOf, Source: from.Source, Ref: from.Ref, Confidence: from.Confidence,
			}}})
			break
		}
	}
	return out
}

// ownedByTheMonth reports own hardware that is paid for whether it is used or
// not.
func ownedByTheMonth(t *Terms) bool {
	p := t.Quote.Price()
	return t.Quote.Purchase == catalog.Owned && p != nil && (p.Per == unit.PerInstanceMonth || p.Per == unit.PerGPUMonth)
}

// ownedMonths bills own hardware: every month of it, used or not.
func ownedMonths(t *Terms, w *Work) (Bill, error) {
	b, err := wholeMonths(t, w)
	if t.Quote.Provider == ownSeller {
		b.Warnings = append(b.Warnings, NewWarning(WarnOwned, ownMonths))
	}
	return b, err
}

// Flip is what would make the runner-up the winner.
type Flip struct {
	By       string  `json:"by"` // price, interruptions or volume
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"` // percent, per hour, runs a month
	Provider string  `json:"provider"`
	Purchase string  `json:"purchase"`
	Rank     int     `json:"rank"`
}

// flips says what would make another row the best: a higher price of the winner,
// more interruptions of it, or more use of what is paid by the month.
func (v *evaluator) flips(a *Answer) []Flip {
	if len(a.Estimates) < 2 {
		return nil
	}
	best, second := &a.Estimates[0], &a.Estimates[1]
	var out []Flip
	if r, ok := money.Ratio(second.Monthly.Mid, best.Monthly.Mid); ok {
		x, _ := r.Float64()
		out = append(out, flipTo(second, "price", (x-1)*100, "percent"))
	}
	if best.spot != nil {
		if other := first(a, func(e *Estimate) bool { return e.Purchase != catalog.Spot }); other != nil {
			if rate, ok := v.interruptionsTo(best, other); ok {
				out = append(out, flipTo(other, "interruptions", rate, "1/h"))
			}
		}
	}
	if other := first(a, func(e *Estimate) bool { return e.byTheMonth() }); other != nil && !best.byTheMonth() && best.Cost.Mid.Sign() > 0 && v.Scenario.Kind != KindServe {
		if r, ok := money.Ratio(other.Monthly.Mid, best.Cost.Mid); ok {
			x, _ := r.Float64()
			out = append(out, flipTo(other, "volume", x, "runs a month"))
		}
	}
	return out
}

func flipTo(e *Estimate, by string, value float64, unit string) Flip {
	return Flip{By: by, Value: value, Unit: unit, Provider: e.Provider, Purchase: string(e.Purchase), Rank: e.Rank}
}

// byTheMonth reports a way of buying that is paid for whether used or not.
func (e *Estimate) byTheMonth() bool {
	return e.Purchase == catalog.Reserved || e.Purchase == catalog.Owned && e.Provider == ownSeller
}

func first(a *Answer, is func(*Estimate) bool) *Estimate {
	for i := range a.Estimates {
		if is(&a.Estimates[i]) {
			return &a.Estimates[i]
		}
	}
	return nil
}

// interruptionsTo is the rate at which the spot estimate costs a month what the
// other does, by halving; false where no rate below one a minute does.
func (v *evaluator) interruptionsTo(e, other *Estimate) (float64, bool) {
	t, err := v.terms(e.quote, nil)
	if err != nil {
		return 0, false
	}
	w, err := v.work(e.place)
	if err != nil {
		return 0, false
	}
	x := *e.spot
	t.Spot = &x
	costs := func(rate float64) (money.Amount, bool) {
		x.PerHour = [3]float64{rate, rate, rate}
		b, err := interrupted(t, &w)
		if err != nil {
			return money.Amount{}, false
		}
		var y Estimate
		if v.total(&y, &b, &w) != nil {
			return money.Amount{}, false
		}
		return y.Monthly.Mid, true
	}
	return rateAt(e.spot.PerHour[1], mostInterruptions, other.Monthly.Mid, costs)
}
