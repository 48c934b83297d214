package estimate

import (
	"encoding/binary"
	"math"
)

// packed are values one after another: numbers as varints, texts and lists
// after their length. One description, wire.pass, reads and writes them. The
// standard library's gob does as much, but costs every start of the program a
// tenth of a millisecond, and each reading another half.
type packed struct {
	b                []byte // what is written, or left to read
	reading, damaged bool
}

// pass reads or writes a calibration.
func (w *wire) pass(p *packed) {
	p.int(&w.Schema)
	each(p, &w.Strings, p.text)
	each(p, &w.Kinds, p.text)
	each(p, &w.Counts, p.int)
	for i := range w.Models {
		m := &w.Models[i]
		each(p, &m.Names, p.int)
		each(p, &m.Terms, p.int)
		each(p, &m.Values, p.float)
	}
	each(p, &w.Spreads, func(s *wireSpread) {
		p.text(&s.Kind)
		p.text(&s.Class)
		p.float(&s.Low)
		p.float(&s.High)
	})
	for i := range w.Anchors {
		each(p, &w.Anchors[i], p.int)
	}
	each(p, &w.Values, p.float)
}

// each passes a list. A length that what is left cannot hold is damage.
func each[T any](p *packed, list *[]T, pass func(*T)) {
	n := len(*list)
	if p.int(&n); p.reading {
		if n < 0 || n > len(p.b) {
			p.damaged, n = true, 0
		}
		if *list = nil; n > 0 {
			*list = make([]T, n)
		}
	}
	for i := range *list {
		pass(&(*list)[i])
	}
}

func (p *packed) int(v *int) {
	if !p.reading {
		p.b = binary.AppendVarint(p.b, int64(*v))
		return
	}
	x, n := binary.Varint(p.b)
	if n <= 0 {
		p.damaged, p.b = true, nil
		return
	}
	*v, p.b = int(x), p.b[n:]
}

func (p *packed) float(v *float64) {
	if !p.reading {
		p.b = binary.LittleEndian.AppendUint64(p.b, math.Float64bits(*v))
		return
	}
	if len(p.b) < 8 {
		p.damaged, p.b = true, nil
		return
	}
	*v, p.b = math.Float64frombits(binary.LittleEndian.Uint64(p.b)), p.b[8:]
}

func (p *packed) text(v *string) {
	n := len(*v)
	switch p.int(&n); {
	case !p.reading:
		p.b = append(p.b, *v...)
	case n < 0 || n > len(p.b):
		p.damaged, p.b = true, nil
	default:
		*v, p.b = string(p.b[:n]), p.b[n:]
	}
}
