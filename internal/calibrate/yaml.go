package calibrate

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gpucost/gpucost/internal/estimate"
)

// WriteYAML writes a calibration for people: factors on time (1 is physics
// alone), sorted by name, and the error bands. The program reads the compiled
// twin; a test keeps the two equal.
func WriteYAML(w io.Writer, cal *estimate.Calibration) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Factors on physical time, fitted on the measured rows of internal/calibrate/testdata by `go run ./cmd/gencalibration`.")
	fmt.Fprintln(b, "# A factor above 1 is slower than physics. term: what of the time it scales; all: the whole. See docs/methodology.md.")
	fmt.Fprintf(b, "schema: %d\nrows: {training: %d, inference: %d}\n", cal.Schema, cal.Rows[Training], cal.Rows[Inference])
	fmt.Fprintln(b, "# Bands: 9 % and 91 % quantiles of measured / estimated on rows left out of the fit.")
	fmt.Fprintln(b, "bands:")
	for _, s := range cal.Spreads() {
		fmt.Fprintf(b, "  - {kind: %s, class: %s, low: %s, high: %s}\n", s.Kind, s.Class, number(math.Exp(s.Low)), number(math.Exp(s.High)))
	}
	for _, m := range [...]struct {
		name  string
		c     estimate.Coefficients
		terms func(int) string
	}{
		{"training", cal.Train, estimate.TrainTermName},
		{"serving", cal.Serve, estimate.ServeTermName},
		{"time_per_output_token", cal.TPOT, estimate.ServeTermName},
		{"time_to_first_token", cal.TTFT, estimate.ServeTermName},
	} {
		fmt.Fprintf(b, "%s:\n", m.name)
		for _, k := range m.c.Sorted() {
			term := "all"
			if k.Term > 0 {
				term = m.terms(k.Term - 1)
			}
			fmt.Fprintf(b, "  - {%s, term: %s, factor: %s}\n", keyFields(k), term, number(math.Exp(m.c[k])))
		}
	}
	return b.Flush()
}

// keyFields is a coefficient's name as flow-mapping fields.
func keyFields(k estimate.Key) string {
	kind := k.Kind
	if kind == "c" {
		kind = "term"
	}
	out := "kind: " + kind
	var of []string
	for _, s := range [...]string{k.A, k.B, k.C, k.D} {
		if s != "" {
			of = append(of, strconv.Quote(s))
		}
	}
	if len(of) > 0 {
		out += ", of: [" + strings.Join(of, ", ") + "]"
	}
	return out
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
