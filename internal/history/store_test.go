package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
)

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"":                         "no file or URL",
		"mysql://root@localhost/x": `unknown kind "mysql"`,
		text:                       "not a database",
		dir:                        dir,
		"postgres://u:secret@127.0.0.1:1/x?connect_timeout=2": "127.0.0.1",
		"postgres://u:secret@127.0.0.1:bad/x":                 "store:",
	} {
		s, err := Open(t.Context(), url)
		if err == nil {
			closeStore(t, s)
			t.Errorf("%q was opened", url)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := OpenRead(t.Context(), filepath.Join(dir, "none.db")); !errors.Is(err, ErrNoStore) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("OpenRead made a file")
	}
}

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder with ?#% signs", "prices.db")
	s := openStore(t, path)
	apply(t, s, at(1), offer("aws", "a", "1", 1))
	for _, f := range []string{path, path + "-wal"} {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", f, info, err)
		}
	}
	if s.Location() != path {
		t.Error(s.Location())
	}
}

func TestReadersCannotWrite(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		if s, err := OpenRead(t.Context(), url); err == nil { // an empty schema, or no file
			closeStore(t, s)
			t.Error("an empty store was opened for reading")
		}
		w := openStore(t, url)
		apply(t, w, at(1), offer("aws", "a", "1", 1))
		r, err := OpenRead(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer closeStore(t, r)
		if got := lines(allSeries(t, r, Filter{})); len(got) != 1 {
			t.Error(got)
		}
		if err := r.Record(t.Context(), Run{Source: "x", FetchedAt: day(1), Verdict: Failed}); err == nil {
			t.Error("a reader wrote")
		}
		apply(t, w, at(2), offer("aws", "a", "2", 2))
		if got := lines(allSeries(t, r, Filter{})); len(got) != 2 {
			t.Error("a reader does not see the next run", got)
		}
	})
}

// Many processes may open a new store at once; one that is newer is refused.
func TestMigrations(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		var wait sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wait.Go(func() {
				s, err := Open(t.Context(), url)
				if err == nil {
					err = s.Close()
				}
				errs[i] = err
			})
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, url)
		if _, err := s.db.Exec("INSERT INTO schema_version(version) VALUES (99)"); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(context.Context, string) (*Store, error){Open, OpenRead} {
			if _, err := open(t.Context(), url); !errors.Is(err, ErrVersion) {
				t.Errorf("a newer store: %v", err)
			}
		}
	})
}

// Without a search_path the tables have a schema of their own.
func TestOwnSchema(t *testing.T) {
	url := postgresURL(t)
	base, _, _ := strings.Cut(url, "&search_path=")
	first := openStore(t, base)
	if _, err := first.db.Exec("DROP SCHEMA gpucost CASCADE"); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, base)
	apply(t, s, at(1), offer("aws", "a", "1", 1))
	var n int
	if err := s.db.QueryRow("SELECT count(*) FROM gpucost.observation").Scan(&n); err != nil || n != 1 {
		t.Error(n, err)
	}
	if _, err := s.db.Exec("DROP SCHEMA gpucost CASCADE"); err != nil {
		t.Error(err)
	}
	if _, err := Open(t.Context(), base+"&search_path=nowhere"); err == nil || !strings.Contains(err.Error(), "no schema nowhere") {
		t.Error(err)
	}
}

// A migration that fails leaves the store as it was.
func TestFailedMigration(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		apply(t, s, at(1), offer("aws", "a", "1", 1))
		before := migrations
		defer func() { migrations = before }()
		migrations = append(slices.Clip(before), func(*dialect) []string {
			return []string{"DELETE FROM observation", "CREATE TABLE nonsense("}
		})
		if _, err := Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), fmt.Sprint("migration ", len(before)+1)) {
			t.Fatal(err)
		}
		migrations = before
		if got := lines(allSeries(t, openStore(t, url), Filter{})); len(got) != 1 {
			t.Error(got)
		}
	})
}

// A store of the first version keeps its rows and takes figures after it was
// opened; until then it is not read, and it is said why.
func TestMigrateFromTheFirstVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		old := openStore(t, url)
		apply(t, old, at(1), offer("aws", "a", "1", 1))
		for _, statement := range []string{"DROP TABLE interruption", "DELETE FROM schema_version WHERE version = 2"} {
			if _, err := old.db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := OpenRead(t.Context(), url); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "a refresh migrates it") {
			t.Error(err)
		}
		s := openStore(t, url)
		if d := cmp.Diff([]string{"a 1.00 01..01 open"}, lines(allSeries(t, s, Filter{}))); d != "" {
			t.Error(d)
		}
		if res, err := s.Apply(t.Context(), Run{Source: "advisor", FetchedAt: day(2)}, Batch{Interruption: figures("us-east-1:5..10")}); err != nil || res.New != 1 {
			t.Error(res, err)
		}
	})
}

