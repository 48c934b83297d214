package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// run is one claim while it is recomputed. A rule looks evidence up, states
// facts for the sentences of the reason, and gives our value and the verdict.
type run struct {
	*checker
	e     *Entry
	out   Claim
	facts map[string]Text
	found map[string]*evidence
	cond  *Condition
}

func newRun(c *checker, e *Entry) *run {
	r := &run{checker: c, e: e, facts: map[string]Text{}, found: map[string]*evidence{}}
	r.out = Claim{ID: e.ID, Source: e.Source, Topic: e.Topic, Text: e.Text, TextZH: e.TextZH, Inputs: []Input{}, Sources: []Source{}}
	r.out.Article = r.value(Decimal(e.Low), Decimal(e.High), e.Unit)
	if e.Stated != "" {
		r.out.Article.Text, r.out.Article.TextZH = e.Stated, e.StatedZH
	}
	r.cite(e.Source, c.file.article(e.Source).AsOf)
	for _, id := range e.Sources {
		r.cite(id, catalog.Date{})
	}
	return r
}

// value is a figure with its words: "40–70 %".
func (r *run) value(low, high Decimal, unit string) Value {
	v := Value{Low: low, High: high, Unit: unit}
	u := r.file.unit(unit)
	if low == "" && high == "" || u == nil {
		return v
	}
	number := func(d Decimal) string { return grouped(string(d)) }
	text := span(number(low), number(high))
	switch {
	case high == "":
		text = "≥ " + number(low)
	case low == "":
		text = "≤ " + number(high)
	}
	v.Text, v.TextZH = strings.TrimSpace(text+" "+u.EN), strings.TrimSpace(text+" "+u.ZH)
	return v
}

// article is the article's range as amounts.
func (r *run) article(c money.Currency) (low, high money.Amount, err error) {
	if c == "" {
		c = "USD"
	}
	if low, err = money.Parse(string(r.e.Low), c); err != nil {
		return
	}
	high, err = money.Parse(string(r.e.High), c)
	return
}

// articleRange is the article's range as numbers.
func (r *run) articleRange() (low, high float64, err error) {
	l, err := money.ParseQuantity(string(r.e.Low))
	if err != nil {
		return 0, 0, err
	}
	h, err := money.ParseQuantity(string(r.e.High))
	return l.Float(), h.Float(), err
}

