package spot

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadTraces(t *testing.T) {
	for _, c := range []struct {
		name, in string
		gap      float64
		want     []Trace
	}{
		{"runs", "trace_id,run_index,value,run_length_ticks\na,0,0,3\na,1,1,2\nb,0,16,1\n", 600, []Trace{
			{ID: "a", GapHours: 600.0 / 3600, Runs: []Run{{0, 3}, {1, 2}}},
			{ID: "b", GapHours: 600.0 / 3600, Runs: []Run{{16, 1}}},
		}},
		{"one sample a row, gap in the file", "zone,instances_launched_of_16,gap_seconds\nz,-1,36\nz,4,36\n", 0, []Trace{
			{ID: "z", GapHours: 0.01, Runs: []Run{{-1, 1}, {4, 1}}},
		}},
		{"events", "t_seconds,instances_after\n0,18\n60,19\n180,0\n", 0, []Trace{
			{GapHours: 60.0 / 3600, Runs: []Run{{18, 1}, {19, 2}, {0, 1}}},
		}},
	} {
		got, err := ReadTraces(strings.NewReader(c.in), c.gap)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestReadTracesRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "no header"},
		{"value\n", "no rows"},
		{"value,colour\n1,2\n", `line 1: unknown column "colour"`},
		{"trace_id\na\n", "no value column"},
		{"value,up\n1,1\n", "twice"},
		{"value,t_seconds,run_length_ticks\n1,0,1\n", "exclude"},
		{"value\n1\nx\n", `line 3: value "x" is not a whole number`},
		{"value\n-2\n", "must be -1"},
		{"value\n1.0\n", "not a whole number"},
		{"value,run_length_ticks\n1,0\n", "run_length_ticks 0 must be 1"},
		{"value,run_index\n1,0\n1,2\n", "line 3: run_index 2 must be 1 to 1"},
		{"trace_id,value\na,1\nb,1\na,1\n", "not together"},
		{"value,gap_seconds\n1,60\n1,30\n", "differs"},
		{"value,t_seconds\n1,5\n1,5\n", "t_seconds 5 must be 6"},
		{"value,t_seconds\n1,5\n", "two rows"},
		{"value\n1,2\n", "wrong number of fields"},
		{"value,run_length_ticks\n1,1073741824\n1,1\n", "must be 1 to 0"},
	} {
		if _, err := ReadTraces(strings.NewReader(c.in), 60); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.in, err, c.want)
		}
	}
	for _, gap := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := ReadTraces(strings.NewReader("value\n1\n"), gap); err == nil {
			t.Errorf("gap %g accepted", gap)
		}
	}
}

