package history

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// parquetRow is a row of a file as a library reads it.
type parquetRow struct {
	SeriesID       int64      `parquet:"series_id"`
	Source         string     `parquet:"source"`
	Provider       string     `parquet:"provider"`
	Instance       string     `parquet:"instance"`
	GPU            string     `parquet:"gpu"`
	GPUs           string     `parquet:"gpus"`
	Region         string     `parquet:"region"`
	Tier           string     `parquet:"tier"`
	Host           string     `parquet:"host"`
	Purchase       string     `parquet:"purchase"`
	Plan           string     `parquet:"plan"`
	TermMonths     int32      `parquet:"term_months"`
	Low            *int64     `parquet:"low,decimal(9:18),optional"`
	High           *int64     `parquet:"high,decimal(9:18),optional"`
	Currency       string     `parquet:"currency"`
	Per            string     `parquet:"per"`
	Free           bool       `parquet:"free"`
	AsOf           string     `parquet:"as_of"`
	ObservedAt     time.Time  `parquet:"observed_at,timestamp(microsecond)"`
	LastVerifiedAt time.Time  `parquet:"last_verified_at,timestamp(microsecond)"`
	EndedAt        *time.Time `parquet:"ended_at,timestamp(microsecond),optional"`
	EndReason      string     `parquet:"end_reason"`
	RunID          int64      `parquet:"run_id"`
}

func parquetRowOf(s *Series, p *Point) parquetRow {
	r := parquetRow{
		SeriesID: s.ID, Source: s.Source, Provider: s.Provider, Instance: s.Instance, GPU: s.GPU, GPUs: s.GPUs.String(), Region: s.Region,
		Tier: s.Tier, Host: s.Host, Purchase: string(s.Purchase), Plan: s.Plan, TermMonths: int32(s.TermMonths),
		Currency: string(p.Low.Currency()), Per: p.Per, Free: p.Free, AsOf: p.AsOf.String(),
		ObservedAt: p.ObservedAt, LastVerifiedAt: p.LastVerifiedAt, EndReason: p.EndReason, RunID: p.RunID,
	}
	if p.Low.Known() {
		low, high := p.Low.Nano(), p.High.Nano()
		r.Low, r.High = &low, &high
	}
	if !p.Open() {
		r.EndedAt = &p.EndedAt
	}
	return r
}

// drawnSeries are series in runs, as history gives them: equal texts beside
// each other, now and then another.
func drawnSeries(t *rapid.T) (list []Series) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "aws", "昇腾 910B", "a, \"b\"\n", strings.Repeat("x", 300), "\x00"}), rapid.String())
	at := func() time.Time { return time.UnixMicro(rapid.Int64Range(-4e15, 4e15).Draw(t, "at")).UTC() }
	for range rapid.IntRange(0, 30).Draw(t, "runs") {
		s := Series{
			ID: rapid.Int64().Draw(t, "series"), Source: text.Draw(t, "source"), Provider: text.Draw(t, "provider"), Instance: text.Draw(t, "instance"),
			GPU: text.Draw(t, "gpu"), GPUs: unit.Whole(8), Region: text.Draw(t, "region"), Tier: text.Draw(t, "tier"), Host: text.Draw(t, "host"),
			Purchase: catalog.Spot, Plan: text.Draw(t, "plan"), TermMonths: int(rapid.Int32().Draw(t, "term")),
		}
		p := Point{
			Per: text.Draw(t, "per"), Free: rapid.Bool().Draw(t, "free"), AsOf: date(rapid.IntRange(1, 30).Draw(t, "day")),
			ObservedAt: at(), LastVerifiedAt: at(), RunID: rapid.Int64().Draw(t, "run"),
		}
		if rapid.Bool().Draw(t, "known") {
			amount := rapid.Int64Range(math.MinInt64, math.MaxInt64)
			p.Low, p.High = money.FromNano(amount.Draw(t, "low"), "USD"), money.FromNano(amount.Draw(t, "high"), "USD")
		}
		if rapid.Bool().Draw(t, "ended") {
			p.EndedAt, p.EndReason = at(), "changed"
		}
		for range rapid.IntRange(1, 20).Draw(t, "times") {
			s.Points = append(s.Points, p)
		}
		list = append(list, s)
	}
	return list
}

