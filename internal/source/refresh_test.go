package source

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
)

// memory is a store as a refresh sees one.
type memory struct {
	prev map[string]Previous
	val  map[string][]Validator
	rows map[string][]catalog.Offer
	seen map[string]time.Time // last verified
	got  []Result
}

func newMemory() *memory {
	return &memory{map[string]Previous{}, map[string][]Validator{}, map[string][]catalog.Offer{}, map[string]time.Time{}, nil}
}

func (m *memory) hooks() Hooks {
	return Hooks{
		Validators: func(s string) ([]Validator, error) { return m.val[s], nil },
		Previous:   func(s string) (Previous, error) { return m.prev[s], nil },
		Sink: func(r Result) error {
			m.got = append(m.got, r)
			switch r.Outcome {
			case Updated:
				m.rows[r.Source] = r.Batch.Offers
				p := SummaryOf(r.Batch.Offers)
				p.SHA256 = r.ContentSHA256
				m.prev[r.Source], m.val[r.Source], m.seen[r.Source] = p, r.Validators, r.FetchedAt
			case Unchanged:
				m.seen[r.Source] = r.FetchedAt
			}
			return nil
		},
	}
}

// TestRefresh: four sources, one each way; the good rows of the others stay.
func TestRefresh(t *testing.T) {
	factor := 1.0
	broken := false
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Asked-Host") {
		case "good.example":
			fmt.Fprint(w, strings.Replace(vultrBody("a"), "1.5", fmt.Sprint(1.5+(factor-1)/100), 1))
		case "jumps.example":
			fmt.Fprint(w, strings.Replace(vultrBody("a"), "1.5", fmt.Sprint(1.5*factor), 1))
		case "same.example":
			fmt.Fprint(w, vultrBody("a"))
		case "fails.example":
			if broken {
				w.WriteHeader(500)
				return
			}
			fmt.Fprint(w, vultrBody("a"))
		}
	})
	job := func(name string) Job {
		j := testSource(t, "vultr", "https://"+name+".example/plans")
		j.Format.Name = name
		return j
	}
	nokey := testSource(t, "digitalocean", "https://api.digitalocean.com/v2/sizes")
	plan := Plan{Jobs: []Job{job("good"), job("jumps"), job("same"), job("fails"), nokey}, Policy: Policy{}}
	m := newMemory()
	if _, err := l.Refresh(t.Context(), plan, m.hooks()); err != nil {
		t.Fatal(err)
	}
	first := l.now
	l.now = l.now.Add(24 * time.Hour)
	factor, broken = 8, true
	res, err := l.Refresh(t.Context(), plan, m.hooks())
	if err != nil {
		t.Fatal(err)
	}
	want := []Outcome{Updated, Rejected, Unchanged, Failed, Skipped}
	for i, r := range res {
		if r.Outcome != want[i] {
			t.Errorf("%s: %s, want %s: %v %v", r.Source, r.Outcome, want[i], r.Err, r.Verdict)
		}
		if (r.Batch != nil) != (r.Outcome == Updated) {
			t.Errorf("%s: %s with the batch %v", r.Source, r.Outcome, r.Batch)
		}
		if r.Outcome != Updated && r.Outcome != Unchanged && r.Err == nil {
			t.Errorf("%s: %s without a reason", r.Source, r.Outcome)
		}
	}
	if got := m.rows["jumps"][0].Prices[0].Low.String(); got != "1.50" {
		t.Errorf("an eight-fold price replaced a good one: %s", got)
	}
	if !m.seen["jumps"].Equal(first) || !m.seen["fails"].Equal(first) || !m.seen["same"].Equal(l.now) {
		t.Errorf("times: %v", m.seen)
	}
	if got := m.rows["good"][0].Prices[0].Low.String(); got != "1.57" {
		t.Errorf("the good source was not renewed: %s", got)
	}
	if len(m.got) != 10 {
		t.Errorf("%d results were handed over", len(m.got))
	}
	if !strings.Contains(res[1].Err.Error(), "times 8") {
		t.Errorf("the unit error is not named: %v", res[1].Err)
	}
}

func TestRefreshKeep(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, doSizes("", "a", "b")) })
	l.env["DIGITALOCEAN_TOKEN"] = "key-12345"
	plan := Plan{Jobs: []Job{testSource(t, "digitalocean", "https://api.digitalocean.com/v2/sizes")}, Keep: func(o *catalog.Offer) bool { return o.Instance == "b" }}
	res, _ := l.Refresh(t.Context(), plan, Hooks{})
	if r := res[0]; r.Outcome != Updated || len(r.Batch.Offers) != 1 || !r.Partial {
		t.Errorf("%+v", res)
	}
}

