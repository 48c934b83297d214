package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode feeds the loader. Whatever comes: no panic, no catalog beside an
// error, and what loads can be looked at, compiled, written and read back.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(baseYAML))
	f.Add([]byte("schema: 1\nproviders: [{<<: {id: x}}]\n? a\n: b\n--- !x\n%YAML 1.1\n...\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, ps := LoadOverlay(&Catalog{}, "f.yaml", data)
		if (c == nil) != (ps.Err() != nil) {
			t.Fatalf("a catalog and %v", lines(ps))
		}
		for _, p := range ps {
			if p.What == "" || p.Code == "" || p.Line < 1 || p.Col < 1 || strings.Contains(p.String(), "\n") && !strings.Contains(p.String(), `\n`) && !strings.Contains(string(data), "\n") {
				t.Fatalf("not one placed line: %+v", p)
			}
		}
		if c == nil {
			return
		}
		_ = Lint(c, Date{2026, 11, 30})
		twin, err := Embedded(string(Compile(c)))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, twin, exact); d != "" {
			t.Fatal(d)
		}
		again := reread(t, written(t, c))
		if d := cmp.Diff(c, again, sameButPlaces); d != "" {
			t.Fatal(d)
		}
	})
}
