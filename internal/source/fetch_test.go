package source

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

// loopback sends every https request to a server on this machine, and notes
// what was asked.
type loopback struct {
	to *url.URL
	mu sync.Mutex
	// asked are the requests as they would have left the machine.
	asked []string
	head  []http.Header
	body  []string
}

func (l *loopback) RoundTrip(req *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.asked, l.head = append(l.asked, req.Method+" "+req.URL.String()), append(l.head, req.Header.Clone())
	if req.Body != nil {
		b, _ := io.ReadAll(req.Body)
		l.body = append(l.body, string(b))
		req.Body = io.NopCloser(bytes.NewReader(b))
	}
	l.mu.Unlock()
	if req.URL.Scheme != "https" {
		return nil, fmt.Errorf("%s would leave unencrypted", req.URL)
	}
	out := req.Clone(req.Context())
	out.Header.Set("X-Asked-Host", req.URL.Host)
	out.URL.Scheme, out.URL.Host, out.Host = l.to.Scheme, l.to.Host, ""
	res, err := http.DefaultTransport.RoundTrip(out)
	if res != nil {
		res.Request = req
	}
	return res, err
}

// lab is a client whose clock stands still except for sleeping.
type lab struct {
	*Client
	net   *loopback
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
	env   map[string]string
}

var labStart = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newLab(t *testing.T, h http.HandlerFunc) *lab {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{net: &loopback{to: u}, now: labStart, env: map[string]string{}}
	l.Client = &Client{
		Transport: l.net,
		Env:       func(k string) string { return l.env[k] },
		Now:       func() time.Time { l.mu.Lock(); defer l.mu.Unlock(); return l.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.slept, l.now = append(l.slept, d), l.now.Add(d)
			return ctx.Err()
		},
		Jitter: func() float64 { return 1 },
	}
	return l
}

// testSource is a source of the test, read as the format of a name.
func testSource(t *testing.T, name string, urls ...string) Job {
	t.Helper()
	f, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	g := *f
	g.MinRecords, g.Requests, g.Canaries, g.Each, g.Interval = 0, nil, nil, nil, 0
	for _, u := range urls {
		g.Requests = append(g.Requests, Request{URL: u})
	}
	return Job{Format: &g}
}

func doSizes(next string, slugs ...string) string {
	var list []string
	for _, s := range slugs {
		list = append(list, `{"slug":"`+s+`","price_hourly":2.5,"regions":["nyc1"],"gpu_info":{"count":1,"vram":{"amount":80,"unit":"gib"},"model":"nvidia_h100"}}`)
	}
	return `{"sizes":[` + strings.Join(list, ",") + `],"links":{"pages":{"next":"` + next + `"}}}`
}

func TestPages(t *testing.T) {
	for _, c := range []struct {
		name  string
		pages map[string]string // by query
		want  int               // offers
		err   error
		says  string
	}{
		{"two pages", map[string]string{"page=1": doSizes("https://api.digitalocean.com/v2/sizes?page=2", "a", "b"), "page=2": doSizes("", "c")}, 3, nil, ""},
		{"a relative link", map[string]string{"page=1": doSizes("/v2/sizes?page=2", "a"), "page=2": doSizes("", "c")}, 2, nil, ""},
		{"another host", map[string]string{"page=1": doSizes("https://evil.example/v2/sizes?page=2", "a")}, 0, ErrForeign, "evil.example"},
		{"another port", map[string]string{"page=1": doSizes("https://api.digitalocean.com:8443/v2/sizes?page=2", "a")}, 0, ErrForeign, ""},
		{"not encrypted", map[string]string{"page=1": doSizes("http://api.digitalocean.com/v2/sizes?page=2", "a")}, 0, ErrForeign, ""},
		{"a user in the link", map[string]string{"page=1": doSizes("https://a:b@api.digitalocean.com/v2/sizes?page=2", "a")}, 0, ErrForeign, ""},
		{"a file", map[string]string{"page=1": doSizes("file:///etc/passwd", "a")}, 0, ErrForeign, ""},
		{"a circle", map[string]string{"page=1": doSizes("?page=2", "a"), "page=2": doSizes("?page=1", "b")}, 0, ErrPages, "comes round again"},
		{"second page broken", map[string]string{"page=1": doSizes("?page=2", "a"), "page=2": `{"sizes":[{"slug"`}, 0, nil, "not valid JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, c.pages[r.URL.RawQuery]) })
			l.env["DIGITALOCEAN_TOKEN"] = "key-12345"
			got, err := l.Fetch(t.Context(), testSource(t, "digitalocean", "https://api.digitalocean.com/v2/sizes?page=1"), nil, Options{})
			if c.err == nil && c.says == "" {
				if err != nil || len(got.Batch.Offers) != c.want {
					t.Fatalf("%v %v", got, err)
				}
				if d := got.Batch.Offers[0].Prices[0].AsOf.String(); d != "2026-11-30" {
					t.Errorf("seen on %s", d)
				}
				return
			}
			if err == nil || got != nil || c.err != nil && !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v %v", got, err)
			}
			for _, h := range l.net.asked {
				if strings.Contains(h, "evil") || strings.Contains(h, "8443") {
					t.Errorf("%s was asked", h)
				}
			}
		})
	}
}

