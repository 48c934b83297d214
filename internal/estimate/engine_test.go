package estimate_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// overlay lays YAML over the shipped catalog without its prices.
func overlay(t testing.TB, c *catalog.Catalog, text string) *catalog.Catalog {
	t.Helper()
	out, ps := catalog.LoadOverlay(c.WithoutPrices(), "own.yaml", []byte(text))
	if ps.Err() != nil {
		t.Fatal(ps.Err())
	}
	return out
}

const sellers = `schema: 1
as_of: 2026-11-01
providers:
  - id: acme
    name: Acme
    currency: USD
    offers:
      - gpu: h100-sxm
        gpus: 8
        prices:
          - {purchase: spot, amount: 1, per: gpu_hour}
          - {purchase: on_demand, amount: 2, per: gpu_hour}
          - {purchase: reserved, amount: 1.5, per: gpu_hour, term_months: 12}
`

func by(a *estimate.Answer, p catalog.Purchase) *estimate.Estimate {
	for i := range a.Estimates {
		if a.Estimates[i].Purchase == p {
			return &a.Estimates[i]
		}
	}
	return nil
}

// A run of known length on spot: 2 h on 8 cards, a save of 5 min (the state is not
// known); what was recorded elsewhere stands in for the seller. The reserved machine
// is paid for the whole month: 8 x 1.5 x 730.
func TestSpotCountsInterruptions(t *testing.T) {
	c, e := setup(t)
	c = overlay(t, c, sellers)
	s := read(t, "schema: 1\nkind: train\ntrain: {hours: 2, runs_per_month: 10}\nhardware: {gpu: h100, gpus: 8}\n")
	a := answer(t, s, c, e, catalog.Spot, catalog.OnDemand, catalog.Reserved)
	spot, od, res := by(a, catalog.Spot), by(a, catalog.OnDemand), by(a, catalog.Reserved)
	if spot == nil || od == nil || res == nil {
		t.Fatalf("%d estimates, %+v", len(a.Estimates), a.Infeasible)
	}
	if od.Monthly.Mid.String() != "320.00" || res.Monthly.Mid.String() != "8760.00" { // 10 x 2 h x 8 x 2; 730 x 8 x 1.5
		t.Errorf("on demand %s, reserved %s", od.Monthly.Mid, res.Monthly.Mid)
	}
	rate := 0.0
	for _, x := range spot.Assumptions {
		if x.Name == "spot.interruptions_per_hour" {
			rate = number(t, x.Value)
		}
	}
	want := math.Inf(1) // the best number of pieces: sum of (exp(lL) - 1)/l, after a restart of one load
	for n := 1.0; n < 20; n++ {
		want = min(want, 80*math.Exp(rate/12)*((n-1)*math.Expm1(rate*(2/n+1.0/12))+math.Expm1(rate*2/n))/rate)
	}
	if got := float(spot.Monthly.Mid); rate == 0 || math.Abs(got-want) > 0.01 {
		t.Errorf("spot %v, want %v at %v per hour", got, want, rate)
	}
	if !spot.Has(estimate.WarnStandIn) || spot.Has(estimate.WarnInterrupted) {
		t.Errorf("%+v", spot.Warnings)
	}
	if spot.Hours.Mid <= 2 || spot.Hours.High <= spot.Hours.Mid {
		t.Errorf("finish %+v", spot.Hours)
	}
	for _, x := range []*estimate.Estimate{spot, od, res} {
		sound(t, x)
	}
	// What would change it: the price of the winner, interruptions, and volume.
	kinds := ""
	for _, f := range a.Flips {
		kinds += f.By + " "
	}
	if kinds != "price interruptions volume " {
		t.Error(kinds)
	}
	for _, f := range a.Flips {
		if f.By == "volume" && math.Abs(f.Value-8760/float(a.Estimates[0].Cost.Mid)) > 1e-6 {
			t.Errorf("volume %v", f.Value)
		}
	}
}

