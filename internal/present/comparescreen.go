package present

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// screenRows is how many rows a table shows when nobody says.
const screenRows = 12

// screen is what a person sees: what was asked, the rows, the winner with its
// caveat, the doubts, what is not shown and why, and the next command.
func (c Comparison) screen(quotes []pricing.Quote) Screen {
	if c.GroupBy != "" {
		return c.groupScreen()
	}
	shown := c.rows(quotes)
	notes := &Notes{}
	table, winner := c.table, c.winner
	if c.Work != nil {
		table, winner = c.workTable, c.workWinner
	}
	t := table(shown, notes)
	s := Screen{Title: "gpucost compare", Blocks: []Block{Lines{Tone: Strong, Text: []string{c.headline()}}}}
	if len(shown) > 0 {
		s.Blocks = append(s.Blocks, t)
	}
	s.Blocks = append(s.Blocks, Say(winner(c.Result.Quotes)...), *notes, Say(c.rest(c.notShown(shown))...))
	return s
}

// headline is one line: what was asked, of what, and what was found.
func (c Comparison) headline() string {
	sellers, n := map[string]bool{}, 0
	for i := range c.Result.Quotes {
		if q := &c.Result.Quotes[i]; q.PerGPUHour.Known() {
			sellers[q.Provider] = true
			n++
		}
	}
	gpu := strings.ToUpper(c.GPUText)
	if gpu == "" {
		gpu = c.Lang.T("compare.any_gpu")
	}
	gpu = cut(gpu, 30, "…")
	if c.Work != nil {
		return c.workHead(gpu, n)
	}
	return c.Lang.T("compare.head", gpu, c.purchaseWords(), c.Query.Need, c.Asked.Currency, c.evidence(), n, len(sellers))
}

// evidence is the date of the catalog, the earlier day asked for and the only
// source asked for.
func (c Comparison) evidence() string {
	s := c.Catalog.AsOf
	if s != catalog.UnknownDate && c.Asked.AsOf != "" && c.Asked.AsOf < s {
		s = c.Lang.T("compare.as_of", s, c.Asked.AsOf)
	}
	if c.Asked.Source != "" {
		s += c.Lang.T("comma") + c.Asked.Source
	}
	return s
}

// basis says what the amounts are: tax and exchange rates.
func (c Comparison) basis() string {
	words := []string{c.Lang.T("compare.tax_none")}
	if c.Asked.TaxPercent != nil {
		words[0] = c.Lang.T("compare.tax", *c.Asked.TaxPercent)
	}
	for _, r := range Rates(c.Result.Rates) {
		words = append(words, c.Lang.T("compare.rate", r.Rate, r.Quote, r.Base, rateOrigin(r)))
	}
	return c.sentences(words...)
}

// sentences are set one after the other: with a space, except in Chinese.
func (c Comparison) sentences(s ...string) string {
	if c.Lang == ZH {
		return strings.Join(s, "")
	}
	return strings.Join(s, " ")
}

// rows picks what a screen shows: priced rows, the best of each seller and
// variant unless a number of rows was asked for.
func (c Comparison) rows(quotes []pricing.Quote) (shown []*pricing.Quote) {
	seen := map[[3]string]bool{}
	priced := anyPriced(quotes)
	for i := range quotes {
		q := &quotes[i]
		key := [3]string{q.Provider, q.GPU, string(q.Purchase)}
		switch {
		case !q.PerGPUHour.Known() && c.Top < 0 && c.Collapse && priced:
			continue // said in words below
		case c.Top < 0 && c.Collapse && (seen[key] || len(shown) >= screenRows):
			continue
		}
		seen[key] = true
		shown = append(shown, q)
	}
	if c.Work != nil && c.Top < 0 && c.Collapse && priced {
		return c.workRows(shown)
	}
	return shown
}

