package present

import (
	"fmt"
	"strings"
)

// Accuracy is how estimates compare with measured rows.
type Accuracy struct {
	Report AccuracyReport
	Cross  bool // each row's whole group was left out of the fit
	Lang   Lang
}

// AccuracyReport is the comparison. Errors are relative to what was measured.
type AccuracyReport struct {
	Object                                  any // the report as JSON has it
	Kind                                    string
	Rows, Scored                            int
	Skipped                                 map[string]int // rows by reason
	MedianAPE, P90APE, Within20, WithinBand *float64
	FitsRight, FitsWrong, FalseYes          *int
	PeakMedian, PeakP90                     *float64
	TPOT                                    *AccuracyScore
	By                                      map[string]map[string]AccuracyScore
	Detail                                  []AccuracyRow
}

// AccuracyScore is the error of a set of rows.
type AccuracyScore struct {
	Rows       int
	MedianAPE  float64
	P90APE     float64
	Within20   float64
	WithinBand float64
}

// AccuracyRow is one scored row.
type AccuracyRow struct {
	ID                       string
	Measured, Low, Mid, High float64
	APE                      float64
}

// Doc shows the summary with its breakdown; csv has the rows.
func (a Accuracy) Doc() Doc {
	r, l := &a.Report, a.Lang
	d := Doc{Object: r.Object, Records: Records{Header: []string{"id", "measured", "low", "mid", "high", "ape"}}}
	for _, x := range r.Detail {
		d.Rows = append(d.Rows, map[string]any{"id": x.ID, "measured": x.Measured, "low": x.Low, "mid": x.Mid, "high": x.High, "ape": x.APE})
		d.Records.Rows = append(d.Records.Rows, []Cell{Text(x.ID), Float(x.Measured), Float(x.Low), Float(x.Mid), Float(x.High), Float(x.APE)})
	}
	how := ""
	if a.Cross {
		how = l.T("acc.cross")
	}
	skipped := 0
	var reasons []string
	for _, why := range sortedKeys(r.Skipped) {
		skipped += r.Skipped[why]
		reasons = append(reasons, fmt.Sprintf("%d %s", r.Skipped[why], why))
	}
	blocks := []Block{Lines{Tone: Strong, Text: []string{l.T("acc.head", r.Kind, r.Rows, r.Scored, skipped, how)}}}
	if r.FitsRight != nil {
		blocks = append(blocks, Say(l.T("acc.memory", *r.FitsRight, *r.FitsWrong, *r.FalseYes, share(r.PeakMedian), share(r.PeakP90))))
	} else {
		blocks = append(blocks, Say(l.T("acc.score", share(r.MedianAPE), share(r.P90APE), share(r.Within20), share(r.WithinBand))))
	}
	if r.TPOT != nil {
		blocks = append(blocks, Say(l.T("acc.tpot", r.TPOT.Rows, Share(r.TPOT.MedianAPE, 1), Share(r.TPOT.P90APE, 1))))
	}
	for _, by := range []string{"source_group", "gpu", "method"} {
		if len(r.By[by]) > 0 {
			blocks = append(blocks, a.table(by))
		}
	}
	if skipped > 0 {
		blocks = append(blocks, Say(l.T("acc.skipped", strings.Join(reasons, l.T("est.semi")))))
	}
	if !a.Cross && r.FitsRight == nil {
		blocks = append(blocks, Say(l.T("acc.trained")))
	}
	d.Screen = Screen{Title: r.Kind, Blocks: blocks}
	return d
}

func share(x *float64) string {
	if x == nil {
		return "n/a"
	}
	return Share(*x, 1)
}

func (a Accuracy) table(by string) Table {
	l := a.Lang
	t := Table{Caption: l.T("acc.by", strings.ReplaceAll(by, "_", " ")), Columns: []Column{
		{Key: by, Head: strings.ReplaceAll(by, "_", " "), Flex: true},
		{Key: "rows", Head: l.T("acc.rows"), Right: true},
		{Key: "median", Head: l.T("acc.median"), Right: true},
		{Key: "p90", Head: l.T("acc.p90"), Right: true},
		{Key: "within_20", Head: l.T("acc.in20"), Right: true},
		{Key: "within_band", Head: l.T("acc.inband"), Right: true},
	}}
	for _, name := range sortedKeys(a.Report.By[by]) {
		s := a.Report.By[by][name]
		t.Rows = append(t.Rows, []Cell{
			Text(name), Num(fmt.Sprint(s.Rows)), Num(Share(s.MedianAPE, 1)), Num(Share(s.P90APE, 1)), Num(Share(s.Within20, 0)), Num(Share(s.WithinBand, 0)),
		})
	}
	return t
}

