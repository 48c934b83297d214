package history

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Batch is what an accepted run brings.
type Batch struct {
	Offers     iter.Seq2[catalog.Offer, error] // nil for none; an error undoes the run
	Tokens     []catalog.TokenPrice
	Serverless []catalog.ServerlessPrice
	FX         []catalog.FXRate
	// Interruption is how often spot is taken away; a run may hold nothing else.
	Interruption []catalog.Interruption
}

// Offers makes the sequence of a Batch out of a list.
func Offers(list []catalog.Offer) iter.Seq2[catalog.Offer, error] {
	return func(yield func(catalog.Offer, error) bool) {
		for _, o := range list {
			if !yield(o, nil) {
				return
			}
		}
	}
}

// chunkRows is how many records are prepared and sorted at once: enough to
// make the writes to the index near each other, few enough for little memory.
const chunkRows = 32_768

// chunk is a part of a batch on its way to the writer.
type chunk struct {
	records  []*record
	rejected []Rejection
	err      error
}

// chunks turns a batch into sorted chunks, in a goroutine of its own, so that
// hashing and encoding use another core than the database.
func (b *Batch) chunks(ctx context.Context, run *Run, wait *sync.WaitGroup) <-chan chunk {
	out := make(chan chunk)
	wait.Go(func() {
		defer close(out)
		var c chunk
		send := func() bool {
			slices.SortFunc(c.records, together)
			select {
			case out <- c:
			case <-ctx.Done():
				return false
			}
			more := c.err == nil
			c = chunk{}
			return more
		}
		add := func(r *record, err error) {
			if err != nil {
				c.rejected = append(c.rejected, Rejection{r.String(), err.Error()})
			} else {
				c.records = append(c.records, r)
			}
		}
		s := sealer{source: run.Source}
		if b.Offers != nil {
			for o, err := range b.Offers {
				if c.err = err; err == nil {
					s.offer(&o, run.FetchedAt, add)
				}
				if (c.err != nil || len(c.records) >= chunkRows || len(c.rejected) >= maxRejections) && !send() {
					return
				}
			}
		}
		for i := range b.Tokens {
			s.token(&b.Tokens[i], run.FetchedAt, add)
		}
		for i := range b.Serverless {
			s.serverless(&b.Serverless[i], run.FetchedAt, add)
		}
		send()
	})
	return out
}

// together is the order of the index series_identity by GPU and provider, and
// puts rows that are alike beside each other within those.
func together(a, b *record) int {
	return cmp.Or(bytes.Compare(a.id[:prefixBytes], b.id[:prefixBytes]), cmp.Compare(a.kind, b.kind), bytes.Compare(a.id[:], b.id[:]))
}

// String names the record in messages.
func (r *record) String() string {
	s := fmt.Sprintf("%s %s %s %s %s %s", r.provider, r.instance, r.gpu, r.region, r.purchase, r.plan)
	if r.termMonths > 0 {
		s += fmt.Sprintf(" %d months", r.termMonths)
	}
	return strings.Join(strings.Fields(s), " ")
}
