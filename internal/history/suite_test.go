package history

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// postgresEnv names the environment variable with the URL of a PostgreSQL
// that the tests may make schemas in: eval "$(.ci/postgres.sh start)".
const postgresEnv = "GPUCOST_TEST_POSTGRES"

// onBoth runs a test against an empty store of each kind.
func onBoth(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), "prices.db")) })
	t.Run("postgres", func(t *testing.T) { f(t, postgresURL(t)) })
}

// postgresURL is the URL of a schema of its own, dropped after the test.
func postgresURL(t testing.TB) string {
	base := os.Getenv(postgresEnv)
	if base == "" {
		t.Skipf("no PostgreSQL: %s is not set; start one with .ci/postgres.sh", postgresEnv)
	}
	schema := strings.ToLower("test_" + rand.Text())
	run := func(statement string) {
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, base)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(ctx) }()
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	run("CREATE SCHEMA " + schema)
	t.Cleanup(func() { run("DROP SCHEMA " + schema + " CASCADE") })
	return base + "&search_path=" + schema
}

func openStore(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// day is a moment on a day of November 2026.
func day(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }

func date(n int) catalog.Date { return catalog.DateOf(day(n)) }

// offer is an H100 offer with an on-demand price of the day.
func offer(provider, instance string, dollars string, n int) catalog.Offer {
	a := money.MustParse(dollars, "USD")
	return catalog.Offer{
		Provider: provider, Kind: "vm", Instance: instance, Region: "us-east-1", GPU: "h100-80gb-sxm", GPUKnown: true, GPUs: unit.Whole(8),
		Prices: []catalog.Price{{
			Purchase: catalog.OnDemand, Low: a, High: a, Per: unit.PerInstanceHour, AsOf: date(n), Source: "test", Confidence: catalog.High,
		}},
	}
}

func apply(t testing.TB, s *Store, run Run, offers ...catalog.Offer) Result {
	t.Helper()
	if run.Source == "" {
		run.Source = "test"
	}
	res, err := s.Apply(t.Context(), run, Batch{Offers: Offers(offers)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func at(n int) Run { return Run{FetchedAt: day(n)} }

func allSeries(t testing.TB, s *Store, f Filter) (list []Series) {
	t.Helper()
	for series, err := range s.History(t.Context(), f, time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, series)
	}
	return list
}

// lines is a history in words: one line per point, sorted: "instance low observed..verified end reason".
func lines(list []Series) (out []string) {
	for _, s := range list {
		for _, p := range s.Points {
			end := "open"
			if !p.Open() {
				end = p.EndedAt.Format("02") + " " + p.EndReason
			}
			out = append(out, fmt.Sprintf("%s %s %s..%s %s", s.Instance, p.Low, p.ObservedAt.Format("02"), p.LastVerifiedAt.Format("02"), end))
		}
	}
	slices.Sort(out)
	return out
}
