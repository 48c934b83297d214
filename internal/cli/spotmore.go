package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot"
)

func (a *App) spotDeadlineCommand() *cobra.Command {
	var o spotOptions
	asks := []ask{{"deadline", "deadline_hours", hoursKind, "time by which the work must be done"}, {"changeover", "changeover_hours", hoursKind, "time that a change of machines costs (default 6m)"}}
	var slices, hours int
	cmd := &cobra.Command{
		Use: "deadline", Short: "The cheapest policy that keeps a deadline on spot, with on demand as its safety net", Args: noArgs,
		Long: "Plays policies (greedy, time slices, uniform progress, on demand only) against availability as recorded in a trace, as measured\n" +
			"in a zone, or as stated with --mtbf and --wait: cost, finish time, share on demand, deadlines missed.",
		Example: "  gpucost spot deadline --gpu h100 --work 48h --deadline 60h\n" +
			"  gpucost spot deadline --gpu h100 --work 48h --deadline 60h --trace zones.csv\n" +
			"  gpucost spot deadline --work 48h --deadline 60h --mtbf 4h --wait 2h --spot-price 1 --on-demand-price 3",
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.run(cmd, &o)
			if err != nil {
				return err
			}
			if err := r.read(asks); err != nil {
				return err
			}
			return r.deadline(slices, hours)
		},
	}
	jobFlags(a, cmd, &o)
	declare(cmd, asks)
	f := cmd.Flags()
	f.IntVar(&slices, "slices", 6, "slices of the time-sliced policy")
	f.IntVar(&o.starts, "starts", 500, "starting points")
	f.IntVar(&hours, "hours", 4000, "length of a generated trace")
	f.StringVar(&o.trace, "trace", "", "recorded availability: CSV with value and gap_seconds")
	f.Float64Var(&o.gap, "trace-gap", 0, "seconds between samples where the trace does not say")
	return cmd
}

func (r *run) deadline(slices, hours int) error {
	if !r.in.Has("deadline_hours") {
		return usagef("spot deadline needs the deadline").hint("--deadline 60h")
	}
	if !r.in.Has("on_demand_per_hour") {
		return usagef("spot deadline needs the price on demand").hint("--on-demand-price 3")
	}
	r.fill("changeover_hours", 0.1, "h", "changeover")
	t, err := r.availability(hours)
	if err != nil {
		return err
	}
	r.drop("mtbf", "checkpoint_hours", "checkpoint_gb", "write_gb_per_s", "restart_hours", "wait_hours", "notice_s", "nodes", "correlation")
	answer, err := purchase.Deadline(r.in, t, r.threshold(), r.o.starts, slices)
	if err != nil {
		return usagef("%v", err)
	}
	r.describe(&answer)
	if err := r.tell(answer); err != nil {
		return err
	}
	if answer.Verdict == "deadline.impossible" {
		return nothingf("the deadline cannot be kept: even on demand from the start needs longer")
	}
	return nil
}

func (r *run) drop(names ...string) { r.take(names...) }

// availability is the recorded trace, or one generated from stated or measured
// spells.
func (r *run) availability(hours int) (spot.Trace, error) {
	if r.o.trace != "" {
		ts, err := r.traces()
		if err != nil || len(ts) == 0 {
			return spot.Trace{}, err
		}
		if len(ts) > 1 {
			r.doubts = append(r.doubts, "first_trace")
		}
		return ts[0], nil
	}
	up, outage, name, err := r.spells()
	if err != nil {
		return spot.Trace{}, err
	}
	t, err := spot.Generate(up, outage, 0.1, float64(min(max(hours, 100), 100_000)), r.o.seed)
	if err != nil {
		return t, usagef("%v", err)
	}
	t.ID = name
	return t, nil
}

// spells are how long capacity is there and away: stated, measured in a zone, or
// as measured for the seller, failing that for H100 at Google Cloud.
func (r *run) spells() (up, outage spot.Law, name string, err error) {
	if r.o.zone != "" {
		err := r.measured()
		return r.up, r.outage, r.o.zone, err
	}
	if r.o.interrupt == "" && !r.in.Has("mtbf") {
		up, outage, name, same := r.laws(r.quote)
		if !same {
			r.doubts = append(r.doubts, "measured_elsewhere")
		}
		return up, outage, name, nil
	}
	if err := r.rate(); err != nil {
		return up, outage, "", err
	}
	wait := 0.0
	for i := range r.in {
		switch r.in[i].Name {
		case "interruptions_per_hour":
			if rate, _ := r.in[i].Mid.(float64); rate > 0 {
				up = spot.Exponential(1 / rate)
			}
		case "wait_hours":
			wait, _ = r.in[i].Mid.(float64)
		}
	}
	if wait <= 0 {
		return up, outage, "", usagef("how long is capacity away?").hint("--wait 2h, the mean outage")
	}
	r.drop("interruptions_per_hour")
	return up, spot.Exponential(wait), "exponential", nil
}