func TestPageCap(t *testing.T) {
	n := 0
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		fmt.Fprint(w, doSizes(fmt.Sprintf("?page=%d", n+1), fmt.Sprint("s", n)))
	})
	l.env["DIGITALOCEAN_TOKEN"] = "key-12345"
	job := testSource(t, "digitalocean", "https://api.digitalocean.com/v2/sizes?page=1")
	job.Format.MaxPages = 5
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); !errors.Is(err, ErrPages) || n != 5 {
		t.Errorf("%v after %d pages", err, n)
	}
}

func TestNextURL(t *testing.T) {
	for _, c := range [][3]string{
		{"https://h/a?x=1&page=3", nextPage, "https://h/a?page=4&x=1"},
		{"https://h/a", nextPage, "https://h/a?page=2"},
		{"https://h/a?k=v", "?cursor=a%2Bb%3D", "https://h/a?cursor=a%2Bb%3D&k=v"},
		{"https://h/a?k=v", "https://h/b?c=d", "https://h/b?c=d"},
		{"https://h/a", "https://H:443/b", "https://H:443/b"},
	} {
		if got, err := nextURL(c[0], c[1]); err != nil || got != c[2] {
			t.Errorf("%s + %s = %s %v, want %s", c[0], c[1], got, err, c[2])
		}
	}
}

func TestConditional(t *testing.T) {
	etag, body := `"v1"`, vultrBody("a")
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", etag)
		w.Header().Set("Last-Modified", "Mon, 30 Nov 2026 08:00:00 GMT")
		fmt.Fprint(w, body)
	})
	job := testSource(t, "vultr", "https://api.vultr.com/v2/plans")
	first, err := l.Fetch(t.Context(), job, nil, Options{})
	if err != nil || first.Unchanged || len(first.Validators) != 1 || first.Validators[0] != (Validator{"https://api.vultr.com/v2/plans", etag, "Mon, 30 Nov 2026 08:00:00 GMT"}) {
		t.Fatalf("%+v %v", first, err)
	}
	second, err := l.Fetch(t.Context(), job, first.Validators, Options{})
	if err != nil || !second.Unchanged || second.Batch != nil || len(second.Validators) != 1 {
		t.Fatalf("%+v %v", second, err)
	}
	etag, body = `"v2"`, vultrBody("b")
	third, err := l.Fetch(t.Context(), job, second.Validators, Options{})
	if err != nil || third.Unchanged || third.Batch.Offers[0].Instance != "b" {
		t.Fatalf("%+v %v", third, err)
	}
}

func vultrBody(id string) string {
	return `{"plans":[{"id":"` + id + `","hourly_cost":1.5,"locations":["ewr"],"gpu_vram_gb":80,"gpu_type":"NVIDIA_A100"}]}`
}

// TestConditionalInPart: one of two files is new, so the other is fetched
// again: a batch is whole or nothing.
func TestConditionalInPart(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/plans" && r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"x"`)
		fmt.Fprint(w, vultrBody(strings.TrimPrefix(r.URL.Path, "/v2/")))
	})
	job := testSource(t, "vultr", "https://api.vultr.com/v2/plans", "https://api.vultr.com/v2/metal")
	got, err := l.Fetch(t.Context(), job, []Validator{{"https://api.vultr.com/v2/plans", `"x"`, ""}}, Options{})
	if err != nil || got.Unchanged || len(got.Batch.Offers) != 2 || len(got.Validators) != 2 {
		t.Fatalf("%+v %v", got, err)
	}
}

