package estimate

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Terms is an offer at a price: what an hour costs and how time is billed.
type Terms struct {
	Quote              *pricing.Quote
	Hour               money.Range // of one machine; of one GPU where the machine's size is not stated
	PerGPU             money.Amount
	Increment, Minimum int64 // seconds; 0: to the second, none
	Month              money.Quantity
	Own                *OwnOffer // the scenario's own price, if it is one
	Spot               *Interrupted
	Token              *catalog.TokenPrice
	Zero               *ToZero // serverless of the catalog

	convert func(money.Amount) (money.Amount, bool)
}

// Use is what a purchase must carry, in one of three cases.
type Use struct {
	Machines   int64
	Paid, Used int64 // GPUs of the machines; GPUs of them that work
	Work       int64 // milliseconds of a run, or of the month of a service
	Start      int64 // milliseconds of one start-up
	Sessions   int64 // start-ups of a run or month; at least 1
	Lost       int64 // milliseconds that interruptions add
}

// Work is what is bought: the cases of low, middle and high use, and how often
// a month it is needed.
type Work struct {
	Cases [3]Use
	Runs  Times
	// Of a service whose GPU-seconds per request are known; else 0.
	Requests       float64 // a month
	RequestSeconds float64
	Tokens         TokenUse
}

// Times is how often something happens, as an exact fraction.
type Times struct{ Num, Den int64 }

// Float is the fraction as a number.
func (t Times) Float() float64 { return float64(t.Num) / float64(t.Den) }

// Bill is what is charged for compute: lines of one run and lines of a month,
// and the GPU-milliseconds that are billed for a run.
type Bill struct {
	Run, Month []Line
	Billed     [3]int64
	Later      [3]int64 // milliseconds that a run ends later than its work takes
	Warnings   []Warning

	missing []string // bytes whose price is not known
}

// mostLines is how many lines most bills have, storage included.
const mostLines = 4

// RefusedError is work that a way of buying cannot do.
type RefusedError struct {
	Reason            string
	Needed, Available float64
	Unit              string
}

func (e *RefusedError) Error() string { return e.Reason }

// buy turns an offer's terms and the work into a bill. It is the seam at which
// ways of buying are added: one function and one line here. An error that is a
// [*RefusedError] means that this way of buying cannot do the work.
func buy(t *Terms, w *Work) (Bill, error) {
	switch {
	case t.Token != nil:
		return perToken(t, w)
	case t.Own != nil && len(t.Own.Market) > 0:
		return protectedSpot(t, w)
	case t.Spot != nil:
		return interrupted(t, w)
	case t.Zero != nil:
		return toZero(t, w)
	case ownedByTheMonth(t):
		return ownedMonths(t, w)
	case t.Quote.Purchase == catalog.Serverless && w.RequestSeconds > 0:
		return perRequest(t, w)
	case t.Quote.Purchase == catalog.Reserved:
		return wholeMonths(t, w)
	}
	return byTime(t, w) // on demand, owned hardware by the hour, spot at its list price where nothing is run again
}

// byTime bills the time that machines are held: each session is rounded up to
// the increment and at least the minimum.
func byTime(t *Terms, w *Work) (Bill, error) {
	b := Bill{Run: make([]Line, 0, mostLines)}
	var work, idle, start, rounding, lost [3]money.Amount
	var quantity [5]float64
	rounded := ""
	for i := range w.Cases {
		u := &w.Cases[i]
		n := max(u.Sessions, 1)
		used := u.Work + n*u.Start + u.Lost
		billed := max(n*billedMs((used+n-1)/n, t), used)
		b.Billed[i] = billed * u.Paid
		hour, err := hourly(t, i, u)
		if err != nil {
			return b, err
		}
		if work[i], err = hour.MulFrac(u.Work, msPerHour); err != nil {
			return b, err
		}
		if idle[i], err = part(work[i], u.Paid-u.Used, u.Paid); err != nil {
			return b, err
		}
		if work[i], err = work[i].Sub(idle[i]); err != nil {
			return b, err
		}
		if start[i], err = hour.MulFrac(n*u.Start, msPerHour); err != nil {
			return b, err
		}
		if rounding[i], err = hour.MulFrac(billed-used, msPerHour); err != nil {
			return b, err
		}
		if lost[i], err = hour.MulFrac(u.Lost, msPerHour); err != nil {
			return b, err
		}
		if billed != used && rounded == "" {
			rounded = roundingBasis(t)
		}
		if i == 1 {
			quantity = [5]float64{
				float64(u.Used) * hoursOf(u.Work), float64(u.Paid-u.Used) * hoursOf(u.Work),
				float64(u.Paid) * hoursOf(n*u.Start), float64(u.Paid) * hoursOf(u.Lost), float64(u.Paid) * hoursOf(billed-used),
			}
		}
	}
	for k, l := range []struct {
		component, basis string
		cost             [3]money.Amount
	}{
		{CompGPU, "GPUs in use x time of the work", work},
		{CompIdleGPUs, "GPUs of the machines that are paid and not used", idle},
		{CompStart, "boot, image and weights, before each run or session", start},
		{CompInterrupted, "restarts, saves and work done again after interruptions", lost},
		{CompRounding, rounded, rounding},
	} {
		b.Run = add(b.Run, Line{Component: l.component, Quantity: Exact(quantity[k]), Unit: "gpu_hour", UnitPrice: t.PerGPU, Cost: cases(l.cost), Basis: l.basis})
	}
	if t.Quote.Purchase == catalog.Spot {
		b.Warnings = append(b.Warnings, NewWarning(WarnInterrupted))
	}
	return b, nil
}

