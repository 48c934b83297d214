package claims

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// newestDays is how far behind the latest observation an observation still
// counts as the newest evidence: price lists are read at different days.
const newestDays = 180

// evidence is what the catalog says about one query at both times.
type evidence struct {
	*Query
	then, now spread
	notSold   catalog.Date // newest day at which the seller was seen not to offer this
}

// spread is a set of quotes, from the cheapest GPU-hour to the dearest.
type spread struct {
	quotes []pricing.Quote
	low    money.Amount // of ranges their low end
	high   money.Amount // of ranges their high end
	from   catalog.Date
	to     catalog.Date
	doubt  bool // nothing better than low confidence was known
}

func (s *spread) n() int { return len(s.quotes) }

// median is the middle price; of an even number the lower of the two.
func (s *spread) median() money.Amount {
	if len(s.quotes) == 0 {
		return money.Amount{}
	}
	return s.quotes[(len(s.quotes)-1)/2].PerGPUHour
}

// end is the newest quote of one end, nil when there is none.
func (s *spread) end(at func(*pricing.Quote) bool) *pricing.Quote {
	var best *pricing.Quote
	for i := range s.quotes {
		if q := &s.quotes[i]; at(q) && (best == nil || q.Date().Compare(best.Date()) > 0) {
			best = q
		}
	}
	return best
}

// within counts the prices that lie in the range widened by the tolerance.
func (s *spread) within(low, high money.Amount) share {
	if s.doubt { // the article's own figures are of low confidence as well
		return share{}
	}
	out := share{n: len(s.quotes)}
	for i := range s.quotes {
		if near(s.quotes[i].PerGPUHour, low, high) {
			out.in++
		}
	}
	return out
}

// near reports low x (1 - tolerance) <= a <= high x (1 + tolerance), exactly.
func near(a, low, high money.Amount) bool {
	down, ok1 := money.Ratio(a, low)
	up, ok2 := money.Ratio(a, high)
	if !ok1 || !ok2 {
		return false
	}
	return down.Cmp(big.NewRat(100-tolerance, 100)) >= 0 && up.Cmp(big.NewRat(100+tolerance, 100)) <= 0
}

// text is the range, how many prices it has and their dates.
func (s *spread) text() Text {
	if len(s.quotes) == 0 {
		return Text{"no dated price", "没有带日期的价格"}
	}
	cur := currencyName(s.low.Currency())
	amount := span(price(s.low), price(s.high))
	days := Text{s.from.String(), s.from.String()}
	if s.from != s.to {
		days = Text{s.from.String() + " to " + s.to.String(), s.from.String() + " 至 " + s.to.String()}
	}
	count, countZH := "", ""
	if n := len(s.quotes); n > 1 {
		count, countZH = fmt.Sprintf("%d prices, ", n), fmt.Sprintf("%d 个价格，", n)
	}
	doubt, doubtZH := "", ""
	if s.doubt {
		doubt, doubtZH = ", low confidence", "，置信度低"
	}
	return Text{
		fmt.Sprintf("%s %s (%s%s%s)", amount, cur.EN, count, days.EN, doubt),
		fmt.Sprintf("%s %s（%s%s%s）", amount, cur.ZH, countZH, days.ZH, doubtZH),
	}
}

// window is the time an article speaks of.
type window struct{ from, to time.Time }

func (w window) days() int { return int(w.to.Sub(w.from).Hours() / 24) }

// around is the time within FreshDays of a date.
func around(d catalog.Date) window {
	return window{d.First().AddDate(0, 0, -catalog.FreshDays), last(d).AddDate(0, 0, catalog.FreshDays)}
}

// find looks a query up. A GPU that the catalog does not know has no evidence.
func (c *checker) find(q *Query, article *Article) *evidence {
	e := &evidence{Query: q}
	set, err := c.names.ParseGPUs(q.GPU)
	if err != nil {
		return e
	}
	w := around(article.AsOf)
	if q.To.Known() {
		w = window{q.From.First(), last(q.To)}
	}
	if end := c.o.AsOf.First(); w.to.After(end) {
		w.to = end
	}
	if w.days() > 0 {
		e.then = c.look(q, set, catalog.Selection{AsOf: catalog.DateOf(w.to), MaxAgeDays: w.days(), Source: c.o.Source}, true, &e.notSold)
	}
	e.now = c.look(q, set, catalog.Selection{AsOf: c.o.AsOf, Source: c.o.Source}, false, &e.notSold)
	return e
}

