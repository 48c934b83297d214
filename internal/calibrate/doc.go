// Package calibrate compares estimates with measured truth: it carries the
// measured rows with their sources, fits the factors of package estimate on
// them, measures the error on rows that were left out, and adds a user's own
// runs. It is pure and deterministic: the same rows give the same numbers.
//
// The fit minimises the Huber loss of ln(estimated / measured time) plus a
// ridge on every factor, with bounds that keep the physical laws
// (Gauss-Newton on reweighted least squares). How strongly each kind of factor
// is pulled toward physics was chosen by leaving whole groups out.
package calibrate
