package estimate

import (
	"fmt"
	"math"
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
	rateAlone bool // a service without a demand: what a token costs at the stated use
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
func (j *job) needModel(else_ string) error {
	if j.model != nil {
		return nil
	}
	return j.s.problem("missing-key", "model", "state the model"+else_, "model, model_config, or model_size with params: gpucost catalog list models")
}

func (j *job) readTrain() error {
	w := j.s.Train
	if w == nil {
		return j.s.problem("missing-key", "train", "state the work: train with tokens, samples, hours or gpu_hours", "")
	}
	epochs := j.positive("train.epochs", w.Epochs.V, 1, "", "one pass")
	j.runs = j.positive("train.runs_per_month", w.RunsPerMonth.V, 1, "", "one run")
	j.goodput = w.Goodput.V
	if j.s.Stated("train.goodput") {
		if w.Goodput.V <= 0 {
			return j.s.problem("out-of-range", "train.goodput", "want a share above 0", "")
		}
		j.note("train.goodput", w.Goodput.V, "")
	}
	j.perGPU = w.TokensPerGPUS.V
	j.unit = "trained tokens"
	seq := w.Sequence.V
	switch image := j.model != nil && j.shape.Diffusion; {
	case image && w.Samples.V > 0:
		j.unit, j.units = "images", epochs*w.Samples.V
		j.note("train.samples", w.Samples.V, "images")
	case w.Samples.V > 0:
		seq = j.positive("train.sequence", seq, 4096, "tokens", "usual")
		j.units = epochs * w.Samples.V * seq
		j.note("train.samples", w.Samples.V, "")
	case w.Tokens.V > 0:
		j.units = epochs * w.Tokens.V
		j.note("train.tokens", w.Tokens.V, "tokens")
	}
	switch {
	case w.GPUHours.V > 0:
		j.gpuHours = w.GPUHours.V
		j.note("train.gpu_hours", w.GPUHours.V, "GPU-hours")
		return nil
	case w.Hours.V > 0:
		j.hours = w.Hours.V
		j.note("train.hours", w.Hours.V, "h")
		return nil
	case j.units <= 0:
		return j.s.problem("missing-key", "train", "state the work: tokens, samples, hours or gpu_hours", "such as train.tokens: 100M")
	case j.perGPU > 0:
		j.note("train.tokens_per_second_per_gpu", j.perGPU, "tokens/s")
	}
	if err := j.needModel(", or the hours or gpu_hours of a run"); err != nil && j.perGPU == 0 {
		return err
	}
	j.train = Train{
		Model: j.model, Method: Method(j.word("train.method", w.Method, string(Full), "full fine-tuning")), Sequence: seq,
		MicroBatch: w.MicroBatch.V, GlobalBatch: w.GlobalBatch.V, Precision: Precision(w.Precision), Optimizer: Optimizer(w.Optimizer),
		Recompute: Recompute(w.Recompute), Sharding: Sharding(w.Sharding), Offload: w.Offload, LoRARank: w.LoRARank.V, Stack: w.Stack,
	}
	if w.Recompute == "none" {
		j.train.Recompute = RecomputeNone
	}
	for _, k := range []struct {
		key string
		v   float64
	}{{"train.sequence", w.Sequence.V}, {"train.micro_batch", w.MicroBatch.V}, {"train.global_batch", w.GlobalBatch.V}, {"train.lora_rank", w.LoRARank.V}} {
		if j.s.Stated(k.key) && k.v > 0 && (k.key != "train.sequence" || w.Samples.V == 0) {
			j.note(k.key, k.v, "")
		}
	}
	for _, k := range [][2]string{{"train.precision", w.Precision}, {"train.optimizer", w.Optimizer}, {"train.recompute", w.Recompute}, {"train.sharding", w.Sharding}, {"train.stack", w.Stack}} {
		if k[1] != "" {
			j.list(k[0], k[1], "", j.s.Origin(k[0]))
		}
	}
	return nil
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

func (j *job) readServe() error {
	w := j.s.Serve
	if w == nil {
		return j.s.problem("missing-key", "serve", "state the demand: serve with requests_per_day, requests_per_second or tokens_per_month", "")
	}
	day := j.positive("serve.hours_per_day", w.HoursPerDay.V, 24, "h", "around the clock")
	days := j.positive("serve.days_per_month", w.DaysPerMonth.V, j.month/24, "days", "the whole month")
	if day > 24 || days > 31 {
		return j.s.problem("out-of-range", "serve", "a day has 24 hours and a month at most 31 days", "")
	}
	j.hours = day * days
	if day < 24 {
		j.starts = math.Ceil(days)
	}
	j.unit = "output tokens"
	in, out := w.InputTokens.V, w.OutputTokens.V
	if w.GPUSeconds.V == 0 && j.model != nil {
		in = j.positive("serve.input_tokens", in, DefaultInputTokens, "tokens", "usual")
	}
	if j.model != nil || w.TokensPerMonth.V > 0 && out > 0 {
		out = j.positive("serve.output_tokens", out, DefaultOutputTokens, "tokens", "usual")
	}
	perToken := max(out, 1)
	switch {
	case j.s.Stated("serve.requests_per_day"):
		j.requests = w.RequestsPerDay.V * days
		j.note("serve.requests_per_day", w.RequestsPerDay.V, "requests")
	case j.s.Stated("serve.requests_per_second"):
		j.requests = w.RequestsPerS.V * 3600 * j.hours
		j.note("serve.requests_per_second", w.RequestsPerS.V, "requests")
	case j.s.Stated("serve.tokens_per_month"):
		j.requests = w.TokensPerMonth.V / perToken
		j.note("serve.tokens_per_month", w.TokensPerMonth.V, "tokens")
	case j.ownRate():
		j.rateAlone = true
	case j.model != nil:
		return j.s.problem("missing-key", "serve", "state the demand: requests_per_day, requests_per_second or tokens_per_month", "such as serve.requests_per_day: 50000")
	}
	j.units = j.requests * out
	if out == 0 && w.TokensPerMonth.V > 0 {
		j.units = w.TokensPerMonth.V
	}
	if w.GPUSeconds.V > 0 {
		j.note("serve.gpu_seconds_per_request", w.GPUSeconds.V, "s")
	}
	j.demand = Demand{RequestsPerSecond: j.requests / (3600 * j.hours), MaxTTFTms: w.TTFT.V, MaxTPOTms: w.TPOT.V}
	j.demand.PeakFactor = j.positive("serve.peak_factor", w.PeakFactor.V, DefaultPeakFactor, "", "the busiest hour has twice the mean")
	j.demand.Utilisation = j.positive("serve.utilisation", w.Utilisation.V, DefaultUtilisation, "", "room for bursts")
	if j.model != nil {
		j.demand.MaxTTFTms = j.positive("serve.ttft_ms", w.TTFT.V, DefaultMaxTTFTms, "ms", "conversation")
		j.demand.MaxTPOTms = j.positive("serve.tpot_ms", w.TPOT.V, DefaultMaxTPOTms, "ms", "faster than reading")
		j.serve = Serve{
			Model: j.model, InputTokens: in, OutputTokens: out, CacheHit: w.CacheHit.V, Precision: Precision(w.Precision), Mode: Online,
			Engine: j.word("serve.engine", w.Engine, "vllm", "usual"),
		}
		if w.Precision != "" {
			j.list("serve.precision", w.Precision, "", j.s.Origin("serve.precision"))
		}
		if w.CacheHit.V > 0 {
			j.note("serve.cache_hit", w.CacheHit.V, "")
		}
	}
	j.minimum = int(j.positive("serve.min_replicas", w.MinReplicas.V, 1, "", "one"))
	if j.s.Stated("serve.growth_percent_per_month") {
		j.note("serve.growth_percent_per_month", w.Growth.V, "%")
		j.after = math.Pow(1+w.Growth.V/100, 12)
	}
	return nil
}

// ownRate reports an offer of the scenario that states what it produces.
func (j *job) ownRate() bool {
	for _, o := range j.s.ownOffers() {
		if o.TokensPerS.V > 0 {
			return true
		}
	}
	return false
}

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

func (j *job) readBatch() error {
	w := j.s.Batch
	if w == nil {
		return j.s.problem("missing-key", "batch", "state the work: batch with requests, tokens or audio_hours", "")
	}
	j.runs = j.positive("batch.runs_per_month", w.RunsPerMonth.V, 1, "", "one run")
	j.unit = "output tokens"
	in, out, requests := w.InputTokens.V, w.OutputTokens.V, w.Requests.V
	switch {
	case j.model != nil && j.shape.Diffusion:
		j.unit, out = "images", 1
	case j.model != nil && j.shape.EncDec || w.AudioHours.V > 0:
		// 30 s windows of speech: 1500 positions of the encoder and, in
		// MLPerf's LibriSpeech set, 64 tokens of text.
		in, out = 1500, j.positive("batch.output_tokens", out, 64, "tokens", "LibriSpeech, 30 s of speech")
		if w.AudioHours.V > 0 {
			requests = w.AudioHours.V * 120
			j.note("batch.audio_hours", w.AudioHours.V, "h")
		}
	case w.GPUHours.V == 0:
		in = j.positive("batch.input_tokens", in, DefaultInputTokens, "tokens", "usual")
		out = j.positive("batch.output_tokens", out, DefaultOutputTokens, "tokens", "usual")
	}
	if w.Requests.V > 0 {
		j.note("batch.requests", w.Requests.V, "requests")
	}
	j.units = requests * out
	if w.Tokens.V > 0 {
		j.units = w.Tokens.V
		j.note("batch.tokens", w.Tokens.V, "tokens")
	}
	if w.GPUHours.V > 0 {
		j.gpuHours = w.GPUHours.V
		j.note("batch.gpu_hours", w.GPUHours.V, "GPU-hours")
		return nil
	}
	if j.units <= 0 {
		return j.s.problem("missing-key", "batch", "state the work: requests, tokens or audio_hours", "such as batch.requests: 100k")
	}
	if j.ownRate() {
		return nil
	}
	if err := j.needModel(", or the gpu_hours of a run"); err != nil {
		return err
	}
	j.serve = Serve{
		Model: j.model, InputTokens: in, OutputTokens: out, CacheHit: w.CacheHit.V, Precision: Precision(w.Precision), Mode: Saturated,
		Engine: j.word("batch.engine", w.Engine, "vllm", "usual"),
	}
	if j.shape.Diffusion || j.shape.EncDec {
		j.serve.Mode = Offline
		if w.Engine == "" {
			j.serve.Engine = "tensorrt"
		}
	}
	if w.Precision != "" {
		j.list("batch.precision", w.Precision, "", j.s.Origin("batch.precision"))
	}
	return nil
}

func (j *job) readRent() error {
	w := j.s.Rent
	if w == nil {
		if len(j.s.Other) > 0 {
			return nil
		}
		return j.s.problem("missing-key", "rent", "state the time: rent with hours, gpu_hours, months, years or segments", "")
	}
	switch {
	case w.HoursPerDay.V > 0:
		j.hours = w.HoursPerDay.V * j.positive("rent.days_per_month", w.DaysPerMonth.V, j.month/24, "days", "every day")
		j.note("rent.hours_per_day", w.HoursPerDay.V, "h")
		if w.HoursPerDay.V > 24 || w.DaysPerMonth.V > 31 {
			return j.s.problem("out-of-range", "rent", "a day has 24 hours and a month at most 31 days", "")
		}
		if w.HoursPerDay.V < 24 {
			j.starts = math.Ceil(j.hours / w.HoursPerDay.V)
		}
	case w.Hours.V > 0:
		j.hours = w.Hours.V
		j.note("rent.hours", w.Hours.V, "h")
	case w.Months.V > 0:
		j.hours = w.Months.V * j.month
		j.note("rent.months", w.Months.V, "months")
	case w.Years.V > 0:
		j.hours = w.Years.V * 12 * j.month
		j.note("rent.years", w.Years.V, "years")
	case w.GPUHours.V > 0:
		j.gpuHours = w.GPUHours.V
		j.note("rent.gpu_hours", w.GPUHours.V, "GPU-hours")
	case len(w.Segments) == 0 && len(j.s.Other) == 0:
		return j.s.problem("missing-key", "rent", "state the time: hours, gpu_hours, months, years or segments", "such as rent.hours: 100")
	}
	if j.hours > j.month {
		j.runs = j.month / j.hours
	}
	if j.s.Stated("rent.utilisation") {
		j.useful = w.Utilisation.V
		j.note("rent.utilisation", w.Utilisation.V, "")
	}
	return nil
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
