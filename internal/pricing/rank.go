package pricing

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// SortKey is one key of an order.
type SortKey struct {
	Name string
	Desc bool
	cmp  func(a, b *Quote) int // ascending; rows without a value come last
	has  func(q *Quote) bool
}

// SortNames lists the keys that --sort takes.
func SortNames() []string {
	return []string{
		"need", "price", "instance_price", "month", "price_per_gb", "price_per_pflop", "price_per_pflop_fp8", "price_per_pflop_fp4",
		"price_per_tbs", "saving", "as_of", "provider", "gpu", "region", "gpus", "memory",
	}
}

// ParseSort reads "price,-saving": keys in order, a minus for descending.
func ParseSort(text string) ([]SortKey, error) {
	var keys []SortKey
	for name := range strings.SplitSeq(text, ",") {
		k := SortKey{Name: strings.TrimPrefix(strings.TrimSpace(name), "-")}
		k.Desc = k.Name != strings.TrimSpace(name)
		if !k.bind() {
			return nil, &SortError{k.Name, catalog.Nearest(k.Name, SortNames(), 3)}
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// SortError is an unknown sort key.
type SortError struct {
	Name string
	Near []string
}

func (e *SortError) Error() string { return fmt.Sprintf("unknown sort key %q", e.Name) }

func (k *SortKey) bind() bool {
	amount := func(f func(*Quote) money.Amount) {
		k.has = func(q *Quote) bool { return f(q).Known() }
		k.cmp = func(a, b *Quote) int { return f(a).Cmp(f(b)) }
	}
	text := func(f func(*Quote) string) {
		k.has = func(q *Quote) bool { return f(q) != "" }
		k.cmp = func(a, b *Quote) int { return strings.Compare(f(a), f(b)) }
	}
	number := func(f func(*Quote) float64) {
		k.has = func(q *Quote) bool { return f(q) > 0 }
		k.cmp = func(a, b *Quote) int { return cmp.Compare(f(a), f(b)) }
	}
	switch k.Name {
	case "need":
		amount(func(q *Quote) money.Amount { return q.NeedPerHour })
	case "price":
		amount(func(q *Quote) money.Amount { return q.PerGPUHour })
	case "instance_price":
		amount(func(q *Quote) money.Amount { return q.PerInstanceHour })
	case "month":
		amount(func(q *Quote) money.Amount { return q.NeedPerMonth })
	case "provider":
		text(func(q *Quote) string { return q.Provider })
	case "gpu":
		text(func(q *Quote) string { return q.GPU })
	case "region":
		text(func(q *Quote) string { return q.Region })
	case "gpus":
		number(func(q *Quote) float64 { return q.count.Float() })
	case "memory":
		number(func(q *Quote) float64 { return deref(q.GPUMemoryGB) })
	case "as_of":
		k.has = func(q *Quote) bool { return q.asOf.Known() }
		k.cmp = func(a, b *Quote) int { return a.asOf.Compare(b.asOf) }
	case "saving":
		k.has = func(q *Quote) bool { return q.SavingPercent != nil }
		k.cmp = func(a, b *Quote) int { return cmp.Compare(*a.SavingPercent, *b.SavingPercent) }
	default:
		return k.bindRatio()
	}
	return true
}

// bindRatio binds the keys that divide the price by what the GPU offers.
func (k *SortKey) bindRatio() bool {
	var per func(q *Quote) float64
	spec := func(f func(g *catalog.GPU) float64) func(q *Quote) float64 {
		return func(q *Quote) float64 {
			if q.gpu == nil {
				return 0
			}
			return f(q.gpu)
		}
	}
	switch k.Name {
	case "price_per_gb":
		per = func(q *Quote) float64 {
			if q.count.Fraction() {
				return deref(q.GPUMemoryGB) / q.count.Float()
			}
			return deref(q.GPUMemoryGB)
		}
	case "price_per_pflop", "price_per_pflop_bf16":
		per = spec(func(g *catalog.GPU) float64 { return g.BF16TFLOPS })
	case "price_per_pflop_fp8":
		per = spec(func(g *catalog.GPU) float64 { return g.FP8TFLOPS })
	case "price_per_pflop_fp4":
		per = spec(func(g *catalog.GPU) float64 { return g.FP4TFLOPS })
	case "price_per_tbs":
		per = spec(func(g *catalog.GPU) float64 { return g.BandwidthGBs })
	default:
		return false
	}
	k.has = func(q *Quote) bool { return q.PerGPUHour.Known() && per(q) > 0 }
	k.cmp = func(a, b *Quote) int { return ratio(a, per(b)).Cmp(ratio(b, per(a))) }
	return true
}

// ratio is price x the other's capacity: cross-multiplied, so nothing is
// divided and the order is exact.
func ratio(q *Quote, otherPer float64) *big.Rat {
	r := new(big.Rat)
	r.SetFloat64(otherPer)
	return r.Mul(r, new(big.Rat).SetInt64(q.PerGPUHour.Nano()))
}

func deref[T any](p *T) (zero T) {
	if p == nil {
		return zero
	}
	return *p
}

// order sorts quotes by the keys, then by the documented tie-breakers: what
// must be paid, price per GPU, more host memory, more vCPUs, then names. It is
// a total order, and the ranks follow it; a row without a value comes last in both directions.
func order(qs []*Quote, keys []SortKey) []Quote {
	for i, q := range qs { // the order in which they came, as the last resort
		q.Rank = i
	}
	slices.SortFunc(qs, func(a, b *Quote) int {
		for i := range keys {
			if c := keys[i].compare(a, b); c != 0 {
				return c
			}
		}
		for _, compare := range tieBreakers {
			if c := compare(a, b); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.Rank, b.Rank)
	})
	out := make([]Quote, len(qs))
	for i, q := range qs {
		q.Rank = i + 1
		out[i] = *q
	}
	return out
}

func (k *SortKey) compare(a, b *Quote) int {
	switch ha, hb := k.has(a), k.has(b); {
	case !ha && !hb:
		return 0
	case !ha:
		return 1
	case !hb:
		return -1
	case k.Desc:
		return k.cmp(b, a)
	}
	return k.cmp(a, b)
}

var tieBreakers = []func(a, b *Quote) int{
	func(a, b *Quote) int { return a.NeedPerHour.Cmp(b.NeedPerHour) },
	func(a, b *Quote) int { return a.PerGPUHour.Cmp(b.PerGPUHour) },
	func(a, b *Quote) int { return cmp.Compare(deref(b.MemoryGiB), deref(a.MemoryGiB)) },
	func(a, b *Quote) int { return cmp.Compare(deref(b.VCPUs), deref(a.VCPUs)) },
	func(a, b *Quote) int { return strings.Compare(a.Provider, b.Provider) },
	func(a, b *Quote) int { return strings.Compare(a.GPU, b.GPU) },
	func(a, b *Quote) int { return cmp.Compare(a.count.Float(), b.count.Float()) },
	func(a, b *Quote) int { return strings.Compare(a.Instance, b.Instance) },
	func(a, b *Quote) int { return strings.Compare(a.Region, b.Region) },
	func(a, b *Quote) int { return strings.Compare(a.Tier, b.Tier) },
	func(a, b *Quote) int { return strings.Compare(a.Host, b.Host) },
	func(a, b *Quote) int { return cmp.Compare(a.Purchase, b.Purchase) },
	func(a, b *Quote) int { return cmp.Compare(deref(a.TermMonths), deref(b.TermMonths)) },
	func(a, b *Quote) int { return strings.Compare(a.Plan, b.Plan) },
	func(a, b *Quote) int { return b.asOf.Compare(a.asOf) },
	func(a, b *Quote) int { return strings.Compare(a.Source, b.Source) },
	func(a, b *Quote) int { return strings.Compare(a.Commitment, b.Commitment) },
	func(a, b *Quote) int { return strings.Compare(a.Scope, b.Scope) },
}
