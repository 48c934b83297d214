package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Validator is what a conditional request of a URL sends back to its server.
type Validator struct{ URL, ETag, LastModified string }

// Client fetches sources. Everything it touches is handed in; Transport, Env
// and Now are needed.
type Client struct {
	Transport http.RoundTripper
	Env       func(string) string
	Now       func() time.Time
	// Command answers for a key that the environment does not hold, such as a
	// password store's output; "" or nil: there is none.
	Command func(ctx context.Context, format string) (string, error)
	Sleep   func(context.Context, time.Duration) error
	Jitter  func() float64 // from 0 to 1
	Agent   string         // User-Agent
	Timeout time.Duration  // of one source; 0: the format's own
	// Record and Page may be called from several goroutines at once. Record is
	// given each answer's body, before it is read as prices. A body
	// that holds a known secret is not recorded.
	Record func(source, url, contentType string, body []byte)
	// Page is told of each page that was read.
	Page func(source string, page, records int)

	mu    sync.Mutex
	hosts map[string]*hostGate
}

const (
	maxRetries  = 5
	maxWait     = 120 * time.Second // the longest Retry-After that is waited for
	maxRedirect = 3
	maxRecorded = 64 << 20
	userAgent   = "gpucost (+https://github.com/gpucost/gpucost)"
)

// Errors of fetching.
var (
	ErrNoKey   = errors.New("no key")
	ErrForeign = errors.New("leads to another host")
	ErrPages   = errors.New("too many pages")
)

// StatusError is an answer that is not the data.
type StatusError struct {
	Status  int
	URL     string
	Body    string    // its beginning, without secrets
	RetryAt time.Time // when the server wants to be asked again; zero: not said
}

// Error names the status, the URL and what the server said.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("%s: %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if !e.RetryAt.IsZero() {
		s += ", asks to wait until " + e.RetryAt.UTC().Format(time.RFC3339)
	}
	if e.Body != "" {
		s += ": " + e.Body
	}
	return s
}

// Fetched is what one visit to a source brought.
type Fetched struct {
	Batch      *Batch // nil when unchanged
	Unchanged  bool   // the server says so (304)
	At         time.Time
	Status     int
	Bytes      int64
	Pages      int
	Validators []Validator
}

