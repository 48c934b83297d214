package spot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Limits of a simulation, so that a job that never finishes ends the program's
// patience and not the user's.
const (
	MaxRuns         = 5_000_000
	maxEventsPerRun = 1_000_000
	maxEvents       = 60_000_000
)

var errTooManyEvents = fmt.Errorf("simulation stopped after %d interruptions: the job hardly ever finishes", maxEvents)

// DefaultSeed is the seed used when none is given: same input, same answer.
const DefaultSeed = 20260930

// Simulation says how to replay a job with random up-times.
type Simulation struct {
	Runs   int    // 1..MaxRuns
	Seed   uint64 // 0 means DefaultSeed
	Up     Law    // up-times; the zero Law means exponential with the job's rate
	Outage Law    // unbilled waits; the zero Law means always the job's WaitHours
}

// Spread describes the distribution of one quantity over the runs that finished.
type Spread struct {
	Mean, StdErr  float64 // standard error of the mean
	P10, P50, P90 float64
}

// Distribution is what a simulation or a replay found.
type Distribution struct {
	Runs          int
	Unfinished    int // runs given up; they are in none of the figures
	WallHours     Spread
	BilledHours   Spread
	CostFactor    Spread // billed hours per hour of useful work: times the spot price it is the price of finished work
	Interruptions float64
	LostHours     float64 // mean work and unfinished saves redone
	wall          []float64
}

// MissShare is the share of runs that take longer than the deadline; runs given
// up count as misses.
func (d Distribution) MissShare(deadlineHours float64) float64 {
	intime, _ := slices.BinarySearch(d.wall, math.Nextafter(deadlineHours, math.Inf(1)))
	return float64(len(d.wall)-intime+d.Unfinished) / float64(d.Runs)
}

// Simulate runs the job many times with a fixed seed. The work is one draw per
// interruption, not per checkpoint, and nothing is allocated per run.
func Simulate(j Job, s Simulation) (Distribution, error) {
	if err := j.check(); err != nil {
		return Distribution{}, err
	}
	src, err := s.source(j)
	if err != nil {
		return Distribution{}, err
	}
	return collect(j, s.Runs, func(int) (spells, float64) { return src, 0 })
}

// MissProbability simulates how often the job takes longer than the deadline and
// returns the share with its standard error.
func MissProbability(j Job, deadlineHours float64, s Simulation) (share, stdErr float64, err error) {
	if err := j.check(); err != nil {
		return 0, 0, err
	}
	src, err := s.source(j)
	if err != nil {
		return 0, 0, err
	}
	p, late, events := j.plan(), 0, 0
	p.until = deadlineHours
	for range s.Runs {
		one := p.run(src)
		if events += one.interruptions; events > maxEvents {
			return 0, 0, errTooManyEvents
		}
		if !one.finished || one.wall > deadlineHours {
			late++
		}
	}
	share = float64(late) / float64(s.Runs)
	return share, math.Sqrt(share * (1 - share) / float64(s.Runs)), nil
}

// spells hands out alternating up-times and the outages that follow them.
type spells interface{ next() (up, outage float64) }

// lawSpells draws them from laws.
type lawSpells struct {
	rng     *rand.Rand
	up, out Law
	wait    float64
}

func (s *lawSpells) next() (up, outage float64) {
	up = math.Inf(1)
	if s.up != (Law{}) {
		up = s.up.draw(s.rng)
	}
	if s.out != (Law{}) {
		return up, s.out.draw(s.rng)
	}
	return up, s.wait
}

func (s Simulation) source(j Job) (*lawSpells, error) {
	if s.Runs < 1 || s.Runs > MaxRuns {
		return nil, fmt.Errorf("simulation of %d runs: must be 1 to %d", s.Runs, MaxRuns)
	}
	if s.Seed == 0 {
		s.Seed = DefaultSeed
	}
	if s.Up == (Law{}) && j.Rate.PerHour > 0 {
		s.Up = Exponential(1 / j.Rate.PerHour)
	}
	return &lawSpells{rng: rand.New(rand.NewPCG(s.Seed, 0x9e3779b97f4a7c15)), up: s.Up, out: s.Outage, wait: j.WaitHours}, nil
}

