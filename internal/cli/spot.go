package cli

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot"
)

// jobAsks describe a job that can be interrupted.
var jobAsks = []ask{
	{"work", "work_hours", hoursKind, "useful work, such as 72h"},
	{"gpus", "gpus", wholeKind, "GPUs of the job (default 1)"},
	{"mtbf", "mtbf", hoursKind, "mean time between interruptions of one machine, instead of --interrupt"},
	{"gang", "nodes", wholeKind, "machines that must all be there at once"},
	{"correlation", "correlation", plainKind, "1: taken together, 0: each on its own (default 1)"},
	{"checkpoint-size", "checkpoint_gb", gbKind, "size of a checkpoint, such as 980GB"},
	{"write", "write_gb_per_s", speedKind, "bandwidth of writing it, such as 8GB/s"},
	{"checkpoint-time", "checkpoint_hours", hoursKind, "time that one checkpoint blocks, instead of --checkpoint-size"},
	{"restart", "restart_hours", hoursKind, "start-up after an interruption, billed: boot, image, loading"},
	{"wait", "wait_hours", hoursKind, "wait for new capacity after an interruption, not billed"},
	{"notice", "notice_s", secondKind, "warning before the machine is taken (default the seller's)"},
	{"spot-price", "spot_price", amountKind, "spot price of a GPU-hour (default from the catalog)"},
	{"on-demand-price", "on_demand_price", amountKind, "price of a GPU-hour on demand (default from the catalog)"},
	{"reserved-price", "reserved_price", amountKind, "price of a reserved GPU-hour, to compare with"},
	{"lost", "lost_hours", hoursKind, "hours lost to interruptions if you know them; they are done again on demand"},
}

type spotOptions struct {
	compareOptions
	interrupt, interval, stepTime, zone, trace string
	gap                                        float64
	saveOnNotice, firstHour                    bool
	runs, starts                               int
	seed                                       uint64
}

func (a *App) spotCommand() *cobra.Command {
	var o spotOptions
	cmd := &cobra.Command{
		Use: "spot", Short: "What interruptions do to the time and the price of finished work",
		Long: "What interruptions do to the time and the price of finished work: expected billed and wall hours, the best checkpoint interval,\n" +
			"whether an emergency save fits the seller's notice, and the discount below which spot does not pay.\n" +
			"A chance of interruption needs its window: 30 % per hour, per day and per month are one interruption in 2.8, 67 and 2,047 hours.",
		Example: "  gpucost spot --gpu h100 --work 72h --interrupt 5%/hour --checkpoint-time 6m --restart 9m\n" +
			"  gpucost spot --gpu h100 --provider aws --work 72h --checkpoint-size 980GB --write 8GB/s --gang 4\n" +
			"  gpucost spot --gpu h100 --work 72h --mtbf 20h --interval 100steps --step-time 12s --checkpoint-time 1m --simulate 10000\n" +
			"  gpucost spot --work 250h --lost 12h --spot-price 1.45 --on-demand-price 4.10",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.spot(cmd, &o) },
	}
	jobFlags(a, cmd, &o)
	f := cmd.Flags()
	f.IntVar(&o.runs, "simulate", 0, "simulate so many runs for p50 and p90 of cost and finish time")
	f.StringVar(&o.trace, "trace", "", "replay a recorded trace: CSV with value and gap_seconds, see gpucost help spot")
	f.Float64Var(&o.gap, "trace-gap", 0, "seconds between samples where the trace does not say")
	f.IntVar(&o.starts, "starts", 500, "starting points of a replay")
	cmd.AddCommand(a.spotDeadlineCommand(), a.spotPoolCommand(), a.spotHoldCommand())
	return cmd
}

// jobFlags are the flags of every command about an interruptible job.
func jobFlags(a *App, cmd *cobra.Command, o *spotOptions) {
	declare(cmd, jobAsks)
	lookupFlags(a, cmd, &o.compareOptions)
	f := cmd.Flags()
	f.StringVar(&o.interrupt, "interrupt", "", "chance of an interruption of one machine with its window: 5%/hour, 30%/day, 5..20%/month")
	f.StringVar(&o.interval, "interval", "auto", "work between checkpoints: auto, 30m, 100steps or none")
	f.StringVar(&o.stepTime, "step-time", "", "time of a training step, for an interval in steps")
	f.BoolVar(&o.firstHour, "first-hour-free", false, "an instance taken in its first hour is not billed (default where the seller says so)")
	f.BoolVar(&o.saveOnNotice, "save-on-notice", false, "the notice is long enough to save everything: no periodic checkpoints")
	f.StringVar(&o.zone, "zone", "", "take up-times and outages as measured in this zone, such as us-central1-b")
	f.Uint64Var(&o.seed, "seed", 0, "seed of simulations (0: a fixed default)")
}

