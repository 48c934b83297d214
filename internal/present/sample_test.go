package present

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a screen in the shape of a comparison, with made-up values.
func sample(l Lang) Doc {
	var notes Notes
	listings := notes.Mark("median of 4 listings")
	old := notes.Mark("older than 90 days")
	eights := notes.Mark("sold in eights: one GPU needs the whole machine")
	dearer := notes.Mark("spot was dearer than on demand on that day")
	t := Table{Caption: "H100, spot", Columns: []Column{
		{Key: "rank", Head: "#", Right: true},
		{Key: "provider", Head: l.T("provider"), Flex: true},
		{Key: "gpu", Head: l.T("gpu"), Flex: true},
		{Key: "sold_as", Head: l.T("sold_as"), Right: true, Priority: 3},
		{Key: "per_gpu", Head: l.T("per_gpu"), Right: true},
		{Key: "you_pay", Head: l.T("you_pay"), Right: true},
		{Key: "saving", Head: l.T("saving"), Right: true, Priority: 2},
		{Key: "as_of", Head: l.T("as_of")},
		{Key: "region", Head: l.T("region"), Wide: true, Priority: 4},
		{Key: "source", Head: l.T("source"), Wide: true, Priority: 6},
	}, Rows: [][]Cell{
		{Num("1"), Text("Vast.ai"), Text("H100 SXM 80"), Num("1x"), Num("1.47"), Num("1.47"), Num("−21%"), Text("2026-10-19").Noted(listings), Text("us-east"), Text("gpuhunt")},
		{Num("2"), Text("阿里云灵骏"), Text("H100 NVL 94"), Num("1x"), Num("2.10"), Num("2.10"), Num("−40%"), Text("2026-08-22").Noted(old), Text("华东2（上海）"), Text("aliyun")},
		{Num("3"), Text("CoreWeave"), Text("H100 SXM 80"), Num("8x"), Num("2.46"), Num("19.68"), Num("−50%"), Text("2026-09-20").Noted(eights), Text("🇨🇳"), Text("coreweave")},
		{Num("10"), Text("西北B区 ⚡ 很长很长很长的名字"), Text("H100 SXM 80"), Num("8x"), Num("3.93"), Num("1,031.44"), Num("+2%"), Text("2026-08-22").Noted(old + dearer), Text("eu-west-1"), Text("x")},
		{Num("11"), Text("Lambda"), Text("H100 SXM 80"), Num("8x"), Unknown(), Unknown(), Unknown(), Text("n/a"), Text(""), Text("x")},
	}}
	return Doc{
		Object: map[string]any{"quotes": []any{}},
		Records: Records{Header: []string{"rank", "provider", "saving_percent"}, Rows: [][]Cell{
			{Num("1"), Text("Vast.ai"), Num("-21.1")}, {Num("11"), Text("Lambda"), Unknown()},
		}},
		Rows: []any{map[string]int{"rank": 1}},
		Screen: Screen{Title: "H100, spot", Blocks: []Block{
			Say("H100, spot, 1 GPU needed · USD per hour · catalog 2026-11-09 · 23 offers, 14 providers"),
			t,
			Say("Cheapest now: Vast.ai at 1.47 per hour. A marketplace median of 4 machines; expect it to move."),
			notes,
			Say("13 more offers: --top 0. No spot price known for Lambda, Crusoe, Together (3): --purchase on_demand.", "竞价实例随时可能被收回：请看完成这项工作要多少钱，而不只是每小时的价格，命令是 gpucost spot --gpu h100 --work 72h。"),
			Bars{Title: "Where the money goes", Items: []Bar{{"GPU time", 920, "92 %"}, {"checkpoints", 40, "4 %"}, {"出口流量", 5, "0.5 %"}, {"credit", -3, "−0.3 %"}}},
			Plot{
				Title: "Cost against time", X: Axis{Label: "hours a run"}, Y: Axis{Label: "USD a run"},
				Series: []Series{
					{Name: "cheapest by deadline", Line: true, Points: []Point{{12, 2400, "3"}, {24, 1500, "2"}, {72, 1100, "1"}}},
					{Name: "others", Points: []Point{{30, 2300, ""}, {50, 1900, ""}}},
				},
			},
			Explain{{
				Name: "cost a month", Value: "USD 1,460.00", Formula: "price per GPU-hour x GPUs x hours in a month", Symbols: "p n h",
				Inputs:  []Input{{"price per GPU-hour", "2.00", "USD", "catalog", "gpuhunt", "2026-11-26"}, {"GPUs", "1", "", "flag", "", ""}, {"hours in a month", "730", "h", "default", "", ""}},
				Effects: []Effect{{"price per GPU-hour", 10}, {"GPUs", -10}},
			}},
		}},
		Warnings: []Warning{{"stale", "2 prices are older than 90 days"}, {"stale", "2 prices are older than 90 days"}},
	}
}

var update = flag.Bool("update", false, "rewrite the screens in testdata")

// The screens in testdata are for looking at: made-up values that no price
// changes. Rewrite them with -update and read the difference.
func TestScreens(t *testing.T) {
	for name, o := range map[string]Options{
		"en-80":      {},
		"zh-80":      {Lang: ZH},
		"ascii-60":   {ASCII: true, Width: 60},
		"en-120":     {Width: 120},
		"wide":       {Format: Wide},
		"markdown":   {Format: Markdown},
		"html":       {Format: HTML, Lang: ZH},
		"en-80-bold": {Color: true},
	} {
		file := filepath.Join("testdata", name+".txt")
		got := render(t, sample(o.Lang), o)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
