package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/present"
)

var exportFormats = []string{"yaml", "csv", "parquet"}

func (a *App) pricesExport() *cobra.Command {
	var o selectOptions
	var format string
	cmd := &cobra.Command{
		Use: "export --format yaml|csv|parquet FILE|DIR", Short: "The store as a catalog overlay, as CSV, or as Parquet by month",
		Long: "yaml: the latest prices (or those of --as-of) as an overlay for --catalog. csv: every observation, one a line.\n" +
			"parquet: DIR/year=2026/month=11/prices.parquet, as DuckDB, ClickHouse and Spark read it. - is standard output.",
		Example: "  gpucost prices export --format yaml --gpu h100 live.yaml\n  gpucost prices export --format parquet --since 2026-01-01 lake/",
		Args:    takes(1, 1, "a file, a directory for parquet, or -"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.exportPrices(&o, format, args[0]) },
	}
	o.flags(a, cmd, true)
	cmd.Flags().StringVar(&format, "format", "yaml", "yaml, csv or parquet")
	a.flagValues(cmd, map[string]completer{"format": fixed(exportFormats...)})
	return cmd
}

func (a *App) exportPrices(o *selectOptions, format, to string) error {
	if !slices.Contains(exportFormats, format) {
		return usagef("--format %q: want yaml, csv or parquet", format).near(catalog.Nearest(format, exportFormats, 1))
	}
	if format == "parquet" && to == "-" {
		return usagef("parquet is written to a directory, not to standard output")
	}
	c, err := a.ground(catalog.SectionCompare)
	if err != nil {
		return err
	}
	var e history.ExportOptions
	if e.Filter, err = o.filter(c); err != nil {
		return err
	}
	if e.From, e.To, err = between(o.since, o.until); err != nil {
		return err
	}
	s, err := a.readStore(a.context())
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // reading only
	ctx := a.context()
	switch format {
	case "parquet":
		paths, rows, err := s.ExportParquet(ctx, to, e)
		if err == nil {
			fmt.Fprintf(a.Stderr, "gpucost: %s\n", a.lang().T("export.parquet", rows, len(paths), to))
		}
		return exported(rows, err, c, o)
	case "csv":
		var rows int64
		err := a.writeFile(to, func(w io.Writer) (err error) {
			rows, err = s.ExportCSV(ctx, w, e)
			return err
		})
		return exported(rows, err, c, o)
	}
	rows, err := a.exportYAML(ctx, s, e.Filter, c, to)
	return exported(rows, err, c, o)
}

func exported(rows int64, err error, c *catalog.Catalog, o *selectOptions) error {
	if err == nil && rows == 0 {
		return nothingStored(c, o)
	}
	return err
}

// exportYAML writes the latest prices with the sellers and sources they name.
func (a *App) exportYAML(ctx context.Context, s *history.Store, f history.Filter, c *catalog.Catalog, to string) (int64, error) {
	var at time.Time
	if a.settings.get("as-of") != "" {
		day, err := a.day("as-of", catalog.Date{})
		if err != nil {
			return 0, err
		}
		at = endOf(day).Add(-time.Microsecond)
	}
	latest, err := s.Latest(ctx, f, at)
	if err != nil {
		return 0, err
	}
	introduce(latest)
	for i := range latest.Providers { // an overlay keeps the names of the catalog
		if catalog.FindProvider(c, latest.Providers[i].ID) != nil {
			latest.Providers[i].Name = ""
		}
	}
	rows := int64(len(latest.Offers) + len(latest.Tokens) + len(latest.Serverless))
	if rows == 0 {
		return 0, nil
	}
	var b bytes.Buffer
	if err := catalog.WriteYAML(&b, latest); err != nil {
		return 0, err
	}
	return rows, a.writeFile(to, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// writeFile writes standard output, or a file that appears whole or not at
// all.
func (a *App) writeFile(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.Stdout)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".gpucost-*.tmp")
	if err != nil {
		return failf("%s: %v", name, err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone after the rename
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return failf("%s: %v", name, err)
	}
	return nil
}

func (a *App) pricesPrune() *cobra.Command {
	var before string
	var dry bool
	cmd := &cobra.Command{
		Use: "prune --before DAY", Short: "Removes old history; what still holds always stays",
		Long: "Removes observations that ended before the day, and runs, rejected rows and delivered events from before it.\n" +
			"Open prices and what the next refresh goes by always stay. --dry-run counts only.",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.prune(before, dry) },
	}
	cmd.Flags().StringVar(&before, "before", "", "the first day to keep, 2026-01-01")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "count only, remove nothing")
	return cmd
}

func (a *App) prune(before string, dry bool) error {
	if before == "" {
		return usagef("prices prune wants --before").hint("gpucost prices prune --before 2026-01-01 --dry-run")
	}
	day, err := dayFlag("before", before)
	if err != nil {
		return err
	}
	open := a.existingStore
	if dry {
		open = a.readStore
	}
	s, err := open(a.context())
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // the transaction is committed by then
	got, err := s.Prune(a.context(), history.PrunePolicy{ObservationsBefore: day.First(), RunsBefore: day.First(), DryRun: dry})
	if err != nil {
		return err
	}
	return a.show(present.PrunedAnswer{
		SchemaVersion: 1, Command: "prices prune", Store: s.Location(), Before: day.First().Format(time.DateOnly), DryRun: dry,
		Observations: got.Observations, Series: got.Series, Runs: got.Runs, Rejections: got.Rejections, Events: got.Events,
	}.Doc(a.lang()))
}
