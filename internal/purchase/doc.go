// Package purchase says what a way of buying compute costs and from where on it
// beats another: the mathematics of spot and spot/buying applied to prices. Every
// question has the same form: named inputs, each with its origin, go into a model
// that gives named figures; [Solve] runs the model at the middle of the inputs, at
// the ends of those that are ranges, and with each input 10 % larger.
//
// Amounts are exact: a model multiplies them by physical factors, once each.
// Ratios of amounts (break-even points, shares) are plain numbers. A figure that
// does not exist is nil, never NaN, infinity or 0.
package purchase
