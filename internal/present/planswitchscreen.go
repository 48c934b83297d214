package present

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// screen is what a person sees: the answer, what it turns on, what moving is
// made of, every way in a table, the doubts and the next command.
func (s Switched) screen() Screen {
	l := s.Lang
	whole := s.Estimation
	a := *s.Answer
	a.Scenario = s.Whole
	whole.Answer = &a
	head := whole.headline() + " · " + l.T("switch.left", Share(s.Switch.Left, 1))
	screen := Screen{Title: head, Blocks: []Block{Lines{Tone: Strong, Text: []string{head}}}}
	text := append([]string{"", s.Verdict()}, s.deciding()...)
	if x := s.Switch.Aside; x != nil {
		doubt := s.firstDoubt(x.Estimate)
		if x.Doubt == estimate.DoubtMaker {
			doubt = l.T("switch.other_maker")
		}
		text = append(text, l.T("plan.aside", s.what(x.Estimate), s.costs(x))+l.T("compare.but", doubt))
	}
	if s.Switch.Switches() {
		text = append(text, s.toRun(s.Plan.Chosen)...)
	}
	screen.Blocks = append(screen.Blocks, Say(text...))
	if len(s.ways()) > 0 {
		notes := &Notes{}
		t := s.switchTable(notes)
		screen.Blocks = append(screen.Blocks, t, *notes)
	}
	screen.Blocks = append(screen.Blocks, Say(s.below()...))
	if s.Explain {
		screen.Blocks = append(screen.Blocks, s.explainSwitch())
	}
	return screen
}

// Verdict is the answer in a sentence.
func (s Switched) Verdict() string {
	l, w := s.Lang, s.Switch
	best, stay := w.Best(), w.Stay
	switch {
	case w.Verdict == estimate.VerdictNothing:
		return l.T("switch.verdict.nothing", Hours(w.DeadlineH, l)) + s.whyNot()
	case w.Verdict == estimate.VerdictUnknown:
		return l.T("switch.verdict.unknown", s.seller(w.Current.Provider)) + s.whyNot() + " " + l.T("switch.instead", s.what(best.Estimate), s.costs(best))
	case w.Verdict == estimate.VerdictAlone:
		return l.T("switch.verdict.stay_alone", s.what(stay.Estimate), s.costs(stay))
	case w.Verdict == estimate.VerdictLate:
		f, _ := stay.Finish()
		return l.T("switch.verdict.switch_late", s.what(best.Estimate), s.costs(best), Hours(f, l), Hours(w.DeadlineH, l))
	case w.Verdict == estimate.VerdictSwitch:
		return l.T("switch.verdict.switch", s.what(best.Estimate), s.ranged(best.Saving), s.ranged(best.Moving), s.costs(best), s.costs(stay))
	case best.Saving.Mid.Sign() < 0:
		r := best.Saving
		return l.T("switch.verdict."+w.Verdict, s.what(stay.Estimate), s.costs(stay)) + " " + l.T("switch.loses", s.what(best.Estimate), s.ranged(money.Range{Low: r.High.Neg(), Mid: r.Mid.Neg(), High: r.Low.Neg()}))
	}
	return l.T("switch.verdict."+w.Verdict, s.what(stay.Estimate), s.costs(stay)) + " " + l.T("switch.too_little", s.what(best.Estimate), s.ranged(best.Saving), s.coded(w.Need))
}

// whyNot is why staying has no cost: no price, or machines that cannot do it.
func (s Switched) whyNot() string {
	w := s.Switch
	switch {
	case w.Stay != nil:
		return ""
	case w.WholeH == 0:
		return " " + s.Lang.T("switch.cannot")
	case w.Price == estimate.PriceOld, w.Price == estimate.PriceNoOffer:
		return " " + s.Lang.T("switch.no_price", string(w.Current.Purchase), w.Current.AsOf)
	}
	return ""
}

func (s Switched) coded(a money.Amount) string {
	return string(a.Currency()) + " " + Amount(a, coarse([]money.Amount{a}))
}

func (s Switched) ranged(r money.Range) string {
	return string(r.Mid.Currency()) + " " + AmountWithRange(r, coarse([]money.Amount{r.Mid}))
}

// costs is what a way costs from now on and when it is done.
func (s Switched) costs(w *estimate.Way) string {
	text := s.ranged(w.Cost)
	if f, ok := w.Finish(); ok {
		text += s.Lang.T("plan.done", Hours(f, s.Lang))
	}
	return text
}

