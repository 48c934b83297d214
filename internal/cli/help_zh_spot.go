package cli

// spotHelpZH is the help of spot and its subcommands.
func spotHelpZH() map[string]string {
	return map[string]string{
		"What interruptions do to the time and the price of finished work": "中断对完成工作的时间和价格有何影响",
		"What interruptions do to the time and the price of finished work: expected billed and wall hours, the best checkpoint interval,\nwhether an emergency save fits the seller's notice, and the discount below which spot does not pay.\nA chance of interruption needs its window: 30 % per hour, per day and per month are one interruption in 2.8, 67 and 2,047 hours.": "中断对完成工作的时间和价格有何影响：预期计费时长和历时、最佳检查点间隔、\n紧急保存赶不赶得上提供商的回收预告，以及折扣低于多少时竞价不划算。\n中断概率必须带时间窗口：每小时、每天、每月 30 % 分别是每 2.8、67、2,047 小时中断一次。",

		"size of a checkpoint, such as 980GB":                                                      "检查点大小，如 980GB",
		"time that one checkpoint blocks, instead of --checkpoint-size":                            "一次检查点阻塞的时间，代替 --checkpoint-size",
		"bandwidth of writing it, such as 8GB/s":                                                   "写检查点的带宽，如 8GB/s",
		"work between checkpoints: auto, 30m, 100steps or none":                                    "检查点间隔（按工作量）：auto、30m、100steps 或 none",
		"time of a training step, for an interval in steps":                                        "一个训练步的时间，用于按步数的间隔",
		"1: taken together, 0: each on its own (default 1)":                                        "1：一起被回收；0：各自独立（默认 1）",
		"an instance taken in its first hour is not billed (default where the seller says so)":     "首小时内被回收的实例不计费（默认依提供商的说明）",
		"machines that must all be there at once":                                                  "必须同时在位的机器数",
		"GPUs of the job (default 1)":                                                              "任务的卡数（默认 1）",
		"chance of an interruption of one machine with its window: 5%/hour, 30%/day, 5..20%/month": "单台机器的中断概率及其时间窗口：5%/hour、30%/day、5..20%/month",
		"mean time between interruptions of one machine, instead of --interrupt":                   "单台机器的平均中断间隔，代替 --interrupt",
		"hours lost to interruptions if you know them; they are done again on demand":              "已知的因中断损失的时长；按量重做",
		"warning before the machine is taken (default the seller's)":                               "回收前的预告时间（默认取提供商的）",
		"the notice is long enough to save everything: no periodic checkpoints":                    "预告足够保存全部状态：不做定期检查点",
		"start-up after an interruption, billed: boot, image, loading":                             "中断后的启动时间，计费：开机、镜像、加载",
		"wait for new capacity after an interruption, not billed":                                  "中断后等待容量的时间，不计费",
		"useful work, such as 72h":                                                                 "有效工作时长，如 72h",
		"spot price of a GPU-hour (default from the catalog)":                                      "竞价的卡时价（默认取自目录）",
		"price of a GPU-hour on demand (default from the catalog)":                                 "按量的卡时价（默认取自目录）",
		"price of a reserved GPU-hour, to compare with":                                            "预留的卡时价，用于对比",
		"seed of simulations (0: a fixed default)":                                                 "模拟的随机种子（0 为固定默认值）",
		"simulate so many runs for p50 and p90 of cost and finish time":                            "模拟这么多次，给出费用和完成时间的 p50、p90",
		"replay a recorded trace: CSV with value and gap_seconds, see gpucost help spot":           "回放记录的轨迹：含 value 和 gap_seconds 的 CSV，见 gpucost help spot",
		"seconds between samples where the trace does not say":                                     "轨迹未写明时的采样间隔（秒）",
		"starting points of a replay":                                                              "回放的起点数",
		"take up-times and outages as measured in this zone, such as us-central1-b":                "采用在此可用区实测的在线和缺货时长，如 us-central1-b",

		"The cheapest policy that keeps a deadline on spot, with on demand as its safety net": "用竞价赶期限的最便宜策略，以按量兜底",
		"Plays policies (greedy, time slices, uniform progress, on demand only) against availability as recorded in a trace, as measured\nin a zone, or as stated with --mtbf and --wait: cost, finish time, share on demand, deadlines missed.": "用可用性数据（轨迹记录、可用区实测，或 --mtbf 与 --wait 给定）试跑各种策略\n（贪心、时间片、匀速推进、仅按量）：费用、完成时间、按量占比、错过期限的次数。",
		"time that a change of machines costs (default 6m)":     "更换机器耗费的时间（默认 6m）",
		"time by which the work must be done":                   "完成工作的期限",
		"length of a generated trace":                           "生成轨迹的长度",
		"slices of the time-sliced policy":                      "时间片策略的片数",
		"starting points":                                       "起点数",
		"recorded availability: CSV with value and gap_seconds": "记录的可用性：含 value 和 gap_seconds 的 CSV",

		"What a spot instance with a protected first hour costs when the market moves": "首小时受保护的竞价实例在市场价变动时的费用",
		"Some sellers (Alibaba Cloud) hold the deal price and the instance for a first hour; then the market price counts, and the instance\nis reclaimed when that rises above your cap. One price times all hours is wrong in both halves.": "有的提供商（阿里云）首小时保持成交价且不回收实例；此后按市场价计费，\n市场价高于您的出价上限时回收。用一个价格乘以全部时长，前后两段都不对。",
		"highest price an hour you pay: reclaimed above it":                                   "愿付的每小时最高价：超过即被回收",
		"price of an hour when it was started (default the first of --market-prices)":         "启动时的每小时成交价（默认取 --market-prices 的第一个）",
		"market price of the whole instance from an hour on: 0h=10,0.5h=14,1h=12":             "整机自某时刻起的市场价：0h=10,0.5h=14,1h=12",
		"first stretch at the deal price without a reclaim (default the seller's, else none)": "按成交价计费且不被回收的起始时段（默认取提供商的，没有则为零）",
		"take the protected time of this seller":                                              "采用此提供商的保护时长",
		"how long the instance is held":                                                       "实例持有时长",

		"What a job costs that moves between sellers when it is interrupted": "中断时在提供商之间迁移的任务的费用",
		"What a job costs that moves between sellers when it is interrupted: rotating forward as the review's trainer does, to the first\nseller that is there, to the cheapest one, and back to a cheaper one when it returns. Each member is seller:purchase, with the\nmean up-time and outage if you know them: coreweave:spot:20h/2h. Where nothing is stated, what was measured stands in.": "中断时在提供商之间迁移的任务的费用：像评测中的训练器那样依次向后轮换、换到第一个有货的提供商、\n换到最便宜的，以及更便宜的恢复后再换回。成员写作 提供商:购买方式，\n已知时加平均在线和缺货时长：coreweave:spot:20h/2h。未给出的用实测值代替。",
		"members in order: seller:purchase[:up/outage]": "按顺序的成员：提供商:购买方式[:在线/缺货]",
		"simulated runs of each rule":                   "每条规则的模拟次数",
	}
}