// parquetFile writes series, with a row group after every few rows.
func parquetFile(t rapid.TB, list []Series, every int) *parquet.File {
	var b bytes.Buffer
	f := newParquet(&b)
	for i := range list {
		for j := range list[i].Points {
			f.add(&list[i], &list[i].Points[j])
			if n, _ := f.held(); n < every {
				continue
			}
			if err := f.flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// What is written is what another reader finds: any text, number and time,
// what is missing, no row at all, and any number of row groups.
func TestParquetReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := drawnSeries(rt)
		file := parquetFile(rt, list, rapid.IntRange(1, 300).Draw(rt, "group"))
		var want []parquetRow
		for i := range list {
			for j := range list[i].Points {
				want = append(want, parquetRowOf(&list[i], &list[i].Points[j]))
			}
		}
		got := make([]parquetRow, file.NumRows())
		r := parquet.NewGenericReader[parquetRow](file)
		if n, err := r.Read(got); n != len(want) || len(got) != len(want) {
			rt.Fatalf("%d rows of %d, want %d: %v", n, len(got), len(want), err)
		}
		if d := cmp.Diff(want, got[:len(want):len(want)]); d != "" && len(want) > 0 {
			rt.Fatal(d)
		}
	})
}

// The bounds of every column of every row group hold its values.
func TestParquetBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		file := parquetFile(rt, drawnSeries(rt), rapid.IntRange(1, 300).Draw(rt, "group"))
		for g, group := range file.RowGroups() {
			for i, chunk := range group.ColumnChunks() {
				meta := file.Metadata().RowGroups[g].Columns[i].MetaData
				var least, most parquet.Value
				nulls, kind := int64(0), chunk.Type()
				values, err := readColumn(chunk)
				if err != nil {
					rt.Fatal(err)
				}
				for _, v := range values {
					switch {
					case v.IsNull():
						nulls++
						continue
					case least.IsNull():
						least, most = v, v
					}
					if kind.Compare(v, least) < 0 {
						least = v
					}
					if kind.Compare(v, most) > 0 {
						most = v
					}
				}
				name := strings.Join(meta.PathInSchema, ".")
				if meta.Statistics.NullCount != nulls || meta.NumValues != int64(len(values)) {
					rt.Errorf("%s: %d null of %d, want %d of %d", name, meta.Statistics.NullCount, meta.NumValues, nulls, len(values))
				}
				if meta.Statistics.MinValue == nil {
					if !least.IsNull() && name != "free" && len(least.Bytes()) < longWord && len(most.Bytes()) < longWord {
						rt.Errorf("%s: no bounds", name)
					}
					continue
				}
				if !bytes.Equal(meta.Statistics.MinValue, least.Bytes()) || !bytes.Equal(meta.Statistics.MaxValue, most.Bytes()) {
					rt.Errorf("%s: %q to %q, want %v to %v", name, meta.Statistics.MinValue, meta.Statistics.MaxValue, least, most)
				}
			}
		}
	})
}

func readColumn(c parquet.ColumnChunk) (all []parquet.Value, err error) {
	pages := c.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	for {
		page, err := pages.ReadPage()
		if err != nil {
			break // the end
		}
		values := make([]parquet.Value, page.NumValues())
		n, _ := page.Values().ReadValues(values)
		for _, v := range values[:n] {
			all = append(all, v.Clone())
		}
	}
	return all, nil
}

// The names, types and meanings of the columns are a promise.
func TestParquetSchema(t *testing.T) {
	want := `message prices {
	required int64 series_id (INT(64,true));
	required binary source (STRING);
	required binary provider (STRING);
	required binary instance (STRING);
	required binary gpu (STRING);
	required binary gpus (STRING);
	required binary region (STRING);
	required binary tier (STRING);
	required binary host (STRING);
	required binary purchase (STRING);
	required binary plan (STRING);
	required int32 term_months (INT(32,true));
	optional int64 low (DECIMAL(18,9));
	optional int64 high (DECIMAL(18,9));
	required binary currency (STRING);
	required binary per (STRING);
	required boolean free;
	required binary as_of (STRING);
	required int64 observed_at (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
	required int64 last_verified_at (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
	optional int64 ended_at (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS));
	required binary end_reason (STRING);
	required int64 run_id (INT(64,true));
}`
	file := parquetFile(t, nil, 1)
	if d := cmp.Diff(want, file.Schema().String()); d != "" {
		t.Error(d)
	}
	if n := len(file.Metadata().ColumnOrders); n != 23 {
		t.Errorf("%d orders", n)
	}
}

