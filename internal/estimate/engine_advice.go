package estimate

import (
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/purchase"
	"github.com/gpucost/gpucost/internal/spot"
)

// The bounds of the rules of thumb.
const (
	shortJobHours = 3  // the guide of 2026: on demand for what is done within three hours
	largeModelB   = 60 // "70B training needs a fast fabric"
)

// advise adds the rules of thumb that apply, each with its reason. They change
// no order and leave nothing out.
func (v *evaluator) advise(a *Answer) {
	type sold struct{ provider, gpu string }
	onDemand := map[sold]money.Amount{}
	for i := range a.Estimates {
		e := &a.Estimates[i]
		key := sold{e.Provider, e.GPU}
		if e.Purchase == catalog.OnDemand && (!onDemand[key].Known() || e.Cost.Mid.Cmp(onDemand[key]) < 0) {
			onDemand[key] = e.Cost.Mid
		}
	}
	for i := range a.Estimates {
		e := &a.Estimates[i]
		v.adviseSpot(e, onDemand[sold{e.Provider, e.GPU}])
		v.adviseFabric(e)
		v.adviseBorder(e)
	}
	a.Flips = v.flips(a)
}

func (v *evaluator) adviseSpot(e *Estimate, onDemand money.Amount) {
	if e.Purchase != catalog.Spot {
		return
	}
	if v.Scenario.Kind == KindServe {
		k, ok := purchase.Interruptions(v.Catalog, e.Provider, purchase.GPUOf(e.quote), e.Region)
		if !ok {
			k = purchase.StandIn()
		}
		if m, ok := (spot.Rate{PerHour: k.PerHour[1]}).MTBFHours(); ok {
			e.warn(AdviceServingSpot, m)
		}
		return
	}
	if e.spot == nil || e.place == nil || !onDemand.Known() {
		return
	}
	hours := hoursOf(e.place.loads[1].ms)
	saved, err := onDemand.Sub(e.Cost.Mid)
	if hours <= 0 || hours > shortJobHours || err != nil || saved.Sign() < 0 {
		return
	}
	e.warn(AdviceShortJob, hours, 100*spot.Rate{PerHour: e.spot.PerHour[1]}.Within(hours), string(e.Currency)+" "+saved.Round(2))
}

func (v *evaluator) adviseBorder(e *Estimate) {
	if v.Scenario.DataIn == "cn" && e.Market != "cn" {
		e.warn(AdviceBorder)
	}
}

// adviseFabric warns of large models trained over a slow network.
func (v *evaluator) adviseFabric(e *Estimate) {
	if v.Scenario.Kind != KindTrain || v.job.train.Model == nil || e.place == nil || e.Instances < 2 || e.place.rack() {
		return
	}
	if b := v.job.shape.Params / 1e9; b >= largeModelB && e.place.net.Class == NetEthernet {
		e.warn(AdviceFabric, b, e.Instances)
	}
}
