package present

import "sync"

// claimsEN holds the text of claims.
var claimsEN = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"claims.verdict":        "Verdict",
		"claims.text":           "Claim",
		"claims.article":        "Article",
		"claims.ours":           "Ours",
		"claims.condition":      "Holds if",
		"claims.why":            "Why",
		"claims.sources":        "Sources",
		"claims.head":           "Claims of two articles recomputed for %[2]s: %[1]d · catalog %[3]s",
		"claims.sum":            "holds %d · holds under a condition %d · does not hold %d · cannot be checked %d",
		"claims.method":         "Prices are compared with evidence within 90 days of the article and with the newest, from sources other than the articles. A figure holds when two thirds of the evidence lie within 5 %% of its range, does not hold when less than a tenth does, and otherwise holds for the stated part. Low-confidence figures are shown and decide nothing. Everything is computed from the catalog by gpucost claims.",
		"claims.next":           "Why, with inputs and sources: gpucost claims %s. Everything: gpucost claims -o markdown.",
		"claims.reason":         "%s: %s: %s.",
		"claims.if":             "Holds if %s.",
		"claims.against":        "against the article's %s; inputs with their sources:",
		"verdict.holds":         "holds",
		"verdict.holds_if":      "holds if",
		"verdict.does_not_hold": "does not hold",
		"verdict.not_checkable": "not checkable",
	}
})
