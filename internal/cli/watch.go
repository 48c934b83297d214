package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

type watchOptions struct {
	once, check, allowHTTP bool
	interval               string
	webhook, caFile, name  string
}

func (a *App) pricesWatch() *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use: "watch RULES.yaml", Short: "Says when a price falls, rises, moves, goes stale or is gone",
		Long: "Evaluates the rules on the store, once (for cron and CI: exit code 3 when a rule fires) or again and again.\n" +
			"A rule fires once and not again before its condition was clearly false. It fetches nothing: run\n" +
			"prices refresh before it. --webhook sends each event, signed with the secret in GPUCOST_WEBHOOK_SECRET.",
		Example: "  gpucost prices refresh && gpucost prices watch watch.yaml --once\n  gpucost prices watch watch.yaml --interval 15m --webhook https://hooks.example/prices",
		Args:    takes(1, 1, "a file of rules, or - for standard input"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.watch(&o, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.once, "once", false, "evaluate once (the default); exit 3 when a rule fires")
	f.StringVar(&o.interval, "interval", "", "evaluate again and again, this far apart: 15m; until a signal")
	f.StringVar(&o.webhook, "webhook", "", "send events to this address (default: GPUCOST_WEBHOOK)")
	f.BoolVar(&o.allowHTTP, "allow-http", false, "send also without encryption")
	f.StringVar(&o.caFile, "ca-file", "", "trust these certificates as well (PEM)")
	f.StringVar(&o.name, "name", "", "whose rules these are, in a store that several share (default: the file's name)")
	f.BoolVar(&o.check, "check", false, "read the rules only, and say what is wrong")
	return cmd
}

// leastInterval keeps a typing error from turning into a flood.
const leastInterval = 10 * time.Second

func (a *App) watch(o *watchOptions, file string) error {
	var every time.Duration
	if o.interval != "" {
		var d history.Duration
		if err := d.UnmarshalText([]byte(o.interval)); err != nil || o.once {
			return usagef("--interval %q: want a time such as 15m, and not with --once", o.interval)
		}
		if every = time.Duration(d); every < leastInterval {
			return usagef("--interval %s: want at least %s", o.interval, leastInterval)
		}
	}
	data, err := a.read(file)
	if err != nil {
		return err
	}
	c, err := a.ground(catalog.SectionCompare)
	if err != nil {
		return err
	}
	rules, doubts, err := readRules(display(file), data, c)
	if err != nil {
		return err
	}
	for _, p := range doubts {
		fmt.Fprintf(a.Stderr, "gpucost: warning: %s\n", p)
	}
	if o.check {
		fmt.Fprintf(a.Stderr, "gpucost: %s\n", a.lang().T("watch.checked", display(file), len(rules)))
		return nil
	}
	w := &watcher{a: a, rules: rules, name: o.name, rates: c.FX}
	if w.name == "" {
		w.name = filepath.Base(display(file))
	}
	if w.hook, err = a.newHook(o); err != nil {
		return err
	}
	if w.own, err = a.ownRates(); err != nil {
		return err
	}
	if every == 0 {
		return w.pass(a.context(), true)
	}
	return w.loop(a.context(), every)
}

// ownRates are the exchange rates of --fx.
func (a *App) ownRates() (own []catalog.FXRate, err error) {
	for _, text := range a.settings.list("fx") {
		r, err := pricing.ParseFX(text)
		if err != nil {
			return nil, usagef("%s: %v", a.settings.origin("fx"), err)
		}
		own = append(own, r)
	}
	return own, nil
}

// watcher evaluates rules on the store.
type watcher struct {
	a          *App
	name       string
	rules      []history.Rule
	rates, own []catalog.FXRate
	hook       *hook // nil: events are only printed
}

// loop passes until it is interrupted. After the first pass, one that fails
// is said and the next one tried.
func (w *watcher) loop(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for first := true; ; first = false {
		err := w.pass(ctx, first)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil || isCheck(err) || errors.Is(err, errNotSent):
		case first:
			return err
		default:
			fmt.Fprintf(w.a.Stderr, "gpucost: %v\n", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func isCheck(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && f.exit == exitCheck
}

// pass evaluates every rule once, says what fired and sends it. quiet passes
// say nothing when nothing happened.
func (w *watcher) pass(ctx context.Context, always bool) error {
	now, err := w.a.moment()
	if err != nil {
		return err
	}
	s, err := w.a.existingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // every transaction is committed by then
	rates := slices.Clone(w.rates)
	for _, r := range w.own {
		r.AsOf = catalog.DateOf(now)
		rates = append(rates, r)
	}
	got, err := s.Watch(ctx, w.name, w.rules, now, rates)
	if err != nil {
		return err
	}
	answer := present.WatchAnswer{Store: s.Location(), At: now, Rules: len(w.rules), Checked: got.Checked, Lang: w.a.lang()}
	for _, e := range got.Events {
		answer.Fired = append(answer.Fired, present.WatchEvent(e))
	}
	slices.SortStableFunc(answer.Fired, func(x, y present.WatchEvent) int {
		return cmp.Or(strings.Compare(x.Rule, y.Rule), strings.Compare(x.Message, y.Message))
	})
	for _, u := range got.Unjudged {
		answer.Unjudged = append(answer.Unjudged, present.Unjudged(u))
	}
	sent := w.deliver(ctx, s, &answer)
	if always || len(answer.Fired) > 0 || answer.Failed > 0 {
		if err := w.a.show(answer.Doc()); err != nil {
			return err
		}
	}
	switch {
	case len(got.Events) > 0:
		return checkf("%d rules fired", len(firedRules(got.Events)))
	case sent != nil:
		return &fault{exit: exitPartial, code: "partial", msg: fmt.Sprintf("%v: %v; %d wait for the next time", errNotSent, sent, answer.Pending)}
	case len(got.Unjudged) > 0 && w.a.settings.is("strict"):
		return checkf("--strict: %d prices could not be judged", len(got.Unjudged))
	}
	return nil
}

func firedRules(events []history.Event) map[string]bool {
	names := map[string]bool{}
	for i := range events {
		names[events[i].Rule] = true
	}
	return names
}

// mostSent bounds the events of one pass; the others wait for the next one.
const mostSent = 100

// deliver sends the events that are still to be sent, oldest first, and marks
// them. It stops at the first that cannot be sent. Without a webhook, printing
// them was all.
func (w *watcher) deliver(ctx context.Context, s *history.Store, answer *present.WatchAnswer) error {
	events, err := s.Undelivered(ctx, w.name)
	if err != nil {
		return err
	}
	for i := range events {
		if w.hook != nil && i >= mostSent {
			answer.Pending = len(events) - i
			return nil
		}
		if w.hook != nil {
			if err := w.hook.send(ctx, w.name, &events[i]); err != nil {
				answer.Failed, answer.Pending = 1, len(events)-i
				fmt.Fprintf(w.a.Stderr, "gpucost: %s\n", w.a.lang().T("watch.not_sent", w.hook.host, err))
				return err
			}
			answer.Sent++
		}
		if err := s.Delivered(ctx, events[i].ID, w.a.Now().UTC()); err != nil {
			return err
		}
	}
	return nil
}
