package history

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Defaults of a rule.
const (
	defaultRearm  = 2.0 // percent
	defaultMaxAge = 72 * time.Hour
)

// WatchInput is what rules are evaluated on: the series a rule selects, with
// their points of the time it looks back, and the state of all sources.
type WatchInput struct {
	Now     time.Time
	Series  []Series
	Sources []SourceStatus
	Rates   []catalog.FXRate
}

// WatchState is what a rule remembers of one subject: a series or a source.
type WatchState struct {
	Fired      bool
	Seen       int // verifications in a row for which the condition was true
	VerifiedAt time.Time
	FiredAt    time.Time
	Basis      string // the native price last judged
}

// Event is a rule that has fired. Amounts are plain decimals in Currency.
type Event struct {
	ID       int64     `json:"id"`
	Rule     string    `json:"rule"`
	Kind     string    `json:"kind"` // below, above, change, stale or gone
	Subject  string    `json:"subject"`
	FiredAt  time.Time `json:"fired_at"`
	Message  string    `json:"message"`
	Source   string    `json:"source"`
	Provider string    `json:"provider,omitempty"`
	Instance string    `json:"instance,omitempty"`
	GPU      string    `json:"gpu,omitempty"`
	GPUs     string    `json:"gpus,omitempty"`
	Region   string    `json:"region,omitempty"`
	Purchase string    `json:"purchase,omitempty"`
	Plan     string    `json:"plan,omitempty"`

	From       string         `json:"from,omitempty"` // the earlier price of a change
	To         string         `json:"to,omitempty"`   // the price that fired
	Currency   money.Currency `json:"currency,omitempty"`
	Per        string         `json:"per,omitempty"`
	VerifiedAt time.Time      `json:"verified_at,omitzero"`
}

// Unjudged is a subject whose condition could not be decided: it is neither
// true nor fine.
type Unjudged struct{ Rule, Subject, Why string }

// Outcome is what an evaluation found.
type Outcome struct {
	Events   []Event
	Unjudged []Unjudged
	Checked  int // subjects
	States   map[string]WatchState
}

// verdict of a condition on one subject.
type verdict struct {
	met, clear bool
	unknown    string // why, if it is
	basis      string // native price, "" for conditions without one
	verified   time.Time
	event      Event
}

// Evaluate judges one rule. It is pure: the states that it was left with are
// given and the new ones, by subject, returned.
func Evaluate(r *Rule, in *WatchInput, states map[string]WatchState) Outcome {
	out := Outcome{States: map[string]WatchState{}}
	fx := newRates(in.Rates)
	judge := func(subject string, v verdict) {
		out.Checked++
		prev, known := states[subject]
		if v.unknown != "" {
			out.Unjudged = append(out.Unjudged, Unjudged{r.Name, subject, v.unknown})
			if known {
				out.States[subject] = prev
			}
			return
		}
		next, fire := r.step(prev, known, &v, in.Now)
		out.States[subject] = next
		if fire {
			v.event.Rule, v.event.Subject, v.event.FiredAt, v.event.VerifiedAt = r.Name, subject, in.Now, v.verified
			out.Events = append(out.Events, v.event)
		}
	}
	if r.When.Stale > 0 {
		for _, name := range r.sourcesOf(in) {
			judge("source:"+name, r.stale(name, in))
		}
		return out
	}
	for i := range in.Series {
		s := &in.Series[i]
		if len(s.Points) == 0 || r.Select.MinGPUs > 0 && s.GPUs.Float() < float64(r.Select.MinGPUs) {
			continue
		}
		v, applies := r.judge(s, in, fx)
		if applies {
			judge(fmt.Sprintf("series:%d", s.ID), v)
		}
	}
	return out
}

