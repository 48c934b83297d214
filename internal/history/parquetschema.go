package history

import (
	"time"

	"github.com/gpucost/gpucost/internal/money"
)

// exportColumns are the columns of a file. That they stay, in name and type,
// is a promise: they are only ever appended. gpus is 8, or 1/6.
func exportColumns() []*pqColumn {
	return []*pqColumn{
		numberColumn("series_id", pqInt64, func(s *Series, _ *Point) int64 { return s.ID }),
		textColumn("source", func(s *Series, _ *Point) string { return s.Source }),
		textColumn("provider", func(s *Series, _ *Point) string { return s.Provider }),
		textColumn("instance", func(s *Series, _ *Point) string { return s.Instance }),
		textColumn("gpu", func(s *Series, _ *Point) string { return s.GPU }),
		textColumn("gpus", func(s *Series, _ *Point) string { return s.GPUs.String() }),
		textColumn("region", func(s *Series, _ *Point) string { return s.Region }),
		textColumn("tier", func(s *Series, _ *Point) string { return s.Tier }),
		textColumn("host", func(s *Series, _ *Point) string { return s.Host }),
		textColumn("purchase", func(s *Series, _ *Point) string { return string(s.Purchase) }),
		textColumn("plan", func(s *Series, _ *Point) string { return s.Plan }),
		numberColumn("term_months", pqInt32, func(s *Series, _ *Point) int64 { return int64(s.TermMonths) }),
		amountColumn("low", func(p *Point) money.Amount { return p.Low }),
		amountColumn("high", func(p *Point) money.Amount { return p.High }),
		textColumn("currency", func(_ *Series, p *Point) string { return string(p.Low.Currency()) }),
		textColumn("per", func(_ *Series, p *Point) string { return p.Per }),
		{name: "free", physical: pqBoolean, take: func(c *pqColumn, _ *Series, p *Point) { c.flag(p.Free) }},
		textColumn("as_of", func(_ *Series, p *Point) string { return p.AsOf.String() }),
		momentColumn("observed_at", false, func(p *Point) time.Time { return p.ObservedAt }),
		momentColumn("last_verified_at", false, func(p *Point) time.Time { return p.LastVerifiedAt }),
		momentColumn("ended_at", true, func(p *Point) time.Time { return p.EndedAt }),
		textColumn("end_reason", func(_ *Series, p *Point) string { return p.EndReason }),
		numberColumn("run_id", pqInt64, func(_ *Series, p *Point) int64 { return p.RunID }),
	}
}

func textColumn(name string, of func(*Series, *Point) string) *pqColumn {
	return &pqColumn{
		name: name, physical: pqByteArray, logical: logicalText, words: map[string]uint32{},
		take: func(c *pqColumn, s *Series, p *Point) { c.text(of(s, p)) },
	}
}

func numberColumn(name string, physical int32, of func(*Series, *Point) int64) *pqColumn {
	return &pqColumn{name: name, physical: physical, take: func(c *pqColumn, s *Series, p *Point) { c.number(of(s, p)) }}
}

// amountColumn holds the store's nano-units as they are: decimal(18,9) of an
// int64 is exact.
func amountColumn(name string, of func(*Point) money.Amount) *pqColumn {
	return &pqColumn{name: name, physical: pqInt64, logical: logicalNano, optional: true, take: func(c *pqColumn, _ *Series, p *Point) {
		if a := of(p); a.Known() {
			c.number(a.Nano())
		} else {
			c.missing()
		}
	}}
}

// momentColumn holds times; where it is optional, the zero time is none.
func momentColumn(name string, optional bool, of func(*Point) time.Time) *pqColumn {
	return &pqColumn{name: name, physical: pqInt64, logical: logicalMicros, optional: optional, take: func(c *pqColumn, _ *Series, p *Point) {
		if at := of(p); optional && at.IsZero() {
			c.missing()
		} else {
			c.number(at.UnixMicro())
		}
	}}
}

// The meanings are written in today's words (LogicalType, field 10) and in the
// older ones (ConvertedType, field 6), for older readers.

func logicalText(t *thrift) {
	var union, kind thrift
	t.i32(6, 0) // UTF8
	union.nested(1, kind.end())
	t.nested(10, union.end())
}

// Digits of a decimal(18,9), the most that an int64 may hold.
const (
	decimalDigits = 18
	nanoDigits    = 9
	beyondDecimal = int64(1e18)
)

func logicalNano(t *thrift) {
	var union, kind thrift
	t.i32(6, 5) // DECIMAL
	t.i32(7, nanoDigits)
	t.i32(8, decimalDigits)
	kind.i32(1, nanoDigits)
	kind.i32(2, decimalDigits)
	union.nested(5, kind.end())
	t.nested(10, union.end())
}

// logicalMicros is a timestamp in microseconds since 1970, UTC.
func logicalMicros(t *thrift) {
	var union, kind, unit, micros thrift
	t.i32(6, 10) // TIMESTAMP_MICROS
	unit.nested(2, micros.end())
	kind.flag(1, true) // UTC
	kind.nested(2, unit.end())
	union.nested(8, kind.end())
	t.nested(10, union.end())
}

// schema is the column's element of the schema.
func (c *pqColumn) schema() []byte {
	var t thrift
	t.i32(1, c.physical)
	repetition := int32(0)
	if c.optional {
		repetition = 1
	}
	t.i32(3, repetition)
	t.text(4, c.name)
	if c.logical != nil {
		c.logical(&t)
	}
	return t.end()
}
