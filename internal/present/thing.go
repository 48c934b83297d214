package present

import (
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Thing shows all that is known of one GPU, family, provider, model or source.
func Thing(c *catalog.Catalog, name string, e catalog.Entity, l Lang) Doc {
	switch {
	case len(e.GPUs) == 1:
		g := e.GPUs[0]
		return one("gpu", gpu(g, offersOf(c, g.ID)), l, l.T("show.prices", g.ID))
	case e.Provider != nil:
		offers, prices := 0, 0
		for i := range c.Offers {
			if c.Offers[i].Provider == e.Provider.ID {
				offers++
				prices += len(c.Offers[i].Prices)
			}
		}
		return one("provider", provider(e.Provider, offers, prices), l)
	case e.Model != nil:
		return one("model", model(e.Model), l)
	case e.Source != nil:
		s := e.Source
		return one("source", sourceItem{ID: s.ID, Name: s.Name, Kind: s.Kind, URL: s.URL, Licence: s.Licence, Attribution: s.Attribution, Note: s.Note}, l)
	}
	return familyDoc(c, name, e.GPUs, l)
}

func offersOf(c *catalog.Catalog, id string) int {
	n := 0
	for i := range c.Offers {
		if c.Offers[i].GPU == id {
			n++
		}
	}
	return n
}

// one shows the fields of a single thing, as JSON names them.
func one(kind string, item any, l Lang, after ...string) Doc {
	fields := flatten(item)
	t := Table{Caption: kind, Columns: []Column{{Key: "field", Head: l.T("col.field")}, {Key: "value", Head: l.T("col.value"), Flex: true}}}
	r := Records{Header: []string{"field", "value"}}
	for _, f := range fields {
		r.Rows = append(r.Rows, []Cell{Text(f[0]), Text(f[1])})
		if f[1] != "" {
			t.Rows = append(t.Rows, []Cell{Text(f[0]), Text(f[1])})
		}
	}
	return Doc{
		Object: map[string]any{kind: item}, Rows: []any{item}, Records: r,
		Screen: Screen{Title: kind, Blocks: []Block{t, Say(after...)}},
	}
}

func familyDoc(c *catalog.Catalog, name string, gpus []*catalog.GPU, l Lang) Doc {
	family := catalog.Catalog{Offers: c.Offers}
	for _, g := range gpus {
		family.GPUs = append(family.GPUs, *g)
	}
	d := GPUList(&family, l)
	d.After = append([]string{l.T("family", strings.ToUpper(name), len(d.Items)), l.T("show.prices", name)}, d.After...)
	doc := d.Doc()
	doc.Object = map[string]any{"family": name, "gpus": d.Items}
	return doc
}

// StatsDoc says how much is known, how old it is and from whom.
func StatsDoc(c *catalog.Catalog, now catalog.Date, l Lang) Doc {
	prices, ages := 0, [5]int{}
	var confidence [3]int
	for i := range c.Offers {
		for j := range c.Offers[i].Prices {
			p := &c.Offers[i].Prices[j]
			prices++
			ages[ageClass(p.AsOf, now)]++
			confidence[map[catalog.Confidence]int{catalog.High: 0, catalog.Medium: 1}[p.Confidence]+boolInt(p.Confidence == catalog.Low)*2]++
		}
	}
	type stats struct {
		AsOf       string `json:"as_of"`
		Providers  int    `json:"providers"`
		Offers     int    `json:"offers"`
		Prices     int    `json:"prices"`
		GPUs       int    `json:"gpus"`
		Models     int    `json:"models"`
		Sources    int    `json:"sources"`
		Serverless int    `json:"serverless_prices"`
		Tokens     int    `json:"token_prices"`
		UpTo30     int    `json:"prices_up_to_30_days"`
		UpTo90     int    `json:"prices_up_to_90_days"`
		UpToYear   int    `json:"prices_up_to_a_year"`
		Older      int    `json:"prices_older"`
		Undated    int    `json:"prices_undated"`
		High       int    `json:"prices_of_high_confidence"`
		Medium     int    `json:"prices_of_medium_confidence"`
		Low        int    `json:"prices_of_low_confidence"`
	}
	s := stats{
		c.AsOf.String(), len(c.Providers), len(c.Offers), prices, len(c.GPUs), len(c.Models), len(c.Sources), len(c.Serverless), len(c.Tokens),
		ages[0], ages[1], ages[2], ages[3], ages[4], confidence[0], confidence[1], confidence[2],
	}
	d := one("stats", s, l)
	d.Screen.Blocks = append([]Block{Say(l.T("stats.head", s.AsOf, s.Providers, s.Offers, s.Prices, s.GPUs, s.Models, s.Sources),
		l.T("stats.ages", s.UpTo30, s.UpTo90, s.UpToYear, s.Older, s.Undated))}, d.Screen.Blocks...)
	return d
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func ageClass(d, now catalog.Date) int {
	if !d.Known() {
		return 4
	}
	switch days := d.DaysUntil(now); {
	case days <= 30:
		return 0
	case days <= catalog.FreshDays:
		return 1
	case days <= 365:
		return 2
	}
	return 3
}

type problemItem struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Col      int    `json:"col"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

// manyProblems is how many doubts of the embedded catalog a screen lists.
const manyProblems = 20

// finding is one line that editors and scripts can read: file:line:col: code:
// message, and behind it what is a doubt only, and the hint.
func finding(p catalog.Problem, l Lang) string {
	line := fmt.Sprintf("%s: %s: %s", p.Where(), p.Code, p.Message())
	if p.Severity != catalog.SeverityError {
		line += " " + l.T("lint.warning")
	}
	if p.Hint != "" {
		line += " " + l.T("lint.hint", p.Hint)
	}
	return line
}

// LintDoc lists problems as file:line:col: code: message. Without all, a screen
// shows the doubts of a large catalog by code, and the first few.
func LintDoc(ps catalog.Problems, all bool, l Lang) Doc {
	d := Doc{Records: Records{Header: []string{"file", "line", "col", "severity", "code", "message", "hint"}}}
	items := []any{}
	counts := map[string]int{}
	var lines []string
	errs := 0
	for _, p := range ps {
		it := problemItem{p.File, p.Line, p.Col, p.Code, p.Severity.String(), p.Message(), p.Hint}
		items = append(items, it)
		d.Records.Rows = append(d.Records.Rows, []Cell{
			Text(it.File), Num(fmt.Sprint(it.Line)), Num(fmt.Sprint(it.Col)), Text(it.Severity), Text(it.Code), Text(it.Message), Text(it.Hint),
		})
		counts[p.Code]++
		if p.Severity == catalog.SeverityError {
			errs++
		}
		if all || p.Severity == catalog.SeverityError || len(lines) < manyProblems {
			lines = append(lines, finding(p, l))
		}
	}
	d.Rows = items
	d.Object = map[string]any{"problems": items, "errors": errs, "warnings": len(ps) - errs}
	t := Table{Columns: []Column{{Key: "code", Head: l.T("col.code")}, {Key: "count", Head: l.T("col.count"), Right: true}}}
	for _, code := range sortedKeys(counts) {
		t.Rows = append(t.Rows, []Cell{Text(code), Num(fmt.Sprint(counts[code]))})
	}
	summary := l.T("lint.summary", errs, len(ps)-errs)
	if len(ps) == 0 {
		summary = l.T("lint.clean")
	}
	d.Screen = Screen{Title: "lint", Blocks: []Block{Lines{Whole: true, Text: lines}}}
	if len(t.Rows) > 0 && !all {
		d.Screen.Blocks = append(d.Screen.Blocks, t)
	}
	d.Screen.Blocks = append(d.Screen.Blocks, Say(summary))
	return d
}
