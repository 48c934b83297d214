package estimate

import (
	"math"
	"strings"
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
	if w.GPUSeconds.V == 0 && j.model != nil && !j.shape.Diffusion {
		in = j.positive("serve.input_tokens", in, DefaultInputTokens, "tokens", "usual")
	}
	switch {
	case j.model != nil && j.shape.Diffusion:
		j.unit, out = "images", 1
	case j.model != nil || w.TokensPerMonth.V > 0 && out > 0:
		out = j.positive("serve.output_tokens", out, DefaultOutputTokens, "tokens", "usual")
	}
	if err := j.readDemand(days, max(out, 1)); err != nil {
		return err
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
		j.readReplica(in, out)
	}
	j.minimum = int(j.positive("serve.min_replicas", w.MinReplicas.V, 1, "", "one"))
	if j.s.Stated("serve.growth_percent_per_month") {
		j.note("serve.growth_percent_per_month", w.Growth.V, "%")
		j.after = math.Pow(1+w.Growth.V/100, 12)
	}
	return nil
}

// readDemand fills the requests of a month.
func (j *job) readDemand(days, perToken float64) error {
	w := j.s.Serve
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
	return nil
}

// readReplica fills what one replica does and must keep.
func (j *job) readReplica(in, out float64) {
	w := j.s.Serve
	j.demand.MaxTTFTms = j.positive("serve.ttft_ms", w.TTFT.V, DefaultMaxTTFTms, "ms", "conversation")
	j.demand.MaxTPOTms = j.positive("serve.tpot_ms", w.TPOT.V, DefaultMaxTPOTms, "ms", "faster than reading")
	j.serve = Serve{
		Model: j.model, InputTokens: in, OutputTokens: out, CacheHit: w.CacheHit.V, Precision: precision(w.Precision), Mode: Online,
	}
	engine, why := j.usualEngine()
	j.serve.Engine = j.word("serve.engine", w.Engine, engine, why)
	if w.Precision != "" {
		j.list("serve.precision", w.Precision, "", j.s.Origin("serve.precision"))
	}
	if w.CacheHit.V > 0 {
		j.note("serve.cache_hit", w.CacheHit.V, "")
	}
}

// speech reports a model that turns sound into text.
func (j *job) speech() bool {
	return j.shape.EncDec || j.model != nil && strings.Contains(j.model.Type, "speech")
}

const vllm = "vllm"

// usualEngine is the software that a kind of model is usually served with, and
// of which there are measurements.
func (j *job) usualEngine() (engine, why string) {
	if j.shape.Diffusion || j.speech() {
		return "tensorrt", "as in MLPerf"
	}
	return vllm, "usual"
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
