package history

import (
	"context"
	"fmt"
	"slices"
)

// daysAtOnce is how many series with several days are written together.
const daysAtOnce = 2000

// takeDays writes the series of which the run tells several days.
func (a *applier) takeDays(ctx context.Context) error {
	list := slices.DeleteFunc(a.timed, func(p planned) bool { return a.entries[p.i].is(isAmbiguous) })
	for part := range slices.Chunk(list, daysAtOnce) {
		stored, err := a.stored(ctx, part)
		if err != nil {
			return err
		}
		var fresh []spanOf
		for _, p := range part {
			more, err := a.takeSeries(ctx, p, stored[a.entries[p.i].id])
			if err != nil {
				return err
			}
			fresh = append(fresh, more...)
		}
		if err := a.insertSpans(ctx, fresh); err != nil {
			return err
		}
	}
	return nil
}

// spanOf is an observation of a series.
type spanOf struct {
	series int64
	span
}

// stored reads the observations of series, the oldest first.
func (a *applier) stored(ctx context.Context, list []planned) (map[int64][]span, error) {
	var ids []int64
	for _, p := range list {
		ids = append(ids, a.entries[p.i].id)
	}
	out := map[int64][]span{}
	err := a.each(ctx, "SELECT series_id, "+pointSelect("o")+" FROM observation o WHERE series_id IN "+a.d.idSet("$1")+" ORDER BY series_id, ended_at",
		[]any{joinIDs(ids)}, func(scan func(...any) error) error {
			var id int64
			var row pointRow
			if err := scan(append([]any{&id}, row.dest()...)...); err != nil {
				return err
			}
			asOf, err := parseDateCode(row.asOf)
			out[id] = append(out[id], span{row.value(), asOf, row.observed.Int64, row.verified.Int64, row.ended.Int64, row.reason.String, row.ended.Int64})
			return err
		})
	return out, err
}

// takeSeries changes what is stored of a series and returns what is to be
// added.
func (a *applier) takeSeries(ctx context.Context, p planned, stored []span) (fresh []spanOf, err error) {
	e := &a.entries[p.i]
	newest := p.r.dayValue(a.run.FetchedAt)
	woven, contradicts := weave(stored, append(p.r.past, newest), a.at)
	for _, d := range contradicts {
		a.reject(Rejection{p.r.String(), fmt.Sprintf("says %s of %s, where the store has another value: what was said first stays", d.low, d.asOf.date(a.run.FetchedAt))})
	}
	for _, s := range woven {
		switch {
		case slices.Contains(stored, s):
		case s.key == 0:
			fresh = append(fresh, spanOf{e.id, s})
			if s.ended != openEnd {
				a.res.Past++
			}
		default:
			if s.ended == openEnd {
				e.state |= isSame
			}
			err = a.exec(ctx, `UPDATE observation SET observed_at = $1, last_verified_at = $2, as_of = $3, ended_at = $4, end_reason = $5
				WHERE series_id = $6 AND ended_at = $7`, s.observed, s.verified, s.asOf.column(), s.ended, s.endReason(), e.id, s.key)
			if err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

// endReason is the value of the column: NULL while it is open.
func (s *span) endReason() any {
	if s.ended == openEnd {
		return nil
	}
	return s.reason
}

// insertSpans adds observations.
func (a *applier) insertSpans(ctx context.Context, list []spanOf) error {
	return a.d.insert(ctx, a.conn, &rows{
		table: "observation", n: len(list), shared: []any{a.res.RunID},
		columns: []string{"run_id", "series_id", "ended_at", "observed_at", "last_verified_at", "currency", "per", "free", "as_of", "end_reason", "low_nano", "high_nano"},
		same:    func(int, int) bool { return false },
		alike:   func(_ int, to []any) []any { return to },
		own: func(k int, to []any) []any {
			s := &list[k]
			to = append(to, s.series, s.ended, s.observed, s.verified, string(s.low.Currency()), s.per, s.free, s.asOf.column(), s.endReason())
			if !s.low.Known() {
				return append(to, nil, nil)
			}
			return append(to, s.low.Nano(), s.high.Nano())
		},
	})
}
