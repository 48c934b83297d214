//go:build unix

package history

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// generate makes n offers, each with one price and a key of its own: 50
// providers, 40 GPUs, and as many instances and regions as it takes. The
// amount depends on the offer and, for one offer in every changing, on step.
func generate(n, step, changing int, day time.Time) iter.Seq2[catalog.Offer, error] {
	date := catalog.DateOf(day)
	return func(yield func(catalog.Offer, error) bool) {
		for i := range n {
			nano := int64(1+i%997) * 10_000_000
			if i%changing == step%changing {
				nano += int64(step+1) * 1_000_000
			}
			if !yield(generated(i, nano, date), nil) {
				return
			}
		}
	}
}

func generated(i int, nano int64, date catalog.Date) catalog.Offer {
	a := money.FromNano(nano, "USD")
	return catalog.Offer{
		Provider: fmt.Sprintf("provider-%02d", i%50), Kind: "vm", Instance: "gpu-" + strconv.Itoa(i/100) + ".8xlarge",
		Region: fmt.Sprintf("us-east-%d", i%100), Country: "US", GPU: fmt.Sprintf("gpu-%02d-80gb-sxm", i/50%40), GPUKnown: true,
		GPUs: unit.Whole(8), VCPUs: 192, MemoryGiB: 2048, Interconnect: "NVLink + EFA 3200G",
		Prices: []catalog.Price{{
			Purchase: catalog.OnDemand, Low: a, High: a, Per: unit.PerInstanceHour, AsOf: date, Source: "bench",
			Ref: "offers/v1.0/aws/AmazonEC2", Confidence: catalog.High, Tax: "excluded",
		}},
	}
}

// benchmarkURLs are the stores to measure: PostgreSQL only when it is there.
func benchmarkURLs(b *testing.B, f func(b *testing.B, url func(*testing.B) string)) {
	b.Run("sqlite", func(b *testing.B) {
		f(b, func(b *testing.B) string { return filepath.Join(b.TempDir(), "prices.db") })
	})
	b.Run("postgres", func(b *testing.B) { f(b, func(b *testing.B) string { return postgresURL(b) }) })
}

// peakMB is the largest resident size of the process so far, in MB of 1e6 bytes.
func peakMB() float64 {
	status, _ := os.ReadFile("/proc/self/status") // Linux; 0 elsewhere
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kB, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kB * 1024 / 1e6
}

// cpuSeconds is the processor time of this process so far: what a busy
// machine does not distort.
func cpuSeconds() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// BenchmarkImport writes a million new rows in one run: at most 10 s and
// 500 MB are wanted.
func BenchmarkImport(b *testing.B) {
	const rows = 1_000_000
	benchmarkURLs(b, func(b *testing.B, url func(*testing.B) string) {
		start := cpuSeconds()
		for b.Loop() {
			b.StopTimer()
			s := openStore(b, url(b))
			runtime.GC()
			b.StartTimer()
			res, err := s.Apply(b.Context(), Run{Source: "bench", FetchedAt: day(1)}, Batch{Offers: generate(rows, 0, rows, day(1))})
			if err != nil || res.New != rows {
				b.Fatal(res, err)
			}
			b.StopTimer()
			closeStore(b, s)
			b.StartTimer()
		}
		b.ReportMetric((cpuSeconds()-start)/float64(b.N), "cpu-s/op")
		b.ReportMetric(peakMB(), "MB-peak")
	})
}

// BenchmarkReimport reads the same million rows again, of which 2 % changed.
func BenchmarkReimport(b *testing.B) {
	const rows = 1_000_000
	benchmarkURLs(b, func(b *testing.B, url func(*testing.B) string) {
		s := openStore(b, url(b))
		step := 0
		run := func() {
			at := day(1).Add(time.Duration(step) * time.Hour)
			_, err := s.Apply(b.Context(), Run{Source: "bench", FetchedAt: at}, Batch{Offers: generate(rows, step, 50, at)})
			if err != nil {
				b.Fatal(err)
			}
			step++
		}
		run()
		start := cpuSeconds()
		for b.Loop() {
			run()
		}
		b.ReportMetric((cpuSeconds()-start)/float64(b.N), "cpu-s/op")
		b.ReportMetric(peakMB(), "MB-peak")
	})
}

// observationsEnv makes BenchmarkHistory build its store: 10000000.
const observationsEnv = "GPUCOST_BENCH_OBSERVATIONS"

// BenchmarkHistory reads the history of one offer, another in every round,
// out of so many observations in 20,000 series: at most 50 ms are wanted for
// ten million.
func BenchmarkHistory(b *testing.B) {
	const series = 20_000
	total, err := strconv.Atoi(os.Getenv(observationsEnv))
	if err != nil {
		b.Skipf("%s is not set: how many observations to make", observationsEnv)
	}
	benchmarkURLs(b, func(b *testing.B, url func(*testing.B) string) {
		location := url(b)
		s := openStore(b, location)
		start := time.Now()
		fill(b, s, series, total/series)
		b.Logf("%d observations in %d series made in %s", total/series*series, series, time.Since(start).Round(time.Second))
		closeStore(b, s)
		if s.d == sqliteDialect {
			info, _ := os.Stat(location)
			b.Logf("file: %d MB", info.Size()/1e6)
		}
		s = openStore(b, location)
		read := func(i int) {
			points := 0
			o := generated(i, 1, date(1))
			f := Filter{GPUs: []string{o.GPU}, Providers: []string{o.Provider}, Instances: []string{o.Instance}, Regions: []string{o.Region}}
			for series, err := range s.History(b.Context(), f, time.Time{}, time.Time{}) {
				if err != nil {
					b.Fatal(err)
				}
				points += len(series.Points)
			}
			if points != total/series {
				b.Fatalf("%d points", points)
			}
		}
		start = time.Now()
		read(0)
		first := time.Since(start)
		i := 0
		for b.Loop() {
			i = (i + 7919) % series
			read(i)
		}
		b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
	})
}

// fill applies one run of so many series and puts closed observations before
// each, an hour apart: in the order of time in PostgreSQL, whose rows lie as
// they came, and by series in SQLite, which orders them by key anyway.
func fill(b *testing.B, s *Store, series, each int) {
	_, err := s.Apply(b.Context(), Run{Source: "bench", FetchedAt: day(1)}, Batch{Offers: generate(series, 0, series, day(1))})
	if err != nil {
		b.Fatal(err)
	}
	count, order := "generate_series(1, $1::bigint) AS k(n)", "k.n DESC, s.id"
	if s.d == sqliteDialect {
		count, order = "(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < $1) SELECT n FROM c) AS k", "s.id, k.n DESC"
	}
	err = s.write(b.Context(), "fill", func(t *tx) error {
		return t.exec(b.Context(), `INSERT INTO observation
			(series_id, ended_at, observed_at, last_verified_at, low_nano, high_nano, currency, per, free, as_of, run_id, end_reason)
			SELECT s.id, $2 - (k.n - 1) * 3600000000, $2 - k.n * 3600000000, $2 - k.n * 3600000000, 1000000 * (k.n % 97 + 1), 1000000 * (k.n % 97 + 1),
			'USD', 'instance_hour', FALSE, NULL, 1, 'changed' FROM series s CROSS JOIN `+count+" ORDER BY "+order,
			int64(each-1), day(1).UnixMicro())
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.db.Exec("ANALYZE"); err != nil { //nolint:misspell // a word of SQL
		b.Fatal(err)
	}
}
