package estimate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// machine is hardware as the formulas see it: one kind of GPU in machines of
// one size.
type machine struct {
	gpu    *catalog.GPU
	per    int64   // GPUs of a machine; 0: not stated, any number up to eight
	net    Network // between machines
	stated bool    // the seller says what net is
	perSec float64 // tokens per second of one machine, where the seller states them
}

// held is one case of a placement: how much is held for how long.
type held struct {
	machines, used int64 // machines held; GPUs of them in use
	ms             int64 // of a run; of a month for a service
}

// Infeasible is hardware that cannot do the work, and why.
type Infeasible struct {
	GPU       string   `json:"gpu"`
	GPUs      int64    `json:"gpus"`
	Reason    string   `json:"reason"`
	Needed    *float64 `json:"needed"`
	Available *float64 `json:"available"`
	Unit      string   `json:"unit"`
	Code      string   `json:"code"` // memory, network, capacity, deadline, latency, specification or purchase
	Remedies  []string `json:"remedies"`
	Offers    int      `json:"offers"` // sold like this

	name string // of the GPU
}

// Name is what the GPU is called.
func (x *Infeasible) Name() string { return x.name }

// placement is a workload put on hardware.
type placement struct {
	machine
	loads    [3]held // of low, middle and high cost
	memory   *Memory
	rate     *Band // units per second and GPU
	mfu      float64
	single   float64 // tokens per second of one request alone
	ttft     *Band   // ms
	tpot     *Band
	class    Class
	basis    string
	nearest  []string
	work     [3]float64 // useful GPU-hours
	goodput  float64
	busy     float64
	replicas int64
	after    int64 // machines in twelve months
	assumed  []Assumed
	warnings []Warning
	explain  func() []Factor // the product behind the rate
	all      []Assumed       // the scenario's values and what was chosen here
	memUse   MemoryUse
	through  Throughput
	bad      *Infeasible
}

// Bounds of the search.
const (
	mostMachines = 4096
	mostHours    = 1e6 // a century
)

// fast reports whether several machines can work on one thing: whole machines
// of eight, or trays of one rack.
func (m *machine) fast() bool { return m.per >= 8 || m.rack() }

func (m *machine) rack() bool { return m.gpu != nil && m.per >= 4 && DomainGPUs(m.gpu) >= 64 }

// place puts the job on a kind of machine.
func (j *job) place(e *Estimator, m machine) *placement {
	p := &placement{machine: m, goodput: 1}
	switch {
	case j.s.Kind == KindRent, j.gpuHours > 0, j.s.Kind == KindTrain && j.hours > 0:
		j.hold(p)
	case j.s.Kind == KindServe && j.model == nil && m.perSec == 0 && j.s.Serve.GPUSeconds.V == 0:
		p.per = 0 // no compute is asked for
	case m.perSec > 0:
		j.placeStated(p)
	case j.s.Kind == KindServe && j.s.Serve.GPUSeconds.V > 0:
		p.basis = "stated: GPU-seconds per request"
		j.carry(p, 1, 1/j.s.Serve.GPUSeconds.V, &Band{1, 1, 1})
	case m.gpu == nil && (j.perGPU == 0 || j.model != nil):
		p.refuse("specification", "GPU name not known: nothing can be estimated for it", nil, nil, "")
	case m.gpu != nil && (m.gpu.BF16TFLOPS <= 0 || m.gpu.BandwidthGBs <= 0 || m.gpu.MemoryGB <= 0):
		p.refuse("specification", "no data sheet: rates, bandwidth or memory are not known", nil, nil, "")
	case j.s.Kind == KindTrain:
		j.placeTrain(e, p)
	case j.s.Kind == KindBatch:
		j.placeBatch(e, p)
	default:
		j.placeServe(e, p)
	}
	if p.bad == nil {
		p.doubts(j)
		p.summarise(j)
	}
	return p
}

func (p *placement) refuse(code, reason string, needed, available *float64, unit string) {
	p.bad = &Infeasible{GPUs: p.count(), Reason: reason, Needed: needed, Available: available, Unit: unit, Code: code, Remedies: []string{}}
	if p.gpu != nil {
		p.bad.GPU, p.bad.name = p.gpu.ID, p.gpu.Name
	}
}