// Teams that refresh the same sources at the same time make no duplicates,
// and readers see whole runs only.
func TestTeams(t *testing.T) {
	const teams, rounds, rows = 4, 6, 40
	onBoth(t, func(t *testing.T, url string) {
		apply(t, openStore(t, url), Run{Source: "shared", FetchedAt: day(1)}, offers(rows, 0)...)
		var writers, readers sync.WaitGroup
		stop := make(chan struct{})
		var mu sync.Mutex
		verdicts := map[Verdict]int{}
		for team := range teams {
			s := openStore(t, url)
			writers.Go(func() {
				for round := range rounds {
					for _, source := range []string{"shared", fmt.Sprint("own", team)} {
						run := Run{Source: source, FetchedAt: day(2).Add(time.Duration(round)*time.Hour + time.Duration(team)*time.Minute)}
						res, err := s.Apply(t.Context(), run, Batch{Offers: Offers(offers(rows, round+1))})
						if err != nil {
							t.Error(err)
							return
						}
						if source == "shared" {
							mu.Lock()
							verdicts[res.Verdict]++
							mu.Unlock()
						}
					}
				}
			})
		}
		reader := openStore(t, url)
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				latest, err := reader.Latest(t.Context(), Filter{Sources: []string{"shared"}}, time.Time{})
				if err != nil {
					t.Error(err)
					return
				}
				prices := map[string]bool{}
				for _, o := range latest.Offers {
					prices[o.Prices[0].Low.String()] = true
				}
				if len(latest.Offers) != rows || len(prices) != 1 {
					t.Errorf("half a run: %d offers, prices %v", len(latest.Offers), prices)
					return
				}
			}
		})
		writers.Wait()
		close(stop)
		readers.Wait()
		for _, series := range allSeries(t, reader, Filter{Sources: []string{"shared"}}) {
			for i, p := range series.Points {
				if i > 0 && (p.Low == series.Points[i-1].Low || !p.ObservedAt.Equal(series.Points[i-1].EndedAt)) {
					t.Fatalf("%+v repeats or overlaps %+v", p, series.Points[i-1])
				}
			}
			if got := series.Points[len(series.Points)-1]; !got.Open() || got.Low.String() != fmt.Sprintf("%d.00", rounds+1) {
				t.Fatalf("last: %+v", got)
			}
		}
		if n := verdicts[Updated] + verdicts[Unchanged] + verdicts[Superseded]; n != teams*rounds || verdicts[Updated] < 1 {
			t.Error(verdicts)
		}
	})
}

// offers makes rows offers of one price: round + 1 dollars.
func offers(rows, round int) (list []catalog.Offer) {
	for i := range rows {
		list = append(list, offer("aws", fmt.Sprint("i", i), fmt.Sprint(round+1), 2))
	}
	return list
}

// A writer waits for the one before it, and gives up with its context.
func TestWaiting(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		a, b := openStore(t, url), openStore(t, url)
		holding, release := make(chan struct{}), make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			err := a.write(t.Context(), "hold", func(*tx) error { close(holding); <-release; return nil })
			if err != nil {
				t.Error(err)
			}
		})
		<-holding
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := b.Apply(ctx, Run{Source: "x", FetchedAt: day(1)}, Batch{Offers: Offers(offers(1, 0))}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting: %v", err)
		}
		if _, err := b.Sources(t.Context()); err != nil { // a reader does not wait
			t.Error(err)
		}
		close(release)
		wait.Wait()
		apply(t, b, at(1), offers(1, 0)...)
		if d := cmp.Diff([]string{"i0 1.00 01..01 open"}, lines(allSeries(t, b, Filter{}))); d != "" {
			t.Error(d)
		}
	})
}

// The view for people shows amounts and times in words.
func TestView(t *testing.T) {
	onBoth(t, func(t *testing.T, url string) {
		s := openStore(t, url)
		apply(t, s, at(1), offer("aws", "a", "1.5", 1))
		var low, observed string
		err := s.db.QueryRow("SELECT CAST(low AS TEXT), CAST(observed_at AS TEXT) FROM price_history WHERE provider = 'aws'").Scan(&low, &observed)
		if err != nil || low != "1.500000000" || !strings.HasPrefix(observed, "2026-11-01") {
			t.Error(low, observed, err)
		}
	})
}
