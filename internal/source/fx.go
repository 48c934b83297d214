package source

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

var ecb = &Format{
	Name: "ecb", Title: "European Central Bank reference rates", Kind: KindFX,
	Unit: "units of the currency per 1 EUR", Licence: "free reuse with the source named (ECB policy, not re-read); reference only", Class: RateClass,
	Shape: Verified, Evidence: "stored excerpts of the XML with real values (2026-05-15)",
	Docs: "https://www.ecb.europa.eu/stats/policy_and_exchange_rates/euro_reference_exchange_rates/", Confidence: catalog.High, MinRecords: 20,
	Requests: []Request{{URL: "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"}},
	read:     readECB,
}

const ecbSpace = "http://www.ecb.int/vocabulary/2002-08-01/eurofxref"

// readECB reads the daily, the 90-day and the whole history file. The rates
// keep their own day: at a weekend that is Friday.
func readECB(c *collect, r io.Reader) error {
	b, err := readAll(r, c.f.bodyCap())
	if err != nil {
		return err
	}
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	if len(b) == 0 {
		return fmt.Errorf("%w: the body is empty", ErrEmpty)
	}
	dec := xml.NewDecoder(bytes.NewReader(b))
	depth, closed := 0, false
	var day catalog.Date
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		switch e := t.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return fmt.Errorf("nested deeper than %d", maxDepth)
			}
			if depth == 1 && e.Name.Local != "Envelope" {
				return fmt.Errorf("the root is <%s>, want the ECB's Envelope", e.Name.Local)
			}
			if e.Name.Space != ecbSpace || e.Name.Local != "Cube" {
				continue
			}
			if day, err = c.ecbCube(e, day); err != nil {
				return err
			}
		case xml.EndElement:
			depth--
			closed = depth == 0
		case xml.CharData:
			if closed && len(bytes.TrimSpace(e)) > 0 {
				return errors.New("data after the end of the document")
			}
		}
	}
	if !closed {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (c *collect) ecbCube(e xml.StartElement, day catalog.Date) (catalog.Date, error) {
	at := map[string]string{}
	for _, a := range e.Attr {
		if _, twice := at[a.Name.Local]; twice {
			return day, fmt.Errorf("attribute %s is doubled", a.Name.Local)
		}
		at[a.Name.Local] = a.Value
	}
	if text, ok := at["time"]; ok {
		d, err := catalog.ParseDate(text)
		if err != nil {
			return day, err
		}
		c.published(text)
		return d, nil
	}
	if cur, ok := at["currency"]; ok {
		c.b.Records++
		c.rate("EUR", money.Currency(cur), num(at["rate"]), day)
	}
	return day, nil
}

var frankfurter = &Format{
	Name: "frankfurter", Title: "frankfurter (ECB rates by API)", Kind: KindFX,
	Unit: "units of quote per 1 base", Licence: "MIT code; rates of the ECB when providers=ecb is asked for", Class: RateClass,
	Shape: Verified, Evidence: "the repository's documentation and a real example (2026-07-17)",
	Docs: "https://frankfurter.dev", Confidence: catalog.High,
	Requests: []Request{{URL: "https://api.frankfurter.dev/v2/rates?base=usd&quotes=cny,eur,gbp,cad,inr,jpy&providers=ecb"}},
	read:     readFrankfurter,
}

// readFrankfurter reads v2 (one rate or a list) and v1 (a map of rates).
func readFrankfurter(c *collect, r io.Reader) error {
	type rate struct {
		Date, Base, Quote string
		Rate              num
		Rates             map[string]num
	}
	var raw json.RawMessage
	if err := c.decodeJSON(r, &raw); err != nil {
		return err
	}
	var list []rate
	if raw[0] == '{' {
		list = make([]rate, 1)
		if err := json.Unmarshal(raw, &list[0]); err != nil {
			return err
		}
	} else if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, v := range list {
		if v.Quote == "" && v.Rates == nil {
			return errors.New("no rate: want date, base, quote and rate, or rates")
		}
		if v.Quote != "" {
			v.Rates = map[string]num{v.Quote: v.Rate}
		}
		d, err := catalog.ParseDate(v.Date)
		if err != nil {
			return err
		}
		c.published(v.Date)
		for _, quote := range slices.Sorted(maps.Keys(v.Rates)) {
			c.b.Records++
			c.rate(money.Currency(v.Base), money.Currency(quote), v.Rates[quote], d)
		}
	}
	return nil
}

func (c *collect) rate(base, quote money.Currency, n num, day catalog.Date) {
	at := fmt.Sprintf("%s/%s %s", base, quote, day)
	switch {
	case !catalog.KnownCurrency(base) || !catalog.KnownCurrency(quote) || base == quote:
		c.reject("the currency is missing or not an ISO 4217 code", at)
		return
	case !day.Known():
		c.reject("a rate without a date", at)
		return
	}
	r, err := n.rat()
	if err != nil || r.Sign() <= 0 {
		c.reject("the rate is not a number above 0", at+" "+string(n))
		return
	}
	v, ok := roundHalfEven(r.Mul(r, big.NewRat(1_000_000_000, 1)))
	if !ok || v == 0 {
		c.reject("the rate is not a number above 0", at+" "+string(n))
		return
	}
	c.b.FX = append(c.b.FX, catalog.FXRate{
		Rate: money.Rate{Base: base, Quote: quote, Value: money.Quantity(v)}, AsOf: day, Source: c.f.Name, Confidence: c.f.Confidence,
	})
}
