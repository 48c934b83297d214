package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/source"
)

type refreshOptions struct {
	sources, require  []string
	gpu, caFile       string
	timeout           time.Duration
	dry, shrink, jump bool
	parallel          int
}

func (a *App) pricesRefresh() *cobra.Command {
	var o refreshOptions
	cmd := &cobra.Command{
		Use: "refresh", Short: "Fetches prices into the store: the one command that opens the network",
		Long: "Visits each source, checks what it says against what it said before, and keeps it only if it passes:\n" +
			"a failed or rejected source keeps its last good rows with their old times. Sources that need a key which\n" +
			"is not there are left alone. Exit code 5 when some sources failed, 1 when all did.",
		Example: "  gpucost prices refresh --source azure-retail,skypilot/aws\n  gpucost prices refresh --gpu h100 --store postgres://prices@db/team\n" +
			"  gpucost prices refresh --source oci --dry-run",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.refresh(&o) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.sources, "source", nil, "only these sources, or parts such as skypilot/aws (default: all that can be fetched)")
	f.StringSliceVar(&o.require, "require", nil, "sources that must succeed, also when their key is missing")
	f.StringVar(&o.gpu, "gpu", "", "keep only the offers of these GPUs")
	f.DurationVar(&o.timeout, "timeout", 0, "time for one source (default: its own, mostly 60s)")
	f.BoolVar(&o.dry, "dry-run", false, "fetch and check, but keep nothing")
	f.BoolVar(&o.shrink, "accept-shrink", false, "take a list that lost rows or grew out of proportion, after you looked")
	f.BoolVar(&o.jump, "accept-jump", false, "take prices that jumped, after you looked")
	f.StringVar(&o.caFile, "ca-file", "", "trust these certificates as well (PEM)")
	f.IntVar(&o.parallel, "parallel", 4, "sources at once, 1 to 16")
	a.flagValues(cmd, map[string]completer{"source": fixed(fetchedNames()...), "require": fixed(fetchedNames()...), "gpu": gpuNames})
	return cmd
}

func fetchedNames() []string {
	var names []string
	for _, f := range source.Formats() {
		if f.Fetched() {
			names = append(names, f.Name)
		}
	}
	return names
}

func (a *App) refresh(o *refreshOptions) error {
	ctx := a.context()
	plan, err := a.refreshPlan(o)
	if err != nil {
		return err
	}
	client, err := a.sourceClient(o)
	if err != nil {
		return err
	}
	keep, err := a.openKeeper(ctx, o.dry)
	if err != nil {
		return err
	}
	defer keep.close()
	keep.policy, keep.narrow = plan.Policy, plan.Keep != nil
	p := a.newProgress(len(plan.Jobs))
	client.Page = p.page
	hooks := source.Hooks{Validators: keep.validators, Previous: keep.previous, Sink: func(r source.Result) error {
		err := keep.take(ctx, r)
		p.done(keep.row(r, err))
		return err
	}}
	results, interrupted := client.Refresh(ctx, plan, hooks)
	p.clear()
	answer := present.RefreshAnswer{Store: keep.location, DryRun: o.dry, Lang: a.lang()}
	for _, r := range results {
		answer.Rows = append(answer.Rows, keep.row(r, nil))
	}
	if err := a.show(answer.Doc()); err != nil {
		return err
	}
	if interrupted != nil {
		return interrupted
	}
	return o.judge(results)
}

// judge turns the outcomes into an exit code. A missing key is a failure only
// where the source was named.
func (o *refreshOptions) judge(results []source.Result) error {
	bad, good := 0, 0
	for _, r := range results {
		named := func(list []string) bool {
			return slices.ContainsFunc(list, func(n string) bool { return n == r.Source || n == r.Format.Name })
		}
		switch r.Outcome {
		case source.Updated, source.Unchanged:
			good++
		case source.Skipped:
			if named(o.sources) || named(o.require) {
				bad++
			}
		default:
			bad++
		}
	}
	switch {
	case bad == 0 && good == 0:
		return nothingf("no source could be fetched without a key").hint("gpucost prices sources names the keys")
	case bad == 0:
		return nil
	case good == 0:
		return &fault{exit: exitFailed, code: "failed", msg: "no source succeeded"}
	}
	return &fault{exit: exitPartial, code: "partial", msg: fmt.Sprintf("%d of %d sources failed or were rejected; their last good prices are kept", bad, bad+good)}
}

func (a *App) refreshPlan(o *refreshOptions) (plan source.Plan, err error) {
	if o.timeout < 0 || o.parallel < 1 || o.parallel > 16 {
		return plan, usagef("--timeout and --parallel: want a time above 0 and 1 to 16 sources")
	}
	if plan.Jobs, err = source.Jobs(o.sources); err == nil && len(o.require) > 0 {
		_, err = source.Jobs(o.require)
	}
	if err != nil {
		return plan, unknownSource(err, append(o.sources, o.require...))
	}
	c, err := a.ground(catalog.SectionCompare)
	if err != nil {
		return plan, err
	}
	if o.gpu != "" {
		set, err := catalog.NewNames(c.GPUs).WithOffers(c.Offers).ParseGPUs(o.gpu)
		if err != nil {
			return plan, err
		}
		specs := specsOf(c)
		plan.Keep = func(offer *catalog.Offer) bool { return set.Match(offer, specs[offer.GPU]) }
	}
	plan.Parallel = o.parallel
	plan.Options.Names = catalog.NewNames(c.GPUs).ResolveGPU
	plan.Policy = gatePolicy(c, catalog.DateOf(a.Now().UTC()), o.shrink, o.jump)
	return plan, nil
}

