package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// ruleBudget: what a monthly sum buys: GPU-hours at the article's price and at
// today's, and the tokens that a fine-tuning run sees in them.
func ruleBudget(r *run) error {
	budget, _, err := r.articleRange()
	if err != nil {
		return err
	}
	gpus, err := r.given("gpus")
	if err != nil {
		return err
	}
	if err := r.scenario(&r.e.Evidence[0]); err != nil {
		return err
	}
	own, err := r.own("spot")
	if err != nil {
		return err
	}
	s, err := r.prices("spot")
	if err != nil {
		return err
	}
	od, err := r.prices("on_demand")
	if err != nil {
		return err
	}
	today, way := s.now.low, wayName(catalog.Spot)
	if !today.Known() {
		today, way = od.now.low, wayName(catalog.OnDemand)
	}
	r.tell("way", way)
	for _, name := range []string{"hours_article", "hours_now", "tokens", "rate", "cost_now", "price_now", "node_hours"} {
		r.say(name, "?")
	}
	if !own.Known() || !today.Known() {
		r.verdict(NotCheckable)
		return nil
	}
	article, now := budget/perHour(own), budget/perHour(today)
	r.say("price_now", price(today))
	r.num("hours_article", article)
	r.num("hours_now", now)
	r.num("cost_now", article*perHour(today))
	rate := r.loraRate(int(gpus))
	r.num("node_hours", now/gpus)
	if rate > 0 {
		r.num("rate", rate)
		r.tell("tokens", Text{spoken(now * 3600 * rate / 1e9), spoken(now * 3600 * rate / 1e8)}) // Chinese counts in 1e8
	}
	r.our(article*perHour(today), article*perHour(today), r.e.Unit)
	r.verdict(HoldsIf)
	r.condition(now, now, "GPU-h/month")
	return nil
}

// loraRate is the estimator's tokens per second and GPU of LoRA on the claim's
// model and GPU; 0 when either is not known or it does not fit.
func (r *run) loraRate(gpus int) float64 {
	m, g := catalog.FindModel(r.cat, r.e.Model), r.gpu(r.e.GPU)
	if m == nil || g == nil {
		return 0
	}
	res := r.o.Estimator.Train(&estimate.Train{Model: m, GPU: g, GPUs: gpus, Method: estimate.LoRA, Sequence: 4096})
	if !res.Memory.Fits {
		return 0
	}
	r.input("LoRA of "+m.ID+" on "+g.ID, res.TokensPerSecondGPU.Mid, "tokens/s per GPU", "estimate", catalog.Date{})
	return res.TokensPerSecondGPU.Mid
}

// ruleTokens: the tokens and requests that a monthly sum buys at a seller's
// newest price per million tokens.
func ruleTokens(r *run) error {
	budget, _, err := r.articleRange()
	if err != nil {
		return err
	}
	g, err := r.givens("input_tokens", "output_tokens")
	if err != nil {
		return err
	}
	if err := r.scenario(nil); err != nil {
		return err
	}
	var best *catalog.TokenPrice
	for i := range r.cat.Tokens {
		t := &r.cat.Tokens[i]
		if t.Provider != r.e.Words[0] || t.Model != r.e.Words[1] || !t.Input.Known() || !t.Output.Known() || t.Confidence == catalog.Low || t.AsOf.Compare(r.o.AsOf) > 0 {
			continue
		}
		if best == nil || t.AsOf.Compare(best.AsOf) > 0 {
			best = t
		}
	}
	for _, name := range []string{"input_price", "output_price", "requests", "tokens"} {
		r.say(name, "?")
	}
	if best == nil {
		r.verdict(NotCheckable)
		return nil
	}
	r.cite(best.Source, best.AsOf)
	r.input(best.Provider+" "+best.Model+" input", perHour(best.Input), "USD/Mtok", best.Source, best.AsOf)
	r.input(best.Provider+" "+best.Model+" output", perHour(best.Output), "USD/Mtok", best.Source, best.AsOf)
	each := (g[0]*perHour(best.Input) + g[1]*perHour(best.Output)) / 1e6
	days := r.o.HoursPerMonth.Float() / 24
	day := budget / each / days
	r.say("input_price", price(best.Input))
	r.say("output_price", price(best.Output))
	r.num("requests", day)
	r.num("tokens", budget/each*(g[0]+g[1])/1e6)
	r.our(day, day, "requests/day")
	r.verdict(HoldsIf)
	r.condition(day, day, "requests/day")
	return nil
}

