// Command gencalibration fits the calibration on the measured rows and writes
// data/calibration.yaml, its compiled twin data/calibration.bin and the tables
// of docs/methodology.md. Run it from the root of the module:
//
//	go run ./cmd/gencalibration
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpucost/gpucost/internal/calibrate"
	"github.com/gpucost/gpucost/internal/catalog"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gencalibration:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	cat, problems := catalog.Load(os.DirFS(filepath.Join(root, "data")), "gpus.yaml", "models.yaml")
	if err := problems.Err(); err != nil {
		return err
	}
	cal, err := calibrate.Fit(cat)
	if err != nil {
		return err
	}
	bin, err := cal.Encode()
	if err != nil {
		return err
	}
	var yaml bytes.Buffer
	if err := calibrate.WriteYAML(&yaml, cal); err != nil {
		return err
	}
	doc := filepath.Join(root, "docs", "methodology.md")
	text, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	tables, err := calibrate.Tables(cat, cal)
	if err != nil {
		return err
	}
	if text, err = calibrate.ReplaceTables(text, tables); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		filepath.Join(root, "data", "calibration.bin"):  bin,
		filepath.Join(root, "data", "calibration.yaml"): yaml.Bytes(),
		doc: text,
	} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
