package estimate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// The bounds of a plan that was saved: a long one has 100 kB.
const (
	mostPlanBytes = 8 << 20
	mostPlanGPUs  = 1_000_000
	mostPlanWord  = 200 // bytes of a name
)

// Current is the placement of a plan that was saved when the job was started.
type Current struct {
	Provider, Instance, Region, Tier, Host, Plan string
	GPU                                          string
	GPUs, Instances                              int64  // in use; machines
	PerInstance                                  string // GPUs of a machine, exact: 8 or 1/6; empty where not stated
	Purchase                                     catalog.Purchase
	TermMonths                                   *int
	PerGPUHour                                   money.Amount // as it was then; unknown where not stated
	AsOf, Source                                 string       // of that price
	Scenario                                     string       // id or name of what was planned; may be empty
	Kind                                         Kind
	DeadlineHours                                float64 // from the order to the end; 0: none
}

// savedPlan is what is needed of the JSON of a plan. Other keys do not matter.
type savedPlan struct {
	SchemaVersion *int    `json:"schema_version"`
	Command       *string `json:"command"`
	Scenario      *struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"scenario"`
	Deadline *float64 `json:"deadline_hours"`
	Plan     *struct {
		Provider   string  `json:"provider"`
		Instance   string  `json:"instance"`
		Region     string  `json:"region"`
		GPU        string  `json:"gpu"`
		GPUs       *int64  `json:"gpus"`
		Instances  *int64  `json:"instances"`
		Purchase   string  `json:"purchase"`
		TermMonths *int    `json:"term_months"`
		PerGPUHour *string `json:"price_per_gpu_hour"`
		Currency   string  `json:"currency"`
		AsOf       string  `json:"as_of"`
		Source     string  `json:"source"`
		Estimate   *struct {
			Tier        string `json:"tier"`
			Host        string `json:"host"`
			Plan        string `json:"plan"`
			PerInstance string `json:"gpus_per_instance"`
		} `json:"estimate"`
	} `json:"plan"`
}

// saveAPlan is how one comes by such a file.
const saveAPlan = "save one when the job is started: gpucost plan --scenario ... -o json > PLAN.json"

// ReadCurrent reads the placement from the JSON of a plan. It is strict on what
// it needs and bounded; every fault names the key, what it holds and what is
// wanted.
func ReadCurrent(file string, data []byte) (*Current, catalog.Problems) {
	fail := func(code, path, what string) (*Current, catalog.Problems) {
		return nil, catalog.Problems{{Code: code, File: file, Path: path, What: what, Hint: saveAPlan}}
	}
	if len(data) > mostPlanBytes {
		return fail("too-large", "", fmt.Sprintf("%d bytes: a plan has no more than %d", len(data), mostPlanBytes))
	}
	var s savedPlan
	if ps := catalog.DecodeJSON(file, data, &s); ps.Err() != nil {
		ps[0].Hint = saveAPlan
		return nil, ps
	}
	switch {
	case s.Command == nil || *s.Command != "plan":
		return fail("not-a-plan", "command", orNothing(s.Command)+`: want "plan"`)
	case s.SchemaVersion == nil || *s.SchemaVersion != 1:
		return fail("not-a-plan", "schema_version", orNothing(s.SchemaVersion)+": want 1")
	case s.Plan == nil:
		return fail("not-a-plan", "plan", "null: nothing was planned")
	}
	p := s.Plan
	c := &Current{
		Provider: p.Provider, Instance: p.Instance, Region: p.Region, GPU: p.GPU, Purchase: catalog.Purchase(p.Purchase), TermMonths: p.TermMonths, AsOf: p.AsOf, Source: p.Source,
	}
	if e := p.Estimate; e != nil {
		c.Tier, c.Host, c.Plan, c.PerInstance = e.Tier, e.Host, e.Plan, e.PerInstance
	}
	if s.Scenario != nil {
		c.Scenario, c.Kind = s.Scenario.ID, Kind(s.Scenario.Kind)
		if c.Scenario == "" {
			c.Scenario = s.Scenario.Name
		}
	}
	for _, w := range []struct{ path, text string }{
		{"plan.provider", c.Provider},
		{"plan.instance", c.Instance},
		{"plan.region", c.Region},
		{"plan.gpu", c.GPU},
		{"plan.source", c.Source},
		{"plan.as_of", c.AsOf},
		{"plan.estimate.tier", c.Tier},
		{"plan.estimate.host", c.Host},
		{"plan.estimate.plan", c.Plan},
		{"scenario.id", c.Scenario},
	} {
		if len(w.text) > mostPlanWord || strings.ContainsFunc(w.text, unicode.IsControl) {
			return fail("bad-value", w.path, fmt.Sprintf("%.40q: want at most %d bytes on one line", w.text, mostPlanWord))
		}
	}
	switch {
	case c.Provider == "":
		return fail("missing-key", "plan.provider", "nothing: want the seller")
	case c.Purchase == catalog.Token || c.GPU == "" && c.Purchase != "":
		return fail("bad-value", "plan.gpu", fmt.Sprintf("%q: a plan without GPUs holds nothing that could be left", c.GPU))
	case c.GPU == "":
		return fail("missing-key", "plan.gpu", "nothing: want the GPU")
	case !slices.Contains(catalog.Purchases(), c.Purchase):
		return fail("bad-value", "plan.purchase", fmt.Sprintf("%.40q: want on_demand, spot, reserved or owned", p.Purchase))
	case p.GPUs == nil || *p.GPUs < 1 || *p.GPUs > mostPlanGPUs:
		return fail("bad-value", "plan.gpus", fmt.Sprintf("%s: want a whole number from 1 to %d", orNothing(p.GPUs), mostPlanGPUs))
	case p.Instances == nil || *p.Instances < 1 || *p.Instances > mostPlanGPUs:
		return fail("bad-value", "plan.instances", fmt.Sprintf("%s: want a whole number from 1 to %d", orNothing(p.Instances), mostPlanGPUs))
	case c.TermMonths != nil && (*c.TermMonths < 0 || *c.TermMonths > 1200):
		return fail("bad-value", "plan.term_months", fmt.Sprintf("%d: want months from 0 to 1200", *c.TermMonths))
	case s.Deadline != nil && !(*s.Deadline >= 0 && *s.Deadline <= mostHours):
		return fail("bad-value", "deadline_hours", fmt.Sprintf("%g: want hours from 0 to %.0f", *s.Deadline, float64(mostHours)))
	}
	c.GPUs, c.Instances = *p.GPUs, *p.Instances
	if s.Deadline != nil {
		c.DeadlineHours = *s.Deadline
	}
	if c.PerInstance != "" {
		if n, err := unit.ParseCount(c.PerInstance); err != nil || !n.Known() {
			return fail("bad-value", "plan.estimate.gpus_per_instance", fmt.Sprintf("%.40q: want a count such as 8", c.PerInstance))
		}
	}
	if p.PerGPUHour != nil {
		a, err := money.Parse(*p.PerGPUHour, money.Currency(p.Currency))
		if err != nil || a.Sign() < 0 || !catalog.KnownCurrency(money.Currency(p.Currency)) {
			return fail("bad-value", "plan.price_per_gpu_hour", fmt.Sprintf("%.40q %.10q: want an amount of at least 0 and its currency", *p.PerGPUHour, p.Currency))
		}
		c.PerGPUHour = a
	}
	return c, nil
}

func orNothing[T any](x *T) string {
	if x == nil {
		return "nothing"
	}
	return fmt.Sprintf("%.40q", fmt.Sprint(*x))
}

// Committed reports machines that are paid for until their term ends, used or
// not.
func (c *Current) Committed() bool {
	return c.Purchase == catalog.Reserved || c.Purchase == catalog.Owned
}
