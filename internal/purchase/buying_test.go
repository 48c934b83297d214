package purchase

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/money"
)

// Case W07: ten cards, 1.94 committed against 2.69 on demand, a year of 8,760 h.
func TestReserved(t *testing.T) {
	v := map[string]any{"reserved_per_gpu_hour": usd("1.94"), "on_demand_per_gpu_hour": usd("2.69"), "gpus": 10, "term_months": 12, "hours_per_month": 730, "use": 0.8}
	a, err := Reserve(inputs(v), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"break_even_utilisation": 0.7211895910780669, "saving_at_full_use": "65700.00", "saving_at_use": "18571.20", "commitment_total": "169944.00",
		"per_used_gpu_hour": "2.425",    // 1.94 / 0.8
		"wasted":            "33988.80", // 169944 x 0.2
	})
	// -40 % in two years is 22.54 % a year; a year's price must beat
	// 1 - (1 - 0.6^0.5)/-ln(0.6^0.5) = 11.75 %. A rise of 20 % a year asks for less than nothing.
	for fall, want := range map[float64]float64{1 - math.Sqrt(0.6): 0.11749403212, 0.4: 0.21695392441, -0.2: -0.09696298955, 1: 1} {
		a, err = Reserve(inputs(with(v, map[string]any{"decline_per_year": fall})), false)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := a.Num("market_discount_needed"); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("a fall of %g a year: %g, want %g", fall, got, want)
		}
	}
	// Leaving after 6 of 12 months for half of the rest: 3/4 of the total.
	a, err = Reserve(inputs(with(v, map[string]any{"exit_after_months": 6, "exit_fee_share": 0.5})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"exit_total": "127458.00"})
	// Dearer than on demand: never.
	a, err = Reserve(inputs(with(v, map[string]any{"reserved_per_gpu_hour": usd("3")})), false)
	if err != nil || a.Verdict != "reserved.never" {
		t.Error(a.Verdict, err)
	}
}

// Case W08: 12,000 hours committed, 8,900 used at 4.80, 35 % of the rest resold.
func TestStranded(t *testing.T) {
	v := map[string]any{
		"reserved_per_gpu_hour": usd("4.80"), "on_demand_per_gpu_hour": usd("6"), "committed_gpu_hours": 12000, "used_gpu_hours": 8900, "resold_share": 0.35,
	}
	a, err := Reserve(inputs(v), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"unused_gpu_hours": 3100.0, "stranded_gross": "14880.00", "stranded_recovered": "5208.00", "stranded_net": "9672.00",
		"utilisation": 0.7416666666666667, "coverage_gap_gpu_hours": 0.0,
	})
	a, err = Reserve(inputs(map[string]any{
		"reserved_per_gpu_hour": usd("3"), "on_demand_per_gpu_hour": usd("4"), "committed_gpu_hours": 6000, "used_gpu_hours": 5700,
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"stranded_net": "900.00", "utilisation": 0.95})
	// More used than committed is a gap to buy elsewhere, not negative waste.
	a, err = Reserve(inputs(with(v, map[string]any{"used_gpu_hours": 12500})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"coverage_gap_gpu_hours": 500.0, "stranded_net": "0.00"})
}

// Wanted: 4, 4, 2 and 1 cards for 6 h each, at 1.00 committed, 2.00 on demand. The
// third card is wanted half of the time, as often as 1 - discount.
func TestMix(t *testing.T) {
	a, err := Reserve(inputs(map[string]any{"reserved_per_gpu_hour": usd("1"), "on_demand_per_gpu_hour": usd("2"), "gpus": 1, "term_months": 12, "hours_per_month": 730}), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Mix(Demand{Units: []float64{4, 4, 2, 1}, SlotHours: 6}); err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"best_base_gpus": 4.0})
	// Two committed: 48 h at 1, and 24 h on demand at 2.
	for _, row := range a.Grids[len(a.Grids)-1].Rows {
		if row[0] == 2.0 && row[5] != usd("96") {
			t.Errorf("a base of 2 costs %v", row[5])
		}
	}
}

