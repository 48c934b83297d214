package history

import (
	"context"
	"database/sql"
	"time"
)

// SourceStatus is how a source stands. A zero time is never.
type SourceStatus struct {
	Source        string
	LastSuccess   time.Time // fetched_at of the last accepted run: the age of its rows counts from here
	FirstSuccess  time.Time
	PublishedAt   time.Time // what the source said of itself then; zero if nothing
	ContentSHA256 string    // of that run
	LastAttempt   time.Time
	LastVerdict   Verdict
	LastDetail    string
	LastRejected  int // rows left out of the last attempt
	Failures      int // attempts since the last accepted run that were rejected or failed
	Rows          int // open observations, of prices and of interruption figures
}

// Sources returns the status of every source that was ever tried, by name.
func (s *Store) Sources(ctx context.Context) (list []SourceStatus, err error) {
	err = s.read(ctx, "read the sources", func(t *tx) error {
		list, err = t.sources(ctx)
		return err
	})
	return list, err
}

func (t *tx) sources(ctx context.Context) (list []SourceStatus, err error) {
	err = t.each(ctx, `SELECT src.name, src.first_accepted_at, src.last_accepted_at, ok.published_at, COALESCE(ok.content_sha256, ''),
			last.fetched_at, last.verdict, last.detail, last.rejected,
			(SELECT count(*) FROM run WHERE run.source_id = src.id AND run.id > COALESCE(src.last_accepted_run, 0) AND run.verdict IN ('rejected', 'failed')),
			(SELECT count(*) FROM series JOIN observation o ON o.series_id = series.id AND o.ended_at = $1 WHERE series.source_id = src.id)
				+ (SELECT count(*) FROM interruption i WHERE i.source_id = src.id AND i.ended_at = $1)
		FROM source src
		JOIN run last ON last.id = (SELECT max(id) FROM run WHERE run.source_id = src.id)
		LEFT JOIN run ok ON ok.id = src.last_accepted_run
		ORDER BY src.name`, []any{openEnd}, func(scan func(...any) error) error {
		var st SourceStatus
		var first, success, published, attempt sql.NullInt64
		err := scan(&st.Source, &first, &success, &published, &st.ContentSHA256,
			&attempt, &st.LastVerdict, &st.LastDetail, &st.LastRejected, &st.Failures, &st.Rows)
		st.FirstSuccess, st.LastSuccess, st.PublishedAt, st.LastAttempt = timeOf(first), timeOf(success), timeOf(published), timeOf(attempt)
		list = append(list, st)
		return err
	})
	return list, err
}

func timeOf(micros sql.NullInt64) time.Time {
	if !micros.Valid {
		return time.Time{}
	}
	return time.UnixMicro(micros.Int64).UTC()
}

// Rejections returns the rows that the last run of a source left out.
func (s *Store) Rejections(ctx context.Context, source string) (list []Rejection, err error) {
	err = s.read(ctx, "read the rejections", func(t *tx) error {
		return t.each(ctx, `SELECT item, reason FROM rejection WHERE run_id =
			(SELECT max(run.id) FROM run JOIN source ON source.id = run.source_id WHERE source.name = $1)
			ORDER BY item, reason`, []any{source}, func(scan func(...any) error) error {
			var r Rejection
			err := scan(&r.Item, &r.Reason)
			list = append(list, r)
			return err
		})
	})
	return list, err
}
