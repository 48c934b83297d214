package estimate

import (
	"math"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Calibration is what was fitted on measured rows: coefficients by name and
// the quantiles of the errors on rows that were left out of the fit. Package
// calibrate makes it; the zero value is physics alone with wide bands.
type Calibration struct {
	Schema  int
	Rows    map[string]int
	Train   Coefficients
	Serve   Coefficients // seconds per output token of a request
	TPOT    Coefficients // seconds between output tokens
	TTFT    Coefficients // seconds to the first token
	Errors  map[string]map[Class]Spread
	Anchors []Anchor // measured rows by identity, for citing the nearest
}

// Spread is the 9 % and 91 % quantile of ln(measured rate / estimated rate).
type Spread struct{ Low, High float64 }

// Anchor is a measured row that an estimate may cite.
type Anchor struct {
	ID, Kind, Arch, GPU, Method string
	Value                       float64 // tokens per second and GPU
}

// widest is the band of a GPU whose family was never measured: at least x0.4
// to x1.7.
var widest = Spread{math.Log(0.4), math.Log(1.7)}

// spread is the band of a kind of estimate and a class; the widest known one
// where the class has none.
func (c *Calibration) spread(kind string, class Class) Spread {
	s, ok := c.Errors[kind][class]
	if !ok {
		s = Spread{math.Log(0.5), math.Log(1.6)}
	}
	if class == ClassFamily {
		s.Low, s.High = math.Min(s.Low, widest.Low), math.Max(s.High, widest.High)
	}
	return s
}

// Band is a rate with the interval of a kind of estimate (training, online,
// offline, single, image, tpot, ttft) and a class.
func (c *Calibration) Band(kind string, class Class, mid float64) Band {
	return c.spread(kind, class).band(mid)
}

// TrainClass says how well a training configuration is known.
func (c *Calibration) TrainClass(t *Train, s *Shape) Class { return trainClass(c, t, s) }

// ServeClass says how well a serving configuration is known.
func (c *Calibration) ServeClass(v *Serve, s *Shape) Class { return serveClass(c, v, s) }

// band spreads a rate.
func (s Spread) band(mid float64) Band {
	return Band{mid * math.Exp(s.Low), mid, mid * math.Exp(s.High)}
}

// inverse spreads a time: a high rate is a short time.
func (s Spread) inverse(mid float64) Band {
	return Band{mid * math.Exp(-s.High), mid, mid * math.Exp(-s.Low)}
}

// classOf says how well a configuration is known: by the measured group, then
// by its halves, then by the GPU's family.
func classOf(c Coefficients, group Key, arch, gpu, fam string) Class {
	if _, ok := c[group]; ok {
		return ClassSeen
	}
	if _, ok := c[Key{Kind: "family", A: fam}]; !ok {
		if _, ok := c[Key{Kind: "family", Term: 1, A: fam}]; !ok {
			return ClassFamily
		}
	}
	_, a := c[Key{Kind: "arch", A: arch}]
	_, g := c[Key{Kind: "gpu", A: gpu}]
	if a && g {
		return ClassPair
	}
	return ClassHalf
}

// anchorsOf are the measured rows of one kind and model.
type anchorsOf struct{ kind, arch string }

// anchor is a measured row with the logarithm of its rate.
type anchor struct {
	*Anchor
	log float64
}

func (c *Calibration) byModel() map[anchorsOf][]anchor {
	by := map[anchorsOf][]anchor{}
	for i := range c.Anchors {
		a := &c.Anchors[i]
		k := anchorsOf{a.Kind, a.Arch}
		by[k] = append(by[k], anchor{a, math.Log(a.Value)})
	}
	return by
}

// nearest are the ids of up to three measured rows of the same model and GPU,
// else of the same model, whose rate is closest to the estimate.
func (e *Estimator) nearest(kind, arch string, g *catalog.GPU, method string, rate float64) []string {
	type hit struct {
		id string
		d  float64
	}
	var best [3]hit
	n, log := 0, math.Log(rate)
	for _, a := range e.anchors()[anchorsOf{kind, arch}] {
		d := math.Abs(a.log - log)
		if a.GPU != g.ID {
			d += 10
		}
		if a.Method != method {
			d += 5
		}
		h := hit{a.ID, d}
		for j := range best {
			if j >= n {
				best[j] = h
				n++
				break
			}
			if h.d < best[j].d {
				best[j], h = h, best[j]
			}
		}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = best[i].id
	}
	return out
}