// Fetch visits a source with the validators of the last accepted visit.
// opt.AsOf unknown means the day of the visit.
func (cl *Client) Fetch(ctx context.Context, job Job, have []Validator, opt Options) (*Fetched, error) {
	f := job.Format
	limit := f.deadline()
	if cl.Timeout > 0 {
		limit = cl.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	v := &visit{cl: cl, f: f, job: job, out: &Fetched{At: cl.Now()}, seen: map[string]bool{}}
	if !opt.AsOf.Known() {
		opt.AsOf = dayOf(v.out.At)
	}
	v.opt, v.c = opt, newCollect(f, opt)
	err := v.login(ctx)
	if err == nil {
		err = v.all(ctx, have)
	}
	if err != nil {
		return nil, v.redact(err)
	}
	return v.out, nil
}

func (f *Format) deadline() time.Duration {
	if f.Deadline > 0 {
		return f.Deadline
	}
	return 60 * time.Second
}

func (cl *Client) sleep(ctx context.Context, d time.Duration) error {
	if cl.Sleep != nil {
		return cl.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// visit is one visit to one source.
type visit struct {
	cl      *Client
	f       *Format
	job     Job
	opt     Options
	c       *collect
	out     *Fetched
	auth    string // value of the login header
	secrets []string
	seen    map[string]bool
}

// target is one first page.
type target struct {
	req  Request
	url  string
	each string
}

func (v *visit) targets() []target {
	var out []target
	for _, r := range v.f.Requests {
		if !strings.Contains(r.URL, "{each}") {
			out = append(out, target{r, r.URL, ""})
			continue
		}
		for _, each := range v.job.each() {
			out = append(out, target{r, strings.ReplaceAll(r.URL, "{each}", url.PathEscape(each)), each})
		}
	}
	return out
}

// all visits every target. Where some are unchanged and others are not, the
// unchanged ones are fetched again, because a batch is whole or nothing.
func (v *visit) all(ctx context.Context, have []Validator) error {
	var same []target
	targets := v.targets()
	for _, t := range targets {
		unchanged, err := v.pages(ctx, t, find(have, t.url))
		if err != nil {
			return err
		}
		if unchanged {
			same = append(same, t)
		}
	}
	if len(same) == len(targets) {
		v.out.Unchanged, v.out.Status, v.out.Validators = true, http.StatusNotModified, have
		return nil
	}
	for _, t := range same {
		delete(v.seen, t.url)
		if _, err := v.pages(ctx, t, Validator{}); err != nil {
			return err
		}
	}
	b, err := v.c.finish()
	if err != nil {
		return err
	}
	if b.Records < v.f.MinRecords {
		return fmt.Errorf("only %d records, want at least %d", b.Records, v.f.MinRecords)
	}
	v.out.Batch, v.out.Status = b, http.StatusOK
	return nil
}

func find(have []Validator, url string) Validator {
	i := slices.IndexFunc(have, func(v Validator) bool { return v.URL == url })
	if i < 0 {
		return Validator{}
	}
	return have[i]
}

// pages reads a target's pages in order. Only an answer of a single page may
// be conditional: the first page's validator says nothing about the second.
func (v *visit) pages(ctx context.Context, t target, val Validator) (unchanged bool, err error) {
	v.c.opt.Region, v.c.opt.Provider = v.opt.Region, v.opt.Provider
	switch {
	case t.each == "":
	case v.f.EachIs == "provider":
		v.c.opt.Provider = t.each
	default:
		v.c.opt.Region = t.each
	}
	page, limit := t.url, v.f.MaxPages
	if limit == 0 {
		limit = 200
	}
	for n := 1; ; n++ {
		if n > limit {
			return false, fmt.Errorf("%w: more than %d", ErrPages, limit)
		}
		if v.seen[page] {
			return false, fmt.Errorf("%w: %s comes round again", ErrPages, page)
		}
		v.seen[page] = true
		got, err := v.page(ctx, t.req, page, val)
		if err != nil {
			return false, err
		}
		if got.notModified {
			return true, nil
		}
		val = Validator{}
		v.out.Pages++
		if v.cl.Page != nil {
			v.cl.Page(v.job.Name(), v.out.Pages, v.c.b.Records)
		}
		next := v.c.b.next
		if next == "" {
			if n == 1 && (got.val.ETag != "" || got.val.LastModified != "") {
				v.out.Validators = append(v.out.Validators, got.val)
			}
			return false, nil
		}
		if page, err = nextURL(page, next); err != nil {
			return false, err
		}
	}
}

// nextURL is the following page: a link, which must lead to the same host by
// https, or "?name=value" to be set in the present URL ("+1" adds one).
func nextURL(page, next string) (string, error) {
	cur, err := url.Parse(page)
	if err != nil {
		return "", err
	}
	if patch, ok := strings.CutPrefix(next, "?"); ok {
		set, err := url.ParseQuery(strings.ReplaceAll(patch, "+1", "%2B1"))
		if err != nil {
			return "", errors.New("the next page's link is not a URL")
		}
		q := cur.Query()
		for k := range set {
			val := set.Get(k)
			if val == "+1" {
				n, _ := strconv.Atoi(q.Get(k))
				val = strconv.Itoa(max(n, 1) + 1)
			}
			q.Set(k, val)
		}
		cur.RawQuery = q.Encode()
		return cur.String(), nil
	}
	u, err := cur.Parse(next)
	if err != nil {
		return "", errors.New("the next page's link is not a URL")
	}
	if err := sameHost(cur, u); err != nil {
		return "", fmt.Errorf("the next page %w", err)
	}
	return u.String(), nil
}

func sameHost(from, to *url.URL) error {
	if to.Scheme != "https" || !strings.EqualFold(hostPort(from), hostPort(to)) || to.User != nil {
		return fmt.Errorf("%w: %s://%s, want https://%s", ErrForeign, to.Scheme, to.Host, from.Host)
	}
	return nil
}

func hostPort(u *url.URL) string {
	if u.Port() == "" {
		return u.Hostname() + ":443"
	}
	return u.Host
}

type answer struct {
	notModified bool
	val         Validator
}

// page fetches one page, again after a while where that may help, and reads it.
func (v *visit) page(ctx context.Context, req Request, page string, val Validator) (answer, error) {
	for attempt := 0; ; attempt++ {
		got, err := v.once(ctx, req, page, val)
		if err == nil {
			return got, nil
		}
		wait, again := v.retryAfter(err, attempt)
		if !again || ctx.Err() != nil {
			return answer{}, err
		}
		if err := v.cl.sleep(ctx, wait); err != nil {
			return answer{}, err
		}
	}
}

func (v *visit) once(ctx context.Context, req Request, page string, val Validator) (answer, error) {
	release, err := v.cl.enter(ctx, page, v.f.Interval)
	if err != nil {
		return answer{}, err
	}
	defer release()
	hreq, err := v.request(ctx, req, page, val)
	if err != nil {
		return answer{}, err
	}
	res, err := v.http().Do(hreq)
	if err != nil {
		return answer{}, &transportError{err}
	}
	defer res.Body.Close() //nolint:errcheck // reading only
	switch {
	case res.StatusCode == http.StatusNotModified && val != Validator{}:
		return answer{notModified: true}, nil
	case res.StatusCode != http.StatusOK:
		return answer{}, v.statusError(res, page)
	}
	if kind := res.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return answer{}, fmt.Errorf("%s: an HTML page where data should be", page)
	}
	if err := v.read(res, page); err != nil {
		return answer{}, fmt.Errorf("%s: %w", page, err)
	}
	return answer{val: Validator{page, res.Header.Get("ETag"), res.Header.Get("Last-Modified")}}, nil
}

func (v *visit) request(ctx context.Context, req Request, page string, val Validator) (*http.Request, error) {
	method := http.MethodGet
	if req.Method != "" {
		method = req.Method
	}
	hreq, err := http.NewRequestWithContext(ctx, method, page, strings.NewReader(req.Body))
	if err != nil {
		return nil, err
	}
	if hreq.URL.Scheme != "https" {
		return nil, fmt.Errorf("%s is not https", page)
	}
	hreq.Header.Set("User-Agent", firstOf(v.cl.Agent, userAgent))
	hreq.Header.Set("Accept", "application/json, text/csv;q=0.9, */*;q=0.5")
	if req.Body != "" {
		hreq.Header.Set("Content-Type", "application/json")
	}
	if val.ETag != "" {
		hreq.Header.Set("If-None-Match", val.ETag)
	}
	if val.LastModified != "" {
		hreq.Header.Set("If-Modified-Since", val.LastModified)
	}
	if v.auth != "" {
		hreq.Header.Set(v.f.Login.Header, v.auth)
	}
	return hreq, nil
}

// http is a client that follows at most three redirects, to the same host.
func (v *visit) http() *http.Client {
	return &http.Client{
		Transport: v.cl.Transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirect {
				return fmt.Errorf("more than %d redirects", maxRedirect)
			}
			if err := sameHost(via[0].URL, req.URL); err != nil {
				return fmt.Errorf("a redirect %w", err)
			}
			return nil
		},
	}
}

// read hands the body to the reader, counted, and recorded if asked for.
func (v *visit) read(res *http.Response, page string) error {
	body := &counted{r: res.Body}
	rec := &recorder{}
	var r io.Reader = body
	if v.cl.Record != nil {
		r = io.TeeReader(body, rec)
	}
	err := v.c.page(r)
	v.out.Bytes += body.n
	if v.cl.Record != nil && !rec.over && !v.holdsSecret(rec.b) {
		v.cl.Record(v.job.Name(), page, res.Header.Get("Content-Type"), rec.b)
	}
	return err
}

type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// recorder keeps a body up to a bound.
type recorder struct {
	b    []byte
	over bool
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.over = r.over || len(r.b)+len(p) > maxRecorded; r.over {
		r.b = nil
		return len(p), nil
	}
	r.b = append(r.b, p...)
	return len(p), nil
}
