package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
)

// bySource makes the estimate once per source, with its prices alone.
func bySource(r *estimate.Request, c *catalog.Catalog) ([]present.SourceAnswer, error) {
	out := []present.SourceAnswer{}
	for i := range c.Sources {
		one := *r
		one.Explain = false
		one.Query.Selection.Source = c.Sources[i].ID
		answer, err := estimate.Run(&one)
		if err != nil {
			return nil, scenarioFault(err)
		}
		if len(answer.Estimates) > 0 {
			out = append(out, present.SourceAnswer{Source: c.Sources[i].ID, Name: c.Sources[i].Name, Estimates: len(answer.Estimates), Best: &answer.Estimates[0]})
		}
	}
	slices.SortStableFunc(out, func(x, y present.SourceAnswer) int { return x.Best.Monthly.Mid.Cmp(y.Best.Monthly.Mid) })
	return out, nil
}

// budgets compares the cheapest run and the cheapest month with the limits.
func (a *App) budgets(o *estimateOptions, v *present.Estimation) ([]string, error) {
	var over []string
	cheapest := func(of func(*estimate.Estimate) money.Amount) money.Amount {
		var best money.Amount
		for i := range v.Answer.Estimates {
			if m := of(&v.Answer.Estimates[i]); m.Cmp(best) < 0 {
				best = m
			}
		}
		return best
	}
	check := func(flag, text, key string, limit *money.Amount, of func(*estimate.Estimate) money.Amount) error {
		if text == "" {
			return nil
		}
		m, err := a.amount(flag, text, v.Answer.Currency)
		if err != nil {
			return err
		}
		*limit = m
		if best := cheapest(of); best.Known() && best.Cmp(m) > 0 {
			v.Over = append(v.Over, v.Lang.T(key, string(m.Currency())+" "+best.Round(2), m.String()))
			over = append(over, present.EN.T(key, string(m.Currency())+" "+best.Round(2), m.String()))
		}
		return nil
	}
	err := errors.Join(
		check("max-cost", o.maxCost, "est.over_run", &v.Asked.MaxCost, func(e *estimate.Estimate) money.Amount { return e.Cost.Mid }),
		check("max-monthly", o.maxMonthly, "est.over_month", &v.Asked.MaxMonthly, func(e *estimate.Estimate) money.Amount { return e.Monthly.Mid }))
	return over, err
}

// judgeEstimate turns the answer into an exit code.
func judgeEstimate(answer *estimate.Answer, over []string) error {
	if len(answer.Estimates) == 0 {
		f := nothingf("nothing feasible")
		for i := range min(3, len(answer.Infeasible)) {
			x := &answer.Infeasible[i]
			f = f.hint("%dx %s: %s", x.GPUs, x.GPU, x.Reason)
		}
		if len(answer.Infeasible) == 0 {
			return nothingf("no offer matches").leftOut(answer.LeftOut)
		}
		return f
	}
	if len(over) > 0 {
		return checkf("%s", strings.Join(over, " "))
	}
	return nil
}

// typed is what follows gpucost estimate on the command line, for the next
// command; formats and budgets are left out.
func typed(cmd *cobra.Command) string {
	var parts []string
	if cmd.Name() != "estimate" {
		parts = append(parts, cmd.Name())
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "output", "lang", "explain", "no-color", "ascii", "bom", "max-cost", "max-monthly", "top", "purchase":
			return
		}
		values := []string{f.Value.String()}
		if l, ok := f.Value.(pflag.SliceValue); ok {
			values = l.GetSlice()
		}
		for _, v := range values {
			if strings.ContainsAny(v, " '\"*?$&|;<>()") {
				v = "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
			}
			if f.Value.Type() == "bool" {
				parts = append(parts, "--"+f.Name)
				continue
			}
			parts = append(parts, "--"+f.Name+" "+v)
		}
	})
	return strings.Join(parts, " ")
}
