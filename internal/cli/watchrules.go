package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
)

// watchFile is a file of watch rules as people write it.
type watchFile struct {
	catalog.At
	Schema int         `yaml:"schema,required" min:"1" max:"1" doc:"1"`
	Rules  []watchRule `yaml:"rules,required"`
}

type watchRule struct {
	catalog.At
	Name     string      `yaml:"name,required" doc:"what the rule is called in messages"`
	Select   watchSelect `yaml:"select" doc:"which prices it is about; what is not stated selects all"`
	When     watchWhen   `yaml:"when,required" doc:"one condition"`
	For      int         `yaml:"for" min:"1" max:"1000" doc:"verified so often in a row before it fires; 1"`
	Rearm    *float64    `yaml:"rearm" max:"99" doc:"percent past the threshold before it may fire again; 2"`
	Cooldown watchTime   `yaml:"cooldown" doc:"not twice for one price within this time, such as 6h"`
	MaxAge   watchTime   `yaml:"max_age" doc:"prices verified longer ago are unknown, never fine; 3d"`
	Basis    string      `yaml:"basis" oneof:"native report_currency" doc:"native: a move of the exchange rate alone does not fire"`
}

type watchSelect struct {
	catalog.At
	GPU        watchWords `yaml:"gpu" doc:"names as for --gpu: h100, h200"`
	Provider   watchWords `yaml:"provider"`
	Purchase   watchWords `yaml:"purchase" doc:"on_demand, spot, reserved, serverless, token"`
	Region     watchWords `yaml:"region" doc:"* stands for anything: us-*, eu-*"`
	Tier       watchWords `yaml:"tier"`
	Source     watchWords `yaml:"source" doc:"price sources, such as azure-retail"`
	Instance   watchWords `yaml:"instance"`
	TermMonths int        `yaml:"term_months" min:"1" max:"120"`
	MinGPUs    int        `yaml:"min_gpus" min:"1" max:"100000" doc:"machines of at least so many GPUs"`
}

type watchWhen struct {
	catalog.At
	Below  *history.Threshold `yaml:"below" doc:"1.80 USD per GPU-hour, or 14.40 USD/instance-hour"`
	Above  *history.Threshold `yaml:"above" doc:"as below"`
	Change *history.Movement  `yaml:"change" doc:"10% over 24h, +5% over 7d, -20% over 30d"`
	Stale  watchTime          `yaml:"stale" doc:"a source without an accepted answer for so long: 6h"`
	Gone   bool               `yaml:"gone" doc:"an offer that has disappeared"`
}

// watchTime is a time in words: 15m, 24h, 30d.
type watchTime struct{ history.Duration }

// watchWords are words divided by commas, as on the command line, or a list.
type watchWords []watchWord

// watchWord is one of them.
type watchWord string

// UnmarshalText reads "a, b".
func (w *watchWords) UnmarshalText(text []byte) error {
	*w = nil
	for part := range strings.SplitSeq(string(text), ",") {
		var word watchWord
		if err := word.UnmarshalText([]byte(part)); err != nil {
			return fmt.Errorf("%q: want words divided by commas, or a list", text)
		}
		*w = append(*w, word)
	}
	return nil
}

// UnmarshalText reads a word of a list.
func (w *watchWord) UnmarshalText(text []byte) error {
	*w = watchWord(strings.TrimSpace(string(text)))
	if *w == "" || strings.Contains(string(*w), ",") {
		return fmt.Errorf("%q: want one word", text)
	}
	return nil
}

// list is the words as plain texts.
func (w watchWords) list() []string {
	var out []string
	for _, word := range w {
		out = append(out, string(word))
	}
	return out
}

