package history

import (
	"math/big"
	"slices"
	"sort"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// MaxRateAge is the age, in days, from which a rate is too old to convert a
// price: over a long weekend a rate is 4 days old, never 10.
const MaxRateAge = 10

// rates looks exchange rates up by pair and day.
type rates struct {
	pairs map[[2]money.Currency][]datedRate // oldest first
	via   []money.Currency                  // every currency there is
}

type datedRate struct {
	on    catalog.Date
	value *big.Rat
}

func newRates(list []catalog.FXRate) *rates {
	r := &rates{pairs: map[[2]money.Currency][]datedRate{}}
	for i := range list {
		f := &list[i]
		if f.Value <= 0 || !f.AsOf.Known() || f.Base == f.Quote {
			continue
		}
		there, back := [2]money.Currency{f.Base, f.Quote}, [2]money.Currency{f.Quote, f.Base}
		r.pairs[there] = append(r.pairs[there], datedRate{f.AsOf, big.NewRat(int64(f.Value), 1e9)})
		r.pairs[back] = append(r.pairs[back], datedRate{f.AsOf, big.NewRat(1e9, int64(f.Value))})
	}
	seen := map[money.Currency]bool{}
	for pair, list := range r.pairs {
		slices.SortStableFunc(list, func(a, b datedRate) int { return a.on.Compare(b.on) })
		if !seen[pair[0]] {
			seen[pair[0]] = true
			r.via = append(r.via, pair[0])
		}
	}
	slices.Sort(r.via)
	return r
}

// on is the number of units of to for one of from on a day: of the newest
// rate on or before it, direct or inverse, else crossed through the one other
// currency that has the newest rates. The date is the older one of a cross.
func (r *rates) on(from, to money.Currency, day time.Time) (*big.Rat, catalog.Date, bool) {
	on := catalog.DateOf(day.UTC())
	if from == to {
		return big.NewRat(1, 1), on, true
	}
	best, found := r.direct(from, to, on)
	for _, via := range r.via {
		if found {
			break
		}
		a, okA := r.direct(from, via, on)
		b, okB := r.direct(via, to, on)
		if !okA || !okB {
			continue
		}
		if b.on.Compare(a.on) < 0 {
			a.on = b.on
		}
		if best.value == nil || a.on.Compare(best.on) > 0 {
			best = datedRate{a.on, new(big.Rat).Mul(a.value, b.value)}
		}
	}
	if best.value == nil || best.on.DaysUntil(on) >= MaxRateAge {
		return nil, catalog.Date{}, false
	}
	return best.value, best.on, true
}

func (r *rates) direct(from, to money.Currency, on catalog.Date) (datedRate, bool) {
	list := r.pairs[[2]money.Currency{from, to}]
	after := sort.Search(len(list), func(i int) bool { return list[i].on.Compare(on) > 0 })
	if after == 0 {
		return datedRate{}, false
	}
	return list[after-1], true
}

// rounded makes an amount of x units, half to even at a nano-unit; false when
// it does not fit.
func rounded(x *big.Rat, c money.Currency) (money.Amount, bool) {
	num := new(big.Int).Mul(x.Num(), big.NewInt(1e9))
	q, r := new(big.Int).DivMod(num, x.Denom(), new(big.Int)) // Euclidean: 0 <= r < denominator
	if twice := r.Lsh(r, 1).Cmp(x.Denom()); twice > 0 || twice == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsInt64() {
		return money.Amount{}, false
	}
	return money.FromNano(q.Int64(), c), true
}

func rational(a money.Amount) *big.Rat { return big.NewRat(a.Nano(), 1e9) }
