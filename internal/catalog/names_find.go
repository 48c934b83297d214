package catalog

import (
	"errors"
	"fmt"
	"strings"
)

// Entity is one thing of the catalog that a name means. Exactly one of the
// fields is set; GPUs holds several for a family.
type Entity struct {
	GPUs     []*GPU
	Provider *Provider
	Model    *Model
	Source   *Source
}

// UnknownNameError is a name that nothing in the catalog has.
type UnknownNameError struct {
	Name string
	Near []string // ids and names that may have been meant, the likeliest first
}

func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("no provider, GPU, model or source is called %q", e.Name)
}

// Find finds the provider, GPU or family of GPUs, model or source of that id,
// name or alias, in this order; a name that several GPUs share is an
// [AmbiguousGPUError], any other an [UnknownNameError].
func Find(c *Catalog, name string) (Entity, error) {
	name = strings.TrimSpace(name)
	if p := FindProvider(c, name); p != nil {
		return Entity{Provider: p}, nil
	}
	names := NewNames(c.GPUs)
	if i := names.exactly(name); i >= 0 {
		return Entity{GPUs: []*GPU{&c.GPUs[i]}}, nil
	}
	q := GPUQuery{Text: name}
	err := names.meant(&q, false)
	if err == nil {
		var e Entity
		for _, id := range q.IDs {
			e.GPUs = append(e.GPUs, names.byID(id))
		}
		return e, nil
	}
	if m := FindModel(c, name); m != nil {
		return Entity{Model: m}, nil
	}
	for i := range c.Sources {
		if s := &c.Sources[i]; called(name, s.ID, s.Name) {
			return Entity{Source: s}, nil
		}
	}
	if ambiguous, ok := errors.AsType[*AmbiguousGPUError](err); ok {
		return Entity{}, ambiguous
	}
	return Entity{}, &UnknownNameError{name, Nearest(name, allNames(c), 3)}
}

// FindProvider finds a provider by id, name, Chinese name or alias; nil if
// there is none.
func FindProvider(c *Catalog, name string) *Provider {
	for i := range c.Providers {
		if p := &c.Providers[i]; called(name, append([]string{p.ID, p.Name, p.NameZH}, p.Aliases...)...) {
			return p
		}
	}
	return nil
}

// FindModel finds a model by id or alias; nil if there is none.
func FindModel(c *Catalog, name string) *Model {
	for i := range c.Models {
		if m := &c.Models[i]; called(name, append([]string{m.ID}, m.Aliases...)...) {
			return m
		}
	}
	return nil
}

// called reports whether the name is one of those, whatever their case, width,
// spaces and punctuation.
func called(name string, names ...string) bool {
	folded := foldName(name)
	for _, s := range names {
		if folded != "" && folded == foldName(s) {
			return true
		}
	}
	return false
}

func allNames(c *Catalog) []string {
	var out []string
	for i := range c.Providers {
		p := &c.Providers[i]
		out = append(append(out, p.ID), p.Aliases...)
		for _, name := range [...]string{p.Name, p.NameZH} {
			if !called(name, p.ID) {
				out = append(out, name)
			}
		}
	}
	for i := range c.GPUs {
		out = append(append(out, c.GPUs[i].ID, c.GPUs[i].Family), c.GPUs[i].Aliases...)
	}
	for i := range c.Models {
		out = append(append(out, c.Models[i].ID), c.Models[i].Aliases...)
	}
	for i := range c.Sources {
		out = append(out, c.Sources[i].ID)
	}
	return out
}
