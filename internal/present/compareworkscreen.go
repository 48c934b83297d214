package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// workTable ranks every way of buying: the list price beside what a GPU-hour of
// finished work costs.
func (c Comparison) workTable(shown []*pricing.Quote, notes *Notes) Table {
	l := c.Lang
	t := Table{Columns: []Column{
		{Key: "rank", Head: "#", Right: true},
		{Key: "provider", Head: l.T("col.provider"), Flex: true},
		{Key: "gpu", Head: l.T("col.sold_as"), Flex: true},
		{Key: "purchase", Head: l.T("col.purchase"), Flex: true},
		{Key: "per_gpu", Head: l.T("col.per_gpu"), Right: true},
		{Key: "effective", Head: l.T("work.col.effective"), Right: true},
		{Key: "range", Head: l.T("work.col.range"), Right: true, Priority: 1},
		{Key: "in_all", Head: l.T("work.col.in_all"), Right: true, Priority: 2},
		{Key: "as_of", Head: l.T("col.as_of")},
		{Key: "wall", Head: l.T("work.col.wall"), Right: true, Wide: true, Priority: 3},
		{Key: "region", Head: l.T("col.region"), Flex: true, Wide: true, Priority: 4},
		{Key: "tier", Head: l.T("col.tier"), Flex: true, Wide: true, Priority: 5},
		{Key: "source", Head: l.T("col.source"), Flex: true, Wide: true, Priority: 6},
		{Key: "instance", Head: l.T("col.instance"), Flex: true, Wide: true, Priority: 7},
	}}
	var effective, all []money.Amount
	for _, q := range shown {
		w := c.way(q)
		effective, all = append(effective, w.PerGPUHour.Mid), append(all, w.Cost.Mid)
	}
	per := amounts(shown, func(q *pricing.Quote) money.Amount { return q.PerGPUHour })
	de, da := Decimals(effective...), coarse(all)
	for i, q := range shown {
		w := c.way(q)
		wall := Unknown()
		if w.Hours != nil {
			wall = Num(briefHours(w.Hours, l))
		}
		t.Rows = append(t.Rows, []Cell{
			Num(fmt.Sprint(q.Rank)), Text(brief(c.name(q))), Text(soldAs(q)), Text(c.bought(q)), per[i],
			Num(Amount(w.PerGPUHour.Mid, de)), Num(AmountRange(w.PerGPUHour, TotalDecimals(w.PerGPUHour.Low))), Num(Amount(w.Cost.Mid, da)),
			Text(asOf(l, q)).Noted(inOrder(c.workMarks(q, notes) + c.marks(q, notes))), wall, Text(q.Region), Text(q.Tier), Text(q.Source), Text(q.Instance),
		})
	}
	return t
}

// inOrder are marks in the order of their notes.
func inOrder(marks string) string {
	b := []byte(marks)
	slices.Sort(b)
	return string(b)
}

// part is a share with a decimal where there is one: "75 %", "54.8 %".
func part(x float64) string { return strings.Replace(Share(x, 1), ".0 %", " %", 1) }

// workMarks gives the doubts about finished work their footnotes.
func (c Comparison) workMarks(q *pricing.Quote, notes *Notes) string {
	w := c.way(q)
	var out []string
	if w.Code != "" && w.Code != estimate.UnknownPrice {
		out = append(out, notes.Mark(c.Lang.T("work.note."+w.Code)))
	}
	if q.Purchase == catalog.Serverless {
		out = append(out, notes.Mark(c.Lang.T("work.note.serverless")))
	}
	if w.Use != nil && c.Work.Use == 0 {
		out = append(out, notes.Mark(c.Lang.T("work.note.alone")))
	}
	for _, code := range []string{estimate.WarnStandIn, estimate.WarnNeverDone, estimate.WarnOwned, estimate.WarnStorage} {
		if w.Has(code) {
			out = append(out, notes.Mark(c.Lang.T("work.note."+code)))
		}
	}
	return strings.Join(out, "")
}

// workWinner names the best and the runner-up, and what would change that.
func (c Comparison) workWinner(qs []pricing.Quote) []string {
	w, l := c.Work, c.Lang
	switch {
	case len(qs) == 0:
		return []string{l.T("compare.none")}
	case w.Cheapest < 0:
		return []string{l.T("compare.none_priced")}
	}
	var out []string
	if w.Cheapest != w.Best {
		q := &qs[w.Cheapest]
		out = append(out, l.T("work.cheapest", c.workWay(q), c.finishedPrice(q))+l.T("compare.but", c.workDoubt(w.Cheapest)))
	}
	q := &qs[w.Best]
	line := l.T("work.best", c.workWay(q), c.finishedPrice(q), Coded(c.way(q).Cost.Mid, coarse([]money.Amount{c.way(q).Cost.Mid})))
	if h := c.way(q).Hours; h != nil && h.High > c.Work.Hours {
		line += l.T("work.wall", HoursWithRange(h.Low, h.Mid, h.High, l))
	}
	if doubt := c.workDoubt(w.Best); doubt != "" {
		line = c.sentences(line+l.T("compare.but", doubt), l.T("compare.no_sure"))
	} else {
		line += l.T("full_stop")
	}
	out = append(out, line)
	if w.Second >= 0 {
		out = append(out, l.T("work.second", c.workWay(&qs[w.Second]), c.finishedPrice(&qs[w.Second])))
	}
	if f := c.workFlip(); f != "" {
		out = append(out, f)
	}
	return append(out, c.workRest()...)
}

