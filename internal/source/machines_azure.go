package source

import (
	"strings"

	"github.com/gpucost/gpucost/internal/unit"
)

// azureMachines are the accelerated Azure sizes, without "Standard_", in lower
// case. Guessing the number of GPUs from the vCPUs went wrong elsewhere (12 or
// 6 for ND96isr, which has 8). Source: the Azure virtual machine size pages;
// GPU memory of shares from the same pages.
var azureMachines = map[string]machine{
	"nc6s_v3": {"V100 16GB", unit.Whole(1), 0}, "nc12s_v3": {"V100 16GB", unit.Whole(2), 0},
	"nc24s_v3": {"V100 16GB", unit.Whole(4), 0}, "nc24rs_v3": {"V100 16GB", unit.Whole(4), 0},
	"nd40rs_v2":   {"V100 32GB", unit.Whole(8), 0},
	"nc4as_t4_v3": {"T4", unit.Whole(1), 0}, "nc8as_t4_v3": {"T4", unit.Whole(1), 0},
	"nc16as_t4_v3": {"T4", unit.Whole(1), 0}, "nc64as_t4_v3": {"T4", unit.Whole(4), 0},
	"nc24ads_a100_v4": {"A100 PCIe 80GB", unit.Whole(1), 0}, "nc48ads_a100_v4": {"A100 PCIe 80GB", unit.Whole(2), 0},
	"nc96ads_a100_v4":  {"A100 PCIe 80GB", unit.Whole(4), 0},
	"nc40ads_h100_v5":  {"H100 NVL 94GB", unit.Whole(1), 0},
	"nc80adis_h100_v5": {"H100 NVL 94GB", unit.Whole(2), 0}, "ncc40ads_h100_v5": {"H100 NVL 94GB", unit.Whole(1), 0},
	"nd96asr_v4": {"A100 SXM4 40GB", unit.Whole(8), 0}, "nd96asr_a100_v4": {"A100 SXM4 40GB", unit.Whole(8), 0},
	"nd96amsr_a100_v4": {"A100 SXM4 80GB", unit.Whole(8), 0}, "nd96ams_a100_v4": {"A100 SXM4 80GB", unit.Whole(8), 0},
	"nd96isr_h100_v5": {"H100 SXM5 80GB", unit.Whole(8), 0}, "nd96is_h100_v5": {"H100 SXM5 80GB", unit.Whole(8), 0},
	"nd96isr_h200_v5": {"H200 SXM5 141GB", unit.Whole(8), 0}, "nd96is_h200_v5": {"H200 SXM5 141GB", unit.Whole(8), 0},
	"nd96isr_mi300x_v5": {"MI300X", unit.Whole(8), 0}, "nd96is_mi300x_v5": {"MI300X", unit.Whole(8), 0},
	"nd128isr_ndr_gb200_v6": {"GB200", unit.Whole(4), 0}, "nd128isr_gb300_v6": {"GB300", unit.Whole(4), 0},
	"nc288ds_xl_rtxpro6000bse_v6": {"RTX PRO 6000", unit.Whole(2), 0},
	"nv12s_v3":                    {"M60", unit.Whole(1), 0}, "nv24s_v3": {"M60", unit.Whole(2), 0}, "nv48s_v3": {"M60", unit.Whole(4), 0},
	"nv4as_v4": {"MI25", part(8), 2}, "nv8as_v4": {"MI25", part(4), 4},
	"nv16as_v4": {"MI25", part(2), 8}, "nv32as_v4": {"MI25", unit.Whole(1), 0},
	"nv6ads_a10_v5": {"A10", part(6), 4}, "nv12ads_a10_v5": {"A10", part(3), 8}, "nv18ads_a10_v5": {"A10", part(2), 12},
	"nv36ads_a10_v5": {"A10", unit.Whole(1), 0}, "nv36adms_a10_v5": {"A10", unit.Whole(1), 0}, "nv72ads_a10_v5": {"A10", unit.Whole(2), 0},
	"nv4ads_v710_v5": {"Radeon Pro V710", part(6), 4}, "nv8ads_v710_v5": {"Radeon Pro V710", part(3), 8},
	"nv12ads_v710_v5": {"Radeon Pro V710", part(2), 12}, "nv24ads_v710_v5": {"Radeon Pro V710", unit.Whole(1), 0},
	"nv28adms_v710_v5": {"Radeon Pro V710", unit.Whole(1), 0},
}

func azureMachine(sku string) (machine, bool) {
	m, ok := azureMachines[strings.TrimPrefix(strings.ToLower(sku), "standard_")]
	return m, ok
}
