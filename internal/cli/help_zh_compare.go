package cli

// compareHelpZH is the help of compare.
func compareHelpZH() map[string]string {
	return map[string]string{
		"What does this GPU cost where, ranked by what must be paid":          "这种 GPU 在哪里、什么价，按实付排序",
		"keys in order, such as price,-saving; a minus for descending":        "排序键，如 price,-saving；减号为降序",
		"GPUs: any name people type, a family, or vendor:names:memory:count":  "GPU：任意常用写法、系列，或 厂商:名称:显存:卡数",
		"how many GPUs must be held":                                          "需要的卡数",
		"rank by spot price; the same as --purchase spot":                     "按竞价排序；等同 --purchase spot",
		"ways of buying: on_demand, spot, reserved, serverless, token, owned": "购买方式：on_demand、spot、reserved、serverless、token、owned",
		"reserved for this many months":                                       "预留月数",
		"only these providers":                                                "仅这些提供商",
		"only this market: intl or cn":                                        "仅此市场：intl 或 cn",
		"only these regions (us, us-east-1) or countries":                     "仅这些区域（us、us-east-1）或国家",
		"only these tiers, such as secure or community":                       "仅这些档位，如 secure 或 community",
		"GB of memory per GPU, at least":                                      "每卡显存下限（GB）",
		"GB of GPU memory per machine, at least":                              "整机显存下限（GB）",
		"nvlink, ib, roce, efa, rdma or a word of the provider's":             "nvlink、ib、roce、efa、rdma 或提供商的用词",
		"leave out what costs more, per GPU-hour (see --per)":                 "排除高于此价者，按每卡时（见 --per）",
		"what --max-price is per: gpu or instance (per hour)":                 "--max-price 的单位：gpu 或 instance（每小时）",
		"expression over the row, such as 'vram>=80 and price<3'":             "对行的表达式，如 'vram>=80 and price<3'",
		"one row per gpu, provider or region":                                 "按 gpu、provider 或 region 分组",
		"show so many rows; 0 for all":                                        "显示行数；0 为全部",
		"every observation, also what is put aside otherwise":                 "全部观测，包括通常搁置的",
		"also what is listed but cannot be bought":                            "也包括有标价但买不到的",
		"GB of disk to add where its price is known":                          "在已知磁盘价格处计入的磁盘 GB",
		"show prices with this percentage of tax (default: without tax)":      "按此税率显示含税价（默认不含税）",
		"begin csv with a byte order mark, for Excel":                         "CSV 以字节序标记开头，供 Excel",

		"Ranks every offer of a GPU by what must be paid per hour to hold the GPUs needed:\na machine sold only in eights costs eight. Every price has its date, source and doubts.\nWith --work every way of buying is ranked by what a GPU-hour of finished work costs: spot with\nits interruptions, reserved and owned hardware at their utilisation, serverless by the second.": "按持有所需 GPU 每小时的实付金额对所有报价排序：\n只整机八卡出售的，就按八卡付费。每个价格都有日期、来源和疑问。\n加 --work 则按每有效卡时的费用对所有购买方式排序：竞价计入中断，\n预留和自有硬件按利用率，无服务器按秒。",
		"exit 3 when the cheapest GPU-hour (with --work: of finished work) costs more than this":                      "最便宜的每卡时（加 --work 则为每有效卡时）高于此价则退出码为 3",
		"hours of undisturbed work, such as 72h: ranks every way of buying by what a GPU-hour of finished work costs": "不受干扰的工作小时数，如 72h：按每有效卡时的费用对所有购买方式排序",
		"share of the time in which what is paid by the month is used, with --work (default for this work alone)":     "与 --work 合用：按月付费的部分有多少时间在用（默认只做这一项工作）",
	}
}
