package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot"
)

// Interrupted is what is known about how spot machines are taken away, low,
// middle and high.
type Interrupted struct {
	PerHour         [3]float64 // of the job: all of its machines
	WaitHours       [3]float64 // for capacity, after an interruption
	CheckpointHours float64
	FreeFirstHours  float64
	From            string
	Seller          bool // known of this seller, not of another one
	AsOf            string
}

// allOrNone is how far machines of one job are taken away together: of 4 and of
// 16 machines all or none were there 94 % of the time (NSDI 2024).
const allOrNone = 0.94

// interruptions fills in how a run on spot is interrupted. Services and rentals
// are not runs that can be done again: they stay at the list price.
func (v *evaluator) interruptions(t *Terms, p *placement) {
	q := t.Quote
	if q.Purchase != catalog.Spot || t.Own != nil || v.Scenario.Kind == KindServe || v.Scenario.Kind == KindRent || p.loads[1].ms == 0 {
		return
	}
	x := &Interrupted{CheckpointHours: v.job.saveHours(p)}
	g := purchase.GPUOf(q)
	k, ok := purchase.Interruptions(v.Catalog, q.Provider, g, q.Region)
	if !ok {
		k = purchase.StandIn()
	}
	x.WaitHours, x.From, x.AsOf, x.Seller = k.Wait, k.From.Source, k.From.AsOf, ok
	for i, together := range [3]float64{1, allOrNone, allOrNone} {
		r, err := spot.Rate{PerHour: k.PerHour[i]}.Gang(int(p.loads[i].machines), together)
		if err != nil {
			return
		}
		x.PerHour[i] = r.PerHour
	}
	if _, ok := purchase.FirstHourFree(v.Catalog, q.Provider); ok {
		x.FreeFirstHours = 1
	}
	t.Spot = x
}

// unknownSave is the time of a checkpoint of a run whose state is not known, in
// hours.
const unknownSave = 5.0 / 60

// saveHours is the time that a checkpoint of a training run blocks: all weights
// and optimiser states, or the adapter, at the rate at which images arrive, by
// each machine its share. Work through a set of requests loses only those in
// flight and saves nothing.
func (j *job) saveHours(p *placement) float64 {
	if j.s.Kind != KindTrain {
		return 0
	}
	if j.train.Model == nil || p.memory == nil {
		return unknownSave
	}
	params := j.shape.Params
	if c := j.train; c.frozen() {
		if c.LoRARank <= 0 {
			c.LoRARank = 16
		}
		params = c.adapterParams(&j.shape)
	}
	c := spot.Checkpoint{SizeGB: spot.CheckpointGB(params/1e9, spot.BytesBF16MasterAdam), WriteGBPerSecond: ImageGBPerSecond * float64(max(p.loads[1].machines, 1))}
	s, _ := c.WriteSeconds()
	return s / 3600
}

// interrupted bills a run on spot: its time, and what interruptions add to it:
// restarts, saves, and work done again.
func interrupted(t *Terms, w *Work) (Bill, error) {
	x := t.Spot
	again := *w
	var wall [3]int64
	finishes := true
	for i := range w.Cases {
		u := &w.Cases[i]
		o, err := spot.Expected(x.job(u, i))
		if err != nil {
			return Bill{}, err
		}
		if !o.Finishes && i < 2 {
			return Bill{}, &RefusedError{Reason: "spot: " + o.Reason, Needed: hoursOf(u.Work), Unit: "h"}
		}
		if !o.Finishes { // as in the middle case, for want of a number
			finishes = false
			scale := float64(u.Work) / float64(max(w.Cases[1].Work, 1))
			again.Cases[i].Lost = int64(float64(again.Cases[1].Lost) * scale)
			wall[i] = int64(float64(wall[1]) * scale)
			continue
		}
		again.Cases[i].Lost = max(0, millis(o.BilledHours-o.FreeHours)-u.Work)
		wall[i] = max(0, millis(o.WallHours)-u.Work)
	}
	b, err := byTime(t, &again)
	if err != nil {
		return b, err
	}
	b.Later, b.Warnings = wall, nil
	if !x.Seller {
		b.Warnings = append(b.Warnings, NewWarning(WarnStandIn, t.Quote.ProviderName, 1/x.PerHour[1]))
	}
	if !finishes {
		b.Warnings = append(b.Warnings, NewWarning(WarnNeverDone))
	}
	return b, nil
}

// job is a case of the work as an interruptible job: it saves as often as is
// best, and a fresh machine starts as the first one did.
func (x *Interrupted) job(u *Use, i int) spot.Job {
	j := spot.Job{
		WorkHours: hoursOf(u.Work), CheckpointHours: x.CheckpointHours, RestartHours: hoursOf(u.Start) + x.CheckpointHours,
		WaitHours: x.WaitHours[i], Rate: spot.Rate{PerHour: x.PerHour[i]}, FreeFirstHours: x.FreeFirstHours,
	}
	if n, ok := spot.BestPieces(j); ok {
		j.IntervalHours = j.WorkHours / float64(n)
	}
	return j
}

