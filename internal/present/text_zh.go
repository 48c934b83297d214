package present

import "sync"

// textZH is the Chinese text of every key; keys of both languages are the same.
var textZH = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// around every answer
		"warning":          "警告：%s",
		"columns_left_out": "%d 列的宽度内未显示：%s。全部显示：-o wide。",
		"effects":          "输入增加 10%% 时的变化：%s",
		"unknown":          "未知",
		"inputs":           "输入",
		"notes":            "注",

		// quantities
		"n_d":     "%s 天",
		"n_h":     "%s 小时",
		"n_min":   "%s 分钟",
		"n_s":     "%s 秒",
		"n_days":  "%s 天",
		"one_day": "1 天",

		// heads
		"provider":   "提供商",
		"gpu":        "GPU",
		"gpus":       "卡数",
		"sold_as":    "起租",
		"per_gpu":    "每卡时",
		"you_pay":    "实付/时",
		"saving":     "节省",
		"as_of":      "截至",
		"region":     "地域",
		"tier":       "档位",
		"source":     "来源",
		"instance":   "机型",
		"memory":     "显存",
		"confidence": "可信度",
		"where":      "何处",
		"bought":     "购买方式",
		"hours":      "时长",
		"a_run":      "每次",
		"a_month":    "每月",
		"name":       "名称",
		"value":      "数值",
		"origin":     "出处",

		// ways of buying
		"on_demand":  "按量",
		"spot":       "竞价",
		"reserved":   "预留",
		"serverless": "无服务器",
		"token":      "按 token",
		"owned":      "自有",
	}
})
