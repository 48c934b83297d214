package catalog

import "fmt"

// names finds an id or alias that two entries of one kind share when
// case, spaces and punctuation do not count.
func (l *linter) names() {
	type name struct{ kind, word string }
	first := map[name]string{}
	once := func(kind, id string, pos Pos, words ...string) {
		for _, w := range append(words, id) {
			n := name{kind, string(foldRunes(w))}
			if n.word == "" {
				continue
			}
			if other, taken := first[n]; taken && other != id {
				l.fail(pos, nil, "doubled-alias", "", "%s: the name %q of %s already stands for %s", kind, w, id, other)
				continue
			}
			first[n] = id
		}
	}
	for _, p := range l.c.Providers {
		once("providers", p.ID, p.Pos, append([]string{p.Name, p.NameZH}, p.Aliases...)...)
	}
	for _, g := range l.c.GPUs {
		once("gpus", g.ID, g.Pos, append([]string{g.Name}, g.Aliases...)...)
		for _, id := range g.StandsFor {
			if l.gpus[id] == nil {
				l.fail(g.Pos, nil, "unknown-gpu-id", "", "gpus: %s stands for %q, which is no id", g.ID, id)
			}
		}
	}
	for _, m := range l.c.Models {
		once("models", m.ID, m.Pos, m.Aliases...)
	}
	for _, s := range l.c.Sources {
		once("sources", s.ID, s.Pos)
	}
}

// overrides finds those that can match nothing.
func (l *linter) overrides() {
	for _, o := range l.c.Overrides {
		if o.GPU != "" && l.gpus[o.GPU] == nil && !l.n.isFamily(o.GPU) {
			l.warn(o.Pos, nil, "unmatched-override", didYouMean(o.GPU, l.gpuIDs()), "overrides: %s is for the GPU %q, which is not known", o.ID, o.GPU)
		}
		if o.Source != "" && !l.sources[o.Source] {
			l.warn(o.Pos, nil, "unmatched-override", didYouMean(o.Source, l.sourceIDs()), "overrides: %s is for the source %q, which is not listed", o.ID, o.Source)
		}
	}
}

func (l *linter) gpuIDs() []string {
	out := make([]string, len(l.c.GPUs))
	for i, g := range l.c.GPUs {
		out[i] = g.ID
	}
	return out
}

// figures checks the sources of everything that is not a price of an offer.
func (l *linter) figures() {
	check := func(what, source string) {
		if source == "" {
			l.fail(Pos{}, nil, "missing-source", "", "%s: no source", what)
		} else if !l.sources[source] {
			l.fail(Pos{}, nil, "unknown-source", didYouMean(source, l.sourceIDs()), "%s: the source %q is not listed", what, source)
		}
	}
	for _, p := range l.c.Providers {
		for _, s := range p.Storage {
			check(fmt.Sprintf("providers: %s: storage %s", p.ID, s.Kind), s.Source)
		}
	}
	for _, x := range l.c.FX {
		check(fmt.Sprintf("fx: %s/%s of %s", x.Base, x.Quote, x.AsOf), x.Source)
	}
	for _, x := range l.c.Serverless {
		check(fmt.Sprintf("serverless: %s %s", x.Provider, x.GPU), x.Source)
	}
	for _, x := range l.c.Tokens {
		check(fmt.Sprintf("tokens: %s %s", x.Provider, x.Model), x.Source)
	}
	for _, x := range l.c.Ownership {
		check("ownership: "+x.Item, x.Source)
	}
	for _, x := range l.c.Interruption {
		check(fmt.Sprintf("interruption: %s %s", x.Provider, x.Metric), x.Source)
	}
}
