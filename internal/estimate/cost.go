package estimate

import (
	"errors"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/unit"
)

// work is what a placement must buy.
func (v *evaluator) work(p *placement) (w Work, err error) {
	j := v.job
	if w.Runs, err = j.times(); err != nil {
		return w, err
	}
	w.Tokens = j.tokenUse()
	if s := j.s.Serve; s != nil && j.s.Kind == KindServe {
		w.Requests, w.RequestSeconds = j.requests, s.GPUSeconds.V
	}
	start := int64(0)
	if j.starts > 0 {
		start = millis(j.startSeconds() / 3600)
	}
	for i, l := range p.loads {
		w.Cases[i] = Use{Machines: l.machines, Paid: l.machines * max(p.per, 1), Used: l.used, Work: l.ms, Start: start, Sessions: max(int64(j.starts), 1)}
	}
	return w, nil
}

// times is the number of runs a month; a rental of several months is one run
// of which a month is its share.
func (j *job) times() (Times, error) {
	one := int64(money.WholeQuantity(1))
	if j.s.Kind == KindRent && j.hours > j.month {
		month, err := money.Quantify(j.month)
		if err != nil {
			return Times{}, err
		}
		hours, err := money.Quantify(j.hours)
		return Times{int64(month), int64(hours)}, err
	}
	runs, err := money.Quantify(j.runs)
	if err == nil && runs <= 0 {
		err = errors.New("runs a month: too few to count")
	}
	return Times{int64(runs), one}, err
}

// cost makes the estimate of a placement under an offer's terms. A
// [*RefusedError] says that interruptions make the run too late.
func (v *evaluator) cost(q *pricing.Quote, t *Terms, p *placement) (*Estimate, bool, error) {
	w, err := v.work(p)
	if err != nil {
		return nil, false, err
	}
	v.interruptions(t, p)
	v.scalesToZero(t, p)
	bill, ok, err := v.bill(t, &w, p)
	if err != nil || !ok {
		return nil, false, err
	}
	e := v.describe(q, p)
	e.spot, e.own, e.save, e.start = t.Spot, t.Own, v.job.saveHours(p), hoursOf(w.Cases[1].Start)
	e.spotAssumptions()
	e.Warnings = append(e.Warnings, bill.Warnings...)
	if err := v.later(e, &bill); err != nil {
		return e, false, err
	}
	if t.Token == nil {
		if err := v.storageLines(&bill, v.job, p, t, &w, e); err != nil {
			return e, false, err
		}
	}
	if len(bill.missing) > 0 {
		e.warn(WarnStorage, strings.Join(bill.missing, ", "))
	}
	other, err := v.otherLines(v.job, e)
	if err != nil {
		return e, false, err
	}
	bill.Month = append(bill.Month, other...)
	if err := v.total(e, &bill, &w); err != nil {
		return e, false, err
	}
	if t.Own != nil {
		v.plausible(e, t)
	}
	return e, true, v.unitCosts(e, p, &w)
}

// bill asks the way of buying; false when it cannot do the work.
func (v *evaluator) bill(t *Terms, w *Work, p *placement) (Bill, bool, error) {
	if r := v.Scenario.Rent; r != nil && len(r.Segments) > 0 {
		b, err := v.segments(r.Segments, t)
		return b, err == nil, err
	}
	b, err := buy(t, w)
	if v.refusal(err, p) {
		return b, false, nil
	}
	return b, err == nil, err
}

// segments bills stretches at prices of their own, each in the offer's
// increments.
func (v *evaluator) segments(all []Segment, t *Terms) (Bill, error) {
	var b Bill
	for i := range all {
		s := &all[i]
		native, err := money.Parse(string(s.Amount), s.Currency)
		if err != nil {
			return b, err
		}
		n := int64(1)
		if s.At.Has("gpus") && s.GPUs > 0 && !s.Per.Instance() {
			n = int64(s.GPUs)
		}
		billed := billedMs(millis(s.Hours.V), t)
		h, err := pricing.Hour(&catalog.Price{Low: native, High: native, Per: s.Per}, t.Quote.Count(), t.Month)
		if err != nil {
			return b, err
		}
		hour := h.PerGPU.Mid
		if s.Per.Instance() {
			hour = h.PerInstance.Mid
		}
		there, err := hour.MulFrac(billed, msPerHour)
		if err == nil {
			there, err = there.MulFrac(n, 1)
		}
		if err != nil {
			return b, err
		}
		cost, ok := v.convert(there)
		price, _ := v.convert(hour)
		if !ok {
			return b, errNoRate
		}
		b.Run = add(b.Run, Line{
			Component: s.Name, Quantity: Exact(hoursOf(billed) * float64(n)), Unit: unitOfHour(s), UnitPrice: price, Cost: money.Exactly(cost),
			Basis: "stretch of " + plainNumber(s.Hours.V*3600) + " s, billed as " + plainNumber(float64(billed)/1000) + " s", Native: &Native{native, s.Currency, string(s.Per), "", "scenario", ""},
		})
		for k := range b.Billed {
			b.Billed[k] += billed * int64(s.GPUs)
		}
	}
	return b, nil
}

