package present

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// writeJSON writes the whole answer, indented by two, keys in the order of the
// struct. A NaN or an infinity is an error of the encoder.
func writeJSON(b *bytes.Buffer, d Doc, _ Options) error {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(d.Object); err != nil {
		return err
	}
	b.Grow(2 * plain.Len()) // the encoder itself would find the room by doubling, from nothing
	return json.Indent(b, plain.Bytes(), "", "  ")
}

// writeNDJSON writes one object a line.
func writeNDJSON(b *bytes.Buffer, d Doc, _ Options) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for i, row := range d.Rows {
		if err := e.Encode(row); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return nil
}
