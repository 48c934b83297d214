package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

// headline is one line: the name, the method and the amount of work.
func (e Estimation) headline() string {
	s := e.Answer.Scenario
	l := e.Lang
	name := s.Name
	if l == ZH && s.NameZH != "" {
		name = s.NameZH
	}
	if name == "" {
		name = strings.TrimSpace(l.T("est.kind."+string(s.Kind)) + " " + s.Model)
	}
	parts := append([]string{name}, e.workload()...)
	if s.Stated("deadline") {
		parts = append(parts, l.T("est.deadline", Hours(s.Deadline.V, l)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

func (e Estimation) workload() []string {
	s, l := e.Answer.Scenario, e.Lang
	switch {
	case s.Kind == estimate.KindTrain && s.Train != nil:
		return e.training(s.Train)
	case s.Kind == estimate.KindServe && s.Serve != nil:
		w := s.Serve
		switch {
		case w.RequestsPerDay.V > 0:
			return []string{l.T("est.requests_day", Compact(w.RequestsPerDay.V)), e.lengths(w.InputTokens.V, w.OutputTokens.V)}
		case w.RequestsPerS.V > 0:
			return []string{l.T("est.requests_s", Compact(w.RequestsPerS.V)), e.lengths(w.InputTokens.V, w.OutputTokens.V)}
		case w.TokensPerMonth.V > 0:
			return []string{l.T("est.tokens_month", Compact(w.TokensPerMonth.V))}
		}
	case s.Kind == estimate.KindBatch && s.Batch != nil:
		w := s.Batch
		runs := l.T("est.runs", Compact(max(w.RunsPerMonth.V, 0)))
		if w.RunsPerMonth.V == 0 {
			runs = l.T("est.one_run")
		}
		switch {
		case w.AudioHours.V > 0:
			return []string{l.T("est.audio", Compact(w.AudioHours.V)), runs}
		case w.Requests.V > 0:
			return []string{l.T("est.requests", Compact(w.Requests.V)), e.lengths(w.InputTokens.V, w.OutputTokens.V), runs}
		case w.Tokens.V > 0:
			return []string{l.T("est.tokens", Compact(w.Tokens.V)), runs}
		}
	case s.Kind == estimate.KindRent && s.Rent != nil:
		w := s.Rent
		switch {
		case w.HoursPerDay.V > 0:
			return []string{l.T("est.sessions", Compact(w.HoursPerDay.V), Compact(w.DaysPerMonth.V))}
		case w.Hours.V > 0:
			return []string{Hours(w.Hours.V, l)}
		case w.Years.V > 0:
			return []string{l.T("est.years", Compact(w.Years.V))}
		case w.Months.V > 0:
			return []string{l.T("est.months", Compact(w.Months.V))}
		case w.GPUHours.V > 0:
			return []string{l.T("est.gpu_hours", Compact(w.GPUHours.V))}
		}
	}
	return nil
}

func (e Estimation) training(w *estimate.TrainWork) []string {
	l := e.Lang
	method := l.T("est.method." + w.Method)
	if w.Method == "" {
		method = ""
	}
	if w.LoRARank.V > 0 && method != "" {
		method += fmt.Sprintf(" r%.0f", w.LoRARank.V)
	}
	if w.Precision != "" && method != "" {
		method += ", " + w.Precision
	}
	work := ""
	switch {
	case w.GPUHours.V > 0:
		work = l.T("est.gpu_hours", Compact(w.GPUHours.V))
	case w.Hours.V > 0:
		work = Hours(w.Hours.V, l)
	case w.Samples.V > 0:
		work = l.T("est.samples", Compact(w.Samples.V))
	default:
		work = l.T("est.tokens", Compact(w.Tokens.V))
	}
	if w.Epochs.V > 1 {
		work += l.T("est.epochs", Compact(w.Epochs.V))
	}
	switch w.RunsPerMonth.V {
	case 0, 1:
		work += l.T("est.comma_run")
	default:
		work += l.T("est.comma_runs", Compact(w.RunsPerMonth.V))
	}
	return []string{method, work}
}

func (e Estimation) lengths(in, out float64) string {
	if in == 0 || out == 0 {
		return ""
	}
	return e.Lang.T("est.lengths", Compact(in), Compact(out))
}
