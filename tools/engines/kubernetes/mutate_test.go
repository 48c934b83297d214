package kubernetes

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
)

// mutator changes a tree in one place.
type mutator struct{ *rand.Rand }

var (
	values = []any{nil, true, false, -1.0, 0.0, 1.0, 2.0, 1.5, 1e12, "", "a", "A", "0", "8", "-1", "1.5", "True", "Never", "Always", "None", "a/b", "a b", "nvidia.com/gpu", "ü", []any{}, map[string]any{}, []any{"a"}, map[string]any{"a": "b"}}
	keys   = []string{"foo", "name", "value", "suspend", "ttlSecondsAfterFinished", "backoffLimit", "manualSelector", "labels", "status", "volumes", "subdomain", "cpu", "memory", "nvidia.com/gpu", "effect", "ports"}
)

func (m mutator) change(doc any) any {
	body, _ := json.Marshal(doc) // a tree of JSON
	var tree any
	_ = json.Unmarshal(body, &tree)
	m.descend(tree)
	return tree
}

// descend walks down at random and changes an entry of where it stops.
func (m mutator) descend(at any) bool {
	switch at := at.(type) {
	case map[string]any:
		if len(at) == 0 {
			return false
		}
		sorted := slices.Sorted(maps.Keys(at))
		key := sorted[m.IntN(len(sorted))]
		if m.IntN(6) > 0 && m.descend(at[key]) {
			return true
		}
		switch m.IntN(4) {
		case 0:
			delete(at, key)
		case 1:
			at[keys[m.IntN(len(keys))]] = m.value(at[key])
		default:
			at[key] = m.value(at[key])
		}
		return true
	case []any:
		if len(at) == 0 {
			return false
		}
		i := m.IntN(len(at))
		if m.IntN(6) == 0 || !m.descend(at[i]) {
			at[i] = m.value(at[m.IntN(len(at))])
		}
		return true
	}
	return false
}

// value is another value, often close to the one before.
func (m mutator) value(was any) any {
	switch was := was.(type) {
	case string:
		if m.IntN(2) == 0 {
			return []string{was + "x", was + "-", "x" + was, was + "." + was, was + was + was + was}[m.IntN(5)]
		}
	case float64:
		if m.IntN(2) == 0 {
			return []float64{-was, was + 1, was * 1000}[m.IntN(3)]
		}
	}
	return values[m.IntN(len(values))]
}
