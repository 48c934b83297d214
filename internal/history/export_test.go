package history

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/gpucost/gpucost/internal/money"
)

func TestExport(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		unknown := offer("aws", "b", "1", 1)
		unknown.Prices[0].Low, unknown.Prices[0].High = money.Amount{}, money.Amount{}
		apply(t, s, Run{FetchedAt: day(1).AddDate(0, -1, 0)}, offer("aws", "a", "9.000000001", 1))
		apply(t, s, at(2), offer("aws", "a", "10", 2), unknown)

		dir := t.TempDir()
		for range 2 { // a second export replaces the first
			paths, rows, err := s.ExportParquet(t.Context(), dir, ExportOptions{})
			if err != nil || rows != 3 {
				t.Fatal(rows, err)
			}
			want := []string{filepath.Join(dir, "year=2026", "month=10", "prices.parquet"), filepath.Join(dir, "year=2026", "month=11", "prices.parquet")}
			if d := cmp.Diff(want, paths); d != "" {
				t.Fatal(d)
			}
			read, err := parquet.ReadFile[parquetRow](paths[0])
			if err != nil || len(read) != 1 {
				t.Fatal(read, err)
			}
			r := read[0]
			if *r.Low != 9_000_000_001 || r.Currency != "USD" || r.Instance != "a" || !r.ObservedAt.Equal(day(1).AddDate(0, -1, 0)) ||
				!r.EndedAt.Equal(day(2)) || r.EndReason != "changed" {
				t.Errorf("%+v", r)
			}
			november, err := parquet.ReadFile[parquetRow](paths[1])
			if err != nil || len(november) != 2 {
				t.Fatal(november, err)
			}
			for _, r := range november {
				if (r.Low == nil) != (r.Instance == "b") || r.EndedAt != nil {
					t.Errorf("%+v", r)
				}
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*", "*", ".*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}

		var out bytes.Buffer
		rows, err := s.ExportCSV(t.Context(), &out, ExportOptions{Filter: Filter{Instances: []string{"a"}}, From: day(2)})
		if err != nil || rows != 1 {
			t.Fatal(rows, err)
		}
		want := strings.Join(csvHeader, ",") +
			"\n1,test,aws,a,h100-80gb-sxm,8,us-east-1,,,on_demand,,0,10.00,10.00,USD,instance_hour,false,2026-11-02,2026-11-02T12:00:00Z,2026-11-02T12:00:00Z,,\n"
		if d := cmp.Diff(want, out.String()); d != "" {
			t.Error(d)
		}
	})
}

func TestExportStopsCleanly(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "prices.db"))
	apply(t, s, at(1), offer("aws", "a", "9", 1))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ExportParquet(t.Context(), file, ExportOptions{}); err == nil {
		t.Error("exported below a file")
	}
}

func TestPrune(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		apply(t, s, at(1), offer("aws", "a", "1", 1), offer("aws", "b", "5", 1))
		for n := 2; n <= 5; n++ { // b goes on day 2
			apply(t, s, at(n), offer("aws", "a", []string{"2", "2", "3", "3"}[n-2], n))
		}
		if err := s.Record(t.Context(), Run{Source: "test", FetchedAt: day(6), Verdict: Failed, Rejected: []Rejection{{"a", "b"}}}); err != nil {
			t.Fatal(err)
		}
		policy := PrunePolicy{ObservationsBefore: day(3), RunsBefore: day(30), DryRun: true}
		want := Pruned{Observations: 2, Series: 1, Runs: 4}
		for _, dry := range []bool{true, true, false} {
			policy.DryRun = dry
			got, err := s.Prune(t.Context(), policy)
			if err != nil || got != want {
				t.Errorf("dry %v: %+v %v, want %+v", dry, got, err, want)
			}
		}
		if got, err := s.Prune(t.Context(), policy); err != nil || got != (Pruned{}) {
			t.Errorf("again: %+v %v", got, err)
		}
		if d := cmp.Diff([]string{"a 2.00 02..03 04 changed", "a 3.00 04..05 open"}, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		// The next run still knows the source, and a new series gets a new number.
		if res := apply(t, s, at(7), offer("aws", "a", "3", 7), offer("aws", "c", "3", 7)); res.Unchanged != 1 || res.New != 1 {
			t.Errorf("%+v", res)
		}
		for _, series := range allSeries(t, s, Filter{Instances: []string{"c"}}) {
			if series.ID != 3 {
				t.Errorf("series %d", series.ID)
			}
		}
	})
}

func TestFilter(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		a, b, c := offer("aws", "a", "1", 1), offer("oci", "b_1", "2", 1), offer("aws", "c", "3", 1)
		b.Region, b.GPU, b.Tier = "eu-west%1", "a100", "secure"
		c.Prices[0].Purchase, c.Prices[0].TermMonths, c.Prices[0].Plan = "reserved", 12, "savings_plan"
		apply(t, s, at(1), a, b, c)
		for _, test := range []struct {
			f    Filter
			want string
		}{
			{Filter{}, "abc"},
			{Filter{GPUs: []string{"a100", "b200"}}, "b"},
			{Filter{Providers: []string{"aws"}}, "ac"},
			{Filter{Sources: []string{"test"}}, "abc"},
			{Filter{Sources: []string{"tes"}}, ""},
			{Filter{Regions: []string{"US-*"}}, "ac"},
			{Filter{Regions: []string{"eu-west%*", "nowhere"}}, "b"},
			{Filter{Regions: []string{"us_east_1"}}, ""},
			{Filter{Instances: []string{"b_1"}}, "b"},
			{Filter{Tiers: []string{"secure"}}, "b"},
			{Filter{Plan: "savings_plan"}, "c"},
			{Filter{TermMonths: 12}, "c"},
			{Filter{Providers: []string{"aws"}, GPUs: []string{"h100-80gb-sxm"}, TermMonths: 1}, ""},
		} {
			got := ""
			for _, l := range lines(allSeries(t, s, test.f)) {
				got += l[:1]
			}
			if got != test.want {
				t.Errorf("%+v: %s, want %s", test.f, got, test.want)
			}
		}
		n := 0
		for _, err := range s.History(t.Context(), Filter{}, time.Time{}, time.Time{}) { // a reader may stop early
			if n++; err != nil {
				t.Error(err)
			}
			break
		}
		if n != 1 {
			t.Error(n)
		}
	})
}
