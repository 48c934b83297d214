package estimate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// Moving is what is asked about a job that already runs.
type Moving struct {
	Current   *Current
	Done      float64   // share of the work that is done, 0 to below 1
	Remaining float64   // instead: hours of work left on the machines it runs on; 0: not stated
	FromNow   bool      // the deadline of the scenario counts from now on, not from the order
	Least     LeastSave // what moving must save at least
}

// LeastSave is an amount, or a share of what staying costs.
type LeastSave struct {
	Amount  money.Amount // null: the share
	Share   float64
	Default bool
}

// DefaultLeastShare of what staying costs is what moving must save if nothing
// else is asked: prices move by a few percent and back.
const DefaultLeastShare = 0.05

// What is known of the price that staying costs.
const (
	PriceToday     = "today"      // as it is sold now
	PriceCommitted = "committed"  // paid for until the term ends, whatever is done
	PriceOld       = "price_gone" // the offer is there, its price is not: that of the plan stands in
	PriceNoOffer   = "offer_gone" // nor is the offer
)

// What a [Switch] finds.
const (
	VerdictSwitch    = "switch"         // moving saves enough
	VerdictLate      = "switch_late"    // staying misses the deadline
	VerdictStay      = "stay"           // no way saves enough
	VerdictCommitted = "stay_committed" // leaving saves nothing of what is committed
	VerdictAlone     = "stay_alone"     // nobody else can do the rest in time
	VerdictUnknown   = "unknown"        // what staying costs is not known
	VerdictNothing   = "nothing"        // neither staying nor moving is in time
)

// Way is one way to have the rest of the work done: staying, or moving. Its
// cost, lines and time include the moving; it has no cost of a month.
type Way struct {
	*Estimate
	Moving    money.Range // part of the cost that moving is; null for staying
	MoveHours Triple      // from the last step here to the first there
	Saving    money.Range // over staying; null where that is not known
	Same      bool        // the seller of the machines it runs on
	Doubt     string      // code of the gravest doubt; empty where none keeps a job from moving there

	rest   money.Range  // of the cost, what the rest of the work is
	fixed  money.Amount // of the rest, what does not depend on how much is left
	atRate money.Amount // of the cost, what the price of these machines scales
	doubt  money.Amount // half the range of the price, as cost
	parts  []Line       // of the moving
}

// MovingLines are the parts of the moving.
func (w *Way) MovingLines() []Line { return w.parts }

// Switch says whether a running job should move.
type Switch struct {
	Moving
	Price     string  // what is known of the current price
	Left      float64 // share of the work that is left
	WholeH    float64 // hours of the whole work on the current machines; 0: not known
	LeftH     float64 // of it, what is left
	DeadlineH float64 // hours from now on; 0: none
	Stay      *Way    // nil: not known
	Ways      []*Way  // of moving: the cheapest first, each faster and dearer than the one before
	Aside     *Way    // cheaper, but in grave doubt; else nil
	Need      money.Amount
	NeedFrom  string   // min_saving or price_range
	BreakEven *float64 // hours left below which moving does not pay; nil: it never does
	Flips     []Flip
	Verdict   string
	Assumed   []Assumed // what the moving rests on
	Rest      *Scenario // what is left of the work
	Plan      *Plan     // for the rest: of the best way
}

// Best is the cheapest way of moving; nil when there is none.
func (s *Switch) Best() *Way {
	if len(s.Ways) == 0 {
		return nil
	}
	return s.Ways[0]
}

// Switches reports an answer to move.
func (s *Switch) Switches() bool { return s.Verdict == VerdictSwitch || s.Verdict == VerdictLate }

// ErrNotMovable is work that has no rest: services and rentals.
var ErrNotMovable = errors.New("only runs of train and batch scenarios can move")

// MakeSwitch works out what the rest of a running job costs where it is and
// elsewhere, with the moving. The engine is that of [MakePlan], asked for the
// rest of the work. Errors are [ErrNotMovable] and those of [Run].
func MakeSwitch(r *Request, m *Moving) (*Switch, error) {
	if k := r.Scenario.Kind; k != KindTrain && k != KindBatch {
		return nil, ErrNotMovable
	}
	s := &Switch{Moving: *m, Left: 1 - m.Done}
	quick := *r
	quick.Explain = false
	w := switcher{Request: &quick, Switch: s}
	if err := w.here(); err != nil {
		return nil, err
	}
	s.Rest = r.Scenario.rest(s.Left)
	w.deadline()
	if err := w.stay(); err != nil {
		return nil, err
	}
	p, all, err := w.elsewhere()
	if err != nil {
		return nil, err
	}
	if err := w.rank(all, p); err != nil {
		return nil, err
	}
	if err := w.decide(); err != nil {
		return nil, err
	}
	return s, w.plan(p, all, r.Explain)
}

// switcher carries one MakeSwitch.
type switcher struct {
	*Request
	*Switch

	at           standing
	stateGB      [3]float64 // of one checkpoint
	stateKnown   bool
	spotInterval float64 // hours between two saves, on spot; else 0
}

// deadline is what is left of the deadline: as stated from now on, or less what
// the plan gives to the work that is done.
func (w *switcher) deadline() {
	d := w.Scenario.Deadline.V
	if d <= 0 {
		d = w.Current.DeadlineHours
	}
	if d <= 0 {
		return
	}
	w.DeadlineH = d
	if !w.FromNow {
		w.DeadlineH = math.Max(d-(1-math.Min(w.Left, 1))*w.WholeH, 1e-3)
	}
}

