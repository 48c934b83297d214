package pricing

import "fmt"

// Warning is a doubt about a result, with a stable code.
type Warning struct {
	Code    string `json:"code"`
	Message Text   `json:"message"`
}

// Text is words with the values in them, which can so be said in another
// language. It is put together when it is read: most of them never are.
type Text struct {
	Format string
	Args   []any
}

// String puts the text together.
func (t Text) String() string {
	if len(t.Args) == 0 {
		return t.Format
	}
	return fmt.Sprintf(t.Format, t.Args...)
}

// MarshalText is what String says.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Codes of warnings about a quote.
const (
	WarnMultiples   = "sold_in_multiples"
	WarnStale       = "stale"
	WarnUndated     = "undated"
	WarnLow         = "low_confidence"
	WarnConflict    = "sources_conflict"
	WarnSpotDearer  = "spot_dearer"
	WarnLeft        = "provider_left"
	WarnUnreachable = "provider_unreachable"
	WarnSplit       = "split"
	WarnIndex       = "index"
	WarnGPUOnly     = "gpu_only"
	WarnListings    = "marketplace"
	WarnFraction    = "fraction"
	WarnSize        = "size_not_stated"
	WarnRange       = "range"
	WarnUnavailable = "not_purchasable"
	WarnOverride    = "override"
	WarnVariant     = "variant_not_stated"
	WarnUnknownGPU  = "unknown_gpu"
	WarnSuperseded  = "superseded"
	WarnCommitment  = "commitment"
	WarnNoRate      = "no_exchange_rate"
	WarnTaxUnknown  = "tax_unknown"
	WarnTaxIncluded = "tax_removed"
	WarnDisk        = "disk_included"
	WarnNoDisk      = "disk_not_included"
	WarnListPrice   = "saving_against_list"
	WarnAmount      = "amount_out_of_range"
	WarnFree        = "free"
)

var messages = map[string]string{
	WarnMultiples:   "sold in machines of %s GPUs: a need of %d pays for %d",
	WarnStale:       "seen %d days ago, more than 90",
	WarnUndated:     "the source does not say when this price was seen",
	WarnLow:         "low confidence: %s",
	WarnConflict:    "sources conflict within 90 days: %s to %s per GPU-hour",
	WarnSpotDearer:  "spot was dearer than on demand on that day: on demand is cheaper",
	WarnLeft:        "the provider left public rental (%s)",
	WarnUnreachable: "the provider could not be reached (%s)",
	WarnSplit:       "the need is spread over %d machines: no link between them is stated",
	WarnIndex:       "an index or a group of providers: nobody sells at this price",
	WarnGPUOnly:     "price of the accelerator alone: the machine around it is extra",
	WarnListings:    "median of %d marketplace listings: expect it to move",
	WarnFraction:    "%s of a GPU per instance",
	WarnSize:        "the source does not say how many GPUs a machine has: the price assumes that the need can be bought exactly",
	WarnRange:       "the source gives a range: %s to %s, the middle is used",
	WarnUnavailable: "listed, but not purchasable",
	WarnOverride:    "changed by override %s: %s",
	WarnVariant:     "the source does not say which variant",
	WarnUnknownGPU:  "GPU name %q is not in the catalog",
	WarnSuperseded:  "put aside: %s",
	WarnCommitment:  "minimum commitment: %s",
	WarnNoRate:      "no exchange rate from %s",
	WarnTaxUnknown:  "the source does not say whether tax is included",
	WarnTaxIncluded: "price stated with %s %% tax: shown without",
	WarnDisk:        "with %s GB of disk at %s a GB-month",
	WarnNoDisk:      "without the %s GB of disk: their price is not known",
	WarnListPrice:   "the saving is against a list price that cannot be bought",
	WarnAmount:      "amount out of range",
	WarnFree:        "free of charge on purpose",
}

// NewWarning is the warning of a code with its values.
func NewWarning(code string, args ...any) Warning {
	return Warning{code, Text{messages[code], args}}
}
