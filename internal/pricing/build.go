package pricing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// base is the part of a quote that comes from the offer alone.
func (c *comparison) base(o *catalog.Offer, g *catalog.GPU, p *catalog.Provider) Quote {
	memory, count := catalog.UsableMemoryGB(o, g), o.GPUs.Float()
	q := Quote{
		Provider: o.Provider, ProviderName: p.Name, Market: p.Market, Kind: o.Kind,
		Instance: o.Instance, Tier: o.Tier, Region: o.Region, Country: o.Country, Host: o.Host,
		GPU: o.GPU, GPUName: o.GPU, GPUMemoryGB: stated(&memory), GPUs: stated(&count),
		GPUCount: o.GPUs.String(), VCPUs: stated(&o.VCPUs), MemoryGiB: stated(&o.MemoryGiB),
		Interconnect: o.Interconnect, Currency: c.Exchange.To, Status: p.Status, Warnings: []Warning{},
		Note: o.Note, OnDemandPurchasable: true, offer: o, gpu: g, count: o.GPUs,
	}
	if q.Kind == "" {
		q.Kind = p.Kind
	}
	switch {
	case g == nil:
		q.warn(WarnUnknownGPU, o.GPU)
	case len(g.StandsFor) > 0:
		q.GPUName = g.Name
		q.warn(WarnVariant)
	default:
		q.GPUName = g.Name
	}
	switch p.Status {
	case "left":
		q.warn(WarnLeft, p.StatusSince)
	case "unreachable":
		q.warn(WarnUnreachable, p.StatusSince)
	}
	if p.Kind == "index" {
		q.warn(WarnIndex)
	}
	return q
}

// keep adds a quote. Quotes are large: they stay where they are, and only
// pointers to them move.
func (c *comparison) keep(q *Quote) *Quote {
	if len(c.room) == 0 {
		c.room = make([]Quote, 64)
	}
	at := &c.room[0]
	c.room = c.room[1:]
	*at = *q
	c.quotes = append(c.quotes, at)
	return at
}

// addUnknown adds the row of an offer that has no price of the kind asked for.
func (c *comparison) addUnknown(like *Quote) { c.keep(like).Purchase = c.Purchases[0] }

// add adds the quote of one observation; like is what the offer says of it.
func (c *comparison) add(like *Quote, t catalog.Chosen, onDemand reference) {
	q, o := c.keep(like), like.offer
	c.doubted = append(c.doubted[:0], like.Warnings...)
	q.Warnings = c.doubted
	pr := c.override(o, t.Price)
	q.price, q.asOf = pr, pr.AsOf
	q.Purchase, q.Plan, q.TermMonths = pr.Purchase, pr.Plan, stated(&pr.TermMonths)
	q.AsOf, q.Source, q.Confidence = pr.AsOf.String(), pr.Source, string(pr.Confidence)
	q.Scope, q.Commitment, q.Samples = pr.Scope, pr.Commitment, stated(&pr.Samples)
	q.Override = pr.Override
	if s := c.sources[pr.Source]; s != nil {
		q.SourceURL = s.URL
	}
	if pr.AsOf.Known() && c.Now.Known() {
		days := pr.AsOf.DaysUntil(c.Now)
		q.AgeDays = &days
	}
	if note := pr.Note; note != "" {
		if q.Note != "" {
			note = q.Note + "; " + note
		}
		q.Note = strings.TrimSpace(strings.Trim(note, "; "))
	}
	q.Native = native(t.Price)
	if err := c.price(q, pr, o); err != nil {
		q.warn(WarnAmount)
	}
	if pr.Purchase != catalog.OnDemand && q.PerGPUHour.Known() {
		q.OnDemandPerGPUHour, q.onDemand = onDemand.amount, onDemand.Price
		q.OnDemandPurchasable = onDemand.Price == nil || !onDemand.NotSold()
		q.SavingPercent = Saving(q.PerGPUHour, onDemand.amount)
	}
	c.doubts(q, pr, t)
	c.doubted = q.Warnings
	q.Warnings = slices.Clone(q.Warnings)
}

// native is an observation as its source states it, whatever an override makes
// of it; nil when it has no amount.
func native(p *catalog.Price) *Native {
	if !p.Known() {
		return nil
	}
	n := &Native{p.Low.Currency(), p.Low, p.Low, p.High, p.Per}
	if mid, err := money.Between(p.Low, p.High); err == nil {
		n.Amount = mid.Mid
	}
	return n
}

// price fills the amounts of q. Each is rounded at the nano-unit only.
func (c *comparison) price(q *Quote, pr *catalog.Price, o *catalog.Offer) error {
	if !pr.Known() {
		return nil
	}
	h, err := Hour(pr, o.GPUs, c.HoursPerMonth)
	if err != nil {
		return err
	}
	perGPU, ok := c.Exchange.Range(c.untaxed(h.PerGPU, pr))
	if !ok {
		q.warn(WarnNoRate, pr.Low.Currency())
		return nil
	}
	perInstance, _ := c.Exchange.Range(c.untaxed(h.PerInstance, pr))
	q.PerGPUHour, q.PerGPUHourLow, q.PerGPUHourHigh = perGPU.Mid, perGPU.Low, perGPU.High
	q.PerInstanceHour = perInstance.Mid
	if q.need, err = c.needed(q, perGPU, perInstance, o); err != nil {
		return err
	}
	month, err := q.need.MulFrac(int64(c.HoursPerMonth), int64(money.WholeQuantity(1)))
	if err != nil {
		return err
	}
	if stated, ok := statedMonth(pr, o.GPUs); ok && q.need.Known() {
		if month, err = c.monthOf(q, stated, pr); err != nil {
			return err
		}
	}
	if err := c.addDisk(q, &month, o); err != nil {
		return err
	}
	q.NeedPerHour, q.NeedPerMonth = q.need.Mid, month.Mid
	return nil
}

// monthOf is the need for a month at a price that is stated for a month: not
// divided by the hours and multiplied again.
func (c *comparison) monthOf(q *Quote, stated money.Range, pr *catalog.Price) (money.Range, error) {
	month, _ := c.Exchange.Range(c.untaxed(stated, pr))
	if q.Instances == nil {
		return month.MulFrac(c.Need, 1)
	}
	return month.MulFrac(*q.Instances, 1)
}

// needed is what must be paid per hour to hold the need: whole instances, or
// the exact number of GPUs when the instance size is not stated.
func (c *comparison) needed(q *Quote, perGPU, perInstance money.Range, o *catalog.Offer) (money.Range, error) {
	if !o.GPUs.Known() {
		return perGPU.MulFrac(c.Need, 1)
	}
	n := o.GPUs.Instances(c.Need)
	q.Instances = &n
	return perInstance.MulFrac(n, 1)
}

// addDisk adds the disk asked for, once, to what is paid per hour and month.
// Where its price is not known the quote says so.
func (c *comparison) addDisk(q *Quote, month *money.Range, o *catalog.Offer) error {
	if c.DiskGB == 0 || !q.need.Known() {
		return nil
	}
	disk, ok := c.Exchange.Convert(o.DiskPrice)
	if !disk.Known() || !ok {
		q.warn(WarnNoDisk, c.DiskGB)
		return nil
	}
	q.warn(WarnDisk, c.DiskGB, disk)
	perMonth, err := disk.Mul(c.DiskGB)
	if err != nil {
		return err
	}
	perHour, err := StorageCost(disk, c.DiskGB, money.WholeQuantity(1), c.HoursPerMonth)
	if err != nil {
		return err
	}
	if q.need, err = q.need.Add(money.Exactly(perHour)); err != nil {
		return err
	}
	*month, err = month.Add(money.Exactly(perMonth))
	return err
}

// untaxed brings a range to the tax basis asked for: without tax, or with
// TaxPercent. An unknown basis with a tax asked for is a range.
func (c *comparison) untaxed(r money.Range, pr *catalog.Price) money.Range {
	if !r.Known() {
		return r
	}
	if c.TaxPercent == nil && pr.Tax != "included" {
		return r
	}
	times := func(a money.Amount, num, den int64) money.Amount {
		out, err := a.MulFrac(num, den)
		if err != nil {
			return money.Amount{}
		}
		return out
	}
	all := func(num, den int64) money.Range {
		return money.Range{Low: times(r.Low, num, den), Mid: times(r.Mid, num, den), High: times(r.High, num, den)}
	}
	hundred := int64(money.WholeQuantity(100))
	included := hundred
	if q, err := money.Quantify(pr.TaxPercent); err == nil {
		included += int64(q)
	}
	switch {
	case pr.Tax == "included" && c.TaxPercent == nil:
		return all(hundred, included)
	case pr.Tax == "included":
		return r
	}
	asked := hundred + int64(*c.TaxPercent)
	with := all(asked, hundred)
	if pr.Tax == "unknown" {
		mid, err := money.Between(r.Low, with.High)
		if err != nil {
			return with
		}
		return mid
	}
	return with
}

// doubts adds the warnings that the observation deserves.
func (c *comparison) doubts(q *Quote, pr *catalog.Price, t catalog.Chosen) {
	switch {
	case !pr.AsOf.Known():
		q.warn(WarnUndated)
	case q.AgeDays != nil && *q.AgeDays > catalog.FreshDays:
		q.warn(WarnStale, *q.AgeDays)
	}
	if pr.Confidence == catalog.Low {
		q.warn(WarnLow, c.sourceName(pr.Source))
	}
	if low, high, ok := c.conflict(q, t); ok {
		q.warn(WarnConflict, low, high)
	}
	if pr.Purchase == catalog.Spot && q.SavingPercent != nil && *q.SavingPercent < 0 {
		q.warn(WarnSpotDearer)
	}
	if !q.OnDemandPurchasable && q.SavingPercent != nil {
		q.warn(WarnListPrice)
	}
	if q.count.Fraction() {
		q.warn(WarnFraction, q.count)
	} else if q.Instances != nil && *q.Instances*q.count.Num > c.Need {
		q.warn(WarnMultiples, q.count, c.Need, *q.Instances*q.count.Num)
	}
	if q.Instances != nil && *q.Instances > 1 && c.Need > 1 && !q.count.Fraction() && !networked(q.offer) {
		q.warn(WarnSplit, *q.Instances)
	}
	if !q.count.Known() && pr.Known() {
		q.warn(WarnSize)
	}
	c.moreDoubts(q, pr)
}

func (c *comparison) moreDoubts(q *Quote, pr *catalog.Price) {
	if pr.Known() && pr.Low != pr.High {
		q.warn(WarnRange, pr.Low.String()+" "+string(pr.Low.Currency()), pr.High.String()+" "+string(pr.High.Currency()))
	}
	if pr.Scope == catalog.ScopeGPUOnly {
		q.warn(WarnGPUOnly)
	}
	if pr.Samples > 0 {
		q.warn(WarnListings, pr.Samples)
	}
	if pr.Override != "" {
		q.warn(WarnOverride, pr.Override, c.overrideReason(pr.Override))
	}
	if pr.NotSold() || q.offer.Available != nil && !*q.offer.Available {
		q.warn(WarnUnavailable)
	}
	if pr.Commitment != "" && pr.Commitment != "none" {
		q.warn(WarnCommitment, pr.Commitment)
	}
	if pr.Tax == "unknown" && c.TaxPercent != nil {
		q.warn(WarnTaxUnknown)
	}
	if pr.Tax == "included" && c.TaxPercent == nil {
		q.warn(WarnTaxIncluded, fmt.Sprint(pr.TaxPercent))
	}
	if pr.Free {
		q.warn(WarnFree)
	}
}

func (c *comparison) sourceName(id string) string {
	if s := c.sources[id]; s != nil && s.Name != "" {
		return s.Name
	}
	return id
}

// conflict finds other sources' observations of the same thing within
// FreshDays of the chosen one that differ by more than 20 %.
func (c *comparison) conflict(q *Quote, t catalog.Chosen) (low, high money.Amount, ok bool) {
	if !q.PerGPUHour.Known() || !t.AsOf.Known() {
		return
	}
	low, high = q.PerGPUHour, q.PerGPUHour
	for _, p := range t.Others {
		days := 0
		if p.AsOf.Known() {
			days = p.AsOf.DaysUntil(t.AsOf)
		}
		if !p.Known() || !p.AsOf.Known() || p.Source == t.Source || days > catalog.FreshDays || days < -catalog.FreshDays {
			continue
		}
		h, err := Hour(c.override(q.offer, p), q.count, c.HoursPerMonth) // a deal changes every source alike
		if err != nil {
			continue
		}
		r, rate := c.Exchange.Range(c.untaxed(h.PerGPU, p))
		if !rate || !r.Known() {
			continue
		}
		if r.Mid.Cmp(low) < 0 {
			low = r.Mid
		}
		if r.Mid.Cmp(high) > 0 {
			high = r.Mid
		}
	}
	return low, high, farApart(low, high)
}

// farApart reports a difference of more than 20 %.
func farApart(low, high money.Amount) bool {
	limit, err := low.MulFrac(6, 5)
	return err == nil && low.Known() && low.Sign() > 0 && high.Known() && high.Cmp(limit) > 0
}