// rest is what is left of the work: its share of every run, and as much more
// runs, so that what is paid by the month is shared as before. The machines it
// moves to have to start.
func (s *Scenario) rest(left float64) *Scenario {
	c := s.clone()
	c.Deadline.V = 0
	if c.Startup == nil {
		c.Startup = &Startup{}
	}
	key, runs := "train.runs_per_month", (*Number)(nil)
	if w := c.Train; c.Kind == KindTrain && w != nil {
		runs = &w.RunsPerMonth
		for _, x := range []*float64{&w.Tokens.V, &w.Samples.V, &w.Hours.V, &w.GPUHours.V} {
			*x *= left
		}
	}
	if w := c.Batch; c.Kind == KindBatch && w != nil {
		key, runs = "batch.runs_per_month", &w.RunsPerMonth
		for _, x := range []*float64{&w.Requests.V, &w.Tokens.V, &w.AudioHours.V, &w.GPUHours.V} {
			*x *= left
		}
	}
	if runs == nil {
		return c
	}
	if runs.V <= 0 {
		runs.V = 1
	}
	runs.V /= left
	if !c.Stated(key) {
		c.origins = withOrigin(c.origins, key, Origin{"default", "one run; more of what is left of it"})
	}
	return c
}

func withOrigin(all map[string]Origin, key string, o Origin) map[string]Origin {
	out := make(map[string]Origin, len(all)+1)
	maps.Copy(out, all)
	out[key] = o
	return out
}

// elsewhere are all ways to do the rest that the engine finds, in what is left
// of the deadline after the last save here.
func (w *switcher) elsewhere() (*planner, []*Estimate, error) {
	r := *w.Request
	r.Scenario = w.Rest
	if w.DeadlineH > 0 {
		r.Scenario.Deadline.V = w.DeadlineH
		if save := w.saveHere()[1]; save < w.DeadlineH {
			r.Scenario.Deadline.V -= save
		}
	}
	return find(&r, Limits{})
}

// rank makes the ways of moving and keeps those that are in time and that
// nothing beats in both cost and time.
func (w *switcher) rank(all []*Estimate, p *planner) error {
	v, err := newEvaluator(p.Request)
	if err != nil {
		return err
	}
	var sound []*Way
	for _, e := range all {
		if e.place == nil || e.Hours == nil || e.GPU == "" || e.Purchase == catalog.Token || e.byTheMonth() || w.isHere(e) {
			continue
		}
		if !w.stateKnown {
			w.know(e)
		}
		way, err := w.move(v, e)
		if err != nil {
			return err
		}
		if f, _ := way.Finish(); w.DeadlineH > 0 && f > w.DeadlineH {
			continue
		}
		if way.Doubt = w.doubt(v, e, p.ownPrice()); way.Doubt != "" {
			if w.Aside == nil || way.Cost.Mid.Cmp(w.Aside.Cost.Mid) < 0 {
				w.Aside = way
			}
			continue
		}
		sound = append(sound, way)
	}
	slices.SortStableFunc(sound, func(a, b *Way) int {
		fa, _ := a.Finish()
		fb, _ := b.Finish()
		return cmp.Or(a.Cost.Mid.Cmp(b.Cost.Mid), cmp.Compare(fa, fb), compareEstimates(a.Estimate, b.Estimate))
	})
	last := math.Inf(1)
	for _, x := range sound {
		if f, _ := x.Finish(); f <= stepFaster*last && (len(w.Ways) == 0 || !dearerThan(x.Cost.Mid, w.Ways[0].Cost.Mid)) {
			w.Ways, last = append(w.Ways, x), f
		}
	}
	if w.Aside != nil && w.Best() != nil && w.Aside.Cost.Mid.Cmp(w.Best().Cost.Mid) >= 0 {
		w.Aside = nil
	}
	return nil
}

// DoubtMaker is the doubt about GPUs of another maker: a program that runs need
// not run there.
const DoubtMaker = "other_maker"

// doubt is what keeps a running job from moving to machines by itself. GPUs of
// another maker are none where the scenario names them.
func (w *switcher) doubt(v *evaluator, e *Estimate, ownPrice bool) string {
	if code := e.Grave(); code != "" && !ownPrice {
		return code
	}
	if h := w.Scenario.Hardware; h != nil && h.GPU != "" || e.GPU == w.Current.GPU {
		return ""
	}
	a, b := v.gpus[e.GPU], v.gpus[w.Current.GPU]
	if a == nil || b == nil || a.Vendor == "" || a.Vendor != b.Vendor {
		return DoubtMaker
	}
	return ""
}

// isHere reports the machines that the job already runs on.
func (w *switcher) isHere(e *Estimate) bool {
	c := w.Current
	return e.Provider == c.Provider && e.Instance == c.Instance && e.Region == c.Region && e.GPU == c.GPU && e.GPUs == c.GPUs && e.Purchase == c.Purchase &&
		e.Tier == c.Tier && e.Host == c.Host
}

// plan is the plan for the rest: of the best way of moving, or of staying.
func (w *switcher) plan(p *planner, all []*Estimate, explain bool) error {
	w.Plan = p.plan
	if !w.Switches() {
		if w.Stay != nil {
			p.plan.Chosen, p.plan.Pool = w.Stay.Estimate, []*Estimate{w.Stay.Estimate}
		}
		return nil
	}
	way := w.Best()
	if way == nil {
		return nil
	}
	original := all[slices.IndexFunc(all, func(e *Estimate) bool { return e.place == way.place && e.quote == way.quote })]
	p.plan.Chosen = original
	if err := p.pool(all); err != nil {
		return fmt.Errorf("sellers of %s: %w", way.GPU, err)
	}
	p.plan.Chosen, p.plan.Pool[0] = way.Estimate, way.Estimate
	if !explain || way.place.explain == nil {
		return nil
	}
	way.factors = way.place.explain()
	return nil
}
