// Package claims recomputes every figure and rule of two articles about
// renting GPUs from the catalog and the engine: does it hold, does it hold
// under a condition that is a number, does it not hold, or can it not be
// checked. It is pure: no clock, no files, no network.
//
// What a claim says, in our own words, stands in data/claims.yaml with the
// article's figure, the evidence to look up, the inputs that no catalog holds
// (each with its source) and the sentences of the reason with places for
// numbers. What it is worth is computed at run time by one small rule in Go
// per kind of claim; no verdict and no result is written down anywhere.
//
// # Evidence
//
// Prices are compared at two times: within [catalog.FreshDays] days of the
// article's date (of its month or year where no day is known), and the newest,
// which is everything up to [newestDays] days before the latest observation.
// The articles' own figures are no evidence. Figures of low confidence count
// only where nothing better is known, and the reason then says so. Unlike
// compare, the evidence keeps every seller's every offer: a range of offers is
// the honest counterpart of an article's single figure.
//
// # Verdicts on a figure
//
// A price lies in the article's range when it is within [tolerance] of it. A
// figure holds where at least two thirds of the evidence lies in its range,
// does not hold where less than a tenth does, and holds for a part of the
// sellers between those; the condition then says how many. Where the answers
// for then and for now differ, the figure holds under the condition of its
// time. Without evidence it cannot be checked.
package claims
