package spotcheck

import (
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/spot"
)

func units(quantity string, in inputs, _ fs.FS) (float64, error) {
	if in.Probability == 1 { // certain: the limits of the formulas
		switch quantity {
		case "lambda_per_h":
			return math.Inf(1), nil
		case "mtbf_h":
			return 0, nil
		case "p_interrupted_in_6h":
			return 1, nil
		}
	}
	r, err := spot.RateFromProbability(in.Probability, in.WindowHours)
	if err != nil {
		return 0, err
	}
	switch quantity {
	case "lambda_per_h":
		return r.PerHour, nil
	case "mtbf_h":
		return orInf(r.MTBFHours()), nil
	case "p_interrupted_in_6h":
		return r.Within(6), nil
	}
	return unknown(quantity)
}

func interval(quantity string, in inputs, _ fs.FS) (float64, error) {
	r := spot.Rate{PerHour: in.RatePerHour}
	switch quantity {
	case "tau_young_h":
		return orInf(spot.Young(in.CheckpointHours, r)), nil
	case "tau_daly_h":
		return orInf(spot.Daly(in.CheckpointHours, r)), nil
	case "tau_exact_h":
		return orInf(spot.Exact(in.CheckpointHours, r)), nil
	}
	return unknown(quantity)
}

func makespan(quantity string, in inputs, _ fs.FS) (float64, error) {
	switch quantity {
	case "wall_h", "billed_h", "interruptions":
		return expected(quantity, in.job())
	case "best_pieces":
		n, ok := spot.BestPieces(in.job())
		return orInf(float64(n), ok), nil
	case "lost_work_given_interruption_h":
		return spot.LostPerInterruption(in.StretchHours, spot.Rate{PerHour: in.RatePerHour}), nil
	case "p_miss":
		j := in.job()
		p, _, err := spot.MissProbability(j, in.MissAfterHours, spot.Simulation{Runs: runs(j, missRuns, in.MissAfterHours)})
		return p, err
	}
	return unknown(quantity)
}

func graceful(quantity string, in inputs, _ fs.FS) (float64, error) {
	j := in.job()
	j.SaveOnNotice = true
	return expected(quantity, j)
}

func expected(quantity string, j spot.Job) (float64, error) {
	o, err := spot.Expected(j)
	switch {
	case err != nil:
		return 0, err
	case o.Overflows:
		return math.Inf(1), nil
	}
	switch quantity {
	case "wall_h":
		return o.WallHours, nil
	case "billed_h":
		return o.BilledHours, nil
	case "interruptions":
		return o.Interruptions, nil
	}
	return unknown(quantity)
}

func firstHourFree(quantity string, in inputs, _ fs.FS) (float64, error) {
	j := in.job()
	switch quantity {
	case "free_h_per_interruption":
		return spot.FreePerInterruption(j.Rate, j.FreeFirstHours), nil
	case "billed_h_approx":
		o, err := spot.Expected(j)
		return orInf(o.PaidHours, !o.Overflows), err
	case "billed_h_mc":
		d, err := spot.Simulate(j, spot.Simulation{Runs: runs(j, billedRuns, math.Inf(1))})
		return d.BilledHours.Mean, err
	}
	return unknown(quantity)
}

func checkpoint(quantity string, in inputs, _ fs.FS) (float64, error) {
	c := spot.Checkpoint{SizeGB: spot.CheckpointGB(in.ParamsBillion, in.BytesPerParam), WriteGBPerSecond: in.WriteGBPerSecond}
	switch quantity {
	case "size_gb":
		return c.SizeGB, nil
	case "write_s":
		return orInf(c.WriteSeconds()), nil
	case "needed_gb_per_s":
		return orInf(c.NeededGBPerSecond(in.NoticeSeconds)), nil
	case "fits_notice":
		if c.FitsNotice(in.NoticeSeconds) {
			return 1, nil
		}
		return 0, nil
	}
	return unknown(quantity)
}

