package buying

import (
	"strings"
	"testing"
)

// The worked questions and hidden costs collected for the project; the letters
// are their case numbers, the right values were worked out by calculator.

func TestS03S04SpotRedoneOnDemand(t *testing.T) {
	r := Redo{WorkHours: 250, LostHours: 12, Spot: 1.45, OnDemand: 4.10}
	near(t, "total", r.Total(), 411.70, 1e-9)
	saving, _ := r.Saving()
	near(t, "saving", saving, 0.5983414634146342, 1e-12)
	lost, _ := r.BreakEvenLostHours()
	near(t, "break-even hours", lost, 161.58536585365854, 1e-9)
	r.LostHours = lost
	near(t, "total at the break-even", r.Total(), 1025, 1e-9)
	u, _ := Redo{WorkHours: 250, LostHours: 12}.UsefulShare()
	near(t, "useful", u, 0.954, 0.001)

	month := Redo{WorkHours: 720, LostHours: 48, Spot: 0.95, OnDemand: 2.30}
	near(t, "spot", month.Total(), 794.40, 1e-9)
	reserved := Commitment{PerHour: 1.05, TermHours: 720}
	near(t, "reserved wins by", month.Total()-reserved.Total(), 38.40, 1e-9)
	lost, _ = month.BreakEvenLostHours()
	near(t, "break-even hours", lost, 422.6, 0.05)
}

func TestS02SpotDearer(t *testing.T) {
	s, _ := Redo{WorkHours: 1, Spot: 0.49, OnDemand: 0.44}.Saving()
	near(t, "saving", s, -0.11363636363636354, 1e-12)
}

func TestW01RequestsPerMonth(t *testing.T) {
	// Priced per request: one "billed second" is one request.
	for hours, want := range map[float64]float64{720: 1_440_000, 730: 1_460_000} {
		perDay, _ := BreakEvenRequestsPerDay(4.00, 1, 0.002, 1)
		near(t, "requests a month", perDay*hours/24, want, 1e-6)
	}
}

func TestW02FlipVolume(t *testing.T) {
	host := SelfHost{PerReplicaHour: 6.40, TokensPerSecond: 3400, MinReplicas: 1, MaxReplicas: 1, HoursPerMonth: 720}
	f, err := host.FlipVolume(10)
	if err != nil || !f.Exists {
		t.Fatal(f, err)
	}
	near(t, "million tokens a month", f.TokensPerMonth/1e6, 460.8, 1e-9)
	near(t, "share of capacity", f.CapacityShare, 0.05228758169934641, 1e-12)
	m, _ := host.Month(8812.8e6)
	near(t, "per million at full load", m.PerMillion, 0.5228758169934641, 1e-12)
	onDemand, _ := PerMillionTokens(10, 3400, 1)
	near(t, "per million on demand", onDemand, 0.8169934640522876, 1e-12)
	host.HoursPerMonth = 730
	f, _ = host.FlipVolume(10)
	near(t, "with 730 h", f.TokensPerMonth/1e6, 467.2, 1e-9)
}

func TestW03OverCapacity(t *testing.T) {
	host := SelfHost{PerReplicaHour: 2.49, TokensPerSecond: 50, MinReplicas: 1, MaxReplicas: 2, HoursPerMonth: 720}
	m, err := host.Month(300e6)
	if err != nil {
		t.Fatal(err)
	}
	if !m.OverCapacity || m.PerMillion != 0 || m.Replicas != 3 || !strings.Contains(m.Reason, "115.7 %") {
		t.Errorf("%+v", m)
	}
	near(t, "load", m.BusyShare, 1.1574074074074074, 1e-12)
	near(t, "two machines", m.Cost, 3585.60, 1e-9)
	host.MaxReplicas = 0
	m, _ = host.Month(300e6)
	near(t, "three machines", m.Cost, 5378.40, 1e-9)
	near(t, "busy", m.BusyShare, 0.7716049382716049, 1e-12)
}