// billedMs is the time that is charged for a use: exact where the seller's
// rounding is not stated.
func billedMs(ms int64, t *Terms) int64 {
	if t.Increment == 0 && t.Minimum == 0 {
		return ms
	}
	return 1000 * pricing.Billed((ms+999)/1000, t.Increment, t.Minimum)
}

func roundingBasis(t *Terms) string {
	switch {
	case t.Own != nil && t.Own.BlockHours.V > 0:
		return fmt.Sprintf("sold in whole blocks of %s h", plainNumber(t.Own.BlockHours.V))
	case t.Minimum > 0:
		return fmt.Sprintf("billed in steps of %d s, at least %d s", max(t.Increment, 1), t.Minimum)
	}
	return fmt.Sprintf("billed in steps of %d s", t.Increment)
}

// hourly is what all machines of a case cost for an hour.
func hourly(t *Terms, i int, u *Use) (money.Amount, error) {
	price := [3]money.Amount{t.Hour.Low, t.Hour.Mid, t.Hour.High}[i]
	n := u.Machines
	if !t.Quote.Count().Known() {
		n = u.Paid
	}
	return price.MulFrac(n, 1)
}

func part(a money.Amount, num, den int64) (money.Amount, error) {
	if den == 0 {
		return money.Zero(a.Currency()), nil
	}
	return a.MulFrac(num, den)
}

// wholeMonths bills every hour of the month, used or not.
func wholeMonths(t *Terms, w *Work) (Bill, error) {
	b := Bill{Month: make([]Line, 0, mostLines)}
	var used, idle [3]money.Amount
	var hours [2]float64
	month := t.Month.Float()
	for i := range w.Cases {
		u := &w.Cases[i]
		busy := hoursOf(u.Work+max(u.Sessions, 1)*u.Start) * w.Runs.Float()
		if busy > month*1.0001 {
			return b, &RefusedError{fmt.Sprintf("%.0f h a month are needed of machines that are reserved for %.0f h", busy, month), busy, month, "h"}
		}
		hour, err := hourly(t, i, u)
		if err != nil {
			return b, err
		}
		all, err := hour.Mul(t.Month)
		if err != nil {
			return b, err
		}
		q, err := money.Quantify(busy)
		if err != nil {
			return b, err
		}
		if used[i], err = hour.Mul(min(q, t.Month)); err != nil {
			return b, err
		}
		if idle[i], err = all.Sub(used[i]); err != nil {
			return b, err
		}
		b.Billed[i] = int64(month / w.Runs.Float() * float64(u.Paid) * msPerHour)
		if i == 1 {
			hours = [2]float64{float64(u.Paid) * busy, float64(u.Paid) * (month - busy)}
		}
	}
	b.Month = add(b.Month, Line{Component: CompGPU, Quantity: Exact(hours[0]), Unit: "gpu_hour", UnitPrice: t.PerGPU, Cost: cases(used), Basis: "hours of the month in use"})
	b.Month = add(b.Month, Line{Component: CompIdle, Quantity: Exact(hours[1]), Unit: "gpu_hour", UnitPrice: t.PerGPU, Cost: cases(idle), Basis: "reserved and paid, not used"})
	return b, nil
}
