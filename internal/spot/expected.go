package spot

import (
	"fmt"
	"math"
)

// MaxWallHours is the patience after which a job counts as one that does not
// finish: a hundred years.
const MaxWallHours = 876_000

// Outcome is the expectation of a [Job] under exponential up-times. When
// Overflows is true the figures do not exist and are left at zero.
type Outcome struct {
	WallHours       float64 // from first start to the last step, waits included: what a deadline needs
	BilledHours     float64 // what money needs: WallHours - WaitHours x Interruptions
	Interruptions   float64
	LostHours       float64 // work and unfinished saves that had to be redone
	RestartHours    float64 // billed hours in start-ups, finished or not
	CheckpointHours float64 // billed hours in saves that were kept
	FreeHours       float64 // billed hours the provider takes off (FreeFirstHours); not yet subtracted
	PaidHours       float64 // BilledHours less FreeHours, to the last digit even when nearly all is free
	Finishes        bool    // false when the job must be refused; Reason says why
	Overflows       bool    // the expectation is larger than any number
	Reason          string
}

// Expected is the exact expectation of the job. One stretch L that must pass
// without interruption, with R before each retry, has
//
//	E[interruptions] = exp(lambda R) (exp(lambda L) - 1)
//	E[billed]        = E[interruptions] / lambda
//	E[wall]          = E[billed] + D E[interruptions]
//
// (renewal argument; the form of Bougeret et al., SC'11), and a job is the sum
// over its stretches. If the first start is charged, the first stretch has
// exp(lambda (R + L)) - 1 interruptions. A wait longer than [MaxWallHours] and
// an overflow are reported as a job that does not finish, with the reason.
func Expected(j Job) (Outcome, error) {
	if err := j.check(); err != nil {
		return Outcome{}, err
	}
	o := j.sum()
	o.FreeHours = math.Min(o.BilledHours, o.Interruptions*FreePerInterruption(j.Rate, j.FreeFirstHours))
	o.PaidHours = o.BilledHours * paidShare(j.Rate, j.FreeFirstHours)
	for _, v := range []float64{o.WallHours, o.BilledHours, o.Interruptions, o.LostHours, o.RestartHours, o.FreeHours} {
		if _, ok := finite(v); !ok {
			return Outcome{Overflows: true, Reason: j.reason("more hours than can be counted")}, nil
		}
	}
	if o.WallHours > MaxWallHours {
		o.Reason = j.reason(fmt.Sprintf("%.2g hours", o.WallHours))
		return o, nil
	}
	o.Finishes = true
	return o, nil
}

func (j Job) sum() Outcome {
	count, stretch, last := j.pieces()
	if j.WorkHours == 0 { // nothing to run, and nothing to save at the end
		return Outcome{}
	}
	if j.SaveOnNotice || count == 0 {
		return j.continuous()
	}
	var o Outcome
	if count > 1 {
		o.add(j, stretch, 1, j.ChargeFirstStart)
		o.add(j, stretch, count-2, false)
		o.add(j, last, 1, false)
	} else {
		o.add(j, last, 1, j.ChargeFirstStart)
	}
	o.CheckpointHours = (count - 1) * j.CheckpointHours
	if j.FinalCheckpoint {
		o.CheckpointHours += j.CheckpointHours
	}
	return o
}

// add counts times stretches of length l, the first of a job if charged.
func (o *Outcome) add(j Job, l, times float64, charged bool) {
	if times <= 0 {
		return
	}
	lambda, r := j.Rate.PerHour, j.RestartHours
	n := math.Exp(lambda*r) * math.Expm1(lambda*l)
	billed := math.Exp(lambda*r) * growth(lambda, l)
	restart := math.Expm1(lambda*r) * growth(lambda, l)
	if charged {
		n = math.Expm1(lambda * (r + l))
		billed = growth(lambda, r+l)
		restart = growth(lambda, r) * math.Exp(lambda*l)
	}
	o.Interruptions += times * n
	o.BilledHours += times * billed
	o.WallHours += times * (billed + n*j.WaitHours)
	o.RestartHours += times * restart
	o.LostHours += times * math.Max(0, growth(lambda, l)-l)
}

// growth is (exp(lambda x) - 1)/lambda, whose limit without interruptions is x.
func growth(lambda, x float64) float64 {
	if lambda*x < 1e-14 {
		return x
	}
	return math.Expm1(lambda*x) / lambda
}

