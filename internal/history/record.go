package history

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// record is one price on its way into the store.
type record struct {
	identity
	value
	id    [16]byte
	attrs string // JSON of attributes
	asOf  dateCode
	past  []dayValue // older values, of a list that tells several days
	// fingerprints of value, attrs, and what makes rows alike
	valuePrint, attrsPrint, kind uint64
}

// identity is what tells series of one source apart, with the two fields of
// attributes that belong to it. It is the key by which an offer of an overlay
// replaces one of the catalog, and how the offer is bought.
type identity struct {
	provider, gpu, gpus, instance, region, tier, host string
	purchase, plan                                    string
	termMonths                                        int64
}

// value is what an observation holds: another value is another observation.
type value struct {
	low, high money.Amount
	per       string
	free      bool
}

// attributes is everything else about an offer and its price, kept with the
// series and replaced by what the source says last: it has no history.
type attributes struct {
	Kind         string        `json:"kind,omitempty"`
	Country      string        `json:"country,omitempty"`
	GPUKnown     bool          `json:"gpu_known,omitempty"`
	GPUMemoryGB  float64       `json:"gpu_memory_gb,omitempty"`
	VCPUs        float64       `json:"vcpus,omitempty"`
	MemoryGiB    float64       `json:"memory_gib,omitempty"`
	DiskGB       float64       `json:"disk_gb,omitempty"`
	Interconnect string        `json:"interconnect,omitempty"`
	Available    *bool         `json:"available,omitempty"`
	DiskPrice    *storedAmount `json:"disk_price_gb_month,omitempty"`
	OfferNote    string        `json:"offer_note,omitempty"`

	Source      string  `json:"source,omitempty"` // where it is not the name of the run's source
	Ref         string  `json:"ref,omitempty"`
	Confidence  string  `json:"confidence,omitempty"`
	Scope       string  `json:"scope,omitempty"`
	Commitment  string  `json:"commitment,omitempty"`
	Samples     int     `json:"samples,omitempty"`
	Tax         string  `json:"tax,omitempty"`
	TaxPercent  float64 `json:"tax_percent,omitempty"`
	Purchasable *bool   `json:"purchasable,omitempty"`
	ValidUntil  string  `json:"valid_until,omitempty"`
	Note        string  `json:"note,omitempty"`

	Token      *tokenAttributes      `json:"token,omitempty"`
	Serverless *serverlessAttributes `json:"serverless,omitempty"`
}

type storedAmount struct {
	Nano     int64          `json:"nano"`
	Currency money.Currency `json:"currency"`
}

func storeAmount(a money.Amount) *storedAmount {
	if !a.Known() {
		return nil
	}
	return &storedAmount{a.Nano(), a.Currency()}
}

func (s *storedAmount) amount() money.Amount {
	if s == nil {
		return money.Amount{}
	}
	return money.FromNano(s.Nano, s.Currency)
}

// dateCode is a date in a small number: year x 10000 + month x 100 + day, 0
// unknown, and dayOfRun for a price of the day on which it was fetched.
type dateCode int32

const dayOfRun dateCode = -1

// codeDate codes the date a source gives a price. A date at or after the day
// of the fetch is dayOfRun: time zones must not make a price of tomorrow.
func codeDate(d catalog.Date, fetchedAt time.Time) dateCode {
	if d.Compare(catalog.DateOf(fetchedAt.UTC())) >= 0 {
		return dayOfRun
	}
	return dateCode(d.Year)*10000 + dateCode(d.Month)*100 + dateCode(d.Day)
}

// column is the value of the column as_of.
func (c dateCode) column() any {
	if c == dayOfRun {
		return nil
	}
	return c.date(time.Time{}).String()
}

// parseDateCode reads the column as_of.
func parseDateCode(s sql.NullString) (dateCode, error) {
	if !s.Valid {
		return dayOfRun, nil
	}
	d, err := catalog.ParseDate(s.String)
	return dateCode(d.Year)*10000 + dateCode(d.Month)*100 + dateCode(d.Day), err
}

// date is the date to show for a price last verified at a time.
func (c dateCode) date(verified time.Time) catalog.Date {
	if c == dayOfRun {
		return catalog.DateOf(verified.UTC())
	}
	return catalog.Date{Year: int16(c / 10000), Month: uint8(c / 100 % 100), Day: uint8(c % 100)}
}

var (
	errZero     = errors.New("a price of 0 that is not marked as free")
	errNegative = errors.New("a price below 0")
	errOrder    = errors.New("the low amount is above the high one")
	errCurrency = errors.New("low and high are in different currencies")
	errHalf     = errors.New("one of low and high is unknown")
	errOverride = errors.New("a price made by an override is not an observation")
)

// check refuses what must never be stored, whatever let it through before.
func (v value) check() error {
	switch {
	case v.low.Known() != v.high.Known():
		return errHalf
	case !v.low.Known():
		return nil
	case v.low.Currency() != v.high.Currency():
		return errCurrency
	case v.low.Sign() < 0:
		return errNegative
	case v.low.Cmp(v.high) > 0:
		return errOrder
	case v.low.IsZero() && !v.free:
		return errZero
	}
	return nil
}

// fingerprint tells values apart; equal values have equal ones.
func (v value) fingerprint() uint64 {
	b := make([]byte, 0, 64)
	b = binary.LittleEndian.AppendUint64(b, uint64(v.low.Nano()))
	b = binary.LittleEndian.AppendUint64(b, uint64(v.high.Nano()))
	b = append(b, v.low.Currency()...)
	b = append(b, ' ')
	b = append(b, v.per...)
	b = strconv.AppendBool(b, v.free)
	return fingerprint(b)
}