// deciding is what the answer turns on.
func (s Switched) deciding() []string {
	l, w := s.Lang, s.Switch
	best := w.Best()
	if best == nil || w.Stay == nil {
		return nil
	}
	var out []string
	switch {
	case w.Price == estimate.PriceCommitted:
	case w.BreakEven == nil:
		out = append(out, l.T("switch.never", Hours(w.LeftH, l)))
	case *w.BreakEven <= 0:
		out = append(out, l.T("switch.always", Hours(w.LeftH, l)))
	default:
		out = append(out, l.T("switch.even", Hours(*w.BreakEven, l), Hours(w.LeftH, l), s.coded(w.Need)))
	}
	if best.Saving.Mid.Sign() > 0 && best.Saving.Low.Sign() < 0 {
		out = append(out, l.T("switch.low", s.coded(best.Saving.Low.Neg())))
	}
	if f := s.turns(); f != "" && w.Verdict != estimate.VerdictLate {
		out = append(out, f)
	}
	var parts []string
	for _, p := range best.MovingLines() {
		if p.Cost.High.IsZero() {
			continue
		}
		d := coarse([]money.Amount{best.Moving.Mid})
		cost := Amount(p.Cost.Mid, d)
		if p.Cost.Mid.IsZero() {
			cost = AmountWithRange(p.Cost, d)
		}
		parts = append(parts, l.T("switch.part", s.part(p), cost))
	}
	if len(parts) > 0 {
		out = append(out, l.T("switch.move", s.what(best.Estimate), s.ranged(best.Moving), strings.Join(parts, l.T("est.semi")), Hours(best.MoveHours.Mid, l)))
	}
	return out
}

// part is what a line of the moving is called.
func (s Switched) part(line estimate.Line) string {
	if text := s.Lang.T("switch.comp." + line.Component); text != "switch.comp."+line.Component {
		return text
	}
	return s.component(line)
}

// farFlip is from where on a change is not worth a word on the screen: percent,
// and an amount a GB.
var farFlip = map[string]float64{estimate.FlipThere: 300, estimate.FlipHere: 300, estimate.FlipEgress: 5}

// turns is which change of one price would turn the answer.
func (s Switched) turns() string {
	l := s.Lang
	var out []string
	for _, f := range s.Switch.Flips {
		if math.Abs(f.Value) > farFlip[f.By] { // true, and of no use
			continue
		}
		who := s.seller(f.Provider) + ", " + l.T("purchase."+f.Purchase)
		if f.By == estimate.FlipEgress {
			out = append(out, l.T("switch.flip.egress", string(s.Answer.Currency), Number(f.Value, 3)))
			continue
		}
		out = append(out, l.T("switch.flip.price", who, Percent(f.Value, 1)))
	}
	if len(out) == 0 {
		return ""
	}
	return l.T("switch.flip", strings.Join(out, l.T("est.semi")))
}

func (s Switched) switchTable(notes *Notes) Table {
	l := s.Lang
	t := Table{Caption: l.T("switch.table"), Columns: []Column{
		{Key: "option", Head: l.T("switch.col.option")},
		{Key: "finish", Head: l.T("plan.col.finish"), Right: true},
		{Key: "cost", Head: l.T("switch.col.cost", string(s.Answer.Currency)), Right: true},
		{Key: "moving", Head: l.T("switch.col.moving"), Right: true, Priority: 1},
		{Key: "saves", Head: l.T("switch.col.saves"), Right: true},
		{Key: "gpus", Head: l.T("gpus"), Flex: true},
		{Key: "where", Head: l.T("where"), Flex: true},
		{Key: "bought", Head: l.T("bought"), Flex: true},
		{Key: "per_gpu", Head: l.T("per_gpu"), Right: true, Priority: 2},
		{Key: "instance", Head: l.T("instance"), Flex: true, Wide: true, Priority: 3},
		{Key: "region", Head: l.T("region"), Flex: true, Wide: true, Priority: 4},
		{Key: "as_of", Head: l.T("as_of"), Wide: true, Priority: 5},
		{Key: "source", Head: l.T("source"), Flex: true, Wide: true, Priority: 6},
	}}
	var costs, saves, perGPU []money.Amount
	for _, w := range s.ways() {
		costs, saves, perGPU = append(costs, w.Cost.Mid), append(saves, w.Saving.Mid), append(perGPU, w.PerGPUHour)
	}
	d, ds, gpuHour := coarse(costs), coarse(saves), MoneyColumn(perGPU)
	for i, w := range s.ways() {
		f, _ := w.Finish()
		option := l.T("switch.move_to")
		if w == s.Switch.Stay {
			option = l.T("switch.stay")
		}
		mark := s.marks(w.Estimate, notes)
		if w.Estimate == s.Plan.Chosen {
			mark += notes.Mark(l.T("switch.this"))
		}
		if w == s.Switch.Stay && (s.Switch.Price == estimate.PriceOld || s.Switch.Price == estimate.PriceNoOffer) {
			mark += notes.Mark(l.T("switch.old", s.Switch.Current.AsOf))
		}
		t.Rows = append(t.Rows, []Cell{
			Text(option).Noted(mark), Text(Hours(f, l)), Num(Amount(w.Cost.Mid, d)), amountOrDash(w.Moving.Mid, d), amountOrDash(w.Saving.Mid, ds),
			Text(hardware(w.Estimate)), Text(s.name(w.Estimate)), Text(s.bought(w.Estimate)), gpuHour[i], Text(w.Instance), Text(w.Region), Text(w.AsOf), Text(w.Source),
		})
	}
	return t
}

