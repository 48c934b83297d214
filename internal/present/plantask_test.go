package present

import (
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// The names are those of SkyPilot's own lists and catalogs, and of gpuhunt, from
// which dstack has its offers.
func TestEnginesNamesOfGPUs(t *testing.T) {
	for _, c := range []struct {
		id, family  string
		memory      float64
		cloud       string
		sky, dstack string
	}{
		{"h100-80gb-sxm", "h100", 80, "aws", "H100", "H100"},
		{"h100-80gb-sxm", "h100", 80, "runpod", "H100-SXM", "H100"},
		{"h100-80gb-pcie", "h100", 80, "runpod", "H100", "H100"},
		{"h100-94gb-nvl", "h100", 94, "runpod", "H100-NVL", "H100NVL"},
		{"h100-94gb-nvl", "h100", 94, "azure", "H100", "H100NVL"},
		{"h200-141gb-sxm", "h200", 141, "runpod", "H200-SXM", "H200"},
		{"h200-141gb-sxm", "h200", 141, "nebius", "H200", "H200"},
		{"b200-180gb-sxm", "b200", 180, "lambda", "B200", "B200"},
		{"a100-40gb", "a100", 40, "gcp", "A100", "A100"},
		{"a100-40gb", "a100", 40, "verda", "A100-40GB", "A100"},
		{"a100-80gb-sxm", "a100", 80, "azure", "A100-80GB", "A100"},
		{"a100-80gb-sxm", "a100", 80, "vast", "", "A100"},
		{"v100-32gb", "v100", 32, "azure", "V100-32GB", "V100"},
		{"a6000", "rtx-a6000", 48, "lambda", "A6000", "A6000"},
		{"a6000", "rtx-a6000", 48, "runpod", "RTXA6000", "A6000"},
		{"rtx-6000-ada", "rtx-6000-ada", 48, "runpod", "RTX6000-Ada", "RTX6000Ada"},
		{"rtx-3090ti", "rtx-3090ti", 24, "runpod", "RTX3090-Ti", "RTX3090Ti"},
		{"rtx-4090", "rtx-4090", 24, "runpod", "RTX4090", "RTX4090"},
		{"quadro-rtx-6000", "quadro-rtx-6000", 24, "lambda", "RTX6000", "RTX6000"},
		{"l40s", "l40s", 48, "gcp", "L40S", "L40S"},
		{"mi300x", "mi300x", 192, "azure", "MI300X", "MI300X"},
		{"trainium1", "trainium1", 32, "aws", "Trainium", ""},
		{"gaudi2", "gaudi2", 96, "ibm", "", "Gaudi2"},
		{"h20-96gb", "h20", 96, "aws", "", ""},
		{"rtx-4090d", "rtx-4090d", 24, "vast", "", ""},
	} {
		task := Task{GPU: &catalog.GPU{ID: c.id, Family: c.family, MemoryGB: c.memory}}
		if got, err := task.skyGPU(c.cloud); got != c.sky || (err == nil) != (c.sky != "") {
			t.Errorf("%s at %s: SkyPilot %q, %v, want %q", c.id, c.cloud, got, err, c.sky)
		}
		if got, err := task.dstackGPU(); got != c.dstack || (err == nil) != (c.dstack != "") {
			t.Errorf("%s: dstack %q, %v, want %q", c.id, got, err, c.dstack)
		}
	}
}

// The signal of Kubernetes reaches the first process only: a shell must not
// stay in the way of the program, and must not be broken either.
func TestDirect(t *testing.T) {
	for run, want := range map[string]string{
		"./train.sh":                     "exec ./train.sh",
		"python train.py --name 'a b'":   "exec python train.py --name 'a b'",
		"./train.sh > log":               "exec ./train.sh > log",
		"exec ./train.sh":                "exec ./train.sh",
		"cd /work && ./train.sh":         "cd /work && ./train.sh",
		"LR=1 ./train.sh":                "LR=1 ./train.sh",
		"for i in 1 2; do ./t $i; done":  "for i in 1 2; do ./t $i; done",
		"./train.sh 2>&1 | tee log":      "./train.sh 2>&1 | tee log",
		"./train.sh --seed \"$RANDOM\"":  "exec ./train.sh --seed \"$RANDOM\"",
		"./train.sh $(cat options)":      "./train.sh $(cat options)",
		"! ./train.sh":                   "! ./train.sh",
		"torchrun --nnodes $NNODES t.py": "exec torchrun --nnodes $NNODES t.py",
	} {
		if got := direct(run); got != want {
			t.Errorf("%q: %q, want %q", run, got, want)
		}
	}
}

func seller(t *testing.T, provider string, purchase catalog.Purchase, perHour string) *estimate.Estimate {
	t.Helper()
	x := &estimate.Estimate{Provider: provider, Purchase: purchase, Instances: 1}
	if perHour != "" {
		a, err := money.Parse(perHour, "USD")
		if err != nil {
			t.Fatal(err)
		}
		x.PerInstHour = a
	}
	return x
}

func TestDstackAsksWhomItCan(t *testing.T) {
	spot, demand := seller(t, "aws", catalog.Spot, "20"), seller(t, "gcp", catalog.OnDemand, "70.5")
	for _, c := range []struct {
		pool         []*estimate.Estimate
		most, policy string
	}{
		{[]*estimate.Estimate{spot, demand}, "77.55", "auto"},
		{[]*estimate.Estimate{spot, spot}, "22.00", "spot"},
		{[]*estimate.Estimate{demand, seller(t, "vast", catalog.OnDemand, "")}, "77.55", "on-demand"},
		{[]*estimate.Estimate{seller(t, "aws", catalog.Reserved, "20")}, "", "on-demand"},
		{nil, "", "on-demand"},
	} {
		if most, policy := ceiling(c.pool).String(), spotPolicy(c.pool); most != c.most || policy != c.policy {
			t.Errorf("%q %q, want %q %q", most, policy, c.most, c.policy)
		}
	}
	task := Task{Planned: Planned{Plan: &estimate.Plan{Pool: []*estimate.Estimate{spot, seller(t, "coreweave", catalog.Spot, "1"), seller(t, "vast", catalog.Spot, "1")}}}}
	task.Plan.Pool[2].Instances = 2 // dstack makes no cluster there
	if pool, unknown := task.dstackPool(); len(pool) != 1 || pool[0] != spot || len(unknown) != 2 {
		t.Errorf("%v %q", pool, unknown)
	}
}

// What the user names must not break the file.
func TestNamesForEngines(t *testing.T) {
	for _, c := range []struct {
		engine, queue, image, run string
		ok                        bool
	}{
		{"k8s", "", "train:latest", "./t", true},
		{"k8s", "team-a.gpu", "host:5000/train@sha256:0", "./t", true},
		{"k8s", "Team", "train", "./t", false},
		{"k8s", "a b", "train", "./t", false},
		{"k8s", strings.Repeat("q", 64), "train", "./t", false},
		{"k8s", "", "", "./t", false},
		{"dstack", "", "two words", "./t", false},
		{"dstack", "", "train", " \n", false},
		{"slurm", "", "", "./t", true},
		{"slurm", "gpu,GPU_long", "", "./t", true},
		{"slurm", "gpu\n#SBATCH --uid=0", "", "./t", false},
		{"skypilot", "", "", "./t", true},
		{"skypilot", "", "", "", false},
	} {
		if err := (Task{Queue: c.queue, Image: c.image, Run: c.run}).names(c.engine); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
