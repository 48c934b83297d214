package buying

import (
	"fmt"
	"math"
)

// TokenPrice is a per-token price list, per million tokens.
type TokenPrice struct{ Input, CachedInput, Output float64 }

// TokenMix is how the tokens of a month divide; the shares add up to 1.
type TokenMix struct{ Input, CachedInput, Output float64 }

// Blended is the price of a million tokens of the mix.
func (p TokenPrice) Blended(m TokenMix) (float64, error) {
	if !(m.Input >= 0 && m.CachedInput >= 0 && m.Output >= 0) || math.Abs(m.Input+m.CachedInput+m.Output-1) > 1e-9 {
		return 0, fmt.Errorf("token shares %+v must not be negative and add up to 1", m)
	}
	return p.Input*m.Input + p.CachedInput*m.CachedInput + p.Output*m.Output, nil
}

// SelfHost is a fleet of identical replicas. It is paid for whether busy or not,
// so its idle time is in the cost of every token.
type SelfHost struct {
	PerReplicaHour      float64 // cost of an hour of one replica (all its GPUs)
	TokensPerSecond     float64 // one replica, flat out, in the tokens the price is for
	MinReplicas         int     // kept for availability; at least 1
	MaxReplicas         int     // the hardware there is; 0: as many as needed
	HighestBusyShare    float64 // planned utilisation at peak, 0..1; 0 means 1
	HoursPerMonth       float64
	EngineeringPerMonth float64 // people and tooling that an API does not need
}

func (s SelfHost) check() error {
	if !(s.PerReplicaHour >= 0 && s.TokensPerSecond > 0 && s.HoursPerMonth > 0 && s.EngineeringPerMonth >= 0) {
		return fmt.Errorf("self-hosting needs tokens per second %g and hours per month %g above 0 and costs of at least 0", s.TokensPerSecond, s.HoursPerMonth)
	}
	if s.MinReplicas < 1 || s.MaxReplicas < 0 || s.MaxReplicas > 0 && s.MaxReplicas < s.MinReplicas {
		return fmt.Errorf("replicas %d to %d: the minimum must be at least 1 and not above the maximum", s.MinReplicas, s.MaxReplicas)
	}
	if !(s.HighestBusyShare >= 0 && s.HighestBusyShare <= 1) {
		return fmt.Errorf("busy share %g must lie between 0 and 1", s.HighestBusyShare)
	}
	return nil
}

// replicaTokens is what one replica can serve in a month.
func (s SelfHost) replicaTokens() float64 {
	busy := s.HighestBusyShare
	if busy == 0 {
		busy = 1
	}
	return s.TokensPerSecond * 3600 * s.HoursPerMonth * busy
}

func (s SelfHost) cost(replicas float64) float64 {
	return replicas*s.PerReplicaHour*s.HoursPerMonth + s.EngineeringPerMonth
}

// HostedMonth is a month of self-hosting for a number of tokens.
type HostedMonth struct {
	Replicas       int     // needed, at least the minimum
	Cost           float64 // per month, all replicas and engineering
	PerMillion     float64 // effective, idle time included; 0 when over capacity or without tokens
	BusyShare      float64 // of the replicas' full throughput; above 1 when over capacity
	CapacityTokens float64 // a month, of the replicas there are
	OverCapacity   bool    // the tokens cannot be served: there is no price for impossible work
	Reason         string
}

// Month sizes and prices a month of that many tokens.
func (s SelfHost) Month(tokens float64) (HostedMonth, error) {
	if err := s.check(); err != nil {
		return HostedMonth{}, err
	}
	if !(tokens >= 0) || tokens/s.replicaTokens() > 1e9 {
		return HostedMonth{}, fmt.Errorf("tokens a month %g must be at least 0 and below a thousand million replicas", tokens)
	}
	n := math.Max(float64(s.MinReplicas), math.Ceil(tokens/s.replicaTokens()-1e-9))
	m := HostedMonth{Replicas: int(n)}
	have := n
	if s.MaxReplicas > 0 && n > float64(s.MaxReplicas) {
		have = float64(s.MaxReplicas)
		m.OverCapacity = true
		m.Reason = fmt.Sprintf("%.4g tokens a month are %.1f %% of what %d replicas can serve: %d are needed",
			tokens, 100*tokens/(have*s.replicaTokens()), s.MaxReplicas, m.Replicas)
	}
	m.CapacityTokens = have * s.replicaTokens()
	m.BusyShare = tokens / (have * s.TokensPerSecond * 3600 * s.HoursPerMonth)
	m.Cost = s.cost(have)
	if tokens > 0 && !m.OverCapacity {
		m.PerMillion = m.Cost / (tokens / 1e6)
	}
	return m, nil
}

// Flip is the volume from which self-hosting is cheaper than an API.
type Flip struct {
	TokensPerMonth float64
	Replicas       int
	CapacityShare  float64 // of those replicas' monthly tokens
	Exists         bool
	Reason         string // when it does not
}

// FlipVolume is the smallest number of tokens a month at which self-hosting
// costs no more than the API at that price per million. It does not scale with
// utilisation: the replicas are paid for anyway. It is refused when the
// hardware cannot serve it, or when a full replica costs more than its tokens.
func (s SelfHost) FlipVolume(apiPerMillion float64) (Flip, error) {
	if err := s.check(); err != nil {
		return Flip{}, err
	}
	if !(apiPerMillion >= 0) || math.IsInf(apiPerMillion, 1) {
		return Flip{}, fmt.Errorf("price per million tokens %g must be finite and not negative", apiPerMillion)
	}
	perToken := apiPerMillion / 1e6
	rent := s.PerReplicaHour * s.HoursPerMonth
	margin := s.replicaTokens()*perToken - rent // a full replica against the API
	n := float64(s.MinReplicas)
	if s.cost(n) > n*s.replicaTokens()*perToken { // the minimum fleet, full, does not pay: is there a larger one?
		if margin <= 0 {
			return Flip{Reason: fmt.Sprintf("a full replica makes its tokens at %.4g per million, the API sells them at %.4g: it never pays",
				rent/s.replicaTokens()*1e6, apiPerMillion)}, nil
		}
		n = math.Max(n, math.Ceil(s.EngineeringPerMonth/margin-1e-12))
	}
	// One replica less, full, does not pay, so the bill of n is met only beyond it.
	volume := s.cost(n) / perToken
	if _, ok := finite(volume); !ok || n > 1e9 {
		return Flip{Reason: "no volume pays at this price"}, nil
	}
	if s.MaxReplicas > 0 && n > float64(s.MaxReplicas) {
		return Flip{Reason: fmt.Sprintf("it would take %.4g tokens a month, but %d replicas can serve %.4g",
			volume, s.MaxReplicas, float64(s.MaxReplicas)*s.replicaTokens())}, nil
	}
	return Flip{TokensPerMonth: volume, Replicas: int(n), CapacityShare: volume / (n * s.replicaTokens()), Exists: true}, nil
}

// PerMillionTokens is the cost of a million tokens from a price per hour and a
// throughput at the given busy share. Check: cost per token x tokens per hour =
// price per hour.
func PerMillionTokens(perHour, tokensPerSecond, busyShare float64) (float64, bool) {
	return ratio(perHour*1e6, tokensPerSecond*3600*busyShare)
}
