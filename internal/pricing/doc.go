// Package pricing is what it costs to hold a GPU: an offer, a purchase and a
// need become a comparable Quote. It knows billing increments and minimums,
// whole machines, storage, egress, tax and currency; it filters, ranks, groups
// and compares. It is pure: no clock, no files, no network.
package pricing
