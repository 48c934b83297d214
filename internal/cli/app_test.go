package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"
)

// world is an App in which a test says what there is: variables, files, a
// terminal. Nothing of the machine that runs the test is seen.
type world struct {
	env      map[string]string
	files    map[string]string
	stdin    string
	columns  int // of the terminal; 0: standard output is none
	stdout   io.Writer
	out, err bytes.Buffer
}

func (w *world) run(args ...string) int {
	var out io.Writer = &w.out
	if w.stdout != nil {
		out = w.stdout
	}
	a := &App{
		Stdin: strings.NewReader(w.stdin), Stdout: out, Stderr: &w.err,
		Env: func(name string) string { return w.env[name] },
		Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
		ReadFile: func(name string) ([]byte, error) {
			if text, ok := w.files[name]; ok {
				return []byte(text), nil
			}
			return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
		},
		Terminal: func() (int, bool) { return w.columns, w.columns > 0 },
	}
	return a.Run(context.Background(), args)
}

// ours is a catalog of two machines: 8 x 2.00 = 16.00, and 1 x 3.00 seen long ago.
const ours = `schema: 1
providers:
  - id: acme
    name: Acme
    currency: USD
    offers:
      - {instance: eight, gpu: h100-sxm, gpus: 8, prices: [{purchase: on_demand, amount: 2, per: gpu_hour, as_of: 2026-11-01}]}
      - {instance: one, gpu: h100-sxm, gpus: 1, prices: [{purchase: on_demand, amount: 3, per: gpu_hour, as_of: 2026-01-01}]}
`

// own asks about that catalog and nothing else.
func own(args ...string) []string {
	return append([]string{"compare", "--catalog-only", "ours"}, args...)
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		env    map[string]string
		want   int
		stderr string
		stdout bool // the answer is printed all the same
	}{
		{name: "answered", args: own(), want: 0, stdout: true},
		{name: "bare", args: nil, want: 0, stdout: true},
		{name: "unknown flag", args: own("--bogus"), want: 2, stderr: "unknown flag: --bogus"},
		{name: "unknown command", args: []string{"compar"}, want: 2, stderr: "did you mean compare"},
		{name: "not a number", args: own("--gpus", "many"), want: 2, stderr: `--gpus "many": want a whole number`},
		{name: "not a switch", args: own("--spot=perhaps"), want: 2, stderr: `--spot "perhaps": want true or false`},
		{name: "no GPUs", args: own("--gpus", "0"), want: 2, stderr: "--gpus 0: want 1 to"},
		{name: "negative top", args: own("--top", "-3"), want: 2, stderr: "--top -3: want how many rows"},
		{name: "a term of spot", args: own("--spot", "--term", "12"), want: 2, stderr: "only reserved prices have a term"},
		{name: "spot twice", args: own("--spot", "--purchase", "spot"), want: 2, stderr: "give one of them"},
		{name: "no name to show", args: []string{"catalog", "show"}, want: 2, stderr: "wants a name"},
		{name: "no such file", args: []string{"compare", "--catalog", "nowhere"}, want: 2, stderr: "nowhere: no such file"},
		{name: "standard input twice", args: []string{"compare", "--catalog", "-", "--catalog", "-"}, want: 2, stderr: "read only once"},
		{name: "a language nobody wrote", args: own("--lang", "fr"), want: 2, stderr: `--lang "fr": want en or zh`},
		{name: "dearer than the gate", args: own("--fail-above", "1.99"), want: 3, stderr: "above --fail-above 1.99", stdout: true},
		{name: "as dear as the gate", args: own("--fail-above", "2"), want: 0, stdout: true},
		{name: "too old", args: own("--max-age", "90"), want: 0, stdout: true},
		{name: "too old and strict", args: own("--max-age", "90", "--strict"), want: 3, stderr: "older than --max-age", stdout: true},
		{name: "strict by variable", args: own("--max-age", "90"), env: map[string]string{"GPUCOST_STRICT": "1"}, want: 3, stderr: "--strict", stdout: true},
		{name: "a switch not understood", args: own(), env: map[string]string{"GPUCOST_STRICT": "maybe"}, want: 2, stderr: `GPUCOST_STRICT "maybe": want true or false`},
		{name: "nothing matches", args: own("--max-price", "1"), want: 4, stderr: "left out: 2 above --max-price", stdout: true},
		{name: "a region misspelt", args: []string{"compare", "--region", "us-est-1"}, want: 4, stderr: "us-east-1 or", stdout: true},
		{name: "problems in a file", args: []string{"catalog", "lint", "bad"}, want: 3, stderr: "1 errors", stdout: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world{env: c.env, files: map[string]string{"ours": ours, "bad": "schema: 1\nbogus: 1\n"}, stdin: ours}
			got := w.run(c.args...)
			if got != c.want || !strings.Contains(w.err.String(), c.stderr) || (w.out.Len() > 0) != c.stdout {
				t.Errorf("exit %d, want %d; %d bytes on stdout\nstderr: %s", got, c.want, w.out.Len(), w.err.String())
			}
		})
	}
}

