package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/spot"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// observed is the median drop rate of the H100 zones that were recorded, and
// how many they are.
func (r *run) observed() (spot.Rate, []spot.Observation, error) {
	zones := spot.Observed("gcp", "h100")
	_, mid, _, ok := spot.ObservedRates(zones)
	if !ok {
		return mid, nil, fmt.Errorf("no observed up-times")
	}
	r.cite(zones[0].Source(), catalog.Date{})
	r.input("drops per hour up, median of recorded H100 zones", mid.PerHour, "per hour", zones[0].Source(), catalog.Date{})
	r.num("rate", mid.PerHour)
	r.say("zones", fmt.Sprint(len(zones)))
	mtbf, _ := mid.MTBFHours()
	r.num("mtbf", mtbf)
	return mid, zones, nil
}

// ruleInterval: a checkpoint every so many steps is near the optimum for some
// step times only: those at which the expected billed time is within one
// percent of the work of the best.
func ruleInterval(r *run) error {
	rate, _, err := r.observed()
	if err != nil {
		return err
	}
	g, err := r.givens("save_s", "restart_min", "work_h", "step_s")
	if err != nil {
		return err
	}
	steps, _, err := r.articleRange()
	if err != nil {
		return err
	}
	work, save := g[2], g[0]/3600
	billed := func(interval float64) float64 {
		o, err := spot.Expected(spot.Job{WorkHours: work, IntervalHours: interval, CheckpointHours: save, RestartHours: g[1] / 60, Rate: rate})
		if err != nil || !o.Finishes {
			return math.Inf(1)
		}
		return o.BilledHours
	}
	best, ok := spot.Exact(save, rate)
	if !ok {
		return fmt.Errorf("no best interval")
	}
	limit := billed(best) + 0.01*work
	shortest := bisect(best/1000, best, func(x float64) bool { return billed(x) <= limit })
	longest := bisect(min(work, best*1000), best, func(x float64) bool { return billed(x) <= limit })
	seconds := func(hours float64) float64 { return hours * 3600 / steps }
	r.num("best_min", 60*best)
	r.num("one_s", 100*save*3600/steps)
	r.num("slow", billed(seconds0(steps, 20))/work*100-100)
	m := catalog.FindModel(r.cat, r.e.Model)
	if m != nil {
		size := spot.CheckpointGB(m.ParamsB, spot.BytesBF16MasterAdam)
		r.num("state", size)
		for _, notice := range []float64{120, 30} {
			need, _ := spot.Checkpoint{SizeGB: size}.NeededGBPerSecond(notice)
			r.num(fmt.Sprintf("write_%g", notice), need)
		}
	}
	at := best * 3600 / g[3]
	r.num("best_steps", at)
	r.our(at, at, "steps")
	r.verdict(HoldsIf)
	r.condition(seconds(shortest), seconds(longest), "s/step")
	return nil
}

// seconds0 is the interval in hours of so many steps of s seconds.
func seconds0(steps, s float64) float64 { return spot.StepsHours(int(steps), s) }

// bisect finds the edge between a point where ok is false (or the end itself)
// and one where it is true.
func bisect(outside, inside float64, ok func(float64) bool) float64 {
	if ok(outside) {
		return outside
	}
	for range 100 {
		mid := (outside + inside) / 2
		if ok(mid) {
			inside = mid
		} else {
			outside = mid
		}
	}
	return inside
}

// rulePool: the review's pool in its order, at its own prices and at today's.
func rulePool(r *run) error {
	names := []string{"first", "second", "last"}
	var agree share
	var article, today []float64
	for _, name := range names {
		own, err := r.own(name)
		if err != nil {
			return err
		}
		e, err := r.prices(name)
		if err != nil {
			return err
		}
		if own.Known() {
			article = append(article, perHour(own))
			s := e.now.within(own, own)
			agree.n++
			if s.in > 0 {
				agree.in++
			}
		}
		if e.now.n() > 0 {
			today = append(today, perHour(e.now.low))
		}
	}
	order := "unknown"
	if len(article) == 3 {
		at := spot.Cheapest(article)
		order = fmt.Sprint(at[0]+1, ", ", at[1]+1, ", ", at[2]+1)
	}
	r.say("order", order)
	_, zones, err := r.observed()
	if err != nil {
		return err
	}
	free := medianUp(zones)
	r.pct("free", free)
	r.input("share of the time up, median of recorded H100 zones", free, "ratio", zones[0].Source(), catalog.Date{})
	r.tell("cost_article", Text{"unknown", "未知"})
	r.tell("cost_today", Text{"unknown", "未知"})
	if c, ok, err := spot.PoolCost([]float64{free, free, 1}, article); err == nil && ok {
		r.num("cost_article", c)
	}
	if c, ok, err := spot.PoolCost([]float64{free, free, 1}, today); err == nil && ok {
		r.num("cost_today", c)
		r.our(c, c, "USD/GPU-h")
	}
	r.shares(share{}, agree)
	return nil
}

