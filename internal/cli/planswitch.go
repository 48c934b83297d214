package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
)

// withoutCurrent refuses what only a running job has.
func withoutCurrent(o *planOptions) error {
	for _, f := range [][2]string{{"done", o.done}, {"remaining", o.remaining}, {"min-saving", o.minSaving}} {
		if f[1] != "" {
			return usagef("--%s %q: goes with --current PLAN.json only", f[0], f[1]).hint("save the plan when the job is started: gpucost plan --scenario ... -o json > PLAN.json")
		}
	}
	return nil
}

// planSwitch says whether the job that runs by a saved plan should move.
func (a *App) planSwitch(cmd *cobra.Command, o *planOptions, r *estimate.Request) error {
	m, err := a.moving(cmd, o, r.Query.Exchange.To)
	if err != nil {
		return err
	}
	s, err := estimate.MakeSwitch(r, m)
	if err != nil {
		return switchFault(err, o)
	}
	view := present.Switched{Planned: a.planned(cmd, o, r, s.Plan), Switch: s, Whole: r.Scenario}
	if engine := a.settings.get("output"); slices.Contains(present.Engines(), engine) {
		if s.Switches() {
			if err := a.handOver(engine, &view.Planned, o, r.Catalog); err != nil {
				return err
			}
			return judgeSwitch(&view)
		}
		if err := judgeSwitch(&view); err != nil {
			return err
		}
		_, err := fmt.Fprintln(a.Stderr, view.Lang.T("switch.note.stays", view.Verdict()))
		return err
	}
	if err := a.showPlan(view.Doc()); err != nil {
		return err
	}
	return judgeSwitch(&view)
}

// moving is the question about the running job.
func (a *App) moving(cmd *cobra.Command, o *planOptions, cur money.Currency) (*estimate.Moving, error) {
	if o.budget != "" || o.fastest {
		return nil, usagef("--budget and --fastest are about a plan from the start: not with --current")
	}
	b, err := a.read(o.current)
	if err != nil {
		return nil, err
	}
	c, ps := estimate.ReadCurrent(display(o.current), b)
	if ps.Err() != nil {
		return nil, problemFault(ps)
	}
	m := &estimate.Moving{Current: c, FromNow: cmd.Flags().Changed("deadline"), Least: estimate.LeastSave{Share: estimate.DefaultLeastShare, Default: true}}
	var done estimate.Share
	var left estimate.Hours
	switch {
	case o.done != "" && o.remaining != "":
		return nil, usagef("--done and --remaining say the same in two ways: state one")
	case o.done != "":
		if err := done.UnmarshalText([]byte(o.done)); err != nil {
			return nil, usagef("--done: %v", err)
		}
		if done.V > 1-1e-9 {
			return nil, usagef("--done %q: nothing is left to move", o.done)
		}
	case o.remaining != "":
		if err := left.UnmarshalText([]byte(o.remaining)); err != nil {
			return nil, usagef("--remaining: %v", err)
		}
		if left.V < 1e-6 || left.V > 1e5 {
			return nil, usagef("--remaining %q: want hours above 0 and up to 100000", o.remaining)
		}
	}
	m.Done, m.Remaining = done.V, left.V
	if o.minSaving == "" {
		return m, nil
	}
	m.Least = estimate.LeastSave{}
	if strings.HasSuffix(o.minSaving, "%") {
		var share estimate.Share
		if err := share.UnmarshalText([]byte(o.minSaving)); err != nil {
			return nil, usagef("--min-saving: %v", err)
		}
		m.Least.Share = share.V
		return m, nil
	}
	m.Least.Amount, err = a.amount("min-saving", o.minSaving, cur)
	if err == nil && m.Least.Amount.Sign() < 0 {
		err = usagef("--min-saving %q: want at least 0", o.minSaving)
	}
	return m, err
}

// switchFault gives the errors of the question their hints.
func switchFault(err error, o *planOptions) error {
	var refused *estimate.RefusedError
	switch {
	case errors.Is(err, estimate.ErrNotMovable):
		return usagef("--current: %v", err)
	case errors.As(err, &refused):
		return usagef("--remaining %q: %v", o.remaining, refused).hint("--done 40%%")
	}
	return scenarioFault(err)
}

// judgeSwitch turns the answer into an exit code.
func judgeSwitch(view *present.Switched) error {
	en := *view
	en.Lang = present.EN
	switch s := view.Switch; {
	case s.Switches():
		return checkf("%s", strings.TrimSuffix(en.Verdict(), "."))
	case s.Verdict == estimate.VerdictUnknown:
		return nothingf("%s", strings.TrimSuffix(en.Verdict(), ".")).hint("look again with prices of today: gpucost prices refresh, then --store")
	case s.Verdict == estimate.VerdictNothing:
		return nothingf("%s", strings.TrimSuffix(en.Verdict(), "."))
	}
	return nil
}
