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
			a := money.FromNano(nano, "USD")
			o := catalog.Offer{
				Provider: fmt.Sprintf("provider-%02d", i%50), Kind: "vm", Instance: "gpu-" + strconv.Itoa(i/100) + ".8xlarge",
				Region: fmt.Sprintf("us-east-%d", i%100), Country: "US", GPU: fmt.Sprintf("gpu-%02d-80gb-sxm", i/50%40), GPUKnown: true,
				GPUs: unit.Whole(8), VCPUs: 192, MemoryGiB: 2048, Interconnect: "NVLink + EFA 3200G",
				Prices: []catalog.Price{{
					Purchase: catalog.OnDemand, Low: a, High: a, Per: unit.PerInstanceHour, AsOf: date, Source: "bench",
					Ref: "offers/v1.0/aws/AmazonEC2", Confidence: catalog.High, Tax: "excluded",
				}},
			}
			if !yield(o, nil) {
				return
			}
		}
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
			s.Close()
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
