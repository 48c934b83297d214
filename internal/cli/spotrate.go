package cli

import (
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot"
)

// rate puts how often and how long the job is interrupted into the inputs: as
// stated, as measured in a zone or a trace, or as the seller publishes it.
func (r *run) rate() error {
	mtbf := r.take("mtbf")
	switch {
	case r.o.interrupt != "" && len(mtbf) > 0:
		return usagef("--interrupt and --mtbf: give one of them")
	case r.o.interrupt != "":
		rates, err := spot.ParseRates(r.o.interrupt)
		if err != nil {
			return usagef("--interrupt: %v", err)
		}
		r.in.Between("interruptions_per_hour", [3]float64{rates[0].PerHour, rates[1].PerHour, rates[2].PerHour}, "1/h", purchase.Flag("interrupt "+r.o.interrupt))
	case len(mtbf) > 0:
		in := mtbf["mtbf"]
		v := [3]float64{}
		for i, end := range []any{in.High, in.Mid, in.Low} { // a longer time is a lower rate
			h, _ := end.(float64)
			rate, err := spot.RateFromMTBF(h)
			if err != nil {
				return usagef("--mtbf: %v", err)
			}
			v[i] = rate.PerHour
		}
		r.in.Between("interruptions_per_hour", v, "1/h", purchase.Flag("mtbf "+r.text("mtbf")))
	case r.o.zone != "":
		return r.measured()
	case r.o.trace != "":
		return r.traced()
	default:
		return r.published()
	}
	return r.seller()
}

// published takes the rate that the seller's interruptions are known to have,
// and the usual restart with it.
func (r *run) published() error {
	if r.quote == nil {
		return usagef("%s needs to know how often it is interrupted", r.cmd.CommandPath()).hint("--interrupt 5%%/hour, 5%%/day or 5%%/month, or --mtbf 20h")
	}
	k, ok := purchase.Interruptions(r.cat, r.quote.Provider, purchase.GPUOf(r.quote), r.quote.Region)
	if !ok {
		return usagef("no interruption rate is known for %s of %s", r.quote.GPUName, r.quote.ProviderName).hint("give one with its window: --interrupt 5%%/hour, 5%%/day or 5%%/month, or --mtbf 20h")
	}
	r.in.Between("interruptions_per_hour", k.PerHour, "1/h", k.From)
	r.doubts = append(r.doubts, k.Doubts...)
	if !r.in.Has("restart_hours") {
		if h, from, ok := purchase.RestartHours(r.cat); ok {
			r.in.Between("restart_hours", h, "h", from)
		}
	}
	return r.seller()
}

// measured takes up-times and outages of one zone.
func (r *run) measured() error {
	var zones []string
	for _, o := range spot.Observed("", "") {
		if strings.EqualFold(o.Zone, r.o.zone) {
			from := purchase.Origin{Kind: "catalog", Source: "measured " + o.Provider + " " + o.GPU + ", " + o.Source(), AsOf: o.From}
			r.in.Number("interruptions_per_hour", o.Rate().PerHour, "1/h", from)
			if !r.in.Has("wait_hours") {
				r.in.Number("wait_hours", o.Outage.MeanHours, "h", from)
			}
			r.up, r.outage = o.Up.Law(), o.Outage.Law()
			return r.seller()
		}
		zones = append(zones, o.Zone)
	}
	return usagef("nothing was measured in zone %q", r.o.zone).hint("known: %s", strings.Join(distinct(zones), ", "))
}

