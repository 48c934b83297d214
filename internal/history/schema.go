package history

import "math"

// openEnd is the end of an observation that still holds. The primary key of
// observation (series, end) so admits one open observation per series, and the
// value at any time t is the first row with ended_at > t.
const openEnd = int64(math.MaxInt64)

// createTables is version 1. Hot tables have no foreign keys: a look-up per
// row would double the time of an import, and every write goes through Apply.
func createTables(d *dialect) []string {
	tables := []string{
		`CREATE TABLE schema_version(version {int} PRIMARY KEY){strict}`,
		`CREATE TABLE counter(name TEXT PRIMARY KEY, next {int} NOT NULL){strict}`,

		// The accepted times are those of runs: fetched_at of the first and the last accepted one.
		`CREATE TABLE source(
			id {int} PRIMARY KEY, name TEXT NOT NULL UNIQUE,
			first_accepted_at {int}, last_accepted_at {int}, last_accepted_run {int}){strict}`,
		`CREATE TABLE run(
			id {int} PRIMARY KEY, source_id {int} NOT NULL REFERENCES source(id),
			fetched_at {int} NOT NULL, published_at {int},
			verdict TEXT NOT NULL CHECK (verdict IN ('updated','unchanged','superseded','rejected','failed','skipped')),
			partial {bool} NOT NULL, detail TEXT NOT NULL, tool TEXT NOT NULL,
			bytes {int} NOT NULL, content_sha256 TEXT NOT NULL,
			seen {int} NOT NULL, fresh {int} NOT NULL, changed {int} NOT NULL,
			missing {int} NOT NULL, gone {int} NOT NULL, rejected {int} NOT NULL){strict}`,
		`CREATE INDEX run_source ON run(source_id, id)`,
		`CREATE TABLE rejection(run_id {int} NOT NULL REFERENCES run(id) ON DELETE CASCADE, item TEXT NOT NULL, reason TEXT NOT NULL){strict}`,
		`CREATE INDEX rejection_run ON rejection(run_id)`,
		`CREATE TABLE validator(
			source_id {int} NOT NULL REFERENCES source(id), url TEXT NOT NULL,
			etag TEXT NOT NULL, last_modified TEXT NOT NULL, PRIMARY KEY (source_id, url)){strict}`,

		// identity is two bytes each for the GPU and the provider, so that the
		// series of one lie together in its index, and a hash of everything
		// that tells series apart: a smaller index than one on the words.
		// missed counts the accepted full runs in a row that did not have it.
		`CREATE TABLE series(
			id {int} PRIMARY KEY, source_id {int} NOT NULL, identity {bytes} NOT NULL,
			provider TEXT NOT NULL, gpu TEXT NOT NULL, gpus TEXT NOT NULL, instance TEXT NOT NULL,
			region TEXT NOT NULL, tier TEXT NOT NULL, host TEXT NOT NULL,
			purchase TEXT NOT NULL, plan TEXT NOT NULL, term_months {int} NOT NULL,
			attrs TEXT NOT NULL, missed {int} NOT NULL DEFAULT 0, missed_since {int}){strict}`,
		`CREATE UNIQUE INDEX series_identity ON series(identity)`,

		// An amount that the source does not know is NULL. as_of is the date the
		// source gives a price, or 'unknown'; NULL when that is the day it was
		// last verified, which then moves along.
		`CREATE TABLE observation(
			series_id {int} NOT NULL, ended_at {int} NOT NULL, observed_at {int} NOT NULL, last_verified_at {int} NOT NULL,
			low_nano {int}, high_nano {int}, currency TEXT NOT NULL, per TEXT NOT NULL, free {bool} NOT NULL,
			as_of TEXT, run_id {int} NOT NULL, end_reason TEXT,
			PRIMARY KEY (series_id, ended_at),
			CHECK (observed_at <= last_verified_at AND last_verified_at <= ended_at),
			CHECK ((low_nano IS NULL) = (high_nano IS NULL) AND (low_nano IS NULL) = (currency = '')),
			CHECK (low_nano IS NULL OR (low_nano <= high_nano AND (low_nano > 0 OR (free AND low_nano = 0)))),
			CHECK ((end_reason IS NULL) = (ended_at = 9223372036854775807))){clustered}`,

		`CREATE TABLE fx_rate(
			base TEXT NOT NULL, quote TEXT NOT NULL, rate_date TEXT NOT NULL, source TEXT NOT NULL,
			rate_nano {int} NOT NULL CHECK (rate_nano > 0), ref TEXT NOT NULL, confidence TEXT NOT NULL, note TEXT NOT NULL,
			run_id {int} NOT NULL, PRIMARY KEY (base, quote, source, rate_date)){strict}`,

		// rule is the watcher, the rule's name and the digest of its text: a
		// changed rule starts anew. event is the JSON of an Event, an outbox.
		`CREATE TABLE watch_state(
			rule TEXT NOT NULL, subject TEXT NOT NULL, fired {bool} NOT NULL, seen {int} NOT NULL,
			verified_at {int} NOT NULL, fired_at {int}, basis TEXT NOT NULL, PRIMARY KEY (rule, subject)){strict}`,
		`CREATE TABLE watch_event(
			id {int} PRIMARY KEY, watcher TEXT NOT NULL, fired_at {int} NOT NULL, event TEXT NOT NULL, delivered_at {int}){strict}`,
	}
	for i, t := range tables {
		tables[i] = d.types.Replace(t)
	}
	return append(tables, priceHistory(d))
}

// priceHistory is the view that people and dashboards read.
func priceHistory(d *dialect) string {
	return `CREATE VIEW price_history AS SELECT
		source.name AS source, s.provider, s.instance, s.gpu, s.gpus, s.region, s.tier, s.host, s.purchase, s.plan, s.term_months,
		CASE WHEN o.low_nano IS NOT NULL THEN ` + d.decimal("o.low_nano") + ` END AS low,
		CASE WHEN o.high_nano IS NOT NULL THEN ` + d.decimal("o.high_nano") + ` END AS high, o.currency, o.per, o.free, o.as_of,
		` + d.moment("o.observed_at") + ` AS observed_at, ` + d.moment("o.last_verified_at") + ` AS last_verified_at,
		CASE WHEN o.end_reason IS NOT NULL THEN ` + d.moment("o.ended_at") + ` END AS ended_at, o.end_reason, o.run_id, o.series_id
		FROM observation o JOIN series s ON s.id = o.series_id JOIN source ON source.id = s.source_id`
}
