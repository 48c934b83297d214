package history

import "encoding/binary"

// thrift writes one struct in Thrift's compact protocol, fields in rising
// order. Source: apache/thrift, doc/specs/thrift-compact-protocol.md.
type thrift struct {
	b    []byte
	last int16
}

// Types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

func (t *thrift) field(id int16, kind byte) {
	t.b = append(t.b, byte(id-t.last)<<4|kind) // the steps are below 16
	t.last = id
}

func (t *thrift) i32(id int16, v int32) {
	t.field(id, thriftI32)
	t.b = binary.AppendVarint(t.b, int64(v))
}

func (t *thrift) i64(id int16, v int64) {
	t.field(id, thriftI64)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thrift) flag(id int16, v bool) {
	kind := byte(thriftFalse)
	if v {
		kind = thriftTrue
	}
	t.field(id, kind)
}

func (t *thrift) text(id int16, s string) {
	t.field(id, thriftBinary)
	t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
}

// nested writes a struct that has ended.
func (t *thrift) nested(id int16, s []byte) {
	t.field(id, thriftStruct)
	t.b = append(t.b, s...)
}

func (t *thrift) list(id int16, kind byte, items [][]byte) {
	t.field(id, thriftList)
	if n := len(items); n < 15 {
		t.b = append(t.b, byte(n)<<4|kind)
	} else {
		t.b = binary.AppendUvarint(append(t.b, 0xf0|kind), uint64(n))
	}
	for _, item := range items {
		t.b = append(t.b, item...)
	}
}

func (t *thrift) listI32(id int16, values ...int32) {
	items := make([][]byte, len(values))
	for i, v := range values {
		items[i] = binary.AppendVarint(nil, int64(v))
	}
	t.list(id, thriftI32, items)
}

func (t *thrift) listText(id int16, values ...string) {
	items := make([][]byte, len(values))
	for i, s := range values {
		items[i] = append(binary.AppendUvarint(nil, uint64(len(s))), s...)
	}
	t.list(id, thriftBinary, items)
}

// end closes the struct.
func (t *thrift) end() []byte { return append(t.b, 0) }
