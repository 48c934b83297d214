package cli

import (
	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/present"
)

func (a *App) scenarioCommand() *cobra.Command {
	return group("scenario", "Workload descriptions: list, show, init, check", a.scenarioList(), a.scenarioShow(), a.scenarioInit(), a.scenarioCheck())
}

func (a *App) scenarioList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The built-in scenarios", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.listScenarios() },
	}
}

func (a *App) listScenarios() error {
	l := library()
	var all []*estimate.Scenario
	for _, id := range l.IDs() {
		s, err := l.Scenario(id)
		if err != nil {
			return scenarioFault(err)
		}
		all = append(all, s)
	}
	return a.show(present.ScenarioList(all, a.lang()).Doc())
}

func (a *App) scenarioShow() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME|FILE", Short: "Every value of a scenario and where it comes from", Args: takes(1, 1, "one scenario"),
		ValidArgs: library().IDs(),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.readScenario(args[0])
			if err != nil {
				return err
			}
			return a.show(present.ScenarioDoc(s, args[0], a.lang()))
		},
	}
}

func (a *App) scenarioInit() *cobra.Command {
	return &cobra.Command{
		Use: "init [NAME]", Short: "A scenario file to change, on standard output (default finetune-7b)", Args: takes(0, 1, "at most one scenario"),
		Example: "  gpucost scenario init serve-70b-high > mine.yaml\n  gpucost estimate --scenario mine.yaml", ValidArgs: library().IDs(),
		RunE: func(_ *cobra.Command, args []string) error {
			name := "finetune-7b"
			if len(args) > 0 {
				name = args[0]
			}
			s, err := a.readScenario(name)
			if err != nil {
				return err
			}
			_, err = a.Stdout.Write(s.Text())
			return err
		},
	}
}

func (a *App) scenarioCheck() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE...", Short: "Problems of scenario files, with file, line and column; exit 3 if there are any", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := a.catalog()
			if err != nil {
				return err
			}
			bad := 0
			for _, name := range args {
				report, err := a.checkScenario(name, c)
				if err != nil {
					return err
				}
				if len(report.Problems) > 0 {
					bad++
				}
				if err := a.show(present.CheckDoc(report, a.lang())); err != nil {
					return err
				}
			}
			if bad > 0 {
				return checkf("%d of %d scenarios have problems", bad, len(args))
			}
			return nil
		},
	}
}
