package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"
)

// Trainer is a training loop that survives the loss of its machine.
type Trainer struct {
	Store       Store
	Pool        *Pool
	Steps       int           // of the whole run
	Every       int           // steps between checkpoints
	StepSeconds float64       // simulated time of a step
	SaveSeconds float64       // simulated time of a checkpoint
	Notice      float64       // seconds between the notice and the end of a machine
	Pace        time.Duration // real time of a step, to watch it
	Log         io.Writer
}

// Run trains until the last step. When ctx ends, as on a signal of the engine
// that runs it, it saves at once and returns ctx's error: the next start goes on
// from there.
func (t *Trainer) Run(ctx context.Context) (State, error) {
	state, err := t.restore()
	for err == nil && state.Step < t.Steps {
		if ctx.Err() != nil {
			if err := t.save(state, "urgent"); err != nil {
				return state, err
			}
			return state, ctx.Err()
		}
		state.learn()
		time.Sleep(t.Pace)
		switch notice := t.Pool.Pass(t.StepSeconds); {
		case notice:
			state, err = t.move(state)
		case state.Step%t.Every == 0 || state.Step == t.Steps:
			if err = t.save(state, "saved"); err == nil && t.Pool.Return() {
				t.say("back to %s", t.Pool.Current().Name)
			}
		}
	}
	return state, err
}

// move leaves a machine that is about to be taken. The urgent save counts only
// if it ends before the notice does, so training goes on from what the store
// holds, not from what was in memory.
func (t *Trainer) move(state State) (State, error) {
	t.say("notice from %s at step %d", t.Pool.Current().Name, state.Step)
	if t.SaveSeconds <= t.Notice {
		if err := t.save(state, "urgent"); err != nil {
			return state, err
		}
	}
	t.Pool.Rotate()
	t.say("moved to %s", t.Pool.Current().Name)
	return t.restore()
}

func (t *Trainer) save(state State, how string) error {
	t.Pool.Pass(t.SaveSeconds)
	if err := t.Store.Save(state); err != nil {
		return err
	}
	t.say("%s %d", how, state.Step)
	return nil
}

// restore is the newest whole checkpoint, or the beginning.
func (t *Trainer) restore() (State, error) {
	state, ok, err := t.Store.Latest()
	if !ok {
		state = State{Weights: make([]float64, 8)}
	}
	t.say("restored %d", state.Step)
	return state, err
}

func (t *Trainer) say(format string, args ...any) { fmt.Fprintf(t.Log, format+"\n", args...) }

// learn is one step on the batch of its number: here a regression whose result
// depends on every step having been made once, in its order.
func (s *State) learn() {
	s.Step++
	x, target, guess := make([]float64, len(s.Weights)), 0.0, 0.0
	for i := range x {
		x[i] = math.Sin(float64(s.Step*(i+1)) * 0.7)
		target += x[i] * float64(i-3)
		guess += x[i] * s.Weights[i]
	}
	for i := range x {
		s.Weights[i] += 0.05 * (target - guess) * x[i]
	}
}