func TestW05BuyOrRent(t *testing.T) {
	v := Investment{Capex: 1.92e6, OpexPerYear: 728681.0 / 4, Years: 4, GPUs: 64, HoursPerYear: 8760, Use: 0.70, RentPerGPUHour: 2, DiscountRate: 0.10}
	r, err := v.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "rent", r.RentTotal, 3139584, 1e-6)
	near(t, "own", r.OwnTotal, 2648681, 1e-6)
	near(t, "saves", r.SimpleSaving, 490903, 1e-6)
	near(t, "break-even use", r.BreakEvenUse, 0.5905485249001141, 1e-12)
	near(t, "payback", r.PaybackYears, 3.18552840989455, 1e-9)
	near(t, "NPV", r.NPV, -9440.471450037789, 1e-6)
	if r.Agree {
		t.Error("saving and NPV disagree here")
	}
	v.Use = r.BreakEvenUseNPV
	if r, _ = v.Evaluate(); r.NPV > 1e-6 || r.NPV < -1e-6 {
		t.Errorf("NPV at its break-even use: %g", r.NPV)
	}
}

func TestW07ReservedIsBilledAlways(t *testing.T) {
	c := Commitment{PerHour: 1.94, TermHours: 87600}
	near(t, "100 %", c.Saving(2.69, 1), 65700, 1e-6)
	near(t, "80 %", c.Saving(2.69, 0.8), 18571.2, 1e-6)
	u, _ := c.BreakEvenUse(2.69)
	near(t, "break-even", u, 0.7211895910780669, 1e-12)
	near(t, "saving at the break-even", c.Saving(2.69, u), 0, 1e-6)
}

func TestW08Stranded(t *testing.T) {
	b, err := Stranded(12000, 8900, 4.80, 0.35)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "gross", b.Gross, 14880, 1e-9)
	near(t, "recovered", b.Recovered, 5208, 1e-9)
	near(t, "net", b.Net, 9672, 1e-9)
	near(t, "use", b.Use, 0.7416666666666667, 1e-12)
	b, _ = Stranded(6000, 5700, 3, 0)
	near(t, "second", b.Net, 900, 1e-9)
	b, _ = Stranded(100, 130, 3, 0)
	near(t, "a gap is not negative waste", b.Net, 0, 0)
	near(t, "gap", b.CoverageGapHours, 30, 1e-12)
	if _, err := Stranded(0, 1, 1, 0); err == nil {
		t.Error("no commitment accepted")
	}
}

func TestW09TokenUnits(t *testing.T) {
	for _, c := range []struct{ hour, tps, busy, want float64 }{
		{2.5, 50, 1, 13.88888888888889}, {2.5, 50, 0.1, 138.88888888888889}, {4, 150, 1, 7.407407407407407},
	} {
		got, _ := PerMillionTokens(c.hour, c.tps, c.busy)
		near(t, "per million", got, c.want, 1e-9)
		near(t, "cost per token x tokens per hour", got/1e6*c.tps*3600*c.busy, c.hour, 1e-12)
	}
}

func TestW12EighteenHours(t *testing.T) {
	o := Own{Capex: 2e6, LifeYears: 3, OpexPerMonth: 8000, GPUs: 8, DaysPerMonth: 30}
	m, err := o.PerMonth()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "own", m, 63555.555555555555, 1e-6)
	for rent, want := range map[float64]float64{28: 9.457671957671957, 1.79 * 7.2: 20.547394073154468} {
		h, _ := o.BreakEvenHoursPerDay(rent)
		near(t, "hours a day", h, want, 1e-9)
	}
	rule, _ := o.BreakEvenRent(18)
	near(t, "rent of the rule", rule, 14.711934156378602, 1e-9)
	never, _ := o.BreakEvenRent(24)
	near(t, "never below", never, 11.033950617283951, 1e-9)
	life, _ := o.BreakEvenLifeMonths(28, 18)
	near(t, "life of the rule at 28", life, 17.705382436260624, 1e-9)
}

