package present

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

var placeholder = regexp.MustCompile(`\{[a-z_.0-9]+\}`)

// A text names the same values in both languages.
func TestPlaceholdersAreTheSame(t *testing.T) {
	for key, en := range purchaseEN() {
		a, b := placeholder.FindAllString(en, -1), placeholder.FindAllString(purchaseZH()[key], -1)
		slices.Sort(a)
		slices.Sort(b)
		if diff := cmp.Diff(slices.Compact(a), slices.Compact(b)); diff != "" {
			t.Errorf("%s:\n%s", key, diff)
		}
	}
}

// asked is one answer of every command, with made-up values.
func asked(t testing.TB) []purchase.Answer {
	t.Helper()
	in := func(values map[string]float64, amounts map[string]string) purchase.Inputs {
		var out purchase.Inputs
		for _, k := range sortedKeys(values) {
			out.Number(k, values[k], map[bool]string{true: "share", false: "count"}[strings.HasSuffix(k, "_share")], purchase.Flag("flag"))
		}
		for _, k := range sortedKeys(amounts) {
			out.Amount(k, money.Exactly(money.MustParse(amounts[k], "USD")), "", purchase.Default("one"))
		}
		return out
	}
	must := func(a purchase.Answer, err error) purchase.Answer {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		return a
	}
	job := map[string]float64{"work_hours": 72, "interruptions_per_hour": 0.05, "checkpoint_hours": 0.1, "restart_hours": 0.1, "gpus": 1, "deadline_hours": 96, "changeover_hours": 0.1}
	prices := map[string]string{"spot_per_hour": "1", "on_demand_per_hour": "2"}
	trace, err := spot.Generate(spot.Exponential(4), spot.Exponential(1), 0.5, 500, 1)
	if err != nil {
		t.Fatal(err)
	}
	simulated := must(purchase.Spot(in(job, prices), purchase.Interval{}, false, true))
	if err := simulated.Simulate(purchase.Interval{}, false, spot.Simulation{Runs: 50}); err != nil {
		t.Fatal(err)
	}
	simulated.Say("gpu", "H100")
	simulated.Say("seller", "Acme")
	if err := simulated.Replay(purchase.Interval{}, false, []spot.Trace{trace}, 1, 20); err != nil {
		t.Fatal(err)
	}
	deadline := must(purchase.Deadline(in(job, prices), trace, 1, 10, 2))
	deadline.Say("gpu", "H100")
	deadline.Say("seller", "Acme")
	pool := must(purchase.Pool(in(job, nil), []purchase.Member{
		{Name: "a", PerHour: money.MustParse("1", "USD"), Up: spot.Exponential(10), Outage: spot.Exponential(1)}, {Name: "b", PerHour: money.MustParse("2", "USD"), OnDemand: true},
	}, purchase.Interval{}, 20, 1))
	pool.Say("gpu", "H100")
	hold := must(purchase.Hold(in(map[string]float64{"until_hours": 2, "protected_hours": 1}, map[string]string{"deal_per_hour": "1"}), []purchase.Step{{FromHour: 0, PerHour: money.MustParse("1", "USD")}}))
	schedule := must(purchase.Schedule(in(map[string]float64{"shifted_share": 1}, nil), buying.Schedule{{StartHour: 2, EndHour: 8, Days: buying.AllDays}}, nil, true))
	schedule.Say("window", "2-8")
	reserved := must(purchase.Reserve(in(map[string]float64{"gpus": 1, "term_months": 12, "hours_per_month": 730, "use": 0.5}, map[string]string{"reserved_per_gpu_hour": "1", "on_demand_per_gpu_hour": "2"}), true))
	if err := reserved.Mix(purchase.Demand{Units: []float64{1, 2}, SlotHours: 12}); err != nil {
		t.Fatal(err)
	}
	return []purchase.Answer{
		simulated, deadline, pool, hold, schedule, reserved,
		must(purchase.Redo(in(map[string]float64{"work_hours": 10, "lost_hours": 1, "gpus": 1}, prices), true)),
		must(purchase.Buy(in(map[string]float64{"gpus": 8, "life_months": 36, "days_per_month": 30, "hours_per_day": 24, "rule_hours_per_day": 18, "cost_of_capital": 0.1}, map[string]string{"capex": "200000", "rent_per_gpu_hour": "2", "opex_per_month": "1000"}), true)),
		must(purchase.Serverless(in(map[string]float64{"gpus": 1, "hours_per_month": 730, "seconds_per_request": 1, "cold_start_s": 5, "idle_timeout_s": 5, "requests_per_day": 1000}, map[string]string{"serverless_per_second": "0.001", "resident_per_gpu_hour": "2"}), true)),
		must(purchase.API(in(map[string]float64{"tokens_per_second": 1000, "hours_per_month": 730, "min_replicas": 1, "tokens_per_day": 1e6}, map[string]string{"api_per_mtok": "2", "replica_per_hour": "1"}), true)),
	}
}

// leak is a key that has no text, or a value that was not filled in.
var leak = regexp.MustCompile(`\{[a-z_]+\}|\b(fig|in|buy|grid|word|why|verdict|head|unit)\.[a-z]|[a-z]+_[a-z]+_|%!|NaN|Inf`)

// Every figure says how it is made.
func TestEveryFigureHasAFormula(t *testing.T) {
	for _, a := range asked(t) {
		for i := range a.Figures {
			if words, _ := (Bought{}).formula(a.Figures[i].Name); words == "" {
				t.Errorf("%s: %s has no formula", a.Command, a.Figures[i].Name)
			}
		}
	}
}

// Every answer is said in words in both languages and shows in every format.
func TestAnswersAboutBuying(t *testing.T) {
	for _, a := range asked(t) {
		for _, l := range []Lang{EN, ZH} {
			for _, explain := range []bool{false, true} {
				d := Bought{Answer: a, Lang: l, Explain: explain}.Doc()
				for _, f := range Formats() {
					text := render(t, d, Options{Format: f, Lang: l})
					if f == TableFormat || f == Wide || f == Markdown {
						if m := leak.FindString(text); m != "" {
							t.Errorf("%s %s %s: %q in\n%s", a.Command, l, f, m, text)
						}
					}
				}
			}
		}
	}
}

// JSON keeps the order of keys and nests those with a dot; a range has its ends.
func TestBoughtObject(t *testing.T) {
	b := Bought{Answer: purchase.Answer{Command: "spot", Currency: "USD", Deciding: []string{"x"}, Figures: []purchase.Figure{
		{Name: "interval.young", Value: 2.0, Low: 2.0, High: 2.0},
		{Name: "interval.used", Value: 1.5, Low: 1.5, High: 1.5},
		{Name: "x", Value: money.MustParse("0.5", "USD"), Low: money.MustParse("0.4", "USD"), High: nil},
		{Name: "fits", Value: false, Low: false, High: false},
	}}}
	text := render(t, b.Doc(), Options{Format: JSON})
	for _, want := range []string{`"young": 2,`, `"used": 1.5`, `"x": "0.50",`, `"x_low": "0.40",`, `"x_high": null,`, `"fits": false,`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	csv := render(t, b.Doc(), Options{Format: CSV})
	if !strings.Contains(csv, "x,0.50,0.40,,,USD\n") {
		t.Error(csv)
	}
}
