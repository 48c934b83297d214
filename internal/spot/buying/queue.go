package buying

import (
	"fmt"
	"math"
)

// maxServers bounds the search for the number of servers.
const maxServers = 1_000_000

// MeanWait is the mean time in seconds a request waits for one of the servers
// (M/M/c, Erlang C): the latency floor of workers that do not batch. False when
// the servers cannot keep up.
func MeanWait(servers int, requestsPerSecond, serviceSeconds float64) (float64, bool) {
	load := requestsPerSecond * serviceSeconds
	if servers < 1 || !(load >= 0) || load >= float64(servers) {
		return 0, false
	}
	return finite(waiting(erlangB(servers, load), servers, load) * serviceSeconds / (float64(servers) - load))
}

// ServersFor is the smallest number of servers whose mean wait is at most the
// target, with that wait.
func ServersFor(requestsPerSecond, serviceSeconds, targetMeanWaitSeconds float64) (servers int, waitSeconds float64, err error) {
	load := requestsPerSecond * serviceSeconds
	if !(load >= 0 && load < maxServers && targetMeanWaitSeconds >= 0) {
		return 0, 0, fmt.Errorf("load of %g servers must be below %d and the target wait %g s at least 0", load, maxServers, targetMeanWaitSeconds)
	}
	b := 1.0 // Erlang B, one server more in each step
	for c := 1; c <= maxServers; c++ {
		b = load * b / (float64(c) + load*b)
		if float64(c) <= load {
			continue
		}
		w := waiting(b, c, load) * serviceSeconds / (float64(c) - load)
		if w <= targetMeanWaitSeconds {
			return c, w, nil
		}
	}
	return 0, 0, fmt.Errorf("no number of servers up to %d brings the mean wait to %g s", maxServers, targetMeanWaitSeconds)
}

// erlangB is the blocking probability, by the recursion that cannot overflow.
func erlangB(servers int, load float64) float64 {
	b := 1.0
	for c := 1; c <= servers; c++ {
		b = load * b / (float64(c) + load*b)
	}
	return b
}

// waiting turns Erlang B into Erlang C, the probability of having to wait.
func waiting(b float64, servers int, load float64) float64 {
	rho := load / float64(servers)
	return b / math.Max(1-rho*(1-b), math.SmallestNonzeroFloat64)
}
