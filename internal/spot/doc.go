// Package spot is the mathematics of capacity that can be taken away: what an
// interruption rate means, how often to save, how long a job takes and how many
// hours are billed, when a deadline forces on-demand capacity, and what a pool
// of sellers costs. It knows no provider's price: costs are factors relative to
// any one reference, hours are hours.
//
// Symbols used in the comments (hours): W useful work, tau work between two
// checkpoints, C a blocking checkpoint, R a restart (billed, and itself open to
// interruption), D the wait for new capacity (neither billed nor exposed),
// lambda interruptions per exposed hour, M = 1/lambda.
//
// The closed forms assume exponential up-times, i.e. an interruption is as
// likely in the first hour as in the fiftieth. Measured up-times are
// heavy-tailed (see Observed): the closed form is good for billed hours and
// optimistic for the finish time, which is what [Simulate] and [Replay] are for.
//
// Every function is pure: no clock, no files, no global random source.
package spot
