package history

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/gpucost/gpucost/internal/money"
)

// ErrEmpty is returned by Apply for a run without a single usable row: an
// empty answer never replaces what is known.
var ErrEmpty = errors.New("a run without rows is not accepted")

// goneAfter is how many accepted full runs in a row must lack a series before
// it counts as gone, dated at the first of them.
const goneAfter = 3

// Apply writes an accepted run: values that differ become new observations,
// values that do not are extended, and series that are missing for the third
// time are closed. Only call it for a run that the accept gate has passed.
// All of the run is in the store when Apply returns nil, and none of it if it
// returns an error. Rows that can never be right (0 without being free, below
// 0, one key with two values) are left out and reported; the last good value
// of their series stays, unverified.
func (s *Store) Apply(ctx context.Context, run Run, b Batch) (Result, error) {
	var res Result
	if err := run.check(); err != nil {
		return res, err
	}
	err := s.write(ctx, "write a run of "+run.Source, func(t *tx) error {
		res = Result{Rejected: len(run.Rejected), Rejections: run.Rejected}
		src, err := t.source(ctx, run.Source)
		if err != nil {
			return err
		}
		if src.lastAccepted >= run.FetchedAt.UnixMicro() {
			res.Verdict = Superseded
			if run.DryRun {
				return errDryRun
			}
			return t.insertRun(ctx, src, &run, &res)
		}
		if res.RunID, err = t.next(ctx, "run", 1); err != nil {
			return err
		}
		a := &applier{tx: t, run: &run, res: &res, at: run.FetchedAt.UnixMicro(), source: src.id}
		if err := a.apply(ctx, &b); err != nil {
			return err
		}
		if run.DryRun {
			return errDryRun
		}
		return t.insertRun(ctx, src, &run, &res)
	})
	if errors.Is(err, errDryRun) {
		res.RunID, err = 0, nil
	}
	return res, err
}

// errDryRun undoes a run that was only tried.
var errDryRun = errors.New("dry run")

// applier is a run being written.
type applier struct {
	*tx
	run        *Run
	res        *Result
	at, source int64
	index      map[[16]byte]int32 // by identity, into entries
	entries    []entry
	timed      []planned // of lists that tell several days
}

// entry is what a run needs to know of a series.
type entry struct {
	id           int64
	value, attrs uint64 // fingerprints
	asOf         dateCode
	missed       uint8
	state        entryState
}

type entryState uint8

const (
	isOpen      entryState = 1 << iota // has an open observation from before the run
	isSeen                             // the run has it
	isSame                             // with the value that was open
	isAmbiguous                        // with two values
)

func (e *entry) is(s entryState) bool { return e.state&s != 0 }

func (a *applier) apply(ctx context.Context, b *Batch) error {
	if err := a.load(ctx); err != nil {
		return err
	}
	if err := a.takeAll(ctx, b); err != nil {
		return err
	}
	if err := a.takeDays(ctx); err != nil {
		return err
	}
	if err := a.putFX(ctx, b.FX); err != nil {
		return err
	}
	if err := a.undoAmbiguous(ctx); err != nil {
		return err
	}
	if err := a.takeFigures(ctx, b.Interruption); err != nil {
		return err
	}
	if a.res.Seen == 0 && len(b.FX) == 0 {
		return ErrEmpty
	}
	if err := a.finish(ctx); err != nil {
		return err
	}
	a.res.Verdict = Unchanged
	if a.res.New+a.res.Changed+a.res.Gone+a.res.Rates+a.res.Past > 0 {
		a.res.Verdict = Updated
	}
	return nil
}

// load reads the source's series with their open values.
func (a *applier) load(ctx context.Context) error {
	a.index = map[[16]byte]int32{}
	var (
		id, attrs           sql.RawBytes
		low, high           sql.NullInt64
		currency, per, asOf sql.NullString
		free                sql.NullBool
		missed              int64
	)
	return a.each(ctx, `SELECT s.id, s.identity, s.attrs, s.missed, o.low_nano, o.high_nano, o.currency, o.per, o.free, o.as_of
		FROM series s LEFT JOIN observation o ON o.series_id = s.id AND o.ended_at = $1 WHERE s.source_id = $2`,
		[]any{openEnd, a.source}, func(scan func(...any) error) error {
			var e entry
			err := scan(&e.id, &id, &attrs, &missed, &low, &high, &currency, &per, &free, &asOf)
			if err != nil {
				return err
			}
			if currency.Valid {
				e.state = isOpen
				c := money.Currency(currency.String)
				e.value = value{money.FromNano(low.Int64, c), money.FromNano(high.Int64, c), per.String, free.Bool}.fingerprint()
				if e.asOf, err = parseDateCode(asOf); err != nil {
					return err
				}
			}
			e.attrs, e.missed = fingerprint(attrs), uint8(missed)
			a.index[[16]byte(id)] = int32(len(a.entries))
			a.entries = append(a.entries, e)
			return nil
		})
}

