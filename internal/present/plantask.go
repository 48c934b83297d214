package present

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

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
	if _, ok := x.Finish(); !ok {
		return nil, errors.New("it is not known how long the run takes")
	}
	if err := t.names(engine); err != nil {
		return nil, err
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

// names checks what the user has named for an engine.
func (t Task) names(engine string) error {
	queue := t.Queue == "" || slurmQueue().MatchString(t.Queue)
	if engine == "k8s" {
		queue = t.Queue == "" || len(t.Queue) <= 63 && kueueQueue().MatchString(t.Queue)
	}
	switch {
	case !queue:
		return fmt.Errorf("%q is no name of a queue", t.Queue)
	case strings.TrimSpace(t.Run) == "":
		return errors.New("the command that trains is empty")
	case (engine == "k8s" || engine == "dstack") && (t.Image == "" || strings.ContainsFunc(t.Image, unicode.IsSpace)):
		return fmt.Errorf("%q is no name of a container image", t.Image)
	}
	return nil
}

// slurmQueue are partitions, several divided by commas; kueueQueue is a name of
// an object that is also the value of a label.
var (
	slurmQueue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_.,-]+$`) })
	kueueQueue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	})
)

// yaml is documents after the comments that say what they rest on.
func (t Task) yaml(docs []object, notes []string, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(t.comments(notes))
	for i, o := range docs {
		if i > 0 {
			b.WriteString("---\n")
		}
		tree, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		y := yamlEmitter{&b, json.NewDecoder(bytes.NewReader(tree))}
		y.in.UseNumber()
		if err := y.value(0, yamlTop); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// comments say what was planned, from which price, with which command, and
// what is left to do.
func (t Task) comments(notes []string) string {
	x := t.Plan.Chosen
	lines := []string{t.headline(), t.what(x) + ": " + t.price(x), t.Lang.T("task.price", x.Source, x.AsOf, t.Command)}
	if x.Purchase == catalog.Reserved {
		lines = append(lines, t.Lang.T("task.contract", t.bought(x)))
	}
	lines = append(lines, notes...)
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("# " + plainLine(line) + "\n")
	}
	return b.String()
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

// exports are what tells the program of each machine its place among several,
// in the words of the engine; "" for one machine.
func (t Task) exports(master, rank, count string) string {
	if t.Plan.Chosen.Instances < 2 {
		return ""
	}
	return fmt.Sprintf("export MASTER_ADDR=%s NODE_RANK=%s NNODES=%s\n", master, rank, count)
}

// limitHours is how long the run may take: the deadline, or the slow case.
func (t Task) limitHours() float64 {
	if d := t.Answer.Scenario.Deadline.V; d > 0 {
		return d
	}
	return t.slowHours()
}

// slowHours is from the order to the end in the slow case.
func (t Task) slowHours() float64 {
	x := t.Plan.Chosen
	f, _ := x.Finish()
	return f + x.Hours.High - x.Hours.Mid
}

// urgentSeconds is how long before the end an urgent save must begin.
func urgentSeconds(x *estimate.Estimate) int64 {
	return 60 + int64(math.Ceil(x.SaveHours()*3600))
}

// direct is a command line that takes the place of its shell, so that signals
// reach the program; one of several parts is left as it is.
func direct(run string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(run), " ")
	if strings.ContainsAny(run, ";&|()\n`{}!#") || strings.Contains(first, "=") || slices.Contains(builtins, first) {
		return run
	}
	return "exec " + run
}

var builtins = []string{"", ".", "source", "eval", "exec", "cd", "export", "set", "if", "for", "while", "until", "case", "time", "trap", "wait"}

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
