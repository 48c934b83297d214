package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/source"
)

type importOptions struct {
	format, provider, region, decimal string
	keep                              keepOptions
}

func (a *App) catalogImport() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: "import --format NAME [FILE|-]", Short: "A price list of another format as a catalog overlay; rows left out are named",
		Long: "Writes catalog YAML to standard output, to be used with --catalog, and what was left out, with reasons, to standard error.\n" +
			"With --store the rows are also kept as a run of the store, if they pass its checks.\n" +
			"Exit code 5 when rows were faulty, 4 when none was read. Formats: gpucost prices sources.",
		Example: "  gpucost catalog import --format skypilot --provider aws vms.csv > aws.yaml\n  gpucost catalog import --format csv --decimal comma prices.csv\n" +
			"  gpucost catalog import --format oci --as-of 2026-11-30 --store default prices.json > /dev/null",
		Args: takes(0, 1, "a file, or - for standard input"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			return a.importFile(&o, name)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "csv", "format of the file, or a source of gpucost prices sources")
	f.StringVar(&o.provider, "provider", "", "seller of the rows that name none")
	f.StringVar(&o.region, "region", "", "region of the rows that name none")
	f.StringVar(&o.decimal, "decimal", "point", "csv: decimal point or comma")
	o.keep.flags(cmd)
	a.flagValues(cmd, map[string]completer{"format": fixed(formatNames()...), "provider": providerIDs, "decimal": fixed("point", "comma")})
	return cmd
}

func formatNames() []string {
	var names []string
	for _, f := range source.Formats() {
		names = append(names, f.Name)
	}
	return names
}

func (a *App) importFile(o *importOptions, name string) error {
	if _, err := source.Lookup(o.format); err != nil {
		return usagef("unknown format %q", o.format).near(catalog.Nearest(o.format, formatNames(), 3)).hint("gpucost prices sources lists them")
	}
	if o.decimal != string(source.Point) && o.decimal != "comma" {
		return usagef("--decimal %q: want point or comma", o.decimal)
	}
	c, err := a.ground(catalog.SectionCompare)
	if err != nil {
		return err
	}
	asOf, err := a.day("as-of", catalog.Date{})
	if err != nil {
		return err
	}
	opt := source.Options{
		Provider: o.provider, Region: o.region, AsOf: asOf, Names: catalog.NewNames(c.GPUs).ResolveGPU, Decimal: source.Decimal(o.decimal),
	}
	if o.keep.only {
		if !a.storeGiven() || o.keep.whole {
			return usagef("--store-only wants --store, and is not for --whole")
		}
		return a.keepStream(o, name, c, opt)
	}
	data, err := a.read(name)
	if err != nil {
		return err
	}
	batch, err := source.Read(o.format, bytes.NewReader(data), opt)
	if err != nil {
		return usagef("%s: %v", display(name), err)
	}
	if err := a.writeBatch(batch, c); err != nil {
		return err
	}
	said := a.reportBatch(batch, len(batch.Offers))
	if a.storeGiven() && (said == nil || asFault(said).exit == exitPartial) {
		if err := a.keepBatch(o, batch, name, c); err != nil {
			return err
		}
	}
	return said
}

func (a *App) writeBatch(b *source.Batch, c *catalog.Catalog) error {
	out := &catalog.Catalog{Offers: b.Offers, Tokens: b.Tokens, FX: b.FX, Interruption: b.Interruption, Sources: []catalog.Source{b.Format.Source()}}
	seen := map[string]bool{}
	for i := range b.Offers {
		if id := b.Offers[i].Provider; !seen[id] {
			seen[id] = true
			if p := catalog.FindProvider(c, id); p == nil {
				out.Providers = append(out.Providers, catalog.Provider{ID: id})
			}
		}
	}
	if format := a.settings.get("output"); format != "table" && format != "yaml" {
		return a.show(present.OfferList(out, a.lang()).Doc())
	}
	var buf bytes.Buffer
	if err := catalog.WriteYAML(&buf, out); err != nil {
		return err
	}
	_, err := io.Copy(a.Stdout, &buf)
	return err
}

// reportBatch says on standard error what became of every record.
func (a *App) reportBatch(b *source.Batch, offers int) error {
	unknown := 0
	for _, n := range b.UnknownGPUs {
		unknown += n
	}
	fmt.Fprintf(a.Stderr, "gpucost: %s: %d records read, %d offers, %d with an unknown GPU", b.Format.Name, b.Records, offers, unknown)
	for _, kind := range []source.LeftKind{source.Faulty, source.NoPrice, source.Aside} {
		if n := b.Count(kind); n > 0 {
			fmt.Fprintf(a.Stderr, ", %d %s", n, kind)
		}
	}
	fmt.Fprintln(a.Stderr)
	for _, l := range b.Left {
		fmt.Fprintf(a.Stderr, "gpucost: %s\n", l)
	}
	for _, w := range b.Warnings {
		fmt.Fprintf(a.Stderr, "gpucost: warning: %s\n", w)
	}
	var names []string
	for n := range b.UnknownGPUs {
		names = append(names, n)
	}
	if len(names) > 0 {
		fmt.Fprintf(a.Stderr, "gpucost: unknown GPUs, kept as written: %s\n", strings.Join(sorted(names), ", "))
	}
	empty := offers+len(b.Tokens)+len(b.FX)+len(b.Interruption)+len(b.Paid) == 0
	switch {
	case empty:
		return nothingf("no usable record")
	case b.Count(source.Faulty) > 0:
		return &fault{exit: exitPartial, code: "partial", msg: fmt.Sprintf("%d records are faulty and were left out", b.Count(source.Faulty))}
	case unknown > 0 && a.settings.is("strict"):
		return checkf("--strict: %d records have an unknown GPU", unknown)
	}
	return nil
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}
