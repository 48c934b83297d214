package calibrate

import (
	"hash/fnv"
	"math"
	"sort"
)

// fold assigns a name to one of k parts, the same one on every machine.
func fold(name string, k int) int {
	h := fnv.New64a()
	h.Write([]byte(name))
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd // spread the last bytes over all bits
	return int((x ^ x>>33) % uint64(k))
}

// quantile of a sample by linear interpolation; 0 for an empty one.
func quantile(sample []float64, q float64) float64 {
	if len(sample) == 0 {
		return 0
	}
	s := append([]float64(nil), sample...)
	sort.Float64s(s)
	at := q * float64(len(s)-1)
	i := int(math.Floor(at))
	if i+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}
