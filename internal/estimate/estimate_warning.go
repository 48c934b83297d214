package estimate

import "github.com/gpucost/gpucost/internal/pricing"

// Warning is a doubt about an estimate, or about the price behind it.
type Warning = pricing.Warning

// Codes of warnings about an estimate.
const (
	WarnModel        = "model"
	WarnInterrupted  = "interruptions_not_counted"
	WarnStorage      = "storage_price_unknown"
	WarnNetwork      = "network_not_stated"
	WarnVariant      = "variant_assumed"
	WarnUnmeasured   = "gpu_never_measured"
	WarnCluster      = "large_cluster"
	WarnLate         = "deadline_at_risk"
	WarnOutlier      = "price_outlier"
	WarnOneRun       = "one_run"
	WarnAlone        = "requests_alone"
	WarnReclaimed    = "reclaimed"
	WarnRange        = "amount_out_of_range"
	WarnPublished    = "published_price"
	WarnAllowance    = "free_allowance"
	WarnImageWork    = "image_work"
	WarnPriceUnknown = "price_unknown"
	WarnHost         = "host_memory_not_stated"

	WarnStandIn   = "interruptions_of_another_seller"
	WarnNeverDone = "may_not_finish"
	WarnOwned     = "owned_straight_line"
	WarnToZero    = "scaled_to_zero"
	WarnPerToken  = "per_token"

	// AdviceShortJob and the following are rules of thumb, with the reason.
	// They filter nothing.
	AdviceShortJob    = "advice_short_job"
	AdviceServingSpot = "advice_serving_on_spot"
	AdviceFabric      = "advice_fast_fabric"
	AdviceBorder      = "advice_cross_border"
)

var warnings = map[string]string{
	WarnModel:        "%s",
	WarnInterrupted:  "spot at its list price: interruptions are not counted",
	WarnStorage:      "not in the sum, for want of a price: %s",
	WarnNetwork:      "the network between machines is not stated: plain Ethernet of 100 Gb/s a machine is assumed",
	WarnVariant:      "the source does not say which variant: estimated as %s",
	WarnUnmeasured:   "no GPU of this family was ever measured: physics alone, with a wide band",
	WarnCluster:      "%d machines at once: ask the provider whether it has them",
	WarnLate:         "in the slow case a run takes %.0f h, longer than the deadline of %.0f h",
	WarnOutlier:      "the price of %s per GPU-hour is %.1f times the median of this GPU in the catalog",
	WarnOneRun:       "one run only: trial runs, failed runs and restarts are not counted",
	WarnAlone:        "every request is taken to be alone: none shares a worker with another",
	WarnReclaimed:    "the market rises above the cap of %s after %s h: the machine is reclaimed",
	WarnRange:        "%s: the amount is out of range",
	WarnPublished:    "published %s price",
	WarnAllowance:    "%s GB are free of charge",
	WarnImageWork:    "image training was never measured here: FLOP per image alone, with a wide band",
	WarnPriceUnknown: "no price is known",
	WarnHost:         "%.0f GB of host memory are needed for offloaded states: the offer does not state its own",

	WarnStandIn:   "how often %s takes machines back is not published: what was recorded for H100 at Google Cloud stands in, once in %.1f h",
	WarnNeverDone: "at the upper end of the interruption rate the run does not finish: the high case is that of the middle rate",
	WarnOwned:     "owned: the purchase over %d months in a straight line, and power; no resale, space, network or people",
	WarnToZero:    "scaled to zero: a worker starts in %.0f s and is billed for %.0f s after its last request; requests at random share it",
	WarnPerToken:  "by the token: latency, limits and where the data goes are the seller's",

	AdviceShortJob:    "a run of %.1f h is interrupted with a chance of %.0f %% and saves %s against on demand: on demand is simpler",
	AdviceServingSpot: "users see every interruption, about once in %.1f h a machine: never serve on spot alone, keep machines on demand",
	AdviceFabric:      "a model of %.0fB over %d machines without InfiniBand, EFA or RoCE: gradients cross plain Ethernet at every step",
	AdviceBorder:      "data of mainland China leaves the country at this seller: check the data security and personal information laws, bandwidth and invoices",
}

// NewWarning is the warning of a code with its values.
func NewWarning(code string, args ...any) Warning {
	return Warning{Code: code, Message: pricing.Text{Format: warnings[code], Args: args}}
}
