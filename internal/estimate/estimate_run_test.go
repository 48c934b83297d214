package estimate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// Every built-in scenario has an answer: ranked by what a month costs, with
// bands in order, lines that add up to the last digit, and an origin for every
// value.
func TestBuiltInScenarios(t *testing.T) {
	c, e := setup(t)
	l := library(t)
	if n := len(l.IDs()); n < 12 {
		t.Fatalf("%d built-in scenarios, want 12", n)
	}
	for _, id := range l.IDs() {
		t.Run(id, func(t *testing.T) {
			s, err := l.Scenario(id)
			if err != nil {
				t.Fatal(err)
			}
			for _, field := range []string{s.Name, s.NameZH, s.Description, s.DescriptionZH} {
				if field == "" {
					t.Error("a name or a description is missing")
				}
			}
			a := answer(t, s, c, e)
			if len(a.Estimates) < 5 {
				t.Fatalf("%d estimates", len(a.Estimates))
			}
			for i := range a.Estimates {
				x := &a.Estimates[i]
				if x.Rank != i+1 || i > 0 && x.Monthly.Mid.Cmp(a.Estimates[i-1].Monthly.Mid) < 0 {
					t.Fatalf("rank %d at %d is out of order", x.Rank, i)
				}
				sound(t, x)
			}
		})
	}
}

func answer(t testing.TB, s *estimate.Scenario, c *catalog.Catalog, e *estimate.Estimator, buy ...catalog.Purchase) *estimate.Answer {
	t.Helper()
	a, err := estimate.Run(&estimate.Request{Scenario: s, Catalog: c, Query: query(c, buy...), Estimator: e})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type failer interface {
	Helper()
	Errorf(string, ...any)
}

// sound checks what holds for every estimate.
func sound(t failer, x *estimate.Estimate) {
	t.Helper()
	sum := money.Range{Low: money.Zero(x.Currency), Mid: money.Zero(x.Currency), High: money.Zero(x.Currency)}
	for _, l := range x.Lines {
		var err error
		if sum, err = sum.Add(l.Cost); err != nil {
			t.Errorf("%s: %v", x.Provider, err)
		}
		if q := float64(l.Quantity); l.UnitPrice.Known() && l.UnitPrice.Sign() > 0 {
			want := q * float64(l.UnitPrice.Nano()) / 1e9
			got := float64(l.Cost.Mid.Nano()) / 1e9
			if math.Abs(got-want) > 1e-6*math.Abs(want)+1e-6+2e-9*float64(l.UnitPrice.Nano())/1e9 {
				t.Errorf("%s %s: %s %s x %s is %.9f, the line says %s", x.Provider, l.Component, l.Quantity, l.Unit, l.UnitPrice, want, l.Cost.Mid)
			}
		}
	}
	if sum.Mid != x.Cost.Mid || sum.Low != x.Cost.Low || sum.High != x.Cost.High {
		t.Errorf("%s %s: lines %s, cost %s", x.Provider, x.GPU, sum.Mid, x.Cost.Mid)
	}
	for _, r := range []money.Range{x.Cost, x.Monthly, x.PerMTok, x.PerUseful, x.PerRequest} {
		if r.Known() && (r.Low.Cmp(r.Mid) > 0 || r.Mid.Cmp(r.High) > 0) {
			t.Errorf("%s %s: band out of order: %s %s %s", x.Provider, x.GPU, r.Low, r.Mid, r.High)
		}
	}
	for _, a := range x.Assumptions {
		if a.Origin == "" || a.Name == "" {
			t.Errorf("%s: an assumption without an origin: %+v", x.Provider, a)
		}
	}
	if _, err := json.Marshal(x); err != nil { // NaN and infinities
		t.Errorf("%s %s: %v", x.Provider, x.GPU, err)
	}
}

// The same question has the same bytes as an answer.
func TestSameBytes(t *testing.T) {
	c, e := setup(t)
	s, err := library(t).Scenario("serve-70b-high")
	if err != nil {
		t.Fatal(err)
	}
	var first string
	for range 3 {
		b, err := json.Marshal(answer(t, s, c, e).Estimates)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(b)
		} else if string(b) != first {
			t.Fatal("two runs differ")
		}
	}
}

