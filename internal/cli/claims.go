package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/data"
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/claims"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

//go:generate go test -run TestPublishedClaims -args -update-claims

type claimsOptions struct {
	verdicts []string
	article  string
	topics   []string
}

func (a *App) claimsCommand() *cobra.Command {
	var o claimsOptions
	cmd := &cobra.Command{
		Use:   "claims [ID...]",
		Short: "The two source articles' figures recomputed: holds, holds only if, does not hold",
		Long: "Recomputes every figure and rule of the two articles this program started from, with the catalog as it stands:\n" +
			"the verdict, the condition as a number, our figure, the reason, the inputs and the sources.",
		Example:           "  gpucost claims\n  gpucost claims claim-19 claim-35\n  gpucost claims --verdict holds_if --topic spot\n  gpucost claims -o markdown --lang zh",
		RunE:              func(_ *cobra.Command, args []string) error { return a.claims(args, &o) },
		ValidArgsFunction: a.complete(named(func(e *claims.Entry) string { return e.ID })),
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.verdicts, "verdict", nil, "only these verdicts: holds, holds_if, does_not_hold, not_checkable")
	f.StringVar(&o.article, "article", "", "only this article: review-2026-06 or guide-2026")
	f.StringSliceVar(&o.topics, "topic", nil, "only these topics, such as spot or price")
	a.flagValues(cmd, map[string]completer{
		"verdict": fixed(verdictNames()...), "article": named(func(e *claims.Entry) string { return e.Source }), "topic": named(func(e *claims.Entry) string { return e.Topic }),
	})
	return cmd
}

// named offers what the claims have, each once.
func named(of func(*claims.Entry) string) completer {
	return func(*catalog.Catalog) []string {
		f, err := claimsFile()
		if err != nil {
			return nil
		}
		var out []string
		for i := range f.Claims {
			if s := of(&f.Claims[i]); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return out
	}
}

func (a *App) claims(ids []string, o *claimsOptions) error {
	file, err := claimsFile()
	if err != nil {
		return err
	}
	ids = claimIDs(ids)
	keep, err := wanted(file, ids, o)
	if err != nil {
		return err
	}
	c, err := a.catalog()
	if err != nil {
		return err
	}
	b, err := a.basis(c, "")
	if err != nil {
		return err
	}
	opt := claims.Options{AsOf: b.selection.AsOf, Source: b.selection.Source, HoursPerMonth: b.month, Only: keep, Scenarios: library()}
	if opt.Estimator, err = a.estimator(""); err != nil {
		return err
	}
	for _, text := range a.settings.list("fx") {
		r, err := pricing.ParseFX(text)
		if err != nil {
			return usagef("%s: %v", a.settings.origin("fx"), err)
		}
		opt.Rates = append(opt.Rates, r)
	}
	list, err := claims.Check(file, c, opt)
	if err != nil {
		return err
	}
	if len(o.verdicts) > 0 {
		list = slices.DeleteFunc(list, func(x claims.Claim) bool { return !slices.Contains(o.verdicts, string(x.Verdict)) })
	}
	if len(list) == 0 {
		return nothingf("no claim matches").hint("loosen --verdict, --article or --topic")
	}
	format := a.settings.get("output")
	return a.show(present.Claims{
		Claims: list, Articles: file.Articles, Catalog: a.stamp(c), AsOf: b.selection.AsOf.String(), Lang: a.lang(),
		Detail: len(ids) > 0 || a.settings.is("explain"), Published: len(ids) == 0 && (format == "markdown" || format == "html"),
	}.Doc())
}

func claimsFile() (*claims.File, error) {
	const name = "claims.yaml"
	b, err := data.Files.ReadFile(name)
	if err != nil {
		return nil, failf("%s: %v", name, err)
	}
	f, ps := claims.Load(name, b)
	if ps.Err() != nil {
		return nil, failf("%v", ps)
	}
	return f, nil
}

// claimIDs reads a bare number as the claim of that number: 19 is claim-19.
func claimIDs(ids []string) []string {
	out := slices.Clone(ids)
	for i, id := range out {
		if n, err := strconv.ParseUint(id, 10, 16); err == nil {
			out[i] = fmt.Sprintf("claim-%02d", n)
		}
	}
	return out
}

// wanted is the choice of claims that ids, article and topics make.
func wanted(f *claims.File, ids []string, o *claimsOptions) (func(id string) bool, error) {
	for _, v := range o.verdicts {
		if _, err := claims.ParseVerdict(v); err != nil {
			return nil, usagef("--verdict: %v", err).hint("want %s", strings.Join(verdictNames(), ", "))
		}
	}
	keep, topics, articles := map[string]bool{}, []string{}, []string{}
	for i := range f.Claims {
		e := &f.Claims[i]
		keep[e.ID] = (o.article == "" || e.Source == o.article) && (len(o.topics) == 0 || slices.Contains(o.topics, e.Topic)) && (len(ids) == 0 || slices.Contains(ids, e.ID))
		topics = append(topics, e.Topic)
	}
	for i := range f.Articles {
		articles = append(articles, f.Articles[i].ID)
	}
	for _, id := range ids {
		if _, known := keep[id]; !known {
			return nil, usagef("unknown claim %q", id).near(catalog.Nearest(id, slices.Collect(maps.Keys(keep)), 3))
		}
	}
	if o.article != "" && !slices.Contains(articles, o.article) {
		return nil, usagef("unknown article %q", o.article).hint("want %s", strings.Join(articles, " or "))
	}
	for _, t := range o.topics {
		if !slices.Contains(topics, t) {
			slices.Sort(topics)
			return nil, usagef("unknown topic %q", t).hint("want %s", strings.Join(slices.Compact(topics), ", "))
		}
	}
	return func(id string) bool { return keep[id] }, nil
}

func verdictNames() []string {
	var names []string
	for _, v := range claims.Verdicts() {
		names = append(names, string(v))
	}
	return names
}
