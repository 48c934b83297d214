package purchase

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/money"
)

func cny(s string) money.Amount { return money.MustParse(s, "CNY") }

// numbers and amounts make inputs the short way.
func inputs(values map[string]any) Inputs {
	var in Inputs
	for _, name := range keys(values) {
		switch v := values[name].(type) {
		case int:
			in.Number(name, float64(v), "", Flag(name))
		case float64:
			in.Number(name, v, "", Flag(name))
		case money.Amount:
			in.Amount(name, money.Exactly(v), "", Flag(name))
		}
	}
	return in
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func with(base, changed map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, base)
	for k, v := range changed {
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

// check compares figures: text for amounts, numbers to 1e-9.
func check(t *testing.T, a Answer, want map[string]any) {
	t.Helper()
	for name, w := range want {
		f := a.Figure(name)
		if f == nil {
			t.Errorf("no %s", name)
			continue
		}
		switch w := w.(type) {
		case nil:
			if f.Value != nil {
				t.Errorf("%s = %v, want nothing", name, f.Value)
			}
		case string:
			if got, _ := f.Value.(money.Amount); got.String() != w {
				t.Errorf("%s = %v, want %s", name, got, w)
			}
		case float64:
			if got, ok := f.Value.(float64); !ok || math.Abs(got-w) > 1e-9*math.Max(1, math.Abs(w)) {
				t.Errorf("%s = %v, want %v", name, f.Value, w)
			}
		case bool:
			if f.Value != w {
				t.Errorf("%s = %v, want %v", name, f.Value, w)
			}
		}
	}
}

// Case W12: 8 cards for 2,000,000 yuan, 8,000 a month to run, 36 months of 30 days.
var server = map[string]any{
	"capex": cny("2000000"), "gpus": 8, "opex_per_month": cny("8000"), "life_months": 36, "days_per_month": 30,
	"rent_per_gpu_hour": cny("28"), "hours_per_day": 24, "rule_hours_per_day": 18,
}

func TestRuleOfEighteenHours(t *testing.T) {
	a, err := Buy(inputs(server), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"own_per_month":                 "63555.555555556",  // 2e6/36 + 8000
		"break_even_hours_per_day":      9.457671957671957,  // /(8 x 30 x 28)
		"rule_rent_per_gpu_hour":        "14.711934156",     // /(8 x 30 x 18)
		"never_below_rent_per_gpu_hour": "11.033950617",     // /(8 x 30 x 24)
		"break_even_months":             13.048016701461378, // 2e6/(28 x 8 x 30 x 24 - 8000)
		"rent_total":                    "5806080.00",       // 28 x 8 x 360 x 24 x 3
		"own_total":                     "2288000.00",       // 2e6 + 36 x 8000
		"simple_saving":                 "3518080.00",       // the difference
		"npv":                           "3518080.00",       // without a cost of capital the same
		"break_even_use":                0.3940696649029982, // 2288000/5806080
	})
	if a.Verdict != "buy.above" {
		t.Error(a.Verdict)
	}
	// Against 1.79 dollars at 7.20: 12.888 yuan.
	a, err = Buy(inputs(with(server, map[string]any{"rent_per_gpu_hour": cny("12.888")})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"break_even_hours_per_day": 20.54739407315447})
	// At 11 yuan not even 24 hours a day are enough.
	a, err = Buy(inputs(with(server, map[string]any{"rent_per_gpu_hour": cny("11")})), false)
	if err != nil || a.Verdict != "buy.never" {
		t.Error(a.Verdict, err)
	}
}

// Case W05: the simple saving says buy, the NPV at 10 % says no.
func TestCriteriaDisagree(t *testing.T) {
	a, err := Buy(inputs(map[string]any{
		"capex": usd("1920000"), "gpus": 64, "opex_total": usd("728681"), "life_months": 48, "days_per_month": 8760.0 / 288,
		"rent_per_gpu_hour": usd("2"), "hours_per_day": 16.8, "rule_hours_per_day": 18, "cost_of_capital": 0.1,
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"rent_total": "3139584.00", "own_total": "2648681.00", "simple_saving": "490903.00",
		"break_even_use": 0.5905485249001141, "payback_years": 3.18552840989455,
	})
	npv, _ := a.Figure("npv").Value.(money.Amount)
	if got := npv.Round(6); got != "-9440.471450" {
		t.Error("npv", got)
	}
	if len(a.Doubts) == 0 || a.Doubts[0].Code != "criteria_disagree" {
		t.Error(a.Doubts)
	}
}

// Case W15: an own 4090D, used 1,200 hours a year: per used hour, not per hour of
// the calendar.
func TestUsedHours(t *testing.T) {
	a, err := Buy(inputs(map[string]any{
		"capex": cny("13500"), "gpus": 1, "life_months": 36, "days_per_month": 8760.0 / 288, "opex_per_month": cny("0"), "resale_share": 0.25,
		"rent_per_gpu_hour": cny("2"), "hours_per_day": 1200 * 24.0 / 8760, "rule_hours_per_day": 18,
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"own_per_month":             "281.25",      // 3375/12
		"own_per_used_gpu_hour":     "2.8125",      // 3375/1200
		"own_per_calendar_gpu_hour": "0.385273973", // 3375/8760
	})
}

func TestOpexFromParts(t *testing.T) {
	a, err := Buy(inputs(with(server, map[string]any{
		"opex_per_month": nil, "power_kw": 10.2, "pue": 1.3, "tariff_per_kwh": cny("0.8"), "days_per_month": 730.0 / 24, "maintenance_share": 0.05,
	})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"opex_per_month": "16077.173333333"}) // 10.2 x 1.3 x 730 x 0.8 = 7743.84, and 2e6 x 0.05/12 = 8333.33
}

// What is stated beside the running cost comes on top of it: 16,000 and 5 % of
// 2,000,000 a year are 24,333.33 a month; with 20 % resale and 8 % a year owning
// costs 78,737.80 a month (reference row J07).
func TestOpexOnTop(t *testing.T) {
	v := with(server, map[string]any{"opex_per_month": cny("16000"), "maintenance_share": 0.05, "resale_share": 0.2, "cost_of_capital": 0.08, "rent_per_gpu_hour": cny("14.71")})
	a, err := Buy(inputs(v), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"opex_per_month": "24333.333333333", "break_even_hours_per_day": 22.302799080})
	if !slices.ContainsFunc(a.Doubts, func(d Doubt) bool { return d.Code == "opex_added" }) {
		t.Error("nothing says that the parts were added:", a.Doubts)
	}
	// Over the life, from a stated total: 24 x 8,000 and 24 x 10 x 1.5 x 720 x 0.1.
	a, err = Buy(inputs(with(server, map[string]any{
		"opex_per_month": nil, "opex_total": cny("192000"), "life_months": 24, "power_kw": 10, "pue": 1.5, "tariff_per_kwh": cny("0.1"),
	})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"opex_per_month": "9080.00", "own_total": "2217920.00"})
}

// Machines that are there already cost their running alone; free rent is no
// question.
func TestEdgesOfBuying(t *testing.T) {
	a, err := Buy(inputs(with(server, map[string]any{"capex": cny("0")})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"own_per_month": "8000.00", "break_even_hours_per_day": 1.1904761904761905}) // 8000/(8 x 30 x 28)
	if _, err := Buy(inputs(with(server, map[string]any{"rent_per_gpu_hour": cny("0")})), false); err == nil || !strings.Contains(err.Error(), "rent must be above 0") {
		t.Error(err)
	}
}

// Laws: the break-even solves its own equation; dearer hardware never lowers it,
// dearer rent never raises it; at the rule's rent the rule is exactly right.
func TestBuyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{
			"capex": money.FromNano(rapid.Int64Range(1e12, 1e16).Draw(t, "capex"), "USD"), "gpus": rapid.IntRange(1, 64).Draw(t, "gpus"),
			"opex_per_month": money.FromNano(rapid.Int64Range(0, 1e14).Draw(t, "opex"), "USD"), "life_months": rapid.IntRange(6, 84).Draw(t, "life"),
			"days_per_month": 30.0, "hours_per_day": 24, "rule_hours_per_day": rapid.IntRange(1, 24).Draw(t, "rule"),
			"rent_per_gpu_hour": money.FromNano(rapid.Int64Range(1e8, 1e11).Draw(t, "rent"), "USD"),
			"resale_share":      rapid.Float64Range(0, 0.6).Draw(t, "resale"), "cost_of_capital": rapid.Float64Range(0, 0.3).Draw(t, "wacc"),
		}
		a, err := Buy(inputs(v), false)
		if err != nil {
			t.Fatal(err)
		}
		h, ok := a.Num("break_even_hours_per_day")
		month, _ := a.Figure("own_per_month").Value.(money.Amount)
		rent, _ := v["rent_per_gpu_hour"].(money.Amount)
		n, _ := v["gpus"].(int)
		if !ok || math.Abs(h*plain(rent)*float64(n)*30/plain(month)-1) > 1e-9 {
			t.Fatalf("%v hours do not pay %v", h, month)
		}
		rule, _ := a.Figure("rule_rent_per_gpu_hour").Value.(money.Amount)
		b, err := Buy(inputs(with(v, map[string]any{"rent_per_gpu_hour": rule})), false)
		if err != nil {
			t.Fatal(err)
		}
		hours, _ := v["rule_hours_per_day"].(int)
		if at, _ := b.Num("break_even_hours_per_day"); math.Abs(at-float64(hours)) > 1e-5*float64(hours) {
			t.Fatalf("at the rule's rent %v the break-even is %v", rule, at)
		}
		dearer, _ := times(v["capex"].(money.Amount), 1.5)
		b, err = Buy(inputs(with(v, map[string]any{"capex": dearer})), false)
		if more, _ := b.Num("break_even_hours_per_day"); err != nil || more < h {
			t.Fatalf("dearer hardware breaks even at %v, cheaper at %v", more, h)
		}
	})
}
