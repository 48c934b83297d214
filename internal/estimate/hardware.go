package estimate

import (
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// bytesPerWeight is what a parameter takes when served in a format, with the
// scales: NVFP4 and MXFP4 4.5 bits, GPTQ and AWQ 4.5 bits, Q4_K_M 4.9 bits.
func bytesPerWeight(p Precision) float64 {
	switch p {
	case FP32:
		return 4
	case FP8, INT8:
		return 1
	case FP4:
		return 0.5625
	case INT4:
		return 0.56
	case Q4:
		return 0.61
	}
	return 2
}

// ceiling is the best measured BF16 matrix product as a share of the sheet,
// by architecture, for GPUs of which none was measured (stas00, MAMF).
func ceiling(arch string) float64 {
	switch {
	case strings.HasPrefix(arch, "Ampere"):
		return 0.87
	case strings.HasPrefix(arch, "Hopper"):
		return 0.80
	case strings.HasPrefix(arch, "Blackwell"):
		return 0.76
	case strings.HasPrefix(arch, "CDNA"):
		return 0.55
	case strings.HasPrefix(arch, "TPU"):
		return 0.90
	case strings.HasPrefix(arch, "Ada"):
		return 0.85
	}
	return 0.70
}

// ceilingFP8 is the same for FP8.
func ceilingFP8(arch string) float64 {
	switch {
	case strings.HasPrefix(arch, "Hopper"):
		return 0.72
	case strings.HasPrefix(arch, "Blackwell"):
		return 0.745
	}
	return ceiling(arch)
}

// Sheet is the peak of a format from the data sheet, TFLOP/s dense. A GPU
// without the unit computes at its BF16 rate: FP4 and integer weights on
// Hopper, FP8 on Ampere.
func Sheet(g *catalog.GPU, p Precision) float64 {
	switch p {
	case FP8:
		return max(g.FP8TFLOPS, g.BF16TFLOPS)
	case FP4:
		if g.FP4TFLOPS > 0 {
			return max(g.FP4TFLOPS, g.BF16TFLOPS)
		}
	case INT8:
		return max(min(g.INT8TOPS, 2*g.BF16TFLOPS), g.BF16TFLOPS)
	case FP32:
		return max(g.TF32TFLOPS, g.FP32TFLOPS)
	}
	return g.BF16TFLOPS
}

// Achievable is the matrix rate that can be reached, TFLOP/s: the measured
// best product where one is known, else the sheet times the architecture's
// ceiling; FP4 reaches three quarters of the FP8 share.
func Achievable(g *catalog.GPU, p Precision) float64 {
	bf16 := g.BF16TFLOPS * ceiling(g.Architecture)
	if g.MeasuredBF16TFLOPS > 0 {
		bf16 = g.MeasuredBF16TFLOPS
	}
	fp8 := bf16
	if g.FP8TFLOPS > 0 {
		fp8 = g.FP8TFLOPS * ceilingFP8(g.Architecture)
		if g.MeasuredFP8TFLOPS > 0 {
			fp8 = g.MeasuredFP8TFLOPS
		}
	}
	switch p {
	case FP8:
		return max(fp8, bf16)
	case FP4:
		if g.FP4TFLOPS > 0 && g.FP8TFLOPS > 0 {
			return max(g.FP4TFLOPS*0.75*fp8/g.FP8TFLOPS, fp8)
		}
	case INT8:
		return max(bf16, min(g.INT8TOPS*ceiling(g.Architecture), 2*bf16))
	case FP32:
		return max(g.TF32TFLOPS, g.FP32TFLOPS) * ceiling(g.Architecture)
	}
	return bf16
}

// linkGBs is the bandwidth of one GPU to its neighbours in the machine, GB/s
// in one direction. PCIe 4 where the sheet says nothing.
func linkGBs(g *catalog.GPU) float64 {
	if g.LinkGBs > 0 {
		return g.LinkGBs / 2
	}
	switch g.ID {
	case "tpu-v4":
		return 150
	case "tpu-v5e":
		return 100
	case "tpu-v5p":
		return 300
	case "tpu-v6e":
		return 224
	}
	return 32
}

// DomainGPUs is how many GPUs the fast link connects: 72 in an NVL72 rack, a
// whole slice of TPUs, else one machine.
func DomainGPUs(g *catalog.GPU) int {
	switch {
	case g.ID == "gb200" || g.ID == "gb300" || strings.Contains(g.Link, "72"):
		return 72
	case g.ID == "tpu-v5e" || g.ID == "tpu-v6e":
		return 256
	case strings.HasPrefix(g.Architecture, "TPU"):
		return 8192
	}
	return 8
}

// NetworkGBs is the bandwidth per GPU and direction of a class of network,
// GB/s: NDR InfiniBand 50 (25 with Ampere, XDR not assumed), EFA 50 (6 for the
// p4d generation), RoCE 50, plain Ethernet 100 Gb/s shared by eight GPUs.
func NetworkGBs(c NetworkClass, g *catalog.GPU) float64 {
	ampere := strings.HasPrefix(g.Architecture, "Ampere") || g.Year != 0 && g.Year < 2022
	switch c {
	case NetNVLink:
		return linkGBs(g)
	case NetEthernet:
		return 1.56
	case NetEFA:
		if ampere {
			return 6.25
		}
		return 50
	}
	if strings.HasPrefix(g.Architecture, "TPU") {
		return 25
	}
	if ampere {
		return 25
	}
	return 50
}

// family is the coarse kin of a GPU for bands: a family never measured gets
// physics with a wide band.
func family(g *catalog.GPU) string {
	a, _, _ := strings.Cut(g.Architecture, "+")
	a = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(a), " Ultra"))
	if strings.HasPrefix(a, "CDNA") {
		return "CDNA"
	}
	if strings.HasPrefix(a, "TPU") {
		return "TPU"
	}
	return a
}

// gddr says that a card has graphics memory, which single streams reach far
// better than stacked memory (78-87 % against 32-54 % of the sheet).
func gddr(g *catalog.GPU) bool { return strings.HasPrefix(g.MemoryType, "GDDR") }
