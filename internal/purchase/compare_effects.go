package purchase

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/pricing"
)

// CompareEffects is what 10 % more of each input does to what must be paid an hour
// for a need, in percent, largest first: the price as listed, the disk and the
// exchange rate. Nil where the price is not known.
func CompareEffects(q *pricing.Quote, need int64, x *pricing.Exchange) []Effect {
	total := plain(q.NeedPerHour)
	if !q.NeedPerHour.Known() || total <= 0 {
		return nil
	}
	machines := plain(q.PerGPUHour) * Held(q, need)
	out := []Effect{{"price", 10 * machines / total}}
	if q.Has(pricing.WarnDisk) {
		out = append(out, Effect{"disk", 10 * (total - machines) / total})
	}
	if n := q.Native; n != nil && n.Currency != q.Currency {
		converted := machines
		if q.Has(pricing.WarnDisk) && q.Offer().DiskPrice.Currency() == n.Currency {
			converted = total
		}
		if r, ok := x.Rate(n.Currency); ok && r.Quote == n.Currency { // so many of it are one of the answer's
			out = append(out, Effect{"exchange_rate", 100 * (1/1.1 - 1) * converted / total})
		} else if ok {
			out = append(out, Effect{"exchange_rate", 10 * converted / total})
		}
	}
	slices.SortStableFunc(out, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Percent), math.Abs(a.Percent)), -strings.Compare(a.Input, b.Input))
	})
	return out
}
