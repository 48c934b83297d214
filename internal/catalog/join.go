package catalog

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// OfferKey identifies an offer: everything else about it may change.
type OfferKey struct {
	Provider, Instance, GPU, GPUs, Region, Tier, Host string
}

// Key is what identifies the offer.
func (o *Offer) Key() OfferKey {
	return OfferKey{o.Provider, o.Instance, o.GPU, o.GPUs.String(), o.Region, o.Tier, o.Host}
}

// joinReference adds what the prices of part refer to, and its overrides.
// With replace an entry of the same id takes the place of the old one;
// without, it is an error.
func (c *Catalog) joinReference(part *Catalog, replace bool) (ps Problems) {
	ps = append(ps, join(&c.GPUs, part.GPUs, replace, "gpus", func(g *GPU) string { return g.ID }, func(g *GPU) Pos { return g.Pos })...)
	ps = append(ps, join(&c.Models, part.Models, replace, "models", func(m *Model) string { return m.ID }, func(m *Model) Pos { return m.Pos })...)
	ps = append(ps, join(&c.Sources, part.Sources, replace, "sources", func(s *Source) string { return s.ID }, func(s *Source) Pos { return s.Pos })...)
	ps = append(ps, join(&c.Overrides, part.Overrides, replace, "overrides", func(o *Override) string { return o.ID }, func(o *Override) Pos { return o.Pos })...)
	c.joinFX(part.FX, replace)
	return ps
}

func join[T any](to *[]T, from []T, replace bool, section string, id func(*T) string, pos func(*T) Pos) (ps Problems) {
	at := make(map[string]int, len(*to)+len(from))
	for i := range *to {
		at[id(&(*to)[i])] = i
	}
	for i := range from {
		x := &from[i]
		j, known := at[id(x)]
		switch {
		case !known:
			at[id(x)] = len(*to)
			*to = append(*to, *x)
		case replace:
			(*to)[j] = *x
		default:
			p, first := pos(x), pos(&(*to)[j])
			ps = append(ps, Problem{
				Code: "doubled-id", File: p.File, Line: p.Line, Col: p.Col, Path: section,
				What: fmt.Sprintf("%s stands in %s, line %d, as well", id(x), first.File, first.Line),
			})
		}
	}
	return ps
}

// joinFX adds rates. With replace the rates of a pair, in either direction,
// take the place of all older ones: who states a rate wants it used.
func (c *Catalog) joinFX(rates []FXRate, replace bool) {
	if replace {
		c.FX = slices.DeleteFunc(c.FX, func(old FXRate) bool {
			return slices.ContainsFunc(rates, func(r FXRate) bool {
				return r.Base == old.Base && r.Quote == old.Quote || r.Base == old.Quote && r.Quote == old.Base
			})
		})
	}
	c.FX = append(c.FX, rates...)
}

// resolve names the GPUs of the offers that are not yet known, and those that
// overrides are for; a family stays a family.
func (c *Catalog) resolve(n *Names) {
	for i := range c.Overrides {
		o := &c.Overrides[i]
		if id, ok := n.ResolveGPU(o.GPU, 0, ""); ok && !n.isFamily(o.GPU) {
			o.GPU = id
		}
	}
	for i := range c.Offers {
		if o := &c.Offers[i]; !o.GPUKnown {
			if id, ok := n.ResolveGPU(o.GPU, o.GPUMemoryGB, o.Instance); ok {
				o.GPU, o.GPUKnown = id, true
			}
		}
	}
	for i := range c.Serverless {
		if s := &c.Serverless[i]; !s.GPUKnown {
			if id, ok := n.ResolveGPU(s.GPU, 0, ""); ok {
				s.GPU, s.GPUKnown = id, true
			}
		}
	}
}

// isFamily reports whether GPUs have the name as their family.
func (n *Names) isFamily(name string) bool {
	return slices.ContainsFunc(n.gpus, func(g GPU) bool { return strings.EqualFold(g.Family, name) })
}