// read makes a scenario from YAML.
func read(t failer, text string, set ...string) *estimate.Scenario {
	t.Helper()
	s, ps := estimate.NewLibrary("", nil).Read("test.yaml", []byte(text))
	if ps.Err() != nil {
		t.Errorf("%s: %v", text, ps.Err())
		return &estimate.Scenario{}
	}
	for _, v := range set {
		x, err := estimate.ParseSetting(v)
		if err == nil {
			err = s.Set(x)
		}
		if err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
	return s
}

// offer is a random price of the scenario's own with random billing.
func offer(t *rapid.T) string {
	per := rapid.SampledFrom([]string{"gpu_hour", "instance_hour", "gpu_month", "gpu_second"}).Draw(t, "per")
	return fmt.Sprintf("offer: {gpu: h100, gpus: %d, per: %s, increment_s: %d, minimum_s: %d, disk_running: 0.1, disk_stopped: 0.2, object_storage: 0.03, egress: 0.05, purchase: %s, amount: ",
		rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "gpus"), per, rapid.SampledFrom([]int{0, 1, 60, 3600}).Draw(t, "increment"), rapid.SampledFrom([]int{0, 60}).Draw(t, "minimum"),
		rapid.SampledFrom([]string{"on_demand", "spot", "reserved"}).Draw(t, "purchase"))
}

// work is a random workload; times scales how much of it there is.
func work(t *rapid.T) func(times int) string {
	n := rapid.IntRange(1, 2000).Draw(t, "amount")
	storage := "storage: {dataset_gb: 100, disk_gb: 200, hours_stopped: 10, egress_gb: 30, checkpoint_gb: 50}\n"
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return func(k int) string {
			return fmt.Sprintf("schema: 1\nkind: train\nmodel: llama-3.1-8b\ntrain: {method: lora, tokens: %dk, runs_per_month: 3}\n", 100*n*k) + storage
		}
	case 1:
		return func(k int) string {
			return fmt.Sprintf("schema: 1\nkind: train\ntrain: {gpu_hours: %d}\nstartup: {minutes: 3}\n", n*k) + storage
		}
	case 2:
		return func(k int) string {
			return fmt.Sprintf("schema: 1\nkind: batch\nmodel: llama-3.1-8b\nbatch: {requests: %d, input_tokens: 800, output_tokens: 150}\n", 10*n*k) + storage
		}
	case 3:
		return func(k int) string {
			return fmt.Sprintf("schema: 1\nkind: serve\nmodel: llama-3.1-8b\nserve: {requests_per_day: %d, egress_bytes_per_request: 2kB}\n", 1000*n*k) + storage
		}
	}
	return func(k int) string {
		return fmt.Sprintf("schema: 1\nkind: rent\nrent: {hours: %d}\n", min(n*k, 700*k)) + storage
	}
}

func cost(t *rapid.T, c *catalog.Catalog, e *estimate.Estimator, text string) *estimate.Estimate {
	s := read(t, text)
	a, err := estimate.Run(&estimate.Request{Scenario: s, Catalog: c, Query: query(c), Estimator: e})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if len(a.Estimates) == 0 {
		return nil
	}
	sound(t, &a.Estimates[0])
	return &a.Estimates[0]
}

// A higher price never gives a lower total.
func TestDearerIsNeverCheaper(t *testing.T) {
	c, e := setup(t)
	c = c.WithoutPrices()
	rapid.Check(t, func(t *rapid.T) {
		w, o := work(t)(1), offer(t)
		most := 400_000
		if strings.Contains(o, "gpu_second") {
			most = 400 // a month of many GPUs at more than that a second is beyond what an amount holds
		}
		price := rapid.IntRange(1, most).Draw(t, "price")
		more := rapid.IntRange(0, most).Draw(t, "more")
		text := func(p int) string { return w + o + strconv.FormatFloat(float64(p)/1000, 'f', 3, 64) + "}\n" }
		a, b := cost(t, c, e, text(price)), cost(t, c, e, text(price+more))
		if (a == nil) != (b == nil) {
			t.Fatal("the price decides whether the work is feasible")
		}
		if a == nil {
			return
		}
		if b.Cost.Mid.Cmp(a.Cost.Mid) < 0 || b.Monthly.Mid.Cmp(a.Monthly.Mid) < 0 || b.Cost.Low.Cmp(a.Cost.Low) < 0 || b.Cost.High.Cmp(a.Cost.High) < 0 {
			t.Fatalf("at %d/1000 %s, at %d/1000 %s", price, a.Cost.Mid, price+more, b.Cost.Mid)
		}
	})
}

// Twice the work never costs less.
func TestMoreWorkIsNeverCheaper(t *testing.T) {
	c, e := setup(t)
	c = c.WithoutPrices()
	rapid.Check(t, func(t *rapid.T) {
		w, o := work(t), offer(t)+"2.50}\n"
		a, b := cost(t, c, e, w(1)+o), cost(t, c, e, w(2)+o)
		if a == nil || b == nil { // reserved machines may have too few hours
			return
		}
		x, y := a.Cost, b.Cost
		if x.Mid.Cmp(y.Mid) > 0 || x.Low.Cmp(y.Low) > 0 || x.High.Cmp(y.High) > 0 {
			t.Fatalf("%s once, %s twice\n%s", x.Mid, y.Mid, w(1)+o)
		}
	})
}

