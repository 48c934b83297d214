package history

import (
	"context"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// putFX keeps the exchange rates of a run: one per pair, day and source.
func (a *applier) putFX(ctx context.Context, rates []catalog.FXRate) error {
	for i := range rates {
		r := &rates[i]
		source := r.Source
		if source == "" {
			source = a.run.Source
		}
		if r.Value <= 0 || !r.AsOf.Known() || r.Base == r.Quote || r.Base == "" || r.Quote == "" {
			a.reject(Rejection{"rate " + string(r.Base) + "/" + string(r.Quote) + " of " + r.AsOf.String(), "not a dated rate above 0"})
			continue
		}
		n, err := a.count(ctx, `INSERT INTO fx_rate(base, quote, rate_date, source, rate_nano, ref, confidence, note, run_id)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (base, quote, source, rate_date) DO UPDATE SET
			rate_nano = excluded.rate_nano, ref = excluded.ref, confidence = excluded.confidence, note = excluded.note, run_id = excluded.run_id
			WHERE fx_rate.rate_nano <> excluded.rate_nano`,
			string(r.Base), string(r.Quote), r.AsOf.String(), source, int64(r.Value), r.Ref, string(r.Confidence), r.Note, a.res.RunID)
		if err != nil {
			return err
		}
		a.res.Rates += int(n)
	}
	return nil
}

// fx reads the exchange rates that days from a time to another may need,
// oldest first.
func (t *tx) fx(ctx context.Context, from, to time.Time) ([]catalog.FXRate, error) {
	since := from.UTC().AddDate(0, 0, -MaxRateAge).Format(time.DateOnly)
	return t.readFX(ctx, "rate_date >= $1 AND rate_date <= $2", since, to.UTC().Format(time.DateOnly))
}

// latestFX reads the newest rate of each pair and source, up to a time unless
// that is zero.
func (t *tx) latestFX(ctx context.Context, at time.Time) ([]catalog.FXRate, error) {
	until := "9999"
	if !at.IsZero() {
		until = at.UTC().Format(time.DateOnly)
	}
	return t.readFX(ctx, `rate_date = (SELECT max(n.rate_date) FROM fx_rate n WHERE n.base = fx_rate.base AND n.quote = fx_rate.quote
		AND n.source = fx_rate.source AND n.rate_date <= $1)`, until)
}

func (t *tx) readFX(ctx context.Context, where string, args ...any) (rates []catalog.FXRate, err error) {
	err = t.each(ctx, "SELECT base, quote, rate_date, source, rate_nano, ref, confidence, note FROM fx_rate WHERE "+where+
		" ORDER BY rate_date, base, quote, source", args, func(scan func(...any) error) error {
		var r catalog.FXRate
		var date string
		var nano int64
		err := scan(&r.Base, &r.Quote, &date, &r.Source, &nano, &r.Ref, &r.Confidence, &r.Note)
		if err != nil {
			return err
		}
		r.Value = money.Quantity(nano)
		r.AsOf, err = catalog.ParseDate(date)
		rates = append(rates, r)
		return err
	})
	return rates, err
}
