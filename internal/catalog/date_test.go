package catalog

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Days are counted without a clock's arithmetic: they must agree with it.
func TestDatesAgreeWithTheCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Date {
			from := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
			d := DateOf(from.AddDate(0, 0, rapid.IntRange(0, 40_000).Draw(t, name)))
			switch rapid.IntRange(0, 2).Draw(t, "precision") {
			case 0:
				d.Month, d.Day = 0, 0
			case 1:
				d.Day = 0
			}
			return d
		}
		a, b := draw("a"), draw("b")
		if got, want := a.DaysUntil(b), int(b.First().Sub(a.First()).Hours()/24); got != want {
			t.Fatalf("from %s to %s are %d days, want %d", a, b, got, want)
		}
		if got, want := a.Compare(b), a.First().Compare(b.First()); got != want {
			t.Fatalf("%s against %s is %d, want %d", a, b, got, want)
		}
		if again, err := ParseDate(a.String()); err != nil || again != a {
			t.Fatalf("%v prints %q, which reads %v (%v)", a, a, again, err)
		}
	})
}
