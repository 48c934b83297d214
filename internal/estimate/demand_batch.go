package estimate

import (
	"math"
)

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
	case j.speech() || w.AudioHours.V > 0:
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
		Model: j.model, InputTokens: in, OutputTokens: out, CacheHit: w.CacheHit.V, Precision: precision(w.Precision), Mode: Saturated,
	}
	engine, why := j.usualEngine()
	j.serve.Engine = j.word("batch.engine", w.Engine, engine, why)
	if engine != vllm {
		j.serve.Mode = Offline
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