// run is a job that is ready to be asked about.
type run struct {
	*shop
	o      *spotOptions
	every  purchase.Interval
	quote  *pricing.Quote // of spot; nil when the price was given
	gpus   int64
	doubts []string
	up     spot.Law
	outage spot.Law
}

func (a *App) spot(cmd *cobra.Command, o *spotOptions) error {
	if o.interrupt != "" { // a bare percentage is refused before anything is looked up
		if _, err := spot.ParseRates(o.interrupt); err != nil {
			return usagef("--interrupt: %v", err)
		}
	}
	r, err := a.run(cmd, o)
	if err != nil {
		return err
	}
	if r.in.Has("lost_hours") {
		return r.redo()
	}
	if err := r.rate(); err != nil {
		return err
	}
	answer, err := purchase.Spot(r.in, r.every, o.saveOnNotice, a.settings.is("explain"))
	if err != nil {
		return usagef("%v", err)
	}
	r.describe(&answer)
	if answer.Verdict == "spot.never" {
		if err := r.tell(answer); err != nil {
			return err
		}
		return nothingf("this job %s", answer.Words["reason"]).hint("save more often (--checkpoint-time 6m), or on demand: gpucost compare --gpu %s", orText(o.gpu, "h100"))
	}
	if err := r.random(&answer); err != nil {
		return err
	}
	r.next(&answer)
	return r.tell(answer)
}

// run reads the flags of a job and finds its prices.
func (a *App) run(cmd *cobra.Command, o *spotOptions) (*run, error) {
	s, err := a.open(cmd, jobAsks, o.compareOptions)
	if err != nil {
		return nil, err
	}
	r := &run{shop: s, o: o}
	if !s.in.Has("work_hours") {
		return nil, usagef("%s needs the work to be done", cmd.CommandPath()).hint("--work 72h")
	}
	if s.in.Has("checkpoint_gb") != s.in.Has("write_gb_per_s") {
		return nil, usagef("--checkpoint-size and --write go together").hint("--checkpoint-size 980GB --write 8GB/s, or --checkpoint-time 6m")
	}
	if s.in.Has("checkpoint_gb") && s.in.Has("checkpoint_hours") {
		return nil, usagef("--checkpoint-size and --checkpoint-time: give one of them")
	}
	if err := r.parseInterval(); err != nil {
		return nil, err
	}
	if err := r.machines(); err != nil {
		return nil, err
	}
	return r, r.prices()
}

// machines settles how many GPUs there are: a gang of so many machines has all of
// their GPUs.
func (r *run) machines() error {
	nodes := r.count("nodes", 1)
	if r.gpus = r.count("gpus", 0); r.gpus > 0 {
		return nil
	}
	r.gpus = nodes
	if nodes > 1 && r.o.gpu != "" && !r.in.Has("spot_price") {
		q, err := r.spotQuote(1)
		if err != nil {
			return err
		}
		r.gpus = nodes * max(1, q.Count().Num/max(1, q.Count().Den))
	}
	if nodes > 1 {
		r.fill("gpus", float64(r.gpus), "count", "machines")
	}
	r.fill("gpus", float64(r.gpus), "count", "one")
	return nil
}

// parseInterval reads auto, none, a time, or steps with the time of a step.
// Without any checkpoint there is none to take.
func (r *run) parseInterval() error {
	saves := r.in.Has("checkpoint_gb") || r.in.Has("checkpoint_hours")
	text := strings.ToLower(strings.TrimSpace(r.o.interval))
	steps, isSteps := strings.CutSuffix(strings.TrimSuffix(text, "s"), "step")
	switch {
	case text == "none" || text == "auto" && !saves:
		r.every.None = !r.o.saveOnNotice
		return nil
	case text == "auto":
		return nil
	case isSteps:
		n, err := strconv.Atoi(strings.TrimSpace(steps))
		seconds, ok := secondsOf(r.o.stepTime)
		if err != nil || n < 1 {
			return usagef("--interval %q: want a whole number of steps, such as 100steps", r.o.interval)
		}
		if !ok || seconds <= 0 {
			return usagef("an interval in steps means nothing without the time of a step").hint("--step-time 12s")
		}
		r.every.Hours = spot.StepsHours(n, seconds)
		return nil
	}
	h, ok := hoursOf(text)
	if !ok || h <= 0 {
		return usagef("--interval %q: want auto, none, a time such as 30m, or 100steps", r.o.interval)
	}
	r.every.Hours = h
	return nil
}

