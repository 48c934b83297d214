//go:build unix

package cli

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// The environment of this test: the server and the time of a refresh that is
// to be killed, how often each store's is killed, and a seed to repeat a run.
const (
	killServerEnv = "GPUCOST_TEST_KILL_SERVER"
	killNowEnv    = "GPUCOST_TEST_KILL_NOW"
	killsEnv      = "GPUCOST_TEST_KILLS"
	killSeedEnv   = "GPUCOST_TEST_KILL_SEED"
)

// TestMain makes the test binary the program itself when a kill test asks for
// it: all of it but the clock and the way to the network.
func TestMain(m *testing.M) {
	server := os.Getenv(killServerEnv)
	if server == "" {
		os.Exit(m.Run())
	}
	now, err := time.Parse(time.RFC3339, os.Getenv(killNowEnv))
	at, err2 := url.Parse(server)
	if err != nil || err2 != nil {
		panic(fmt.Sprint(err, err2))
	}
	a := &App{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Getenv, Now: func() time.Time { return now }, ReadFile: os.ReadFile,
		Terminal: func() (int, bool) { return 0, false }, Transport: &lab{server: at},
	}
	os.Exit(a.Run(context.Background(), os.Args[1:]))
}

// killSources are the sources of this test: two lists of prices, rates, and
// how often spot is taken away.
const killSources = "vultr,skypilot/aws,ecb,aws-spot-advisor"

// killRows is how many rows each list has: so many that writing them takes its
// part of the whole duration.
const killRows = 600

// serve makes the server answer as of version k: a quarter of the prices has
// moved since the version before, some rows are missing, and now and then a
// list is eight times too dear, unchanged or an error.
func (w *lab) serve(k int) {
	dear := func(i int) float64 { return map[bool]float64{true: 0.1}[(i+k)%4 == 0] }
	gone := func(i int) bool { return i%50 == 1+k%3 }
	var vultr, sky, advisor []string
	for i := range killRows {
		dollars := 2.5 + dear(i)
		if k%5 == 3 {
			dollars *= 8
		}
		if !gone(i) {
			vultr = append(vultr, fmt.Sprintf(`{"id":"vcg-h100-%d","vcpu_count":16,"ram":245760,"hourly_cost":%g,"locations":["ewr"],"gpu_vram_gb":80,"gpu_type":"NVIDIA_H100"}`, i, dollars))
			sky = append(sky, fmt.Sprintf("p5.48xlarge,H100,8.0,192.0,2048.0,%.2f,%.2f,us-east-%d,us-east-%da", 55+dear(i), 20+dear(i+1), i, i))
			advisor = append(advisor, fmt.Sprintf(`"us-east-%d":{"Linux":{"p5.48xlarge":{"s":%d,"r":%d}}}`, i, 50+i%40, (i/4+k/4)%3))
		}
	}
	answer := func(kind, tag string, parts ...string) http.HandlerFunc {
		return func(res http.ResponseWriter, req *http.Request) {
			if req.Header.Get("If-None-Match") == tag {
				res.WriteHeader(http.StatusNotModified)
				return
			}
			res.Header().Set("ETag", tag)
			res.Header().Set("Content-Type", kind)
			for _, p := range parts { // the body arrives bit by bit
				fmt.Fprint(res, p)
				_ = http.NewResponseController(res).Flush()
				time.Sleep(2 * time.Millisecond)
			}
		}
	}
	half := killRows / 2
	plans := answer("application/json", fmt.Sprintf(`"v%d"`, k), `{"plans":[`, strings.Join(vultr[:half], ","), ","+strings.Join(vultr[half:], ",")+`],"meta":{"links":{"next":""}}}`)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts["api.vultr.com"] = func(res http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "plans-metal") {
			answer("application/json", `"metal"`, metal)(res, req)
			return
		}
		plans(res, req)
	}
	w.hosts["raw.githubusercontent.com"] = answer("text/plain", fmt.Sprintf(`"s%d"`, k/3),
		"InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n", strings.Join(sky, "\n"))
	w.hosts["spot-bid-advisor.s3.amazonaws.com"] = answer("application/json", fmt.Sprintf(`"a%d"`, k),
		`{"ranges":[{"index":0,"label":"<5%"},{"index":1,"label":"5-10%"},{"index":2,"label":">20%"}],"spot_advisor":{`, strings.Join(advisor, ","), "}}")
	w.hosts["www.ecb.europa.eu"] = euros(w.now.Format(time.DateOnly))
	if k%7 == 4 {
		w.hosts["www.ecb.europa.eu"] = nil // an error
	}
}

