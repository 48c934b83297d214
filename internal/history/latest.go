package history

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Latest returns what the accepted runs say now, or said at a time, as
// sections for an overlay: offers with the prices of all sources, token and
// serverless prices, exchange rates and interruption figures. at is zero for now. A row that the
// last runs did not have is returned, with its old date, until it counts as
// gone. Providers and GPUs are not part of it: those are the catalog's.
func (s *Store) Latest(ctx context.Context, f Filter, at time.Time) (*catalog.Catalog, error) {
	var w where
	condition := "o.ended_at = " + w.arg(openEnd)
	if !at.IsZero() {
		w = where{}
		t := w.arg(at.UnixMicro())
		condition = atTime("o", t)
	}
	w.series(&f)
	out := &catalog.Catalog{}
	err := s.read(ctx, "read the latest prices", func(t *tx) (err error) {
		if out.FX, err = t.latestFX(ctx, at); err != nil {
			return err
		}
		if out.Interruption, err = t.figures(ctx, &f, at); err != nil {
			return err
		}
		query := "SELECT " + seriesSelect + ", s.attrs, " + pointSelect("o") + seriesFrom +
			" JOIN observation o ON o.series_id = s.id AND " + condition + w.String() +
			" ORDER BY s.provider, s.instance, s.gpu, s.gpus, s.region, s.tier, s.host, o.last_verified_at DESC, src.name, s.purchase, s.term_months, s.plan, s.identity"
		return t.each(ctx, query, w.args, func(scan func(...any) error) error { return addLatest(out, scan, at) })
	})
	return out, err
}

// Count is how many prices that hold now a filter selects.
func (s *Store) Count(ctx context.Context, f Filter) (n int, err error) {
	var w where
	w.add("o.ended_at = " + w.arg(openEnd))
	w.series(&f)
	err = s.read(ctx, "count the prices", func(t *tx) error {
		return t.one(ctx, "SELECT count(*)"+seriesFrom+" JOIN observation o ON o.series_id = s.id"+w.String(), w.args, &n)
	})
	return n, err
}

// atTime is the condition that observation o held at a time: the first of its
// series that ends after it, if it had begun.
func atTime(o, t string) string {
	return strings.NewReplacer("@", o, "{t}", t).Replace(
		"@.ended_at = (SELECT min(ended_at) FROM observation WHERE series_id = s.id AND ended_at > {t}) AND @.observed_at <= {t}")
}

func addLatest(out *catalog.Catalog, scan func(...any) error, at time.Time) error {
	var row seriesRow
	var point pointRow
	var text string
	if err := scan(append(append(row.dest(), &text), point.dest()...)...); err != nil {
		return err
	}
	a := &attributes{}
	if err := json.Unmarshal([]byte(text), a); err != nil {
		return fmt.Errorf("series %d: %w", row.id, err)
	}
	code, err := parseDateCode(point.asOf)
	if err != nil {
		return fmt.Errorf("series %d: %w", row.id, err)
	}
	verified := time.UnixMicro(point.verified.Int64)
	if !at.IsZero() && verified.After(at) {
		verified = at // as it stood then
	}
	asOf := code.date(verified)
	if today := catalog.DateOf(at.UTC()); !at.IsZero() && asOf.Compare(today) > 0 {
		asOf = today // a later run of the same value has dated it since
	}
	p := row.price(point.value(), a, row.source, asOf)
	switch {
	case a.Token != nil:
		out.Tokens = addToken(out.Tokens, &row.identity, a, p)
		return nil
	case a.Serverless != nil:
		out.Serverless = addServerless(out.Serverless, &row.identity, a, p)
		return nil
	}
	o, err := row.offer(a)
	if err != nil {
		return fmt.Errorf("series %d: %w", row.id, err)
	}
	if n := len(out.Offers); n > 0 && sameOffer(&out.Offers[n-1], &o) {
		out.Offers[n-1].Prices = append(out.Offers[n-1].Prices, p)
		return nil
	}
	o.Prices = []catalog.Price{p}
	out.Offers = append(out.Offers, o)
	return nil
}

// sameOffer compares the key by which an overlay replaces offers.
func sameOffer(a, b *catalog.Offer) bool {
	return a.Provider == b.Provider && a.Instance == b.Instance && a.GPU == b.GPU && a.GPUs == b.GPUs &&
		a.Region == b.Region && a.Tier == b.Tier && a.Host == b.Host
}
