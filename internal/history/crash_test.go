//go:build unix

package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
)

// crashEnv makes the test binary a writer to be killed: "URL" of its store.
const crashEnv = "GPUCOST_TEST_CRASH_CHILD"

// crashesEnv sets how often each store's writer is killed.
const crashesEnv = "GPUCOST_TEST_CRASHES"

func TestMain(m *testing.M) {
	if url := os.Getenv(crashEnv); url != "" {
		if err := crashChild(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// crashRows is the size of a run: some milliseconds of writing.
const crashRows = 200

// crashStep is run k of the writer: most rows as before, some changed, some
// missing, now and then a run that fails in the middle.
func crashStep(ctx context.Context, s *Store, k int) error {
	run := Run{Source: "bench", FetchedAt: day(1).Add(time.Duration(k) * time.Minute)}
	offers := func(yield func(catalog.Offer, error) bool) {
		i := 0
		for o, err := range generate(crashRows, k, 7, run.FetchedAt) {
			if k%5 == 0 && i == crashRows/2 {
				yield(o, errBroken)
				return
			}
			if (i%11 != 0 || k%7 > 3) && !yield(o, err) { // every 11th row goes for good and comes back
				return
			}
			i++
		}
	}
	_, err := s.Apply(ctx, run, Batch{Offers: offers})
	if errors.Is(err, errBroken) {
		run.Verdict = Failed
		return s.Record(ctx, run)
	}
	return err
}

var errBroken = errors.New("connection reset")

// crashChild refreshes without end and says so after each run.
func crashChild(url string) error {
	ctx := context.Background()
	s, err := Open(ctx, url)
	if err != nil {
		return err
	}
	for k := lastStep(ctx, s) + 1; ; k++ {
		if err := crashStep(ctx, s, k); err != nil {
			return err
		}
		if _, err := fmt.Println(k); err != nil {
			return err
		}
	}
}

// lastStep is the number of the last run in the store.
func lastStep(ctx context.Context, s *Store) int {
	list, err := s.Sources(ctx)
	if err != nil || len(list) == 0 {
		return 0
	}
	return int(list[0].LastAttempt.Sub(day(1)) / time.Minute)
}

// A writer that is killed at any point leaves exactly the runs it finished.
func TestKill(t *testing.T) {
	crashes := 12
	if n, err := strconv.Atoi(os.Getenv(crashesEnv)); err == nil {
		crashes = n
	}
	if testing.Short() {
		crashes = 3
	}
	onBoth(t, func(t *testing.T, url string) {
		// The reference does the same runs without being killed.
		reference := openStore(t, filepath.Join(t.TempDir(), "reference.db"))
		done, inTheMiddle := 0, 0
		for range crashes {
			said := killOnce(t, url)
			s := openStore(t, url)
			// Behind the dead writer's lock: PostgreSQL may still be ending its transaction.
			if err := s.write(t.Context(), "wait", func(*tx) error { return nil }); err != nil {
				t.Fatal(err)
			}
			reached := lastStep(t.Context(), s)
			if reached < max(said, done) || said > 0 && reached > said+1 {
				t.Fatalf("the writer said %d, the store has %d, before it had %d", said, reached, done)
			}
			if reached > said {
				inTheMiddle++
			}
			for ; done < reached; done++ {
				if err := crashStep(t.Context(), reference, done+1); err != nil {
					t.Fatal(err)
				}
			}
			// What ended more than a few runs ago was compared then: now only its count.
			recent := day(1).Add(time.Duration(reached-8) * time.Minute)
			if d := cmp.Diff(everything(t, reference, recent), everything(t, s, recent)); d != "" {
				t.Fatalf("after run %d: %s", reached, d)
			}
			if s.d == sqliteDialect {
				var ok string
				if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
					t.Fatal(ok, err)
				}
			}
			closeStore(t, s)
		}
		t.Logf("%d kills, %d runs, %d of them ended unsaid", crashes, done, inTheMiddle)
	})
}

// everything is the store as text: what held since a time, and counts.
func everything(t testing.TB, s *Store, since time.Time) string {
	var b strings.Builder
	if _, err := s.ExportCSV(t.Context(), &b, ExportOptions{From: since}); err != nil {
		t.Fatal(err)
	}
	status, err := s.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%+v", status)
	for _, table := range []string{"series", "observation", "run", "counter"} {
		var n int
		if err := s.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n%d in %s", n, table)
	}
	return b.String()
}

// killOnce starts a writer, kills it at a random moment and returns the last
// run it said was done; 0 for none.
func killOnce(t *testing.T, url string) (said int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashEnv+"="+url)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if rand.IntN(4) > 0 { // else it may die while it opens the store
		lines.Scan()
		said, _ = strconv.Atoi(lines.Text())
	}
	time.Sleep(rand.N(30 * time.Millisecond))
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		said, _ = strconv.Atoi(lines.Text())
	}
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return said
}
