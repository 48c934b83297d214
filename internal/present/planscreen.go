package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// planScreen is what a person sees: what was asked, the plan with what it takes
// to run it, what more speed costs, the doubts, and the next command.
func (p Planned) planScreen() Screen {
	l := p.Lang
	head := p.headline()
	if b := p.Plan.Budget; b.Known() {
		head += " · " + l.T("plan.budget", Coded(b, 0))
	}
	s := Screen{Title: head, Blocks: []Block{Lines{Tone: Strong, Text: []string{head}}}}
	x := p.Plan.Chosen
	if x == nil {
		s.Blocks = append(s.Blocks, Say(p.nothing()...))
	} else {
		s.Blocks = append(s.Blocks, Say(append(append([]string{""}, p.verdict(x)...), p.toRun(x)...)...))
	}
	s.Blocks = append(s.Blocks, p.frontierBlocks()...)
	if x == nil {
		return s
	}
	below := []string{p.sure(x), p.notCounted(x)}
	for _, r := range Rates(p.Answer.Rates) {
		if converted(p.points()) {
			below = append(below, l.T("compare.rate", r.Rate, r.Quote, r.Base, rateOrigin(r)))
		}
	}
	if p.runnable(x) {
		below = append(below, l.T("plan.next", p.Command))
	}
	s.Blocks = append(s.Blocks, Say(slices.DeleteFunc(below, func(s string) bool { return s == "" })...))
	if p.Explain {
		s.Blocks = append(s.Blocks, p.explainPlan())
	}
	return s
}

// runnable reports a plan that an engine can run.
func (p Planned) runnable(x *estimate.Estimate) bool {
	return p.Answer.Runs && x.Purchase != catalog.Token && x.GPU != "" && p.Answer.Scenario.Kind != estimate.KindRent
}

// verdict is the plan in a line, and what was left aside for a doubt.
func (p Planned) verdict(x *estimate.Estimate) []string {
	l := p.Lang
	key := "plan.best"
	if p.Plan.Fastest {
		key = "plan.fastest"
	}
	out := []string{l.T(key, p.what(x), p.price(x))}
	if doubt := p.firstDoubt(x); doubt != "" && x.Quote() != nil && x.Source != "scenario" {
		out[0] += l.T("compare.but", doubt)
	}
	if s := p.Plan.Safe; s != nil {
		out = append(out, l.T("plan.safe", p.what(s), p.price(s)))
	}
	if d := p.Plan.Doubtful; d != nil {
		out = append(out, l.T("plan.aside", p.what(d), p.price(d))+l.T("compare.but", p.firstDoubt(d)))
	}
	return out
}

// what is "8x MI300X at Microsoft Azure, spot".
func (p Planned) what(x *estimate.Estimate) string {
	what := hardware(x)
	if what == "" {
		return p.name(x)
	}
	return p.Lang.T("est.at", what, p.name(x), p.bought(x))
}

// price is what the work costs and when it is done. The rest of a run has no
// cost of a month.
func (p Planned) price(x *estimate.Estimate) string {
	l := p.Lang
	d := coarse([]money.Amount{x.Monthly.Low})
	month := l.T("plan.month", string(x.Currency)+" "+AmountWithRange(x.Monthly, d))
	f, ok := x.Finish()
	if !p.Answer.Runs || p.Answer.Scenario.Kind == estimate.KindRent {
		return month
	}
	run := string(x.Currency) + " " + AmountWithRange(x.Cost, coarse([]money.Amount{x.Cost.Low}))
	if x.Monthly.Known() {
		run = l.T("plan.run", run, month)
	}
	if ok {
		run += l.T("plan.done", Hours(f, l))
	}
	return run
}

// toRun is what it takes to run the plan: how the model is divided, when to
// save, whom to ask, and until when.
func (p Planned) toRun(x *estimate.Estimate) []string {
	l := p.Lang
	var out, split []string
	for _, key := range layoutKeys {
		if v := x.Value(key); v != "" {
			split = append(split, l.T("plan.in."+key, v))
		}
	}
	if len(split) > 0 && p.runnable(x) {
		out = append(out, l.T("plan.split", x.GPUs, x.Instances, strings.Join(split, l.T("est.sep"))))
	}
	if every, ok := x.Interval(); ok {
		key := "plan.save"
		if every >= x.Hours.Mid*0.999 || x.Hours.Mid < every*1.001 {
			key = "plan.save_once"
		}
		out = append(out, l.T(key, Hours(every, l), Hours(x.SaveHours(), l)))
	}
	if len(p.Plan.Pool) > 1 {
		var ask []string
		for i, o := range p.Plan.Pool {
			ask = append(ask, l.T("plan.ask_one", i+1, p.name(o), p.bought(o), Amount(o.PerGPUHour, 2)))
		}
		out = append(out, l.T("plan.ask", string(x.Currency), strings.Join(ask, l.T("est.semi"))))
	}
	if h := p.Plan.OnDemandFrom; h > 0 {
		out = append(out, l.T("plan.net", Hours(h, l)))
	}
	return out
}

