package estimate

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// The numbers of a scenario are written with the units people use. Each type
// holds its value in one unit; text without a unit is in that unit.
type (
	// Number is a plain number with k, M, B or T: 100M tokens is 1e8.
	Number struct{ V float64 }
	// GB is an amount of data in GB of 1e9 bytes: 500GB, 1.5TB, 200GiB.
	GB struct{ V float64 }
	// Bytes is a small amount of data in bytes: 2kB.
	Bytes struct{ V float64 }
	// Hours is a duration in hours: 48h, 3d, 90min.
	Hours struct{ V float64 }
	// Minutes is a duration in minutes: 5min, 90s.
	Minutes struct{ V float64 }
	// Share is a fraction of a whole, 0 to 1: 0.8 or 80%.
	Share struct{ V float64 }
	// Percent is a change in percent, which may be negative: 5 or 5%.
	Percent struct{ V float64 }
)

var (
	countUnits = map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}
	gbUnits    = map[string]float64{
		"": 1, "B": 1e-9, "KB": 1e-6, "MB": 1e-3, "GB": 1, "TB": 1e3, "PB": 1e6, "G": 1, "T": 1e3,
		"KIB": 1024e-9, "MIB": 1 << 20 * 1e-9, "GIB": 1 << 30 * 1e-9, "TIB": 1 << 40 * 1e-9,
	}
	hourUnits = map[string]float64{
		"": 1, "s": 1. / 3600, "sec": 1. / 3600, "min": 1. / 60, "h": 1, "d": 24, "w": 168,
		"hours": 1, "hour": 1, "days": 24, "day": 24, "weeks": 168, "week": 168, "minutes": 1. / 60, "seconds": 1. / 3600,
	}
)

// UnmarshalText reads 100M, 1.5B or 250000, and a word after it that says of
// what: 100M tokens.
func (n *Number) UnmarshalText(b []byte) error {
	digits, suffix := splitUnit(string(b))
	suffix, word, _ := strings.Cut(suffix, " ")
	if word == "" && countUnits[suffix] == 0 && len(suffix) > 1 && letters(suffix) { // "100 tokens"
		suffix = ""
	}
	if !letters(word) {
		suffix = "?"
	}
	return scaled(&n.V, string(b), digits, countUnits, suffix, "a number such as 250000, 100M or 1.5B")
}

func letters(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// UnmarshalText reads 500GB, 1.5 TB, 200GiB or 500.
func (g *GB) UnmarshalText(b []byte) error {
	digits, suffix := splitUnit(string(b))
	return scaled(&g.V, string(b), digits, gbUnits, strings.ToUpper(suffix), "GB, such as 500, 1.5TB or 200GiB")
}

// UnmarshalText reads 2kB or 2000.
func (v *Bytes) UnmarshalText(b []byte) error {
	digits, suffix := splitUnit(string(b))
	if suffix == "" {
		suffix = "B"
	}
	err := scaled(&v.V, string(b), digits, gbUnits, strings.ToUpper(suffix), "bytes, such as 2000 or 2kB")
	v.V = math.Round(v.V * 1e9)
	return err
}

// UnmarshalText reads 48h, 3d, 90min or 48.
func (h *Hours) UnmarshalText(b []byte) error {
	digits, suffix := splitUnit(string(b))
	return scaled(&h.V, string(b), digits, hourUnits, suffix, "hours, such as 48, 48h, 3d or 90min")
}

// UnmarshalText reads 5min, 90s or 5.
func (m *Minutes) UnmarshalText(b []byte) error {
	digits, suffix := splitUnit(string(b))
	if suffix == "" {
		suffix = "min"
	}
	err := scaled(&m.V, string(b), digits, hourUnits, suffix, "minutes, such as 5, 5min or 90s")
	m.V *= 60
	return err
}

// UnmarshalText reads 0.8 or 80%.
func (s *Share) UnmarshalText(b []byte) error {
	text, percent := strings.CutSuffix(strings.TrimSpace(string(b)), "%")
	if err := scaled(&s.V, string(b), strings.TrimSpace(text), countUnits, "", "a share such as 0.8 or 80%"); err != nil {
		return err
	}
	if percent {
		s.V /= 100
	}
	if s.V > 1 {
		return fmt.Errorf("%q is more than the whole: want a share such as 0.8 or 80%%", b)
	}
	return nil
}

// UnmarshalText reads 5, 5% or -2.
func (p *Percent) UnmarshalText(b []byte) error {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(b)), "%"))
	digits, negative := strings.CutPrefix(text, "-")
	err := scaled(&p.V, string(b), digits, countUnits, "", "a percentage such as 5 or -2")
	if negative {
		p.V = -p.V
	}
	if err == nil && (p.V <= -100 || p.V > 1000) {
		return fmt.Errorf("%q: want a percentage above -100 and up to 1000", b)
	}
	return err
}

// splitUnit divides "1.5 TB" into its digits and its unit.
func splitUnit(s string) (digits, suffix string) {
	s = strings.TrimSpace(s)
	i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// largest bounds every number of a scenario: beyond it nothing is real, and
// products of a few of them stay finite.
const largest = 1e18

func scaled(dst *float64, text, digits string, units map[string]float64, suffix, want string) error {
	f, known := units[suffix]
	whole, frac, point := strings.Cut(digits, ".")
	if !known || whole == "" || point && (frac == "" || strings.Contains(frac, ".")) {
		if suffix == "m" {
			return fmt.Errorf("%q: m may be a thousandth, a minute or a million: want %s", text, want)
		}
		return fmt.Errorf("%q: want %s", text, want)
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fmt.Errorf("%q: want %s", text, want)
	}
	// Multiplying and dividing by whole numbers keeps 0.1k at 100.
	if f > 0 && f < 1 && 1/f == math.Round(1/f) {
		x /= math.Round(1 / f)
	} else {
		x *= f
	}
	if x > largest {
		return fmt.Errorf("%q is too large", text)
	}
	*dst = x
	return nil
}

func shortest(x float64) ([]byte, error) { return json.Marshal(x) }

// MarshalJSON writes the plain number.
func (n Number) MarshalJSON() ([]byte, error) { return shortest(n.V) }

// MarshalJSON writes GB.
func (g GB) MarshalJSON() ([]byte, error) { return shortest(g.V) }

// MarshalJSON writes bytes.
func (v Bytes) MarshalJSON() ([]byte, error) { return shortest(v.V) }

// MarshalJSON writes hours.
func (h Hours) MarshalJSON() ([]byte, error) { return shortest(h.V) }

// MarshalJSON writes minutes.
func (m Minutes) MarshalJSON() ([]byte, error) { return shortest(m.V) }

// MarshalJSON writes the share of 1.
func (s Share) MarshalJSON() ([]byte, error) { return shortest(s.V) }

// MarshalJSON writes percent.
func (p Percent) MarshalJSON() ([]byte, error) { return shortest(p.V) }
