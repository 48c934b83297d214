package history

import (
	"context"

	"github.com/gpucost/gpucost/internal/money"
)

// planned is a record and the index of its entry.
type planned struct {
	i int32
	r *record
}

// writes are the changes that a chunk calls for.
type writes struct {
	fresh, values, described []planned
	closing                  []int64
	dated                    map[dateCode][]int64
}

func (w *writes) redate(d dateCode, id int64) {
	if w.dated == nil {
		w.dated = map[dateCode][]int64{}
	}
	w.dated[d] = append(w.dated[d], id)
}

// flush writes them: new series, then the ends of what changed, then the new
// values, dates and descriptions.
func (a *applier) flush(ctx context.Context, w *writes) error {
	if err := a.insertSeries(ctx, w.fresh); err != nil {
		return err
	}
	err := a.forIDs(ctx, w.closing, "UPDATE observation SET ended_at = $2, end_reason = 'changed' WHERE ended_at = $3 AND series_id IN {ids}",
		a.at, openEnd)
	if err != nil {
		return err
	}
	if err := a.insertValues(ctx, w.values); err != nil {
		return err
	}
	for date, ids := range w.dated {
		err := a.forIDs(ctx, ids, "UPDATE observation SET as_of = $2 WHERE ended_at = $3 AND series_id IN {ids}", date.column(), openEnd)
		if err != nil {
			return err
		}
	}
	for _, p := range w.described {
		if err := a.exec(ctx, "UPDATE series SET attrs = $1 WHERE id = $2", p.r.attrs, a.entries[p.i].id); err != nil {
			return err
		}
	}
	return nil
}

var seriesColumns = []string{
	"source_id", "id", "identity", "provider", "gpu", "gpus", "instance", "region", "tier", "host", "purchase", "plan", "term_months", "attrs",
}

func (a *applier) insertSeries(ctx context.Context, list []planned) error {
	if len(list) == 0 {
		return nil
	}
	first, err := a.next(ctx, "series", len(list))
	if err != nil {
		return err
	}
	return a.d.insert(ctx, a.conn, &rows{"series", []any{a.source}, seriesColumns, len(list), func(k int, to []any) []any {
		r := list[k].r
		a.entries[list[k].i].id = first + int64(k)
		return append(to, first+int64(k), r.id[:], r.provider, r.gpu, r.gpus, r.instance, r.region, r.tier, r.host,
			r.purchase, r.plan, r.termMonths, r.attrs)
	}})
}

var observationColumns = []string{
	"ended_at", "observed_at", "last_verified_at", "run_id", "currency", "per", "free", "as_of", "series_id", "low_nano", "high_nano",
}

// terms are the columns of an observation in which many rows agree.
type terms struct {
	currency money.Currency
	per      string
	free     bool
	asOf     dateCode
}

func (a *applier) insertValues(ctx context.Context, list []planned) error {
	groups := map[terms][]planned{}
	for _, p := range list {
		t := terms{p.r.low.Currency(), p.r.per, p.r.free, p.r.asOf}
		groups[t] = append(groups[t], p)
	}
	for t, group := range groups {
		shared := []any{openEnd, a.at, a.at, a.res.RunID, string(t.currency), t.per, t.free, t.asOf.column()}
		err := a.d.insert(ctx, a.conn, &rows{"observation", shared, observationColumns, len(group), func(k int, to []any) []any {
			r := group[k].r
			if !r.low.Known() {
				return append(to, a.entries[group[k].i].id, nil, nil)
			}
			return append(to, a.entries[group[k].i].id, r.low.Nano(), r.high.Nano())
		}})
		if err != nil {
			return err
		}
	}
	return nil
}
