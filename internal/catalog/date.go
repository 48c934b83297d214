package catalog

import (
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
	switch {
	case d.Year == 0:
		return UnknownDate
	case d.Month == 0:
		return fmt.Sprintf("%04d", d.Year)
	case d.Day == 0:
		return fmt.Sprintf("%04d-%02d", d.Year, d.Month)
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

// First is the first day the date may mean, in UTC.
func (d Date) First() time.Time {
	return time.Date(int(d.Year), time.Month(max(d.Month, 1)), int(max(d.Day, 1)), 0, 0, 0, 0, time.UTC)
}

// DaysUntil is the number of days from the first day of d to the first day of
// o; negative when o is earlier. Both must be known.
func (d Date) DaysUntil(o Date) int { return int(o.First().Sub(d.First()).Hours() / 24) }

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
	return d.First().Compare(o.First())
}
