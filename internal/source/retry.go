package source

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

func dayOf(t time.Time) catalog.Date { return catalog.DateOf(t.UTC()) }

// transportError is a failure before any answer came.
type transportError struct{ error }

func (e *transportError) Unwrap() error { return e.error }

// statusError reads what an unwanted answer says, bounded.
func (v *visit) statusError(res *http.Response, page string) error {
	head, _ := io.ReadAll(io.LimitReader(res.Body, 300))
	e := &StatusError{Status: res.StatusCode, URL: page, Body: v.redactText(strings.Join(strings.Fields(strings.ToValidUTF8(string(head), "?")), " "))}
	e.RetryAt = retryTime(res.Header.Get("Retry-After"), v.cl.Now())
	return e
}

// retryTime reads Retry-After: seconds or an HTTP date; zero for neither.
func retryTime(s string, now time.Time) time.Time {
	if s == "" {
		return time.Time{}
	}
	if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n >= 0 {
		return now.Add(time.Duration(min(n, 365*24*3600)) * time.Second)
	}
	if t, err := http.ParseTime(s); err == nil {
		return t
	}
	return time.Time{}
}

// retryAfter says whether an error may pass and how long to wait: what the
// server asks for up to two minutes, else a random part of 1 s, 2 s, 4 s ... 60 s.
// A server that asks for more is asked again by the next run.
func (v *visit) retryAfter(err error, attempt int) (time.Duration, bool) {
	if attempt >= maxRetries || !v.mayPass(err) {
		return 0, false
	}
	if status, ok := errors.AsType[*StatusError](err); ok && !status.RetryAt.IsZero() {
		wait := max(status.RetryAt.Sub(v.cl.Now()), 0)
		return wait, wait <= maxWait
	}
	jitter := 0.5
	if v.cl.Jitter != nil {
		jitter = v.cl.Jitter()
	}
	back := min(math.Pow(2, float64(attempt)), 60)
	wait := time.Duration(jitter * back * float64(time.Second))
	return max(wait, v.f.Interval), true
}

func (v *visit) mayPass(err error) bool {
	if status, ok := errors.AsType[*StatusError](err); ok {
		switch status.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		case http.StatusNotFound:
			return v.f.Retry404
		}
		return false
	}
	_, transport := errors.AsType[*transportError](err)
	var netErr net.Error
	return transport && !errors.Is(err, ErrForeign) && !errors.Is(err, context.Canceled) &&
		(errors.As(err, &netErr) && netErr.Timeout() || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF))
}

// hostGate keeps the number of requests to one host, and their distance, in
// bounds, across all sources of a run.
type hostGate struct {
	slots chan struct{}
	next  time.Time
}

const perHost = 2

// enter waits for a place at a host.
func (cl *Client) enter(ctx context.Context, page string, interval time.Duration) (release func(), err error) {
	u, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	cl.mu.Lock()
	if cl.hosts == nil {
		cl.hosts = map[string]*hostGate{}
	}
	g := cl.hosts[u.Host]
	if g == nil {
		n := perHost
		if interval > 0 {
			n = 1
		}
		g = &hostGate{slots: make(chan struct{}, n)}
		cl.hosts[u.Host] = g
	}
	cl.mu.Unlock()
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	cl.mu.Lock()
	now := cl.Now()
	wait := g.next.Sub(now)
	g.next = now.Add(max(wait, 0) + interval)
	cl.mu.Unlock()
	if wait > 0 && interval > 0 {
		if err := cl.sleep(ctx, wait); err != nil {
			<-g.slots
			return nil, err
		}
	}
	return func() { <-g.slots }, nil
}
