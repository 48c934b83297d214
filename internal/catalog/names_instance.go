package catalog

import (
	"cmp"
	"strings"
)

// fromInstance finds the GPU of an offer that names only a vendor, or
// nothing, by the provider's name of the machine.
func (n *Names) fromInstance(s spec, memoryGB float64, instance string) int {
	ofVendor := func(c candidate) bool { return n.sells(s.vendor, c.gpu) }
	if gpu := machineGPU(instance); gpu != "" {
		all := keep(n.candidates(parseSpec(gpu), 0), ofVendor)
		if some := n.withMemory(all, memoryGB, loose); len(some) > 0 {
			all = some
		}
		return n.pick(all)
	}
	core, all := n.spelledOut(instance)
	all = keep(all, ofVendor)
	if memoryGB > 0 {
		all = n.withMemory(all, memoryGB, loose)
	} else if len(core) < 3 {
		return -1 // the "t2" of a machine's name is rarely a GPU
	}
	return n.pick(all)
}

// sells reports whether the GPU may be one of the vendor, folded.
func (n *Names) sells(vendor string, gpu int) bool {
	v := n.gpus[gpu].Vendor
	return vendor == "" || v == "" || foldName(v) == vendor
}

// fromMachine lists the GPUs that a machine's name says it has.
func (n *Names) fromMachine(instance string) []candidate {
	if gpu := machineGPU(instance); gpu != "" {
		return n.candidates(parseSpec(gpu), 0)
	}
	_, all := n.spelledOut(instance)
	return all
}

// spelledOut finds a GPU written inside a machine's name, with the memory or
// form that directly follows it: "gpu_8x_a100_80gb_sxm4", "n3-H100-SXM5x8".
func (n *Names) spelledOut(instance string) (core string, found []candidate) {
	if len(instance) > longestSpec {
		return "", nil
	}
	x := n.index()
	all := nameRuns(instance)
	for i := range all {
		all[i] = cutCount(all[i])
		end := i
		for j := i; j < min(i+4, len(all)); j++ {
			if s := parseSpec(strings.Join(all[i:j+1], " ")); s.core != core && len(x.byCore[s.core]) > 0 {
				core, end = s.core, j+1
			}
		}
		if end > i {
			return core, n.longestFit(all[i:], end-i)
		}
	}
	return "", nil
}

// longestFit is what most of the runs mean, of which the first few name a GPU.
func (n *Names) longestFit(all []string, first int) []candidate {
	core := parseSpec(strings.Join(all[:first], " ")).core
	for end := min(first+2, len(all)); end >= first; end-- {
		s := parseSpec(strings.Join(all[:end], " "))
		if s.core != core {
			continue
		}
		if some := n.candidates(s, 0); len(some) > 0 {
			return some
		}
	}
	return nil
}

// cutCount takes a count off the front of a run: "8a100", "1rtx6000ada".
func cutCount(run string) string {
	rest := strings.TrimLeft(run, "0123456789")
	if len(run)-len(rest) > 2 || rest == "" || rest[0] == 'x' || !hasDigit(rest) {
		return run
	}
	return rest
}

// machineGPU is the GPU of a machine type whose name does not spell it out, by
// the type's family: AWS, Azure, Google Cloud, Oracle, Alibaba and Tencent
// list them with their instance types. Empty when no rule knows it.
func machineGPU(instance string) string {
	name := strings.ToLower(strings.TrimSpace(instance))
	for _, prefix := range [...]string{"standard_", "ml.", "u-"} {
		name = strings.TrimPrefix(name, prefix)
	}
	family, size, dotted := strings.Cut(name, ".")
	switch {
	case !dotted:
		return cmp.Or(awsGPU(name), googleGPU(name), azureGPU(name))
	case isAWSSize(size):
		return awsGPU(family)
	case family == "bm", family == "vm":
		return oracleGPU(size)
	case family == "ecs":
		return alibabaGPU(size)
	}
	return tencentGPU(family)
}

func isAWSSize(size string) bool {
	if rest, ok := strings.CutSuffix(size, "xlarge"); ok {
		return rest == "" || allDigits(rest)
	}
	return size == "metal" || strings.HasPrefix(size, "metal-")
}

// awsGPU follows the families of docs.aws.amazon.com/ec2/latest/instancetypes.
func awsGPU(family string) string {
	switch family {
	case "p2":
		return "k80"
	case "p3":
		return "v100-sxm-16gb"
	case "p3dn":
		return "v100-sxm-32gb"
	case "p4d":
		return "a100-sxm-40gb"
	case "p4de":
		return "a100-sxm-80gb"
	case "p5":
		return "h100-sxm-80gb"
	case "p5e", "p5en":
		return "h200-sxm-141gb"
	case "p6-b200":
		return "b200"
	case "p6-b300":
		return "b300"
	case "p6e-gb200", "p6e-gb200x36", "p6e-gb200x72":
		return "gb200"
	case "p6e-gb300", "p6e-gb300x36", "p6e-gb300x72":
		return "gb300"
	case "g3", "g3s":
		return "m60"
	case "g4dn":
		return "t4"
	case "g5":
		return "a10g"
	case "g5g":
		return "t4g"
	case "g6", "g6f", "gr6", "gr6f":
		return "l4"
	case "g6e":
		return "l40s"
	case "g7e":
		return "rtx-pro-6000"
	case "trn1", "trn1n":
		return "trainium1"
	case "trn2", "trn2u":
		return "trainium2"
	case "inf1":
		return "inferentia1"
	case "inf2":
		return "inferentia2"
	case "dl1":
		return "gaudi1"
	}
	return ""
}

