package present

import (
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/purchase"
)

// Bought is the answer to a question about a way of buying, ready to become a
// Doc.
type Bought struct {
	Answer  purchase.Answer
	Catalog Stamp
	Rates   []catalog.FXRate
	Explain bool
	Lang    Lang
}

// Doc makes the answer presentable in every format.
func (b Bought) Doc() Doc {
	d := Doc{Object: b.object(), Records: b.records(), Screen: b.screen(), Warnings: b.warnings()}
	for i := range b.Answer.Figures {
		d.Rows = append(d.Rows, b.figureObject(&b.Answer.Figures[i]))
	}
	return d
}

// object is the whole answer: the figures under their own names, then what they
// were made of.
func (b Bought) object() object {
	a := &b.Answer
	o := object{
		{"schema_version", 1},
		{"command", a.Command},
		{"catalog", b.Catalog},
		{"currency", a.Currency},
		{"deciding", a.Deciding},
		{"verdict", a.Verdict},
		{"verdict_text", b.fill(b.Lang.T("verdict." + a.Verdict))},
	}
	for i := range a.Figures {
		f := &a.Figures[i]
		o = o.set(f.Name, f.Value)
		if f.Low != f.Value || f.High != f.Value {
			o = o.set(f.Name+"_low", f.Low).set(f.Name+"_high", f.High)
		}
	}
	for _, name := range sortedKeys(a.Words) {
		o = o.set("about."+name, a.Words[name])
	}
	o = append(o, pair{"inputs", b.inputObjects()}, pair{"tables", b.tableObjects()}, pair{"fx", Rates(b.Rates)}, pair{"warnings", b.warnings()})
	if b.Explain {
		o = append(o, pair{"explain", b.explain()})
	}
	return o
}

func (b Bought) inputObjects() []object {
	out := []object{}
	for i := range b.Answer.Inputs {
		in := &b.Answer.Inputs[i]
		out = append(out, object{
			{"name", in.Name},
			{"value", in.Mid},
			{"low", in.Low},
			{"high", in.High},
			{"unit", in.Unit},
			{"currency", currencyOf(in.Mid)},
			{"origin", in.From.Kind},
			{"source", in.From.Source},
			{"as_of", in.From.AsOf},
			{"stated", in.Stated},
		})
	}
	return out
}

func (b Bought) tableObjects() object {
	out := object{}
	for i := range b.Answer.Grids {
		g := &b.Answer.Grids[i]
		rows := []object{}
		for _, row := range g.Rows {
			o := object{}
			for k, c := range g.Columns {
				o = append(o, pair{c.Name, row[k]})
			}
			rows = append(rows, o)
		}
		out = append(out, pair{g.Name, rows})
	}
	return out
}

func (b Bought) figureObject(f *purchase.Figure) object {
	return object{{"name", f.Name}, {"value", f.Value}, {"low", f.Low}, {"high", f.High}, {"unit", f.Unit}, {"currency", currencyOf(f.Value)}}
}

func currencyOf(v any) money.Currency {
	a, _ := v.(money.Amount)
	return a.Currency()
}

// records is one row a figure.
func (b Bought) records() Records {
	r := Records{Header: []string{"quantity", "value", "low", "high", "unit", "currency"}}
	for i := range b.Answer.Figures {
		f := &b.Answer.Figures[i]
		r.Rows = append(r.Rows, []Cell{Text(f.Name), plainCell(f.Value), plainCell(f.Low), plainCell(f.High), Text(f.Unit), Text(string(currencyOf(f.Value)))})
	}
	return r
}

// plainCell is a value for a spreadsheet.
func plainCell(v any) Cell {
	switch x := v.(type) {
	case float64:
		return Float(x)
	case money.Amount:
		return Exact(x)
	case bool:
		return Text(map[bool]string{true: "true", false: "false"}[x])
	case string:
		return Text(x)
	}
	return Unknown()
}

func (b Bought) warnings() []Warning {
	out := []Warning{}
	for _, d := range b.Answer.Doubts {
		out = append(out, Warning{d.Code, b.fillWith(b.Lang.T("buy.doubt."+d.Code), d.Args)})
	}
	for _, r := range Rates(b.Rates) {
		out = append(out, Warning{"exchange_rate", b.Lang.T("compare.warn.rate", r.Quote, r.Base, r.Rate, rateOrigin(r))})
	}
	return out
}

func (b Bought) screen() Screen {
	a := &b.Answer
	head := b.fill(b.Lang.T("head." + a.Command))
	s := Screen{Title: head, Blocks: []Block{
		Lines{Tone: Strong, Text: []string{head}},
		Say(b.fill(b.Lang.T("verdict." + a.Verdict))),
		b.figureTable(head),
	}}
	for i := range a.Grids {
		s.Blocks = append(s.Blocks, b.gridBlocks(&a.Grids[i])...)
	}
	var notes []string
	for _, w := range b.warnings() {
		notes = append(notes, "- "+w.Message)
	}
	notes = append(notes, b.assumed()...)
	for _, next := range a.Next {
		notes = append(notes, b.Lang.T("buy.next", next))
	}
	s.Blocks = append(s.Blocks, Say(notes...))
	if b.Explain {
		s.Blocks = append(s.Blocks, b.explain())
	}
	return s
}