// step moves a subject's state by one evaluation and says whether it fires.
func (r *Rule) step(prev WatchState, known bool, v *verdict, now time.Time) (WatchState, bool) {
	next := prev
	news := v.verified.After(prev.VerifiedAt)
	next.VerifiedAt, next.Basis = v.verified, v.basis
	onlyRate := known && v.basis != "" && v.basis == prev.Basis && r.Basis != "report_currency" && r.threshold() != nil
	switch {
	case !v.met:
		next.Seen = 0
		if prev.Fired && v.clear {
			next.Fired = false
		}
	case prev.Fired:
	case !known && r.When.Gone:
		next.Fired = true // it was gone before anyone watched
	case onlyRate && prev.Seen == 0:
		// The native price is as it was when the condition was false.
	default:
		if news {
			next.Seen++
		}
		cooled := prev.FiredAt.IsZero() || now.Sub(prev.FiredAt) >= time.Duration(r.Cooldown)
		if next.Seen >= max(r.For, 1) && cooled {
			next.Fired, next.FiredAt = true, now
			return next, true
		}
	}
	return next, false
}

func (r *Rule) threshold() *Threshold {
	if r.When.Below != nil {
		return r.When.Below
	}
	return r.When.Above
}

func (r *Rule) rearm() float64 {
	if r.Rearm != nil {
		return *r.Rearm
	}
	return defaultRearm
}

// sourcesOf are the sources that a stale rule is about: those it names, or
// those of the series it selects.
func (r *Rule) sourcesOf(in *WatchInput) (names []string) {
	if len(r.Select.Source) > 0 {
		return r.Select.Source
	}
	seen := map[string]bool{}
	for i := range in.Series {
		if s := in.Series[i].Source; !seen[s] {
			seen[s] = true
			names = append(names, s)
		}
	}
	return names
}

func (r *Rule) stale(name string, in *WatchInput) verdict {
	v := verdict{verified: in.Now, event: Event{Kind: "stale", Source: name}}
	for _, st := range in.Sources {
		if st.Source != name || st.LastSuccess.IsZero() {
			continue
		}
		age := in.Now.Sub(st.LastSuccess)
		v.met = age > time.Duration(r.When.Stale)
		v.clear = !v.met
		v.event.Message = fmt.Sprintf("%s: no accepted answer for %s", name, Duration(age.Truncate(time.Minute)))
		return v
	}
	v.met = true
	v.event.Message = name + ": never an accepted answer"
	return v
}

// judge is the condition on one series; false when it does not apply to it.
func (r *Rule) judge(s *Series, in *WatchInput, fx *rates) (verdict, bool) {
	last := &s.Points[len(s.Points)-1]
	v := verdict{verified: last.LastVerifiedAt, event: Event{
		Source: s.Source, Provider: s.Provider, Instance: s.Instance, GPU: s.GPU, GPUs: s.GPUs.String(), Region: s.Region,
		Purchase: string(s.Purchase), Plan: s.Plan, Currency: last.Low.Currency(), Per: last.Per,
	}}
	if r.When.Gone {
		v.met = !last.Open()
		v.clear = last.Open()
		if v.met {
			v.verified = last.EndedAt
		}
		v.event.Kind = "gone"
		v.event.Message = s.name() + " is no longer offered"
		return v, true
	}
	if !last.Open() {
		return v, false
	}
	maxAge := time.Duration(r.MaxAge)
	if maxAge == 0 {
		maxAge = defaultMaxAge
	}
	v.basis = last.Low.String() + " " + last.High.String() + " " + string(last.Low.Currency()) + " " + last.Per
	switch age := in.Now.Sub(last.LastVerifiedAt); {
	case age > maxAge:
		v.unknown = "last verified " + last.LastVerifiedAt.UTC().Format(time.RFC3339)
	case !last.Low.Known():
		v.unknown = "the price is not known"
	case r.When.Change != nil:
		r.judgeChange(&v, s, last, in.Now)
	default:
		r.judgeThreshold(&v, s, last, in.Now, fx)
	}
	return v, true
}