func pool(quantity string, in inputs, _ fs.FS) (float64, error) {
	switch quantity {
	case "spot_h", "od_h", "greedy_cost":
		s, o, err := spot.SmoothGreedy(in.DeadlineWorkHours, in.DeadlineHours, in.SpotFraction)
		switch {
		case err != nil:
			return 0, err
		case quantity == "spot_h":
			return s, nil
		case quantity == "od_h":
			return o, nil
		}
		return s + o*in.OnDemandOverSpot, nil
	case "mean_price":
		v, ok, err := spot.PoolCost(in.Availability, in.Price)
		return orInf(v, ok), err
	}
	shares, none, err := spot.PoolShares(in.Availability)
	if err != nil {
		return 0, err
	}
	which, ok := strings.CutPrefix(quantity, "fraction_")
	if !ok {
		return unknown(quantity)
	}
	if which == "none" {
		return none, nil
	}
	i, err := strconv.Atoi(which)
	if err != nil || i < 0 || i >= len(shares) {
		return unknown(quantity)
	}
	return shares[i], nil
}

func cost(quantity string, in inputs, _ fs.FS) (float64, error) {
	o, err := spot.Expected(in.job())
	if err != nil {
		return 0, err
	}
	onDemand := in.WorkHours * in.GPUs * in.OnDemandPerGPU
	if quantity == "ondemand_cost" {
		return onDemand, nil
	}
	inf := math.Inf(1)
	onSpot := o.BilledHours * in.GPUs * in.SpotPerGPU
	switch quantity {
	case "spot_cost":
		if o.Overflows {
			return inf, nil
		}
		return onSpot, nil
	case "saving_fraction":
		if o.Overflows {
			return -inf, nil
		}
		return 1 - onSpot/onDemand, nil
	case "effective_per_useful_gpu_h":
		if o.Overflows {
			return inf, nil
		}
		return onSpot / (in.WorkHours * in.GPUs), nil
	}
	return unknown(quantity)
}

func deadline(quantity string, in inputs, traces fs.FS) (float64, error) {
	t, err := in.trace(traces)
	if err != nil {
		return 0, err
	}
	threshold := 1
	if in.Threshold != nil {
		threshold = *in.Threshold
	}
	j := spot.DeadlineJob{
		WorkHours: in.DeadlineWorkHours, DeadlineHours: in.DeadlineHours, ChangeoverHours: in.ChangeoverHours,
		Policy: spot.Policy(in.Policy), Slices: in.Slices,
	}
	o, err := j.Play(t, in.StartTick, threshold)
	if err != nil {
		return 0, err
	}
	switch quantity {
	case "cost":
		return o.SpotHours*in.SpotPrice + o.OnDemandHours*in.OnDemandPrice, nil
	case "spot_h":
		return o.SpotHours, nil
	case "od_h":
		return o.OnDemandHours, nil
	case "finish_h":
		return o.FinishHours, nil
	case "switches":
		return float64(o.Switches), nil
	case "missed":
		if o.Missed {
			return 1, nil
		}
		return 0, nil
	}
	return unknown(quantity)
}

// trace is the row's own trace, or the named one of a trace file.
func (in inputs) trace(traces fs.FS) (spot.Trace, error) {
	gap := in.GapHours
	if gap == 0 {
		gap = in.GapSeconds / 3600
	}
	if in.TraceFile == "" {
		runs, err := spot.ParseRuns(in.TraceRuns)
		return spot.Trace{GapHours: gap, Runs: runs}, err
	}
	if traces == nil || strings.ContainsAny(in.TraceFile, `/\`) {
		return spot.Trace{}, fmt.Errorf("trace file %q: %w", in.TraceFile, fs.ErrNotExist)
	}
	f, err := traces.Open(in.TraceFile)
	if err != nil {
		return spot.Trace{}, err
	}
	defer func() { _ = f.Close() }()
	all, err := spot.ReadTraces(f, gap*3600)
	if err != nil {
		return spot.Trace{}, err
	}
	for _, t := range all {
		if t.ID == in.TraceID {
			t.GapHours = gap
			return t, nil
		}
	}
	return spot.Trace{}, fmt.Errorf("trace %q is not in %s", in.TraceID, in.TraceFile)
}