// Many months are open at once and a row group stays bounded: what is held is
// written before it grows, and nothing is lost.
func TestParquetManyMonths(t *testing.T) {
	dir := t.TempDir()
	l := lake{dir: dir, months: map[string]*monthFile{}}
	defer l.discard()
	const rows = heldRows + 3*rowGroup
	s := Series{Provider: "aws", GPUs: unit.Whole(1)}
	for i := range rows {
		s.ID, s.Instance = int64(i), fmt.Sprint("m", i%1000)
		month := i % 12
		if i%2 == 0 {
			month = 0 // half of the rows are in one month
		}
		at := day(1).AddDate(0, -month, 0)
		if err := l.add(&s, &Point{ObservedAt: at, LastVerifiedAt: at, Low: money.FromNano(int64(i), "USD"), High: money.FromNano(int64(i), "USD")}); err != nil {
			t.Fatal(err)
		}
		held := 0
		for _, m := range l.months {
			n, _ := m.w.held()
			held += n
		}
		if held != l.held || held >= heldRows {
			t.Fatalf("after %d rows %d are held, counted %d", i+1, held, l.held)
		}
	}
	sum := int64(0)
	for _, m := range l.months {
		if err := m.finish(); err != nil {
			t.Fatal(err)
		}
		read, err := parquet.ReadFile[parquetRow](m.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range read {
			sum += *r.Low
		}
	}
	if sum != rows*(rows-1)/2 {
		t.Errorf("the sum is %d", sum)
	}
}

// A text that is long ends a row group early, and a price that the file's type
// cannot hold is an error that names it.
func TestParquetExtremes(t *testing.T) {
	l := lake{dir: t.TempDir(), months: map[string]*monthFile{}}
	defer l.discard()
	s := Series{Provider: "aws", GPUs: unit.Whole(1)}
	p := Point{ObservedAt: day(1), LastVerifiedAt: day(1)}
	for i := range 40 {
		s.Instance = fmt.Sprint(i, strings.Repeat("x", 1<<20))
		if err := l.add(&s, &p); err != nil {
			t.Fatal(err)
		}
	}
	if l.held != 40-32 { // 32 texts are 32 MiB and their lengths
		t.Errorf("%d rows are held", l.held)
	}
	s.Instance = "dear"
	p.Low = money.FromNano(beyondDecimal-1, "USD")
	p.High = p.Low
	if err := l.add(&s, &p); err != nil {
		t.Error(err)
	}
	p.High = money.FromNano(beyondDecimal, "USD")
	if err := l.add(&s, &p); err == nil || !strings.Contains(err.Error(), "aws dear: 1000000000") {
		t.Error(err)
	}
}

// full is a disk without room.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errBroken
	}
	return len(b), nil
}

func TestParquetDiskFull(t *testing.T) {
	for room := range 5 {
		f := newParquet(&full{room * 400})
		f.add(&Series{GPUs: unit.Whole(1)}, &Point{})
		if err := f.Close(); !errors.Is(err, errBroken) {
			t.Errorf("%d bytes of room: %v", room*400, err)
		}
	}
}

// BenchmarkParquet writes a million rows.
func BenchmarkParquet(b *testing.B) {
	dir := b.TempDir()
	s, p := Series{Source: "bench", Purchase: catalog.OnDemand}, Point{ObservedAt: day(1), LastVerifiedAt: day(1), Per: "gpu_hour", AsOf: date(1)}
	for b.Loop() {
		l := lake{dir: dir, months: map[string]*monthFile{}}
		for i := range 1_000_000 {
			o := generated(i, int64(i%997)*10_000_000, date(1))
			s.ID, s.Provider, s.Instance, s.GPU, s.GPUs, s.Region = int64(i), o.Provider, o.Instance, o.GPU, o.GPUs, o.Region
			p.Low, p.High = o.Prices[0].Low, o.Prices[0].High
			if err := l.add(&s, &p); err != nil {
				b.Fatal(err)
			}
		}
		for _, m := range l.months {
			if err := m.finish(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(peakMB(), "MB-peak")
	if info, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.parquet")); err != nil || len(info) != 1 {
		b.Fatal(info, err)
	}
}
