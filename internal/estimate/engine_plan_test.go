package estimate_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

func plan(t failer, s *estimate.Scenario, c *catalog.Catalog, e *estimate.Estimator, l estimate.Limits, sellers ...string) *estimate.Plan {
	t.Helper()
	q := query(c, catalog.OnDemand, catalog.Spot, catalog.Reserved)
	q.Providers = sellers
	p, err := estimate.MakePlan(&estimate.Request{Scenario: s, Catalog: c, Query: q, Estimator: e}, l)
	if err != nil {
		t.Errorf("%v", err)
		return &estimate.Plan{Answer: &estimate.Answer{Scenario: s}}
	}
	return p
}

func usd(text string) money.Amount {
	a, err := money.Parse(text, "USD")
	if err != nil {
		panic(err)
	}
	return a
}

// A run of 2 h on 8 cards within 10 h: spot costs 1 a GPU-hour and on demand 2. If
// nothing is done, on demand must begin 2 h before the end.
func TestPlanOfAKnownRun(t *testing.T) {
	c, e := setup(t)
	c = overlay(t, c, sellers)
	s := read(t, "schema: 1\nkind: train\ndeadline: 10h\ntrain: {hours: 2, runs_per_month: 10}\nhardware: {gpu: h100, gpus: 8}\n")
	p := plan(t, s, c, e, estimate.Limits{})
	if p.Chosen == nil || p.Chosen.Purchase != catalog.Spot || len(p.Pool) != 2 || p.Pool[1].Purchase != catalog.OnDemand || p.OnDemandFrom != 8 {
		t.Fatalf("%+v", p)
	}
	if on := p.Pool[1].Monthly.Mid.String(); on != "320.00" {
		t.Error(on)
	}
	// Within 320 a month the sure end is on demand.
	if p = plan(t, s, c, e, estimate.Limits{Budget: usd("320"), Fastest: true}); p.Chosen == nil || p.Chosen.Purchase != catalog.OnDemand || p.Chosen.Hours.Mid != 2 {
		t.Errorf("%+v", p.Chosen)
	}
	if p = plan(t, s, c, e, estimate.Limits{Budget: usd("100")}); p.Chosen != nil || p.Nearest() == nil || p.Nearest().Purchase != catalog.Spot {
		t.Errorf("%+v", p.Chosen)
	}
	s.Deadline.V = 1
	if p = plan(t, s, c, e, estimate.Limits{}); p.Chosen != nil || p.Nearest() == nil || p.Nearest().Hours.Mid != 2 {
		t.Errorf("%+v", p.Chosen)
	}
}

// What holds for every plan of the shipped catalog.
func TestPlanLaws(t *testing.T) {
	c, e := setup(t)
	l := library(t)
	rapid.Check(t, func(t *rapid.T) {
		s, err := l.Scenario(rapid.SampledFrom([]string{"finetune-7b", "finetune-70b", "lora-13b", "nightly-batch"}).Draw(t, "scenario"))
		if err != nil {
			t.Fatal(err)
		}
		limits := estimate.Limits{Fastest: rapid.Bool().Draw(t, "fastest")}
		if rapid.Bool().Draw(t, "deadline") {
			s.Deadline.V = rapid.Float64Range(0.2, 80).Draw(t, "hours")
		}
		if rapid.Bool().Draw(t, "budget") {
			limits.Budget = usd(rapid.SampledFrom([]string{"1", "20", "100", "1000"}).Draw(t, "amount"))
		}
		p := plan(t, s, c, e, limits, "aws", "azure", "lambda", "runpod", "vast")
		if p.Chosen == nil {
			if n := p.Nearest(); n != nil && p.InTime(n) && within(n, limits) {
				t.Errorf("%s keeps to the limits and is not the plan", n.Provider)
			}
			return
		}
		sound(t, p.Chosen)
		if !p.InTime(p.Chosen) || !within(p.Chosen, limits) {
			t.Errorf("%+v is beyond the limits", p.Chosen.Hours)
		}
		if p.Pool[0] != p.Chosen {
			t.Error("the pool does not begin with the plan")
		}
		for _, x := range p.Pool {
			if !p.InTime(x) || x.GPU != p.Chosen.GPU || x.GPUs != p.Chosen.GPUs {
				t.Errorf("%s %s is no substitute", x.Provider, x.GPU)
			}
		}
		climbs(t, p, limits)
	})
}

func within(e *estimate.Estimate, l estimate.Limits) bool {
	return !l.Budget.Known() || e.Cost.Mid.Cmp(l.Budget) <= 0 && e.Monthly.Mid.Cmp(l.Budget) <= 0
}

// climbs checks that every point of the frontier is faster and dearer than the
// one before, and that none beats the plan.
func climbs(t failer, p *estimate.Plan, l estimate.Limits) {
	t.Helper()
	chosen, _ := p.Chosen.Finish()
	for i, x := range p.Frontier {
		f, ok := x.Finish()
		if !ok || x.Grave() != "" && p.Chosen.Grave() == "" {
			t.Errorf("point %d: %v %s", i+1, ok, x.Grave())
		}
		if i > 0 {
			before, _ := p.Frontier[i-1].Finish()
			if f >= before || x.Monthly.Mid.Cmp(p.Frontier[i-1].Monthly.Mid) < 0 {
				t.Errorf("point %d is not faster, or not dearer", i+1)
			}
		}
		if p.Chosen.Grave() == "" && p.InTime(x) && within(x, l) && x.Monthly.Mid.Cmp(p.Chosen.Monthly.Mid) < 0 && f < chosen {
			t.Errorf("point %d is cheaper and faster than the plan", i+1)
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	c, e := setup(b)
	for _, id := range []string{"finetune-70b", "pretrain-frontier", "nightly-batch"} {
		s, err := library(b).Scenario(id)
		if err != nil {
			b.Fatal(err)
		}
		for _, hours := range []float64{0, 72} {
			s.Deadline.V = hours
			r := &estimate.Request{Scenario: s, Catalog: c, Query: query(c, catalog.OnDemand, catalog.Spot, catalog.Reserved, catalog.Token, catalog.Owned), Estimator: e}
			b.Run(id+map[float64]string{0: "", 72: "/72h"}[hours], func(b *testing.B) {
				for b.Loop() {
					if _, err := estimate.MakePlan(r, estimate.Limits{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
