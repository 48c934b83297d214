package calibrate

import (
	"bytes"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

// Tables makes the measured tables of docs/methodology.md, by the name in
// their marker: accuracy, bands, training-terms, serving-terms, skipped, and
// for each of training and inference by gpu, method and source.
func Tables(cat *catalog.Catalog, cal *estimate.Calibration) (map[string]string, error) {
	out := map[string]string{}
	var sum strings.Builder
	sum.WriteString("| kind | rows left out | rows | scored | median | P90 | within 20 % | inside the 80 % band |\n|---|---|---|---|---|---|---|---|\n")
	var skipped []Skip
	for _, k := range [...]struct {
		name string
		data []byte
	}{{Training, trainingRows}, {Inference, inferenceRows}} {
		for _, cross := range [...]bool{false, true} {
			r, err := Accuracy(k.name, bytes.NewReader(k.data), cat, cal, cross)
			if err != nil {
				return nil, err
			}
			left := "none (fitted on)"
			if cross {
				left = "whole group"
				byKind(out, k.name, &r)
			} else {
				skipped = append(skipped, r.Skipped...)
			}
			fmt.Fprintf(&sum, "| %s | %s | %d | %d | %s | %s | %s | %s |\n", k.name, left, r.Rows, r.Scored, pct(*r.MedianAPE), pct(*r.P90APE), pct(*r.Within20), pct(*r.WithinBand))
			if r.TPOT != nil {
				fmt.Fprintf(&sum, "| time per output token | %s | %d | %d | %s | %s | %s | %s |\n", left, r.TPOT.Rows, r.TPOT.Rows, pct(r.TPOT.MedianAPE), pct(r.TPOT.P90APE), pct(r.TPOT.Within20), pct(r.TPOT.WithinBand))
			}
		}
	}
	if err := fresh(cat, &sum); err != nil {
		return nil, err
	}
	r, err := Accuracy(MemoryFit, bytes.NewReader(memoryRows), cat, cal, false)
	if err != nil {
		return nil, err
	}
	out["memory"] = memoryTable(&r)
	out["accuracy"] = sum.String()
	out["bands"] = bandTable(cal)
	out["training-terms"] = termTable(cal.Train, estimate.TrainTermName)
	out["serving-terms"] = termTable(cal.Serve, estimate.ServeTermName)
	out["skipped"] = skipTable(skipped)
	return out, nil
}

// fresh adds the errors on left-out single rows of seen groups and on left-out
// groups, by the kind of estimate the targets are stated for.
func fresh(cat *catalog.Catalog, w *strings.Builder) error {
	m, err := measured(cat)
	if err != nil {
		return err
	}
	whole := func(o *observation) (*estimate.Physics, float64) { return &o.physics, o.logTime }
	for _, v := range [...]struct {
		name  string
		by    func(*observation) string
		parts int
	}{{"single rows (seen group)", byRow, rowParts}, {"whole group (new pair)", byGroup, groupParts}} {
		for _, s := range [...]struct {
			obs []*observation
			pri func(estimate.Key) prior
		}{{m.training, trainPrior}, {m.serving, servePrior}} {
			res := residuals(s.obs, s.pri, v.by, v.parts, func(keep func(*observation) bool) []example { return examples(s.obs, keep) }, whole)
			kinds := map[string][]Row{}
			for _, o := range s.obs {
				kinds[o.kind()] = append(kinds[o.kind()], Row{APE: math.Abs(math.Exp(res[o]) - 1)})
			}
			for _, k := range sortedKeys(kinds) {
				x := scoreOf(kinds[k])
				fmt.Fprintf(w, "| of these: %s | %s | | %d | %s | %s | %s | |\n", k, v.name, x.Rows, pct(x.MedianAPE), pct(x.P90APE), pct(x.Within20))
			}
		}
	}
	return nil
}

func byKind(out map[string]string, kind string, r *Report) {
	for _, col := range [...]string{"gpu", "method", "source_group"} {
		var b strings.Builder
		fmt.Fprintf(&b, "| %s | rows | median | P90 | within 20 %% | inside the band |\n|---|---|---|---|---|---|\n", strings.ReplaceAll(col, "_", " "))
		for _, k := range sortedKeys(r.By[col]) {
			s := r.By[col][k]
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s |\n", k, s.Rows, pct(s.MedianAPE), pct(s.P90APE), pct(s.Within20), pct(s.WithinBand))
		}
		out[kind+"-"+col] = b.String()
	}
}

func memoryTable(r *Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| rows | scored | verdict right | wrong | said to fit and did not | peaks | median | P90 |\n|---|---|---|---|---|---|---|---|\n| %d | %d | %d | %d | %d | %d | %s | %s |\n",
		r.Rows, r.Scored, *r.FitsRight, *r.FitsWrong, *r.FalseYes, len(r.Detail), pct(*r.PeakMedian), pct(*r.PeakP90))
	return b.String()
}

func bandTable(cal *estimate.Calibration) string {
	var b strings.Builder
	b.WriteString("| estimate | class | low | high |\n|---|---|---|---|\n")
	for _, s := range cal.Spreads() {
		x := cal.Band(s.Kind, s.Class, 1)
		fmt.Fprintf(&b, "| %s | %s | x%.2f | x%.2f |\n", s.Kind, s.Class, x.Low, x.High)
	}
	return b.String()
}

func termTable(c estimate.Coefficients, name func(int) string) string {
	var b strings.Builder
	b.WriteString("| term | factor |\n|---|---|\n")
	for _, k := range c.Sorted() {
		if k.Kind == "c" {
			fmt.Fprintf(&b, "| %s | x%.2f |\n", name(k.Term-1), math.Exp(c[k]))
		}
	}
	return b.String()
}

func skipTable(skips []Skip) string {
	ids := map[string][]string{}
	for _, s := range skips {
		ids[s.Reason] = append(ids[s.Reason], s.ID)
	}
	var b strings.Builder
	b.WriteString("| reason | rows |\n|---|---|\n")
	for _, r := range sortedKeys(ids) {
		fmt.Fprintf(&b, "| %s | %s |\n", r, strings.Join(ids[r], ", "))
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func pct(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

const tableEnd = "<!-- end of table -->"

// ReplaceTables puts each table between its markers in a Markdown text:
// "<!-- table NAME -->" and "<!-- end of table -->".
func ReplaceTables(text []byte, tables map[string]string) ([]byte, error) {
	s := string(text)
	for _, name := range sortedKeys(tables) {
		start := "<!-- table " + name + " -->\n"
		i := strings.Index(s, start)
		if i < 0 {
			return nil, fmt.Errorf("methodology: no marker for table %s", name)
		}
		j := strings.Index(s[i:], tableEnd)
		if j < 0 {
			return nil, fmt.Errorf("methodology: table %s has no end", name)
		}
		s = s[:i+len(start)] + tables[name] + s[i+j:]
	}
	return []byte(s), nil
}
