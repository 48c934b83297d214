package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// estimateRows is how many rows a screen shows when nobody says.
const estimateRows = 10

// screen is what a person sees: what was asked, the best with its doubts, the
// rows, where the money goes, how sure that is, what does not fit, what was
// assumed, and the next command.
func (e Estimation) screen(all []estimate.Estimate) Screen {
	head := e.headline()
	s := Screen{Title: head, Blocks: []Block{Lines{Tone: Strong, Text: []string{head}}}}
	if len(e.Answer.Estimates) == 0 {
		s.Blocks = append(s.Blocks, Say(e.Lang.T("est.none")), Say(e.misfits(6)...))
		return s
	}
	if e.Sources != nil {
		s.Blocks = append(s.Blocks, e.sourceTable())
		return s
	}
	shown, more := e.rows(all)
	notes := &Notes{}
	t := e.table(shown, notes)
	s.Blocks = append(s.Blocks, Say(append([]string{""}, e.best()...)...), t, *notes, Say(e.below(shown, more)...))
	return s
}

// rows picks what a screen shows: the best of each seller, GPU and way of
// buying, unless a number of rows was asked for.
func (e Estimation) rows(all []estimate.Estimate) (shown []*estimate.Estimate, more int) {
	seen := map[[3]string]bool{}
	for i := range all {
		x := &all[i]
		key := [3]string{x.Provider, x.GPU, string(x.Purchase)}
		if len(e.Answer.Scenario.Offers) > 0 {
			key[0] += x.Host
		}
		if e.Top < 0 && (seen[key] || len(shown) >= estimateRows) {
			more++
			continue
		}
		seen[key] = true
		shown = append(shown, x)
	}
	return shown, more + len(e.Answer.Estimates) - len(all)
}

