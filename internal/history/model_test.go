package history

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
)

// The store against a model that keeps every run and works the history out
// from them: any sequence of full, partial, unmodified, failed and late runs.
func TestAgainstModel(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s, n := openStore(t, url), 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			source := fmt.Sprint("test", n)
			var m model
			for range rapid.IntRange(1, 12).Draw(rt, "runs") {
				m.step(t, rt, s, source)
			}
			if d := cmp.Diff(m.lines(), lines(allSeriesOf(rt, t, s, source))); d != "" {
				rt.Fatal(d)
			}
		})
	})
}

func allSeriesOf(rt *rapid.T, t *testing.T, s *Store, source string) (list []Series) {
	for series, err := range s.History(t.Context(), Filter{Sources: []string{source}}, time.Time{}, time.Time{}) {
		if err != nil {
			rt.Fatal(err)
		}
		list = append(list, series)
	}
	return list
}

// model is the history worked out the plain way.
type model struct {
	clock int
	last  int // day of the last accepted run
	keys  [4]modelKey
}

type modelKey struct {
	points []modelPoint
	missed []int // days of the runs in a row that lacked it
}

type modelPoint struct {
	price               int
	from, verified, end int
	reason              string
}

func (k *modelKey) open() *modelPoint {
	if n := len(k.points); n > 0 && k.points[n-1].reason == "" {
		return &k.points[n-1]
	}
	return nil
}

func (m *model) step(t *testing.T, rt *rapid.T, s *Store, source string) {
	m.clock++
	now := m.clock
	kind := rapid.SampledFrom([]string{"full", "full", "full", "partial", "304", "failed", "late"}).Draw(rt, "kind")
	if kind == "late" {
		now = max(1, now-rapid.IntRange(1, 3).Draw(rt, "late"))
	}
	run := Run{Source: source, FetchedAt: day(now), Partial: kind == "partial"}
	switch kind {
	case "failed":
		run.Verdict = Failed
		if err := s.Record(t.Context(), run); err != nil {
			rt.Fatal(err)
		}
		return
	case "304":
		_, err := s.NotModified(t.Context(), run)
		if (err == nil) != (m.last > 0) {
			rt.Fatal(err)
		}
		for i := range m.keys {
			if p := m.keys[i].open(); p != nil && p.verified == m.last { // what the last accepted run had
				p.verified = now
			}
		}
		if m.last > 0 {
			m.last = now
		}
		return
	}
	prices := rapid.SliceOfN(rapid.IntRange(0, 3), len(m.keys), len(m.keys)).Draw(rt, "prices") // 0: not in the run
	if slices.Max(prices) == 0 {
		prices[0] = 1
	}
	var list []catalog.Offer
	for i, p := range prices {
		if p > 0 {
			list = append(list, offer("aws", fmt.Sprint("i", i), fmt.Sprint(p), now))
		}
	}
	res, err := s.Apply(t.Context(), run, Batch{Offers: Offers(list)})
	if err != nil {
		rt.Fatal(err)
	}
	if (res.Verdict == Superseded) != (now <= m.last) {
		rt.Fatal(res.Verdict)
	}
	if now <= m.last {
		return
	}
	m.last = now
	for i, price := range prices {
		m.keys[i].take(price, now, run.Partial)
	}
}

func (k *modelKey) take(price, now int, partial bool) {
	p := k.open()
	switch {
	case price == 0 && (partial || p == nil):
	case price == 0:
		if k.missed = append(k.missed, now); len(k.missed) == 3 {
			p.end, p.reason = k.missed[0], "disappeared"
			k.missed = nil
		}
	case p != nil && p.price == price:
		k.missed, p.verified = nil, now
	default:
		if p != nil {
			p.end, p.reason = now, "changed"
		}
		k.missed = nil
		k.points = append(k.points, modelPoint{price: price, from: now, verified: now})
	}
}

func (m *model) lines() (out []string) {
	for i, k := range m.keys {
		for _, p := range k.points {
			end := "open"
			if p.reason != "" {
				end = fmt.Sprintf("%02d %s", p.end, p.reason)
			}
			out = append(out, fmt.Sprintf("i%d %d.00 %02d..%02d %s", i, p.price, p.from, p.verified, end))
		}
	}
	slices.Sort(out)
	return out
}
