package history

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// The four times over nine days: a value is written when it changes, extended
// when it does not, and nothing else moves a date.
func TestChangeOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		steps := []struct {
			name string
			do   func() Result
			want Result
		}{
			{
				"first", func() Result { return apply(t, s, at(1), offer("aws", "a", "10", 1), offer("aws", "b", "20", 1)) },
				Result{RunID: 1, Verdict: Updated, Seen: 2, New: 2},
			},
			{
				"the same", func() Result { return apply(t, s, at(2), offer("aws", "a", "10", 2), offer("aws", "b", "20", 2)) },
				Result{RunID: 2, Verdict: Unchanged, Seen: 2, Unchanged: 2},
			},
			{
				"a changes", func() Result { return apply(t, s, at(3), offer("aws", "a", "11", 3), offer("aws", "b", "20", 3)) },
				Result{RunID: 3, Verdict: Updated, Seen: 2, Changed: 1, Unchanged: 1},
			},
			{
				"b missing once", func() Result { return apply(t, s, at(4), offer("aws", "a", "11", 4)) },
				Result{RunID: 4, Verdict: Unchanged, Seen: 1, Unchanged: 1, Missing: 1},
			},
			{
				"b back", func() Result { return apply(t, s, at(5), offer("aws", "a", "11", 5), offer("aws", "b", "20", 5)) },
				Result{RunID: 5, Verdict: Unchanged, Seen: 2, Unchanged: 2},
			},
			{
				"a partial run misses nothing", func() Result { r := at(6); r.Partial = true; return apply(t, s, r, offer("aws", "a", "11", 6)) },
				Result{RunID: 6, Verdict: Unchanged, Seen: 1, Unchanged: 1},
			},
			{
				"b missing", func() Result { return apply(t, s, at(7), offer("aws", "a", "11", 7)) },
				Result{RunID: 7, Verdict: Unchanged, Seen: 1, Unchanged: 1, Missing: 1},
			},
			{
				"b missing twice", func() Result { return apply(t, s, at(8), offer("aws", "a", "11", 8)) },
				Result{RunID: 8, Verdict: Unchanged, Seen: 1, Unchanged: 1, Missing: 1},
			},
			{
				"b gone", func() Result { return apply(t, s, at(9), offer("aws", "a", "11", 9)) },
				Result{RunID: 9, Verdict: Updated, Seen: 1, Unchanged: 1, Missing: 1, Gone: 1},
			},
			{
				"b no longer missed", func() Result { return apply(t, s, at(10), offer("aws", "a", "11", 10)) },
				Result{RunID: 10, Verdict: Unchanged, Seen: 1, Unchanged: 1},
			},
			{
				"b comes back", func() Result { return apply(t, s, at(11), offer("aws", "a", "11", 11), offer("aws", "b", "20", 11)) },
				Result{RunID: 11, Verdict: Updated, Seen: 2, New: 1, Unchanged: 1},
			},
		}
		for _, step := range steps {
			if d := cmp.Diff(step.want, step.do()); d != "" {
				t.Fatalf("%s: -want +got\n%s", step.name, d)
			}
		}
		want := []string{
			"a 10.00 01..02 03 changed",
			"a 11.00 03..11 open",
			"b 20.00 01..05 07 disappeared",
			"b 20.00 11..11 open",
		}
		if d := cmp.Diff(want, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
	})
}

func TestRunsThatRenewNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		if _, err := s.NotModified(t.Context(), Run{Source: "test", FetchedAt: day(1)}); !errors.Is(err, ErrRun) {
			t.Errorf("304 before the first rows: %v", err)
		}
		apply(t, s, at(2), offer("aws", "a", "10", 2))
		for i, v := range []Verdict{Failed, Rejected, Skipped} {
			err := s.Record(t.Context(), Run{Source: "test", FetchedAt: day(3 + i), Verdict: v, Detail: "why", Rejected: []Rejection{{"x", "y"}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range []Verdict{Updated, Unchanged, ""} {
			if err := s.Record(t.Context(), Run{Source: "test", FetchedAt: day(6), Verdict: v}); !errors.Is(err, ErrRun) {
				t.Errorf("recording %q without rows: %v", v, err)
			}
		}
		// An answer that was fetched earlier but arrives later changes nothing.
		if res := apply(t, s, at(1), offer("aws", "a", "99", 1)); res.Verdict != Superseded {
			t.Errorf("older run: %v", res.Verdict)
		}
		if _, err := s.Apply(t.Context(), Run{Source: "test", FetchedAt: day(6)}, Batch{}); !errors.Is(err, ErrEmpty) {
			t.Errorf("empty run: %v", err)
		}
		broken := func(yield func(catalog.Offer, error) bool) {
			_ = yield(offer("aws", "a", "11", 6), nil) && yield(catalog.Offer{}, errors.New("connection reset"))
		}
		if _, err := s.Apply(t.Context(), Run{Source: "test", FetchedAt: day(6)}, Batch{Offers: broken}); err == nil {
			t.Error("a broken run was accepted")
		}
		if d := cmp.Diff([]string{"a 10.00 02..02 open"}, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		if _, err := s.NotModified(t.Context(), Run{Source: "test", FetchedAt: day(7), Partial: true}); !errors.Is(err, ErrRun) {
			t.Errorf("partial 304: %v", err)
		}
		if _, err := s.NotModified(t.Context(), Run{Source: "test", FetchedAt: day(7)}); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff([]string{"a 10.00 02..07 open"}, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		status, err := s.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []SourceStatus{{Source: "test", FirstSuccess: day(2), LastSuccess: day(7), LastAttempt: day(7), LastVerdict: Unchanged, Rows: 1}}
		if d := cmp.Diff(want, status); d != "" {
			t.Error(d)
		}
	})
}

// A 304 renews the rows of the last accepted run of that very source: not
// those that were missing, left out or not asked for, and not another source's.
func TestNotModifiedRenews(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		run := func(source string, n int) Run {
			return Run{Source: source, FetchedAt: day(n), Validators: []Validator{{"https://example.org/" + source, fmt.Sprint(n), ""}}}
		}
		apply(t, s, run("sky/aws", 1), offer("aws", "a", "10", 1), offer("aws", "missing", "20", 1), offer("aws", "twice", "30", 1))
		apply(t, s, run("sky/gcp", 1), offer("gcp", "g", "40", 1))
		apply(t, s, run("sky/aws", 2), offer("aws", "a", "10", 2), offer("aws", "twice", "30", 2), offer("aws", "twice", "31", 2))
		res, err := s.NotModified(t.Context(), run("sky/aws", 3))
		if err != nil || res.Seen != 1 || res.Unchanged != 1 {
			t.Error(res, err)
		}
		want := []string{"a 10.00 01..03 open", "g 40.00 01..01 open", "missing 20.00 01..01 open", "twice 30.00 01..01 open"}
		if d := cmp.Diff(want, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		part := run("sky/aws", 4)
		part.Partial, part.Validators = true, nil
		apply(t, s, part, offer("aws", "missing", "20", 4))
		if _, err := s.NotModified(t.Context(), run("sky/aws", 5)); err != nil {
			t.Error(err)
		}
		want[0], want[2] = "a 10.00 01..03 open", "missing 20.00 01..05 open"
		if d := cmp.Diff(want, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
	})
}

// An accepted answer without validators leaves none: "not modified" of an
// older one would renew what came after it.
func TestValidatorsAreOfTheLastRun(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		first := at(1)
		first.Validators = []Validator{{"https://example.org/a", `"1"`, ""}, {"https://example.org/b", `"1"`, ""}}
		apply(t, s, first, offer("aws", "a", "10", 1))
		for n, left := range [][]Validator{{{"https://example.org/a", `"2"`, ""}}, nil} {
			run := at(2 + n)
			run.Validators = left
			apply(t, s, run, offer("aws", "a", "11", 2))
			got, err := s.Validators(t.Context(), "test")
			if err != nil || len(got) != len(left) {
				t.Error(n, got, err)
			}
		}
	})
}

func TestDryRun(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		apply(t, s, at(1), offer("aws", "a", "10", 1))
		run := at(2)
		run.DryRun = true
		want := Result{Verdict: Updated, Seen: 2, New: 1, Changed: 1}
		for range 2 {
			if d := cmp.Diff(want, apply(t, s, run, offer("aws", "a", "11", 2), offer("aws", "b", "1", 2))); d != "" {
				t.Error(d)
			}
		}
		run.FetchedAt = day(1)
		if res := apply(t, s, run, offer("aws", "a", "11", 1)); res.Verdict != Superseded {
			t.Error(res.Verdict)
		}
		if d := cmp.Diff([]string{"a 10.00 01..01 open"}, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		if status, err := s.Sources(t.Context()); err != nil || !status[0].LastAttempt.Equal(day(1)) {
			t.Error(status, err)
		}
	})
}

func TestSourceStatusAfterFailures(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		run := at(2)
		run.PublishedAt, run.ContentSHA256 = day(1), "abc"
		run.Validators = []Validator{{"https://example.org/a", `"1"`, ""}}
		apply(t, s, run, offer("aws", "a", "10", 2), offer("aws", "b", "10", 2))
		fail := Run{Source: "test", FetchedAt: day(3), Verdict: Rejected, Detail: "8 times the price", Rejected: []Rejection{{"a", "x8"}}}
		fail.Validators = []Validator{{"https://example.org/a", `"2"`, ""}}
		if err := s.Record(t.Context(), fail); err != nil {
			t.Fatal(err)
		}
		status, err := s.Sources(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []SourceStatus{{
			Source: "test", FirstSuccess: day(2), LastSuccess: day(2), PublishedAt: day(1), ContentSHA256: "abc",
			LastAttempt: day(3), LastVerdict: Rejected, LastDetail: "8 times the price", LastRejected: 1, Failures: 1, Rows: 2,
		}}
		if d := cmp.Diff(want, status); d != "" {
			t.Error(d)
		}
		rejections, err := s.Rejections(t.Context(), "test")
		if d := cmp.Diff([]Rejection{{"a", "x8"}}, rejections); d != "" || err != nil {
			t.Error(d, err)
		}
		validators, err := s.Validators(t.Context(), "test")
		if v := validators["https://example.org/a"]; v.ETag != `"1"` || err != nil {
			t.Errorf("a rejected run left its validator: %v %v", v, err)
		}
	})
}