func (a *App) spotPoolCommand() *cobra.Command {
	var o spotOptions
	var pool []string
	cmd := &cobra.Command{
		Use: "pool", Short: "What a job costs that moves between sellers when it is interrupted", Args: noArgs,
		Long: "What a job costs that moves between sellers when it is interrupted: rotating forward as the review's trainer does, to the first\n" +
			"seller that is there, to the cheapest one, and back to a cheaper one when it returns. Each member is seller:purchase, with the\n" +
			"mean up-time and outage if you know them: coreweave:spot:20h/2h. Where nothing is stated, what was measured stands in.",
		Example: "  gpucost spot pool --gpu h100 --work 72h --checkpoint-time 6m --restart 9m\n" +
			"  gpucost spot pool --gpu h100 --work 72h --checkpoint-time 6m --pool coreweave:spot:20h/2h,runpod:spot:10h/1h,lambda:on_demand --source review-2026-06",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.spotPool(cmd, &o, pool) },
	}
	jobFlags(a, cmd, &o)
	f := cmd.Flags()
	f.StringSliceVar(&pool, "pool", []string{"coreweave:spot", "runpod:spot", "lambda:on_demand"}, "members in order: seller:purchase[:up/outage]")
	f.IntVar(&o.runs, "simulate", 2000, "simulated runs of each rule")
	return cmd
}

func (a *App) spotPool(cmd *cobra.Command, o *spotOptions, pool []string) error {
	s, err := a.open(cmd, jobAsks, o.compareOptions)
	if err != nil {
		return err
	}
	r := &run{shop: s, o: o}
	if !s.in.Has("work_hours") || o.gpu == "" {
		return usagef("spot pool needs the work and the GPU").hint("--work 72h --gpu h100")
	}
	if err := r.parseInterval(); err != nil {
		return err
	}
	if r.every.None || o.saveOnNotice {
		return usagef("spot pool moves a job by its checkpoints: what does one cost?").hint("--checkpoint-time 6m, or --checkpoint-size 980GB --write 8GB/s")
	}
	s.fill("gpus", 1, "count", "one")
	r.gpus = s.count("gpus", 1)
	members, quotes, err := r.members(pool)
	if err != nil {
		return err
	}
	r.drop("mtbf", "wait_hours", "notice_s", "nodes", "correlation", "spot_price", "on_demand_price", "reserved_price", "lost_hours")
	answer, err := purchase.Pool(r.in, members, r.every, o.runs, o.seed)
	if err != nil {
		return usagef("%v", err)
	}
	r.describe(&answer)
	answer.Say("gpu", strings.ToUpper(o.gpu))
	for _, q := range quotes {
		answer.DoubtSpot(r.cat, q)
		answer.DoubtWhole(q, r.gpus)
	}
	if answer.Verdict == "pool.never" {
		if err := r.tell(answer); err != nil {
			return err
		}
		return nothingf("no run of this job finished in the pool").hint("save more often (--checkpoint-time 6m), or add a member on demand")
	}
	return r.tell(answer)
}

// members finds each seller's cheapest price and the quote it comes from; the rate of the first spot member
// sets the checkpoint interval.
func (r *run) members(pool []string) (out []purchase.Member, quotes []*pricing.Quote, err error) {
	for _, text := range pool {
		parts := strings.SplitN(text, ":", 3)
		id, err := findProvider(r.cat, parts[0])
		if err != nil {
			return nil, nil, err
		}
		p := catalog.Spot
		if len(parts) > 1 {
			p = catalog.Purchase(strings.ReplaceAll(parts[1], "-", "_"))
		}
		if p != catalog.Spot && p != catalog.OnDemand {
			return nil, nil, usagef("--pool %q: want spot or on_demand", text)
		}
		r.shop.o.providers = []string{id}
		q, err := r.first(r.gpus, p, nil)
		if err != nil {
			return nil, nil, nothingf("no %s price of %s at %s is known", p, r.o.gpu, id).hint("gpucost compare --gpu %s --provider %s --all-quotes", r.o.gpu, id)
		}
		m := purchase.Member{Name: id, PerHour: q.NeedPerHour, OnDemand: p == catalog.OnDemand}
		if !m.OnDemand {
			if err := r.memberLaws(&m, parts); err != nil {
				return nil, nil, err
			}
		}
		r.need(id+"_per_hour", q)
		out, quotes = append(out, m), append(quotes, q)
	}
	return out, quotes, nil
}

