package cli

// planHelpZH is the help of plan in Chinese, by its English text.
func planHelpZH() map[string]string {
	return map[string]string{
		"The cheapest feasible plan under a deadline or budget; cost against time": "期限或预算内最便宜的可行方案；成本与时间的权衡",
		"Finds the cheapest way to have a workload done within a deadline and a budget: GPU, number, division of\nthe model, sellers to ask in order, way of buying and checkpoint interval; and what more speed costs.\nWhat is in grave doubt, such as a price older than 90 days, is named and left aside.\n-o skypilot, dstack, k8s or slurm writes the plan as a task that the engine runs.\n--current says whether a job that runs by a saved plan should move, after what moving costs: exit 3 if so.": "在期限和预算内找出完成工作负载的最便宜方式：GPU、卡数、模型切分、依次询问的卖家、购买方式和检查点间隔，\n以及更快要多花多少。疑问重大者（如价格超过 90 天）会列出并搁置。\n-o skypilot、dstack、k8s 或 slurm 把方案写成引擎可运行的任务。\n--current 判断按已存方案运行的作业在扣除迁移费用后是否应当迁移：应当则退出码为 3。",
		"the plan that a job runs by, as saved with -o json: should it move? Exit 3 if moving pays":      "作业所依据的方案（以 -o json 保存）：是否应当迁移？迁移划算则退出码为 3",
		"with --current: share of the work that is done, such as 40% (default none)":                     "用于 --current：已完成工作的比例，如 40%（默认无）",
		"with --current, instead of --done: hours of work left on the current machines, such as 30h":     "用于 --current，代替 --done：在现有机器上剩余的工作小时，如 30h",
		"with --current: what moving must save, an amount or a share of what staying costs (default 5%)": "用于 --current：迁移至少应省多少，金额或占留在原处费用的比例（默认 5%）",
		"neither a run nor all runs of a month may cost more":                                            "单次运行和每月全部运行的费用都不得超过此数",
		"the fastest plan within the limits, not the cheapest":                                           "限制内最快的方案，而非最便宜的",
		"with -o dstack or k8s: the container image":                                                     "用于 -o dstack 或 k8s：容器镜像",
		"with -o k8s: the local queue of Kueue (default user-queue); with -o slurm: the partition":       "用于 -o k8s：Kueue 本地队列（默认 user-queue）；用于 -o slurm：分区",
		"with -o skypilot, dstack, k8s or slurm: the command that trains":                                "用于 -o skypilot、dstack、k8s 或 slurm：训练命令",
	}
}
