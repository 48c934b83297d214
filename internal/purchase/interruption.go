package purchase

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/spot"
)

// Known is what the catalog says about a seller's interruptions.
type Known struct {
	PerHour [3]float64 // interruptions per hour of one node: low, mid, high
	Wait    [3]float64 // hours until there is capacity again, as measured
	From    Origin
	Doubts  []string
}

// Interruptions finds how often a seller takes a GPU back: what it publishes
// itself, else what was measured. Region may be empty. False when nothing is known
// with a window of time; a percentage without one is not used.
func Interruptions(c *catalog.Catalog, provider string, g *catalog.GPU, region string) (Known, bool) {
	rows := bands(c, provider, g, region)
	if len(rows) == 0 {
		return observed(spot.Observed(provider, g.Family))
	}
	k := Known{Wait: middles(waited(provider), func(o spot.Observation) float64 { return o.Outage.MeanHours }), From: Origin{Kind: "catalog", Source: rows[0].Source + ": " + rows[0].Ref, AsOf: rows[0].AsOf.String()}}
	window := spot.MonthWindow
	if rows[0].Metric == hourly {
		window = spot.HourWindow
	}
	low, high, open := 100.0, 0.0, false
	for _, r := range rows {
		low, high, open = min(low, *r.Low), max(high, *r.High), open || *r.High >= 100
	}
	if open { // an open band says no more than its lower end
		high = max(low, openBand)
		k.Doubts = append(k.Doubts, "open_band")
	}
	for i, percent := range [3]float64{low, (low + high) / 2, high} {
		r, err := spot.RateFromProbability(percent/100, window)
		if err != nil {
			return Known{}, false
		}
		k.PerHour[i] = r.PerHour
	}
	if rows[0].Metric == monthly {
		k.Doubts = append(k.Doubts, "advisor_not_mtbf")
		if of := spot.Observed(provider, ""); len(of) > 0 {
			k.PerHour[2] = max(k.PerHour[2], middles(of, func(o spot.Observation) float64 { return o.Rate().PerHour })[1])
		}
	}
	return k, true
}

// waited are the zones whose outages stand for a seller's.
func waited(provider string) []spot.Observation {
	if of := spot.Observed(provider, ""); len(of) > 0 {
		return of
	}
	return spot.Observed("gcp", "h100")
}

// The metrics that state a chance with a window of time, and where the band
// without an upper end begins, in percent.
const (
	monthly  = "interruption_band_30d"
	hourly   = "eviction_rate_bucket"
	openBand = 20.0
)

// bands are the newest rows about the GPU: of the region if there are any, else
// of no region, else of every region.
func bands(c *catalog.Catalog, provider string, g *catalog.GPU, region string) []*catalog.Interruption {
	var here, anywhere, regional []*catalog.Interruption
	for i := range c.Interruption {
		r := &c.Interruption[i]
		if r.Provider != provider || r.Metric != monthly && r.Metric != hourly || r.Low == nil || r.High == nil || !names(r.GPU, g) {
			continue
		}
		_, at, isRegional := strings.Cut(r.Unit, "region ")
		switch {
		case isRegional && region != "" && at == region:
			here = append(here, r)
		case isRegional:
			regional = append(regional, r)
		default:
			anywhere = append(anywhere, r)
		}
	}
	for _, rows := range [][]*catalog.Interruption{here, anywhere, regional} {
		if len(rows) > 0 {
			return newest(rows)
		}
	}
	return nil
}

func newest(rows []*catalog.Interruption) []*catalog.Interruption {
	slices.SortStableFunc(rows, func(a, b *catalog.Interruption) int { return b.AsOf.Compare(a.AsOf) })
	n := 1
	for n < len(rows) && rows[n].AsOf.Compare(rows[0].AsOf) == 0 {
		n++
	}
	return rows[:n]
}

// names reports whether a source's words for a GPU ("H100 (p5)", "A100-40 p4d",
// "any") mean this one.
func names(words string, g *catalog.GPU) bool {
	first, _, _ := strings.Cut(words, " ")
	if strings.EqualFold(first, "any") || strings.EqualFold(first, "all") {
		return true
	}
	if n := len(first); n <= len(g.ID) && strings.EqualFold(g.ID[:n], first) {
		rest := g.ID[n:]
		return rest == "" || rest[0] == '-' || strings.HasPrefix(rest, "gb")
	}
	return false
}