// judgeThreshold compares the dearer end of the price with a below and the
// cheaper end with an above.
func (r *Rule) judgeThreshold(v *verdict, s *Series, p *Point, now time.Time, fx *rates) {
	t := r.threshold()
	end, kind, sign := p.High, "below", -1
	if r.When.Below == nil {
		end, kind, sign = p.Low, "above", 1
	}
	value, ok := perHour(end, p.Per, s.GPUs, s.TermMonths, t.Per)
	if !ok {
		v.unknown = "a price per " + p.Per + " cannot be compared with one per " + string(t.Per)
		return
	}
	rate, _, ok := fx.on(end.Currency(), t.Amount.Currency(), now)
	if !ok {
		v.unknown = fmt.Sprintf("no rate of the last %d days from %s to %s", MaxRateAge, end.Currency(), t.Amount.Currency())
		return
	}
	value.Mul(value, rate)
	limit := rational(t.Amount)
	margin := exact(r.rearm())
	margin.Mul(margin, big.NewRat(int64(-sign), 100))
	margin.Add(margin, big.NewRat(1, 1)) // below: 1 + rearm; above: 1 - rearm
	v.met = value.Cmp(limit) == sign
	v.clear = value.Cmp(margin.Mul(margin, limit))*sign <= 0
	shown, _ := rounded(value, t.Amount.Currency())
	v.event.Kind, v.event.To, v.event.Currency, v.event.Per = kind, shown.String(), t.Amount.Currency(), string(t.Per)
	v.event.Message = fmt.Sprintf("%s: %s %s, %s %s", s.name(), shown, t.Amount.Currency(), kind, t)
}

// judgeChange compares the price with the one that held so long ago.
func (r *Rule) judgeChange(v *verdict, s *Series, last *Point, now time.Time) {
	m := r.When.Change
	then := pointAt(s.Points, now.Add(-time.Duration(m.Over)))
	switch {
	case then == nil:
		return // younger than that: it has not changed yet
	case !then.Low.Known() || then.Low.Currency() != last.Low.Currency() || then.Per != last.Per || then.High.Sign() == 0:
		v.unknown = "the price of then cannot be compared with that of now"
		return
	}
	moved := new(big.Rat).Sub(middle(last), middle(then))
	moved.Quo(moved.Mul(moved, big.NewRat(100, 1)), middle(then))
	size := new(big.Rat).Set(moved)
	if m.Sign < 0 || m.Sign == 0 && size.Sign() < 0 {
		size.Neg(size)
	}
	v.met = size.Cmp(exact(m.Percent)) >= 0
	v.clear = !v.met && size.Cmp(exact(max(m.Percent-r.rearm(), m.Percent/2))) <= 0
	percent, _ := moved.Float64()
	v.event.Kind, v.event.From, v.event.To = "change", then.Low.String(), last.Low.String()
	v.event.Message = fmt.Sprintf("%s: %+.1f %% over %s, from %s to %s %s", s.name(), percent, m.Over, then.Low, last.Low, last.Low.Currency())
}

// exact is a percentage as the decimal that was written.
func exact(percent float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(percent, 'f', -1, 64))
	return r
}

// pointAt is the observation that held at a time.
func pointAt(points []Point, at time.Time) *Point {
	for i := range points {
		p := &points[i]
		if !p.ObservedAt.After(at) && (p.Open() || p.EndedAt.After(at)) {
			return p
		}
	}
	return nil
}

func (s *Series) name() string {
	r := record{identity: identity{
		provider: s.Provider, instance: s.Instance, gpu: s.GPU, region: s.Region, purchase: string(s.Purchase), plan: s.Plan,
		termMonths: int64(s.TermMonths),
	}}
	return r.String()
}

// perHour converts an amount into units per GPU-hour or instance-hour; false
// when the unit or the number of GPUs does not allow it.
func perHour(a money.Amount, per string, gpus unit.Count, termMonths int, to unit.Per) (*big.Rat, bool) {
	value := rational(a)
	switch unit.Per(per) {
	case unit.PerGPUHour, unit.PerInstanceHour:
	case unit.PerGPUSecond:
		value.Mul(value, big.NewRat(3600, 1))
	case unit.PerGPUMonth, unit.PerInstanceMonth:
		value.Quo(value, big.NewRat(unit.HoursPerMonth, 1))
	case unit.PerInstanceTerm:
		if termMonths <= 0 {
			return nil, false
		}
		value.Quo(value, big.NewRat(unit.HoursPerMonth*int64(termMonths), 1))
	default:
		return nil, false
	}
	if unit.Per(per).Instance() == to.Instance() {
		return value, true
	}
	if !gpus.Known() {
		return nil, false
	}
	if to.Instance() {
		return value.Mul(value, big.NewRat(gpus.Num, gpus.Den)), true
	}
	return value.Quo(value, big.NewRat(gpus.Num, gpus.Den)), true
}