func fingerprint(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// prefixBytes is the length of the first part of the identity, which all
// series of a GPU at a provider share.
const prefixBytes = 4

func prefix(gpu, provider string) [prefixBytes]byte {
	g, p := fingerprint([]byte(gpu)), fingerprint([]byte(provider))
	return [prefixBytes]byte{byte(g >> 8), byte(g), byte(p >> 8), byte(p)}
}

// alike reports whether two records differ in the machine, the region and the
// value at most.
func (r *record) alike(o *record) bool {
	return r.kind == o.kind && r.provider == o.provider && r.gpu == o.gpu && r.gpus == o.gpus && r.tier == o.tier && r.host == o.host &&
		r.purchase == o.purchase && r.plan == o.plan && r.termMonths == o.termMonths && r.attrs == o.attrs
}

// sealer makes the records of one source.
type sealer struct {
	source string
	// of the last record: the next often has the same
	last       attributes
	attrs      string // "" before the first
	attrsPrint uint64
}

// seal computes the hash of the identity and the fingerprints, and encodes the
// attributes.
func (s *sealer) seal(r *record, a *attributes) error {
	if s.attrs == "" || s.last != *a {
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		s.last, s.attrs, s.attrsPrint = *a, string(text), fingerprint(text)
	}
	r.attrs, r.attrsPrint, r.valuePrint = s.attrs, s.attrsPrint, r.fingerprint()
	words := func(b []byte, words ...string) []byte {
		for _, s := range words {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
		return b
	}
	b := binary.AppendVarint(words(make([]byte, 0, 256), s.source, r.provider, r.gpu, r.gpus, r.instance, r.region, r.tier, r.host, r.purchase, r.plan,
		a.Scope, a.Commitment, a.Source), r.termMonths)
	sum := sha256.Sum256(b)
	b = binary.AppendVarint(words(b[:0], r.gpus, r.tier, r.host, r.purchase, r.plan), r.termMonths)
	r.kind = fingerprint(binary.LittleEndian.AppendUint64(b, r.attrsPrint))
	p := prefix(r.gpu, r.provider)
	copy(r.id[copy(r.id[:], p[:]):], sum[:])
	return nil
}

// offer makes a record of each price of an offer.
func (s *sealer) offer(o *catalog.Offer, fetchedAt time.Time, add func(*record, error)) {
	if severalDays(o) {
		s.dated(o, fetchedAt, add)
		return
	}
	for i := range o.Prices {
		p := &o.Prices[i]
		r := &record{
			identity: identity{
				o.Provider, o.GPU, o.GPUs.String(), o.Instance, o.Region, o.Tier, o.Host,
				string(p.Purchase), p.Plan, int64(p.TermMonths),
			},
			value: value{p.Low, p.High, string(p.Per), p.Free},
			asOf:  codeDate(p.AsOf, fetchedAt),
		}
		err := r.check()
		if p.Override != "" {
			err = errOverride
		}
		if err == nil {
			err = s.seal(r, offerAttributes(o, p, s.source))
		}
		add(r, err)
	}
}

func offerAttributes(o *catalog.Offer, p *catalog.Price, source string) *attributes {
	a := &attributes{
		Kind: o.Kind, Country: o.Country, GPUKnown: o.GPUKnown, GPUMemoryGB: o.GPUMemoryGB,
		VCPUs: o.VCPUs, MemoryGiB: o.MemoryGiB, DiskGB: o.DiskGB, Interconnect: o.Interconnect,
		Available: o.Available, DiskPrice: storeAmount(o.DiskPrice), OfferNote: o.Note,
		Ref: p.Ref, Confidence: string(p.Confidence), Scope: p.Scope, Commitment: p.Commitment,
		Samples: p.Samples, Tax: p.Tax, TaxPercent: p.TaxPercent, Purchasable: p.Purchasable,
		Note: p.Note,
	}
	if p.ValidUntil.Known() {
		a.ValidUntil = p.ValidUntil.String()
	}
	if p.Source != source {
		a.Source = p.Source
	}
	return a
}

// offer is the way back, without prices.
func (id *identity) offer(a *attributes) (catalog.Offer, error) {
	gpus, err := parseCount(id.gpus)
	return catalog.Offer{
		Provider: id.provider, Kind: a.Kind, Instance: id.instance, Tier: id.tier, Region: id.region, Country: a.Country,
		GPU: id.gpu, GPUKnown: a.GPUKnown, GPUs: gpus, GPUMemoryGB: a.GPUMemoryGB, VCPUs: a.VCPUs, MemoryGiB: a.MemoryGiB,
		DiskGB: a.DiskGB, Interconnect: a.Interconnect, Host: id.host, Available: a.Available, DiskPrice: a.DiskPrice.amount(),
		Note: a.OfferNote,
	}, err
}

func parseCount(s string) (unit.Count, error) {
	if s == "" {
		return unit.Count{}, nil
	}
	return unit.ParseCount(s)
}

// price is the way back; asOf is the date to show.
func (id *identity) price(v value, a *attributes, source string, asOf catalog.Date) catalog.Price {
	if a.Source != "" {
		source = a.Source
	}
	var until catalog.Date
	if a.ValidUntil != "" {
		until, _ = catalog.ParseDate(a.ValidUntil) // written by Date.String
	}
	return catalog.Price{
		Purchase: catalog.Purchase(id.purchase), Plan: id.plan, TermMonths: int(id.termMonths),
		Low: v.low, High: v.high, Free: v.free, Per: unit.Per(v.per), Scope: a.Scope, Commitment: a.Commitment,
		AsOf: asOf, Source: source, Ref: a.Ref, Confidence: catalog.Confidence(a.Confidence), Samples: a.Samples,
		Tax: a.Tax, TaxPercent: a.TaxPercent, Purchasable: a.Purchasable, ValidUntil: until, Note: a.Note,
	}
}
