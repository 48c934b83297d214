package estimate

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
)

// Rental is GPU work of known length, for comparing every way of buying the
// GPUs by what the finished work costs.
type Rental struct {
	Catalog *catalog.Catalog
	Query   pricing.Query // Need is the GPUs that work at once
	Hours   float64       // of undisturbed work on all of them
	// Use is the share of the time, above 0 and at most 1, in which machines
	// that are paid by the month do this or other work. 0 is not stated: nothing
	// but this work uses them, and whole terms are paid for it.
	Use     money.Quantity
	Listed  bool // keep the order of Query.Sort; else the cheapest finished work comes first
	Dearest bool // the dearest first, unless Listed
}

// Finished is the answer to a [Rental].
type Finished struct {
	Result pricing.Result
	Ways   []Effective // of the quotes of Result, in their order
	// Cheapest, Best and Second are places in Ways, -1 where there is none: the
	// cheapest, the cheapest whose price is not in grave doubt (the cheapest
	// where all are), and the next of another seller or way of buying.
	Cheapest, Best, Second int
	Flips                  []Flip // what would make another way the best

	rental *rental
}

// Effective is what finished work costs at a quote.
type Effective struct {
	PerGPUHour  money.Range // of finished work; null where it is not known
	Cost        money.Range // of all of it
	Lines       []Line      // of the cost
	Hours       *Triple     // wall clock, with interruptions
	Use         *float64    // share of the paid time that is used, where months are paid
	Assumptions []Assumed
	Warnings    []Warning
	Code        string // why the cost is not known: one of the codes below, else empty
	Reason      string // the same in words

	spot *Interrupted
}

// OwnSeller is the provider that stands for own hardware.
const OwnSeller = ownSeller

// Why the cost of a way is not known.
const (
	UnknownPrice         = "price_unknown"
	UnknownInterruptions = "interruptions_unknown"
	UnknownEnd           = "never_done" // interruptions come too often for the work ever to be done
	UnknownAmount        = "amount_out_of_range"
)

// Has reports whether the way carries the warning.
func (w *Effective) Has(code string) bool {
	return slices.ContainsFunc(w.Warnings, func(x Warning) bool { return x.Code == code })
}

// rental carries one answer.
type rental struct {
	*evaluator
	use   money.Quantity
	hours float64
}

// change multiplies inputs, to see what they do.
type change struct{ price, hours, rate, save, use float64 }

var unchanged = change{1, 1, 1, 1, 1}

// Finish answers what finished work costs at every offer that the query
// matches. Hours must be above 0 and at most a million.
func Finish(r *Rental) (*Finished, error) {
	if !(r.Hours > 0 && r.Hours <= mostHours) {
		return nil, fmt.Errorf("work of %g h: want above 0 and up to 1,000,000", r.Hours)
	}
	if r.Use < 0 || r.Use > money.WholeQuantity(1) {
		return nil, fmt.Errorf("a use of %s: want a share above 0 and up to 1", r.Use)
	}
	s := &Scenario{
		Schema: 1, Kind: KindTrain, Train: &TrainWork{Hours: Hours{r.Hours}}, Hardware: &Hardware{GPUs: int(r.Query.Need)},
		Storage: &Storage{DiskGB: GB{r.Query.DiskGB.Float()}},
	}
	v, err := newEvaluator(&Request{Scenario: s, Catalog: r.Catalog, Query: r.Query})
	if err != nil {
		return nil, err
	}
	x := &rental{evaluator: v, use: r.Use, hours: r.Hours}
	f := &Finished{Result: x.compare(), rental: x}
	for i := range f.Result.Quotes {
		f.Ways = append(f.Ways, x.way(&f.Result.Quotes[i], unchanged))
	}
	if !r.Listed {
		f.sort(r.Dearest)
	}
	f.choose()
	f.Flips = f.flips()
	return f, nil
}

// compare are the quotes of all that is sold, by the hour, second or month.
func (x *rental) compare() pricing.Result {
	q := x.Query
	c, extra := x.offered(q.Purchases)
	if slices.Contains(q.Purchases, catalog.Serverless) {
		extra = append(extra, serverlessOffers(c)...)
	}
	q.Extra = extra
	return pricing.Compare(c, q)
}

