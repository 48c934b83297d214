package catalog

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

// realGPUs reads from the data that ships what names are resolved by.
func realGPUs(t testing.TB) []GPU {
	t.Helper()
	text, err := os.ReadFile("../../data/gpus.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		GPUs []struct {
			ID, Name, Family, Vendor, Form string
			Year                           int
			MemoryGB                       float64 `yaml:"memory_gb"`
			MemoryType                     string  `yaml:"memory_type"`
			Aliases                        []string
			StandsFor                      []string `yaml:"stands_for"`
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var out []GPU
	for _, g := range file.GPUs {
		out = append(out, GPU{
			ID: g.ID, Name: g.Name, Family: g.Family, Vendor: g.Vendor, Form: g.Form, Year: g.Year,
			MemoryGB: g.MemoryGB, MemoryType: g.MemoryType, Aliases: g.Aliases, StandsFor: g.StandsFor,
		})
	}
	return out
}

// fewGPUs is a table of our own with a form-less entry for a whole family,
// cards of one number and cards one letter apart.
func fewGPUs() []GPU {
	return []GPU{
		{ID: "a10", Family: "a10", Vendor: "NVIDIA", MemoryGB: 24, Form: "PCIe", Year: 2021},
		{ID: "a100", Family: "a100", Vendor: "NVIDIA", StandsFor: []string{"a100-40gb-sxm", "a100-80gb-sxm", "a100-80gb-pcie"}},
		{ID: "a100-80gb", Family: "a100", Vendor: "NVIDIA", MemoryGB: 80, StandsFor: []string{"a100-80gb-sxm", "a100-80gb-pcie"}},
		{ID: "a100-40gb-sxm", Family: "a100", Vendor: "NVIDIA", MemoryGB: 40, Form: "SXM", MemoryType: "HBM2", Year: 2020},
		{ID: "a100-80gb-sxm", Family: "a100", Vendor: "NVIDIA", MemoryGB: 80, Form: "SXM", MemoryType: "HBM2e", Year: 2020},
		{ID: "a100-80gb-pcie", Family: "a100", Vendor: "NVIDIA", MemoryGB: 80, Form: "PCIe", MemoryType: "HBM2e", Year: 2021},
		{ID: "a6000", Name: "RTX A6000", Family: "rtx-a6000", Vendor: "NVIDIA", MemoryGB: 48, Form: "PCIe", Aliases: []string{"RTX A6000"}, Year: 2020},
		{ID: "h200-141gb-sxm", Family: "h200", Vendor: "NVIDIA", MemoryGB: 141, Form: "SXM", Year: 2024},
		{ID: "rtx-6000-ada", Name: "RTX 6000 Ada Generation", Family: "rtx-6000-ada", Vendor: "NVIDIA", MemoryGB: 48, Form: "PCIe", Year: 2022},
		{ID: "rtx-pro-6000", Name: "RTX PRO 6000 Blackwell", Family: "rtx-pro-6000", Vendor: "NVIDIA", MemoryGB: 96, Form: "PCIe", Year: 2025},
		{ID: "mi300x", Family: "mi300x", Vendor: "AMD", MemoryGB: 192, Form: "OAM", Year: 2023},
	}
}

func TestResolveGPU(t *testing.T) {
	n := NewNames(realGPUs(t))
	for _, c := range []struct {
		name     string
		memory   float64
		instance string
		want     string // empty: unknown
	}{
		// the name alone
		{"h100-80gb-sxm", 0, "", "h100-80gb-sxm"},
		{"NVIDIA H100 80GB HBM3", 0, "", "h100-80gb-sxm"},
		{"NVIDIA H100 PCIe", 0, "", "h100-80gb-pcie"},
		{"NVIDIA H100 NVL", 0, "", "h100-94gb-nvl"},
		{"NVIDIA A100-SXM4-80GB", 0, "", "a100-80gb-sxm"},
		{"A100 80GB PCIe", 0, "", "a100-80gb-pcie"},
		{"A100 (40 GB SXM4)", 0, "", "a100-40gb-sxm"},
		{"A100_80G", 0, "", "a100-80gb"},
		{"Tesla T4", 0, "", "t4"},
		{"Tesla V100 16GB", 0, "", "v100-16gb"},
		{"Tesla V100-SXM2-32GB", 0, "", "v100-32gb"},
		{"V100S", 0, "", "v100s-32gb"},
		{"NVIDIA GeForce RTX 4090", 0, "", "rtx-4090"},
		{"GeForce RTX 3090 Ti", 0, "", "rtx-3090ti"},
		{"RTX 4090 D", 0, "", "rtx-4090d"},
		{"RTX 4090 Ext", 0, "", "rtx-4090"},
		{"RTX4090-48G", 0, "", "rtx-4090-48gb"},
		{"A40 (graphics mode)", 0, "", "a40"},
		{"1x B300 SXM6 262GB", 0, "", "b300"},
		{"8x RTX PRO 6000 96GB", 0, "", "rtx-pro-6000"},
		{"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 0, "", "rtx-pro-6000-maxq"},
		{"8x H100 SXM5 80GB", 0, "", "h100-80gb-sxm"},
		{"1x RTX A6000 48GB", 0, "", "a6000"},
		{"1x Frobnicator X1", 0, "", ""},
		{"H100x8 SXM", 0, "", "h100-80gb-sxm"},
		{"h100sxm580gb", 0, "", "h100-80gb-sxm"},
		{"nvidiah100pcie80gb", 0, "", "h100-80gb-pcie"},
		{"HGX H100", 0, "", "h100-80gb-sxm"},
		{"NVIDIA H200 Tensor Core GPU 141 GB", 0, "", "h200-141gb"},
		{"NVIDIA GH200 480GB", 0, "", "gh200-96gb"}, // the memory of its CPU
		{"GB200 NVL72", 0, "", "gb200"},
		{"Quadro RTX 6000", 0, "", "quadro-rtx-6000"},
		{"AMD Instinct MI300X OAM", 0, "", "mi300x"},
		{"Intel Gaudi 2", 0, "", "gaudi2"},
		{"AWS Trainium 2", 0, "", "trainium2"},
		{"Google TPU v5e", 0, "", "tpu-v5e"},
		{"英伟达 A100-80G 显卡", 0, "", "a100-80gb"},
		{"８卡Ｈ１００ＳＸＭ", 0, "", "h100-80gb-sxm"},
		{"华为昇腾 910B", 0, "", "ascend-910b"},
		{"昇腾910B2", 0, "", "ascend-910b2"},
		{"寒武纪MLU370", 0, "", "mlu370-x8"},
		{"MLU370-X8 48GB", 0, "", "mlu370-x8"},
		{"摩尔线程 S4000", 0, "", "mtt-s4000"},
		{"4090魔改48G", 0, "", "rtx-4090-48gb"},

		// memory decides, with a driver's or a GiB's inaccuracy
		{"A100", 80, "", "a100-80gb"},
		{"A100", 40960. / 1024, "", "a100-40gb"},
		{"A100 SXM", 85.9, "", "a100-80gb-sxm"},
		{"H100", 94, "", "h100-94gb-nvl"},
		{"H100", 79.6, "", "h100-80gb"},
		{"RTX 4090", 48, "", "rtx-4090-48gb"},
		{"RTX 4090", 25.8, "", "rtx-4090"},
		{"RTX 6000", 24, "", "quadro-rtx-6000"},
		{"RTX 6000", 48, "", "rtx-6000-ada"},
		{"rtx-4090", 48, "", "rtx-4090-48gb"},
		// and does not where the name is one GPU's: a fraction of it is sold
		{"A10", 4, "", "a10"},
		{"T4", 0, "", "t4"},

		// the machine decides
		{"NVIDIA", 144384 * 1048576 / 1e9, "p5en.48xlarge", "h200-141gb-sxm"},
		{"NVIDIA", 144384 * 1048576 / 1e9, "p5e.48xlarge", "h200-141gb-sxm"},
		{"NVIDIA", 0, "p5.4xlarge", "h100-80gb-sxm"},
		{"", 0, "ml.g5.xlarge", "a10g"},
		{"GPU", 0, "p6-b300.48xlarge", "b300"},
		{"Nvidia", 0, "u-p6e-gb200x72", "gb200"},
		{"NVIDIA", 0, "Standard_ND96isr_H200_v5", "h200-141gb-sxm"},
		{"NVIDIA", 0, "Standard_NC80adis_H100_v5", "h100-94gb-nvl"},
		{"NVIDIA", 0, "Standard_ND96amsr_A100_v4", "a100-80gb-sxm"},
		{"NVIDIA", 0, "Standard_ND96asr_v4", "a100-40gb-sxm"},
		{"NVIDIA", 0, "NC24ads A100 v4", "a100-80gb-pcie"},
		{"NVIDIA", 0, "Standard_NC288ds_xl_RTXPRO6000BSE_v6", "rtx-pro-6000"},
		{"NVIDIA", 0, "Standard_NC6s_v3", "v100-16gb-pcie"},
		{"AMD", 0, "Standard_ND96is_MI300X_v5", "mi300x"},
		{"nvidia", 0, "a2-ultragpu-1g", "a100-80gb-sxm"},
		{"nvidia", 0, "a3-megagpu-8g", "h100-80gb-sxm"},
		{"nvidia", 0, "a3-ultragpu-8g", "h200-141gb-sxm"},
		{"nvidia", 0, "a4x-highgpu-4g", "gb200"},
		{"nvidia", 0, "g4-standard-48", "rtx-pro-6000"},
		{"nvidia", 0, "BM.GPU.H100.8", "h100-80gb-sxm"},
		{"nvidia", 0, "BM.GPU4.8", "a100-40gb-sxm"},
		{"nvidia", 0, "BM.GPU.L40S.4", "l40s"},
		{"nvidia", 0, "ecs.gn7e-c16g1.4xlarge", "a100-80gb-sxm"},
		{"nvidia", 0, "GN7.2XLARGE32", "t4"}, // Tencent; Alibaba's gn7 is an A100
		{"nvidia", 0, "ecs.gn7-c12g1.3xlarge", "a100-40gb-sxm"},
		{"nvidia", 0, "gpu_8x_h100_sxm5", "h100-80gb-sxm"},
		{"nvidia", 24, "l4-90", "l4"},
		{"H100", 0, "p5.48xlarge", "h100-80gb-sxm"},
		{"H100", 0, "gpu-h100-sxm_8gpu-128vcpu-1600gb", "h100-80gb-sxm"},
		{"A100", 0, "gc2.a100-80-8", "a100-80gb"},
		{"A100-80GB", 0, "gpu_8x_a100_80gb_sxm4", "a100-80gb-sxm"},
		{"H100-80GB", 0, "1H100.80S.32V", "h100-80gb"},
		{"A100", 40, "gpu_8x_a100_80gb_sxm4", "a100-40gb"}, // contradicts itself: the stated memory counts

		// unknown stays unknown
		{"", 0, "", ""},
		{"NVIDIA", 0, "", ""},
		{"NVIDIA", 141, "", ""},
		{"NVIDIA", 80, "some-machine", ""},
		{"AMD", 0, "p5.48xlarge", ""},
		{"nvidia", 0, "l4-90", ""},
		{"nvidia", 0, "g3.large.x86", ""},
		{"nvidia", 0, "t2-le-45", ""},
		{"Frobnicator X1", 80, "p5.48xlarge", ""},
		{"AMD H100", 0, "", ""},
		{"H100/H800-80GB", 0, "", ""},
		{"RTX-3090/4090-24GB", 0, "", ""},
		{"A100 + H100", 0, "", ""},
		{"H100 64GB", 0, "", ""},
		{"T4 PCIe NVL", 0, "", ""},
		{"T4 SXM", 0, "", ""},
		{"RTX 3080 20GB", 0, "", ""},
		{"RTX 6000", 0, "", ""},
		{"6000", 48, "", ""}, // Ada or A6000
		{"RTX", 48, "", ""},
		{"A10 0", 0, "", ""},
		{"A100X", 0, "", ""},
		{"A100-8", 0, "", ""},
		{"A100 MIG 1g.10gb", 0, "", ""},
		{"RTX 4090 Laptop", 0, "", ""},
		{"RTX 4080 Super", 0, "", ""},
		{"MI300A", 0, "", ""},
		{"MLU370-X4", 0, "", ""},
		{"Ascend 310", 0, "", ""},
		{"h10o", 0, "", ""},
		{"H 1 0 0", 0, "", ""},
	} {
		got, ok := n.ResolveGPU(c.name, c.memory, c.instance)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q, %g GB, %q: %q %t, want %q", c.name, c.memory, c.instance, got, ok, c.want)
		}
	}
}

// Cards whose names differ by a letter are different cards.
func TestLookalikes(t *testing.T) {
	n := NewNames(realGPUs(t))
	for _, names := range [][]string{
		{"RTX A6000", "RTX 6000 Ada", "RTX PRO 6000", "Quadro RTX 6000"},
		{"L40", "L40S", "L4"},
		{"H100-80GB", "H800-80GB", "H20", "H200-141GB", "GH200-96GB"},
		{"A10", "A10G", "A100-40GB", "A100-80GB", "A800-80GB", "A30", "A40"},
		{"4090", "4090D", "4090 48G"},
		{"MI300X", "MI325X", "MI350X", "MI355X"},
		{"V100-32GB", "V100S", "V100-16GB", "V100-PCIe-16GB"},
		{"B200", "GB200", "B300", "GB300", "B100"},
		{"3080", "3080Ti", "3090", "3090Ti"},
		{"昇腾910", "昇腾910B", "昇腾910C"},
		{"TPU v5e", "TPU v5p", "TPU v6e"},
	} {
		seen := map[string]string{}
		for _, name := range names {
			id, ok := n.ResolveGPU(name, 0, "")
			if !ok {
				t.Errorf("%q is unknown", name)
			}
			if other, twice := seen[id]; twice {
				t.Errorf("%q and %q are both %s", name, other, id)
			}
			seen[id] = name
		}
	}
}

func TestFormlessFamily(t *testing.T) {
	if id, ok := NewNames(fewGPUs()[2:]).ResolveGPU("A100", 0, "n3-A100x8"); ok {
		t.Errorf("without an entry for the family A100 is %s", id)
	}
	n := NewNames(fewGPUs())
	for _, c := range []struct {
		name   string
		memory float64
		want   string
	}{
		{"A100", 0, "a100"},
		{"NVIDIA A100", 20, "a100"}, // a slice of it
		{"A100", 80, "a100-80gb"},
		{"A100-80GB", 0, "a100-80gb"},
		{"A100", 40, "a100-40gb-sxm"},
		{"A100 SXM", 0, "a100"},
		{"A100 PCIe", 0, "a100-80gb-pcie"},
		{"A100 HBM2e", 0, "a100-80gb"},
	} {
		if got, _ := n.ResolveGPU(c.name, c.memory, ""); got != c.want {
			t.Errorf("%q, %g GB: %q, want %q", c.name, c.memory, got, c.want)
		}
	}
}

// Every id, name and alias of the data means its own GPU, among others only
// where it names no form.
func TestEveryAlias(t *testing.T) {
	gpus := realGPUs(t)
	n := NewNames(gpus)
	for _, g := range gpus {
		if id, ok := n.ResolveGPU(g.ID, 0, ""); !ok || id != g.ID {
			t.Errorf("id %q: %q %t", g.ID, id, ok)
		}
		for _, text := range append([]string{g.ID, g.Name, g.Family}, g.Aliases...) {
			if strings.Contains(text, ",") {
				continue // no user types it
			}
			set, err := n.ParseGPUs(text)
			if err != nil {
				t.Errorf("%s, %q: %v", g.ID, text, err)
			} else if !slices.Contains(set.Queries[0].IDs, g.ID) {
				t.Errorf("%q means %v and not %s", text, set.Queries[0].IDs, g.ID)
			}
		}
	}
}

// The names of the price observations that were collected: which GPU each is
// was read off the name by eye.
func TestCollectedNames(t *testing.T) {
	text, err := os.ReadFile("testdata/gpu-names.csv")
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := NewNames(realGPUs(t))
	var known, observations, of int
	for _, row := range rows[1:] {
		count, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		id, ok := n.ResolveGPU(row[0], 0, "")
		if id != row[1] {
			t.Errorf("%q: %q, want %q", row[0], id, row[1])
		}
		of += count
		if ok {
			known++
			observations += count
		}
	}
	t.Logf("%d of %d names resolve, %d of %d observations", known, len(rows)-1, observations, of)
	if known < 90 || observations*1000 < of*998 {
		t.Errorf("only %d of %d names resolve, %d of %d observations", known, len(rows)-1, observations, of)
	}
}

// How a name is written does not matter: case, separators, width, the vendor
// in front and a count around it leave the GPU as it is.
func TestSpellingLaws(t *testing.T) {
	gpus := realGPUs(t)
	n := NewNames(gpus)
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(gpus).Draw(t, "gpu")
		name := rapid.SampledFrom(append([]string{g.ID}, g.Aliases...)).Draw(t, "name")
		want, ok := n.ResolveGPU(name, 0, "")
		other := respell(t, name)
		if rapid.Bool().Draw(t, "vendor") && g.Vendor != "" {
			other = g.Vendor + " " + other
		}
		if got, okay := n.ResolveGPU(other, 0, ""); got != want || ok != okay {
			t.Fatalf("%q is %q, and %q is %q", name, want, other, got)
		}
	})
}