func unitOfHour(s *Segment) string {
	if s.Per.Instance() {
		return "instance_hour"
	}
	return "gpu_hour"
}

// total adds the lines up: the lines of a month count for a run by its share.
func (v *evaluator) total(e *Estimate, b *Bill, w *Work) error {
	zero := money.Zero(v.exchange().To)
	e.Cost, e.Monthly = money.Exactly(zero), money.Exactly(zero)
	e.Lines = b.Run
	var err error
	for i := range b.Run {
		l := &b.Run[i]
		month, err := l.Cost.MulFrac(w.Runs.Num, w.Runs.Den)
		if err == nil {
			e.Monthly, err = e.Monthly.Add(month)
		}
		if err == nil {
			e.Cost, err = e.Cost.Add(l.Cost)
		}
		if err != nil {
			return err
		}
	}
	all, shared := money.Exactly(zero), money.Exactly(zero) // of a month, and what of it a run has borne
	for _, l := range b.Month {
		if all, err = all.Add(l.Cost); err != nil {
			return err
		}
		if w.Runs.Num != w.Runs.Den {
			share, err := all.MulFrac(w.Runs.Den, w.Runs.Num)
			if err == nil {
				l.Cost, err = share.Sub(shared) // rounded so that the sum is
			}
			if err != nil {
				return err
			}
			shared, l.Quantity = share, l.Quantity/Exact(w.Runs.Float())
		}
		if e.Cost, err = e.Cost.Add(l.Cost); err != nil {
			return err
		}
		e.Lines = append(e.Lines, l)
	}
	if e.Monthly, err = e.Monthly.Add(all); err != nil {
		return err
	}
	if e.Lines == nil {
		e.Lines = []Line{}
	}
	settle(e)
	e.Billed = &Triple{hoursOf(b.Billed[0]), hoursOf(b.Billed[1]), hoursOf(b.Billed[2])}
	if e.Billed.High == 0 {
		e.Billed = nil
	}
	return nil
}

// settle puts in order what rounding alone has put out of it: where one line
// shrinks as another grows, as idle GPUs beside used ones, each is rounded, and
// an end can lie some nano-units beyond the middle. The first line bears them,
// so that the lines still add up.
func settle(e *Estimate) {
	if len(e.Lines) == 0 {
		return
	}
	first := &e.Lines[0].Cost
	if d := e.Cost.Low.Nano() - e.Cost.Mid.Nano(); d > 0 && d <= mostRounding {
		first.Low, e.Cost.Low = first.Low.Nanos(first.Low.Nano()-d), e.Cost.Mid
	}
	if d := e.Cost.Mid.Nano() - e.Cost.High.Nano(); d > 0 && d <= mostRounding {
		first.High, e.Cost.High = first.High.Nanos(first.High.Nano()+d), e.Cost.Mid
	}
	if d := e.Monthly.Low.Nano() - e.Monthly.Mid.Nano(); d > 0 && d <= mostRounding {
		e.Monthly.Low = e.Monthly.Mid
	}
	if d := e.Monthly.Mid.Nano() - e.Monthly.High.Nano(); d > 0 && d <= mostRounding {
		e.Monthly.High = e.Monthly.Mid
	}
}

// mostRounding is what the rounding of all lines and runs of a month can come
// to, in nano-units.
const mostRounding = 1000

// unitCosts divides the cost by what it buys.
func (v *evaluator) unitCosts(e *Estimate, p *placement, w *Work) error {
	j := v.job
	if j.units > 0 {
		if j.unit == "trained tokens" || j.unit == "output tokens" {
			e.PerMTok = per(e.Cost, j.units/1e6)
		} else {
			e.PerThousand = per(e.Cost, j.units/1e3)
		}
		month := j.units * j.runs
		e.UnitsPerMonth = &month
	}
	if j.requests > 0 {
		e.PerRequest = per(e.Cost, j.requests)
	}
	if p.work[1] > 0 {
		e.PerUseful = cases([3]money.Amount{per(e.Cost, p.work[0]).Low, per(e.Cost, p.work[1]).Mid, per(e.Cost, p.work[2]).High})
		if r := e.PerUseful; !r.Low.Known() || !r.High.Known() || r.Low.Cmp(r.Mid) > 0 || r.High.Cmp(r.Mid) < 0 { // few hours may cost as much as many
			e.PerUseful = money.Exactly(r.Mid)
		}
	}
	if j.after == 1 || p.after == 0 || w.Cases[1].Machines == 0 {
		return nil
	}
	m, err := e.Monthly.Mid.MulFrac(p.after, w.Cases[1].Machines)
	e.After12 = &Later{j.after, p.after, m}
	return err
}

