package source

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Names resolves a GPU's name as a source writes it, with the memory per GPU
// in GB (0: not stated) and the machine's name, to an id of the catalog.
type Names func(name string, memoryGB float64, instance string) (id string, ok bool)

// Decimal is how a file writes decimals.
type Decimal string

// The ways of writing decimals. With a point, "0,75" is an error.
const (
	Point Decimal = "point"
	Comma Decimal = "comma"
)

// Options are what a body does not say about itself.
type Options struct {
	Provider string       // seller of the rows that name none; "": the format's own
	Region   string       // region of the rows that name none
	AsOf     catalog.Date // day the body was fetched or the file was made; unknown: the date the body states
	Names    Names        // nil: every GPU keeps the source's words
	Decimal  Decimal      // plain CSV only; "" is a point
	// Emit takes the offers one by one instead of Batch.Offers, so that a
	// million rows need no memory. Rows of one offer are then not merged.
	Emit func(catalog.Offer) error
}

// Batch is what one source's bodies say.
type Batch struct {
	Format       *Format
	PublishedAt  time.Time // what the source says of its own age; zero: nothing
	Records      int       // records read
	Offers       []catalog.Offer
	Tokens       []catalog.TokenPrice
	FX           []catalog.FXRate
	Interruption []catalog.Interruption
	Paid         []Paid
	Left         []LeftOut      // what was left out or kept without a price, by reason
	UnknownGPUs  map[string]int // names the catalog does not have, with their rows; the rows are kept
	Warnings     []string
	next         string // where the following page is
}

// LeftKind says what happened to a record.
type LeftKind string

// Kinds of records that did not become a priced offer.
const (
	Aside   LeftKind = "skipped"  // not what is looked for: a CPU machine, a licence, another system
	NoPrice LeftKind = "unknown"  // listed without a price: 0, null, a sentinel
	Faulty  LeftKind = "rejected" // faulty
)

// Bounds of one batch, so that no file fills the memory.
const (
	maxExamples = 50      // of one reason
	maxOffers   = 200_000 // kept in a batch; Stream has no such bound
	maxWords    = 100_000 // texts and names remembered
)

// LeftOut counts the records that one reason kept out.
type LeftOut struct {
	Kind     LeftKind
	Reason   string
	Count    int
	Examples []string // where and what, at most 50
}

// String is one line for people.
func (l LeftOut) String() string {
	s := fmt.Sprintf("%d %s: %s", l.Count, l.Kind, l.Reason)
	if len(l.Examples) > 0 {
		s += ": " + strings.Join(l.Examples[:min(3, len(l.Examples))], "; ")
	}
	if l.Count > 3 {
		s += " ..."
	}
	return s
}

// Count is the number of records of a kind.
func (b *Batch) Count(kind LeftKind) int {
	n := 0
	for _, l := range b.Left {
		if l.Kind == kind {
			n += l.Count
		}
	}
	return n
}

// Read reads one body of a format (see [Formats]).
func Read(format string, r io.Reader, opt Options) (*Batch, error) {
	return ReadPages(format, []io.Reader{r}, opt)
}

// ReadPages reads the pages of one answer, in order. A batch with an error is
// never returned: half an answer is no answer.
func ReadPages(format string, pages []io.Reader, opt Options) (*Batch, error) {
	f, err := Lookup(format)
	if err != nil {
		return nil, err
	}
	c := newCollect(f, opt)
	for i, r := range pages {
		if err := c.page(r); err != nil {
			return nil, fmt.Errorf("%s page %d: %w", f.Name, i+1, err)
		}
	}
	b, err := c.finish()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return b, nil
}

// Stream reads one body and gives its offers one by one, unmerged, with little
// memory. An error ends it, after which what came before must not be used.
func Stream(format string, r io.Reader, opt Options) iter.Seq2[catalog.Offer, error] {
	return func(yield func(catalog.Offer, error) bool) {
		stopped := errors.New("stopped")
		opt.Emit = func(o catalog.Offer) error {
			if !yield(o, nil) {
				return stopped
			}
			return nil
		}
		if _, err := Read(format, r, opt); err != nil && !errors.Is(err, stopped) {
			yield(catalog.Offer{}, err)
		}
	}
}

// Catalog is the batch as an overlay, ready for catalog.WriteYAML: its rows,
// and the source they name.
func (b *Batch) Catalog() *catalog.Catalog {
	c := &catalog.Catalog{
		Sources: []catalog.Source{b.Format.Source()},
		Offers:  b.Offers, Tokens: b.Tokens, FX: b.FX, Interruption: b.Interruption,
	}
	if !b.PublishedAt.IsZero() {
		c.AsOf = catalog.DateOf(b.PublishedAt.UTC())
	}
	return c
}
