package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/data"
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
)

const rules = `schema: 1
rules:
  - name: cheap
    select: {gpu: h100, provider: vultr, purchase: on_demand}
    when: {below: 2.00 USD}
`

// cheapLab is a lab with Vultr's prices at 2.50, and a rule that
// wants them below 2.00.
func cheapLab(t *testing.T) (*lab, string) {
	t.Helper()
	w := newLab(t)
	file := filepath.Join(t.TempDir(), "watch.yaml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	w.at(2.5)
	return w, file
}

// at is an hour later, with another price.
func (w *lab) at(dollars float64) {
	w.t.Helper()
	w.now = w.now.Add(time.Hour)
	w.hosts["api.vultr.com"] = vultrAt(dollars)
	w.want(0, "prices", "refresh", "--source", "vultr", "--accept-jump")
}

// TestWatchFires: once when the price falls, not again while it stays, again
// after it rose past the threshold.
func TestWatchFires(t *testing.T) {
	w, file := cheapLab(t)
	for i, step := range []struct {
		dollars float64
		code    int
	}{{2.5, 0}, {1.9, 3}, {1.9, 0}, {2.02, 0}, {1.95, 0}, {2.5, 0}, {1.9, 3}} {
		w.at(step.dollars)
		if code := w.run(t.Context(), "prices", "watch", file, "--once"); code != step.code {
			t.Errorf("step %d, %g: exit %d, want %d\n%s%s", i, step.dollars, code, step.code, w.out, w.errs)
		}
	}
	if !strings.HasPrefix(w.out, "cheap: vultr vcg-h100-0 h100-80gb ewr on_demand: 1.90 USD, below 2.00\n  USD/gpu-hour\n") {
		t.Error(w.out)
	}
	w.now = w.now.Add(100 * time.Hour) // nobody verified the prices: neither true nor fine
	w.want(0, "prices", "watch", file, "--once", "-o", "json")
	if !strings.Contains(w.out, `"why": "last verified `) {
		t.Error(w.out)
	}
	w.want(3, "prices", "watch", file, "--once", "--strict")
}

// receiver checks what a webhook is sent.
type receiver struct {
	t      *testing.T
	answer []int // statuses in order; 200 after the last
	keys   []string
	texts  []string
}

func (r *receiver) ServeHTTP(res http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		r.t.Error(err)
	}
	h := req.Header
	if want := signature([]byte("shared secret"), h.Get("X-Gpucost-Timestamp"), body); h.Get("X-Gpucost-Signature") != want {
		r.t.Errorf("signed %s, want %s", h.Get("X-Gpucost-Signature"), want)
	}
	r.keys = append(r.keys, h.Get("Idempotency-Key"))
	var message struct {
		Text  string
		Event struct {
			Rule, To, Currency string
			FiredAt            time.Time `json:"fired_at"`
		}
	}
	if err := json.Unmarshal(body, &message); err != nil || message.Event.Rule != "cheap" || message.Event.To != "1.90" || message.Event.FiredAt.IsZero() {
		r.t.Errorf("%v in %s", err, body)
	}
	if bytes.Contains(body, []byte("secret")) {
		r.t.Error("the body holds a secret")
	}
	r.texts = append(r.texts, message.Text)
	if n := len(r.keys); n <= len(r.answer) {
		res.WriteHeader(r.answer[n-1])
	}
}

func TestWebhook(t *testing.T) {
	w, file := cheapLab(t)
	hook := &receiver{t: t, answer: []int{503}}
	w.hosts["hooks.example"] = hook.ServeHTTP
	w.env[webhookEnv], w.env[secretEnv] = "https://hooks.example/T0KEN/prices", "shared secret"
	w.at(1.9)
	w.want(3, "prices", "watch", file)
	if len(hook.keys) != 5 || hook.keys[0] != hook.keys[1] || hook.keys[1] == hook.keys[2] { // four events, one of them twice
		t.Errorf("keys %v", hook.keys)
	}
	if !strings.HasPrefix(hook.texts[0], "gpucost: cheap: vultr vcg-h100-") {
		t.Errorf("text %q", hook.texts[0])
	}
	if !strings.Contains(w.out, "Webhook: 4 sent, 0 waiting.") {
		t.Error(w.out)
	}
	w.want(0, "prices", "watch", file) // nothing new, nothing is sent again
	if len(hook.keys) != 5 {
		t.Errorf("%d messages", len(hook.keys))
	}
}

