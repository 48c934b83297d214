package cli

import (
	"context"
	"io"
	"strings"
	"testing"
)

// One whole answer, from arguments to bytes, inside the process.
func BenchmarkCompare(b *testing.B) {
	args := []string{"compare", "--gpu", "h100", "--spot", "-o", "csv", "--now", "2026-11-30"}
	b.ReportAllocs()
	for b.Loop() {
		if code := Main(context.Background(), args, nil, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
			b.Fatal(code)
		}
	}
}
