package estimate

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
		MicroBatch: w.MicroBatch.V, GlobalBatch: w.GlobalBatch.V, Precision: precision(w.Precision), Optimizer: Optimizer(w.Optimizer),
		Recompute: Recompute(w.Recompute), Sharding: Sharding(w.Sharding), Offload: w.Offload, LoRARank: w.LoRARank.V, Stack: w.Stack,
	}
	j.noteTraining(w)
	return nil
}

// noteTraining lists the choices of a run that the scenario states.
func (j *job) noteTraining(w *TrainWork) {
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
}