func medianUp(zones []spot.Observation) float64 {
	up := make([]float64, len(zones))
	for i, z := range zones {
		up[i] = z.ShareUp
	}
	slices.Sort(up)
	return up[len(up)/2]
}

// ruleMixed: spot with an on-demand fallback against that on-demand price:
// (1 - f) x spot x (billed hours per hour of work) + f x on demand.
func ruleMixed(r *run) error {
	rate, _, err := r.observed()
	if err != nil {
		return err
	}
	g, err := r.givens("work_h", "save_min", "restart_min")
	if err != nil {
		return err
	}
	job := spot.Job{WorkHours: g[0], CheckpointHours: g[1] / 60, RestartHours: g[2] / 60, Rate: rate}
	tau, _ := spot.Exact(job.CheckpointHours, rate)
	job.IntervalHours = tau
	o, err := spot.Expected(job)
	if err != nil {
		return err
	}
	overhead := o.BilledHours / g[0]
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	spotPrice, err := r.prices("spot")
	if err != nil {
		return err
	}
	onDemand, err := r.prices("on_demand")
	if err != nil {
		return err
	}
	saving := func(s, od float64) float64 { return 100 * (1 - s*overhead/od) }
	s0, err := r.own("spot")
	if err != nil {
		return err
	}
	od0, err := r.own("on_demand")
	if err != nil {
		return err
	}
	r.pct("overhead", overhead-1)
	r.tell("article_saving", Text{"unknown", "未知"})
	if s0.Known() && od0.Known() {
		r.num("article_saving", saving(perHour(s0), perHour(od0)))
	}
	if spotPrice.now.n() == 0 || onDemand.now.n() == 0 {
		r.verdict(NotCheckable)
		r.say("now_saving", "?")
		r.say("now_list", "?")
		r.say("limit", "?")
		return nil
	}
	s, od := perHour(spotPrice.now.low), perHour(onDemand.now.low)
	now := saving(s, od)
	limit := (1 - low/100) * od / overhead
	r.num("now_saving", now)
	r.num("now_list", 100*(1-s/od))
	r.num("limit", limit)
	r.our(now, now, "percent")
	r.verdict(HoldsIf)
	if now >= low-tolerance && now <= high+tolerance {
		r.verdict(Holds)
	}
	r.condition(limit, limit, "USD/GPU-h")
	r.met(s <= limit)
	return nil
}

// ruleReclaim: a chance of being reclaimed without a window, read per hour
// against recorded up-times and per month against the AWS Spot Advisor.
func ruleReclaim(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	_, zones, err := r.observed()
	if err != nil {
		return err
	}
	var hour, month share
	least, most := math.Inf(1), 0.0
	for _, z := range zones {
		p := 100 * z.Rate().Within(spot.HourWindow)
		least, most = min(least, p), max(most, p)
		hour.n++
		if p >= low && p <= high {
			hour.in++
		}
	}
	for i := range r.cat.Interruption {
		it := &r.cat.Interruption[i]
		if it.Provider != "aws" || it.Metric != "interruption_band_30d" || it.Low == nil || it.High == nil {
			continue
		}
		month.n++
		if *it.Low >= low && *it.High <= high {
			month.in++
		}
		r.cite(it.Source, it.AsOf)
	}
	r.num("least", least)
	r.num("most", most)
	r.say("hour.in", fmt.Sprint(hour.in))
	r.say("hour.n", fmt.Sprint(hour.n))
	r.say("month.in", fmt.Sprint(month.in))
	r.say("month.n", fmt.Sprint(month.n))
	r.our(least, most, "percent/h")
	for _, w := range []struct {
		name  string
		hours float64
	}{{"hour", spot.HourWindow}, {"day", spot.DayWindow}, {"month", spot.MonthWindow}} {
		rate, err := spot.RateFromProbability(high/100, w.hours)
		if err != nil {
			return err
		}
		mtbf, _ := rate.MTBFHours()
		r.num("mtbf_"+w.name, mtbf)
	}
	rate, err := spot.RateFromProbability(low/100, spot.HourWindow)
	if err != nil {
		return err
	}
	longest, _ := rate.MTBFHours()
	rate, err = spot.RateFromProbability(high/100, spot.HourWindow)
	if err != nil {
		return err
	}
	shortest, _ := rate.MTBFHours()
	r.verdict(HoldsIf)
	r.condition(shortest, longest, "h")
	return nil
}

