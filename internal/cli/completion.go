package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

func (a *App) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion bash|zsh|fish|powershell", Short: "Completion script for a shell, with live names of GPUs and providers",
		Example: "  source <(gpucost completion bash)\n  gpucost completion zsh > \"${fpath[1]}/_gpucost\"\n  gpucost completion fish > ~/.config/fish/completions/gpucost.fish\n  gpucost completion powershell | Out-String | Invoke-Expression",
		Args:    takes(1, 1, "one shell: bash, zsh, fish or powershell"), ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Stdout)
			}
			return usagef("unknown shell %q", args[0]).near(catalog.Nearest(args[0], shells, 2)).hint("want %s", strings.Join(shells, ", "))
		},
	}
}

type completer func(c *catalog.Catalog) []string

// complete offers names from the catalog for a flag or argument, also after a
// comma.
func (a *App) complete(names completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if a.resolve(cmd.Flags()) != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		c, err := a.catalog()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		before := ""
		if i := strings.LastIndexByte(typed, ','); i >= 0 {
			before = typed[:i+1]
		}
		var out []string
		for _, n := range names(c) {
			out = append(out, before+n)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func fixed(names ...string) completer { return func(*catalog.Catalog) []string { return names } }

func gpuNames(c *catalog.Catalog) []string {
	var out []string
	seen := map[string]bool{}
	for i := range c.GPUs {
		if f := c.GPUs[i].Family; !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	for i := range c.GPUs {
		out = append(out, c.GPUs[i].ID)
	}
	return out
}

func providerIDs(c *catalog.Catalog) []string {
	var out []string
	for i := range c.Providers {
		out = append(out, c.Providers[i].ID)
	}
	return out
}

func sourceIDs(c *catalog.Catalog) []string {
	var out []string
	for i := range c.Sources {
		out = append(out, c.Sources[i].ID)
	}
	return out
}

func regionNames(c *catalog.Catalog) []string {
	return offerNames(c, func(o *catalog.Offer) string { return o.Region })
}

func tierNames(c *catalog.Catalog) []string {
	return offerNames(c, func(o *catalog.Offer) string { return o.Tier })
}

func offerNames(c *catalog.Catalog, name func(*catalog.Offer) string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for i := range c.Offers {
		if r := name(&c.Offers[i]); !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	}
	return out
}

// flagValues registers completions; a flag that does not exist is a mistake of
// ours.
func (a *App) flagValues(cmd *cobra.Command, flags map[string]completer) {
	for name, values := range flags {
		if err := cmd.RegisterFlagCompletionFunc(name, a.complete(values)); err != nil {
			panic(err)
		}
	}
}

func (a *App) completions(root *cobra.Command) {
	var formats []string
	for _, f := range present.Formats() {
		formats = append(formats, string(f))
	}
	a.flagValues(root, map[string]completer{
		"output": fixed(formats...), "lang": fixed("en", "zh"), "currency": fixed("USD", "CNY", "EUR"), "source": sourceIDs,
	})
}

func (a *App) completeCompare(cmd *cobra.Command) {
	var purchases []string
	for _, p := range catalog.Purchases() {
		purchases = append(purchases, string(p))
	}
	a.flagValues(cmd, map[string]completer{
		"gpu": gpuNames, "provider": providerIDs, "region": regionNames, "tier": tierNames, "purchase": fixed(purchases...), "market": fixed("intl", "cn"),
		"sort": fixed(compareSorts()...), "group-by": fixed(pricing.GroupNames()...), "per": fixed("gpu", "instance"),
		"interconnect": fixed("nvlink", "ib", "roce", "efa", "rdma", "pcie"),
	})
}
