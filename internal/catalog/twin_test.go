package catalog

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpucost/gpucost/internal/money"
)

// exact compares catalogs with all their amounts.
var exact = cmpopts.EquateComparable(money.Amount{})

func embeddedYAML(t testing.TB) *Catalog {
	t.Helper()
	c, ps := Load(os.DirFS("../../data"))
	if err := ps.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

func embeddedTwin(t testing.TB) string {
	t.Helper()
	bin, err := os.ReadFile("../../data/catalog.bin")
	if err != nil {
		t.Fatal(err)
	}
	return string(bin)
}

func TestTheEmbeddedTwinEqualsItsYAML(t *testing.T) {
	want := embeddedYAML(t)
	got, err := Embedded(embeddedTwin(t))
	if err != nil {
		t.Fatal(err)
	}
	if got.SHA256 != want.SHA256 {
		t.Fatal("data/catalog.bin was compiled from other YAML files: run go generate ./data")
	}
	if d := cmp.Diff(want, got, exact); d != "" {
		t.Error(d)
	}
}

// fill sets every field of v, each to a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		switch v.Interface().(type) {
		case money.Amount:
			v.Set(reflect.ValueOf(money.FromNano(int64(*n)*-1_234_567_891, money.Currency(fmt.Sprint("C", *n)))))
			return
		case Date:
			v.Set(reflect.ValueOf(Date{int16(1990 + *n%100), uint8(1 + *n%12), uint8(1 + *n%28)}))
			return
		}
		for _, f := range v.Fields() {
			fill(f, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.1)
	default:
		v.SetInt(int64(*n))
	}
}

func TestTheTwinKeepsEveryField(t *testing.T) {
	var want Catalog
	n := 0
	fill(reflect.ValueOf(&want).Elem(), &n)
	if n < 300 {
		t.Fatalf("only %d fields were filled", n)
	}
	got, err := Embedded(string(Compile(&want)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&want, got, exact); d != "" {
		t.Error(d)
	}
}

func TestTheTwinReadsTheWantedSectionsOnly(t *testing.T) {
	var c Catalog
	n := 0
	fill(reflect.ValueOf(&c).Elem(), &n)
	bin := string(Compile(&c))
	got, err := Embedded(bin, SectionCompare)
	if err != nil {
		t.Fatal(err)
	}
	want := c
	want.Models, want.Serverless, want.Tokens, want.Ownership, want.Interruption = nil, nil, nil, nil, nil
	if d := cmp.Diff(&want, got, exact); d != "" {
		t.Error(d)
	}
	if len(sections()) != 10 || SectionAll != 1<<10-1 {
		t.Errorf("%d sections, mask %b", len(sections()), SectionAll)
	}
}

func TestADamagedTwinIsRefused(t *testing.T) {
	var c Catalog
	n := 0
	fill(reflect.ValueOf(&c).Elem(), &n)
	bin := Compile(&c)
	for _, bad := range []string{"", "gpucost", twinMagic, strings.Repeat("\xff", 100), twinMagic + strings.Repeat("\xff", 100)} {
		if _, err := Embedded(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	for cut := range bin {
		if _, err := Embedded(string(bin[:cut])); err == nil {
			t.Fatalf("a twin cut at %d of %d was read", cut, len(bin))
		}
	}
	for i := range bin { // any byte changed: an error or another catalog, never a panic
		flipped := append([]byte(nil), bin...)
		flipped[i] ^= 0xff
		_, _ = Embedded(string(flipped))
	}
}

func BenchmarkTwin(b *testing.B) {
	bin := embeddedTwin(b)
	for name, want := range map[string]Section{"all": SectionAll, "compare": SectionCompare} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Embedded(bin, want); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoadYAML(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		embeddedYAML(b)
	}
}
