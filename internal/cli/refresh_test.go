package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// lab is an App whose network is a server on loopback: a request to
// https://api.vultr.com/... is answered by hosts["api.vultr.com"], any other
// host fails.
type lab struct {
	t         *testing.T
	now       time.Time
	env       map[string]string
	store     string
	hosts     map[string]http.HandlerFunc
	server    *url.URL
	terminal  bool
	out, errs string
	wrote     func() // after each write to standard output
	mu        sync.Mutex
	asked     []string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	w := &lab{
		t: t, now: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC), store: filepath.Join(t.TempDir(), "prices.db"),
		env: map[string]string{"LC_ALL": "C.UTF-8"}, hosts: map[string]http.HandlerFunc{},
	}
	s := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		host := req.Header.Get("X-Asked-Host")
		w.mu.Lock()
		w.asked = append(w.asked, host+req.URL.Path)
		h := w.hosts[host]
		w.mu.Unlock()
		if h == nil {
			res.WriteHeader(http.StatusBadRequest)
			return
		}
		h(res, req)
	}))
	t.Cleanup(s.Close)
	w.server, _ = url.Parse(s.URL)
	return w
}

// RoundTrip sends every request to the loopback server.
func (w *lab) RoundTrip(req *http.Request) (*http.Response, error) {
	again := req.Clone(req.Context())
	again.Header.Set("X-Asked-Host", req.URL.Host)
	again.URL.Scheme, again.URL.Host, again.Host = w.server.Scheme, w.server.Host, ""
	return http.DefaultTransport.RoundTrip(again)
}

type writer func([]byte) (int, error)

func (f writer) Write(p []byte) (int, error) { return f(p) }

// run runs a command line with the store and returns its exit code.
func (w *lab) run(ctx context.Context, args ...string) int {
	w.t.Helper()
	var out, errs bytes.Buffer
	a := &App{
		Stdin: strings.NewReader(""), Stdout: writer(func(p []byte) (int, error) {
			if w.wrote != nil {
				defer w.wrote()
			}
			return out.Write(p)
		}), Stderr: &errs, Env: func(name string) string { return w.env[name] },
		Now: func() time.Time { return w.now }, ReadFile: os.ReadFile, Terminal: func() (int, bool) { return 0, false },
		ErrTerminal: func() (int, bool) { return 100, w.terminal }, Transport: w,
	}
	code := a.Run(ctx, append(args, "--store", w.store))
	w.out, w.errs = out.String(), errs.String()
	return code
}

// want runs a command line whose exit code is known.
func (w *lab) want(code int, args ...string) {
	w.t.Helper()
	if got := w.run(w.t.Context(), args...); got != code {
		w.t.Fatalf("gpucost %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, w.out, w.errs)
	}
}

func (w *lab) decode(into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.out), into); err != nil {
		w.t.Fatalf("%v in %s", err, w.out)
	}
}

type refreshed struct {
	Sources []struct {
		Source, Verdict, Detail                string
		Rows, New, Changed, Unchanged, Missing int
		KeptRows                               int    `json:"kept_rows"`
		KeptAge                                *int64 `json:"kept_age_seconds"`
	}
}

// say is one line per source: name verdict rows/new/changed/unchanged.
func (r *refreshed) say() string {
	var lines []string
	for _, s := range r.Sources {
		lines = append(lines, fmt.Sprintf("%s %s %d/%d/%d/%d", s.Source, s.Verdict, s.Rows, s.New, s.Changed, s.Unchanged))
	}
	return strings.Join(lines, "\n")
}

// plans is Vultr's list: ten machines of one H100 each, four of them at a
// price an hour, the others at 2.50. (A list that moves as a whole is held.)
func plans(of float64) string {
	var list []string
	for i := range 10 {
		dollars := of
		if i >= 4 {
			dollars = 2.5
		}
		list = append(list, fmt.Sprintf(`{"id":"vcg-h100-%d","vcpu_count":16,"ram":245760,"disk":1000,"disk_count":1,"hourly_cost":%g,"locations":["ewr"],"gpu_vram_gb":80,"gpu_type":"NVIDIA_H100"}`, i, dollars))
	}
	return `{"plans":[` + strings.Join(list, ",") + `],"meta":{"links":{"next":""}}}`
}

const metal = `{"plans_metal":[{"id":"vbm-256c-2048gb-8-mi300x-gpu","cpu_threads":256,"ram":2097152,"disk":3000,"disk_count":8,"hourly_cost":16.5,"locations":["ord"]}],"meta":{"links":{"next":""}}}`

