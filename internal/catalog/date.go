package catalog

import (
	"cmp"
	"fmt"
	"time"
)

// Date is a day, a month or a year; the zero Date is unknown. Month and Day
// are 0 where only a coarser date is known. A coarse date counts from its
// first day: a price "of 2026" is treated as old as 1 January, never newer
// than it may be.
type Date struct {
	Year       int16
	Month, Day uint8
}

// UnknownDate is how an unknown date is written in data files and results.
const UnknownDate = "unknown"

// ParseDate reads 2026-11-30, 2026-11, 2026 or "unknown".
func ParseDate(s string) (Date, error) {
	if s == UnknownDate {
		return Date{}, nil
	}
	for layout, parts := range map[string]int{"2006-01-02": 3, "2006-01": 2, "2006": 1} {
		if len(s) != len(layout) {
			continue
		}
		t, err := time.Parse(layout, s)
		if err != nil || t.Year() < 1990 || t.Year() > 2100 {
			break
		}
		d := DateOf(t)
		if parts < 3 {
			d.Day = 0
		}
		if parts < 2 {
			d.Month = 0
		}
		return d, nil
	}
	return Date{}, fmt.Errorf("not a date: %q, want 2026-11-30, 2026-11, 2026 or unknown", s)
}

// DateOf is the calendar day of t in its own zone.
func DateOf(t time.Time) Date {
	return Date{int16(t.Year()), uint8(t.Month()), uint8(t.Day())}
}

// Known reports whether the date is stated.
func (d Date) Known() bool { return d.Year != 0 }

// String prints the date as precisely as it is known.
func (d Date) String() string {
	if d.Year == 0 {
		return UnknownDate
	}
	y := d.Year
	text := append(make([]byte, 0, 10), '0'+byte(y/1000), '0'+byte(y/100%10), '0'+byte(y/10%10), '0'+byte(y%10))
	for _, part := range [2]uint8{d.Month, d.Day} {
		if part == 0 {
			break
		}
		text = append(text, '-', '0'+part/10, '0'+part%10)
	}
	return string(text)
}

// First is the first day the date may mean, in UTC.
func (d Date) First() time.Time {
	return time.Date(int(d.Year), time.Month(max(d.Month, 1)), int(max(d.Day, 1)), 0, 0, 0, 0, time.UTC)
}

// DaysUntil is the number of days from the first day of d to the first day of
// o; negative when o is earlier. Both must be known.
func (d Date) DaysUntil(o Date) int { return o.number() - d.number() }

// number counts days: years begin in March, so that a leap day is the last of
// its year. It holds from the year 1 on.
func (d Date) number() int {
	y, m := int(d.Year), int(max(d.Month, 1))
	if m < 3 {
		y, m = y-1, m+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*m-457)/5 + int(max(d.Day, 1))
}

// Compare orders by first day; an unknown date is older than every known one.
func (d Date) Compare(o Date) int {
	switch {
	case !d.Known() && !o.Known():
		return 0
	case !d.Known():
		return -1
	case !o.Known():
		return 1
	}
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(max(d.Month, 1), max(o.Month, 1)), cmp.Compare(max(d.Day, 1), max(o.Day, 1)))
}