// notShown says how many rows a screen does not show: those with a price, or
// all where none has one.
func (c Comparison) notShown(shown []*pricing.Quote) string {
	priced, all := 0, len(c.Result.Quotes)-len(shown)
	for i := range c.Result.Quotes {
		if c.Result.Quotes[i].PerGPUHour.Known() {
			priced++
		}
	}
	if priced == 0 && all > 0 {
		return c.Lang.T("compare.more_unpriced", all)
	}
	for _, q := range shown {
		if q.PerGPUHour.Known() {
			priced--
		}
	}
	if priced > 0 {
		return c.Lang.T("compare.more", priced)
	}
	return ""
}

func anyPriced(qs []pricing.Quote) bool {
	return len(qs) > 0 && qs[0].PerGPUHour.Known() || slices.ContainsFunc(qs, func(q pricing.Quote) bool { return q.PerGPUHour.Known() })
}

func (c Comparison) table(shown []*pricing.Quote, notes *Notes) Table {
	several := len(c.Query.Purchases) > 1 && mixed(shown)
	saving := slices.ContainsFunc(shown, func(q *pricing.Quote) bool { return q.SavingPercent != nil })
	cols := []Column{
		{Key: "rank", Head: "#", Right: true},
		{Key: "provider", Head: c.Lang.T("col.provider"), Flex: true},
		{Key: "gpu", Head: c.Lang.T("col.sold_as"), Flex: true},
	}
	if several {
		cols = append(cols, Column{Key: "purchase", Head: c.Lang.T("col.purchase"), Flex: true})
	}
	cols = append(cols,
		Column{Key: "per_gpu", Head: c.Lang.T("col.per_gpu"), Right: true},
		Column{Key: "you_pay", Head: c.Lang.T("col.you_pay"), Right: true},
	)
	if saving {
		cols = append(cols, Column{Key: "saving", Head: c.Lang.T("col.saving"), Right: true, Priority: 2})
	}
	cols = append(cols,
		Column{Key: "as_of", Head: c.Lang.T("col.as_of")},
		Column{Key: "region", Head: c.Lang.T("col.region"), Flex: true, Wide: true, Priority: 4},
		Column{Key: "tier", Head: c.Lang.T("col.tier"), Flex: true, Wide: true, Priority: 5},
		Column{Key: "instance", Head: c.Lang.T("col.instance"), Flex: true, Wide: true, Priority: 7},
		Column{Key: "on_demand", Head: c.Lang.T("col.on_demand"), Right: true, Wide: true, Priority: 8},
		Column{Key: "source", Head: c.Lang.T("col.source"), Flex: true, Wide: true, Priority: 6},
	)
	t := Table{Columns: cols}
	per, pay, od := amounts(shown, func(q *pricing.Quote) money.Amount { return q.PerGPUHour }),
		amounts(shown, func(q *pricing.Quote) money.Amount { return q.NeedPerHour }),
		amounts(shown, func(q *pricing.Quote) money.Amount { return q.OnDemandPerGPUHour })
	for i, q := range shown {
		row := []Cell{Num(fmt.Sprint(q.Rank)), Text(brief(c.name(q))), Text(soldAs(q))}
		if several {
			row = append(row, Text(c.bought(q)))
		}
		row = append(row, per[i], pay[i])
		if saving {
			row = append(row, savingCell(q))
		}
		row = append(row, Text(asOf(c.Lang, q)).Noted(c.marks(q, notes)), Text(q.Region), Text(q.Tier), Text(q.Instance), od[i], Text(q.Source))
		t.Rows = append(t.Rows, row)
	}
	return t
}

func mixed(shown []*pricing.Quote) bool {
	for _, q := range shown {
		if q.Purchase != shown[0].Purchase {
			return true
		}
	}
	return false
}

// soldAs is the machine: "8x H100 SXM5 80"; without a number when the source
// states none. A name's words about what it does
// not say are left to the footnote.
func soldAs(q *pricing.Quote) string {
	name := strings.TrimSuffix(brief(q.GPUName), "GB")
	if q.GPUCount == "" {
		return name
	}
	return q.GPUCount + "x " + name
}