// observed describes zones by the middle eight of ten of them. The wait is such
// that the time away per hour there is that of the same share of the zones.
func observed(of []spot.Observation) (Known, bool) {
	if len(of) == 0 {
		return Known{}, false
	}
	k := Known{From: Origin{Kind: "catalog", Source: "measured: " + of[0].Source(), AsOf: of[0].From}, Doubts: []string{"measured_elsewhere"}}
	away := middles(of, func(o spot.Observation) float64 { return (1 - o.ShareUp) / o.ShareUp })
	k.PerHour = middles(of, func(o spot.Observation) float64 { return o.Rate().PerHour })
	for i := range k.Wait {
		k.Wait[i] = away[i] / k.PerHour[i]
	}
	return k, true
}

// middles are the values that one, five and nine of ten zones do not exceed.
func middles(of []spot.Observation, value func(spot.Observation) float64) [3]float64 {
	v := make([]float64, len(of))
	for i, o := range of {
		v[i] = value(o)
	}
	slices.Sort(v)
	var out [3]float64
	for i, q := range [3]int{1, 5, 9} {
		out[i] = v[min(len(v)-1, max(0, (len(v)*q+9)/10-1))]
	}
	return out
}

// StandIn is what was recorded for H100 at Google Cloud, for sellers of whom
// nothing is known.
var StandIn = sync.OnceValue(func() Known {
	k, _ := observed(spot.Observed("gcp", "h100"))
	k.From.Source = "H100 at Google Cloud, " + k.From.Source
	return k
})

// noSpotSince is how a note states that a seller no longer describes spot.
var noSpotSince = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`no spot since ([0-9-]+)`) })

// NoSpotSince is the day since when a seller's documentation has described no
// spot; false where it does or where nothing is known.
func NoSpotSince(c *catalog.Catalog, provider string) (string, bool) {
	for i := range c.Interruption {
		if r := &c.Interruption[i]; r.Provider == provider {
			if m := noSpotSince().FindStringSubmatch(r.Note); m != nil {
				return m[1], true
			}
		}
	}
	return "", false
}

// Notice is the seconds between the warning and the reclaim; false when not known.
func Notice(c *catalog.Catalog, provider string) (float64, Origin, bool) {
	for i := range c.Providers {
		if p := &c.Providers[i]; p.ID == provider && p.SpotNoticeS != nil {
			return float64(*p.SpotNoticeS), Origin{Kind: "catalog", Source: p.Source}, true
		}
	}
	for _, r := range c.Interruption {
		if r.Provider == provider && r.NoticeS != nil {
			return float64(*r.NoticeS), Origin{"catalog", r.Source, r.AsOf.String()}, true
		}
	}
	return 0, Origin{}, false
}

// FirstHourFree reports whether the seller does not bill an instance that it
// takes back within its first hour.
func FirstHourFree(c *catalog.Catalog, provider string) (Origin, bool) {
	for i := range c.Interruption {
		if r := &c.Interruption[i]; r.Provider == provider && r.Metric == "first_hour_free" {
			return Origin{"catalog", r.Source, r.AsOf.String()}, true
		}
	}
	return Origin{}, false
}

// RestartHours is how long a fresh instance takes before useful work goes on, as
// far as the catalog says.
func RestartHours(c *catalog.Catalog) ([3]float64, Origin, bool) {
	for _, r := range c.Interruption {
		if r.Metric == "restart_cost_minutes" && r.Low != nil && r.High != nil {
			return [3]float64{*r.Low / 60, (*r.Low + *r.High) / 120, *r.High / 60}, Origin{"catalog", r.Source, r.AsOf.String()}, true
		}
	}
	return [3]float64{}, Origin{}, false
}

// Protection is the seconds at the start in which a seller takes nothing back.
func Protection(c *catalog.Catalog, providers []string) (float64, Origin, bool) {
	for _, r := range c.Interruption {
		if slices.Contains(providers, r.Provider) && r.ProtectionS != nil {
			return float64(*r.ProtectionS), Origin{"catalog", r.Source, r.AsOf.String()}, true
		}
	}
	return 0, Origin{}, false
}
