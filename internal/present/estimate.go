package present

import (
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Estimation is the answer of estimate, ready to become a Doc.
type Estimation struct {
	Answer  *estimate.Answer
	Asked   AskedEstimate
	Catalog Stamp
	Top     int // rows to show; 0 all, negative: what suits the format
	Explain bool
	Names   map[string]Name // of providers
	Lang    Lang
	Command string         // what the user typed after estimate, for the next command
	Sources []SourceAnswer // with --compare-sources
	Over    []string       // budgets that the best exceeds
	Format  Format         // of the answer; the rows of csv are only made for csv
}

// AskedEstimate is the question as it was understood, for the record.
type AskedEstimate struct {
	Purchases     []catalog.Purchase `json:"purchases"`
	Providers     []string           `json:"providers"`
	Market        string             `json:"market"`
	Regions       []string           `json:"regions"`
	Currency      money.Currency     `json:"currency"`
	AsOf          string             `json:"as_of"`
	Now           string             `json:"now"`
	Source        string             `json:"source"`
	MaxAgeDays    int                `json:"max_age_days"`
	HoursPerMonth string             `json:"hours_per_month"`
	MaxCost       money.Amount       `json:"max_cost"`
	MaxMonthly    money.Amount       `json:"max_monthly"`
	FX            []RateUsed         `json:"fx"`
}

// SourceAnswer is the best estimate when one source's prices are used alone.
type SourceAnswer struct {
	Source    string             `json:"source"`
	Name      string             `json:"name"`
	Estimates int                `json:"estimates"`
	Best      *estimate.Estimate `json:"best"`
}

type estimationObject struct {
	SchemaVersion int                   `json:"schema_version"`
	Command       string                `json:"command"`
	Scenario      *estimate.Scenario    `json:"scenario"`
	Estimates     []estimate.Estimate   `json:"estimates"`
	Infeasible    []estimate.Infeasible `json:"infeasible"`
	Warnings      []Warning             `json:"warnings"`
	Catalog       Stamp                 `json:"catalog"`
	Query         AskedEstimate         `json:"query"`
	Hidden        int                   `json:"hidden"`
	LeftOut       []pricing.LeftOut     `json:"left_out"`
	Flips         []estimate.Flip       `json:"flips"`
	Sources       []SourceAnswer        `json:"sources,omitempty"`
	Explain       *Explain              `json:"explain,omitempty"`
}

// Doc makes the answer presentable in every format.
func (e Estimation) Doc() Doc {
	all := e.Answer.Estimates
	hidden := 0
	if e.Top > 0 && e.Top < len(all) {
		all, hidden = all[:e.Top], len(all)-e.Top
	}
	left := e.Answer.LeftOut
	if left == nil {
		left = []pricing.LeftOut{}
	}
	e.Asked.FX = Rates(e.Answer.Rates)
	o := estimationObject{1, "estimate", e.Answer.Scenario, all, e.Answer.Infeasible, e.warnings(hidden), e.Catalog, e.Asked, hidden, left, e.flips(), e.Sources, nil}
	d := Doc{Warnings: o.Warnings, Screen: e.screen(all)}
	if e.Format == "" || e.Format == CSV || e.Format == TSV {
		d.Records = estimateRecords(all)
	}
	if e.Explain {
		x := e.explain(all)
		o.Explain = &x
		d.Screen.Blocks = append(d.Screen.Blocks, x)
	}
	d.Object = o
	for i := range all {
		d.Rows = append(d.Rows, &all[i])
	}
	if e.Sources != nil {
		d.Records, d.Rows = sourceRecords(e.Sources), nil
		for i := range e.Sources {
			d.Rows = append(d.Rows, e.Sources[i])
		}
	}
	return d
}

// flips never is null.
func (e Estimation) flips() []estimate.Flip {
	if e.Answer.Flips == nil {
		return []estimate.Flip{}
	}
	return e.Answer.Flips
}

// warnings are the doubts about the whole answer, and those of the best.
func (e Estimation) warnings(hidden int) []Warning {
	out := []Warning{}
	for _, w := range e.Answer.Warnings {
		out = append(out, Warning{w.Code, e.doubt(w)})
	}
	if hidden > 0 {
		out = append(out, Warning{"hidden", e.Lang.T("est.warn.hidden", hidden)})
	}
	if n := len(e.Answer.LeftOut); n > 0 {
		out = append(out, Warning{"left_out", e.Lang.T("est.warn.left_out", n)})
	}
	for _, r := range Rates(e.Answer.Rates) {
		out = append(out, Warning{"exchange_rate", e.Lang.T("compare.warn.rate", r.Quote, r.Base, r.Rate, rateOrigin(r))})
	}
	return out
}

// doubt is a warning in the language of the answer.
func (e Estimation) doubt(w estimate.Warning) string {
	for _, key := range []string{"est.doubt." + w.Code, "note." + w.Code} {
		if text := e.Lang.T(key); text == key {
			continue
		}
		if text := e.Lang.T(key, w.Message.Args...); !strings.Contains(text, "%!") {
			if e.Lang == ZH && w.Code == estimate.WarnStorage {
				return storedZH().Replace(text)
			}
			return text
		}
	}
	return w.Message.String()
}

var estimateHeader = strings.Split("rank,provider,instance,region,gpu,gpus,purchase,currency,hours_mid,gpu_hours_mid,cost_low,cost_mid,cost_high,monthly_low,monthly_mid,monthly_high,"+
	"per_mtok_mid,feasible,notes,instances,term_months,hours_low,hours_high,tokens_per_second_per_gpu,memory_needed_gb,memory_available_gb,price_per_gpu_hour,as_of,source,confidence", ",")

func estimateRecords(es []estimate.Estimate) Records {
	r := Records{Header: estimateHeader}
	for i := range es {
		x := &es[i]
		var notes []string
		for _, w := range x.Warnings {
			notes = append(notes, w.Code)
		}
		r.Rows = append(r.Rows, []Cell{
			Num(fmt.Sprint(x.Rank)), Text(x.Provider), Text(x.Instance), Text(x.Region), Text(x.GPU), Num(fmt.Sprint(x.GPUs)), Text(string(x.Purchase)), Text(string(x.Currency)),
			middle(x.Hours, midOf), middle(x.GPUHours, midOf), Exact(x.Cost.Low), Exact(x.Cost.Mid), Exact(x.Cost.High), Exact(x.Monthly.Low), Exact(x.Monthly.Mid), Exact(x.Monthly.High),
			Exact(x.PerMTok.Mid), Text(fmt.Sprint(x.Feasible)), Text(strings.Join(notes, " ")), Num(fmt.Sprint(x.Instances)), integer(x.TermMonths),
			middle(x.Hours, lowOf), middle(x.Hours, highOf), middle(x.Throughput.PerGPU, midOf), maybe(x.Memory.NeededGB), maybe(x.Memory.AvailableGB),
			Exact(x.PerGPUHour), Text(x.AsOf), Text(x.Source), Text(x.Confidence),
		})
	}
	return r
}

func lowOf(t *estimate.Triple) float64  { return t.Low }
func midOf(t *estimate.Triple) float64  { return t.Mid }
func highOf(t *estimate.Triple) float64 { return t.High }

func middle(t *estimate.Triple, of func(*estimate.Triple) float64) Cell {
	if t == nil {
		return Unknown()
	}
	return Float(of(t))
}

func maybe(x *float64) Cell {
	if x == nil {
		return Unknown()
	}
	return Float(*x)
}

func sourceRecords(ss []SourceAnswer) Records {
	r := Records{Header: []string{"source", "estimates", "provider", "gpu", "gpus", "purchase", "currency", "cost_mid", "monthly_low", "monthly_mid", "monthly_high", "as_of"}}
	for _, s := range ss {
		row := []Cell{Text(s.Source), Num(fmt.Sprint(s.Estimates))}
		if b := s.Best; b != nil {
			row = append(row, Text(b.Provider), Text(b.GPU), Num(fmt.Sprint(b.GPUs)), Text(string(b.Purchase)), Text(string(b.Currency)),
				Exact(b.Cost.Mid), Exact(b.Monthly.Low), Exact(b.Monthly.Mid), Exact(b.Monthly.High), Text(b.AsOf))
		} else {
			for range 10 {
				row = append(row, Text(""))
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

func (e Estimation) name(x *estimate.Estimate) string {
	if n := e.Names[x.Provider]; e.Lang == ZH && n.ZH != "" {
		return n.ZH
	}
	if e.Lang == ZH && x.Purchase == catalog.Owned && x.Provider == "own" {
		return ownHardwareZH
	}
	if x.Source == "scenario" && x.Instance != "" { // a price of the scenario's own, called so
		return x.Instance
	}
	name, _, _ := strings.Cut(x.ProviderName, " (")
	return name
}

func (e Estimation) bought(x *estimate.Estimate) string {
	s := e.Lang.T("purchase." + string(x.Purchase))
	switch {
	case x.TermMonths != nil:
		s += " " + e.Lang.T("months", *x.TermMonths)
	case x.Plan != "":
		s += " " + strings.ReplaceAll(x.Plan, "_", " ")
	}
	return s
}

// hardware is "8x H100 SXM5 80".
func hardware(x *estimate.Estimate) string {
	if x.Purchase == catalog.Token {
		return "API"
	}
	name, _, _ := strings.Cut(x.GPUName, " (")
	for _, maker := range []string{"GeForce ", "Instinct "} {
		name = strings.TrimPrefix(name, maker)
	}
	if name = strings.TrimSuffix(name, "GB"); name == "" {
		return ""
	}
	return fmt.Sprintf("%dx %s", x.GPUs, name)
}
