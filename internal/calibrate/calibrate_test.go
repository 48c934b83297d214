package calibrate

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

func testCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	cat, problems := catalog.Load(os.DirFS("../../data"), "gpus.yaml", "models.yaml")
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return cat
}

func shipped(t testing.TB) *estimate.Calibration {
	t.Helper()
	bin, err := os.ReadFile("../../data/calibration.bin")
	if err != nil {
		t.Fatal(err)
	}
	cal, err := estimate.DecodeCalibration(bin)
	if err != nil {
		t.Fatal(err)
	}
	return cal
}

// The file people read and the one the program loads say the same.
func TestShippedTwinsAreEqual(t *testing.T) {
	want, err := os.ReadFile("../../data/calibration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := WriteYAML(&got, shipped(t)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got.Bytes()) {
		t.Error("data/calibration.yaml and data/calibration.bin differ: go run ./cmd/gencalibration")
	}
}

// The shipped factors are those that the rows give, and the tables of the
// methodology are those that the program measures.
func TestShippedCalibrationIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("fits the calibration some twenty times")
	}
	cat, ship := testCatalog(t), shipped(t)
	all, err := measured(cat)
	if err != nil {
		t.Fatal(err)
	}
	cal := all.factors()
	for _, m := range []struct {
		name      string
		got, want estimate.Coefficients
	}{{"training", cal.Train, ship.Train}, {"serving", cal.Serve, ship.Serve}, {"tpot", cal.TPOT, ship.TPOT}, {"ttft", cal.TTFT, ship.TTFT}} {
		for _, k := range m.want.Sorted() {
			if d := math.Abs(m.got[k] - m.want[k]); d > 0.005 {
				t.Errorf("%s %v: fitted %.4f, shipped %.4f: go run ./cmd/gencalibration", m.name, k, m.got[k], m.want[k])
			}
		}
	}
	doc, err := os.ReadFile("../../docs/methodology.md")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Tables(cat, ship)
	if err != nil {
		t.Fatal(err)
	}
	now, err := ReplaceTables(doc, tables)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("targets", func(t *testing.T) {
		for _, v := range []struct {
			kind        string
			rows        []byte
			median, p90 float64
		}{{Training, trainingRows, 0.10, 0.40}, {Inference, inferenceRows, 0.19, 0.60}} {
			r, err := Accuracy(v.kind, bytes.NewReader(v.rows), cat, ship, true)
			if err != nil {
				t.Fatal(err)
			}
			if *r.MedianAPE > v.median || *r.P90APE > v.p90 || *r.WithinBand < 0.75 || *r.WithinBand > 0.90 {
				t.Errorf("%s, groups left out: median %.3f, P90 %.3f, in band %.3f", v.kind, *r.MedianAPE, *r.P90APE, *r.WithinBand)
			}
		}
	})
	if d := cmp.Diff(string(doc), string(now)); d != "" {
		t.Errorf("docs/methodology.md: go run ./cmd/gencalibration\n%s", d)
	}
}

// The limits that a release is held to, on the development rows.
func TestAccuracyOnDevelopmentRows(t *testing.T) {
	cat, cal := testCatalog(t), shipped(t)
	for _, v := range []struct {
		kind              string
		rows              []byte
		median, p90, band float64
		scored            int
	}{
		{Training, trainingRows, 0.12, 0.45, 0.75, 340},
		{Inference, inferenceRows, 0.15, 0.45, 0.75, 1150},
	} {
		r, err := Accuracy(v.kind, bytes.NewReader(v.rows), cat, cal, false)
		if err != nil {
			t.Fatal(err)
		}
		if *r.MedianAPE > v.median || *r.P90APE > v.p90 || *r.WithinBand < v.band || r.Scored < v.scored {
			t.Errorf("%s: median %.3f, P90 %.3f, in band %.3f, scored %d", v.kind, *r.MedianAPE, *r.P90APE, *r.WithinBand, r.Scored)
		}
	}
	r, err := Accuracy(MemoryFit, bytes.NewReader(memoryRows), cat, cal, false)
	if err != nil {
		t.Fatal(err)
	}
	if n := *r.FitsRight + *r.FitsWrong; *r.FitsRight*100 < 95*n || *r.FalseYes != 0 || *r.PeakMedian > 0.08 || *r.PeakP90 > 0.30 {
		t.Errorf("memory: %d right of %d, %d missed out-of-memory, peak %.3f / %.3f", *r.FitsRight, n, *r.FalseYes, *r.PeakMedian, *r.PeakP90)
	}
}