// ruleCluster: how many GPUs a monthly sum holds, against the smallest cluster
// of the kind the claim names.
func ruleCluster(r *run) error {
	low, err := money.Parse(string(r.e.Low), "USD")
	if err != nil {
		return err
	}
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	gpus, err := r.given("rack_gpus")
	if err != nil {
		return err
	}
	if err := r.scenario(e.Query); err != nil {
		return err
	}
	for _, name := range []string{"gpus", "rack", "times"} {
		r.say(name, "?")
	}
	if e.now.n() == 0 {
		r.verdict(NotCheckable)
		return nil
	}
	month, err := e.now.low.Mul(r.o.HoursPerMonth)
	if err != nil {
		return err
	}
	n := perHour(low) / perHour(month)
	rack, err := month.MulFrac(int64(gpus), 1)
	if err != nil {
		return err
	}
	r.num("gpus", n)
	r.say("rack", grouped(rack.Round(0)))
	r.num("times", perHour(rack)/perHour(low))
	r.our(perHour(rack), perHour(rack), "USD/month")
	r.verdict(HoldsIf)
	if near(low, rack, rack) {
		r.verdict(Holds)
	}
	r.condition(n, n, "gpus")
	r.met(n >= gpus)
	return nil
}

// owned are the ownership figures of the items that a claim names, converted
// into one currency: the lowest and the highest amount, articles left out.
func (r *run) owned(to money.Currency) (low, high money.Amount, n int, err error) {
	x := r.exchange(to)
	for i := range r.cat.Ownership {
		o := &r.cat.Ownership[i]
		if !slices.Contains(r.e.Words, o.Item) || r.file.article(o.Source) != nil || o.Currency == "" {
			continue
		}
		a, err := money.Parse(o.Low, o.Currency)
		if err != nil {
			return low, high, n, err
		}
		b := a
		if o.High != "" {
			if b, err = money.Parse(o.High, o.Currency); err != nil {
				return low, high, n, err
			}
		}
		a, ok1 := x.Convert(a)
		b, ok2 := x.Convert(b)
		if !ok1 || !ok2 {
			continue
		}
		n++
		if a.Cmp(low) < 0 {
			low = a
		}
		if !high.Known() || b.Cmp(high) > 0 {
			high = b
		}
		r.cite(o.Source, o.AsOf)
		r.input(o.Item+" low", perHour(a), string(to), o.Source, o.AsOf)
		r.input(o.Item+" high", perHour(b), string(to), o.Source, o.AsOf)
	}
	return low, high, n, nil
}

// ruleCapital: a purchase price against the purchase prices of the catalog.
func ruleCapital(r *run) error {
	article, err := money.Parse(string(r.e.Low), "CNY")
	if err != nil {
		return err
	}
	low, high, n, err := r.owned("CNY")
	if err != nil {
		return err
	}
	r.say("n", fmt.Sprint(n))
	if rate, ok := r.exchange("CNY").Rate("USD"); ok {
		r.say("fx", rate.Value.String())
		r.cite(rate.Source, rate.AsOf)
		r.input("CNY per USD", rate.Value.Float(), "", rate.Source, rate.AsOf)
	} else {
		r.say("fx", "?")
	}
	r.tell("ours", Text{"none", "无"})
	r.say("over", "?")
	if n == 0 {
		r.verdict(NotCheckable)
		return nil
	}
	ours := span(grouped(low.Round(0)), grouped(high.Round(0)))
	r.say("ours", ours)
	r.change("over", perHour(article)/perHour(high)-1)
	r.our(perHour(low), perHour(high), r.e.Unit)
	r.judge(near(article, low, high))
	return nil
}

// item is the middle of an ownership figure that is no money.
func (r *run) item(name string) (float64, error) {
	for i := range r.cat.Ownership {
		o := &r.cat.Ownership[i]
		if o.Item != name || r.file.article(o.Source) != nil {
			continue
		}
		q, err := money.ParseQuantity(o.Low)
		if err != nil {
			return 0, err
		}
		r.cite(o.Source, o.AsOf)
		r.input(name, q.Float(), strings.TrimSpace(string(o.Currency)+" "+o.Unit), o.Source, o.AsOf)
		return q.Float(), nil
	}
	return 0, nil
}
