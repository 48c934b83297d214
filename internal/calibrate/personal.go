package calibrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// PersonalFile is a user's correction: factors on time from the user's own
// runs, laid over the shipped calibration.
type PersonalFile struct {
	Schema  int              `json:"schema"`
	Rows    int              `json:"rows"`
	Factors []PersonalFactor `json:"factors"`
}

// PersonalFactor multiplies the estimated time: of everything, of one GPU or
// of one architecture on one GPU.
type PersonalFactor struct {
	Kind       string  `json:"kind"` // training or inference
	GPU        string  `json:"gpu,omitempty"`
	Arch       string  `json:"arch,omitempty"`
	TimeFactor float64 `json:"time_factor"`
	Rows       int     `json:"rows"`
}

// Moved is what the user's runs changed on one row.
type Moved struct {
	ID            string  `json:"id"`
	Measured      float64 `json:"measured"`
	Before, After float64 `json:"-"`
}

// Pulls of the personal factors: a single row moves its own pair by about
// half of its error, all runs of a GPU move the GPU.
var personalPulls = prior{0, 1, -1.5, 1.5}

// Measure reads the user's own runs (our columns) and fits the personal
// factors beside the shipped calibration. kind is training or inference.
func Measure(kind string, file io.Reader, cat *catalog.Catalog, cal *estimate.Calibration) (PersonalFile, []Moved, []Skip, error) {
	t, err := readTable(file)
	if err != nil {
		return PersonalFile{}, nil, nil, fmt.Errorf("measurements: %w", err)
	}
	names := NewNames(cat)
	var obs []observation
	shipped := cal.Serve
	switch kind {
	case Training:
		obs, shipped = readTraining(t, names), cal.Train
	case Inference:
		obs = readInference(t, names)
	default:
		return PersonalFile{}, nil, nil, &UnknownKindError{kind}
	}
	var skips []Skip
	var ex []example
	for i := range obs {
		if o := &obs[i]; o.skip != "" {
			skips = append(skips, Skip{o.id, o.skip})
		} else {
			ex = append(ex, example{&o.physics, o.logTime, 1})
		}
	}
	if len(ex) == 0 {
		return PersonalFile{}, nil, skips, errors.New("measurements: no row could be used")
	}
	c := fit(ex, func(k estimate.Key) prior {
		if k.Kind == estimate.Personal {
			return personalPulls
		}
		v := shipped[k]
		return prior{v, 1e9, v, v}
	})
	p := PersonalFile{Schema: 1, Rows: len(ex)}
	p.collect(kind, c, obs)
	after := p.Apply(cal)
	var moved []Moved
	for i := range obs {
		if o := &obs[i]; o.skip == "" {
			moved = append(moved, Moved{o.id, o.measured, o.score(cal).Mid, o.score(after).Mid})
		}
	}
	return p, moved, skips, nil
}

func (p *PersonalFile) collect(kind string, c estimate.Coefficients, obs []observation) {
	count := map[estimate.Key]int{}
	var order []estimate.Key
	for i := range obs {
		o := &obs[i]
		if o.skip != "" {
			continue
		}
		for j := range o.physics.N {
			if k := o.physics.Feats[j].Key; k.Kind == estimate.Personal {
				if count[k] == 0 {
					order = append(order, k)
				}
				count[k]++
			}
		}
	}
	for _, k := range order {
		p.Factors = append(p.Factors, PersonalFactor{kind, k.A, k.B, math.Round(math.Exp(c[k])*1e4) / 1e4, count[k]})
	}
}

// Apply lays a correction over a calibration; the calibration is not changed.
func (p *PersonalFile) Apply(cal *estimate.Calibration) *estimate.Calibration {
	out := *cal
	out.Train, out.Serve, out.TPOT = maps.Clone(cal.Train), maps.Clone(cal.Serve), maps.Clone(cal.TPOT)
	for _, c := range [...]*estimate.Coefficients{&out.Train, &out.Serve, &out.TPOT} {
		if *c == nil {
			*c = estimate.Coefficients{}
		}
	}
	for _, f := range p.Factors {
		k := estimate.Key{Kind: estimate.Personal, A: f.GPU, B: f.Arch}
		v := math.Log(f.TimeFactor)
		if f.Kind == Training {
			out.Train[k] = v
			continue
		}
		out.Serve[k], out.TPOT[k] = v, v
	}
	return &out
}

// ReadPersonal reads a correction file, strictly.
func ReadPersonal(r io.Reader) (PersonalFile, error) {
	var p PersonalFile
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("personal calibration: %w", err)
	}
	if p.Schema != 1 {
		return p, fmt.Errorf("personal calibration: schema %d, want 1", p.Schema)
	}
	for _, f := range p.Factors {
		if !(f.TimeFactor >= 0.1 && f.TimeFactor <= 10) {
			return p, fmt.Errorf("personal calibration: time_factor %v of %s %s, want 0.1 to 10", f.TimeFactor, f.GPU, f.Arch)
		}
		if f.Kind != Training && f.Kind != Inference {
			return p, fmt.Errorf("personal calibration: kind %q, want %s or %s", f.Kind, Training, Inference)
		}
	}
	return p, nil
}
