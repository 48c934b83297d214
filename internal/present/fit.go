package present

// Columns that may be cut keep this many terminal columns before another column
// is left out for them, and at the very least.
const (
	flexReadable = 12
	flexLeast    = 4
)

// fit chooses which columns are shown, and how wide, in room terminal columns:
// Wide columns are added while everything fits uncut; otherwise Flex columns
// are cut to a readable width, then columns are left out by Priority, then Flex
// columns are cut further, then columns are left out from the right. The last
// column left is cut to the room. With all, every column has its natural width.
func fit(cols []Column, natural []int, room int, all bool) (widths []int, shown []bool) {
	f := fitting{cols, append([]int(nil), natural...), make([]bool, len(cols)), room}
	for i, c := range cols {
		f.shown[i] = all || !c.Wide
	}
	if all {
		return f.widths, f.shown
	}
	if f.over() <= 0 {
		f.addWide()
		return f.widths, f.shown
	}
	for f.shrunk(flexReadable) > 0 && f.leaveOut(1) {
	}
	for f.shrunk(flexLeast) > 0 && f.leaveOut(0) {
	}
	f.shrink()
	return f.widths, f.shown
}

type fitting struct {
	cols   []Column
	widths []int
	shown  []bool
	room   int
}

// over is by how many terminal columns the shown columns are too wide.
func (f *fitting) over() int { return f.shrunk(1 << 30) }

// shrunk is over when every Flex column is cut to no less than least.
func (f *fitting) shrunk(least int) int {
	total := -gutter
	for i, w := range f.widths {
		if !f.shown[i] {
			continue
		}
		if f.cols[i].Flex {
			w = min(w, least)
		}
		total += w + gutter
	}
	return total - f.room
}

// addWide shows Wide columns while there is room, the lowest Priority first.
func (f *fitting) addWide() {
	for tried := make([]bool, len(f.cols)); ; {
		best := -1
		for i, c := range f.cols {
			if c.Wide && !tried[i] && (best < 0 || c.Priority < f.cols[best].Priority) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		tried[best], f.shown[best] = true, true
		f.shown[best] = f.over() <= 0
	}
}

// leaveOut hides the shown column of the highest Priority, the rightmost of
// equals; false when none of at least that Priority, or only one column, is left.
func (f *fitting) leaveOut(least int) bool {
	best, n := -1, 0
	for i, c := range f.cols {
		if !f.shown[i] {
			continue
		}
		n++
		if c.Priority >= least && (best < 0 || c.Priority >= f.cols[best].Priority) {
			best = i
		}
	}
	if best < 0 || n == 1 {
		return false
	}
	f.shown[best] = false
	return true
}

// shrink cuts the widest Flex column, the rightmost of equals, by one terminal
// column until everything fits; a single column is cut whatever it holds.
func (f *fitting) shrink() {
	for over := f.over(); over > 0; over-- {
		best := -1
		for i, c := range f.cols {
			if f.shown[i] && c.Flex && (best < 0 || f.widths[i] >= f.widths[best]) {
				best = i
			}
		}
		if best < 0 {
			for i := range f.widths {
				f.widths[i] = min(f.widths[i], f.room)
			}
			return
		}
		f.widths[best]--
	}
}
