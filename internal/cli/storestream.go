package cli

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/source"
)

// streamChunk is how many offers of a file of any size the gate sees at once.
const streamChunk = 5000

// streamGC makes the collector keep memory low, where other commands trade it
// for speed. streamBallast are bytes it counts as used, which are never
// touched and so take no memory: collections of a small heap are few, and
// those of a large one come no later.
const (
	streamGC      = 60
	streamBallast = 128 << 20
)

// keepStream hands a file of any size to the store without holding it: the
// gate sees it in parts, and one part that fails undoes all.
func (a *App) keepStream(o *importOptions, file string, c *catalog.Catalog, opt source.Options) error {
	f, err := source.Lookup(o.format)
	if err != nil {
		return err
	}
	name, err := o.sourceName(f, file)
	if err != nil {
		return err
	}
	at, err := a.importTime()
	if err != nil {
		return err
	}
	in, err := a.openInput(file)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // reading only
	k, err := a.openKeeper(a.context(), false)
	if err != nil {
		return err
	}
	defer k.close()
	defer debug.SetGCPercent(debug.SetGCPercent(streamGC))
	ballast := make([]byte, streamBallast)
	defer runtime.KeepAlive(ballast)
	s := &stream{format: f, opt: opt, in: in, policy: gatePolicy(c, catalog.DateOf(at), true, o.keep.jump)}
	if err := s.recall(k, name); err != nil {
		return err
	}
	run := history.Run{Source: name, FetchedAt: at, Partial: true, Tool: tool()}
	if k.onlyParts(name) {
		run.ContentSHA256 = narrowRun
	}
	res, err := k.store.Apply(a.context(), run, history.Batch{Offers: s.offers()})
	if err == nil && s.b != nil && len(s.b.Tokens)+len(s.b.FX) > 0 {
		fmt.Fprintf(a.Stderr, "gpucost: warning: %s\n", a.lang().T("stream.offers_only"))
	}
	if err != nil {
		if a.context().Err() != nil {
			return a.context().Err()
		}
		run.Verdict, run.Detail = history.Failed, err.Error()
		if errors.Is(err, errHeld) {
			run.Verdict = history.Rejected
		}
		err = failf("%s was not kept: %v", display(file), err).hint("after you looked: --accept-jump")
		return errors.Join(err, k.store.Record(a.context(), run))
	}
	if res.Verdict == history.Superseded { // the file was not even read
		return failf("%s was not kept: the store has a run of %s of the same time or later", display(file), name).hint("say of which day the file is: --as-of")
	}
	said := a.reportBatch(s.b, s.kept)
	for _, r := range s.rejected {
		fmt.Fprintf(a.Stderr, "gpucost: left out: %s: %s\n", r.Item, r.Reason)
	}
	row := present.RefreshRow{
		Source: name, Verdict: string(res.Verdict), Rows: res.Seen, New: res.New, Changed: res.Changed, Gone: res.Gone, Rejected: s.bad + res.Rejected, Past: res.Past,
	}
	fmt.Fprintf(a.Stderr, "gpucost: %s: %s\n", k.location, row.Line(a.lang()))
	return said
}

// openInput opens a file, or standard input.
func (a *App) openInput(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	f, err := os.Open(name)
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return nil, usagef("%s: %v", name, path.Err)
	}
	return f, err
}

// stream reads offers and lets the gate look at them part by part.
type stream struct {
	format   *source.Format
	opt      source.Options
	in       io.Reader
	policy   source.Policy
	bands    map[source.BandKey]source.Band
	seed     maphash.Seed
	prices   map[uint64]int64 // nano-units of the last run, by the hash of the row's key
	b        *source.Batch    // what is known when all is read
	kept     int
	bad      int
	rejected []source.Rejection // the first few
}

// errHeld is a part that did not pass the gate.
var errHeld = errors.New("the checks say")

const shownRejected = 10

// recall keeps the prices of the last run in little memory: 16 bytes a row.
func (s *stream) recall(k *keeper, name string) error {
	s.seed, s.prices = maphash.MakeSeed(), make(map[uint64]int64, k.status[name].Rows)
	only := history.Filter{Sources: []string{name}}
	for series, err := range k.store.History(k.ctx, only, k.now, time.Time{}) { // what is open now
		if err != nil {
			return err
		}
		o := seriesOffer(&series)
		p := &o.Prices[len(o.Prices)-1]
		p.AsOf = catalog.Date{}
		s.prices[maphash.Comparable(s.seed, source.KeyOf(&o, p))] = p.Low.Nano()
	}
	past, err := k.past(only)
	s.bands = source.Bands(past, s.policy.USD)
	return err
}

// offers are the offers of the file that pass the gate.
func (s *stream) offers() iter.Seq2[catalog.Offer, error] {
	return func(yield func(catalog.Offer, error) bool) {
		var part []catalog.Offer
		stopped := errors.New("stopped")
		flush := func() error {
			good, err := s.check(part)
			part = part[:0]
			for _, o := range good {
				if err == nil && !yield(o, nil) {
					err = stopped
				}
			}
			return err
		}
		opt := s.opt
		opt.Emit = func(o catalog.Offer) error {
			if part = append(part, o); len(part) < streamChunk {
				return nil
			}
			return flush()
		}
		var err error
		if s.b, err = source.Read(s.format.Name, s.in, opt); err == nil {
			err = flush()
		}
		if err != nil && !errors.Is(err, stopped) {
			yield(catalog.Offer{}, err)
		}
	}
}

// check is the gate on a part.
func (s *stream) check(part []catalog.Offer) ([]catalog.Offer, error) {
	if len(part) == 0 {
		return nil, nil
	}
	prev := source.Previous{Bands: s.bands, Prices: map[source.RowKey]money.Amount{}}
	for i := range part {
		for j := 0; len(s.prices) > 0 && j < len(part[i].Prices); j++ {
			p := &part[i].Prices[j]
			key := source.KeyOf(&part[i], p)
			if nano, ok := s.prices[maphash.Comparable(s.seed, key)]; ok {
				prev.Prices[key] = money.FromNano(nano, p.Low.Currency())
			}
		}
	}
	v := source.Check(&source.Batch{Format: s.format, Offers: part}, prev, s.policy)
	s.bad += v.Bad
	s.rejected = append(s.rejected, v.Rejected[:min(len(v.Rejected), shownRejected-len(s.rejected))]...)
	if v.Decision != source.Accept {
		return nil, fmt.Errorf("%w %s", errHeld, v)
	}
	s.kept += len(v.Offers)
	return v.Offers, nil
}
