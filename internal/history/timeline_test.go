package history

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// days is an offer whose price is told of several days of November: "5:10
// 6:10" is 10 on the 5th and the 6th; "?:10" is of no known day.
func days(instance, prices string) catalog.Offer {
	o := offer("aws", instance, "1", 1)
	model := o.Prices[0]
	o.Prices = nil
	for pair := range strings.FieldsSeq(prices) {
		day, dollars, _ := strings.Cut(pair, ":")
		p := model
		p.Low = money.MustParse(dollars, "USD")
		p.High, p.AsOf = p.Low, catalog.Date{}
		if n, err := strconv.Atoi(day); err == nil {
			p.AsOf = date(n)
		}
		o.Prices = append(o.Prices, p)
	}
	return o
}

// A list that tells several days leaves an observation for each change, with
// the days of the list: what is new is added at both ends, what was said
// first stays.
func TestSeveralDays(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		for _, step := range []struct {
			name   string
			at     time.Time
			prices string
			want   Result // without RunID and Rejections
			lines  []string
		}{
			{
				"five days, in any order", day(10), "9:11 5:10 6:10 8:12 7:12",
				Result{Verdict: Updated, Seen: 1, New: 1, Past: 2},
				[]string{"a 10.00 05..06 07 changed", "a 11.00 09..10 open", "a 12.00 07..08 09 changed"},
			},
			{
				"the same again", day(11), "5:10 6:10 7:12 8:12 9:11",
				Result{Verdict: Unchanged, Seen: 1, Unchanged: 1},
				[]string{"a 10.00 05..06 07 changed", "a 11.00 09..11 open", "a 12.00 07..08 09 changed"},
			},
			{
				"more at both ends", day(14), "3:9 4:10 5:10 6:10 7:12 8:12 9:11 11:11 12:13 13:13",
				Result{Verdict: Updated, Seen: 1, Changed: 1, Past: 1},
				[]string{"a 10.00 04..06 07 changed", "a 11.00 09..11 12 changed", "a 12.00 07..08 09 changed", "a 13.00 12..14 open", "a 9.00 03..03 04 changed"},
			},
			{
				"another story of the 8th", day(15), "8:99 13:13 15:13",
				Result{Verdict: Unchanged, Seen: 1, Unchanged: 1, Rejected: 1},
				[]string{"a 10.00 04..06 07 changed", "a 11.00 09..11 12 changed", "a 12.00 07..08 09 changed", "a 13.00 12..15 open", "a 9.00 03..03 04 changed"},
			},
			{
				"a change within the day, dated at the fetch", day(15).Add(3 * time.Hour), "13:13 15:14",
				Result{Verdict: Updated, Seen: 1, Changed: 1},
				[]string{"a 10.00 04..06 07 changed", "a 11.00 09..11 12 changed", "a 12.00 07..08 09 changed", "a 13.00 12..15 15 changed", "a 14.00 15..15 open", "a 9.00 03..03 04 changed"},
			},
			{
				"away and back", day(18), "16:15 17:14",
				Result{Verdict: Updated, Seen: 1, Changed: 1, Past: 1},
				[]string{"a 10.00 04..06 07 changed", "a 11.00 09..11 12 changed", "a 12.00 07..08 09 changed", "a 13.00 12..15 15 changed", "a 14.00 15..15 16 changed", "a 14.00 17..18 open", "a 15.00 16..16 17 changed", "a 9.00 03..03 04 changed"},
			},
		} {
			res := apply(t, s, Run{FetchedAt: step.at}, days("a", step.prices))
			res.RunID, res.Rejections = 0, nil
			if d := cmp.Diff(step.want, res); d != "" {
				t.Errorf("%s: %s", step.name, d)
			}
			if d := cmp.Diff(step.lines, lines(allSeries(t, s, Filter{}))); d != "" {
				t.Fatalf("%s: %s", step.name, d)
			}
		}
		if n, err := s.Count(t.Context(), Filter{Providers: []string{"aws"}}); err != nil || n != 1 {
			t.Error(n, err)
		}
		for at, want := range map[int]string{4: "10.00 of 2026-11-04", 8: "12.00 of 2026-11-08", 17: "14.00 of 2026-11-17"} {
			c, err := s.Latest(t.Context(), Filter{}, day(at))
			if err != nil || len(c.Offers) != 1 {
				t.Fatal(c, err)
			}
			if p := c.Offers[0].Prices[0]; p.Low.String()+" of "+p.AsOf.String() != want {
				t.Errorf("on day %d: %s of %s, want %s", at, p.Low, p.AsOf, want)
			}
		}
	})
}

