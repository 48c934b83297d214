package catalog

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// gpuHour is a price's low end per GPU-hour in its own currency; false when it
// cannot be said.
func gpuHour(o *Offer, p *Price) (money.Amount, bool) {
	num, den := int64(1), int64(1)
	switch p.Per {
	case unit.PerGPUSecond:
		num = 3600
	case unit.PerGPUMonth, unit.PerInstanceMonth:
		den = unit.HoursPerMonth
	case unit.PerInstanceTerm:
		den = unit.HoursPerMonth * int64(p.TermMonths)
	}
	if p.Per.Instance() {
		num, den = num*o.GPUs.Den, den*o.GPUs.Num
	}
	if !p.Known() || den == 0 || num == 0 {
		return money.Amount{}, false
	}
	a, err := p.Low.MulFrac(num, den)
	return a, err == nil
}

// usd converts with the newest rate of the catalog.
func (l *linter) usd(a money.Amount) (money.Amount, bool) {
	if a.Currency() == "USD" {
		return a, true
	}
	var best *FXRate
	for i := range l.c.FX {
		r := &l.c.FX[i]
		if (r.Base == "USD" && r.Quote == a.Currency() || r.Quote == "USD" && r.Base == a.Currency()) && (best == nil || r.AsOf.Compare(best.AsOf) > 0) {
			best = r
		}
	}
	if best == nil {
		return money.Amount{}, false
	}
	out, err := best.Convert(a)
	return out, err == nil && out.Known()
}

// markets gathers the newest on-demand price of every offer by GPU.
func (l *linter) markets() {
	l.market = map[string][]level{}
	for i := range l.c.Offers {
		o := &l.c.Offers[i]
		if usd, ok := l.newest(o, Term{Purchase: OnDemand}); ok {
			l.market[o.GPU] = append(l.market[o.GPU], level{usd, o})
		}
	}
	for _, m := range l.market {
		slices.SortStableFunc(m, func(a, b level) int { return a.usd.Cmp(b.usd) })
	}
}

// newest is the newest price of a term in USD per GPU-hour.
func (l *linter) newest(o *Offer, t Term) (money.Amount, bool) {
	var best *Price
	for i := range o.Prices {
		if p := &o.Prices[i]; p.Term() == t && p.Known() && !p.Free && (best == nil || newestFirst(p, best) < 0) {
			best = p
		}
	}
	if best == nil {
		return money.Amount{}, false
	}
	a, ok := gpuHour(o, best)
	if !ok {
		return a, false
	}
	return l.usd(a)
}

// median is the middle of what the other offers of a GPU cost on demand; false
// when there are fewer than two, or two that are a factor of 2 apart.
func (l *linter) median(o *Offer) (money.Amount, bool) {
	m := slices.DeleteFunc(slices.Clone(l.market[o.GPU]), func(x level) bool { return x.offer == o })
	if len(m) < 2 || len(m) == 2 && !within(m[0].usd, m[1].usd, 200) {
		return money.Amount{}, false
	}
	r, err := money.Between(m[(len(m)-1)/2].usd, m[len(m)/2].usd)
	return r.Mid, err == nil && r.Mid.Sign() > 0
}

// The limits of a price against the on-demand median of its GPU, in
// hundredths. Spot goes far below and reservations may.
const highest = 500

func lowest(p Purchase) int64 {
	switch p {
	case Spot:
		return 5
	case Reserved:
		return 10
	}
	return 20
}

// level compares a price with what others ask for the same GPU.
func (l *linter) level(o *Offer, p *Price) {
	if p.Purchase == Serverless || p.Purchase == Owned || p.Free || p.Scope == ScopeGPUOnly || o.GPUs.Fraction() {
		return
	}
	a, ok := gpuHour(o, p)
	usd, okUSD := l.usd(a)
	median, okMedian := l.median(o)
	if !ok || !okUSD || !okMedian {
		return
	}
	r, _ := money.Ratio(usd, median)
	if r == nil {
		return
	}
	inside := r.Cmp(big.NewRat(lowest(p.Purchase), 100)) >= 0 && r.Cmp(big.NewRat(highest, 100)) <= 0
	if n := o.GPUs.Num; n >= 4 && p.Purchase == OnDemand && p.Per.Instance() == (r.Cmp(big.NewRat(1, 1)) < 0) && about(r, n, inside) {
		hint := "perhaps it is the price of the whole instance"
		if p.Per.Instance() {
			hint = "perhaps it is the price of one GPU"
		}
		l.warn(p.Pos, o, "per-gpu-or-instance", hint, "%s USD per GPU-hour is a factor of %s from the median %s, about the number of GPUs", usd.Round(4), ratio(usd, median), median.Round(2))
		return
	}
	if inside {
		return
	}
	l.warn(p.Pos, o, "far-from-median", "", "%s: %s USD per GPU-hour is a factor of %s from the median of the others, %s", p.Term(), usd.Round(4), ratio(usd, median), median.Round(2))
}

// about reports a ratio, or its inverse, close to n: within 10 % where the
// price may as well be right, else between 2/3 and 3/2 of n.
func about(r *big.Rat, n int64, strict bool) bool {
	if r.Cmp(big.NewRat(1, 1)) < 0 {
		r = new(big.Rat).Inv(r)
	}
	low, high := big.NewRat(2*n, 3), big.NewRat(3*n, 2)
	if strict {
		low, high = big.NewRat(9*n, 10), big.NewRat(11*n, 10)
	}
	return r.Cmp(low) >= 0 && r.Cmp(high) <= 0
}

// families finds a machine that costs less in total than a smaller one of the
// same provider, GPU, region, tier and way of buying.
func (l *linter) families() {
	type family struct {
		provider, gpu, region, tier string
		term                        Term
		currency                    money.Currency
	}
	type machine struct {
		o     *Offer
		p     *Price
		total money.Amount
	}
	all := map[family][]machine{}
	for i := range l.c.Offers {
		o := &l.c.Offers[i]
		if o.Kind == "marketplace" || !o.GPUs.Known() {
			continue
		}
		newest := map[Term]*Price{}
		for j := range o.Prices {
			p := &o.Prices[j]
			if best := newest[p.Term()]; p.Known() && !p.Free && (best == nil || newestFirst(p, best) < 0) {
				newest[p.Term()] = p
			}
		}
		for t, p := range newest {
			each, ok := gpuHour(o, p)
			total, err := each.MulFrac(o.GPUs.Num, o.GPUs.Den)
			if ok && err == nil {
				f := family{o.Provider, o.GPU, o.Region, o.Tier, t, total.Currency()}
				all[f] = append(all[f], machine{o, p, total})
			}
		}
	}
	for _, ms := range all {
		slices.SortStableFunc(ms, func(a, b machine) int {
			return cmp.Or(cmp.Compare(a.o.GPUs.Float(), b.o.GPUs.Float()), strings.Compare(a.o.Instance, b.o.Instance))
		})
		for i, big := range ms {
			for _, small := range ms[:i] {
				if small.o.GPUs.Float() < big.o.GPUs.Float() && big.total.Cmp(small.total) < 0 && near(small.p, big.p) {
					l.warn(big.p.Pos, big.o, "larger-is-cheaper", "", "%s: %s GPUs cost %s an hour, less than %s GPUs at %s (%s)",
						big.p.Term(), big.o.GPUs, big.total, small.o.GPUs, small.total, cmp.Or(small.o.Instance, small.o.title()))
					break
				}
			}
		}
	}
}
