package source

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// RowKey is the identity of one price: what must not stand twice, and what is
// compared with the previous run.
type RowKey struct {
	Provider, Instance, GPU, GPUs, Region, Tier, Host string
	Purchase                                          catalog.Purchase
	Plan, Commitment, Scope                           string
	TermMonths                                        int
	Per                                               unit.Per
	Currency                                          money.Currency
	AsOf                                              catalog.Date // within a list of several days; else unknown
}

// KeyOf is the identity of a price of an offer, of whatever day.
func KeyOf(o *catalog.Offer, p *catalog.Price) RowKey {
	return RowKey{
		o.Provider, o.Instance, o.GPU, o.GPUs.String(), o.Region, o.Tier, o.Host,
		p.Purchase, p.Plan, p.Commitment, p.Scope, p.TermMonths, p.Per, p.Low.Currency(),
		catalog.Date{},
	}
}

// dayKeyOf is the identity of a price within its list, which may tell the
// same price of several days.
func dayKeyOf(o *catalog.Offer, p *catalog.Price) RowKey {
	k := KeyOf(o, p)
	if dated(o) {
		k.AsOf = p.AsOf
	}
	return k
}

// dated reports whether an offer carries the same price of several days.
func dated(o *catalog.Offer) bool {
	for i := range o.Prices {
		if o.Prices[i].AsOf != o.Prices[0].AsOf {
			return true
		}
	}
	return false
}

// without is the key of the machine, whatever the purchase.
func (k RowKey) without() RowKey {
	k.Purchase, k.Plan, k.Commitment, k.TermMonths = "", "", "", 0
	return k
}

// String names the row for people.
func (k RowKey) String() string {
	s := fmt.Sprintf("%s %s %s %s %s %s %s", k.Provider, k.Instance, k.GPU, k.Region, k.Tier, k.Purchase, k.Plan)
	if k.TermMonths > 0 {
		s += fmt.Sprintf(" %d months", k.TermMonths)
	}
	return strings.Join(strings.Fields(s), " ")
}

// BandKey is what a band of prices is of.
type BandKey struct {
	GPU      string
	Purchase catalog.Purchase
}

// Band is the range of plausible prices in USD per GPU-hour.
type Band struct {
	Low, High money.Amount
	N         int // observations behind it
}

func (b Band) holds(a money.Amount) bool { return a.Cmp(b.Low) >= 0 && a.Cmp(b.High) <= 0 }

// absolute is the band of a GPU that nothing is known of.
var absolute = Band{Low: money.MustParse("0.002", "USD"), High: money.MustParse("200", "USD")}

// Previous is what the last accepted run of a source left behind. The zero
// Previous is a first run.
type Previous struct {
	SHA256  string
	Rows    int                     // prices with an amount; those of several days are one
	ByGPU   map[string]int          // offers by GPU
	Regions int                     // distinct
	Prices  map[RowKey]money.Amount // the lower end of each price
	Bands   map[BandKey]Band        // from the source's own history
	Figures map[FigureKey]float64   // the lower end of each interruption figure
}

// SummaryOf is the Previous that offers leave for the next run, without
// bands: of each price its newest day.
func SummaryOf(offers []catalog.Offer) Previous {
	p := Previous{ByGPU: map[string]int{}, Prices: map[RowKey]money.Amount{}}
	regions := map[string]bool{}
	days := map[RowKey]catalog.Date{}
	for i := range offers {
		o := &offers[i]
		priced := false
		for j := range o.Prices {
			price := &o.Prices[j]
			if !price.Low.Known() {
				continue
			}
			priced = true
			key := KeyOf(o, price)
			if day, again := days[key]; !again || price.AsOf.Compare(day) > 0 {
				p.Prices[key], days[key] = price.Low, price.AsOf
			}
		}
		if priced {
			p.ByGPU[o.GPU]++
			regions[o.Region] = true
		}
	}
	p.Rows, p.Regions = len(p.Prices), len(regions)
	return p
}

