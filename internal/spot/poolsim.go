package spot

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Seller is one member of a pool.
type Seller struct {
	Name       string
	CostFactor float64 // cost of an hour relative to any one reference
	OnDemand   bool    // always there, never taken; Up and Outage are not used
	Up, Outage Law     // how long it is there, how long it is not
}

// PoolRule says where an interrupted job goes.
type PoolRule string

// The rules.
const (
	// Rotate goes to the next available seller after the one it lost and never
	// looks back: the trainer of the review.
	Rotate PoolRule = "rotate"
	// FirstAvailable goes to the first available seller in the order given.
	FirstAvailable PoolRule = "ordered"
	// BestAvailable goes to the cheapest available seller.
	BestAvailable PoolRule = "best"
)

// PoolJob is a job on a pool. The Job's Rate, WaitHours and FreeFirstHours are
// not used: the sellers say when capacity comes and goes.
type PoolJob struct {
	Job     Job
	Sellers []Seller
	Rule    PoolRule
	Return  bool // save and move back when a cheaper seller is there again and the move pays
	Runs    int
	Seed    uint64
}

// PoolOutcome is the distribution over the runs.
type PoolOutcome struct {
	CostFactor    Spread    // total cost in hours of the reference, per hour of useful work
	FinishHours   Spread    // waits included
	OnDemandShare float64   // share of the billed hours on on-demand sellers
	SellerShare   []float64 // share of the billed hours by seller
	Interruptions float64
	Moves         float64 // planned moves back to a cheaper seller
	Unfinished    int
}

const maxPoolEvents = 200_000

// SimulatePool runs the job over the pool.
func SimulatePool(p PoolJob) (PoolOutcome, error) {
	if err := p.check(); err != nil {
		return PoolOutcome{}, err
	}
	if p.Seed == 0 {
		p.Seed = DefaultSeed
	}
	s := poolState{job: &p, rng: rand.New(rand.NewPCG(p.Seed, 0x9e3779b97f4a7c15)), sellers: make([]sellerState, len(p.Sellers))}
	s.order = Cheapest(costsOf(p.Sellers))
	if p.Rule != BestAvailable {
		for i := range s.order {
			s.order[i] = i
		}
	}
	hours := make([]float64, len(p.Sellers))
	var out PoolOutcome
	var cost, finish []float64
	var interruptions, moves int
	for range p.Runs {
		if !s.run() {
			out.Unfinished++
			continue
		}
		total := 0.0
		for i := range s.sellers {
			hours[i] += s.sellers[i].billed
			total += s.sellers[i].billed * p.Sellers[i].CostFactor
		}
		cost, finish = append(cost, total/p.Job.WorkHours), append(finish, s.now)
		interruptions += s.interruptions
		moves += s.moves
	}
	if len(cost) == 0 {
		return out, nil
	}
	n := float64(len(cost))
	out.CostFactor, out.FinishHours = spread(cost), spread(finish)
	out.Interruptions, out.Moves = float64(interruptions)/n, float64(moves)/n
	out.SellerShare = shares(hours)
	for i, sh := range out.SellerShare {
		if p.Sellers[i].OnDemand {
			out.OnDemandShare += sh
		}
	}
	return out, nil
}

func (p PoolJob) check() error {
	if err := p.Job.check(); err != nil {
		return err
	}
	switch p.Rule {
	case Rotate, FirstAvailable, BestAvailable:
	default:
		return fmt.Errorf("unknown pool rule %q; known are rotate, ordered, best", p.Rule)
	}
	if p.Job.WorkHours == 0 || len(p.Sellers) == 0 || p.Runs < 1 || p.Runs > MaxRuns {
		return fmt.Errorf("a pool needs work above 0, a seller and 1 to %d runs", MaxRuns)
	}
	if p.Job.SaveOnNotice || p.Job.NoCheckpoints && p.Return {
		return errors.New("a pool run keeps periodic checkpoints: saving on notice is not modelled, and a move back needs them")
	}
	for _, s := range p.Sellers {
		if _, ok := finite(s.CostFactor); !ok || s.CostFactor < 0 {
			return fmt.Errorf("cost factor %g of seller %q must be finite and not negative", s.CostFactor, s.Name)
		}
		if !s.OnDemand && (s.Up.MeanHours() <= 0 || s.Outage.MeanHours() < 0) {
			return fmt.Errorf("seller %q needs a mean up-time above 0", s.Name)
		}
	}
	return nil
}

func costsOf(sellers []Seller) []float64 {
	c := make([]float64, len(sellers))
	for i, s := range sellers {
		c[i] = s.CostFactor
	}
	return c
}

func shares(hours []float64) []float64 {
	total := 0.0
	for _, h := range hours {
		total += h
	}
	out := make([]float64, len(hours))
	for i, h := range hours {
		if total > 0 {
			out[i] = h / total
		}
	}
	return out
}