// googleGPU follows cloud.google.com/compute/docs/gpus and /tpu/docs.
func googleGPU(name string) string {
	for _, r := range [...]struct{ prefix, gpu string }{
		{"a2-ultragpu", "a100-sxm-80gb"},
		{"a2-highgpu", "a100-sxm-40gb"},
		{"a2-megagpu", "a100-sxm-40gb"},
		{"a3-ultragpu", "h200-sxm-141gb"},
		{"a3-highgpu", "h100-sxm-80gb"},
		{"a3-megagpu", "h100-sxm-80gb"},
		{"a3-edgegpu", "h100-sxm-80gb"},
		{"a4-highgpu", "b200"},
		{"a4x-max", "gb300"},
		{"a4x-highgpu", "gb200"},
		{"g2-standard", "l4"},
		{"g4-standard", "rtx-pro-6000"},
		{"ct3", "tpu-v3"},
		{"ct4p", "tpu-v4"},
		{"ct5l", "tpu-v5e"},
		{"ct5p", "tpu-v5p"},
		{"ct6e", "tpu-v6e"},
	} {
		if strings.HasPrefix(name, r.prefix) {
			return r.gpu
		}
	}
	return ""
}

// azureGPU follows learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated.
// A size is series, vCPUs, features, accelerator and version, such as
// nc40ads_h100_v5: the accelerator alone does not say the form or the memory.
func azureGPU(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ' ' || r == '-' })
	if len(parts) < 2 {
		return ""
	}
	series, features := parts[0], ""
	if i := strings.IndexAny(series, "0123456789"); i > 0 {
		series, features = series[:i], strings.TrimLeft(series[i:], "0123456789")
	}
	version, chip := parts[len(parts)-1], strings.Join(parts[1:len(parts)-1], "")
	if len(version) != 2 || version[0] != 'v' {
		return ""
	}
	switch series + " " + chip {
	case "nd h100", "nd h200":
		return chip + "-sxm"
	case "nc h100", "ncc h100":
		return "h100-nvl"
	case "nc a100":
		return "a100-pcie-80gb"
	case "nd a100", "nd ":
		return azureND(features, version)
	case "nd ndrgb200", "nd gb200":
		return "gb200"
	case "nd ndrgb300", "nd gb300":
		return "gb300"
	case "nd mi300x":
		return "mi300x"
	case "nc t4":
		return "t4"
	case "nv a10":
		return "a10"
	case "nc rtxpro6000bse", "nc xlrtxpro6000bse":
		return "rtx-pro-6000"
	case "nc ":
		return azureNC(version)
	}
	return ""
}

func azureND(features, version string) string {
	switch {
	case version == "v2":
		return "v100-sxm-32gb"
	case version == "v4" && strings.Contains(features, "m"):
		return "a100-sxm-80gb"
	case version == "v4":
		return "a100-sxm-40gb"
	}
	return ""
}

func azureNC(version string) string {
	switch version {
	case "v2":
		return "p100-16gb"
	case "v3":
		return "v100-pcie-16gb"
	}
	return ""
}

// oracleGPU follows docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm.
func oracleGPU(shape string) string {
	for _, r := range [...]struct{ prefix, gpu string }{
		{"gpu2.", "p100-16gb"},
		{"gpu3.", "v100-sxm-16gb"},
		{"gpu4.", "a100-sxm-40gb"},
		{"gpu.a100", "a100-sxm-80gb"},
		{"gpu.h100", "h100-sxm-80gb"},
		{"gpu.h200", "h200-sxm-141gb"},
	} {
		if strings.HasPrefix(shape, r.prefix) {
			return r.gpu
		}
	}
	return ""
}

// alibabaGPU follows help.aliyun.com, GPU-accelerated instance families.
func alibabaGPU(size string) string {
	family, _, _ := strings.Cut(size, "-")
	switch strings.TrimPrefix(family, "ebm") {
	case "gn5":
		return "p100-16gb"
	case "gn6i":
		return "t4"
	case "gn6v":
		return "v100-sxm-16gb"
	case "gn6e":
		return "v100-sxm-32gb"
	case "gn7":
		return "a100-sxm-40gb"
	case "gn7e":
		return "a100-sxm-80gb"
	case "gn7i":
		return "a10"
	}
	return ""
}

// tencentGPU follows cloud.tencent.com, GPU instance types.
func tencentGPU(family string) string {
	switch family {
	case "gn7":
		return "t4"
	case "gn8":
		return "p40"
	case "gn10x", "gn10xp":
		return "v100-sxm-32gb"
	case "gt4":
		return "a100-sxm-40gb"
	case "pnv4", "gnv4":
		return "a10"
	}
	return ""
}
