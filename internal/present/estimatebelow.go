package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

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
