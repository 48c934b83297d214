package spotcheck

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// sharedTraces lies beside the project where the reference material is present.
const sharedTraces = "../../../../shared/traces"

func traceDir() fs.FS {
	if _, err := os.Stat(sharedTraces); err != nil {
		return nil
	}
	return os.DirFS(sharedTraces)
}

// Every reference row passes within its own tolerance, from its inputs alone.
func TestTruth(t *testing.T) {
	f, err := os.Open("testdata/truth.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	traces := traceDir()
	passed, skipped := 0, 0
	for _, r := range rows[1:] {
		if traces == nil && strings.Contains(r[8], "trace_file") {
			skipped++
			continue
		}
		want, tolRel, tolAbs := number(t, r[3]), number(t, r[4]), number(t, r[5])
		got, err := Compute(Row{Family: r[0], Quantity: r[2], Inputs: json.RawMessage(r[8])}, traces)
		if err != nil {
			t.Errorf("%s %s %s: %v", r[0], r[1], r[2], err)
			continue
		}
		if !Pass(got, want, tolRel, tolAbs) {
			t.Errorf("%s %s %s: got %.12g, want %.12g within %g + %g", r[0], r[1], r[2], got, want, tolAbs, tolRel*math.Abs(want))
			continue
		}
		passed++
	}
	t.Logf("%d rows passed, %d skipped for want of the traces", passed, skipped)
	if len(rows)-1 != 358 || passed+skipped != 358 {
		t.Errorf("%d of %d rows", passed, len(rows)-1)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Edge rows of the same families: limits, optional keys left out.
func TestEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		family, quantity, in string
		want, tol            float64
	}{
		{"units", "mtbf_h", `{"prob":0,"window_h":1}`, inf, 0},
		{"units", "lambda_per_h", `{"prob":1,"window_h":1}`, inf, 0},
		{"units", "p_interrupted_in_6h", `{"prob":1,"window_h":24}`, 1, 0},
		{"interval", "tau_exact_h", `{"C_h":0,"lambda_per_h":0}`, inf, 0},
		{"makespan", "billed_h", `{"C_h":0.1,"R_h":0.15,"W_h":72,"lambda_per_h":0.35667494393873234,"tau_h":72}`, 4.2e11, 1e10},
		{"makespan", "best_pieces", `{"C_h":0.05,"W_h":24,"lambda_per_h":0}`, 1, 0},
		{"makespan", "billed_h", `{"C_h":0.05,"R_h":0.1,"W_h":12,"lambda_per_h":0.15}`, 34.173087418861456, 1e-9}, // no interval: from scratch
		{"makespan", "wall_h", `{"C_h":0.05,"D_h":1,"R_h":0.1,"W_h":0,"tau_h":1,"final_ckpt":true,"lambda_per_h":0.2}`, 0, 0},
		{"first_hour_free", "billed_h_approx", `{"C_h":0.1,"R_h":0,"W_h":23.90292446167291,"tau_h":11.951462230836455,"lambda_per_h":30.8362682136228,"free_first_h":1,"initial_start":true}`, 1.0832325583022554e148, 1e139},
		{"checkpoint", "write_s", `{"bytes_per_param":14,"params_b":7,"write_gb_per_s":0,"notice_s":0}`, inf, 0},
		{"checkpoint", "fits_notice", `{"bytes_per_param":14,"params_b":7,"write_gb_per_s":0,"notice_s":0}`, 0, 0},
		{"checkpoint", "needed_gb_per_s", `{"bytes_per_param":14,"params_b":7,"write_gb_per_s":1,"notice_s":0}`, inf, 0},
		{"pool", "mean_price", `{"avail":[0,0],"price":[1,2]}`, inf, 0},
		{"pool", "od_h", `{"C0_h":48,"R0_h":60,"od_over_spot":3,"spot_fraction":1}`, 0, 0},
		{"commit", "breakeven_utilisation", `{"commit_per_h":1,"od_per_h":0,"term_h":1,"upfront":0}`, inf, 0},
		{"serverless", "mmc_servers", `{"req_per_s":2,"service_s":1,"target_mean_wait_s":0.5}`, 3, 0},
		{"buy", "breakeven_life_months", `{"capex":2000000,"days_per_month":30,"gpus":8,"hours_per_day":1,"opex_month":8000,"rent_per_gpu_h":1}`, inf, 0},
		{"cost", "saving_fraction", `{"C_h":0,"R_h":0.1,"W_h":1000,"gpus":1,"lambda_per_h":1,"od_per_gpu_h":2,"spot_per_gpu_h":1,"tau_h":1000}`, -inf, 0},
		{"deadline", "missed", `{"C0_h":10,"R0_h":5,"changeover_h":0.2,"gap_h":0.5,"policy":"greedy","trace_rle":"0x5"}`, 1, 0},
	} {
		got, err := Compute(Row{c.family, c.quantity, json.RawMessage(c.in)}, nil)
		if err != nil || !Pass(got, c.want, 0, c.tol) {
			t.Errorf("%s %s %s: got %g, %v, want %g", c.family, c.quantity, c.in, got, err, c.want)
		}
	}
}

// Simulated rows with many interruptions a run; the right values are from an
// independent simulation in Python, within five of its standard errors.
func TestManyInterruptions(t *testing.T) {
	for _, c := range []struct {
		family, quantity, in string
		want, tol            float64
	}{
		{"first_hour_free", "billed_h_mc", `{"C_h":0.05,"R_h":0.1,"W_h":24,"free_first_h":1,"initial_start":true,"lambda_per_h":3,"tau_h":0.5}`, 18.2626, 0.113},
		{"makespan", "p_miss", `{"C_h":0.1,"D_h":1,"R_h":0.15,"W_h":72,"deadline_h":135,"lambda_per_h":0.35667494393873234,"tau_h":1.5}`, 0.787925, 0.0103},
		{"makespan", "p_miss", `{"C_h":0,"R_h":0.1,"W_h":1000,"deadline_h":2000,"lambda_per_h":1,"tau_h":1000}`, 1, 0},
	} {
		got, err := Compute(Row{c.family, c.quantity, json.RawMessage(c.in)}, nil)
		if err != nil || !Pass(got, c.want, 0, c.tol) {
			t.Errorf("%s %s %s: got %g, %v, want %g", c.family, c.quantity, c.in, got, err, c.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	if _, err := Compute(Row{"luck", "x", json.RawMessage(`{}`)}, nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown family: %v", err)
	}
	for _, f := range Families() {
		in := `{"prob":0.1,"window_h":1,"W_h":1,"tau_h":1,"avail":[1],"price":[1],"C0_h":1,"R0_h":2,"gap_h":1,"policy":"greedy","trace_rle":"1x1"}`
		if _, err := Compute(Row{f, "luck", json.RawMessage(in)}, nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: unknown quantity: %v", f, err)
		}
	}
	_, err := Compute(Row{"deadline", "cost", json.RawMessage(`{"trace_file":"x.csv"}`)}, nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no traces: %v", err)
	}
	for _, bad := range []string{"", "[]", `{"W_h":"x"}`} {
		if _, err := Compute(Row{"makespan", "wall_h", json.RawMessage(bad)}, nil); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}

// Any inputs give a value or an error, never NaN and never a panic.
func FuzzCompute(f *testing.F) {
	rows := map[string]string{
		"units":    "lambda_per_h",
		"makespan": "wall_h", "checkpoint": "write_s", "pool": "fraction_0", "commit": "reserve_units",
		"serverless": "billed_fraction", "buy": "own_cost_month", "cost": "spot_cost", "deadline": "finish_h", "interval": "tau_exact_h",
	}
	for family, quantity := range rows {
		f.Add(family, quantity, `{"prob":0.1,"window_h":1,"W_h":1,"tau_h":0.5,"C_h":0.1,"avail":[1],"price":[1],"C0_h":1,"R0_h":2,"gap_h":1,"policy":"uniform","trace_rle":"1x1"}`)
	}
	f.Fuzz(func(t *testing.T, family, quantity, in string) {
		switch quantity {
		case "p_miss", "billed_h_mc", "billed_s_per_request", "cold_fraction":
			t.Skip("simulations are too slow to fuzz")
		}
		v, err := Compute(Row{family, quantity, json.RawMessage(in)}, nil)
		if math.IsNaN(v) || err != nil && v != 0 {
			t.Errorf("%s %s %s: %g, %v", family, quantity, in, v, err)
		}
	})
}