// A deadline counts the time that interruptions take.
func TestSpotDeadline(t *testing.T) {
	c, e := setup(t)
	a := answer(t, read(t, "schema: 1\nkind: train\ndeadline: 2h\ntrain: {hours: 2}\nhardware: {gpu: h100, gpus: 8}\n"), overlay(t, c, sellers), e, catalog.Spot, catalog.OnDemand)
	if by(a, catalog.Spot) != nil || by(a, catalog.OnDemand) == nil {
		t.Errorf("%+v", a.Estimates)
	}
}

// A deadline that one machine just keeps on demand takes a second one on spot,
// where interruptions come on top.
func TestSpotTakesMoreMachinesForItsInterruptions(t *testing.T) {
	c, e := setup(t)
	c = overlay(t, c, sellers)
	s := read(t, "schema: 1\nkind: train\nmodel: llama-3.1-8b\ntrain: {method: lora, tokens: 3B, sequence: 4096}\nhardware: {gpu: h100}\n")
	free := by(answer(t, s, c, e, catalog.OnDemand), catalog.OnDemand)
	if free == nil || free.Instances != 1 {
		t.Fatalf("%+v", free)
	}
	work, _ := free.Finish()
	s.Deadline.V = work + 0.01
	a := answer(t, s, c, e, catalog.OnDemand, catalog.Spot)
	od, spot := by(a, catalog.OnDemand), by(a, catalog.Spot)
	if od == nil || spot == nil || od.Instances != 1 || spot.Instances != 2 {
		t.Fatalf("on demand %+v, spot %+v, %+v", od, spot, a.Infeasible)
	}
	if f, _ := spot.Finish(); f > s.Deadline.V {
		t.Errorf("done after %v h of %v", f, s.Deadline.V)
	}
	for _, w := range spot.Warnings {
		if w.Code == estimate.WarnLate && w.Message.Args[1] != s.Deadline.V {
			t.Errorf("%s", w.Message)
		}
	}
}

// 1,000 requests a day of 800 and 300 tokens are 24.33 and 9.125 million a month
// of 730 h: at 1.00 and 2.00 that is 42.58.
func TestPerToken(t *testing.T) {
	c, e := setup(t)
	c = overlay(t, c, `schema: 1
as_of: 2026-11-01
tokens:
  - {provider: acme, provider_name: Acme, model: Llama-3.3-70B, model_id: llama-3.3-70b, input: 1, output: 2, currency: USD, as_of: 2026-11-01, source: user, confidence: high}
`)
	for i := range c.Tokens {
		if c.Tokens[i].Provider != "acme" {
			c.Tokens[i].Input = money.Amount{}
		}
	}
	s := read(t, "schema: 1\nkind: serve\nmodel: llama-3.3-70b\nserve: {requests_per_day: 1000, input_tokens: 800, output_tokens: 300}\n")
	a := answer(t, s, c, e, catalog.Token)
	if len(a.Estimates) != 1 {
		t.Fatalf("%d estimates", len(a.Estimates))
	}
	x := &a.Estimates[0]
	sound(t, x)
	if got := x.Monthly.Mid.Round(4); got != "42.5833" { // 24.3333 + 2 x 9.125
		t.Error(got)
	}
	if len(x.Lines) != 2 || x.Purchase != catalog.Token || len(x.Assumptions) == 0 {
		t.Errorf("%+v", x)
	}
}

// Scaled to zero costs no more than the same worker kept all month.
func TestServerlessIsBilledWhileUp(t *testing.T) {
	c, e := setup(t)
	for _, n := range []string{"10", "1000", "100000"} {
		s := read(t, "schema: 1\nkind: serve\nmodel: llama-3.1-8b\nserve: {requests_per_day: "+n+", input_tokens: 500, output_tokens: 200}\n")
		a := answer(t, s, c, e, catalog.Serverless)
		if len(a.Estimates) == 0 {
			t.Fatal("no serverless GPU")
		}
		for i := range a.Estimates {
			x := &a.Estimates[i]
			sound(t, x)
			all := float(x.PerGPUHour) * 730 * float64(x.GPUs)
			if float(x.Monthly.Mid) > all*1.000001 || !x.Has(estimate.WarnToZero) {
				t.Errorf("%s requests at %s: %s a month, all month %v", n, x.Provider, x.Monthly.Mid, all)
			}
		}
	}
}

