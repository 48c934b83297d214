package source

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
)

// rows is a plain CSV file of n rows, made while it is read.
type rows struct {
	n, at int
	left  []byte
}

func (r *rows) Read(p []byte) (int, error) {
	for len(r.left) < len(p) && r.at <= r.n {
		if r.at == 0 {
			r.left = append(r.left, "provider,instance,gpu,gpus,region,purchase,amount,per,currency\n"...)
		} else {
			i := r.at
			r.left = fmt.Appendf(r.left, "p%d,m%d,H100 SXM5 80GB,8,r%d,%s,%d.%04d,instance_hour,USD\n", i%50, i%20_000, i%40, []string{"on_demand", "spot"}[i%2], 10+i%30, i%10_000)
		}
		r.at++
	}
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.left)
	r.left = append(r.left[:0], r.left[n:]...)
	return n, nil
}

// BenchmarkCSV is a stream of 100,000 rows with names resolved.
func BenchmarkCSV(b *testing.B) {
	names := catalog.NewNames(embedded().GPUs)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range Stream("csv", &rows{n: 100_000}, Options{Names: names.ResolveGPU}) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 100_000 {
			b.Fatal(n)
		}
	}
}

// BenchmarkSkyPilot reads 50,000 rows into a batch.
func BenchmarkSkyPilot(b *testing.B) {
	body := []byte("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n")
	for i := range 50_000 {
		body = fmt.Appendf(body, "m%d,H100,8.0,192.0,2048.0,\"{'Gpus': [{'Name': 'H100', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 81920}}]}\",%d.04,20.%02d,r%d,z%d\n", i%1000, 40+i%20, i%100, i%20, i%3)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("skypilot", bytes.NewReader(body), Options{Provider: "acme"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGate checks 20,000 offers against the run before.
func BenchmarkGate(b *testing.B) {
	batch := market(20_000)
	prev := SummaryOf(batch.Offers)
	b.ReportAllocs()
	for b.Loop() {
		if v := Check(batch, prev, Policy{}); v.Decision != Accept {
			b.Fatal(v)
		}
	}
}

// TestStream gives what Read gives, row by row, and ends when told to.
func TestStream(t *testing.T) {
	n := 0
	for o, err := range Stream("csv", &rows{n: 1000}, Options{}) {
		if err != nil || len(o.Prices) != 1 || !o.Prices[0].Low.Known() {
			t.Fatal(o, err)
		}
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Error(n)
	}
	last := error(nil)
	for _, err := range Stream("csv", io.MultiReader(&rows{n: 5}, strings.NewReader("a,b\n")), Options{}) {
		last = err
	}
	if last == nil {
		t.Error("a broken end was not told")
	}
}
