package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

// createInterruption is version 2: what sources say of how often spot is taken
// away, kept as prices are. An observation is a figure (of a provider, a GPU, a
// metric and a place in the source) with the time it held. Figures are
// billionths of their unit, so that both databases compare them exactly; the
// figure is NULL where the source says a fact only. as_of is as in observation.
func createInterruption(d *dialect) []string {
	return []string{
		d.types.Replace(`CREATE TABLE interruption(
			id {int} PRIMARY KEY, source_id {int} NOT NULL REFERENCES source(id),
			provider TEXT NOT NULL, gpu TEXT NOT NULL, metric TEXT NOT NULL, ref TEXT NOT NULL,
			ended_at {int} NOT NULL, observed_at {int} NOT NULL, last_verified_at {int} NOT NULL,
			low_nano {int}, high_nano {int}, unit TEXT NOT NULL, notice_s {int}, protection_s {int},
			as_of TEXT, confidence TEXT NOT NULL, note TEXT NOT NULL, run_id {int} NOT NULL, end_reason TEXT,
			missed {int} NOT NULL DEFAULT 0, missed_since {int},
			CHECK (observed_at <= last_verified_at AND last_verified_at <= ended_at),
			CHECK (low_nano <= high_nano),
			CHECK ((end_reason IS NULL) = (ended_at = 9223372036854775807))){strict}`),
		`CREATE UNIQUE INDEX interruption_key ON interruption(source_id, provider, gpu, metric, ref, ended_at)`,
	}
}

// figureKey is what a figure is about.
type figureKey struct{ provider, gpu, metric, ref string }

func (k figureKey) String() string {
	return fmt.Sprintf("%s %s %s %s", k.provider, k.gpu, k.metric, k.ref)
}

// figure is a value; another one is another observation.
type figure struct {
	low, high, notice, protection sql.NullInt64
	unit                          string
}

// said is what is replaced by what the source says last.
type said struct {
	asOf             sql.NullString
	confidence, note string
}

// figureRow is a figure of a run, or an open one of the store.
type figureRow struct {
	figure
	said
	id, missed int64
	twice      bool // with two values
}

var errFigure = errors.New("not a finite figure, or the low one is above the high one")

// maxFigure bounds the size of a figure: what fits into billionths.
const maxFigure = 1e9

func nanoOf(x *float64) (n sql.NullInt64, err error) {
	if x == nil {
		return n, nil
	}
	if math.IsNaN(*x) || math.Abs(*x) > maxFigure {
		return n, errFigure
	}
	return sql.NullInt64{Int64: int64(math.Round(*x * 1e9)), Valid: true}, nil
}

func floatOf(n sql.NullInt64) *float64 {
	if !n.Valid {
		return nil
	}
	x := float64(n.Int64) / 1e9
	return &x
}

func seconds(s *int) sql.NullInt64 {
	if s == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: int64(*s), Valid: true}
}

func intOf(n sql.NullInt64) *int {
	if !n.Valid {
		return nil
	}
	i := int(n.Int64)
	return &i
}

// figureOf is a figure on its way into the store.
func figureOf(x *catalog.Interruption, fetchedAt time.Time) (r figureRow, err error) {
	low, err1 := nanoOf(x.Low)
	high, err2 := nanoOf(x.High)
	if err := errors.Join(err1, err2); err != nil {
		return r, errFigure
	}
	if low.Valid && high.Valid && low.Int64 > high.Int64 {
		return r, errFigure
	}
	r.figure = figure{low, high, seconds(x.NoticeS), seconds(x.ProtectionS), x.Unit}
	r.said = said{confidence: string(x.Confidence), note: x.Note}
	if text, ok := codeDate(x.AsOf, fetchedAt).column().(string); ok {
		r.asOf = sql.NullString{String: text, Valid: true}
	}
	return r, nil
}

// figuresOf reads a run's figures. One with two values is marked, so that
// what was known of it stays.
func (a *applier) figuresOf(list []catalog.Interruption) (map[figureKey]figureRow, []figureKey) {
	rows := map[figureKey]figureRow{}
	var order []figureKey
	for i := range list {
		x := &list[i]
		k := figureKey{x.Provider, x.GPU, x.Metric, x.Ref}
		r, err := figureOf(x, a.run.FetchedAt)
		old, again := rows[k]
		switch {
		case err != nil:
			a.reject(Rejection{k.String(), err.Error()})
		case again && old.figure == r.figure:
			a.res.Repeated++
		case again && !old.twice:
			old.twice = true
			rows[k] = old
			a.reject(Rejection{k.String(), "one key with two figures"})
		case !again:
			rows[k] = r
			order = append(order, k)
		}
	}
	return rows, order
}

