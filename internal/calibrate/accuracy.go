package calibrate

import (
	"fmt"
	"io"
	"math"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// Report is how estimates compare with measured rows. Errors are relative:
// |estimated - measured| / measured.
type Report struct {
	Kind       string               `json:"kind"`
	Rows       int                  `json:"rows"`
	Scored     int                  `json:"scored"`
	Skipped    []Skip               `json:"skipped"`
	MedianAPE  *float64             `json:"median_ape"`
	P90APE     *float64             `json:"p90_ape"`
	Within20   *float64             `json:"within_20"`
	WithinBand *float64             `json:"within_band"`
	Band       float64              `json:"band"` // nominal share of rows inside the bands
	By         map[string]Breakdown `json:"by"`   // gpu, source_group, method
	Detail     []Row                `json:"rows_detail"`

	FitsRight  *int     `json:"fits_right,omitempty"` // memory only, as the next three
	FitsWrong  *int     `json:"fits_wrong,omitempty"`
	FalseYes   *int     `json:"false_yes,omitempty"` // said to fit and did not
	PeakMedian *float64 `json:"peak_median_ape,omitempty"`
	PeakP90    *float64 `json:"peak_p90_ape,omitempty"`

	TPOT *Score `json:"tpot,omitempty"` // inference: time between tokens, where measured
}

// Skip is a row that was not scored, and the general reason why.
type Skip struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Row is one scored row, in the row's own unit (per GPU).
type Row struct {
	ID       string  `json:"id"`
	Measured float64 `json:"measured"`
	Low      float64 `json:"low"`
	Mid      float64 `json:"mid"`
	High     float64 `json:"high"`
	APE      float64 `json:"ape"`

	gpu, source, method string
	class               estimate.Class
}

// Score is the error of a set of rows.
type Score struct {
	Rows       int     `json:"rows"`
	MedianAPE  float64 `json:"median_ape"`
	P90APE     float64 `json:"p90_ape"`
	Within20   float64 `json:"within_20"`
	WithinBand float64 `json:"within_band"`
}

// Breakdown is the score by the values of one column.
type Breakdown map[string]Score

// UnknownKindError is a kind of accuracy that does not exist.
type UnknownKindError struct{ Kind string }

func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("accuracy: unknown kind %q, want %s, %s or %s", e.Kind, Training, Inference, MemoryFit)
}

// Accuracy estimates every row of a file with the columns of training.csv,
// inference.csv or memory.csv from its inputs alone and compares. With
// crossValidate the row's whole group (architecture, GPU and method) was left
// out of the fit that estimates it.
func Accuracy(kind string, file io.Reader, cat *catalog.Catalog, cal *estimate.Calibration, crossValidate bool) (Report, error) {
	t, err := readTable(file)
	if err != nil {
		return Report{}, fmt.Errorf("accuracy %s: %w", kind, err)
	}
	names := NewNames(cat)
	r := Report{Kind: kind, Rows: len(t.rows), Band: 0.8, Skipped: []Skip{}, Detail: []Row{}}
	switch kind {
	case MemoryFit:
		r.memory(readMemory(t, names))
		return r, nil
	case Training:
		err = r.rates(readTraining(t, names), cat, cal, crossValidate)
	case Inference:
		err = r.rates(readInference(t, names), cat, cal, crossValidate)
	default:
		return Report{}, &UnknownKindError{kind}
	}
	return r, err
}

// rates scores throughput rows.
func (r *Report) rates(obs []observation, cat *catalog.Catalog, cal *estimate.Calibration, crossValidate bool) error {
	of := func(*observation) *estimate.Calibration { return cal }
	if crossValidate {
		parts, err := leaveOut(cat, cal, obs)
		if err != nil {
			return err
		}
		of = func(o *observation) *estimate.Calibration { return parts[fold(o.group, groupParts)] }
	}
	var tpot []Row
	for i := range obs {
		o := &obs[i]
		if o.skip != "" {
			r.Skipped = append(r.Skipped, Skip{o.id, o.skip})
			continue
		}
		c := of(o)
		row := o.score(c)
		if !row.finite() {
			r.Skipped = append(r.Skipped, Skip{o.id, "its figures are beyond what a number holds"})
			continue
		}
		r.Detail = append(r.Detail, row)
		if o.tpot > 0 && o.serve.Mode == estimate.Online {
			if t := o.scoreTPOT(c); t.finite() {
				tpot = append(tpot, t)
			}
		}
	}
	r.total()
	if len(tpot) > 0 {
		s := scoreOf(tpot)
		r.TPOT = &s
	}
	return nil
}

