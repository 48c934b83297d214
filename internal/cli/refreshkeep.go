package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/source"
	"github.com/gpucost/gpucost/internal/unit"
)

// take keeps what a visit brought, or why it brought nothing.
func (k *keeper) take(ctx context.Context, r source.Result) error {
	if ctx.Err() != nil || r.Outcome == source.Skipped {
		return nil
	}
	run := runOf(&r)
	if k.narrow && k.onlyParts(r.Source) {
		run.ContentSHA256 = narrowRun
	}
	if k.dry {
		if r.Outcome != source.Updated || k.store == nil {
			return nil
		}
		run.DryRun = true
		return k.apply(ctx, run, r.Batch)
	}
	var err error
	switch r.Outcome {
	case source.Updated:
		err = k.apply(ctx, run, r.Batch)
	case source.Unchanged:
		k.applied[r.Source], err = k.store.NotModified(ctx, run)
	default:
		return k.store.Record(ctx, run)
	}
	if err == nil {
		return nil
	}
	run.Verdict, run.Detail, run.Rejected = history.Failed, "not stored: "+err.Error(), nil
	return errors.Join(err, k.store.Record(ctx, run))
}

// narrowRun stands in place of a hash where the store has only ever had a
// part of a source's list.
const narrowRun = "part"

// onlyParts reports whether that is so.
func (k *keeper) onlyParts(name string) bool {
	before := k.status[name]
	return before.LastSuccess.IsZero() || before.ContentSHA256 == narrowRun
}

func (k *keeper) apply(ctx context.Context, run history.Run, b *source.Batch) error {
	if len(b.Offers)+len(b.Tokens)+len(b.FX)+len(b.Interruption) == 0 && run.Partial {
		return nil // none of the rows that were asked for
	}
	res, err := k.store.Apply(ctx, run, history.Batch{Offers: history.Offers(b.Offers), Tokens: b.Tokens, FX: b.FX, Interruption: b.Interruption})
	k.applied[run.Source] = res
	return err
}

// runOf is a visit as the store remembers it. A visit that left rows out
// leaves nothing for a conditional request: an answer of "not modified" would
// renew rows that this visit did not confirm.
func runOf(r *source.Result) history.Run {
	run := history.Run{
		Source: r.Source, FetchedAt: r.FetchedAt, PublishedAt: r.PublishedAt, Partial: r.Partial, Tool: tool(),
		Bytes: r.Bytes, ContentSHA256: r.ContentSHA256, Verdict: history.Verdict(r.Outcome),
	}
	if r.Err != nil {
		run.Detail = r.Err.Error()
	}
	for _, x := range r.Rejections {
		run.Rejected = append(run.Rejected, history.Rejection(x))
	}
	for _, v := range r.Validators {
		if r.Partial {
			v.ETag, v.LastModified = "", ""
		}
		run.Validators = append(run.Validators, history.Validator(v))
	}
	if r.Partial {
		run.ContentSHA256 = ""
	}
	return run
}

// row is what became of a visit, for people and scripts.
func (k *keeper) row(r source.Result, failed error) present.RefreshRow {
	row := present.RefreshRow{
		Source: r.Source, Verdict: string(r.Outcome), FetchedAt: r.FetchedAt.UTC(), Bytes: r.Bytes, Pages: r.Pages,
		TookSeconds: r.Took.Seconds(), Rejected: len(r.Rejections), Findings: []present.Finding{},
	}
	row.PublishedAt, _ = since(r.PublishedAt, k.now)
	switch {
	case failed != nil:
		row.Verdict, row.Detail = string(source.Failed), "not stored: "+failed.Error()
	case r.Err != nil:
		row.Detail = strings.TrimPrefix(r.Err.Error(), row.Verdict+": ")
	}
	for _, f := range r.Verdict.Findings {
		row.Findings = append(row.Findings, present.Finding{Code: f.Code, Message: f.Message, Effect: string(f.Effect)})
	}
	row.Rows = r.Verdict.Rows - r.Verdict.Bad
	if r.Batch != nil {
		row.Rows += len(r.Batch.Tokens) + len(r.Batch.FX)
	}
	if res, ok := k.applied[r.Source]; ok && failed == nil {
		if res.Verdict == history.Superseded {
			row.Verdict = string(history.Superseded)
		}
		row.Rows, row.New, row.Changed, row.Unchanged, row.Missing, row.Gone = res.Seen+res.Rates, res.New, res.Changed, res.Unchanged, res.Missing, res.Gone
		row.Rejected, row.Past = max(row.Rejected, res.Rejected), res.Past
	}
	if st := k.status[r.Source]; !st.LastSuccess.IsZero() && (row.Verdict == string(source.Rejected) || row.Verdict == string(source.Failed)) {
		row.KeptRows = st.Rows
		row.KeptSince, row.KeptAgeSeconds = since(st.LastSuccess, k.now)
	}
	return row
}

// pointPrice is a point of a series as a price.
func pointPrice(s *history.Series, p *history.Point) catalog.Price {
	return catalog.Price{
		Purchase: s.Purchase, Plan: s.Plan, TermMonths: s.TermMonths, Low: p.Low, High: p.High, Free: p.Free, Per: unit.Per(p.Per), AsOf: p.AsOf, Source: s.Source,
	}
}
