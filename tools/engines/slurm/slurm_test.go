// Package slurm holds tests only: Slurm's own sbatch reads the scripts of plans
// and places their jobs, and one of them runs, on the cluster of .ci/slurm.sh.
package slurm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gpucost/gpucost/tools/engines/plans"
)

func cluster(t *testing.T) {
	t.Helper()
	if os.Getenv("GPUCOST_TEST_SLURM_DIR") == "" {
		t.Skip(`no cluster: eval "$(.ci/slurm.sh start)"`)
	}
}

// slurm runs a program of Slurm, which must answer soon.
func slurm(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return string(out), err
}

func write(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o755); err != nil { //nolint:gosec // a script
		t.Fatal(err)
	}
	return path
}

var placed = regexp.MustCompile(`Job \d+ to start at \S+ using (\d+) processors on nodes \S+ in partition gpu`)

// A job on whole machines gets all processors of each, one on a part of a
// machine four a GPU.
func TestSbatchPlacesTheJobs(t *testing.T) {
	cluster(t)
	for options, text := range plans.Tasks(t, "slurm") {
		out, err := slurm(t, "sbatch", "--test-only", write(t, "job.sh", text))
		if err != nil || !placed.MatchString(out) {
			t.Errorf("%s: %v: %s\n%s", options, err, out, text)
		}
	}
}

// The parser is Slurm's: it refuses what Slurm does not know.
func TestSbatchRefuses(t *testing.T) {
	cluster(t)
	text, _, err := plans.Task(t.Context(), plans.Program(t), "slurm", "--scenario", "finetune-70b", "--gpu", "h100")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"--gpus-per-node=8", "--gpus-per-nodes=8"},
		{"--gpus-per-node=8", "--gpus-per-node=32"},
		{"--gpus-per-node=8", "--gpus-per-node=h100:8"},
		{"--nodes=1", "--nodes=400"},
		{"--time=", "--time=x"},
		{"--signal=B:USR1@", "--signal=B:USR1@x"},
		{"--open-mode=append", "--open-mode=x"},
		{"--requeue", "--partition=other"},
		{"#!/bin/bash", "# no interpreter"},
	} {
		bad := strings.Replace(string(text), change[0], change[1], 1)
		if out, err := slurm(t, "sbatch", "--test-only", write(t, "job.sh", []byte(bad))); err == nil || bad == string(text) {
			t.Errorf("%v: %s", change, out)
		}
	}
}

// A job runs with the environment of its plan, on all processors; when Slurm
// signals it, the program saves before the job is put back into the queue.
func TestAJobSavesAndIsRequeued(t *testing.T) {
	cluster(t)
	dir := t.TempDir()
	train := write(t, "train", []byte(`#!/bin/bash
trap 'sleep 1; echo saved > `+dir+`/saved; exit 0' USR1
env > `+dir+`/env.part; mv `+dir+`/env.part `+dir+`/env
while :; do sleep 0.1; done
`))
	text, _, err := plans.Task(t.Context(), plans.Program(t), "slurm", "--scenario", "finetune-70b", "--gpu", "h100", "--queue", "gpu", "--run", "cd / && "+train+" 'with a word'")
	if err != nil {
		t.Fatal(err)
	}
	out, err := slurm(t, "sbatch", "--parsable", "--output="+dir+"/out", write(t, "job.sh", text))
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	id := strings.TrimSpace(out)
	t.Cleanup(func() {
		_ = exec.Command("scancel", id).Run() // the context of the test is over
	})
	env := await(t, "the program", func() (string, bool) {
		b, err := os.ReadFile(filepath.Join(dir, "env"))
		return string(b), err == nil
	})
	for _, want := range []string{`\nCHECKPOINT_INTERVAL_SECONDS=\d+\n`, `\nTENSOR_PARALLEL=\d`, `\nSLURM_CPUS_ON_NODE=128\n`, `\nSLURM_GPUS_ON_NODE=8\n`, `\nSLURM_JOB_PARTITION=gpu\n`} {
		if !regexp.MustCompile(want).MatchString("\n" + env) {
			t.Errorf("%s is not in %s", want, env)
		}
	}
	if out, err := slurm(t, "scancel", "--batch", "--signal=USR1", id); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	job := await(t, "the queue", func() (string, bool) {
		out, err := slurm(t, "scontrol", "show", "job", id)
		return out, err == nil && strings.Contains(out, "JobState=PENDING") && strings.Contains(out, "Restarts=1")
	})
	if saved, err := os.ReadFile(filepath.Join(dir, "saved")); err != nil || string(saved) != "saved\n" {
		t.Errorf("requeued before it had saved: %v\n%s", err, job)
	}
}

// await asks until the answer is yes, for half a minute.
func await(t *testing.T, what string, ask func() (string, bool)) string {
	t.Helper()
	last := ""
	for range 150 {
		answer, yes := ask()
		if yes {
			return answer
		}
		last = answer
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("waited for %s in vain: %s", what, last)
	return ""
}
