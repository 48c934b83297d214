package history

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
)

// figures are interruption bands of H100 at AWS: "us-east-1:5..10".
func figures(text string) (list []catalog.Interruption) {
	for word := range strings.FieldsSeq(text) {
		region, band, _ := strings.Cut(word, ":")
		from, to, _ := strings.Cut(band, "..")
		low, err1 := strconv.ParseFloat(from, 64)
		high, err2 := strconv.ParseFloat(to, 64)
		if err1 != nil || err2 != nil {
			panic(band)
		}
		list = append(list, catalog.Interruption{
			Provider: "aws", GPU: "h100-80gb-sxm", Metric: "interruption_band_30d", Low: &low, High: &high,
			Unit: "percent, region " + region, Ref: region + " p5.48xlarge", Confidence: catalog.High,
		})
	}
	return list
}

// figureLines is the table in words: "region low..high observed..verified end reason".
func figureLines(t *testing.T, s *Store) (out []string) {
	t.Helper()
	err := s.read(t.Context(), "test", func(x *tx) error {
		return x.each(t.Context(), `SELECT ref, low_nano, high_nano, observed_at, last_verified_at, ended_at, COALESCE(end_reason, '')
			FROM interruption ORDER BY ref, ended_at`, nil, func(scan func(...any) error) error {
			var ref, reason string
			var low, high, observed, verified, ended int64
			err := scan(&ref, &low, &high, &observed, &verified, &ended, &reason)
			day := func(at int64) string { return time.UnixMicro(at).UTC().Format("02") }
			end := "open"
			if reason != "" {
				end = day(ended) + " " + reason
			}
			out = append(out, fmt.Sprintf("%s %d..%d %s..%s %s", strings.Fields(ref)[0], low/1e9, high/1e9, day(observed), day(verified), end))
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Figures are kept as prices are: written when they change, extended when
// they do not, gone after three whole runs without them.
func TestFigures(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		for n, step := range []struct {
			figures string
			partial bool
			want    Result
		}{
			{"a:0..5 b:5..10", false, Result{Verdict: Updated, Seen: 2, New: 2}},
			{"a:0..5 b:5..10", false, Result{Verdict: Unchanged, Seen: 2, Unchanged: 2}},
			{"a:0..5 b:20..100 c:10..15 c:10..15", false, Result{Verdict: Updated, Seen: 3, New: 1, Changed: 1, Unchanged: 1, Repeated: 1}},
			{"b:20..100", true, Result{Verdict: Unchanged, Seen: 1, Unchanged: 1}},
			{"b:20..100 c:10..15 c:15..20", false, Result{Verdict: Unchanged, Seen: 1, Unchanged: 1, Missing: 1, Rejected: 1}},
			{"a:0..5 b:20..100", false, Result{Verdict: Unchanged, Seen: 2, Unchanged: 2, Missing: 1}},
			{"a:0..5 b:20..100", false, Result{Verdict: Unchanged, Seen: 2, Unchanged: 2, Missing: 1}},
			{"a:0..5 b:20..100", false, Result{Verdict: Updated, Seen: 2, Unchanged: 2, Missing: 1, Gone: 1}},
		} {
			res, err := s.Apply(t.Context(), Run{Source: "advisor", FetchedAt: day(1 + n), Partial: step.partial}, Batch{Interruption: figures(step.figures)})
			res.RunID, res.Rejections = 0, nil
			if d := cmp.Diff(step.want, res); d != "" || err != nil {
				t.Errorf("run %d: %v %s", n+1, err, d)
			}
		}
		// Nothing else renews them: not a failure, not another source's 304.
		apply(t, s, Run{Source: "other", FetchedAt: day(9)}, offer("aws", "a", "1", 9))
		if _, err := s.NotModified(t.Context(), Run{Source: "other", FetchedAt: day(10)}); err != nil {
			t.Error(err)
		}
		if err := s.Record(t.Context(), Run{Source: "advisor", FetchedAt: day(10), Verdict: Failed}); err != nil {
			t.Error(err)
		}
		want := []string{"a 0..5 01..08 open", "b 5..10 01..02 03 changed", "b 20..100 03..08 open", "c 10..15 03..03 06 disappeared"}
		if d := cmp.Diff(want, figureLines(t, s)); d != "" {
			t.Error(d)
		}
		if res, err := s.NotModified(t.Context(), Run{Source: "advisor", FetchedAt: day(11)}); err != nil || res.Seen != 2 {
			t.Error(res, err)
		}
		want[0], want[2] = "a 0..5 01..11 open", "b 20..100 03..11 open"
		if d := cmp.Diff(want, figureLines(t, s)); d != "" {
			t.Error(d)
		}
		status, err := s.Sources(t.Context())
		if err != nil || status[0].Source != "advisor" || status[0].Rows != 2 {
			t.Error(status, err)
		}
	})
}

// What is read back is what was written, as it stands or stood.
func TestFiguresLatest(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		notice := 120
		whole := figures("a:5..10")[0]
		whole.NoticeS, whole.AsOf, whole.Note = &notice, date(1), "as the source has it"
		fact := catalog.Interruption{Provider: "azure", GPU: "any", Metric: "notice", ProtectionS: &notice}
		for n := range 2 {
			if _, err := s.Apply(t.Context(), Run{Source: "advisor", FetchedAt: day(2 + n)}, Batch{Interruption: []catalog.Interruption{whole, fact}}); err != nil {
				t.Fatal(err)
			}
		}
		whole.Source, fact.Source, fact.AsOf = "advisor", "advisor", date(3)
		get := func(f Filter, at time.Time) []catalog.Interruption {
			t.Helper()
			c, err := s.Latest(t.Context(), f, at)
			if err != nil {
				t.Fatal(err)
			}
			return c.Interruption
		}
		fact.AsOf = catalog.Date{}
		if d := cmp.Diff([]catalog.Interruption{whole, fact}, get(Filter{}, time.Time{})); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]catalog.Interruption{whole}, get(Filter{GPUs: []string{"h100-80gb-sxm", ""}, Sources: []string{"advisor"}}, day(2))); d != "" {
			t.Error(d)
		}
		if got := get(Filter{}, day(1)); got != nil {
			t.Error(got)
		}
		nan, low, high := math.NaN(), 6.0, 5.0
		bad := []catalog.Interruption{{Provider: "x", Low: &nan}, {Provider: "y", Low: &low, High: &high}, whole}
		if res, err := s.Apply(t.Context(), Run{Source: "advisor", FetchedAt: day(5), Partial: true}, Batch{Interruption: bad}); err != nil || res.Rejected != 2 || res.Seen != 1 {
			t.Error(res, err)
		}
		gone, err := s.Prune(t.Context(), PrunePolicy{ObservationsBefore: day(20)})
		if err != nil || gone.Observations != 0 || len(get(Filter{}, time.Time{})) != 2 {
			t.Error(gone, err)
		}
	})
}
