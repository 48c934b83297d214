package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Files lists the catalog's files in the root of fsys, in order: every
// *.yaml, except those that hold scenarios, calibration or claims.
func Files(fsys fs.FS) ([]string, error) {
	all, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(name string) bool {
		for _, other := range []string{"scenario", "calibration", "claims"} {
			if strings.HasPrefix(name, other) {
				return true
			}
		}
		return false
	}), nil
}

// Load reads the named files of fsys, or those that [Files] lists, as one
// catalog. They are peers: a provider may appear in several of them, and the
// observations of one offer come together. The catalog is nil when there is an
// error among the problems.
func Load(fsys fs.FS, names ...string) (*Catalog, Problems) {
	if len(names) == 0 {
		var err error
		if names, err = Files(fsys); err != nil {
			return nil, Problems{{Code: "unreadable", What: err.Error()}}
		}
	}
	var parts []*Catalog
	var ps Problems
	sum := sha256.New()
	for _, name := range names {
		data, err := readBounded(fsys, name)
		if err != nil {
			ps = append(ps, Problem{Code: "unreadable", File: name, What: err.Error()})
			continue
		}
		fmt.Fprintf(sum, "%s %d\n%s\n", name, len(data), data)
		part, found := readFile(name, data)
		ps = append(ps, found...)
		parts = append(parts, part)
	}
	if ps.Err() != nil {
		return nil, ps
	}
	c := &Catalog{SHA256: hex.EncodeToString(sum.Sum(nil))}
	for _, part := range parts {
		if part.AsOf.Compare(c.AsOf) > 0 {
			c.AsOf = part.AsOf
		}
		ps = append(ps, c.joinReference(part, false)...)
	}
	n := NewNames(c.GPUs)
	for _, part := range parts {
		ps = append(ps, c.joinOffers(part, n, false)...)
	}
	c.resolve(n)
	c.finish()
	if ps.Err() != nil {
		return nil, ps
	}
	return c, ps
}

// readBounded reads a file of at most maxBytes and one more byte.
func readBounded(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err
		}
		return nil, err
	}
	defer f.Close() //nolint:errcheck // reading only
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// LoadOverlay lays one file over base and returns the result; base is not
// changed. GPUs, models, sources, exchange rates and overrides of the same id
// replace those of base. A provider keeps the fields that the file does not
// set again. An offer with the same key replaces the offer of base with all
// its prices; other offers are added. The catalog is nil when there is an
// error among the problems.
func LoadOverlay(base *Catalog, file string, data []byte) (*Catalog, Problems) {
	part, ps := readFile(file, data)
	if ps.Err() != nil {
		return nil, ps
	}
	alone := &Catalog{}
	c := base.clone()
	ps = append(ps, c.joinReference(part, true)...)
	n := NewNames(c.GPUs)
	if len(part.GPUs)+len(part.Overrides) > 0 {
		c.resolve(n)
	}
	ps = append(ps, alone.joinOffers(part, n, false)...) // the file's own offers come together first
	ps = append(ps, c.joinOffers(alone, n, true)...)
	c.finish()
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s %d\n%s\n", base.SHA256, file, len(data), data)
	c.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if !c.AsOf.Known() {
		c.AsOf = part.AsOf
	}
	return c, ps
}

// WithoutPrices is c with its GPUs, models, sources, exchange rates and
// ownership costs and nothing that is for sale: the ground for a catalog of
// the user's own, which brings its date.
func (c *Catalog) WithoutPrices() *Catalog {
	out := c.clone()
	out.AsOf = Date{}
	out.Providers, out.Offers, out.Serverless, out.Tokens, out.Overrides = nil, nil, nil, nil, nil
	return out
}

// clone copies c as deep as joining changes it.
func (c *Catalog) clone() *Catalog {
	out := *c
	out.Providers, out.Offers = slices.Clone(c.Providers), slices.Clone(c.Offers)
	out.GPUs, out.Models, out.Sources = slices.Clone(c.GPUs), slices.Clone(c.Models), slices.Clone(c.Sources)
	out.FX, out.Overrides = slices.Clone(c.FX), slices.Clone(c.Overrides)
	out.Serverless, out.Tokens = slices.Clone(c.Serverless), slices.Clone(c.Tokens)
	out.Ownership, out.Interruption = slices.Clone(c.Ownership), slices.Clone(c.Interruption)
	return &out
}