// memberLaws reads a member's own up-time and outage, or takes the job's.
func (r *run) memberLaws(m *purchase.Member, parts []string) error {
	if len(parts) == 3 {
		up, outage, ok := strings.Cut(parts[2], "/")
		a, ok1 := hoursOf(up)
		b, ok2 := hoursOf(outage)
		if !ok || !ok1 || !ok2 || a <= 0 || b <= 0 {
			return usagef("--pool %q: want mean up-time and outage, such as 20h/2h", strings.Join(parts, ":"))
		}
		m.Up, m.Outage = spot.Exponential(a), spot.Exponential(b)
	} else {
		saved := r.in
		up, outage, _, err := r.spells()
		if err != nil {
			return err
		}
		r.in = saved
		m.Up, m.Outage = up, outage
		if r.o.interrupt == "" && !r.in.Has("mtbf") && !slices.Contains(r.doubts, "measured_elsewhere") {
			r.doubts = append(r.doubts, "measured_elsewhere")
		}
	}
	if !r.in.Has("interruptions_per_hour") {
		r.in.Number("interruptions_per_hour", 1/m.Up.MeanHours(), "1/h", purchase.Default("first_member"))
	}
	return nil
}

var holdAsks = []ask{
	{"until", "until_hours", hoursKind, "how long the instance is held"},
	{"protected", "protected_hours", hoursKind, "first stretch at the deal price without a reclaim (default the seller's, else none)"},
	{"deal", "deal_per_hour", amountKind, "price of an hour when it was started (default the first of --market-prices)"},
	{"cap", "cap_per_hour", amountKind, "highest price an hour you pay: reclaimed above it"},
}

func (a *App) spotHoldCommand() *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use: "hold", Short: "What a spot instance with a protected first hour costs when the market moves", Args: noArgs,
		Long:    "Some sellers (Alibaba Cloud) hold the deal price and the instance for a first hour; then the market price counts, and the instance\nis reclaimed when that rises above your cap. One price times all hours is wrong in both halves.",
		Example: "  gpucost spot hold --until 2.25h --protected 1h --deal 10 --cap 13 --market-prices 0h=10,0.5h=14,1h=12 --currency CNY",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.open(cmd, holdAsks, o)
			if err != nil {
				return err
			}
			market, err := s.market(s.text("market-prices"))
			if err != nil {
				return err
			}
			if !s.in.Has("until_hours") {
				return usagef("spot hold needs how long the instance is held").hint("--until 2.25h")
			}
			answer, err := purchase.Hold(s.in, market)
			if err != nil {
				return usagef("%v", err)
			}
			return s.tell(answer)
		},
	}
	declare(cmd, holdAsks)
	cmd.Flags().String("market-prices", "", "market price of the whole instance from an hour on: 0h=10,0.5h=14,1h=12")
	cmd.Flags().StringSliceVar(&o.providers, "provider", nil, "take the protected time of this seller")
	return cmd
}

func (s *shop) market(text string) ([]purchase.Step, error) {
	var out []purchase.Step
	for part := range strings.SplitSeq(text, ",") {
		at, price, ok := strings.Cut(part, "=")
		h, ok2 := hoursOf(at)
		if !ok || !ok2 {
			return nil, usagef("--market-prices %q: want prices from an hour on, such as 0h=10,0.5h=14,1h=12", text)
		}
		r, _, err := s.money("market-prices", strings.TrimSpace(price), s.exchange.To)
		if err != nil {
			return nil, err
		}
		out = append(out, purchase.Step{FromHour: h, PerHour: r.Mid})
		if len(out) == 1 && !s.in.Has("deal_per_hour") {
			s.in.Amount("deal_per_hour", r, "", purchase.Default("first_price"))
		}
	}
	if !s.in.Has("protected_hours") {
		sellers, err := s.providerIDs()
		if err != nil {
			return nil, err
		}
		if seconds, from, ok := purchase.Protection(s.cat, sellers); ok {
			s.in.Number("protected_hours", seconds/3600, "h", from)
		} else {
			s.in.Number("protected_hours", 0, "h", purchase.Default("unprotected"))
		}
	}
	return out, nil
}
