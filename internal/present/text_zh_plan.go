package present

import "sync"

// planZH holds the text of plan for a job that already runs.
var planZH = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"switch.left":    "剩余工作 %s",
		"switch.stay":    "留在原处",
		"switch.move_to": "迁移",
		"switch.this":    "剩余工作的方案",
		"switch.old":     "方案当时（%s）的价格：今天没有价格",
		"switch.table":   "剩余工作的费用：",

		"switch.verdict.switch":         "迁到 %s：节省 %s，已扣除迁移费用 %s：%s；留在原处：%s。",
		"switch.verdict.switch_late":    "迁到 %s：%s。留在原处要 %s 后才完成，晚于 %s 后的期限。",
		"switch.verdict.stay":           "留在 %s：%s。",
		"switch.verdict.stay_committed": "留在 %s，租期内的费用已经承诺，到期之前离开并不省钱。从现在起：%s。",
		"switch.verdict.stay_alone":     "留在 %s：%s。别处都不能按时完成剩余工作。",
		"switch.verdict.unknown":        "今天留在 %s 要花多少并不清楚，因此不能说迁移划算。",
		"switch.verdict.nothing":        "无论留下还是迁移，都不能在 %s 内完成。",
		"switch.instead":                "最便宜的迁移：%s：%s。",
		"switch.loses":                  "最便宜的迁移是到 %s，会多花 %s。",
		"switch.too_little":             "最便宜的迁移是到 %s，节省 %s：没有超过至少应省的 %s。",
		"switch.cannot":                 "按估算，这些机器完成不了该工作。",
		"switch.no_price":               "今天没有 %s 的价格，%s 的价格已不作数。",

		"switch.other_maker": "其 GPU 来自另一厂商，程序须能在其上运行（用 --gpu 指明）",

		"switch.even":        "在此处剩余工作超过 %s 时迁移才划算；现剩 %s。至少应省 %s。",
		"switch.never":       "无论剩余多少工作，此迁移都不划算；此处还剩 %s 的工作。",
		"switch.always":      "无论剩余多少工作，此迁移都划算；此处还剩 %s 的工作。",
		"switch.low":         "在不利情形下，迁移会亏 %s。",
		"switch.flip":        "下列任一变化会改变结论：%s。",
		"switch.flip.price":  "%s 的价格变化 %s",
		"switch.flip.egress": "流出流量每 GB %s %s",
		"switch.move":        "迁到 %s 的费用 %s：%s。其间工作停顿 %s。",
		"switch.part":        "%s %s",

		"switch.comp.last_save":       "在此处最后一次保存",
		"switch.comp.startup":         "新机器启动",
		"switch.comp.load_checkpoint": "在新机器读取检查点",
		"switch.comp.egress":          "流出流量",
		"switch.comp.minimum_rental":  "已计费而未使用",
		"switch.comp.work_done_again": "重做的工作",

		"switch.col.option": "方式",
		"switch.col.cost":   "今后费用（%s）",
		"switch.col.moving": "其中迁移",
		"switch.col.saves":  "节省",

		"switch.warn.all_left":            "未说明已完成多少：按全部工作尚未完成计算（--done 40% 或 --remaining 30h）。",
		"switch.warn.longer_than_planned": "还剩 %s，而全部工作原估计为 %s：各种方式都按同样比例延长。",
		"switch.warn.price_gone":          "%s 今天没有这些机器的价格：留在原处按方案当时（%s）的价格计算。",
		"switch.warn.offer_gone":          "%s 今天没有列出这些机器：留在原处按方案当时（%s）的价格计算。",
		"switch.warn.committed":           "%s 的机器在租期结束前无论如何都要付费。",
		"switch.warn.other_scenario":      "方案是为场景 %s 制定的，而现在问的是 %s。",
		"switch.warn.may_lose":            "在不利情形下，迁移会亏 %s。",
		"switch.warn.between_regions":     "%s 各地域之间的流量可能收费：未计入。",
		"switch.warn.price_range":         "低于 %s 的差额在价格区间之内，不算节省。",
		"switch.warn.egress_unknown":      "%s 的流出流量费用未知：按每 GB 0 至 0.14 USD 计，中间值 0.09。",

		"switch.note.stays": "没有任务：%s",

		"switch.explain.saving":   "最便宜的迁移所节省的费用",
		"switch.explain.saving_f": "剩余工作在此处的费用，减去在别处连同迁移的费用",
		"switch.explain.total":    "迁移后今后费用",
		"switch.explain.need":     "至少应省",
		"switch.explain.even":     "剩余多少工作起迁移划算",
		"switch.explain.even_f":   "一次性的迁移费用，除以每小时工作所节省的费用",
		"switch.explain.hours":    "此处剩余工作",
		"switch.explain.assumed":  "迁移所依据的假设",
	}
})