// continuous is the case without lost work: every interruption is announced long
// enough ahead to save everything, or checkpoints are free and endlessly
// frequent. billed = W exp(lambda R), wall = W (1 + lambda D) exp(lambda R).
func (j Job) continuous() Outcome {
	lambda, w := j.Rate.PerHour, j.WorkHours
	billed := w * math.Exp(lambda*j.RestartHours)
	if j.ChargeFirstStart {
		billed += growth(lambda, j.RestartHours)
	}
	n := lambda * billed
	return Outcome{
		BilledHours:   billed,
		WallHours:     billed + n*j.WaitHours,
		Interruptions: n,
		RestartHours:  billed - w,
	}
}

func (j Job) reason(hours string) string {
	if j.Rate.PerHour == 0 {
		return "does not finish in a lifetime: expected time " + hours
	}
	count, stretch, last := j.pieces()
	need := last
	if count > 1 {
		need = math.Max(stretch, last)
	}
	restart := ""
	if j.RestartHours > 0 {
		restart = fmt.Sprintf(" (and %s h of restart)", brief(j.RestartHours))
	}
	text := fmt.Sprintf("does not finish: every %s h between saves%s must pass without an interruption, which come every %s h on average; expected time %s",
		brief(need), restart, brief(1/j.Rate.PerHour), hours)
	if count == 1 {
		text += "; save checkpoints more often"
	}
	return text
}

// brief is a number of three digits, or a whole one.
func brief(x float64) string {
	if x >= 1000 && x < 1e9 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// BreakEvenDiscount is the discount against on-demand below which this way of
// running costs more than on-demand without interruptions: 1 - W/billed.
// Discounts taken by the provider (FreeHours) are included.
func (o Outcome) BreakEvenDiscount(workHours float64) (float64, bool) {
	if !o.Finishes || o.PaidHours <= 0 {
		return 0, false
	}
	return finite(1 - workHours/o.PaidHours)
}

// LostPerInterruption is the mean work lost when an interruption hits a stretch
// of that many hours: 1/lambda - L/(exp(lambda L) - 1), about L/2 only when
// lambda L is small.
func LostPerInterruption(stretchHours float64, r Rate) float64 {
	x := r.PerHour * stretchHours
	if x < 1e-4 { // series: the two terms agree to the last digits
		return stretchHours * (0.5 - x/12)
	}
	return 1/r.PerHour - stretchHours/math.Expm1(x)
}

// FreePerInterruption is the mean credit in hours per interruption when an
// instance interrupted within freeHours of its start is not billed:
// (1 - exp(-lambda F)(1 + lambda F))/lambda. At F = 1 it is 0.088 h at 0.2/h.
// Billed minus this credit is within 1 % of the simulation in the cases known;
// it ignores that a last, uninterrupted stretch shortens the instance's life.
func FreePerInterruption(r Rate, freeHours float64) float64 {
	x := r.PerHour * freeHours
	if x < 1e-5 {
		return freeHours * x / 2
	}
	return (1 - math.Exp(-x)*(1+x)) / r.PerHour
}

// paidShare is the share of the billed hours that is left after the credits of
// [FreePerInterruption]: billed is interruptions/lambda, so it is
// exp(-lambda F)(1 + lambda F).
func paidShare(r Rate, freeHours float64) float64 {
	x := r.PerHour * freeHours
	return math.Exp(-x) * (1 + x)
}

// BestPieces is the whole number of equal pieces, with a checkpoint between
// each two, that minimises the expected wall time of the job (and the billed
// hours: both have the same minimum). False when more pieces are always better,
// i.e. when checkpoints are free.
func BestPieces(j Job) (int, bool) {
	lambda, c, w := j.Rate.PerHour, j.CheckpointHours, j.WorkHours
	if lambda <= 0 || w <= 0 {
		return 1, true
	}
	tau, ok := Exact(c, j.Rate)
	if !ok || tau <= 0 || w/tau > 1e9 {
		return 0, false
	}
	cost := func(n float64) float64 {
		return (n-1)*math.Expm1(lambda*(w/n+c)) + math.Expm1(lambda*w/n)
	}
	n := math.Max(1, math.Floor(w/tau))
	for n > 1 && cost(n-1) <= cost(n) {
		n--
	}
	for cost(n+1) < cost(n) {
		n++
	}
	return int(n), true
}
