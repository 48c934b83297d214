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

// headline is one line: the name, the method and the amount of work.
func (e Estimation) headline() string {
	s := e.Answer.Scenario
	l := e.Lang
	name := s.Name
	if l == ZH && s.NameZH != "" {
		name = s.NameZH
	}
	if name == "" {
		name = strings.TrimSpace(l.T("est.kind."+string(s.Kind)) + " " + s.Model)
	}
	parts := append([]string{name}, e.workload()...)
	if s.Stated("deadline") {
		parts = append(parts, l.T("est.deadline", Hours(s.Deadline.V, l)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

func (e Estimation) workload() []string {
	s, l := e.Answer.Scenario, e.Lang
	switch {
	case s.Kind == estimate.KindTrain && s.Train != nil:
		return e.training(s.Train)
	case s.Kind == estimate.KindServe && s.Serve != nil:
		w := s.Serve
		switch {
		case w.RequestsPerDay.V > 0:
			return []string{l.T("est.requests_day", Compact(w.RequestsPerDay.V)), e.lengths(w.InputTokens.V, w.OutputTokens.V)}
		case w.RequestsPerS.V > 0:
			return []string{l.T("est.requests_s", Compact(w.RequestsPerS.V)), e.lengths(w.InputTokens.V, w.OutputTokens.V)}
		case w.TokensPerMonth.V > 0:
			return []string{l.T("est.tokens_month", Compact(w.TokensPerMonth.V))}
		}
	case s.Kind == estimate.KindBatch && s.Batch != nil:
		w := s.Batch
		runs := l.T("est.runs", Compact(max(w.RunsPerMonth.V, 0)))
		if w.RunsPerMonth.V == 0 {
			runs = l.T("est.one_run")
		}
		switch {
		case w.AudioHours.V > 0:
			return []string{l.T("est.audio", Compact(w.AudioHours.V)), runs}
		case w.Requests.V > 0:
			return []string{l.T("est.requests", Compact(w.Requests.V)), e.lengths(w.InputTokens.V, w.OutputTokens.V), runs}
		case w.Tokens.V > 0:
			return []string{l.T("est.tokens", Compact(w.Tokens.V)), runs}
		}
	case s.Kind == estimate.KindRent && s.Rent != nil:
		w := s.Rent
		switch {
		case w.HoursPerDay.V > 0:
			return []string{l.T("est.sessions", Compact(w.HoursPerDay.V), Compact(w.DaysPerMonth.V))}
		case w.Hours.V > 0:
			return []string{Hours(w.Hours.V, l)}
		case w.Years.V > 0:
			return []string{l.T("est.years", Compact(w.Years.V))}
		case w.Months.V > 0:
			return []string{l.T("est.months", Compact(w.Months.V))}
		case w.GPUHours.V > 0:
			return []string{l.T("est.gpu_hours", Compact(w.GPUHours.V))}
		}
	}
	return nil
}

func (e Estimation) training(w *estimate.TrainWork) []string {
	l := e.Lang
	method := l.T("est.method." + w.Method)
	if w.Method == "" {
		method = ""
	}
	if w.LoRARank.V > 0 && method != "" {
		method += fmt.Sprintf(" r%.0f", w.LoRARank.V)
	}
	if w.Precision != "" && method != "" {
		method += ", " + w.Precision
	}
	work := ""
	switch {
	case w.GPUHours.V > 0:
		work = l.T("est.gpu_hours", Compact(w.GPUHours.V))
	case w.Hours.V > 0:
		work = Hours(w.Hours.V, l)
	case w.Samples.V > 0:
		work = l.T("est.samples", Compact(w.Samples.V))
	default:
		work = l.T("est.tokens", Compact(w.Tokens.V))
	}
	if w.Epochs.V > 1 {
		work += l.T("est.epochs", Compact(w.Epochs.V))
	}
	switch {
	case w.RunsPerMonth.V == 0 || w.RunsPerMonth.V == 1:
		work += l.T("est.comma_run")
	default:
		work += l.T("est.comma_runs", Compact(w.RunsPerMonth.V))
	}
	return []string{method, work}
}

func (e Estimation) lengths(in, out float64) string {
	if in == 0 || out == 0 {
		return ""
	}
	return e.Lang.T("est.lengths", Compact(in), Compact(out))
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
		cols = append(cols, Column{Key: "per_mtok", Head: l.T("est.col.per_mtok"), Right: true, Priority: 1})
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
		runs, months, perM, perGPU = append(runs, x.Cost.Mid), append(months, x.Monthly.Low), append(perM, x.PerMTok.Mid), append(perGPU, x.PerGPUHour)
	}
	dr, dm, dp := coarse(runs), coarse(months), Decimals(perM...)
	gpuHour := MoneyColumn(perGPU)
	for i, x := range shown {
		row := []Cell{Num(fmt.Sprint(x.Rank)), Text(e.name(x)), Text(hardware(x)), Text(e.bought(x))}
		switch {
		case serve:
			row = append(row, Num(Amount(x.PerMTok.Mid, dp)))
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
	return Num(HoursWithRange(t.Low, t.Mid, t.High, l))
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
		low, _ := w.Args[0].(money.Amount)
		high, _ := w.Args[1].(money.Amount)
		return e.Lang.T("note."+w.Code, low.Round(2), high.Round(2))
	}
	return e.doubt(w)
}

// grave are the doubts that keep a row from being the answer without a word.
var grave = []string{pricing.WarnLeft, pricing.WarnIndex, pricing.WarnGPUOnly, pricing.WarnUnavailable, pricing.WarnUndated, pricing.WarnStale, pricing.WarnLow, pricing.WarnSize, estimate.WarnUnmeasured, estimate.WarnHost}

func (e Estimation) firstDoubt(x *estimate.Estimate) string {
	for _, code := range grave {
		if !x.Has(code) {
			continue
		}
		if code == pricing.WarnStale && x.AgeDays != nil {
			return e.Lang.T("doubt."+code, *x.AgeDays)
		}
		return e.Lang.T("doubt." + code)
	}
	return ""
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

// below is what stands under the table.
func (e Estimation) below(shown []*estimate.Estimate, more int) []string {
	x := &e.Answer.Estimates[0]
	out := []string{e.parts(x), e.sure(x), e.flip()}
	out = append(out, e.misfits(3)...)
	out = append(out, e.assumed(x))
	if x.After12 != nil {
		out = append(out, e.Lang.T("est.later", Number(x.After12.Demand, 2), x.After12.Instances, Coded(x.After12.Monthly, coarse([]money.Amount{x.After12.Monthly}))))
	}
	if d := e.notCounted(x); d != "" {
		out = append(out, d)
	}
	for _, r := range Rates(e.Answer.Rates) {
		if !converted(shown) {
			break
		}
		out = append(out, e.Lang.T("compare.rate", r.Rate, r.Quote, r.Base, rateOrigin(r)))
	}
	if more > 0 {
		out = append(out, e.Lang.T("est.more", more))
	}
	out = append(out, e.Over...)
	return append(slices.DeleteFunc(out, func(s string) bool { return s == "" }), e.next(x))
}

// converted reports a price or a cost that was stated in another currency.
func converted(shown []*estimate.Estimate) bool {
	return slices.ContainsFunc(shown, func(x *estimate.Estimate) bool {
		n := x.Quote().Native
		return n != nil && n.Currency != x.Currency || slices.ContainsFunc(x.Lines, func(l estimate.Line) bool { return l.Native != nil && l.Native.Currency != x.Currency })
	})
}

// parts says where the money of the best goes, largest first.
func (e Estimation) parts(x *estimate.Estimate) string {
	total := float64(x.Cost.Mid.Nano())
	if total <= 0 {
		return ""
	}
	lines := slices.Clone(x.Lines)
	slices.SortStableFunc(lines, func(a, b estimate.Line) int { return b.Cost.Mid.Cmp(a.Cost.Mid) })
	var out []string
	for _, l := range lines {
		if share := float64(l.Cost.Mid.Nano()) / total; share >= 0.005 && len(out) < 5 {
			out = append(out, e.component(l)+" "+Share(share, 0))
		}
	}
	return e.Lang.T("est.parts", strings.Join(out, e.Lang.T("est.sep")))
}

func (e Estimation) component(l estimate.Line) string {
	if l.Component == estimate.CompOther {
		return l.Basis
	}
	key := "est.comp." + l.Component
	if text := e.Lang.T(key); text != key {
		return text
	}
	return l.Component
}

// sure says how far the numbers can be trusted.
func (e Estimation) sure(x *estimate.Estimate) string {
	l := e.Lang
	var out []string
	if t := x.Throughput.PerGPU; t != nil && t.Mid > 0 && t.Low < t.Mid {
		out = append(out, l.T("est.sure.rate."+x.Class, fmt.Sprintf("−%s/+%s", Share(1-t.Low/t.Mid, 0), Share(t.High/t.Mid-1, 0))))
	}
	switch {
	case x.AgeDays != nil:
		out = append(out, l.T("est.sure.age", Age(*x.AgeDays, l)))
	case x.AsOf == catalog.UnknownDate && x.Source != "scenario":
		out = append(out, l.T("est.sure.undated"))
	}
	if x.WidestDoubt != "" {
		out = append(out, l.T("est.sure.widest", l.T("est.widest."+x.WidestDoubt)))
	}
	if len(out) == 0 {
		return ""
	}
	return l.T("est.sure.head", strings.Join(out, l.T("est.semi")))
}

// misfits names the first hardware that cannot do the work, each kind once.
func (e Estimation) misfits(n int) []string {
	l := e.Lang
	var out []string
	for i := range e.Answer.Infeasible {
		x := &e.Answer.Infeasible[i]
		if len(out) == n || x.Name() == "" && n < 4 {
			break
		}
		name, _, _ := strings.Cut(x.Name(), " (")
		out = append(out, l.T("est.misfit", x.GPUs, name, e.why(x)))
	}
	if len(out) == 0 {
		return nil
	}
	line := l.T("est.misfits", strings.Join(out, l.T("est.sep")))
	if more := len(e.Answer.Infeasible) - len(out); more > 0 {
		line += l.T("est.and_more", more)
	}
	lines := []string{line}
	if r := e.Answer.Infeasible[0].Remedies; len(r) > 0 && len(e.Answer.Estimates) == 0 {
		lines = append(lines, l.T("est.remedies", strings.Join(r, l.T("est.or"))))
	}
	return lines
}

func (e Estimation) why(x *estimate.Infeasible) string {
	key := "est.why." + x.Code
	switch text := e.Lang.T(key); {
	case text == key:
		return x.Reason
	case !strings.Contains(text, "%"):
		return text
	case x.Needed == nil || x.Available == nil:
		return x.Reason
	}
	return e.Lang.T(key, Number(*x.Needed, 0), Number(*x.Available, 0))
}

// telling are the defaults worth a line, the most telling first.
var telling = []string{
	"method", "sequence", "precision", "input_tokens", "output_tokens", "peak_factor", "utilisation", "ttft_ms", "tpot_ms", "engine", "recompute", "optimizer", "epochs",
	"micro_batch", "lora_rank", "goodput", "hours_per_day", "kv_precision",
}

// assumed lists the values that nobody stated and that matter most.
func (e Estimation) assumed(x *estimate.Estimate) string {
	var out []string
	for _, want := range telling {
		for _, a := range x.Assumptions {
			_, name, _ := strings.Cut(a.Name, ".")
			if name != want || a.Origin != "default" || len(out) == 5 {
				continue
			}
			value := a.Value
			if n, ok := plainFloat(value); ok && n >= 1000 {
				value = Number(n, 0)
			}
			if a.Unit != "ms" && a.Unit != "h" {
				a.Unit = ""
			}
			out = append(out, strings.TrimSpace(e.Lang.T("est.in."+name)+" "+value+" "+a.Unit))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return e.Lang.T("est.assumed", strings.Join(out, e.Lang.T("est.sep")))
}

func plainFloat(s string) (float64, bool) {
	var x float64
	n, err := fmt.Sscanf(s, "%g", &x)
	return x, n == 1 && err == nil
}

// notCounted says what the sum of the best leaves out.
func (e Estimation) notCounted(x *estimate.Estimate) string {
	var out []string
	for _, w := range x.Warnings {
		switch w.Code {
		case estimate.AdviceShortJob, estimate.AdviceServingSpot, estimate.AdviceFabric, estimate.AdviceBorder, estimate.WarnStandIn, estimate.WarnNeverDone, estimate.WarnOwned, estimate.WarnToZero, estimate.WarnPerToken,
			estimate.WarnInterrupted, estimate.WarnStorage, estimate.WarnOneRun, estimate.WarnAlone, estimate.WarnPublished, estimate.WarnOutlier, estimate.WarnCluster, estimate.WarnLate:
			out = append(out, e.doubt(w))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return e.Lang.T("est.not_counted", strings.Join(out, e.Lang.T("est.semi")))
}

func (e Estimation) next(x *estimate.Estimate) string {
	if e.Command == "" {
		return ""
	}
	if x.Purchase == catalog.Spot {
		return e.Lang.T("est.next_on_demand", e.Command)
	}
	return e.Lang.T("est.next_explain", e.Command)
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
