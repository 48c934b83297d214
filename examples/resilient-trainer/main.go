// Resilient-trainer shows how a training run survives spot machines: it saves
// checkpoints that are whole or not there, saves once more when it is told that
// its machine will be taken, moves to the next seller, goes on from what was
// saved, and returns to the cheaper seller when that has machines again.
//
// The sellers are simulated; the loop, the store and the signals are what a real
// run needs. The interval comes from the plan, as the variable
// CHECKPOINT_INTERVAL_SECONDS that gpucost plan -o skypilot|dstack|k8s|slurm
// sets:
//
//	go run ./examples/resilient-trainer -dir /tmp/checkpoints
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	err := run(ctx, os.Args[1:], os.Getenv("CHECKPOINT_INTERVAL_SECONDS"), os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "resilient-trainer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, interval string, out io.Writer) error {
	flags := flag.NewFlagSet("resilient-trainer", flag.ContinueOnError)
	t := Trainer{Log: out}
	flags.StringVar(&t.Store.Dir, "dir", "checkpoints", "where checkpoints are kept")
	flags.IntVar(&t.Store.Keep, "keep", 5, "checkpoints to keep")
	flags.IntVar(&t.Steps, "steps", 20000, "steps of the run")
	flags.IntVar(&t.Every, "every", 0, "steps between checkpoints (default from CHECKPOINT_INTERVAL_SECONDS, else 100)")
	flags.Float64Var(&t.StepSeconds, "step-time", 12, "simulated seconds of a step")
	flags.Float64Var(&t.SaveSeconds, "save-time", 20, "simulated seconds of a checkpoint")
	flags.Float64Var(&t.Notice, "notice", 30, "seconds between the seller's notice and the end of its machine")
	flags.DurationVar(&t.Pace, "pace", 0, "real time of a step")
	up := flags.Float64("mtbf", 5, "mean hours until a spot machine is taken")
	seed := flags.Uint64("seed", 1, "seed of the simulated sellers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if t.Every == 0 {
		t.Every = 100
		if s, err := strconv.ParseFloat(interval, 64); err == nil && s > 0 {
			t.Every = max(1, int(s/t.StepSeconds))
		}
	}
	if t.Every < 1 || t.Steps < 1 || t.Store.Keep < 1 || !(t.StepSeconds > 0) || !(*up > 0) {
		return errors.New("steps, every, keep, step-time and mtbf must be above 0")
	}
	if err := os.MkdirAll(t.Store.Dir, 0o755); err != nil {
		return err
	}
	t.Pool = NewPool(*seed, *up)
	begin := time.Now()
	state, err := t.Run(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "done %d %.17g in %.1f simulated hours (%v)\n", state.Step, state.Weights, t.Pool.Now/3600, time.Since(begin).Round(time.Millisecond))
	fmt.Fprintln(out, t.Pool.Bill())
	return nil
}