// TestWebhookDown: what a receiver refuses waits, and is sent when it is back.
func TestWebhookDown(t *testing.T) {
	w, file := cheapLab(t)
	hook := &receiver{t: t, answer: []int{403}}
	w.hosts["hooks.example"] = hook.ServeHTTP
	w.env[webhookEnv], w.env[secretEnv] = "https://hooks.example/T0KEN/prices", "shared secret"
	w.at(1.9)
	w.want(3, "prices", "watch", file)
	if len(hook.keys) != 1 || !strings.Contains(w.errs, "webhook hooks.example: answers 403") || strings.Contains(w.errs+w.out, "T0KEN") {
		t.Errorf("%d messages: %s", len(hook.keys), w.errs)
	}
	w.want(0, "prices", "watch", file)
	if len(hook.keys) != 5 || hook.keys[1] != hook.keys[0] {
		t.Errorf("keys %v", hook.keys)
	}
	hook.answer = make([]int, 100)
	for i := range hook.answer {
		hook.answer[i] = 400
	}
	w.at(2.5)
	w.want(0, "prices", "watch", file)
	w.at(1.9)
	w.want(3, "prices", "watch", file)
	w.want(5, "prices", "watch", file) // nothing fired, but the four still wait
	if !strings.Contains(w.errs, "4 wait") {
		t.Error(w.errs)
	}
}

// TestHookTries: five tries and no more, with what the receiver asks for.
func TestHookTries(t *testing.T) {
	w, _ := cheapLab(t)
	n := 0
	w.hosts["hooks.example"] = func(res http.ResponseWriter, _ *http.Request) {
		n++
		res.Header().Set("Retry-After", "0")
		res.WriteHeader(http.StatusBadGateway)
	}
	h := &hook{address: "https://hooks.example/", secret: []byte("x"), client: &http.Client{Transport: w}, now: func() time.Time { return w.now }, wait: 1}
	if err := h.send(t.Context(), "w", &history.Event{ID: 7, Rule: "r"}); err == nil || err.Error() != "answers 502 Bad Gateway" || n != hookTries {
		t.Errorf("%d tries, %v", n, err)
	}
	w.hosts["hooks.example"] = func(res http.ResponseWriter, req *http.Request) {
		http.Redirect(res, req, "https://elsewhere.example/", http.StatusTemporaryRedirect)
	}
	h.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if err := h.send(t.Context(), "w", &history.Event{ID: 7, Rule: "r"}); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("a redirect was followed: %v", err)
	}
}

func TestWebhookAddress(t *testing.T) {
	w, file := cheapLab(t)
	for _, c := range []struct{ address, secret, says string }{
		{"http://hooks.example/x", "s", "without encryption"},
		{"hooks.example/T0KEN", "s", "want an https address"},
		{"ftp://hooks.example/T0KEN", "s", "want an https address"},
		{"https://hooks.example/T0KEN", "", secretEnv},
	} {
		w.env[secretEnv] = c.secret
		w.want(2, "prices", "watch", file, "--webhook", c.address)
		if !strings.Contains(w.errs, c.says) || strings.Contains(w.errs, "T0KEN") {
			t.Errorf("%s: %s", c.address, w.errs)
		}
	}
	w.env[secretEnv] = "s"
	w.want(0, "prices", "watch", file, "--webhook", "http://127.0.0.1:1/x") // loopback needs no encryption
}

// TestWatchInterval: it goes on until a signal, whatever fires.
func TestWatchInterval(t *testing.T) {
	w, file := cheapLab(t)
	w.at(1.9)
	ctx, cancel := context.WithCancel(t.Context())
	w.wrote = cancel // what the first pass says is on the screen
	if code := w.run(ctx, "prices", "watch", file, "--interval", "15m"); code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
	if !strings.Contains(w.out, "4 fired") {
		t.Error(w.out)
	}
	w.want(2, "prices", "watch", file, "--interval", "1s")
	w.want(2, "prices", "watch", file, "--interval", "15m", "--once")
}