// takeFigures compares a run's figures with the open ones and writes what
// differs.
func (a *applier) takeFigures(ctx context.Context, list []catalog.Interruption) error {
	open, err := a.openFigures(ctx)
	if err != nil {
		return err
	}
	rows, order := a.figuresOf(list)
	var fresh []figureKey
	var same, closing, back, missing, gone []int64
	for _, k := range order {
		r := rows[k]
		old, known := open[k]
		if r.twice {
			continue
		}
		a.res.Seen++
		switch {
		case known && old.figure == r.figure:
			a.res.Unchanged++
			same = append(same, old.id)
			if old.said != r.said {
				err := a.exec(ctx, "UPDATE interruption SET as_of = $1, confidence = $2, note = $3 WHERE id = $4", r.asOf, r.confidence, r.note, old.id)
				if err != nil {
					return err
				}
			}
		case known:
			a.res.Changed++
			closing, fresh = append(closing, old.id), append(fresh, k)
		default:
			a.res.New++
			fresh = append(fresh, k)
		}
		if known && old.missed > 0 {
			back = append(back, old.id)
		}
	}
	for k, old := range open {
		if _, seen := rows[k]; seen || a.run.Partial {
			continue
		}
		missing = append(missing, old.id)
		if old.missed+1 >= goneAfter {
			gone = append(gone, old.id)
		}
	}
	a.res.Missing, a.res.Gone = a.res.Missing+len(missing), a.res.Gone+len(gone)
	for _, step := range []struct {
		ids   []int64
		query string
		args  []any
	}{
		{same, "UPDATE interruption SET last_verified_at = $2 WHERE id IN {ids}", []any{a.at}},
		{back, "UPDATE interruption SET missed = 0, missed_since = NULL WHERE id IN {ids}", nil},
		{missing, "UPDATE interruption SET missed = missed + 1, missed_since = COALESCE(missed_since, $2) WHERE id IN {ids}", []any{a.at}},
		{gone, "UPDATE interruption SET ended_at = missed_since, end_reason = 'disappeared' WHERE id IN {ids}", nil},
		{closing, "UPDATE interruption SET ended_at = $2, end_reason = 'changed' WHERE id IN {ids}", []any{a.at}},
	} {
		slices.Sort(step.ids)
		if err := a.forIDs(ctx, step.ids, step.query, step.args...); err != nil {
			return err
		}
	}
	return a.insertFigures(ctx, fresh, rows)
}

// openFigures reads the source's open figures.
func (a *applier) openFigures(ctx context.Context) (map[figureKey]figureRow, error) {
	open := map[figureKey]figureRow{}
	err := a.each(ctx, `SELECT id, provider, gpu, metric, ref, low_nano, high_nano, unit, notice_s, protection_s, as_of, confidence, note, missed
		FROM interruption WHERE source_id = $1 AND ended_at = $2`, []any{a.source, openEnd}, func(scan func(...any) error) error {
		var k figureKey
		var r figureRow
		err := scan(&r.id, &k.provider, &k.gpu, &k.metric, &k.ref, &r.low, &r.high, &r.unit, &r.notice, &r.protection,
			&r.asOf, &r.confidence, &r.note, &r.missed)
		open[k] = r
		return err
	})
	return open, err
}

var figureColumns = []string{
	"source_id", "ended_at", "observed_at", "last_verified_at", "run_id", "id", "provider", "gpu", "metric", "ref",
	"low_nano", "high_nano", "unit", "notice_s", "protection_s", "as_of", "confidence", "note",
}

func (a *applier) insertFigures(ctx context.Context, list []figureKey, from map[figureKey]figureRow) error {
	if len(list) == 0 {
		return nil
	}
	first, err := a.next(ctx, "interruption", len(list))
	if err != nil {
		return err
	}
	// A number of the driver's own kind, or NULL.
	number := func(n sql.NullInt64) any {
		if !n.Valid {
			return nil
		}
		return n.Int64
	}
	return a.d.insert(ctx, a.conn, &rows{
		table: "interruption", columns: figureColumns, shared: []any{a.source, openEnd, a.at, a.at, a.res.RunID}, n: len(list),
		same:  func(int, int) bool { return false },
		alike: func(_ int, to []any) []any { return to },
		own: func(i int, to []any) []any {
			k, r := list[i], from[list[i]]
			to = append(to, first+int64(i), k.provider, k.gpu, k.metric, k.ref, number(r.low), number(r.high), r.unit, number(r.notice), number(r.protection))
			if r.asOf.Valid {
				to = append(to, r.asOf.String)
			} else {
				to = append(to, nil)
			}
			return append(to, r.confidence, r.note)
		},
	})
}

// figures reads what held at a time, or holds now if that is zero. Only GPUs,
// providers and sources of the filter tell figures apart.
func (t *tx) figures(ctx context.Context, f *Filter, at time.Time) (list []catalog.Interruption, err error) {
	var w where
	if at.IsZero() {
		w.add("i.ended_at = " + w.arg(openEnd))
	} else {
		w.add("i.observed_at <= " + w.arg(at.UnixMicro()) + " AND i.ended_at > " + w.arg(at.UnixMicro()))
	}
	w.in("i.gpu", f.GPUs)
	w.in("i.provider", f.Providers)
	w.in("src.name", f.Sources)
	err = t.each(ctx, `SELECT src.name, i.provider, i.gpu, i.metric, i.ref, i.low_nano, i.high_nano, i.unit, i.notice_s, i.protection_s,
		i.as_of, i.confidence, i.note, i.last_verified_at FROM interruption i JOIN source src ON src.id = i.source_id`+w.String()+
		" ORDER BY i.provider, i.gpu, i.metric, i.ref, src.name", w.args, func(scan func(...any) error) error {
		var x catalog.Interruption
		var r figureRow
		var verified int64
		err := scan(&x.Source, &x.Provider, &x.GPU, &x.Metric, &x.Ref, &r.low, &r.high, &x.Unit, &r.notice, &r.protection,
			&r.asOf, &x.Confidence, &x.Note, &verified)
		if err != nil {
			return err
		}
		code, err := parseDateCode(r.asOf)
		seen := time.UnixMicro(verified)
		if !at.IsZero() && seen.After(at) {
			seen = at // as it stood then
		}
		x.AsOf = code.date(seen)
		x.Low, x.High, x.NoticeS, x.ProtectionS = floatOf(r.low), floatOf(r.high), intOf(r.notice), intOf(r.protection)
		list = append(list, x)
		return err
	})
	return list, err
}
