package unit

import "testing"

func TestParseCount(t *testing.T) {
	for in, want := range map[string]string{
		"8": "8", "1": "1", "1/6": "1/6", "2/6": "1/3", "4/2": "2",
		"0": "", "-1": "", "1.5": "", "010": "", "0x10": "", "1_000": "", "1/0": "", "": "", "1/": "", "100001": "", "8 ": "", ".nan": "",
	} {
		c, err := ParseCount(in)
		if (err != nil) != (want == "") || c.String() != want {
			t.Errorf("ParseCount(%q) = %q, %v; want %q", in, c, err, want)
		}
	}
}

func TestInstances(t *testing.T) {
	for _, tc := range []struct {
		per        Count
		need, want int64
	}{
		{Whole(8), 1, 1},
		{Whole(8), 8, 1},
		{Whole(8), 9, 2},
		{Whole(1), 5, 5},
		{Count{1, 6}, 1, 6},
		{Count{1, 3}, 2, 6},
		{Count{}, 1, 0},
	} {
		if got := tc.per.Instances(tc.need); got != tc.want {
			t.Errorf("%v GPUs an instance, need %d: %d instances, want %d", tc.per, tc.need, got, tc.want)
		}
	}
}

func TestPer(t *testing.T) {
	for _, p := range Pers() {
		if got, err := ParsePer(string(p)); err != nil || got != p {
			t.Errorf("ParsePer(%q) = %q, %v", p, got, err)
		}
	}
	if _, err := ParsePer("hour"); err == nil {
		t.Error(`a bare "hour" must be refused: it does not say whose`)
	}
}

// 80 GiB are 85.899 GB: 80 x 1,073,741,824 / 1e9.
func TestGiB(t *testing.T) {
	if got := GiBToGB(80); got != 85.89934592 {
		t.Errorf("80 GiB = %v GB", got)
	}
}
