package history

import (
	"encoding/binary"
	"math/bits"
)

// Physical types, as the format numbers them.
const (
	pqBoolean   = 0
	pqInt32     = 1
	pqInt64     = 2
	pqByteArray = 6
)

// Encodings, as the format numbers them.
const (
	pqPlain      = 0
	pqRLE        = 3
	pqDictionary = 8 // indexes into a dictionary page
)

// pqColumn gathers the values of one column of a row group.
type pqColumn struct {
	name     string
	physical int32
	logical  func(*thrift) // writes what the bytes mean into the schema; nil for nothing more
	optional bool
	take     func(*pqColumn, *Series, *Point)

	values []byte   // plain, those of the dictionary for text
	small  []uint32 // indexes into the dictionary, or booleans
	levels []uint32 // 1 where an optional value is there
	words  map[string]uint32
	// of the numbers and texts that are there
	known    int
	min, max int64
	rows     int
}

func (c *pqColumn) reset() {
	c.values, c.levels, c.small = c.values[:0], c.levels[:0], c.small[:0]
	c.known, c.rows = 0, 0
	clear(c.words)
}

func (c *pqColumn) text(s string) {
	i, ok := c.words[s]
	if !ok {
		i = uint32(len(c.words))
		c.words[s] = i
		c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(s))), s...)
	}
	c.small = append(c.small, i)
	c.rows, c.known = c.rows+1, c.known+1
}

func (c *pqColumn) number(v int64) {
	c.values = append(c.values, c.plain(v)...)
	if c.known == 0 {
		c.min, c.max = v, v
	}
	c.min, c.max = min(c.min, v), max(c.max, v)
	c.rows, c.known = c.rows+1, c.known+1
	if c.optional {
		c.levels = append(c.levels, 1)
	}
}

// plain is a number in the bytes of its type.
func (c *pqColumn) plain(v int64) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	if c.physical == pqInt32 {
		return b[:4]
	}
	return b[:]
}

func (c *pqColumn) missing() {
	c.levels = append(c.levels, 0)
	c.rows++
}

func (c *pqColumn) flag(v bool) {
	bit := uint32(0)
	if v {
		bit = 1
	}
	c.small = append(c.small, bit)
	c.rows, c.known = c.rows+1, c.known+1
}

// page is the data of the column's one data page, and how it is encoded.
func (c *pqColumn) page() (data []byte, encoding int32) {
	if c.optional {
		levels := pqHybrid(nil, c.levels, 1)
		data = append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	}
	switch {
	case c.words != nil:
		width := max(bits.Len32(uint32(len(c.words)-1)), 1) // a page has a row, so a word
		return pqHybrid(append(data, byte(width)), c.small, width), pqDictionary
	case c.physical == pqBoolean:
		return pqPack(data, c.small, 1), pqPlain
	}
	return append(data, c.values...), pqPlain
}

// pqHybrid writes small numbers as runs of equal ones and as packed bits.
func pqHybrid(dst []byte, v []uint32, width int) []byte {
	const group = 8
	long := func(v []uint32) bool {
		for _, x := range v[:min(group, len(v))] {
			if x != v[0] {
				return false
			}
		}
		return len(v) >= group
	}
	for i := 0; i < len(v); {
		j := i
		if long(v[i:]) {
			for j < len(v) && v[j] == v[i] {
				j++
			}
			dst = binary.AppendUvarint(dst, uint64(j-i)<<1)
			for k := 0; k < width; k += 8 {
				dst = append(dst, byte(v[i]>>k))
			}
			i = j
			continue
		}
		for j < len(v) && !long(v[j:]) {
			j += group
		}
		dst = binary.AppendUvarint(dst, uint64((j-i)/group)<<1|1)
		dst = pqPack(dst, v[i:min(j, len(v))], width)
		i = min(j, len(v))
	}
	return dst
}

// pqPack writes numbers in width bits each, the lowest bit first, filled up to
// a group of eight.
func pqPack(dst []byte, v []uint32, width int) []byte {
	acc, n := uint64(0), 0
	for k := 0; k < len(v) || k%8 != 0; k++ {
		x := uint32(0)
		if k < len(v) {
			x = v[k]
		}
		for acc, n = acc|uint64(x)<<n, n+width; n >= 8; n -= 8 {
			dst, acc = append(dst, byte(acc)), acc>>8
		}
	}
	return dst
}

// longWord is the length from which texts are no bounds of a column.
const longWord = 256

// statistics let a reader skip row groups.
func (c *pqColumn) statistics() []byte {
	var t thrift
	t.i64(3, int64(c.rows-c.known))
	if least, most, ok := c.bounds(); ok {
		t.text(5, most)
		t.text(6, least)
	}
	return t.end()
}

// bounds are the least and the largest value in the order of their type.
func (c *pqColumn) bounds() (least, most string, ok bool) {
	switch {
	case c.known == 0 || c.physical == pqBoolean:
		return "", "", false
	case c.words == nil:
		return string(c.plain(c.min)), string(c.plain(c.max)), true
	}
	for w := range c.words {
		if !ok || w < least {
			least = w
		}
		if !ok || w > most {
			most = w
		}
		ok = true
	}
	return least, most, len(least) < longWord && len(most) < longWord
}
