package cli

// catalogHelpZH is the help of catalog and claims.
func catalogHelpZH() map[string]string {
	return map[string]string{
		"The data itself: list, show, lint, diff, stats, export, import":                                    "数据本身：list、show、lint、diff、stats、export、import",
		"Lists what the catalog knows":                                                                      "列出目录内容",
		"All that is known of one GPU, provider, model, scenario or source, by any of its names":            "某个 GPU、提供商、模型、场景或来源的全部数据，任意名称均可",
		"Problems and doubts in catalog data, with file, line and column":                                   "目录数据中的问题和疑问，带文件、行、列",
		"Without a file: the embedded catalog. Problems are exit code 3; with --strict doubts are as well.": "不给文件则检查内置目录。有问题退出码为 3；加 --strict 时疑问也是。",
		"What changed between two catalogs, and whether the price or the exchange rate moved":               "两个目录之间的变化，以及变的是价格还是汇率",
		"OLD and NEW are catalog files, or the word embedded. Exit code 0 also when something changed.":     "OLD 和 NEW 是目录文件，或 embedded。有变化时退出码也为 0。",
		"cn shows yuan": "cn 按人民币显示",
		"How much is known, how old it is, and from whom":                                             "数据有多少、多旧、出自何处",
		"The catalog as one YAML file, with every overlay applied":                                    "整个目录导出为一个 YAML 文件，含全部叠加",
		"Writes catalog YAML to standard output; -o csv, json and the rest write the list of offers.": "向标准输出写目录 YAML；-o csv、json 等写报价列表。",
		"A price list of another format as a catalog overlay; rows left out are named":                "把其他格式的价目表转为目录叠加文件；未采用的行会说明",
		"format of the file, or a source of gpucost prices sources":                                   "文件格式，或 gpucost prices sources 中的来源",
		"seller of the rows that name none":                                                           "未写明卖家的行的卖家",
		"region of the rows that name none":                                                           "未写明区域的行的区域",
		"csv: decimal point or comma":                                                                 "csv：小数点（point）或逗号（comma）",
		"The two source articles' figures recomputed: holds, holds only if, does not hold":            "两篇来源文章的数字逐条复算：成立、有条件成立、不成立",
		"Recomputes every figure and rule of the two articles this program started from, with the catalog as it stands:\nthe verdict, the condition as a number, our figure, the reason, the inputs and the sources.": "用现有目录逐条复算本程序所依据的两篇文章的数字和规则：\n给出结论、以数字表示的条件、我们的数字、理由、输入和来源。",
		"only these verdicts: holds, holds_if, does_not_hold, not_checkable": "仅这些结论：holds、holds_if、does_not_hold、not_checkable",
		"only this article: review-2026-06 or guide-2026":                    "仅这篇文章：review-2026-06 或 guide-2026",
		"only these topics, such as spot or price":                           "仅这些主题，如 spot 或 price",
	}
}
