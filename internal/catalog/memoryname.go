package catalog

import "strings"

// memoryInName is the memory in GB that a name states, such as 80 in
// "A100-80GB" or "gpu_8x_a100_80gb_sxm4"; 0 when it states none or several.
func memoryInName(name string) float64 {
	found := 0.0
	lower := strings.ToLower(name)
	for i := 0; i < len(lower); {
		j := i
		for j < len(lower) && (lower[j] >= '0' && lower[j] <= '9') {
			j++
		}
		if j == i {
			i++
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(lower[j:], " "), "-"), "_")
		alone := i == 0 || lower[i-1] != '.'
		if x, ok := plainFloat(lower[i:j], false); ok && alone && isGB(rest) && x >= 2 && x <= 4096 {
			if found != 0 && found != x {
				return 0
			}
			found = x
		}
		i = j
	}
	return found
}

// isGB reports that s begins with the unit GB as a word of its own.
func isGB(s string) bool {
	rest, ok := strings.CutPrefix(s, "gb")
	if !ok {
		rest, ok = strings.CutPrefix(s, "gib")
	}
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}