// Case W01: 4.00 an hour against 0.002 a request.
func TestPerRequest(t *testing.T) {
	for hours, want := range map[float64]float64{720: 1_440_000, 730: 1_460_000} {
		a, err := Serverless(inputs(map[string]any{
			"serverless_per_request": usd("0.002"), "resident_per_gpu_hour": usd("4"), "gpus": 1, "hours_per_month": hours, "seconds_per_request": 0.05,
		}), false)
		if err != nil {
			t.Fatal(err)
		}
		check(t, a, map[string]any{"break_even_requests_per_month": want, "break_even_requests_per_day": 48000.0, "busy_hours_per_month_at_break_even": want * 0.05 / 3600})
	}
}

// Case H03: start-up, idle wait and rounding are billed.
func TestHiddenSeconds(t *testing.T) {
	v := map[string]any{
		"serverless_per_second": usd("0.0011"), "resident_per_gpu_hour": usd("2"), "gpus": 1, "hours_per_month": 720, "requests_per_day": 2000,
		"seconds_per_request": 1.2, "cold_start_s": 12, "cold_share": 0.25, "idle_timeout_s": 5, "increment_s": 1,
	}
	a, err := Serverless(inputs(v), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"billed_seconds_per_day": 20000.0, // 1500 x 7 + 500 x 19
		"serverless_per_day":     "22.00", "serverless_per_month": "660.00", "naive_per_month": "79.20", "naive_factor": 20000.0 / 2400,
	})
	if len(a.Doubts) == 0 || a.Doubts[0].Code != "requests_alone" {
		t.Error(a.Doubts)
	}
}

// Case W13: a number of requests alone has no answer.
func TestSecondsDecide(t *testing.T) {
	v := map[string]any{"serverless_per_second": usd("0.0014"), "resident_per_gpu_hour": usd("1.99"), "gpus": 1, "hours_per_month": 730, "requests_per_day": 100_000}
	a, err := Serverless(inputs(v), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"break_even_requests_per_day": nil, "break_even_gpu_seconds_per_request": 0.3411428571428571, // 34114.28/1e5
		"resident_per_day": "47.76", "break_even_gpu_seconds_per_day": 34114.28571428572,
	})
	for seconds, want := range map[float64]float64{0.1: 341142.8571428572, 0.5: 68228.57142857143, 2: 17057.14285714286} {
		a, err := Serverless(inputs(with(v, map[string]any{"seconds_per_request": seconds})), false)
		if err != nil {
			t.Fatal(err)
		}
		check(t, a, map[string]any{"break_even_requests_per_day": want})
	}
	for _, row := range a.Grids[1].Rows { // 40 to 70 % hold from 0.102 to 0.205 s
		want := map[any]float64{0.7: 0.10234285714285715, 0.4: 0.2046857142857143, 0.0: 0.3411428571428571}[row[0]]
		if got, _ := row[1].(float64); math.Abs(got-want) > 1e-12 {
			t.Errorf("saving %v from %v s, want %v", row[0], got, want)
		}
	}
}