// vultrAt answers with plans at a price, and 304 to whoever has them.
func vultrAt(dollars float64) http.HandlerFunc {
	return func(res http.ResponseWriter, req *http.Request) {
		tag := fmt.Sprintf(`"%g"`, dollars)
		if req.Header.Get("If-None-Match") == tag {
			res.WriteHeader(http.StatusNotModified)
			return
		}
		res.Header().Set("ETag", tag)
		if strings.HasSuffix(req.URL.Path, "plans-metal") {
			fmt.Fprint(res, metal)
			return
		}
		fmt.Fprint(res, plans(dollars))
	}
}

// euros is the ECB's list: 24 currencies, 1 EUR = 1.20 USD = 8.40 CNY.
func euros(day string) http.HandlerFunc {
	cubes := ""
	for pair := range strings.FieldsSeq("USD=1.2000 CNY=8.4000 JPY=165 GBP=0.86 INR=95 BGN=1.9558 CZK=24 DKK=7.46 HUF=390 PLN=4.2 RON=5 SEK=11 " +
		"CHF=0.93 ISK=145 NOK=11.6 TRY=48 AUD=1.8 BRL=6.3 CAD=1.6 HKD=9.3 IDR=19000 ILS=4 KRW=1650 MXN=21") {
		name, rate, _ := strings.Cut(pair, "=")
		cubes += `<Cube currency="` + name + `" rate="` + rate + `"/>`
	}
	return func(res http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(res, `<Envelope xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube><Cube time="%s">%s</Cube></Cube></Envelope>`, day, cubes)
	}
}

// onPostgres gives the lab a schema of its own in the PostgreSQL that
// GPUCOST_TEST_POSTGRES names (.ci/postgres.sh starts one).
func (w *lab) onPostgres() *lab {
	base := os.Getenv("GPUCOST_TEST_POSTGRES")
	if base == "" {
		w.t.Skip("no PostgreSQL: GPUCOST_TEST_POSTGRES is not set; start one with .ci/postgres.sh")
	}
	conn, err := pgx.Connect(context.Background(), base)
	if err != nil {
		w.t.Fatal(err)
	}
	schema := strings.ToLower("test_" + rand.Text())
	if _, err := conn.Exec(context.Background(), "CREATE SCHEMA "+schema); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_, err := conn.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE")
		if err := errors.Join(err, conn.Close(context.Background())); err != nil {
			w.t.Error(err)
		}
	})
	w.store = base + "&search_path=" + schema
	return w
}

// TestRefresh: accepted, unchanged by 304, moved, eight-fold and rejected,
// failed; the last good rows stay with their old times.
func TestRefresh(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { refreshes(t, newLab(t)) })
	t.Run("postgres", func(t *testing.T) { refreshes(t, newLab(t).onPostgres()) })
}

func refreshes(t *testing.T, w *lab) {
	both := []string{"prices", "refresh", "--source", "vultr,ecb", "-o", "json"}
	w.hosts["api.vultr.com"], w.hosts["www.ecb.europa.eu"] = vultrAt(2.5), euros("2026-11-02")
	day := 24 * time.Hour
	for _, step := range []struct {
		name   string
		vultr  http.HandlerFunc
		args   []string
		code   int
		want   string // of vultr
		amount string // of a plan, as the store has it afterwards
		age    int64  // of the source, days
	}{
		{"the first answer", vultrAt(2.5), both, 0, "vultr updated 11/11/0/0", "2.50", 0},
		{"not modified", vultrAt(2.5), both, 0, "vultr unchanged 11/0/0/11", "2.50", 0},
		{"a dearer list", vultrAt(2.6), both, 0, "vultr updated 11/0/4/7", "2.60", 0},
		{"eight times the price", vultrAt(20.8), both, 5, "vultr rejected 7/0/0/0", "2.60", 1},
		{"twice the price", vultrAt(5.2), both, 5, "vultr rejected 7/0/0/0", "2.60", 2},
		{"an error page", func(res http.ResponseWriter, _ *http.Request) {
			res.Header().Set("Content-Type", "text/html")
			fmt.Fprint(res, "<html>sign in</html>")
		}, both, 5, "vultr failed 0/0/0/0", "2.60", 3},
		{"an error in a good answer", func(res http.ResponseWriter, _ *http.Request) { fmt.Fprint(res, `{"error":"quota"}`) }, both, 5, "vultr failed 0/0/0/0", "2.60", 4},
		{"too many requests until far away", func(res http.ResponseWriter, _ *http.Request) {
			res.Header().Set("Retry-After", w.now.Add(day).Format(http.TimeFormat))
			res.WriteHeader(http.StatusTooManyRequests)
		}, both, 5, "vultr failed 0/0/0/0", "2.60", 5},
		{"a dry run", vultrAt(2.55), append(both, "--dry-run"), 0, "vultr updated 11/0/4/7", "2.60", 6},
		{"a jump that a person took", vultrAt(5.2), append(both, "--accept-jump"), 0, "vultr updated 11/0/4/7", "5.20", 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			w.t = t
			w.now = w.now.Add(day)
			w.hosts["api.vultr.com"] = step.vultr
			w.want(step.code, step.args...)
			var got refreshed
			w.decode(&got)
			if line, _, _ := strings.Cut(got.say(), "\n"); line != step.want {
				t.Errorf("%s\nwant %s; %s", got.say(), step.want, w.errs)
			}
			if s := got.Sources[0]; step.code == 5 && (s.Detail == "" || s.KeptRows != 11 || s.KeptAge == nil || *s.KeptAge != step.age*86400) {
				t.Errorf("what is kept is not said: %+v", s)
			}
			w.want(0, "compare", "--gpu", "h100", "--provider", "vultr", "-o", "json", "--all-quotes")
			if !strings.Contains(w.out, `"price_per_gpu_hour": "`+step.amount+`"`) {
				t.Errorf("compare does not have %s: %s", step.amount, w.out)
			}
			w.want(0, "prices", "sources", "-o", "json")
			var sources struct {
				Sources []struct {
					Name string
					Age  *int64 `json:"age_seconds"`
				}
			}
			w.decode(&sources)
			for _, s := range sources.Sources {
				if s.Name == "vultr" && (s.Age == nil || *s.Age != step.age*86400) {
					t.Errorf("age %v, want %d days", s.Age, step.age)
				}
			}
		})
	}
}

