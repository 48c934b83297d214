package history

import "context"

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
	"source_id", "provider", "gpu", "gpus", "tier", "host", "purchase", "plan", "term_months", "attrs", "id", "identity", "instance", "region",
}

func (a *applier) insertSeries(ctx context.Context, list []planned) error {
	if len(list) == 0 {
		return nil
	}
	first, err := a.next(ctx, "series", len(list))
	if err != nil {
		return err
	}
	return a.d.insert(ctx, a.conn, &rows{
		table: "series", columns: seriesColumns, shared: []any{a.source}, n: len(list),
		same: func(k, l int) bool { return list[k].r.alike(list[l].r) },
		alike: func(k int, to []any) []any {
			r := list[k].r
			return append(to, r.provider, r.gpu, r.gpus, r.tier, r.host, r.purchase, r.plan, r.termMonths, r.attrs)
		},
		own: func(k int, to []any) []any {
			r, id := list[k].r, first+int64(k)
			a.entries[list[k].i].id = id
			return append(to, id, r.id[:], r.instance, r.region)
		},
	})
}

var observationColumns = []string{
	"ended_at", "observed_at", "last_verified_at", "run_id", "currency", "per", "free", "as_of", "series_id", "low_nano", "high_nano",
}

func (a *applier) insertValues(ctx context.Context, list []planned) error {
	return a.d.insert(ctx, a.conn, &rows{
		table: "observation", columns: observationColumns, shared: []any{openEnd, a.at, a.at, a.res.RunID}, n: len(list),
		same: func(k, l int) bool {
			r, o := list[k].r, list[l].r
			return r.low.Currency() == o.low.Currency() && r.per == o.per && r.free == o.free && r.asOf == o.asOf
		},
		alike: func(k int, to []any) []any {
			r := list[k].r
			return append(to, string(r.low.Currency()), r.per, r.free, r.asOf.column())
		},
		own: func(k int, to []any) []any {
			r, id := list[k].r, a.entries[list[k].i].id
			if !r.low.Known() {
				return append(to, id, nil, nil)
			}
			return append(to, id, r.low.Nano(), r.high.Nano())
		},
	})
}