// Days that cannot be told apart are left out, and a series that was gone
// comes back with what the list says of the time since.
func TestSeveralDaysLeftOut(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		res := apply(t, s, at(10), days("a", "5:10 6:11 6:12 7:13 ?:9"), days("b", "7:1 8:2"), days("b", "9:3 8:2"))
		if res.Rejected != 3 || res.Seen != 1 {
			t.Errorf("%+v", res)
		}
		if d := cmp.Diff([]string{"a 10.00 05..05 07 changed", "a 13.00 07..10 open"}, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		for n := range 3 {
			apply(t, s, at(11+n), offer("aws", "c", "1", 11))
		}
		apply(t, s, at(20), days("a", "7:13 14:13 15:14"), offer("aws", "c", "1", 20))
		want := []string{"a 10.00 05..05 07 changed", "a 13.00 07..10 11 disappeared", "a 13.00 14..14 15 changed", "a 14.00 15..20 open", "c 1.00 11..20 open"}
		if d := cmp.Diff(want, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		dry := at(21)
		dry.DryRun = true
		if res := apply(t, s, dry, days("a", "1:1 2:2 15:15")); res.Past != 2 || res.Changed != 1 {
			t.Errorf("%+v", res)
		}
		if d := cmp.Diff(want, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
	})
}

// Whatever parts of a true daily list are read, the store says of each day
// that was told what was true of it, without overlaps, repetitions and
// contradictions.
func TestWeaveLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		truth := rapid.SliceOfN(rapid.Int64Range(1, 3), 40, 40).Draw(rt, "truth")
		at := func(day int) int64 { return int64(day) * dayMicros }
		truly := func(day int) value {
			a := money.FromNano(truth[day], "USD")
			return value{low: a, high: a, per: "gpu_hour"}
		}
		var stored []span
		told := map[int]bool{}
		last := 19
		for visit := range rapid.IntRange(1, 6).Draw(rt, "visits") {
			to := rapid.IntRange(min(last+1, 39), min(last+7, 39)).Draw(rt, "to")
			from := rapid.IntRange(max(to-12, 0), to).Draw(rt, "from")
			var days []dayValue
			for d := from; d <= to; d++ {
				days = append(days, dayValue{at(d), dateCode(d), truly(d)})
			}
			last = max(last, to)
			woven, contradicts := weave(stored, days, at(to)+dayMicros/2+int64(visit))
			for d := from; d <= to; d++ {
				// Between two days of one value the store has that value: a day that was not told then may contradict.
				refused := slices.ContainsFunc(contradicts, func(c dayValue) bool { return c.at == at(d) })
				if refused && told[d] {
					rt.Fatalf("day %d contradicts what was true of it in %+v", d, woven)
				}
				told[d] = told[d] || !refused
			}
			for i, s := range woven {
				if s.observed > s.verified || s.verified > s.ended || (s.ended == openEnd) != (i == len(woven)-1) {
					rt.Fatalf("%+v in %+v", s, woven)
				}
				if i > 0 && (woven[i-1].ended != s.observed || woven[i-1].value == s.value) {
					rt.Fatalf("%+v after %+v", s, woven[i-1])
				}
			}
			for d, known := range told {
				if !known {
					continue
				}
				i := slices.IndexFunc(woven, func(s span) bool { return s.observed <= at(d) && at(d) < s.ended })
				if i < 0 || woven[i].value != truly(d) {
					rt.Fatalf("day %d is %v in %+v, was %v", d, i, woven, truly(d))
				}
			}
			for _, s := range stored { // nothing that was stored is lost
				if !slices.ContainsFunc(woven, func(w span) bool { return w.key == s.ended }) {
					rt.Fatalf("%+v is lost in %+v", s, woven)
				}
			}
			stored = slices.Clone(woven)
			for i := range stored {
				stored[i].key = stored[i].ended
			}
		}
	})
}

// Between the visits of a source its own list says when a price moved.
func TestDaysBetweenVisits(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		apply(t, s, at(6), offer("aws", "a", "10", 6))
		apply(t, s, at(9), offer("aws", "a", "13", 9))
		res := apply(t, s, at(10), days("a", "6:10 7:10 8:12 9:13"))
		if res.Verdict != Updated || res.Past != 1 || res.Unchanged != 1 || res.Rejected != 0 {
			t.Errorf("%+v", res)
		}
		want := []string{"a 10.00 06..07 08 changed", "a 12.00 08..08 09 changed", "a 13.00 09..10 open"}
		if d := cmp.Diff(want, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
	})
}
