package cli

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

func (a *App) catalogCommand() *cobra.Command {
	return group("catalog", "The data itself: list, show, lint, diff, stats, export, import",
		a.catalogList(), a.catalogShow(), a.catalogLint(), a.catalogDiff(), a.catalogStats(), a.catalogExport(), a.catalogImport())
}

var listings = []string{"providers", "gpus", "models", "offers", "sources", "scenarios"}

func (a *App) catalogList() *cobra.Command {
	return &cobra.Command{
		Use: "list " + strings.Join(listings, "|"), Short: "Lists what the catalog knows", Args: takes(1, 1, "one of "+strings.Join(listings, ", ")), ValidArgs: listings,
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] == "scenarios" {
				return a.listScenarios()
			}
			c, err := a.catalog()
			if err != nil {
				return err
			}
			var l present.Listing
			switch args[0] {
			case "providers":
				l = present.ProviderList(c, a.lang())
			case "gpus":
				l = present.GPUList(c, a.lang())
			case "models":
				l = present.ModelList(c, a.lang())
			case "offers":
				l = present.OfferList(c, a.lang())
			case "sources":
				l = present.SourceList(c, a.lang())
			default:
				return usagef("unknown list %q", args[0]).near(catalog.Nearest(args[0], listings, 2)).hint("want %s", strings.Join(listings, ", "))
			}
			return a.show(l.Doc())
		},
	}
}

func (a *App) catalogShow() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "All that is known of one GPU, provider, model, scenario or source, by any of its names",
		Example: "  gpucost catalog show h100\n  gpucost catalog show 昇腾910B\n  gpucost catalog show 阿里云",
		Args:    takes(1, 20, "a name"), ValidArgsFunction: a.complete(func(c *catalog.Catalog) []string { return append(gpuNames(c), providerIDs(c)...) }),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := a.catalog()
			if err != nil {
				return err
			}
			name := strings.Join(args, " ")
			e, err := catalog.Find(c, name)
			if s, scenarioErr := library().Scenario(name); err != nil && scenarioErr == nil {
				return a.show(present.ScenarioDoc(s, name, a.lang()))
			}
			if err != nil {
				return err
			}
			return a.show(present.Thing(c, name, e, a.lang()))
		},
	}
}

func (a *App) catalogDiff() *cobra.Command {
	var market string
	cmd := &cobra.Command{
		Use: "diff OLD NEW", Short: "What changed between two catalogs, and whether the price or the exchange rate moved",
		Long: "OLD and NEW are catalog files, or the word embedded. Exit code 0 also when something changed.",
		Args: takes(2, 2, "two catalog files"),
		RunE: func(_ *cobra.Command, args []string) error {
			var sides [2]pricing.Side
			var month basis
			for i, name := range args {
				c, err := a.catalogNamed(name)
				if err != nil {
					return err
				}
				b, err := a.basis(c, market)
				if err != nil {
					return err
				}
				sides[i], month = pricing.Side{Catalog: c, Selection: b.selection, Exchange: b.exchange}, b
			}
			return a.show(present.DiffDoc(pricing.Diff(sides[0], sides[1], month.month), a.lang()))
		},
	}
	cmd.Flags().StringVar(&market, "market", "", "cn shows yuan")
	return cmd
}

func (a *App) catalogStats() *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "How much is known, how old it is, and from whom", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := a.catalog()
			if err != nil {
				return err
			}
			b, err := a.basis(c, "")
			if err != nil {
				return err
			}
			return a.show(present.StatsDoc(c, b.now, a.lang()))
		},
	}
}

func (a *App) catalogExport() *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "The catalog as one YAML file, with every overlay applied", Args: noArgs,
		Long: "Writes catalog YAML to standard output; -o csv, json and the rest write the list of offers.",
		RunE: func(*cobra.Command, []string) error {
			c, err := a.catalog()
			if err != nil {
				return err
			}
			if out := a.settings.get("output"); out != "yaml" && out != "table" {
				return a.show(present.OfferList(c, a.lang()).Doc())
			}
			var b bytes.Buffer
			if err := catalog.WriteYAML(&b, c); err != nil {
				return err
			}
			_, err = a.Stdout.Write(b.Bytes())
			return err
		},
	}
}

func (a *App) catalogLint() *cobra.Command {
	return &cobra.Command{
		Use: "lint [FILE...]", Short: "Problems and doubts in catalog data, with file, line and column",
		Long: "Without a file: the embedded catalog. Problems are exit code 3; with --strict doubts are as well.",
		RunE: func(_ *cobra.Command, args []string) error { return a.lint(args) },
	}
}

func (a *App) lint(files []string) error {
	b, err := a.day("now", catalog.DateOf(a.Now()))
	if err != nil {
		return err
	}
	problems, err := a.problems(files, b)
	if err != nil {
		return err
	}
	if err := a.show(present.LintDoc(problems, len(files) > 0, a.lang())); err != nil {
		return err
	}
	errs, warnings := 0, 0
	for _, p := range problems {
		if p.Severity == catalog.SeverityError {
			errs++
		} else {
			warnings++
		}
	}
	switch {
	case errs > 0:
		return checkf("%d errors in the catalog", errs)
	case warnings > 0 && a.settings.is("strict"):
		return checkf("--strict: %d warnings in the catalog", warnings)
	}
	return nil
}
