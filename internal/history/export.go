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

	"github.com/parquet-go/parquet-go"
)

// ExportOptions selects what is exported: the observations of a filter that
// held between two times; a zero time is no bound.
type ExportOptions struct {
	Filter   Filter
	From, To time.Time
}

// exportRow is a row of a Parquet file. The decimals are the store's
// nano-units as they are: decimal(18,9) of an int64 is exact.
type exportRow struct {
	SeriesID       int64      `parquet:"series_id,delta"`
	Source         string     `parquet:"source,dict"`
	Provider       string     `parquet:"provider,dict"`
	Instance       string     `parquet:"instance,dict"`
	GPU            string     `parquet:"gpu,dict"`
	GPUs           string     `parquet:"gpus,dict"` // 8, or 1/6
	Region         string     `parquet:"region,dict"`
	Tier           string     `parquet:"tier,dict"`
	Host           string     `parquet:"host,dict"`
	Purchase       string     `parquet:"purchase,dict"`
	Plan           string     `parquet:"plan,dict"`
	TermMonths     int32      `parquet:"term_months"`
	Low            *int64     `parquet:"low,decimal(9:18),optional"`
	High           *int64     `parquet:"high,decimal(9:18),optional"`
	Currency       string     `parquet:"currency,dict"`
	Per            string     `parquet:"per,dict"`
	Free           bool       `parquet:"free"`
	AsOf           string     `parquet:"as_of,dict"`
	ObservedAt     time.Time  `parquet:"observed_at,timestamp(microsecond)"`
	LastVerifiedAt time.Time  `parquet:"last_verified_at,timestamp(microsecond)"`
	EndedAt        *time.Time `parquet:"ended_at,timestamp(microsecond),optional"`
	EndReason      string     `parquet:"end_reason,dict"`
	RunID          int64      `parquet:"run_id"`
}

func makeExportRow(s *Series, p *Point) exportRow {
	row := exportRow{
		SeriesID: s.ID, Source: s.Source, Provider: s.Provider, Instance: s.Instance, GPU: s.GPU, GPUs: s.GPUs.String(), Region: s.Region,
		Tier: s.Tier, Host: s.Host, Purchase: string(s.Purchase), Plan: s.Plan, TermMonths: int32(s.TermMonths),
		Currency: string(p.Low.Currency()), Per: p.Per, Free: p.Free, AsOf: p.AsOf.String(),
		ObservedAt: p.ObservedAt, LastVerifiedAt: p.LastVerifiedAt, EndReason: p.EndReason, RunID: p.RunID,
	}
	if p.Low.Known() {
		low, high := p.Low.Nano(), p.High.Nano()
		row.Low, row.High = &low, &high
	}
	if !p.Open() {
		row.EndedAt = &p.EndedAt
	}
	return row
}

// rowGroup bounds the rows held for a month before they are written.
const rowGroup = 50_000

// ExportParquet writes one file per month of observation under dir, as
// year=2026/month=11/prices.parquet, the layout that DuckDB, ClickHouse and
// Spark read as a partitioned table. Files appear whole or not at all, and
// replace those of an earlier export. It returns their paths and the number
// of rows.
func (s *Store) ExportParquet(ctx context.Context, dir string, o ExportOptions) (paths []string, rows int64, err error) {
	months := map[string]*monthFile{}
	defer func() {
		for _, m := range months {
			m.discard()
		}
	}()
	for series, err := range s.History(ctx, o.Filter, o.From, o.To) {
		if err != nil {
			return nil, 0, err
		}
		for i := range series.Points {
			p := &series.Points[i]
			key := p.ObservedAt.Format("2006-01")
			m := months[key]
			if m == nil {
				if m, err = createMonth(dir, p.ObservedAt); err != nil {
					return nil, 0, err
				}
				months[key] = m
			}
			if _, err := m.w.Write([]exportRow{makeExportRow(&series, p)}); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", m.path, err)
			}
			rows++
		}
	}
	for key, m := range months {
		if err := m.finish(); err != nil {
			return nil, 0, err
		}
		paths = append(paths, m.path)
		delete(months, key)
	}
	slices.Sort(paths)
	return paths, rows, nil
}

// monthFile is a file being written beside the one it will replace.
type monthFile struct {
	path string
	file *os.File
	w    *parquet.GenericWriter[exportRow]
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
	w := parquet.NewGenericWriter[exportRow](f, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.CreatedBy("gpucost", "", ""))
	return &monthFile{filepath.Join(dir, "prices.parquet"), f, w}, nil
}

func (m *monthFile) finish() error {
	if err := m.w.Close(); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
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

func (m *monthFile) discard() {
	_ = m.file.Close()
	_ = os.Remove(m.file.Name())
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
