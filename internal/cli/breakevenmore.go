package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

var reservedAsks = []ask{
	{"reserved", "reserved_per_gpu_hour", amountKind, "price of a committed GPU-hour, used or not"},
	{"on-demand", "on_demand_per_gpu_hour", amountKind, "price of a GPU-hour on demand"},
	{"upfront", "upfront", amountKind, "paid at the start, for all GPUs"},
	{"gpus", "gpus", wholeKind, "GPUs committed (default 1)"},
	{"term", "term_months", monthKind, "months of the term (default 12, or the catalog's)"},
	{"use", "use", partKind, "share of the term that is used"},
	{"decline", "decline_per_year", fallKind, "fall of the market price a year, such as 25%; a rise is negative"},
	{"exit-after", "exit_after_months", monthKind, "leave after so many months"},
	{"exit-fee", "exit_fee_share", partKind, "fee for leaving, of what remains"},
	{"committed-hours", "committed_gpu_hours", countKind, "GPU-hours committed, instead of --gpus and --term"},
	{"used-hours", "used_gpu_hours", plainKind, "GPU-hours used of them"},
	{"resold", "resold_share", partKind, "share of the unused hours that is sold on"},
	{"package", "package_per_month", amountKind, "list price of a month for all GPUs, instead of --reserved"},
	{"included-hours", "hours_included", countKind, "hours in the package (default a whole month)"},
	{"spot", "spot_per_gpu_hour", amountKind, "price of a spot GPU-hour of finished work, for --demand"},
}

func (a *App) breakevenReservedCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use: "reserved", Short: "From which use on a commitment beats paying on demand", Args: noArgs,
		Long: "From which use on a commitment (reserved, savings plan, monthly package) beats paying on demand, with upfront payments,\n" +
			"a falling market, early exit, over-commitment, and the best mix of committed base, on demand and spot for a demand.",
		Example: "  gpucost breakeven reserved --reserved 1.94 --on-demand 2.69 --gpus 10 --term 12 --use 80%\n" +
			"  gpucost breakeven reserved --gpu h100 --provider aws --term 12 --decline 25%\n" +
			"  gpucost breakeven reserved --package 24000CNY --zhe 5折 --on-demand 35CNY --gpus 1 --currency CNY\n" +
			"  gpucost breakeven reserved --reserved 1.20 --on-demand 2 --spot 0.9 --demand 4,4,2,8 --spot-share 50%",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.breakevenReserved(cmd, o) },
	}
	declare(cmd, reservedAsks)
	f := cmd.Flags()
	f.String("zhe", "", "Chinese discount on --package: 5折 (5zhe) is half, 8.8折 is 88 %")
	f.String("demand", "", "GPUs wanted in equal slots of a day, such as 4,4,2,8")
	f.String("spot-share", "", "share of what the base does not cover that may run on spot")
	lookupFlags(a, cmd, &o)
	return cmd
}

func (a *App) breakevenReserved(cmd *cobra.Command, o compareOptions) error {
	s, err := a.open(cmd, reservedAsks, o)
	if err != nil {
		return err
	}
	if text := s.text("zhe"); text != "" {
		paid, err := buying.ParseDiscount(text)
		if err != nil {
			return usagef("--zhe: %v", err)
		}
		s.in.Number("paid_share", paid, "share", purchase.Flag("zhe"))
	}
	if s.o.gpu != "" {
		if err := s.reservedQuotes(); err != nil {
			return err
		}
	}
	s.fill("gpus", 1, "count", "one")
	s.fill("term_months", 12, "months", "one_year")
	s.in.Number("hours_per_month", s.basis.month.Float(), "h", purchase.Default("hours_per_month"))
	switch {
	case !s.in.Has("reserved_per_gpu_hour") && !s.in.Has("package_per_month"):
		return usagef("breakeven reserved needs the committed price").hint("--reserved 1.94, --package 24000 --zhe 5折, or --gpu h100 to take it from the catalog")
	case !s.in.Has("on_demand_per_gpu_hour"):
		return usagef("breakeven reserved needs the price on demand").hint("--on-demand 2.69, or --gpu h100 to take it from the catalog")
	}
	answer, err := purchase.Reserve(s.in, a.settings.is("explain"))
	if err != nil {
		return usagef("%v", err)
	}
	if text := s.text("demand"); text != "" {
		if err := s.mix(&answer, text); err != nil {
			return err
		}
	}
	return s.tell(answer)
}

