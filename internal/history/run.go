package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Verdict is how a run ended.
type Verdict string

// The verdicts. Only the first two are accepted runs.
const (
	Updated    Verdict = "updated"    // accepted; at least one value is new, changed or gone
	Unchanged  Verdict = "unchanged"  // accepted; every value as before
	Superseded Verdict = "superseded" // fetched before the last accepted run; nothing was done
	Rejected   Verdict = "rejected"   // refused by the accept gate; the last good rows stay
	Failed     Verdict = "failed"     // no complete answer; the last good rows stay
	Skipped    Verdict = "skipped"    // not asked, such as for want of a key
)

// Accepted reports whether the run's rows are in the store.
func (v Verdict) Accepted() bool { return v == Updated || v == Unchanged }

// Run is one visit to a source.
type Run struct {
	Source        string    // the source's name; one string for one source, always
	FetchedAt     time.Time // the exchange with the source
	PublishedAt   time.Time // what the source says of itself; zero if it says nothing
	DryRun        bool      // Apply only tells what it would do
	Partial       bool      // only some of the source's rows were asked for: the others are not missing
	Verdict       Verdict   // for Record; Apply and NotModified set it
	Detail        string    // why, in words, without secrets
	Tool          string    // what wrote it, such as "gpucost 1.2"
	Bytes         int64     // read from the source
	ContentSHA256 string    // of the canonical records
	Rejected      []Rejection
	Validators    []Validator // for the next conditional request; only those of the last accepted run are kept
}

// Rejection is a row that was left out.
type Rejection struct{ Item, Reason string }

// Validator is what the next conditional request of a URL sends. The URL must
// hold no secret.
type Validator struct{ URL, ETag, LastModified string }

// Result is what a run did to the store.
type Result struct {
	RunID      int64
	Verdict    Verdict
	Seen       int // rows of the run, without rejected ones and repetitions
	New        int // series that had no open observation
	Changed    int // series with another value
	Unchanged  int // series with the same value, extended
	Missing    int // open series that an accepted full run did not have
	Gone       int // series closed, missing for the third time
	Repeated   int // rows that said the same twice
	Rates      int // exchange rates that are new or corrected
	Past       int // earlier values that a list of several days brought
	Rejected   int // rows left out, by the store or before
	Rejections []Rejection
}

// maxRejections bounds the rejections kept of one run.
const maxRejections = 1000

// ErrRun is returned for a run that lacks a source or a time, or that says
// what it cannot know.
var ErrRun = errors.New("not a valid run")

func (r *Run) check() error {
	switch {
	case r.Source == "":
		return fmt.Errorf("%w: no source", ErrRun)
	case r.FetchedAt.IsZero():
		return fmt.Errorf("%w of %s: no time", ErrRun, r.Source)
	}
	return nil
}

// Record keeps a run that changed nothing: rejected, failed or skipped.
func (s *Store) Record(ctx context.Context, run Run) error {
	if err := run.check(); err != nil {
		return err
	}
	if run.Verdict.Accepted() || run.Verdict == "" {
		return fmt.Errorf("%w of %s: verdict %q cannot be recorded without rows", ErrRun, run.Source, run.Verdict)
	}
	return s.write(ctx, "record a run of "+run.Source, func(t *tx) error {
		src, err := t.source(ctx, run.Source)
		if err != nil {
			return err
		}
		return t.insertRun(ctx, src, &run, &Result{Verdict: run.Verdict, Rejected: len(run.Rejected), Rejections: run.Rejected})
	})
}

// NotModified is an accepted run in which the source said that everything is
// as in the last accepted run (304, or the same content): it renews the
// verification of every row that run had, and nothing else: no row of another
// source, none that the last run lacked or left out, and none that it was not
// asked for.
func (s *Store) NotModified(ctx context.Context, run Run) (Result, error) {
	res := Result{Verdict: Unchanged}
	if err := run.check(); err != nil {
		return res, err
	}
	if run.Partial {
		return res, fmt.Errorf("%w of %s: a partial run cannot say that all is unchanged", ErrRun, run.Source)
	}
	err := s.write(ctx, "renew "+run.Source, func(t *tx) error {
		src, err := t.source(ctx, run.Source)
		if err != nil {
			return err
		}
		if src.lastAccepted == 0 {
			return fmt.Errorf("%w of %s: not modified, but nothing was ever accepted", ErrRun, run.Source)
		}
		if src.lastAccepted >= run.FetchedAt.UnixMicro() {
			res.Verdict = Superseded
			return t.insertRun(ctx, src, &run, &res)
		}
		n, err := t.count(ctx, `UPDATE observation SET last_verified_at = $1 WHERE ended_at = $2 AND last_verified_at = $3
			AND series_id IN (SELECT id FROM series WHERE source_id = $4)`,
			run.FetchedAt.UnixMicro(), openEnd, src.lastAccepted, src.id)
		if err != nil {
			return err
		}
		figures, err := t.count(ctx, "UPDATE interruption SET last_verified_at = $1 WHERE ended_at = $2 AND last_verified_at = $3 AND source_id = $4",
			run.FetchedAt.UnixMicro(), openEnd, src.lastAccepted, src.id)
		if err != nil {
			return err
		}
		res.Seen, res.Unchanged = int(n+figures), int(n+figures)
		return t.insertRun(ctx, src, &run, &res)
	})
	return res, err
}