// Whatever is read can be used: it has samples, a gap and finite figures.
func FuzzReadTraces(f *testing.F) {
	f.Add("trace_id,run_index,value,run_length_ticks\na,0,0,3\na,1,1,2\n", 600.0)
	f.Add("t_seconds,instances_after\n0,18\n60,19\n180,0\n", 0.0)
	f.Add("value,gap_seconds\n1,60\n0,60\n1,60\n", 0.0)
	f.Add("\ufeffvalue\n\"1\"\n", 1.0)
	f.Add("trace_id,value\n\"0", 600.0) // a quote that never ends
	f.Fuzz(func(t *testing.T, in string, gap float64) {
		traces, err := ReadTraces(strings.NewReader(in), gap)
		if err != nil {
			if traces != nil {
				t.Error("an error with traces")
			}
			return
		}
		for _, tr := range traces {
			if tr.Ticks() < 1 || !(tr.GapHours > 0) {
				t.Fatalf("%+v", tr)
			}
			st := tr.Stats(1)
			for _, v := range []float64{st.ShareUp, st.DropPerHour, st.Up.CV, st.Down.MeanHours} {
				if _, ok := finite(v); !ok {
					t.Fatalf("%+v", st)
				}
			}
			if st.Up.Count > 0 {
				if _, err := Replay(Job{WorkHours: tr.GapHours}, tr, 1, 3); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestParseRuns(t *testing.T) {
	got, err := ParseRuns("1x20, 0x30,-1x1")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Run{{1, 20}, {0, 30}, {-1, 1}}, got); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"", "1", "1x", "x1", "1x0", "1x-1", "1x2x3", "1x1073741825", strings.Repeat("1x1,", 1<<19)} {
		if _, err := ParseRuns(bad); err == nil {
			t.Errorf("%.20q accepted", bad)
		}
	}
}

func FuzzParseRuns(f *testing.F) {
	f.Add("1x20,0x30")
	f.Fuzz(func(t *testing.T, s string) {
		runs, err := ParseRuns(s)
		if err == nil && (Trace{Runs: runs}).Ticks() < 1 {
			t.Errorf("%q: %v", s, runs)
		}
	})
}

func TestStats(t *testing.T) {
	runs, _ := ParseRuns("2x2,1x4,0x3,-1x1,2x6")
	st := Trace{GapHours: 0.5, Runs: runs}.Stats(1)
	near(t, "share up", st.ShareUp, 12.0/16, 1e-12)
	near(t, "drops per hour up", st.DropPerHour, 1/6.0, 1e-12)
	near(t, "mean up", st.Up.MeanHours, 3, 1e-12)
	near(t, "outage with a missing probe", st.Down.MeanHours, 2, 1e-12)
	if st = (Trace{GapHours: 0.5, Runs: runs}).Stats(2); st.Drops != 1 || st.Up.Count != 2 || st.Down.Count != 1 {
		t.Errorf("at two instances: %+v", st)
	}
}

// A job on a hand-made trace: up 2 h, down 1 h, up 4 h, down 1 h, over and over.
func TestReplayByHand(t *testing.T) {
	runs, _ := ParseRuns("1x2,0x1,1x4,0x1")
	tr := Trace{GapHours: 1, Runs: runs}
	j := Job{WorkHours: 3, IntervalHours: 1, RestartHours: 0.5}
	d, err := Replay(j, tr, 1, 8) // from 0.5, 1.5, ... 7.5 h
	if err != nil {
		t.Fatal(err)
	}
	// Up 1.5: 1 h kept, 0.5 lost, wait 1, restart 0.5, 2 h: 5 wall, 4 billed.
	// Up 0.5: nothing kept, wait 1, restart 0.5, 3 h: 5 wall, 4 billed.
	// In the outage: wait 0.5, then 4 h up are enough: 3.5 wall, 3 billed.
	// Up 3.5: 3 wall, 3 billed. Up 2.5: 2 kept, wait 1, restart, 1: 5, 4.
	// Up 1.5: 1 kept, wait 1, restart, 1 of 2 h kept, wait 1, restart, 1: 7, 5.
	// Up 0.5: 0 kept, wait 1, 1 kept in 2 h up, wait 1, restart, 2: 7, 5.
	// Outage: wait 0.5, 2 kept, wait 1, restart, 1: 5, 3.5.
	near(t, "wall", d.WallHours.Mean, (5+5+3.5+3+5+7+7+5)/8.0, 1e-9)
	near(t, "billed", d.BilledHours.Mean, (4+4+3+3+4+5+5+3.5)/8.0, 1e-9)
}

func TestReplayEnds(t *testing.T) {
	up := Trace{GapHours: 1, Runs: []Run{{1, 5}}}
	d, err := Replay(Job{WorkHours: 30, IntervalHours: 1, CheckpointHours: 0.1}, up, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "always up", d.WallHours.Mean, 32.9, 1e-9)
	if _, err := Replay(Job{WorkHours: 1}, up, 2, 3); err == nil {
		t.Error("a trace that is never up was replayed")
	}
	if _, err := Replay(Job{WorkHours: 1}, up, 1, 0); err == nil {
		t.Error("no starts accepted")
	}
	// A ring keeps its length whichever way the record begins and ends.
	for _, s := range []string{"1x2,0x1,1x3", "0x1,1x2,0x3", "0x2,1x4", "1x4,0x2", "0x1,1x1,0x1,1x1,0x2"} {
		runs, err := ParseRuns(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newRing(Trace{GapHours: 1, Runs: runs}, 1)
		if err != nil {
			t.Fatal(err)
		}
		near(t, s, r.period, 6, 1e-12)
		if len(r.up) != len(r.down) {
			t.Errorf("%s: %d up, %d down", s, len(r.up), len(r.down))
		}
	}
}