// readRules reads a file of rules strictly, and turns the names in it into
// ids. The warnings are doubts, such as a provider that the catalog does not
// have.
func readRules(file string, data []byte, c *catalog.Catalog) ([]history.Rule, catalog.Problems, error) {
	var f watchFile
	ps := catalog.Decode(file, data, &f)
	if ps.Err() != nil {
		return nil, nil, problemFault(ps)
	}
	var rules []history.Rule
	first := map[string]int{}
	for i := range f.Rules {
		r := &f.Rules[i]
		if line, twice := first[r.Name]; twice {
			ps = append(ps, r.Problem("doubled-id", "name", fmt.Sprintf("a rule %q stands in line %d as well", r.Name, line), ""))
		}
		first[r.Name] = r.Line
		rule, problems := r.rule(c)
		rules, ps = append(rules, rule), append(ps, problems...)
	}
	if len(rules) == 0 {
		ps = append(ps, f.Problem("no-rules", "rules", "there is no rule", ""))
	}
	if ps.Err() != nil {
		return nil, nil, problemFault(ps)
	}
	if err := (&history.RuleFile{Schema: f.Schema, Rules: rules}).Check(); err != nil {
		return nil, nil, usagef("%s: %s", file, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return rules, ps.Warnings(), nil
}

func (r *watchRule) rule(c *catalog.Catalog) (history.Rule, catalog.Problems) {
	s := &r.Select
	var ps catalog.Problems
	gpus, err := gpuIDs(c, strings.Join(s.GPU.list(), ","))
	if err != nil {
		hint := ""
		if f := asFault(err); len(f.hints) > 0 {
			hint = f.hints[0]
		}
		ps = append(ps, s.Problem("unknown-gpu", "gpu", err.Error(), hint))
	}
	for _, list := range []struct {
		key   string
		words watchWords
	}{{"gpu", s.GPU}, {"provider", s.Provider}, {"purchase", s.Purchase}, {"region", s.Region}, {"tier", s.Tier}, {"source", s.Source}, {"instance", s.Instance}} {
		if s.Has(list.key) && len(list.words) == 0 {
			ps = append(ps, s.Problem("empty-value", list.key, "the list is empty", "leave the key out to select all"))
		}
	}
	all := catalog.Purchases()
	for _, p := range s.Purchase.list() {
		if !slices.Contains(all, catalog.Purchase(p)) {
			ps = append(ps, s.Problem("unknown-word", "purchase", fmt.Sprintf("unknown purchase %q", p), "want "+joinPurchases(all)))
		}
	}
	for _, name := range s.Provider.list() {
		if catalog.FindProvider(c, name) == nil {
			p := s.Problem("unknown-provider", "provider", fmt.Sprintf("%q is no provider of the catalog", name), orList(catalog.Nearest(name, providerIDs(c), 3)))
			p.Severity = catalog.SeverityWarning
			ps = append(ps, p)
		}
	}
	w := &r.When
	conditions := 0
	for _, set := range []bool{w.Below != nil, w.Above != nil, w.Change != nil, w.Stale.Duration != 0, w.Gone} {
		if set {
			conditions++
		}
	}
	if conditions != 1 {
		ps = append(ps, w.Problem("conditions", "", fmt.Sprintf("%d conditions, want one of below, above, change, stale, gone", conditions), "write a rule for each"))
	}
	return history.Rule{
		Name: r.Name, For: r.For, Rearm: r.Rearm, Cooldown: r.Cooldown.Duration, MaxAge: r.MaxAge.Duration, Basis: r.Basis,
		Select: history.Selector{
			GPU: gpus, Provider: providersNamed(c, s.Provider.list()), Purchase: s.Purchase.list(), Region: s.Region.list(), Tier: s.Tier.list(),
			Source: s.Source.list(), Instance: s.Instance.list(), TermMonths: s.TermMonths, MinGPUs: s.MinGPUs,
		},
		When: history.Condition{Below: w.Below, Above: w.Above, Change: w.Change, Stale: w.Stale.Duration, Gone: w.Gone},
	}, ps
}

// WatchSchema is the JSON Schema of a file of watch rules, for editors.
func WatchSchema() []byte { return catalog.Schema("gpucost watch rules", watchFile{}) }

var errNotSent = errors.New("not every event could be delivered")