// prices is the evidence of that name. It states the facts name.then and
// name.now and cites the sources.
func (r *run) prices(name string) (*evidence, error) {
	if e := r.found[name]; e != nil {
		return e, nil
	}
	i := slices.IndexFunc(r.e.Evidence, func(q Query) bool { return q.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no evidence %q", name)
	}
	e := r.find(&r.e.Evidence[i], r.file.article(r.e.Source))
	r.found[name] = e
	r.facts[name+".then"], r.facts[name+".now"] = e.then.text(), e.now.text()
	r.use(name+" then", &e.then)
	r.use(name+" now", &e.now)
	return e, nil
}

// use lists the ends of a spread as inputs, the newest of equal ones, and cites
// their sources.
func (r *run) use(name string, s *spread) {
	low, high := s.end(func(q *pricing.Quote) bool { return q.PerGPUHourLow == s.low }), s.end(func(q *pricing.Quote) bool { return q.PerGPUHourHigh == s.high })
	for _, q := range []*pricing.Quote{low, high} {
		if q == nil {
			continue
		}
		r.cite(q.Source, q.Date())
		words := []string{name, q.Provider, q.Instance, q.Tier, q.Region, q.GPU, string(q.Purchase)}
		in := Input{
			Name:  strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "),
			Value: Decimal(q.PerGPUHour.String()), Unit: string(q.Currency) + "/GPU-h", Source: q.Source, AsOf: q.AsOf,
		}
		if !slices.Contains(r.out.Inputs, in) {
			r.out.Inputs = append(r.out.Inputs, in)
		}
	}
}

// given is an input of the file. It states the fact of its name.
func (r *run) given(name string) (float64, error) {
	i := slices.IndexFunc(r.e.Given, func(g Given) bool { return g.Name == name })
	if i < 0 {
		return 0, fmt.Errorf("no given %q", name)
	}
	g := &r.e.Given[i]
	r.input(name, g.Value, g.Unit, g.Source, catalog.Date{})
	r.num(name, g.Value)
	if g.Source != "assumption" && g.Source != "formula" {
		r.cite(g.Source, catalog.Date{})
	}
	return g.Value, nil
}

// givens are several of them, in the order asked for.
func (r *run) givens(names ...string) ([]float64, error) {
	out := make([]float64, len(names))
	for i, name := range names {
		var err error
		if out[i], err = r.given(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *run) input(name string, x float64, unit, source string, asOf catalog.Date) {
	in := Input{Name: name, Value: plain(x), Unit: unit, Source: source}
	if asOf.Known() {
		in.AsOf = asOf.String()
	}
	if !slices.Contains(r.out.Inputs, in) {
		r.out.Inputs = append(r.out.Inputs, in)
	}
}

// cite adds a source once, with the newest date used of it.
func (r *run) cite(id string, asOf catalog.Date) {
	if id == "" {
		return
	}
	day := ""
	if asOf.Known() {
		day = asOf.String()
	}
	for i := range r.out.Sources {
		if s := &r.out.Sources[i]; s.ID == id {
			s.AsOf = max(s.AsOf, day)
			return
		}
	}
	i := slices.IndexFunc(r.cat.Sources, func(s catalog.Source) bool { return s.ID == id })
	if i >= 0 {
		known := &r.cat.Sources[i]
		r.out.Sources = append(r.out.Sources, Source{ID: id, Name: known.Name, URL: known.URL, AsOf: day})
		return
	}
	one, rest, several := strings.Cut(id, "; ") // a citation of several works
	if several {
		r.cite(one, asOf)
		r.cite(rest, asOf)
		return
	}
	r.out.Sources = append(r.out.Sources, Source{ID: id, Name: id, AsOf: day})
}

// say states a fact that reads alike in both languages.
func (r *run) say(name, text string)         { r.facts[name] = Text{text, text} }
func (r *run) tell(name string, t Text)      { r.facts[name] = t }
func (r *run) num(name string, x float64)    { r.say(name, spoken(x)) }
func (r *run) pct(name string, x float64)    { r.say(name, percent(x)) }
func (r *run) change(name string, x float64) { r.say(name, signed(x)) }

// our is our value.
func (r *run) our(low, high float64, unit string) {
	r.out.Our = r.value(plain(low), plain(high), unit)
	u := r.file.unit(unit)
	if u == nil || r.out.Our.Low == "" {
		return
	}
	text := span(spoken(low), spoken(high))
	r.out.Our.Text, r.out.Our.TextZH = strings.TrimSpace(text+" "+u.EN), strings.TrimSpace(text+" "+u.ZH)
}

// ourPrices is our value as a range of prices: of now, else of then.
func (r *run) ourPrices(e *evidence) {
	s := &e.now
	if s.n() == 0 {
		s = &e.then
	}
	if s.n() == 0 {
		return
	}
	unit := string(s.low.Currency()) + "/GPU-h"
	r.out.Our = r.value(Decimal(s.low.String()), Decimal(s.high.String()), unit)
	if u := r.file.unit(unit); u != nil {
		text := span(price(s.low), price(s.high))
		r.out.Our.Text, r.out.Our.TextZH = text+" "+u.EN, text+" "+u.ZH
	}
}

// ourWords is our value in words.
func (r *run) ourWords(t Text) { r.out.Our.Text, r.out.Our.TextZH = t.EN, t.ZH }

func (r *run) verdict(v Verdict) { r.out.Verdict = v }

// judge is holds or does_not_hold.
func (r *run) judge(holds bool) {
	r.verdict(DoesNotHold)
	if holds {
		r.verdict(Holds)
	}
}

// condition is the number under which the claim holds; it is shown when the
// verdict is holds_if.
func (r *run) condition(low, high float64, unit string) {
	r.cond = &Condition{Value: Value{Low: plain(low), High: plain(high), Unit: unit}}
	r.say("low", spoken(low))
	r.say("high", spoken(high))
	r.say("range", span(spoken(low), spoken(high)))
}

// met says whether the condition is met by the newest evidence.
func (r *run) met(ok bool) {
	if r.cond != nil {
		r.cond.Met = &ok
	}
}

// finish fills the sentences.
func (r *run) finish() (Claim, error) {
	w := r.file.sentences(r.e)
	pick := func(zh bool) func(string) (string, bool) {
		return func(name string) (string, bool) {
			t, ok := r.facts[name]
			if zh {
				return t.ZH, ok
			}
			return t.EN, ok
		}
	}
	if r.out.Our.Text == "" {
		r.ourWords(Text{"no figure", "无数据"})
	}
	var err error
	if r.out.Why, err = fill(w.Why, pick(false)); err != nil {
		return r.out, err
	}
	if r.out.WhyZH, err = fill(w.WhyZH, pick(true)); err != nil {
		return r.out, err
	}
	if r.out.Verdict == "" {
		return r.out, fmt.Errorf("rule %s gave no verdict", r.e.Rule)
	}
	if r.out.Verdict != HoldsIf {
		return r.out, nil
	}
	if r.cond == nil {
		return r.out, fmt.Errorf("rule %s holds under no condition", r.e.Rule)
	}
	if r.cond.Text, err = fill(w.Condition, pick(false)); err != nil {
		return r.out, err
	}
	if r.cond.TextZH, err = fill(w.ConditionZH, pick(true)); err != nil {
		return r.out, err
	}
	r.out.Condition = r.cond
	return r.out, nil
}

// perHour is an amount as a plain number, for ratios.
func perHour(a money.Amount) float64 { return float64(a.Nano()) / 1e9 }

// own is the article's own price of an evidence query, as the catalog keeps it.
func (r *run) own(name string) (money.Amount, error) {
	i := slices.IndexFunc(r.e.Evidence, func(q Query) bool { return q.Name == name })
	if i < 0 {
		return money.Amount{}, fmt.Errorf("no evidence %q", name)
	}
	q := &r.e.Evidence[i]
	set, err := r.names.ParseGPUs(q.GPU)
	if err != nil {
		return money.Amount{}, nil //nolint:nilerr // an unknown GPU has no price
	}
	res := pricing.Compare(r.cat, pricing.Query{
		GPU: set.Match, Purchases: q.Purchases, Providers: q.Providers, Exchange: r.exchange(q.Currency), Now: r.o.AsOf,
		Selection: catalog.Selection{AsOf: r.o.AsOf, Source: r.e.Source}, HoursPerMonth: r.o.HoursPerMonth,
	})
	for i := range res.Quotes {
		if a := res.Quotes[i].PerGPUHour; a.Known() {
			r.say(name+".article", price(a))
			return a, nil
		}
	}
	r.tell(name+".article", Text{"none", "无"})
	return money.Amount{}, nil
}
