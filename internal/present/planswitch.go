package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

// Switched is the answer of plan for a job that already runs, ready to become a
// Doc. Its Plan is the one for the rest of the work.
type Switched struct {
	Planned
	Switch *estimate.Switch
	Whole  *estimate.Scenario // of which the plan is the rest
}

// Doc makes the answer presentable in every format.
func (s Switched) Doc() Doc {
	d := Doc{Object: s.object(), Records: s.records(), Warnings: s.warnings(), Screen: s.screen()}
	for _, w := range s.ways() {
		d.Rows = append(d.Rows, s.way(w))
	}
	return d
}

// ways are the rows of the answer: staying, where it is known, then moving.
func (s Switched) ways() []*estimate.Way {
	if s.Switch.Stay == nil {
		return s.Switch.Ways
	}
	return append([]*estimate.Way{s.Switch.Stay}, s.Switch.Ways...)
}

// Answer is the answer in a word: switch, stay, unknown or nothing.
func (s Switched) answer() string {
	switch v := s.Switch.Verdict; {
	case s.Switch.Switches():
		return "switch"
	case v == estimate.VerdictUnknown, v == estimate.VerdictNothing:
		return v
	}
	return "stay"
}

func (s Switched) object() object {
	s.Asked.FX = Rates(s.Answer.Rates)
	o := object{
		{"schema_version", 1},
		{"command", "plan"},
		{"scenario", s.Whole},
		{"deadline_hours", positive(s.Switch.DeadlineH)},
		{"budget", nil},
		{"plan", s.planObject()},
		{"frontier", []object{}},
		{"safe", nil},
		{"left_aside", s.aside()},
		{"infeasible", s.Answer.Infeasible},
		{"warnings", s.warnings()},
		{"catalog", s.Catalog},
		{"query", s.Asked},
		{"switch", s.switchObject()},
	}
	if s.Explain {
		o = append(o, pair{"explain", s.explainSwitch()})
	}
	return o
}

func (s Switched) switchObject() object {
	w := s.Switch
	o := object{
		{"answer", s.answer()},
		{"verdict", w.Verdict},
		{"saving", nil},
		{"min_saving", w.Need},
		{"min_saving_from", known(w.NeedFrom)},
		{"break_even_hours", w.BreakEven},
		{"hours_left", positive(w.LeftH)},
		{"share_left", w.Left},
		{"whole_hours", positive(w.WholeH)},
		{"deadline_left_hours", positive(w.DeadlineH)},
		{"current", s.current()},
		{"stay", nil},
		{"moves", []object{}},
		{"flips", w.Flips},
		{"assumptions", w.Assumed},
	}
	set := func(key string, v any) {
		o[slices.IndexFunc(o, func(p pair) bool { return p.key == key })].value = v
	}
	if b := w.Best(); b != nil && w.Stay != nil {
		set("saving", b.Saving)
	}
	if w.Stay != nil {
		set("stay", s.way(w.Stay))
	}
	moves := []object{}
	for _, x := range w.Ways {
		moves = append(moves, s.way(x))
	}
	set("moves", moves)
	if w.Flips == nil {
		set("flips", []estimate.Flip{})
	}
	return o
}

// current is what was planned, and what its price is now.
func (s Switched) current() object {
	c := s.Switch.Current
	o := object{
		{"scenario", known(c.Scenario)},
		{"provider", c.Provider},
		{"instance", c.Instance},
		{"region", c.Region},
		{"gpu", c.GPU},
		{"gpus", c.GPUs},
		{"instances", c.Instances},
		{"purchase", c.Purchase},
		{"term_months", c.TermMonths},
		{"price", s.Switch.Price},
		{"planned_price_per_gpu_hour", c.PerGPUHour},
		{"planned_currency", known(string(c.PerGPUHour.Currency()))},
		{"planned_as_of", known(c.AsOf)},
		{"price_per_gpu_hour", nil},
		{"currency", s.Answer.Currency},
		{"as_of", nil},
	}
	if x := s.Switch.Stay; x != nil && s.Switch.Price == estimate.PriceToday {
		o[13].value, o[15].value = x.PerGPUHour, known(x.AsOf)
	}
	return o
}

