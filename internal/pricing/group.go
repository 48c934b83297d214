package pricing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
)

// Group is the quotes that share a GPU, provider or region.
type Group struct {
	Key           string         `json:"key"`
	Offers        int            `json:"offers"`
	Priced        int            `json:"priced"`
	Providers     int            `json:"providers"`
	Currency      money.Currency `json:"currency"`
	PerGPUHourLow money.Amount   `json:"price_per_gpu_hour_low"`
	PerGPUHourHi  money.Amount   `json:"price_per_gpu_hour_high"`
	Best          *Quote         `json:"best"`
}

// GroupNames lists what --group-by takes.
func GroupNames() []string { return []string{"gpu", "provider", "region"} }

// GroupBy groups ranked quotes; the group with the best rank comes first. The
// low and high are those of the members' own ranges.
func GroupBy(qs []Quote, by string) ([]Group, error) {
	if !slices.Contains(GroupNames(), by) {
		return nil, fmt.Errorf("unknown group %q, want %s", by, strings.Join(GroupNames(), ", "))
	}
	at := map[string]int{}
	seen := map[[2]string]bool{}
	var out []Group
	for i := range qs {
		q := &qs[i]
		key := map[string]string{"gpu": q.GPU, "provider": q.Provider, "region": q.Region}[by]
		n, known := at[key]
		if !known {
			n, at[key] = len(out), len(out)
			out = append(out, Group{Key: key, Currency: q.Currency, Best: q})
		}
		g := &out[n]
		g.Offers++
		if !seen[[2]string{key, q.Provider}] {
			seen[[2]string{key, q.Provider}] = true
			g.Providers++
		}
		if q.PerGPUHour.Known() {
			g.Priced++
			if g.PerGPUHourLow.Cmp(q.PerGPUHourLow) > 0 {
				g.PerGPUHourLow = q.PerGPUHourLow
			}
			if !g.PerGPUHourHi.Known() || q.PerGPUHourHigh.Cmp(g.PerGPUHourHi) > 0 {
				g.PerGPUHourHi = q.PerGPUHourHigh
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Group) int { return cmp.Compare(a.Best.Rank, b.Best.Rank) })
	return out, nil
}
