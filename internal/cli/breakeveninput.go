package cli

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
)

// ask is a flag whose value is an input of an answer.
type ask struct {
	flag, input string
	kind        kind
	help        string
}

// kind is how the text of a flag is read.
type kind struct {
	unit string // of the input
	want string // in an error
	read func(string) (float64, bool)
}

const wantAmount = "an amount such as 2.50, 2.50USD or 2..3"

var (
	amountKind  = kind{"", wantAmount, nil}
	ownKind     = kind{"own", wantAmount, nil} // by default in --capex-currency
	countKind   = kind{"count", "a number above 0", positiveNumber}
	requestKind = kind{"requests/day", "requests such as 100000 or 10k", tokensOf}
	dayKind     = kind{"count", "days, above 0 and up to 31", upTo(31)}
	dailyKind   = kind{"h/day", "hours a day, above 0 and up to 24", upTo(24)}
	pueKind     = kind{"", "a number of at least 1", func(s string) (float64, bool) { v, ok := plainNumber(s); return v, ok && v >= 1 }}
	wholeKind   = kind{"count", "a whole number above 0", wholeNumber}
	shareKind   = kind{"share", "a percentage such as 25%", percentage}
	partKind    = kind{"share", "a percentage such as 25%, from 0% to 100%", partPercentage}
	fallKind    = kind{"share", "a percentage below 100% such as 25%, negative for a rise", fallPercentage}
	hoursKind   = kind{"h", "a time such as 72h, 3d, 6m or 30s", hoursOf}
	secondKind  = kind{"s", "a time such as 5s, 200ms or 2m", secondsOf}
	monthKind   = kind{"months", "months, such as 36 or 3y", monthsOf}
	gbKind      = kind{"GB", "bytes such as 980GB, 2TB or 500GiB", gigabytesOf}
	speedKind   = kind{"GB/s", "a bandwidth such as 8GB/s", gigabytesPerSecond}
	tokensKind  = kind{"tokens/day", "tokens such as 10M or 2.5B", tokensOf}
	plainKind   = kind{"", "a number", plainNumber}
	kwKind      = kind{"kW", "kilowatts such as 10.2", kilowatts}
)

func declare(cmd *cobra.Command, asks []ask) {
	for _, k := range asks {
		cmd.Flags().String(k.flag, "", k.help)
	}
}

// asker turns flags into inputs, each with its origin.
type asker struct {
	cmd      *cobra.Command
	exchange *pricing.Exchange
	own      money.Currency // of amounts about own hardware
	rent     money.Currency
	in       purchase.Inputs
}

func (q *asker) text(flag string) string {
	f := q.cmd.Flags().Lookup(flag)
	if f == nil {
		return ""
	}
	return strings.TrimSpace(f.Value.String())
}

