package spot

import (
	"errors"
	"fmt"
	"slices"
)

// PoolShares is how the time divides over an ordered pool of sellers with the
// given availabilities (0..1), if these are independent and the job always sits
// on the first available one: share i = a_i prod_{j<i} (1 - a_j). none is the
// share of the time without any capacity.
func PoolShares(availability []float64) (shares []float64, none float64, err error) {
	if len(availability) == 0 {
		return nil, 0, errors.New("a pool needs at least one seller")
	}
	none = 1
	shares = make([]float64, len(availability))
	for i, a := range availability {
		if !(a >= 0 && a <= 1) {
			return nil, 0, fmt.Errorf("availability %g of seller %d must lie between 0 and 1", a, i+1)
		}
		shares[i] = a * none
		none *= 1 - a
	}
	return shares, none, nil
}

// PoolCost is the mean cost of an hour that runs, over an ordered pool; false if
// the pool never runs. Costs are in any one unit.
func PoolCost(availability, costs []float64) (float64, bool, error) {
	shares, none, err := PoolShares(availability)
	if err != nil {
		return 0, false, err
	}
	if len(costs) != len(shares) {
		return 0, false, fmt.Errorf("%d costs for %d sellers", len(costs), len(shares))
	}
	sum := 0.0
	for i, s := range shares {
		sum += s * costs[i]
	}
	mean, ok := finite(sum / (1 - none))
	return mean, ok, nil
}

// Cheapest is the order in which a job that takes the cheapest available seller
// asks: indices by rising cost, equal costs in the order given.
func Cheapest(costs []float64) []int {
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case costs[a] < costs[b]:
			return -1
		case costs[a] > costs[b]:
			return 1
		}
		return 0
	})
	return order
}

// SmoothGreedy is the greedy deadline policy where spot is there a constant
// share of the time and changes cost nothing (Wu et al., NSDI'24, section 4.2):
// it stays on spot for t' = (R0 - C0)/(1 - share) hours, so C0 - share t' hours of
// work are left for on-demand.
func SmoothGreedy(workHours, deadlineHours, spotShare float64) (spotHours, onDemandHours float64, err error) {
	if !(workHours >= 0 && deadlineHours >= workHours && spotShare >= 0 && spotShare <= 1) {
		return 0, 0, fmt.Errorf("work %g h must be at least 0, the deadline %g h not before it and the spot share %g between 0 and 1",
			workHours, deadlineHours, spotShare)
	}
	if spotShare*(deadlineHours-workHours) >= workHours*(1-spotShare) {
		return workHours, 0, nil
	}
	spotHours = spotShare * (deadlineHours - workHours) / (1 - spotShare)
	return spotHours, workHours - spotHours, nil
}
