package present

import "sync"

// claimsZH is claimsEN in Chinese.
var claimsZH = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"claims.verdict":        "结论",
		"claims.text":           "说法",
		"claims.article":        "文章",
		"claims.ours":           "复算",
		"claims.condition":      "成立条件",
		"claims.why":            "理由",
		"claims.sources":        "来源",
		"claims.head":           "按 %[2]s 复算两篇文章的说法：%[1]d 条 · 目录 %[3]s",
		"claims.sum":            "成立 %d · 有条件成立 %d · 不成立 %d · 无法核对 %d",
		"claims.method":         "价格与文章日期前后 90 天内的证据以及最新证据比较，证据不含文章本身。三分之二以上的证据与文章区间相差不超过 5 %% 为成立，不足十分之一为不成立，介于其间为对所列部分成立。低置信度的数字只列出，不作定论。全部由 gpucost claims 依目录计算。",
		"claims.next":           "理由、输入和来源：gpucost claims %s。全部：gpucost claims -o markdown。",
		"claims.reason":         "%s：%s：%s。",
		"claims.if":             "成立条件：%s。",
		"claims.against":        "文章为 %s；输入及其来源：",
		"verdict.holds":         "成立",
		"verdict.holds_if":      "有条件成立",
		"verdict.does_not_hold": "不成立",
		"verdict.not_checkable": "无法核对",
	}
})
