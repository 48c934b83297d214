package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/present"
)

type planOptions struct {
	estimateOptions
	budget            string
	fastest           bool
	run, image, queue string

	current, done, remaining, minSaving string
}

func (a *App) planCommand() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "The cheapest feasible plan under a deadline or budget; cost against time",
		Long: "Finds the cheapest way to have a workload done within a deadline and a budget: GPU, number, division of\n" +
			"the model, sellers to ask in order, way of buying and checkpoint interval; and what more speed costs.\n" +
			"What is in grave doubt, such as a price older than 90 days, is named and left aside.\n" +
			"-o skypilot, dstack, k8s or slurm writes the plan as a task that the engine runs.\n" +
			"--current says whether a job that runs by a saved plan should move, after what moving costs: exit 3 if so.",
		Example: "  gpucost plan --scenario finetune-70b --deadline 72h\n" +
			"  gpucost plan --scenario finetune-70b --budget 2000 --fastest\n" +
			"  gpucost plan --scenario my.yaml --gpu h100 --market cn --currency CNY\n" +
			"  gpucost plan --scenario finetune-70b --deadline 72h -o skypilot > task.yaml\n" +
			"  gpucost plan --scenario finetune-70b --current PLAN.json --done 40% --store prices.db",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.plan(cmd, &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.scenario, "scenario", "", "name of a scenario or its file; - is stdin")
	f.StringArrayVar(&o.set, "set", nil, "state one value, such as train.tokens=200M (repeatable)")
	for _, s := range everywhere {
		f.String(s.flag, "", s.help)
	}
	f.StringVar(&o.budget, "budget", "", "neither a run nor all runs of a month may cost more")
	f.BoolVar(&o.fastest, "fastest", false, "the fastest plan within the limits, not the cheapest")
	f.StringSliceVar(&o.providers, "provider", nil, "only these providers")
	f.StringVar(&o.market, "market", "", "only this market: intl or cn")
	f.StringSliceVar(&o.regions, "region", nil, "only these regions or countries")
	f.StringSliceVar(&o.purchases, "purchase", nil, "ways of buying: on_demand, spot, reserved, serverless, token, owned (default all that suit the work)")
	f.StringVar(&o.calibration, "calibration", "", "correction from your own runs, see gpucost calibrate (default $GPUCOST_CALIBRATION)")
	f.StringVar(&o.run, "run", "./train.sh", "with -o skypilot, dstack, k8s or slurm: the command that trains")
	f.StringVar(&o.image, "image", "train:latest", "with -o dstack or k8s: the container image")
	f.StringVar(&o.queue, "queue", "", "with -o k8s: the local queue of Kueue (default user-queue); with -o slurm: the partition")
	f.StringVar(&o.current, "current", "", "the plan that a job runs by, as saved with -o json: should it move? Exit 3 if moving pays")
	f.StringVar(&o.done, "done", "", "with --current: share of the work that is done, such as 40% (default none)")
	f.StringVar(&o.remaining, "remaining", "", "with --current, instead of --done: hours of work left on the current machines, such as 30h")
	f.StringVar(&o.minSaving, "min-saving", "", "with --current: what moving must save, an amount or a share of what staying costs (default 5%)")
	f.Bool("bom", false, "begin csv with a byte order mark, for Excel")
	a.flagValues(cmd, map[string]completer{
		"gpu": gpuNames, "provider": providerIDs, "region": regionNames, "market": fixed("intl", "cn"),
		"purchase": fixed("on_demand", "spot", "reserved", "serverless", "token", "owned"), "scenario": fixed(library().IDs()...),
	})
	return cmd
}

func (a *App) plan(cmd *cobra.Command, o *planOptions) error {
	if o.scenario == "" {
		return usagef("state what to plan: --scenario NAME or FILE").hint("gpucost scenario list")
	}
	c, err := a.catalog()
	if err != nil {
		return err
	}
	s, err := a.scenarioOf(cmd, &o.estimateOptions, "", c)
	if err != nil {
		return err
	}
	r, err := a.request(&o.estimateOptions, s, c)
	if err != nil {
		return err
	}
	if o.current != "" {
		return a.planSwitch(cmd, o, r)
	}
	if err := withoutCurrent(o); err != nil {
		return err
	}
	limits := estimate.Limits{Fastest: o.fastest}
	if o.budget != "" {
		if limits.Budget, err = a.amount("budget", o.budget, r.Query.Exchange.To); err != nil {
			return err
		}
	}
	p, err := estimate.MakePlan(r, limits)
	if err != nil {
		return scenarioFault(err)
	}
	view := a.planned(cmd, o, r, p)
	if engine := a.settings.get("output"); slices.Contains(present.Engines(), engine) {
		return a.handOver(engine, &view, o, c)
	}
	if err := a.showPlan(view.Doc()); err != nil {
		return err
	}
	return judgePlan(&view)
}

// planned is the plan ready to be shown.
func (a *App) planned(cmd *cobra.Command, o *planOptions, r *estimate.Request, p *estimate.Plan) present.Planned {
	return present.Planned{Plan: p, Estimation: present.Estimation{
		Answer: p.Answer, Asked: a.askedEstimate(&o.estimateOptions, &r.Query), Catalog: a.stamp(r.Catalog), Explain: r.Explain, Names: providerNames(r.Catalog), Lang: a.lang(), Command: typed(cmd),
	}}
}

// showPlan shows an answer; an unknown format is told of the tasks.
func (a *App) showPlan(d present.Doc) error {
	err := a.show(d)
	if f, ok := errors.AsType[*fault](err); ok && f.code == "usage" {
		return f.hint("plan also writes tasks: -o skypilot, dstack, k8s or slurm")
	}
	return err
}

// handOver writes the plan as a task of an engine.
func (a *App) handOver(engine string, view *present.Planned, o *planOptions, c *catalog.Catalog) error {
	if err := judgePlan(view); err != nil {
		return err
	}
	task := present.Task{Planned: *view, Run: o.run, Image: o.image, Queue: o.queue}
	for i := range c.GPUs {
		if c.GPUs[i].ID == view.Plan.Chosen.GPU {
			task.GPU = &c.GPUs[i]
		}
	}
	text, err := task.Text(engine)
	if err != nil {
		return usagef("-o %s: %v", engine, err)
	}
	_, err = a.Stdout.Write(text)
	return err
}

// judgePlan turns the answer into an exit code.
func judgePlan(view *present.Planned) error {
	if view.Plan.Chosen != nil {
		return nil
	}
	if view.Plan.Nearest() == nil {
		return judgeEstimate(view.Answer, nil)
	}
	en := *view
	en.Lang = present.EN
	return nothingf("no plan keeps to the limits").hint("%s", en.Nearest())
}
