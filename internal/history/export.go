package history

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// ExportOptions selects what is exported: the observations of a filter that
// held between two times; a zero time is no bound.
type ExportOptions struct {
	Filter   Filter
	From, To time.Time
}

// Bounds of what is held before it is written: rows of one month, bytes of its
// values, and rows of all months.
const (
	rowGroup   = 50_000
	groupBytes = 32 << 20
	heldRows   = 8 * rowGroup
)

// ExportParquet writes one file per month of observation under dir, as
// year=2026/month=11/prices.parquet, the layout that DuckDB, ClickHouse and
// Spark read as a partitioned table. Files appear whole or not at all, and
// replace those of an earlier export. It returns their paths and the number
// of rows.
func (s *Store) ExportParquet(ctx context.Context, dir string, o ExportOptions) (paths []string, rows int64, err error) {
	l := lake{dir: dir, months: map[string]*monthFile{}}
	defer l.discard()
	for series, err := range s.History(ctx, o.Filter, o.From, o.To) {
		if err != nil {
			return nil, 0, err
		}
		for i := range series.Points {
			if err := l.add(&series, &series.Points[i]); err != nil {
				return nil, 0, err
			}
			rows++
		}
	}
	for key, m := range l.months {
		if err := m.finish(); err != nil {
			return nil, 0, err
		}
		paths = append(paths, m.path)
		delete(l.months, key)
	}
	slices.Sort(paths)
	return paths, rows, nil
}

// lake is the files of an export that are being written.
type lake struct {
	dir    string
	months map[string]*monthFile
	held   int // rows that wait in all of them
}

func (l *lake) add(s *Series, p *Point) error {
	if p.High.Known() && p.High.Nano() >= beyondDecimal {
		return fmt.Errorf("series %d, %s %s: %s is too large for decimal(18,9)", s.ID, s.Provider, s.Instance, p.High)
	}
	key := p.ObservedAt.Format("2006-01")
	m := l.months[key]
	if m == nil {
		var err error
		if m, err = createMonth(l.dir, p.ObservedAt); err != nil {
			return err
		}
		l.months[key] = m
	}
	m.w.add(s, p)
	l.held++
	if rows, bytes := m.w.held(); rows >= rowGroup || bytes >= groupBytes {
		l.held -= rows
		return m.wrap(m.w.flush())
	}
	if l.held < heldRows {
		return nil
	}
	l.held = 0
	for _, m := range l.months {
		if err := m.wrap(m.w.flush()); err != nil {
			return err
		}
	}
	return nil
}

func (l *lake) discard() {
	for _, m := range l.months {
		_ = m.file.Close()
		_ = os.Remove(m.file.Name())
	}
}

// monthFile is a file being written beside the one it will replace.
type monthFile struct {
	path string
	file *os.File
	w    *pqFile
}

func createMonth(dir string, at time.Time) (*monthFile, error) {
	dir = filepath.Join(dir, at.Format("year=2006"), at.Format("month=01"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, ".prices-*.tmp")
	if err != nil {
		return nil, err
	}
	return &monthFile{filepath.Join(dir, "prices.parquet"), f, newParquet(f)}, nil
}

func (m *monthFile) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", m.path, err)
}

func (m *monthFile) finish() error {
	if err := m.wrap(m.w.Close()); err != nil {
		return err
	}
	if err := m.file.Sync(); err != nil {
		return err
	}
	if err := m.file.Chmod(0o644); err != nil {
		return err
	}
	if err := m.file.Close(); err != nil {
		return err
	}
	return os.Rename(m.file.Name(), m.path)
}

// csvHeader is a promise: columns are only ever appended.
var csvHeader = []string{
	"series_id", "source", "provider", "instance", "gpu", "gpus", "region", "tier", "host", "purchase", "plan", "term_months",
	"low", "high", "currency", "per", "free", "as_of", "observed_at", "last_verified_at", "ended_at", "end_reason",
}

// ExportCSV writes one line per observation: plain decimals, UTC times,
// unknown amounts and ends empty.
func (s *Store) ExportCSV(ctx context.Context, to io.Writer, o ExportOptions) (rows int64, err error) {
	w := csv.NewWriter(to)
	if err := w.Write(csvHeader); err != nil {
		return 0, err
	}
	for series, err := range s.History(ctx, o.Filter, o.From, o.To) {
		if err != nil {
			return rows, err
		}
		for i := range series.Points {
			if err := w.Write(csvRecord(&series, &series.Points[i])); err != nil {
				return rows, err
			}
			rows++
		}
	}
	w.Flush()
	return rows, w.Error()
}

func csvRecord(s *Series, p *Point) []string {
	ended := ""
	if !p.Open() {
		ended = p.EndedAt.Format(time.RFC3339Nano)
	}
	return []string{
		strconv.FormatInt(s.ID, 10), s.Source, s.Provider, s.Instance, s.GPU, s.GPUs.String(), s.Region, s.Tier, s.Host,
		string(s.Purchase), s.Plan, strconv.Itoa(s.TermMonths), p.Low.String(), p.High.String(), string(p.Low.Currency()), p.Per,
		strconv.FormatBool(p.Free), p.AsOf.String(), p.ObservedAt.Format(time.RFC3339Nano), p.LastVerifiedAt.Format(time.RFC3339Nano),
		ended, p.EndReason,
	}
}
