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
// series: before the first observation and after the last verification they
// are news; between them, what was said first stays. contradicts are the days
// of which the list now says something else.
func weave(stored []span, days []dayValue, at int64) (woven []span, contradicts []dayValue) {
	if len(stored) == 0 {
		woven = spans(days)
		woven[len(woven)-1].verified = at
		return woven, nil
	}
	woven = slices.Clone(stored)
	first, last := &woven[0], &woven[len(woven)-1]
	known := last.verified
	if last.ended != openEnd {
		known = last.ended - 1
	}
	var before, after []dayValue
	for _, d := range days {
		switch {
		case d.at < first.observed:
			before = append(before, d)
		case d.at > known:
			after = append(after, d)
		case !slices.ContainsFunc(stored, func(s span) bool { return s.value == d.value && s.observed < d.at+dayMicros && d.at < s.ended }):
			contradicts = append(contradicts, d)
		}
	}
	if len(after) == 0 { // the newest value is what the list says now
		newest := days[len(days)-1]
		contradicts = slices.DeleteFunc(contradicts, func(d dayValue) bool { return d == newest })
		newest.at = at
		after = []dayValue{newest}
	}
	if last.ended == openEnd { // goes on, or ends where the list has another value
		tail := spans(slices.Insert(after, 0, dayValue{last.verified, last.asOf, last.value}))
		last.asOf, last.ended, last.reason = tail[0].asOf, tail[0].ended, tail[0].reason
		last.verified = tail[0].verified
		woven = append(woven, tail[1:]...)
	} else {
		woven = append(woven, spans(after)...)
	}
	woven[len(woven)-1].verified = at
	if past := spans(before); len(past) > 0 {
		n := len(past) - 1
		if past[n].value == woven[0].value {
			woven[0].observed = past[n].observed
			past = past[:n]
		} else {
			past[n].ended, past[n].reason = woven[0].observed, "changed"
		}
		woven = slices.Concat(past, woven)
	}
	return woven, contradicts
}