// brief is a name without what stands in brackets behind it.
func brief(name string) string {
	short, _, _ := strings.Cut(name, " (")
	return short
}

func savingCell(q *pricing.Quote) Cell {
	if q.SavingPercent == nil {
		return Unknown()
	}
	n := money.FromNano(int64(*q.SavingPercent)*1e7, "%").Round(0)
	return Num(n + "%")
}

func asOf(l Lang, q *pricing.Quote) string {
	switch q.AsOf {
	case catalog.UnknownDate:
		return l.T("undated")
	case "":
		return "n/a"
	}
	return q.AsOf
}

func (c Comparison) bought(q *pricing.Quote) string {
	s := c.Lang.T("purchase." + string(q.Purchase))
	if q.TermMonths != nil {
		s += " " + c.Lang.T("months", *q.TermMonths)
	} else if q.Plan != "" {
		s += " " + strings.ReplaceAll(q.Plan, "_", " ")
	}
	return s
}

// amounts formats a column with equal decimals.
func amounts(shown []*pricing.Quote, of func(*pricing.Quote) money.Amount) []Cell {
	var as []money.Amount
	for _, q := range shown {
		as = append(as, of(q))
	}
	return MoneyColumn(as)
}

// footnoted lists the doubts that get a footnote, in this order.
var footnoted = []string{
	pricing.WarnLeft, pricing.WarnUnreachable, pricing.WarnIndex, pricing.WarnGPUOnly, pricing.WarnUnavailable, pricing.WarnSpotDearer, pricing.WarnMultiples,
	pricing.WarnSplit,
	pricing.WarnSize, pricing.WarnFraction, pricing.WarnStale, pricing.WarnUndated, pricing.WarnLow, pricing.WarnConflict, pricing.WarnRange,
	pricing.WarnListings, pricing.WarnVariant, pricing.WarnOverride, pricing.WarnSuperseded, pricing.WarnUnknownGPU, pricing.WarnListPrice,
	pricing.WarnNoRate, pricing.WarnTaxUnknown, pricing.WarnTaxIncluded, pricing.WarnDisk, pricing.WarnNoDisk, pricing.WarnFree, pricing.WarnAmount,
}

// marks gives the doubts of a quote their footnotes. A doubt about a few rows
// keeps its figures; one that many rows share says what is true of all.
func (c Comparison) marks(q *pricing.Quote, notes *Notes) string {
	var marks []string
	for _, code := range footnoted {
		if c.Work != nil && (code == pricing.WarnDisk || code == pricing.WarnNoDisk) {
			continue // of what is held by the hour: finished work has its own
		}
		for _, w := range q.Warnings {
			if w.Code == code {
				marks = append(marks, notes.Mark(c.Lang.T("note."+code, noteArgs(w)...)))
			}
		}
	}
	slices.Sort(marks)
	return strings.Join(marks, "")
}

// noteArgs are the figures of a footnote: those that differ from row to row
// would make a footnote of every row, so only a few doubts keep them.
func noteArgs(w pricing.Warning) []any {
	switch w.Code {
	case pricing.WarnConflict:
		low, _ := w.Message.Args[0].(money.Amount)
		high, _ := w.Message.Args[1].(money.Amount)
		return []any{price(low), price(high)}
	case pricing.WarnMultiples:
		return w.Message.Args[:1]
	case pricing.WarnOverride, pricing.WarnUnknownGPU, pricing.WarnNoRate, pricing.WarnListings, pricing.WarnTaxIncluded, pricing.WarnDisk, pricing.WarnNoDisk, pricing.WarnSuperseded:
		return w.Message.Args
	}
	return nil
}