func TestReadRules(t *testing.T) {
	w := newLab(t)
	for _, c := range []struct{ from, to, says string }{
		{"below: 2.00 USD", "below: 2.00", "watch.yaml:5:19: rules[0].when.below: \"2.00\": want an amount and its currency"},
		{"below: 2.00 USD", "below: 2.00 USD, gone: true", "watch.yaml:5:11: rules[0].when: 2 conditions"},
		{"below: 2.00 USD", "", "0 conditions"},
		{"below:", "bellow:", "did you mean below"},
		{"gpu: h100", "gpu: h10o", "watch.yaml:4:19: rules[0].select.gpu: unknown GPU"},
		{"gpu: h100", "gpu: \"h100:8\"", "limits of memory and count"},
		{"provider: vultr", "provider: {vultr: 1}", "want a single value, got a mapping"},
		{"provider: vultr", "provider: []", "the list is empty"},
		{"purchase: on_demand", "purchase: \"spot, ondemand\"", "unknown purchase \"ondemand\""},
		{"name: cheap", "name: cheap\n    cooldown: 5", "want a time such as 24h"},
		{"name: cheap", "name: cheap\n    for: 0", "rules[0].for"},
		{"schema: 1", "schema: 2", "schema"},
	} {
		file := filepath.Join(t.TempDir(), "watch.yaml")
		if err := os.WriteFile(file, []byte(strings.Replace(rules, c.from, c.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		w.want(2, "prices", "watch", file, "--check")
		if !strings.Contains(w.errs, c.says) {
			t.Errorf("%s: %s", c.to, w.errs)
		}
	}
}

var update = flag.Bool("update", false, "write the generated files")

// TestWatchLists: words may be divided by commas or stand in a list.
func TestWatchLists(t *testing.T) {
	c, err := catalog.Embedded(data.CatalogTwin)
	if err != nil {
		t.Fatal(err)
	}
	file := func(gpu, provider, region string) []byte {
		return fmt.Appendf(nil, "schema: 1\nrules:\n  - name: a\n    select: {gpu: %s, provider: %s, region: %s}\n    when: {below: 2 USD}\n", gpu, provider, region)
	}
	want, _, err := readRules("w", file(`"h100, h200"`, "lambda", `"us-*, eu-*"`), c)
	if err != nil || len(want[0].Select.GPU) < 2 || len(want[0].Select.Region) != 2 {
		t.Fatal(want, err)
	}
	got, _, err := readRules("w", file("[h100, h200]", "[lambda]", "[us-*, eu-*]"), c)
	if d := cmp.Diff(want[0].Select, got[0].Select); d != "" || err != nil {
		t.Error(d, err)
	}
	for text, says := range map[string]string{
		"[]": "the list is empty", `[lambda, ""]`: "want one word", `["lambda, aws"]`: "want one word", "[[lambda]]": "want a single value", "{a: b}": "want a single value", `"lambda,,aws"`: "or a list",
	} {
		if _, _, err := readRules("w", file("h100", text, "us-*"), c); err == nil || !strings.Contains(asFault(err).msg, says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestWatchSchema: the schema for editors is that of the reader. Write it with
// go test ./internal/cli -run TestWatchSchema -update.
func TestWatchSchema(t *testing.T) {
	file := filepath.Join("..", "..", "data", "schema", "watch.schema.json")
	if *update {
		if err := os.WriteFile(file, WatchSchema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(have, WatchSchema()) {
		t.Errorf("%s is not what the reader says (%v)", file, err)
	}
}

// FuzzReadRules: any file is refused or read, and what is read passes the
// store's own check.
func FuzzReadRules(f *testing.F) {
	f.Add(rules)
	f.Add(strings.Replace(rules, "below: 2.00 USD", "change: -20% over 30d", 1))
	f.Add(strings.Replace(rules, "name: cheap", "name: cheap\n    for: 3\n    rearm: 5\n    cooldown: 6h\n    max_age: 2d", 1))
	c, err := embedded()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, _, err := readRules("watch.yaml", []byte(text), c)
		if err == nil && len(rules) == 0 {
			t.Errorf("nothing was read of %q", text)
		}
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Errorf("refused without a reason: %s", fmt.Sprintf("%q", text))
		}
	})
}