type sellerState struct {
	up     bool
	until  float64 // when the present state ends
	billed float64
}

type poolState struct {
	job     *PoolJob
	rng     *rand.Rand
	order   []int // in which to ask
	sellers []sellerState

	now           float64
	saved         float64 // hours of work safe in a checkpoint
	current       int     // seller running, or -1
	last          int     // seller that ran before
	interruptions int
	moves         int
}

// run plays one job; false when it was given up.
func (s *poolState) run() bool {
	s.now, s.saved, s.current, s.last, s.interruptions, s.moves = 0, 0, -1, -1, 0, 0
	for i := range s.sellers {
		s.sellers[i] = sellerState{}
		s.begin(i)
	}
	start := 0.0
	if s.job.Job.ChargeFirstStart {
		start = s.job.Job.RestartHours
	}
	for range maxPoolEvents {
		s.advance()
		if s.current >= 0 && !s.sellers[s.current].up {
			s.current = -1 // the seller moved to was gone before the save was done
		}
		if s.current < 0 && !s.pick() {
			s.waitForCapacity()
			continue
		}
		if s.work(start) {
			return true
		}
		start = s.job.Job.RestartHours
	}
	return false
}

// begin puts a seller into its long-run state: there with probability
// up/(up + outage). For exponential spells the remaining time is exact; for
// heavy tails the first spell is drawn afresh.
func (s *poolState) begin(i int) {
	m := s.job.Sellers[i]
	if m.OnDemand {
		s.sellers[i] = sellerState{up: true, until: math.Inf(1)}
		return
	}
	up, out := m.Up.MeanHours(), m.Outage.MeanHours()
	st := sellerState{up: s.rng.Float64()*(up+out) < up}
	st.until = s.draw(i, st.up)
	s.sellers[i] = st
}

func (s *poolState) draw(i int, up bool) float64 {
	if up {
		return s.job.Sellers[i].Up.draw(s.rng)
	}
	return s.job.Sellers[i].Outage.draw(s.rng)
}

// advance brings every seller to the present.
func (s *poolState) advance() {
	for i := range s.sellers {
		st := &s.sellers[i]
		for st.until <= s.now {
			st.up = !st.up
			st.until += s.draw(i, st.up)
		}
	}
}

func (s *poolState) pick() bool {
	n := len(s.order)
	first := 0
	if s.job.Rule == Rotate {
		first = s.last + 1
	}
	for k := range n {
		if i := s.order[(first+k)%n]; s.sellers[i].up {
			s.current, s.last = i, i
			return true
		}
	}
	return false
}

func (s *poolState) waitForCapacity() {
	next := math.Inf(1)
	for i := range s.sellers {
		next = math.Min(next, s.sellers[i].until)
	}
	s.now = next
}

// work runs on the current seller until the job is done (true), the seller is
// lost, or a move to a cheaper one begins.
func (s *poolState) work(start float64) bool {
	p := s.job.Job
	p.WorkHours -= s.saved
	count, stretch, last := p.pieces()
	need := start + last
	if count > 1 {
		need += (count - 1) * stretch
	}
	cur := &s.sellers[s.current]
	end, to := cur.until, -1
	if s.job.Return {
		if at, i := s.cheaper(); at+p.CheckpointHours < math.Min(end, s.now+need) {
			end, to = at+p.CheckpointHours, i
		}
	}
	if s.now+need <= end {
		cur.billed += need
		s.now += need
		return true
	}
	ran := end - s.now
	cur.billed += ran
	s.now = end
	usable := math.Max(0, ran-start)
	if to >= 0 {
		usable = math.Max(0, usable-p.CheckpointHours) // the last of it was a planned save
	}
	whole := 0.0
	if stretch > 0 && count > 1 {
		whole = math.Min(math.Floor(usable/stretch), count-1)
	}
	s.saved += whole * p.IntervalHours
	if to < 0 {
		s.interruptions++
		s.current = -1
		return false
	}
	s.saved += math.Min(math.Min(usable-whole*stretch, p.IntervalHours), p.WorkHours-whole*p.IntervalHours)
	s.moves++
	s.current, s.last = to, to
	return false
}

// cheaper is the first time a cheaper seller comes back while the current one
// runs, if the move then pays: what is left is cheaper there by more than the
// save and the restart cost.
func (s *poolState) cheaper() (at float64, seller int) {
	at, seller = math.Inf(1), -1
	here := s.job.Sellers[s.current].CostFactor
	for i := range s.sellers {
		there := s.job.Sellers[i].CostFactor
		if there >= here {
			continue
		}
		when := s.now
		if !s.sellers[i].up {
			when = s.sellers[i].until
		}
		left := s.job.Job.WorkHours - s.saved - (when - s.now)
		if left*(here-there) > s.job.Job.CheckpointHours*here+s.job.Job.RestartHours*there && when < at {
			at, seller = when, i
		}
	}
	return at, seller
}
