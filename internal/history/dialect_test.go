package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Whatever rows agree in, and however many there are, each is stored as it came.
func TestRowsAlikeAndNot(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s, n := openStore(t, url), 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			source := fmt.Sprint("alike", n)
			want := map[string]catalog.Offer{}
			var offers []catalog.Offer
			for range rapid.IntRange(1, 6).Draw(rt, "kinds") {
				like := drawnOffer(rt, source)
				for range rapid.IntRange(1, 2*rowsAtOnce).Draw(rt, "alike") {
					o := like
					o.Instance = fmt.Sprint("m", len(offers))
					offers, want[o.Instance] = append(offers, o), o
				}
			}
			if res := apply(t, s, Run{Source: source, FetchedAt: day(1)}, offers...); res.New != len(offers) {
				rt.Fatalf("%+v", res)
			}
			latest, err := s.Latest(t.Context(), Filter{Sources: []string{source}}, time.Time{})
			if err != nil {
				rt.Fatal(err)
			}
			got := map[string]catalog.Offer{}
			for _, o := range latest.Offers {
				got[o.Instance] = o
			}
			if d := cmp.Diff(want, got, cmpopts.EquateComparable(money.Amount{}, unit.Count{})); d != "" {
				rt.Fatal(d)
			}
		})
	})
}

// drawnOffer is an offer that differs from others in anything but the machine.
func drawnOffer(rt *rapid.T, source string) catalog.Offer {
	o := offer(rapid.SampledFrom([]string{"aws", "oci"}).Draw(rt, "provider"), "", "1", 1)
	o.Note = rapid.SampledFrom([]string{"", "a note", "昇腾 \"910B\""}).Draw(rt, "note")
	o.Tier = rapid.SampledFrom([]string{"", "secure"}).Draw(rt, "tier")
	p := &o.Prices[0]
	p.Source = source
	p.Purchase = rapid.SampledFrom([]catalog.Purchase{catalog.OnDemand, catalog.Spot}).Draw(rt, "purchase")
	p.AsOf = date(rapid.IntRange(0, 1).Draw(rt, "day"))
	currency := rapid.SampledFrom([]money.Currency{"USD", "CNY"}).Draw(rt, "currency")
	p.Low, p.High = money.MustParse("1.5", currency), money.MustParse("2.000000001", currency)
	if rapid.Bool().Draw(rt, "unknown") {
		p.Low, p.High = money.Amount{}, money.Amount{}
	}
	return o
}