// sort puts the cheapest finished work first, or the dearest; what is not known
// comes last. Equals stay in the order of the list prices, which is total.
func (f *Finished) sort(dearest bool) {
	order := f.byCost()
	if dearest {
		known := slices.IndexFunc(order, func(i int) bool { return !f.Ways[i].PerGPUHour.Known() })
		if known < 0 {
			known = len(order)
		}
		slices.Reverse(order[:known])
	}
	quotes, ways := make([]pricing.Quote, len(order)), make([]Effective, len(order))
	for to, from := range order {
		quotes[to], ways[to] = f.Result.Quotes[from], f.Ways[from]
		quotes[to].Rank = to + 1
	}
	f.Result.Quotes, f.Ways = quotes, ways
}

// byCost are the places of the ways, from the cheapest finished work on.
func (f *Finished) byCost() []int {
	order := make([]int, len(f.Ways))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { // unknown comes last
		return f.Ways[a].Cost.Mid.Cmp(f.Ways[b].Cost.Mid)
	})
	return order
}

// choose finds the best and the runner-up.
func (f *Finished) choose() {
	f.Cheapest, f.Best, f.Second = -1, -1, -1
	order := slices.DeleteFunc(f.byCost(), func(i int) bool { return !f.Ways[i].PerGPUHour.Known() })
	if len(order) == 0 {
		return
	}
	f.Cheapest = order[0]
	sound := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return f.Doubt(i) != "" })
	if len(sound) == 0 {
		sound = order
	}
	f.Best = sound[0]
	best := &f.Result.Quotes[f.Best]
	for _, i := range sound {
		if q := &f.Result.Quotes[i]; q.Provider != best.Provider || q.Purchase != best.Purchase {
			f.Second = i
			return
		}
	}
}

// Doubt is the code of the gravest doubt about the price of a way; "" where
// there is none that would keep one from planning on it. Machines of a size that
// is not stated are in doubt where several GPUs must work together.
func (f *Finished) Doubt(i int) string {
	code := purchase.Doubtful(&f.Result.Quotes[i])
	if code == pricing.WarnSize && f.rental.Query.Need == 1 {
		return ""
	}
	return code
}

// way is what finished work costs at a quote, with its inputs changed.
func (x *rental) way(q *pricing.Quote, c change) Effective {
	if !q.PerGPUHour.Known() && !q.PerInstanceHour.Known() {
		return Effective{Code: UnknownPrice, Reason: "price not known"}
	}
	w, err := x.buy(q, c)
	if err != nil {
		w = Effective{Code: UnknownAmount, Reason: err.Error()}
		if errors.Is(err, errRate) {
			w.Code = UnknownInterruptions
		} else if _, never := errors.AsType[*RefusedError](err); never {
			w.Code = UnknownEnd
		}
	}
	return w
}

var errRate = errors.New("how often it is interrupted is not known")

func (x *rental) buy(q *pricing.Quote, c change) (Effective, error) {
	t, err := x.terms(q, nil)
	if err != nil {
		return Effective{}, err
	}
	if t.Hour, err = t.Hour.Map(func(a money.Amount) (money.Amount, error) { return scaledBy(a, c.price) }); err != nil {
		return Effective{}, err
	}
	w, share, err := x.work(q, c)
	if err != nil {
		return Effective{}, err
	}
	u := w.Cases[1]
	p := &placement{}
	for i := range p.loads {
		p.loads[i] = held{u.Machines, u.Used, u.Work}
	}
	x.interruptions(t, p)
	if s := t.Spot; s != nil {
		for i := range s.PerHour {
			s.PerHour[i] *= c.rate
		}
		s.CheckpointHours *= c.save
	} else if q.Purchase == catalog.Spot {
		return Effective{}, errRate
	}
	return x.charge(t, w, p, share)
}

