package history

import (
	"errors"
	"slices"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

// dayValue is a value that a list gives a day: it held from then on, at least
// until the next day that the list tells of.
type dayValue struct {
	at   int64 // start of the day, or the fetch if that is earlier
	asOf dateCode
	value
}

var (
	errNoDay   = errors.New("a price without a day among prices of several days")
	errTwoADay = errors.New("one key with two prices of one day")
)

// severalDays reports whether an offer may tell one price of several days.
func severalDays(o *catalog.Offer) bool {
	return slices.ContainsFunc(o.Prices, func(p catalog.Price) bool { return p.AsOf != o.Prices[0].AsOf })
}

// dayRecord is a record and the day that the list gives it.
type dayRecord struct {
	*record
	day catalog.Date
}

// dated makes a record of each way an offer is sold: its newest price, with
// the older ones in past.
func (s *sealer) dated(o *catalog.Offer, fetchedAt time.Time, add func(*record, error)) {
	days := map[[16]byte][]dayRecord{}
	var order [][16]byte
	for i := range o.Prices {
		one := *o
		one.Prices = o.Prices[i : i+1]
		s.offer(&one, fetchedAt, func(r *record, err error) {
			if err != nil {
				add(r, err)
				return
			}
			if days[r.id] == nil {
				order = append(order, r.id)
			}
			days[r.id] = append(days[r.id], dayRecord{r, one.Prices[0].AsOf})
		})
	}
	for _, id := range order {
		list := days[id]
		if len(list) > 1 {
			list = oneADay(list, add)
		}
		if len(list) == 0 {
			continue
		}
		newest := list[len(list)-1].record
		for _, r := range list[:len(list)-1] {
			newest.past = append(newest.past, r.dayValue(fetchedAt))
		}
		add(newest, nil)
	}
}

// oneADay orders days, the oldest first, and leaves out those that are not
// known or have two different values. Of days at or after the fetch the last
// one stands.
func oneADay(days []dayRecord, add func(*record, error)) (out []dayRecord) {
	slices.SortStableFunc(days, func(a, b dayRecord) int { return a.day.Compare(b.day) })
	for i := 0; i < len(days); {
		j, same := i+1, true
		for ; j < len(days) && days[j].day == days[i].day; j++ {
			same = same && days[j].value == days[i].value
		}
		switch n := len(out) - 1; {
		case !days[i].day.Known():
			add(days[i].record, errNoDay)
		case !same:
			add(days[i].record, errTwoADay)
		case n >= 0 && out[n].asOf == dayOfRun:
			out[n] = days[i]
		default:
			out = append(out, days[i])
		}
		i = j
	}
	return out
}

// dayValue is the record's own value and day.
func (r *record) dayValue(fetchedAt time.Time) dayValue {
	at := fetchedAt
	if r.asOf > 0 {
		at = r.asOf.date(fetchedAt).First()
	}
	return dayValue{min(at.UnixMicro(), fetchedAt.UnixMicro()), r.asOf, r.value}
}

// span is an observation that is stored, or to be.
type span struct {
	value
	asOf                      dateCode
	observed, verified, ended int64
	reason                    string
	key                       int64 // its ended_at in the store; 0: not there
}

// spans turns values of days into observations, one for each change. The
// last one is open.
func spans(days []dayValue) (out []span) {
	for _, d := range days {
		n := len(out) - 1
		if n >= 0 && out[n].value == d.value {
			out[n].verified, out[n].asOf = d.at, d.asOf
			continue
		}
		if n >= 0 {
			out[n].ended, out[n].reason = d.at, "changed"
		}
		out = append(out, span{value: d.value, asOf: d.asOf, observed: d.at, verified: d.at, ended: openEnd})
	}
	return out
}

// dayMicros is a day in the store's unit of time.
const dayMicros = int64(24 * time.Hour / time.Microsecond)

// weave fits the days of a list, oldest first, into what is stored of its
// series. They are news before the first observation, after the last
// verification, and between the last verification of a value and the next
// value; anywhere else, what was said first stays. contradicts are the days of
// which the list now says something else.
func weave(stored []span, days []dayValue, at int64) (woven []span, contradicts []dayValue) {
	if len(stored) == 0 {
		woven = spans(days)
		woven[len(woven)-1].verified = at
		return woven, nil
	}
	last := len(stored) - 1
	isOpen := stored[last].ended == openEnd
	var before, after []dayValue
	within := make([][]dayValue, len(stored)) // after the last verification of each
	for _, d := range days {
		i := slices.IndexFunc(stored, func(s span) bool { return s.verified < d.at && d.at < s.ended })
		switch {
		case d.at < stored[0].observed:
			before = append(before, d)
		case i >= 0:
			within[i] = append(within[i], d)
		case d.at >= stored[last].ended:
			after = append(after, d)
		case !slices.ContainsFunc(stored, func(s span) bool { return s.value == d.value && s.observed < d.at+dayMicros && d.at < s.ended }):
			contradicts = append(contradicts, d)
		}
	}
	if len(after)+len(within[last]) == 0 || !isOpen && len(after) == 0 { // the newest value is what the list says now
		newest := days[len(days)-1]
		contradicts = slices.DeleteFunc(contradicts, func(d dayValue) bool { return d == newest })
		newest.at = at
		if isOpen {
			within[last] = []dayValue{newest}
		} else {
			after = []dayValue{newest}
		}
	}
	if woven = spans(before); len(woven) > 0 {
		n := len(woven) - 1
		woven[n].ended, woven[n].reason = stored[0].observed, "changed"
	}
	for i, s := range stored {
		woven = append(woven, s.goesOn(within[i])...)
	}
	woven = append(woven, spans(after)...)
	woven[len(woven)-1].verified = at
	return joined(woven), contradicts
}

// goesOn is an observation that the days after its last verification extend
// or divide.
func (s span) goesOn(days []dayValue) []span {
	out := spans(slices.Insert(days, 0, dayValue{s.verified, s.asOf, s.value}))
	out[0].observed, out[0].key = s.observed, s.key
	n := len(out) - 1
	out[n].ended, out[n].reason = s.ended, s.reason
	return out
}

// joined makes one observation of a new one and the next one where they meet
// in the same value.
func joined(list []span) (out []span) {
	for _, s := range list {
		if n := len(out) - 1; n >= 0 && out[n].key == 0 && out[n].value == s.value && out[n].ended == s.observed {
			s.observed = out[n].observed
			out = out[:n]
		}
		out = append(out, s)
	}
	return out
}