// workDoubt is the gravest reason not to plan on a price, or "".
func (c Comparison) workDoubt(i int) string {
	switch code := c.Work.Doubt(i); code {
	case "":
		return ""
	case pricing.WarnStale:
		return c.Lang.T("doubt."+code, *c.Result.Quotes[i].AgeDays)
	default:
		return c.Lang.T("doubt." + code)
	}
}

// workWay is a row in words: "#1 Acme, 8x H100 SXM5 80, spot".
func (c Comparison) workWay(q *pricing.Quote) string {
	return fmt.Sprintf("#%d ", q.Rank) + strings.Join([]string{brief(c.name(q)), soldAs(q), c.bought(q)}, c.Lang.T("comma"))
}

// finishedPrice is what a GPU-hour of finished work costs, with its range.
func (c Comparison) finishedPrice(q *pricing.Quote) string {
	r := c.way(q).PerGPUHour
	return string(q.Currency) + " " + AmountWithRange(r, Decimals(r.Mid))
}

// workFlip says at which number another row would be the best.
func (c Comparison) workFlip() string {
	l := c.Lang
	var out []string
	for _, f := range c.Work.Flips {
		q := &c.Result.Quotes[f.Rank-1]
		who := fmt.Sprintf("#%d ", f.Rank) + brief(c.name(q)) + l.T("comma") + c.bought(q)
		switch f.By {
		case "price":
			out = append(out, l.T("work.flip.price", Percent(f.Value, 1), who))
		case "interruptions", "interruptions_below":
			out = append(out, l.T("work.flip."+f.By, Hours(1/f.Value, l), who))
		case "use", "use_below":
			out = append(out, l.T("work.flip."+f.By, part(f.Value), who))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return l.T("work.flip", strings.Join(out, l.T("work.semi")))
}

// workRest says what the rows rest on and which way of buying has none.
func (c Comparison) workRest() []string {
	l := c.Lang
	var out []string
	has := func(p catalog.Purchase) bool { return slices.Contains(c.Query.Purchases, p) }
	monthly := slices.IndexFunc(c.Work.Ways, func(w estimate.Effective) bool { return w.Use != nil })
	switch {
	case monthly < 0:
	case c.Work.Use > 0:
		out = append(out, l.T("work.use", part(c.Work.Use.Float())))
	default:
		out = append(out, l.T("work.use_alone"))
	}
	if has(catalog.Spot) {
		out = append(out, l.T("work.spot", c.gpuWord(), plainHours(c.Work.Hours)))
	}
	if len(c.Query.Purchases) == len(estimate.Purchases()) || has(catalog.Token) {
		out = append(out, l.T("work.token", TokenNext))
	}
	return out
}

// workHead is one line: what was asked, of what, and what was found.
func (c Comparison) workHead(gpu string, offers int) string {
	words := ""
	if len(c.Query.Purchases) < len(estimate.Purchases()) {
		words = " " + c.purchaseWords()
	}
	return c.Lang.T("work.head", gpu, words, c.Query.Need, plainHours(c.Work.Hours), c.Asked.Currency, c.evidence(), offers)
}

// workRows are the rows of a screen, in their order: what the text below names,
// the best of each way of buying, and then the first.
func (c Comparison) workRows(first []*pricing.Quote) []*pricing.Quote {
	var out []*pricing.Quote
	seen := map[catalog.Purchase]bool{}
	add := func(q *pricing.Quote) {
		if q.PerGPUHour.Known() && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	for _, i := range []int{c.Work.Cheapest, c.Work.Best, c.Work.Second} {
		if i >= 0 {
			add(&c.Result.Quotes[i])
		}
	}
	for _, f := range c.Work.Flips {
		add(&c.Result.Quotes[f.Rank-1])
	}
	for i := range c.Result.Quotes {
		if q := &c.Result.Quotes[i]; !seen[q.Purchase] {
			seen[q.Purchase] = true
			add(q)
		}
	}
	for _, q := range first {
		if len(out) < screenRows {
			add(q)
		}
	}
	slices.SortFunc(out, func(a, b *pricing.Quote) int { return a.Rank - b.Rank })
	return out
}