// finite reports a row that can be scored and shown.
func (r *Row) finite() bool {
	for _, v := range []float64{r.Low, r.Mid, r.High, r.APE} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// score estimates one row.
func (o *observation) score(cal *estimate.Calibration) Row {
	c, kind := cal.Serve, o.kind()
	if kind == "training" {
		c = cal.Train
	}
	mid := o.scale * math.Exp(-c.LogTime(&o.physics))
	class := o.class(cal)
	b := cal.Band(kind, class, mid)
	return Row{
		ID: o.id, Measured: o.measured, Low: b.Low, Mid: b.Mid, High: b.High, APE: math.Abs(mid-o.measured) / o.measured,
		gpu: o.gpu, source: o.source, method: o.method, class: class,
	}
}

func (o *observation) scoreTPOT(cal *estimate.Calibration) Row {
	mid := 1e3 * math.Exp(cal.TPOT.LogTime(&o.physics))
	b := cal.Band("tpot", o.class(cal), 1/mid)
	return Row{ID: o.id, Measured: o.tpot, Low: 1 / b.High, Mid: mid, High: 1 / b.Low, APE: math.Abs(mid-o.tpot) / o.tpot}
}

func (o *observation) class(cal *estimate.Calibration) estimate.Class {
	if o.serve.Model == nil {
		return cal.TrainClass(&o.train, &o.shape)
	}
	return cal.ServeClass(&o.serve, &o.shape)
}

// leaveOut fits once per part of the groups, on the measured rows that are in
// none of the part's groups. Bands stay those of the shipped calibration.
func leaveOut(cat *catalog.Catalog, cal *estimate.Calibration, obs []observation) ([]*estimate.Calibration, error) {
	m, err := measured(cat)
	if err != nil {
		return nil, err
	}
	needed := map[int]bool{}
	for i := range obs {
		needed[fold(obs[i].group, groupParts)] = true
	}
	training := len(obs) > 0 && obs[0].serve.Model == nil
	out := make([]*estimate.Calibration, groupParts)
	for f := range out {
		if !needed[f] {
			continue
		}
		keep := func(o *observation) bool { return fold(o.group, groupParts) != f }
		c := &estimate.Calibration{Errors: cal.Errors}
		if training {
			c.Train = fit(examples(m.training, keep), trainPrior)
		} else {
			c.Serve = fit(examples(m.serving, keep), servePrior)
			c.TPOT = fit(timeExamples(m.serving, keep, tpotOf), tpotPrior)
		}
		out[f] = c
	}
	return out, nil
}

// total fills the summary from the rows.
func (r *Report) total() {
	r.Scored = len(r.Detail)
	if r.Scored > 0 {
		s := scoreOf(r.Detail)
		r.MedianAPE, r.P90APE, r.Within20, r.WithinBand = &s.MedianAPE, &s.P90APE, &s.Within20, &s.WithinBand
	}
	r.By = map[string]Breakdown{
		"gpu":          breakdown(r.Detail, func(x *Row) string { return x.gpu }),
		"source_group": breakdown(r.Detail, func(x *Row) string { return x.source }),
		"method":       breakdown(r.Detail, func(x *Row) string { return x.method }),
	}
}

func breakdown(rows []Row, by func(*Row) string) Breakdown {
	groups := map[string][]Row{}
	for i := range rows {
		k := by(&rows[i])
		groups[k] = append(groups[k], rows[i])
	}
	out := Breakdown{}
	for k, v := range groups {
		out[k] = scoreOf(v)
	}
	return out
}

func scoreOf(rows []Row) Score {
	ape := make([]float64, len(rows))
	in20, in := 0, 0
	for i, x := range rows {
		ape[i] = x.APE
		if x.APE <= 0.2 {
			in20++
		}
		if x.Measured >= x.Low && x.Measured <= x.High {
			in++
		}
	}
	n := float64(max(len(rows), 1))
	return Score{len(rows), quantile(ape, 0.5), quantile(ape, 0.9), float64(in20) / n, float64(in) / n}
}

// memory scores fit verdicts and peaks.
func (r *Report) memory(rows []fitRow) {
	right, wrong, falseYes := 0, 0, 0
	var peaks []float64
	for i := range rows {
		f := &rows[i]
		if f.skip != "" {
			r.Skipped = append(r.Skipped, Skip{f.id, f.skip})
			continue
		}
		r.Scored++
		if f.fits != "" {
			switch yes := f.fits == "yes"; yes {
			case f.memory.Fits:
				right++
			default:
				wrong++
				if !yes {
					falseYes++
				}
			}
		}
		if f.peak > 0 {
			p := f.predictedPeak()
			ape := math.Abs(p-f.peak) / f.peak
			peaks = append(peaks, ape)
			r.Detail = append(r.Detail, Row{
				ID: f.id, Measured: f.peak, Low: p * memoryLow, Mid: p, High: p * memoryHigh, APE: ape,
				gpu: f.gpu, source: f.source, method: f.method,
			})
		}
	}
	scored := r.Scored
	r.total()
	r.Scored = scored
	r.FitsRight, r.FitsWrong, r.FalseYes = &right, &wrong, &falseYes
	if len(peaks) > 0 {
		m, p := quantile(peaks, 0.5), quantile(peaks, 0.9)
		r.PeakMedian, r.PeakP90 = &m, &p
	}
}

// The band of a memory peak: runs that size their batch to the card use more
// than a formula that does not know it.
const (
	memoryLow  = 0.9
	memoryHigh = 1.35
)
