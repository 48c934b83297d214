package calibrate

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/gpucost/gpucost/internal/estimate"
)

// prior says how a coefficient is held: pulled toward mean with weight ridge
// and kept between lo and hi.
type prior struct {
	mean, ridge, lo, hi float64
}

// example is one row of a fit: the physics, the logarithm of the measured time
// and the row's weight.
type example struct {
	physics *estimate.Physics
	log     float64
	weight  float64
}

// huber is the residual, in log units, from which a row's pull stops growing.
const huber = 0.25

// fit finds the coefficients that minimise
//
//	sum weight x Huber(predicted - measured log time) + sum ridge x (coefficient - mean)^2
//
// by Gauss-Newton steps on reweighted least squares with bounds. The result is
// a function of the rows and their order only.
func fit(rows []example, priors func(estimate.Key) prior) estimate.Coefficients {
	f := newFitter(rows, priors)
	cost := f.cost(f.theta)
	damp := 1e-3
	for range 60 {
		step := f.step(damp)
		next := f.apply(step)
		c := f.cost(next)
		if c > cost {
			if damp *= 8; damp > 1e6 {
				break
			}
			continue
		}
		gain := cost - c
		f.theta, cost = next, c
		damp = math.Max(damp/4, 1e-6)
		if gain < 1e-5*cost {
			break
		}
	}
	out := estimate.Coefficients{}
	for i, k := range f.keys {
		out[k] = f.theta[i]
	}
	return out
}

// slot is a feature bound to its coefficient's index.
type slot struct {
	param, term int
	x           float64
}

type fitter struct {
	rows   []example
	slots  [][]slot
	keys   []estimate.Key
	priors []prior
	theta  []float64
	scale  [estimate.MaxTerms + 1]float64
}

func newFitter(rows []example, priors func(estimate.Key) prior) *fitter {
	f := &fitter{rows: rows}
	seen := map[estimate.Key]int{}
	for _, r := range rows {
		for i := range r.physics.N {
			seen[r.physics.Feats[i].Key] = 0
		}
	}
	for k := range seen {
		f.keys = append(f.keys, k)
	}
	sort.Slice(f.keys, func(i, j int) bool { return f.keys[i].Less(f.keys[j]) })
	for i, k := range f.keys {
		seen[k] = i
		p := priors(k)
		f.priors = append(f.priors, p)
		f.theta = append(f.theta, math.Min(math.Max(p.mean, p.lo), p.hi))
	}
	for _, r := range rows {
		s := make([]slot, r.physics.N)
		for i := range s {
			ft := r.physics.Feats[i]
			s[i] = slot{seen[ft.Key], ft.Key.Term, ft.X}
		}
		f.slots = append(f.slots, s)
	}
	return f
}

// predict is the log time of a row and each term's share of the time.
func (f *fitter) predict(i int, theta []float64, share *[estimate.MaxTerms]float64) float64 {
	f.scale = [estimate.MaxTerms + 1]float64{}
	for _, s := range f.slots[i] {
		f.scale[s.term] += theta[s.param] * s.x
	}
	sum := 0.0
	for t, v := range &f.rows[i].physics.Terms {
		share[t] = 0
		if v > 0 {
			share[t] = v * math.Exp(f.scale[t+1])
			sum += share[t]
		}
	}
	for t := range share {
		share[t] /= sum
	}
	return math.Log(sum) + f.scale[0]
}

func (f *fitter) cost(theta []float64) float64 {
	var share [estimate.MaxTerms]float64
	sum := 0.0
	for i, r := range f.rows {
		e := math.Abs(f.predict(i, theta, &share) - r.log)
		if e > huber {
			sum += r.weight * (2*huber*e - huber*huber)
		} else {
			sum += r.weight * e * e
		}
	}
	for j, p := range f.priors {
		d := theta[j] - p.mean
		sum += p.ridge * d * d
	}
	return sum
}

// step solves the damped normal equations; coefficients at a bound that want
// to leave it are held.
func (f *fitter) step(damp float64) []float64 {
	n := len(f.keys)
	h := make([]float64, n*n)
	g := make([]float64, n)
	var share [estimate.MaxTerms]float64
	for i, r := range f.rows {
		e := f.predict(i, f.theta, &share) - r.log
		w := r.weight
		if a := math.Abs(e); a > huber {
			w *= huber / a
		}
		s := f.slots[i]
		for a := range s {
			ja := s[a].x
			if s[a].term > 0 {
				ja *= share[s[a].term-1]
			}
			g[s[a].param] += w * ja * e
			for b := range s {
				jb := s[b].x
				if s[b].term > 0 {
					jb *= share[s[b].term-1]
				}
				h[s[a].param*n+s[b].param] += w * ja * jb
			}
		}
	}
	for j, p := range f.priors {
		g[j] += p.ridge * (f.theta[j] - p.mean)
		h[j*n+j] += p.ridge
		h[j*n+j] += damp*h[j*n+j] + 1e-9
		if f.theta[j] <= p.lo && g[j] > 0 || f.theta[j] >= p.hi && g[j] < 0 {
			g[j] = 0
			for k := range n {
				h[j*n+k], h[k*n+j] = 0, 0
			}
			h[j*n+j] = 1
		}
	}
	var chol mat.Cholesky
	x := mat.NewVecDense(n, nil)
	if chol.Factorize(mat.NewSymDense(n, h)) {
		if err := chol.SolveVecTo(x, mat.NewVecDense(n, g)); err != nil {
			x.Zero()
		}
	}
	return x.RawVector().Data
}

func (f *fitter) apply(step []float64) []float64 {
	out := make([]float64, len(f.theta))
	for j, p := range f.priors {
		d := math.Min(math.Max(step[j], -1), 1)
		out[j] = math.Min(math.Max(f.theta[j]-d, p.lo), p.hi)
	}
	return out
}
