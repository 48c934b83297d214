package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"

	"github.com/gpucost/gpucost/internal/catalog"
)

// benchWith is what the result of a benchmark does not say about its machine.
type benchWith struct {
	gpu, precision, model, engine string
	gpus                          int
}

// vllmResult is the part of a result of vllm bench serve that is used.
type vllmResult struct {
	Model       string  `json:"model_id"`
	Completed   float64 `json:"completed"`
	Input       float64 `json:"total_input_tokens"`
	Output      float64 `json:"total_output_tokens"`
	Throughput  float64 `json:"output_throughput"`
	Concurrency float64 `json:"max_concurrency"`
	TTFT        float64 `json:"mean_ttft_ms"`
	TPOT        float64 `json:"mean_tpot_ms"`

	Benchmarks []guideResult `json:"benchmarks"` // GuideLLM
	Args       struct {
		Model string `json:"model"`
	} `json:"args"`
}

// guideResult is the part of a benchmark of GuideLLM that is used.
type guideResult struct {
	Metrics map[string]guideMetric `json:"metrics"`
}

type guideMetric struct {
	Successful struct {
		Mean float64 `json:"mean"`
	} `json:"successful"`
}

func (g guideResult) mean(name string) float64 { return g.Metrics[name].Successful.Mean }

// benchCSV turns the JSON of vllm bench serve or GuideLLM into our columns.
func benchCSV(file string, data []byte, w benchWith) ([]byte, error) {
	var r vllmResult
	if ps := catalog.DecodeJSON(file, data, &r); ps.Err() != nil {
		return nil, problemFault(ps)
	}
	if w.gpu == "" {
		return nil, usagef("%s: the result does not say which GPU: --gpu NAME", file)
	}
	if w.model == "" {
		w.model = r.Model
	}
	if w.model == "" {
		w.model = r.Args.Model
	}
	if w.model == "" {
		return nil, usagef("%s: the result does not say which model: --model NAME", file)
	}
	if w.precision == "" {
		w.precision = "bf16"
	}
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	rows := [][]string{{"id", "model", "precision", "gpu", "n_gpus", "engine", "scenario", "input_len", "output_len", "concurrency", "out_tok_s_total", "out_tok_s_per_gpu", "ttft_ms_mean", "tpot_ms_mean"}}
	add := func(id string, in, answer, concurrency, rate, ttft, tpot float64) {
		n := func(x float64) string {
			if x <= 0 {
				return ""
			}
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
		rows = append(rows, []string{
			id, w.model, w.precision, w.gpu, strconv.Itoa(max(w.gpus, 1)), w.engine, "closed-loop", n(in), n(answer), n(concurrency), n(rate), n(rate / float64(max(w.gpus, 1))), n(ttft), n(tpot),
		})
	}
	if r.Throughput > 0 && r.Completed > 0 {
		concurrency := r.Concurrency
		if concurrency <= 0 { // not limited: what was in flight follows from the times (Little's law)
			concurrency = r.Throughput / (r.Output / r.Completed) * (r.TTFT + r.TPOT*r.Output/r.Completed) / 1e3
		}
		add("vllm-1", r.Input/r.Completed, r.Output/r.Completed, concurrency, r.Throughput, r.TTFT, r.TPOT)
	}
	for i, g := range r.Benchmarks {
		tpot := g.mean("inter_token_latency_ms")
		if tpot == 0 {
			tpot = g.mean("time_per_output_token_ms")
		}
		add(fmt.Sprintf("guidellm-%d", i+1), g.mean("prompt_token_count"), g.mean("output_token_count"), g.mean("request_concurrency"), g.mean("output_tokens_per_second"), g.mean("time_to_first_token_ms"), tpot)
	}
	if len(rows) == 1 {
		return nil, usagef("%s: neither a result of vllm bench serve nor of GuideLLM", file)
	}
	if err := out.WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
