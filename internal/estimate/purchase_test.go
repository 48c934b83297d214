package estimate_test

import (
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// Bills worked out by hand.
func TestBills(t *testing.T) {
	c, e := setup(t)
	for _, tc := range []struct {
		name, text  string
		cost, month string
	}{
		{"by the hour: 90 min are 2 h of 8 x 2.00", "kind: rent\nrent: {hours: 90min}\noffer: {gpus: 8, amount: 2, per: gpu_hour, increment_s: 3600}", "32.00", "32.00"},
		{"at least a minute: 20 s at 3.60 an hour", "kind: rent\nrent: {hours: 20s}\noffer: {amount: 3.60, per: gpu_hour, increment_s: 1, minimum_s: 60}", "0.06", "0.06"},
		{"two of eight GPUs: the machine is paid", "kind: rent\nrent: {hours: 10}\nhardware: {gpus: 2}\noffer: {gpus: 8, amount: 1, per: gpu_hour}", "80.00", "80.00"},
		{"reserved: every hour of the month", "kind: rent\nrent: {hours: 100}\noffer: {gpus: 1, amount: 1.50, per: gpu_hour, purchase: reserved}", "1095.00", "1095.00"},
		{"by the month, converted to hours", "kind: rent\nrent: {hours: 73}\noffer: {gpus: 1, amount: 1460, per: gpu_month}", "146.00", "146.00"},
		{"sessions round up each: 3 of 50 min at 6.00 an hour", "kind: rent\nrent: {hours_per_day: 0.833333333, days_per_month: 3}\nstartup: {minutes: 0, image_gb: 0}\noffer: {amount: 6, per: gpu_hour, increment_s: 3600}", "18.00", "18.00"},
		{"a start of 15 min each day", "kind: rent\nrent: {hours_per_day: 5, days_per_month: 4}\nstartup: {minutes: 15, image_gb: 0}\noffer: {amount: 4, per: gpu_hour}", "84.00", "84.00"},
		{"quarterly runs keep their data all year: 100 x 0.02 a month, three times a run", "kind: train\ntrain: {gpu_hours: 1, runs_per_month: 0.25}\nstorage: {dataset_gb: 100}\noffer: {amount: 2, per: gpu_hour, object_storage: 0.02}", "10.00", "2.50"},
		{"three years are 36 months", "kind: rent\nrent: {years: 3}\noffer: {amount: 1, per: gpu_hour}", "26280.00", "730.00"},
		{"300 requests of 2 s at 0.001, rounded up to 10 s each", "kind: serve\nserve: {requests_per_day: 10, days_per_month: 30, gpu_seconds_per_request: 2}\noffer: {amount: 0.001, per: gpu_second, increment_s: 10}", "3.00", "3.00"},
	} {
		x := answer(t, read(t, "schema: 1\n"+tc.text+"\n"), c, e)
		if len(x.Estimates) != 1 {
			t.Errorf("%s: %+v", tc.name, x.Infeasible)
			continue
		}
		b := x.Estimates[0]
		if b.Cost.Mid.String() != tc.cost || b.Monthly.Mid.String() != tc.month {
			t.Errorf("%s: %s and %s a month, want %s and %s", tc.name, b.Cost.Mid, b.Monthly.Mid, tc.cost, tc.month)
		}
		sound(t, &b)
	}
}

// Reserved machines have the hours of a month and no more.
func TestReservedHours(t *testing.T) {
	c, e := setup(t)
	a := answer(t, read(t, "schema: 1\nkind: train\ntrain: {hours: 100, runs_per_month: 8}\noffer: {amount: 1, per: gpu_hour, purchase: reserved}\n"), c, e)
	if len(a.Estimates) != 0 || len(a.Infeasible) != 1 || a.Infeasible[0].Code != "purchase" {
		t.Errorf("800 h of a month of 730: %d estimates, %+v", len(a.Estimates), a.Infeasible)
	}
}

// A price without an amount is not a price of 0, and a range is a range.
func TestRangesAndUnknown(t *testing.T) {
	c, e := setup(t)
	x := answer(t, read(t, "schema: 1\nkind: rent\nrent: {hours: 10}\noffer: {gpus: 4, low: 1, high: 3, per: gpu_hour}\n"), c, e).Estimates[0]
	if x.Cost.Low.String() != "40.00" || x.Cost.Mid.String() != "80.00" || x.Cost.High.String() != "120.00" {
		t.Errorf("range %s %s %s, want 40 80 120", x.Cost.Low, x.Cost.Mid, x.Cost.High)
	}
	a := answer(t, read(t, "schema: 1\nkind: rent\nrent: {hours: 10}\nhardware: {gpu: h100}\n"), c, e, catalog.Reserved)
	for i := range a.Estimates {
		if !a.Estimates[i].PerGPUHour.Known() {
			t.Fatal("an offer without a price is ranked")
		}
	}
	if len(a.LeftOut) == 0 {
		t.Error("nothing is said to be left out")
	}
}

// A machine is paid whole in every case, also where only the fast case leaves
// one of its GPUs idle: at least 2 x 2.50 x 730 = 3,650 a month.
func TestTheWholeMachineIsPaidInEveryCase(t *testing.T) {
	c, e := setup(t)
	floor := money.MustParse("3650", "USD")
	for _, requests := range []string{"100", "93000", "186000", "372000", "744000"} {
		x := answer(t, read(t, "schema: 1\nkind: serve\nmodel: llama-3.1-8b\nserve: {requests_per_day: "+requests+"}\noffer: {gpu: h100, gpus: 2, amount: 2.50, per: gpu_hour}\n"), c, e)
		if len(x.Estimates) != 1 {
			t.Fatalf("%s requests: %+v", requests, x.Infeasible)
		}
		if b := x.Estimates[0].Cost; b.Low.Cmp(floor) < 0 {
			t.Errorf("%s requests a day: low %s, below one machine", requests, b.Low)
		}
		sound(t, &x.Estimates[0])
	}
}
