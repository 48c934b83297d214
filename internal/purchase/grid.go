package purchase

import (
	"maps"
	"math"
)

// row runs the model with some inputs changed and adds what the columns ask for:
// a changed input or a figure.
func (g *Grid) row(p Point, m Model, changed map[string]any) error {
	at := maps.Clone(p)
	maps.Copy(at, changed)
	figs, err := m(at)
	if err != nil {
		return err
	}
	row := make([]any, len(g.Columns))
	for i, c := range g.Columns {
		if v, ok := changed[c.Name]; ok {
			row[i] = v
			continue
		}
		for k := range figs {
			if figs[k].Name == c.Name {
				row[i] = figs[k].Value
			}
		}
	}
	g.Rows = append(g.Rows, row)
	return nil
}

// pastValue is the present value of 1 paid after some years.
func pastValue(rate, years float64) float64 { return math.Exp(-years * math.Log1p(rate)) }