func distinct(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// traced takes the drop rate of the first trace in the file.
func (r *run) traced() error {
	ts, err := r.traces()
	if err != nil {
		return err
	}
	if len(ts) == 0 {
		return usagef("%s: no trace in it", r.o.trace)
	}
	s := ts[0].Stats(r.threshold())
	r.in.Number("interruptions_per_hour", s.DropPerHour, "1/h", purchase.Origin{Kind: "file", Source: r.o.trace + " " + ts[0].ID})
	if !r.in.Has("wait_hours") && s.Drops > 0 {
		r.in.Number("wait_hours", s.Down.MeanHours, "h", purchase.Origin{Kind: "file", Source: r.o.trace + " " + ts[0].ID})
	}
	return r.seller()
}

func (r *run) threshold() int { return int(r.count("nodes", 1)) }

// seller adds the seller's notice and whether it gives the first hour back.
func (r *run) seller() error {
	if r.quote != nil && !r.in.Has("notice_s") {
		if s, from, ok := purchase.Notice(r.cat, r.quote.Provider); ok {
			r.in.Number("notice_s", s, "s", from)
		}
	}
	first := r.cmd.Flags().Lookup("first-hour-free")
	switch {
	case r.o.firstHour:
		r.in.Number("free_first_hours", 1, "h", purchase.Flag("first-hour-free"))
	case first != nil && !first.Changed && r.quote != nil:
		if from, ok := purchase.FirstHourFree(r.cat, r.quote.Provider); ok {
			r.in.Number("free_first_hours", 1, "h", from)
		}
	}
	return nil
}

// describe names the seller and the doubts about price and rate.
func (r *run) describe(a *purchase.Answer) {
	if r.quote != nil {
		a.Describe(r.quote, r.gpus)
		a.DoubtSpot(r.cat, r.quote)
		if sure, err := r.first(r.gpus, catalog.Spot, func(q *pricing.Quote) bool { return purchase.Doubtful(q) == "" }); err == nil {
			_ = a.Surer(r.quote, sure) // an amount beyond all bounds: then there is no surer one to name
		}
		if q, err := r.first(r.gpus, catalog.OnDemand, func(q *pricing.Quote) bool { return purchase.Doubtful(q) == "" }); err == nil {
			a.Cheaper(q, r.gpus)
		}
	} else {
		a.Say("seller", "stated_price")
		a.Say("gpu", orText(r.o.gpu, "any_gpu"))
	}
	for _, code := range r.doubts {
		a.Doubt(code, nil)
	}
}

// random adds the simulation and the replay that were asked for.
func (r *run) random(a *purchase.Answer) error {
	if r.o.runs > 0 {
		s := spot.Simulation{Runs: r.o.runs, Seed: r.o.seed, Up: r.up, Outage: r.outage}
		if err := a.Simulate(r.every, r.o.saveOnNotice, s); err != nil {
			return usagef("--simulate: %v", err)
		}
	}
	if r.o.trace == "" {
		return nil
	}
	ts, err := r.traces()
	if err != nil {
		return err
	}
	if err := a.Replay(r.every, r.o.saveOnNotice, ts, r.threshold(), r.o.starts); err != nil {
		return usagef("%s: %v", r.o.trace, err)
	}
	return nil
}

// next proposes the command that the answer leaves open.
func (r *run) next(a *purchase.Answer) {
	if r.every.None {
		a.Next = append(a.Next, r.cmd.CommandPath()+" ... --checkpoint-time 6m")
	}
	if f := a.Figure("notice_fits"); f != nil && f.Value == true && !r.o.saveOnNotice {
		a.Next = append(a.Next, r.cmd.CommandPath()+" ... --save-on-notice")
	}
	if r.o.gpu != "" {
		a.Next = append(a.Next, "gpucost spot deadline --gpu "+r.o.gpu+" --work "+r.text("work")+" --deadline 96h")
	}
}

// redo answers with stated lost hours.
func (r *run) redo() error {
	if !r.in.Has("on_demand_per_hour") {
		return usagef("--lost hours are done again on demand: give its price").hint("--on-demand-price 4.10")
	}
	r.take("mtbf")
	answer, err := purchase.Redo(r.in, r.app.settings.is("explain"))
	if err != nil {
		return usagef("%v", err)
	}
	r.describe(&answer)
	return r.tell(answer)
}

// laws are the up-times and outages of a seller for a pool or a deadline: as
// stated, else as measured where the seller or, failing that, anyone measured.
func (r *run) laws(q *pricing.Quote) (up, outage spot.Law, from string, ok bool) {
	provider, family := "", ""
	if q != nil {
		provider, family = q.Provider, purchase.GPUOf(q).Family
	}
	for _, try := range [][2]string{{provider, family}, {"gcp", family}, {"gcp", "h100"}} {
		if of := spot.Observed(try[0], try[1]); len(of) > 0 && try[0] != "" {
			o := median(of)
			return o.Up.Law(), o.Outage.Law(), o.Provider + " " + o.GPU + " " + o.Zone, try[0] == provider
		}
	}
	return up, outage, "", false
}

// median is the observation whose drop rate is in the middle.
func median(of []spot.Observation) spot.Observation {
	_, mid, _, _ := spot.ObservedRates(of)
	for _, o := range of {
		if o.Rate() == mid {
			return o
		}
	}
	return of[0]
}
