// Package present shows results: one [Doc] holds an answer once as data and
// once as a screen, and [Write] puts it out as a table, JSON, NDJSON, CSV, TSV,
// YAML, Markdown or one HTML page. The same Doc and Options give the same bytes
// on every machine and under every locale.
//
// Nothing is computed here. Machines get exact values (Object, Rows, Records);
// people get rounded ones (Screen) with their doubts beside them as footnotes.
// Every format is rendered in full before its first byte is written, so an
// answer that cannot be shown, such as one holding a NaN, leaves no half of
// itself behind.
//
// It is the only user of tablewriter, and takes no terminal, file, clock or
// environment: the caller states width, colour and language in Options.
package present
