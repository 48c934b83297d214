package present

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// Task is a plan as a file for an engine that runs it.
type Task struct {
	Planned
	Run   string       // the command that trains
	Image string       // of the container
	Queue string       // of Kueue, or Slurm's partition; "" for none
	GPU   *catalog.GPU // of the plan; nil when the catalog does not know it
}

// Engines are the engines that a plan can be written for.
func Engines() []string { return []string{"skypilot", "dstack", "k8s", "slurm"} }

// Text is the task file for an engine. Errors say what the engine cannot run.
func (t Task) Text(engine string) ([]byte, error) {
	x := t.Plan.Chosen
	if !t.runnable(x) {
		return nil, errors.New("only runs of train and batch scenarios on GPUs can be handed over")
	}
	if t.GPU == nil {
		return nil, fmt.Errorf("the catalog does not know the GPU %q", x.GPU)
	}
	switch engine {
	case "skypilot":
		return t.yaml(t.skyPilot())
	case "dstack":
		return t.yaml(t.dstack())
	case "k8s":
		return t.yaml(t.kubernetes())
	case "slurm":
		return t.slurm(), nil
	}
	return nil, fmt.Errorf("unknown engine %q", engine)
}

// yaml is an object after the comments that say what it rests on.
func (t Task) yaml(o object, notes []string, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, line := range append(t.comments(), notes...) {
		b.WriteString("# " + line + "\n")
	}
	tree, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	y := yamlEmitter{&b, json.NewDecoder(bytes.NewReader(tree))}
	y.in.UseNumber()
	err = y.value(0, yamlTop)
	return b.Bytes(), err
}

// comments say what was planned, from which price, and with which command.
func (t Task) comments() []string {
	x := t.Plan.Chosen
	return []string{
		plainLine(t.headline()),
		plainLine(t.what(x) + ": " + t.price(x)),
		plainLine(t.Lang.T("task.price", x.Source, x.AsOf, t.Command)),
	}
}

// plainLine keeps a comment on its line.
func plainLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// name is the scenario's as all engines accept names: small letters, digits and
// hyphens, from a letter on, at most forty.
func (t Task) name() string {
	s := t.Answer.Scenario.ID
	if s == "" {
		s = t.Answer.Scenario.Name
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, s)
	s = strings.Trim(s, "-0123456789")
	if len(s) > 40 {
		s = strings.Trim(s[:40], "-")
	}
	if len(s) < 2 {
		return "gpucost-plan"
	}
	return s
}

// perNode is how many GPUs of a machine work.
func perNode(x *estimate.Estimate) int64 { return (x.GPUs + x.Instances - 1) / max(x.Instances, 1) }

// environment is what the program is started with. A checkpoint interval is
// there for every run that saves something.
func (t Task) environment() object {
	x := t.Plan.Chosen
	var env object
	if every, ok := x.Interval(); ok {
		env = append(env, pair{"CHECKPOINT_INTERVAL_SECONDS", seconds(every)})
	}
	for _, key := range layoutKeys {
		if v := x.Value(key); v != "" {
			env = append(env, pair{strings.ToUpper(key), v})
		}
	}
	if d := t.Answer.Scenario.Deadline.V; d > 0 {
		env = append(env, pair{"DEADLINE_SECONDS", seconds(d)})
	}
	if h := t.Plan.OnDemandFrom; h > 0 {
		env = append(env, pair{"ON_DEMAND_FROM_SECONDS", seconds(h)})
	}
	return env
}

func wholeSeconds(hours float64) float64 { return math.Floor(hours * 3600) }

func seconds(hours float64) string { return fmt.Sprintf("%.0f", wholeSeconds(hours)) }

// limitHours is how long the run may take: the deadline, or the slow case.
func (t Task) limitHours() float64 {
	if d := t.Answer.Scenario.Deadline.V; d > 0 {
		return d
	}
	x := t.Plan.Chosen
	f, _ := x.Finish()
	return f + x.Hours.High - x.Hours.Mid
}

// onSpot reports whether any seller of the pool may take its machines back.
func (t Task) onSpot() bool {
	return slices.ContainsFunc(t.Plan.Pool, func(x *estimate.Estimate) bool { return x.Purchase == catalog.Spot })
}

// slurm is a batch script: a minute or more before its end, or when it is to
// make room, the job is told to save, and goes back to the queue.
func (t Task) slurm() []byte {
	x := t.Plan.Chosen
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for _, line := range t.comments() {
		b.WriteString("# " + line + "\n")
	}
	all := int64(math.Ceil(t.limitHours() * 3600))
	sbatch := []string{
		"--job-name=" + t.name(), fmt.Sprintf("--nodes=%d", x.Instances), "--ntasks-per-node=1", fmt.Sprintf("--gpus-per-node=%d", perNode(x)),
		fmt.Sprintf("--time=%d-%02d:%02d:%02d", all/86400, all/3600%24, all/60%60, all%60),
		"--requeue", "--open-mode=append", fmt.Sprintf("--signal=B:USR1@%d", urgentSeconds(x)),
	}
	if t.Queue != "" {
		sbatch = slices.Insert(sbatch, 1, "--partition="+t.Queue)
	}
	for _, s := range sbatch {
		b.WriteString("#SBATCH " + s + "\n")
	}
	b.WriteString("\n")
	for _, e := range t.environment() {
		b.WriteString("export " + e.key + "=" + shellWord(fmt.Sprint(e.value)) + "\n")
	}
	b.WriteString("\nsrun bash -c " + shellWord(t.Run) + " &\nwork=$!\n" +
		"trap 'kill -USR1 \"$work\"; wait \"$work\"; scontrol requeue \"$SLURM_JOB_ID\"' USR1\n" +
		"wait \"$work\"\n")
	return []byte(b.String())
}

// urgentSeconds is how long before the end an urgent save must begin.
func urgentSeconds(x *estimate.Estimate) int64 {
	return 60 + int64(math.Ceil(x.SaveHours()*3600))
}

// shellWord is a text as one word of a shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:-", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
