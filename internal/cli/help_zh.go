package cli

import (
	"maps"
	"sync"
)

// helpZH is the help of commands and flags in Chinese, by its English text. It
// is put together when Chinese is first asked for.
var helpZH = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, topic := range []map[string]string{
		globalHelpZH(), compareHelpZH(), estimateHelpZH(), purchaseHelpZH(), spotHelpZH(), catalogHelpZH(), planHelpZH(), pricesHelpZH(),
	} {
		maps.Copy(all, topic)
	}
	return all
})

// globalHelpZH is the help of the program, its global flags and its upkeep.
func globalHelpZH() map[string]string {
	return map[string]string{
		"What a GPU costs where, offline, dated and sourced":                   "GPU 在哪里、什么价：离线，带日期和来源",
		"the same as -o json":                                                  "等同 -o json",
		"Help on a command or a topic":                                         "命令或主题的说明",
		"Settings and where they come from":                                    "设置及其来源",
		"Every setting, its value and where it came from":                      "每项设置的值及其来源",
		"The value of one setting":                                             "某项设置的值",
		"Checks the program, its data and its surroundings":                    "检查程序、数据和环境",
		"Version of the program and of its catalog":                            "程序和目录的版本",
		"Completion script for a shell, with live names of GPUs and providers": "shell 补全脚本，含 GPU 和提供商名称",
		"format: table, wide, json, ndjson, csv, tsv, yaml, markdown or html":  "格式：table、wide、json、ndjson、csv、tsv、yaml、markdown 或 html",
		"language: en or zh (default from LC_ALL, LC_MESSAGES, LANG)":          "语言：en 或 zh（默认取自 LC_ALL、LC_MESSAGES、LANG）",
		"show amounts in this currency (default USD; CNY with --market cn)":    "显示币种（默认 USD；--market cn 时为 CNY）",
		"own exchange rates, units for one USD, such as CNY=7.20":              "自定汇率，一美元对应的数额，如 CNY=7.20",
		"lay a catalog file or directory over the embedded one; - is stdin":    "在内置目录上叠加文件或目录；- 为标准输入",
		"use this catalog file and nothing else":                               "只用此目录文件",
		"answer as the catalog stood on this day, 2026-11-30":                  "按该日的目录回答，如 2026-11-30",
		"count ages from this day instead of today":                            "按该日而非今天计算价格年龄",
		"use the prices of this source only":                                   "只用此来源的价格",
		"leave out prices older than this many days":                           "排除超过此天数的价格",
		"exit 3 when --max-age left something out":                             "--max-age 有排除时退出码为 3",
		"length of a month in hours":                                           "每月小时数",
		"no colours, also with NO_COLOR or TERM=dumb":                          "不用颜色；NO_COLOR 或 TERM=dumb 亦然",
		"ASCII characters only in tables":                                      "表格只用 ASCII 字符",
		"show formulas, inputs and where each came from":                       "显示公式、输入及其来源",
	}
}
