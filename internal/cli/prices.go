package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/source"
)

func (a *App) pricesCommand() *cobra.Command {
	return group("prices", "Live prices in a store: sources, refresh, history, diff, watch, export, prune",
		a.pricesSources(), a.pricesRefresh(), a.pricesHistory(), a.pricesDiff(), a.pricesWatch(), a.pricesExport(), a.pricesPrune())
}

func (a *App) pricesSources() *cobra.Command {
	return &cobra.Command{
		Use: "sources", Short: "Every price source: what it needs, what it last gave, its age and licence",
		Long: "Works without a network. What was last fetched comes from the store, if there is one.", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.sources() },
	}
}

func (a *App) sources() error {
	now, err := a.moment()
	if err != nil {
		return err
	}
	answer := present.SourcesAnswer{Lang: a.lang()}
	status := map[string]history.SourceStatus{}
	if at, err := a.storeLocation(); err == nil {
		answer.Store = withoutPassword(at)
		list, err := a.storeSources(at)
		if err != nil && (a.storeGiven() || !errors.Is(err, history.ErrNoStore)) {
			answer.Trouble = storeTrouble(err)
		}
		for _, st := range list {
			status[st.Source] = st
		}
	} else if a.storeGiven() {
		return err
	}
	for _, f := range source.Formats() {
		answer.Rows = append(answer.Rows, a.sourceRow(f, status, now))
		delete(status, f.Name)
	}
	for _, name := range sortedNames(status) {
		st := status[name]
		if _, _, part := strings.Cut(name, "/"); part && formatOf(name) != nil {
			continue // shown with its source
		}
		answer.Rows = append(answer.Rows, ownSource(&st, now))
	}
	return a.show(answer.Doc())
}

func (a *App) storeSources(at string) ([]history.SourceStatus, error) {
	ctx, cancel := context.WithTimeout(a.context(), storeWait)
	defer cancel()
	s, err := history.OpenRead(ctx, at)
	if err != nil {
		return nil, err
	}
	defer s.Close() //nolint:errcheck // reading only
	return s.Sources(ctx)
}

func sortedNames[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return sorted(names)
}

// sourceRow joins what is known of a format with what the store had from it.
func (a *App) sourceRow(f *source.Format, status map[string]history.SourceStatus, now time.Time) present.SourceRow {
	ttl := f.TTL()
	r := present.SourceRow{
		Name: f.Name, Kind: string(f.Kind), Auth: f.Auth(), AuthPresent: f.AuthPresent(a.Env), Licence: f.Licence,
		Title: f.Title, Fetched: f.Fetched(), HowToGet: f.Get, Unit: f.Unit, Shape: f.Shape, Evidence: f.Evidence, Docs: f.Docs,
		TTL:   present.SourceTTL{Fresh: int64(ttl.Fresh / time.Second), Stale: int64(ttl.Stale / time.Second), Hard: int64(ttl.Hard / time.Second)},
		Parts: []present.SourcePart{},
	}
	var list []history.SourceStatus
	if st, ok := status[f.Name]; ok {
		list = append(list, st)
	}
	for _, name := range sortedNames(status) {
		if base, _, part := strings.Cut(name, "/"); part && base == f.Name {
			st := status[name]
			list = append(list, st)
			success, age := since(st.LastSuccess, now)
			r.Parts = append(r.Parts, present.SourcePart{
				Name: name, LastSuccess: success, AgeSeconds: age, Rows: st.Rows, Verdict: string(st.LastVerdict), Detail: st.LastDetail,
			})
		}
	}
	fillStatus(&r, list, now)
	r.Freshness = freshness(r.AgeSeconds, ttl)
	return r
}

// fillStatus takes the weakest of the parts: the oldest success and the worst
// verdict.
func fillStatus(r *present.SourceRow, list []history.SourceStatus, now time.Time) {
	var oldest time.Time
	worst := -1
	for i := range list {
		st := &list[i]
		r.Rows += st.Rows
		r.Failures += st.Failures
		r.Rejected += st.LastRejected
		if !st.LastSuccess.IsZero() && (oldest.IsZero() || st.LastSuccess.Before(oldest)) {
			oldest = st.LastSuccess
			r.PublishedAt, _ = since(st.PublishedAt, now)
		}
		if grade := badness(st.LastVerdict); grade > worst {
			worst = grade
			verdict := string(st.LastVerdict)
			r.Verdict, r.Detail = &verdict, st.LastDetail
			r.LastAttempt, _ = since(st.LastAttempt, now)
		}
	}
	r.LastSuccess, r.AgeSeconds = since(oldest, now)
}

// badness orders verdicts, the worst last.
func badness(v history.Verdict) int {
	for i, w := range []history.Verdict{history.Unchanged, history.Updated, history.Superseded, history.Skipped, history.Rejected, history.Failed} {
		if v == w {
			return i
		}
	}
	return 0
}

// ownSource is a source of the store that is no format, such as a file that
// was imported.
func ownSource(st *history.SourceStatus, now time.Time) present.SourceRow {
	r := present.SourceRow{
		Name: st.Source, Title: st.Source, Kind: "file", Auth: "none", AuthPresent: true, Licence: "your own", Parts: []present.SourcePart{},
	}
	fillStatus(&r, []history.SourceStatus{*st}, now)
	r.Freshness = freshness(r.AgeSeconds, source.TTL{})
	return r
}

// since is a time and its age; nil when it never was.
func since(t, now time.Time) (*time.Time, *int64) {
	if t.IsZero() {
		return nil, nil
	}
	t = t.UTC()
	age := int64(now.Sub(t) / time.Second)
	return &t, &age
}

// freshness is an age in words: fresh, due for a refresh, old, expired.
func freshness(age *int64, ttl source.TTL) string {
	if age == nil {
		return "never"
	}
	switch d := time.Duration(*age) * time.Second; {
	case ttl.Fresh == 0:
		return "unknown"
	case d <= ttl.Fresh:
		return "fresh"
	case d <= ttl.Stale:
		return "due"
	case d <= ttl.Hard:
		return "old"
	}
	return "expired"
}
