package present

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// SourceRow is how one price source stands: what it is, what it needs, and
// what a store last had from it. Times that never were are nil.
type SourceRow struct {
	Name        string     `json:"name"`
	Kind        string     `json:"kind"`
	Auth        string     `json:"auth"` // none, or the environment variables of its keys
	AuthPresent bool       `json:"auth_present"`
	LastSuccess *time.Time `json:"last_success"`
	AgeSeconds  *int64     `json:"age_seconds"` // since the last success
	Rows        int        `json:"rows"`        // in the store, open
	Verdict     *string    `json:"verdict"`     // of the last attempt
	Licence     string     `json:"licence"`

	Title       string       `json:"title"`
	Freshness   string       `json:"freshness"` // fresh, due, old, expired or never
	Detail      string       `json:"detail"`    // of the last attempt
	LastAttempt *time.Time   `json:"last_attempt"`
	PublishedAt *time.Time   `json:"published_at"` // what the source said of itself
	Failures    int          `json:"failures"`     // attempts since the last success
	Rejected    int          `json:"rejected"`     // rows left out of the last attempt
	Fetched     bool         `json:"fetched"`      // false: read from files only
	HowToGet    string       `json:"how_to_get"`
	Unit        string       `json:"unit"`
	Shape       string       `json:"shape"` // verified or claim
	Evidence    string       `json:"evidence"`
	Docs        string       `json:"docs"`
	TTL         SourceTTL    `json:"ttl_seconds"`
	Parts       []SourcePart `json:"parts"` // of a source that is visited in parts
}

// SourceTTL is how long prices count as fresh, may be used while they are
// renewed, and are expired beyond, in seconds.
type SourceTTL struct {
	Fresh int64 `json:"fresh"`
	Stale int64 `json:"stale"`
	Hard  int64 `json:"hard"`
}

// SourcePart is one part of a source.
type SourcePart struct {
	Name        string     `json:"name"`
	LastSuccess *time.Time `json:"last_success"`
	AgeSeconds  *int64     `json:"age_seconds"`
	Rows        int        `json:"rows"`
	Verdict     string     `json:"verdict"`
	Detail      string     `json:"detail"`
}

// SourcesAnswer is the answer of prices sources.
type SourcesAnswer struct {
	Store, Trouble string // where the store is, and why it could not be read
	Rows           []SourceRow
	Lang           Lang
}

// Doc makes the answer presentable in every format.
func (a SourcesAnswer) Doc() Doc {
	l := a.Lang
	d := Doc{Records: Records{Header: []string{
		"name", "kind", "auth", "auth_present", "last_success", "age_seconds", "rows", "verdict", "licence",
		"freshness", "failures", "rejected", "fetched", "shape", "unit", "fresh_seconds", "hard_seconds", "docs",
	}}}
	t := Table{Caption: "sources", Columns: []Column{
		{Key: "name", Head: l.T("col.source")},
		{Key: "kind", Head: l.T("col.kind"), Wide: true, Priority: 2},
		{Key: "key", Head: l.T("col.key"), Flex: true},
		{Key: "last_success", Head: l.T("col.last_success"), Right: true},
		{Key: "rows", Head: l.T("col.rows"), Right: true},
		{Key: "verdict", Head: l.T("col.verdict"), Flex: true},
		{Key: "licence", Head: l.T("col.licence"), Flex: true, Priority: 1},
		{Key: "shape", Head: l.T("col.shape"), Wide: true, Priority: 3},
		{Key: "unit", Head: l.T("col.unit"), Flex: true, Wide: true, Priority: 4},
	}}
	object := struct {
		SchemaVersion int         `json:"schema_version"`
		Command       string      `json:"command"`
		Store         string      `json:"store"`
		StoreTrouble  string      `json:"store_trouble"`
		Sources       []SourceRow `json:"sources"`
	}{1, "prices sources", a.Store, a.Trouble, a.Rows}
	never, claims := 0, 0
	for i := range a.Rows {
		r := &a.Rows[i]
		d.Rows = append(d.Rows, *r)
		d.Records.Rows = append(d.Records.Rows, r.record())
		if r.LastSuccess == nil && r.Fetched {
			never++
		}
		if r.Shape == "claim" {
			claims++
		}
		t.Rows = append(t.Rows, r.cells(l))
	}
	d.Object = object
	var lines []string
	if a.Trouble != "" {
		lines = append(lines, l.T("sources.trouble", a.Trouble))
		d.Warnings = append(d.Warnings, Warning{"store", l.T("sources.trouble", a.Trouble)})
	}
	lines = append(lines, l.T("sources.summary", len(a.Rows), never, claims), l.T("sources.next"))
	d.Screen = Screen{Title: "gpucost prices sources", Blocks: []Block{
		Lines{Tone: Strong, Text: []string{l.T("sources.head", cmp.Or(a.Store, l.T("sources.no_store")))}}, t, Say(lines...),
	}}
	return d
}

func (r *SourceRow) record() []Cell {
	verdict := ""
	if r.Verdict != nil {
		verdict = *r.Verdict
	}
	return []Cell{
		Text(r.Name), Text(r.Kind), Text(r.Auth), Text(fmt.Sprint(r.AuthPresent)), Text(stampText(r.LastSuccess)), integer(r.AgeSeconds),
		Num(fmt.Sprint(r.Rows)), Text(verdict), Text(r.Licence), Text(r.Freshness), Num(fmt.Sprint(r.Failures)), Num(fmt.Sprint(r.Rejected)),
		Text(fmt.Sprint(r.Fetched)), Text(r.Shape), Text(r.Unit), Num(fmt.Sprint(r.TTL.Fresh)), Num(fmt.Sprint(r.TTL.Hard)), Text(r.Docs),
	}
}

func (r *SourceRow) cells(l Lang) []Cell {
	key := l.T("key.missing")
	switch {
	case !r.Fetched:
		key = l.T("key.file")
	case r.Auth == "none":
		key = l.T("key.none")
	case strings.HasSuffix(r.Auth, "(optional)"):
		key = l.T("key.optional")
	case r.AuthPresent:
		key = l.T("key.present")
	}
	age, verdict := l.T("never"), ""
	if r.AgeSeconds != nil {
		age = AgeOf(*r.AgeSeconds, l)
	}
	if r.Verdict != nil {
		verdict = l.T("verdict." + *r.Verdict)
		if r.Freshness == "old" || r.Freshness == "expired" {
			verdict += ", " + l.T("freshness."+r.Freshness)
		}
	}
	rows := Unknown()
	if r.Verdict != nil {
		rows = Num(fmt.Sprint(r.Rows))
	}
	return []Cell{
		Text(r.Name), Text(r.Kind), Text(key), Text(age), rows, Text(verdict), Text(r.Licence), Text(r.Shape), Text(r.Unit),
	}
}

// stampText is a time for machines; empty when there is none.
func stampText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
