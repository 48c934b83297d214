package spot

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a trace file.
const (
	maxTraceBytes = 64 << 20
	maxTraceRows  = 2_000_000
)

// ReadTraces reads availability traces from CSV. The header names the columns;
// an unknown or missing column, a value out of range, rows of one trace that are
// not together, and files over 64 MiB or 2 million rows are errors with the line.
//
//	trace_id (or zone)    optional; a new value starts a new trace
//	value                 required: instances up, -1 for a missing probe; also
//	                      called up, nodes, instances or instances_...
//	run_length_ticks      optional, 1 without it: how many samples the value lasts
//	run_index             optional: must count up from 0 within a trace
//	gap_seconds           optional: time between samples, the same within a trace
//	t_seconds             instead of run_length_ticks: when the value began;
//	                      strictly increasing, the last value lasts one gap
//
// gapSeconds is the time between samples where the file does not say (0: it must).
// With t_seconds the gap is the greatest common divisor of the steps.
func ReadTraces(r io.Reader, gapSeconds float64) ([]Trace, error) {
	limited := &io.LimitedReader{R: r, N: maxTraceBytes + 1}
	in := csv.NewReader(limited)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("trace: no header: %w", err)
	}
	cols, err := traceColumns(header)
	if err != nil {
		return nil, err
	}
	p := traceParser{cols: cols, gap: gapSeconds, seen: map[string]bool{}}
	for rows := 0; ; rows++ {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case limited.N <= 0:
			return nil, fmt.Errorf("trace: larger than %d bytes", maxTraceBytes)
		case err != nil: // says the line itself
			return nil, fmt.Errorf("trace: %w", err)
		}
		line, _ := in.FieldPos(0)
		if rows == maxTraceRows {
			return nil, fmt.Errorf("trace: line %d: more than %d rows", line, maxTraceRows)
		}
		if err := p.row(record); err != nil {
			return nil, fmt.Errorf("trace: line %d: %w", line, err)
		}
	}
	if err := p.closeTrace(); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	if len(p.traces) == 0 {
		return nil, errors.New("trace: no rows")
	}
	return p.traces, nil
}

// traceCols are column positions, -1 where absent.
type traceCols struct{ id, value, ticks, index, gap, at int }

func traceColumns(header []string) (traceCols, error) {
	c := traceCols{-1, -1, -1, -1, -1, -1}
	for i, name := range header {
		var field *int
		switch n := strings.TrimPrefix(strings.TrimSpace(name), "\ufeff"); {
		case n == "trace_id" || n == "zone":
			field = &c.id
		case slices.Contains([]string{"value", "up", "nodes", "instances"}, n) || strings.HasPrefix(n, "instances_"):
			field = &c.value
		case n == "run_length_ticks":
			field = &c.ticks
		case n == "run_index":
			field = &c.index
		case n == "gap_seconds":
			field = &c.gap
		case n == "t_seconds":
			field = &c.at
		default:
			return c, fmt.Errorf("trace: line 1: unknown column %q; known are trace_id, value, run_length_ticks, run_index, gap_seconds, t_seconds", name)
		}
		if *field >= 0 {
			return c, fmt.Errorf("trace: line 1: column %q appears twice", name)
		}
		*field = i
	}
	if c.value < 0 {
		return c, errors.New("trace: line 1: no value column")
	}
	if c.at >= 0 && c.ticks >= 0 {
		return c, errors.New("trace: line 1: t_seconds and run_length_ticks exclude each other")
	}
	return c, nil
}

type traceParser struct {
	cols   traceCols
	gap    float64 // from the caller
	traces []Trace
	seen   map[string]bool

	open    bool
	current Trace
	fileGap float64
	times   []int
	total   int
}

func (p *traceParser) row(rec []string) error {
	id := ""
	if p.cols.id >= 0 {
		id = rec[p.cols.id]
	}
	if !p.open || id != p.current.ID {
		if err := p.closeTrace(); err != nil {
			return err
		}
		if p.seen[id] {
			return fmt.Errorf("rows of trace %q are not together", id)
		}
		p.seen[strings.Clone(id)] = true
		p.current, p.open = Trace{ID: strings.Clone(id)}, true
		p.fileGap, p.times, p.total = 0, nil, 0
	}
	run := Run{Ticks: 1}
	var err error
	if run.Value, err = whole(rec[p.cols.value], "value", -1, 1_000_000); err != nil {
		return err
	}
	if p.cols.ticks >= 0 {
		if run.Ticks, err = whole(rec[p.cols.ticks], "run_length_ticks", 1, maxTicks-p.total); err != nil {
			return err
		}
	}
	if p.cols.index >= 0 {
		n := len(p.current.Runs)
		if _, err = whole(rec[p.cols.index], "run_index", n, n); err != nil {
			return err
		}
	}
	if p.cols.at >= 0 {
		least := 0
		if n := len(p.times); n > 0 {
			least = p.times[n-1] + 1
		}
		at, err := whole(rec[p.cols.at], "t_seconds", least, maxTicks)
		if err != nil {
			return err
		}
		p.times = append(p.times, at)
	}
	p.total += run.Ticks
	p.current.Runs = append(p.current.Runs, run)
	return p.gapColumn(rec)
}

func (p *traceParser) gapColumn(rec []string) error {
	if p.cols.gap < 0 {
		return nil
	}
	g, err := parseNumber(rec[p.cols.gap])
	if err != nil {
		return fmt.Errorf("gap_seconds: %w", err)
	}
	if p.fileGap != 0 && g != p.fileGap {
		return fmt.Errorf("gap_seconds %g differs from %g before", g, p.fileGap)
	}
	p.fileGap = g
	return nil
}

func (p *traceParser) closeTrace() error {
	if !p.open {
		return nil
	}
	p.open = false
	gap := p.gap
	if p.fileGap != 0 {
		gap = p.fileGap
	}
	if p.cols.at >= 0 {
		common, err := p.ticksFromTimes()
		if err != nil {
			return err
		}
		gap = common
	}
	if !(gap > 0) || math.IsInf(gap, 1) || gap > 1e9 {
		return fmt.Errorf("trace %q: gap between samples of %g s must be above 0: give it or add a gap_seconds column", p.current.ID, gap)
	}
	p.current.GapHours = gap / 3600
	p.traces = append(p.traces, p.current)
	return nil
}

// ticksFromTimes sets the run lengths of an event trace and returns its gap.
func (p *traceParser) ticksFromTimes() (float64, error) {
	if len(p.times) < 2 {
		return 0, fmt.Errorf("trace %q: t_seconds needs at least two rows", p.current.ID)
	}
	common := 0
	for i := 1; i < len(p.times); i++ {
		a, b := common, p.times[i]-p.times[i-1]
		for b != 0 {
			a, b = b, a%b
		}
		common = a
	}
	for i := 1; i < len(p.times); i++ {
		p.current.Runs[i-1].Ticks = (p.times[i] - p.times[i-1]) / common
	}
	return float64(common), nil
}

// whole reads an integer between two bounds; trailing ".0" is not accepted.
func whole(text, name string, least, most int) (int, error) {
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s %q is not a whole number", name, text)
	}
	if v < least || v > most {
		return 0, fmt.Errorf("%s %d must be %d to %d", name, v, least, most)
	}
	return v, nil
}
