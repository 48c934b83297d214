package history

import (
	"context"
	"errors"
	"iter"
	"time"
)

// errStop ends a query whose reader has seen enough.
var errStop = errors.New("stop")

// History yields the series that a filter selects, each with its observations
// that held at some time between from and to; a zero time is no bound. Series
// come in a fixed order and one at a time, so that any amount of history can
// be read in little memory. The sequence ends at the first error.
func (s *Store) History(ctx context.Context, f Filter, from, to time.Time) iter.Seq2[Series, error] {
	return func(yield func(Series, error) bool) {
		err := s.read(ctx, "read the history", func(t *tx) error {
			return t.history(ctx, f, from, to, func(series Series) bool { return yield(series, nil) })
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Series{}, err)
		}
	}
}

func (t *tx) history(ctx context.Context, f Filter, from, to time.Time, yield func(Series) bool) error {
	var w where
	w.series(&f)
	if !from.IsZero() {
		w.add("o.ended_at > " + w.arg(from.UnixMicro()))
	}
	if !to.IsZero() {
		w.add("o.observed_at < " + w.arg(to.UnixMicro()))
	}
	var series Series
	err := t.each(ctx, "SELECT "+seriesSelect+", "+pointSelect("o")+seriesFrom+" JOIN observation o ON o.series_id = s.id"+
		w.String()+" ORDER BY s.id, o.ended_at", w.args, func(scan func(...any) error) error {
		var row seriesRow
		var point pointRow
		if err := scan(append(row.dest(), point.dest()...)...); err != nil {
			return err
		}
		if row.id != series.ID {
			if series.ID != 0 && !yield(series) {
				return errStop
			}
			var err error
			if series, err = row.series(); err != nil {
				return err
			}
		}
		p, err := point.point()
		series.Points = append(series.Points, p)
		return err
	})
	if err == nil && series.ID != 0 && !yield(series) {
		return errStop
	}
	return err
}
