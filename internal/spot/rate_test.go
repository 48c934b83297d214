package spot

import (
	"math"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: got %.12g, want %.12g within %g", what, got, want, tolerance)
	}
}

func TestParseRate(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{
		{"5%/hour", 0.051293294387550536},
		{" 30 % / h ", 0.35667494393873234},
		{"30%/day", 0.014861455997447181},
		{"30%/month", 0.0004885958136147018},
		{"7%/week", -math.Log(0.93) / 168},
		{"0%/hour", 0},
		{"mtbf 20h", 0.05},
		{"mtbf=2d", 1.0 / 48},
		{"MTBF 90m", 1 / 1.5},
	} {
		r, err := ParseRate(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		near(t, c.text, r.PerHour, c.want, 1e-12)
	}
}

func TestParseRateRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"5%", "no window (hour, day or month): per hour, day and month it means one interruption every 19.5, 468 or 14232 hours; write 5%/hour, 5%/day or 5%/month"},
		{"100%", "no window"},
		{"5", "not a percentage"},
		{"5/hour", "not a percentage"},
		{"5%/year", "not hour, day, week or month"},
		{"100%/hour", "below 1"},
		{"-5%/hour", "not a number"},
		{"NaN%/hour", "not a number"},
		{"0x5%/hour", "not a number"},
		{"", "not a number"},
		{"mtbf", "a unit"},
		{"mtbf 20", "a unit"},
		{"mtbf 0h", "above 0"},
		{strings.Repeat("5", 100), "too long"},
	} {
		if _, err := ParseRate(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.text, err, c.want)
		}
	}
}

func TestParseRates(t *testing.T) {
	for _, text := range []string{"5..30%/hour", "5%-30%/h", " 5 - 30 % / hour", "5%..30%/hour"} {
		r, err := ParseRates(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		near(t, text, r[0].PerHour, 0.051293294387550536, 1e-15) // -ln 0.95
		near(t, text, r[1].PerHour, 0.19237189264745613, 1e-15)  // -ln 0.825
		near(t, text, r[2].PerHour, 0.35667494393873234, 1e-15)  // -ln 0.7
	}
	for text, hours := range map[string]float64{"5%/小时": 1, "5%/天": 24, "5%/周": 168, "5%/月": 730} {
		r, err := ParseRates(text)
		if err != nil {
			t.Error(err)
		}
		near(t, text, r[1].PerHour, 0.051293294387550536/hours, 1e-15)
	}
	one, err := ParseRates("5%/day")
	if err != nil || one[0] != one[2] {
		t.Error(one, err)
	}
	for text, want := range map[string]string{
		"5-30%": "write 5-30%/hour", "30..5%/hour": "not a range", "5..30/hour": "not a range", "5..%/hour": "not a range", "5..100%/hour": "below 1", "-5%/hour": "not a number", "5..30%/fortnight": "not hour",
	} {
		if r, err := ParseRates(text); err == nil || !strings.Contains(err.Error(), want) || r != ([3]Rate{}) {
			t.Errorf("%q: %v %v, want %q", text, r, err, want)
		}
	}
}

func FuzzParseRates(f *testing.F) {
	for _, s := range []string{"5%", "5..30%/hour", "5-30%/d", "..%/h", "5%-", "1..2..3%/h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRates(s)
		if err == nil && !(r[0].PerHour >= 0 && r[0].PerHour <= r[1].PerHour && r[1].PerHour <= r[2].PerHour && !math.IsInf(r[2].PerHour, 1)) {
			t.Errorf("%q gives %v", s, r)
		}
	})
}

func FuzzParseRate(f *testing.F) {
	for _, s := range []string{"5%", "5%/hour", "30%/day", "mtbf 20h", "1e9%/h", "%/", "9.9.9%/h", "mtbf .h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRate(s)
		if err == nil && (!(r.PerHour >= 0) || math.IsInf(r.PerHour, 1)) {
			t.Errorf("%q gives rate %g", s, r.PerHour)
		}
		if err != nil && r != (Rate{}) {
			t.Errorf("%q: an error with a rate", s)
		}
	})
}

func TestBuckets(t *testing.T) {
	b, err := AWSBucket(4)
	if err != nil || !b.OpenTop || b.Note == "" {
		t.Fatalf("top bucket: %+v, %v", b, err)
	}
	near(t, ">20 % a month", b.Low.PerHour, 0.0003056760976906983, 1e-15)
	b, _ = AWSBucket(1)
	near(t, "5 % a month", b.Low.PerHour, -math.Log(0.95)/730, 1e-15)
	near(t, "10 % a month", b.High.PerHour, -math.Log(0.90)/730, 1e-15)
	if _, err := AWSBucket(5); err == nil {
		t.Error("bucket 5 accepted")
	}
	a, err := AzureEviction(5, 10)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "5 % within the next hour", a.Low.PerHour, 0.051293294387550536, 1e-15)
	if a, _ = AzureEviction(20, 0); !a.OpenTop || math.Abs(a.Low.PerHour-0.22314355131420976) > 1e-12 {
		t.Errorf("20+: %+v", a)
	}
	if _, err := AzureEviction(10, 5); err == nil {
		t.Error("upside-down range accepted")
	}
}

func TestRate(t *testing.T) {
	r := Rate{0.02}
	for _, c := range []struct {
		nodes     int
		rho, want float64
	}{{1, 0, 0.02}, {8, 0, 0.16}, {8, 1, 0.02}, {4, 0.5, 0.05}} {
		g, err := r.Gang(c.nodes, c.rho)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "gang", g.PerHour, c.want, 1e-15)
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := r.Gang(2, bad); err == nil {
			t.Errorf("correlation %g accepted", bad)
		}
	}
	if _, err := r.Gang(0, 1); err == nil {
		t.Error("gang of 0 accepted")
	}
	if _, ok := (Rate{}).MTBFHours(); ok {
		t.Error("no interruptions have a mean time between them")
	}
	m, _ := r.MTBFHours()
	near(t, "MTBF", m, 50, 1e-12)
	near(t, "within 6 h", (Rate{0.051293294387550536}).Within(6), 0.264908109375, 1e-12)
}
