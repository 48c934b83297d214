package present

import (
	"fmt"
	"io"
	"testing"
)

// thousand is an answer of a thousand rows.
func thousand() Doc {
	d := sample(ZH)
	t := d.Screen.Blocks[1].(Table)
	rows := t.Rows
	for i := range 1000 {
		t.Rows = append(t.Rows, rows[i%len(rows)])
		d.Records.Rows = append(d.Records.Rows, d.Records.Rows[i%2])
		d.Rows = append(d.Rows, d.Rows[0])
	}
	d.Object = map[string]any{"quotes": d.Rows}
	d.Screen.Blocks[1] = t
	return d
}

func BenchmarkWrite(b *testing.B) {
	for name, d := range map[string]Doc{"5": sample(ZH), "1000": thousand()} {
		for _, f := range Formats() {
			b.Run(fmt.Sprintf("%s/rows=%s", f, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := Write(io.Discard, io.Discard, d, Options{Format: f, Lang: ZH}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
