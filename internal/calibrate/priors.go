package calibrate

import (
	"math"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

// free is a bound that never binds.
const free = 4.0

func ridged(r float64) prior { return prior{0, r, -free, free} }

// own holds the factors of the user's runs at nothing while the shipped rows
// are fitted.
var own = prior{0, 1e6, 0, 0}

// The pulls below were chosen by cross-validation that leaves rows and whole
// groups out, one kind at a time; small means that the rows decide.

// trainPulls are the pulls of training time by kind of coefficient.
var trainPulls = map[string]float64{
	"stack": 0.5, "stack-family": 2, "method": 3, "kind": 0.3, "family": 30, "recompute": 0.9,
	"dtype": 9, "dtype-kind": 0.3, "arch": 0.3, "gpu-method": 2, "kind-gpu": 2, "pair": 1.5, "pair-method": 1.5,
	"moe-sparsity": 0.6, "width": 2, "narrow": 2, "year": 2, "programme": 1,
}

// trainPrior holds the coefficients of training time.
func trainPrior(k estimate.Key) prior {
	if k.Kind == estimate.Personal {
		return own
	}
	if k.Kind == "c" {
		return trainConstant(k.Term - 1)
	}
	if k.Term > 0 {
		if k.Kind == "family" {
			return ridged(0.1)
		}
		return ridged(1)
	}
	switch k.Kind {
	case "gpu": // a better card must not be slower by its factor
		return prior{0, 6, -0.25, 0.25}
	case "moe-rack": // a rack-wide link is never worse
		return prior{0, 3, -free, 0}
	case "nodes":
		return prior{0, 20, 0, free}
	case "scale":
		return prior{0, 0.6, 0, free}
	case "small-step":
		return prior{0, 2, 0, free}
	}
	return ridged(trainPulls[k.Kind])
}

// trainConstant holds the factor of a term; the ends are physical.
func trainConstant(term int) prior {
	const pull = 0.2
	switch estimate.TrainTermName(term) {
	case "parameter matrix products": // never better than the measured ceiling
		return prior{0.1, pull, 0, free}
	case "expert all-to-all between machines", "parameter gather and reduce": // hide behind compute on good networks
		return prior{math.Log(0.2), pull, math.Log(0.02), 0}
	case "gather that compute cannot hide": // paid in full
		return prior{0, 20, 0, 0.5}
	case "pipeline bubble":
		return prior{0, 2, -1, 1}
	}
	return prior{0, pull, -3, 3}
}

// servePulls are the pulls of serving time by kind of coefficient.
var servePulls = map[string]float64{
	"mode": 1, "engine": 0.03, "engine-kind": 1, "engine-dtype": 0.3, "dtype": 1, "layout": 1, "arch": 36, "engine-year": 1, "pair-split": 2,
	"group": 1, "pair-engine": 1, "prefill-c": 1, "prefill-engine": 4, "prefill-family": 4,
	"image-c": 0.15, "image-family": 0.15, "image-gpu": 0.5, "image-dtype": 0.15, "image-mode": 0.5, "image-pair": 0.5, "image-year": 0.5,
}

// serveTermPulls are the pulls of what scales one term of serving time.
var serveTermPulls = map[string]float64{"mode": 0.2, "engine": 0.2, "family": 6, "dtype": 0.06, "memory": 0.6}

// servePrior holds the coefficients of serving time.
func servePrior(k estimate.Key) prior {
	switch {
	case k.Kind == estimate.Personal:
		return own
	case k.Kind == "c":
		return serveConstant(k.Term - 1)
	case strings.HasPrefix(k.Kind, "image"):
		return ridged(servePulls[k.Kind])
	case k.Term > 0 && k.Kind != "prefill-c":
		return ridged(serveTermPulls[k.Kind])
	case k.Kind == "gpu":
		return prior{0, 36, -0.25, 0.25}
	case k.Kind == "prefill-c": // about the efficiency of training a mixture
		return prior{0.8, 2, 0, free}
	case k.Kind == "pipeline":
		return prior{0, 0.6, 0, free}
	}
	return ridged(servePulls[k.Kind])
}

// serveConstant holds the factor of a term; no term is faster than the sheet.
func serveConstant(term int) prior {
	const pull = 0.06
	switch estimate.ServeTermName(term) {
	case "weights through memory", "decode matrix products":
		return prior{0.2, pull, 0, free}
	case "collective bytes":
		return prior{0.3, pull, 0, free}
	case "own prefill":
		return prior{-1, pull, -4, free}
	}
	return prior{0.2, pull, -3, 3}
}

// tpotPrior holds the coefficients of the time between tokens: as of serving
// time, but other requests' prefill need not interrupt decoding.
func tpotPrior(k estimate.Key) prior {
	if k.Kind == "c" {
		switch estimate.ServeTermName(k.Term - 1) {
		case "prefill of all requests", "own prefill":
			return prior{-0.7, 2, -4, free}
		}
	}
	return servePrior(k)
}

// ttftPrior holds the coefficients of the time to the first token.
func ttftPrior(k estimate.Key) prior {
	if k.Kind == estimate.Personal {
		return own
	}
	if k.Kind == "c" {
		return prior{0, 0.5, -4, free}
	}
	if k.Kind == "group" || k.Kind == "engine-kind" || k.Kind == "layout" || k.Kind == "engine" {
		return ridged(1)
	}
	return ridged(3)
}
