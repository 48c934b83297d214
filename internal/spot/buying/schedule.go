package buying

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

const hoursPerWeek = 168

// Window is a daily stretch of hours on some days, in UTC or any fixed offset.
// An end at or before the start runs over midnight.
type Window struct {
	StartHour, EndHour float64 // 0..24
	Days               [7]bool // Monday first; the day the window starts on
}

// Workdays and AllDays are the usual days of a window.
var (
	Workdays = [7]bool{true, true, true, true, true, false, false}
	AllDays  = [7]bool{true, true, true, true, true, true, true}
)

// Schedule is a set of windows that repeats every week.
type Schedule []Window

// stretch is a part of the week, in hours from Monday 00:00.
type stretch struct{ from, to float64 }

// stretches are the disjoint parts of the week the windows cover.
func (s Schedule) stretches() ([]stretch, error) {
	var all []stretch
	for _, w := range s {
		if !(w.StartHour >= 0 && w.StartHour < 24 && w.EndHour >= 0 && w.EndHour <= 24) {
			return nil, fmt.Errorf("window %g-%g must lie within 0 and 24 hours", w.StartHour, w.EndHour)
		}
		length := w.EndHour - w.StartHour
		if length <= 0 {
			length += 24
		}
		for day, on := range w.Days {
			if !on {
				continue
			}
			from := float64(24*day) + w.StartHour
			to := from + length
			all = append(all, stretch{from, math.Min(to, hoursPerWeek)})
			if to > hoursPerWeek {
				all = append(all, stretch{0, to - hoursPerWeek})
			}
		}
	}
	slices.SortFunc(all, func(a, b stretch) int {
		if a.from < b.from {
			return -1
		}
		if a.from > b.from {
			return 1
		}
		return 0
	})
	var merged []stretch
	for _, x := range all {
		if n := len(merged); n > 0 && x.from <= merged[n-1].to {
			merged[n-1].to = math.Max(merged[n-1].to, x.to)
			continue
		}
		merged = append(merged, x)
	}
	return merged, nil
}

// HoursPerWeek is how many hours of the week the windows cover, each once.
func (s Schedule) HoursPerWeek() (float64, error) {
	parts, err := s.stretches()
	sum := 0.0
	for _, p := range parts {
		sum += p.to - p.from
	}
	return sum, err
}

// Overlap is how many hours of the week both schedules cover: how much of an
// off-peak plan falls into a seller's peak.
func (s Schedule) Overlap(other Schedule) (float64, error) {
	a, err := s.stretches()
	b, err2 := other.stretches()
	if err = errors.Join(err, err2); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, x := range a {
		for _, y := range b {
			sum += math.Max(0, math.Min(x.to, y.to)-math.Max(x.from, y.from))
		}
	}
	return sum, nil
}

// Covers reports whether an hour of the week (0..168, Monday 00:00 first) is in
// a window.
func (s Schedule) Covers(hourOfWeek float64) bool {
	parts, _ := s.stretches()
	for _, p := range parts {
		if hourOfWeek >= p.from && hourOfWeek < p.to {
			return true
		}
	}
	return false
}

// Shifted is what running work only inside the windows does.
type Shifted struct {
	CostFactor float64 // cost against running at any time; below 1 is a saving
	TimeFactor float64 // calendar time against running without a break
}

// Shift moves a share of the work into the windows, whose price is windowFactor
// times the price at any time. Work that only runs inside the windows takes up to
// 168 / (hours of the windows) as long.
func (s Schedule) Shift(share, windowFactor float64) (Shifted, error) {
	hours, err := s.HoursPerWeek()
	if err != nil {
		return Shifted{}, err
	}
	if !(share >= 0 && share <= 1 && windowFactor >= 0) || hours == 0 || math.IsInf(windowFactor, 1) {
		return Shifted{}, fmt.Errorf("share %g must lie between 0 and 1, the price factor %g not be negative and the windows not be empty", share, windowFactor)
	}
	return Shifted{
		CostFactor: 1 - share + share*windowFactor,
		TimeFactor: math.Max(1, share*hoursPerWeek/hours),
	}, nil
}

// PricePoint is a price (or any cost number) that held for some hours from an
// hour of the week on.
type PricePoint struct{ HourOfWeek, Hours, Price float64 }

// PriceEvidence is what a price series says about a window.
type PriceEvidence struct {
	Mean, InsideMean float64
	Saving           float64 // of the window against the mean: negative if it is dearer
	HoursSeen        float64
	HoursInside      float64
}

// Evidence averages the series inside the windows and over all hours. Each point
// counts where it starts. False when one of the two was never seen: then there
// is no evidence, which is not the same as no saving.
func (s Schedule) Evidence(series []PricePoint) (PriceEvidence, bool) {
	parts, err := s.stretches()
	if err != nil {
		return PriceEvidence{}, false
	}
	var e PriceEvidence
	var all, inside float64
	for _, p := range series {
		e.HoursSeen += p.Hours
		all += p.Hours * p.Price
		hour := math.Mod(p.HourOfWeek, hoursPerWeek)
		for _, x := range parts {
			if hour >= x.from && hour < x.to {
				e.HoursInside += p.Hours
				inside += p.Hours * p.Price
				break
			}
		}
	}
	var ok1, ok2, ok3 bool
	e.Mean, ok1 = ratio(all, e.HoursSeen)
	e.InsideMean, ok2 = ratio(inside, e.HoursInside)
	share, ok3 := ratio(e.InsideMean, e.Mean)
	e.Saving = 1 - share
	if !ok1 || !ok2 || !ok3 {
		return PriceEvidence{}, false
	}
	return e, true
}
