package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
)

// A fixture is a text file: a comment that works the figures out by hand, an
// optional "options:" line, the body in the source's documented shape with
// made-up values, and what has to come out of it.
type fixture struct {
	file, format string
	opt          Options
	body, want   string
}

func fixtures(t testing.TB) []fixture {
	files, err := filepath.Glob("testdata/read/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	var out []fixture
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, ok := strings.Cut(string(b), "-- body --\n")
		body, want, ok2 := strings.Cut(rest, "-- want --\n")
		if !ok || !ok2 {
			t.Fatalf("%s: no body or no want", file)
		}
		f := fixture{file: filepath.Base(file), body: body, want: want, opt: options(t, head)}
		f.format = formatOf(t, strings.TrimSuffix(f.file, ".txt"))
		out = append(out, f)
	}
	return out
}

// formatOf is the longest format name that a file's name starts with.
func formatOf(t testing.TB, name string) string {
	best := ""
	for _, f := range Formats() {
		if (name == f.Name || strings.HasPrefix(name, f.Name+"-")) && len(f.Name) > len(best) {
			best = f.Name
		}
	}
	if best == "" {
		t.Fatalf("%s belongs to no format", name)
	}
	return best
}

func options(t testing.TB, head string) Options {
	var opt Options
	for line := range strings.Lines(head) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "options: ")
		if !ok {
			continue
		}
		for o := range strings.SplitSeq(list, ", ") {
			name, value, _ := strings.Cut(o, " ")
			switch name {
			case "provider":
				opt.Provider = value
			case "region":
				opt.Region = value
			case "decimal":
				opt.Decimal = Decimal(value)
			case "as-of":
				d, err := catalog.ParseDate(value)
				if err != nil {
					t.Fatal(err)
				}
				opt.AsOf = d
			default:
				t.Fatalf("unknown option %q", name)
			}
		}
	}
	return opt
}

func TestFixtures(t *testing.T) {
	covered := map[string]bool{}
	for _, f := range fixtures(t) {
		covered[f.format] = true
		t.Run(f.file, func(t *testing.T) {
			b, err := Read(f.format, strings.NewReader(f.body), f.opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(f.want, "\n"), strings.Split(render(b), "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			again, err := Read(f.format, strings.NewReader(f.body), f.opt)
			if err != nil || render(again) != render(b) || again.SHA256() != b.SHA256() {
				t.Errorf("reading twice differs: %v", err)
			}
		})
	}
	for _, f := range Formats() {
		if !covered[f.Name] {
			t.Errorf("%s has no fixture", f.Name)
		}
	}
}

// render prints what a batch says, one line a fact, without notes.
func render(b *Batch) string {
	var s strings.Builder
	for i := range b.Offers {
		o := &b.Offers[i]
		fmt.Fprintf(&s, "offer %s %s @%s%s%s %sx%s", o.Provider, o.Instance, o.Region, opt(" tier=", o.Tier), opt(" host=", o.Host), o.GPUs, o.GPU)
		fmt.Fprintf(&s, "%s%s%s%s%s", opt(" mem=", o.GPUMemoryGB), opt(" vcpus=", o.VCPUs), opt(" gib=", o.MemoryGiB), opt(" disk=", o.DiskGB), opt(" cc=", o.Country))
		if o.DiskPrice.Known() {
			fmt.Fprintf(&s, " disk-price=%s", o.DiskPrice)
		}
		if o.Available != nil && !*o.Available {
			s.WriteString(" unavailable")
		}
		s.WriteString("\n")
		for _, p := range o.Prices {
			s.WriteString("  " + renderPrice(p) + "\n")
		}
	}
	for _, x := range b.Tokens {
		fmt.Fprintf(&s, "token %s %s in=%s out=%s cached=%s USD context=%d\n", x.Provider, x.ModelID, x.Input, x.Output, x.Cached, x.Context)
	}
	for _, x := range b.FX {
		fmt.Fprintf(&s, "fx %s/%s %s %s\n", x.Base, x.Quote, x.Value, x.AsOf)
	}
	for _, x := range b.Interruption {
		low, high := "", ""
		if x.Low != nil {
			low = fmt.Sprint(*x.Low)
		}
		if x.High != nil {
			high = fmt.Sprint(*x.High)
		}
		fmt.Fprintf(&s, "interruption %s %s %s %s..%s %s (%s)\n", x.Provider, x.GPU, x.Metric, low, high, x.Unit, x.Ref)
	}
	for _, x := range b.Paid {
		fmt.Fprintf(&s, "paid %s %s %s %s hours=%s list=%s effective=%s billed=%s rows=%d", x.Provider, x.Instance, x.Region, x.Purchase, x.Hours, x.List, x.Effective, x.Billed, x.Rows)
		if x.Unused {
			s.WriteString(" unused")
		}
		s.WriteString("\n")
	}
	var left []string
	for _, l := range b.Left {
		left = append(left, fmt.Sprintf("left %s %d: %s\n", l.Kind, l.Count, l.Reason))
	}
	slices.Sort(left)
	s.WriteString(strings.Join(left, ""))
	for _, w := range slices.Sorted(slices.Values(b.Warnings)) {
		s.WriteString("warn " + w + "\n")
	}
	if !b.PublishedAt.IsZero() {
		fmt.Fprintf(&s, "published %s\n", catalog.DateOf(b.PublishedAt.UTC()))
	}
	return s.String()
}

func renderPrice(p catalog.Price) string {
	s := string(p.Purchase)
	if p.Plan != "" {
		s += "/" + p.Plan
	}
	if p.TermMonths > 0 {
		s += fmt.Sprintf(" %dm", p.TermMonths)
	}
	switch {
	case !p.Low.Known():
		s += " unknown"
	case p.Low == p.High:
		s += fmt.Sprintf(" %s %s", p.Low, p.Low.Currency())
	default:
		s += fmt.Sprintf(" %s..%s %s", p.Low, p.High, p.Low.Currency())
	}
	s += " " + string(p.Per) + opt(" n=", p.Samples)
	if p.AsOf.Known() {
		s += " on " + p.AsOf.String()
	}
	return s + opt(" scope=", p.Scope) + opt(" commit=", p.Commitment)
}

// opt prints a value that is not the zero of its type.
func opt[T comparable](name string, v T) string {
	var zero T
	if v == zero {
		return ""
	}
	return name + fmt.Sprint(v)
}