// figureTable lists the figures that exist, and those that decide even when they
// do not.
func (b Bought) figureTable(caption string) Table {
	a := &b.Answer
	t := Table{Caption: caption, Columns: []Column{
		{Key: "quantity", Head: b.Lang.T("buy.quantity"), Flex: true},
		{Key: "value", Head: b.Lang.T("value"), Right: true},
	}}
	ranged := slices.ContainsFunc(a.Figures, func(f purchase.Figure) bool { return f.Low != f.High })
	if ranged {
		t.Columns = append(t.Columns, Column{Key: "range", Head: b.Lang.T("buy.range"), Right: true})
	}
	t.Columns = append(t.Columns, Column{Key: "formula", Head: b.Lang.T("buy.formula"), Flex: true, Wide: true, Priority: 3})
	for i := range a.Figures {
		f := &a.Figures[i]
		if f.Value == nil && !slices.Contains(a.Deciding, f.Name) {
			continue
		}
		row := []Cell{Text(b.label(f.Name)), Num(b.value(f.Value, f.Unit))}
		if ranged {
			text := ""
			if f.Low != f.High && f.Value != nil {
				text = span(b.bare(f.Low, f.Unit), b.open(f.High, f.Unit))
			}
			row = append(row, Text(text))
		}
		words, _ := b.formula(f.Name)
		t.Rows = append(t.Rows, append(row, Text(words)))
	}
	return t
}

// open is the upper end of a range: in words where it does not exist.
func (b Bought) open(v any, unit string) string {
	if v == nil {
		return b.Lang.T("buy.never")
	}
	return b.bare(v, unit)
}

func (b Bought) gridBlocks(g *purchase.Grid) []Block {
	caption := b.fill(b.Lang.T("grid." + g.Name))
	if g.Columns[0].Unit == "fact" {
		return []Block{Say(append([]string{"", caption}, b.facts(g)...)...)}
	}
	t := Table{Caption: caption, Rows: make([][]Cell, len(g.Rows))}
	for i, c := range g.Columns {
		words := c.Unit == "word" || c.Unit == "text" || c.Unit == "flag"
		t.Columns = append(t.Columns, Column{Key: c.Name, Head: b.head(c.Name), Right: !words, Flex: c.Unit == "text", Priority: max(0, i-3)})
		for k, cell := range b.column(g, i) {
			t.Rows[k] = append(t.Rows[k], cell)
		}
	}
	return []Block{Say(caption), t}
}

// facts writes rows that are sentences.
func (b Bought) facts(g *purchase.Grid) []string {
	var out []string
	for _, row := range g.Rows {
		name, _ := row[0].(string)
		var line strings.Builder
		line.WriteString("- " + b.Lang.T("word."+name))
		for i, v := range row[1:] {
			switch x := v.(type) {
			case string:
				line.WriteString("; " + x)
			case float64:
				line.WriteString("; " + b.head(g.Columns[i+1].Name) + " " + b.bare(x, g.Columns[i+1].Unit))
			}
		}
		out = append(out, line.String())
	}
	return out
}

// column writes a column, with equal decimals where it holds amounts.
func (b Bought) column(g *purchase.Grid, i int) []Cell {
	var amounts []money.Amount
	cells := make([]Cell, len(g.Rows))
	for k, row := range g.Rows {
		a, _ := row[i].(money.Amount)
		amounts = append(amounts, a)
		switch x := row[i].(type) {
		case string:
			cells[k] = Text(x)
			if g.Columns[i].Unit == "word" {
				cells[k] = Text(b.Lang.T("word." + x))
			}
		case bool:
			cells[k] = Text(map[bool]string{true: "*"}[x])
		default:
			cells[k] = Num(b.bare(x, g.Columns[i].Unit))
		}
	}
	if slices.ContainsFunc(amounts, money.Amount.Known) {
		d := TotalDecimals(amounts...)
		for k, a := range amounts {
			cells[k] = Num(Amount(a, d))
		}
	}
	return cells
}

// head is the head of a grid's column: shorter than the label of its figure.
func (b Bought) head(name string) string {
	if s := b.Lang.T("buy.head." + name); s != "buy.head."+name {
		return s
	}
	return b.label(name)
}

// label is what a figure is called.
func (b Bought) label(name string) string { return b.called(name, "fig.", "in.") }

// inputLabel is what an input is called.
func (b Bought) inputLabel(name string) string { return b.called(name, "in.", "fig.") }

func (b Bought) called(name string, kinds ...string) string {
	for _, kind := range kinds {
		key := kind + name
		if s := b.Lang.T(key); s != key {
			return s
		}
	}
	if seller, ok := strings.CutSuffix(name, "_per_hour"); ok {
		return b.Lang.T("buy.at", seller)
	}
	return name
}

// assumed lists what nobody gave on the command line, with its origin.
func (b Bought) assumed() []string {
	var parts []string
	for i := range b.Answer.Inputs {
		in := &b.Answer.Inputs[i]
		if in.From.Kind == "flag" {
			continue
		}
		from := strings.Join(slices.DeleteFunc([]string{in.Stated, in.From.Source, in.From.AsOf}, func(s string) bool { return s == "" }), ", ")
		if in.From.Kind == "default" {
			from = b.Lang.T("buy.default")
			if why := b.Lang.T("why." + in.From.Source); in.From.Source != "" && why != "why."+in.From.Source {
				from += b.Lang.T("comma") + why
			}
		}
		parts = append(parts, b.inputLabel(in.Name)+" "+b.spanned(in)+" ("+from+")")
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{b.Lang.T("buy.assumed", strings.Join(parts, "; "))}
}
