package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

// watchWindow is how far back a rule sees at least, so that what has gone
// since the last evaluation is among the series.
const watchWindow = 45 * 24 * time.Hour

// Watch evaluates rules on the store in one transaction: the events are in the
// outbox and the states are kept, or neither is. watcher names whose states
// they are, so that two teams may have the same rule. Rates are used besides
// those in the store.
func (s *Store) Watch(ctx context.Context, watcher string, rules []Rule, now time.Time, rates []catalog.FXRate) (Outcome, error) {
	out := Outcome{States: map[string]WatchState{}}
	err := s.write(ctx, "watch", func(t *tx) error {
		sources, err := t.sources(ctx)
		if err != nil {
			return err
		}
		stored, err := t.fx(ctx, now, now)
		if err != nil {
			return err
		}
		in := WatchInput{Now: now, Sources: sources, Rates: append(stored, rates...)}
		for i := range rules {
			if err := t.watchOne(ctx, watcher, &rules[i], in, &out); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (t *tx) watchOne(ctx context.Context, watcher string, r *Rule, in WatchInput, out *Outcome) error {
	back := watchWindow
	if r.When.Change != nil {
		back = max(back, time.Duration(r.When.Change.Over))
	}
	err := t.history(ctx, r.Select.Filter(), in.Now.Add(-back), time.Time{}, func(series Series) bool {
		in.Series = append(in.Series, series)
		return true
	})
	if err != nil {
		return err
	}
	key := watcher + "/" + r.Name + "@" + r.digest()
	states, err := t.watchStates(ctx, key)
	if err != nil {
		return err
	}
	one := Evaluate(r, &in, states)
	for subject, state := range one.States {
		if state != states[subject] {
			if err := t.putWatchState(ctx, key, subject, state); err != nil {
				return err
			}
		}
	}
	for i := range one.Events {
		if err := t.putEvent(ctx, watcher, &one.Events[i]); err != nil {
			return err
		}
	}
	out.Events = append(out.Events, one.Events...)
	out.Unjudged = append(out.Unjudged, one.Unjudged...)
	out.Checked += one.Checked
	return nil
}

func (t *tx) watchStates(ctx context.Context, key string) (map[string]WatchState, error) {
	states := map[string]WatchState{}
	err := t.each(ctx, "SELECT subject, fired, seen, verified_at, fired_at, basis FROM watch_state WHERE rule = $1",
		[]any{key}, func(scan func(...any) error) error {
			var subject string
			var st WatchState
			var verified, fired sql.NullInt64
			err := scan(&subject, &st.Fired, &st.Seen, &verified, &fired, &st.Basis)
			st.VerifiedAt, st.FiredAt = timeOf(verified), timeOf(fired)
			states[subject] = st
			return err
		})
	return states, err
}

func (t *tx) putWatchState(ctx context.Context, key, subject string, st WatchState) error {
	var fired any
	if !st.FiredAt.IsZero() {
		fired = st.FiredAt.UnixMicro()
	}
	return t.exec(ctx, `INSERT INTO watch_state(rule, subject, fired, seen, verified_at, fired_at, basis) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (rule, subject) DO UPDATE SET fired = excluded.fired, seen = excluded.seen,
		verified_at = excluded.verified_at, fired_at = excluded.fired_at, basis = excluded.basis`,
		key, subject, st.Fired, int64(st.Seen), st.VerifiedAt.UnixMicro(), fired, st.Basis)
}

func (t *tx) putEvent(ctx context.Context, watcher string, e *Event) (err error) {
	if e.ID, err = t.next(ctx, "event", 1); err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return t.exec(ctx, "INSERT INTO watch_event(id, watcher, fired_at, event) VALUES ($1, $2, $3, $4)",
		e.ID, watcher, e.FiredAt.UnixMicro(), string(text))
}

// Undelivered returns the events of a watcher that are still to be sent, oldest first.
func (s *Store) Undelivered(ctx context.Context, watcher string) (events []Event, err error) {
	err = s.read(ctx, "read events", func(t *tx) error {
		return t.each(ctx, "SELECT event FROM watch_event WHERE watcher = $1 AND delivered_at IS NULL ORDER BY id",
			[]any{watcher}, func(scan func(...any) error) error {
				var text string
				if err := scan(&text); err != nil {
					return err
				}
				var e Event
				err := json.Unmarshal([]byte(text), &e)
				events = append(events, e)
				return err
			})
	})
	return events, err
}

// Delivered marks an event as sent. Its ID makes a second sending harmless.
func (s *Store) Delivered(ctx context.Context, id int64, at time.Time) error {
	return s.write(ctx, "mark an event", func(t *tx) error {
		return t.exec(ctx, "UPDATE watch_event SET delivered_at = $1 WHERE id = $2", at.UnixMicro(), id)
	})
}
