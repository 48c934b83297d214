package catalog

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/gpucost/gpucost/internal/money"
)

// twin writes or reads the values it is pointed to, in one order. Reading
// beyond the end sets bad and gives zero values.
type twin struct {
	write bool
	out   []byte
	pool  []byte         // all texts, each once
	at    map[string]int // where each text stands in the pool

	in, texts string
	arena     []Price      // one piece of memory for all prices
	last      money.Amount // of the currency that was read last
	bad       bool
}

func (t *twin) fail() uint64 {
	t.bad, t.in = true, ""
	return 0
}

// uvarint reads a number of one byte on the short path.
func (t *twin) uvarint() uint64 {
	if t.in != "" && t.in[0] < 0x80 {
		x := t.in[0]
		t.in = t.in[1:]
		return uint64(x)
	}
	x := uint64(0)
	for i := 0; i < len(t.in) && i < binary.MaxVarintLen64; i++ {
		b := t.in[i]
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			t.in = t.in[i+1:]
			return x
		}
	}
	return t.fail()
}

// number reads a length, which cannot be above that of the rest.
func (t *twin) number() int {
	if n := t.uvarint(); n <= uint64(len(t.in)) {
		return int(n)
	}
	return int(t.fail())
}

func (t *twin) take(n int) string {
	s := t.in[:n]
	t.in = t.in[n:]
	return s
}

func (t *twin) text(ps ...*string) {
	for _, p := range ps {
		if t.write {
			t.writeText(*p)
			continue
		}
		if n := t.uvarint(); n > 0 {
			at := t.uvarint()
			if at > uint64(len(t.texts)) || n > uint64(len(t.texts))-at {
				t.fail()
				return
			}
			*p = t.texts[at : at+n]
		}
	}
}

func (t *twin) writeText(s string) {
	t.out = binary.AppendUvarint(t.out, uint64(len(s)))
	if s == "" {
		return
	}
	at, known := t.at[s]
	if !known {
		at = len(t.pool)
		t.at[s], t.pool = at, append(t.pool, s...)
	}
	t.out = binary.AppendUvarint(t.out, uint64(at))
}

func (t *twin) textList(p *[]string) {
	list(t, p, func(t *twin, s *string) { t.text(s) })
}

// list writes or reads a slice; an empty one is read as nil.
func list[T any](t *twin, p *[]T, each func(*twin, *T)) {
	if t.write {
		t.out = binary.AppendUvarint(t.out, uint64(len(*p)))
	} else if n := t.number(); n > 0 {
		*p = make([]T, n)
	}
	for i := range *p {
		if t.bad {
			return
		}
		each(t, &(*p)[i])
	}
}

// prices writes the number of all prices, or makes room for them.
func (t *twin) prices(c *Catalog) {
	if !t.write {
		t.arena = make([]Price, t.number())
		return
	}
	n := 0
	for i := range c.Offers {
		n += len(c.Offers[i].Prices)
	}
	t.out = binary.AppendUvarint(t.out, uint64(n))
}

// pricesOf is list for the prices of one offer, which come from the arena.
func (t *twin) pricesOf(o *Offer) {
	if t.write {
		t.out = binary.AppendUvarint(t.out, uint64(len(o.Prices)))
	} else if n := t.number(); n > len(t.arena) {
		t.fail()
	} else if n > 0 {
		o.Prices, t.arena = t.arena[:n:n], t.arena[n:]
	}
	for i := range o.Prices {
		t.price(&o.Prices[i])
	}
}

func (t *twin) signed(p *int64) {
	if t.write {
		t.out = binary.AppendVarint(t.out, *p)
		return
	}
	u := t.uvarint()
	*p = int64(u>>1) ^ -int64(u&1)
}

func (t *twin) whole(ps ...*int) {
	for _, p := range ps {
		x := int64(*p)
		t.signed(&x)
		*p = int(x)
	}
}

func (t *twin) truth(p *bool) {
	if !t.write {
		*p = t.uvarint() == 1
		return
	}
	b := byte(0)
	if *p {
		b = 1
	}
	t.out = append(t.out, b)
}

// float keeps all bits; the reversed order makes round numbers short.
func (t *twin) float(ps ...*float64) {
	for _, p := range ps {
		if t.write {
			t.out = binary.AppendUvarint(t.out, bits.ReverseBytes64(math.Float64bits(*p)))
		} else {
			*p = math.Float64frombits(bits.ReverseBytes64(t.uvarint()))
		}
	}
}

func (t *twin) date(d *Date) {
	if t.write {
		t.out = binary.AppendUvarint(t.out, uint64(d.Year)<<9|uint64(d.Month)<<5|uint64(d.Day))
		return
	}
	u := t.uvarint()
	*d = Date{int16(u >> 9), uint8(u >> 5 & 15), uint8(u & 31)}
}

func (t *twin) amount(a *money.Amount) {
	cur, nano := string(a.Currency()), a.Nano()
	t.text(&cur)
	if cur == "" {
		return
	}
	t.signed(&nano)
	if !t.write {
		if string(t.last.Currency()) != cur { // nearly never
			t.last = money.Zero(money.Currency(cur))
		}
		*a = t.last.Nanos(nano)
	}
}

// maybe writes or reads whether a pointer is set, and makes room for it.
func maybe[T any](t *twin, p **T) bool {
	set := *p != nil
	t.truth(&set)
	if set && !t.write {
		*p = new(T)
	}
	return set
}

func (t *twin) maybeWhole(p **int) {
	if maybe(t, p) {
		t.whole(*p)
	}
}

func (t *twin) maybeFloat(p **float64) {
	if maybe(t, p) {
		t.float(*p)
	}
}

func (t *twin) maybeTruth(p **bool) {
	if maybe(t, p) {
		t.truth(*p)
	}
}
