package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/calibrate"
	"github.com/gpucost/gpucost/internal/present"
)

type calibrateOptions struct {
	measurements, kind, out string
	with                    benchWith
}

func (a *App) calibrateCommand() *cobra.Command {
	var o calibrateOptions
	cmd := &cobra.Command{
		Use: "calibrate --measurements FILE", Short: "Your own runs as a correction of the estimates, and how far it moves them",
		Long: "Reads runs with our columns (docs/methodology.md), or the result of vllm bench serve or GuideLLM as\n" +
			"JSON, fits a factor on time for everything, for each GPU and for each model on a GPU, and says how\n" +
			"far the estimates moved. With --out the correction is written; estimate and accuracy use it with\n" +
			"--calibration FILE or $GPUCOST_CALIBRATION.",
		Example: "  gpucost calibrate --measurements runs.csv --kind training --out mine.json\n" +
			"  gpucost calibrate --measurements vllm.json --gpu h100 --gpus 4 --precision fp8 --out mine.json",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.calibrate(&o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.measurements, "measurements", "", "CSV with our columns, or JSON of vllm bench serve or GuideLLM; - is stdin")
	f.StringVar(&o.kind, "kind", "", "training or inference (default by the columns)")
	f.StringVar(&o.out, "out", "", "write the correction to this file")
	f.StringVar(&o.with.gpu, "gpu", "", "JSON results: the GPU they were measured on")
	f.IntVar(&o.with.gpus, "gpus", 1, "JSON results: GPUs of the replica")
	f.StringVar(&o.with.precision, "precision", "", "JSON results: bf16, fp8 ... (default bf16)")
	f.StringVar(&o.with.model, "model", "", "JSON results: the model, where the file does not say it")
	f.StringVar(&o.with.engine, "engine", "vllm", "JSON results: the serving software")
	return cmd
}

func (a *App) calibrate(o *calibrateOptions) error {
	if o.measurements == "" {
		return usagef("state the runs: --measurements FILE").hint("gpucost calibrate --help")
	}
	b, err := a.read(o.measurements)
	if err != nil {
		return err
	}
	if json := bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff"))); len(json) > 0 && json[0] == '{' {
		if b, err = benchCSV(display(o.measurements), b, o.with); err != nil {
			return err
		}
		o.kind = calibrate.Inference
	}
	if o.kind == "" {
		o.kind = kindOfColumns(b)
	}
	c, err := a.catalog()
	if err != nil {
		return err
	}
	cal, err := a.calibration("")
	if err != nil {
		return err
	}
	p, moved, skipped, err := calibrate.Measure(o.kind, bytes.NewReader(b), c, cal)
	if err != nil {
		f := usagef("%s: %v", display(o.measurements), err)
		for i := range min(3, len(skipped)) {
			f = f.hint("%s: %s", skipped[i].ID, skipped[i].Reason)
		}
		return f
	}
	view := movedView(p, moved, skipped)
	view.Lang = a.lang()
	if o.out != "" {
		if err := writeFile(o.out, p); err != nil {
			return err
		}
		view.File = o.out
	}
	return a.show(view.Doc())
}

// kindOfColumns tells runs of training from those of serving.
func kindOfColumns(b []byte) string {
	head, _, _ := bytes.Cut(b, []byte("\n"))
	if bytes.Contains(head, []byte("tokens_per_s_per_gpu")) || bytes.Contains(head, []byte("mfu_")) {
		return calibrate.Training
	}
	return calibrate.Inference
}

func movedView(p calibrate.PersonalFile, moved []calibrate.Moved, skipped []calibrate.Skip) present.Moved {
	v := present.Moved{Factors: p, Skipped: map[string]int{}}
	var changes []float64
	for _, m := range moved {
		v.Rows = append(v.Rows, present.MovedRow{ID: m.ID, Measured: m.Measured, Before: m.Before, After: m.After})
		if m.Before > 0 {
			changes = append(changes, m.After/m.Before-1)
		}
	}
	slices.Sort(changes)
	if len(changes) > 0 {
		v.Median = changes[len(changes)/2]
	}
	for _, s := range skipped {
		v.Skipped[s.Reason]++
	}
	return v
}

// writeFile writes the correction beside its name first, so that a reader
// never sees half of it.
func writeFile(name string, p calibrate.PersonalFile) error {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".gpucost-*")
	if err != nil {
		return failf("%s: %v", name, err)
	}
	_, err = f.Write(append(b, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return failf("%s: %s", name, strings.TrimPrefix(err.Error(), "rename "))
	}
	return nil
}
