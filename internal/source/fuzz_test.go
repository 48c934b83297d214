package source

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

// sane fails on a batch that breaks a law, whatever the body was.
func sane(t *testing.T, b *Batch, err error) {
	t.Helper()
	if err != nil {
		if b != nil {
			t.Fatal("a batch beside an error")
		}
		return
	}
	for i := range b.Offers {
		o := &b.Offers[i]
		if o.Provider == "" || o.GPU == "" || !o.GPUs.Known() || o.GPUs.Float() <= 0 || len(o.Prices) == 0 {
			t.Fatalf("offer %+v", o)
		}
		for _, p := range o.Prices {
			if p.Low.Known() && (p.Low.Sign() <= 0 || p.Low.Cmp(p.High) > 0 || !catalog.KnownCurrency(p.Low.Currency())) {
				t.Fatalf("price %+v", p)
			}
			if _, err := unit.ParsePer(string(p.Per)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, x := range b.Tokens {
		if x.Input.Sign() < 0 || x.Output.Sign() < 0 || x.Cached.Sign() < 0 {
			t.Fatalf("token price %+v", x)
		}
	}
	for _, x := range b.FX {
		if x.Value <= 0 {
			t.Fatalf("rate %+v", x)
		}
	}
	v := Check(b, SummaryOf(b.Offers), Policy{})
	if len(v.Offers) > len(b.Offers) {
		t.Fatal("the gate added offers")
	}
	if err := catalog.WriteYAML(discard{}, b.Catalog()); err != nil {
		t.Fatal(err)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// family seeds a fuzz target with the fixtures of some formats.
func family(f *testing.F, of func(body string) bool) []string {
	var names []string
	for _, x := range fixtures(f) {
		if of(x.body) {
			if !slices.Contains(names, x.format) {
				names = append(names, x.format)
			}
			f.Add(uint8(slices.Index(names, x.format)), []byte(x.body))
		}
	}
	return names
}

func fuzzRead(f *testing.F, names []string) {
	day, _ := catalog.ParseDate("2026-11-30")
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		name := names[int(which)%len(names)]
		for _, dec := range []Decimal{Point, Comma} {
			b, err := Read(name, bytes.NewReader(body), Options{Provider: "gcp", AsOf: day, Decimal: dec})
			sane(t, b, err)
			if name != "csv" {
				break
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	fuzzRead(f, family(f, func(s string) bool { return s[0] == '{' || s[0] == '[' }))
}

func FuzzCSV(f *testing.F) {
	fuzzRead(f, family(f, func(s string) bool {
		return s[0] != '{' && s[0] != '[' && s[0] != '<' && !strings.HasPrefix(s, "callback")
	}))
}

func FuzzXML(f *testing.F) {
	fuzzRead(f, family(f, func(s string) bool { return s[0] == '<' }))
}

func FuzzJSONP(f *testing.F) {
	fuzzRead(f, family(f, func(s string) bool { return strings.HasPrefix(s, "callback") }))
}

func FuzzZip(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := Read("gpuhunt", bytes.NewReader(body), Options{Provider: "x"})
		sane(t, b, err)
	})
}

// FuzzNumber: a number is what it says, whatever its spelling.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1.6567999999999998", "7.5e-08", "-1", "0", "1e40", "1/6", "0.1667", "9223372036854775807", ".5", "1.", "0x10", "1_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := cell(s)
		if a, err := n.amount("USD", cents); err == nil && a.Sign() <= 0 {
			t.Fatalf("%q is %s", s, a)
		}
		if c, err := n.count(); err == nil && (c.Float() <= 0 || c.Den < 1) {
			t.Fatalf("%q is %v GPUs", s, c)
		}
		_ = n.float()
		gpuWords(s)
		memoryInWords(s)
		verdaName().FindString(s)
	})
}

// FuzzNextURL: whatever a source says, the next page is on its host by https.
func FuzzNextURL(f *testing.F) {
	for _, s := range []string{nextPage, "?cursor=a", "https://evil/", "//evil/", "\\\\evil", "https://h@evil/", "/a/../b", "javascript:x", "http://h/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got, err := nextURL("https://h.example/a?page=1", next)
		if err != nil {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "https" || !strings.EqualFold(u.Hostname(), "h.example") || u.User != nil || u.Port() != "" && u.Port() != "443" {
			t.Fatalf("%q leads to %q", next, got)
		}
	})
}
