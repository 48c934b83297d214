// Package buying is the mathematics of the other ways to buy capacity:
// commitments, packages, serverless workers, tokens, own hardware and off-peak
// windows, and from where on one beats another.
//
// Costs are plain numbers in any one unit (one currency, or a ratio to a list
// price) and are used for ratios, break-even points and sizes only; exact totals
// in money are made elsewhere. Negative savings are returned as they are. A
// break-even that does not exist is reported as false, never as NaN or infinity.
//
// Uncertain inputs: every function is monotone in its prices, so a low, mid and
// high answer is the function at the low, mid and high input.
package buying