// charge asks the way of buying, and divides the cost by the work.
func (x *rental) charge(t *Terms, w *Work, p *placement, share *float64) (Effective, error) {
	b, err := buy(t, w)
	if err != nil {
		return Effective{}, err
	}
	e := Estimate{Instances: w.Cases[1].Machines, spot: t.Spot}
	if err := x.storageLines(&b, x.job, p, t, w, &e); err != nil {
		return Effective{}, err
	}
	if len(b.missing) > 0 {
		e.warn(WarnStorage, b.missing[0])
	}
	if err := x.total(&e, &b, w); err != nil {
		return Effective{}, err
	}
	u := w.Cases[1]
	if e.spotAssumptions(); t.Spot != nil {
		e.Assumptions = append(t.Spot.exact(e.Assumptions), Assumed{"spot.checkpoint_interval_hours", significant(t.Spot.job(&u, 1).IntervalHours), "h", "formula", "the whole number of pieces that costs least"})
	}
	way := Effective{Lines: e.Lines, Use: share, Assumptions: e.Assumptions, Warnings: append(b.Warnings, e.Warnings...), spot: t.Spot, Cost: ordered(e.Cost)}
	way.Hours = &Triple{hoursOf(u.Work + b.Later[0]), hoursOf(u.Work + b.Later[1]), hoursOf(u.Work + b.Later[2])}
	way.PerGPUHour, err = way.Cost.Map(func(a money.Amount) (money.Amount, error) { return a.MulFrac(msPerHour, x.Query.Need*u.Work) })
	return way, err
}

// exact puts the rate of interruptions with more digits in its place: what is
// explained can be redone.
func (x *Interrupted) exact(all []Assumed) []Assumed {
	for i := range all {
		if all[i].Name == "spot.interruptions_per_hour" {
			all[i].Value = significant(x.PerHour[1])
		}
	}
	return all
}

// significant is a number in seven digits.
func significant(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }

// ordered is a range whose ends hold the middle: more interruptions may cost less
// where the first hour of a machine is free.
func ordered(r money.Range) money.Range {
	for _, a := range [3]money.Amount{r.Low, r.Mid, r.High} {
		if a.Cmp(r.Low) < 0 {
			r.Low = a
		}
		if a.Cmp(r.High) > 0 {
			r.High = a
		}
	}
	return r
}

// work is what must be bought of a quote: whole machines that hold the need. It
// reports the share in use of what is paid by the month.
func (x *rental) work(q *pricing.Quote, c change) (*Work, *float64, error) {
	need := x.Query.Need
	u := Use{Machines: need, Paid: need, Used: need, Work: millis(x.hours * c.hours), Sessions: 1}
	if n := q.Count(); n.Known() {
		u.Machines = n.Instances(need)
		u.Paid = max(need, u.Machines*n.Num/n.Den)
	}
	w := &Work{Cases: [3]Use{u, u, u}, Runs: Times{1, 1}}
	term, ok := termOf(q)
	if !ok {
		return w, nil, nil
	}
	hours, month := big.NewRat(u.Work, msPerHour), exactly(x.Query.HoursPerMonth)
	runs := new(big.Rat) // of the work, a month
	share := new(big.Rat)
	if use := min(x.use*money.Quantity(c.use*1000)/1000, money.WholeQuantity(1)); use > 0 {
		share = exactly(use)
		runs.Quo(runs.Mul(share, month), hours)
	} else { // whole terms, as many as the work takes
		length := new(big.Rat).Mul(big.NewRat(int64(term), 1), month)
		terms := ceil(new(big.Rat).Quo(hours, length))
		runs.SetFrac64(1, terms*int64(term))
		share.Quo(share.Mul(hours, runs), month)
	}
	if !runs.Num().IsInt64() || !runs.Denom().IsInt64() {
		return nil, nil, errors.New("the work and the length of a month are too finely divided")
	}
	w.Runs = Times{runs.Num().Int64(), runs.Denom().Int64()}
	used, _ := share.Float64()
	return w, &used, nil
}

// termOf is for how many months a quote is paid at least, used or not; false
// where only what is used is paid.
func termOf(q *pricing.Quote) (months int, byTheMonth bool) {
	switch {
	case q.Provider == ownSeller && q.Purchase == catalog.Owned:
		return ownMonths, true
	case q.Purchase == catalog.Reserved && q.TermMonths != nil:
		return *q.TermMonths, true
	case q.Purchase == catalog.Reserved, ownedByTheMonth(&Terms{Quote: q}):
		return 1, true
	}
	return 0, false
}

// exactly is a quantity as a fraction.
func exactly(q money.Quantity) *big.Rat {
	return big.NewRat(int64(q), int64(money.WholeQuantity(1)))
}

func ceil(r *big.Rat) int64 {
	n := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return n.Quo(n, r.Denom()).Int64()
}

// scaledBy is an amount times a factor of three decimals.
func scaledBy(a money.Amount, factor float64) (money.Amount, error) {
	return a.MulFrac(int64(factor*1000+0.5), 1000)
}
