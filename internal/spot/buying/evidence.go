package buying

// Alternative is a way to need less capacity instead of buying it cheaper, with
// what is known about it.
type Alternative struct {
	Code           string
	LowCostFactor  float64 // of the cost before; 0 when no factor is published
	HighCostFactor float64
	Evidence       string
	Accuracy       string
	Source         string
}

// Alternatives lists them. Factors are ratios of cost per token at equal load.
func Alternatives() []Alternative {
	return []Alternative{
		{
			Code: "fp8", LowCostFactor: 1 / 1.6, HighCostFactor: 1,
			Evidence: "half the memory and up to 1.6 times the throughput: at most 37.5 % cheaper per token, not half",
			Accuracy: "effectively lossless over 500,000 evaluations",
			Source:   "vLLM documentation, FP8; arXiv 2411.02355",
		},
		{
			Code: "int8", LowCostFactor: 0, HighCostFactor: 1,
			Evidence: "no throughput factor found that holds over models and engines",
			Accuracy: "1 to 3 % loss",
			Source:   "arXiv 2411.02355",
		},
		{
			Code: "distil", LowCostFactor: 0.114, HighCostFactor: 1,
			Evidence: "70B to 8B has 88.6 % fewer parameters and operations per token (arithmetic); add the cost of distilling",
			Accuracy: "depends on the task: MMLU 74.9 to 69.2 for pruning and distilling to 20 % fewer parameters; give your own measurement",
			Source:   "arithmetic; NVIDIA pruning and distillation report",
		},
	}
}

// WindowFact is a measured fact about cheaper hours.
type WindowFact struct {
	Code     string
	Saving   float64 // measured share saved; meaningful only if HasPrice
	HasPrice bool
	Fact     string
	Source   string
}

// WindowFacts lists what is known about off-peak windows: there is no evidence
// for cheaper GPU-hours at night, some for better availability, and real
// time-of-day prices in token APIs only.
func WindowFacts() []WindowFact {
	return []WindowFact{
		{
			Code: "aws-p3-2023", Saving: 0.0004, HasPrice: true,
			Fact:   "the mean spot price in UTC 2-8 differs from the day's mean by less than 0.04 %; perfect foresight of the cheapest six hours saves 0.2 to 0.7 %",
			Source: "AWS p3.2xlarge spot prices of nine zones, 2023-02-15 to 2023-04-02",
		},
		{
			Code: "gcp-h100-2025", HasPrice: false,
			Fact:   "spot prices change at most fortnightly; 65.5 % of requested H100 VMs launched in UTC 2-8 against 57.0 % at other hours, worst UTC 13-20",
			Source: "GCP price list revisions 2022-2026; launch probes of 13 zones, October 2025",
		},
		{
			Code: "token-off-peak", Saving: 0.5, HasPrice: true,
			Fact:   "DeepSeek's API is half price outside UTC 1-4 and 6-10 since 2026-08-16: half of UTC 2-8 falls into its peak",
			Source: "three secondary reports, 2026",
		},
		{
			Code: "token-batch", Saving: 0.5, HasPrice: true,
			Fact:   "batch APIs (OpenAI, Anthropic, Google) are half price for answers within a day, at any hour",
			Source: "vendors' price pages as reported, 2026",
		},
	}
}
