package purchase

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/money"
)

// 72 h at 5 % an hour, 6 min a save, 9 min a restart, 15 min of waiting.
var job = map[string]any{
	"work_hours": 72, "interruptions_per_hour": -math.Log(0.95), "checkpoint_hours": 0.1, "restart_hours": 0.15, "wait_hours": 0.25,
	"gpus": 8, "spot_per_hour": usd("6.56"), "on_demand_per_hour": usd("16.48"),
}

// billed is the closed form: exp(lR)(sum over pieces of exp(l L) - 1)/l.
func billed(work, rate, c, r float64, pieces int) float64 {
	tau := work / float64(pieces)
	return math.Exp(rate*r) * (float64(pieces-1)*math.Expm1(rate*(tau+c)) + math.Expm1(rate*tau)) / rate
}

func TestSpot(t *testing.T) {
	a, err := Spot(inputs(job), Interval{}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	l := -math.Log(0.95)
	best, pieces := math.Inf(1), 0
	for n := 1; n < 200; n++ {
		if b := billed(72, l, 0.1, 0.15, n); b < best {
			best, pieces = b, n
		}
	}
	check(t, a, map[string]any{
		"billed_hours": best, "interruptions": best * l, "wall_hours": best * (1 + 0.25*l), "interval.used": 72 / float64(pieces),
		"interval.young": math.Sqrt(2 * 0.1 / l), "break_even_discount": 1 - 72/best, "finishes": true, "notice_fits": nil,
	})
	cost, _ := a.Figure("cost").Value.(money.Amount)
	if math.Abs(plain(cost)-6.56*best) > 1e-8 {
		t.Errorf("cost %v, want %v", cost, 6.56*best)
	}
	if each, _ := a.Figure("effective_per_gpu_hour").Value.(money.Amount); math.Abs(plain(each)-0.82*best/72) > 1e-8 {
		t.Errorf("effective %v, want %v", each, 0.82*best/72)
	}
}

// The article's rate, 30 %: per hour, day and month save 44.5, 57.9 and 59.8 % at
// 0.82 against 2.06; without checkpoints 30 % an hour never finishes (spot.md, 1.4).
func TestWindowsDecide(t *testing.T) {
	for hours, want := range map[float64]float64{1: 0.445, 24: 0.579, 730: 0.598} {
		a, err := Spot(inputs(with(job, map[string]any{"interruptions_per_hour": -math.Log(0.7) / hours})), Interval{}, false, false)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := a.Num("saving"); math.Abs(got-want) > 6e-4 {
			t.Errorf("30 %% in %v h saves %v, want %v", hours, got, want)
		}
	}
	a, err := Spot(inputs(with(job, map[string]any{"interruptions_per_hour": -math.Log(0.7)})), Interval{None: true}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if a.Verdict != "spot.never" || a.Words["reason"] == "" {
		t.Errorf("%s %v", a.Verdict, a.Words)
	}
	check(t, a, map[string]any{"finishes": false, "billed_hours": nil, "effective_per_gpu_hour": nil})
}

// 980 GB at 8 GB/s takes 122.5 s: two minutes' notice are 8.17 GB/s short of it.
func TestNotice(t *testing.T) {
	a, err := Spot(inputs(with(job, map[string]any{"checkpoint_hours": nil, "checkpoint_gb": 980, "write_gb_per_s": 8, "notice_s": 120})), Interval{}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"notice_fits": false, "notice_needs_gb_per_s": 980.0 / 120})
	a, err = Spot(inputs(with(job, map[string]any{"checkpoint_hours": nil, "checkpoint_gb": 0.3, "write_gb_per_s": 8, "notice_s": 120})), Interval{}, true, false)
	if err != nil {
		t.Fatal(err)
	}
	l := -math.Log(0.95)
	check(t, a, map[string]any{"notice_fits": true, "billed_hours": 72 * math.Exp(l*0.15), "lost_hours": 0.0})
}

// A gang of 4 at correlation 0.5 is interrupted 1 + 3 x 0.5 times as often.
func TestGang(t *testing.T) {
	a, err := Spot(inputs(with(job, map[string]any{"nodes": 4, "correlation": 0.5})), Interval{}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"mtbf_hours": 1 / (-math.Log(0.95) * 2.5)})
}

// Cases S03 and S04: lost hours stated, done again on demand.
func TestRedo(t *testing.T) {
	a, err := Redo(inputs(map[string]any{"work_hours": 250, "lost_hours": 12, "gpus": 1, "spot_per_hour": usd("1.45"), "on_demand_per_hour": usd("4.10")}), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"cost": "411.70", "on_demand_cost": "1025.00", "saved": "613.30", "saving": 0.5983414634146342, "break_even_lost_hours": 161.58536585365854,
		"useful_share": 250.0 / 262, "effective_per_gpu_hour": "1.6468",
	})
	a, err = Redo(inputs(map[string]any{
		"work_hours": 720, "lost_hours": 48, "gpus": 1, "spot_per_hour": usd("0.95"), "on_demand_per_hour": usd("2.30"), "reserved_per_hour": usd("1.05"),
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{"cost": "794.40", "on_demand_cost": "1656.00", "reserved_cost": "756.00", "reserved_saves": "38.40", "break_even_lost_hours": 422.60869565217394})
	var ways []any
	for _, row := range a.Grids[0].Rows {
		ways = append(ways, row[0])
	}
	if len(ways) != 3 || ways[0] != "reserved" || ways[1] != "spot" || ways[2] != "on_demand" {
		t.Error(ways)
	}
}

// Laws: never interrupted costs the list price; more interruptions are never
// cheaper; finished work is never cheaper than the list.
func TestSpotLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{
			"work_hours": rapid.Float64Range(1, 500).Draw(t, "work"), "checkpoint_hours": rapid.Float64Range(0.001, 1).Draw(t, "C"),
			"restart_hours": rapid.Float64Range(0, 1).Draw(t, "R"), "gpus": 1, "spot_per_hour": usd("1"), "on_demand_per_hour": usd("2"),
		}
		cost := func(rate float64) (money.Amount, bool) {
			a, err := Spot(inputs(with(v, map[string]any{"interruptions_per_hour": rate})), Interval{}, false, false)
			if err != nil {
				t.Fatal(err)
			}
			c, ok := a.Figure("cost").Value.(money.Amount)
			return c, ok
		}
		list, _ := times(usd("1"), v["work_hours"].(float64))
		if c, ok := cost(0); !ok || c != list {
			t.Fatalf("never interrupted costs %v, the list %v", c, list)
		}
		rate := rapid.Float64Range(1e-5, 1).Draw(t, "rate")
		less, ok1 := cost(rate)
		more, ok2 := cost(rate * 1.3)
		if ok2 && (!ok1 || more.Cmp(less) < 0 || less.Cmp(list) < 0) {
			t.Fatalf("list %v, at %v %v, at 1.3 times that %v", list, rate, less, more)
		}
	})
}
