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
	Floor float64 // no calibrated time is shorter: the roofline, s
	Feats [MaxFeats]Feat
	N     int // features in use
}

// reset empties p; features beyond N are never read.
func (p *Physics) reset() { p.Terms, p.Floor, p.N = [MaxTerms]float64{}, 0, 0 }

func (p *Physics) add(kind string, term int, a, b string, x float64) {
	p.addKey(Key{Kind: kind, Term: term, A: a, B: b}, x)
}

func (p *Physics) addKey(k Key, x float64) {
	if x != 0 && p.N < MaxFeats {
		p.Feats[p.N] = Feat{k, x}
		p.N++
	}
}

// personal names the factors that the user's own measurements may set.
func (p *Physics) personal(arch, gpu string) {
	p.add(Personal, 0, "", "", 1)
	p.add(Personal, 0, gpu, "", 1)
	p.add(Personal, 0, gpu, arch, 1)
}

// Personal is the kind of the factors that come from the user's own runs.
const Personal = "own-runs"

// Coefficients are fitted values by name. A missing one is 0: physics alone.
type Coefficients map[Key]float64

// Scales are the summed coefficients of a configuration: of the whole time
// first, then of each term.
type Scales [MaxTerms + 1]float64

// Scales sums the coefficients that a configuration's features name.
func (c Coefficients) Scales(p *Physics) Scales {
	var l looked
	return l.scales(c, p)
}

// looked are coefficients by the place of their feature: configurations that
// are tried one after the other name nearly the same.
type looked struct {
	keys   [MaxFeats]Key
	values [MaxFeats]float64
	n      int
}

// scales is [Coefficients.Scales]; l is always asked for the same ones.
func (l *looked) scales(c Coefficients, p *Physics) (s Scales) {
	if len(c) == 0 {
		return s
	}
	for i := range p.N {
		f := &p.Feats[i]
		if i >= l.n || l.keys[i] != f.Key {
			l.keys[i], l.values[i] = f.Key, c[f.Key]
		}
		s[f.Key.Term] += l.values[i] * f.X
	}
	l.n = max(l.n, p.N)
	return s
}

// LogTime is the natural logarithm of the calibrated time:
// ln sum_i term_i exp(scale of i) + scale of the whole, not below the floor.
func (s *Scales) LogTime(p *Physics) float64 {
	sum := 0.0
	for i, t := range &p.Terms {
		if t > 0 {
			if v := s[i+1]; v != 0 {
				t *= math.Exp(v)
			}
			sum += t
		}
	}
	return math.Log(math.Max(math.Max(sum, 1e-12)*math.Exp(s[0]), p.Floor))
}

// LogTime is the natural logarithm of the calibrated time of a configuration.
func (c Coefficients) LogTime(p *Physics) float64 {
	s := c.Scales(p)
	return s.LogTime(p)
}
