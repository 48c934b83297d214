package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/present"
)

// generations are the GPUs that people choose between, oldest first.
const generations = "a100-80gb,h100-sxm,h200-sxm,b200,gb300,mi300x,mi355x,l40s,rtx 4090,rtx 5090,h20,ascend 910b"

func (a *App) generationsCommand(o *estimateOptions) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "generations", Short: "GPU generations compared on one model: fit, throughput beside measured values, cost", Args: noArgs,
		Long: "LoRA, full fine-tuning, online and offline serving of one model on each kind of GPU: the fewest GPUs\n" +
			"that work, tokens per second and GPU beside what was measured, and the cheapest offer.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.catalog()
			if err != nil {
				return err
			}
			if len(o.purchases) == 0 { // so that cards, and not ways of buying, are compared
				o.purchases = []string{string(catalog.OnDemand)}
			}
			r, err := a.request(o, &estimate.Scenario{Kind: estimate.KindServe}, c)
			if err != nil {
				return err
			}
			list := generations
			if f := cmd.Flags().Lookup("gpu"); f.Changed {
				list = f.Value.String()
			}
			rows, err := estimate.Generations(r, name, strings.Split(list, ","))
			if err != nil {
				return scenarioFault(err)
			}
			return a.show(present.Generations{Model: name, Purchases: r.Query.Purchases, Rows: rows, Catalog: a.stamp(c), Lang: a.lang()}.Doc())
		},
	}
	cmd.Flags().StringVar(&name, "model", "llama-3.1-70b", "a model of the catalog")
	return cmd
}
