package spot

import "math"

// Young is Young's (1974) interval of work between two checkpoints, in hours:
// sqrt(2 C M). It is first order: 32 % too long at C = 0.3 M. False means that
// no finite interval exists (no interruptions: never save).
func Young(checkpointHours float64, r Rate) (float64, bool) {
	if r.PerHour <= 0 {
		return 0, false
	}
	return finite(math.Sqrt(2 * checkpointHours / r.PerHour))
}

// Daly is Daly's (2006, eq. 37) interval in hours:
// sqrt(2CM)(1 + sqrt(C/2M)/3 + (C/2M)/9) - C below C = 2M, and M from there on.
func Daly(checkpointHours float64, r Rate) (float64, bool) {
	if r.PerHour <= 0 {
		return 0, false
	}
	c, m := checkpointHours, 1/r.PerHour
	if c >= 2*m {
		return finite(m)
	}
	h := c / (2 * m)
	return finite(math.Sqrt(2*c*m)*(1+math.Sqrt(h)/3+h/9) - c)
}

// Exact is the interval in hours that minimises the expected time per unit of
// endlessly divisible work under exponential up-times. It does not depend on R
// or D:
//
//	tau* = (1 + W0(-exp(-lambda C - 1))) / lambda
//
// On a finite job W/tau* is rarely whole, see [BestPieces].
func Exact(checkpointHours float64, r Rate) (float64, bool) {
	if r.PerHour <= 0 {
		return 0, false
	}
	return finite(lambertInterval(checkpointHours*r.PerHour) / r.PerHour)
}

// lambertInterval is x = 1 + W0(-exp(-c-1)), c >= 0. With W = x - 1 the
// definition of W0 becomes -log(1-x) - x = c, which has no branch point to lose
// digits at and which Newton's method solves from either end.
func lambertInterval(c float64) float64 {
	if c == 0 {
		return 0
	}
	if c > 35 {
		return 1 // to the last digit
	}
	// Starts: x ~ sqrt(2c) - 2c/3 near 0, 1 - exp(-c-1) far out.
	x := math.Sqrt(2*c) - 2*c/3
	if c > 0.5 {
		x = -math.Expm1(-c - 1)
	}
	last := 0.0 // before x: the last digit may change for ever
	for range 60 {
		next := x - (excess(x)-c)*(1-x)/x
		if next >= 1 {
			next = (x + 1) / 2
		}
		if math.Abs(next-x) <= 1e-16*x || next == last {
			return next
		}
		last, x = x, next
	}
	return x
}

// excess is -log(1-x) - x without cancellation for small x.
func excess(x float64) float64 {
	if x > 0.01 {
		return -math.Log1p(-x) - x
	}
	sum, power := 0.0, x
	for n := 2.0; n < 12; n++ {
		power *= x
		sum += power / n
	}
	return sum
}

// StepsHours is a checkpoint interval stated in training steps, in hours. An
// interval in steps means nothing without the time of a step: every 100 steps is
// 60 % overhead at 1 s a step with a 60 s save and 0.2 % at 20 s and 5 s.
func StepsHours(steps int, secondsPerStep float64) float64 {
	return float64(steps) * secondsPerStep / 3600
}

// finite reports whether x is an ordinary number and returns it if so.
func finite(x float64) (float64, bool) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, false
	}
	return x, true
}
