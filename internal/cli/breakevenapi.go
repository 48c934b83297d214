package cli

import (
	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/purchase"
)

var apiAsks = []ask{
	{"api", "api_per_mtok", amountKind, "price of a million tokens, all kinds alike"},
	{"api-input", "api_input_per_mtok", amountKind, "price of a million input tokens"},
	{"api-cached", "api_cached_per_mtok", amountKind, "price of a million cached input tokens"},
	{"api-output", "api_output_per_mtok", amountKind, "price of a million output tokens"},
	{"input-tokens", "input_share", tokensKind, "input tokens of a request, not cached (default 1000)"},
	{"cached-tokens", "cached_share", tokensKind, "cached input tokens of a request"},
	{"output-tokens", "output_share", tokensKind, "output tokens of a request (default 300)"},
	{"replica-hour", "replica_per_hour", amountKind, "price of an hour of one replica, all its GPUs"},
	{"tokens-per-second", "tokens_per_second", countKind, "tokens a second of one replica flat out, in the tokens the price is for"},
	{"gpus", "gpus_per_replica", wholeKind, "GPUs of one replica, for prices from the catalog (default 1)"},
	{"min-replicas", "min_replicas", wholeKind, "replicas kept for availability (default 1)"},
	{"max-replicas", "max_replicas", wholeKind, "replicas there can be (default as many as needed)"},
	{"busy", "busy_share", partKind, "planned use of a replica, at most (default 100%)"},
	{"engineering", "engineering_per_month", amountKind, "people and tooling a month that an API does not need"},
	{"tokens-per-day", "tokens_per_day", tokensKind, "volume to price both ways"},
}

func (a *App) breakevenAPICommand() *cobra.Command {
	var o compareOptions
	var model string
	cmd := &cobra.Command{
		Use: "api", Short: "From how many tokens a day on hosting a model oneself beats an API", Args: noArgs,
		Long: "From how many tokens a day on hosting a model oneself beats paying per token. Replicas are paid for whether busy or not;\n" +
			"a volume that the hardware cannot serve is said to be over capacity and gets no price.",
		Example: "  gpucost breakeven api --api 10 --replica-hour 6.40 --tokens-per-second 3400 --hours-per-month 720\n" +
			"  gpucost breakeven api --model llama-3.1-70b --gpu h100 --gpus 4 --tokens-per-second 3400 --engineering 5000",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.breakevenAPI(cmd, o, model) },
	}
	declare(cmd, apiAsks)
	lookupFlags(a, cmd, &o)
	cmd.Flags().StringVar(&model, "model", "", "take token prices of this model from the catalog (--provider: of this seller)")
	a.flagValues(cmd, map[string]completer{"model": modelNames})
	return cmd
}

func modelNames(c *catalog.Catalog) []string {
	var out []string
	for i := range c.Models {
		out = append(out, c.Models[i].ID)
	}
	return out
}

func (a *App) breakevenAPI(cmd *cobra.Command, o compareOptions, model string) error {
	s, err := a.open(cmd, apiAsks, o)
	if err != nil {
		return err
	}
	seller := ""
	if !s.in.Has("api_per_mtok") && (!s.in.Has("api_input_per_mtok") || !s.in.Has("api_output_per_mtok")) {
		if model == "" {
			return usagef("breakeven api needs the API's price").hint("--api 10, --api-input 0.5 --api-output 1.5, or --model llama-3.1-70b to take it from the catalog")
		}
		sellers, err := s.providerIDs()
		if err != nil {
			return err
		}
		p, near := purchase.FindTokens(s.cat, model, sellers, s.basis.selection.AsOf)
		if p == nil {
			return nothingf("no token price of %q is known here", model).near(near).hint("give one: --api-input 0.5 --api-output 1.5")
		}
		if err := purchase.FillTokens(&s.in, p, s.exchange); err != nil {
			return nothingf("%v", err)
		}
		seller = p.ProviderName + " " + p.Model
	}
	if !s.in.Has("api_per_mtok") {
		s.fill("input_share", 1000, "count", "request")
		s.fill("output_share", 300, "count", "request")
	}
	if err := s.replica(); err != nil {
		return err
	}
	s.in.Number("hours_per_month", s.basis.month.Float(), "h", purchase.Default("hours_per_month"))
	s.fill("min_replicas", 1, "count", "one")
	s.fill("busy_share", 1, "share", "flat_out")
	answer, err := purchase.API(s.in, a.settings.is("explain"))
	if err != nil {
		return usagef("%v", err)
	}
	answer.Say("api", seller)
	return s.tell(answer)
}

// replica finds what one replica costs an hour.
func (s *shop) replica() error {
	if !s.in.Has("tokens_per_second") {
		return usagef("breakeven api needs what a replica serves").hint("--tokens-per-second 3400, of one replica flat out; gpucost estimate serve estimates it")
	}
	if s.in.Has("replica_per_hour") {
		return nil
	}
	if s.o.gpu == "" {
		return usagef("breakeven api needs what a replica costs").hint("--replica-hour 6.40, or --gpu h100 --gpus 4 to take it from the catalog")
	}
	o := s.o
	s.o.providers = nil // --provider names the seller of tokens
	q, err := s.cheapest(s.count("gpus_per_replica", 1), catalog.OnDemand, 0, nil)
	s.o = o
	if err != nil {
		return err
	}
	s.need("replica_per_hour", q)
	return nil
}
