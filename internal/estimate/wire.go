package estimate

import (
	"errors"
	"slices"
	"sort"
	"strings"
)

// wire is a calibration as bytes: one table of strings and columns of indices
// into it, in a fixed order, so that equal calibrations are equal bytes and
// reading one takes well under a millisecond.
type wire struct {
	Schema  int
	Strings []string
	Kinds   []string // of rows counted
	Counts  []int
	Models  [4]wireModel // Train, Serve, TPOT, TTFT
	Spreads []wireSpread
	Anchors [5][]int // ID, Kind, Arch, GPU, Method
	Values  []float64
}

type wireModel struct {
	Names  []int // five per coefficient: kind, A, B, C, D
	Terms  []int
	Values []float64
}

type wireSpread struct {
	Kind, Class string
	Low, High   float64
}

// Sorted lists the coefficients in the order of their names.
func (c Coefficients) Sorted() []Key {
	keys := make([]Key, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i].Less(keys[j]) })
	return keys
}

// Less orders keys by kind, term and names.
func (k Key) Less(o Key) bool {
	if c := strings.Compare(k.Kind, o.Kind); c != 0 {
		return c < 0
	}
	if k.Term != o.Term {
		return k.Term < o.Term
	}
	return slices.Compare([]string{k.A, k.B, k.C, k.D}, []string{o.A, o.B, o.C, o.D}) < 0
}

// interner numbers strings in the order they are met.
type interner struct {
	list []string
	at   map[string]int
}

func (n *interner) of(s string) int {
	i, ok := n.at[s]
	if !ok {
		i = len(n.list)
		n.at[s] = i
		n.list = append(n.list, s)
	}
	return i
}

// Encode writes the calibration for [DecodeCalibration].
func (c *Calibration) Encode() ([]byte, error) {
	n := interner{at: map[string]int{}}
	w := wire{Schema: c.Schema}
	for k := range c.Rows {
		w.Kinds = append(w.Kinds, k)
	}
	sort.Strings(w.Kinds)
	for _, k := range w.Kinds {
		w.Counts = append(w.Counts, c.Rows[k])
	}
	for i, m := range [...]Coefficients{c.Train, c.Serve, c.TPOT, c.TTFT} {
		for _, k := range m.Sorted() {
			w.Models[i].Names = append(w.Models[i].Names, n.of(k.Kind), n.of(k.A), n.of(k.B), n.of(k.C), n.of(k.D))
			w.Models[i].Terms = append(w.Models[i].Terms, k.Term)
			w.Models[i].Values = append(w.Models[i].Values, m[k])
		}
	}
	for _, s := range c.Spreads() {
		w.Spreads = append(w.Spreads, wireSpread{s.Kind, string(s.Class), s.Low, s.High})
	}
	for _, a := range c.Anchors {
		for i, s := range [...]string{a.ID, a.Kind, a.Arch, a.GPU, a.Method} {
			w.Anchors[i] = append(w.Anchors[i], n.of(s))
		}
		w.Values = append(w.Values, a.Value)
	}
	w.Strings = n.list
	var p packed
	w.pass(&p)
	return p.b, nil
}

// NamedSpread is a band with the kind and class it is for.
type NamedSpread struct {
	Kind  string
	Class Class
	Spread
}

// Spreads lists the bands by kind and then by class, from best to least known.
func (c *Calibration) Spreads() []NamedSpread {
	kinds := make([]string, 0, len(c.Errors))
	for k := range c.Errors {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	var out []NamedSpread
	for _, k := range kinds {
		for _, class := range [...]Class{ClassSeen, ClassPair, ClassHalf, ClassFamily} {
			if s, ok := c.Errors[k][class]; ok {
				out = append(out, NamedSpread{k, class, s})
			}
		}
	}
	return out
}

var errDamaged = errors.New("calibration: the file is damaged")

// DecodeCalibration reads what [Calibration.Encode] wrote.
func DecodeCalibration(data []byte) (*Calibration, error) {
	var w wire
	p := packed{b: data, reading: true}
	w.pass(&p)
	if p.damaged || len(p.b) > 0 || len(w.Counts) != len(w.Kinds) {
		return nil, errDamaged
	}
	c := &Calibration{Schema: w.Schema, Rows: map[string]int{}, Errors: map[string]map[Class]Spread{}}
	for i, k := range w.Kinds {
		c.Rows[k] = w.Counts[i]
	}
	for i, m := range [...]*Coefficients{&c.Train, &c.Serve, &c.TPOT, &c.TTFT} {
		var err error
		if *m, err = w.model(i); err != nil {
			return nil, err
		}
	}
	for _, s := range w.Spreads {
		if c.Errors[s.Kind] == nil {
			c.Errors[s.Kind] = map[Class]Spread{}
		}
		c.Errors[s.Kind][Class(s.Class)] = Spread{s.Low, s.High}
	}
	for i, v := range w.Values {
		var f [5]string
		for j := range f {
			s, ok := w.text(w.Anchors[j], i)
			if !ok {
				return nil, errDamaged
			}
			f[j] = s
		}
		c.Anchors = append(c.Anchors, Anchor{f[0], f[1], f[2], f[3], f[4], v})
	}
	return c, nil
}

func (w *wire) text(column []int, i int) (string, bool) {
	if i < 0 || i >= len(column) || column[i] < 0 || column[i] >= len(w.Strings) {
		return "", false
	}
	return w.Strings[column[i]], true
}

func (w *wire) model(i int) (Coefficients, error) {
	m := &w.Models[i]
	if len(m.Terms) != len(m.Values) || len(m.Names) != 5*len(m.Values) {
		return nil, errDamaged
	}
	out := make(Coefficients, len(m.Values))
	for j, v := range m.Values {
		var f [5]string
		for x := range f {
			s, ok := w.text(m.Names, 5*j+x)
			if !ok {
				return nil, errDamaged
			}
			f[x] = s
		}
		if m.Terms[j] < 0 || m.Terms[j] > MaxTerms {
			return nil, errDamaged
		}
		out[Key{f[0], m.Terms[j], f[1], f[2], f[3], f[4]}] = v
	}
	return out, nil
}