func TestRowsThatAreLeftOut(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		apply(t, s, at(1), offer("aws", "a", "10", 1), offer("aws", "b", "20", 1), offer("aws", "c", "30", 1))
		zero, negative, free := offer("aws", "zero", "0", 2), offer("aws", "negative", "1", 2), offer("aws", "free", "0", 2)
		negative.Prices[0].Low = negative.Prices[0].Low.Neg()
		free.Prices[0].Free = true
		unknown := offer("aws", "unknown", "1", 2)
		unknown.Prices[0].Low, unknown.Prices[0].High = money.Amount{}, money.Amount{}
		half := offer("aws", "half", "1", 2)
		half.Prices[0].High = money.Amount{}
		override := offer("aws", "override", "1", 2)
		override.Prices[0].Override = "acme"
		res := apply(t, s, at(2),
			offer("aws", "a", "11", 2), offer("aws", "a", "88", 2), // the first of two is written, then taken back
			offer("aws", "b", "20", 2), offer("aws", "b", "20", 2), // a repetition
			offer("aws", "c", "30", 2), offer("aws", "c", "31", 2), // the first of two is the old value: it is not extended
			offer("aws", "d", "1", 2), offer("aws", "d", "2", 2), // new, twice: there is nothing to keep
			zero, negative, free, unknown, half, override)
		res.RunID = 0
		want := Result{Verdict: Updated, Seen: 3, New: 2, Unchanged: 1, Repeated: 1, Rejected: 7, Rejections: []Rejection{
			{"aws zero h100-80gb-sxm us-east-1 on_demand", errZero.Error()},
			{"aws negative h100-80gb-sxm us-east-1 on_demand", errNegative.Error()},
			{"aws half h100-80gb-sxm us-east-1 on_demand", errHalf.Error()},
			{"aws override h100-80gb-sxm us-east-1 on_demand", errOverride.Error()},
		}}
		got := len(res.Rejections)
		res.Rejections = res.Rejections[:4]
		if d := cmp.Diff(want, res); d != "" || got != 7 {
			t.Error(got, d)
		}
		wantLines := []string{"a 10.00 01..01 open", "b 20.00 01..02 open", "c 30.00 01..01 open", "free 0.00 02..02 open", "unknown  02..02 open"}
		if d := cmp.Diff(wantLines, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		// A known price that becomes unknown is a change, not an old price.
		b := offer("aws", "b", "1", 3)
		b.Prices[0].Low, b.Prices[0].High = money.Amount{}, money.Amount{}
		if res := apply(t, s, Run{FetchedAt: day(3), Partial: true}, b); res.Changed != 1 {
			t.Errorf("price -> unknown: %+v", res)
		}
	})
}

// A source's own date stays with its price: a later fetch does not restamp it.
func TestDatesOfTheSource(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		old, undated := offer("aws", "old", "1", 1), offer("aws", "undated", "1", 1)
		old.Prices[0].AsOf = catalog.Date{Year: 2026, Month: 5}
		undated.Prices[0].AsOf = catalog.Date{}
		live := func(n int) catalog.Offer { return offer("aws", "live", "1", n) }
		apply(t, s, at(4), old, undated, live(4))
		apply(t, s, at(5), old, undated, live(5))
		check := func(at time.Time, want string) {
			t.Helper()
			c, err := s.Latest(t.Context(), Filter{}, at)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, o := range c.Offers {
				got += o.Instance + "=" + o.Prices[0].AsOf.String() + " "
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		check(time.Time{}, "live=2026-11-05 old=2026-05 undated=unknown ")
		check(day(4), "live=2026-11-04 old=2026-05 undated=unknown ")
		if _, err := s.NotModified(t.Context(), Run{Source: "test", FetchedAt: day(6)}); err != nil {
			t.Fatal(err)
		}
		check(time.Time{}, "live=2026-11-06 old=2026-05 undated=unknown ")
		old.Prices[0].AsOf = date(7) // the source dates it anew: a verification, not a change
		if res := apply(t, s, at(8), old, undated, live(8)); res.Unchanged != 3 {
			t.Errorf("%+v", res)
		}
		check(time.Time{}, "live=2026-11-08 old=2026-11-07 undated=unknown ")
		check(day(3), "")
	})
}
