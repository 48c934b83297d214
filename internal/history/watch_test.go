package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// rule reads a rule as JSON; the YAML reader uses the same text forms.
func rule(t testing.TB, text string) Rule {
	t.Helper()
	var r Rule
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	f := RuleFile{Schema: 1, Rules: []Rule{r}}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// watched is a series of 8 GPUs whose machine had these prices from day 1 on,
// one a day; "" repeats the last, "gone" ends it.
func watched(currency money.Currency, prices ...string) Series {
	s := Series{ID: 7, Source: "src", Provider: "aws", Instance: "p5", GPU: "h100", GPUs: unit.Whole(8), Purchase: catalog.Spot}
	for i, p := range prices {
		now := day(i + 1)
		last := len(s.Points) - 1
		switch {
		case p == "":
			s.Points[last].LastVerifiedAt = now
			continue
		case last >= 0:
			s.Points[last].EndedAt, s.Points[last].EndReason = now, "changed"
		}
		if p == "gone" {
			s.Points[last].EndReason = "disappeared"
			continue
		}
		a := money.MustParse(p, currency)
		s.Points = append(s.Points, Point{ObservedAt: now, LastVerifiedAt: now, Low: a, High: a, Per: string(unit.PerInstanceHour)})
	}
	return s
}

// play evaluates a rule every day at the hour of verification and returns what
// happened: "." nothing, "F" fired, "?" not judged.
func play(r Rule, currency money.Currency, rates []catalog.FXRate, prices ...string) string {
	states := map[string]WatchState{}
	out := ""
	for n := range prices {
		in := WatchInput{Now: day(n + 1), Series: []Series{watched(currency, prices[:n+1]...)}, Rates: rates}
		o := Evaluate(&r, &in, states)
		maps.Copy(states, o.States)
		switch {
		case len(o.Events) > 0:
			out += "F"
		case len(o.Unjudged) > 0:
			out += "?"
		default:
			out += "."
		}
	}
	return out
}

func TestEvaluate(t *testing.T) {
	falling := []catalog.FXRate{fxRate("USD", "CNY", "7", 1), fxRate("USD", "CNY", "6", 3)}
	for _, c := range []struct {
		name, rule string
		currency   money.Currency
		rates      []catalog.FXRate
		prices     string // of the machine with 8 GPUs, a day apart
		want       string
	}{
		// 1.80 per GPU-hour is 14.40 for the machine; 2 % above it is 14.688.
		{"below", `{"name":"x","when":{"below":"1.80 USD"}}`, "USD", nil, "15 14.40 14.39 14", "..F."},
		{"rearmed only past the margin", `{"name":"x","when":{"below":"1.80 USD"}}`, "USD", nil, "14 14.5 14 14.688 14", "F...F"},
		{"without margin", `{"name":"x","rearm":0,"when":{"below":"1.80 USD"}}`, "USD", nil, "14 14.4 14", "F.F"},
		{"per instance", `{"name":"x","when":{"below":"14 USD/instance-hour"}}`, "USD", nil, "14 13.99", ".F"},
		{"above", `{"name":"x","when":{"above":"1.80 USD"}}`, "USD", nil, "14.40 14.41 14.2 14.41 14.112 14.41", ".F...F"},
		{"for two", `{"name":"x","for":2,"when":{"below":"1.80 USD"}}`, "USD", nil, "14 15 14 13 14", "...F."},
		{"for two, unchanged price verified again", `{"name":"x","for":2,"when":{"below":"1.80 USD"}}`, "USD", nil, "14 - -", ".F."},
		{"cooldown", `{"name":"x","cooldown":"3d","when":{"below":"1.80 USD"}}`, "USD", nil, "14 20 14 14 14", "F..F."},
		{"rate alone does not fire", `{"name":"x","when":{"below":"13 CNY"}}`, "USD", falling, "16 - - - 15.99", "....F"},
		{"unless asked", `{"name":"x","basis":"report_currency","when":{"below":"13 CNY"}}`, "USD", falling, "16 - - -", "..F."},
		{"no rate", `{"name":"x","when":{"below":"13 CNY"}}`, "USD", nil, "16", "?"},
		{"change either way", `{"name":"x","when":{"change":"10% over 24h"}}`, "USD", nil, "10 11 - 9.9 9.9", ".F.F."},
		{"no change of 9.9", `{"name":"x","when":{"change":"10% over 24h"}}`, "USD", nil, "10 10.99", ".."},
		{"drop", `{"name":"x","when":{"change":"-10% over 24h"}}`, "USD", nil, "10 12 10.8", "..F"},
		{"drop over two days", `{"name":"x","when":{"change":"-10% over 2d"}}`, "USD", nil, "10 9.5 9", "..F"},
		{"rise", `{"name":"x","when":{"change":"+10% over 24h"}}`, "USD", nil, "10 8 8.8", "..F"},
		{"gone", `{"name":"x","when":{"gone":true}}`, "USD", nil, "10 gone - 10 gone", ".F..F"},
		{"gone before it was watched", `{"name":"x","when":{"gone":true}}`, "USD", nil, "gone", "."},
	} {
		prices := strings.Fields(strings.ReplaceAll(c.prices, "-", "_"))
		for i := range prices {
			if prices[i] == "_" {
				prices[i] = ""
			}
		}
		if c.prices == "gone" { // there was a price before
			s := watched(c.currency, "10", "gone")
			r := rule(t, c.rule)
			if o := Evaluate(&r, &WatchInput{Now: day(9), Series: []Series{s}}, nil); len(o.Events) > 0 || !o.States["series:7"].Fired {
				t.Errorf("%s: %+v", c.name, o)
			}
			continue
		}
		if got := play(rule(t, c.rule), c.currency, c.rates, prices...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestOldPricesAreNotJudged(t *testing.T) {
	s := watched("USD", "14")
	for _, c := range []struct {
		rule string
		day  int
		want string
	}{
		{`{"name":"x","when":{"below":"1.80 USD"}}`, 4, "1 0"}, // 72 h old
		{`{"name":"x","when":{"below":"1.80 USD"}}`, 5, "0 1"},
		{`{"name":"x","max_age":"30d","when":{"below":"1.80 USD"}}`, 5, "1 0"},
		{`{"name":"x","max_age":"30d","select":{"min_gpus":9},"when":{"below":"1.80 USD"}}`, 5, "0 0"},
	} {
		r := rule(t, c.rule)
		o := Evaluate(&r, &WatchInput{Now: day(c.day), Series: []Series{s}}, nil)
		if got := fmt.Sprint(len(o.Events), len(o.Unjudged)); got != c.want {
			t.Errorf("%s on day %d: %s, want %s", c.rule, c.day, got, c.want)
		}
	}
}

func TestStale(t *testing.T) {
	r := rule(t, `{"name":"x","select":{"source":["a","b"]},"when":{"stale":"6h"}}`)
	states := map[string]WatchState{}
	at := func(now time.Time, success time.Time) (subjects []string) {
		in := WatchInput{Now: now, Sources: []SourceStatus{{Source: "a", LastSuccess: success}}}
		o := Evaluate(&r, &in, states)
		maps.Copy(states, o.States)
		for _, e := range o.Events {
			subjects = append(subjects, e.Subject)
		}
		return subjects
	}
	steps := []struct {
		now, success time.Time
		want         []string
	}{
		{day(1).Add(6 * time.Hour), day(1), []string{"source:b"}}, // b was never seen
		{day(1).Add(6*time.Hour + 1), day(1), []string{"source:a"}},
		{day(2), day(1), nil},
		{day(3), day(3), nil}, // a is back
		{day(4), day(3), []string{"source:a"}},
	}
	for i, s := range steps {
		if d := cmp.Diff(s.want, at(s.now, s.success)); d != "" {
			t.Errorf("step %d: %s", i, d)
		}
	}
}

func TestPerHour(t *testing.T) {
	for _, c := range []struct {
		amount, per string
		gpus        unit.Count
		term        int
		to          unit.Per
		want        string // "" cannot be
	}{
		{"16", "instance_hour", unit.Whole(8), 0, unit.PerGPUHour, "2.00"},
		{"2", "gpu_hour", unit.Whole(8), 0, unit.PerInstanceHour, "16.00"},
		{"2", "gpu_hour", unit.Count{}, 0, unit.PerGPUHour, "2.00"},
		{"2", "instance_hour", unit.Count{}, 0, unit.PerGPUHour, ""},
		{"0.5", "instance_hour", unit.Count{Num: 1, Den: 6}, 0, unit.PerGPUHour, "3.00"},
		{"0.0005", "gpu_second", unit.Whole(1), 0, unit.PerGPUHour, "1.80"},
		{"1460", "gpu_month", unit.Whole(4), 0, unit.PerGPUHour, "2.00"},
		{"1460", "instance_month", unit.Whole(4), 0, unit.PerGPUHour, "0.50"},
		{"17520", "instance_term", unit.Whole(2), 12, unit.PerGPUHour, "1.00"}, // 8,760 h
		{"17520", "instance_term", unit.Whole(2), 0, unit.PerGPUHour, ""},
		{"1", "million_tokens", unit.Whole(2), 0, unit.PerGPUHour, ""},
	} {
		got, ok := perHour(money.MustParse(c.amount, "USD"), c.per, c.gpus, c.term, c.to)
		text := ""
		if ok {
			a, _ := rounded(got, "USD")
			text = a.String()
		}
		if text != c.want {
			t.Errorf("%s per %s: %q, want %q", c.amount, c.per, text, c.want)
		}
	}
}

func TestRuleProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":1,"rules":[]}`:                                                                             "no rules",
		`{"schema":2,"rules":[{"name":"a","when":{"gone":true}}]}`:                                            "schema: 2",
		`{"schema":1,"rules":[{"when":{"gone":true}}]}`:                                                       "no name",
		`{"schema":1,"rules":[{"name":"a","when":{}}]}`:                                                       "0 conditions",
		`{"schema":1,"rules":[{"name":"a","when":{"gone":true,"stale":"6h"}}]}`:                               "2 conditions",
		`{"schema":1,"rules":[{"name":"a","for":2,"when":{"gone":true}}]}`:                                    "only once",
		`{"schema":1,"rules":[{"name":"a","rearm":100,"when":{"gone":true}}]}`:                                "rearm",
		`{"schema":1,"rules":[{"name":"a","basis":"usd","when":{"gone":true}}]}`:                              "basis",
		`{"schema":1,"rules":[{"name":"a","select":{"purchase":["cheap"]},"when":{"gone":true}}]}`:            "purchase",
		`{"schema":1,"rules":[{"name":"a","when":{"gone":true}},{"name":"a","when":{"gone":true}}]}`:          "second rule",
		`{"schema":1,"rules":[{"name":"a","when":{"below":"1.80"}}]}`:                                         "amount and its currency",
		`{"schema":1,"rules":[{"name":"a","when":{"below":"-1.80 USD"}}]}`:                                    "amount and its currency",
		`{"schema":1,"rules":[{"name":"a","when":{"below":"1.80 USD/h"}}]}`:                                   "want /gpu-hour",
		`{"schema":1,"rules":[{"name":"a","when":{"change":"10 over 24h"}}]}`:                                 "a change such as",
		`{"schema":1,"rules":[{"name":"a","when":{"change":"+-10% over 24h"}}]}`:                              "a change such as",
		`{"schema":1,"rules":[{"name":"a","when":{"change":"0% over 24h"}}]}`:                                 "a change such as",
		`{"schema":1,"rules":[{"name":"a","when":{"change":"10% over yesterday"}}]}`:                          "a time such as",
		`{"schema":1,"rules":[{"name":"a","when":{"stale":"-1h"}}]}`:                                          "a time such as",
		`{"schema":1,"rules":[{"name":"a","when":{"stale":"0d"}}]}`:                                           "a time such as",
		`{"schema":1,"rules":[{"name":"a","when":{"below":"1.80 USD"}},{"name":"b","when":{"stale":"30d"}}]}`: "",
	} {
		var f RuleFile
		err := json.Unmarshal([]byte(text), &f)
		if err == nil {
			err = f.Check()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	var one Words
	_ = one.UnmarshalYAML(func(v any) error {
		if s, ok := v.(*string); ok {
			*s = "h100"
		}
		return nil
	})
	if len(one) != 1 || one[0] != "h100" {
		t.Errorf("a word: %q", one)
	}
}

// What is written is read back as it was: the digest of a rule depends on it.
func TestRuleTexts(t *testing.T) {
	for _, text := range []string{"1.80 USD/gpu-hour", "14.40 USD/instance-hour"} {
		var v Threshold
		if err := v.UnmarshalText([]byte(text)); err != nil || v.String() != text {
			t.Errorf("%s: %s %v", text, v, err)
		}
	}
	for _, text := range []string{"10% over 1d", "+2.5% over 6h0m0s", "-20% over 30d"} {
		var v Movement
		if err := v.UnmarshalText([]byte(text)); err != nil || v.String() != text {
			t.Errorf("%s: %s %v", text, v, err)
		}
	}
}

func FuzzRuleTexts(f *testing.F) {
	for _, s := range []string{"1.80 USD/gpu-hour", "10% over 24h", "30d", "1e9 USD", "% over ", "99999999999999999999d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var a, b Threshold
		if a.UnmarshalText([]byte(s)) == nil && (b.UnmarshalText([]byte(a.String())) != nil || a != b) {
			t.Errorf("%q: %v, then %v", s, a, b)
		}
		var m, n Movement
		if m.UnmarshalText([]byte(s)) == nil && (n.UnmarshalText([]byte(m.String())) != nil || m != n) {
			t.Errorf("%q: %v, then %v", s, m, n)
		}
	})
}

// The states and the outbox of two watchers, over three days, in the store.
func TestWatch(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		rules := []Rule{
			rule(t, `{"name":"cheap","select":{"gpu":["h100-80gb-sxm"],"purchase":["on_demand"],"region":["US-*"]},"when":{"below":"1.80 USD"}}`),
			rule(t, `{"name":"elsewhere","select":{"region":["eu-*"]},"when":{"below":"1.80 USD"}}`),
		}
		run := func(watcher string, n int) (fired int) {
			t.Helper()
			out, err := s.Watch(t.Context(), watcher, rules, day(n), nil)
			if err != nil {
				t.Fatal(err)
			}
			return len(out.Events)
		}
		var got []int
		for n, price := range []string{"16", "14", "14"} {
			apply(t, s, at(n+1), offer("aws", "a", price, n+1))
			got = append(got, run("ci", n+1))
		}
		got = append(got, run("other", 3))
		rules[0] = rule(t, `{"name":"cheap","select":{"gpu":["h100-80gb-sxm"]},"when":{"below":"1.79 USD"}}`) // another rule now
		got = append(got, run("ci", 3))
		if d := cmp.Diff([]int{0, 1, 0, 1, 1}, got); d != "" {
			t.Fatal(d)
		}
		events, err := s.Undelivered(t.Context(), "ci")
		if err != nil || len(events) != 2 {
			t.Fatal(events, err)
		}
		want := Event{
			ID: 1, Rule: "cheap", Kind: "below", Subject: events[0].Subject, FiredAt: day(2), VerifiedAt: day(2), Source: "test",
			Message:  "aws a h100-80gb-sxm us-east-1 on_demand: 1.75 USD, below 1.80 USD/gpu-hour",
			Provider: "aws", Instance: "a", GPU: "h100-80gb-sxm", GPUs: "8", Region: "us-east-1", Purchase: "on_demand",
			To: "1.75", Currency: "USD", Per: "gpu_hour",
		}
		if d := cmp.Diff(want, events[0]); d != "" {
			t.Error(d)
		}
		if err := s.Delivered(t.Context(), events[0].ID, day(3)); err != nil {
			t.Fatal(err)
		}
		if events, err = s.Undelivered(t.Context(), "ci"); err != nil || len(events) != 1 {
			t.Error(events, err)
		}
	})
}
