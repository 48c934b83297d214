package source

// gcpMachine is the shape of an accelerator-optimised machine type, from
// which its price is added up.
type gcpMachine struct {
	gpu        string
	gpus       int64
	vcpus, gib int64  // vCPUs and host memory in GiB
	ssdGiB     int64  // bundled local SSD that is charged with the machine
	family     string // of the core and RAM SKUs; "": the GPU SKU covers the whole machine
	accel      string // the GPU SKU, without its prefix and region
}

// gcpMachines are the fixed shapes. Source: the accelerator-optimised machine
// page; a2 and a3-high shapes agree with the SkyPilot catalog's rows.
var gcpMachines = map[string]gcpMachine{
	"a2-highgpu-1g":  {"A100 SXM4 40GB", 1, 12, 85, 0, "A2", gcpA100},
	"a2-highgpu-2g":  {"A100 SXM4 40GB", 2, 24, 170, 0, "A2", gcpA100},
	"a2-highgpu-4g":  {"A100 SXM4 40GB", 4, 48, 340, 0, "A2", gcpA100},
	"a2-highgpu-8g":  {"A100 SXM4 40GB", 8, 96, 680, 0, "A2", gcpA100},
	"a2-megagpu-16g": {"A100 SXM4 40GB", 16, 96, 1360, 0, "A2", gcpA100},
	"a2-ultragpu-1g": {"A100 SXM4 80GB", 1, 12, 170, 375, "A2", gcpA100x80},
	"a2-ultragpu-2g": {"A100 SXM4 80GB", 2, 24, 340, 750, "A2", gcpA100x80},
	"a2-ultragpu-4g": {"A100 SXM4 80GB", 4, 48, 680, 1500, "A2", gcpA100x80},
	"a2-ultragpu-8g": {"A100 SXM4 80GB", 8, 96, 1360, 3000, "A2", gcpA100x80},
	"a3-highgpu-1g":  {"H100 SXM5 80GB", 1, 26, 234, 750, "A3", gcpH100},
	"a3-highgpu-2g":  {"H100 SXM5 80GB", 2, 52, 468, 1500, "A3", gcpH100},
	"a3-highgpu-4g":  {"H100 SXM5 80GB", 4, 104, 936, 3000, "A3", gcpH100},
	"a3-highgpu-8g":  {"H100 SXM5 80GB", 8, 208, 1872, 6000, "A3", gcpH100},
	"a3-megagpu-8g":  {"H100 SXM5 80GB", 8, 208, 1872, 6000, "A3Plus", gcpH100Mega},
	"a3-ultragpu-8g": {"H200 SXM5 141GB", 8, 224, 2952, 12000, "A3Ultra", gcpH200},
	"a4-highgpu-8g":  {"B200", 8, 224, 3968, 12000, "", gcpB200},
	"g2-standard-4":  {"L4", 1, 4, 16, 0, "G2", gcpL4},
	"g2-standard-8":  {"L4", 1, 8, 32, 0, "G2", gcpL4},
	"g2-standard-12": {"L4", 1, 12, 48, 0, "G2", gcpL4},
	"g2-standard-16": {"L4", 1, 16, 64, 0, "G2", gcpL4},
	"g2-standard-24": {"L4", 2, 24, 96, 0, "G2", gcpL4},
	"g2-standard-32": {"L4", 1, 32, 128, 0, "G2", gcpL4},
	"g2-standard-48": {"L4", 4, 48, 192, 0, "G2", gcpL4},
	"g2-standard-96": {"L4", 8, 96, 384, 0, "G2", gcpL4},
	"g4-standard-48": {"RTX PRO 6000", 1, 48, 180, 0, "G4", gcpRTX}, "g4-standard-96": {"RTX PRO 6000", 2, 96, 360, 0, "G4", gcpRTX},
	"g4-standard-192": {"RTX PRO 6000", 4, 192, 720, 0, "G4", gcpRTX}, "g4-standard-384": {"RTX PRO 6000", 8, 384, 1440, 0, "G4", gcpRTX},
}

// The accelerators' words in SKU descriptions. Google renames them: the H100
// of a3-mega was "Mega" and became "Plus" for on-demand rows.
const (
	gcpA100     = "Nvidia Tesla A100 GPU"
	gcpA100x80  = "Nvidia Tesla A100 80GB GPU"
	gcpH100     = "Nvidia H100 80GB GPU"
	gcpH100Mega = "Nvidia H100 80GB Plus GPU"
	gcpH200     = "H200 141GB GPU"
	gcpB200     = "A4 Nvidia B200 (1 gpu slice)"
	gcpL4       = "Nvidia L4 GPU"
	gcpRTX      = "RTX 6000 96GB"
)

// gcpRenamed are other words for the same accelerator SKU.
var gcpRenamed = map[string]string{
	"Nvidia H100 80GB Mega GPU": gcpH100Mega, "Nvidia H100 Mega 80GB GPU": gcpH100Mega, "Nvidia H200 141GB GPU": gcpH200,
	"Nvidia B200 (1 gpu slice)": gcpB200,
}

// gcpAttached are accelerators that attach to any N1 machine, so that only
// their own price exists.
var gcpAttached = map[string]string{
	"Nvidia Tesla T4 GPU": "T4", "Nvidia Tesla V100 GPU": "V100 16GB", "Nvidia Tesla P100 GPU": "P100 16GB",
	"Nvidia Tesla P4 GPU": "P4", "Nvidia Tesla K80 GPU": "K80",
}
