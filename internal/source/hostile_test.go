package source

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// endless is a body without end: a start, then one text again and again.
type endless struct {
	start, again string
	n            int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	if e.start != "" {
		n = copy(p, e.start)
		e.start = e.start[n:]
	}
	for n < len(p) {
		n += copy(p[n:], e.again)
	}
	e.n += int64(n)
	return n, nil
}

// numbered gives rows that all differ.
type numbered struct {
	endless
	i int
}

func (e *numbered) Read(p []byte) (int, error) {
	if e.start == "" {
		for e.start = ""; len(e.start) < 4096; e.i++ {
			e.start += fmt.Sprintf("m%d,H100,8,1.5,r\n", e.i)
		}
	}
	n := copy(p, e.start)
	e.start = e.start[n:]
	e.n += int64(n)
	return n, nil
}

// TestHostileBodies: what would fill the memory is refused before it can.
func TestHostileBodies(t *testing.T) {
	zero := func(n int) string { return strings.Repeat("0,", n) }
	for name, c := range map[string]struct {
		format string
		body   func() io.Reader
		most   int64 // bytes that may be read of it
	}{
		"endless JSON":     {"oci", func() io.Reader { return &endless{start: `{"items":[`, again: `{"a":1},`} }, 65 << 20},
		"endless string":   {"lambda", func() io.Reader { return &endless{start: `{"data":{"`, again: "x"} }, 65 << 20},
		"deep lists":       {"oci", func() io.Reader { return strings.NewReader(strings.Repeat("[", 1<<20)) }, 0},
		"deep objects":     {"verda", func() io.Reader { return strings.NewReader(`[` + strings.Repeat(`{"a":`, 1<<20)) }, 0},
		"lists of nothing": {"oci", func() io.Reader { return strings.NewReader(`{"items":[` + zero(3<<20) + `0]}`) }, 0},
		"many keys":        {"lambda", func() io.Reader { return &endless{start: `{"data":{"a":1`, again: `,"a":1`} }, 65 << 20},
		"long number":      {"lambda", func() io.Reader { return strings.NewReader(lambdaPrice(strings.Repeat("9", 1<<20))) }, 0},
		"big exponent":     {"lambda", func() io.Reader { return strings.NewReader(lambdaPrice("1e999999999")) }, 0},
		"quote not closed": {"skypilot", func() io.Reader {
			return &endless{start: "InstanceType,AcceleratorName,AcceleratorCount,Price\na,\"", again: "x\n"}
		}, 3 << 20},
		"endless rows": {"skypilot", func() io.Reader {
			return &numbered{endless{start: "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\n"}, 0}
		}, 40 << 20},
		"endless cell":     {"focus", func() io.Reader { return &endless{again: "x"} }, 3 << 20},
		"endless preamble": {"csv", func() io.Reader { return &endless{again: "gpu,\n\n"} }, 3 << 20},
		"endless product":  {"aws-price-list", func() io.Reader { return &endless{start: `{"products":{"a":{"x":"`, again: "x"} }, 10 << 20},
		"XML in XML":       {"ecb", func() io.Reader { return strings.NewReader(strings.Repeat("<Envelope>", 1<<16)) }, 0},
		"endless XML":      {"ecb", func() io.Reader { return &endless{start: "<Envelope>", again: "<a/>"} }, 65 << 20},
		"entities": {"ecb", func() io.Reader {
			return strings.NewReader(`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Envelope>&b;</Envelope>`)
		}, 0},
		"zip of zeros": {"gpuhunt", func() io.Reader { return bytes.NewReader(zipOf(t, "catalog.csv", &endless{again: "0"}, 300<<20)) }, 0},
		"zip of rows": {"gpuhunt", func() io.Reader {
			return bytes.NewReader(zipOf(t, "catalog.csv", &endless{start: huntHeader, again: huntRow}, 300<<20))
		}, 0},
		"zip of many files": {"gpuhunt", func() io.Reader { return bytes.NewReader(zipOfMany(t, 100)) }, 0},
		"not quite a zip":   {"gpuhunt", func() io.Reader { return strings.NewReader("PK\x03\x04 and then nothing") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.body()
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			b, err := Read(c.format, r, Options{Provider: "x", Emit: nil})
			runtime.ReadMemStats(&after)
			if err == nil {
				// A single faulty number rejects its row, not the body.
				if b.Count(Faulty) == 0 || known(b) > 0 {
					t.Fatalf("read as\n%s", render(b))
				}
			}
			e, ok := r.(*endless)
			if n, is := r.(*numbered); is {
				e, ok = &n.endless, true
			}
			if ok {
				if e.n > c.most {
					t.Errorf("read %d MiB of it", e.n>>20)
				}
				if !errors.Is(err, ErrTooLarge) && !strings.Contains(err.Error(), "doubled") && !strings.Contains(err.Error(), "no header") && !strings.Contains(err.Error(), "no price column") {
					t.Errorf("refused for another reason: %v", err)
				}
			}
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 700<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
		})
	}
}

const (
	huntHeader = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot\n"
	huntRow    = "a,b,1.5,8,32,1,H100,80,False\n"
)

func lambdaPrice(n string) string {
	return `{"data":{"a":{"instance_type":{"name":"a","gpu_description":"H100 (80 GB)","price_cents_per_hour":` + n + `,"specs":{"gpus":1}}}}}`
}

func zipOf(t *testing.T, name string, body io.Reader, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.Create(name)
	if err == nil {
		_, err = io.CopyN(w, body, size)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipOfMany(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for range n {
		w, err := z.Create("verda.csv")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, huntHeader+huntRow)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestZip reads an archive of one seller's file.
func TestZip(t *testing.T) {
	b, err := Read("gpuhunt", bytes.NewReader(zipOf(t, "lambdalabs.csv", strings.NewReader(huntHeader+huntRow), int64(len(huntHeader+huntRow)))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := render(b); !strings.HasPrefix(got, "offer lambda a @b 1xH100 mem=80 vcpus=8 gib=32\n  on_demand 1.50 USD instance_hour\n") {
		t.Error(got)
	}
}

// TestZipLies: an archive that understates the size of its file is cut at the
// limit that was promised, and refused.
func TestZipLies(t *testing.T) {
	whole := zipOf(t, "verda.csv", &endless{start: huntHeader, again: huntRow}, 300<<20)
	// The size stands in the central directory, which is read first.
	i := bytes.LastIndex(whole, []byte("PK\x01\x02"))
	if i < 0 {
		t.Fatal("no central directory")
	}
	copy(whole[i+24:], []byte{0, 16, 0, 0})
	if _, err := Read("gpuhunt", bytes.NewReader(whole), Options{}); err == nil {
		t.Error("a lying archive was read")
	}
}