func (e Estimation) table(shown []*estimate.Estimate, notes *Notes) Table {
	l := e.Lang
	serve, rent := e.Answer.Scenario.Kind == estimate.KindServe, e.Answer.Scenario.Kind == estimate.KindRent
	cols := []Column{
		{Key: "rank", Head: "#", Right: true},
		{Key: "where", Head: l.T("where"), Flex: true},
		{Key: "gpus", Head: l.T("gpus"), Flex: true},
		{Key: "bought", Head: l.T("bought"), Flex: true},
	}
	switch {
	case serve:
		cols = append(cols, Column{Key: "per_unit", Head: l.T("est.col.per_mtok"), Right: true, Priority: 1})
		if e.Answer.Unit == "images" {
			cols[len(cols)-1].Head = l.T("est.col.per_1k_images")
		}
	case rent:
		cols = append(cols, Column{Key: "in_all", Head: l.T("est.col.in_all"), Right: true, Priority: 1})
	default:
		cols = append(cols, Column{Key: "hours", Head: l.T("est.col.hours"), Right: true, Priority: 1}, Column{Key: "run", Head: l.T("a_run"), Right: true, Priority: 2})
	}
	cols = append(cols,
		Column{Key: "month", Head: l.T("a_month"), Right: true},
		Column{Key: "region", Head: l.T("region"), Flex: true, Wide: true, Priority: 4},
		Column{Key: "instance", Head: l.T("instance"), Flex: true, Wide: true, Priority: 5},
		Column{Key: "per_gpu", Head: l.T("per_gpu"), Right: true, Wide: true, Priority: 3},
		Column{Key: "as_of", Head: l.T("as_of"), Wide: true, Priority: 6},
		Column{Key: "source", Head: l.T("source"), Flex: true, Wide: true, Priority: 7},
	)
	t := Table{Columns: cols, Caption: e.headline()}
	var runs, months, perM, perGPU []money.Amount
	for _, x := range shown {
		runs, months, perM, perGPU = append(runs, x.Cost.Mid), append(months, x.Monthly.Low), append(perM, perUnit(x)), append(perGPU, x.PerGPUHour)
	}
	dr, dm, dp := coarse(runs), coarse(months), Decimals(perM...)
	gpuHour := MoneyColumn(perGPU)
	for i, x := range shown {
		row := []Cell{Num(fmt.Sprint(x.Rank)), Text(e.name(x)), Text(hardware(x)), Text(e.bought(x))}
		switch {
		case serve:
			row = append(row, Num(Amount(perUnit(x), dp)))
		case rent:
			row = append(row, Num(AmountWithRange(x.Cost, dr)))
		default:
			row = append(row, hoursCell(x.Hours, l), Num(Amount(x.Cost.Mid, dr)))
		}
		row = append(row, Num(AmountWithRange(x.Monthly, dm)).Noted(e.marks(x, notes)),
			Text(x.Region), Text(x.Instance), gpuHour[i], Text(x.AsOf), Text(x.Source))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// perUnit is the cost of a million tokens, or of a thousand images.
func perUnit(x *estimate.Estimate) money.Amount {
	if x.PerMTok.Known() {
		return x.PerMTok.Mid
	}
	return x.PerThousand.Mid
}

// coarse is how many decimals estimates are shown with: none from 10 on, since
// they are not known any better.
func coarse(amounts []money.Amount) int {
	if least, ok := smallest(amounts); ok && least >= 10_000_000_000 {
		return 0
	}
	return Decimals(amounts...)
}

func hoursCell(t *estimate.Triple, l Lang) Cell {
	if t == nil {
		return Unknown()
	}
	return Num(briefHours(t, l))
}

// briefHours is a time with its range in two digits: a column of a table has
// no room for more, and nobody knows them.
func briefHours(t *estimate.Triple, l Lang) string {
	key, per := hoursUnit(t.Mid)
	brief := func(h float64) string {
		if h *= per; h >= 10 {
			return Number(h, 0)
		}
		return short(h)
	}
	return l.T(key, withSpan(brief(t.Mid), span(brief(t.Low), brief(t.High))))
}

// marked are the doubts that get a footnote in the table, in this order.
var marked = []string{
	pricing.WarnLeft, pricing.WarnUnreachable, pricing.WarnSpotDearer, pricing.WarnSize, estimate.WarnUnmeasured, estimate.WarnImageWork, estimate.WarnNetwork, estimate.WarnHost,
	estimate.WarnCluster, estimate.WarnLate, pricing.WarnStale, pricing.WarnUndated, pricing.WarnLow, pricing.WarnConflict, pricing.WarnRange, estimate.WarnVariant,
	estimate.WarnOutlier, pricing.WarnOverride, pricing.WarnNoRate, pricing.WarnTaxIncluded,
}

func (e Estimation) marks(x *estimate.Estimate, notes *Notes) string {
	var out []string
	for _, code := range marked {
		for _, w := range x.Warnings {
			if w.Code == code {
				out = append(out, notes.Mark(e.note(w)))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "")
}

// note is a doubt as a footnote: without the figures that differ from row to
// row.
func (e Estimation) note(w estimate.Warning) string {
	key := "est.note." + w.Code
	if text := e.Lang.T(key); text != key {
		return text
	}
	if w.Code == pricing.WarnConflict {
		low, _ := w.Message.Args[0].(money.Amount)
		high, _ := w.Message.Args[1].(money.Amount)
		return e.Lang.T("note."+w.Code, low.Round(2), high.Round(2))
	}
	return e.doubt(w)
}

// firstDoubt is the grave doubt that keeps a row from being the answer without
// a word.
func (e Estimation) firstDoubt(x *estimate.Estimate) string {
	code := x.Grave()
	switch {
	case code == "":
		return ""
	case code == pricing.WarnStale && x.AgeDays != nil:
		return e.Lang.T("doubt."+code, *x.AgeDays)
	}
	return e.Lang.T("doubt." + code)
}

// best is one line, or two: when the first row is in grave doubt, the first
// that is not is named as well.
func (e Estimation) best() []string {
	all := e.Answer.Estimates
	line := e.line("est.best", &all[0])
	doubt := e.firstDoubt(&all[0])
	if doubt == "" || len(e.Answer.Scenario.Offers) > 0 || e.Answer.Scenario.Offer != nil {
		return []string{line}
	}
	line += e.Lang.T("compare.but", doubt)
	for i := range all {
		if e.firstDoubt(&all[i]) == "" {
			return []string{line, e.line("est.sure", &all[i])}
		}
	}
	return []string{line, e.Lang.T("est.no_sure")}
}

func (e Estimation) line(key string, x *estimate.Estimate) string {
	l := e.Lang
	what := hardware(x)
	if what == "" {
		what = e.name(x)
	} else {
		what = l.T("est.at", what, e.name(x), e.bought(x))
	}
	d := coarse([]money.Amount{x.Monthly.Low})
	s := l.T(key, what, string(x.Currency)+" "+AmountWithRange(x.Monthly, d))
	if x.Hours != nil && e.Answer.Runs && e.Answer.Scenario.Kind != estimate.KindRent {
		s += l.T("est.a_run", HoursWithRange(x.Hours.Low, x.Hours.Mid, x.Hours.High, l))
	}
	if !x.PerMTok.Known() || e.Answer.Runs {
		return s
	}
	return s + l.T("est.per_mtok", AmountWithRange(x.PerMTok, Decimals(x.PerMTok.Low)))
}

func (e Estimation) sourceTable() Table {
	l := e.Lang
	t := Table{Caption: e.headline(), Columns: []Column{
		{Key: "source", Head: l.T("source"), Flex: true},
		{Key: "estimates", Head: l.T("est.col.estimates"), Right: true, Priority: 2},
		{Key: "where", Head: l.T("where"), Flex: true},
		{Key: "gpus", Head: l.T("gpus"), Flex: true},
		{Key: "bought", Head: l.T("bought"), Flex: true},
		{Key: "month", Head: l.T("a_month"), Right: true},
		{Key: "as_of", Head: l.T("as_of")},
	}}
	var months []money.Amount
	for _, s := range e.Sources {
		if s.Best != nil {
			months = append(months, s.Best.Monthly.Mid)
		}
	}
	d := coarse(months)
	for _, s := range e.Sources {
		row := []Cell{Text(s.Source), Num(fmt.Sprint(s.Estimates))}
		if b := s.Best; b != nil {
			row = append(row, Text(e.name(b)), Text(hardware(b)), Text(e.bought(b)), Num(AmountWithRange(b.Monthly, d)), Text(b.AsOf))
		} else {
			row = append(row, Text(""), Text(""), Text(""), Unknown(), Text(""))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
