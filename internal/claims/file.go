package claims

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// File is data/claims.yaml.
type File struct {
	Schema   int       `yaml:"schema,required" min:"1" max:"1"`
	Articles []Article `yaml:"articles,required"`
	Units    []Unit    `yaml:"units,required"`
	Rules    []Words   `yaml:"rules" doc:"the sentences of a rule, for claims that have none of their own"`
	Claims   []Entry   `yaml:"claims,required"`
}

// Article is one of the two articles.
type Article struct {
	ID     string       `yaml:"id,required" doc:"id of a source"`
	AsOf   catalog.Date `yaml:"as_of,required"`
	Name   string       `yaml:"name,required"`
	NameZH string       `yaml:"name_zh,required"`
}

// Unit is how a unit reads after a number.
type Unit struct {
	ID string `yaml:"id,required"`
	EN string `yaml:"en"`
	ZH string `yaml:"zh"`
}

// Words are the sentences of a rule, with places such as {price.now}.
type Words struct {
	Rule        string `yaml:"rule,required"`
	Why         string `yaml:"why,required"`
	WhyZH       string `yaml:"why_zh,required"`
	Condition   string `yaml:"condition"`
	ConditionZH string `yaml:"condition_zh"`
}

// Entry is what a claim says and how it is checked.
type Entry struct {
	ID          string          `yaml:"id,required"`
	Source      string          `yaml:"source,required" doc:"id of an article"`
	Topic       string          `yaml:"topic,required"`
	Rule        string          `yaml:"rule,required" doc:"the Go rule that computes it"`
	Text        string          `yaml:"text,required" doc:"the claim in our words"`
	TextZH      string          `yaml:"text_zh,required"`
	Low         catalog.Decimal `yaml:"article.low"`
	High        catalog.Decimal `yaml:"article.high"`
	Unit        string          `yaml:"article.unit"`
	Stated      string          `yaml:"article.text" doc:"the article's value where it is not a number"`
	StatedZH    string          `yaml:"article.text_zh"`
	Sense       string          `yaml:"sense" oneof:"premium saving ratio" doc:"what a ratio of two prices means"`
	Pair        string          `yaml:"pair" oneof:"provider gpu family provider_gpu all" doc:"what two prices must share"`
	Model       string          `yaml:"model"`
	GPU         string          `yaml:"gpu"`
	Scenario    string          `yaml:"scenario" doc:"a shipped scenario of the same kind"`
	Evidence    []Query         `yaml:"evidence"`
	Given       []Given         `yaml:"given"`
	Words       []string        `yaml:"words"`
	Note        string          `yaml:"note" doc:"follows the reason"`
	NoteZH      string          `yaml:"note_zh"`
	Why         string          `yaml:"why"`
	WhyZH       string          `yaml:"why_zh"`
	Condition   string          `yaml:"condition"`
	ConditionZH string          `yaml:"condition_zh"`
	Sources     []string        `yaml:"sources" doc:"further sources: ids or citations"`
	At          catalog.At
}

// Query is evidence to look up: prices of the catalog under a name.
type Query struct {
	Name      string             `yaml:"name,required"`
	Providers []string           `yaml:"providers"`
	Kinds     []string           `yaml:"kinds"`
	Market    string             `yaml:"market" oneof:"intl cn"`
	GPU       string             `yaml:"gpu,required" doc:"as --gpu takes it"`
	Purchases []catalog.Purchase `yaml:"purchases,required"`
	Terms     []int              `yaml:"terms" doc:"months"`
	Tiers     []string           `yaml:"tiers"`
	Each      int                `yaml:"each" doc:"GPUs per instance"`
	Currency  money.Currency     `yaml:"currency" doc:"USD without one"`
	From      catalog.Date       `yaml:"from" doc:"instead of the article's time"`
	To        catalog.Date       `yaml:"to"`
}

// Given is an input that the catalog does not hold.
type Given struct {
	Name   string  `yaml:"name,required"`
	Value  float64 `yaml:"value,required"`
	Unit   string  `yaml:"unit,required"`
	Source string  `yaml:"source,required" doc:"id or citation; assumption where it is one"`
}

// Load reads the file. Every fault is reported with its place.
func Load(name string, data []byte) (*File, catalog.Problems) {
	f := &File{}
	ps := catalog.Decode(name, data, f)
	if ps.Err() != nil {
		return nil, ps
	}
	if ps = append(ps, f.check()...); ps.Err() != nil {
		return nil, ps
	}
	return f, ps
}

// check finds what the tags cannot: names that lead nowhere or stand twice.
func (f *File) check() (ps catalog.Problems) {
	seen := map[string]bool{}
	for i := range f.Claims {
		e := &f.Claims[i]
		report := func(key, format string, args ...any) {
			ps = append(ps, e.At.Problem("claim", key, fmt.Sprintf(format, args...), ""))
		}
		if seen[e.ID] {
			report("id", "%s stands twice", e.ID)
		}
		seen[e.ID] = true
		if f.article(e.Source) == nil {
			report("source", "no article %q", e.Source)
		}
		switch how, known := rules[e.Rule]; {
		case !known:
			report("rule", "no rule %q", e.Rule)
		case len(e.Words) < how.words:
			report("words", "the rule %s needs %d words", e.Rule, how.words)
		}
		if e.Unit != "" && f.unit(e.Unit) == nil {
			report("article", "no unit %q", e.Unit)
		}
		if e.Why == "" && f.words(e.Rule) == nil {
			report("why", "neither the claim nor its rule says why")
		}
	}
	return ps
}

func (f *File) article(id string) *Article {
	for i := range f.Articles {
		if f.Articles[i].ID == id {
			return &f.Articles[i]
		}
	}
	return nil
}

func (f *File) unit(id string) *Unit {
	for i := range f.Units {
		if f.Units[i].ID == id {
			return &f.Units[i]
		}
	}
	return nil
}

func (f *File) words(rule string) *Words {
	for i := range f.Rules {
		if f.Rules[i].Rule == rule {
			return &f.Rules[i]
		}
	}
	return nil
}

// sentences are the claim's own words, or those of its rule.
func (f *File) sentences(e *Entry) Words {
	w := Words{Rule: e.Rule, Why: e.Why, WhyZH: e.WhyZH, Condition: e.Condition, ConditionZH: e.ConditionZH}
	if d := f.words(e.Rule); d != nil {
		if w.Why == "" {
			w.Why, w.WhyZH = d.Why+e.Note, d.WhyZH+e.NoteZH
		}
		if w.Condition == "" {
			w.Condition, w.ConditionZH = d.Condition, d.ConditionZH
		}
	}
	return w
}
