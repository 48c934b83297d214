package history

import (
	"context"
	"time"
)

// PrunePolicy says what Prune removes; a zero time removes nothing. Open
// observations and what the next run of a source goes by always stay.
type PrunePolicy struct {
	ObservationsBefore time.Time // observations that ended before it
	RunsBefore         time.Time // runs fetched before it, with their rejections, and delivered events
	DryRun             bool      // count only
}

// Pruned is what Prune removed, or would remove.
type Pruned struct{ Observations, Series, Runs, Rejections, Events int64 }

// Prune removes old history in one transaction.
func (s *Store) Prune(ctx context.Context, p PrunePolicy) (Pruned, error) {
	var out Pruned
	steps := []struct {
		n      *int64
		table  string
		where  string
		before time.Time
	}{
		{&out.Observations, "observation", "end_reason IS NOT NULL AND ended_at < $1", p.ObservationsBefore},
		{&out.Series, "series", `NOT EXISTS (SELECT 1 FROM observation o WHERE o.series_id = series.id
			AND NOT (o.end_reason IS NOT NULL AND o.ended_at < $1))`, p.ObservationsBefore},
		{&out.Rejections, "rejection", "run_id IN (SELECT id FROM run WHERE " + oldRuns + ")", p.RunsBefore},
		{&out.Runs, "run", oldRuns, p.RunsBefore},
		{&out.Events, "watch_event", "delivered_at IS NOT NULL AND fired_at < $1", p.RunsBefore},
	}
	run := s.write
	if p.DryRun {
		run = s.read
	}
	var figures int64
	steps = append(steps, struct {
		n      *int64
		table  string
		where  string
		before time.Time
	}{&figures, "interruption", "end_reason IS NOT NULL AND ended_at < $1", p.ObservationsBefore})
	err := run(ctx, "prune", func(t *tx) (err error) {
		for _, step := range steps {
			if step.before.IsZero() {
				continue
			}
			if p.DryRun {
				err = t.one(ctx, "SELECT count(*) FROM "+step.table+" WHERE "+step.where, []any{step.before.UnixMicro()}, step.n)
			} else {
				*step.n, err = t.count(ctx, "DELETE FROM "+step.table+" WHERE "+step.where, step.before.UnixMicro())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	out.Observations += figures
	return out, err
}

// oldRuns keeps the last run of each source and the last accepted one.
const oldRuns = `fetched_at < $1 AND id NOT IN (SELECT max(id) FROM run GROUP BY source_id)
	AND id NOT IN (SELECT last_accepted_run FROM source WHERE last_accepted_run IS NOT NULL)`