// Bands measures the prices of offers: from a third of the 1st percentile to
// three times the 99th, per GPU and purchase, in USD per GPU-hour. A GPU with
// fewer than three prices gets none.
func Bands(offers []catalog.Offer, usd func(money.Amount) (money.Amount, bool)) map[BandKey]Band {
	g := gate{pol: Policy{USD: usd}}
	all := map[BandKey][]money.Amount{}
	for i := range offers {
		o := &offers[i]
		for j := range o.Prices {
			p := &o.Prices[j]
			key := BandKey{o.GPU, p.Purchase}
			for _, a := range []money.Amount{p.Low, p.High} {
				if v, ok := g.usdPerGPUHour(o, p, a); ok && v.Sign() > 0 {
					all[key] = append(all[key], v)
				}
			}
		}
	}
	out := map[BandKey]Band{}
	for key, list := range all {
		if len(list) < 6 { // low and high of three prices
			continue
		}
		slices.SortFunc(list, money.Amount.Cmp)
		low, err1 := list[len(list)/100].MulFrac(1, 3)
		high, err2 := list[(len(list)*99)/100].MulFrac(3, 1)
		if err1 == nil && err2 == nil {
			out[key] = Band{low, high, len(list) / 2}
		}
	}
	return out
}

// share rejects a batch with too many faulty rows, or whose pinned machines
// are among them. Rows that the reader rejected count too.
func (g *gate) share() {
	bad := g.v.Bad + g.b.Count(Faulty)
	total := g.v.Rows + g.b.Count(Faulty)
	if total > 0 && bad > 1 && float64(bad)/float64(total) > maxBadShare {
		g.find(Reject, "schema", "%d of %d rows are faulty, more than %g %%; %s", bad, total, 100*maxBadShare, g.mostOften())
	} else if bad > 0 {
		g.find("", "schema", "%d of %d rows are left out; %s", bad, total, g.mostOften())
	}
	if total == 0 && len(g.b.Tokens)+len(g.b.FX) == 0 {
		g.find(Reject, "collapse", "no row has a price")
	}
}

// mostOften is the commonest reason, with an example.
func (g *gate) mostOften() string {
	count, example := map[string]int{}, map[string]string{}
	for _, r := range g.v.Rejected {
		code, _, _ := strings.Cut(r.Reason, ":")
		count[code]++
		example[code] = r.Item + ": " + r.Reason
	}
	for _, l := range g.b.Left {
		if l.Kind == Faulty {
			count[l.Reason] += l.Count
			example[l.Reason] = l.String()
		}
	}
	best := ""
	for _, code := range slices.Sorted(maps.Keys(count)) {
		if count[code] > count[best] {
			best = code
		}
	}
	return "such as " + example[best]
}

// canaries checks the pinned prices.
func (g *gate) canaries() {
	for _, c := range g.b.Format.Canaries {
		want, err := money.Parse(c.Amount, c.Currency)
		if err != nil {
			continue
		}
		found := false
		for i := range g.all {
			r := &g.all[i]
			if !r.newest || r.o.Instance != c.Instance || c.Region != "" && r.o.Region != c.Region || r.p.Purchase != c.Purchase || r.p.Per != c.Per || r.p.Low.Currency() != c.Currency {
				continue
			}
			found = true
			low, err1 := want.MulFrac(100-int64(100*canaryBand), 100)
			high, err2 := want.MulFrac(100+int64(100*canaryBand), 100)
			switch {
			case r.bad != "":
				g.find(Reject, "canary", "%s is faulty: %s", r.key, r.bad)
			case !g.pol.AcceptJump && err1 == nil && err2 == nil && (r.p.Low.Cmp(low) < 0 || r.p.Low.Cmp(high) > 0):
				g.find(Reject, "canary", "%s costs %s %s, pinned at %s +- %g %%%s", r.key, r.p.Low, c.Per, want, 100*canaryBand, ratioWords(want, r.p.Low))
			}
		}
		if !found && g.b.Format.EachIs != "provider" {
			g.find("", "canary", "the pinned machine %s %s is not in the answer", c.Instance, c.Region)
		}
	}
}

// collapse compares the number of rows with the previous run's.
func (g *gate) collapse() {
	if g.prev.Rows == 0 {
		return
	}
	effect := Reject
	if g.pol.AcceptShrink {
		effect = ""
	}
	now := SummaryOf(g.v.Offers)
	if float64(now.Rows) < leastRows*float64(g.prev.Rows) {
		g.find(effect, "collapse", "%d prices, the previous run had %d", now.Rows, g.prev.Rows)
	}
	for _, gpu := range slices.Sorted(maps.Keys(g.prev.ByGPU)) {
		if old := g.prev.ByGPU[gpu]; float64(now.ByGPU[gpu]) < leastPart*float64(old) {
			g.find(effect, "collapse", "%d offers of %s, the previous run had %d", now.ByGPU[gpu], gpu, old)
		}
	}
	if float64(now.Regions) < leastPart*float64(g.prev.Regions) {
		g.find(effect, "collapse", "%d regions, the previous run had %d", now.Regions, g.prev.Regions)
	}
	if now.Rows > mostGrowth*g.prev.Rows {
		if effect == Reject {
			effect = Hold
		}
		g.find(effect, "growth", "%d prices, the previous run had %d", now.Rows, g.prev.Rows)
	}
}

