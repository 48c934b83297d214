package estimate_test

import (
	"os"
	"testing"

	"github.com/gpucost/gpucost/data"
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

func setup(tb testing.TB) (*catalog.Catalog, *estimate.Estimator) {
	c, err := catalog.Embedded(data.CatalogTwin)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := os.ReadFile("../../data/calibration.bin")
	if err != nil {
		tb.Fatal(err)
	}
	cal, err := estimate.DecodeCalibration(b)
	if err != nil {
		tb.Fatal(err)
	}
	return c, estimate.New(cal)
}

func library(tb testing.TB) *estimate.Library {
	b, err := os.ReadFile("../../data/scenarios.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return estimate.NewLibrary("scenarios.yaml", b)
}

func query(c *catalog.Catalog, buy ...catalog.Purchase) pricing.Query {
	now, _ := catalog.ParseDate("2026-11-30")
	if len(buy) == 0 {
		buy = []catalog.Purchase{catalog.OnDemand, catalog.Owned, catalog.Spot}
	}
	return pricing.Query{
		Need: 1, Purchases: buy, Selection: catalog.Selection{AsOf: now}, Now: now, Exchange: pricing.NewExchange("USD", c.FX, nil, now), HoursPerMonth: money.WholeQuantity(730),
	}
}

// One scenario over the whole catalog, prices compared included.
func BenchmarkEstimate(b *testing.B) {
	c, e := setup(b)
	l := library(b)
	for _, id := range []string{"finetune-70b", "full-70b", "serve-70b-high", "pretrain-frontier", "nightly-batch", "notebook"} {
		s, err := l.Scenario(id)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(id, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := estimate.Run(&estimate.Request{Scenario: s, Catalog: c, Query: query(c), Estimator: e}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What of it is spent on comparing prices.
func BenchmarkPricesAlone(b *testing.B) {
	c, _ := setup(b)
	b.ReportAllocs()
	for b.Loop() {
		pricing.Compare(c, query(c))
	}
}

func BenchmarkReadScenario(b *testing.B) {
	l := library(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Scenario("finetune-70b"); err != nil {
			b.Fatal(err)
		}
	}
}