// sourceRow is a row of source; a time of 0 is none.
type sourceRow struct{ id, firstAccepted, lastAccepted int64 }

// source finds a source by name or makes it.
func (t *tx) source(ctx context.Context, name string) (sourceRow, error) {
	var src sourceRow
	query := "SELECT id, COALESCE(first_accepted_at, 0), COALESCE(last_accepted_at, 0) FROM source WHERE name = $1"
	err := t.one(ctx, query, []any{name}, &src.id, &src.firstAccepted, &src.lastAccepted)
	if !errors.Is(err, sql.ErrNoRows) {
		return src, err
	}
	if src.id, err = t.next(ctx, "source", 1); err != nil {
		return src, err
	}
	return src, t.exec(ctx, "INSERT INTO source(id, name) VALUES ($1, $2)", src.id, name)
}

// insertRun writes the run, its rejections and, if it was accepted, what the
// next run of the source goes by. It numbers the run unless that is done.
func (t *tx) insertRun(ctx context.Context, src sourceRow, run *Run, res *Result) (err error) {
	if res.RunID == 0 {
		if res.RunID, err = t.next(ctx, "run", 1); err != nil {
			return err
		}
	}
	var published any
	if !run.PublishedAt.IsZero() {
		published = run.PublishedAt.UnixMicro()
	}
	at := run.FetchedAt.UnixMicro()
	err = t.exec(ctx, `INSERT INTO run(id, source_id, fetched_at, published_at, verdict, partial, detail, tool, bytes, content_sha256,
			seen, fresh, changed, missing, gone, rejected)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		res.RunID, src.id, at, published, string(res.Verdict), run.Partial, run.Detail, run.Tool, run.Bytes, run.ContentSHA256,
		int64(res.Seen), int64(res.New), int64(res.Changed), int64(res.Missing), int64(res.Gone), int64(res.Rejected))
	if err != nil {
		return err
	}
	for _, r := range res.Rejections[:min(len(res.Rejections), maxRejections)] {
		err = t.exec(ctx, "INSERT INTO rejection(run_id, item, reason) VALUES ($1, $2, $3)", res.RunID, r.Item, r.Reason)
		if err != nil {
			return err
		}
	}
	if !res.Verdict.Accepted() {
		return nil
	}
	// What an earlier run left would be answered by "not modified" of that run.
	if err := t.exec(ctx, "DELETE FROM validator WHERE source_id = $1", src.id); err != nil {
		return err
	}
	for _, v := range run.Validators {
		err = t.exec(ctx, `INSERT INTO validator(source_id, url, etag, last_modified) VALUES ($1, $2, $3, $4)
			ON CONFLICT (source_id, url) DO UPDATE SET etag = excluded.etag, last_modified = excluded.last_modified`,
			src.id, v.URL, v.ETag, v.LastModified)
		if err != nil {
			return err
		}
	}
	return t.exec(ctx, `UPDATE source SET last_accepted_at = $1, last_accepted_run = $2,
		first_accepted_at = COALESCE(first_accepted_at, $1) WHERE id = $3`, at, res.RunID, src.id)
}

// Validators returns what the source's last accepted run left for conditional
// requests, by URL.
func (s *Store) Validators(ctx context.Context, source string) (map[string]Validator, error) {
	out := map[string]Validator{}
	err := s.read(ctx, "read validators", func(t *tx) error {
		return t.each(ctx, `SELECT url, etag, last_modified FROM validator JOIN source ON source.id = source_id WHERE name = $1`,
			[]any{source}, func(scan func(...any) error) error {
				var v Validator
				err := scan(&v.URL, &v.ETag, &v.LastModified)
				out[v.URL] = v
				return err
			})
	})
	return out, err
}
