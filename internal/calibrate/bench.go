package calibrate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bench is what a benchmark's result file does not say about a run.
type Bench struct {
	GPU         string
	GPUs        int
	Precision   string
	Engine      string
	Parallelism string // "TP4"; empty: TP of all GPUs
	Model       string // overrides the file's name
}

// vllmBench are the fields used of `vllm bench serve --save-result`.
type vllmBench struct {
	ModelID        string   `json:"model_id"`
	Completed      float64  `json:"completed"`
	Duration       float64  `json:"duration"`
	InputTokens    float64  `json:"total_input_tokens"`
	OutputTokens   float64  `json:"total_output_tokens"`
	Output         float64  `json:"output_throughput"`
	MeanTTFT       float64  `json:"mean_ttft_ms"`
	MeanTPOT       float64  `json:"mean_tpot_ms"`
	MaxConcurrency *float64 `json:"max_concurrency"`
}

// guideLLM are the fields used of a GuideLLM report.
type guideLLM struct {
	Benchmarks []struct {
		Metrics struct {
			Concurrency stat `json:"request_concurrency"`
			Prompt      stat `json:"prompt_token_count"`
			Output      stat `json:"output_token_count"`
			Rate        stat `json:"output_tokens_per_second"`
			TTFT        stat `json:"time_to_first_token_ms"`
			ITL         stat `json:"inter_token_latency_ms"`
		} `json:"metrics"`
	} `json:"benchmarks"`
}

type stat struct {
	Successful struct {
		Mean float64 `json:"mean"`
	} `json:"successful"`
}

// ReadBench turns the JSON of vLLM's serving benchmark or of GuideLLM into
// rows with our columns.
func ReadBench(data []byte, about Bench) ([]byte, error) {
	if about.GPU == "" || about.GPUs <= 0 {
		return nil, errors.New("benchmark: the file does not say which GPU and how many: state both")
	}
	if about.Parallelism == "" {
		about.Parallelism = "TP" + strconv.Itoa(about.GPUs)
	}
	var g guideLLM
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fmt.Errorf("benchmark: %w", err)
	}
	out := [][]string{{
		"id", "model", "precision", "gpu", "n_gpus", "engine", "scenario", "input_len", "output_len", "concurrency",
		"parallelism", "out_tok_s_per_gpu", "ttft_ms_mean", "tpot_ms_mean", "source_group",
	}}
	row := func(id, model string, in, outLen, conc, rate, ttft, tpot float64) {
		if rate > 0 && outLen > 0 && conc > 0 {
			out = append(out, []string{
				id, model, about.Precision, about.GPU, strconv.Itoa(about.GPUs), about.Engine, "serving closed-loop",
				plainNumber(in), plainNumber(outLen), plainNumber(conc), about.Parallelism, plainNumber(rate / float64(about.GPUs)), plainNumber(ttft), plainNumber(tpot), "own",
			})
		}
	}
	if len(g.Benchmarks) > 0 {
		if about.Model == "" {
			return nil, errors.New("benchmark: state the model of a GuideLLM report")
		}
		for i := range g.Benchmarks {
			m := &g.Benchmarks[i].Metrics
			row("guidellm-"+strconv.Itoa(i+1), about.Model, m.Prompt.Successful.Mean, m.Output.Successful.Mean, m.Concurrency.Successful.Mean,
				m.Rate.Successful.Mean, m.TTFT.Successful.Mean, m.ITL.Successful.Mean)
		}
	} else {
		var v vllmBench
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, fmt.Errorf("benchmark: %w", err)
		}
		model := v.ModelID
		if about.Model != "" {
			model = about.Model
		}
		n := math.Max(1, v.Completed)
		outLen := v.OutputTokens / n
		conc := v.Output * (v.MeanTTFT + v.MeanTPOT*math.Max(0, outLen-1)) / 1e3 / math.Max(1, outLen) // Little's law
		if v.MaxConcurrency != nil {
			conc = *v.MaxConcurrency
		}
		row("vllm-bench", model, v.InputTokens/n, outLen, conc, v.Output, v.MeanTTFT, v.MeanTPOT)
	}
	if len(out) == 1 {
		return nil, errors.New("benchmark: no run with output tokens, want the JSON of vllm bench serve or of GuideLLM")
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll(out); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func plainNumber(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 3, 64), ".000")
}