// joinOffers adds the providers of part with everything they sell. Without
// replace the prices of one offer come together; with it the offer of part
// takes the place of the old one.
func (c *Catalog) joinOffers(part *Catalog, n *Names, replace bool) (ps Problems) {
	part.resolve(n)
	for i := range part.Providers {
		p := &part.Providers[i]
		if j := slices.IndexFunc(c.Providers, func(q Provider) bool { return q.ID == p.ID }); j >= 0 {
			setAgain(&c.Providers[j], p)
			continue
		}
		c.Providers = append(c.Providers, *p)
	}
	at := make(map[OfferKey]int, len(c.Offers)+len(part.Offers))
	for i := range c.Offers {
		at[c.Offers[i].Key()] = i
	}
	for i := range part.Offers {
		o := &part.Offers[i]
		j, known := at[o.Key()]
		switch {
		case !known:
			at[o.Key()] = len(c.Offers)
			c.Offers = append(c.Offers, *o)
		case replace:
			c.Offers[j] = *o
		default:
			ps = append(ps, c.Offers[j].absorb(o)...)
		}
	}
	c.Serverless = append(c.Serverless, part.Serverless...)
	c.Tokens = append(c.Tokens, part.Tokens...)
	c.Ownership = append(c.Ownership, part.Ownership...)
	c.Interruption = append(c.Interruption, part.Interruption...)
	return ps
}

// finish gives every provider a name and brings the offers of one provider
// together.
func (c *Catalog) finish() {
	order := make(map[string]int, len(c.Providers))
	for i := range c.Providers {
		p := &c.Providers[i]
		p.Name = cmp.Or(p.Name, p.ID)
		order[p.ID] = i
	}
	slices.SortStableFunc(c.Offers, func(a, b Offer) int { return cmp.Compare(order[a.Provider], order[b.Provider]) })
}

// setAgain overwrites the fields of a provider that again sets.
func setAgain(p, again *Provider) {
	to, from := reflect.ValueOf(p).Elem(), reflect.ValueOf(again).Elem()
	for i := range from.NumField() {
		if f := from.Field(i); !f.IsZero() && f.Type() != posType {
			to.Field(i).Set(f)
		}
	}
}

// absorb takes the prices of another entry of the same offer, and what o does
// not say itself. Where the two contradict each other, o stays and a warning
// says so.
func (o *Offer) absorb(other *Offer) (ps Problems) {
	to, from := reflect.ValueOf(o).Elem(), reflect.ValueOf(other).Elem()
	for i := range from.NumField() {
		f, t := from.Field(i), to.Field(i)
		name := from.Type().Field(i).Name
		switch {
		case name == "Pos" || name == "Prices" || name == "Note" || f.IsZero():
		case t.IsZero():
			t.Set(f)
		case !reflect.DeepEqual(t.Interface(), f.Interface()):
			ps = append(ps, Problem{
				Code: "offers-differ", Severity: SeverityWarning, File: other.Pos.File, Line: other.Pos.Line, Col: other.Pos.Col, Path: other.title(),
				What: fmt.Sprintf("the same offer stands in line %d of %s with another %s: %v, here %v; the first counts", o.Pos.Line, o.Pos.File, name, t, f),
				Hint: "tell them apart by instance, region, tier or host",
			})
		}
	}
	if o.Note != other.Note {
		o.Note = cmp.Or(o.Note, other.Note)
	}
	o.Prices = append(slices.Clip(o.Prices), other.Prices...)
	return ps
}

// title names an offer in a message: provider, instance, GPUs and place.
func (o *Offer) title() string {
	gpu := o.GPU
	if o.GPUs.Known() {
		gpu = o.GPUs.String() + "x " + gpu
	}
	words := []string{o.Provider, o.Instance, gpu, o.Region, o.Tier, o.Host}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}
