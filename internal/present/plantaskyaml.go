package present

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// skyPilot is a managed job: the pool in its order, tried again after every
// interruption.
func (t Task) skyPilot() ([]object, []string, error) {
	x := t.Plan.Chosen
	gpu, err := t.skyGPU(skyClouds[x.Provider])
	if err != nil {
		return nil, nil, err
	}
	var ordered []object
	var unknown []string
	for _, o := range t.Plan.Pool {
		cloud := skyClouds[o.Provider]
		name, err := t.skyGPU(cloud)
		if cloud == "" || err != nil {
			unknown = append(unknown, t.what(o))
			continue
		}
		choice := object{{"infra", cloud}, {"accelerators", fmt.Sprintf("%s:%d", name, perNode(x))}, {"use_spot", o.Purchase == catalog.Spot}}
		if !slices.ContainsFunc(ordered, func(c object) bool { return slices.Equal(c, choice) }) {
			ordered = append(ordered, choice)
		}
	}
	resources := object{{"ordered", ordered}}
	if len(ordered) == 0 {
		resources = object{{"accelerators", fmt.Sprintf("%s:%d", gpu, perNode(x))}, {"use_spot", x.Purchase == catalog.Spot}}
	}
	resources = append(resources, pair{"job_recovery", object{{"strategy", "EAGER_NEXT_REGION"}, {"max_restarts_on_errors", ownFailures}}})
	o := object{{"name", t.name()}, {"workdir", "."}}
	if x.Instances > 1 {
		o = append(o, pair{"num_nodes", x.Instances})
	}
	run := t.exports(`"$(echo "$SKYPILOT_NODE_IPS" | head -n 1)"`, "$SKYPILOT_NODE_RANK", "$SKYPILOT_NUM_NODES") + t.Run
	o = append(o, pair{"resources", resources}, pair{"envs", t.environment()}, pair{"run", run})
	return []object{o}, append(t.missing("SkyPilot", unknown),
		t.Lang.T("task.keep", t.Lang.T("task.keep.skypilot")), t.Lang.T("task.launch", "sky jobs launch task.yaml")), nil
}

// missing names sellers that the engine cannot ask.
func (t Task) missing(engine string, sellers []string) []string {
	if len(sellers) == 0 {
		return nil
	}
	return []string{t.Lang.T("task.missing", engine, strings.Join(sellers, t.Lang.T("est.semi")))}
}

// dstack is a task: it asks the pool's backends and tries again for want of
// capacity and after interruptions, as long as the run may take.
func (t Task) dstack() ([]object, []string, error) {
	x := t.Plan.Chosen
	name, err := t.dstackGPU()
	if err != nil {
		return nil, nil, err
	}
	pool, unknown := t.dstackPool()
	var backends []string
	for _, o := range pool {
		if b := dstackBackends[o.Provider]; !slices.Contains(backends, b) {
			backends = append(backends, b)
		}
	}
	gpu := object{{"name", name}, {"memory", fmt.Sprintf("%.0fGB..", math.Floor(0.9*t.GPU.MemoryGB))}, {"count", perNode(x)}}
	limit := seconds(t.limitHours()) + "s"
	o := object{{"type", "task"}, {"name", t.name()}}
	if x.Instances > 1 {
		o = append(o, pair{"nodes", x.Instances})
	}
	commands := []string{t.Run}
	if e := t.exports("$DSTACK_MASTER_NODE_IP", "$DSTACK_NODE_RANK", "$DSTACK_NODES_NUM"); e != "" {
		commands = []string{strings.TrimSpace(e), t.Run}
	}
	o = append(o, pair{"image", t.Image}, pair{"env", t.environment()}, pair{"commands", commands},
		pair{"resources", object{{"gpu", gpu}, {"shm_size", fmt.Sprintf("%dGB", 8*perNode(x))}}})
	if len(backends) > 0 {
		o = append(o, pair{"backends", backends})
	} else {
		pool = t.Plan.Pool // any backend, but not at any price
	}
	o = append(o, pair{"spot_policy", spotPolicy(pool)},
		pair{"retry", object{{"on_events", []string{"no-capacity", "interruption"}}, {"duration", limit}}}, pair{"max_duration", limit})
	if most := ceiling(pool); most.Known() && most.Currency() == "USD" {
		o = append(o, pair{"max_price", json.Number(most.String())})
	}
	keep := []string{t.Lang.T("task.keep", t.Lang.T("task.keep.dstack")), t.Lang.T("task.launch", "dstack apply -f task.dstack.yml") + t.Lang.T("task.fleet")}
	return []object{o}, append(t.missing("dstack", unknown), keep...), nil
}

// dstackPool is whom dstack can ask for the plan, and whom it cannot ask.
func (t Task) dstackPool() (pool []*estimate.Estimate, unknown []string) {
	for _, o := range t.Plan.Pool {
		b, ok := dstackBackends[o.Provider]
		if !ok || o.Instances > 1 && !slices.Contains(dstackClusters, b) {
			unknown = append(unknown, t.what(o))
			continue
		}
		pool = append(pool, o)
	}
	return pool, unknown
}

// ceiling is the highest price of a machine: a tenth above the dearest seller,
// since prices move. The price of a contract is none that an engine is asked.
func ceiling(pool []*estimate.Estimate) money.Amount {
	var most money.Amount
	for _, o := range pool {
		if o.Purchase != catalog.Reserved && o.PerInstHour.Known() && (!most.Known() || o.PerInstHour.Cmp(most) > 0) {
			most = o.PerInstHour
		}
	}
	if most.Known() {
		most, _ = most.MulFrac(11, 10) // too much for an amount: no ceiling
	}
	return most
}

// spotPolicy is auto where sellers on spot are followed by machines on demand.
func spotPolicy(pool []*estimate.Estimate) string {
	spot := 0
	for _, x := range pool {
		if x.Purchase == catalog.Spot {
			spot++
		}
	}
	switch spot {
	case 0:
		return "on-demand"
	case len(pool):
		return "spot"
	}
	return "auto"
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
