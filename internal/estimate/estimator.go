package estimate

import (
	"fmt"
	"math"
	"sync"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Estimator answers with one calibration. It is safe for concurrent use.
type Estimator struct {
	cal     *Calibration
	anchors func() map[anchorsOf][]anchor
}

// New makes an estimator; a nil calibration means physics alone.
func New(cal *Calibration) *Estimator {
	if cal == nil {
		cal = &Calibration{}
	}
	return &Estimator{cal, sync.OnceValue(cal.byModel)}
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
	var p Physics
	TrainPhysics(&c, s, &p)
	r := e.trained(&c, s, mem, math.Exp(-e.cal.Train.LogTime(&p)))
	if c.Explain {
		rate := r.TokensPerSecondGPU.Mid
		r.Factors = explain(&p, e.cal.Train, trainTermNames[:])
		r.Nearest = e.nearest("training", s.Arch, c.GPU, string(c.Method), rate)
		r.Basis = basis(r.Class, s.Arch, c.GPU, r.Nearest)
	}
	return r
}

// trained is the answer to a configuration whose choices are filled in, memory
// and rate being known.
func (e *Estimator) trained(c *Train, s *Shape, mem Memory, rate float64) TrainResult {
	r := TrainResult{Config: *c, Memory: mem, Unit: "token"}
	r.Class = trainClass(e.cal, c, s)
	spread := e.cal.spread("training", r.Class)
	if c.Stack == "" { // the measured stacks are tuned by their makers; a user's may reach half
		spread.Low, spread.High = math.Min(spread.Low, math.Log(0.5)), math.Max(spread.High, math.Log(1.2))
	}
	r.TokensPerSecondGPU = spread.band(rate)
	r.MFU = rate * c.modelFLOP(s) / (Sheet(c.GPU, c.Precision) * 1e12)
	r.Goodput = Goodput(c.GPUs)
	if s.Diffusion {
		r.Unit = "image"
		r.Class = ClassFamily
		r.TokensPerSecondGPU = widest.band(rate)
	}
	return r
}

// modelFLOP is the FLOP per token that utilisation counts: no recomputation.
func (c *Train) modelFLOP(s *Shape) float64 {
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
		if m = trainMemory(c, s); m.Fits {
			return m
		}
	}
	m.say()
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
	return e.serve(*in, &s, new(served))
}

func (e *Estimator) serve(c Serve, s *Shape, f *served) ServeResult {
	c.Resolve(s)
	var l load
	l.of(e, &c, s, f)
	r := l.at(c.Concurrency)
	l.finish(&r, f)
	return r
}

// load is a replica whose factors are looked up once, to be estimated at many
// concurrencies.
type load struct {
	e                 *Estimator
	c                 *Serve
	s                 *Shape
	d                 division
	p, first          Physics
	serve, tpot, ttft Scales
	limit             float64
	class             Class
	kind              string
}

// served are the factors of the replica that was looked up last.
type served struct{ serve, tpot, ttft looked }

// of looks the factors of a replica up.
func (l *load) of(e *Estimator, c *Serve, s *Shape, f *served) {
	l.e, l.c, l.s, l.d, l.limit, l.class, l.kind = e, c, s, c.divide(s), c.BatchLimit(s), serveClass(e.cal, c, s), bandKind(c.Mode)
	if s.Diffusion {
		l.kind = "image"
	}
	ServePhysics(c, s, 1, &l.p)
	l.serve = f.serve.scales(e.cal.Serve, &l.p)
	if l.plain() {
		l.tpot = f.tpot.scales(e.cal.TPOT, &l.p)
		FirstTokenPhysics(c, s, 1, &l.first)
		l.ttft = f.ttft.scales(e.cal.TTFT, &l.first)
	}
}

// plain says that the replica generates text token by token.
func (l *load) plain() bool { return !l.s.Diffusion && l.c.Mode != PrefillOnly }

// at estimates rate and times at a concurrency; 0 takes what memory allows.
func (l *load) at(concurrency float64) ServeResult {
	c := *l.c
	c.Concurrency = concurrency
	r := ServeResult{Config: c, Unit: "token", BatchLimit: l.limit, Class: l.class}
	r.Batch = runningBatch(&c, l.limit)
	b := math.Max(1, r.Batch)
	n := float64(c.GPUs)
	if l.plain() {
		c.terms(l.s, &l.d, b, &l.p)
	}
	rate := math.Exp(-l.serve.LogTime(&l.p))
	switch {
	case l.s.Diffusion:
		r.Unit = "image"
	case c.Mode == PrefillOnly:
		rate /= n
	default:
		rate *= b / n
		l.latency(&r, b)
	}
	r.TokensPerSecondGPU = l.e.cal.spread(l.kind, l.class).band(rate)
	return r
}

// latency fills the times of a request.
func (l *load) latency(r *ServeResult, b float64) {
	c := &r.Config
	r.TPOTms = l.e.cal.spread("tpot", l.class).inverse(1e3 * math.Exp(l.tpot.LogTime(&l.p)))
	c.firstTerms(l.s, &l.d, b, &l.first)
	ttft := math.Exp(l.ttft.LogTime(&l.first))
	if c.Concurrency > b { // the rest wait for a place
		ttft += (c.Concurrency - b) / b * r.TPOTms.Mid / 1e3 * c.OutputTokens
	}
	r.TTFTms = l.e.cal.spread("ttft", l.class).inverse(1e3 * ttft)
}

// finish adds what only a final answer needs: the memory, the speed of one
// request alone and the explanation.
func (l *load) finish(r *ServeResult, f *served) {
	c := &r.Config
	r.Memory = ServeMemory(c, l.s, r.Batch)
	if l.limit < 1 && r.Memory.Fits {
		r.Memory.Fits = false
		r.Memory.Why = fmt.Sprintf("memory: no room for the cache of one sequence of %.0f tokens", c.InputTokens+c.OutputTokens)
	}
	if c.Explain {
		rate := r.TokensPerSecondGPU.Mid
		r.Factors = explain(&l.p, l.e.cal.Serve, serveTermNames[:])
		r.Nearest = l.e.nearest(l.kind, l.s.Arch, c.GPU, string(c.Mode), rate)
		r.Basis = basis(r.Class, l.s.Arch, c.GPU, r.Nearest)
	}
	if l.plain() {
		one := *c
		one.Mode = SingleStream
		ServePhysics(&one, l.s, 1, &l.p)
		alone := f.serve.scales(l.e.cal.Serve, &l.p)
		r.SingleStream = math.Exp(-alone.LogTime(&l.p))
	}
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