// plan is a job cut into stretches, ready to run.
type plan struct {
	job                  Job
	count, stretch, last float64
	smooth               bool
	until                float64 // a run that is still going then is given up
}

func (j Job) plan() plan {
	p := plan{job: j, until: math.Inf(1)}
	p.count, p.stretch, p.last = j.pieces()
	p.smooth = j.SaveOnNotice || p.count == 0
	return p
}

type runResult struct {
	wall, billed, lost float64
	interruptions      int
	finished           bool
}

// run plays one job over the spells: an up-time yields as many whole stretches
// as fit after the start-up, the rest of it is lost.
func (p plan) run(src spells) runResult {
	var r runResult
	start, done, left := 0.0, 0.0, p.job.WorkHours
	if p.job.ChargeFirstStart {
		start = p.job.RestartHours
	}
	for range maxEventsPerRun {
		up, outage := src.next()
		need := left
		if !p.smooth {
			need = (p.count-1-done)*p.stretch + p.last
		}
		if up >= start+need {
			r.wall += start + need
			r.billed += start + need
			r.finished = true
			return r
		}
		if usable := up - start; usable > 0 && p.smooth {
			left -= usable
		} else if usable > 0 {
			whole := 0.0
			if p.stretch > 0 {
				whole = math.Min(math.Floor(usable/p.stretch), p.count-1-done)
			}
			done += whole
			r.lost += usable - whole*p.stretch
		}
		if up >= p.job.FreeFirstHours {
			r.billed += up
		}
		r.wall += up + outage
		r.interruptions++
		if r.wall > p.until {
			return r
		}
		start = p.job.RestartHours
	}
	return r
}

// collect runs the plan over the spells that from returns for each run, with the
// wait for the first instance.
func collect(j Job, runs int, from func(run int) (spells, float64)) (Distribution, error) {
	p := j.plan()
	d := Distribution{Runs: runs, wall: make([]float64, 0, runs)}
	billed := make([]float64, 0, runs)
	var events, interruptions int
	for i := range runs {
		src, wait := from(i)
		one := p.run(src)
		if events += one.interruptions; events > maxEvents {
			return Distribution{}, errTooManyEvents
		}
		if !one.finished {
			d.Unfinished++
			continue
		}
		interruptions += one.interruptions
		d.LostHours += one.lost
		d.wall = append(d.wall, one.wall+wait)
		billed = append(billed, one.billed)
	}
	if n := float64(len(billed)); n > 0 {
		d.Interruptions, d.LostHours = float64(interruptions)/n, d.LostHours/n
		d.WallHours, d.BilledHours = spread(d.wall), spread(billed)
		if j.WorkHours > 0 {
			d.CostFactor = d.BilledHours.scaled(1 / j.WorkHours)
		}
	}
	return d, nil
}

// spread sorts the values in place and describes them.
func spread(v []float64) Spread {
	var sum, square float64
	for _, x := range v {
		sum += x
	}
	n := float64(len(v))
	mean := sum / n
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	slices.Sort(v)
	s := Spread{Mean: mean, P10: quantile(v, 0.1), P50: quantile(v, 0.5), P90: quantile(v, 0.9)}
	if n > 1 {
		s.StdErr = math.Sqrt(square / (n - 1) / n)
	}
	return s
}

// quantile is the smallest value that at least the share q does not exceed.
func quantile(sorted []float64, q float64) float64 {
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, i)]
}

func (s Spread) scaled(f float64) Spread {
	return Spread{s.Mean * f, s.StdErr * f, s.P10 * f, s.P50 * f, s.P90 * f}
}
