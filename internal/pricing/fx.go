package pricing

import (
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// Exchange converts amounts into one currency at dated rates.
type Exchange struct {
	To    money.Currency
	rates []catalog.FXRate
}

// UserRate marks an exchange rate given by the user and not by a source.
const UserRate = "flag"

// NewExchange takes, per currency, the user's own rate if there is one, else
// the newest rate of the catalog at or before the day.
func NewExchange(to money.Currency, all []catalog.FXRate, own []catalog.FXRate, day catalog.Date) *Exchange {
	x := &Exchange{To: to}
	at := map[[2]money.Currency]int{}
	for _, r := range own {
		at[[2]money.Currency{r.Base, r.Quote}] = len(x.rates)
		x.rates = append(x.rates, r)
	}
	for _, r := range all {
		if r.AsOf.Known() && r.AsOf.Compare(day) > 0 {
			continue
		}
		pair := [2]money.Currency{r.Base, r.Quote}
		i, seen := at[pair]
		switch {
		case !seen:
			at[pair] = len(x.rates)
			x.rates = append(x.rates, r)
		case x.rates[i].Source != UserRate && newerRate(&r, &x.rates[i]):
			x.rates[i] = r
		}
	}
	return x
}

// newerRate follows the rule for prices: a low-confidence rate does not
// displace a better one less than FreshDays older.
func newerRate(a, b *catalog.FXRate) bool {
	if a.AsOf.Known() && b.AsOf.Known() && a.Confidence != b.Confidence {
		days := b.AsOf.DaysUntil(a.AsOf)
		if days > 0 && days < catalog.FreshDays && a.Confidence == catalog.Low {
			return false
		}
		if days < 0 && days > -catalog.FreshDays && b.Confidence == catalog.Low {
			return true
		}
	}
	if d := a.AsOf.Compare(b.AsOf); d != 0 {
		return d > 0
	}
	if a.Confidence != b.Confidence {
		return a.Confidence.Better(b.Confidence)
	}
	return a.Source < b.Source
}

// ParseFX reads CNY=7.20 as 7.20 yuan for one dollar.
func ParseFX(text string) (catalog.FXRate, error) {
	code, value, ok := strings.Cut(text, "=")
	cur := money.Currency(strings.ToUpper(strings.TrimSpace(code)))
	q, err := money.ParseQuantity(strings.TrimSpace(value))
	switch {
	case !ok || err != nil || q <= 0:
		return catalog.FXRate{}, fmt.Errorf("exchange rate %q: want CUR=RATE, units for one USD, such as CNY=7.20", text)
	case cur == "USD" || !catalog.KnownCurrency(cur):
		return catalog.FXRate{}, fmt.Errorf("exchange rate %q: want an ISO 4217 code other than USD, as in CNY=7.20", text)
	}
	return catalog.FXRate{
		Rate:   money.Rate{Base: "USD", Quote: cur, Value: q},
		Source: UserRate, Confidence: catalog.High,
	}, nil
}

// Rate is the rate that turns from into the target, in either direction or
// through one common currency. False when there is none.
func (x *Exchange) Rate(from money.Currency) (catalog.FXRate, bool) {
	for _, r := range x.rates {
		if r.Base == from && r.Quote == x.To || r.Quote == from && r.Base == x.To {
			return r, true
		}
	}
	for _, a := range x.rates {
		for _, b := range x.rates {
			if a.Base != b.Base || a.Quote != from || b.Quote != x.To {
				continue
			}
			cross, err := money.Cross(a.Rate, b.Rate)
			if err != nil {
				continue
			}
			out := a
			out.Rate = cross
			if a.Source == UserRate || b.Source != UserRate && b.AsOf.Compare(a.AsOf) < 0 {
				out.AsOf = b.AsOf // a rate of the user's own has no date
			}
			out.Source = a.Source + "+" + b.Source
			return out, true
		}
	}
	return catalog.FXRate{}, false
}

// Convert is the amount in the target currency. False when no rate is known.
func (x *Exchange) Convert(a money.Amount) (money.Amount, bool) {
	if !a.Known() || a.Currency() == x.To {
		return a, true
	}
	r, ok := x.Rate(a.Currency())
	if !ok {
		return money.Amount{}, false
	}
	out, err := r.Convert(a)
	return out, err == nil
}

// Range converts a range end by end.
func (x *Exchange) Range(r money.Range) (money.Range, bool) {
	low, a := x.Convert(r.Low)
	mid, b := x.Convert(r.Mid)
	high, c := x.Convert(r.High)
	return money.Range{Low: low, Mid: mid, High: high}, a && b && c
}
