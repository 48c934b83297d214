package present

// pricesZH is pricesEN in Chinese.
var pricesZH = map[string]string{
	"store.empty":      "其中没有价格",
	"store.fallback":   "未使用价格库：%s。仅由内置目录作答。",
	"store.used":       "含价格库中的 %d 条价格：%d 个来源，上次应答距今 %s 至 %s（最旧：%s）。",
	"store.past_limit": "已超过此类价格的时限：%s。更新：gpucost prices refresh。",
}
