package buying

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Fleet is workers that each serve a limited number of requests at once. A
// request takes the most recently freed worker with room, or starts a new one
// and waits for its cold start. An idle worker is billed until its timeout.
type Fleet struct {
	Worker
	Concurrency int // requests one worker serves at once, each in ServiceSeconds; 1 or more
	MinWorkers  int // kept alive and billed all the time, never cold
}

// FleetResult is what a simulation of a fleet found.
type FleetResult struct {
	Requests          int
	BilledPerRequest  float64 // worker-seconds of scale-to-zero workers per request
	ResidentWorkers   float64 // MinWorkers, billed all the time
	ColdShare         float64 // requests that waited for a cold start
	ColdShareStdErr   float64 // as if requests were independent
	MeanBilledWorkers float64 // scale-to-zero workers billed on average
	PeakWorkers       int     // alive at once, resident ones included
}

// MaxRequests bounds a simulation.
const MaxRequests = 20_000_000

// Simulate draws Poisson arrivals with a fixed seed (0: a default).
func (f Fleet) Simulate(requestsPerSecond float64, requests int, seed uint64) (FleetResult, error) {
	if err := f.check(); err != nil {
		return FleetResult{}, err
	}
	if f.Concurrency < 1 || f.MinWorkers < 0 || f.MinWorkers > 1_000_000 {
		return FleetResult{}, fmt.Errorf("concurrency %d must be at least 1 and min workers %d 0 to 1000000", f.Concurrency, f.MinWorkers)
	}
	if !(requestsPerSecond > 0) || math.IsInf(requestsPerSecond, 1) || requests < 1 || requests > MaxRequests {
		return FleetResult{}, fmt.Errorf("requests per second %g must be above 0 and requests %d 1 to %d", requestsPerSecond, requests, MaxRequests)
	}
	if requestsPerSecond*(f.ColdStartSeconds+f.ServiceSeconds) > 1e5 {
		return FleetResult{}, fmt.Errorf("%g requests a second keep more than 100000 requests in flight", requestsPerSecond)
	}
	if seed == 0 {
		seed = 20260930
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	s := fleetState{fleet: f}
	for range f.MinWorkers {
		s.open = append(s.open, s.launch(0, 0, true))
	}
	now, cold := 0.0, 0
	for range requests {
		now += rng.ExpFloat64() / requestsPerSecond
		s.finishUntil(now)
		if s.serve(now) {
			cold++
		}
	}
	s.finishUntil(math.Inf(1))
	for i := range s.workers {
		if w := &s.workers[i]; w.alive && !w.resident {
			s.billed += w.idleSince + f.IdleTimeoutSeconds - w.started
		}
	}
	share := float64(cold) / float64(requests)
	return FleetResult{
		Requests:          requests,
		BilledPerRequest:  s.billed / float64(requests),
		ResidentWorkers:   float64(f.MinWorkers),
		ColdShare:         share,
		ColdShareStdErr:   math.Sqrt(share * (1 - share) / float64(requests)),
		MeanBilledWorkers: s.billed / now,
		PeakWorkers:       s.peak,
	}, nil
}

type fleetWorker struct {
	started, ready, idleSince float64
	busy                      int
	alive, resident           bool
	listed                    bool // on the open stack
}

// done is a request that ends.
type done struct {
	at     float64
	worker int
}

type fleetState struct {
	fleet   Fleet
	workers []fleetWorker
	free    []int  // slots of workers that ended
	open    []int  // workers with room, the most recently freed last
	ends    []done // a heap by time
	billed  float64
	alive   int
	peak    int
}

// serve places one request and reports whether it met a cold start.
func (s *fleetState) serve(now float64) (cold bool) {
	id := -1
	for id < 0 && len(s.open) > 0 {
		top := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		w := &s.workers[top]
		w.listed = false
		if w.busy == 0 && !w.resident && w.idleSince+s.fleet.IdleTimeoutSeconds < now {
			s.end(top)
			continue
		}
		id = top
	}
	if id < 0 {
		id = s.launch(now, now+s.fleet.ColdStartSeconds, false)
	}
	w := &s.workers[id]
	cold = w.ready > now || w.started == now && !w.resident
	w.busy++
	s.push(done{math.Max(now, w.ready) + s.fleet.ServiceSeconds, id})
	s.list(id)
	return cold
}

func (s *fleetState) list(id int) {
	if w := &s.workers[id]; !w.listed && w.busy < s.fleet.Concurrency {
		w.listed = true
		s.open = append(s.open, id)
	}
}

func (s *fleetState) launch(now, ready float64, resident bool) int {
	w := fleetWorker{started: now, ready: ready, idleSince: now, alive: true, resident: resident, listed: resident}
	s.alive++
	s.peak = max(s.peak, s.alive)
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		s.workers[id] = w
		return id
	}
	s.workers = append(s.workers, w)
	return len(s.workers) - 1
}

// end bills a worker whose idle timeout has passed; when this is noticed does not
// change what it costs.
func (s *fleetState) end(id int) {
	w := &s.workers[id]
	s.billed += w.idleSince + s.fleet.IdleTimeoutSeconds - w.started
	w.alive = false
	s.alive--
	s.free = append(s.free, id)
}

// finishUntil ends the requests due, and the workers idle too long at the bottom
// of the stack.
func (s *fleetState) finishUntil(now float64) {
	for len(s.ends) > 0 && s.ends[0].at <= now {
		d := s.pop()
		w := &s.workers[d.worker]
		w.busy--
		if w.busy == 0 {
			w.idleSince = d.at
		}
		s.list(d.worker)
	}
	if math.IsInf(now, 1) {
		return
	}
	gone := 0
	for _, id := range s.open {
		w := &s.workers[id]
		if w.resident || w.busy > 0 || w.idleSince+s.fleet.IdleTimeoutSeconds >= now {
			break
		}
		w.listed = false
		s.end(id)
		gone++
	}
	if gone > 0 {
		s.open = append(s.open[:0], s.open[gone:]...)
	}
}

func (s *fleetState) push(d done) {
	s.ends = append(s.ends, d)
	for i := len(s.ends) - 1; i > 0; {
		up := (i - 1) / 2
		if s.ends[up].at <= s.ends[i].at {
			return
		}
		s.ends[up], s.ends[i] = s.ends[i], s.ends[up]
		i = up
	}
}

func (s *fleetState) pop() done {
	d, last := s.ends[0], len(s.ends)-1
	s.ends[0] = s.ends[last]
	s.ends = s.ends[:last]
	for i := 0; ; {
		kid := 2*i + 1
		if kid >= last {
			return d
		}
		if kid+1 < last && s.ends[kid+1].at < s.ends[kid].at {
			kid++
		}
		if s.ends[i].at <= s.ends[kid].at {
			return d
		}
		s.ends[i], s.ends[kid] = s.ends[kid], s.ends[i]
		i = kid
	}
}
