package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// testFormat is a list with one pinned price.
var testFormat = &Format{
	Name: "test", Kind: KindAPI, Class: ListPrice, Currencies: []money.Currency{"USD"},
	Canaries: []Canary{{Instance: "h8", Region: "r1", Purchase: catalog.OnDemand, Amount: "16", Currency: "USD", Per: unit.PerInstanceHour}},
}

// market is n offers of H100 machines of eight at 16.00 to 16.00 + n/100 an
// hour in three regions, and the pinned machine.
func market(n int) *Batch {
	b := &Batch{Format: testFormat, Records: n}
	add := func(name, region, amount string) {
		a := money.MustParse(amount, "USD")
		b.Offers = append(b.Offers, catalog.Offer{
			Provider: "p", Kind: "vm", Instance: name, Region: region, GPU: "h100", GPUKnown: true, GPUs: unit.Whole(8), GPUMemoryGB: 80,
			Prices: []catalog.Price{{Purchase: catalog.OnDemand, Low: a, High: a, Per: unit.PerInstanceHour}},
		})
	}
	add("h8", "r1", "16.00")
	for i := 1; i < n; i++ {
		add(fmt.Sprintf("m%d", i), fmt.Sprintf("r%d", i%3), fmt.Sprintf("16.%02d", i%100))
	}
	return b
}

func price(o *catalog.Offer, amount string) {
	a := money.MustParse(amount, "USD")
	o.Prices[0].Low, o.Prices[0].High = a, a
}

func scaleAll(b *Batch, num, den int64) {
	for i := range b.Offers {
		for j := range b.Offers[i].Prices {
			p := &b.Offers[i].Prices[j]
			p.Low, _ = p.Low.MulFrac(num, den)
			p.High, _ = p.High.MulFrac(num, den)
		}
	}
}

