package cli

import (
	"context"
	"io"
	"strings"
	"testing"
)

// The whole command, from arguments to bytes.
func BenchmarkEstimateCommand(b *testing.B) {
	for _, args := range []string{"estimate --scenario finetune-70b", "estimate --scenario serve-70b-high", "estimate --scenario finetune-70b -o csv", "estimate --scenario finetune-70b -o json", "scenario list"} {
		b.Run(args, func(b *testing.B) {
			env := []string{"LC_ALL=C.UTF-8", "XDG_CONFIG_HOME=" + b.TempDir()}
			b.ReportAllocs()
			for b.Loop() {
				if code := Main(context.Background(), strings.Fields(args), env, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
					b.Fatalf("exit %d", code)
				}
			}
		})
	}
}