// TestRefreshFails: all failed is 1, nothing to do is 4, an unknown name 2.
func TestRefreshFails(t *testing.T) {
	w := newLab(t)
	w.want(1, "prices", "refresh", "--source", "vultr")
	if !strings.Contains(w.errs, "400") || !strings.Contains(w.out, "failed") {
		t.Errorf("%s%s", w.out, w.errs)
	}
	w.want(1, "prices", "refresh", "--source", "digitalocean")     // named, and its key is missing
	w.want(1, "prices", "refresh", "--timeout", "2s", "-o", "csv") // all of them
	if !strings.Contains(w.out, "\naws-spot-advisor,failed,") || !strings.Contains(w.out, "\nskypilot/aws,failed,") || !strings.Contains(w.out, "\nlambda,skipped,") {
		t.Error(w.out)
	}
	w.want(2, "prices", "refresh", "--source", "vultur")
	if !strings.Contains(w.errs, "did you mean vultr") {
		t.Error(w.errs)
	}
	w.want(2, "prices", "refresh", "--source", "autodl") // from files only
	w.want(2, "prices", "refresh", "--gpu", "h10o")
}

// TestRefreshSome: --gpu keeps the rows asked for, and the others are not gone.
func TestRefreshSome(t *testing.T) {
	w := newLab(t)
	w.hosts["api.vultr.com"] = vultrAt(2.5)
	w.want(0, "prices", "refresh", "--source", "vultr")
	for range 4 { // three whole runs without a row would end it
		w.now = w.now.Add(time.Hour)
		w.want(0, "prices", "refresh", "--source", "vultr", "--gpu", "mi300x", "-o", "json")
	}
	w.want(0, "prices", "history", "--gpu", "h100", "-o", "csv")
	if lines := strings.Count(w.out, "\n"); lines != 11 || strings.Contains(w.out, "disappeared") {
		t.Errorf("%d lines:\n%s", lines, w.out)
	}
}

// TestRefreshWhole: the whole list after a part of it is no growth out of
// proportion, and a collapse after that is one.
func TestRefreshWhole(t *testing.T) {
	w := newLab(t)
	w.hosts["api.vultr.com"] = vultrAt(2.5)
	w.want(0, "prices", "refresh", "--source", "vultr", "--gpu", "mi300x")
	w.now = w.now.Add(time.Hour)
	w.want(0, "prices", "refresh", "--source", "vultr")
	w.now = w.now.Add(time.Hour)
	w.want(0, "prices", "refresh", "--source", "vultr", "--gpu", "mi300x")
	w.now = w.now.Add(time.Hour)
	w.hosts["api.vultr.com"] = func(res http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "plans-metal") {
			fmt.Fprint(res, metal)
			return
		}
		fmt.Fprint(res, strings.ReplaceAll(plans(2.5), "NVIDIA_H100", ""))
	}
	w.want(1, "prices", "refresh", "--source", "vultr")
	if !strings.Contains(w.errs, "collapse: 1 prices, the previous run had 11") {
		t.Error(w.errs)
	}
}