func TestGate(t *testing.T) {
	memory := func(string) (float64, bool) { return 80, true }
	seeds := map[BandKey]Band{{"h100", catalog.OnDemand}: {money.MustParse("0.5", "USD"), money.MustParse("30", "USD"), 5}}
	for _, c := range []struct {
		name   string
		change func(b *Batch)
		first  bool // no previous run
		pol    Policy
		want   Decision
		code   string // of a finding
		says   string // in a finding
		left   int    // rows left out
	}{
		{name: "nothing moved", want: Accept},
		{name: "a first run", first: true, want: Accept},
		{name: "one price moved", change: func(b *Batch) { price(&b.Offers[1], "17.00") }, want: Accept},
		{name: "a zero", change: func(b *Batch) { price(&b.Offers[1], "0") }, want: Accept, code: "schema", left: 1},
		{name: "a free price", change: func(b *Batch) { price(&b.Offers[1], "0"); b.Offers[1].Prices[0].Free = true }, want: Accept},
		{name: "too many zeros", change: func(b *Batch) {
			for i := range 4 {
				price(&b.Offers[1+i], "0")
			}
		}, want: Reject, code: "schema", says: "4 of 100 rows are faulty", left: 4},
		{name: "rows the reader rejected count", change: func(b *Batch) { b.Left = []LeftOut{{Kind: Faulty, Reason: "x", Count: 5}} }, want: Reject, code: "schema", says: "5 of 105"},
		{name: "the pinned machine is faulty", change: func(b *Batch) { price(&b.Offers[0], "0") }, want: Reject, code: "canary", left: 1},
		{name: "the pinned machine is far off", change: func(b *Batch) { price(&b.Offers[0], "40.00") }, want: Reject, code: "canary", says: "pinned at 16.00"},
		{name: "the pinned machine is per GPU", change: func(b *Batch) { price(&b.Offers[0], "2.00") }, want: Reject, code: "canary", left: 1},
		{name: "the pinned machine is gone", first: true, change: func(b *Batch) { b.Offers = b.Offers[1:] }, want: Accept, code: "canary", says: "not in the answer"},
		{name: "another currency", change: func(b *Batch) {
			a := money.MustParse("16", "EUR")
			b.Offers[1].Prices[0].Low, b.Offers[1].Prices[0].High = a, a
		}, want: Accept, code: "schema", says: "EUR is not expected", left: 1},
		{name: "another unit", change: func(b *Batch) { b.Offers[1].Prices[0].Per = "fortnight" }, want: Accept, says: "fortnight", left: 1},
		{name: "more than 10,000 USD per GPU", change: func(b *Batch) { price(&b.Offers[1], "80001") }, want: Accept, says: "10000.125", left: 1},
		{name: "outside the band", pol: Policy{Seeds: seeds}, change: func(b *Batch) { price(&b.Offers[1], "300") }, want: Accept, code: "schema", says: "0.50 to 30.00", left: 1},
		{name: "no GPUs", change: func(b *Batch) { b.Offers[1].GPUs = unit.Count{} }, want: Accept, says: "GPUs", left: 1},
		{name: "500 GPUs", change: func(b *Batch) { b.Offers[1].GPUs = unit.Whole(500) }, want: Accept, says: "500 GPUs", left: 1},
		{name: "total memory taken for one GPU's", pol: Policy{GPUs: memory}, change: func(b *Batch) { b.Offers[1].GPUMemoryGB = 640 }, want: Accept, says: "640 GB per GPU", left: 1},
		{name: "memory as the driver sees it", pol: Policy{GPUs: memory}, change: func(b *Batch) { b.Offers[1].GPUMemoryGB = 79.6 }, want: Accept},
		{name: "one key, two prices", change: func(b *Batch) {
			o := b.Offers[1]
			o.Prices = append([]catalog.Price(nil), o.Prices...)
			price(&o, "99")
			b.Offers = append(b.Offers, o)
		}, want: Accept, says: "two prices", left: 2},
		{name: "an eight-fold row", change: func(b *Batch) { price(&b.Offers[2], "128.16") }, want: Accept, says: "times 8", left: 1},
		{name: "an eighth", change: func(b *Batch) { price(&b.Offers[2], "2.0025") }, want: Accept, says: "a division by 8", left: 1},
		{name: "an eight-fold row, looked at", pol: Policy{AcceptJump: true}, change: func(b *Batch) { price(&b.Offers[2], "128.16") }, want: Accept},
		{name: "all per GPU", change: func(b *Batch) { scaleAll(b, 1, 8) }, want: Reject, code: "jump", says: "a division by 8"},
		{name: "cents for dollars", change: func(b *Batch) { scaleAll(b, 100, 1) }, want: Reject, code: "jump", says: "times 100"},
		{name: "ten times", change: func(b *Batch) { scaleAll(b, 10, 1) }, want: Reject, code: "jump", says: "times 10"},
		{name: "twice", change: func(b *Batch) { scaleAll(b, 2, 1) }, want: Reject, code: "jump", says: "times 2"},
		{name: "everything 15 % dearer", change: func(b *Batch) { scaleAll(b, 115, 100) }, want: Hold, code: "jump", says: "moved by more than 15 %"},
		{name: "everything 15 % dearer, looked at", pol: Policy{AcceptJump: true}, change: func(b *Batch) { scaleAll(b, 115, 100) }, want: Accept, code: "jump"},
		{name: "everything 1 % dearer", change: func(b *Batch) { scaleAll(b, 101, 100) }, want: Hold, code: "jump", says: "100 % of the prices of a list changed"},
		{name: "a third is gone", change: func(b *Batch) { b.Offers = b.Offers[:66] }, want: Reject, code: "collapse", says: "66 prices, the previous run had 100"},
		{name: "a third is gone, looked at", pol: Policy{AcceptShrink: true}, change: func(b *Batch) { b.Offers = b.Offers[:66] }, want: Accept, code: "collapse"},
		{name: "71 of 100 are left", change: func(b *Batch) { b.Offers = b.Offers[:71] }, want: Accept},
		{name: "two regions are gone", change: func(b *Batch) {
			for i := range b.Offers {
				b.Offers[i].Region = "r1"
			}
		}, want: Reject, code: "collapse", says: "1 regions, the previous run had 3"},
		{name: "a GPU is gone", change: func(b *Batch) {
			for i := range b.Offers {
				b.Offers[i].GPU = "h200"
			}
		}, want: Reject, code: "collapse", says: "0 offers of h100"},
		{name: "four times as many", change: func(b *Batch) { *b = *market(400) }, want: Hold, code: "growth"},
		{name: "nothing", change: func(b *Batch) { b.Offers = nil }, want: Reject, code: "collapse", says: "no row has a price"},
		{name: "spot above on demand", change: func(b *Batch) {
			p := b.Offers[1].Prices[0]
			p.Purchase = catalog.Spot
			p.Low, p.High = money.MustParse("18", "USD"), money.MustParse("18", "USD")
			b.Offers[1].Prices = append([]catalog.Price(nil), b.Offers[1].Prices[0], p)
		}, want: Accept, code: "spot_above_on_demand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := market(100)
			prev := SummaryOf(b.Offers)
			if c.first {
				prev = Previous{}
			}
			if c.change != nil {
				c.change(b)
			}
			v := Check(b, prev, c.pol)
			if v.Decision != c.want {
				t.Errorf("%s, want %s: %v", v.Decision, c.want, v.Findings)
			}
			if c.left > 0 && v.Bad != c.left {
				t.Errorf("%d rows left out, want %d: %v", v.Bad, c.left, v.Rejected)
			}
			text := fmt.Sprint(v.Findings, v.Rejected)
			if c.code != "" && !strings.Contains(text, c.code) || !strings.Contains(text, c.says) {
				t.Errorf("want %s %q in %s", c.code, c.says, text)
			}
			for i := range v.Offers {
				for _, p := range v.Offers[i].Prices {
					if p.Low.Known() && p.Low.IsZero() && !p.Free {
						t.Error("a zero passed")
					}
				}
			}
		})
	}
}