func specsOf(c *catalog.Catalog) map[string]*catalog.GPU {
	m := make(map[string]*catalog.GPU, len(c.GPUs))
	for i := range c.GPUs {
		m[c.GPUs[i].ID] = &c.GPUs[i]
	}
	return m
}

// unknownSource adds the nearest names to an error about a source's name.
func unknownSource(err error, names []string) error {
	f := usagef("%v", err)
	for _, name := range names {
		base, _, _ := strings.Cut(name, "/")
		if _, err := source.Lookup(base); err != nil {
			f = f.near(catalog.Nearest(base, fetchedNames(), 3))
		}
	}
	return f.hint("gpucost prices sources lists them")
}

// gatePolicy is what the accept gate measures against: the specifications,
// the rates and the price bands of the catalog.
func gatePolicy(c *catalog.Catalog, today catalog.Date, shrink, jump bool) source.Policy {
	specs := specsOf(c)
	usd := pricing.NewExchange("USD", c.FX, nil, today).Convert
	return source.Policy{
		GPUs: func(id string) (float64, bool) {
			g := specs[id]
			if g == nil {
				return 0, false
			}
			return g.MemoryGB, true
		},
		USD: usd, Seeds: source.Bands(c.Offers, usd), AcceptShrink: shrink, AcceptJump: jump,
	}
}

// keeper connects a refresh, or an import, to the store.
type keeper struct {
	store    *history.Store // nil: a dry run without a store
	location string
	dry      bool
	narrow   bool // only some of each source's rows are kept
	policy   source.Policy
	status   map[string]history.SourceStatus
	applied  map[string]history.Result
	ctx      context.Context
	now      time.Time
}

func (a *App) openKeeper(ctx context.Context, dry bool) (*keeper, error) {
	at, err := a.storeLocation()
	if err != nil {
		return nil, err
	}
	k := &keeper{location: withoutPassword(at), dry: dry, status: map[string]history.SourceStatus{}, applied: map[string]history.Result{}, ctx: ctx, now: a.Now()}
	open := history.Open
	if dry {
		open = openExisting
	}
	if k.store, err = open(ctx, at); dry && errors.Is(err, history.ErrNoStore) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	if strings.Contains(at, "://") {
		k.location = k.store.Location() // without the user
	}
	list, err := k.store.Sources(ctx)
	if err != nil {
		return nil, errors.Join(err, k.store.Close())
	}
	for _, st := range list {
		k.status[st.Source] = st
	}
	return k, nil
}

func (k *keeper) close() {
	if k.store != nil {
		k.store.Close() //nolint:errcheck // every run is committed by then
	}
}

// validators are what the last accepted visit left for conditional requests.
func (k *keeper) validators(name string) ([]source.Validator, error) {
	if k.store == nil {
		return nil, nil
	}
	kept, err := k.store.Validators(k.ctx, name)
	var out []source.Validator
	for _, v := range kept {
		out = append(out, source.Validator(v))
	}
	return out, err
}

// bandPoints bounds the observations that price bands are made of.
const bandPoints = 100_000

// bandDays is how far back they reach.
const bandDays = 180

// previous is what the gate compares with: the rows that the store holds of
// the source, and the bands of its history.
func (k *keeper) previous(name string) (source.Previous, error) {
	if k.store == nil {
		return source.Previous{}, nil
	}
	only := history.Filter{Sources: []string{name}}
	latest, err := k.store.Latest(k.ctx, only, time.Time{})
	if err != nil {
		return source.Previous{}, err
	}
	for i := range latest.Offers { // one value a series: its date is no part of its identity
		for j := range latest.Offers[i].Prices {
			latest.Offers[i].Prices[j].AsOf = catalog.Date{}
		}
	}
	prev := source.SummaryOf(latest.Offers)
	prev.Figures = source.FiguresOf(latest.Interruption)
	if prev.SHA256 = k.status[name].ContentSHA256; prev.SHA256 == narrowRun {
		prev.SHA256, prev.Rows = "", 0 // a whole list is no growth
	}
	past, err := k.past(only)
	prev.Bands = source.Bands(past, k.policy.USD)
	return prev, err
}

// past is the history of a source as offers.
func (k *keeper) past(only history.Filter) (out []catalog.Offer, err error) {
	n := 0
	for s, err := range k.store.History(k.ctx, only, k.now.AddDate(0, 0, -bandDays), time.Time{}) {
		if err != nil {
			return nil, err
		}
		out = append(out, seriesOffer(&s))
		if n += len(s.Points); n > bandPoints {
			break
		}
	}
	return out, nil
}

// seriesOffer is a series as an offer with a price for each point.
func seriesOffer(s *history.Series) catalog.Offer {
	o := catalog.Offer{Provider: s.Provider, Instance: s.Instance, GPU: s.GPU, GPUKnown: true, GPUs: s.GPUs, Region: s.Region, Tier: s.Tier, Host: s.Host}
	for i := range s.Points {
		o.Prices = append(o.Prices, pointPrice(s, &s.Points[i]))
	}
	return o
}