// TestRefreshKey: a key comes from the environment or a command, and is in
// nothing that the program writes.
func TestRefreshKey(t *testing.T) {
	const key = "dop_v1_0123456789abcdef"
	w := newLab(t)
	var list []string
	for i := range 20 {
		list = append(list, fmt.Sprintf(`{"slug":"gpu-h100-%d","price_hourly":3.39,"regions":["nyc1"],"gpu_info":{"count":1,"vram":{"amount":80,"unit":"gib"},"model":"nvidia_h100"}}`, i))
	}
	body := `{"sizes":[` + strings.Join(list, ",") + `],"links":{"pages":{"next":""}}}`
	status := http.StatusOK
	w.hosts["api.digitalocean.com"] = func(res http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != "Bearer "+key || strings.Contains(req.URL.String(), key) {
			status = http.StatusUnauthorized
		}
		res.WriteHeader(status)
		fmt.Fprint(res, map[bool]string{true: body, false: "wrong key " + req.Header.Get("Authorization")}[status == http.StatusOK])
	}
	ask := []string{"prices", "refresh", "--source", "digitalocean"}
	w.env["DIGITALOCEAN_TOKEN"] = key
	w.want(0, ask...)
	status = http.StatusUnauthorized
	w.want(1, ask...)
	everything := w.out + w.errs
	status = http.StatusOK
	delete(w.env, "DIGITALOCEAN_TOKEN")
	secret := filepath.Join(t.TempDir(), "key.sh")
	if err := os.WriteFile(secret, []byte("#!/bin/sh\n[ \"$1\" = digitalocean ] && echo "+key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
	w.env["GPUCOST_KEY_COMMAND"] = "sh " + secret
	w.want(0, ask...)
	w.env["GPUCOST_KEY_COMMAND"] = "false"
	w.want(1, ask...)
	everything += w.out + w.errs
	for _, name := range []string{w.store, w.store + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		everything += string(b)
	}
	if strings.Contains(everything, key) {
		t.Error("the key is shown or stored")
	}
}

// TestKeyCommandOfAFolder: somebody else's folder does not run programs.
func TestKeyCommandOfAFolder(t *testing.T) {
	w := newLab(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile(configFile, []byte("key-command: touch ran\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.want(2, "prices", "refresh", "--source", "digitalocean")
	if _, err := os.Stat("ran"); err == nil || !strings.Contains(w.errs, "key-command") {
		t.Error("the command ran, or it is not said why not: " + w.errs)
	}
}

// TestRefreshInterrupted: what was done before the signal stays, the rest is
// not a failure of the source.
func TestRefreshInterrupted(t *testing.T) {
	w := newLab(t)
	w.hosts["api.vultr.com"] = vultrAt(2.5)
	w.want(0, "prices", "refresh", "--source", "vultr")
	ctx, cancel := context.WithCancel(t.Context())
	w.hosts["api.vultr.com"] = func(http.ResponseWriter, *http.Request) { cancel() }
	w.now = w.now.Add(time.Hour)
	if code := w.run(ctx, "prices", "refresh", "--source", "vultr"); code != exitInterrupted {
		t.Errorf("exit %d\n%s", code, w.errs)
	}
	w.want(0, "prices", "sources", "-o", "csv")
	if !strings.Contains(w.out, "vultr,api,none,true,2026-11-02T12:00:00Z,3600,11,updated,") {
		t.Error(w.out)
	}
}

// TestProgress: a bar on a terminal only, and a line for each source.
func TestProgress(t *testing.T) {
	w := newLab(t)
	w.hosts["api.vultr.com"] = vultrAt(2.5)
	w.want(0, "prices", "refresh", "--source", "vultr")
	if w.errs != "gpucost: vultr: updated, 11 rows (11 new, 0 moved, 0 gone)\n" {
		t.Errorf("%q", w.errs)
	}
	w.terminal = true
	w.now = w.now.Add(time.Hour)
	w.hosts["api.vultr.com"] = vultrAt(2.6)
	w.want(0, "prices", "refresh", "--source", "vultr")
	if !strings.Contains(w.errs, "░ 0/1 vultr: page 1, 10 records") || !strings.Contains(w.errs, "\r\x1b[K") {
		t.Errorf("%q", w.errs)
	}
	w.env["TERM"] = "dumb"
	w.now = w.now.Add(time.Hour)
	w.want(0, "prices", "refresh", "--source", "vultr")
	if strings.Contains(w.errs, "\x1b") {
		t.Errorf("%q", w.errs)
	}
}
