package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

// Job is one source to visit. A format that collects many sellers' files is
// visited as one job for each, so that one missing file fails alone.
type Job struct {
	Format *Format
	Only   string // one of Format.Each; "": all
}

// Name is the job's name: "oci", "skypilot/aws".
func (j Job) Name() string {
	if j.Only == "" {
		return j.Format.Name
	}
	return j.Format.Name + "/" + j.Only
}

func (j Job) each() []string {
	if j.Only != "" {
		return []string{j.Only}
	}
	return j.Format.Each
}

// Jobs are the visits that names ask for; none asks for every format that can
// be fetched.
func Jobs(names []string) ([]Job, error) {
	var out []Job
	if len(names) == 0 {
		for _, f := range formats {
			if f.Fetched() {
				names = append(names, f.Name)
			}
		}
	}
	for _, name := range names {
		base, only, _ := strings.Cut(name, "/")
		f, err := Lookup(base)
		switch {
		case err != nil:
			return nil, err
		case !f.Fetched():
			return nil, fmt.Errorf("%s is read from files only: %s", base, f.Get)
		case only != "" && !slices.Contains(f.Each, only):
			return nil, fmt.Errorf("%s has no part %q; it has %s", base, only, strings.Join(f.Each, ", "))
		case only == "" && f.EachIs == "provider":
			for _, each := range f.Each {
				out = append(out, Job{f, each})
			}
		default:
			out = append(out, Job{f, only})
		}
	}
	return out, nil
}

// Outcome is how the visit to a source ended.
type Outcome string

// Outcomes. Only after the first two may a store change a price or renew a
// time; in all others the last good rows keep theirs.
const (
	Updated   Outcome = "updated"   // accepted; Batch holds the rows
	Unchanged Outcome = "unchanged" // 304, or the same content as last time
	Rejected  Outcome = "rejected"  // refused or held by the gate
	Failed    Outcome = "failed"    // no complete answer
	Skipped   Outcome = "skipped"   // the key is missing
)

// Result is what one visit brought. The four times stay apart: FetchedAt is
// the exchange, PublishedAt what the source says of itself; when a value was
// first seen and last verified is the store's to know.
type Result struct {
	Source        string
	Format        *Format
	Outcome       Outcome
	Err           error
	FetchedAt     time.Time
	PublishedAt   time.Time
	Took          time.Duration
	Bytes         int64
	Pages         int
	ContentSHA256 string      // of the canonical records, without dates
	Validators    []Validator // for the next visit; only of accepted visits
	Batch         *Batch      // only when Updated; its Offers are those that the gate kept
	Verdict       Verdict
	Rejections    []Rejection
	// Partial: rows were left out or not asked for, so that what is not in the
	// Batch is not gone.
	Partial bool
}

// Plan is what a refresh does.
type Plan struct {
	Jobs     []Job
	Parallel int     // sources at once; 0: 4
	Options  Options // names and the like; AsOf unknown: the day of the visit
	Policy   Policy
	// Keep narrows what is handed over, after the gate has seen all; nil keeps all.
	Keep func(*catalog.Offer) bool
}

// Hooks connect a refresh to a store. Any may be nil.
type Hooks struct {
	Validators func(source string) ([]Validator, error)
	Previous   func(source string) (Previous, error)
	// Sink takes each result as it comes, one at a time; its error makes the
	// visit a failed one.
	Sink func(Result) error
}

// Refresh visits the sources of a plan: fetch, read, gate, hand over. One
// source's failure leaves the others alone. The results stand in the order of
// the plan; the error is that of the context.
func (cl *Client) Refresh(ctx context.Context, plan Plan, h Hooks) ([]Result, error) {
	if plan.Parallel <= 0 {
		plan.Parallel = 4
	}
	results := make([]Result, len(plan.Jobs))
	slots := make(chan struct{}, plan.Parallel)
	var wait sync.WaitGroup
	var sink sync.Mutex
	for i, job := range plan.Jobs {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			r := cl.visit(ctx, job, plan, h)
			if h.Sink != nil {
				sink.Lock()
				defer sink.Unlock()
				if err := h.Sink(r); err != nil {
					r.Outcome, r.Err, r.Batch = Failed, errors.Join(r.Err, fmt.Errorf("not stored: %w", err)), nil
				}
			}
			results[i] = r
		})
	}
	wait.Wait()
	return results, ctx.Err()
}