// jump compares the prices with the previous run's.
func (g *gate) jump() {
	var moves []float64
	ratios := map[string]int{}
	changed := 0
	for i := range g.all {
		r := &g.all[i]
		old, ok := g.prev.Prices[KeyOf(r.o, r.p)]
		if !ok || !r.newest {
			continue
		}
		q, ok := money.Ratio(r.p.Low, old)
		if !ok || q.Sign() <= 0 {
			continue
		}
		x, _ := q.Float64()
		moves = append(moves, math.Abs(math.Log(x)))
		if x != 1 {
			changed++
		}
		if n, down, ok := sharpRatio(old, r.p.Low); ok {
			ratios[fmt.Sprintf("%s %d", map[bool]string{true: "a division by", false: "times"}[down], n)]++
		}
	}
	if len(moves) == 0 {
		return
	}
	effect := Hold
	if g.pol.AcceptJump {
		effect = ""
	}
	slices.Sort(moves)
	if m := moves[len(moves)/2]; m > medianJump {
		g.find(effect, "jump", "half of the %d prices moved by more than %.0f %%%s", len(moves), 100*(math.Exp(m)-1), mostRatio(ratios, len(moves)))
	}
	market := g.b.Format.Kind == KindMarketplace || g.b.Format.Kind == KindAggregator || g.b.Format.Class == SpotPrice
	if share := float64(changed) / float64(len(moves)); !market && len(moves) >= fewPrices && share > mostChanged {
		g.find(effect, "jump", "%.0f %% of the prices of a list changed at once%s", 100*share, mostRatio(ratios, len(moves)))
	}
}

// mostRatio names a unit error that most prices share.
func mostRatio(ratios map[string]int, of int) string {
	names := slices.SortedFunc(maps.Keys(ratios), func(a, b string) int { return cmp.Or(ratios[b]-ratios[a], strings.Compare(a, b)) })
	if len(names) == 0 || ratios[names[0]]*2 < of {
		return ""
	}
	return fmt.Sprintf("; %d of them exactly %s: a unit error?", ratios[names[0]], names[0])
}

// sharpRatio reports whether a price moved by exactly the ratio of a unit error.
func sharpRatio(old, now money.Amount) (n int64, down, ok bool) {
	q, known := money.Ratio(now, old)
	if !known || q.Sign() <= 0 {
		return 0, false, false
	}
	x, _ := q.Float64()
	down = x < 1
	if down {
		x = 1 / x
	}
	for _, n := range sharp {
		if math.Abs(x/float64(n)-1) <= sharpJump {
			return n, down, true
		}
	}
	return 0, false, false
}

func ratioWords(old, now money.Amount) string {
	q, ok := money.Ratio(now, old)
	if !ok {
		return ""
	}
	x, _ := q.Float64()
	return fmt.Sprintf(" (ratio %.3g)", x)
}

// other checks what is not an offer: token prices and exchange rates.
func (g *gate) other() {
	seen := map[string]catalog.TokenPrice{}
	for _, t := range g.b.Tokens {
		key := t.Provider + "\x00" + t.ModelID
		if old, ok := seen[key]; ok && (old.Input != t.Input || old.Output != t.Output) {
			g.find("", "identity", "%s %s has two prices", t.Provider, t.ModelID)
		}
		seen[key] = t
		// 1,000 USD per million tokens is above every model sold: the file is
		// per token where per million is read, or the other way round.
		if t.Input.Known() && t.Input.Cmp(money.FromNano(1000*1_000_000_000, t.Input.Currency())) > 0 {
			g.find(Reject, "band", "%s %s costs %s per million input tokens", t.Provider, t.ModelID, t.Input)
		}
	}
	for _, r := range g.b.FX {
		if want, ok := fxSeeds[string(r.Base)+string(r.Quote)]; ok {
			if x := r.Value.Float() / want; x > 2 || x < 0.5 {
				g.find(Reject, "band", "%s/%s is %s, expected near %g", r.Base, r.Quote, r.Value, want)
			}
		}
	}
}

// fxSeeds are rates that will not double: an inverted pair or another base is
// told by them.
var fxSeeds = map[string]float64{"EURUSD": 1.1, "EURCNY": 7.8, "EURGBP": 0.86, "EURINR": 95, "EURJPY": 165, "USDCNY": 7, "USDEUR": 0.9, "USDINR": 86, "USDJPY": 150}
