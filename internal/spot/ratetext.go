package spot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseRate reads an interruption rate with its window: "5%/hour", "30%/day",
// "20%/month" (also h, d, w, week, mo), or "mtbf 20h" (also m, d). A percentage
// without a window is refused: 30 % per hour, per day and per month are mean
// times between interruptions of 2.8, 67 and 2,047 hours.
func ParseRate(text string) (Rate, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if len(s) > 64 {
		return Rate{}, fmt.Errorf("interruption rate of %d characters is too long", len(s))
	}
	if rest, ok := strings.CutPrefix(s, "mtbf"); ok {
		return parseMTBF(text, strings.TrimLeft(rest, " =:"))
	}
	number, window, hasWindow := strings.Cut(s, "/")
	number = strings.TrimSpace(number)
	digits, isPercent := strings.CutSuffix(number, "%")
	value, err := parseNumber(digits)
	if err != nil {
		return Rate{}, fmt.Errorf("interruption rate %q: %w; write for example 5%%/hour, 5%%/day or 5%%/month", text, err)
	}
	if !isPercent {
		return Rate{}, fmt.Errorf("interruption rate %q is not a percentage; write for example 5%%/hour, 5%%/day or 5%%/month", text)
	}
	if !hasWindow {
		return Rate{}, bareError(text, value/100)
	}
	hours, ok := windowHours(strings.TrimSpace(window))
	if !ok {
		return Rate{}, fmt.Errorf("interruption rate %q: window %q is not hour, day, week or month", text, window)
	}
	r, err := RateFromProbability(value/100, hours)
	if err != nil {
		return Rate{}, fmt.Errorf("interruption rate %q: %w", text, err)
	}
	return r, nil
}

// ParseRates reads a rate as [ParseRate] does, or a range of percentages with one
// window: "5..30%/hour", "5%-30%/hour". It returns the low, the middle (of the
// mean percentage) and the high rate; all three are equal without a range.
func ParseRates(text string) ([3]Rate, error) {
	number, window, hasWindow := strings.Cut(text, "/")
	low, high, ranged := strings.Cut(number, "..")
	if !ranged {
		low, high, ranged = strings.Cut(number, "-")
	}
	low = strings.TrimSuffix(strings.TrimSpace(low), "%")
	if !ranged || low == "" {
		r, err := ParseRate(text)
		return [3]Rate{r, r, r}, err
	}
	a, err1 := parseNumber(low)
	b, err2 := parseNumber(strings.TrimSuffix(strings.TrimSpace(high), "%"))
	if err1 != nil || err2 != nil || !strings.HasSuffix(strings.TrimSpace(high), "%") || a > b {
		return [3]Rate{}, fmt.Errorf("interruption rate %q is not a range of percentages; write for example 5..30%%/hour", text)
	}
	if !hasWindow {
		return [3]Rate{}, bareError(text, b/100)
	}
	var out [3]Rate
	for i, percent := range []float64{a, (a + b) / 2, b} {
		r, err := ParseRate(strconv.FormatFloat(percent, 'f', -1, 64) + "%/" + window)
		if err != nil {
			return [3]Rate{}, err
		}
		out[i] = r
	}
	return out, nil
}

// bareError explains a percentage without a window with the three readings.
func bareError(text string, p float64) error {
	hint := "write 5%/hour, 5%/day or 5%/month"
	if p > 0 && p < 1 {
		mtbf := -1 / math.Log1p(-p)
		hint = fmt.Sprintf("per hour, day and month it means one interruption every %.3g, %.0f or %.0f hours; write %[4]s/hour, %[4]s/day or %[4]s/month",
			mtbf, DayWindow*mtbf, MonthWindow*mtbf, strings.TrimSpace(text))
	}
	return fmt.Errorf("interruption rate %q has no window (hour, day or month): %s", text, hint)
}

func windowHours(s string) (float64, bool) {
	switch s {
	case "h", "hr", "hour", "小时", "时":
		return HourWindow, true
	case "d", "day", "天", "日":
		return DayWindow, true
	case "w", "wk", "week", "周":
		return WeekWindow, true
	case "mo", "month", "月":
		return MonthWindow, true
	}
	return 0, false
}

func parseMTBF(text, s string) (Rate, error) {
	scale := 0.0
	for _, u := range []struct {
		suffix string
		hours  float64
	}{{"h", 1}, {"d", DayWindow}, {"m", 1.0 / 60}} {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			s, scale = rest, u.hours
			break
		}
	}
	v, err := parseNumber(s)
	if err != nil || scale == 0 {
		return Rate{}, fmt.Errorf("interruption rate %q: a mean time between interruptions needs a number and a unit; write for example mtbf 20h", text)
	}
	return RateFromMTBF(v * scale)
}

// parseNumber reads a plain finite decimal: no hex, no underscores, no words.
func parseNumber(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return strconv.ParseFloat(s, 64)
}
