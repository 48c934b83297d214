package estimate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// flips says what would make another way the best: a higher price of it, more
// interruptions, or how much what is paid by the month is used.
func (f *Finished) flips() []Flip {
	if f.Best < 0 {
		return nil
	}
	var out []Flip
	best := &f.Ways[f.Best]
	if f.Second >= 0 {
		if r, ok := money.Ratio(f.Ways[f.Second].Cost.Mid, best.Cost.Mid); ok {
			x, _ := r.Float64()
			out = append(out, f.flipTo(f.Second, "price", (x-1)*100, "percent"))
		}
	}
	return append(append(out, f.rateFlip()...), f.useFlip()...)
}

// rateFlip is the rate of interruptions from which on the best, on spot, is no
// longer the best, or below which the cheapest on spot would be.
func (f *Finished) rateFlip() []Flip {
	onSpot := func(i int) bool { return f.Ways[i].spot != nil }
	if onSpot(f.Best) {
		other := f.next(func(i int) bool { return !onSpot(i) })
		if other < 0 {
			return nil
		}
		if rate, ok := f.rateTo(f.Best, f.Ways[f.Best].spot.PerHour[1], mostInterruptions, f.Ways[other].Cost.Mid); ok {
			return []Flip{f.flipTo(other, "interruptions", rate, "1/h")}
		}
		return nil
	}
	if other := f.next(onSpot); other >= 0 {
		if rate, ok := f.rateTo(other, 0, f.Ways[other].spot.PerHour[1], f.Ways[f.Best].Cost.Mid); ok {
			return []Flip{f.flipTo(other, "interruptions_below", rate, "1/h")}
		}
	}
	return nil
}

// useFlip is the share of use below which the best, paid by the month, is no
// longer the best, or from which on another one is.
func (f *Finished) useFlip() []Flip {
	if _, monthly := termOf(&f.Result.Quotes[f.Best]); monthly {
		other := f.next(func(i int) bool { return f.Ways[i].Use == nil })
		if other < 0 {
			return nil
		}
		if u, ok := f.useTo(f.Best, f.Ways[other].Cost.Mid); ok {
			return []Flip{f.flipTo(other, "use_below", u, "share")}
		}
		return nil
	}
	at, least := f.leastUse(f.asSound)
	if at < 0 {
		at, least = f.leastUse(func(int) bool { return true })
	}
	if at < 0 {
		return nil
	}
	return []Flip{f.flipTo(at, "use", least, "share")}
}

// leastUse is the way, paid by the month, that beats the best from the smallest
// share of use on; -1 where none does.
func (f *Finished) leastUse(is func(i int) bool) (at int, least float64) {
	at, least = -1, 1
	for i := range f.Ways {
		if u, ok := f.useTo(i, f.Ways[f.Best].Cost.Mid); ok && is(i) && (at < 0 || u < least) {
			at, least = i, u
		}
	}
	return at, least
}

// useTo is the share of use at which a way that is paid by the month costs so
// much: what it costs in full use, over that.
func (f *Finished) useTo(i int, cost money.Amount) (float64, bool) {
	w := &f.Ways[i]
	if w.Use == nil || !w.Cost.Known() {
		return 0, false
	}
	r, ok := money.Ratio(w.Cost.Mid, cost)
	if !ok {
		return 0, false
	}
	x, _ := r.Float64()
	x *= *w.Use
	return x, x > 0 && x <= 1
}

// asSound reports a way in no graver doubt than the best.
func (f *Finished) asSound(i int) bool { return f.Doubt(i) == "" || f.Doubt(f.Best) != "" }

// next is the cheapest way of a kind that is as sound as the best; -1 where
// there is none.
func (f *Finished) next(is func(i int) bool) int {
	for _, i := range f.byCost() {
		if f.Ways[i].Cost.Known() && f.asSound(i) && is(i) {
			return i
		}
	}
	return -1
}

func (f *Finished) flipTo(i int, by string, value float64, unit string) Flip {
	q := &f.Result.Quotes[i]
	return Flip{By: by, Value: value, Unit: unit, Provider: q.Provider, Purchase: string(q.Purchase), Rank: i + 1}
}

// mostInterruptions is the rate beyond which nobody asks, one a minute.
const mostInterruptions = 60

// rateTo is the interruptions an hour, within bounds, at which a way on spot costs
// so much.
func (f *Finished) rateTo(i int, low, high float64, cost money.Amount) (float64, bool) {
	now := f.Ways[i].spot.PerHour[1]
	return rateAt(low, high, cost, func(rate float64) (money.Amount, bool) {
		c := unchanged
		c.rate = rate / now
		w := f.rental.way(&f.Result.Quotes[i], c)
		return w.Cost.Mid, w.Cost.Known()
	})
}

// rateAt is the rate of interruptions at which a growing cost reaches another, by
// halving; false where it does not do so within the bounds. A cost that is not
// known, of work that is never done, is above all.
func rateAt(low, high float64, other money.Amount, cost func(rate float64) (money.Amount, bool)) (float64, bool) {
	less := func(rate float64) bool {
		m, ok := cost(rate)
		return ok && m.Cmp(other) < 0
	}
	if !(high > low) || !less(low) || less(high) {
		return 0, false
	}
	for range 60 {
		if mid := (low + high) / 2; less(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high, true
}

// Effects is what 10 % more of each input does to what a GPU-hour of finished
// work costs at a way, largest first.
func (f *Finished) Effects(i int) []Effect {
	base := float64(f.Ways[i].PerGPUHour.Mid.Nano())
	if base == 0 || !f.Ways[i].PerGPUHour.Known() {
		return nil
	}
	var out []Effect
	for _, x := range []struct {
		input string
		c     change
	}{
		{"price", change{1.1, 1, 1, 1, 1}},
		{"work", change{1, 1.1, 1, 1, 1}},
		{"spot.interruptions_per_hour", change{1, 1, 1.1, 1, 1}},
		{"spot.checkpoint_seconds", change{1, 1, 1, 1.1, 1}},
		{"utilisation", change{1, 1, 1, 1, 1.1}},
	} {
		w := f.rental.way(&f.Result.Quotes[i], x.c)
		pct := 100 * (float64(w.PerGPUHour.Mid.Nano()) - base) / base
		if w.PerGPUHour.Known() && math.Abs(pct) >= 0.05 {
			out = append(out, Effect{x.input, math.Round(pct*100) / 100})
		}
	}
	slices.SortStableFunc(out, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Percent), math.Abs(a.Percent)), strings.Compare(a.Input, b.Input))
	})
	return out
}

// Purchases are the ways of buying that can be compared without a workload: all
// but by the token.
func Purchases() []catalog.Purchase {
	return slices.DeleteFunc(catalog.Purchases(), func(p catalog.Purchase) bool { return p == catalog.Token })
}
