package estimate

import "strings"

import "math"

// explain lists the terms of a time and the factors that scale them, largest
// term first by position: term, its share, its fitted factor.
func explain(p *Physics, c Coefficients, names []string) []Factor {
	var out []Factor
	for i, t := range &p.Terms {
		if t <= 0 || i >= len(names) {
			continue
		}
		scale := 0.0
		for j := range p.N {
			if f := &p.Feats[j]; f.Key.Term == i+1 {
				scale += c[f.Key] * f.X
			}
		}
		out = append(out,
			Factor{names[i], t * 1e6, "us", "formula", "docs/methodology.md"},
			Factor{"x fitted factor of " + names[i], math.Exp(scale), "", "calibrated", "data/calibration.yaml"})
	}
	for j := range p.N {
		f := &p.Feats[j]
		if v := c[f.Key]; f.Key.Term == 0 && v != 0 {
			out = append(out, Factor{"x " + f.Key.label(), math.Exp(v * f.X), "", "calibrated", "data/calibration.yaml"})
		}
	}
	return out
}

func (k Key) label() string {
	var s strings.Builder
	s.WriteString(k.Kind)
	for _, v := range [...]string{k.A, k.B, k.C, k.D} {
		if v != "" {
			s.WriteString(" " + v)
		}
	}
	return s.String()
}
