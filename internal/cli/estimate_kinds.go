package cli

import (
	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/estimate"
)

// model are the shortcuts that say which model.
var model = []shortcut{
	{"model", "model", "a model of the catalog: gpucost catalog list models"},
	{"model-config", "model_config", "a Hugging Face config.json"},
	{"params", "model_size.params", "a model by its number of parameters, such as 13B"},
	{"active-params", "model_size.active", "parameters a token passes through, of a mixture of experts"},
}

// shortcuts are the flags of each kind of work, and the keys they state.
var shortcuts = map[estimate.Kind][]shortcut{
	estimate.KindTrain: append([]shortcut{
		{"method", "train.method", "pretrain, full, lora or qlora"},
		{"tokens", "train.tokens", "tokens of one epoch, such as 100M"},
		{"samples", "train.samples", "samples of one epoch, each of --sequence tokens; images of an image model"},
		{"epochs", "train.epochs", "how often the data is passed (default 1)"},
		{"runs-per-month", "train.runs_per_month", "runs a month (default 1)"},
		{"sequence", "train.sequence", "tokens of a sequence (default 4096)"},
		{"micro-batch", "train.micro_batch", "sequences per GPU and pass"},
		{"global-batch", "train.global_batch", "sequences per optimiser step"},
		{"precision", "train.precision", "bf16, fp16, fp8 or fp4"},
		{"optimizer", "train.optimizer", "adamw, adamw8bit, adamw-bf16, sgd or paged"},
		{"recompute", "train.recompute", "none, selective or full (default what fits)"},
		{"offload", "train.offload", "true: optimiser states in host memory"},
		{"lora-rank", "train.lora_rank", "rank of the adapters (default 16)"},
		{"goodput", "train.goodput", "share of the time that makes progress"},
		{"stack", "train.stack", "software: megatron, fsdp, deepspeed, torchtitan, torchtune"},
		{"gpu-hours", "train.gpu_hours", "GPU-hours of a run, when they are known"},
		{"dataset", "storage.dataset_gb", "data set kept in object storage, such as 50GB"},
		{"checkpoints", "storage.checkpoint_gb", "checkpoints kept, such as 2TB"},
		{"egress", "storage.egress_gb", "sent to the internet per run, such as 140GB"},
	}, model...),
	estimate.KindServe: append([]shortcut{
		{"requests-per-day", "serve.requests_per_day", "requests a day, such as 50k"},
		{"requests-per-second", "serve.requests_per_second", "mean requests a second"},
		{"tokens-per-month", "serve.tokens_per_month", "output tokens a month, instead of requests"},
		{"input", "serve.input_tokens", "tokens of a request (default 1024)"},
		{"output-tokens", "serve.output_tokens", "tokens of an answer (default 256)"},
		{"peak-factor", "serve.peak_factor", "peak over mean demand (default 2)"},
		{"ttft", "serve.ttft_ms", "time to the first token in ms, at most (default 2000)"},
		{"tpot", "serve.tpot_ms", "time per output token in ms, at most (default 100)"},
		{"cache-hit", "serve.cache_hit", "share of input tokens in the prefix cache, such as 33%"},
		{"hours-per-day", "serve.hours_per_day", "hours of service a day (default 24)"},
		{"days-per-month", "serve.days_per_month", "days of service a month"},
		{"precision", "serve.precision", "bf16, fp8, fp4, int8, int4"},
		{"engine", "serve.engine", "vllm, sglang, trtllm (default vllm)"},
		{"utilisation", "serve.utilisation", "share of a replica's capacity used at peak (default 80%)"},
		{"min-replicas", "serve.min_replicas", "replicas, at least (default 1)"},
		{"growth", "serve.growth_percent_per_month", "growth of the demand, % a month"},
		{"volume", "storage.volume_gb", "network volume for the weights, such as 150GB"},
	}, model...),
	estimate.KindBatch: append([]shortcut{
		{"requests", "batch.requests", "requests of a run; images of an image model"},
		{"tokens", "batch.tokens", "output tokens of a run, instead of requests"},
		{"audio-hours", "batch.audio_hours", "hours of speech of a run"},
		{"input", "batch.input_tokens", "tokens of a request (default 1024)"},
		{"output-tokens", "batch.output_tokens", "tokens of an answer (default 256)"},
		{"cache-hit", "batch.cache_hit", "share of input tokens in the prefix cache"},
		{"precision", "batch.precision", "bf16, fp8, fp4, int8, int4"},
		{"engine", "batch.engine", "vllm, sglang, trtllm (default vllm)"},
		{"runs-per-month", "batch.runs_per_month", "runs a month (default 1)"},
		{"dataset", "storage.dataset_gb", "data set kept in object storage"},
	}, model...),
	estimate.KindRent: {
		{"hours", "rent.hours", "hours in all, such as 100 or 3d"},
		{"gpu-hours", "rent.gpu_hours", "GPU-hours in all, instead of hours"},
		{"months", "rent.months", "months"},
		{"years", "rent.years", "years"},
		{"hours-per-day", "rent.hours_per_day", "hours of a session, with --days-per-month"},
		{"days-per-month", "rent.days_per_month", "sessions a month"},
		{"utilisation", "rent.utilisation", "share of the time in which the GPUs do something useful"},
		{"min-memory", "hardware.min_memory_gb", "GB of memory per GPU, at least"},
		{"disk", "storage.disk_gb", "disk of the machine, such as 500GB"},
		{"volume", "storage.volume_gb", "network volume kept all month"},
		{"hours-stopped", "storage.hours_stopped", "hours for which the disk is kept while stopped"},
		{"egress", "storage.egress_gb", "sent to the internet, such as 100GB"},
	},
}

var kindShort = map[estimate.Kind]string{
	estimate.KindTrain: "Pre-training or fine-tuning, stated by flags",
	estimate.KindServe: "Answering requests as they come, stated by flags",
	estimate.KindBatch: "Working through a set of requests, stated by flags",
	estimate.KindRent:  "Holding GPUs for some time, stated by flags",
}

// outputFlag is --output of serve and batch: the format of the answer as
// everywhere, or a number, which is the tokens of an answer of the model.
type outputFlag struct{ format, tokens string }

func (f *outputFlag) String() string { return f.format }
func (f *outputFlag) Type() string   { return "string" }

func (f *outputFlag) Set(text string) error {
	if text != "" && text[0] >= '0' && text[0] <= '9' {
		f.tokens = text
		return nil
	}
	f.format = text
	return nil
}

// withOutput lets a command read --output both ways.
func withOutput(cmd *cobra.Command) {
	out := &outputFlag{format: "table"}
	cmd.Flags().VarP(out, "output", "o", "format: table, wide, json, ndjson, csv, tsv, yaml, markdown or html; a number: tokens of an answer (default 256)")
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		f := cmd.Flags().Lookup("output")
		f.Changed = f.Changed && out.format != "table"
		if out.tokens != "" {
			if err := cmd.Flags().Set("output-tokens", out.tokens); err != nil {
				return err
			}
		}
		return noArgs(cmd, args)
	}
}

func (a *App) estimateKind(kind estimate.Kind, o *estimateOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use: string(kind), Short: kindShort[kind], Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.estimate(cmd, o, kind) },
	}
	if kind == estimate.KindServe || kind == estimate.KindBatch {
		withOutput(cmd)
	}
	for _, s := range shortcuts[kind] {
		cmd.Flags().String(s.flag, "", s.help)
		if s.flag == "offload" {
			cmd.Flags().Lookup(s.flag).NoOptDefVal = "true"
		}
	}
	return cmd
}
