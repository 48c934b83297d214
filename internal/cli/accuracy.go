package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/calibrate"
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/spot/spotcheck"
)

// accuracyKinds are what can be compared with measured truth.
var accuracyKinds = []string{calibrate.Training, calibrate.Inference, calibrate.MemoryFit, "spot"}

func (a *App) accuracyCommand() *cobra.Command {
	var cross bool
	var traces, personal string
	cmd := &cobra.Command{
		Use: "accuracy training|inference|memory|spot FILE.csv", Short: "Estimates against measured truth",
		Long: "Estimates every row of a file of measurements from its inputs alone and compares. Rows that\n" +
			"cannot be estimated are skipped for a named reason. Columns: docs/methodology.md.",
		Args: takes(2, 2, "a kind and a file"), ValidArgs: accuracyKinds,
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := a.read(args[1])
			if err != nil {
				return err
			}
			if args[0] == "spot" {
				return a.accuracySpot(args[1], traces, b)
			}
			c, err := a.catalog()
			if err != nil {
				return err
			}
			cal, err := a.calibration(personal)
			if err != nil {
				return err
			}
			r, err := calibrate.Accuracy(args[0], bytes.NewReader(b), c, cal, cross)
			if err != nil {
				return kindFault(err)
			}
			return a.show(present.Accuracy{Report: accuracyView(&r), Cross: cross, Lang: a.lang()}.Doc())
		},
	}
	cmd.Flags().BoolVar(&cross, "cross-validate", false, "leave each row's whole group out of the fit that estimates it")
	cmd.Flags().StringVar(&traces, "traces", "", "folder of the trace files that rows of kind spot name (default beside the file)")
	cmd.Flags().StringVar(&personal, "calibration", "", "correction from your own runs")
	return cmd
}

func kindFault(err error) error {
	if kind, ok := errors.AsType[*calibrate.UnknownKindError](err); ok {
		return usagef("%v", kind).near(catalog.Nearest(kind.Kind, accuracyKinds, 2))
	}
	return usagef("%v", err)
}

// accuracyView hands the report to the presentation, which knows no fitting.
func accuracyView(r *calibrate.Report) present.AccuracyReport {
	v := present.AccuracyReport{
		Object: r, Kind: r.Kind, Rows: r.Rows, Scored: r.Scored, MedianAPE: r.MedianAPE, P90APE: r.P90APE, Within20: r.Within20, WithinBand: r.WithinBand,
		FitsRight: r.FitsRight, FitsWrong: r.FitsWrong, FalseYes: r.FalseYes, PeakMedian: r.PeakMedian, PeakP90: r.PeakP90, Skipped: map[string]int{}, By: map[string]map[string]present.AccuracyScore{},
	}
	for _, s := range r.Skipped {
		v.Skipped[s.Reason]++
	}
	for by, groups := range r.By {
		v.By[by] = map[string]present.AccuracyScore{}
		for name, s := range groups {
			v.By[by][name] = present.AccuracyScore(s)
		}
	}
	for _, d := range r.Detail {
		v.Detail = append(v.Detail, present.AccuracyRow{ID: d.ID, Measured: d.Measured, Low: d.Low, Mid: d.Mid, High: d.High, APE: d.APE})
	}
	if r.TPOT != nil {
		s := present.AccuracyScore(*r.TPOT)
		v.TPOT = &s
	}
	return v
}

// accuracySpot recomputes reference values of interruptions and buying.
func (a *App) accuracySpot(file, traces string, b []byte) error {
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))).ReadAll() // spreadsheets put a byte order mark first
	if err != nil || len(rows) == 0 {
		return usagef("%s: not a CSV file with a header", file)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, name := range []string{"family", "case_id", "quantity", "expected", "tol_rel", "tol_abs", "inputs_json"} {
		if _, ok := at[name]; !ok {
			return usagef("%s: no column %s", file, name)
		}
	}
	out := present.SpotAccuracy{Failed: []present.SpotFailure{}}
	dir := traceDir(file, traces)
	for i, r := range rows[1:] {
		get := func(name string) string { return r[at[name]] }
		var n [3]float64
		for k, name := range []string{"expected", "tol_rel", "tol_abs"} {
			if k > 0 && get(name) == "" { // no tolerance: exact
				continue
			}
			if n[k], err = strconv.ParseFloat(get(name), 64); err != nil {
				return usagef("%s:%d: %s %q is not a number", file, i+2, name, get(name))
			}
		}
		got, err := spotcheck.Compute(spotcheck.Row{Family: get("family"), Quantity: get("quantity"), Inputs: json.RawMessage(get("inputs_json"))}, dir)
		if err == nil && spotcheck.Pass(got, n[0], n[1], n[2]) {
			out.Passed++
			continue
		}
		f := present.SpotFailure{CaseID: get("case_id"), Quantity: get("quantity"), Expected: get("expected"), Got: strconv.FormatFloat(got, 'g', -1, 64)}
		if err != nil {
			f.Got = err.Error()
		}
		out.Failed = append(out.Failed, f)
	}
	return a.show(out.Doc(a.lang()))
}

// traceDir is the folder of trace files: as stated, or traces beside the file or
// beside one of the three folders it is in.
func traceDir(file, stated string) fs.FS {
	dirs := []string{stated}
	for dir, i := filepath.Dir(file), 0; i < 4; i++ {
		dirs = append(dirs, filepath.Join(dir, "traces"))
		dir = filepath.Join(dir, "..")
	}
	for _, d := range dirs {
		if info, err := os.Stat(d); d != "" && err == nil && info.IsDir() {
			return os.DirFS(d)
		}
	}
	return nil
}
