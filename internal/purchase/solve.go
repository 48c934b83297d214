package purchase

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpucost/gpucost/internal/money"
)

// Model computes figures from one point of the inputs. It gives the same names
// in the same order at every point.
type Model func(Point) ([]Figure, error)

// maxRanged bounds how many ranged inputs are combined: 2^6 points.
const maxRanged = 6

// Solve runs the model at the middle of the inputs. Where inputs are ranges, a
// figure's ends are its least and its greatest value over all combinations of
// their ends: the models are monotone in each input, so nothing lies outside. With
// effects, each input is also made 10 % larger, one at a time.
func Solve(in Inputs, m Model, effects bool) ([]Figure, error) {
	mid, err := m(in.point(func(i *Input) any { return i.Mid }))
	if err != nil {
		return nil, err
	}
	for i := range mid {
		mid[i].Low, mid[i].High = mid[i].Value, mid[i].Value
	}
	if err := in.ends(mid, m); err != nil {
		return nil, err
	}
	if effects {
		in.effects(mid, m)
	}
	return mid, nil
}

func (in Inputs) point(pick func(*Input) any) Point {
	p := make(Point, len(in))
	for i := range in {
		p[in[i].Name] = pick(&in[i])
	}
	return p
}

// ends widens the figures to the corners of the ranged inputs.
func (in Inputs) ends(mid []Figure, m Model) error {
	ranged := map[string]int{}
	for i := range in {
		if in[i].Ranged() && len(ranged) < maxRanged {
			ranged[in[i].Name] = len(ranged)
		}
	}
	if len(ranged) == 0 {
		return nil
	}
	for corner := range 1 << len(ranged) {
		at, err := m(in.point(func(i *Input) any {
			bit, ok := ranged[i.Name]
			switch {
			case !ok:
				return i.Mid
			case corner>>bit&1 == 1:
				return i.High
			}
			return i.Low
		}))
		if err != nil {
			return err
		}
		for i := range min(len(mid), len(at)) {
			mid[i].widen(at[i].Value)
		}
	}
	return nil
}

// widen takes a value into the range. A corner at which a figure does not exist
// leaves its upper end open.
func (f *Figure) widen(v any) {
	if v == nil || f.Value == nil {
		f.High = nil
		return
	}
	if f.Low != nil && order(v, f.Low) < 0 {
		f.Low = v
	}
	if f.High != nil && order(v, f.High) > 0 {
		f.High = v
	}
}

func order(a, b any) int {
	switch x := a.(type) {
	case float64:
		y, _ := b.(float64)
		return cmp.Compare(x, y)
	case money.Amount:
		y, _ := b.(money.Amount)
		return x.Cmp(y)
	}
	return 0
}

// effects makes each input 10 % larger and notes what that does to each figure.
// A change that no model takes (a share above 1) is left out.
func (in Inputs) effects(mid []Figure, m Model) {
	for i := range in {
		more, ok := larger(in[i].Mid)
		if !ok {
			continue
		}
		at, err := m(in.point(func(other *Input) any {
			if other == &in[i] {
				return more
			}
			return other.Mid
		}))
		if err != nil {
			continue
		}
		for k := range min(len(mid), len(at)) {
			if p, ok := change(mid[k].Value, at[k].Value); ok {
				mid[k].Effects = append(mid[k].Effects, Effect{in[i].Name, p})
			}
		}
	}
	for k := range mid {
		slices.SortStableFunc(mid[k].Effects, func(a, b Effect) int { return cmp.Compare(math.Abs(b.Percent), math.Abs(a.Percent)) })
	}
}

func larger(v any) (any, bool) {
	switch x := v.(type) {
	case float64:
		return x * 1.1, x != 0
	case money.Amount:
		a, err := x.MulFrac(11, 10)
		return a, err == nil && x.Sign() != 0
	}
	return nil, false
}

// change is how much larger b is than a, in percent; false when it did not
// change or cannot be told.
func change(a, b any) (float64, bool) {
	x, y := asFloat(a), asFloat(b)
	p := (y - x) / math.Abs(x) * 100
	return p, x != y && !math.IsNaN(p) && !math.IsInf(p, 0)
}

func asFloat(v any) float64 {
	switch x := v.(type) {
	case float64:
		return x
	case money.Amount:
		return plain(x)
	}
	return math.NaN()
}
