package present

import (
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Work is what finished work costs at the quotes of a comparison, in their
// order.
type Work struct {
	*estimate.Finished

	Hours float64        // of undisturbed work
	Use   money.Quantity // as stated; 0: not stated
}

// way is what finished work costs at a quote of the comparison.
func (c Comparison) way(q *pricing.Quote) *estimate.Effective { return &c.Work.Ways[q.Rank-1] }

// workQuote is a quote with what finished work costs there.
type workQuote struct {
	pricing.Quote

	Effective     money.Amount       `json:"effective_per_gpu_hour"`
	EffectiveLow  money.Amount       `json:"effective_per_gpu_hour_low"`
	EffectiveHigh money.Amount       `json:"effective_per_gpu_hour_high"`
	Cost          money.Range        `json:"work_cost"`
	Wall          *estimate.Triple   `json:"work_wall_hours"`
	Use           *float64           `json:"utilisation"`
	Lines         []estimate.Line    `json:"work_lines"`
	Assumptions   []estimate.Assumed `json:"work_assumptions"`
	Doubts        []estimate.Warning `json:"work_warnings"`
	Unknown       string             `json:"work_unknown"` // code of why there is no effective price; else empty
	Reason        string             `json:"work_unknown_reason"`
}

// workObject is the work that was asked for, and what decides.
type workObject struct {
	Hours       float64         `json:"hours"`
	GPUs        int64           `json:"gpus"`
	GPUHours    float64         `json:"gpu_hours"`
	Utilisation *float64        `json:"utilisation"` // null: whole terms are paid for this work alone
	BestRank    *int            `json:"best_rank"`   // without a grave doubt where there is one
	SecondRank  *int            `json:"runner_up_rank"`
	Flips       []estimate.Flip `json:"flips"`
	NotCompared []notCompared   `json:"not_compared"`
}

// notCompared is a way of buying that has no price of a GPU-hour.
type notCompared struct {
	Purchase catalog.Purchase `json:"purchase"`
	Reason   string           `json:"reason"`
	Next     string           `json:"next"`
}

func (c Comparison) workObject() *workObject {
	w := c.Work
	o := &workObject{
		Hours: w.Hours, GPUs: c.Query.Need, GPUHours: w.Hours * float64(c.Query.Need), BestRank: place(w.Best), SecondRank: place(w.Second), Flips: w.Flips,
		NotCompared: []notCompared{{catalog.Token, c.Lang.T("work.token_reason"), TokenNext}},
	}
	if w.Use > 0 {
		use := w.Use.Float()
		o.Utilisation = &use
	}
	if o.Flips == nil {
		o.Flips = []estimate.Flip{}
	}
	return o
}

// TokenNext is the command that compares prices by the token.
const TokenNext = "gpucost estimate batch --model llama-3.3-70b --requests 100k"

// place is the rank of a place in the list, nil for none.
func place(i int) *int {
	if i < 0 {
		return nil
	}
	i++
	return &i
}

// workQuotes are the quotes with what finished work costs there.
func (c Comparison) workQuotes(qs []pricing.Quote) []workQuote {
	out := make([]workQuote, len(qs))
	for i := range qs {
		w := c.way(&qs[i])
		out[i] = workQuote{
			Quote: qs[i], Effective: w.PerGPUHour.Mid, EffectiveLow: w.PerGPUHour.Low, EffectiveHigh: w.PerGPUHour.High, Cost: w.Cost, Wall: w.Hours, Use: w.Use,
			Lines: listed(w.Lines), Assumptions: listed(w.Assumptions), Doubts: listed(w.Warnings), Unknown: w.Code, Reason: w.Reason,
		}
	}
	return out
}

// listed is a list that is never null.
func listed[T any](x []T) []T {
	if x == nil {
		return []T{}
	}
	return x
}

// workHeader are the columns of finished work, at the end of those of compare.
var workHeader = strings.Split("effective_per_gpu_hour,effective_per_gpu_hour_low,effective_per_gpu_hour_high,work_cost,utilisation", ",")

// workNotes are the codes of the doubts about finished work.
func (c Comparison) workNotes(q *pricing.Quote) []string {
	if c.Work == nil {
		return nil
	}
	w := c.way(q)
	var out []string
	for _, x := range w.Warnings {
		out = append(out, x.Code)
	}
	if w.Use != nil && c.Work.Use == 0 {
		out = append(out, termAlone)
	}
	if w.Code != "" && w.Code != estimate.UnknownPrice {
		out = append(out, w.Code)
	}
	return out
}

// termAlone notes that nothing but the work uses what is paid by the month.
const termAlone = "term_for_this_work_alone"

// workCells are the cells of those columns, empty without work.
func (c Comparison) workCells(q *pricing.Quote) []Cell {
	if c.Work == nil {
		return []Cell{Unknown(), Unknown(), Unknown(), Unknown(), Unknown()}
	}
	w := c.way(q)
	use := Unknown()
	if w.Use != nil {
		use = Num(estimate.Exact(*w.Use).String())
	}
	return []Cell{Exact(w.PerGPUHour.Mid), Exact(w.PerGPUHour.Low), Exact(w.PerGPUHour.High), Exact(w.Cost.Mid), use}
}