func respell(t *rapid.T, name string) string {
	separator := rapid.SampledFrom([]rune{' ', '-', '_', '\u3000', '\u2011'}).Draw(t, "separator")
	upper, wide := rapid.Bool().Draw(t, "upper"), rapid.Bool().Draw(t, "wide")
	rs := []rune(name)
	for i, r := range rs {
		switch {
		case r == ' ' || r == '-' || r == '_':
			rs[i] = separator
		case upper && r >= 'a' && r <= 'z':
			rs[i] = r - 'a' + 'A'
		case wide && r > ' ' && r < 0x7F && r != '/' && r != '.':
			rs[i] = r + 0xFEE0
		}
	}
	return string(rs)
}

func FuzzResolveGPU(f *testing.F) {
	for _, s := range []string{"NVIDIA H100 80GB HBM3", "8x 4090", "昇腾910B", "a100sxm480gb", "RTX-3090/4090", "x8", "80 GB", "１"} {
		f.Add(s, 80.0, "Standard_ND96isr_H100_v5")
		f.Add("nvidia", -1.0, s)
	}
	gpus := realGPUs(f)
	n := NewNames(gpus)
	f.Fuzz(func(t *testing.T, name string, memory float64, instance string) {
		id, ok := n.ResolveGPU(name, memory, instance)
		again, _ := n.ResolveGPU(name, memory, instance)
		if again != id {
			t.Fatalf("%q, then %q", id, again)
		}
		if known := slices.ContainsFunc(gpus, func(g GPU) bool { return g.ID == id }); ok != known {
			t.Fatalf("%q %t", id, ok)
		}
	})
}

func BenchmarkIndexNames(b *testing.B) {
	gpus := realGPUs(b)
	for b.Loop() {
		NewNames(gpus).index()
	}
}

func BenchmarkResolveGPU(b *testing.B) {
	n := NewNames(realGPUs(b))
	for b.Loop() {
		n.ResolveGPU("NVIDIA H100 80GB HBM3", 80, "gpu_8x_h100_sxm5")
	}
}

func BenchmarkResolveID(b *testing.B) {
	n := NewNames(realGPUs(b))
	for b.Loop() {
		n.ResolveGPU("h100-80gb-sxm", 80, "")
	}
}