// read takes every flag that was given.
func (q *asker) read(asks []ask) error {
	for _, k := range asks {
		text := q.text(k.flag)
		if text == "" {
			continue
		}
		var err error
		if k.kind.read == nil {
			err = q.amount(k, text)
		} else {
			err = q.number(k, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *asker) number(k ask, text string) error {
	ends := strings.SplitN(text, "..", 2)
	var v [2]float64
	for i := range v {
		x, ok := k.kind.read(ends[min(i, len(ends)-1)])
		if !ok {
			return usagef("--%s %q: want %s", k.flag, text, k.kind.want)
		}
		v[i] = x
	}
	if v[0] > v[1] {
		return usagef("--%s %q: the range is upside down", k.flag, text)
	}
	q.in.Between(k.input, [3]float64{v[0], (v[0] + v[1]) / 2, v[1]}, k.kind.unit, purchase.Flag(k.flag))
	return nil
}

func (q *asker) amount(k ask, text string) error {
	def := q.exchange.To
	if k.kind.unit == "own" && q.own != "" {
		def = q.own
	}
	r, stated, err := q.money(k.flag, text, def)
	if err != nil {
		return err
	}
	q.in.Amount(k.input, r, stated, purchase.Flag(k.flag))
	return nil
}

var currencyCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z]{3})? ?([0-9.]+) ?([A-Za-z]{3})?$`) })

// money reads "28", "28 CNY", "CNY 28" or a range of it, and converts it.
func (q *asker) money(flag, text string, cur money.Currency) (r money.Range, stated string, err error) {
	m := currencyCode().FindStringSubmatch(text)
	if m == nil || m[1] != "" && m[3] != "" {
		return r, "", usagef("--%s %q: want %s", flag, text, wantAmount)
	}
	if code := strings.ToUpper(m[1] + m[3]); code != "" {
		if cur = money.Currency(code); !catalog.KnownCurrency(cur) {
			return r, "", usagef("--%s %q: %s is not a currency", flag, text, code)
		}
	}
	low, high, ranged := strings.Cut(m[2], "..")
	if !ranged {
		high = low
	}
	a, errLow := money.Parse(low, cur)
	b, errHigh := money.Parse(high, cur)
	if errLow != nil || errHigh != nil {
		return r, "", usagef("--%s %q: want %s", flag, text, wantAmount)
	}
	if a.Cmp(b) > 0 {
		return r, "", usagef("--%s %q: the range is upside down", flag, text)
	}
	if r, err = money.Between(a, b); err != nil {
		return r, "", usagef("--%s %q: %v", flag, text, err)
	}
	if cur == q.exchange.To {
		return r, "", nil
	}
	out, ok := q.exchange.Range(r)
	if !ok {
		return r, "", usagef("--%s %q: no exchange rate from %s to %s", flag, text, cur, q.exchange.To).hint("give one: --fx CNY=7.20, units for one USD")
	}
	return out, m[2] + " " + string(cur), nil
}

// fill adds a number that was not given.
func (q *asker) fill(input string, v float64, unit, why string) {
	if !q.in.Has(input) {
		q.in.Number(input, v, unit, purchase.Default(why))
	}
}

func plainNumber(s string) (float64, bool) {
	v, err := money.ParseQuantity(strings.ReplaceAll(strings.TrimSpace(s), ",", ""))
	return v.Float(), err == nil
}

func positiveNumber(s string) (float64, bool) {
	v, ok := plainNumber(s)
	return v, ok && v > 0
}

func upTo(most float64) func(string) (float64, bool) {
	return func(s string) (float64, bool) {
		v, ok := positiveNumber(s)
		return v, ok && v <= most
	}
}

func kilowatts(s string) (float64, bool) {
	number, _ := strings.CutSuffix(strings.ToLower(strings.TrimSpace(s)), "kw")
	return positiveNumber(number)
}

func wholeNumber(s string) (float64, bool) {
	v, ok := positiveNumber(s)
	return v, ok && v == math.Trunc(v)
}

// partPercentage is a percentage of something: not more than all of it.
func partPercentage(s string) (float64, bool) {
	v, ok := percentage(s)
	return v, ok && v <= 1
}

// fallPercentage is by how much a price falls; a rise is negative.
func fallPercentage(s string) (float64, bool) {
	rest, rises := strings.CutPrefix(strings.TrimSpace(s), "-")
	v, ok := percentage(rest)
	if rises {
		v = -v
	}
	return v, ok && v < 1
}

// percentage wants its sign below 1, where a share may be meant.
func percentage(s string) (float64, bool) {
	number, signed := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, ok := plainNumber(number)
	return v / 100, ok && (signed || v >= 1 || v == 0)
}

// timeUnits are hours; "m" is a minute, a month is written "mo".
var timeUnits = []struct {
	suffix string
	hours  float64
}{
	{"ms", 1.0 / 3.6e6},
	{"minutes", 1.0 / 60},
	{"minute", 1.0 / 60},
	{"mins", 1.0 / 60},
	{"min", 1.0 / 60},
	{"m", 1.0 / 60},
	{"分钟", 1.0 / 60},
	{"hours", 1},
	{"hour", 1},
	{"hrs", 1},
	{"hr", 1},
	{"h", 1},
	{"小时", 1},
	{"days", 24},
	{"day", 24},
	{"d", 24},
	{"天", 24},
	{"weeks", 168},
	{"week", 168},
	{"w", 168},
	{"周", 168},
	{"seconds", 1.0 / 3600},
	{"second", 1.0 / 3600},
	{"secs", 1.0 / 3600},
	{"sec", 1.0 / 3600},
	{"s", 1.0 / 3600},
	{"秒", 1.0 / 3600},
}

func hoursOf(s string) (float64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, u := range timeUnits {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			v, ok := plainNumber(number)
			if u.hours < 1 {
				return v / (1 / u.hours), ok // 6m is 0.1 h exactly
			}
			return v * u.hours, ok
		}
	}
	return 0, s == "0"
}

func secondsOf(s string) (float64, bool) {
	if v, ok := plainNumber(s); ok {
		return v, true
	}
	for suffix, scale := range map[string]float64{"ms": 1000} {
		if number, ok := strings.CutSuffix(strings.ToLower(s), suffix); ok {
			v, ok := plainNumber(number)
			return v / scale, ok
		}
	}
	h, ok := hoursOf(s)
	return h * 3600, ok
}

func monthsOf(s string) (float64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, u := range []struct {
		suffix string
		months float64
	}{{"months", 1}, {"month", 1}, {"mo", 1}, {"个月", 1}, {"years", 12}, {"year", 12}, {"y", 12}, {"年", 12}} {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			v, ok := positiveNumber(number)
			return v * u.months, ok
		}
	}
	return positiveNumber(s)
}

func gigabytesOf(s string) (float64, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	for _, u := range []struct {
		suffix string
		gb     float64
	}{{"TIB", 1099.511627776}, {"GIB", 1.073741824}, {"MIB", 0.001048576}, {"TB", 1000}, {"GB", 1}, {"MB", 0.001}} {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			v, ok := plainNumber(number)
			return v * u.gb, ok
		}
	}
	return plainNumber(s)
}

func gigabytesPerSecond(s string) (float64, bool) {
	number, _ := strings.CutSuffix(strings.ToLower(strings.TrimSpace(s)), "/s")
	v, ok := gigabytesOf(number)
	return v, ok && v > 0
}

func tokensOf(s string) (float64, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	for _, u := range []struct {
		suffix string
		n      float64
	}{{"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"G", 1e9}, {"T", 1e12}} {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			v, ok := plainNumber(number)
			return v * u.n, ok
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && v >= 0 && v < 1e18 && strings.Trim(s, "0123456789.") == ""
}