// ruleRestart: boot and loading of the state against the article's minutes.
func ruleRestart(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	g, err := r.givens("boot_s", "load_gb_s")
	if err != nil {
		return err
	}
	minutes := func(stateGB float64) float64 {
		h, _ := spot.StartUp{BootSeconds: g[0], StateGB: stateGB, LoadGBPerSecond: g[1]}.Hours()
		return 60 * h
	}
	small, large := catalog.FindModel(r.cat, r.e.Words[0]), catalog.FindModel(r.cat, r.e.Words[1])
	if small == nil || large == nil {
		return fmt.Errorf("no models %v", r.e.Words)
	}
	weights := spot.CheckpointGB(small.ParamsB, spot.BytesBF16Weights)
	state := spot.CheckpointGB(large.ParamsB, spot.BytesBF16MasterAdam)
	r.num("small_gb", weights)
	r.num("large_gb", state)
	r.num("small_min", minutes(weights))
	r.num("large_min", minutes(state))
	r.our(minutes(weights), minutes(state), "min")
	from := bisect(0, state*100, func(gb float64) bool { return minutes(gb) >= low })
	to := bisect(state*100, 0, func(gb float64) bool { return minutes(gb) <= high })
	r.verdict(HoldsIf)
	r.condition(from, to, "GB")
	return nil
}

// ruleJobLength: how long a job without checkpoints may be for spot to be
// cheaper than on demand at the discount of today.
func ruleJobLength(r *run) error {
	rate, _, err := r.observed()
	if err != nil {
		return err
	}
	restart, err := r.given("restart_min")
	if err != nil {
		return err
	}
	then, now, err := r.pairs("price", "base")
	if err != nil {
		return err
	}
	ps := pickPairs(now, then)
	if len(ps) == 0 {
		r.verdict(NotCheckable)
		for _, name := range []string{"discount", "edge", "at_short", "at_long"} {
			r.say(name, "?")
		}
		return nil
	}
	ratio := ps[0].ratio
	factor := func(hours float64) float64 {
		o, err := spot.Expected(spot.Job{WorkHours: hours, RestartHours: restart / 60, Rate: rate, NoCheckpoints: true})
		if err != nil || !o.Finishes {
			return math.Inf(1)
		}
		return o.BilledHours / hours
	}
	edge := bisect(1000, 0.01, func(h float64) bool { return factor(h)*ratio <= 1 })
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	r.pct("discount", 1-ratio)
	r.num("edge", edge)
	r.num("at_short", factor(low)*ratio)
	r.num("at_long", factor(high)*ratio)
	r.our(edge, edge, "h")
	r.verdict(HoldsIf)
	r.condition(edge, edge, "h")
	return nil
}

// ruleOffPeak: what price series say about cheaper hours.
func ruleOffPeak(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	measured := math.Inf(-1)
	for _, f := range buying.WindowFacts() {
		if !f.HasPrice || strings.HasPrefix(f.Code, "token") {
			continue
		}
		measured = max(measured, 100*f.Saving)
		r.input("measured saving of UTC 2-8, "+f.Code, 100*f.Saving, "percent", f.Source, catalog.Date{})
		r.cite(f.Source, catalog.Date{})
	}
	if math.IsInf(measured, -1) {
		return fmt.Errorf("no measured window")
	}
	g, err := r.givens("start", "end", "peak1_start", "peak1_end", "peak2_start", "peak2_end", "batch")
	if err != nil {
		return err
	}
	window := func(a, b float64) buying.Window { return buying.Window{StartHour: a, EndHour: b, Days: buying.AllDays} }
	quiet := buying.Schedule{window(g[0], g[1])}
	overlap, err := quiet.Overlap(buying.Schedule{window(g[2], g[3]), window(g[4], g[5])})
	if err != nil {
		return err
	}
	all, err := quiet.HoursPerWeek()
	if err != nil {
		return err
	}
	r.num("measured", measured)
	r.num("overlap", overlap/7)
	r.num("hours", all/7)
	r.our(0, measured, "percent")
	r.judge(measured >= low-tolerance && measured <= high+tolerance)
	return nil
}
