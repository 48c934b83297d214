package present

import (
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/claims"
)

// Claims is the answer of claims, ready to become a Doc.
type Claims struct {
	Claims    []claims.Claim
	Articles  []claims.Article
	Catalog   Stamp
	AsOf      string
	Detail    bool // the reason and inputs of every claim below the table
	Published bool // for readers without the program: what the words mean, and the sources
	Lang      Lang
}

type claimsObject struct {
	SchemaVersion int            `json:"schema_version"`
	Command       string         `json:"command"`
	Catalog       Stamp          `json:"catalog"`
	AsOf          string         `json:"as_of"`
	Counts        map[string]int `json:"counts"`
	Claims        []claims.Claim `json:"claims"`
}

var claimsHeader = []string{
	"id", "source", "topic", "verdict", "article_low", "article_high", "article_unit", "our_low", "our_high", "our_unit",
	"condition_low", "condition_high", "condition_unit", "condition_met", "text", "article_value", "our_value", "condition", "why", "sources",
}

// Doc makes the answer presentable in every format.
func (c Claims) Doc() Doc {
	o := claimsObject{1, "claims", c.Catalog, c.AsOf, map[string]int{}, c.Claims}
	for _, v := range claims.Verdicts() {
		o.Counts[string(v)] = 0
	}
	d := Doc{Records: Records{Header: claimsHeader}}
	for i := range c.Claims {
		o.Counts[string(c.Claims[i].Verdict)]++
		d.Rows = append(d.Rows, c.Claims[i])
		d.Records.Rows = append(d.Records.Rows, c.record(&c.Claims[i]))
	}
	d.Object = o
	d.Screen = c.screen(o.Counts)
	return d
}

// pick is the words in the language of the answer.
func (c Claims) pick(en, zh string) string {
	if c.Lang == ZH {
		return zh
	}
	return en
}

func (c Claims) value(v claims.Value) string { return c.pick(v.Text, v.TextZH) }

func (c Claims) condition(x *claims.Claim) string {
	if x.Condition == nil {
		return ""
	}
	return c.value(x.Condition.Value)
}

func (c Claims) record(x *claims.Claim) []Cell {
	number := func(d claims.Decimal) Cell { return Num(string(d)) }
	low, high, unit, met := Unknown(), Unknown(), "", ""
	if x.Condition != nil {
		low, high, unit = number(x.Condition.Low), number(x.Condition.High), x.Condition.Unit
		if x.Condition.Met != nil {
			met = fmt.Sprint(*x.Condition.Met)
		}
	}
	return []Cell{
		Text(x.ID), Text(x.Source), Text(x.Topic), Text(string(x.Verdict)), number(x.Article.Low), number(x.Article.High), Text(x.Article.Unit),
		number(x.Our.Low), number(x.Our.High), Text(x.Our.Unit), low, high, Text(unit), Text(met),
		Text(c.pick(x.Text, x.TextZH)), Text(c.value(x.Article)), Text(c.value(x.Our)), Text(c.condition(x)), Text(c.pick(x.Why, x.WhyZH)), Text(claimSources(x)),
	}
}

// claimSources are the ids of a claim's sources with their dates.
func claimSources(x *claims.Claim) string {
	var out []string
	for _, s := range x.Sources {
		out = append(out, strings.TrimSpace(s.ID+" "+s.AsOf))
	}
	return strings.Join(out, "; ")
}

func (c Claims) screen(counts map[string]int) Screen {
	l := c.Lang
	t := Table{Columns: []Column{
		{Key: "id", Head: "id"},
		{Key: "verdict", Head: l.T("claims.verdict")},
		{Key: "text", Head: l.T("claims.text"), Flex: true},
		{Key: "article_value", Head: l.T("claims.article"), Flex: true, Wide: true, Priority: 2},
		{Key: "our_value", Head: l.T("claims.ours"), Flex: true, Priority: 1},
		{Key: "condition", Head: l.T("claims.condition"), Flex: true, Wide: true, Priority: 3},
		{Key: "why", Head: l.T("claims.why"), Flex: true, Wide: true, Priority: 4},
		{Key: "sources", Head: l.T("claims.sources"), Flex: true, Wide: true, Priority: 5},
	}}
	for i := range c.Claims {
		x := &c.Claims[i]
		t.Rows = append(t.Rows, []Cell{
			Text(x.ID), Text(l.T("verdict." + string(x.Verdict))), Text(c.pick(x.Text, x.TextZH)), Text(c.value(x.Article)), Text(c.value(x.Our)),
			Text(c.condition(x)), Text(c.pick(x.Why, x.WhyZH)), Text(claimSources(x)),
		})
	}
	head := l.T("claims.head", len(c.Claims), c.AsOf, c.Catalog.AsOf)
	sum := l.T("claims.sum", counts[string(claims.Holds)], counts[string(claims.HoldsIf)], counts[string(claims.DoesNotHold)], counts[string(claims.NotCheckable)])
	s := Screen{Title: "gpucost claims", Blocks: []Block{Lines{Tone: Strong, Text: []string{head}}, Say(sum)}}
	if c.Published {
		s.Blocks = append(s.Blocks, Say(l.T("claims.method")), c.articles())
	}
	s.Blocks = append(s.Blocks, t)
	switch {
	case c.Detail:
		s.Blocks = append(s.Blocks, c.reasons(), c.explain())
	case c.Published:
		s.Blocks = append(s.Blocks, c.sources())
	case len(c.Claims) > 0:
		s.Blocks = append(s.Blocks, Say(l.T("claims.next", c.Claims[0].ID)))
	}
	return s
}

// reasons are the claims with their condition and why, in full.
func (c Claims) reasons() Lines {
	var lines []string
	for i := range c.Claims {
		x := &c.Claims[i]
		lines = append(lines, c.Lang.T("claims.reason", x.ID, c.pick(x.Text, x.TextZH), c.Lang.T("verdict."+string(x.Verdict))))
		if cond := c.condition(x); cond != "" {
			lines = append(lines, c.Lang.T("claims.if", cond))
		}
		lines = append(lines, c.pick(x.Why, x.WhyZH))
	}
	return Say(lines...)
}

// explain lists what went into every claim.
func (c Claims) explain() Explain {
	var out Explain
	for i := range c.Claims {
		x := &c.Claims[i]
		e := Explanation{Name: x.ID, Value: c.value(x.Our), Formula: c.Lang.T("claims.against", c.value(x.Article))}
		for _, in := range x.Inputs {
			e.Inputs = append(e.Inputs, Input{Name: in.Name, Value: string(in.Value), Unit: in.Unit, Origin: in.Source, AsOf: in.AsOf})
		}
		out = append(out, e)
	}
	return out
}

func (c Claims) articles() Notes {
	var n Notes
	for _, a := range c.Articles {
		n.Items = append(n.Items, Note{a.ID, c.pick(a.Name, a.NameZH) + ", " + a.AsOf.String()})
	}
	return n
}

// sources are all sources once, with name and address.
func (c Claims) sources() Notes {
	var n Notes
	seen := map[string]bool{}
	for i := range c.Claims {
		for _, s := range c.Claims[i].Sources {
			if seen[s.ID] || s.Name == s.ID {
				continue
			}
			seen[s.ID] = true
			n.Items = append(n.Items, Note{s.ID, strings.TrimSuffix(s.Name+", "+s.URL, ", ")})
		}
	}
	return n
}