// TestMarketplaceJump: asks move freely, a whole market does not double.
func TestMarketplaceJump(t *testing.T) {
	f := *testFormat
	f.Kind, f.Canaries = KindMarketplace, nil
	b := market(100)
	b.Format = &f
	prev := SummaryOf(b.Offers)
	price(&b.Offers[2], "128.16")
	scaleAll(b, 101, 100)
	if v := Check(b, prev, Policy{}); v.Decision != Accept || v.Bad != 0 {
		t.Errorf("%s %v %v", v.Decision, v.Findings, v.Rejected)
	}
	scaleAll(b, 2, 1)
	if v := Check(b, prev, Policy{}); v.Decision != Hold {
		t.Errorf("%s %v", v.Decision, v.Findings)
	}
}

// TestBands: of 1.00, 2.00 ... 10.00 the first percentile is 1.00 and the last
// 10.00 (low and high of ten prices make twenty values): 1/3 to 30.
func TestBands(t *testing.T) {
	var offers []catalog.Offer
	for i := 1; i <= 10; i++ {
		a := money.MustParse(fmt.Sprint(i*8), "USD")
		offers = append(offers, catalog.Offer{GPU: "h100", GPUs: unit.Whole(8), Prices: []catalog.Price{{Purchase: catalog.Spot, Low: a, High: a, Per: unit.PerInstanceHour}}})
	}
	b := Bands(offers, nil)[BandKey{"h100", catalog.Spot}]
	if b.Low.String() != "0.333333333" || b.High.String() != "30.00" || b.N != 10 {
		t.Errorf("%s to %s of %d", b.Low, b.High, b.N)
	}
	if len(Bands(offers[:2], nil)) != 0 {
		t.Error("a band of two prices")
	}
}

// TestHistoryBand: a hundred observations of the source itself outweigh the seeds.
func TestHistoryBand(t *testing.T) {
	key := BandKey{"h100", catalog.OnDemand}
	pol := Policy{Seeds: map[BandKey]Band{key: {money.MustParse("10", "USD"), money.MustParse("30", "USD"), 9}}}
	b := market(3)
	if v := Check(b, Previous{}, pol); v.Bad != 3 {
		t.Errorf("the seed band let %d of 3 through", 3-v.Bad)
	}
	prev := Previous{Bands: map[BandKey]Band{key: {money.MustParse("1", "USD"), money.MustParse("3", "USD"), 100}}}
	if v := Check(b, prev, pol); v.Bad != 0 {
		t.Errorf("%v", v.Rejected)
	}
}

// TestPerGPUHour: 730 h a month, 3,600 s an hour, eight GPUs.
func TestPerGPUHour(t *testing.T) {
	o := &catalog.Offer{GPUs: unit.Whole(8)}
	sixth := &catalog.Offer{GPUs: unit.Count{Num: 1, Den: 6}}
	for _, c := range []struct {
		o      *catalog.Offer
		per    unit.Per
		months int
		amount string
		want   string
	}{
		{o, unit.PerInstanceHour, 0, "55.04", "6.88"},
		{o, unit.PerGPUHour, 0, "2.5", "2.50"},
		{o, unit.PerInstanceMonth, 0, "5840", "1.00"},
		{o, unit.PerGPUMonth, 0, "730", "1.00"},
		{o, unit.PerGPUSecond, 0, "0.001", "3.60"},
		{o, unit.PerInstanceTerm, 12, "70080", "1.00"},
		{o, unit.PerInstanceTerm, 0, "70080", ""},
		{sixth, unit.PerInstanceHour, 0, "0.454", "2.724"},
		{&catalog.Offer{}, unit.PerInstanceHour, 0, "1", ""},
	} {
		a, _ := PerGPUHour(c.o, &catalog.Price{Per: c.per, TermMonths: c.months}, money.MustParse(c.amount, "USD"))
		if a.String() != c.want {
			t.Errorf("%s %s of %s: %q, want %q", c.amount, c.per, c.o.GPUs, a, c.want)
		}
	}
}

// TestOther: token prices and rates of another magnitude.
func TestOther(t *testing.T) {
	b := &Batch{Format: liteLLM, Tokens: []catalog.TokenPrice{{Provider: "a", ModelID: "m", Input: money.MustParse("2000000", "USD")}}}
	if v := Check(b, Previous{}, Policy{}); v.Decision != Reject {
		t.Error("per token read as per million, twice")
	}
	b = &Batch{Format: ecb, FX: []catalog.FXRate{{Rate: money.Rate{Base: "USD", Quote: "CNY", Value: money.Quantity(142_000_000)}}}}
	if v := Check(b, Previous{}, Policy{}); v.Decision != Reject {
		t.Error("an inverted rate")
	}
}
