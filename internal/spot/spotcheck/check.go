// Package spotcheck computes one quantity of a reference row from its inputs
// alone, through the public functions of spot and buying: it is how
// `gpucost accuracy spot` scores a file of reference values.
package spotcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/spot"
)

// ErrUnknown is returned for a family or quantity that is not computed here.
var ErrUnknown = errors.New("unknown family or quantity")

// Row is the part of a reference row a value is computed from.
type Row struct {
	Family, Quantity string
	Inputs           json.RawMessage // a JSON object; see the families
}

// Compute returns the value of the row. +Inf stands for "does not finish",
// "never" and "no finite answer", as in the reference files; it never returns
// NaN. traces holds the trace files that deadline rows name (skypilot_rle.csv,
// skynomad_h100_rle.csv); it may be nil, and then those rows are errors that
// wrap [fs.ErrNotExist].
func Compute(r Row, traces fs.FS) (float64, error) {
	family, ok := families[r.Family]
	if !ok {
		return 0, fmt.Errorf("family %q: %w", r.Family, ErrUnknown)
	}
	var in inputs
	dec := json.NewDecoder(strings.NewReader(string(r.Inputs)))
	if err := dec.Decode(&in); err != nil {
		return 0, fmt.Errorf("inputs of %s %s: %w", r.Family, r.Quantity, err)
	}
	v, err := family(r.Quantity, in, traces)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", r.Family, r.Quantity, err)
	}
	if math.IsNaN(v) {
		return 0, fmt.Errorf("%s %s: not a number", r.Family, r.Quantity)
	}
	return v, nil
}

// Families lists the families of rows, in order.
func Families() []string {
	out := make([]string, 0, len(families))
	for f := range families {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// Pass reports whether got is within |expected| tolRel + tolAbs of expected;
// infinite values must be equal.
func Pass(got, expected, tolRel, tolAbs float64) bool {
	if math.IsInf(expected, 0) || math.IsInf(got, 0) {
		return got == expected
	}
	return math.Abs(got-expected) <= tolAbs+tolRel*math.Abs(expected)
}

var families = map[string]func(quantity string, in inputs, traces fs.FS) (float64, error){
	"units":           units,
	"interval":        interval,
	"makespan":        makespan,
	"graceful":        graceful,
	"checkpoint":      checkpoint,
	"pool":            pool,
	"deadline":        deadline,
	"cost":            cost,
	"first_hour_free": firstHourFree,
	"commit":          commit,
	"serverless":      serverless,
	"buy":             buy,
}

// orInf turns "no finite answer" into +Inf.
func orInf(v float64, ok bool) float64 {
	if !ok {
		return math.Inf(1)
	}
	return v
}

func unknown(quantity string) (float64, error) {
	return 0, fmt.Errorf("quantity %q: %w", quantity, ErrUnknown)
}

// Runs of the simulations behind rows that have no closed form: the standard
// error is then well below that of the reference.
const (
	missRuns   = 2_000_000
	billedRuns = 400_000
	requests   = 8_000_000
	events     = 40_000_000 // interruptions in all: fewer runs where each has many
)

// runs is how often a job that is watched for the given hours is simulated.
func runs(j spot.Job, most int, hours float64) int {
	if j.Rate.PerHour == 0 {
		return most
	}
	each := j.Rate.PerHour * hours
	if o, err := spot.Expected(j); err == nil && !o.Overflows {
		each = math.Min(each, o.Interruptions)
	}
	return int(math.Max(1000, math.Min(float64(most), events/math.Max(1, each))))
}

func (in inputs) job() spot.Job {
	interval := 0.0
	if in.IntervalHours != nil {
		interval = *in.IntervalHours
	}
	return spot.Job{
		WorkHours:        in.WorkHours,
		IntervalHours:    interval,
		NoCheckpoints:    in.IntervalHours == nil,
		CheckpointHours:  in.CheckpointHours,
		RestartHours:     in.RestartHours,
		WaitHours:        in.WaitHours,
		Rate:             spot.Rate{PerHour: in.RatePerHour},
		FinalCheckpoint:  in.FinalCheckpoint,
		ChargeFirstStart: in.InitialStart,
		FreeFirstHours:   in.FreeFirstHours,
	}
}
