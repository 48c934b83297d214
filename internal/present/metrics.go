package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Metric is a family of samples in the text format of Prometheus.
type Metric struct {
	Name, Help string
	Samples    []Sample
}

// Sample is one value with its labels, in their order. The value is a plain
// decimal.
type Sample struct {
	Labels [][2]string
	Value  string
}

// Metrics are families in the order they are written; every one is a gauge.
type Metrics []Metric

var (
	labelText = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	helpText  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// text is the labels as Prometheus writes them; empty labels are left out,
// which means the same.
func (s *Sample) text() string {
	var parts []string
	for _, l := range s.Labels {
		if l[1] != "" {
			parts = append(parts, l[0]+`="`+labelText.Replace(strings.ToValidUTF8(l[1], "\uFFFD"))+`"`)
		}
	}
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Text is the exposition format, version 0.0.4: samples in the order of their
// labels, a family without samples left out.
func (m Metrics) Text() string {
	var b strings.Builder
	for _, f := range m {
		if len(f.Samples) == 0 {
			continue
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n", f.Name, helpText.Replace(f.Help), f.Name)
		for _, s := range f.sorted() {
			b.WriteString(f.Name + s.text() + " " + s.Value + "\n")
		}
	}
	return b.String()
}

func (f *Metric) sorted() []Sample {
	out := slices.Clone(f.Samples)
	slices.SortStableFunc(out, func(a, b Sample) int { return cmp.Compare(a.text(), b.text()) })
	return out
}

// Doc shows the same samples in the other formats.
func (m Metrics) Doc() Doc {
	type item struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
		Value  string            `json:"value"`
	}
	items := []any{}
	d := Doc{Records: Records{Header: []string{"name", "labels", "value"}}}
	t := Table{Caption: "metrics", Columns: []Column{{Key: "name", Head: "name"}, {Key: "labels", Head: "labels", Flex: true}, {Key: "value", Head: "value", Right: true}}}
	for _, f := range m {
		for _, s := range f.sorted() {
			it := item{f.Name, map[string]string{}, s.Value}
			for _, l := range s.Labels {
				if l[1] != "" {
					it.Labels[l[0]] = l[1]
				}
			}
			items = append(items, it)
			row := []Cell{Text(f.Name), Text(s.text()), Num(s.Value)}
			d.Records.Rows, t.Rows = append(d.Records.Rows, row), append(t.Rows, row)
		}
	}
	d.Object, d.Rows = map[string]any{"metrics": items}, items
	d.Screen = Screen{Title: "gpucost metrics", Blocks: []Block{t}}
	return d
}
