package estimate

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// pricedBytes is what it costs to keep or move bytes: the price in the
// answer's currency, what is free, and the price as stated.
type pricedBytes struct {
	price  money.Amount
	freeGB float64
	native *Native
}

// storageKinds are the prices that may stand for a way of keeping bytes, in
// the order of preference.
var storageKinds = map[string][]string{
	CompDataset:     {"object", "network_volume", "volume_default", "disk_running"},
	CompCheckpoints: {"object", "network_volume", "volume_default", "disk_running"},
	CompVolume:      {"network_volume", "volume_default", "object"},
	CompDisk:        {"disk_running", "block", "network_volume", "volume_default"},
	CompDiskStopped: {"disk_stopped", "block", "network_volume", "volume_default"},
	CompEgress:      {"egress", "egress_standard_tier"},
}

// bytesPrice finds the price of a component at an offer: the scenario's own,
// the host's, or the provider's.
func (v *evaluator) bytesPrice(component string, q *pricing.Quote, own *OwnOffer) (pricedBytes, bool) {
	if own != nil {
		text := map[string]catalog.Decimal{
			CompDataset: own.Object, CompCheckpoints: own.Object, CompVolume: own.Volume, CompDisk: own.DiskRunning, CompDiskStopped: own.DiskStopped, CompEgress: own.Egress,
		}[component]
		if text != "" {
			a, err := money.Parse(string(text), own.currency())
			if err != nil {
				return pricedBytes{}, false
			}
			return v.priced(a, 0, &Native{a, a.Currency(), "gb_month", own.AsOf.String(), "scenario", own.Region})
		}
	}
	if component == CompDisk && q.Offer() != nil && q.Offer().DiskPrice.Known() {
		return v.priced(q.Offer().DiskPrice, 0, &Native{q.Offer().DiskPrice, q.Offer().DiskPrice.Currency(), "gb_month", q.AsOf, q.Source, q.Region})
	}
	k := storedKey{q.Provider, component}
	b, looked := v.stored[k]
	if !looked {
		b = v.sellersBytes(k)
		v.stored[k] = b
	}
	if b == nil {
		return pricedBytes{}, false
	}
	return *b, true
}

// storedKey is a component at a seller.
type storedKey struct{ provider, component string }

func (v *evaluator) sellersBytes(k storedKey) *pricedBytes {
	p := v.providers[k.provider]
	if p == nil {
		return nil
	}
	for _, kind := range storageKinds[k.component] {
		if s := bestStorage(p.Storage, kind); s != nil {
			if b, ok := v.priced(s.Amount, allowance(s.FreeAllowance), &Native{s.Amount, s.Amount.Currency(), s.Unit, s.AsOf.String(), s.Source, ""}); ok {
				return &b
			}
			return nil
		}
	}
	return nil
}

func (v *evaluator) priced(a money.Amount, free float64, n *Native) (pricedBytes, bool) {
	c, ok := v.convert(a)
	if !ok || !c.Known() {
		return pricedBytes{}, false
	}
	return pricedBytes{c, free, n}, true
}

// bestStorage is the most credible price of a kind, then the newest.
func bestStorage(all []catalog.StoragePrice, kind string) *catalog.StoragePrice {
	var best *catalog.StoragePrice
	for i := range all {
		s := &all[i]
		switch {
		case s.Kind != kind || !s.Amount.Known():
		case best == nil, s.Confidence.Better(best.Confidence), s.Confidence == best.Confidence && s.AsOf.Compare(best.AsOf) > 0:
			best = s
		}
	}
	return best
}

// allowance reads "100 GB/month" or "1 TiB", GB.
func allowance(text string) float64 {
	digits, suffix := splitUnit(text)
	word, _, _ := strings.Cut(strings.ReplaceAll(suffix, "/", " "), " ")
	var g GB
	if digits == "" || word == "" || g.UnmarshalText([]byte(digits+word)) != nil {
		return 0
	}
	return g.V
}

// storageLines adds the lines of bytes kept and moved: those of a run and those
// of a month.
func (v *evaluator) storageLines(to *Bill, j *job, p *placement, t *Terms, w *Work, e *Estimate) (err error) {
	s := j.s.Storage
	if s == nil {
		s = &Storage{}
	}
	hours := [3]float64{}
	for i := range w.Cases {
		u := &w.Cases[i]
		hours[i] = hoursOf(u.Work + max(u.Sessions, 1)*u.Start)
	}
	keep := func(dst []Line, component, what string, gb float64, hours [3]float64, machines int64) []Line {
		if gb <= 0 || err != nil {
			return dst
		}
		gb *= float64(max(machines, 1))
		b, known := v.bytesPrice(component, t.Quote, t.Own)
		if !known {
			if !v.included(component, gb, t) {
				to.missing = append(to.missing, plainNumber(round2(gb))+" GB of "+what)
			}
			return dst
		}
		charged := math.Max(0, gb-b.freeGB)
		if b.freeGB > 0 {
			e.warn(WarnAllowance, plainNumber(b.freeGB))
		}
		var cost [3]money.Amount
		for i := range cost {
			if cost[i], err = keptFor(b.price, charged, hours[i], t.Month); err != nil {
				return dst
			}
		}
		return add(dst, Line{
			Component: component, Quantity: Exact(charged * hours[1] / t.Month.Float()), Unit: "gb_month", UnitPrice: b.price, Cost: cases(cost), Native: b.native,
			Basis: keptBasis(charged, hours[1], t.Month.Float()),
		})
	}
	all := [3]float64{t.Month.Float(), t.Month.Float(), t.Month.Float()}
	to.Month = keep(to.Month, CompDataset, "object storage", s.DatasetGB.V, all, 1)
	to.Month = keep(to.Month, CompCheckpoints, "object storage", j.checkpointGB(p), all, 1)
	to.Month = keep(to.Month, CompVolume, "a network volume", s.VolumeGB.V, all, 1)
	n := w.Cases[1].Machines
	to.Run = keep(to.Run, CompDisk, "disks", s.DiskGB.V, hours, n)
	stopped := [3]float64{s.HoursStopped.V, s.HoursStopped.V, s.HoursStopped.V}
	if s.HoursStopped.V > 0 {
		to.Run = keep(to.Run, CompDiskStopped, "disks of a stopped machine", s.DiskGB.V, stopped, n)
	}
	if err != nil {
		return err
	}
	if to.Run, err = v.transferLine(to.Run, t); err != nil {
		return err
	}
	return v.egressLine(to, j, t, w)
}

