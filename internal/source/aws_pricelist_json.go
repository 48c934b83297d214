package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The JSON form of the AWS price list is hundreds of MB for one region, so it
// is read as a stream: products first, of which only the accelerated ones are
// kept, then the terms of those.

const maxProduct = 4 << 20 // bytes of one product or of the terms of one product

type awsProduct struct {
	SKU        string            `json:"sku"`
	Attributes map[string]string `json:"attributes"`
}

type awsTerm struct {
	OfferTermCode   string `json:"offerTermCode"`
	PriceDimensions map[string]struct {
		Unit         string         `json:"unit"`
		PricePerUnit map[string]num `json:"pricePerUnit"`
	} `json:"priceDimensions"`
	TermAttributes struct {
		LeaseContractLength, PurchaseOption, OfferingClass string
	} `json:"termAttributes"`
}

// awsDoc is one product of the query API (GetProducts).
type awsDoc struct {
	Product awsProduct                    `json:"product"`
	Terms   map[string]map[string]awsTerm `json:"terms"`
	Date    string                        `json:"publicationDate"`
}

func (c *collect) awsJSON(r io.Reader, document bool) error {
	if !document {
		return c.awsBulk(r)
	}
	var body struct {
		awsDoc
		PriceList []string
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.PriceList == nil {
		c.awsDocument(body.awsDoc)
	}
	for i, text := range body.PriceList {
		var d awsDoc
		if err := strictJSON([]byte(text), &d); err != nil {
			return fmt.Errorf("PriceList[%d]: %w", i, err)
		}
		c.awsDocument(d)
	}
	return nil
}

func (c *collect) awsDocument(d awsDoc) {
	c.published(d.Date)
	base := d.Product.row()
	for termType, terms := range sorted(d.Terms) {
		for _, t := range sorted(terms) {
			c.awsDimensions(base, termType, t)
		}
	}
}

func (p *awsProduct) row() awsRow {
	a := p.Attributes
	return awsRow{
		at: "sku " + p.SKU, sku: p.SKU, instance: firstOf(a["instanceType"], a["instanceName"]), component: a["component"],
		tenancy: a["tenancy"], os: a["operatingSystem"], software: a["preInstalledSw"], capacity: a["capacitystatus"],
		licence: a["licenseModel"], market: firstOf(a["marketoption"], a["marketOption"]), usage: a["usagetype"],
		region: firstOf(a["regionCode"], a["location"]), gpus: a["gpu"], vcpu: a["vcpu"], memory: a["memory"],
	}
}

func (c *collect) awsDimensions(base awsRow, termType string, t awsTerm) {
	for _, d := range sorted(t.PriceDimensions) {
		row := base
		row.term, row.termType, row.unit = t.OfferTermCode, termType, d.Unit
		row.lease, row.option, row.class = t.TermAttributes.LeaseContractLength, t.TermAttributes.PurchaseOption, t.TermAttributes.OfferingClass
		for cur, price := range sorted(d.PricePerUnit) {
			c.b.Records++
			row.currency, row.price = cur, price
			c.awsRate(row)
		}
		if len(d.PricePerUnit) == 0 {
			c.b.Records++
			c.reject("the currency is missing or not an ISO 4217 code", row.at)
		}
	}
}

// budget ends a stream whose next value is longer than allowed, before it is
// in memory.
type budget struct {
	r           io.Reader
	value, left int64
}

func (b *budget) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.value -= int64(n)
	if b.left -= int64(n); b.left < 0 || b.value < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

type awsStream struct {
	dec *json.Decoder
	b   *budget
}

func (c *collect) awsBulk(r io.Reader) error {
	s := awsStream{b: &budget{r: r, value: maxProduct, left: c.f.bodyCap()}}
	s.dec = json.NewDecoder(s.b)
	products := map[string]awsRow{}
	terms := false
	err := s.object(func(key string) error {
		switch key {
		case "publicationDate":
			var date string
			if err := s.decode(&date); err != nil {
				return err
			}
			c.published(date)
			return nil
		case "products":
			return s.object(func(sku string) error { return c.awsProductEntry(&s, products, sku) })
		case "terms":
			if terms = true; len(products) == 0 {
				return errors.New("no accelerated products stand before the terms")
			}
			return s.object(func(termType string) error {
				return s.object(func(sku string) error { return c.awsTermEntry(&s, products, termType, sku) })
			})
		}
		return s.decode(new(json.RawMessage))
	})
	if err != nil {
		return err
	}
	if !terms {
		return errors.New("no terms: this is not an AWS price list, or it is cut short")
	}
	if _, err := s.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the end of the JSON value")
	}
	return nil
}

func (c *collect) awsProductEntry(s *awsStream, products map[string]awsRow, sku string) error {
	var p awsProduct
	if err := s.decode(&p); err != nil {
		return err
	}
	p.SKU = sku
	row := p.row()
	if _, known := awsMachine(row.instance); !known {
		if _, err := cell(row.gpus).count(); err != nil {
			c.skip("a machine without a GPU", row.instance)
			return nil
		}
	}
	products[strings.Clone(sku)] = row
	return nil
}

func (c *collect) awsTermEntry(s *awsStream, products map[string]awsRow, termType, sku string) error {
	base, wanted := products[sku]
	if !wanted {
		return s.decode(new(json.RawMessage))
	}
	var terms map[string]awsTerm
	if err := s.decode(&terms); err != nil {
		return err
	}
	for _, t := range sorted(terms) {
		c.awsDimensions(base, termType, t)
	}
	return nil
}

// object calls f for each key of an object; f must read the key's value. A
// key that stands twice is an error.
func (s *awsStream) object(f func(key string) error) error {
	if t, err := s.dec.Token(); err != nil {
		return noEOF(err)
	} else if t != json.Delim('{') {
		return fmt.Errorf("want an object, got %v", t)
	}
	seen := map[string]bool{}
	for s.dec.More() {
		s.b.value = maxProduct
		t, err := s.dec.Token()
		if err != nil {
			return noEOF(err)
		}
		key, ok := t.(string)
		if !ok || seen[key] {
			return fmt.Errorf("key %v is doubled", t)
		}
		if seen[key] = true; len(seen) > maxElements {
			return fmt.Errorf("%w: more than %d keys in one object", ErrTooLarge, maxElements)
		}
		if err := f(key); err != nil {
			return err
		}
	}
	_, err := s.dec.Token()
	return noEOF(err)
}

func (s *awsStream) decode(v any) error {
	s.b.value = maxProduct
	var raw json.RawMessage
	if err := s.dec.Decode(&raw); err != nil {
		return noEOF(err)
	}
	return strictJSON(raw, v)
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
