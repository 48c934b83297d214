package calibrate

import (
	"math"
	"sort"

	"github.com/gpucost/gpucost/internal/estimate"
)

// Parts of the cross-validations: rows are left out in five parts (what a
// seen group errs by), whole groups in ten (a new pair), whole architectures
// and GPUs in eight (something never measured).
const (
	rowParts   = 5
	groupParts = 10
	halfParts  = 8
)

// residuals are ln(measured time / estimated time) of every row when its part
// was left out of the fit.
func residuals(obs []*observation, priors func(estimate.Key) prior, part func(*observation) string, parts int,
	ex func(keep func(*observation) bool) []example, of func(*observation) (*estimate.Physics, float64),
) map[*observation]float64 {
	out := map[*observation]float64{}
	for f := range parts {
		c := fit(ex(func(o *observation) bool { return fold(part(o), parts) != f }), priors)
		for _, o := range obs {
			if fold(part(o), parts) == f {
				if p, log := of(o); !math.IsNaN(log) {
					out[o] = log - c.LogTime(p)
				}
			}
		}
	}
	return out
}

func byRow(o *observation) string   { return o.id }
func byGroup(o *observation) string { return o.group }
func byArch(o *observation) string  { return o.arch }
func byGPU(o *observation) string   { return o.gpu }

// errors measures the bands: 9 % and 91 % quantiles of the left-out residuals
// by kind and class; a worse-known class is never narrower.
func (m *rows) errors(cal *estimate.Calibration) {
	add := func(kind string, class estimate.Class, res []float64, w []float64) {
		if cal.Errors[kind] == nil {
			cal.Errors[kind] = map[estimate.Class]estimate.Spread{}
		}
		if len(res) >= 8 {
			cal.Errors[kind][class] = bounded(class, estimate.Spread{Low: round4(-weighted(res, w, 0.91)), High: round4(-weighted(res, w, 0.09))})
		}
	}
	whole := func(o *observation) (*estimate.Physics, float64) { return &o.physics, o.logTime }
	m.collect(m.training, trainPrior, whole, func(keep func(*observation) bool) []example { return examples(m.training, keep) }, "", add)
	m.collect(m.serving, servePrior, whole, func(keep func(*observation) bool) []example { return examples(m.serving, keep) }, "", add)
	for _, t := range [...]struct {
		name string
		pri  func(estimate.Key) prior
		of   func(*observation) (*estimate.Physics, float64)
	}{{"tpot", tpotPrior, tpotOf}, {"ttft", ttftPrior, ttftOf}} {
		log := func(o *observation) (*estimate.Physics, float64) {
			p, ms := t.of(o)
			if ms <= 0 || o.serve.Mode != estimate.Online {
				return p, math.NaN()
			}
			return p, math.Log(ms / 1e3)
		}
		m.collect(m.serving, t.pri, log, func(keep func(*observation) bool) []example { return timeExamples(m.serving, keep, t.of) }, t.name, add)
	}
	nest(cal)
}

func (m *rows) collect(obs []*observation, pri func(estimate.Key) prior, of func(*observation) (*estimate.Physics, float64),
	ex func(func(*observation) bool) []example, kind string, add func(string, estimate.Class, []float64, []float64),
) {
	for _, v := range [...]struct {
		class estimate.Class
		parts int
		by    []func(*observation) string
	}{
		{estimate.ClassSeen, rowParts, []func(*observation) string{byRow}},
		{estimate.ClassPair, groupParts, []func(*observation) string{byGroup}},
		{estimate.ClassHalf, halfParts, []func(*observation) string{byArch, byGPU}},
	} {
		res, weights := map[string][]float64{}, map[string][]float64{}
		for _, by := range v.by {
			r := residuals(obs, pri, by, v.parts, ex, of)
			for _, o := range obs {
				e, ok := r[o]
				if !ok || o.suspect != "" {
					continue
				}
				k := kind
				if k == "" {
					k = o.kind()
				}
				res[k] = append(res[k], e)
				weights[k] = append(weights[k], o.weight)
			}
		}
		for k := range res {
			add(k, v.class, res[k], weights[k])
		}
	}
}

// bounded keeps the band of something never measured between x0.4 and x2.5: a
// few odd rows must not make it meaningless.
func bounded(class estimate.Class, s estimate.Spread) estimate.Spread {
	if class == estimate.ClassHalf {
		s.Low, s.High = math.Max(s.Low, math.Log(0.4)), math.Min(s.High, math.Log(2.5))
	}
	s.Low, s.High = math.Min(s.Low, -0.02), math.Max(s.High, 0.02)
	return estimate.Spread{Low: round4(s.Low), High: round4(s.High)}
}

// nest makes every class at least as wide as the better-known one before it,
// in the order seen, pair, half.
func nest(cal *estimate.Calibration) {
	for _, c := range cal.Errors {
		var last estimate.Spread
		for _, class := range [...]estimate.Class{estimate.ClassSeen, estimate.ClassPair, estimate.ClassHalf} {
			s, ok := c[class]
			if !ok {
				s = last
			}
			s.Low, s.High = math.Min(s.Low, last.Low), math.Max(s.High, last.High)
			c[class], last = s, s
		}
		c[estimate.ClassFamily] = last
	}
}

// weighted is the quantile of a weighted sample.
func weighted(x, w []float64, q float64) float64 {
	i := make([]int, len(x))
	total := 0.0
	for j := range i {
		i[j] = j
		total += w[j]
	}
	sort.Slice(i, func(a, b int) bool { return x[i[a]] < x[i[b]] })
	at := 0.0
	for _, j := range i {
		if at += w[j]; at >= q*total {
			return x[j]
		}
	}
	return x[i[len(i)-1]]
}

func round4(v float64) float64 { return math.Round(v*1e4) / 1e4 }