// TestKillRefresh kills the whole program at random moments of a refresh.
// What it leaves is compared with a store in which the sources that came
// through were refreshed in peace: so each list is there as a whole or not at
// all, and where it is not, the rows before it stay with their times.
func TestKillRefresh(t *testing.T) {
	kills := 12
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		kills = n
	} else if testing.Short() {
		kills = 3
	}
	seed := rand.Uint64()
	if n, err := strconv.ParseUint(os.Getenv(killSeedEnv), 10, 64); err == nil {
		seed = n
	}
	t.Run("sqlite", func(t *testing.T) {
		killRefreshes(t, kills, seed, func() *lab { return newLab(t) })
	})
	t.Run("postgres", func(t *testing.T) {
		killRefreshes(t, kills, seed, func() *lab { return newLab(t).onPostgres() })
	})
}

// killed is a store whose refreshes are killed, beside one in peace.
type killed struct {
	*lab
	peace *lab
	step  int
}

func newKilled(t *testing.T, kind func() *lab) *killed {
	k := &killed{lab: kind(), peace: newLab(t)}
	k.peace.server = k.server
	if strings.Contains(k.store, "://") { // to tell its connections from others
		k.store += "&application_name=kill" + strconv.FormatUint(rand.Uint64(), 36)
	}
	return k
}

func killRefreshes(t *testing.T, kills int, seed uint64, kind func() *lab) {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // to be repeated
	t.Logf("%d kills, %s=%d", kills, killSeedEnv, seed)
	main := newKilled(t, kind)
	var whole time.Duration
	ended := map[string]int{}
	done := 0
	for n := 0; done < kills && n < 3*kills; n++ {
		if n%8 == 0 { // not killed, to know how long it takes on a machine as busy as this
			whole, _ = main.attempt(time.Minute)
		}
		k := main
		if n%10 == 9 { // a store in the making
			k = newKilled(t, kind)
			k.step = random.IntN(100)
		}
		took, left := k.attempt(time.Duration(random.Int64N(int64(whole * 11 / 10))))
		if took < 0 {
			done++
			ended[left]++
		}
		k.again()
	}
	t.Logf("%d kills within 1.1 x the whole duration (lately %s), what they left: %v", done, whole.Round(time.Millisecond), ended)
	if done < kills {
		t.Errorf("only %d of %d refreshes were still running when they were to be killed", done, kills)
	}
}

// attempt lets a process refresh the next version and kills it after a while.
// It returns how long it took, or -1 if it was killed, and what it left.
func (k *killed) attempt(kill time.Duration) (took time.Duration, left string) {
	k.t.Helper()
	k.step++
	k.now = k.now.Add(time.Hour)
	k.serve(k.step)
	asked := len(k.asked)
	child := exec.Command(os.Args[0], "prices", "refresh", "--source", killSources, "--store", k.store)
	child.Env = append(os.Environ(), killServerEnv+"="+k.server.String(), killNowEnv+"="+k.now.Format(time.RFC3339), "LC_ALL=C.UTF-8")
	var said strings.Builder
	child.Stdout, child.Stderr = &said, &said
	start := time.Now()
	if err := child.Start(); err != nil {
		k.t.Fatal(err)
	}
	timer := time.AfterFunc(kill, func() { _ = child.Process.Kill() })
	err := child.Wait()
	took = time.Since(start)
	timer.Stop()
	switch status := child.ProcessState.Sys().(syscall.WaitStatus); {
	case status.Signaled() && status.Signal() == syscall.SIGKILL: //nolint:misspell // Go's own name
		took = -1
	case err != nil && status.ExitStatus() != exitPartial:
		k.t.Fatalf("step %d: %v\n%s", k.step, err, said.String())
	}
	through, ok := k.check()
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case len(k.asked) == asked:
		return took, "nothing asked"
	case !ok:
		return took, "no tables"
	}
	return took, fmt.Sprintf("%d lists stored", through)
}