// reservedQuotes takes the commitment and its price on demand from the catalog.
func (s *shop) reservedQuotes() error {
	gpus, term := s.count("gpus", 1), int(s.count("term_months", 0))
	if !s.in.Has("reserved_per_gpu_hour") && !s.in.Has("package_per_month") {
		q, err := s.cheapest(gpus, catalog.Reserved, term, func(q *pricing.Quote) bool { return q.TermMonths != nil })
		if err != nil {
			return err
		}
		s.perGPU("reserved_per_gpu_hour", q)
		if !s.in.Has("term_months") {
			s.in.Number("term_months", float64(*q.TermMonths), "months", purchase.QuoteOrigin(q))
		}
		if !s.in.Has("on_demand_per_gpu_hour") {
			if same, err := s.first(gpus, catalog.OnDemand, func(o *pricing.Quote) bool { return o.Offer() == q.Offer() }); err == nil {
				s.perGPU("on_demand_per_gpu_hour", same)
			}
		}
	}
	if s.in.Has("on_demand_per_gpu_hour") {
		return nil
	}
	q, err := s.cheapest(gpus, catalog.OnDemand, 0, nil)
	if err != nil {
		return err
	}
	s.perGPU("on_demand_per_gpu_hour", q)
	return nil
}

func (s *shop) mix(answer *purchase.Answer, text string) error {
	d := purchase.Demand{}
	for part := range strings.SplitSeq(text, ",") {
		v, ok := plainNumber(part)
		if !ok {
			return usagef("--demand %q: want GPUs wanted in equal slots of a day, such as 4,4,2,8", text)
		}
		d.Units = append(d.Units, v)
	}
	d.SlotHours = 24 / float64(len(d.Units))
	if share := s.text("spot-share"); share != "" {
		v, ok := partPercentage(share)
		if !ok {
			return usagef("--spot-share %q: want %s", share, partKind.want)
		}
		d.SpotShare = v
	}
	if err := answer.Mix(d); err != nil {
		return usagef("%v", err)
	}
	return nil
}

var serverlessAsks = []ask{
	{"per-second", "serverless_per_second", amountKind, "price of a GPU-second"},
	{"per-request", "serverless_per_request", amountKind, "price of a request, instead of --per-second"},
	{"resident", "resident_per_gpu_hour", amountKind, "price of a GPU-hour of the resident GPU"},
	{"gpus", "gpus", wholeKind, "resident GPUs that serverless would replace (default 1)"},
	{"seconds", "seconds_per_request", secondKind, "GPU-seconds of one request"},
	{"requests-per-day", "requests_per_day", requestKind, "requests a day"},
	{"cold-start", "cold_start_s", secondKind, "start of a worker, billed"},
	{"idle-timeout", "idle_timeout_s", secondKind, "wait before a worker ends, billed"},
	{"cold-share", "cold_share", partKind, "share of requests that meet a cold start; each is then taken alone"},
	{"increment", "increment_s", secondKind, "billed time is rounded up to this"},
	{"minimum", "minimum_s", secondKind, "least billed time of a request"},
}

