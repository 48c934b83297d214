package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test's own binary is the program when it is told so.
func TestMain(m *testing.M) {
	if os.Getenv("RESILIENT_TRAINER") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func newTrainer(dir string, seed uint64) *Trainer {
	return &Trainer{Store: Store{Dir: dir, Keep: 5}, Pool: NewPool(seed, 0.5), Steps: 3000, Every: 100, StepSeconds: 12, SaveSeconds: 20, Notice: 30, Log: io.Discard}
}

// undisturbed is what the steps make of the weights when nothing goes wrong.
func undisturbed(steps int) State {
	s := State{Weights: make([]float64, 8)}
	for range steps {
		s.learn()
	}
	return s
}

func TestInterruptionsDoNotChangeTheResult(t *testing.T) {
	want := undisturbed(3000)
	for seed := range uint64(20) {
		tr := newTrainer(t.TempDir(), seed)
		if seed%2 == 1 {
			tr.Notice = 5 // too short for a save: the steps since the last checkpoint are made again
		}
		var log bytes.Buffer
		tr.Log = &log
		got, err := tr.Run(t.Context())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, %v, want %v", seed, got, err, want)
		}
		if n := strings.Count(log.String(), "notice"); n < 5 {
			t.Errorf("seed %d: only %d interruptions", seed, n)
		}
		noStepLost(t, log.String())
		names, err := tr.Store.newest()
		if err != nil || len(names) != 5 {
			t.Errorf("%d checkpoints kept, %v", len(names), err)
		}
	}
}

// noStepLost checks that every restart goes on from the last checkpoint that
// was announced, or a later one.
func noStepLost(t *testing.T, log string) (restarts int) {
	t.Helper()
	last := 0
	for line := range strings.Lines(log) {
		word, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		step, err := strconv.Atoi(number)
		switch {
		case err != nil:
		case word == "saved" || word == "urgent":
			last = step
		case word == "restored":
			if restarts++; step < last {
				t.Fatalf("restored step %d after step %d was saved", step, last)
			}
		}
	}
	return restarts
}

// The program is killed without warning at random times until it is done: no
// step is lost beyond the last checkpoint, and the result is that of a run that
// nothing disturbed.
func TestKilledAtRandom(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(7, 7))
	var log bytes.Buffer
	kills := 0
	for {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-dir", dir, "-steps", "3000", "-every", "20", "-pace", "100us", "-seed", strconv.Itoa(kills))
		cmd.Env = append(os.Environ(), "RESILIENT_TRAINER=1")
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(time.Duration(5+rng.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		if kills >= 25 {
			killer.Stop()
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			log.WriteString(lines.Text() + "\n")
		}
		if cmd.Wait() == nil {
			break
		}
		kills++
		killer.Stop()
	}
	t.Logf("killed %d times", kills)
	if restarts := noStepLost(t, log.String()); kills < 3 || restarts < kills/2 {
		t.Errorf("killed %d times, %d restarts", kills, restarts)
	}
	got, ok, err := Store{Dir: dir, Keep: 5}.Latest()
	if want := undisturbed(3000); !ok || err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after %d kills: %v, %v, want %v", kills, got, err, want)
	}
}

// A signal of the engine saves at once; the next start goes on from there.
func TestASignalSavesAtOnce(t *testing.T) {
	dir := t.TempDir()
	tr := newTrainer(dir, 1)
	ctx, stop := context.WithCancel(t.Context())
	tr.Log = writer(func(line string) {
		if line == "saved 300\n" {
			stop()
		}
	})
	if _, err := tr.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got, ok, err := tr.Store.Latest()
	if !ok || err != nil || !reflect.DeepEqual(got, undisturbed(got.Step)) || got.Step < 300 {
		t.Fatalf("%v %v %v", got, ok, err)
	}
	again := newTrainer(dir, 2)
	if end, err := again.Run(t.Context()); err != nil || !reflect.DeepEqual(end, undisturbed(3000)) {
		t.Errorf("%v %v", end, err)
	}
}

type writer func(string)

func (w writer) Write(p []byte) (int, error) { w(string(p)); return len(p), nil }

// A damaged or half written checkpoint is passed over for the one before.
func TestDamagedCheckpoints(t *testing.T) {
	s := Store{Dir: t.TempDir(), Keep: 3}
	for _, step := range []int{10, 20, 30} {
		if err := s.Save(undisturbed(step)); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(s.name(30))
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range [][]byte{nil, whole[:len(whole)/2], bytes.Replace(whole, []byte("30"), []byte("31"), 1)} {
		if err := os.WriteFile(s.name(30), damage, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := s.Latest(); !ok || err != nil || got.Step != 20 {
			t.Errorf("%q: %v %v %v", damage, got, ok, err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "unfinished-1"), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(undisturbed(40)); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(s.Dir)
	if err != nil || len(left) != 3 {
		t.Errorf("%v %v", left, err)
	}
}

// The interval of a plan arrives as a variable.
func TestIntervalOfThePlan(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-dir", t.TempDir(), "-steps", "200", "-step-time", "10", "-mtbf", "1e6"}, "300", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"saved 30\n", "saved 60\n", "saved 180\n", "saved 200\n", "done 200"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, out.String())
		}
	}
	if err := run(t.Context(), []string{"-dir", t.TempDir(), "-steps", "0"}, "", &out); err == nil {
		t.Error("no steps are accepted")
	}
}

// 820 thousandths an hour: two hours cost 1.64.
func TestBill(t *testing.T) {
	p := NewPool(1, 1e6)
	p.Pass(7200)
	if got := p.Bill(); got != "CoreWeave spot 2.0 h: USD 1.64 a GPU" {
		t.Error(got)
	}
}