// count is the GPUs in use in the middle case.
func (p *placement) count() int64 { return max(p.loads[1].used, 1) }

// doubts adds what a user should know about a placement that works.
func (p *placement) doubts(j *job) {
	warn := func(code string, args ...any) { p.warnings = append(p.warnings, NewWarning(code, args...)) }
	n := p.loads[1].machines
	together := j.s.Kind == KindTrain && p.rate != nil
	if together && n > 1 && !p.stated && !p.rack() {
		warn(WarnNetwork)
	}
	if n > 16 {
		warn(WarnCluster, n)
	}
	if p.class == ClassFamily && p.rate != nil {
		if j.model != nil && j.shape.Diffusion && j.s.Kind == KindTrain {
			warn(WarnImageWork)
		} else {
			warn(WarnUnmeasured)
		}
	}
	if slow := hoursOf(p.loads[2].ms); j.deadline > 0 && j.s.Kind != KindServe && slow > j.deadline {
		warn(WarnLate, slow, j.deadline)
	}
	if j.s.Kind == KindTrain && (j.gpuHours > 0 || string(j.train.Method) == string(Pretrain)) {
		warn(WarnOneRun)
	}
}

// hold is time that is known: a rental, or hours stated for a run.
func (j *job) hold(p *placement) {
	n := int64(j.gpus)
	switch {
	case n > 0:
	case j.machines > 0 && p.per > 0:
		n = int64(j.machines) * p.per
	case p.per > 0:
		n = p.per
	default:
		n = 1
	}
	machines := n
	if p.per > 0 {
		machines = (n + p.per - 1) / p.per
	} else {
		p.per = 1
	}
	hours := j.hours
	if j.gpuHours > 0 {
		hours = j.gpuHours / float64(n)
	}
	if j.deadline > 0 && hours > j.deadline {
		p.loads[1].used = n
		p.late(hours, j.deadline)
		return
	}
	p.set(n, machines, hours, hours, hours)
	for i := range p.work {
		p.work[i] = float64(n) * hours * j.useful
	}
}

// set fills the three cases of a run: few hours cost little.
func (p *placement) set(used, machines int64, low, mid, high float64) {
	for i, h := range [3]float64{low, mid, high} {
		if !(h <= mostHours) {
			years, limit := h/8760, mostHours/8760.0
			p.loads[1].used = used
			p.refuse("deadline", fmt.Sprintf("a run would take %.0f years", years), &years, &limit, "years")
			return
		}
		p.loads[i] = held{machines, used, millis(h)}
	}
}

// millis is a time in whole milliseconds, rounded up: fine enough that known
// GPU-hours cost what a calculator says, and sellers round up from there.
func millis(hours float64) int64 { return int64(math.Ceil(hours*msPerHour - 1e-3)) }

// hoursOf is a time in hours.
func hoursOf(ms int64) float64 { return float64(ms) / msPerHour }

const msPerHour = 3_600_000

func (p *placement) late(hours, deadline float64) {
	p.refuse("deadline", fmt.Sprintf("deadline: %s GPUs need %.4g h for a run, %.4g h are allowed", strconv.FormatInt(p.count(), 10), hours, deadline), &hours, &deadline, "h")
}

// nextMachines is the next number of machines that is tried.
func nextMachines(n int64) int64 {
	switch {
	case n < 4:
		return n + 1
	case n&(n-1) == 0: // 4, 8, 16: half as many again
		return n + n/2
	}
	p := int64(4)
	for p <= n {
		p *= 2
	}
	return p
}

// atLeast is the first number on the path of nextMachines that is not below n.
func atLeast(n int64) int64 {
	k := int64(1)
	for k < n && k < mostMachines {
		k = nextMachines(k)
	}
	return max(k, min(n, k))
}

