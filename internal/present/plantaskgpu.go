package present

import (
	"fmt"
	"slices"
	"strings"
)

// skyClouds and dstackBackends are what the engines call sellers, as of
// SkyPilot's constants at 0015e8ec and dstack 0.21.2; dstackClusters are those
// with which dstack makes several machines one.
var (
	skyClouds = map[string]string{
		"aws": "aws", "azure": "azure", "gcp": "gcp", "ibm": "ibm", "lambda": "lambda", "oci": "oci", "runpod": "runpod", "vast": "vast", "fluidstack": "fluidstack",
		"paperspace": "paperspace", "digitalocean": "do", "nebius": "nebius", "verda": "verda", "mithril": "mithril", "primeintellect": "primeintellect", "yottalabs": "yotta",
	}
	dstackBackends = map[string]string{
		"aws": "aws", "azure": "azure", "gcp": "gcp", "lambda": "lambda", "oci": "oci", "runpod": "runpod", "vast": "vastai", "nebius": "nebius",
		"verda": "verda", "vultr": "vultr", "crusoe": "crusoe", "digitalocean": "digitalocean", "hotaisle": "hotaisle", "jarvislabs": "jarvislabs",
	}
	dstackClusters = []string{"aws", "azure", "crusoe", "gcp", "nebius", "oci", "runpod", "vultr"}
)

// skyNames and dstackNames are the GPUs that the engines' own lists name
// (SkyPilot's gpu_names at 4e419473 and its catalogs' fetchers, gpuhunt 0.1.30), besides
// SkyPilot's of the RTX and MI lines, which are formed by rule.
var (
	skyNames = strings.Fields("A10 A10G A16 A30 A40 A100 A100-80GB A4000 A4500 A5000 A6000 B100 B200 B300 GB200 GB300 GH200 H100 H200 K80 L4 L40 L40S M60 P4 P40 P100 " +
		"RTX6000-Ada T4 T4g V100 V100-32GB Trainium")
	dstackNames = strings.Fields("A10 A16 A40 A100 A10G A4000 A4500 A5000 A6000 H100 H100NVL H200 H200NVL B200 GB200 B300 L4 L40 L40S P100 " +
		"RTX2060 RTX2070 RTX2080 RTX2080Ti RTX3050 RTX3060 RTX3060Ti RTX3070 RTX3070Ti RTX3080 RTX3080Ti RTX3090 RTX3090Ti RTX4060 RTX4060Ti RTX4070 RTX4070Ti RTX4080 RTX4090 " +
		"RTX5060 RTX5060Ti RTX5070 RTX5070Ti RTX5080 RTX5090 RTX6000 RTX2000Ada RTX4000Ada RTX6000Ada RTXPRO4500 RTXPRO6000 T4 V100 GH200 " +
		"MI100 MI210 MI250 MI250X MI300A MI300X MI308X MI325X MI350X MI355X Gaudi Gaudi2 Gaudi3")
)

// skyForms are names that SkyPilot's catalog of one cloud has for forms of a
// GPU, by our names; "" where that cloud's catalog cannot tell it from a lesser
// one.
var skyForms = map[string]map[string]string{
	"runpod": {
		"a100-80gb-sxm": "A100-80GB-SXM", "h100-80gb-sxm": "H100-SXM", "h100-94gb-nvl": "H100-NVL", "h200-141gb": "H200-SXM", "h200-141gb-sxm": "H200-SXM", "h200-141gb-nvl": "H200-NVL",
		"a6000": "RTXA6000", "rtx-a4000": "RTXA4000", "rtx-a4500": "RTXA4500", "rtx-a5000": "RTXA5000", "rtx-3080ti": "RTX3080-Ti", "rtx-3090ti": "RTX3090-Ti",
		"rtx-pro-6000-maxq": "RTXPRO6000-MaxQ",
	},
	"fluidstack": {"a100-80gb-sxm": "A100-80GB-SXM", "h100-80gb-sxm": "H100-SXM", "a6000": "RTXA6000", "rtx-a4000": "RTXA4000", "rtx-a5000": "RTXA5000"},
	"vast": {
		"a100-80gb": "", "a100-80gb-pcie": "", "a100-80gb-sxm": "", "v100-32gb": "", "a6000": "RTXA6000", "rtx-a4000": "RTXA4000", "rtx-a4500": "RTXA4500", "rtx-a5000": "RTXA5000",
		"rtx-3080ti": "", "rtx-3090ti": "", "rtx-4090d": "",
	},
	"verda": {"a100-40gb": "A100-40GB", "a100-40gb-sxm": "A100-40GB", "a6000": "RTX-A6000", "rtx-6000-ada": "RTX-6000-Ada"},
}

// skyGPU is what SkyPilot calls the GPU in its catalog of a cloud: the family
// without hyphens, and the memory where a family has two.
func (t Task) skyGPU(cloud string) (string, error) {
	g := t.GPU
	name, ok := skyForms[cloud][g.ID]
	if !ok {
		name = plainFamily(g.Family)
		switch {
		case g.Family == "trainium1":
			name = "Trainium"
		case strings.HasPrefix(name, "RTX"):
			name = strings.Replace(name, "ADA", "-Ada", 1)
		case g.Family == "a100" && g.MemoryGB > 40, g.Family == "v100" && g.MemoryGB > 16:
			name += fmt.Sprintf("-%.0fGB", g.MemoryGB)
		}
		if !slices.Contains(skyNames, name) && !strings.HasPrefix(name, "RTX") && !strings.HasPrefix(name, "MI3") {
			name = ""
		}
	}
	if name == "" {
		return "", fmt.Errorf("SkyPilot has no name for %s", g.Name)
	}
	return name, nil
}

// dstackGPU is what dstack calls the GPU.
func (t Task) dstackGPU() (string, error) {
	name := plainFamily(t.GPU.Family)
	if strings.HasSuffix(t.GPU.ID, "-nvl") {
		name += "NVL"
	}
	for _, known := range dstackNames {
		if strings.EqualFold(known, name) {
			return known, nil
		}
	}
	return "", fmt.Errorf("dstack has no name for %s", t.GPU.Name)
}

// plainFamily is a family without hyphens: RTX A6000 is A6000, Quadro RTX 6000
// is RTX6000.
func plainFamily(family string) string {
	family = strings.TrimPrefix(family, "quadro-")
	if strings.HasPrefix(family, "rtx-a") {
		family = strings.TrimPrefix(family, "rtx-")
	}
	return strings.ToUpper(strings.ReplaceAll(family, "-", ""))
}
