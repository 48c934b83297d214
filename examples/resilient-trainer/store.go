package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// State is all that training needs to go on: the step, and what was learned
// until then. The data of a step follow from its number, so that no batch is
// seen twice and none is left out.
type State struct {
	Step    int       `json:"step"`
	Weights []float64 `json:"weights"`
}

// Store keeps the last checkpoints in a directory.
type Store struct {
	Dir  string
	Keep int // at least 1
}

const suffix = ".ckpt"

func (s Store) name(step int) string {
	return filepath.Join(s.Dir, fmt.Sprintf("step-%012d%s", step, suffix))
}

// Save writes a checkpoint so that it is there as a whole or not at all: under
// another name, flushed, then renamed. The oldest beyond Keep are removed only
// after that.
func (s Store) Save(state State) (err error) {
	body, err := json.Marshal(state)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.Dir, "unfinished-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = fmt.Fprintf(f, "%x\n%s", sha256.Sum256(body), body)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), s.name(state.Step)); err != nil {
		return err
	}
	return s.tidy()
}

// tidy removes the oldest checkpoints and what a killed process left
// unfinished.
func (s Store) tidy() error {
	names, err := s.newest()
	if err != nil {
		return err
	}
	rest, err := filepath.Glob(filepath.Join(s.Dir, "unfinished-*"))
	if err != nil {
		return err
	}
	for _, name := range append(rest, names[min(s.Keep, len(names)):]...) {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// newest lists the checkpoints, the latest first.
func (s Store) newest() ([]string, error) {
	names, err := filepath.Glob(filepath.Join(s.Dir, "step-*"+suffix))
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	return names, err
}

// Latest is the newest checkpoint that is whole; ok is false when there is
// none. A damaged one is passed over.
func (s Store) Latest() (state State, ok bool, err error) {
	names, err := s.newest()
	if err != nil {
		return State{}, false, err
	}
	for _, name := range names {
		if state, err := read(name); err == nil {
			return state, true, nil
		}
	}
	return State{}, false, nil
}

func read(name string) (state State, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return state, err
	}
	sum, body, _ := strings.Cut(string(b), "\n")
	if sum != fmt.Sprintf("%x", sha256.Sum256([]byte(body))) {
		return state, fmt.Errorf("%s: damaged", name)
	}
	return state, json.Unmarshal([]byte(body), &state)
}
