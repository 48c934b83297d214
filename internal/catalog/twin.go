package catalog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// A twin is the compiled form of a catalog: the same values, ready to be read
// in well under a millisecond where YAML takes fifty. Layout: the magic, the
// length of the text pool, the pool, the number of sections, the length of
// each, the sections. Whole numbers are varints; text is length and offset in
// the pool, so that nothing is copied on reading.
const twinMagic = "gpucost catalog 1\n"

// Section names a part of a compiled catalog that can be read alone.
type Section uint

// The sections. AsOf and SHA256 are always read.
const (
	SectionOffers Section = 1 << iota // providers and offers with their prices
	SectionGPUs
	SectionSources
	SectionFX
	SectionOverrides
	SectionModels
	SectionServerless
	SectionTokens
	SectionOwnership
	SectionInterruption

	// SectionAll is everything.
	SectionAll Section = 1<<iota - 1
	// SectionCompare is what comparing offers needs.
	SectionCompare = SectionOffers | SectionGPUs | SectionSources | SectionFX | SectionOverrides
)

// sections says how each section is written and read, in their order; the
// head comes before them.
func sections() []func(*twin, *Catalog) {
	return []func(*twin, *Catalog){
		func(t *twin, c *Catalog) {
			t.prices(c)
			list(t, &c.Providers, (*twin).provider)
			list(t, &c.Offers, (*twin).offer)
		},
		func(t *twin, c *Catalog) { list(t, &c.GPUs, (*twin).gpu) },
		func(t *twin, c *Catalog) { list(t, &c.Sources, (*twin).source) },
		func(t *twin, c *Catalog) { list(t, &c.FX, (*twin).fx) },
		func(t *twin, c *Catalog) { list(t, &c.Overrides, (*twin).override) },
		func(t *twin, c *Catalog) { list(t, &c.Models, (*twin).model) },
		func(t *twin, c *Catalog) { list(t, &c.Serverless, (*twin).serverless) },
		func(t *twin, c *Catalog) { list(t, &c.Tokens, (*twin).token) },
		func(t *twin, c *Catalog) { list(t, &c.Ownership, (*twin).ownership) },
		func(t *twin, c *Catalog) { list(t, &c.Interruption, (*twin).interruption) },
	}
}

func head(t *twin, c *Catalog) {
	t.date(&c.AsOf)
	t.text(&c.SHA256)
}

// Compile writes c as a twin. Equal catalogs give equal bytes.
func Compile(c *Catalog) []byte {
	t := &twin{write: true, at: map[string]int{}}
	var parts [][]byte
	for _, section := range append([]func(*twin, *Catalog){head}, sections()...) {
		section(t, c)
		parts, t.out = append(parts, t.out), nil
	}
	out := append([]byte(twinMagic), 0)[:len(twinMagic)]
	out = binary.AppendUvarint(out, uint64(len(t.pool)))
	out = append(out, t.pool...)
	out = binary.AppendUvarint(out, uint64(len(parts)))
	for _, p := range parts {
		out = binary.AppendUvarint(out, uint64(len(p)))
	}
	return append(out, bytes.Join(parts, nil)...)
}

var errTwin = errors.New("the compiled catalog is damaged or of another version")

// Embedded reads the wanted sections of a twin, all of them when none is
// named. The catalog's text shares the memory of bin.
func Embedded(bin string, want ...Section) (*Catalog, error) {
	all := Section(0)
	for _, s := range want {
		all |= s
	}
	if len(want) == 0 {
		all = SectionAll
	}
	if len(bin) < len(twinMagic) || bin[:len(twinMagic)] != twinMagic {
		return nil, errTwin
	}
	t := &twin{in: bin[len(twinMagic):]}
	t.texts = t.take(t.number())
	parts := sections()
	if n := t.number(); n != len(parts)+1 {
		return nil, errTwin
	}
	lengths := make([]int, len(parts)+1)
	for i := range lengths {
		lengths[i] = t.number()
	}
	c, rest := &Catalog{}, t.in
	for i, n := range lengths {
		if n > len(rest) || t.bad {
			return nil, errTwin
		}
		t.in, rest = rest[:n], rest[n:]
		switch {
		case i == 0:
			head(t, c)
		case all&(1<<(i-1)) != 0:
			parts[i-1](t, c)
		default:
			continue
		}
		if t.bad || t.in != "" {
			return nil, fmt.Errorf("%w: section %d", errTwin, i)
		}
	}
	if rest != "" {
		return nil, errTwin
	}
	return c, nil
}
