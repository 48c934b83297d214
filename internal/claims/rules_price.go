package claims

import (
	"fmt"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// rulePrice: a price or range of prices against the evidence of its seller.
func rulePrice(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	low, high, err := r.article(e.Currency)
	if err != nil {
		return err
	}
	r.ourPrices(e)
	then, now := e.then.within(low, high), e.now.within(low, high)
	r.tell("then", agreeing(&e.then, then))
	r.tell("now", agreeing(&e.now, now))
	r.shares(then, now)
	r.tell("not_sold", Text{})
	if e.notSold.Known() && e.then.n()+e.now.n() == 0 { // seen, and not for sale
		day := e.notSold.String()
		r.tell("not_sold", Text{" Seen as not offered by this seller on " + day + ".", " " + day + " 查到该平台并不出售此项。"})
		r.verdict(DoesNotHold)
	}
	return nil
}

// agreeing is a spread and how many of its prices agree with the article.
func agreeing(s *spread, agree share) Text {
	t := s.text()
	if s.n() == 0 {
		return t
	}
	if s.doubt {
		return Text{t.EN + ", too doubtful to decide", t.ZH + "，不足以定论"}
	}
	return Text{
		fmt.Sprintf("%s, of which %d within %d %% of the article", t.EN, agree.in, tolerance),
		fmt.Sprintf("%s，其中 %d 个与文章相差不超过 %d %%", t.ZH, agree.in, tolerance),
	}
}

// ruleTerm: a reserved price of one length of term. Where none of that length is
// known, a longer one that costs more than the article's refutes it.
func ruleTerm(r *run) error {
	for i := range r.e.Evidence {
		if _, err := r.prices(r.e.Evidence[i].Name); err != nil {
			return err
		}
	}
	e, longer := r.found["price"], r.found["other"]
	low, high, err := r.article(e.Currency)
	if err != nil {
		return err
	}
	r.shares(e.then.within(low, high), e.now.within(low, high))
	r.ourPrices(e)
	if r.out.Verdict == NotCheckable && longer != nil && longer.now.n() > 0 {
		r.ourPrices(longer)
		if !near(longer.now.low, longer.now.low, high) {
			r.verdict(DoesNotHold)
		}
	}
	return nil
}

// ruleFloor: a price that can be had somewhere holds when the cheapest price
// seen is no higher.
func ruleFloor(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	_, high, err := r.article(e.Currency)
	if err != nil {
		return err
	}
	r.ourPrices(e)
	reached := func(s *spread) share {
		if s.n() == 0 {
			return share{}
		}
		below := share{n: 1}
		if near(s.low, s.low, high) {
			below.in = 1
		}
		return below
	}
	r.shares(reached(&e.then), reached(&e.now))
	r.say("cheapest_now", price(e.now.low))
	r.say("cheapest_then", price(e.then.low))
	return nil
}

// ruleEither: two ranges that an article, or the two articles, give for the
// same thing. The claim holds for the range that most of the evidence lies in.
func ruleEither(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	low, high, err := r.article(e.Currency)
	if err != nil {
		return err
	}
	other, err := r.givens("other_low", "other_high")
	if err != nil {
		return err
	}
	r.ourPrices(e)
	first := e.now.within(low, high)
	second := e.now.within(amount(other[0], low.Currency()), amount(other[1], low.Currency()))
	r.say("first", fmt.Sprint(first.in))
	r.say("second", fmt.Sprint(second.in))
	r.say("n_now", fmt.Sprint(first.n))
	r.verdict(DoesNotHold)
	best, lo, hi := first, perHour(low), perHour(high)
	if second.in > first.in {
		best, lo, hi = second, other[0], other[1]
	}
	switch v := best.verdict(); v {
	case NotCheckable:
		r.verdict(v)
	case Holds, HoldsIf:
		r.verdict(HoldsIf)
	}
	r.condition(lo, hi, string(low.Currency())+"/GPU-h")
	r.say("best", fmt.Sprint(best.in))
	return nil
}

func amount(x float64, c money.Currency) money.Amount {
	q, err := money.Quantify(x)
	if err != nil {
		return money.Amount{}
	}
	return money.FromNano(int64(q), c)
}

// ruleMonth: what a GPU costs by the month at the hourly prices of then and now.
func ruleMonth(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	low, high, err := r.article(e.Currency)
	if err != nil {
		return err
	}
	month := func(s spread) (spread, error) {
		s.quotes = slices.Clone(s.quotes)
		for i := range s.quotes {
			q := &s.quotes[i]
			for _, a := range []*money.Amount{&q.PerGPUHour, &q.PerGPUHourLow, &q.PerGPUHourHigh} {
				if *a, err = a.Mul(r.o.HoursPerMonth); err != nil {
					return s, err
				}
			}
		}
		s.measure()
		return s, nil
	}
	then, err := month(e.then)
	if err != nil {
		return err
	}
	now, err := month(e.now)
	if err != nil {
		return err
	}
	r.input("hours per month", r.o.HoursPerMonth.Float(), "h", "", catalog.Date{})
	r.say("hours", r.o.HoursPerMonth.String())
	if err := r.scenario(e.Query); err != nil {
		return err
	}
	r.tell("month.then", then.text())
	r.tell("month.now", now.text())
	r.num("implied", perHour(low)/r.o.HoursPerMonth.Float())
	if s := pick(&now, &then); s.n() > 0 {
		r.our(perHour(s.low), perHour(s.high), r.e.Unit)
	}
	r.shares(then.within(low, high), now.within(low, high))
	return nil
}

func pick(now, then *spread) *spread {
	if now.n() > 0 {
		return now
	}
	return then
}

// ruleConsistent: a monthly figure against the hourly price of the same article.
func ruleConsistent(r *run) error {
	low, _, err := r.article("")
	if err != nil {
		return err
	}
	hour, err := r.own("price")
	if err != nil {
		return err
	}
	month, err := hour.Mul(r.o.HoursPerMonth)
	if err != nil || !month.Known() {
		r.verdict(NotCheckable)
		if _, err := r.prices("price"); err != nil {
			return err
		}
		for _, name := range []string{"month", "implied", "implied_hours", "gap", "month_now"} {
			r.tell(name, Text{"unknown", "未知"})
		}
		return err
	}
	r.say("month", price(month))
	r.num("implied", perHour(low)/r.o.HoursPerMonth.Float())
	r.num("implied_hours", perHour(low)/perHour(hour))
	r.input("hours per month", r.o.HoursPerMonth.Float(), "h", "", catalog.Date{})
	r.input("hourly price of the article", perHour(hour), "USD/GPU-h", r.e.Source, catalog.Date{})
	r.change("gap", perHour(low)/perHour(month)-1)
	r.our(perHour(month), perHour(month), r.e.Unit)
	r.judge(near(low, month, month))
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	r.say("month_now", "?")
	if m, err := e.now.low.Mul(r.o.HoursPerMonth); err == nil && m.Known() {
		r.say("month_now", price(m))
	}
	return nil
}

// ruleTrend: the change of the same offer's price from a base time to the
// article's time, and since the start of the article's year.
func ruleTrend(r *run) error {
	e, err := r.prices("base")
	if err != nil {
		return err
	}
	if _, err = r.prices("price"); err != nil {
		return err
	}
	asOf := r.file.article(r.e.Source).AsOf
	drops := r.changes(e, func(d catalog.Date) bool { return !d.First().After(last(e.To)) }, catalog.DateOf(last(asOf)))
	year := catalog.Date{Year: asOf.Year}
	since := r.changes(r.found["price"], func(d catalog.Date) bool { return d.Compare(year) >= 0 }, r.o.AsOf)
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	var then share
	for _, x := range drops {
		then.n++
		if d := -100 * x; d >= low-tolerance && d <= high+tolerance {
			then.in++
		}
	}
	now := share{n: len(since)}
	up, down := 0, 0
	for _, x := range since {
		if d := -100 * x; d >= low-tolerance && d <= high+tolerance {
			now.in++
		}
		switch {
		case x > 0:
			up++
		case x < 0:
			down++
		}
	}
	r.tell("drops", changesText(drops))
	r.say("n_drops", fmt.Sprint(len(drops)))
	r.say("up", fmt.Sprint(up))
	r.say("down", fmt.Sprint(down))
	r.say("flat", fmt.Sprint(len(since)-up-down))
	r.tell("since", changesText(since))
	r.shares(then, now)
	switch {
	case len(since) > 0: // as the article states it: a fall is positive
		r.our(-100*since[len(since)-1], -100*since[0], "percent")
	case len(drops) > 0:
		r.our(-100*drops[len(drops)-1], -100*drops[0], "percent")
	}
	return nil
}

func changesText(xs []float64) Text {
	switch n := len(xs); n {
	case 0:
		return Text{"no offer with prices of both times", "没有两个时点都有价格的产品"}
	case 1:
		s := signed(xs[0]) + " %"
		return Text{s + " (1 offer)", s + "（1 个产品）"}
	default:
		mid := signed(xs[(n-1)/2])
		ends := signed(xs[0]) + " … " + signed(xs[n-1])
		return Text{
			fmt.Sprintf("median %s %% (%s %%, %d offers)", mid, ends, n),
			fmt.Sprintf("中位数 %s %%（%s %%，%d 个产品）", mid, ends, n),
		}
	}
}

// changes lists, for every offer asked for, how its on-demand price moved from
// the first observation of the base to the last one up to a day; sorted.
func (r *run) changes(e *evidence, base func(catalog.Date) bool, until catalog.Date) []float64 {
	set, err := r.names.ParseGPUs(e.GPU)
	if err != nil {
		return nil
	}
	var out []float64
	for i := range r.evidence.Offers {
		o := &r.evidence.Offers[i]
		if !set.Match(o, r.gpu(o.GPU)) {
			continue
		}
		first, latest := ends(o, e.Purchases, base, until)
		if first == nil {
			continue
		}
		a, b := r.hourOf(o, first), r.hourOf(o, latest)
		if ratio, ok := money.Ratio(b, a); ok {
			x, _ := ratio.Float64()
			out = append(out, x-1)
			r.cite(first.Source, first.AsOf)
			r.cite(latest.Source, latest.AsOf)
		}
	}
	slices.Sort(out)
	return out
}

// ends are the first observation of the base and the last one up to the day.
func ends(o *catalog.Offer, purchases []catalog.Purchase, base func(catalog.Date) bool, until catalog.Date) (first, latest *catalog.Price) {
	for i := range o.Prices {
		p := &o.Prices[i]
		if !slices.Contains(purchases, p.Purchase) || p.Confidence == catalog.Low || !p.Known() || p.AsOf.Month == 0 || p.Scope == catalog.ScopeGPUOnly || p.Plan != "" {
			continue
		}
		if base(p.AsOf) && (first == nil || p.AsOf.Compare(first.AsOf) < 0) {
			first = p
		}
		if p.AsOf.Compare(until) <= 0 && (latest == nil || p.AsOf.Compare(latest.AsOf) > 0) {
			latest = p
		}
	}
	if first == nil || latest == nil || first.AsOf.DaysUntil(latest.AsOf) < 30 {
		return nil, nil // too near to be a trend
	}
	return first, latest
}

func (r *run) hourOf(o *catalog.Offer, p *catalog.Price) money.Amount {
	h, err := pricing.Hour(p, o.GPUs, r.o.HoursPerMonth)
	if err != nil {
		return money.Amount{}
	}
	out, _ := r.exchange("").Convert(h.PerGPU.Mid)
	return out
}

// ruleTables: how many of an article's own prices agree with dated evidence of
// the same seller, family and purchase.
func ruleTables(r *run) error {
	article := r.file.article(r.e.Source)
	res := pricing.Compare(r.cat, pricing.Query{
		Purchases: catalog.Purchases(), Exchange: r.exchange(""), Now: r.o.AsOf, HoursPerMonth: r.o.HoursPerMonth,
		Selection: catalog.Selection{AsOf: r.o.AsOf, Source: article.ID},
	})
	var agree share
	unknown := 0
	for i := range res.Quotes {
		q := &res.Quotes[i]
		g := q.GPUSpec()
		if !q.PerGPUHour.Known() || g == nil {
			continue
		}
		e := r.find(&Query{Providers: []string{q.Provider}, GPU: g.Family, Purchases: []catalog.Purchase{q.Purchase}}, article)
		s := e.then.within(q.PerGPUHour, q.PerGPUHour)
		agree.n++
		switch {
		case s.in > 0:
			agree.in++
		case s.n == 0:
			unknown++
		}
	}
	r.say("agree", fmt.Sprint(agree.in))
	r.say("unknown", fmt.Sprint(unknown))
	r.say("prices", fmt.Sprint(agree.n))
	r.our(float64(agree.in), float64(agree.in), "count")
	r.verdict(NotCheckable)
	return nil
}