// The factor that made the rows is found again.
func TestFitRecoversFactors(t *testing.T) {
	key := estimate.Key{Kind: "x", Term: 1}
	whole := estimate.Key{Kind: "y", A: "slow"}
	var rows []example
	for i := range 40 {
		p := &estimate.Physics{}
		p.Terms[0], p.Terms[1] = float64(i+1), 5
		p.Feats[0], p.N = estimate.Feat{Key: key, X: 1}, 1
		log := math.Log(2*p.Terms[0] + 5)
		if i%2 == 0 {
			p.Feats[1], p.N = estimate.Feat{Key: whole, X: 1}, 2
			log += math.Log(1.3)
		}
		rows = append(rows, example{p, log, 1})
	}
	rows = append(rows, example{rows[0].physics, 9, 1}) // an outlier must not matter much
	c := fit(rows, func(estimate.Key) prior { return prior{0, 1e-6, -3, 3} })
	if got := math.Exp(c[key]); math.Abs(got-2) > 0.06 {
		t.Errorf("factor of the term %.3f, want 2", got)
	}
	if got := math.Exp(c[whole]); math.Abs(got-1.3) > 0.06 {
		t.Errorf("factor of the whole %.3f, want 1.3", got)
	}
	c = fit(rows, func(estimate.Key) prior { return prior{0, 1e-6, 0, 0.1} })
	if c[key] > 0.1 || c[whole] < 0 {
		t.Errorf("bounds do not hold: %v", c)
	}
}

func TestNamesOfTheSources(t *testing.T) {
	n := NewNames(testCatalog(t))
	for name, want := range map[string]string{
		"Llama-2-70B": "llama-2-70b", "LLAMA3_70B": "llama-3-70b", "meta-llama/Llama-3.1-8B-Instruct": "llama-3.1-8b", "DeepSeekV3": "deepseek-v3",
		"deepseek-ai/DeepSeek-V3": "deepseek-v3", "DeepSeek-V3/R1": "deepseek-v3", "nvidia/DeepSeek-V3.1-NVFP4": "deepseek-v3", "Qwen3_235B_a22B": "qwen3-235b-a22b",
		"Qwen/Qwen3-235B-A22B-FP8": "qwen3-235b-a22b", "GPT OSS 120B": "gpt-oss-120b", "Llama 3.3 70B": "llama-3.3-70b", "mixtral-8x7b": "mixtral-8x7b",
		"moonshotai/Kimi-K2.5": "kimi-k2", "stable-diffusion-xl": "sdxl", "GPT-J 6B": "gptj", "llama3.1-405b": "llama-3.1-405b",
	} {
		if m := n.Model(name, 0, 0); m == nil || m.ID != want {
			t.Errorf("%s: got %v, want %s", name, m, want)
		}
	}
	if m := n.Model("Unheard-397B-A17B", 0, 0); m == nil || m.ParamsB != 397 || m.ActiveB != 17 || m.Type != "MoE" {
		t.Errorf("size in the name: %+v", m)
	}
	if m := n.Model("Unheard", 12, 0); m == nil || m.ActiveB != 12 {
		t.Errorf("size in a column: %+v", m)
	}
	if m := n.Model("Unheard", 0, 0); m != nil {
		t.Errorf("a model without a size: %+v", m)
	}
	for _, g := range []string{"h100-80gb-sxm", "H100_80gb-SXM", "rtx-5000-ada"} {
		if n.GPU(g) == nil {
			t.Errorf("GPU %s unresolved", g)
		}
	}
}

