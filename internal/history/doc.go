// Package history keeps what prices were: every observation of every source
// with its dates, in an SQLite file (the default, no cgo) or in a PostgreSQL
// database that a team shares. Both behave alike: the statements are the same,
// and what differs stands in one table of dialects.
//
// # Words
//
// A run is one visit to a source, with a verdict. A series is one price of one
// source over time: an offer, a way of buying it and a term. An observation is
// a value of a series with the time it held: it is written only when the value
// changes, and an unchanged value extends it. At most one observation of a
// series is open.
//
// # The four times
//
// They are never mixed: published_at is what the source says of itself;
// observed_at is when this value was first seen; last_verified_at is the last
// accepted run that saw it again; fetched_at is the exchange with the source.
// A run that fails or is rejected renews nothing, so the last good rows stay,
// with their old times.
//
// A list that tells one price of several days (a history of changes, a daily
// archive) is an exception that shows: its past values begin, are verified and
// end on the days that the list gives, and their run says when that was read.
// Such a list adds what is new before the first observation of a series, after
// the last one, and after the last verification of a value; anywhere else, what
// was said first stays.
//
// # Writers and readers
//
// There is one writer at a time, by SQLite's write lock or an advisory lock of
// PostgreSQL, and any number of readers, which see whole runs only: a run is
// one transaction. A run that was fetched before the last accepted run of its
// source changes nothing ([Superseded]); so several teams may refresh one
// store. Killing a writer at any point leaves the store as it was before.
//
// Interruption figures (how often spot is taken away) have a table of their
// own and the same rules: observations, the four times, gone after three runs.
//
// Amounts are stored as whole nano-units beside their currency, times as
// microseconds since 1970 in UTC; the view price_history shows both in words.
//
// Nothing is opened before [Open] or [OpenRead] is called. The package has no
// clock: every time comes from the caller.
package history
