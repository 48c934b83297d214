package present

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

type scenarioItem struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	NameZH      string        `json:"name_zh"`
	Kind        estimate.Kind `json:"kind"`
	Model       string        `json:"model"`
	Description string        `json:"description"`
}

// ScenarioList lists scenarios.
func ScenarioList(all []*estimate.Scenario, l Lang) Listing {
	out := Listing{Kind: "scenarios", Columns: []Column{
		{Key: "id", Head: l.T("name")}, {Key: "kind", Head: l.T("scen.kind")}, {Key: "model", Head: l.T("scen.model")}, {Key: "what", Head: l.T("scen.what"), Flex: true},
	}}
	for _, s := range all {
		name := s.Name
		if l == ZH {
			name = s.NameZH
		}
		out.add(scenarioItem{s.ID, s.Name, s.NameZH, s.Kind, s.Model, s.Description}, Text(s.ID), Text(string(s.Kind)), Text(s.Model), Text(name))
	}
	if len(all) > 0 {
		out.After = []string{l.T("scen.after", all[0].ID, all[0].ID)}
	}
	return out
}

// ScenarioDoc shows every value of a scenario and where it comes from.
func ScenarioDoc(s *estimate.Scenario, name string, l Lang) Doc {
	t := Table{Caption: name, Columns: []Column{
		{Key: "key", Head: l.T("scen.key")}, {Key: "value", Head: l.T("scen.value"), Flex: true}, {Key: "origin", Head: l.T("scen.origin"), Flex: true},
	}}
	r := Records{Header: []string{"key", "value", "unit", "origin", "source"}}
	for _, leaf := range s.Leaves() {
		o := s.Origin(leaf.Key)
		r.Rows = append(r.Rows, []Cell{Text(leaf.Key), Text(leaf.Text), Text(leaf.Unit), Text(o.Kind), Text(o.Source)})
		switch leaf.Key {
		case "schema", "name", "name_zh", "description", "description_zh":
			continue
		}
		value := leaf.Text
		if x, ok := plainFloat(value); ok && x >= 10_000 && fmt.Sprint(x) != "" && len(value) < 20 {
			value = Number(x, 0)
		}
		t.Rows = append(t.Rows, []Cell{Text(leaf.Key), Text(value + spaced(leaf.Unit)), Text(o.Source)})
	}
	title, what := s.Name, s.Description
	if l == ZH && s.NameZH != "" {
		title, what = s.NameZH, s.DescriptionZH
	}
	return Doc{
		Object: map[string]any{"scenario": s, "origins": origins(s)}, Rows: []any{s}, Records: r,
		Screen: Screen{Title: name, Blocks: []Block{Lines{Tone: Strong, Text: []string{title}}, Say(what), t, Say(l.T("scen.show", name))}},
	}
}

func spaced(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

func origins(s *estimate.Scenario) map[string]string {
	out := map[string]string{}
	for _, leaf := range s.Leaves() {
		o := s.Origin(leaf.Key)
		out[leaf.Key] = o.Kind + " " + o.Source
	}
	return out
}

// Check is what a scenario's file was found to be.
type Check struct {
	Name     string
	Scenario *estimate.Scenario
	Problems catalog.Problems
}

// CheckDoc shows the problems of a scenario's file, or what it asks for.
func CheckDoc(c Check, l Lang) Doc {
	d := LintDoc(c.Problems, true, l)
	if len(c.Problems) == 0 && c.Scenario != nil {
		what := Estimation{Answer: &estimate.Answer{Scenario: c.Scenario}, Lang: l}.headline()
		d.Screen = Screen{Title: c.Name, Blocks: []Block{Say(l.T("scen.ok", c.Name, what))}}
	}
	return d
}
