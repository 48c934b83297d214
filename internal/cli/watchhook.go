package cli

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gpucost/gpucost/internal/history"
)

// Where the webhook and its secret come from besides --webhook.
const (
	webhookEnv = "GPUCOST_WEBHOOK"
	secretEnv  = "GPUCOST_WEBHOOK_SECRET"
)

// Bounds of one event's delivery.
const (
	hookTries   = 5
	hookTimeout = 10 * time.Second // of one try
	hookWait    = time.Minute      // the longest wait between two tries
)

// hook sends events to an address. A receiver checks a message by
//
//	X-Gpucost-Signature = "sha256=" + hex(HMAC-SHA256(secret, timestamp + "." + body))
//
// with the timestamp of X-Gpucost-Timestamp (seconds since 1970), and drops
// what it has seen by Idempotency-Key: an event may come twice.
type hook struct {
	address, host string
	secret        []byte
	client        *http.Client
	now           func() time.Time
	wait          time.Duration // before the second try; doubles
}

func (a *App) newHook(o *watchOptions) (*hook, error) {
	address := o.webhook
	if address == "" {
		address = a.Env(webhookEnv)
	}
	if address == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, usagef("--webhook: want an https address") // the address may hold a secret: it is not shown
	}
	if u.Scheme == "http" && !o.allowHTTP && !isLoopback(u.Hostname()) {
		return nil, usagef("--webhook: %s would be reached without encryption", u.Host).hint("use https, or --allow-http")
	}
	secret := a.Env(secretEnv)
	if secret == "" {
		return nil, usagef("--webhook: no secret to sign with").hint("set %s to a random text that the receiver knows too", secretEnv)
	}
	transport, err := a.transport(o.caFile)
	if err != nil {
		return nil, err
	}
	return &hook{
		address: address, host: u.Host, secret: []byte(secret), now: a.Now, wait: time.Second,
		client: &http.Client{
			Transport: transport, Timeout: hookTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// hookBody is what is sent. Text makes it a message for chats as it is.
type hookBody struct {
	SchemaVersion int            `json:"schema_version"`
	Text          string         `json:"text"`
	Event         *history.Event `json:"event"`
}

// send delivers one event, again after a while where that may help.
func (h *hook) send(ctx context.Context, watcher string, e *history.Event) error {
	body, err := json.Marshal(hookBody{1, "gpucost: " + e.Rule + ": " + e.Message, e})
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s-%d", watcher, e.ID)
	for try, wait := 1, h.wait; ; try, wait = try+1, min(2*wait, hookWait) {
		again, err := h.post(ctx, key, body)
		if err == nil || try == hookTries || again < 0 || ctx.Err() != nil {
			return err
		}
		pause := max(again, wait/2+rand.N(wait/2+1))
		select {
		case <-time.After(min(pause, hookWait)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// post tries once. again is how long the receiver asks to wait, at least;
// negative when another try cannot help.
func (h *hook) post(ctx context.Context, key string, body []byte) (again time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address, bytes.NewReader(body))
	if err != nil {
		return -1, errors.New("not an address")
	}
	stamp := strconv.FormatInt(h.now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "gpucost/"+version)
	req.Header.Set("Idempotency-Key", key)
	req.Header.Set("X-Gpucost-Timestamp", stamp)
	req.Header.Set("X-Gpucost-Signature", signature(h.secret, stamp, body))
	res, err := h.client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the address
		}
		return 0, err
	}
	defer res.Body.Close()                                       //nolint:errcheck // nothing of it is used
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	switch code := res.StatusCode; {
	case code/100 == 2:
		return 0, nil
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code/100 == 5:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return time.Duration(max(seconds, 0)) * time.Second, fmt.Errorf("answers %d %s", code, http.StatusText(code))
	default:
		return -1, fmt.Errorf("answers %d %s", code, http.StatusText(code))
	}
}

// signature is what the receiver computes as well.
func signature(secret []byte, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
