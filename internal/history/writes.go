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

var (
	seriesColumns = []string{
		"id", "source_id", "hash", "provider", "gpu", "gpus", "instance", "region", "tier", "host",
		"purchase", "plan", "term_months", "attrs",
	}
	observationColumns = []string{
		"series_id", "ended_at", "observed_at", "last_verified_at", "low_nano", "high_nano", "currency", "per", "free", "as_of", "run_id",
	}
)

func (a *applier) flush(ctx context.Context, w *writes) error {
	if len(w.fresh) > 0 {
		first, err := a.next(ctx, "series", len(w.fresh))
		if err != nil {
			return err
		}
		for k, p := range w.fresh {
			a.entries[p.i].id = first + int64(k)
		}
	}
	err := a.d.insert(ctx, a.conn, "series", seriesColumns, len(w.fresh), func(k int, to []any) []any {
		r := w.fresh[k].r
		return append(to, a.entries[w.fresh[k].i].id, a.source, r.hash[:], r.provider, r.gpu, r.gpus, r.instance, r.region, r.tier, r.host,
			r.purchase, r.plan, r.termMonths, r.attrs)
	})
	if err != nil {
		return err
	}
	err = a.forIDs(ctx, w.closing, "UPDATE observation SET ended_at = $2, end_reason = 'changed' WHERE ended_at = $3 AND series_id IN {ids}",
		a.at, openEnd)
	if err != nil {
		return err
	}
	err = a.d.insert(ctx, a.conn, "observation", observationColumns, len(w.values), func(k int, to []any) []any {
		r := w.values[k].r
		to = append(to, a.entries[w.values[k].i].id, openEnd, a.at, a.at)
		if r.low.Known() {
			to = append(to, r.low.Nano(), r.high.Nano())
		} else {
			to = append(to, nil, nil)
		}
		return append(to, string(r.low.Currency()), r.per, r.free, r.asOf.column(), a.res.RunID)
	})
	if err != nil {
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