// winner is one sentence with its caveat. When the first row is old, undated or
// of low confidence, the first one that is not is named as well.
func (c Comparison) winner(qs []pricing.Quote) []string {
	if len(qs) == 0 {
		return []string{c.Lang.T("compare.none")}
	}
	if !anyPriced(qs) {
		return []string{c.Lang.T("compare.none_priced")}
	}
	if len(c.Query.Sort) > 0 {
		return nil
	}
	best := &qs[0]
	line := c.Lang.T("compare.winner", c.name(best), soldAs(best), price(best.NeedPerHour), best.Currency)
	doubt := c.firstDoubt(best)
	if doubt == "" {
		return []string{line + c.Lang.T("full_stop") + c.caveat(best)}
	}
	line += c.Lang.T("compare.but", doubt)
	for i := range qs {
		if q := &qs[i]; q.NeedPerHour.Known() && c.firstDoubt(q) == "" {
			return []string{line, c.Lang.T("compare.sure", c.name(q), soldAs(q), price(q.NeedPerHour), q.Currency, q.AsOf) + c.caveat(q)}
		}
	}
	return []string{line, c.Lang.T("compare.no_sure")}
}

// price is one amount with the decimals it would have in a column.
func price(a money.Amount) string { return Amount(a, Decimals(a)) }

// firstDoubt is the gravest reason not to budget with a price, or "".
func (c Comparison) firstDoubt(q *pricing.Quote) string {
	for _, code := range []string{pricing.WarnLeft, pricing.WarnIndex, pricing.WarnGPUOnly, pricing.WarnUnavailable, pricing.WarnUndated, pricing.WarnStale, pricing.WarnLow} {
		if q.Has(code) && code == pricing.WarnStale {
			return c.Lang.T("doubt."+code, *q.AgeDays)
		}
		if q.Has(code) {
			return c.Lang.T("doubt." + code)
		}
	}
	return ""
}

func (c Comparison) caveat(q *pricing.Quote) string {
	switch {
	case q.Has(pricing.WarnSpotDearer):
		return c.sentences("", c.Lang.T("caveat.spot_dearer"))
	case q.Samples != nil:
		return c.sentences("", c.Lang.T("caveat.listings", *q.Samples))
	case q.Kind == "marketplace":
		return c.sentences("", c.Lang.T("caveat.marketplace"))
	case q.Has(pricing.WarnRange):
		return c.sentences("", c.Lang.T("caveat.range", price(q.PerGPUHourLow), price(q.PerGPUHourHigh)))
	case q.Purchase == catalog.Spot:
		return c.sentences("", c.Lang.T("caveat.spot"))
	}
	return ""
}

// rest says what is not shown and why, and the next command to try.
func (c Comparison) rest(notShown string) []string {
	out := []string{c.basis()}
	if notShown != "" {
		out[0] = c.sentences(out[0], notShown)
	}
	priced, unpriced := c.sellers()
	if len(unpriced) > 0 && len(priced) > 0 {
		out = append(out, c.noPrice(few(c.Lang, unpriced, 3)))
	}
	aside, dropped := c.reasons()
	if aside != "" {
		out = append(out, aside)
	}
	if dropped != "" {
		out = append(out, dropped)
	}
	return append(out, c.next())
}

// sellers lists who has a price, and who has offers but no price, each once and
// in the order of the ranking.
func (c Comparison) sellers() (priced, unpriced []string) {
	const has = 1
	seen := map[string]int{}
	for _, known := range []bool{true, false} {
		for i := range c.Result.Quotes {
			q := &c.Result.Quotes[i]
			name := c.name(q)
			if q.PerGPUHour.Known() != known || seen[name] == has {
				continue
			}
			seen[name] = has
			if known {
				priced = append(priced, name)
			} else {
				unpriced = append(unpriced, name)
			}
		}
	}
	return priced, unpriced
}

func few(l Lang, names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, l.T("comma"))
	}
	return strings.Join(names[:n], l.T("comma")) + l.T("and_more", len(names)-n)
}

