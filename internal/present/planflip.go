package present

import (
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// flip says what would make another row the best.
func (e Estimation) flip() string {
	var out []string
	for _, f := range e.Answer.Flips {
		who := e.flipTo(f)
		switch f.By {
		case "price":
			out = append(out, e.Lang.T("est.flip.price", Percent(f.Value, 1), who))
		case "interruptions":
			out = append(out, e.Lang.T("est.flip.interruptions", Hours(1/f.Value, e.Lang), who))
		case "volume":
			out = append(out, e.Lang.T("est.flip.volume", significant(f.Value), who))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return e.Lang.T("est.flip", strings.Join(out, e.Lang.T("est.semi")))
}

func (e Estimation) flipTo(f estimate.Flip) string {
	for i := range e.Answer.Estimates {
		if x := &e.Answer.Estimates[i]; x.Rank == f.Rank {
			return "#" + significant(float64(f.Rank)) + " " + e.name(x) + ", " + e.Lang.T("purchase."+string(x.Purchase))
		}
	}
	return e.Lang.T("purchase." + string(catalog.Purchase(f.Purchase)))
}
