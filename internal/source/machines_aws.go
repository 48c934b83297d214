package source

import (
	"strings"

	"github.com/gpucost/gpucost/internal/unit"
)

// machine is what a price list does not say of a machine type: which
// accelerators it holds. memoryGB is usable memory per accelerator where the
// machine holds a share of one.
type machine struct {
	gpu      string
	gpus     unit.Count
	memoryGB float64
}

// part is one of n equal shares of an accelerator.
func part(n int64) unit.Count { return unit.Count{Num: 1, Den: n} }

// awsFamilies are the accelerated EC2 families. The number of accelerators
// follows from the size; source: the EC2 instance type pages.
var awsFamilies = map[string]struct {
	gpu   string
	sizes map[string]int64
}{
	"p2":      {"K80", map[string]int64{"xlarge": 1, "8xlarge": 8, "16xlarge": 16}},
	"p3":      {"V100 16GB", map[string]int64{"2xlarge": 1, "8xlarge": 4, "16xlarge": 8}},
	"p3dn":    {"V100 32GB", map[string]int64{"24xlarge": 8}},
	"p4d":     {"A100 SXM4 40GB", map[string]int64{"24xlarge": 8}},
	"p4de":    {"A100 SXM4 80GB", map[string]int64{"24xlarge": 8}},
	"p5":      {"H100 SXM5 80GB", map[string]int64{"4xlarge": 1, "48xlarge": 8}},
	"p5e":     {"H200 SXM5 141GB", map[string]int64{"48xlarge": 8}},
	"p5en":    {"H200 SXM5 141GB", map[string]int64{"48xlarge": 8}},
	"p6-b200": {"B200", map[string]int64{"48xlarge": 8}},
	"p6-b300": {"B300", map[string]int64{"48xlarge": 8}},
	"g3":      {"M60", map[string]int64{"4xlarge": 1, "8xlarge": 2, "16xlarge": 4}},
	"g3s":     {"M60", map[string]int64{"xlarge": 1}},
	"g4dn":    {"T4", sizes(1, 1, 1, 1, 4, 1, 0, 0, 8)},
	"g4ad":    {"Radeon Pro V520", map[string]int64{"xlarge": 1, "2xlarge": 1, "4xlarge": 1, "8xlarge": 2, "16xlarge": 4}},
	"g5":      {"A10G", sizes(1, 1, 1, 1, 4, 1, 4, 8, 0)},
	"g5g":     {"T4G", map[string]int64{"xlarge": 1, "2xlarge": 1, "4xlarge": 1, "8xlarge": 1, "16xlarge": 2, "metal": 2}},
	"g6":      {"L4", sizes(1, 1, 1, 1, 4, 1, 4, 8, 0)},
	"gr6":     {"L4", map[string]int64{"4xlarge": 1, "8xlarge": 1}},
	"g6e":     {"L40S", sizes(1, 1, 1, 1, 4, 1, 4, 8, 0)},
	"g7e":     {"RTX PRO 6000", map[string]int64{"2xlarge": 1, "4xlarge": 1, "8xlarge": 1, "12xlarge": 2, "24xlarge": 4, "48xlarge": 8}},
	"dl1":     {"Gaudi", map[string]int64{"24xlarge": 8}},
	"inf1":    {"Inferentia", map[string]int64{"xlarge": 1, "2xlarge": 1, "6xlarge": 4, "24xlarge": 16}},
	"inf2":    {"Inferentia2", map[string]int64{"xlarge": 1, "8xlarge": 1, "24xlarge": 6, "48xlarge": 12}},
	"trn1":    {"Trainium1", map[string]int64{"2xlarge": 1, "32xlarge": 16}},
	"trn1n":   {"Trainium1", map[string]int64{"32xlarge": 16}},
	"trn2":    {"Trainium2", map[string]int64{"3xlarge": 1, "48xlarge": 16}},
	"trn2u":   {"Trainium2", map[string]int64{"48xlarge": 16}},
}

// sizes is the usual row of G machines: xlarge, 2, 4, 8, 12, 16, 24, 48 and metal.
func sizes(n ...int64) map[string]int64 {
	m := map[string]int64{}
	for i, size := range []string{"xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge", "48xlarge", "metal"} {
		if n[i] > 0 {
			m[size] = n[i]
		}
	}
	return m
}

// awsShares are machines with a part of one L4 (24 GB).
var awsShares = map[string]machine{
	"g6f.large":    {"L4", part(8), 3},
	"g6f.xlarge":   {"L4", part(8), 3},
	"g6f.2xlarge":  {"L4", part(4), 6},
	"g6f.4xlarge":  {"L4", part(2), 12},
	"gr6f.4xlarge": {"L4", part(2), 12},
}

var awsUltra = map[string]machine{
	"u-p6e-gb200x36": {"GB200", unit.Whole(36), 0},
	"u-p6e-gb200x72": {"GB200", unit.Whole(72), 0},
}

// awsMachine finds an EC2 or SageMaker ("ml.") machine type.
func awsMachine(instance string) (machine, bool) {
	instance = strings.TrimPrefix(instance, "ml.")
	if m, ok := awsShares[instance]; ok {
		return m, true
	}
	if m, ok := awsUltra[instance]; ok {
		return m, true
	}
	family, size, _ := strings.Cut(instance, ".")
	f := awsFamilies[family]
	n := f.sizes[size]
	return machine{gpu: f.gpu, gpus: unit.Whole(n)}, n > 0
}