// Interval is the hours of work between two checkpoints of a run, against broken
// machines and, on spot, against being taken away. It is false where nothing is
// saved.
func (e *Estimate) Interval() (float64, bool) {
	if e.place == nil || e.save == 0 || e.place.loads[1].ms == 0 {
		return 0, false
	}
	x := Interrupted{CheckpointHours: e.save}
	if e.spot != nil {
		x = *e.spot
	}
	x.PerHour[1] += float64(e.GPUs) * interruptionsPerGPUHour
	j := x.job(&Use{Work: e.place.loads[1].ms}, 1)
	return j.IntervalHours, j.IntervalHours > 0
}

// SaveHours is how long a checkpoint of the run blocks it; 0 where nothing is
// saved.
func (e *Estimate) SaveHours() float64 { return e.save }

// spotAssumptions lists what the interruptions rest on.
func (e *Estimate) spotAssumptions() {
	x := e.spot
	if x == nil {
		return
	}
	source := strings.TrimSpace(x.From + " " + x.AsOf)
	shared := e.Assumptions // with all offers of the hardware
	e.Assumptions = append(append(make([]Assumed, 0, len(shared)+5), shared...),
		Assumed{"spot.interruptions_per_hour", plainNumber(round4(x.PerHour[1])), "1/h", "catalog", source},
		Assumed{"spot.wait_hours", plainNumber(round4(x.WaitHours[1])), "h", "catalog", "mean outage, as measured"})
	switch {
	case x.CheckpointHours == unknownSave:
		e.Assumptions = append(e.Assumptions, Assumed{"spot.checkpoint_seconds", plainNumber(round2(x.CheckpointHours * 3600)), "s", "default", "the state of the run is not known"})
	case x.CheckpointHours > 0:
		e.Assumptions = append(e.Assumptions, Assumed{"spot.checkpoint_seconds", plainNumber(round2(x.CheckpointHours * 3600)), "s", "default", "14 bytes a parameter at 0.3 GB/s a machine"})
	}
	if e.Instances > 1 {
		e.Assumptions = append(e.Assumptions, Assumed{"spot.together", plainNumber(allOrNone), "", "default", "4 and 16 machines were all there or none was, NSDI 2024"})
	}
	if x.FreeFirstHours > 0 {
		e.Assumptions = append(e.Assumptions, Assumed{"spot.free_first_hours", plainNumber(x.FreeFirstHours), "h", "catalog", "the seller's billing rules"})
	}
}

// later adds what interruptions do to the finish, and refuses a run that they
// make too late.
func (v *evaluator) later(e *Estimate, b *Bill) error {
	if b.Later == ([3]int64{}) || e.Hours == nil {
		return nil
	}
	e.Hours = &Triple{e.Hours.Low + hoursOf(b.Later[0]), e.Hours.Mid + hoursOf(b.Later[1]), e.Hours.High + hoursOf(b.Later[2])}
	if d, all := v.job.deadline, e.Hours.Mid+e.start; d > 0 && all > d {
		return &RefusedError{fmt.Sprintf("deadline: with interruptions a run takes %.4g h, %.4g h are allowed", all, d), all, d, "h"}
	}
	if d := v.job.deadline; d > 0 && e.Hours.High > d && !e.Has(WarnLate) {
		e.warn(WarnLate, e.Hours.High, d)
	}
	return nil
}

// slack are the shares of the deadline into which the work of a run is fitted
// when interruptions make it too late otherwise.
var slack = [...]float64{0.9, 0.75, 0.5}

// sooner finds machines on which a run ends in time that was refused, late with
// its interruptions.
func (v *evaluator) sooner(q *pricing.Quote, t *Terms, p *placement, late *RefusedError) (*Estimate, bool, error) {
	for i, share := range slack {
		if v.tight[i] == nil {
			w, j := *v, *v.job
			j.deadline *= share
			w.job, w.placed = &j, map[placeKey]*placement{}
			v.tight[i] = &w
		}
		more := v.tight[i].placeOn(q, v.own[q.Offer()])
		if more.bad != nil || v.hostMemory(q, more) != nil {
			break
		}
		e, ok, err := v.cost(q, t, more)
		if _, again := errors.AsType[*RefusedError](err); again {
			continue
		}
		if ok {
			e.mayBeLate(v.job.deadline)
		}
		return e, ok, err
	}
	v.refusal(late, p)
	return nil, false, nil
}

// mayBeLate warns of a run that misses the deadline in the slow case, and of no
// other deadline.
func (e *Estimate) mayBeLate(deadline float64) {
	e.Warnings = slices.DeleteFunc(e.Warnings, func(w Warning) bool { return w.Code == WarnLate })
	if deadline > 0 && e.slowest() > deadline {
		e.warn(WarnLate, e.Hours.High, deadline)
	}
}

// refusal turns an error of a way of buying into hardware that cannot do the
// work; false for any other error.
func (v *evaluator) refusal(err error, p *placement) bool {
	var no *RefusedError
	if !errors.As(err, &no) {
		return false
	}
	x := *p
	x.refuse("purchase", no.Reason, &no.Needed, &no.Available, no.Unit)
	v.refuse(x.bad)
	return true
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }
