package source

import (
	"fmt"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Canary is a pinned price: when the source says something far from it, the
// source or its reader has changed its unit.
type Canary struct {
	Instance, Region string // Region "" is any
	Purchase         catalog.Purchase
	Amount           string // plain decimal
	Currency         money.Currency
	Per              unit.Per
}

// Decision is what the gate says of a batch.
type Decision string

// Decisions. Only an accepted batch may become visible; the last good rows of
// a held or rejected source stay, with their own times.
const (
	Accept Decision = "accepted"
	Hold   Decision = "held"     // probably right, but a person should look
	Reject Decision = "rejected" // wrong or incomplete
)

// Finding is one thing the gate saw.
type Finding struct {
	Code    string // schema, zero, identity, gpu, band, spot_above_on_demand, collapse, growth, jump, canary
	Message string
	Effect  Decision // "" is a remark
}

// Rejection is a row that was left out.
type Rejection struct{ Item, Reason string }

// Verdict is the gate's answer about one batch.
type Verdict struct {
	Decision Decision
	Findings []Finding
	Offers   []catalog.Offer // the rows that may be kept, if accepted
	Rejected []Rejection     // at most 1,000
	Rows     int             // prices with an amount and interruption figures, before rows were left out
	Bad      int             // rows left out
	// Interruption are the figures that may be kept, if accepted.
	Interruption []catalog.Interruption
}

// Policy is what the gate measures against, beside the previous run.
type Policy struct {
	// GPUs gives the memory of a GPU in GB by id; nil checks none.
	GPUs func(id string) (memoryGB float64, ok bool)
	// USD converts an amount; an amount it cannot convert is not measured.
	USD func(money.Amount) (money.Amount, bool)
	// Seeds are bands of known prices, such as the embedded catalog's, for
	// GPUs that the history has less than 100 observations of.
	Seeds map[BandKey]Band
	// AcceptShrink takes a batch that lost rows or grew out of proportion,
	// AcceptJump one whose prices jumped, after a person looked.
	AcceptShrink, AcceptJump bool
}

// Limits of the gate.
const (
	maxBadShare     = 0.02
	maxUSDPerGPU    = 10_000 // an hour
	minHistory      = 100    // observations before history's own band counts
	maxGPUs         = 144    // two GB200 NVL72 racks
	memoryTolerance = 0.07   // between a row's and the card's memory
	leastRows       = 0.70   // of the previous run's
	leastPart       = 0.50   // of a GPU's rows, or of the regions
	mostGrowth      = 3      // times the previous run's rows
	medianJump      = 0.10   // of |ln(new/old)|
	mostChanged     = 0.60   // share of prices, of a list
	canaryBand      = 0.60   // around a pinned price
	fewPrices       = 10     // below which the share of changes says nothing
	maxRejectedRows = 1000   // kept in detail
	spotOverList    = 105    // percent of the on-demand price, beyond which spot is remarked
	sharpJump       = 0.001  // how exactly a ratio must be 2, 4, 8, 10 or 100
)

// sharp are the ratios of unit errors: halves, machines of 4 and 8 GPUs,
// decimal slips, cents for dollars.
var sharp = []int64{2, 4, 8, 10, 100}

// Check is the accept gate: pure, and the same for every source. It works on
// copies; the batch stays as it was read.
func Check(b *Batch, prev Previous, pol Policy) Verdict {
	g := gate{b: b, prev: prev, pol: pol, v: Verdict{Decision: Accept}}
	g.rows()
	g.identity()
	g.bands()
	g.sharpJumps()
	g.keep()
	g.figures()
	g.share()
	g.canaries()
	g.collapse()
	g.jump()
	g.figuresMoved()
	g.other()
	for _, f := range g.v.Findings {
		if f.Effect == Reject || f.Effect == Hold && g.v.Decision == Accept {
			g.v.Decision = f.Effect
		}
	}
	return g.v
}

// row is one price of one offer under examination.
type row struct {
	o   *catalog.Offer
	p   *catalog.Price
	key RowKey
	bad string // why it is left out
	// newest is false for the older days of a price.
	newest bool
}

type gate struct {
	b    *Batch
	prev Previous
	pol  Policy
	v    Verdict
	all  []row
}

func (g *gate) find(effect Decision, code, format string, args ...any) {
	g.v.Findings = append(g.v.Findings, Finding{code, fmt.Sprintf(format, args...), effect})
}

// rows checks each price alone: unit, currency, sign, size, GPUs.
func (g *gate) rows() {
	g.all = make([]row, 0, len(g.b.Offers))
	for i := range g.b.Offers {
		o := &g.b.Offers[i]
		why := g.offer(o)
		for j := range o.Prices {
			p := &o.Prices[j]
			if !p.Low.Known() {
				continue
			}
			r := row{o: o, p: p, key: dayKeyOf(o, p), bad: why, newest: true}
			if r.bad == "" {
				r.bad = g.price(o, p)
			}
			g.all = append(g.all, r)
		}
	}
	g.v.Rows = len(g.all)
	g.newest()
	shares, unknown := 0, 0
	for i := range g.b.Offers {
		if g.b.Offers[i].GPUs.Fraction() {
			shares++
		}
		if !g.b.Offers[i].GPUKnown {
			unknown++
		}
	}
	if shares > 0 {
		g.find("", "gpu", "%d offers hold a share of a GPU", shares)
	}
	if unknown > 0 {
		g.find("", "gpu", "%d offers have a GPU that the catalog does not know", unknown)
	}
}

// newest tells the last day of each price from those before it.
func (g *gate) newest() {
	last := map[RowKey]int{}
	for i := range g.all {
		r := &g.all[i]
		if !r.key.AsOf.Known() {
			continue
		}
		key := KeyOf(r.o, r.p)
		j, seen := last[key]
		switch {
		case !seen:
			last[key] = i
		case g.all[j].key.AsOf.Compare(r.key.AsOf) < 0:
			g.all[j].newest, last[key] = false, i
		default:
			r.newest = false
		}
	}
}

func (g *gate) offer(o *catalog.Offer) string {
	switch n := o.GPUs.Float(); {
	case o.Provider == "" || o.Instance == "" && o.GPU == "":
		return "schema: no provider or no machine"
	case n <= 0 || n > maxGPUs:
		return fmt.Sprintf("gpu: %s GPUs, want up to %d", o.GPUs, maxGPUs)
	}
	if g.pol.GPUs == nil || !o.GPUKnown || o.GPUMemoryGB == 0 || o.GPUs.Fraction() {
		return ""
	}
	memory, ok := g.pol.GPUs(o.GPU)
	if ok && memory > 0 && (o.GPUMemoryGB > memory*(1+memoryTolerance) || o.GPUMemoryGB < memory*(1-memoryTolerance)) {
		return fmt.Sprintf("gpu: %g GB per GPU, %s has %g GB", o.GPUMemoryGB, o.GPU, memory)
	}
	return ""
}

func (g *gate) price(o *catalog.Offer, p *catalog.Price) string {
	want := g.b.Format.Currencies
	switch {
	case p.Low.Currency() != p.High.Currency() || p.Low.Cmp(p.High) > 0:
		return "schema: low and high are not a range"
	case !catalog.KnownCurrency(p.Low.Currency()) || len(want) > 0 && !slices.Contains(want, p.Low.Currency()):
		return "schema: currency " + string(p.Low.Currency()) + " is not expected of this source"
	case p.Low.Sign() < 0 || p.Low.IsZero() && !p.Free:
		return "zero: " + p.Low.String()
	}
	if _, err := unit.ParsePer(string(p.Per)); err != nil {
		return "schema: " + err.Error()
	}
	if usd, ok := g.usdPerGPUHour(o, p, p.High); ok && usd.Cmp(money.FromNano(maxUSDPerGPU*1_000_000_000, "USD")) > 0 {
		return fmt.Sprintf("band: %s USD per GPU-hour", usd)
	}
	return ""
}

// usdPerGPUHour is an amount of a price on the scale of the bands; false
// where the price is of the accelerator alone or cannot be converted.
func (g *gate) usdPerGPUHour(o *catalog.Offer, p *catalog.Price, a money.Amount) (money.Amount, bool) {
	perGPU, ok := PerGPUHour(o, p, a)
	if !ok || p.Scope == "gpu_only" {
		return money.Amount{}, false
	}
	if perGPU.Currency() == "USD" {
		return perGPU, true
	}
	if g.pol.USD == nil {
		return money.Amount{}, false
	}
	return g.pol.USD(perGPU)
}

// PerGPUHour converts an amount of a price to one GPU and one hour; false
// when the unit or the term does not allow it.
func PerGPUHour(o *catalog.Offer, p *catalog.Price, a money.Amount) (money.Amount, bool) {
	num, den := int64(1), int64(1)
	switch p.Per {
	case unit.PerGPUHour, unit.PerInstanceHour:
	case unit.PerGPUMonth, unit.PerInstanceMonth:
		den = unit.HoursPerMonth
	case unit.PerGPUSecond:
		num = 3600
	case unit.PerInstanceTerm:
		if p.TermMonths <= 0 {
			return money.Amount{}, false
		}
		den = unit.HoursPerMonth * int64(p.TermMonths)
	default:
		return money.Amount{}, false
	}
	if p.Per.Instance() {
		if !o.GPUs.Known() {
			return money.Amount{}, false
		}
		num, den = num*o.GPUs.Den, den*o.GPUs.Num
	}
	out, err := a.MulFrac(num, den)
	return out, err == nil && out.Known()
}

// identity rejects a key that stands for two prices.
func (g *gate) identity() {
	first := map[RowKey]int{}
	for i := range g.all {
		j, seen := first[g.all[i].key]
		if !seen {
			first[g.all[i].key] = i
			continue
		}
		a, b := &g.all[i], &g.all[j]
		if a.p.Low != b.p.Low || a.p.High != b.p.High {
			why := fmt.Sprintf("identity: two prices, %s and %s", b.p.Low, a.p.Low)
			a.bad, b.bad = firstOf(a.bad, why), firstOf(b.bad, why)
		}
	}
}

// bands rejects prices far outside of what this GPU has cost, and remarks
// spot prices above on demand: those do occur.
func (g *gate) bands() {
	onDemand := map[RowKey]money.Amount{}
	for i := range g.all {
		r := &g.all[i]
		if r.key.Purchase == catalog.OnDemand {
			onDemand[r.key.without()] = r.p.Low
		}
		usd, ok := g.usdPerGPUHour(r.o, r.p, r.p.Low)
		if !ok || r.bad != "" || r.p.Free {
			continue
		}
		if band := g.band(BandKey{r.o.GPU, r.p.Purchase}, r.o.GPUKnown); !band.holds(usd) {
			r.bad = fmt.Sprintf("band: %s USD per GPU-hour, %s %s costs %s to %s", usd, r.o.GPU, r.p.Purchase, band.Low, band.High)
		}
	}
	n, example := 0, ""
	for i := range g.all {
		r := &g.all[i]
		list := onDemand[r.key.without()]
		if r.key.Purchase != catalog.Spot || !list.Known() || list.Currency() != r.p.Low.Currency() {
			continue
		}
		if limit, err := list.MulFrac(spotOverList, 100); err == nil && r.p.Low.Cmp(limit) > 0 {
			n, example = n+1, r.key.String()
		}
	}
	if n > 0 {
		g.find("", "spot_above_on_demand", "%d spot prices are more than 5 %% above on demand, such as %s", n, example)
	}
}

func (g *gate) band(key BandKey, known bool) Band {
	if b, ok := g.prev.Bands[key]; ok && b.N >= minHistory {
		return b
	}
	if b, ok := g.pol.Seeds[key]; ok && known {
		return b
	}
	return absolute
}

// sharpJumps leaves out single prices that moved by exactly a unit error's
// ratio. On a marketplace prices move freely, so only whole batches count.
func (g *gate) sharpJumps() {
	if g.pol.AcceptJump || g.b.Format.Kind == KindMarketplace || g.b.Format.Kind == KindAggregator {
		return
	}
	for i := range g.all {
		r := &g.all[i]
		old, ok := g.prev.Prices[KeyOf(r.o, r.p)]
		if r.bad != "" || !ok || !r.newest {
			continue
		}
		if n, down, ok := sharpRatio(old, r.p.Low); ok {
			r.bad = fmt.Sprintf("jump: %s to %s, exactly %s %d: a unit error?", old, r.p.Low, map[bool]string{true: "a division by", false: "times"}[down], n)
		}
	}
}

// keep copies what is not left out.
func (g *gate) keep() {
	bad := map[*catalog.Price]bool{}
	g.v.Offers = make([]catalog.Offer, 0, len(g.b.Offers))
	for _, r := range g.all {
		if r.bad == "" {
			continue
		}
		bad[r.p] = true
		if g.v.Bad++; len(g.v.Rejected) < maxRejectedRows {
			g.v.Rejected = append(g.v.Rejected, Rejection{r.key.String(), r.bad})
		}
	}
	for i := range g.b.Offers {
		o := g.b.Offers[i]
		kept := make([]catalog.Price, 0, len(o.Prices))
		for j := range o.Prices {
			if !bad[&o.Prices[j]] {
				kept = append(kept, o.Prices[j])
			}
		}
		if o.Prices = kept; len(kept) > 0 {
			g.v.Offers = append(g.v.Offers, o)
		}
	}
}
