package present

import (
	"fmt"
	"time"
)

// RefreshRow is what became of the visit to one source.
type RefreshRow struct {
	Source         string     `json:"source"`
	Verdict        string     `json:"verdict"` // updated, unchanged, superseded, rejected, failed or skipped
	Detail         string     `json:"detail"`  // why
	FetchedAt      time.Time  `json:"fetched_at"`
	PublishedAt    *time.Time `json:"published_at"` // what the source says of itself
	Rows           int        `json:"rows"`
	New            int        `json:"new"`
	Changed        int        `json:"changed"`
	Unchanged      int        `json:"unchanged"`
	Missing        int        `json:"missing"` // known rows that the list did not have
	Gone           int        `json:"gone"`    // missing for the third time
	Rejected       int        `json:"rejected"`
	Bytes          int64      `json:"bytes"`
	Pages          int        `json:"pages"`
	TookSeconds    float64    `json:"took_seconds"`
	KeptRows       int        `json:"kept_rows"` // good rows that stay after a failure
	KeptSince      *time.Time `json:"kept_since"`
	KeptAgeSeconds *int64     `json:"kept_age_seconds"`
	Findings       []Finding  `json:"findings"` // of the accept gate
	Past           int        `json:"past"`     // earlier values that a list of several days brought
}

// Finding is one thing that the accept gate saw.
type Finding struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Effect  string `json:"effect"` // held or rejected; empty is a remark
}

// RefreshAnswer is the answer of prices refresh.
type RefreshAnswer struct {
	Store  string
	DryRun bool
	Rows   []RefreshRow
	Lang   Lang
}

// Line is one line on what became of the visit.
func (r *RefreshRow) Line(l Lang) string {
	s := r.Source + ": " + l.T("verdict."+r.Verdict)
	switch r.Verdict {
	case "updated", "unchanged", "superseded":
		s += l.T("refresh.rows", r.Rows)
		if r.New+r.Changed+r.Gone > 0 {
			s += l.T("refresh.moves", r.New, r.Changed, r.Gone)
		}
		if r.Past > 0 {
			s += l.T("refresh.past", r.Past)
		}
		if r.Rejected > 0 {
			s += l.T("refresh.left_out", r.Rejected)
		}
		return s
	}
	if r.Detail != "" {
		s += ": " + clean(r.Detail)
	}
	if r.KeptAgeSeconds != nil {
		s += l.T("refresh.kept", r.KeptRows, AgeOf(*r.KeptAgeSeconds, l))
	}
	return s
}

// Doc makes the answer presentable in every format.
func (a RefreshAnswer) Doc() Doc {
	l := a.Lang
	d := Doc{
		Object: struct {
			SchemaVersion int          `json:"schema_version"`
			Command       string       `json:"command"`
			Store         string       `json:"store"`
			DryRun        bool         `json:"dry_run"`
			Sources       []RefreshRow `json:"sources"`
		}{1, "prices refresh", a.Store, a.DryRun, a.Rows},
		Records: Records{Header: []string{
			"source", "verdict", "rows", "new", "changed", "unchanged", "missing", "gone", "rejected", "fetched_at", "published_at",
			"bytes", "pages", "kept_rows", "kept_since", "detail", "past",
		}},
	}
	t := Table{Caption: "refresh", Columns: []Column{
		{Key: "source", Head: l.T("col.source")},
		{Key: "verdict", Head: l.T("col.verdict")},
		{Key: "rows", Head: l.T("col.rows"), Right: true},
		{Key: "new", Head: l.T("col.new_rows"), Right: true, Priority: 1},
		{Key: "changed", Head: l.T("col.changed"), Right: true},
		{Key: "gone", Head: l.T("col.gone"), Right: true, Priority: 2},
		{Key: "rejected", Head: l.T("col.rejected"), Right: true},
		{Key: "detail", Head: l.T("col.why"), Flex: true},
	}}
	var skipped []string
	counts := map[string]int{}
	for i := range a.Rows {
		r := &a.Rows[i]
		counts[r.Verdict]++
		d.Rows = append(d.Rows, *r)
		d.Records.Rows = append(d.Records.Rows, r.record())
		if r.Verdict == "skipped" {
			skipped = append(skipped, r.Source)
			continue
		}
		t.Rows = append(t.Rows, r.cells(l))
		if r.Verdict == "rejected" || r.Verdict == "failed" {
			d.Warnings = append(d.Warnings, Warning{"source_" + r.Verdict, r.Line(l)})
		}
	}
	lines := []string{l.T("refresh.summary", counts["updated"], counts["unchanged"]+counts["superseded"], counts["rejected"], counts["failed"], len(skipped))}
	if a.DryRun {
		lines = append(lines, l.T("refresh.dry"))
	}
	if len(skipped) > 0 {
		lines = append(lines, l.T("refresh.skipped", few(l, skipped, 8)))
	}
	if counts["rejected"] > 0 {
		lines = append(lines, l.T("refresh.review"))
	}
	head := Lines{Tone: Strong, Text: []string{l.T("refresh.head", a.Store)}}
	d.Screen = Screen{Title: "gpucost prices refresh", Blocks: []Block{head}}
	if len(t.Rows) > 0 {
		d.Screen.Blocks = append(d.Screen.Blocks, t)
	}
	d.Screen.Blocks = append(d.Screen.Blocks, Say(lines...))
	return d
}

func (r *RefreshRow) record() []Cell {
	n := func(i int) Cell { return Num(fmt.Sprint(i)) }
	return []Cell{
		Text(r.Source), Text(r.Verdict), n(r.Rows), n(r.New), n(r.Changed), n(r.Unchanged), n(r.Missing), n(r.Gone), n(r.Rejected),
		Text(r.FetchedAt.Format(time.RFC3339)), Text(stampText(r.PublishedAt)), Num(fmt.Sprint(r.Bytes)), n(r.Pages), n(r.KeptRows),
		Text(stampText(r.KeptSince)), Text(r.Detail), n(r.Past),
	}
}

func (r *RefreshRow) cells(l Lang) []Cell {
	n := func(i int) Cell { return Num(Number(float64(i), 0)) }
	why := r.Detail
	if r.KeptAgeSeconds != nil {
		why = l.T("refresh.kept_short", AgeOf(*r.KeptAgeSeconds, l)) + " " + why
	}
	return []Cell{Text(r.Source), Text(l.T("verdict." + r.Verdict)), n(r.Rows), n(r.New), n(r.Changed), n(r.Gone), n(r.Rejected), Text(why)}
}

// Cut shortens a line to a number of columns of a terminal.
func Cut(s string, columns int) string { return cut(clean(s), columns, "…") }
