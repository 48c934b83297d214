package cli

import (
	"math"
	"testing"
)

// Times, months and shares as people type them, in both languages.
func TestInputsAsTyped(t *testing.T) {
	for _, c := range []struct {
		read func(string) (float64, bool)
		text string
		want float64
	}{
		{hoursOf, "72h", 72},
		{hoursOf, "72H", 72},
		{hoursOf, "72 hours", 72},
		{hoursOf, "72小时", 72},
		{hoursOf, "1.5d", 36},
		{hoursOf, "3天", 72},
		{hoursOf, "6m", 0.1},
		{hoursOf, "90 mins", 1.5},
		{hoursOf, "6分钟", 0.1},
		{hoursOf, "1 week", 168},
		{hoursOf, "540sec", 0.15},
		{hoursOf, "540秒", 0.15},
		{hoursOf, "0", 0},
		{secondsOf, "200ms", 0.2},
		{secondsOf, "1.2", 1.2},
		{secondsOf, "2m", 120},
		{monthsOf, "36", 36},
		{monthsOf, "3y", 36},
		{monthsOf, "36个月", 36},
		{monthsOf, "3年", 36},
		{wholeNumber, "8", 8},
		{kilowatts, "10.2", 10.2},
		{kilowatts, "10.2 kW", 10.2},
		{partPercentage, "100%", 1},
		{partPercentage, "25%", 0.25},
		{fallPercentage, "-20%", -0.2},
		{fallPercentage, "25%", 0.25},
	} {
		if got, ok := c.read(c.text); !ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%q: %g %v, want %g", c.text, got, ok, c.want)
		}
	}
	for _, c := range []struct {
		read func(string) (float64, bool)
		text string
	}{
		{hoursOf, "72"},
		{hoursOf, "-3h"},
		{hoursOf, "3 fortnights"},
		{hoursOf, "1e3h"},
		{hoursOf, "h"},
		{wholeNumber, "2.5"},
		{wholeNumber, "0"},
		{kilowatts, "10200W"},
		{partPercentage, "101%"},
		{partPercentage, "0.25"},
		{fallPercentage, "100%"},
		{monthsOf, "0"},
	} {
		if got, ok := c.read(c.text); ok {
			t.Errorf("%q is taken for %g", c.text, got)
		}
	}
}