func (cl *Client) visit(ctx context.Context, job Job, plan Plan, h Hooks) Result {
	start := cl.Now()
	r := Result{Source: job.Name(), Format: job.Format, FetchedAt: start}
	err := ctx.Err()
	if err == nil {
		err = cl.fill(ctx, &r, job, plan, h)
	}
	r.Took = cl.Now().Sub(start)
	switch {
	case err == nil:
	case errors.Is(err, ErrNoKey):
		r.Outcome, r.Err = Skipped, err
	default:
		r.Outcome, r.Err = Failed, err
	}
	return r
}

func (cl *Client) fill(ctx context.Context, r *Result, job Job, plan Plan, h Hooks) error {
	var have []Validator
	var prev Previous
	var err error
	if h.Validators != nil {
		if have, err = h.Validators(r.Source); err != nil {
			return err
		}
	}
	if h.Previous != nil {
		if prev, err = h.Previous(r.Source); err != nil {
			return err
		}
	}
	got, err := cl.Fetch(ctx, job, have, plan.Options)
	if err != nil {
		return err
	}
	r.FetchedAt, r.Bytes, r.Pages, r.Validators = got.At, got.Bytes, got.Pages, got.Validators
	if got.Unchanged {
		r.Outcome, r.ContentSHA256 = Unchanged, prev.SHA256
		return nil
	}
	b := got.Batch
	r.PublishedAt, r.ContentSHA256 = b.PublishedAt, b.SHA256()
	r.Verdict = Check(b, prev, plan.Policy)
	r.Rejections = rejections(b, r.Verdict)
	switch {
	case r.Verdict.Decision != Accept:
		r.Outcome, r.Validators = Rejected, nil
		r.Err = errors.New(r.Verdict.String())
	case prev.SHA256 != "" && prev.SHA256 == r.ContentSHA256:
		r.Outcome = Unchanged
	default:
		r.Outcome = Updated
		kept := *b
		kept.Offers, kept.Interruption = r.Verdict.Offers, r.Verdict.Interruption
		r.Partial = len(r.Rejections) > 0 || plan.Keep != nil
		if plan.Keep != nil {
			kept.Offers = slices.DeleteFunc(slices.Clone(kept.Offers), func(o catalog.Offer) bool { return !plan.Keep(&o) })
			kept.Interruption = slices.DeleteFunc(slices.Clone(kept.Interruption), func(x catalog.Interruption) bool {
				return !plan.Keep(&catalog.Offer{Provider: x.Provider, GPU: x.GPU, GPUKnown: true, GPUs: unit.Whole(1)})
			})
		}
		r.Batch = &kept
	}
	return nil
}

// String is the verdict and its reasons on one line.
func (v Verdict) String() string {
	var why []string
	for _, f := range v.Findings {
		if f.Effect != "" {
			why = append(why, f.Code+": "+f.Message)
		}
	}
	if len(why) == 0 {
		return string(v.Decision)
	}
	return string(v.Decision) + ": " + strings.Join(why, "; ")
}

func rejections(b *Batch, v Verdict) []Rejection {
	out := slices.Clone(v.Rejected)
	for _, l := range b.Left {
		if l.Kind != Faulty {
			continue
		}
		for _, e := range l.Examples {
			if len(out) < maxRejectedRows {
				out = append(out, Rejection{e, l.Reason})
			}
		}
	}
	return out
}

// SHA256 is the hash of what a batch says, whatever the order of its rows and
// the day it was fetched: the same content is no change.
func (b *Batch) SHA256() string {
	var rows []string
	add := func(v any) {
		text, _ := json.Marshal(v)
		rows = append(rows, string(text))
	}
	for i := range b.Offers {
		o := b.Offers[i]
		days := dated(&o)
		for j := range o.Prices {
			p := o.Prices[j]
			if !days {
				p.AsOf = catalog.Date{}
			}
			rows = append(rows, fmt.Sprintf("%v %s %s %v %v %v", dayKeyOf(&o, &p), p.Low, p.High, p.AsOf, o.GPUMemoryGB, o.Available != nil && *o.Available))
		}
	}
	for _, t := range b.Tokens {
		t.AsOf = catalog.Date{}
		rows = append(rows, fmt.Sprintf("%s %s %s %s %s %d", t.Provider, t.ModelID, t.Input, t.Output, t.Cached, t.Context))
	}
	for _, x := range b.FX {
		rows = append(rows, fmt.Sprintf("%s %s %s %s", x.Base, x.Quote, x.Value, x.AsOf))
	}
	for _, x := range b.Interruption {
		x.AsOf = catalog.Date{}
		add(x)
	}
	slices.Sort(rows)
	sum := sha256.New()
	for _, r := range rows {
		fmt.Fprintln(sum, r)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
