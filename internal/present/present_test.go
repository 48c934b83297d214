package present

import (
	"bytes"
	"testing"
)

// render is the answer of Write on out.
func render(t testing.TB, d Doc, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, nil, d, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