// check looks at the store after a refresh: it is sound, and it is what the
// store in peace is after the same lists were refreshed there. ok is false
// while there are no tables.
func (k *killed) check() (through int, ok bool) {
	k.t.Helper()
	db := openDatabase(k.lab)
	defer db.end()
	if len(db.rows(`SELECT 1 FROM schema_version`)) == 0 {
		return 0, false
	}
	for what, query := range soundness {
		if bad := db.rows(query); len(bad) > 0 {
			k.t.Fatalf("step %d: %s: %s", k.step, what, bad[0])
		}
	}
	names := db.rows("SELECT name FROM source WHERE last_accepted_at = " + strconv.FormatInt(k.now.UnixMicro(), 10))
	if k.peace.now = k.now; len(names) > 0 {
		k.peace.want(0, "prices", "refresh", "--source", strings.Join(names, ","))
	}
	k.same(db)
	return len(names), true
}

// again refreshes both stores in this process, a while later.
func (k *killed) again() {
	k.t.Helper()
	k.now = k.now.Add(30 * time.Minute)
	k.peace.now = k.now
	ask := []string{"prices", "refresh", "--source", killSources}
	a, b := k.run(k.t.Context(), ask...), k.peace.run(k.t.Context(), ask...)
	if a != b || a != 0 && a != exitPartial {
		k.t.Fatalf("step %d: the refresh after it ended with %d, in peace with %d\n%s%s", k.step, a, b, k.out, k.errs)
	}
	db := openDatabase(k.lab)
	defer db.end()
	k.same(db)
}

// same compares everything that is told of prices with the store in peace.
func (k *killed) same(db *database) {
	k.t.Helper()
	peace := openDatabase(k.peace)
	defer peace.end()
	since := strconv.FormatInt(k.now.Add(-8*time.Hour).UnixMicro(), 10) // what ended before was compared then
	for _, query := range contents {
		query = strings.ReplaceAll(query, "{since}", since)
		want, got := peace.rows(query), db.rows(query)
		if d := cmp.Diff(want, got); d != "" {
			k.t.Fatalf("step %d: %s: %d rows, in peace %d\n%.2000s", k.step, query, len(got), len(want), d)
		}
	}
}

// soundness are queries that find what must not be.
var soundness = map[string]string{
	"an observation without a series":         "SELECT series_id FROM observation WHERE series_id NOT IN (SELECT id FROM series)",
	"a series without an observation":         "SELECT id FROM series WHERE id NOT IN (SELECT series_id FROM observation)",
	"an observation of no accepted run":       "SELECT run_id FROM observation WHERE run_id NOT IN (SELECT id FROM run WHERE verdict IN ('updated', 'unchanged'))",
	"a rate of no accepted run":               "SELECT run_id FROM fx_rate WHERE run_id NOT IN (SELECT id FROM run WHERE verdict IN ('updated', 'unchanged'))",
	"a source that goes by no accepted run":   "SELECT name FROM source WHERE last_accepted_at IS NOT NULL AND last_accepted_run NOT IN (SELECT id FROM run WHERE fetched_at = last_accepted_at)",
	"a value verified after the last run":     "SELECT o.series_id FROM observation o JOIN series s ON s.id = o.series_id JOIN source ON source.id = s.source_id WHERE o.last_verified_at > source.last_accepted_at",
	"a figure of no accepted run":             "SELECT run_id FROM interruption WHERE run_id NOT IN (SELECT id FROM run WHERE verdict IN ('updated', 'unchanged'))",
	"a value that a run saw and did not date": "SELECT o.series_id FROM observation o JOIN run ON run.id = o.run_id WHERE o.observed_at > run.fetched_at",
}

