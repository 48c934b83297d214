package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// DiffDoc shows what changed between two catalogs.
func DiffDoc(cs []pricing.Change, l Lang) Doc {
	d := Doc{
		Object: map[string]any{"schema_version": 1, "command": "catalog diff", "changes": cs},
		Records: Records{Header: []string{
			"provider", "instance", "gpu", "gpu_count", "region", "tier", "purchase", "term_months", "what", "currency", "old", "new",
			"change_percent", "by_price_percent", "by_exchange_rate_percent", "old_as_of", "new_as_of", "old_source", "new_source",
		}},
	}
	t := Table{Columns: []Column{
		{Key: "provider", Head: l.T("col.provider"), Flex: true},
		{Key: "gpu", Head: "GPU", Flex: true},
		{Key: "region", Head: l.T("col.region"), Flex: true, Priority: 3},
		{Key: "purchase", Head: l.T("col.purchase"), Priority: 2},
		{Key: "what", Head: l.T("col.what")},
		{Key: "old", Head: l.T("col.old"), Right: true},
		{Key: "new", Head: l.T("col.new"), Right: true},
		{Key: "change", Head: l.T("col.change"), Right: true},
		{Key: "by_price", Head: l.T("col.by_price"), Right: true, Priority: 4},
		{Key: "by_rate", Head: l.T("col.by_rate"), Right: true, Priority: 5},
	}}
	var olds, news []money.Amount
	counts := map[string]int{}
	for i := range cs {
		olds, news = append(olds, cs[i].Old), append(news, cs[i].New)
	}
	oldCells, newCells := MoneyColumn(olds), MoneyColumn(news)
	for i := range cs {
		c := &cs[i]
		counts[c.What]++
		d.Rows = append(d.Rows, *c)
		d.Records.Rows = append(d.Records.Rows, []Cell{
			Text(c.Provider), Text(c.Instance), Text(c.GPU), Text(c.GPUs), Text(c.Region), Text(c.Tier), Text(string(c.Purchase)), integer(c.TermMonths),
			Text(c.What), Text(string(c.Currency)), Exact(c.Old), Exact(c.New), percentCell(c.Percent), percentCell(c.ByPrice), percentCell(c.ByRate),
			Text(c.OldAsOf), Text(c.NewAsOf), Text(c.OldSource), Text(c.NewSource),
		})
		t.Rows = append(t.Rows, []Cell{
			Text(c.Provider), Text(c.GPU), Text(c.Region), Text(l.T("purchase." + string(c.Purchase))), Text(c.What), oldCells[i], newCells[i],
			signed(c.Percent), signed(c.ByPrice), signed(c.ByRate),
		})
	}
	d.Screen = Screen{Title: "diff", Blocks: []Block{t, Say(l.T("diff.summary", len(cs)-counts["new"]-counts["gone"], counts["new"], counts["gone"]))}}
	if len(cs) == 0 {
		d.Screen.Blocks = []Block{Say(l.T("diff.none"))}
	}
	return d
}

func signed(p *pricing.Percent) Cell {
	if p == nil {
		return Unknown()
	}
	s := money.FromNano(int64(*p)*1e7, "%").Round(1)
	if *p > 0 {
		s = "+" + s
	}
	return Num(s + "%")
}

// flatten lists the fields of a struct as JSON names them, nested values as
// compact JSON.
func flatten(item any) [][2]string {
	b, err := json.Marshal(item)
	if err != nil {
		return nil
	}
	keys := orderedKeys(b)
	var values map[string]json.RawMessage
	if json.Unmarshal(b, &values) != nil {
		return nil
	}
	var out [][2]string
	for _, k := range keys {
		out = append(out, [2]string{k, plainValue(values[k])})
	}
	return out
}

func plainValue(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil || v == nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		if len(v) == 0 {
			return ""
		}
		if slices.ContainsFunc(v, func(x any) bool { _, ok := x.(string); return !ok }) {
			return string(raw)
		}
		words := make([]string, len(v))
		for i, x := range v {
			words[i] = fmt.Sprint(x)
		}
		return strings.Join(words, ", ")
	}
	return string(raw)
}

// orderedKeys lists the keys of a JSON object in their order.
func orderedKeys(b []byte) []string {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var keys []string
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return keys
		}
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			return keys
		}
		keys = append(keys, fmt.Sprint(k))
	}
	return keys
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
