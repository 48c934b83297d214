package spotcheck

import (
	"io/fs"
	"math"

	"github.com/gpucost/gpucost/internal/spot/buying"
)

func commit(quantity string, in inputs, _ fs.FS) (float64, error) {
	switch quantity {
	case "breakeven_utilisation":
		c := buying.Commitment{Upfront: in.Upfront, PerHour: in.CommitPerHour, TermHours: in.TermHours}
		return orInf(c.BreakEvenUse(in.OnDemandPerHour)), nil
	case "breakeven_discount_at_full_use":
		return orInf(buying.MarketBreakEvenDiscount(in.DeclinePerYear, in.TermYears)), nil
	case "reserve_units", "cost_per_h_od1":
		n, err := buying.ReserveUnits(in.DemandProbability, in.Discount)
		if err != nil || quantity == "reserve_units" {
			return float64(n), err
		}
		return buying.ReservedCost(in.DemandProbability, n, in.Discount)
	case "total_paid":
		return buying.EarlyExit(in.Monthly, in.TermMonths, in.UsedMonths, in.FeeFraction)
	}
	return unknown(quantity)
}

func (in inputs) worker() buying.Worker {
	return buying.Worker{ColdStartSeconds: in.ColdStartSeconds, IdleTimeoutSeconds: in.IdleTimeoutSeconds, ServiceSeconds: in.ServiceSeconds}
}

func serverless(quantity string, in inputs, _ fs.FS) (float64, error) {
	switch quantity {
	case "billed_s_per_request":
		r, err := in.fleet()
		return r.BilledPerRequest, err
	case "cold_fraction":
		if in.Concurrency > 0 {
			r, err := in.fleet()
			return r.ColdShare, err
		}
		return in.worker().ColdShare(in.RequestsPerSecond), nil
	case "billed_fraction":
		return in.worker().BilledShare(in.RequestsPerSecond), nil
	case "billed_s_no_keepalive":
		m := buying.Metering{IncrementSeconds: in.GranularitySeconds, MinimumSeconds: in.MinimumSeconds}
		return m.Billed(in.ServiceSeconds + in.ColdStartSeconds), nil
	case "breakeven_busy_fraction":
		return orInf(buying.BreakEvenBusy(in.DedicatedPerHour, in.ServerlessPerSecond)), nil
	case "saving_fraction":
		gpus := in.GPUs
		if gpus == 0 {
			gpus = 1
		}
		v, ok := buying.ServerlessSaving(in.RequestsPerDay, in.BilledSeconds, in.ServerlessPerSecond, in.DedicatedPerHour, gpus)
		if !ok {
			return math.Inf(-1), nil
		}
		return v, nil
	case "mmc_servers", "mmc_mean_wait_s":
		n, wait, err := buying.ServersFor(in.RequestsPerSecond, in.ServiceSeconds, in.TargetWaitSeconds)
		if quantity == "mmc_servers" {
			return float64(n), err
		}
		return wait, err
	}
	return unknown(quantity)
}

func (in inputs) fleet() (buying.FleetResult, error) {
	f := buying.Fleet{Worker: in.worker(), Concurrency: max(1, in.Concurrency), MinWorkers: in.MinWorkers}
	return f.Simulate(in.RequestsPerSecond, requests, 0)
}

func buy(quantity string, in inputs, _ fs.FS) (float64, error) {
	o := buying.Own{
		Capex: in.Capex, ResaleShare: in.Residual, LifeYears: in.Years, CapitalRate: in.WACC,
		OpexPerMonth: in.OpexMonth, GPUs: in.GPUs, DaysPerMonth: in.DaysPerMonth,
	}
	switch quantity {
	case "own_cost_month":
		return o.PerMonth()
	case "breakeven_hours_per_day":
		return orInf(o.BreakEvenHoursPerDay(in.RentPerGPU)), nil
	case "breakeven_rent_per_gpu_h":
		return orInf(o.BreakEvenRent(in.HoursPerDay)), nil
	case "breakeven_life_months":
		return orInf(o.BreakEvenLifeMonths(in.RentPerGPU, in.HoursPerDay)), nil
	case "power_month":
		p := buying.Power{IdleKW: in.IdleKW, MaxKW: in.MaxKW, PUE: in.PUE, PerKWh: in.PricePerKWh}
		return p.Cost(in.Utilisation, in.Hours), nil
	case "annuity":
		return buying.Annuity(in.Rate, in.Years), nil
	}
	return unknown(quantity)
}
