package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/source"
)

// keepOptions say how an imported file goes into a store.
type keepOptions struct {
	as                  string
	whole, shrink, jump bool
	only                bool
}

func (o *keepOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.as, "store-as", "", "with --store: name of the source in the store (default: the format, with its seller or file)")
	f.BoolVar(&o.whole, "whole", false, "with --store: the file is all that the source has, so that what it lacks is missing")
	f.BoolVar(&o.only, "store-only", false, "with --store: write no overlay; for a file of any size")
	f.BoolVar(&o.shrink, "accept-shrink", false, "with --store and --whole: take a list that lost rows, after you looked")
	f.BoolVar(&o.jump, "accept-jump", false, "with --store: take prices that jumped, after you looked")
}

// keepBatch hands an imported file to the store as a run, by way of the gate
// that a fetched list passes as well.
func (a *App) keepBatch(o *importOptions, b *source.Batch, file string, c *catalog.Catalog) error {
	name, err := o.sourceName(b.Format, file)
	if err != nil {
		return err
	}
	at, err := a.importTime()
	if err != nil {
		return err
	}
	k, err := a.openKeeper(a.context(), false)
	if err != nil {
		return err
	}
	defer k.close()
	k.narrow = !o.keep.whole
	k.policy = gatePolicy(c, catalog.DateOf(at), o.keep.shrink || !o.keep.whole, o.keep.jump)
	prev, err := k.previous(name)
	if err != nil {
		return err
	}
	r := source.Result{
		Source: name, Format: b.Format, FetchedAt: at, PublishedAt: b.PublishedAt, Outcome: source.Updated, ContentSHA256: b.SHA256(),
		Verdict: source.Check(b, prev, k.policy),
	}
	r.Rejections = r.Verdict.Rejected
	r.Partial = !o.keep.whole || len(r.Rejections) > 0 || b.Count(source.Faulty) > 0
	kept := *b
	kept.Offers, kept.Interruption = r.Verdict.Offers, r.Verdict.Interruption
	r.Batch = &kept
	if r.Verdict.Decision != source.Accept {
		r.Outcome, r.Batch, r.Err = source.Rejected, nil, errors.New(r.Verdict.String())
	}
	failed := k.take(a.context(), r)
	row := k.row(r, failed)
	fmt.Fprintf(a.Stderr, "gpucost: %s: %s\n", k.location, row.Line(a.lang()))
	switch {
	case failed != nil:
		return failed
	case r.Outcome == source.Rejected:
		return failf("%s was not kept: %v", display(file), r.Err).hint("after you looked: --accept-jump, --accept-shrink")
	case row.Verdict == string(history.Superseded):
		return failf("%s was not kept: the store has a run of %s of the same time or later", display(file), name).
			hint("say of which day the file is: --as-of")
	}
	return nil
}

// importTime is when the file was made, if --as-of says so, else now.
func (a *App) importTime() (time.Time, error) {
	now := a.Now().UTC()
	day, err := a.day("as-of", catalog.Date{})
	switch {
	case err != nil || !day.Known() || day == catalog.DateOf(now):
		return now, err
	case day.First().After(now):
		return now, usagef("--as-of %s is in the future", day)
	}
	return day.First(), nil
}

// sourceName is what the store calls the source of a file. A list that every
// seller has one of, or that is the user's own, is told from its like by the
// seller or the file's name.
func (o *importOptions) sourceName(f *source.Format, file string) (string, error) {
	if name := o.keep.as; name != "" {
		if strings.ContainsAny(name, " \t\r\n,*") {
			return "", usagef("--store-as %q: want a name without spaces, commas and stars", name)
		}
		return name, nil
	}
	own := f.Name == ownFormat || f.Kind == source.KindBill
	tag := o.provider
	if tag == "" && own {
		base := filepath.Base(display(file))
		tag = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if tag == "" || !own && f.EachIs != "provider" {
		return f.Name, nil
	}
	return f.Name + "/" + strings.Join(strings.FieldsFunc(tag, func(r rune) bool { return strings.ContainsRune(" \t\r\n,*", r) }), "-"), nil
}