// takeAll compares and writes the batch chunk by chunk.
func (a *applier) takeAll(ctx context.Context, b *Batch) error {
	ctx, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	chunks := b.chunks(ctx, a.run, &wait)
	defer stop()
	for c := range chunks {
		if c.err != nil {
			return c.err
		}
		for _, r := range c.rejected {
			a.reject(r)
		}
		if err := a.take(ctx, c.records); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (a *applier) reject(r Rejection) {
	a.res.Rejected++
	if len(a.res.Rejections) < maxRejections {
		a.res.Rejections = append(a.res.Rejections, r)
	}
}

// take compares a chunk with what is known and writes what differs.
func (a *applier) take(ctx context.Context, records []*record) error {
	var w writes
	for _, r := range records {
		i, known := a.index[r.id]
		if !known {
			i = int32(len(a.entries))
			a.index[r.id] = i
			a.entries = append(a.entries, entry{})
			w.fresh = append(w.fresh, planned{i, r})
		}
		e, seen := &a.entries[i], r.valuePrint
		switch {
		case e.is(isAmbiguous):
			continue
		case e.is(isSeen) && e.value == seen:
			a.res.Repeated++
			continue
		case e.is(isSeen):
			e.state |= isAmbiguous
			why := "one key with two prices"
			if e.asOf != r.asOf {
				why += " of different days that do not stand together"
			}
			a.reject(Rejection{r.String(), why})
			continue
		case r.past != nil:
			a.timed = append(a.timed, planned{i, r})
		case e.is(isOpen) && e.value == seen:
			e.state |= isSame
			if e.asOf != r.asOf {
				w.redate(r.asOf, e.id)
			}
		default:
			w.values = append(w.values, planned{i, r})
			if e.is(isOpen) {
				w.closing = append(w.closing, e.id)
			}
		}
		if known && r.attrsPrint != e.attrs {
			w.described = append(w.described, planned{i, r})
		}
		e.state |= isSeen
		e.value, e.asOf = seen, r.asOf
	}
	return a.flush(ctx, &w)
}

// undoAmbiguous takes back what the run wrote for keys that turned out to
// have two values, and settles the counts.
func (a *applier) undoAmbiguous(ctx context.Context) error {
	var ids []int64
	for i := range a.entries {
		e := &a.entries[i]
		switch {
		case !e.is(isSeen):
		case e.is(isAmbiguous):
			ids = append(ids, e.id)
		default:
			a.res.Seen++
			switch {
			case e.is(isSame):
				a.res.Unchanged++
			case e.is(isOpen):
				a.res.Changed++
			default:
				a.res.New++
			}
		}
	}
	if err := a.forIDs(ctx, ids, "DELETE FROM observation WHERE run_id = $2 AND ended_at = $3 AND series_id IN {ids}",
		a.res.RunID, openEnd); err != nil {
		return err
	}
	if err := a.forIDs(ctx, ids, `UPDATE observation SET ended_at = $2, end_reason = NULL
		WHERE ended_at = $3 AND end_reason = 'changed' AND series_id IN {ids}`, openEnd, a.at); err != nil {
		return err
	}
	return a.forIDs(ctx, ids, `DELETE FROM series WHERE id IN {ids}
		AND NOT EXISTS (SELECT 1 FROM observation o WHERE o.series_id = series.id)`)
}

// finish extends what is the same and counts what is missing.
func (a *applier) finish(ctx context.Context) error {
	var same, back, missing, gone []int64
	for i := range a.entries {
		e := &a.entries[i]
		if e.is(isSame) && !e.is(isAmbiguous) {
			same = append(same, e.id)
		}
		switch {
		case e.is(isSeen) && e.missed > 0:
			back = append(back, e.id)
		case !e.is(isSeen) && e.is(isOpen) && !a.run.Partial:
			missing = append(missing, e.id)
			if e.missed+1 >= goneAfter {
				gone = append(gone, e.id)
			}
		}
	}
	a.res.Missing, a.res.Gone = a.res.Missing+len(missing), a.res.Gone+len(gone)
	for _, step := range []struct {
		ids   []int64
		query string
		args  []any
	}{
		{same, "UPDATE observation SET last_verified_at = $2 WHERE ended_at = $3 AND series_id IN {ids}", []any{a.at, openEnd}},
		{back, "UPDATE series SET missed = 0, missed_since = NULL WHERE id IN {ids}", nil},
		{missing, "UPDATE series SET missed = missed + 1, missed_since = COALESCE(missed_since, $2) WHERE id IN {ids}", []any{a.at}},
		{gone, `UPDATE observation SET end_reason = 'disappeared',
			ended_at = (SELECT missed_since FROM series WHERE series.id = series_id) WHERE ended_at = $2 AND series_id IN {ids}`, []any{openEnd}},
	} {
		if err := a.forIDs(ctx, step.ids, step.query, step.args...); err != nil {
			return err
		}
	}
	return nil
}