// amountOrDash is an amount that a row may do without.
func amountOrDash(a money.Amount, decimals int) Cell {
	if !a.Known() {
		return Text("–")
	}
	return Num(Amount(a, decimals))
}

// below is what to know about the answer, and the next command.
func (s Switched) below() []string {
	l := s.Lang
	var out []string
	for _, w := range s.warnings() {
		if text := l.T("switch.warn." + w.Code); text != "switch.warn."+w.Code && w.Code != "may_lose" && w.Code != "committed" {
			out = append(out, w.Message)
		}
	}
	for _, r := range Rates(s.Answer.Rates) {
		if s.Plan.Chosen != nil && converted([]*estimate.Estimate{s.Plan.Chosen}) {
			out = append(out, l.T("compare.rate", r.Rate, r.Quote, r.Base, rateOrigin(r)))
		}
	}
	if s.Switch.Switches() && s.runnable(s.Plan.Chosen) {
		out = append(out, l.T("plan.next", s.Command))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// explainSwitch shows how the saving came about, then the plan for the rest.
func (s Switched) explainSwitch() Explain {
	l, w := s.Lang, s.Switch
	out := Explain{}
	if b := w.Best(); b != nil && w.Stay != nil {
		cur := string(b.Currency)
		out = append(out, Explanation{
			Name: l.T("switch.explain.saving"), Value: exact(b.Saving.Mid) + " (" + b.Saving.Low.Round(2) + "–" + b.Saving.High.Round(2) + ")", Formula: l.T("switch.explain.saving_f"), Symbols: "stay - (rest + moving)",
			Inputs: []Input{
				{Name: l.T("switch.stay"), Value: w.Stay.Cost.Mid.String(), Unit: cur, Origin: "estimate"},
				{Name: l.T("switch.explain.total"), Value: b.Cost.Mid.String(), Unit: cur, Origin: "estimate"},
				{Name: l.T("switch.col.moving"), Value: b.Moving.Mid.String(), Unit: cur, Origin: "estimate"},
				{Name: l.T("switch.explain.need"), Value: w.Need.String(), Unit: cur, Origin: w.NeedFrom},
			},
		})
		if w.BreakEven != nil {
			out = append(out, Explanation{
				Name: l.T("switch.explain.even"), Value: fmt.Sprintf("%.6g h", *w.BreakEven), Formula: l.T("switch.explain.even_f"), Symbols: "moving / (stay per hour - rest per hour - min_saving per hour)",
				Inputs: []Input{{Name: l.T("switch.explain.hours"), Value: fmt.Sprintf("%.6g", w.LeftH), Unit: "h", Origin: "estimate"}},
			})
		}
		for _, p := range b.MovingLines() {
			e := s.explainLine(b.Estimate, p)
			e.Name = s.part(p)
			out = append(out, e)
		}
	}
	if x := w.Stay; x != nil {
		c := s.explainCost(x.Estimate)
		c.Name = l.T("switch.stay")
		out = append(out, c)
	}
	if len(w.Assumed) > 0 {
		in := Explanation{Name: l.T("switch.explain.assumed"), Value: fmt.Sprint(len(w.Assumed)), Formula: l.T("est.explain.inputs_f")}
		for _, a := range w.Assumed {
			in.Inputs = append(in.Inputs, Input{Name: a.Name, Value: a.Value, Unit: a.Unit, Origin: a.Origin, Source: a.Source})
		}
		out = append(out, in)
	}
	if x := s.Plan.Chosen; x != nil && x.Quote() != nil {
		y := *x
		y.Rank = 1
		out = append(out, s.explain([]estimate.Estimate{y})[1:]...) // the first is that of a month
	}
	return out
}
