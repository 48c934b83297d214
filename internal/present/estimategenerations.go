package present

import (
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// Generations compares kinds of GPUs on one model.
type Generations struct {
	Model     string
	Rows      []estimate.Generation
	Purchases []catalog.Purchase
	Catalog   Stamp
	Lang      Lang
}

// Doc shows one table per kind of work.
func (g Generations) Doc() Doc {
	l := g.Lang
	ways := make([]string, len(g.Purchases))
	for i, p := range g.Purchases {
		ways[i] = l.T("purchase." + string(p))
	}
	d := Doc{
		Object:  map[string]any{"schema_version": 1, "command": "estimate generations", "catalog": g.Catalog, "model": g.Model, "generations": g.Rows},
		Records: Records{Header: strings.Split("workload,gpu,variant,gpus,fits,tokens_per_second_per_gpu_low,tokens_per_second_per_gpu,tokens_per_second_per_gpu_high,measured_low,measured_high,measured_rows,class,currency,cost_mid,per_mtok_mid,provider,purchase,as_of,reason", ",")},
		Screen:  Screen{Title: g.Model, Blocks: []Block{Lines{Tone: Strong, Text: []string{l.T("gen.head", g.Model, strings.Join(ways, ", "), g.Catalog.AsOf)}}}},
	}
	for i := range g.Rows {
		x := &g.Rows[i]
		d.Rows = append(d.Rows, x)
		low, high, rows := Unknown(), Unknown(), Unknown()
		if m := x.Measured; m != nil {
			low, high, rows = Float(m.Low), Float(m.High), Num(fmt.Sprint(m.Rows))
		}
		d.Records.Rows = append(d.Records.Rows, []Cell{
			Text(x.Workload), Text(x.GPU), Text(x.Variant), Num(fmt.Sprint(x.GPUs)), Text(fmt.Sprint(x.Fits)), middle(x.Rate, lowOf), middle(x.Rate, midOf), middle(x.Rate, highOf), low, high, rows,
			Text(x.Class), Text(string(x.Currency)), Exact(x.Cost.Mid), Exact(x.PerMTok.Mid), Text(x.Provider), Text(x.Purchase), Text(x.AsOf), Text(x.Reason),
		})
	}
	for _, work := range []string{"lora", "full", "online", "offline"} {
		d.Screen.Blocks = append(d.Screen.Blocks, Say(l.T("gen."+work)), g.table(work))
	}
	d.Screen.Blocks = append(d.Screen.Blocks, Say(l.T("gen.after")))
	return d
}

func (g Generations) table(work string) Table {
	l := g.Lang
	t := Table{Caption: l.T("gen." + work), Columns: []Column{
		{Key: "gpu", Head: l.T("gpu")},
		{Key: "gpus", Head: l.T("gpus"), Right: true},
		{Key: "rate", Head: l.T("gen.rate"), Right: true},
		{Key: "measured", Head: l.T("gen.measured"), Right: true},
		{Key: "cost", Head: l.T("gen.cost." + costOf(work)), Right: true},
		{Key: "per_mtok", Head: l.T("est.col.per_mtok"), Right: true},
		{Key: "where", Head: l.T("where"), Flex: true, Wide: true},
	}}
	var costs, perM []money.Amount
	for _, x := range g.Rows {
		if x.Workload == work {
			costs, perM = append(costs, x.Cost.Mid), append(perM, x.PerMTok.Mid)
		}
	}
	dc, dp := coarse(costs), Decimals(perM...)
	for i := range g.Rows {
		x := &g.Rows[i]
		if x.Workload != work {
			continue
		}
		row := []Cell{Text(x.GPU)}
		if !x.Fits {
			row = append(row, Num("–"), Num("–"), measuredCell(x.Measured), Num("–"), Num("–"), Text(firstWords(x.Reason)))
			t.Rows = append(t.Rows, row)
			continue
		}
		name, _, _ := strings.Cut(x.Provider, " (")
		if name != "" {
			name += ", " + l.T("purchase."+x.Purchase)
		} else {
			name = firstWords(x.Reason)
		}
		row = append(row, Num(fmt.Sprint(x.GPUs)), Num(rateRange(x.Rate)), measuredCell(x.Measured), Num(Amount(x.Cost.Mid, dc)), Num(Amount(x.PerMTok.Mid, dp)), Text(name))
		t.Rows = append(t.Rows, row)
	}
	return t
}

func costOf(work string) string {
	if work == "online" {
		return "month"
	}
	return "run"
}

// firstWords is a reason up to its details.
func firstWords(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return s
}

func rateRange(t *estimate.Triple) string {
	if t == nil {
		return ""
	}
	return withSpan(Number(t.Mid, 0), span(Number(t.Low, 0), Number(t.High, 0)))
}

func measuredCell(m *estimate.Measured) Cell {
	if m == nil {
		return Num("–")
	}
	return Num(span(Number(m.Low, 0), Number(m.High, 0)))
}
