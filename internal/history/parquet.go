package history

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
)

// pqGzip is the number of the codec.
const pqGzip = 2

// Kinds of pages, and the fields of their headers.
const (
	pqDataPage, pqDataHeader             = 0, 5
	pqDictionaryPage, pqDictionaryHeader = 2, 7
)

// pqFile writes a Parquet file of observations: plain and dictionary pages of
// version 1, compressed with gzip, which every reader understands. A library
// would cost every start of the program: see docs/adr/0005-parquet-writer.md.
// Source: apache/parquet-format, README, Encodings.md, LogicalTypes.md and
// parquet.thrift.
type pqFile struct {
	w       io.Writer
	zip     *gzip.Writer
	at      int64 // bytes written
	columns []*pqColumn
	groups  [][]byte // their metadata
	rows    int64    // written
	err     error
}

func newParquet(w io.Writer) *pqFile {
	zip, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	f := &pqFile{w: w, zip: zip, columns: exportColumns()}
	f.write([]byte("PAR1"))
	return f
}

func (f *pqFile) write(b []byte) {
	if f.err == nil {
		var n int
		n, f.err = f.w.Write(b)
		f.at += int64(n)
	}
}

// add takes a row, which is held until flush.
func (f *pqFile) add(s *Series, p *Point) {
	for _, c := range f.columns {
		c.take(c, s, p)
	}
}

// held is how many rows, and about how many bytes, wait for flush.
func (f *pqFile) held() (rows, bytes int) {
	for _, c := range f.columns {
		bytes += len(c.values)
	}
	return f.columns[0].rows, bytes
}

// flush writes a row group: for each column its dictionary, if it has one, and
// one page of data.
func (f *pqFile) flush() error {
	rows := int64(f.columns[0].rows)
	if rows == 0 {
		return f.err
	}
	var chunks [][]byte
	total := int64(0)
	for _, c := range f.columns {
		meta, size := f.chunk(c)
		chunks = append(chunks, meta)
		total += size
		c.reset()
	}
	var t thrift
	t.list(1, thriftStruct, chunks)
	t.i64(2, total)
	t.i64(3, rows)
	f.groups = append(f.groups, t.end())
	f.rows += rows
	return f.err
}

// chunk writes a column and returns its metadata and its size uncompressed.
func (f *pqFile) chunk(c *pqColumn) (meta []byte, size int64) {
	start := f.at
	encodings := []int32{pqRLE, pqPlain}
	if c.words != nil {
		encodings = append(encodings, pqDictionary)
		var h thrift
		h.i32(1, int32(len(c.words)))
		h.i32(2, pqPlain)
		size += f.page(pqDictionaryPage, pqDictionaryHeader, h.end(), c.values)
	}
	data := f.at
	body, encoding := c.page()
	var h thrift
	h.i32(1, int32(c.rows))
	h.i32(2, encoding)
	h.i32(3, pqRLE)
	h.i32(4, pqRLE)
	size += f.page(pqDataPage, pqDataHeader, h.end(), body)

	var m thrift
	m.i32(1, c.physical)
	m.listI32(2, encodings...)
	m.listText(3, c.name)
	m.i32(4, pqGzip)
	m.i64(5, int64(c.rows))
	m.i64(6, size)
	m.i64(7, f.at-start)
	m.i64(9, data)
	if c.words != nil {
		m.i64(11, start)
	}
	m.nested(12, c.statistics())
	var t thrift
	t.i64(2, start)
	t.nested(3, m.end())
	return t.end(), size
}

// page writes a page of a kind with the header of that kind, and returns its
// size uncompressed, with the headers.
func (f *pqFile) page(kind int32, field int16, header, body []byte) int64 {
	var packed bytes.Buffer
	f.zip.Reset(&packed)
	_, _ = f.zip.Write(body) // into memory
	_ = f.zip.Close()
	var t thrift
	t.i32(1, kind)
	t.i32(2, int32(len(body)))
	t.i32(3, int32(packed.Len()))
	t.nested(field, header)
	head := t.end()
	f.write(head)
	f.write(packed.Bytes())
	return int64(len(head) + len(body))
}

// Close writes what is held and the footer. It does not close the writer.
func (f *pqFile) Close() error {
	if err := f.flush(); err != nil {
		return err
	}
	var root, t, order thrift
	root.text(4, "prices")
	root.i32(5, int32(len(f.columns)))
	schema := [][]byte{root.end()}
	// Every column is in the order of its type: without these words the bounds
	// in the statistics mean nothing.
	order.nested(1, (&thrift{}).end())
	orders := make([][]byte, len(f.columns))
	for i, c := range f.columns {
		schema = append(schema, c.schema())
		orders[i] = order.end()
	}
	t.i32(1, 1)
	t.list(2, thriftStruct, schema)
	t.i64(3, f.rows)
	t.list(4, thriftStruct, f.groups)
	t.text(6, "gpucost version 1.0.0")
	t.list(7, thriftStruct, orders)
	footer := t.end()
	f.write(footer)
	f.write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	f.write([]byte("PAR1"))
	return f.err
}