func TestLayoutsOfTheSources(t *testing.T) {
	for s, want := range map[string]estimate.Layout{
		"TP=1; PP=2; CP=1; VP=8; EP=32; MBS=1":    {TP: 1, PP: 2, CP: 1, Virtual: 8, EP: 32},
		"DP8 TP4 PP12 MBS2":                       {DP: 8, TP: 4, PP: 12},
		"FSDP32 asyncTP8 compile full AC":         {DP: 32, TP: 8},
		"DEP8":                                    {EP: 8, AttentionDP: true},
		"DEP2 PP2":                                {EP: 2, PP: 2, AttentionDP: true},
		"TP2 DPattn2 EP4":                         {TP: 2, DP: 2, EP: 4, AttentionDP: true},
		"layer split":                             {LayerSplit: true},
		"FSDP2 CP4 TP8 PP8 full AC":               {DP: 2, CP: 4, TP: 8, PP: 8},
		"TP4 PP8 CP2 VP8":                         {TP: 4, PP: 8, CP: 2, Virtual: 8},
		"FSDP FULL_SHARD; micro-batch 8; offload": {},
	} {
		if d := cmp.Diff(want, parseLayout(s)); d != "" {
			t.Errorf("%s: %s", s, d)
		}
	}
	if find(microPattern, "FSDP FULL_SHARD; micro-batch 8; grad-accum 1") != 8 || find(microPattern, "DP8 TP4 MBS2") != 2 {
		t.Error("micro-batch")
	}
}

func TestEngineYears(t *testing.T) {
	for engine, want := range map[string]float64{
		"vllm 0.19.0": 2026.3, "vllm 0.6.5": 2024.75, "sglang 0.5.1.post1": 2025.65, "tensorrt 10.2.0, cuda 12.4": 2024.6,
		"tensorrt-llm v1.0": 2025.75, "none such": 0,
	} {
		if got := engineYear(engine); math.Abs(got-want) > 0.2 {
			t.Errorf("%s: %.2f, want %.2f", engine, got, want)
		}
	}
}

const ownRows = `id,model,precision,gpu,n_gpus,engine,scenario,input_len,output_len,concurrency,parallelism,out_tok_s_per_gpu
a,llama-3.1-70b,fp8,h100-80gb-sxm,4,vllm 0.19,serving closed-loop,1000,300,16,TP4,%s
b,llama-3.1-70b,fp8,h100-80gb-sxm,4,vllm 0.19,serving closed-loop,1000,300,32,TP4,%s
`

// Runs at half of the estimated speed move the estimate of that pair well
// over half of the way, and leave the shipped calibration as it was.
func TestOwnRunsMoveTheEstimate(t *testing.T) {
	cat, cal := testCatalog(t), shipped(t)
	first, err := Accuracy(Inference, strings.NewReader(strings.ReplaceAll(ownRows, "%s", "1")), cat, cal, false)
	if err != nil || first.Scored != 2 {
		t.Fatalf("%v %+v", err, first.Skipped)
	}
	var file strings.Builder
	for i, line := range strings.SplitAfter(ownRows, "\n") {
		if i == 1 || i == 2 {
			line = strings.ReplaceAll(line, "%s", plainNumber(first.Detail[i-1].Mid/2))
		}
		file.WriteString(line)
	}
	p, moved, skips, err := Measure(Inference, strings.NewReader(file.String()), cat, cal)
	if err != nil || len(skips) > 0 || p.Rows != 2 {
		t.Fatalf("%v %v %+v", err, skips, p)
	}
	for _, m := range moved {
		if f := m.After / m.Before; f > 0.75 || f < 0.5 {
			t.Errorf("%s moved by x%.2f, want toward x0.5", m.ID, f)
		}
	}
	again, _ := Accuracy(Inference, strings.NewReader(ownRows[:strings.IndexByte(ownRows, '\n')+1]), cat, cal, false)
	if again.Scored != 0 || len(p.Factors) != 3 {
		t.Errorf("%+v", p.Factors)
	}
}

func TestPersonalFileIsStrict(t *testing.T) {
	for _, bad := range []string{`{}`, `{"schema":1,"factors":[{"kind":"inference","time_factor":0}]}`, `{"schema":1,"factors":[{"kind":"x","time_factor":1}]}`, `{"schema":1,"nope":2}`, `[`} {
		if _, err := ReadPersonal(strings.NewReader(bad)); err == nil {
			t.Errorf("%s: read without an error", bad)
		}
	}
	if _, err := ReadPersonal(strings.NewReader(`{"schema":1,"rows":1,"factors":[{"kind":"training","gpu":"h100-80gb-sxm","time_factor":1.2,"rows":1}]}`)); err != nil {
		t.Error(err)
	}
}

