package history_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Two runs of a source, and what the store knows of its price.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "gpucost")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := history.Open(ctx, filepath.Join(dir, "prices.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = store.Close() }()

	monday := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for day, amount := range []string{"2.10", "1.95"} {
		at := monday.AddDate(0, 0, day)
		price := money.MustParse(amount, "USD")
		offer := catalog.Offer{Provider: "lambda", Instance: "gpu_1x_h100", GPU: "h100-80gb-pcie", GPUs: unit.Whole(1), Prices: []catalog.Price{{
			Purchase: catalog.OnDemand, Low: price, High: price, Per: unit.PerGPUHour, AsOf: catalog.DateOf(at), Source: "lambda-api",
		}}}
		res, err := store.Apply(ctx, history.Run{Source: "lambda-api", FetchedAt: at}, history.Batch{Offers: history.Offers([]catalog.Offer{offer})})
		fmt.Println(res.Verdict, res.New, res.Changed, err)
	}
	for series, err := range store.History(ctx, history.Filter{Providers: []string{"lambda"}}, time.Time{}, time.Time{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, p := range series.Points {
			fmt.Println(p.ObservedAt.Format(time.DateOnly), p.Low, p.Low.Currency(), p.EndReason)
		}
	}
	// Output:
	// updated 1 0 <nil>
	// updated 0 1 <nil>
	// 2026-11-02 2.10 USD changed
	// 2026-11-03 1.95 USD
}