// keptBasis is "100 GB x 50 h of 730".
func keptBasis(gb, hours, month float64) string {
	b := strconv.AppendFloat(make([]byte, 0, 48), round2(gb), 'f', -1, 64)
	b = strconv.AppendFloat(append(b, " GB x "...), round2(hours), 'f', -1, 64)
	b = strconv.AppendFloat(append(b, " h of "...), month, 'f', -1, 64)
	return string(b)
}

// included reports a disk that comes with the machine.
func (v *evaluator) included(component string, gb float64, t *Terms) bool {
	o := t.Quote.Offer()
	return component == CompDisk && o != nil && o.DiskGB >= gb
}

// keptFor is gb GB kept for hours at a price per GB and month.
func keptFor(price money.Amount, gb, hours float64, month money.Quantity) (money.Amount, error) {
	q, err := money.Quantify(gb)
	if err != nil {
		return money.Amount{}, err
	}
	h, err := money.Quantify(hours)
	if err != nil {
		return money.Amount{}, err
	}
	return pricing.StorageCost(price, q, h, month)
}

// checkpointGB is what kept checkpoints take: as stated, or two of all weights
// and optimiser states (14 bytes a parameter), or of the adapter alone.
func (j *job) checkpointGB(p *placement) float64 {
	s := j.s.Storage
	if s != nil && (s.CheckpointGB.V > 0 || j.s.Stated("storage.checkpoint_gb")) {
		return s.CheckpointGB.V
	}
	if j.s.Kind != KindTrain || j.train.Model == nil || j.shape.Diffusion || p.memory == nil {
		return 0
	}
	kept := 2.0
	if s != nil && s.Kept.V > 0 {
		kept = s.Kept.V
	}
	if c := j.train; c.frozen() {
		if c.LoRARank <= 0 {
			c.LoRARank = 16
		}
		return kept * 14 * c.adapterParams(&j.shape) / 1e9
	}
	return kept * 14 * j.shape.Params / 1e9
}

func (v *evaluator) egressLine(to *Bill, j *job, t *Terms, w *Work) error {
	gb := 0.0
	if s := j.s.Storage; s != nil {
		gb = s.EgressGB.V * w.Runs.Float()
	}
	if s := j.s.Serve; s != nil && j.s.Kind == KindServe {
		gb += s.EgressBytes.V * j.requests / 1e9
	}
	if gb <= 0 {
		return nil
	}
	b, known := v.bytesPrice(CompEgress, t.Quote, t.Own)
	if !known {
		to.missing = append(to.missing, plainNumber(round2(gb))+" GB of egress")
		return nil
	}
	charged := math.Max(0, gb-b.freeGB)
	q, err := money.Quantify(charged)
	if err != nil {
		return err
	}
	cost, err := b.price.Mul(q)
	if err != nil {
		return err
	}
	basis := "GB of 1e9 bytes sent to the internet in a month"
	if b.freeGB > 0 {
		basis += ", beyond " + plainNumber(b.freeGB) + " GB free"
	}
	to.Month = add(to.Month, Line{Component: CompEgress, Quantity: Exact(charged), Unit: "gb", UnitPrice: b.price, Cost: money.Exactly(cost), Basis: basis, Native: b.native})
	return nil
}

func (v *evaluator) transferLine(dst []Line, t *Terms) ([]Line, error) {
	if t.Own == nil || t.Own.Transfer == nil || t.Own.Transfer.GB.V == 0 {
		return dst, nil
	}
	x := t.Own.Transfer
	cur := x.Currency
	if cur == "" {
		cur = t.Own.currency()
	}
	native, err := money.Parse(string(x.Amount), cur)
	if err != nil {
		return dst, err
	}
	price, ok := v.convert(native)
	if !ok {
		return dst, errNoRate
	}
	q, err := money.Quantify(x.GB.V)
	if err != nil {
		return dst, err
	}
	there, err := native.Mul(q) // rounded once, in the currency it is paid in
	if err != nil {
		return dst, err
	}
	cost, _ := v.convert(there)
	return add(dst, Line{
		Component: CompTransfer, Quantity: Exact(x.GB.V), Unit: "gb", UnitPrice: price, Cost: money.Exactly(cost), Basis: "data brought there first",
		Native: &Native{native, cur, "gb", "", "scenario", ""},
	}), nil
}
