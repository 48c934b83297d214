package source

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// Kind is what sort of source a format is.
type Kind string

// Kinds of sources.
const (
	KindAPI         Kind = "api"         // the seller's own list
	KindMarketplace Kind = "marketplace" // asks of many hosts
	KindAggregator  Kind = "aggregator"  // sells or lists other sellers' machines
	KindCatalog     Kind = "catalog"     // a third party's collected list
	KindIndex       Kind = "index"       // figures about prices
	KindTokens      Kind = "tokens"      // per-token prices
	KindFX          Kind = "fx"          // exchange rates
	KindBill        Kind = "bill"        // what was paid
	KindFile        Kind = "file"        // a saved answer or an own file; never fetched
)

// Class is how fast a source's prices age.
type Class string

// Classes of age.
const (
	AskPrice  Class = "marketplace" // minutes
	SpotPrice Class = "spot"
	ListPrice Class = "list"
	RateClass Class = "fx"
	FileClass Class = "file" // as old as it says
)

// TTL is the age in which a price counts as fresh, may be used while it is
// renewed, and is refused beyond.
type TTL struct{ Fresh, Stale, Hard time.Duration }

// day is 24 hours.
const day = 24 * time.Hour

var ttls = map[Class]TTL{
	AskPrice:  {10 * time.Minute, time.Hour, day},
	SpotPrice: {time.Hour, 12 * time.Hour, 3 * day},
	ListPrice: {day, 7 * day, 45 * day},
	RateClass: {day, 4 * day, 10 * day},
	FileClass: {30 * day, 60 * day, 120 * day},
}

// How well a format's shape is known. Verified: read in the vendor's own
// specification or in a stored real file. Claim: one secondary source.
const (
	Verified = "verified"
	Claim    = "claim"
)

// Key is one secret: the environment variables that may hold it, best first.
type Key []string

// Request is one HTTP request; {each} in the URL is filled with each of Format.Each.
type Request struct {
	Method, URL, Body string // "" is GET
}

// Format is one row of the table of sources.
type Format struct {
	Name, Title string
	Provider    string // seller, where the rows name none
	Kind        Kind
	Unit        string // of the price, in words
	Licence     string // of the data, and terms
	Class       Class
	Shape       string // Verified or Claim
	Evidence    string // against what
	Docs        string // documentation
	Get         string // how a person gets the file, where it is not fetched
	Confidence  catalog.Confidence
	Tax         string
	Currencies  []money.Currency // the expected ones; empty: any

	Keys     []Key // all needed; none: no key
	KeysOpt  bool  // the keys are optional
	Login    Login
	Requests []Request // none: from files only
	Each     []string  // what {each} of the requests is filled with
	EachIs   string    // "region" (the default) or "provider": what a filling means for the rows
	Cap      int64     // bytes of one body; 0: 64 MiB
	Deadline time.Duration
	Interval time.Duration // least time between two requests to the host
	MaxPages int           // 0: 200
	// MinRecords is the least number of records of a whole answer; fewer is a
	// failure, not a small market.
	MinRecords int
	Retry404   bool     // a file may be named before it is there
	Canaries   []Canary // pinned prices

	read   func(*collect, io.Reader) error
	finish func(*collect) error
}

// Login is how a key is sent. Keys never stand in a URL.
type Login struct {
	Header string // header that carries the key
	Prefix string // before the key: "Bearer "
	// TokenURL takes a client id and secret (the two Keys) for a short-lived
	// bearer token (OAuth 2 client credentials).
	TokenURL string
}

var bearer = Login{Header: "Authorization", Prefix: "Bearer "}

// TTL is how long the format's prices count as fresh.
func (f *Format) TTL() TTL { return ttls[f.Class] }

// Fetched reports whether the format can be fetched, not only read from files.
func (f *Format) Fetched() bool { return len(f.Requests) > 0 }

// Auth says in words what key is needed: "none", or names of environment variables.
func (f *Format) Auth() string {
	if len(f.Keys) == 0 {
		return "none"
	}
	var all []string
	for _, k := range f.Keys {
		all = append(all, strings.Join(k, " or "))
	}
	s := strings.Join(all, " and ")
	if f.KeysOpt {
		s += " (optional)"
	}
	return s
}

// AuthPresent reports whether the environment holds the keys that are needed.
func (f *Format) AuthPresent(env func(string) string) bool {
	if f.KeysOpt {
		return true
	}
	for _, k := range f.Keys {
		if k.value(f, env) == "" {
			return false
		}
	}
	return true
}

// EnvKey is the name that works for every source with one key:
// GPUCOST_<NAME>_KEY.
func (f *Format) EnvKey() string {
	return "GPUCOST_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")) + "_KEY"
}

func (k Key) value(f *Format, env func(string) string) string {
	names := k
	if len(f.Keys) == 1 {
		names = append(slices.Clone(k), f.EnvKey())
	}
	for _, name := range names {
		if v := strings.TrimSpace(env(name)); v != "" {
			return v
		}
	}
	return ""
}

func (f *Format) bodyCap() int64 {
	if f.Cap > 0 {
		return f.Cap
	}
	return 64 << 20
}

// Source is the format as a source of the catalog.
func (f *Format) Source() catalog.Source {
	kind := map[Kind]string{KindAPI: "api", KindMarketplace: "api", KindCatalog: "catalog", KindAggregator: "api", KindFile: "api"}[f.Kind]
	if kind == "" {
		kind = "third_party"
	}
	return catalog.Source{ID: f.Name, Name: f.Title, Kind: kind, URL: f.Docs, Licence: f.Licence}
}

// Lookup finds a format by name.
func Lookup(name string) (*Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q", name)
}

// Formats lists every format, in the order shown to people.
func Formats() []*Format { return slices.Clone(formats) }

const nextPage = "?page=+1" // the same request with the next page number
