package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Seller is someone to rent the machine from. The pool is simulated: a real one
// would ask the seller's interface where this one draws a number.
type Seller struct {
	Name       string
	MilliPrice int64 // thousandths of a US dollar per GPU-hour
	Spot       bool
	UpHours    float64 // mean time until a spot machine is taken back
	DownHours  float64 // mean time until there is one again

	until float64 // when the machine is taken, or when there is one again
	gone  bool
	used  float64 // seconds
}

// Pool hands out machines: the first seller of the list that has one. The last
// sells on demand and always has.
type Pool struct {
	Sellers []*Seller
	Now     float64 // seconds, simulated
	at      int
	rng     *rand.Rand
}

// NewPool is the pool of the review: two sellers on spot, one on demand behind
// them.
func NewPool(seed uint64, upHours float64) *Pool {
	p := &Pool{rng: rand.New(rand.NewPCG(seed, 1)), Sellers: []*Seller{
		{Name: "CoreWeave spot", MilliPrice: 820, Spot: true, UpHours: upHours, DownHours: 1},
		{Name: "RunPod spot", MilliPrice: 790, Spot: true, UpHours: upHours, DownHours: 1},
		{Name: "Lambda on demand", MilliPrice: 1990},
	}}
	for _, s := range p.Sellers {
		s.until = p.draw(s.UpHours)
	}
	return p
}

func (p *Pool) draw(meanHours float64) float64 { return p.Now + 3600*meanHours*p.rng.ExpFloat64() }

// Current is who the machine is rented from.
func (p *Pool) Current() *Seller { return p.Sellers[p.at] }

// Pass lets time go by on the current machine and reports whether its seller
// gives notice to take it back.
func (p *Pool) Pass(seconds float64) (notice bool) {
	p.Now += seconds
	p.Current().used += seconds
	return p.Current().Spot && p.Now >= p.Current().until
}

// Rotate gives the machine back and takes the first that is to be had.
func (p *Pool) Rotate() {
	s := p.Current()
	s.gone, s.until = true, p.draw(s.DownHours)
	p.at = p.first()
}

// Return goes back to an earlier seller of the list that has machines again. It
// costs nothing only right after a checkpoint.
func (p *Pool) Return() bool {
	first := p.first()
	if first >= p.at {
		return false
	}
	p.at = first
	return true
}

func (p *Pool) first() int {
	for i, s := range p.Sellers {
		if s.gone && p.Now >= s.until {
			s.gone, s.until = false, p.draw(s.UpHours)
		}
		if !s.Spot || !s.gone {
			return i
		}
	}
	return len(p.Sellers) - 1
}

// Bill says what was used and what it costs.
func (p *Pool) Bill() string {
	var out []string
	var all int64
	for _, s := range p.Sellers {
		if s.used > 0 {
			cost := s.MilliPrice * int64(s.used) / 3600
			all += cost
			out = append(out, fmt.Sprintf("%s %.1f h", s.Name, s.used/3600))
		}
	}
	return fmt.Sprintf("%s: USD %d.%02d a GPU", strings.Join(out, ", "), all/1000, all%1000/10)
}
