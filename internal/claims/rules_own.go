package claims

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// rulePower: the electricity of one machine a month: kW x PUE x hours x tariff,
// the words of the claim naming the three figures.
func rulePower(r *run) error {
	article, _, err := r.articleRange()
	if err != nil {
		return err
	}
	var v [3]float64
	for i := range v {
		if v[i], err = r.item(r.e.Words[i]); err != nil {
			return err
		}
	}
	hours := r.o.HoursPerMonth.Float()
	ours := buying.Power{MaxKW: v[0], PUE: v[1], PerKWh: v[2]}.Cost(1, hours)
	r.num("kw", v[0])
	r.num("pue", v[1])
	r.num("tariff", v[2])
	r.num("hours", hours)
	r.num("ours", ours)
	r.num("exact", 0)
	if ours == 0 {
		r.verdict(NotCheckable)
		return nil
	}
	exact := article / (v[0] * v[1] * hours)
	r.num("exact", exact)
	r.our(ours, ours, r.e.Unit)
	r.verdict(HoldsIf)
	if d := article/ours - 1; d >= -tolerance/100.0 && d <= tolerance/100.0 {
		r.verdict(Holds)
	}
	r.condition(exact, exact, "CNY/kWh")
	return nil
}

// ruleOwn: from how many hours a day on owning is cheaper than renting, and the
// rent at which the article's rule is exactly right.
func ruleOwn(r *run) error {
	rule, _, err := r.articleRange()
	if err != nil {
		return err
	}
	g, err := r.givens("capex", "gpus", "opex", "life_years", "days")
	if err != nil {
		return err
	}
	own := buying.Own{Capex: g[0], GPUs: g[1], OpexPerMonth: g[2], LifeYears: g[3], DaysPerMonth: g[4]}
	rent, ok := own.BreakEvenRent(rule)
	if !ok {
		return fmt.Errorf("no break-even rent")
	}
	r.num("rent", rent)
	shorter, longer := own, own
	shorter.LifeYears, longer.LifeYears = g[3]-1, g[3]+2
	r.num("longer_years", longer.LifeYears)
	r.num("shorter_years", shorter.LifeYears)
	for name, o := range map[string]buying.Own{"rent_shorter": shorter, "rent_longer": longer} {
		x, _ := o.BreakEvenRent(rule)
		r.num(name, x)
	}
	home, err := r.prices("cn")
	if err != nil {
		return err
	}
	abroad, err := r.prices("intl")
	if err != nil {
		return err
	}
	hours := map[string]*spread{"cn": &home.now, "intl": &abroad.now}
	for name, s := range hours {
		r.tell(name+".hours", Text{"unknown", "未知"})
		if s.n() == 0 {
			continue
		}
		cheap, _ := own.BreakEvenHoursPerDay(perHour(s.low))
		dear, _ := own.BreakEvenHoursPerDay(perHour(s.high))
		r.say(name+".hours", span(spoken(dear), spoken(cheap)))
		r.say(name+".median", price(s.median()))
	}
	if home.now.n() > 0 {
		lo, _ := own.BreakEvenHoursPerDay(perHour(home.now.high))
		hi, _ := own.BreakEvenHoursPerDay(perHour(home.now.low))
		r.our(lo, hi, r.e.Unit)
	} else {
		x, _ := own.BreakEvenHoursPerDay(rent)
		r.our(x, x, r.e.Unit)
	}
	if rate, ok := r.exchange("CNY").Rate("USD"); ok {
		r.num("rent_usd", rent/rate.Value.Float())
		r.cite(rate.Source, rate.AsOf)
		r.input("CNY per USD", rate.Value.Float(), "", rate.Source, rate.AsOf)
	} else {
		r.say("rent_usd", "?")
	}
	r.verdict(HoldsIf)
	r.condition(rent, rent, "CNY/GPU-h")
	return nil
}

// fp8Factor is the smallest published cost per token of FP8 against BF16.
func (r *run) fp8Factor() (float64, error) {
	for _, a := range buying.Alternatives() {
		if a.Code == "fp8" {
			r.cite(a.Source, catalog.Date{})
			r.input("lowest cost per token of FP8 against BF16", a.LowCostFactor, "ratio", a.Source, catalog.Date{})
			return a.LowCostFactor, nil
		}
	}
	return 0, fmt.Errorf("no published factor of FP8")
}

// sizes are the parameters of the claim's two models, in billions.
func (r *run) sizes() (large, small float64, err error) {
	var v [2]float64
	for i := range v {
		m := catalog.FindModel(r.cat, r.e.Words[i])
		if m == nil {
			return 0, 0, fmt.Errorf("no model %q", r.e.Words[i])
		}
		v[i] = m.ParamsB
		r.input("parameters of "+m.ID, m.ParamsB, "billion", m.Source, catalog.Date{})
		r.cite(m.Source, catalog.Date{})
	}
	r.num("large_b", v[0])
	r.num("small_b", v[1])
	return v[0], v[1], nil
}

// ruleSmaller: quantisation and distillation together: the saving is 1 - (cost
// of FP8) x (size of the student / size of the teacher).
func ruleSmaller(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	fp8, err := r.fp8Factor()
	if err != nil {
		return err
	}
	large, small, err := r.sizes()
	if err != nil {
		return err
	}
	r.pct("fp8", 1-fp8)
	r.pct("distilled", 1-small/large)
	r.pct("together", 1-fp8*small/large)
	r.our(100*(1-fp8), 100*(1-fp8*small/large), "percent")
	r.verdict(HoldsIf)
	r.condition((1-high/100)/fp8*large, (1-low/100)/fp8*large, "B params")
	return nil
}

// ruleFP8: FP8 loses little and halves the compute: two parts.
func ruleFP8(r *run) error {
	_, most, err := r.articleRange()
	if err != nil {
		return err
	}
	fp8, err := r.fp8Factor()
	if err != nil {
		return err
	}
	g, err := r.givens("loss_percent", "claimed_saving")
	if err != nil {
		return err
	}
	good, bad := 0, 0
	count := func(ok bool) {
		if ok {
			good++
		} else {
			bad++
		}
	}
	count(g[0] <= most)
	count(100*(1-fp8) >= g[1]-tolerance)
	r.num("saving", 100*(1-fp8))
	r.num("speed", 1/fp8)
	r.our(0, 100*(1-fp8), "percent")
	r.parts(good, bad, 2)
	r.condition(100*(1-fp8), 100*(1-fp8), "percent")
	return nil
}

// ruleDistil: a student's compute follows from its size; its accuracy is the
// reader's to measure.
func ruleDistil(r *run) error {
	large, small, err := r.sizes()
	if err != nil {
		return err
	}
	g, err := r.givens("claimed_saving", "example_before", "example_after")
	if err != nil {
		return err
	}
	saved := 100 * (1 - small/large)
	r.num("saved", saved)
	r.num("example_loss", g[1]-g[2])
	r.our(saved, saved, "percent")
	r.verdict(DoesNotHold)
	if d := saved - g[0]; d >= -tolerance && d <= tolerance {
		r.verdict(HoldsIf)
	}
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	r.condition(low, high, "percent")
	return nil
}
