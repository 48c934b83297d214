package estimate

import (
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/spot"
)

// The components of moving, besides [CompStart] and [CompEgress].
const (
	CompSave   = "last_save" // the last checkpoint, written here
	CompLoad   = "load_checkpoint"
	CompUsedUp = "minimum_rental" // paid here and not used
	CompAgain  = "work_done_again"
)

// Between sellers nobody has measured how fast a checkpoint travels: a third of
// the rate of images, and three times it, are the ends.
var moveSpread = [3]float64{1. / 3, 1, 3}

// Egress of a seller that states no price, USD per GB: many take nothing; the
// middle is the list price of the largest cloud, the high end the dearest that
// was met when jobs were moved between clouds (SkyNomad, NSDI 2027: 0.02-0.14).
var unknownEgress = [3]string{"0", "0.09", "0.14"}

// unknownState is how far the state of a run that nobody stated may be from the
// one that stands in.
var unknownState = [3]float64{0.1, 1, 10}

// state is one checkpoint, GB: as stated, or all weights and optimiser states,
// or the adapter. Work through requests has none.
func (w *switcher) state(e *Estimate) [3]float64 {
	s := w.Scenario
	if st := s.Storage; st != nil && s.Stated("storage.checkpoint_gb") {
		gb := st.CheckpointGB.V / math.Max(st.Kept.V, 1)
		return [3]float64{gb, gb, gb}
	}
	gb := e.save * 3600 * ImageGBPerSecond * float64(max(e.Instances, 1))
	if e.save == unknownSave {
		return [3]float64{gb * unknownState[0], gb, gb * unknownState[2]}
	}
	return [3]float64{gb, gb, gb}
}

// carryHours is how long it takes to write or read a state by all machines, each
// its share.
func carryHours(gb [3]float64, machines int64) (out [3]float64) {
	for i := range gb {
		s, _ := spot.Checkpoint{SizeGB: gb[i], WriteGBPerSecond: ImageGBPerSecond * float64(max(machines, 1))}.WriteSeconds()
		out[i] = s / 3600 * moveSpread[i]
	}
	return out
}

// know fills in what an estimate of the work tells about its state.
func (w *switcher) know(e *Estimate) {
	w.stateGB, w.stateKnown = w.state(e), true
	if every, ok := e.Interval(); ok && e.spot != nil {
		w.spotInterval = every
	}
	s := w.Scenario
	o := Origin{"default", "14 bytes a parameter"}
	switch {
	case s.Kind == KindBatch:
		return
	case s.Stated("storage.checkpoint_gb"):
		o = s.Origin("storage.checkpoint_gb")
	case e.save == unknownSave:
		o.Source = "the state of the run is not known: 5 minutes at 0.3 GB/s a machine, from a tenth of it to ten times it"
	}
	w.assume("moving.checkpoint_gb", w.stateGB[1], "GB", o)
	w.assume("moving.gb_per_second_per_machine", ImageGBPerSecond, "GB/s", Origin{"default", "the rate of images; a third of it and three times it are the ends"})
}

// assume adds what the moving rests on, once.
func (w *switcher) assume(name string, value float64, unit string, o Origin) {
	if !slices.ContainsFunc(w.Assumed, func(a Assumed) bool { return a.Name == name }) {
		w.Assumed = append(w.Assumed, Assumed{name, plainNumber(round4(value)), unit, o.Kind, o.Source})
	}
}

// noteEgress says what leaving costs a GB.
func (w *switcher) noteEgress(known bool, b *pricedBytes) {
	if !known {
		w.assume("moving.egress_per_gb", 0.09, "USD", Origin{"default", "not known of this seller: 0 to 0.14"})
		return
	}
	w.assume("moving.egress_per_gb", float64(b.native.Amount.Nano())/1e9, string(b.native.Currency), Origin{"catalog", strings.TrimSpace(b.native.Source + " " + b.native.AsOf)})
	if b.freeGB > 0 {
		w.assume("moving.egress_free_gb", b.freeGB, "GB", Origin{"catalog", "of a month; used up in the dear case"})
	}
}

// saveHere is how long the last save blocks the current machines. It is 0 until
// something is known of the state.
func (w *switcher) saveHere() [3]float64 { return carryHours(w.stateGB, w.Current.Instances) }

// move is the way of moving to the machines of an estimate.
func (w *switcher) move(v *evaluator, e *Estimate) (*Way, error) {
	way, err := w.way(e, false)
	if err != nil {
		return nil, err
	}
	way.Same = e.Provider == w.Current.Provider
	hour, t, err := v.perHour(e)
	if err != nil {
		return nil, err
	}
	save, load := w.saveHere(), carryHours(w.stateGB, e.Instances)
	m := mover{cur: e.Currency, sum: money.Exactly(money.Zero(e.Currency))}
	if w.at.terms != nil && w.Price != PriceCommitted {
		m.hours(CompSave, "the last checkpoint, written here", save, w.at.hour, w.at.terms.PerGPU, paid(w.Current.GPUs, w.at.quote.Count().Num, w.Current.Instances))
	}
	for _, l := range e.Lines {
		if l.Component == CompStart {
			m.add(l)
		}
	}
	gpus := e.place.loads[1].machines * max(e.place.per, 1)
	m.hours(CompLoad, "the checkpoint, read there", load, hour, t.PerGPU, gpus)
	if !way.Same {
		if err := w.egress(&m, v); err != nil {
			return nil, err
		}
	}
	w.usedUp(&m)
	again := w.again(&m, way)
	if m.err != nil {
		return nil, m.err
	}
	way.Moving, way.parts = m.sum, m.lines
	if way.Cost, err = way.rest.Add(m.sum); err != nil {
		return nil, err
	}
	way.Lines = slices.Clone(m.lines)
	for _, l := range e.Lines {
		if l.Component != CompStart {
			way.Lines = append(way.Lines, l)
		}
	}
	for _, l := range m.lines {
		if l.Component == CompStart || l.Component == CompLoad {
			if way.atRate, err = way.atRate.Add(l.Cost.Mid); err != nil {
				return nil, err
			}
		}
	}
	at := func(i int) float64 { return save[i] + e.start + load[i] }
	way.MoveHours = Triple{at(0), at(1), at(2) + again}
	way.start = at(1)
	way.mayBeLate(w.DeadlineH)
	return way, nil
}

