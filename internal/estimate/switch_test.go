package estimate_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// A job of 100 h on 8 cards at Acme; Beta sells the same machine.
const (
	switchRun = "schema: 1\nkind: train\ntrain: {hours: 100}\nhardware: {gpu: h100, gpus: 8}\n" +
		"storage: {checkpoint_gb: %d, checkpoints_kept: 1}\nstartup: {minutes: %d, image_gb: 0}\n"
	switchSellers = `schema: 1
as_of: 2026-11-09
source: test
providers:
  - id: here
    name: Acme
    currency: USD
    storage: [{kind: egress, amount: %s, unit: gb}, {kind: object, amount: 0, unit: gb_month}]
    offers: [{gpu: h100-sxm, gpus: 8, instance: a8, region: east, prices: [{purchase: on_demand, amount: %s, per: gpu_hour}]}]
  - id: there
    name: Beta
    currency: USD
    storage: [{kind: object, amount: 0, unit: gb_month}]
    offers: [{gpu: h100-sxm, gpus: 8, instance: b8, region: west, prices: [{purchase: on_demand, amount: %s, per: gpu_hour}]}]
`
	switchPlan = `{"schema_version":1,"command":"plan","plan":{"provider":"here","instance":"a8","region":"east","gpu":"h100-80gb-sxm",` +
		`"gpus":8,"instances":1,"purchase":"on_demand","price_per_gpu_hour":"3","currency":"USD","as_of":"2026-11-09"}}`
)

// moved is the answer for prices here and there, and what moving needs.
func moved(t failer, c *catalog.Catalog, e *estimate.Estimator, here, there, egress string, gb, minutes int) *estimate.Switch {
	t.Helper()
	c, bad := catalog.LoadOverlay(c.WithoutPrices(), "own.yaml", fmt.Appendf(nil, switchSellers, egress, here, there))
	if bad.Err() != nil {
		t.Errorf("%v", bad)
		return nil
	}
	s := read(t, fmt.Sprintf(switchRun, gb, minutes))
	current, ps := estimate.ReadCurrent("plan.json", []byte(switchPlan))
	if ps.Err() != nil {
		t.Errorf("%v", ps)
		return nil
	}
	q := query(c, catalog.OnDemand)
	q.Providers = []string{"here", "there"}
	m := &estimate.Moving{Current: current, Done: 0.4, Least: estimate.LeastSave{Amount: usd("0")}}
	w, err := estimate.MakeSwitch(&estimate.Request{Scenario: s, Catalog: c, Query: q, Estimator: e}, m)
	if err != nil {
		t.Errorf("%v", err)
	}
	return w
}

// Staying is 60 h x 8 x 3 = 1440, moving 60 h x 8 x 2 = 960 and the move: a last
// save of an hour here 24, half an hour of start there 8, an hour of reading 16,
// egress 1080 GB x 0.10 = 108; 1440 - 960 - 24 - 8 - 16 - 108 = 324.
func TestSwitchWorkedByHand(t *testing.T) {
	c, e := setup(t)
	w := moved(t, c, e, "3", "2", "0.10", 1080, 30)
	if w.Verdict != estimate.VerdictSwitch || w.Best().Moving.Mid.Cmp(usd("156")) != 0 || w.Best().Saving.Mid.Cmp(usd("324")) != 0 {
		t.Errorf("%s %v %v", w.Verdict, w.Best().Moving, w.Best().Saving)
	}
	// 156 against 8 saved with every hour.
	if w.BreakEven == nil || math.Abs(*w.BreakEven-19.5) > 1e-9 {
		t.Errorf("break-even %v", w.BreakEven)
	}
}

func TestSwitchLaws(t *testing.T) {
	c, e := setup(t)
	rapid.Check(t, func(t *rapid.T) {
		price := func(name string) int { return rapid.IntRange(50, 900).Draw(t, name) }
		cents := func(x int) string { return fmt.Sprintf("%d.%02d", x/100, x%100) }
		here, there := price("here"), price("there")
		gb, minutes := rapid.IntRange(1, 3000).Draw(t, "gb"), rapid.IntRange(0, 60).Draw(t, "minutes")
		w := moved(t, c, e, cents(here), cents(there), "0.05", gb, minutes)
		saved := savedBy(t, w)
		// Equal or dearer machines never pay, whatever the move costs.
		if there >= here && w.Switches() {
			t.Errorf("%d against %d: moves", there, here)
		}
		if w.Switches() != (saved.Sign() > 0) {
			t.Errorf("%s saves %s", w.Verdict, saved)
		}
		// A dearer move never saves more.
		if dearer := savedBy(t, moved(t, c, e, cents(here), cents(there), "0.09", gb, minutes)); dearer.Cmp(saved) > 0 {
			t.Errorf("egress 0.09 saves %s, 0.05 %s", dearer, saved)
		}
		if slower := savedBy(t, moved(t, c, e, cents(here), cents(there), "0.05", gb, minutes+30)); slower.Cmp(saved) > 0 {
			t.Errorf("half an hour more saves %s, less %s", slower, saved)
		}
	})
}

func savedBy(t failer, w *estimate.Switch) money.Amount {
	t.Helper()
	if w == nil || w.Best() == nil {
		t.Errorf("no way to move")
		return usd("0")
	}
	return w.Best().Saving.Mid
}

// What is no plan has problems that name the file, and never half a placement.
func FuzzReadCurrent(f *testing.F) {
	f.Add([]byte(switchPlan))
	f.Add([]byte(`{"schema_version":1,"command":"plan","plan":null}`))
	f.Add([]byte(`{"schema_version":1,"command":"plan","plan":{"gpus":1e9}}`))
	f.Add([]byte("schema: 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, ps := estimate.ReadCurrent("p.json", data)
		if (c == nil) != (ps.Err() != nil) {
			t.Fatalf("%v and %v", c, ps)
		}
		if c != nil && (c.Provider == "" || c.GPU == "" || c.GPUs < 1 || c.Instances < 1 || math.IsNaN(c.DeadlineHours) || c.DeadlineHours < 0) {
			t.Fatalf("%+v", c)
		}
	})
}