// way is a way to do the rest in short, and what moving is made of.
func (s Switched) way(w *estimate.Way) object {
	o := object{{"move", w != s.Switch.Stay}, {"plan", w.Estimate == s.Plan.Chosen}}
	o = append(o, s.point(w.Estimate)...)
	lines := w.MovingLines()
	if lines == nil {
		lines = []estimate.Line{}
	}
	var hours any
	if w != s.Switch.Stay {
		hours = w.MoveHours
	}
	return append(o, pair{"moving", w.Moving}, pair{"moving_hours", hours}, pair{"saving", w.Saving}, pair{"same_provider", w.Same}, pair{"moving_lines", lines})
}

func (s Switched) aside() any {
	x := s.Switch.Aside
	if x == nil {
		return nil
	}
	return append(s.way(x), pair{"doubt", x.Doubt})
}

var switchHeader = strings.Split("option,plan,finish_hours,cost_low,cost_mid,cost_high,moving_low,moving_mid,moving_high,saving_low,saving_mid,saving_high,currency,provider,instance,region,"+
	"gpu,gpus,instances,purchase,term_months,price_per_gpu_hour,as_of,source,confidence,notes,answer,break_even_hours", ",")

func (s Switched) records() Records {
	r := Records{Header: switchHeader}
	even := Unknown()
	if x := s.Switch.BreakEven; x != nil {
		even = Float(*x)
	}
	for _, w := range s.ways() {
		option := "move"
		if w == s.Switch.Stay {
			option = "stay"
		}
		finish := Unknown()
		if f, ok := w.Finish(); ok {
			finish = Float(f)
		}
		r.Rows = append(r.Rows, []Cell{
			Text(option), Text(fmt.Sprint(w.Estimate == s.Plan.Chosen)), finish, Exact(w.Cost.Low), Exact(w.Cost.Mid), Exact(w.Cost.High),
			Exact(w.Moving.Low), Exact(w.Moving.Mid), Exact(w.Moving.High), Exact(w.Saving.Low), Exact(w.Saving.Mid), Exact(w.Saving.High),
			Text(string(w.Currency)), Text(w.Provider), Text(w.Instance), Text(w.Region), Text(w.GPU), Num(fmt.Sprint(w.GPUs)), Num(fmt.Sprint(w.Instances)), Text(string(w.Purchase)), integer(w.TermMonths),
			Exact(w.PerGPUHour), Text(w.AsOf), Text(w.Source), Text(w.Confidence), Text(strings.Join(codes(w.Estimate), " ")), Text(s.answer()), even,
		})
	}
	return r
}

// warnings are the doubts about the answer, and those about its plan.
func (s Switched) warnings() []Warning {
	out := []Warning{}
	l, w, c := s.Lang, s.Switch, s.Switch.Current
	say := func(code string, args ...any) { out = append(out, Warning{code, l.T("switch.warn."+code, args...)}) }
	if w.Done == 0 && w.Remaining == 0 {
		say("all_left")
	}
	if w.Left > 1 {
		say("longer_than_planned", Hours(w.Remaining, l), Hours(w.WholeH, l))
	}
	switch w.Price {
	case estimate.PriceOld, estimate.PriceNoOffer:
		say(w.Price, s.seller(c.Provider), c.AsOf)
	case estimate.PriceCommitted:
		say("committed", s.seller(c.Provider))
	}
	if c.Scenario != "" && s.Whole.ID != "" && c.Scenario != s.Whole.ID {
		say("other_scenario", c.Scenario, s.Whole.ID)
	}
	if b := w.Best(); b != nil {
		if b.Saving.Known() && b.Saving.Low.Sign() < 0 {
			say("may_lose", string(b.Currency)+" "+Amount(b.Saving.Low.Neg(), 2))
		}
		if b.Same && b.Region != c.Region {
			say("between_regions", s.seller(c.Provider))
		}
		if w.NeedFrom == "price_range" {
			say("price_range", string(b.Currency)+" "+Amount(w.Need, 2))
		}
	}
	if slices.ContainsFunc(w.Assumed, func(a estimate.Assumed) bool { return a.Name == "moving.egress_per_gb" && a.Origin == "default" }) {
		say("egress_unknown", s.seller(c.Provider))
	}
	return append(out, s.planWarnings()...)
}

// seller is what a provider is called.
func (s Switched) seller(id string) string {
	n := s.Names[id]
	name := n.EN
	if s.Lang == ZH && n.ZH != "" {
		return n.ZH
	}
	if name, _, _ = strings.Cut(name, " ("); name == "" {
		return id
	}
	return name
}