// nothing says why there is no plan, and what would be one.
func (p Planned) nothing() []string {
	if p.Plan.Nearest() == nil {
		return append([]string{"", p.Lang.T("est.none")}, p.misfits(6)...)
	}
	return append([]string{"", p.Nearest()}, p.misfits(3)...)
}

// Nearest says what comes closest where nothing keeps to the limits; "" where
// the work cannot be done at all.
func (p Planned) Nearest() string {
	l, near := p.Lang, p.Plan.Nearest()
	switch {
	case near == nil:
		return ""
	case p.Plan.InTime(near):
		return l.T("plan.over_budget", Coded(p.Plan.Budget, 0), p.what(near), p.price(near))
	}
	return l.T("plan.too_late", Hours(p.Answer.Scenario.Deadline.V, l), p.what(near), p.price(near))
}

// frontierBlocks are what more speed costs, as a table and as a chart.
func (p Planned) frontierBlocks() []Block {
	if len(p.Plan.Frontier) < 2 {
		return nil
	}
	l := p.Lang
	notes := &Notes{}
	t := p.frontierTable(notes)
	plot := Plot{
		Title: l.T("plan.chart"), Height: 10,
		X: Axis{Label: l.T("plan.axis.hours"), Log: true, Text: func(h float64) string { return Hours(h, l) }},
		Y: Axis{Label: l.T("plan.axis.cost", string(p.Answer.Currency)), Log: true},
	}
	line := Series{Line: true}
	for i, x := range p.Plan.Frontier {
		h, _ := x.Finish()
		cost := float64(x.Cost.Mid.Nano()) / 1e9
		if cost <= 0 || h <= 0 {
			return []Block{Say("", l.T("plan.frontier")), t, *notes}
		}
		line.Points = append(line.Points, Point{X: h, Y: cost, Mark: fmt.Sprint(i + 1)})
	}
	plot.Series = []Series{line}
	return []Block{Say("", l.T("plan.frontier")), t, *notes, plot}
}

func (p Planned) frontierTable(notes *Notes) Table {
	l := p.Lang
	t := Table{Caption: l.T("plan.frontier"), Columns: []Column{
		{Key: "point", Head: "#", Right: true},
		{Key: "finish", Head: l.T("plan.col.finish"), Right: true},
		{Key: "run", Head: l.T("a_run"), Right: true},
		{Key: "month", Head: l.T("a_month"), Right: true, Priority: 1},
		{Key: "gpus", Head: l.T("gpus"), Flex: true},
		{Key: "where", Head: l.T("where"), Flex: true},
		{Key: "bought", Head: l.T("bought"), Flex: true},
		{Key: "hours", Head: l.T("est.col.hours"), Right: true, Wide: true, Priority: 2},
		{Key: "per_gpu", Head: l.T("per_gpu"), Right: true, Wide: true, Priority: 3},
		{Key: "instance", Head: l.T("instance"), Flex: true, Wide: true, Priority: 4},
		{Key: "region", Head: l.T("region"), Flex: true, Wide: true, Priority: 5},
		{Key: "as_of", Head: l.T("as_of"), Wide: true, Priority: 6},
		{Key: "source", Head: l.T("source"), Flex: true, Wide: true, Priority: 7},
	}}
	var runs, months, perGPU []money.Amount
	for _, x := range p.Plan.Frontier {
		runs, months, perGPU = append(runs, x.Cost.Mid), append(months, x.Monthly.Mid), append(perGPU, x.PerGPUHour)
	}
	dr, dm, gpuHour := coarse(runs), coarse(months), MoneyColumn(perGPU)
	for i, x := range p.Plan.Frontier {
		f, _ := x.Finish()
		mark := p.marks(x, notes)
		if x == p.Plan.Chosen {
			mark = notes.Mark(l.T("plan.this")) + mark
		}
		t.Rows = append(t.Rows, []Cell{
			Num(fmt.Sprint(i + 1)).Noted(mark), Text(Hours(f, l)), Num(Amount(x.Cost.Mid, dr)), Num(Amount(x.Monthly.Mid, dm)), Text(hardware(x)), Text(p.name(x)), Text(p.bought(x)),
			hoursCell(x.Hours, l), gpuHour[i], Text(x.Instance), Text(x.Region), Text(x.AsOf), Text(x.Source),
		})
	}
	return t
}