// TestPagedNotConditional: the first page's validator says nothing of the second.
func TestPagedNotConditional(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		if r.URL.Query().Get("page") == "2" {
			fmt.Fprint(w, doSizes("", "b"))
			return
		}
		fmt.Fprint(w, doSizes("?page=2", "a"))
	})
	l.env["DIGITALOCEAN_TOKEN"] = "key-12345"
	got, err := l.Fetch(t.Context(), testSource(t, "digitalocean", "https://api.digitalocean.com/v2/sizes"), nil, Options{})
	if err != nil || len(got.Validators) != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestRetry(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		header string // Retry-After
		times  int    // how often before a good answer
		slept  []time.Duration
		fails  bool
		asked  int
		again  time.Time // when the server wants to be asked again
	}{
		{name: "429 with seconds", status: 429, header: "7", times: 1, slept: []time.Duration{7 * time.Second}, asked: 2},
		{name: "429 with a date", status: 429, header: "Mon, 30 Nov 2026 12:01:30 GMT", times: 1, slept: []time.Duration{90 * time.Second}, asked: 2},
		{name: "429 with a past date", status: 429, header: "Mon, 30 Nov 2026 11:00:00 GMT", times: 1, slept: []time.Duration{0}, asked: 2},
		{name: "429 with an hour", status: 429, header: "3600", times: 1, fails: true, asked: 1, again: labStart.Add(time.Hour)},
		{name: "429 with a far date", status: 429, header: "Mon, 30 Nov 2026 13:00:00 GMT", times: 1, fails: true, asked: 1, again: labStart.Add(time.Hour)},
		{name: "503 without", status: 503, times: 3, slept: []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, asked: 4},
		{name: "502 for ever", status: 502, times: 99, slept: []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9}, fails: true, asked: 6},
		{name: "429 with nonsense", status: 429, header: "soon", times: 1, slept: []time.Duration{time.Second}, asked: 2},
		{name: "400", status: 400, times: 1, fails: true, asked: 1},
		{name: "401", status: 401, times: 1, fails: true, asked: 1},
		{name: "403", status: 403, times: 1, fails: true, asked: 1},
		{name: "404", status: 404, times: 1, fails: true, asked: 1},
		{name: "500", status: 500, times: 1, fails: true, asked: 1},
		{name: "304 unasked", status: 304, times: 1, fails: true, asked: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			l := newLab(t, func(w http.ResponseWriter, _ *http.Request) {
				if n++; n <= c.times {
					if c.header != "" {
						w.Header().Set("Retry-After", c.header)
					}
					w.WriteHeader(c.status)
					if c.status != 304 {
						fmt.Fprint(w, "API requests too frequent")
					}
					return
				}
				fmt.Fprint(w, vultrBody("a"))
			})
			got, err := l.Fetch(t.Context(), testSource(t, "vultr", "https://api.vultr.com/v2/plans"), nil, Options{})
			if c.fails != (err != nil) || c.fails != (got == nil) {
				t.Fatalf("%v %v", got, err)
			}
			if fmt.Sprint(l.slept) != fmt.Sprint(c.slept) || n != c.asked {
				t.Errorf("slept %v and asked %d times, want %v and %d", l.slept, n, c.slept, c.asked)
			}
			var status *StatusError
			if !c.again.IsZero() && (!errors.As(err, &status) || !status.RetryAt.Equal(c.again)) {
				t.Errorf("to be asked again at %v, want %v", status, c.again)
			}
		})
	}
}

// TestRetry404: "current" may name a version that is not there yet.
func TestRetry404(t *testing.T) {
	n := 0
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 1 {
			w.WriteHeader(404)
			return
		}
		fmt.Fprint(w, "\"Publication Date\",\"2026-11-20\"\nSKU,OfferTermCode,TermType,Unit,PricePerUnit,Currency,Instance Name,Component,Region Code\nA,T,OnDemand,Hrs,1,USD,ml.g5.xlarge,Hosting,us-west-2\n")
	})
	got, err := l.Fetch(t.Context(), testSource(t, "aws-price-list", "https://pricing.us-east-1.amazonaws.com/x.csv"), nil, Options{})
	if err != nil || n != 2 || len(got.Batch.Offers) != 1 {
		t.Errorf("%v after %d", err, n)
	}
}

func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		name, to string
		ok       bool
	}{
		{"same host", "https://api.vultr.com/v2/new", true},
		{"another host", "https://evil.example/v2/plans", false},
		{"not encrypted", "http://api.vultr.com/v2/new", false},
		{"for ever", "https://api.vultr.com/v2/plans", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v2/plans" {
					w.Header().Set("Location", c.to)
					w.WriteHeader(http.StatusFound)
					return
				}
				fmt.Fprint(w, vultrBody("a"))
			})
			_, err := l.Fetch(t.Context(), testSource(t, "vultr", "https://api.vultr.com/v2/plans"), nil, Options{})
			if c.ok != (err == nil) {
				t.Error(err)
			}
			if len(l.net.asked) > 5 {
				t.Errorf("asked %d times", len(l.net.asked))
			}
			for _, a := range l.net.asked {
				if strings.Contains(a, "evil") || strings.Contains(a, "http://") {
					t.Errorf("asked %s", a)
				}
			}
		})
	}
}

func TestBadAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		h    http.HandlerFunc
		says string
	}{
		{"HTML", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>sign in</html>")
		}, "HTML page"},
		{"HTML as JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "<html>sign in</html>")
		}, "HTML or XML page"},
		{"an error as 200", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"error":"maintenance"}`) }, "no plans"},
		{"shorter than announced", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, `{"plans":[]}`)
		}, "unexpected EOF"},
		{"empty", func(http.ResponseWriter, *http.Request) {}, "no records"},
		{"an empty list", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"plans":[]}`) }, "no records"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, c.h)
			got, err := l.Fetch(t.Context(), testSource(t, "vultr", "https://api.vultr.com/v2/plans"), nil, Options{})
			if err == nil || got != nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v %v", got, err)
			}
		})
	}
}

func TestTooFewRecords(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, vultrBody("a")) })
	job := testSource(t, "vultr", "https://api.vultr.com/v2/plans")
	job.Format.MinRecords = 2
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); err == nil || !strings.Contains(err.Error(), "only 1 records") {
		t.Error(err)
	}
}

// TestBigBody: a body beyond the cap is given up while it comes in.
func TestBigBody(t *testing.T) {
	var sent atomic.Int64
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"plans":[`)
		chunk := []byte(strings.Repeat(`{"id":"a"},`, 10_000))
		for r.Context().Err() == nil && sent.Load() < 200<<20 {
			n, err := w.Write(chunk)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	job := testSource(t, "vultr", "https://api.vultr.com/v2/plans")
	job.Format.Cap = 4 << 20
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if n := sent.Load(); n > 60<<20 {
		t.Errorf("%d MiB were sent", n>>20)
	}
}

// TestSecrets: a key goes into its header and nowhere else, whatever the
// server does with it.
func TestSecrets(t *testing.T) {
	const key = "sk-very+secret/key=="
	for _, f := range Formats() {
		if !f.Fetched() || len(f.Keys) == 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			var recorded []string
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "oauth2/token") {
					fmt.Fprint(w, `{"access_token":"`+key+`-token","expires_in":3600}`)
					return
				}
				b, _ := io.ReadAll(r.Body)
				if r.URL.Query().Get("fail") == "" && strings.Contains(r.Header.Get("X-Asked-Host"), "good") {
					fmt.Fprintf(w, `{"echo":%q}`, r.Header)
					return
				}
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprintf(w, "key %v %s %s %s is not valid", r.Header, b, url.QueryEscape(key), base64.StdEncoding.EncodeToString([]byte(key)))
			})
			for _, k := range f.Keys {
				l.env[k[0]] = key
			}
			l.Record = func(_, u, _ string, body []byte) { recorded = append(recorded, u+string(body)) }
			job := Job{Format: f}
			_, err := l.Fetch(t.Context(), job, nil, Options{})
			if err == nil {
				t.Fatal("no error")
			}
			var text strings.Builder
			text.WriteString(err.Error())
			for e := err; e != nil; e = errors.Unwrap(e) {
				text.WriteString(e.Error())
			}
			for _, bad := range []string{key, url.QueryEscape(key), base64.StdEncoding.EncodeToString([]byte(key))} {
				if strings.Contains(text.String(), bad) || strings.Contains(fmt.Sprint(recorded), bad) || strings.Contains(fmt.Sprint(l.net.asked), bad) {
					t.Errorf("the key shows in %s %v %v", text.String(), recorded, l.net.asked)
				}
			}
			sent := false
			for i := range l.net.head {
				sent = sent || strings.Contains(l.net.head[i].Get(f.Login.Header), key)
			}
			if !sent {
				t.Errorf("the key was not sent in %s: %v", f.Login.Header, l.net.head)
			}
		})
	}
}

// TestSecretInBody: a body that holds the key is read, but not recorded.
func TestSecretInBody(t *testing.T) {
	echo := true
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		extra := ""
		if echo {
			extra = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		}
		fmt.Fprint(w, strings.Replace(doSizes("", "a"), `{"sizes"`, `{"you":"`+extra+`","sizes"`, 1))
	})
	l.env["GPUCOST_DIGITALOCEAN_KEY"] = "key-12345"
	n := 0
	l.Record = func(_, _, _ string, _ []byte) { n++ }
	job := testSource(t, "digitalocean", "https://api.digitalocean.com/v2/sizes")
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); err != nil || n != 0 {
		t.Errorf("%v, recorded %d times", err, n)
	}
	echo = false
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); err != nil || n != 1 {
		t.Errorf("%v, recorded %d times", err, n)
	}
}

func TestKeyFromCommand(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer from-command" {
			w.WriteHeader(401)
			return
		}
		fmt.Fprint(w, doSizes("", "a"))
	})
	job := testSource(t, "digitalocean", "https://api.digitalocean.com/v2/sizes")
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); !errors.Is(err, ErrNoKey) || len(l.net.asked) != 0 {
		t.Errorf("%v, asked %v", err, l.net.asked)
	}
	l.Command = func(_ context.Context, format string) (string, error) {
		if format != "digitalocean" {
			return "", errors.New("for whom?")
		}
		return "from-command\n", nil
	}
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); err != nil {
		t.Error(err)
	}
}

func TestClientCredentials(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/v1/oauth2/token" && string(b) == `{"client_id":"id-1234","client_secret":"secret-1234","grant_type":"client_credentials"}`:
			fmt.Fprint(w, `{"access_token":"token-1234"}`)
		case r.Header.Get("Authorization") == "Bearer token-1234":
			fmt.Fprint(w, `[{"instance_type":"1H100.80S.30V","name":"H100 SXM5 80GB","currency":"usd","price_per_hour":"2.50","gpu":{"number_of_gpus":1},"gpu_memory":{"size_in_gigabytes":80}}]`)
		default:
			w.WriteHeader(401)
		}
	})
	l.env["VERDA_CLIENT_ID"], l.env["DATACRUNCH_CLIENT_SECRET"] = "id-1234", "secret-1234"
	got, err := l.Fetch(t.Context(), testSource(t, "verda", "https://api.verda.com/v1/instance-types"), nil, Options{})
	if err != nil || len(got.Batch.Offers) != 1 {
		t.Errorf("%v %v", got, err)
	}
}

// TestPerHost: at most two requests at once to one host, one where the source
// asks for a distance, which is kept.
func TestPerHost(t *testing.T) {
	var now, most atomic.Int32
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(20 * time.Millisecond)
		now.Add(-1)
		fmt.Fprint(w, vultrBody("a"))
	})
	var jobs []Job
	for i := range 8 {
		jobs = append(jobs, testSource(t, "vultr", fmt.Sprintf("https://api.vultr.com/v2/plans%d", i)))
	}
	res, err := l.Refresh(t.Context(), Plan{Jobs: jobs, Parallel: 8}, Hooks{})
	if err != nil || most.Load() > perHost {
		t.Errorf("%v, %d at once", err, most.Load())
	}
	for _, r := range res {
		if r.Outcome != Updated {
			t.Error(r.Err)
		}
	}
	l = newLab(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, vultrBody("a")) })
	job := testSource(t, "vultr", "https://api.vultr.com/a", "https://api.vultr.com/b", "https://api.vultr.com/c")
	job.Format.Interval = 3 * time.Second
	if _, err := l.Fetch(t.Context(), job, nil, Options{}); err != nil || fmt.Sprint(l.slept) != "[3s 3s]" {
		t.Errorf("%v, slept %v", err, l.slept)
	}
}

// TestEveryRequest sends each format's real requests to the loopback: they
// are https, carry no key in the URL, and read their own fixture.
func TestEveryRequest(t *testing.T) {
	body := map[string]string{}
	for _, f := range fixtures(t) {
		if _, ok := body[f.format]; !ok {
			body[f.format] = f.body
		}
	}
	for _, f := range Formats() {
		if !f.Fetched() {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "oauth2/token") {
					fmt.Fprint(w, `{"access_token":"token-1234"}`)
					return
				}
				fmt.Fprint(w, body[f.Name])
			})
			for _, k := range f.Keys {
				l.env[k[0]] = "key-12345"
			}
			g := *f
			g.MinRecords = 0
			job := Job{Format: &g}
			if f.EachIs == "provider" {
				job.Only = f.Each[0]
			}
			got, err := l.Fetch(t.Context(), job, nil, Options{})
			if err != nil || got.Batch == nil {
				t.Fatal(err)
			}
			for _, a := range l.net.asked {
				_, raw, _ := strings.Cut(a, " ")
				u, err := url.Parse(raw)
				if err != nil || u.Scheme != "https" || strings.Contains(raw, "12345") || strings.Contains(raw, "{") {
					t.Errorf("%s %v", a, err)
				}
			}
			if got.Batch.Offers != nil && got.Batch.Offers[0].Prices[0].AsOf == (catalog.Date{}) {
				t.Error("a price without a day")
			}
		})
	}
}