// reasons counts why rows are not ranked: what was put aside and --all-quotes
// brings back, and what the limits that were asked for leave out.
func (c Comparison) reasons() (aside, dropped string) {
	var back, gone []pricing.LeftOut
	for _, l := range c.Result.LeftOut {
		switch l.Code {
		case "max_price", "max_age", "memory", "no_price", "where_unknown":
			gone = append(gone, l)
		default:
			back = append(back, l)
		}
	}
	if len(back) > 0 {
		aside = c.Lang.T("compare.aside", len(back), Reasons(c.Lang, back))
	}
	if len(gone) > 0 {
		dropped = c.Lang.T("compare.dropped", len(gone), Reasons(c.Lang, gone))
	}
	return aside, dropped
}

// Reasons counts why rows were left out, in words, most frequent first.
func Reasons(l Lang, out []pricing.LeftOut) string {
	counts := map[string]int{}
	for _, o := range out {
		counts[o.Code]++
	}
	codes := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	var words []string
	for _, code := range codes {
		words = append(words, fmt.Sprintf("%d %s", counts[code], l.T("aside."+code)))
	}
	return strings.Join(words, l.T("comma"))
}

// noPrice names sellers without a price of what was asked for.
func (c Comparison) noPrice(who string) string {
	if c.Work != nil {
		return c.Lang.T("work.no_price", who)
	}
	return c.Lang.T("compare.no_price", c.purchaseWords(), who)
}

// gpuWord is the GPU as it can be typed again.
func (c Comparison) gpuWord() string {
	gpu := c.GPUText
	if qs := c.Result.Quotes; gpu == "" && len(qs) > 0 {
		gpu = qs[0].GPU
	}
	if strings.ContainsAny(gpu, " :,") {
		gpu = `"` + gpu + `"`
	}
	return gpu
}

func (c Comparison) next() string {
	gpu := c.gpuWord()
	if c.Work != nil {
		return c.Lang.T("work.next", gpu, plainHours(c.Work.Hours))
	}
	spot := len(c.Query.Purchases) == 1 && c.Query.Purchases[0] == catalog.Spot
	if spot {
		return c.Lang.T("compare.next_on_demand", gpu)
	}
	return c.Lang.T("compare.next_spot", gpu)
}

func (c Comparison) groupScreen() Screen {
	t := Table{Columns: []Column{
		{Key: "key", Head: c.Lang.T("col." + c.GroupBy), Flex: true},
		{Key: "offers", Head: c.Lang.T("col.offers"), Right: true},
		{Key: "providers", Head: c.Lang.T("col.providers"), Right: true, Priority: 2},
		{Key: "low", Head: c.Lang.T("col.from"), Right: true},
		{Key: "high", Head: c.Lang.T("col.to"), Right: true},
		{Key: "best", Head: c.Lang.T("col.best"), Flex: true},
		{Key: "you_pay", Head: c.Lang.T("col.you_pay"), Right: true},
		{Key: "as_of", Head: c.Lang.T("col.as_of")},
	}}
	notes := &Notes{}
	var low, high, pay []money.Amount
	for i := range c.Groups {
		low, high, pay = append(low, c.Groups[i].PerGPUHourLow), append(high, c.Groups[i].PerGPUHourHi), append(pay, c.Groups[i].Best.NeedPerHour)
	}
	lows, highs, pays := MoneyColumn(low), MoneyColumn(high), MoneyColumn(pay)
	for i := range c.Groups {
		g := &c.Groups[i]
		key := g.Key
		if key == "" {
			key = c.Lang.T("compare.not_stated")
		}
		t.Rows = append(t.Rows, []Cell{
			Text(key), Num(fmt.Sprint(g.Priced)), Num(fmt.Sprint(g.Providers)), lows[i], highs[i], Text(brief(c.name(g.Best))), pays[i],
			Text(asOf(c.Lang, g.Best)).Noted(c.marks(g.Best, notes)),
		})
	}
	s := Screen{Title: "gpucost compare", Blocks: []Block{Lines{Tone: Strong, Text: []string{c.headline()}}}}
	if len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t)
	}
	more := ""
	if c.moreGroups > 0 {
		more = c.Lang.T("compare.more_groups", c.moreGroups)
	}
	s.Blocks = append(s.Blocks, *notes, Say(c.rest(more)...))
	return s
}