// prices puts what all GPUs cost an hour into the inputs, from the flags or from
// the catalog.
func (r *run) prices() error {
	given := r.take("spot_price", "on_demand_price", "reserved_price")
	if _, ok := given["spot_price"]; !ok {
		if r.o.gpu == "" {
			return usagef("%s needs a price", r.cmd.CommandPath()).hint("--gpu h100 to take it from the catalog, or --spot-price 1.45 --on-demand-price 4.10")
		}
		q, err := r.spotQuote(r.gpus)
		if err != nil {
			return err
		}
		r.quote = q
		r.need("spot_per_hour", q)
		if !r.in.Has("nodes") && q.Instances != nil && *q.Instances > 1 {
			r.in.Number("nodes", float64(*q.Instances), "count", purchase.QuoteOrigin(q))
		}
	}
	for _, p := range []string{"spot", "on_demand", "reserved"} {
		if in, ok := given[p+"_price"]; ok {
			in.Name = p + "_per_hour"
			if err := in.Times(float64(r.gpus)); err != nil {
				return usagef("--%s-price: %v", strings.ReplaceAll(p, "_", "-"), err)
			}
			r.in = append(r.in, in)
		}
	}
	if r.in.Has("on_demand_per_hour") {
		return nil
	}
	return r.onDemand()
}

// take removes inputs and returns them.
func (r *run) take(names ...string) map[string]purchase.Input {
	out := map[string]purchase.Input{}
	var rest purchase.Inputs
	for _, in := range r.in {
		found := false
		for _, n := range names {
			found = found || in.Name == n
		}
		if found {
			out[in.Name] = in
			continue
		}
		rest = append(rest, in)
	}
	r.in = rest
	return out
}

// spotQuote is the cheapest spot offer; when no rate was given, of the sellers
// whose interruptions are known.
func (r *run) spotQuote(gpus int64) (*pricing.Quote, error) {
	rated := r.o.interrupt != "" || r.in.Has("mtbf") || r.in.Has("lost_hours") || r.o.trace != ""
	q, err := r.first(gpus, catalog.Spot, func(q *pricing.Quote) bool {
		if rated {
			return true
		}
		_, ok := purchase.Interruptions(r.cat, q.Provider, purchase.GPUOf(q), q.Region)
		return ok
	})
	if err != nil && !rated {
		return nil, usagef("no interruption rate is known for %s there", r.o.gpu).
			hint("give one with its window: --interrupt 5%%/hour, 5%%/day or 5%%/month, or --mtbf 20h").hint("known: AWS and Azure from what they publish, Google Cloud H100 and AWS V100 as measured")
	}
	return q, err
}

// onDemand finds what the same machines cost on demand: of the same offer, else
// the cheapest. Without any, spot alone is answered.
func (r *run) onDemand() error {
	if r.o.gpu == "" {
		return nil
	}
	if r.quote != nil && r.quote.OnDemandPerGPUHour.Known() && r.quote.OnDemandPurchasable {
		a, err := purchase.HeldOnDemand(r.quote, r.gpus)
		if err != nil {
			return failf("%v", err)
		}
		r.in.Amount("on_demand_per_hour", money.Exactly(a), "", purchase.SameOffer(r.quote))
		return nil
	}
	q, err := r.cheapest(r.gpus, catalog.OnDemand, 0, nil)
	if err != nil {
		return nil
	}
	r.need("on_demand_per_hour", q)
	return nil
}

// traces reads --trace.
func (r *run) traces() ([]spot.Trace, error) {
	b, err := r.app.read(r.o.trace)
	if err != nil {
		return nil, err
	}
	ts, err := spot.ReadTraces(bytes.NewReader(b), r.o.gap)
	if err != nil {
		return nil, usagef("%s: %v", display(r.o.trace), err)
	}
	return ts, nil
}

func orText(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
