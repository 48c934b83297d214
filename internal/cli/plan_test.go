package cli

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// runs are command lines whose plans differ in every way that matters to an
// engine: spot and on demand, one machine and many, makers, work without
// checkpoints, a seller that engines do not know.
var runs = [][]string{
	{"--scenario", "finetune-70b"},
	{"--scenario", "finetune-70b", "--deadline", "1h"},
	{"--scenario", "finetune-70b", "--deadline", "72h", "--gpu", "h100"},
	{"--scenario", "finetune-70b", "--deadline", "72h", "--gpu", "a100-80gb", "--currency", "CNY"},
	{"--scenario", "finetune-70b", "--gpu", "h100", "--purchase", "on_demand", "--provider", "coreweave"},
	{"--scenario", "finetune-70b", "--market", "cn", "--lang", "zh"},
	{"--scenario", "finetune-7b"},
	{"--scenario", "hpo"},
	{"--scenario", "nightly-batch"},
	{"--scenario", "pretrain-frontier"},
	{"--scenario", "speech", "--fastest", "--budget", "1000"},
}

func TestTasksFollowTheEnginesSchemas(t *testing.T) {
	for _, engine := range []string{"skypilot", "dstack", "k8s"} {
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "engines", engine+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range runs {
			text := task(t, engine, args...)
			for docs := yaml.NewDecoder(strings.NewReader(text)); ; {
				var tree any
				if err := docs.Decode(&tree); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s %v: %v\n%s", engine, args, err, text)
				}
				if err := schema.Validate(tree); err != nil {
					t.Errorf("%s %v: %v\n%s", engine, args, err, text)
				}
			}
		}
	}
}

func task(t *testing.T, engine string, args ...string) string {
	t.Helper()
	w := &world{}
	if code := w.run(append([]string{"plan", "-o", engine}, args...)...); code != 0 {
		t.Fatalf("%s %v: exit %d: %s", engine, args, code, w.err.String())
	}
	if at := regexp.MustCompile(`(?m)^#!?`).FindStringIndex(w.out.String()); at == nil || at[0] != 0 {
		t.Errorf("%s %v does not begin with what it rests on", engine, args)
	}
	return w.out.String()
}

var sbatch = regexp.MustCompile(`^#SBATCH --(job-name=[a-z][a-z0-9-]+|partition=\S+|nodes=[1-9]\d*|ntasks-per-node=1|gpus-per-node=[1-9]\d*|exclusive|mem=0|cpus-per-task=[1-9]\d*|time=\d+-\d\d:\d\d:00|requeue|open-mode=append|signal=B:USR1@[1-9]\d+)$`)

func TestSlurmScripts(t *testing.T) {
	for _, args := range runs {
		text := task(t, "slurm", args...)
		if !strings.HasPrefix(text, "#!/bin/bash\n") {
			t.Errorf("%v: %.40s", args, text)
		}
		directives := 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#SBATCH") {
				if directives++; !sbatch.MatchString(strings.TrimSpace(line)) {
					t.Errorf("%v: %s", args, line)
				}
			}
		}
		if directives < 8 {
			t.Errorf("%v: %d directives", args, directives)
		}
	}
}

// The script runs the command with the environment of the plan, and on Slurm's
// signal lets the program save and goes back to the queue.
func TestSlurmScriptRequeuesAfterTheSignal(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash to run the script with")
	}
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil { //nolint:gosec // a program of the test
			t.Fatal(err)
		}
	}
	put("srun", `shift; exec "$@"`+"\n") // its one option is about processors
	put("scontrol", `echo "$@" > `+dir+"/requeued\n")
	put("train", `trap 'echo saved > `+dir+`/saved; exit 0' USR1
env > `+dir+`/env
kill -USR1 "$TEST_JOB"
while :; do sleep 0.05; done
`)
	text := task(t, "slurm", "--scenario", "finetune-70b", "--deadline", "72h", "--run", "exec "+dir+"/train 'with a word'", "--queue", "gpu")
	if err := os.WriteFile(filepath.Join(dir, "job"), []byte("export TEST_JOB=$$\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash, filepath.Join(dir, "job"))
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SLURM_JOB_ID=42")
	out, err := cmd.CombinedOutput()
	for name, want := range map[string]string{"saved": "saved", "requeued": "requeue 42", "env": "DEADLINE_SECONDS=259200"} {
		if b, _ := os.ReadFile(filepath.Join(dir, name)); !strings.Contains(string(b), want) {
			t.Errorf("%s: %q, %v, %s", name, b, err, out)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "env")); !regexp.MustCompile(`(?m)^CHECKPOINT_INTERVAL_SECONDS=\d+$`).Match(b) {
		t.Errorf("%s", b)
	}
}

// What cannot be kept to is 4, what is not understood is 2; both say why.
func TestPlanExitCodes(t *testing.T) {
	for _, c := range []struct {
		args   []string
		want   int
		stderr string
	}{
		{[]string{"--scenario", "finetune-70b", "--budget", "1"}, 4, "closest is"},
		{[]string{"--scenario", "finetune-70b", "--budget", "1", "-o", "slurm"}, 4, "closest is"},
		{[]string{"--scenario", "finetune-70b", "--deadline", "0.1h", "-o", "json"}, 4, `"no plan keeps to the limits"`},
		{[]string{"--scenario", "full-70b", "--set", "train.offload=false"}, 4, "nothing feasible"},
		{[]string{"--scenario", "nothing"}, 2, "nothing"},
		{[]string{"--scenario", "serve-70b-low", "-o", "k8s"}, 2, "only runs of train and batch"},
		{[]string{"--scenario", "finetune-70b", "--gpu", "ascend-910b", "-o", "skypilot", "--market", "cn"}, 2, "SkyPilot has no name for"},
	} {
		w := &world{}
		if code := w.run(append([]string{"plan"}, c.args...)...); code != c.want || !strings.Contains(w.err.String(), c.stderr) {
			t.Errorf("%v: exit %d, want %d: %s", c.args, code, c.want, w.err.String())
		}
	}
}
