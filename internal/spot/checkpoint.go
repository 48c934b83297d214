package spot

// Bytes saved per parameter, by what a checkpoint holds. AWS (Storage Blog,
// 2025-06-16) gives 70 GB for 7B and 700 GB for 70B, which is BytesBF16Adam.
const (
	BytesBF16Weights       = 2.0  // bf16 weights only
	BytesBF16Adam          = 10.0 // bf16 weights and two fp32 Adam moments
	BytesFP32Adam          = 12.0 // fp32 weights and two fp32 Adam moments
	BytesBF16MasterAdam    = 14.0 // bf16 weights, fp32 master copy, fp32 Adam moments
	BytesBF16GradientsAdam = 16.0 // the same with fp32 or bf16 gradients kept
)

// Checkpoint is one blocking save of training state. GB is 1e9 bytes.
type Checkpoint struct {
	SizeGB           float64 // all state of the job, over all nodes
	WriteGBPerSecond float64 // aggregate, to where it survives the instance
}

// CheckpointGB is the size of a checkpoint of a model with that many billion
// trained parameters (for LoRA: the adapters only).
func CheckpointGB(paramsBillion, bytesPerParam float64) float64 {
	return paramsBillion * bytesPerParam
}

// WriteSeconds is the time one save blocks; false when nothing can be written.
func (c Checkpoint) WriteSeconds() (float64, bool) {
	if c.SizeGB == 0 {
		return 0, true
	}
	return finite(c.SizeGB / c.WriteGBPerSecond)
}

// FitsNotice reports whether an emergency save started at the provider's notice
// is complete when the instance is taken.
func (c Checkpoint) FitsNotice(noticeSeconds float64) bool {
	s, ok := c.WriteSeconds()
	return ok && s <= noticeSeconds
}

// NeededGBPerSecond is the write bandwidth at which the save just fits the
// notice; false when there is no notice. A 70B Adam state (980 GB) needs
// 8.2 GB/s for 120 s, 33 GB/s for 30 s and 196 GB/s for 5 s.
func (c Checkpoint) NeededGBPerSecond(noticeSeconds float64) (float64, bool) {
	if c.SizeGB == 0 {
		return 0, true
	}
	return finite(c.SizeGB / noticeSeconds)
}

// StartUp is what a fresh instance does before useful work goes on: the R of the
// closed forms.
type StartUp struct {
	BootSeconds     float64 // launch, driver, process start, compile
	ImageGB         float64 // container image to pull
	PullGBPerSecond float64
	StateGB         float64 // checkpoint or weights to load
	LoadGBPerSecond float64
}

// Hours is the total; false when something must be moved at zero bandwidth.
func (s StartUp) Hours() (float64, bool) {
	total := s.BootSeconds
	for _, move := range [][2]float64{{s.ImageGB, s.PullGBPerSecond}, {s.StateGB, s.LoadGBPerSecond}} {
		if move[0] > 0 {
			total += move[0] / move[1]
		}
	}
	return finite(total / 3600)
}