func (a *App) breakevenServerlessCommand() *cobra.Command {
	var o compareOptions
	var concurrency, minWorkers int
	var seed uint64
	cmd := &cobra.Command{
		Use: "serverless", Short: "Below how many requests a day serverless beats a resident GPU", Args: noArgs,
		Long: "Below how many requests a day, or how many GPU-seconds a request, billing by the second beats a GPU that is always there.\n" +
			"A number of requests alone has no answer: without --seconds a table is shown. Cold starts, idle waits and rounding are billed.",
		Example: "  gpucost breakeven serverless --per-second 0.0014 --resident 1.99 --requests-per-day 100000\n" +
			"  gpucost breakeven serverless --gpu h100 --provider runpod --seconds 1s --cold-start 5s --idle-timeout 5s --requests-per-day 5000\n" +
			"  gpucost breakeven serverless --per-request 0.002 --resident 4 --hours-per-month 720",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.breakevenServerless(cmd, o)
			if err != nil {
				return err
			}
			answer, err := purchase.Serverless(s.in, a.settings.is("explain"))
			if err != nil {
				return usagef("%v", err)
			}
			if s.activeOnly {
				answer.Doubts = slices.DeleteFunc(answer.Doubts, func(d purchase.Doubt) bool { return d.Code == "no_cold_start" })
				answer.Doubt("private_models", nil)
			}
			if concurrency > 0 || minWorkers > 0 {
				if err := answer.Fleet(max(1, concurrency), minWorkers, seed); err != nil {
					return usagef("%v", err)
				}
			}
			return s.tell(answer)
		},
	}
	declare(cmd, serverlessAsks)
	f := cmd.Flags()
	f.String("dedicated", "", "the same as --resident")
	f.IntVar(&concurrency, "concurrency", 0, "simulate workers that serve so many requests at once")
	f.IntVar(&minWorkers, "min-workers", 0, "workers kept alive and billed all the time, simulated")
	f.Uint64Var(&seed, "seed", 0, "seed of the simulation (0: a fixed default)")
	lookupFlags(a, cmd, &o)
	return cmd
}

func (a *App) breakevenServerless(cmd *cobra.Command, o compareOptions) (*shop, error) {
	s, err := a.open(cmd, serverlessAsks, o)
	if err != nil {
		return nil, err
	}
	if err := s.read([]ask{{"dedicated", "resident_per_gpu_hour", amountKind, ""}}); err != nil {
		return nil, err
	}
	s.fill("gpus", 1, "count", "one")
	s.in.Number("hours_per_month", s.basis.month.Float(), "h", purchase.Default("hours_per_month"))
	if s.o.gpu != "" {
		if err := s.serverlessPrices(); err != nil {
			return nil, err
		}
	}
	switch {
	case !s.in.Has("serverless_per_second") && !s.in.Has("serverless_per_request"):
		return nil, usagef("breakeven serverless needs its price").hint("--per-second 0.0014, --per-request 0.002, or --gpu h100 --provider runpod to take it from the catalog")
	case !s.in.Has("resident_per_gpu_hour"):
		return nil, usagef("breakeven serverless needs the price of the resident GPU").hint("--resident 1.99, or --gpu h100 to take it from the catalog")
	}
	return s, nil
}

// serverlessPrices takes what was not given from the catalog.
func (s *shop) serverlessPrices() error {
	set, err := catalog.NewNames(s.cat.GPUs).ParseGPUs(s.o.gpu)
	if err != nil {
		return err
	}
	if !s.in.Has("serverless_per_second") && !s.in.Has("serverless_per_request") {
		sellers, err := s.providerIDs()
		if err != nil {
			return err
		}
		p := purchase.FindServerless(s.cat, set.Match, sellers, s.basis.selection.AsOf)
		if p == nil {
			return nothingf("no serverless price of %s is known here", s.o.gpu).hint("give one: --per-second 0.0014")
		}
		if err := purchase.FillServerless(&s.in, p, s.exchange); err != nil {
			return nothingf("%v", err)
		}
		s.activeOnly = purchase.ActiveTimeOnly(p)
	}
	if s.in.Has("resident_per_gpu_hour") {
		return nil
	}
	o := s.o
	s.o.providers = nil // any seller may be the resident one
	q, err := s.cheapest(s.count("gpus", 1), catalog.OnDemand, 0, nil)
	s.o = o
	if err != nil {
		return err
	}
	s.perGPU("resident_per_gpu_hour", q)
	return nil
}

// providerIDs are the providers asked for, as the catalog calls them; sellers of
// serverless seconds and of tokens may be known by such prices alone.
func (s *shop) providerIDs() ([]string, error) {
	var ids []string
	for _, name := range s.o.providers {
		id, err := findProvider(s.cat, name)
		if err != nil {
			if !s.sells(name) {
				return nil, err
			}
			id = name
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (s *shop) sells(provider string) bool {
	return slices.ContainsFunc(s.cat.Serverless, func(p catalog.ServerlessPrice) bool { return p.Provider == provider }) ||
		slices.ContainsFunc(s.cat.Tokens, func(p catalog.TokenPrice) bool { return p.Provider == provider })
}