// look compares with the engine: every observation, or the one that stands for
// each offer today.
func (c *checker) look(q *Query, set catalog.GPUSet, sel catalog.Selection, every bool, notSold *catalog.Date) spread {
	res := pricing.Compare(c.evidence, pricing.Query{
		GPU: set.Match, Purchases: q.Purchases, Providers: q.Providers, Market: q.Market, Tiers: q.Tiers,
		Selection: sel, Now: c.o.AsOf, Exchange: c.exchange(q.Currency), HoursPerMonth: c.o.HoursPerMonth,
		All: every, Unavailable: true,
	})
	var kept []pricing.Quote
	for _, quote := range res.Quotes {
		switch {
		case !q.asked(&quote, c.kinds):
		case quote.Has(pricing.WarnUnavailable) && !quote.PerGPUHour.Known():
			if quote.Date().Compare(*notSold) > 0 {
				*notSold = quote.Date()
			}
		case quote.PerGPUHour.Known() && quote.Date().Known() && !quote.Has(pricing.WarnUnavailable) &&
			!quote.Has(pricing.WarnIndex) && !quote.Has(pricing.WarnGPUOnly) && !quote.Has(pricing.WarnUnknownGPU):
			kept = append(kept, quote)
		}
	}
	if !every {
		kept = newest(kept)
	}
	return newSpread(kept)
}

// asked applies what the engine's query cannot say.
func (q *Query) asked(quote *pricing.Quote, kinds map[string]string) bool {
	months := 0
	if quote.TermMonths != nil {
		months = *quote.TermMonths
	}
	return (len(q.Kinds) == 0 || slices.Contains(q.Kinds, kinds[quote.Provider])) &&
		(len(q.Terms) == 0 || slices.Contains(q.Terms, months)) &&
		(q.Each == 0 || quote.GPUs != nil && *quote.GPUs == float64(q.Each))
}

func newSpread(quotes []pricing.Quote) spread {
	better := func(q pricing.Quote) bool { return q.Confidence != string(catalog.Low) }
	s := spread{quotes: quotes}
	if slices.ContainsFunc(quotes, better) {
		s.quotes = slices.DeleteFunc(quotes, func(q pricing.Quote) bool { return !better(q) })
	} else {
		s.doubt = len(quotes) > 0
	}
	s.measure()
	return s
}

// measure sorts by price and finds the ends.
func (s *spread) measure() {
	slices.SortStableFunc(s.quotes, func(a, b pricing.Quote) int { return a.PerGPUHour.Cmp(b.PerGPUHour) })
	s.low, s.high, s.from, s.to = money.Amount{}, money.Amount{}, catalog.Date{}, catalog.Date{}
	for i := range s.quotes {
		q := &s.quotes[i]
		if q.PerGPUHourLow.Cmp(s.low) < 0 {
			s.low = q.PerGPUHourLow
		}
		if !s.high.Known() || q.PerGPUHourHigh.Cmp(s.high) > 0 {
			s.high = q.PerGPUHourHigh
		}
		if !s.from.Known() || q.Date().Compare(s.from) < 0 {
			s.from = q.Date()
		}
		if q.Date().Compare(s.to) > 0 {
			s.to = q.Date()
		}
	}
}

// newest drops what lies far behind the latest observation.
func newest(quotes []pricing.Quote) []pricing.Quote {
	var latest catalog.Date
	for i := range quotes {
		if d := quotes[i].Date(); d.Compare(latest) > 0 {
			latest = d
		}
	}
	return slices.DeleteFunc(quotes, func(q pricing.Quote) bool { return q.Date().DaysUntil(latest) > newestDays })
}

// without is the catalog without the prices of some sources.
func without(c *catalog.Catalog, sources func(id string) bool) *catalog.Catalog {
	out := *c
	out.Offers = slices.Clone(c.Offers)
	for i := range out.Offers {
		o := &out.Offers[i]
		if slices.ContainsFunc(o.Prices, func(p catalog.Price) bool { return sources(p.Source) }) {
			o.Prices = slices.DeleteFunc(slices.Clone(o.Prices), func(p catalog.Price) bool { return sources(p.Source) })
		}
	}
	return &out
}
