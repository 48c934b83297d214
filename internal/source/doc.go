// Package source reads price sources: one file per provider or format, bytes
// in, catalog offers out, with the unit and the currency that the source
// itself states. What a body does not say stays unknown, what is left out is
// counted with its reason, and a zero is never a price.
//
// Readers ([Read]) are pure. The network is touched in one place ([Client]),
// and a fetched batch becomes visible only after the accept gate ([Check]).
// The clock, the environment and the transport are handed in.
package source