// TestRefreshSinkFails: what could not be stored is not a success.
func TestRefreshSinkFails(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, vultrBody("a")) })
	plan := Plan{Jobs: []Job{testSource(t, "vultr", "https://api.vultr.com/v2/plans")}}
	full := errors.New("disk is full")
	res, err := l.Refresh(t.Context(), plan, Hooks{Sink: func(Result) error { return full }})
	if err != nil || res[0].Outcome != Failed || !errors.Is(res[0].Err, full) || res[0].Batch != nil {
		t.Errorf("%v %v", res, err)
	}
}

func TestRefreshInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := newLab(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	plan := Plan{Jobs: []Job{testSource(t, "vultr", "https://api.vultr.com/a"), testSource(t, "vultr", "https://api.vultr.com/b")}, Parallel: 1}
	res, err := l.Refresh(ctx, plan, Hooks{})
	if !errors.Is(err, context.Canceled) || len(res) != 2 || res[0].Outcome != Failed || res[1].Outcome != Failed {
		t.Errorf("%v %v", res, err)
	}
}

func TestJobs(t *testing.T) {
	all, err := Jobs(nil)
	if err != nil || len(all) < 30 {
		t.Errorf("%d jobs %v", len(all), err)
	}
	one, err := Jobs([]string{"skypilot/aws", "oci"})
	if err != nil || len(one) != 2 || one[0].Name() != "skypilot/aws" || one[1].Name() != "oci" {
		t.Errorf("%v %v", one, err)
	}
	for _, bad := range []string{"nobody", "focus", "skypilot/nobody"} {
		if _, err := Jobs([]string{bad}); err == nil {
			t.Errorf("%s is a job", bad)
		}
	}
}

// TestFormats: the table of sources is complete.
func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats() {
		if seen[f.Name] || f.Name == "" || strings.ToLower(f.Name) != f.Name {
			t.Errorf("name %q", f.Name)
		}
		seen[f.Name] = true
		if f.Title == "" || f.Unit == "" || f.Licence == "" || f.Evidence == "" || f.Docs == "" || f.Confidence == "" || f.Kind == "" || f.read == nil {
			t.Errorf("%s lacks a field: %+v", f.Name, f)
		}
		if f.Shape != Verified && f.Shape != Claim {
			t.Errorf("%s: shape %q", f.Name, f.Shape)
		}
		if f.TTL().Fresh <= 0 || f.TTL().Stale <= f.TTL().Fresh || f.TTL().Hard <= f.TTL().Stale {
			t.Errorf("%s: %v", f.Name, f.TTL())
		}
		if !f.Fetched() && f.Get == "" {
			t.Errorf("%s: how does one get the file?", f.Name)
		}
		if len(f.Keys) > 0 && (f.Login.Header == "" || f.Auth() == "none") {
			t.Errorf("%s has keys and no login", f.Name)
		}
		for _, r := range f.Requests {
			if !strings.HasPrefix(r.URL, "https://") || strings.Contains(r.URL, "key=") || strings.Contains(r.URL, "token=") && !strings.Contains(r.URL, "pageToken=") {
				t.Errorf("%s asks %s", f.Name, r.URL)
			}
			if strings.Contains(r.URL, "{each}") != (len(f.Each) > 0) && len(f.Requests) == 1 {
				t.Errorf("%s: each %v of %s", f.Name, f.Each, r.URL)
			}
		}
		if s := f.Source(); s.ID != f.Name || s.Licence == "" || s.URL == "" {
			t.Errorf("%+v", s)
		}
	}
}

func TestAuth(t *testing.T) {
	v, _ := Lookup("verda")
	if got := v.Auth(); got != "VERDA_CLIENT_ID or DATACRUNCH_CLIENT_ID and VERDA_CLIENT_SECRET or DATACRUNCH_CLIENT_SECRET" {
		t.Error(got)
	}
	l, _ := Lookup("lambda")
	env := map[string]string{"GPUCOST_LAMBDA_KEY": "x"}
	if !l.AuthPresent(func(k string) string { return env[k] }) || l.AuthPresent(func(string) string { return "" }) {
		t.Error("presence of a key")
	}
	if o, _ := Lookup("oci"); o.Auth() != "none" || !o.AuthPresent(func(string) string { return "" }) {
		t.Error("no key is needed for oci")
	}
}
