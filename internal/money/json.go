package money

// MarshalJSON writes the plain decimal as a string, or null when the amount is
// not known. The currency stands beside it in its own field.
func (a Amount) MarshalJSON() ([]byte, error) { return a.appendJSON(make([]byte, 0, 24)), nil }

func (a Amount) appendJSON(b []byte) []byte {
	if !a.Known() {
		return append(b, "null"...)
	}
	return append(a.appendTo(append(b, '"')), '"')
}

// MarshalJSON writes {"low","mid","high"}, or null when there are no amounts.
func (r Range) MarshalJSON() ([]byte, error) {
	if !r.Known() {
		return []byte("null"), nil
	}
	b := r.Low.appendJSON(append(make([]byte, 0, 96), `{"low":`...))
	b = r.Mid.appendJSON(append(b, `,"mid":`...))
	return append(r.High.appendJSON(append(b, `,"high":`...)), '}'), nil
}
