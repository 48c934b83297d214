// Package unit holds the quantities and billing units that prices and
// estimates are stated in. It uses the standard library only.
//
// Bytes: GB is 1e9 bytes and GiB is 2^30 bytes everywhere; GPU memory is
// quoted in the vendor's GB. Time: a month is [HoursPerMonth] hours unless the
// user says otherwise.
package unit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// HoursPerMonth is the length of a month, in hours, when none is stated:
// 8,760 hours a year divided by 12.
const HoursPerMonth = 730

// HoursPerYear is the length of a year in hours.
const HoursPerYear = 8760

// GB and GiB are the number of bytes in a decimal and in a binary gigabyte.
const (
	GB  = 1e9
	GiB = 1 << 30
)

// GiBToGB converts binary to decimal gigabytes.
func GiBToGB(gib float64) float64 { return gib * GiB / GB }

// Per is what a price is per. The word always says whose hour it is: an hour
// of one GPU or an hour of the whole instance.
type Per string

// The billing units a price may be per.
const (
	PerGPUHour       Per = "gpu_hour"
	PerInstanceHour  Per = "instance_hour"
	PerGPUMonth      Per = "gpu_month"
	PerInstanceMonth Per = "instance_month"
	PerGPUSecond     Per = "gpu_second"
	PerInstanceTerm  Per = "instance_term" // the whole price of the term, paid once
)

// Pers lists every billing unit, in the order shown to people.
func Pers() []Per {
	return []Per{PerGPUHour, PerInstanceHour, PerGPUMonth, PerInstanceMonth, PerGPUSecond, PerInstanceTerm}
}

// ParsePer reads a billing unit by its exact word.
func ParsePer(s string) (Per, error) {
	for _, p := range Pers() {
		if s == string(p) {
			return p, nil
		}
	}
	return "", fmt.Errorf("unknown unit %q", s)
}

// Instance reports whether the unit is per whole instance and not per GPU.
func (p Per) Instance() bool {
	return p == PerInstanceHour || p == PerInstanceMonth || p == PerInstanceTerm
}

// Count is a number of GPUs as an exact fraction: 8, or 1/6 of a card. The
// zero Count means that the number is not known.
type Count struct{ Num, Den int64 }

// Whole returns n whole GPUs.
func Whole(n int64) Count { return Count{n, 1} }

// ErrCount is returned for text that is not a positive count of GPUs.
var ErrCount = errors.New("not a number of GPUs: want a whole number or a fraction such as 1/6")

// ParseCount reads "8" or "1/6". Zero, negative numbers, decimals, leading
// zeros and anything above 100,000 are errors.
func ParseCount(s string) (Count, error) {
	num, den, frac := strings.Cut(s, "/")
	n, err := plainInt(num)
	if err != nil {
		return Count{}, err
	}
	if !frac {
		return Count{n, 1}, nil
	}
	d, err := plainInt(den)
	if err != nil || d == 1 {
		return Count{}, ErrCount
	}
	g := gcd(n, d)
	return Count{n / g, d / g}, nil
}

func plainInt(s string) (int64, error) {
	if s == "" || s[0] == '0' || strings.TrimLeft(s, "0123456789") != "" {
		return 0, ErrCount
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > 100_000 {
		return 0, ErrCount
	}
	return n, nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Known reports whether the count is stated.
func (c Count) Known() bool { return c.Den != 0 }

// Fraction reports whether the count is less than a whole GPU or not whole.
func (c Count) Fraction() bool { return c.Den > 1 }

// Float returns the count as a number; 0 when it is not known.
func (c Count) Float() float64 {
	if c.Den == 0 {
		return 0
	}
	return float64(c.Num) / float64(c.Den)
}

// String prints "8", "1/6", or "" when the count is not known.
func (c Count) String() string {
	switch c.Den {
	case 0:
		return ""
	case 1:
		return strconv.FormatInt(c.Num, 10)
	}
	return fmt.Sprintf("%d/%d", c.Num, c.Den)
}

// Instances is the number of instances of c GPUs each that hold need GPUs.
func (c Count) Instances(need int64) int64 {
	if !c.Known() || need <= 0 {
		return 0
	}
	return (need*c.Den + c.Num - 1) / c.Num
}
