// Package catalog is what is known: providers, offers and their dated, sourced
// prices; GPUs, models, sources, exchange rates, serverless, token, storage and
// ownership prices. It loads strict YAML with line numbers, lints it, resolves
// the names people type, lays overlays and overrides over it, and selects one
// price of an offer by date, source and confidence.
//
// It takes an fs.FS and never touches the operating system, the network or a
// clock. It is the only user of a YAML library.
package catalog
