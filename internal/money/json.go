package money

import (
	"encoding/json"
	"fmt"
)

// MarshalJSON writes the plain decimal as a string, or null when the amount is
// not known. The currency stands beside it in its own field.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !a.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(a.String())
}

// MarshalJSON writes {"low","mid","high"}, or null when there are no amounts.
func (r Range) MarshalJSON() ([]byte, error) {
	if !r.Known() {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, `{"low":%q,"mid":%q,"high":%q}`, r.Low, r.Mid, r.High), nil
}