// What a line says is what it costs, also when a run is a part of a month.
func TestRunsOfAMonth(t *testing.T) {
	c, e := setup(t)
	s := read(t, "schema: 1\nkind: train\ntrain: {gpu_hours: 10, runs_per_month: 4}\nstorage: {dataset_gb: 200}\noffer: {name: x, amount: 3, per: gpu_hour, object_storage: 0.02}\n")
	x := answer(t, s, c, e).Estimates[0]
	// 10 x 3 + (200 x 0.02)/4 = 31; a month 4 x 30 + 4 = 124.
	if x.Cost.Mid.String() != "31.00" || x.Monthly.Mid.String() != "124.00" {
		t.Errorf("run %s, month %s; want 31.00 and 124.00", x.Cost.Mid, x.Monthly.Mid)
	}
}

// A deadline buys more machines, as many as are needed and no more.
func TestDeadline(t *testing.T) {
	c, e := setup(t)
	base := "schema: 1\nkind: train\nmodel: llama-3.1-70b\ntrain: {method: lora, tokens: 300M}\noffer: {gpu: h100-sxm, gpus: 8, amount: 3, per: gpu_hour, interconnect: NVLink + InfiniBand}\n"
	one := answer(t, read(t, base), c, e).Estimates[0]
	if one.Instances != 1 {
		t.Fatalf("%d machines without a deadline, want 1", one.Instances)
	}
	limit := one.Hours.Mid / 3
	a := answer(t, read(t, base, fmt.Sprintf("deadline=%fh", limit)), c, e)
	if len(a.Estimates) != 1 {
		t.Fatalf("infeasible: %+v", a.Infeasible)
	}
	x := &a.Estimates[0]
	if x.Hours.Mid > limit || x.Instances < 3 || x.Instances > 8 {
		t.Errorf("%d machines take %.1f h, the deadline is %.1f h", x.Instances, x.Hours.Mid, limit)
	}
	b := answer(t, read(t, base, "deadline=1min"), c, e)
	if len(b.Estimates) != 0 || len(b.Infeasible) != 1 || b.Infeasible[0].Code != "deadline" || !strings.Contains(b.Infeasible[0].Reason, "deadline") {
		t.Errorf("a minute: %d estimates, %+v", len(b.Estimates), b.Infeasible)
	}
}

// Sensitivities: the price moves a run of compute alone by a tenth.
func TestEffects(t *testing.T) {
	c, e := setup(t)
	s := read(t, "schema: 1\nkind: train\nmodel: llama-3.1-8b\ntrain: {method: lora, tokens: 50M}\noffer: {gpu: h100-sxm, gpus: 1, amount: 3, per: gpu_hour}\nstorage: {checkpoint_gb: 0}\nstartup: {minutes: 0, image_gb: 0}\n")
	a, err := estimate.Run(&estimate.Request{Scenario: s, Catalog: c, Query: query(c), Estimator: e, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for i, f := range a.Effects {
		got[f.Input] = f.Percent
		if i > 0 && math.Abs(f.Percent) > math.Abs(a.Effects[i-1].Percent) {
			t.Error("not the largest first")
		}
	}
	if math.Abs(got["price"]-10) > 0.01 || math.Abs(got["train.tokens"]-9.5) > 0.6 || got["throughput"] > -8 || got["throughput"] < -9.1 {
		t.Errorf("effects %v", got)
	}
	if a.Estimates[0].WidestDoubt != "throughput" {
		t.Errorf("the widest doubt is %q", a.Estimates[0].WidestDoubt)
	}
}

// Images and speech are counted in their own units.
func TestOtherThanText(t *testing.T) {
	c, e := setup(t)
	x := answer(t, read(t, "schema: 1\nkind: serve\nmodel: sdxl\nserve: {requests_per_day: 20k}\noffer: {gpu: h100-sxm, amount: 2, per: gpu_hour}\n"), c, e).Estimates[0]
	// 20,000 a day in a month of 730 h are 608,333 images; one machine 1,460.
	if x.Unit != "images" || x.PerMTok.Known() || x.PerThousand.Mid.Round(4) != "2.4000" {
		t.Errorf("unit %s, per thousand %s, per million tokens %s", x.Unit, x.PerThousand.Mid, x.PerMTok.Mid)
	}
	s := read(t, "schema: 1\nkind: batch\nmodel: whisper-large-v3\nbatch: {audio_hours: 1000, precision: fp16}\noffer: {gpu: l4, amount: 1, per: gpu_hour}\nstartup: {minutes: 0, image_gb: 0}\n")
	x = answer(t, s, c, e).Estimates[0]
	// MLPerf v5.1 on four L4: 22.0 windows of 30 s a second, 5.5 a GPU: 120,000 windows take 6.1 h.
	if x.Hours.Low > 6.1 || x.Hours.High < 6.1 {
		t.Errorf("1,000 hours of speech take %+v h on an L4; MLPerf's rate gives 6.1", x.Hours)
	}
}
