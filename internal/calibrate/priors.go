package calibrate

import (
	"math"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

// free is a bound that never binds.
const free = 4.0

// tune scales the pulls while they are being chosen; 1 in the program.
var tune = map[string]float64{}

// ridged is a prior around 0 with the given pull, without a bound that binds.
func ridged(r float64) prior { return prior{0, r, -free, free} }

// trainPrior holds the coefficients of training time.
func trainPrior(k estimate.Key) prior {
	if k.Term > 0 && k.Kind != "c" {
		return ridged(1)
	}
	switch k.Kind {
	case "c":
		switch k.Term - 1 {
		case 0: // matrix products: never better than the measured ceiling
			return prior{0.1, 2, 0, free}
		case 4, 5: // parameter gathering hides behind compute on good networks
			return prior{math.Log(0.2), 2, math.Log(0.02), 0}
		case 6: // what cannot be hidden is paid in full
			return prior{0, 200, 0, 0.5}
		case 10:
			return prior{0, 20, -1, 1}
		}
		return prior{0, 2, -3, 3}
	case "stack":
		return ridged(0.5)
	case "method", "kind", "family", "recompute":
		return ridged(1)
	case "dtype", "dtype-kind":
		return ridged(1)
	case "gpu":
		return prior{0, 2, -0.25, 0.25}
	case "arch":
		return ridged(1)
	case "gpu-method", "stack-family", "kind-gpu":
		return ridged(2)
	case "pair", "pair-method":
		return ridged(1.5)
	case "moe-rack":
		return prior{0, 1, -free, 0}
	case "width", "narrow", "split", "moe-sparsity", "year":
		return ridged(2)
	case "nodes", "scale", "small-step", "nodes-family":
		return prior{0, 2, 0, free}
	}
	return ridged(4)
}

// servePrior holds the coefficients of serving time.
func servePrior(k estimate.Key) prior {
	if k.Kind == "c" {
		switch k.Term - 1 {
		case 0: // weights: never faster than the sheet
			return prior{0.2, 2, 0, free}
		case 2: // products: never faster than the measured ceiling
			return prior{0.2, 2, 0, free}
		case 5:
			return prior{0.3, 2, 0, free}
		}
		return prior{0.2, 2, -3, 3}
	}
	if strings.HasPrefix(k.Kind, "image") {
		return ridged(0.5)
	}
	if k.Term > 0 {
		if k.Kind == "engine" {
			return ridged(0.2)
		}
		return ridged(2)
	}
	switch k.Kind {
	case "mode", "engine", "prefill-c":
		return ridged(1)
	case "pipeline":
		return prior{0, 2, 0, free}
	case "engine-kind", "engine-dtype", "dtype", "layout", "year":
		return ridged(1)
	case "arch":
		return ridged(4)
	case "gpu":
		return prior{0, 4, -0.25, 0.25}
	case "pair", "pair-engine":
		return ridged(1)
	}
	return ridged(4)
}