// per is a cost divided by a number of units; unknown when there are none, and
// when the price of one is beyond all amounts.
func per(r money.Range, units float64) money.Range {
	q, err := money.Quantify(units)
	if err != nil || q <= 0 {
		return money.Range{}
	}
	out, err := r.MulFrac(int64(money.WholeQuantity(1)), int64(q))
	if err != nil {
		return money.Range{}
	}
	return out
}

// describe fills in everything about an estimate but its cost.
func (v *evaluator) describe(q *pricing.Quote, p *placement) *Estimate {
	j := v.job
	e := &Estimate{
		Provider: q.Provider, ProviderName: q.ProviderName, Market: q.Market, Instance: q.Instance, Region: q.Region, Tier: q.Tier, Host: q.Host, Plan: q.Plan,
		GPU: q.GPU, GPUName: q.GPUName, GPUs: p.loads[1].used, Instances: p.loads[1].machines, PerInstance: q.GPUCount, Purchase: q.Purchase, TermMonths: q.TermMonths,
		Currency: v.exchange().To, Feasible: true, PerGPUHour: q.PerGPUHour, PerInstHour: q.PerInstanceHour, AsOf: q.AsOf, AgeDays: q.AgeDays, Source: q.Source, Confidence: q.Confidence,
		Unit: j.unit, Class: string(p.class), quote: q, place: p, Assumptions: p.all, Memory: p.memUse, Throughput: p.through,
	}
	e.Warnings = append(make([]Warning, 0, len(p.warnings)+len(q.Warnings)+2), p.warnings...)
	for _, w := range q.Warnings {
		if w.Code == pricing.WarnUndated && v.own[q.Offer()] != nil { // the user's own price
			continue
		}
		if w.Code != pricing.WarnMultiples && w.Code != pricing.WarnSplit && (w.Code != pricing.WarnUnknownGPU || q.GPU != "") {
			e.Warnings = append(e.Warnings, w)
		}
	}
	if m := p.memory; m != nil && m.HostGB > 0 && q.MemoryGiB == nil {
		e.warn(WarnHost, m.HostGB)
	}
	if p.loads[2].ms > 0 {
		h := func(i int) float64 { return hoursOf(p.loads[i].ms) }
		e.Hours = &Triple{h(0), h(1), h(2)}
		g := func(i int) float64 { return hoursOf(p.loads[i].ms) * float64(p.loads[i].used) }
		e.GPUHours = &Triple{g(0), g(1), g(2)}
	}
	if p.replicas > 0 {
		e.Replicas, e.Busy = &p.replicas, &p.busy
	}
	if p.rate == nil || p.class == "" {
		e.Class = "stated"
	}
	return e
}

// summarise makes the parts of an estimate that all offers of the same hardware
// share.
func (p *placement) summarise(j *job) {
	p.all = make([]Assumed, 0, len(j.inputs)+len(p.assumed)+1)
	p.all = append(append(p.all, j.inputs...), p.assumed...)
	p.all = append(p.all, Assumed{"hours_per_month", plainNumber(j.month), "h", j.monthOrigin(), "8,760 h a year"})
	p.memUse.Parts = map[string]float64{}
	if m := p.memory; m != nil {
		needed, have := round2(m.NeededGB), round2(m.AvailableGB)
		p.memUse.NeededGB, p.memUse.AvailableGB = &needed, &have
		m.Parts.Each(func(name string, gb float64) { p.memUse.Parts[name] = round2(gb) })
	}
	p.through = Throughput{
		Basis: p.basis, Unit: unitPerSecond(j.unit), Nearest: p.nearest, PerGPU: triple(p.rate), TTFTms: triple(p.ttft), TPOTms: triple(p.tpot),
	}
	if p.through.Nearest == nil {
		p.through.Nearest = []string{}
	}
	if p.single > 0 {
		p.through.SingleStream = &p.single
	}
	if p.mfu > 0 {
		p.through.MFU = &p.mfu
	}
}

func (j *job) monthOrigin() string {
	if j.month != unit.HoursPerMonth {
		return "flag"
	}
	return "default"
}

func triple(b *Band) *Triple {
	if b == nil {
		return nil
	}
	return &Triple{b.Low, b.Mid, b.High}
}
