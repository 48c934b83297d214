package pricing

import (
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

func usd(s string) money.Amount { return money.MustParse(s, "USD") }
func cny(s string) money.Amount { return money.MustParse(s, "CNY") }

func quantity(t *testing.T, s string) money.Quantity {
	t.Helper()
	q, err := money.ParseQuantity(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func must(t *testing.T) func(money.Amount, error) string {
	return func(a money.Amount, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a.String()
	}
}

// Every row can be checked with a calculator.
func TestHour(t *testing.T) {
	month := money.WholeQuantity(unit.HoursPerMonth)
	for _, tc := range []struct {
		amount    string
		per       unit.Per
		gpus      unit.Count
		months    int
		gpu, inst string
		what      string
	}{
		{"55.04", unit.PerInstanceHour, unit.Whole(8), 0, "6.88", "55.04", "55.04/8"},
		{"6.88", unit.PerGPUHour, unit.Whole(8), 0, "6.88", "55.04", "6.88x8"},
		{"0.908", unit.PerInstanceHour, unit.Count{Num: 1, Den: 3}, 0, "2.724", "0.908", "a third of a card: 0.908x3"},
		{"1460", unit.PerInstanceMonth, unit.Whole(1), 0, "2.00", "2.00", "1460/730"},
		{"0.0014", unit.PerGPUSecond, unit.Whole(1), 0, "5.04", "5.04", "0.0014x3600"},
		{"17520", unit.PerInstanceTerm, unit.Whole(2), 12, "1.00", "2.00", "17520/12/730, /2"},
		{"2", unit.PerGPUHour, unit.Count{}, 0, "2.00", "", "size not stated: no instance price"},
		{"16", unit.PerInstanceHour, unit.Count{}, 0, "", "16.00", "size not stated: no price per GPU"},
	} {
		p := &catalog.Price{Low: usd(tc.amount), High: usd(tc.amount), Per: tc.per, TermMonths: tc.months}
		h, err := Hour(p, tc.gpus, month)
		if err != nil || h.PerGPU.Mid.String() != tc.gpu || h.PerInstance.Mid.String() != tc.inst {
			t.Errorf("%s: per GPU %q, per instance %q, %v; want %q, %q", tc.what, h.PerGPU.Mid, h.PerInstance.Mid, err, tc.gpu, tc.inst)
		}
	}
	if _, err := Hour(&catalog.Price{Low: usd("1"), High: usd("1"), Per: "hour"}, unit.Whole(1), month); err == nil {
		t.Error("a unit that does not say whose hour it is must be an error")
	}
}

// Case P04: 0.95 an hour is 693.50 a month. Case P12: 30 an hour per machine of
// eight over three years is 788,400, and 6,307,200 if it were per GPU.
func TestMonthAndYears(t *testing.T) {
	get := must(t)
	if got := get(usd("0.95").Mul(money.WholeQuantity(730))); got != "693.50" {
		t.Errorf("P04: %s", got)
	}
	if got := get(usd("30").Mul(money.WholeQuantity(3 * unit.HoursPerYear))); got != "788400.00" {
		t.Errorf("P12: %s", got)
	}
	if got := get(usd("240").Mul(money.WholeQuantity(3 * unit.HoursPerYear))); got != "6307200.00" {
		t.Errorf("P12 per GPU: %s", got)
	}
	// Case M08: a month of 730, 720, 744 hours and February 2026 (672).
	for hours, want := range map[int64]string{730: "1460.00", 720: "1440.00", 744: "1488.00", 672: "1344.00", unit.HoursPerYear: "17520.00"} {
		if got := get(usd("2").Mul(money.WholeQuantity(hours))); got != want {
			t.Errorf("M08: 2.00 x %d h = %s, want %s", hours, got, want)
		}
	}
}

// Case M07: 0.000004 a request is not rounded away: 300,000 a day are 1.20, 30 days 36.00.
func TestTinyAmountsAreNotRoundedAway(t *testing.T) {
	get := must(t)
	request, err := usd("0.0004").Mul(quantity(t, "0.01"))
	if err != nil || request.String() != "0.000004" {
		t.Fatalf("a request costs %s, %v", request, err)
	}
	if got := get(request.Mul(money.WholeQuantity(300_000 * 30))); got != "36.00" {
		t.Errorf("a month costs %s", got)
	}
}

// Cases C03 and H09: what is billed is time rounded up to the increment.
func TestBilled(t *testing.T) {
	for _, tc := range []struct{ seconds, increment, minimum, want int64 }{
		{527, 1, 0, 527},
		{527, 3600, 0, 3600},
		{527, 60, 0, 540},
		{30, 1, 60, 60},
		{0, 1, 0, 0},
		{30 * 3600, 24 * 3600, 0, 48 * 3600},
		{48 * 3600, 24 * 3600, 0, 48 * 3600},
	} {
		if got := Billed(tc.seconds, tc.increment, tc.minimum); got != tc.want {
			t.Errorf("Billed(%d, %d, %d) = %d, want %d", tc.seconds, tc.increment, tc.minimum, got, tc.want)
		}
	}
	get := must(t)
	// C03: two hours at 0.10 and 527 s at 0.96 yuan: 0.20 + 0.1405; by the hour 0.20 + 0.96.
	if got := get(PerSeconds(cny("0.96"), Billed(527, 1, 0))); got != "0.140533333" {
		t.Errorf("C03: %s", got)
	}
	if got := get(PerSeconds(cny("0.96"), Billed(527, 3600, 0))); got != "0.96" {
		t.Errorf("C03 by the hour: %s", got)
	}
	if got := get(PerSeconds(cny("0.10"), 7200)); got != "0.20" {
		t.Errorf("C03 upload: %s", got)
	}
	// H09: a job of 30 h buys a block of 48 h at 39.33, or 30 h at 55.04.
	if got := get(PerSeconds(usd("39.33"), Billed(30*3600, 24*3600, 0))); got != "1887.84" {
		t.Errorf("H09 block: %s", got)
	}
	if got := get(PerSeconds(usd("55.04"), Billed(30*3600, 1, 60))); got != "1651.20" {
		t.Errorf("H09 on demand: %s", got)
	}
}

// Case H01: 500 GB at 0.10 for 100 h and at 0.20 for the 630 h that the machine is stopped.
func TestStorageCost(t *testing.T) {
	get := must(t)
	month := money.WholeQuantity(730)
	if got := get(StorageCost(usd("0.10"), money.WholeQuantity(500), money.WholeQuantity(100), month)); got != "6.849315068" {
		t.Errorf("running: %s", got)
	}
	if got := get(StorageCost(usd("0.20"), money.WholeQuantity(500), money.WholeQuantity(630), month)); got != "86.301369863" {
		t.Errorf("stopped: %s", got)
	}
	// Case M06: 2,048 GB at 0.5312 yuan are 1,087.8976 yuan, at 7.241 yuan to the dollar 150.241347 dollars.
	yuan, err := StorageCost(cny("0.5312"), money.WholeQuantity(2048), month, month)
	if err != nil || yuan.String() != "1087.8976" {
		t.Fatalf("M06: %s, %v", yuan, err)
	}
	rate := money.Rate{Base: "USD", Quote: "CNY", Value: quantity(t, "7.241")}
	if got := get(rate.Convert(yuan)); got != "150.241347880" && got != "150.24134788" {
		t.Errorf("M06 in dollars: %s", got)
	}
	// Case H04: a million requests of 2,000 bytes a day are 60 GB a month: 4.80 at 0.08.
	if got := get(usd("0.08").Mul(money.WholeQuantity(1_000_000 * 2000 * 30 / 1_000_000_000))); got != "4.80" {
		t.Errorf("H04: %s", got)
	}
}

// Case C04: the first hour is at the deal price although the market rises
// after half of it, then 1.25 h at 12.00: 25.00, not 27.00.
func TestMarketCost(t *testing.T) {
	market := []MarketStep{{0, cny("10.00")}, {1800, cny("14.00")}, {3600, cny("12.00")}}
	get := must(t)
	if got := get(MarketCost(cny("10.00"), 3600, market, 8100)); got != "25.00" {
		t.Errorf("C04: %s", got)
	}
	// Without protection: 0.5 h at 10, 0.5 h at 14, 1.25 h at 12 = 5 + 7 + 15.
	if got := get(MarketCost(cny("10.00"), 0, market, 8100)); got != "27.00" {
		t.Errorf("without protection: %s", got)
	}
}

// Case C02: 1,600 GPU-hours at 28 yuan, or at 2 dollars and 5,000 GB moved at
// 0.8 yuan: 44,800 against 27,040 yuan; the rate up 5 % makes it 28,192.
func TestCrossBorder(t *testing.T) {
	get := must(t)
	if got := get(cny("28").Mul(money.WholeQuantity(1600))); got != "44800.00" {
		t.Errorf("at home: %s", got)
	}
	compute, err := usd("2").Mul(money.WholeQuantity(1600))
	if err != nil {
		t.Fatal(err)
	}
	move, err := cny("0.8").Mul(money.WholeQuantity(5000))
	if err != nil {
		t.Fatal(err)
	}
	for rate, want := range map[string]string{"7.20": "27040.00", "7.56": "28192.00"} {
		yuan, err := money.Rate{Base: "USD", Quote: "CNY", Value: quantity(t, rate)}.Convert(compute)
		if err != nil {
			t.Fatal(err)
		}
		if got := get(yuan.Add(move)); got != want {
			t.Errorf("abroad at %s: %s, want %s", rate, got, want)
		}
	}
}

// Case M09: a price published in the currency of the answer is used as it is:
// 10 million x 0.0001 AUD = 1,000.00, not 0.000016 USD x 1.55 = 248.00.
func TestPublishedPriceIsNotConverted(t *testing.T) {
	rates := []catalog.FXRate{{Rate: money.Rate{Base: "USD", Quote: "AUD", Value: quantity(t, "1.55")}}}
	x := NewExchange("AUD", rates, nil, catalog.Date{Year: 2026, Month: 11, Day: 30})
	get := must(t)
	native, ok := x.Convert(money.MustParse("0.0001", "AUD"))
	if !ok {
		t.Fatal("no rate for AUD to AUD")
	}
	if got := get(native.Mul(money.WholeQuantity(10_000_000))); got != "1000.00" {
		t.Errorf("published: %s", got)
	}
	converted, ok := x.Convert(usd("0.000016"))
	if !ok {
		t.Fatal("no rate from USD to AUD")
	}
	if got := get(converted.Mul(money.WholeQuantity(10_000_000))); got != "248.00" {
		t.Errorf("converted: %s", got)
	}
}

func TestSaving(t *testing.T) {
	for _, tc := range []struct{ price, reference, want string }{
		{"0.49", "0.44", "-11.36"}, {"6.571", "10.9791", "40.15"}, {"1.00", "1.00", "0.00"}, {"0", "2", "100.00"}, {"1", "0", ""},
	} {
		got := ""
		if p := Saving(usd(tc.price), usd(tc.reference)); p != nil {
			got = p.String()
		}
		if got != tc.want {
			t.Errorf("Saving(%s, %s) = %q, want %q", tc.price, tc.reference, got, tc.want)
		}
	}
	if Saving(money.Amount{}, usd("1")) != nil {
		t.Error("an unknown price has no saving")
	}
}

func TestParseFX(t *testing.T) {
	r, err := ParseFX("cny=7.20")
	if err != nil || r.Quote != "CNY" || r.Value.String() != "7.2" {
		t.Errorf("%v, %v", r, err)
	}
	for _, bad := range []string{"", "CNY", "CNY=", "CNY=0", "CNY=-7", "7.20", "YUAN=7.2", "CNY=7,2"} {
		if _, err := ParseFX(bad); err == nil {
			t.Errorf("ParseFX(%q) passes", bad)
		}
	}
}