// placeStated uses what the seller or the user measured.
func (j *job) placeStated(p *placement) {
	per := max(p.per, 1)
	p.per = per
	p.basis = "stated: " + plainNumber(p.perSec) + " tokens/s of one machine"
	rate := p.perSec / float64(per)
	p.rate = &Band{rate, rate, rate}
	if j.s.Kind == KindServe {
		j.carry(p, 1, p.perSec, &Band{1, 1, 1})
		return
	}
	n := int64(max(j.machines, 1))
	if j.gpus > 0 {
		n = (int64(j.gpus) + per - 1) / per
	}
	hours := j.units / (p.perSec * float64(n) * 3600)
	if j.deadline > 0 && hours > j.deadline && j.machines == 0 && j.gpus == 0 {
		n = int64(math.Ceil(float64(n) * hours / j.deadline))
		hours = j.units / (p.perSec * float64(n) * 3600)
	}
	if j.deadline > 0 && hours > j.deadline {
		p.loads[1].used = n * per
		p.late(hours, j.deadline)
		return
	}
	p.set(n*per, n, hours, hours, hours)
	for i := range p.work {
		p.work[i] = hours * float64(n*per)
	}
}

// linkWords are what sellers call the networks between machines.
var linkWords = []struct {
	word  string
	class NetworkClass
}{
	{"infiniband", NetInfiniBand}, {"ib ", NetInfiniBand}, {"ndr", NetInfiniBand}, {"quantum", NetInfiniBand}, {"efa", NetEFA}, {"roce", NetRoCE}, {"rdma", NetRoCE}, {"ethernet", NetEthernet},
}

// plainEthernet is the rate assumed of a machine whose seller states no
// network, GB/s: 100 Gbit/s.
const plainEthernet = 12.5

// network reads what an offer says about the network between machines:
// "NVLink + EFA 3200G" is 3,200 Gbit/s a machine, "IB 400G/GPU" 400 a GPU.
func network(text string, per int64) (n Network, stated bool) {
	t := strings.ToLower(text) + " "
	for _, w := range linkWords {
		if strings.Contains(t, w.word) {
			n.Class = w.class
			break
		}
	}
	rate := gigabits(t)
	each := float64(max(per, 1))
	if n.Class == NetAuto && rate == 0 {
		return Network{Class: NetEthernet, GBsPerGPU: plainEthernet / each}, false
	}
	if n.Class == NetAuto {
		n.Class = NetEthernet
	}
	if rate > 0 {
		if strings.Contains(t, "/gpu") {
			each = 1
		}
		n.GBsPerGPU = rate / 8 / each
	}
	return n, true
}

// gigabits is the first rate in a text such as "EFA 3200G" or "3.2T RDMA",
// Gbit/s; 0 when there is none.
func gigabits(t string) float64 {
	for word := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == ' ' || r == '/' || r == '+' }) {
		f := 1.0
		digits, ok := strings.CutSuffix(word, "g")
		if !ok {
			f = 1000
			digits, ok = strings.CutSuffix(word, "t")
		}
		if x, err := strconv.ParseFloat(digits, 64); ok && err == nil && x > 0 && x*f <= 1e6 {
			return x * f
		}
	}
	return 0
}

// sheet is the data sheet to estimate with. A name that does not say which
// variant stands for the one with the fast link when the seller mentions it,
// and else for the slower one.
func sheet(g *catalog.GPU, o *catalog.Offer, all map[string]*catalog.GPU) (*catalog.GPU, bool) {
	if g == nil || len(g.StandsFor) == 0 {
		return g, false
	}
	link := strings.ToLower(o.Interconnect + " " + o.Instance)
	fast := strings.Contains(link, "nvlink") || strings.Contains(link, "sxm") || strings.Contains(link, "infiniband") || strings.Contains(link, "efa")
	var best *catalog.GPU
	for _, id := range g.StandsFor {
		v := all[id]
		if v == nil || v.BF16TFLOPS <= 0 {
			continue
		}
		if best == nil || fast == (v.BandwidthGBs > best.BandwidthGBs) && v.BandwidthGBs != best.BandwidthGBs {
			best = v
		}
	}
	if best == nil {
		return g, false
	}
	return best, true
}
