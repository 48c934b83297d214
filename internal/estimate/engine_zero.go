package estimate

import (
	"fmt"
	"math"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
	"github.com/gpucost/gpucost/internal/unit"
)

// ToZero is a service on workers that end when nothing arrives.
type ToZero struct {
	Worker  buying.Worker
	Workers int64   // that the demand needs at its peak
	GPUs    int64   // of one
	Hours   float64 // of service a month
	PerHour float64 // requests
}

// idleTimeout is how long a worker waits before it ends, in seconds, where the
// seller does not say: RunPod's documented default.
const idleTimeout = 5

// scalesToZero fills in how a service runs on serverless GPUs of the catalog: as
// many workers as replicas are needed, each taking what arrives.
func (v *evaluator) scalesToZero(t *Terms, p *placement) {
	if t.Quote.Purchase != catalog.Serverless || t.Own != nil || v.Scenario.Kind != KindServe || v.job.requests <= 0 || p.replicas < 1 || p.single <= 0 {
		return
	}
	j := v.job
	cold := j.coldSeconds(t)
	t.Zero = &ToZero{
		Worker:  buying.Worker{ColdStartSeconds: cold, IdleTimeoutSeconds: idleTimeout, ServiceSeconds: j.serve.OutputTokens / p.single},
		Workers: p.replicas, GPUs: max(p.loads[1].used/p.replicas, 1), Hours: j.hours, PerHour: j.requests / j.hours,
	}
}

// coldSeconds is the start of a worker: as the seller's list says, else the time
// in which weights arrive.
func (j *job) coldSeconds(t *Terms) float64 {
	s := bytesPerWeight(j.serve.Precision) * j.shape.Params / 1e9 / ImageGBPerSecond
	if o := t.Quote.Offer(); o != nil {
		var stated float64
		if n, err := fmt.Sscanf(o.Note, coldNote, &stated); n == 1 && err == nil {
			s = max(s, stated)
		}
	}
	return s
}

// coldNote carries a seller's cold start through the offer that stands for its
// price.
const coldNote = "cold start %g s"

// toZero bills the seconds that workers are up: from their start until they have
// been idle for the timeout.
func toZero(t *Terms, w *Work) (Bill, error) {
	z := t.Zero
	share := z.Worker.BilledShare(z.PerHour / 3600 / float64(z.Workers))
	seconds := share * z.Hours * 3600 * float64(z.Workers*z.GPUs)
	busy := math.Min(seconds, w.Requests*z.Worker.ServiceSeconds*float64(z.GPUs))
	b := Bill{Warnings: []Warning{NewWarning(WarnToZero, z.Worker.ColdStartSeconds, z.Worker.IdleTimeoutSeconds)}}
	for _, x := range []struct {
		component, basis string
		seconds          float64
	}{
		{CompGPU, "requests at random on workers that take what arrives: seconds in use", busy},
		{CompIdle, "cold starts and idle waits of the workers", seconds - busy},
	} {
		q, err := money.Quantify(x.seconds / 3600)
		if err != nil {
			return b, err
		}
		cost, err := t.PerGPU.Mul(q)
		if err != nil {
			return b, err
		}
		b.Month = add(b.Month, Line{Component: x.component, Quantity: Exact(x.seconds / 3600), Unit: "gpu_hour", UnitPrice: t.PerGPU, Cost: money.Exactly(cost), Basis: x.basis})
	}
	for i := range b.Billed {
		b.Billed[i] = int64(seconds * 1000)
	}
	return b, nil
}

// serverlessOffers are the catalog's prices by the second as offers.
func serverlessOffers(c *catalog.Catalog) []catalog.Offer {
	var out []catalog.Offer
	for i := range c.Serverless {
		p := &c.Serverless[i]
		if !p.FlexPerSecond.Known() || !p.GPUKnown {
			continue
		}
		o := catalog.Offer{Provider: p.Provider, Kind: "serverless", GPU: p.GPU, GPUKnown: true, Prices: []catalog.Price{{
			Purchase: catalog.Serverless, Low: p.FlexPerSecond, High: p.FlexPerSecond, Per: unit.PerGPUSecond, AsOf: p.AsOf, Source: p.Source, Ref: p.Ref, Confidence: p.Confidence,
		}}}
		if p.ColdStartS != nil {
			o.Note = fmt.Sprintf(coldNote, *p.ColdStartS)
		}
		out = append(out, o)
	}
	return out
}
