package spot

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Law is a distribution of positive spells (up-times or outages) in hours: with
// probability ShortShare an exponential of mean ShortMeanHours, otherwise one of
// mean LongMeanHours (a hyperexponential of two phases). With ShortShare 0 it is
// the plain exponential; with a large LongMeanHours it has the heavy tail of
// measured up-times. The zero Law stands for "no end" as an up-time and for
// "none" as an outage.
type Law struct {
	ShortShare     float64
	ShortMeanHours float64
	LongMeanHours  float64
}

// Exponential is the memoryless law of the given mean.
func Exponential(meanHours float64) Law { return Law{LongMeanHours: meanHours} }

// MeanHours is the mean of the law.
func (l Law) MeanHours() float64 {
	return l.ShortShare*l.ShortMeanHours + (1-l.ShortShare)*l.LongMeanHours
}

// CV is the coefficient of variation: 1 for an exponential, more with a tail.
func (l Law) CV() float64 {
	m := l.MeanHours()
	if m == 0 {
		return 0
	}
	second := 2 * (l.ShortShare*l.ShortMeanHours*l.ShortMeanHours + (1-l.ShortShare)*l.LongMeanHours*l.LongMeanHours)
	return math.Sqrt(math.Max(0, second/(m*m)-1))
}

// Longer is the probability that a spell is longer than the given hours.
func (l Law) Longer(hours float64) float64 {
	p := 0.0
	if l.ShortShare > 0 {
		p = l.ShortShare * math.Exp(-hours/l.ShortMeanHours)
	}
	if l.ShortShare < 1 {
		p += (1 - l.ShortShare) * math.Exp(-hours/l.LongMeanHours)
	}
	return p
}

// MedianHours is the median of the law.
func (l Law) MedianHours() float64 {
	lo, hi := 0.0, l.MeanHours() // the median of a mixture of exponentials is below its mean
	for range 200 {
		mid := (lo + hi) / 2
		if l.Longer(mid) > 0.5 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// draw takes one spell; it does not allocate.
func (l Law) draw(r *rand.Rand) float64 {
	x := r.ExpFloat64()
	if l.ShortShare > 0 && r.Float64() < l.ShortShare {
		return x * l.ShortMeanHours
	}
	return x * l.LongMeanHours
}

// FitLaw finds the law with the given mean and coefficient of variation exactly
// and with the median as near to the given one as such a law can have. A median
// of 0 means unknown (the short phase is then chosen so that both phases take
// the same share of the time). A cv of 1 or less gives the exponential.
func FitLaw(meanHours, medianHours, cv float64) (Law, error) {
	for _, v := range []float64{meanHours, medianHours, cv} {
		if _, ok := finite(v); !ok || v < 0 {
			return Law{}, fmt.Errorf("up-time mean %g h, median %g h and cv %g must be finite and not negative", meanHours, medianHours, cv)
		}
	}
	if cv <= 1 || meanHours == 0 {
		return Exponential(meanHours), nil
	}
	// Var of the phase mean is m^2 (cv^2-1)/2; ShortMeanHours > 0 needs more than
	// this share of short spells.
	half := (cv*cv - 1) / 2
	least := half / (1 + half)
	of := func(share float64) Law {
		s := math.Sqrt(half)
		return Law{
			ShortShare:     share,
			ShortMeanHours: meanHours * math.Max(1e-9, 1-s*math.Sqrt((1-share)/share)),
			LongMeanHours:  meanHours * (1 + s*math.Sqrt(share/(1-share))),
		}
	}
	if medianHours == 0 {
		w := math.Sqrt((cv*cv - 1) / (cv*cv + 1))
		return of((1 + w) / 2), nil
	}
	best, miss := of((least+1)/2), math.Inf(1)
	const steps = 4000
	for i := 1; i < steps; i++ {
		l := of(least + (1-least)*float64(i)/steps)
		if d := math.Abs(l.Longer(medianHours) - 0.5); d < miss {
			best, miss = l, d
		}
	}
	return best, nil
}