// With keep-alive, 1 s of service, 5 s idle and 5 s cold at 0.00116 against 1.79:
// about 5,000 a day, not 100,000 (spot.md, section 2).
func TestKeepAlive(t *testing.T) {
	a, err := Serverless(inputs(map[string]any{
		"serverless_per_second": usd("0.00116"), "resident_per_gpu_hour": usd("1.79"), "gpus": 1, "hours_per_month": 730,
		"seconds_per_request": 1, "cold_start_s": 5, "idle_timeout_s": 5, "requests_per_day": 1000,
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := a.Num("break_even_requests_per_day")
	saved, _ := a.Num("saving")
	cold, _ := a.Num("cold_share")
	if n < 5000 || n > 5500 || math.Abs(saved-0.73) > 0.02 || math.Abs(cold-0.94) > 0.005 {
		t.Errorf("break-even %v, saving %v, cold %v", n, saved, cold)
	}
	if err := a.Fleet(1, 0, 0); err != nil {
		t.Fatal(err)
	}
	if c, _ := a.Num("fleet.cold_share"); c < 0.9 || c > 0.97 {
		t.Error("fleet", c)
	}
}

// Case W02: four H100 at 6.40 and 3,400 tokens/s against 10.00 per million.
func TestTokens(t *testing.T) {
	v := map[string]any{"api_per_mtok": usd("10"), "replica_per_hour": usd("6.40"), "tokens_per_second": 3400, "hours_per_month": 720}
	a, err := API(inputs(v), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"break_even_tokens_per_month": 460.8e6, "break_even_tokens_per_day": 15.36e6, "break_even_capacity_share": 0.05228758169934641,
		"self_host_per_mtok_at_full_load": "0.522875817", "replica_tokens_per_month": 8812.8e6,
	})
	// The break-even does not change with utilisation while one replica is enough.
	b, err := API(inputs(with(v, map[string]any{"busy_share": 0.5})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, b, map[string]any{"break_even_tokens_per_month": 460.8e6})
	// 8:2 of input and output at 1 and 6: 2.00.
	b, err = API(inputs(with(v, map[string]any{"api_per_mtok": nil, "api_input_per_mtok": usd("1"), "api_output_per_mtok": usd("6"), "input_share": 0.8, "output_share": 0.2})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, b, map[string]any{"api_per_mtok": "2.00", "break_even_tokens_per_month": 2304e6})
}

// Case W03: 300 million tokens a month at 50 tokens/s need three cards; two have
// no price for it.
func TestOverCapacity(t *testing.T) {
	v := map[string]any{"api_per_mtok": usd("10"), "replica_per_hour": usd("2.49"), "tokens_per_second": 50, "hours_per_month": 720, "max_replicas": 2, "tokens_per_day": 10e6}
	a, err := API(inputs(v), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"load_share": 1.1574074074074074, "self_host_per_month": nil, "self_host_per_mtok": nil, "replicas": 3.0})
	if last := a.Doubts[len(a.Doubts)-1]; last.Code != "over_capacity" {
		t.Error(a.Doubts)
	}
	a, err = API(inputs(with(v, map[string]any{"max_replicas": 3})), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"self_host_per_month": "5378.40", "load_share": 0.7716049382716049})
}

// Laws: break-evens solve their own equations to 1e-9; a commitment at full use
// costs the list commitment.
func TestBreakEvenLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		price := func(name string) money.Amount {
			return money.FromNano(rapid.Int64Range(1e7, 1e11).Draw(t, name), "USD")
		}
		od, res := price("od"), price("reserved")
		a, err := Reserve(inputs(map[string]any{"reserved_per_gpu_hour": res, "on_demand_per_gpu_hour": od, "gpus": 1, "term_months": 12, "hours_per_month": 730, "use": 1.0}), false)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := a.Num("break_even_utilisation")
		if math.Abs(u*plain(od)/plain(res)-1) > 1e-9 {
			t.Fatalf("use %v", u)
		}
		if each := a.Figure("per_used_gpu_hour").Value; each != res {
			t.Fatalf("at full use %v, list %v", each, res)
		}
		perSecond := money.FromNano(rapid.Int64Range(1e4, 1e8).Draw(t, "ps"), "USD")
		v := map[string]any{
			"serverless_per_second": perSecond, "resident_per_gpu_hour": od, "gpus": 1, "hours_per_month": 730,
			"seconds_per_request": rapid.Float64Range(0.01, 20).Draw(t, "s"), "cold_start_s": rapid.Float64Range(0, 30).Draw(t, "cold"), "idle_timeout_s": rapid.Float64Range(0, 60).Draw(t, "idle"),
		}
		b, err := Serverless(inputs(v), false)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := b.Num("break_even_requests_per_day"); ok {
			b, err = Serverless(inputs(with(v, map[string]any{"requests_per_day": n})), false)
			if err != nil {
				t.Fatal(err)
			}
			if s, _ := b.Num("saving"); math.Abs(s) > 1e-9 {
				t.Fatalf("at %v requests serverless saves %v", n, s)
			}
		}
	})
}
