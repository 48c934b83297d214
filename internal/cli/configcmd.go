package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/present"
)

func (a *App) configCommand() *cobra.Command {
	show := &cobra.Command{
		Use: "show", Short: "Every setting, its value and where it came from", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			out := present.Listing{Kind: "settings", Columns: []present.Column{
				{Key: "setting", Head: a.lang().T("col.setting")},
				{Key: "value", Head: a.lang().T("col.value"), Flex: true},
				{Key: "origin", Head: a.lang().T("col.origin"), Flex: true},
				{Key: "variable", Head: "ENV", Priority: 1},
			}}
			for _, s := range known {
				value, origin := withoutPassword(a.settings.get(s.name)), a.settings.origin(s.name)
				out.Items = append(out.Items, map[string]string{"setting": s.name, "value": value, "origin": origin, "variable": s.variable()})
				out.Rows = append(out.Rows, []present.Cell{present.Text(s.name), present.Text(value), present.Text(origin), present.Text(s.variable())})
			}
			return a.show(out.Doc())
		},
	}
	get := &cobra.Command{
		Use: "get NAME", Short: "The value of one setting", Args: takes(1, 1, "the name of one setting"), ValidArgs: settingNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, s := range known {
				if s.name == args[0] {
					value := withoutPassword(a.settings.get(s.name))
					if s.name == "currency" && value == "" {
						value = "USD" // what an answer uses unless its market says otherwise
					}
					_, err := fmt.Fprintln(a.Stdout, value)
					return err
				}
			}
			return unknownSetting(args[0])
		},
	}
	return group("config", "Settings and where they come from", show, get)
}

// version is set by the linker for releases.
var version = "dev"

type versionInfo struct {
	Version string      `json:"version"`
	Commit  string      `json:"commit"`
	Go      string      `json:"go"`
	Catalog versionData `json:"catalog"`
}

type versionData struct {
	AsOf    string `json:"as_of"`
	SHA256  string `json:"sha256"`
	Offers  int    `json:"offers"`
	Prices  int    `json:"prices"`
	Sources int    `json:"sources"`
}

func (a *App) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Version of the program and of its catalog", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := a.catalog()
			if err != nil {
				return err
			}
			v := versionInfo{Version: version, Commit: commit(), Go: runtime.Version()}
			v.Catalog = versionData{AsOf: c.AsOf.String(), SHA256: c.SHA256, Offers: len(c.Offers), Sources: len(c.Sources)}
			for i := range c.Offers {
				v.Catalog.Prices += len(c.Offers[i].Prices)
			}
			d := present.Doc{Object: v, Rows: []any{v}}
			d.Records = present.Records{Header: []string{"version", "commit", "go", "catalog_as_of", "catalog_sha256", "offers", "prices", "sources"}}
			d.Records.Rows = [][]present.Cell{{
				present.Text(v.Version), present.Text(v.Commit), present.Text(v.Go), present.Text(v.Catalog.AsOf), present.Text(v.Catalog.SHA256),
				present.Num(fmt.Sprint(v.Catalog.Offers)), present.Num(fmt.Sprint(v.Catalog.Prices)), present.Num(fmt.Sprint(v.Catalog.Sources)),
			}}
			d.Screen.Blocks = []present.Block{present.Say(
				fmt.Sprintf("gpucost %s (%s, %s)", v.Version, v.Commit, v.Go),
				fmt.Sprintf("catalog %s: %d offers, %d prices, %d sources, sha256 %.12s", v.Catalog.AsOf, v.Catalog.Offers, v.Catalog.Prices, v.Catalog.Sources, v.Catalog.SHA256),
			)}
			return a.show(d)
		},
	}
}

func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	rev, dirty := "unknown", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = fmt.Sprintf("%.12s", s.Value)
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+changes"
			}
		}
	}
	return rev + dirty
}