func TestReadBench(t *testing.T) {
	vllm := `{"model_id":"meta-llama/Llama-3.1-70B","completed":100,"total_input_tokens":100000,"total_output_tokens":30000,"output_throughput":800,"mean_ttft_ms":200,"mean_tpot_ms":19,"max_concurrency":16}`
	got, err := ReadBench([]byte(vllm), Bench{GPU: "h100-80gb-sxm", GPUs: 4, Precision: "fp8", Engine: "vllm"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "vllm-bench,meta-llama/Llama-3.1-70B,fp8,h100-80gb-sxm,4,vllm,serving closed-loop,1000,300,16,TP4,200,200,19,own"; !strings.Contains(string(got), want) {
		t.Errorf("%s", got)
	}
	guide := `{"benchmarks":[{"metrics":{"request_concurrency":{"successful":{"mean":8}},"prompt_token_count":{"successful":{"mean":512}},"output_token_count":{"successful":{"mean":128}},"output_tokens_per_second":{"successful":{"mean":400}}}}]}`
	if got, err = ReadBench([]byte(guide), Bench{GPU: "l40s", GPUs: 1, Model: "llama-3.1-8b"}); err != nil || !strings.Contains(string(got), ",512,128,8,TP1,400,") {
		t.Errorf("%v %s", err, got)
	}
	for _, bad := range []string{`{}`, `[]`, `{"completed":1}`} {
		if _, err := ReadBench([]byte(bad), Bench{GPU: "l40s", GPUs: 1}); err == nil {
			t.Errorf("%s: read without an error", bad)
		}
	}
}

// An unknown card or model is skipped with a reason; missing columns are not.
func TestSkippedRows(t *testing.T) {
	file := "id,model,gpu,out_tok_s_per_gpu\na,llama-3.1-8b,h200-141gb-sxm,900\nb,llama-3.1-8b,no-such-card,1\nc,unheard,l40s,1\nd,llama-3.1-8b,l40s,\n"
	r, err := Accuracy(Inference, strings.NewReader(file), testCatalog(t), shipped(t), false)
	if err != nil {
		t.Fatal(err)
	}
	if r.Scored != 1 || len(r.Skipped) != 3 {
		t.Errorf("scored %d, skipped %+v", r.Scored, r.Skipped)
	}
	if _, err := Accuracy("nonsense", strings.NewReader("id\n"), testCatalog(t), shipped(t), false); err == nil {
		t.Error("an unknown kind is no error")
	}
	if _, err := Accuracy(Training, strings.NewReader(""), testCatalog(t), shipped(t), false); err == nil {
		t.Error("an empty file is no error")
	}
}

func FuzzAccuracy(f *testing.F) {
	head := func(b []byte, n int) string { return strings.Join(strings.SplitAfter(string(b), "\n")[:n], "") }
	f.Add(0, head(trainingRows, 4))
	f.Add(1, head(inferenceRows, 4))
	f.Add(2, head(memoryRows, 4))
	f.Add(1, "id,model,gpu,n_gpus,input_len,output_len,concurrency,out_tok_s_per_gpu\nx,9b,l40s,-3,1e300,-1,NaN,1e-300\n")
	cat, cal := testCatalog(f), shipped(f)
	f.Fuzz(func(t *testing.T, kind int, file string) {
		r, err := Accuracy([...]string{Training, Inference, MemoryFit}[uint(kind)%3], strings.NewReader(file), cat, cal, false)
		if err != nil {
			return
		}
		for _, d := range r.Detail {
			for _, v := range []float64{d.Low, d.Mid, d.High, d.APE} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%+v", d)
				}
			}
		}
	})
}

func BenchmarkFit(b *testing.B) {
	m, err := measured(testCatalog(b))
	if err != nil {
		b.Fatal(err)
	}
	ex := examples(m.training, all)
	for b.Loop() {
		fit(ex, trainPrior)
	}
}

func BenchmarkAccuracy(b *testing.B) {
	cat, cal := testCatalog(b), shipped(b)
	for b.Loop() {
		if _, err := Accuracy(Inference, bytes.NewReader(inferenceRows), cat, cal, false); err != nil {
			b.Fatal(err)
		}
	}
}