func TestW13DecidingInput(t *testing.T) {
	for seconds, want := range map[float64]float64{0.1: 341142.857, 0.5: 68228.5714, 2: 17057.1429} {
		n, _ := BreakEvenRequestsPerDay(1.99, 1, 0.0014, seconds)
		near(t, "requests a day", n, want, 0.01)
		back, _ := BreakEvenSecondsPerRequest(1.99, 1, 0.0014, n)
		near(t, "and back", back, seconds, 1e-12)
	}
	for saving, want := range map[float64]float64{0.7: 0.10234285714285715, 0.4: 0.2046857142857143} {
		s, _ := BreakEvenSecondsPerRequest(1.99*(1-saving), 1, 0.0014, 1e5)
		near(t, "seconds for that saving", s, want, 1e-9)
		got, _ := ServerlessSaving(1e5, s, 0.0014, 1.99, 1)
		near(t, "saving", got, saving, 1e-9)
	}
}

func TestW15PerUsedHour(t *testing.T) {
	o := Own{Capex: 13500, ResaleShare: 0.25, LifeYears: 3, GPUs: 1, DaysPerMonth: 25}
	m, _ := o.PerMonth()
	near(t, "a year", 12*m, 3375, 1e-9)
	h, _ := o.PerUsedGPUHour(4) // 300 days a year
	near(t, "per used hour", h, 2.8125, 1e-12)
}

func TestH03StartUpIdleAndRounding(t *testing.T) {
	w := Worker{ColdStartSeconds: 12, IdleTimeoutSeconds: 5, ServiceSeconds: 1.2}
	s := w.AloneSeconds(Metering{IncrementSeconds: 1}, 0.25)
	near(t, "seconds a day", 2000*s, 20000, 1e-9)
	near(t, "a month", 2000*s*0.0011*30, 660, 1e-9)
}

func TestH06Idle(t *testing.T) {
	for _, c := range []struct{ price, hours, want float64 }{
		{0.736, 730, 537.28}, {0.736, 8760, 6447.36}, {32.7726, 48, 1573.0848}, {21.957642, 48, 1053.966816},
	} {
		near(t, "idle", Commitment{PerHour: c.price, TermHours: c.hours}.Waste(0), c.want, 1e-9)
	}
}

func TestH09Blocks(t *testing.T) {
	b := Blocks{BlockHours: 24, PerHour: 39.33}
	near(t, "30 h", b.Cost(30), 1887.84, 1e-9)
	near(t, "48 h", b.Cost(48), 1887.84, 1e-9)
	h, ok := b.BreakEvenHours(30, 55.04)
	if !ok {
		t.Fatal("no break-even")
	}
	near(t, "break-even", h, 34.29941860465116, 1e-9)
	if _, ok := b.BreakEvenHours(30, 30); ok {
		t.Error("blocks dearer than on-demand break even")
	}
}

func TestC04ProtectedHour(t *testing.T) {
	p := ProtectedSpot{ProtectedHours: 1, DealPrice: 10, Market: []PriceStep{{0, 10}, {0.5, 14}, {1, 12}}, BidCap: 13}
	h, err := p.Hold(2.25)
	if err != nil || h.Reclaimed {
		t.Fatal(h, err)
	}
	near(t, "total", h.Cost, 25, 1e-9)
	near(t, "last price only", h.FlatLastPrice, 27, 1e-9)
	p.ProtectedHours = 0
	h, _ = p.Hold(2.25)
	if !h.Reclaimed || h.Hours != 0.5 {
		t.Errorf("without protection: %+v", h)
	}
	near(t, "until then", h.Cost, 5, 1e-9)
	for _, bad := range [][]PriceStep{nil, {{1, 1}}, {{0, 1}, {0, 2}}} {
		p.Market = bad
		if _, err := p.Hold(1); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
}