// Own hardware is paid for whether it is used or not.
func TestOwnedIsPaidByTheMonth(t *testing.T) {
	c, e := setup(t)
	once := by(answer(t, read(t, "schema: 1\nkind: train\ntrain: {hours: 1}\nhardware: {gpu: h100, gpus: 8}\n"), c, e, catalog.Owned), catalog.Owned)
	often := by(answer(t, read(t, "schema: 1\nkind: train\ntrain: {hours: 1, runs_per_month: 500}\nhardware: {gpu: h100, gpus: 8}\n"), c, e, catalog.Owned), catalog.Owned)
	if once == nil || often == nil {
		t.Fatal("no own H100")
	}
	if once.Monthly != often.Monthly || !once.Has(estimate.WarnOwned) {
		t.Errorf("%v, %v", once.Monthly, often.Monthly)
	}
	// 285,000 over 36 months, and 10.2 kW x 1.2 x 730 h x 0.09: about 8,700.
	if m := float(once.Monthly.Mid); m < 7000 || m > 10_500 {
		t.Errorf("a month of eight own H100 costs %v", m)
	}
}

// Advice comes as warnings with a reason and leaves nothing out.
func TestAdvice(t *testing.T) {
	c, e := setup(t)
	own := overlay(t, c, sellers)
	a := answer(t, read(t, "schema: 1\nkind: train\ndata_in: cn\ntrain: {hours: 1}\nhardware: {gpu: h100, gpus: 8}\n"), own, e, catalog.Spot, catalog.OnDemand)
	if x := by(a, catalog.Spot); x == nil || !x.Has(estimate.AdviceShortJob) || !x.Has(estimate.AdviceBorder) {
		t.Errorf("%+v", a.Estimates)
	}
	a = answer(t, read(t, "schema: 1\nkind: serve\nmodel: llama-3.1-8b\nserve: {requests_per_day: 1000}\nhardware: {gpu: h100}\n"), own, e, catalog.Spot)
	if x := by(a, catalog.Spot); x == nil || !x.Has(estimate.AdviceServingSpot) {
		t.Errorf("%+v", a.Estimates)
	}
	a = answer(t, read(t, "schema: 1\nkind: train\nmodel: llama-3.1-70b\ntrain: {method: full, tokens: 10M}\nhardware: {gpu: h100, gpus: 32}\n"), own, e, catalog.OnDemand)
	if x := by(a, catalog.OnDemand); x == nil || !x.Has(estimate.AdviceFabric) {
		t.Errorf("%+v", a.Estimates)
	}
}

// Laws: spot work is never cheaper than its list price; a longer run is never
// cheaper on spot.
func TestSpotLaws(t *testing.T) {
	c, e := setup(t)
	own := overlay(t, c, sellers)
	rapid.Check(t, func(t *rapid.T) {
		hours := rapid.Float64Range(0.1, 20).Draw(t, "hours")
		cost := func(h float64) money.Amount {
			s := read(t, "schema: 1\nkind: train\ntrain: {hours: 1}\nhardware: {gpu: h100, gpus: 8}\n", "train.hours="+text(h)+"h")
			q := query(own, catalog.Spot)
			a, err := estimate.Run(&estimate.Request{Scenario: s, Catalog: own, Query: q, Estimator: e})
			if err != nil {
				t.Fatal(err)
			}
			if x := by(a, catalog.Spot); x != nil {
				return x.Cost.Mid
			}
			return money.Amount{}
		}
		a, b := cost(hours), cost(hours*1.2)
		if a.Known() && float(a) < 8*hours*0.999999 {
			t.Fatalf("%v h cost %v, the list %v", hours, a, 8*hours)
		}
		if b.Known() && b.Cmp(a) < 0 {
			t.Fatalf("%v h cost %v, a fifth more %v", hours, a, b)
		}
	})
}

func float(a money.Amount) float64 { return money.Quantity(a.Nano()).Float() }

func number(t testing.TB, s string) float64 {
	t.Helper()
	q, err := money.ParseQuantity(s)
	if err != nil {
		t.Fatal(err)
	}
	return q.Float()
}

func text(x float64) string {
	q, _ := money.Quantify(x)
	return q.String()
}
