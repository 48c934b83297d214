package estimate

import (
	"fmt"
	"math"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Estimator answers with one calibration. It is safe for concurrent use.
type Estimator struct {
	cal *Calibration
}

// New makes an estimator; a nil calibration means physics alone.
func New(cal *Calibration) *Estimator {
	if cal == nil {
		cal = &Calibration{}
	}
	return &Estimator{cal}
}

// Train estimates one training configuration as given; what is open is chosen
// by [Train.Resolve], the recomputation by what fits.
func (e *Estimator) Train(in *Train) TrainResult {
	s := NewShape(in.Model)
	return e.train(*in, &s)
}

func (e *Estimator) train(c Train, s *Shape) TrainResult {
	c.Resolve(s)
	mem := fitTrain(&c, s)
	r := TrainResult{Config: c, Memory: mem, Unit: "token"}
	var p Physics
	TrainPhysics(&c, s, &p)
	rate := math.Exp(-e.cal.Train.LogTime(&p))
	r.Class = trainClass(e.cal, &c, s)
	r.TokensPerSecondGPU = e.cal.spread("training", r.Class).band(rate)
	r.MFU = rate * p.modelFLOP(&c, s) / (Sheet(c.GPU, c.Precision) * 1e12)
	r.Goodput = Goodput(c.GPUs)
	if s.Diffusion {
		r.Unit = "image"
		r.Class = ClassFamily
		r.TokensPerSecondGPU = widest.band(rate)
	}
	if c.Explain {
		r.Factors = explain(&p, e.cal.Train, trainTermNames[:])
		r.Nearest = e.cal.nearest("training", s.Arch, c.GPU, string(c.Method), rate)
		r.Basis = basis(r.Class, s.Arch, c.GPU, r.Nearest)
	}
	return r
}

// modelFLOP is the FLOP per token that utilisation counts: no recomputation.
func (p *Physics) modelFLOP(c *Train, s *Shape) float64 {
	if s.Diffusion {
		return flopFactor(c.Method) / 2 * s.ImageFLOP
	}
	return flopFactor(c.Method)*s.Linear + 3*s.AttnFLOP(c.Sequence)
}

func trainClass(cal *Calibration, c *Train, s *Shape) Class {
	return classOf(cal.Train, Key{Kind: "pair", A: s.Arch, B: c.GPU.ID, C: string(c.Method)}, s.Arch, c.GPU.ID, family(c.GPU))
}

// fitTrain works out the memory; where the recomputation is open it takes the
// cheapest that fits.
func fitTrain(c *Train, s *Shape) Memory {
	if c.Recompute != RecomputeAuto {
		return TrainMemory(c, s)
	}
	var m Memory
	for _, r := range [...]Recompute{RecomputeNone, RecomputeSelective, RecomputeFull} {
		c.Recompute = r
		if m = TrainMemory(c, s); m.Fits {
			break
		}
	}
	return m
}

// Interruptions of large runs: 466 in 54 days on 16,384 GPUs (Llama 3.1), each
// costing about 0.3 h of lost steps and restart.
const (
	interruptionsPerGPUHour = 466.0 / (54 * 24 * 16384)
	hoursPerInterruption    = 0.3
)

// Goodput is the share of the time in which a run of so many GPUs makes
// progress that it keeps.
func Goodput(gpus int) float64 {
	return 1 / (1 + float64(max(gpus, 1))*interruptionsPerGPUHour*hoursPerInterruption)
}

// Serve estimates one replica at its concurrency.
func (e *Estimator) Serve(in *Serve) ServeResult {
	s := NewShape(in.Model)
	return e.serve(*in, &s)
}

func (e *Estimator) serve(c Serve, s *Shape) ServeResult {
	c.Resolve(s)
	r := ServeResult{Config: c, Unit: "token", BatchLimit: c.BatchLimit(s)}
	r.Batch = runningBatch(&c, r.BatchLimit)
	r.Memory = ServeMemory(&c, s, r.Batch)
	if r.BatchLimit < 1 && r.Memory.Fits {
		r.Memory.Fits = false
		r.Memory.Why = fmt.Sprintf("memory: no room for the cache of one sequence of %.0f tokens", c.InputTokens+c.OutputTokens)
	}
	var p Physics
	ServePhysics(&c, s, math.Max(1, r.Batch), &p)
	sec := math.Exp(e.cal.Serve.LogTime(&p))
	n := float64(c.GPUs)
	rate := math.Max(1, r.Batch) / sec / n
	kind := bandKind(c.Mode)
	switch {
	case s.Diffusion:
		r.Unit, kind, rate = "image", "image", 1/sec
	case c.Mode == PrefillOnly:
		rate = 1 / sec / n
	}
	r.Class = serveClass(e.cal, &c, s)
	spread := e.cal.spread(kind, r.Class)
	r.TokensPerSecondGPU = spread.band(rate)
	if !s.Diffusion && c.Mode != PrefillOnly {
		e.latency(&r, &c, s, &p)
	}
	if c.Explain {
		r.Factors = explain(&p, e.cal.Serve, serveTermNames[:])
		r.Nearest = e.cal.nearest(kind, s.Arch, c.GPU, string(c.Mode), rate)
		r.Basis = basis(r.Class, s.Arch, c.GPU, r.Nearest)
	}
	return r
}

// runningBatch is how many of the requests in flight decode at once.
func runningBatch(c *Serve, limit float64) float64 {
	switch {
	case c.Mode == SingleStream:
		return math.Min(1, limit)
	case c.Concurrency > 0:
		return math.Min(c.Concurrency, limit)
	}
	return limit
}

// latency fills the times of a request and the speed of one request alone.
func (e *Estimator) latency(r *ServeResult, c *Serve, s *Shape, p *Physics) {
	tpot := e.cal.spread("tpot", r.Class)
	r.TPOTms = tpot.inverse(1e3 * math.Exp(e.cal.TPOT.LogTime(p)))
	var f Physics
	FirstTokenPhysics(c, s, math.Max(1, r.Batch), &f)
	ttft := math.Exp(e.cal.TTFT.LogTime(&f))
	if c.Concurrency > r.Batch && r.Batch > 0 { // the rest wait for a place
		ttft += (c.Concurrency - r.Batch) / r.Batch * r.TPOTms.Mid / 1e3 * c.OutputTokens
	}
	r.TTFTms = e.cal.spread("ttft", r.Class).inverse(1e3 * ttft)
	one := *c
	one.Mode = SingleStream
	ServePhysics(&one, s, 1, p)
	r.SingleStream = math.Exp(-e.cal.Serve.LogTime(p))
	if c.Explain { // the factors are those of the load, not of the single stream
		ServePhysics(c, s, math.Max(1, r.Batch), p)
	}
}

func bandKind(m Mode) string {
	switch m {
	case Online, DecodeOnly, PrefillOnly:
		return "online"
	case SingleStream:
		return "single"
	}
	return "offline"
}

func serveClass(cal *Calibration, c *Serve, s *Shape) Class {
	if s.Diffusion {
		g := Key{Kind: "image-pair", A: s.Arch, B: c.GPU.ID, C: string(c.Precision)}
		if _, ok := cal.Serve[g]; ok {
			return ClassSeen
		}
		if _, ok := cal.Serve[Key{Kind: "image-family", A: family(c.GPU)}]; !ok {
			return ClassFamily
		}
		return ClassHalf
	}
	return classOf(cal.Serve, Key{Kind: "group", A: s.Arch, B: c.GPU.ID, C: string(c.Mode)}, s.Arch, c.GPU.ID, family(c.GPU))
}

func basis(class Class, arch string, g *catalog.GPU, near []string) string {
	switch class {
	case ClassSeen:
		return fmt.Sprintf("measured: %s on %s (%d rows cited)", arch, g.ID, len(near))
	case ClassPair:
		return fmt.Sprintf("calibrated: %s and %s were measured, not together", arch, g.ID)
	case ClassHalf:
		return fmt.Sprintf("calibrated: %s or %s was never measured", arch, g.ID)
	}
	return fmt.Sprintf("physics only: no GPU of the family of %s was ever measured", g.ID)
}
