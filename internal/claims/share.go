package claims

import "fmt"

// tolerance is how far from an article's range a figure may lie and still
// agree with it, in percent: prices are rounded and differ by region.
const tolerance = 5

// share is how much of the evidence agrees with an article's figure.
type share struct{ in, n int }

// verdict is the verdict on the evidence of one time.
func (s share) verdict() Verdict {
	switch {
	case s.n == 0:
		return NotCheckable
	case 3*s.in >= 2*s.n:
		return Holds
	case 10*s.in < s.n:
		return DoesNotHold
	}
	return HoldsIf
}

// both is the verdict on the evidence of then and now together: what holds for
// a part of the evidence at one time and for none at the other does not hold.
func both(then, now share) Verdict {
	a, b := then.verdict(), now.verdict()
	switch {
	case a == NotCheckable:
		return b
	case b == NotCheckable || a == b:
		return a
	case a != Holds && b != Holds:
		return DoesNotHold
	}
	return HoldsIf
}

// shares states both counts as facts and the condition "so many of so many".
func (r *run) shares(then, now share) {
	r.say("in_then", fmt.Sprint(then.in))
	r.say("n_then", fmt.Sprint(then.n))
	r.say("in_now", fmt.Sprint(now.in))
	r.say("n_now", fmt.Sprint(now.n))
	r.verdict(both(then, now))
	s := now
	if s.n == 0 {
		s = then
	}
	r.portion(s)
}

// portion is the condition "for so many of so many", as a percentage.
func (r *run) portion(s share) {
	p := 100 * float64(s.in) / float64(max(s.n, 1))
	r.condition(p, p, "percent")
}

// parts is the verdict on a claim of several statements: how many are borne
// out, how many contradicted, of how many.
func (r *run) parts(yes, no, all int) {
	r.say("parts_true", fmt.Sprint(yes))
	r.say("parts_false", fmt.Sprint(no))
	r.say("parts", fmt.Sprint(all))
	switch {
	case yes == all:
		r.verdict(Holds)
	case yes > 0:
		r.verdict(HoldsIf)
	case no > 0:
		r.verdict(DoesNotHold)
	default:
		r.verdict(NotCheckable)
	}
	r.portion(share{yes, all})
}
