package estimate

import "math"

// Limits of one configuration's physics; both are checked by tests.
const (
	MaxTerms = 14
	MaxFeats = 48
)

// Key names a coefficient: what it is about, the term it scales (0: the whole
// time, i+1: term i) and up to four names it is specific to.
type Key struct {
	Kind       string
	Term       int
	A, B, C, D string
}

// Feat is a coefficient's name and the value it is multiplied by.
type Feat struct {
	Key Key
	X   float64
}

// Physics is a configuration's time before calibration: the physical terms,
// in seconds, and the features that fitted coefficients may act on.
type Physics struct {
	Terms [MaxTerms]float64
	Feats [MaxFeats]Feat
	N     int // features in use
}

func (p *Physics) reset() { *p = Physics{} }

func (p *Physics) add(kind string, term int, a, b string, x float64) {
	p.addKey(Key{Kind: kind, Term: term, A: a, B: b}, x)
}

func (p *Physics) addKey(k Key, x float64) {
	if x != 0 && p.N < MaxFeats {
		p.Feats[p.N] = Feat{k, x}
		p.N++
	}
}

// Coefficients are fitted values by name. A missing one is 0: physics alone.
type Coefficients map[Key]float64

// LogTime is the natural logarithm of the calibrated time:
// ln sum_i term_i exp(coefficients of i) + coefficients of the whole.
func (c Coefficients) LogTime(p *Physics) float64 {
	var scale [MaxTerms + 1]float64
	for i := 0; i < p.N; i++ {
		f := &p.Feats[i]
		if v, ok := c[f.Key]; ok {
			scale[f.Key.Term] += v * f.X
		}
	}
	sum := 0.0
	for i, t := range &p.Terms {
		if t > 0 {
			sum += t * math.Exp(scale[i+1])
		}
	}
	return math.Log(math.Max(sum, 1e-12)) + scale[0]
}