// contents are what two stores must agree on, without the numbers of rows and
// runs, which depend on which list came first, and without the runs that
// changed nothing.
var contents = []string{
	`SELECT src.name, s.identity, s.provider, s.instance, s.gpu, s.gpus, s.region, s.purchase, s.plan, s.attrs, s.missed, s.missed_since,
		o.low_nano, o.high_nano, o.currency, o.per, o.as_of, o.observed_at, o.last_verified_at, o.ended_at, o.end_reason, run.fetched_at
		FROM observation o JOIN series s ON s.id = o.series_id JOIN source src ON src.id = s.source_id JOIN run ON run.id = o.run_id
		WHERE o.ended_at > {since}`,
	`SELECT count(*) FROM observation HAVING count(*) > 0`,
	`SELECT src.name, i.provider, i.gpu, i.metric, i.ref, i.low_nano, i.high_nano, i.unit, i.as_of, i.note, i.missed, i.missed_since,
		i.observed_at, i.last_verified_at, i.ended_at, i.end_reason, run.fetched_at
		FROM interruption i JOIN source src ON src.id = i.source_id JOIN run ON run.id = i.run_id
		WHERE i.ended_at > {since}`,
	`SELECT count(*) FROM interruption HAVING count(*) > 0`,
	`SELECT base, quote, rate_date, source, rate_nano, run.fetched_at FROM fx_rate JOIN run ON run.id = run_id`,
	`SELECT source.name, fetched_at, published_at, verdict, bytes, content_sha256, seen, fresh, changed, missing, gone, rejected
		FROM run JOIN source ON source.id = source_id WHERE verdict IN ('updated', 'unchanged') AND fetched_at > {since}`,
	`SELECT count(*) FROM run WHERE verdict IN ('updated', 'unchanged') HAVING count(*) > 0`,
	`SELECT name, first_accepted_at, last_accepted_at FROM source WHERE last_accepted_at IS NOT NULL`,
	`SELECT name, url, etag, last_modified FROM validator JOIN source ON source.id = source_id`,
}

// database reads a store past the program.
type database struct {
	t     *testing.T
	query func(string) (*sql.Rows, error) // of SQLite, or
	conn  *pgx.Conn
	close func() error
}

// openDatabase opens a lab's store when every process that was killed has let
// go of it, and has SQLite check the file.
func openDatabase(w *lab) *database {
	w.t.Helper()
	ctx := context.Background()
	db := &database{t: w.t}
	base, name, isPostgres := strings.Cut(w.store, "&application_name=")
	if isPostgres {
		conn, err := pgx.Connect(ctx, base)
		if err != nil {
			w.t.Fatal(err)
		}
		db.conn, db.close = conn, func() error { return conn.Close(ctx) }
		for len(db.rows("SELECT pid FROM pg_stat_activity WHERE application_name = '"+name+"'")) > 0 {
			time.Sleep(5 * time.Millisecond)
		}
		return db
	}
	file, err := sql.Open("sqlite", w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	db.query, db.close = func(q string) (*sql.Rows, error) { return file.QueryContext(ctx, q) }, file.Close
	if check := db.rows("PRAGMA integrity_check"); !slices.Equal(check, []string{"ok"}) {
		w.t.Fatal(check)
	}
	return db
}

func (db *database) end() {
	if err := db.close(); err != nil {
		db.t.Error(err)
	}
}

// rows are the rows of a query in words, sorted; none when there is no such
// table.
func (db *database) rows(query string) (list []string) {
	db.t.Helper()
	err := db.each(query, func(values []any) {
		for i, v := range values {
			if b, ok := v.([]byte); ok {
				values[i] = fmt.Sprintf("%x", b)
			}
		}
		list = append(list, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	})
	if err != nil && !strings.Contains(err.Error(), "no such table") && !strings.Contains(err.Error(), "42P01") {
		db.t.Fatalf("%s: %v", query, err)
	}
	slices.Sort(list)
	return list
}

func (db *database) each(query string, f func([]any)) error {
	if db.conn != nil {
		rows, err := db.conn.Query(db.t.Context(), query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			values, err := rows.Values()
			if err != nil {
				return err
			}
			f(values)
		}
		return rows.Err()
	}
	rows, err := db.query(query)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // reading only
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		f(values)
	}
	return rows.Err()
}
