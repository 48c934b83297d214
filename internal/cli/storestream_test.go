package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// list writes 12,000 rows, more than two parts of a stream: an H100 at 2.00 and
// more, the last 1,000 times a factor.
func list(t *testing.T, name string, factor int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("provider,instance,gpu,gpus,purchase,price,per,currency\n")
	for i := range 12_000 {
		cents := 200 + i%50
		if i >= 11_000 {
			cents *= factor
		}
		fmt.Fprintf(&b, "acme,m%d,H100 SXM,1,on_demand,%d.%02d,gpu_hour,USD\n", i, cents/100, cents%100)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestStream: a file goes in part by part, and one part that fails undoes all.
func TestStream(t *testing.T) {
	w := newLab(t)
	good, bad := list(t, "big.csv", 1), list(t, "big.csv", 2)
	ask := []string{"catalog", "import", "--store-only", "--store-as", "big"}
	w.want(0, append(ask, good)...)
	if w.out != "" || !strings.Contains(w.errs, "big: updated, 12000 rows (12000 new, 0 moved, 0 gone)") {
		t.Errorf("%s%s", w.out, w.errs)
	}
	w.now = w.now.Add(time.Hour)
	w.want(0, append(ask, good)...)
	if !strings.Contains(w.errs, "big: unchanged, 12000 rows") {
		t.Error(w.errs)
	}
	w.now = w.now.Add(time.Hour)
	w.want(1, append(ask, bad)...)
	if !strings.Contains(w.errs, "exactly times 2: a unit error?") || !strings.Contains(w.errs, "--accept-jump") {
		t.Error(w.errs)
	}
	w.want(0, "prices", "sources", "-o", "csv")
	if !strings.Contains(w.out, "big,file,none,true,2026-11-02T13:00:00Z,3600,12000,rejected,") {
		t.Error(w.out)
	}
	w.want(0, append(append(ask, "--accept-jump"), bad)...)
	if !strings.Contains(w.errs, "(0 new, 1000 moved, 0 gone)") {
		t.Error(w.errs)
	}
	w.want(1, append(append(ask, "--as-of", "2026-11-01"), good)...)
	if !strings.Contains(w.errs, "the store has a run of big of the same time or later") {
		t.Error(w.errs)
	}
	w.want(2, append(append(ask, "--whole"), good)...)
	w.want(2, append(ask, filepath.Join(t.TempDir(), "nothing.csv"))...)
}

// TestEveryFormatGoesIn: what each format's worked example says passes the gate
// and the store, except where the example is made to be refused.
func TestEveryFormatGoesIn(t *testing.T) {
	refused := map[string]string{
		"aliyun": "rows are faulty", "tencent": "rows are faulty", "azure-retail": "canary",
	}
	flags := map[string][]string{
		"csv": {"--provider", "acme"}, "csv-comma": {"--decimal", "comma"}, "gpuhunt": {"--provider", "verda"}, "scaleway": {"--region", "fr-par-2"},
		"skypilot": {"--provider", "aws"}, "skypilot-gcp": {"--provider", "gcp"}, "skypilot-runpod": {"--provider", "runpod"},
	}
	files, err := filepath.Glob(filepath.Join("..", "source", "testdata", "read", "*.txt"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(string(text), "-- body --\n")
			body, _, _ = strings.Cut(body, "\n-- want --")
			format := name
			for format != "" && !slices.Contains(formatNames(), format) {
				format = format[:max(strings.LastIndexByte(format, '-'), 0)]
			}
			saved := filepath.Join(t.TempDir(), "body")
			if err := os.WriteFile(saved, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			w := newLab(t)
			ask := append([]string{"catalog", "import", "--format", format, "--store-as", name, "--as-of", "2026-11-01"}, flags[name]...)
			code := w.run(t.Context(), append(ask, saved)...)
			switch why := refused[name]; {
			case why != "":
				if code == 0 || !strings.Contains(w.errs, why) {
					t.Errorf("exit %d, want a refusal: %s\n%s", code, why, w.errs)
				}
			case code != 0 && code != exitPartial || !strings.Contains(w.errs, name+": updated, ") || strings.Contains(w.errs, "updated, 0 rows"):
				t.Errorf("exit %d\n%s", code, w.errs)
			}
		})
	}
}
