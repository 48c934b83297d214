package estimate

import "strconv"

// Assumptions lists every value of a resolved training configuration that the
// caller left open. given is the configuration before it was resolved.
func (c *Train) Assumptions(given *Train) []Assumption {
	a := make(assumptions, 0, 12)
	a.text("precision", string(given.Precision), string(c.Precision))
	a.number("sequence", given.Sequence, c.Sequence, "tokens")
	a.number("micro_batch", given.MicroBatch, c.MicroBatch, "sequences")
	a.number("global_batch", given.GlobalBatch, c.GlobalBatch, "sequences")
	a.number("gpus", float64(given.GPUs), float64(c.GPUs), "")
	a.number("tensor_parallel", float64(given.Layout.TP), float64(c.Layout.TP), "")
	a.number("pipeline_parallel", float64(given.Layout.PP), float64(c.Layout.PP), "")
	a.text("sharding", string(given.Sharding), string(c.Sharding))
	a.text("recompute", string(given.Recompute), string(c.Recompute))
	a.text("optimizer", string(given.Optimizer), string(c.Optimizer))
	if c.frozen() {
		a.number("lora_rank", given.LoRARank, c.LoRARank, "")
	}
	a.number("network", given.Network.GBsPerGPU, c.Network.GBsPerGPU, "GB/s per GPU")
	return a
}

// Assumptions lists every value of a resolved replica that the caller left
// open.
func (c *Serve) Assumptions(given *Serve) []Assumption {
	a := make(assumptions, 0, 12)
	a.text("precision", string(given.Precision), string(c.Precision))
	a.text("kv_precision", string(given.KVPrecision), string(c.KVPrecision))
	a.number("input_tokens", given.InputTokens, c.InputTokens, "tokens")
	a.number("output_tokens", given.OutputTokens, c.OutputTokens, "tokens")
	a.number("gpus_per_replica", float64(given.GPUs), float64(c.GPUs), "")
	a.number("tensor_parallel", float64(given.Layout.TP), float64(c.Layout.TP), "")
	a.number("concurrency", given.Concurrency, c.Concurrency, "requests")
	return a
}

type assumptions []Assumption

func (a *assumptions) text(name, given, used string) {
	if given != used && used != "" {
		*a = append(*a, Assumption{Name: name, Value: used, Origin: "default", Source: "docs/methodology.md"})
	}
}

func (a *assumptions) number(name string, given, used float64, unit string) {
	if given != used {
		*a = append(*a, Assumption{Name: name, Value: strconv.FormatFloat(used, 'g', 6, 64), Unit: unit, Origin: "default", Source: "docs/methodology.md"})
	}
}
