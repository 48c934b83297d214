package purchase

import (
	"math"
	"testing"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot"
)

// Case C04: an hour protected at 10, the market at 10, from 0.5 h 14, from 1 h 12;
// the cap of 13 does not count while protected.
func TestProtectedHour(t *testing.T) {
	in := inputs(map[string]any{"until_hours": 2.25, "protected_hours": 1, "deal_per_hour": cny("10"), "cap_per_hour": cny("13")})
	a, err := Hold(in, []Step{{0, cny("10")}, {0.5, cny("14")}, {1, cny("12")}})
	if err != nil {
		t.Fatal(err)
	}
	check(t, a, map[string]any{
		"cost": "25.00", "held_hours": 2.25, "reclaimed": false, "cost_at_last_price": "27.00", // 1 x 10 + 1.25 x 12; 2.25 x 12
		"reclaimed_without_protection": true, "held_hours_without_protection": 0.5,
	})
	if _, err := Hold(in, []Step{{1, cny("10")}}); err == nil {
		t.Error("a market without a price at hour 0")
	}
}

// The simulation agrees with the closed form within 5 standard errors.
func TestSimulationAgrees(t *testing.T) {
	a, err := Spot(inputs(job), Interval{}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Simulate(Interval{}, false, spot.Simulation{Runs: 20_000}); err != nil {
		t.Fatal(err)
	}
	want, _ := a.Num("billed_hours")
	got, _ := a.Num("simulated.billed_hours_mean")
	dev, _ := a.Num("simulated.billed_hours_stderr")
	if math.Abs(got-want) > 5*dev {
		t.Errorf("simulated %v +- %v, expected %v", got, dev, want)
	}
	p50, _ := a.Figure("simulated.cost_p50").Value.(money.Amount)
	p90, _ := a.Figure("simulated.cost_p90").Value.(money.Amount)
	if p50.Cmp(p90) >= 0 {
		t.Error(p50, p90)
	}
}

// One instance, up 20 h and away 5 h for ever; a job of 10 h without any overhead
// needs 10 billed hours and is delayed by at most one outage.
func TestReplayOfARegularTrace(t *testing.T) {
	runs, err := spot.ParseRuns("1x20,0x5,1x20,0x5,1x20,0x5")
	if err != nil {
		t.Fatal(err)
	}
	in := inputs(map[string]any{"work_hours": 10, "interruptions_per_hour": 0.05, "checkpoint_hours": 0, "restart_hours": 0, "gpus": 1, "spot_per_hour": usd("2"), "on_demand_per_hour": usd("4")})
	a, err := Spot(in, Interval{Hours: 1}, true, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Replay(Interval{Hours: 1}, true, []spot.Trace{{ID: "regular", GapHours: 1, Runs: runs}}, 1, 100); err != nil {
		t.Fatal(err)
	}
	row := a.Grids[len(a.Grids)-1].Rows[0]
	if row[0] != "regular" || !near(row[1].(float64), 0.8) || !near(row[2].(float64), 20) || !near(row[4].(float64), 10) {
		t.Errorf("%v", row)
	}
	if cost := row[7].(money.Amount); cost.String() != "20.00" || row[6].(float64) > 15 {
		t.Errorf("cost %v, p90 %v", cost, row[6])
	}
}

// The review's pool: CoreWeave spot, RunPod spot, Lambda on demand. Returning to
// the cheap one costs no more than rotating forward, and less than on demand.
func TestPool(t *testing.T) {
	in := inputs(map[string]any{"work_hours": 72, "interruptions_per_hour": 0.05, "checkpoint_hours": 0.1, "restart_hours": 0.15, "gpus": 1})
	law := func(h float64) spot.Law { return spot.Exponential(h) }
	members := []Member{
		{Name: "coreweave", PerHour: usd("0.82"), Up: law(20), Outage: law(2)},
		{Name: "runpod", PerHour: usd("0.79"), Up: law(10), Outage: law(2)},
		{Name: "lambda", PerHour: usd("1.99"), OnDemand: true},
	}
	a, err := Pool(in, members, Interval{}, 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	cost := map[any]money.Amount{}
	for _, row := range a.Grids[1].Rows {
		cost[row[0]] = row[2].(money.Amount)
	}
	if cost["ordered_return"].Cmp(cost["rotate"]) > 0 || cost["rotate"].Cmp(usd("143.28")) >= 0 { // 72 x 1.99
		t.Error(cost)
	}
	check(t, a, map[string]any{"on_demand_cost": "143.28"})
	if s, _ := a.Num("saving"); s < 0.3 || s > 0.6 {
		t.Error(s)
	}
	if _, err := Pool(in, nil, Interval{}, 10, 1); err == nil {
		t.Error("an empty pool")
	}
}

// A deadline with no room is kept on demand; an impossible one is said so.
func TestDeadline(t *testing.T) {
	trace, err := spot.Generate(spot.Exponential(4), spot.Exponential(2), 0.25, 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	v := map[string]any{"work_hours": 48, "deadline_hours": 60, "changeover_hours": 0.1, "gpus": 1, "spot_per_hour": usd("1"), "on_demand_per_hour": usd("3")}
	a, err := Deadline(inputs(v), trace, 1, 100, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range a.Grids[0].Rows {
		if row[9] != 0.0 {
			t.Errorf("%v misses %v", row[0], row[9])
		}
		if row[0] == "od_only" && row[1].(money.Amount).String() != "144.30" { // 48.1 x 3
			t.Errorf("on demand costs %v", row[1])
		}
	}
	if s, _ := a.Num("best_saving"); s < 0.2 {
		t.Error(s)
	}
	a, err = Deadline(inputs(with(v, map[string]any{"deadline_hours": 40})), trace, 1, 10, 4)
	if err != nil || a.Verdict != "deadline.impossible" {
		t.Error(a.Verdict, err)
	}
}
