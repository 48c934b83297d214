package estimate

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCalibrationRoundTrip(t *testing.T) {
	want := testCalibration()
	want.Rows = map[string]int{"training": 3, "inference": 4}
	want.Anchors = []Anchor{{"row-1", "training", "llama-70b", "h100-80gb-sxm", "full", 1638}}
	a, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 { // map order must not show
		if b, _ := want.Encode(); !bytes.Equal(a, b) {
			t.Fatal("equal calibrations are different bytes")
		}
	}
	got, err := DecodeCalibration(a)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzDecodeCalibration(f *testing.F) {
	good, _ := testCalibration().Encode()
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Fuzz(func(_ *testing.T, data []byte) {
		if c, err := DecodeCalibration(data); err == nil {
			c.Spreads()
		}
	})
}
