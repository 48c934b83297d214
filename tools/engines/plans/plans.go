// Package plans has gpucost write plans as tasks, for the tests beside it that
// have the engines' own code read them.
package plans

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Program is gpucost, built into a directory of the test.
func Program(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "gpucost")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.Join("..", "..", ".."), "-o", program, "./cmd/gpucost").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// commands are command lines whose tasks differ in all that an engine could
// mind: work, way of buying, deadline, market, maker, one machine and hundreds.
func commands() []string {
	var out []string
	for _, s := range []string{"finetune-7b", "finetune-70b", "full-70b", "lora-13b", "hpo", "pretrain-frontier", "nightly-batch", "speech", "image"} {
		for _, more := range []string{"", " --purchase spot", " --purchase reserved", " --purchase on_demand --deadline 72h", " --market cn --lang zh"} {
			out = append(out, "--scenario "+s+more)
		}
	}
	for _, gpu := range []string{"h100", "a100-80gb", "l4", "t4", "rtx-4090", "rtx-6000-ada", "mi300x", "b300", "gb200", "tpu-v5e", "ascend-910b"} {
		out = append(out, "--scenario hpo --gpu "+gpu, "--scenario nightly-batch --gpu "+gpu)
	}
	return out
}

// Tasks are the tasks for an engine by the options that made them. Work that
// nobody sells machines for in such a way is left out.
func Tasks(t *testing.T, engine string) map[string][]byte {
	t.Helper()
	program := Program(t)
	out := map[string][]byte{}
	for _, options := range commands() {
		text, code, err := Task(t.Context(), program, engine, strings.Fields(options)...)
		switch {
		case err == nil:
			out[options] = text
		case code != 4:
			t.Fatalf("%s: %v", options, err)
		}
	}
	if len(out) < 40 {
		t.Fatalf("only %d plans", len(out))
	}
	t.Logf("%d plans", len(out))
	return out
}

// Task is one task, or the exit code and the complaint.
func Task(ctx context.Context, program, engine string, options ...string) ([]byte, int, error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"plan", "-o", engine}, options...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	var text, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &complaint
	if err := cmd.Run(); err != nil {
		return nil, cmd.ProcessState.ExitCode(), fmt.Errorf("%w: %s", err, complaint.String())
	}
	return text.Bytes(), 0, nil
}

// Documents are the parts of a YAML stream.
func Documents(text []byte) [][]byte { return bytes.Split(text, []byte("\n---\n")) }