// An error is one JSON object when JSON was asked for, also when the command
// line itself is wrong.
func TestErrorsAsJSON(t *testing.T) {
	for _, args := range [][]string{
		own("--bogus", "-o", "json"),
		{"-ojson", "catalog", "list"},
		{"compare", "--json", "--gpus", "x"},
		{"--output=ndjson", "nonsense"},
		own("-o", "json", "--gpu", "nope"),
		{"compare", "--catalog", "nowhere", "-o=json"},
	} {
		w := world{files: map[string]string{"ours": ours}}
		code := w.run(args...)
		var e struct {
			Error struct {
				Code, Message string
				Hints         []string
			}
		}
		if err := json.Unmarshal(w.err.Bytes(), &e); err != nil || code != 2 || e.Error.Code == "" || e.Error.Message == "" || e.Error.Hints == nil {
			t.Errorf("%q: exit %d, %v: %s", args, code, err, w.err.String())
		}
	}
	w := world{env: map[string]string{"GPUCOST_OUTPUT": "json"}}
	if w.run("compare", "--bogus"); !strings.HasPrefix(w.err.String(), `{"error":`) {
		t.Errorf("GPUCOST_OUTPUT=json: %s", w.err.String())
	}
}

func TestWidthAndColour(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns int
		env     map[string]string
		args    []string
		colour  bool
		width   int
	}{
		{name: "pipe", width: 80},
		{name: "terminal", columns: 100, colour: true, width: 100},
		{name: "narrow terminal", columns: 40, colour: true, width: 40},
		{name: "COLUMNS wins", columns: 100, env: map[string]string{"COLUMNS": "60"}, colour: true, width: 60},
		{name: "COLUMNS in a pipe", env: map[string]string{"COLUMNS": "60"}, width: 60},
		{name: "COLUMNS is nonsense", env: map[string]string{"COLUMNS": "wide"}, width: 80},
		{name: "NO_COLOR", columns: 100, env: map[string]string{"NO_COLOR": "1"}, width: 100},
		{name: "TERM=dumb", columns: 100, env: map[string]string{"TERM": "dumb"}, width: 100},
		{name: "--no-color", columns: 100, args: []string{"--no-color"}, width: 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world{columns: c.columns, env: c.env, files: map[string]string{"ours": ours}}
			if code := w.run(own(c.args...)...); code != 0 {
				t.Fatalf("exit %d: %s", code, w.err.String())
			}
			text := w.out.String()
			if got := strings.Contains(text, "\x1b["); got != c.colour {
				t.Errorf("colour %v, want %v", got, c.colour)
			}
			for line := range strings.Lines(strings.NewReplacer("\x1b[1m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(text)) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > c.width {
					t.Errorf("%d columns, want at most %d: %q", n, c.width, line)
				}
			}
		})
	}
}

func TestLanguage(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		args []string
		want string
	}{
		{nil, nil, "PROVIDER"},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, nil, "提供商"},
		{map[string]string{"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, nil, "PROVIDER"},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, []string{"--lang", "en"}, "PROVIDER"},
		{map[string]string{"GPUCOST_LANG": "zh"}, nil, "提供商"},
	} {
		w := world{env: c.env, files: map[string]string{"ours": ours}}
		if w.run(own(c.args...)...); !strings.Contains(w.out.String(), c.want) {
			t.Errorf("%v %v: no %s in\n%s%s", c.env, c.args, c.want, w.out.String(), w.err.String())
		}
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// A failed write is never exit 0, whoever wrote; a reader that has gone is, but
// opens no gate.
func TestFailedWrites(t *testing.T) {
	full, gone := broken{errors.New("no space left")}, broken{syscall.EPIPE}
	for _, c := range []struct {
		out  io.Writer
		args []string
		want int
	}{
		{full, own("-o", "csv"), 1},
		{full, []string{"--help"}, 1},
		{full, []string{"compare", "--help"}, 1},
		{full, []string{"version"}, 1},
		{full, []string{"completion", "bash"}, 1},
		{full, []string{"catalog", "export"}, 1},
		{gone, own("-o", "csv"), 0},
		{gone, []string{"--help"}, 0},
		{gone, own("-o", "csv", "--fail-above", "1"), 3},
		{gone, own("-o", "csv", "--max-price", "1"), 4},
	} {
		w := world{stdout: c.out, files: map[string]string{"ours": ours}}
		if got := w.run(c.args...); got != c.want {
			t.Errorf("%v to %v: exit %d, want %d: %s", c.args, c.out, got, c.want, w.err.String())
		}
	}
}

// Main gives up what only computes shortly after it is interrupted.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, keep := io.Pipe() // a catalog that never comes
	defer func() { _ = keep.Close() }()
	cancel()
	var out, errs bytes.Buffer
	if got := Main(ctx, []string{"compare", "--catalog", "-"}, nil, r, &out, &errs); got != exitInterrupted {
		t.Errorf("exit %d, want %d", got, exitInterrupted)
	}
}
