package calibrate

import (
	"bytes"
	_ "embed" // the measured rows
	"fmt"
	"math"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// The measured rows the calibration is fitted on, with their sources.
var (
	//go:embed testdata/training.csv
	trainingRows []byte
	//go:embed testdata/inference.csv
	inferenceRows []byte
	//go:embed testdata/memory.csv
	memoryRows []byte
)

// Fit makes the calibration from the measured rows that the program carries.
// It is deterministic: the same rows and catalog give the same numbers.
func Fit(cat *catalog.Catalog) (*estimate.Calibration, error) {
	m, err := measured(cat)
	if err != nil {
		return nil, err
	}
	cal := m.factors()
	m.errors(cal)
	cal.Anchors = m.anchors()
	return cal, nil
}

// factors fits the coefficients on all rows.
func (m *rows) factors() *estimate.Calibration {
	cal := &estimate.Calibration{Schema: 1, Rows: map[string]int{}, Errors: map[string]map[estimate.Class]estimate.Spread{}}
	cal.Train = round(fit(examples(m.training, all), trainPrior))
	cal.Serve = round(fit(examples(m.serving, all), servePrior))
	cal.TPOT = round(fit(timeExamples(m.serving, all, tpotOf), tpotPrior))
	cal.TTFT = round(fit(timeExamples(m.serving, all, ttftOf), ttftPrior))
	cal.Rows["training"], cal.Rows["inference"] = len(m.training), len(m.serving)
	return cal
}

// rows are the scored measured rows.
type rows struct {
	training, serving []*observation
}

func measured(cat *catalog.Catalog) (*rows, error) {
	names := NewNames(cat)
	t, err := readTable(bytes.NewReader(trainingRows))
	if err != nil {
		return nil, fmt.Errorf("training rows: %w", err)
	}
	s, err := readTable(bytes.NewReader(inferenceRows))
	if err != nil {
		return nil, fmt.Errorf("inference rows: %w", err)
	}
	return &rows{usable(readTraining(t, names)), usable(readInference(s, names))}, nil
}

// usable are the observations that are scored, weighted so that a group with
// many rows counts less per row: 1 over the root of their number.
func usable(all []observation) []*observation {
	var out []*observation
	n := map[string]float64{}
	for i := range all {
		if o := &all[i]; o.skip == "" {
			out = append(out, o)
			n[o.weightGroup()]++
		}
	}
	for _, o := range out {
		o.weight = 1 / math.Sqrt(n[o.weightGroup()])
	}
	return out
}

func (o *observation) weightGroup() string {
	if o.serve.Model != nil {
		return o.group + string(o.serve.Precision) + o.serve.Engine
	}
	return o.group + string(o.train.Precision) + o.train.Stack
}

func all(*observation) bool { return true }

// examples are the rows to fit on: those kept and free of doubt.
func examples(obs []*observation, keep func(*observation) bool) []example {
	var out []example
	for _, o := range obs {
		if o.suspect == "" && keep(o) {
			out = append(out, example{&o.physics, o.logTime, o.weight})
		}
	}
	return out
}

func tpotOf(o *observation) (*estimate.Physics, float64) { return &o.physics, o.tpot }
func ttftOf(o *observation) (*estimate.Physics, float64) { return &o.first, o.ttft }

// timeExamples are the closed-loop rows that state a time of a request, ms.
func timeExamples(obs []*observation, keep func(*observation) bool, of func(*observation) (*estimate.Physics, float64)) []example {
	var out []example
	for _, o := range obs {
		if p, ms := of(o); o.suspect == "" && keep(o) && ms > 0 && o.serve.Mode == estimate.Online {
			out = append(out, example{p, math.Log(ms / 1e3), o.weight})
		}
	}
	return out
}

// round keeps four decimals, so that the file a person reads and the one the
// program loads are the same numbers, and drops what moves a time by less than
// 1 %.
func round(c estimate.Coefficients) estimate.Coefficients {
	for k, v := range c {
		if v = math.Round(v*1e4) / 1e4; math.Abs(v) < 0.01 && !marksMeasured(k) {
			delete(c, k)
			continue
		}
		c[k] = v
	}
	return c
}

// marksMeasured says that a coefficient's presence, not only its value, says
// that something was measured.
func marksMeasured(k estimate.Key) bool {
	if k.Term > 0 {
		return k.Kind == "family" && k.Term == 1
	}
	switch k.Kind {
	case "group", "arch", "gpu", "family", "image-pair", "image-family", "pair":
		return true
	}
	return false
}

// anchors are the identities of the measured rows, for citing the nearest.
func (m *rows) anchors() []estimate.Anchor {
	var out []estimate.Anchor
	for _, o := range m.training {
		if o.scale == 1 {
			out = append(out, estimate.Anchor{ID: o.id, Kind: "training", Arch: o.arch, GPU: o.train.GPU.ID, Method: o.method, Value: o.measured})
		}
	}
	for _, o := range m.serving {
		if o.suspect == "" {
			out = append(out, estimate.Anchor{ID: o.id, Kind: o.kind(), Arch: o.arch, GPU: o.serve.GPU.ID, Method: o.method, Value: o.measured})
		}
	}
	return out
}

// kind is which band applies to a row.
func (o *observation) kind() string {
	if o.serve.Model == nil {
		return "training"
	}
	if o.shape.Diffusion {
		return "image"
	}
	switch o.serve.Mode {
	case estimate.SingleStream:
		return "single"
	case estimate.Online, estimate.DecodeOnly, estimate.PrefillOnly:
		return "online"
	}
	return "offline"
}

// Names of the kinds of Accuracy.
const (
	Training  = "training"
	Inference = "inference"
	MemoryFit = "memory"
)
