package estimate

import (
	"fmt"
	"strconv"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Assumed is a value that an answer rests on and where it came from.
type Assumed struct {
	Name   string `json:"name"` // the key of the scenario, such as train.tokens
	Value  string `json:"value"`
	Unit   string `json:"unit"`
	Origin string `json:"origin"` // flag, scenario, default, calibrated, catalog
	Source string `json:"source"`
}

// job is a scenario with every open value filled in: what has to be done,
// whatever it runs on.
type job struct {
	s        *Scenario
	month    float64 // hours
	inputs   []Assumed
	warnings []Warning

	model *catalog.Model // nil where time is known without one
	shape Shape

	unit      string  // what is produced: trained tokens, output tokens, images, requests
	units     float64 // of a run; of a month for a service; 0 where it is not known
	runs      float64 // per month
	hours     float64 // wall clock of a run, where it is known
	gpuHours  float64 // of a run, where they are known
	train     Train
	serve     Serve
	demand    Demand
	requests  float64 // per month, of a service
	perGPU    float64 // stated rate: tokens per second and GPU
	deadline  float64 // hours
	starts    float64 // start-ups of a run or month
	goodput   float64
	useful    float64 // share of a rental that does something
	after     float64 // demand of a service in twelve months over today's
	minimum   int     // replicas
	gpus      int     // asked for; 0 open
	machines  int
	startup   float64 // minutes, without the image
	imageGB   float64
	plans     map[planKey]*ServePlan // replicas worked out so far
	factors   *served                // of the last of a batch
	rateAlone bool                   // a service without a demand: what a token costs at the stated use
}

// newJob checks a scenario and fills in its defaults.
func newJob(s *Scenario, cat *catalog.Catalog, month money.Quantity) (*job, error) {
	j := &job{s: s, month: month.Float(), runs: 1, useful: 1, after: 1}
	if err := j.findModel(cat); err != nil {
		return nil, err
	}
	if h := s.Hardware; h != nil {
		j.gpus, j.machines = h.GPUs, h.Machines
	}
	j.deadline = s.Deadline.V
	if s.Stated("deadline") {
		j.note("deadline", s.Deadline.V, "h")
	}
	var err error
	switch s.Kind {
	case KindTrain:
		err = j.readTrain()
	case KindServe:
		err = j.readServe()
	case KindBatch:
		err = j.readBatch()
	case KindRent:
		err = j.readRent()
	default:
		return nil, s.problem("missing-key", "kind", "state what this is: train, serve, batch or rent", "")
	}
	if err != nil {
		return nil, err
	}
	j.readStartup()
	return j, nil
}

// problem is an error at a key of the scenario's file, or at the flag.
func (s *Scenario) problem(code, key, what, hint string) error {
	p := catalog.Problem{Code: code, Path: key, What: what, Hint: hint}
	if s.At.File != "" && s.Origin(key).Kind != "flag" {
		at := s.At.Problem(code, key, what, hint)
		p.File, p.Line, p.Col = at.File, at.Line, at.Col
	}
	return catalog.Problems{p}
}

func (j *job) findModel(cat *catalog.Catalog) error {
	s := j.s
	switch {
	case s.model != nil:
		j.model = s.model
	case s.ModelSize != nil:
		m, err := s.ModelSize.model()
		if err != nil {
			return s.problem("bad-value", "model_size", err.Error(), "")
		}
		j.model = m
	case s.Model != "":
		if j.model = catalog.FindModel(cat, s.Model); j.model == nil {
			var ids []string
			for i := range cat.Models {
				ids = append(append(ids, cat.Models[i].ID), cat.Models[i].Aliases...)
			}
			hint := "gpucost catalog list models; or give model_config, or model_size with params"
			if near := catalog.Nearest(s.Model, ids, 3); near != nil {
				hint = "did you mean " + orList(near) + "?"
			}
			return s.problem("unknown-model", "model", fmt.Sprintf("unknown model %q", s.Model), hint)
		}
	default:
		return nil
	}
	j.shape = NewShape(j.model)
	j.list("model", j.model.ID, "", s.Origin("model"))
	if j.model.Note != "" && s.model != nil {
		j.warn(WarnModel, j.model.Note)
	}
	return nil
}

func orList(names []string) string {
	out := ""
	for i, n := range names {
		switch {
		case i == 0:
			out = n
		case i == len(names)-1:
			out += " or " + n
		default:
			out += ", " + n
		}
	}
	return out
}

// SetModel gives the scenario a model that its files describe.
func (s *Scenario) SetModel(m *catalog.Model, from string) {
	s.model = m
	if s.origins == nil {
		s.origins = map[string]Origin{}
	}
	s.origins["model"] = Origin{"scenario", from}
}

// needModel says that a kind of work cannot be sized without a model.
func (j *job) needModel(instead string) error {
	if j.model != nil {
		return nil
	}
	return j.s.problem("missing-key", "model", "state the model"+instead, "model, model_config, or model_size with params: gpucost catalog list models")
}

// Defaults of a service, and why.
const (
	DefaultInputTokens  = 1024
	DefaultOutputTokens = 256
	DefaultPeakFactor   = 2
	DefaultUtilisation  = 0.8
	DefaultStartMinutes = 5
	DefaultImageGB      = 15
	// ImageGBPerSecond is how fast images and weights arrive: 2.4 Gbit/s.
	ImageGBPerSecond = 0.3
)

func (s *Scenario) ownOffers() []*OwnOffer {
	if s.Offer != nil {
		return []*OwnOffer{s.Offer}
	}
	out := make([]*OwnOffer, len(s.Offers))
	for i := range s.Offers {
		out[i] = &s.Offers[i]
	}
	return out
}

// readStartup fills what passes before work begins. Sessions and services that
// run around the clock start once and are not charged for it here.
func (j *job) readStartup() {
	if j.s.Kind == KindTrain || j.s.Kind == KindBatch {
		j.starts = 1
		if (j.gpuHours > 0 || j.hours > 0) && j.s.Startup == nil { // time that is known includes it
			j.starts = 0
		}
	}
	if j.s.Startup != nil && j.starts == 0 {
		j.starts = 1
	}
	if j.starts == 0 {
		return
	}
	var w Startup
	if j.s.Startup != nil {
		w = *j.s.Startup
	}
	j.startup, j.imageGB = w.Minutes.V, w.ImageGB.V
	if !j.s.Stated("startup.minutes") {
		j.startup = DefaultStartMinutes
		j.list("startup.minutes", "5", "min", Origin{"default", "boot and preparation"})
	} else {
		j.note("startup.minutes", w.Minutes.V, "min")
	}
	if !j.s.Stated("startup.image_gb") {
		j.imageGB = DefaultImageGB
		j.list("startup.image_gb", "15", "GB", Origin{"default", "a framework's image, at 0.3 GB/s"})
	} else {
		j.note("startup.image_gb", w.ImageGB.V, "GB")
	}
}

// precision is the format as the formulas know it: FP16 has the size and the
// rate of BF16, and was measured under that name.
func precision(word string) Precision {
	if word == string(FP16) {
		return BF16
	}
	return Precision(word)
}

// startSeconds is the time of one start: boot, image, and the weights.
func (j *job) startSeconds() float64 {
	gb := j.imageGB
	if j.model != nil && (j.train.Model != nil || j.serve.Model != nil) {
		gb += bytesPerWeight(j.serve.Precision) * j.shape.Params / 1e9
	}
	return j.startup*60 + gb/ImageGBPerSecond
}

// positive is a stated value above 0, or the default with its reason; either
// is listed.
func (j *job) positive(key string, v, def float64, unit, why string) float64 {
	if j.s.Stated(key) && v > 0 {
		j.note(key, v, unit)
		return v
	}
	j.list(key, plainNumber(def), unit, Origin{"default", why})
	return def
}

func (j *job) word(key, v, def, why string) string {
	if v != "" {
		j.list(key, v, "", j.s.Origin(key))
		return v
	}
	j.list(key, def, "", Origin{"default", why})
	return def
}

func (j *job) note(key string, v float64, unit string) {
	j.list(key, plainNumber(v), unit, j.s.Origin(key))
}

func (j *job) list(name, value, unit string, o Origin) {
	j.inputs = append(j.inputs, Assumed{name, value, unit, o.Kind, o.Source})
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (j *job) warn(code string, args ...any) {
	j.warnings = append(j.warnings, NewWarning(code, args...))
}

// Check reports what would keep a scenario from being estimated.
func Check(s *Scenario, cat *catalog.Catalog) error {
	if _, err := newJob(s, cat, money.WholeQuantity(unit.HoursPerMonth)); err != nil {
		return err
	}
	names := catalog.NewNames(cat.GPUs)
	if s.Hardware != nil && s.Hardware.GPU != "" {
		if _, err := names.WithOffers(cat.Offers).ParseGPUs(s.Hardware.GPU); err != nil {
			return s.problem("unknown-gpu", "hardware", err.Error(), "")
		}
	}
	v := &evaluator{Request: &Request{Scenario: s, Catalog: cat}, own: map[*catalog.Offer]*OwnOffer{}}
	_, err := v.ownCatalog(s.ownOffers(), names)
	return err
}