// paid is the GPUs of the machines that are held.
func paid(used, per, machines int64) int64 { return max(used, per*machines) }

// egress is what leaves the seller: the checkpoint and the data set.
func (w *switcher) egress(m *mover, v *evaluator) error {
	data := 0.0
	if s := w.Scenario.Storage; s != nil {
		data = s.DatasetGB.V
	}
	q := &w.at.quote
	if q.Provider == "" {
		q = &pricing.Quote{Provider: w.Current.Provider}
	}
	b, known := v.bytesPrice(CompEgress, q, w.at.own)
	price := [3]money.Amount{b.price, b.price, b.price}
	basis := "checkpoint and data set, sent to another seller"
	if !known {
		basis = "no price of egress is known: taken as 0 to 0.14 USD a GB"
		for i, text := range unknownEgress {
			var ok bool
			if price[i], ok = v.convert(money.MustParse(text, "USD")); !ok {
				return errNoRate
			}
		}
	}
	gb := [3]float64{}
	var cost [3]money.Amount
	for i := range gb {
		gb[i] = w.stateGB[i] + data
		if i < 2 { // in the dear case the allowance of the month is used up
			gb[i] = math.Max(0, gb[i]-b.freeGB)
		}
		n, err := money.Quantify(gb[i])
		if err == nil {
			cost[i], err = price[i].Mul(n)
		}
		if err != nil {
			return err
		}
	}
	w.noteEgress(known, &b)
	if w.stateGB[1]+data > 0 {
		m.add(Line{Component: CompEgress, Quantity: Exact(gb[1]), Unit: "gb", UnitPrice: price[1], Cost: cases(cost), Basis: basis, Native: b.native})
	}
	return nil
}

// usedUp is what is paid here beyond the last save: the rest of the step in
// which time is billed, half of it in the middle, and of the shortest rental.
func (w *switcher) usedUp(m *mover) {
	t := w.at.terms
	if t == nil || w.Price == PriceCommitted {
		return
	}
	step, least := float64(t.Increment)/3600, float64(t.Minimum)/3600
	held := math.Max(0, 1-w.Left) * w.WholeH
	most := math.Max(0, least-held)
	hours := [3]float64{most, math.Max(most, step/2), math.Max(most, step)}
	if t.Increment <= 60 {
		hours = [3]float64{most, most, most}
	}
	m.hours(CompUsedUp, "billed here and not used: the rest of a billing step, or of the shortest rental", hours, w.at.hour, t.PerGPU, paid(w.Current.GPUs, w.at.quote.Count().Num, w.Current.Instances))
}

// again is work done again, in the dear case only: spot machines that are taken
// away before the last save lose half an interval on average. It gives the
// hours there.
func (w *switcher) again(m *mover, way *Way) float64 {
	if w.spotInterval <= 0 || w.LeftH <= 0 {
		return 0
	}
	share := w.spotInterval / 2 / w.LeftH
	cost, err := way.rest.High.MulFrac(int64(math.Round(share*1e9)), 1e9)
	if err != nil {
		m.err = err
		return 0
	}
	zero := money.Zero(m.cur)
	m.add(Line{Component: CompAgain, Unit: "h", UnitPrice: money.Amount{}, Cost: money.Range{Low: zero, Mid: zero, High: cost}, Basis: "half an interval, should the machines here be taken away first"})
	return share * way.Hours.High
}

// mover adds up what moving costs.
type mover struct {
	cur   money.Currency
	lines []Line
	sum   money.Range
	err   error
}

func (m *mover) add(l Line) {
	if m.err == nil {
		m.sum, m.err = m.sum.Add(l.Cost)
		m.lines = append(m.lines, l)
	}
}

// hours adds machines held for a time: nothing where there is none of it.
func (m *mover) hours(component, basis string, hours [3]float64, hour [3]money.Amount, perGPU money.Amount, gpus int64) {
	if hours[2] <= 0 || m.err != nil {
		return
	}
	var cost [3]money.Amount
	for i := range cost {
		if cost[i], m.err = hour[i].MulFrac(millis(hours[i]), msPerHour); m.err != nil {
			return
		}
	}
	m.add(Line{Component: component, Quantity: Exact(hours[1] * float64(gpus)), Unit: "gpu_hour", UnitPrice: perGPU, Cost: cases(cost), Basis: basis})
}