// SpotAccuracy is how many reference values were reproduced.
type SpotAccuracy struct {
	Passed int           `json:"passed"`
	Failed []SpotFailure `json:"failed"`
}

// SpotFailure is a reference value that was not reproduced.
type SpotFailure struct {
	CaseID   string `json:"case_id"`
	Quantity string `json:"quantity"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// Doc shows the count and the failures.
func (s SpotAccuracy) Doc(l Lang) Doc {
	d := Doc{Object: s, Records: Records{Header: []string{"case_id", "quantity", "expected", "got"}}}
	t := Table{Columns: []Column{{Key: "case_id", Head: "case"}, {Key: "quantity", Head: "quantity"}, {Key: "expected", Head: "expected"}, {Key: "got", Head: "got", Flex: true}}}
	for _, f := range s.Failed {
		d.Rows = append(d.Rows, f)
		row := []Cell{Text(f.CaseID), Text(f.Quantity), Text(f.Expected), Text(f.Got)}
		d.Records.Rows, t.Rows = append(d.Records.Rows, row), append(t.Rows, row)
	}
	d.Screen = Screen{Title: "spot", Blocks: []Block{Say(l.T("acc.spot", s.Passed, len(s.Failed)))}}
	if len(t.Rows) > 0 {
		d.Screen.Blocks = append(d.Screen.Blocks, t)
	}
	return d
}

// Moved is what the user's own runs changed.
type Moved struct {
	Factors any // the correction file
	Rows    []MovedRow
	Skipped map[string]int
	Median  float64 // of the changes
	File    string  // where the correction was written
	Lang    Lang
}

// MovedRow is one run of the user's before and after the correction.
type MovedRow struct {
	ID                      string
	Measured, Before, After float64
}

// Doc shows how far the estimates of the user's runs moved.
func (m Moved) Doc() Doc {
	l := m.Lang
	d := Doc{Records: Records{Header: []string{"id", "measured", "before", "after"}}}
	t := Table{Columns: []Column{
		{Key: "id", Head: l.T("cal.row"), Flex: true}, {Key: "measured", Head: l.T("cal.measured"), Right: true}, {Key: "before", Head: l.T("cal.before"), Right: true}, {Key: "after", Head: l.T("cal.after"), Right: true},
	}}
	items := []any{}
	for _, r := range m.Rows {
		it := map[string]any{"id": r.ID, "measured": r.Measured, "before": r.Before, "after": r.After}
		items, d.Rows = append(items, it), append(d.Rows, it)
		d.Records.Rows = append(d.Records.Rows, []Cell{Text(r.ID), Float(r.Measured), Float(r.Before), Float(r.After)})
		t.Rows = append(t.Rows, []Cell{Text(r.ID), Num(Number(r.Measured, 1)), Num(Number(r.Before, 1)), Num(Number(r.After, 1))})
	}
	skipped := 0
	var reasons []string
	for _, why := range sortedKeys(m.Skipped) {
		skipped += m.Skipped[why]
		reasons = append(reasons, fmt.Sprintf("%d %s", m.Skipped[why], why))
	}
	d.Object = map[string]any{"correction": m.Factors, "runs": items, "skipped": m.Skipped, "median_change": m.Median, "file": m.File}
	d.Screen = Screen{Title: "calibrate", Blocks: []Block{Say(l.T("cal.head", len(m.Rows), skipped, Percent(100*m.Median, 1))), t}}
	if skipped > 0 {
		d.Screen.Blocks = append(d.Screen.Blocks, Say(l.T("acc.skipped", strings.Join(reasons, l.T("est.semi")))))
	}
	if m.File != "" {
		d.Screen.Blocks = append(d.Screen.Blocks, Say(l.T("cal.saved", m.File, m.File)))
	}
	return d
}
