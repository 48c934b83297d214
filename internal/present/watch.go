package present

import (
	"fmt"
	"time"

	"github.com/gpucost/gpucost/internal/money"
)

// WatchEvent is a rule that has fired. Amounts are plain decimals in Currency.
type WatchEvent struct {
	ID       int64     `json:"id"`
	Rule     string    `json:"rule"`
	Kind     string    `json:"kind"` // below, above, change, stale or gone
	Subject  string    `json:"subject"`
	FiredAt  time.Time `json:"fired_at"`
	Message  string    `json:"message"`
	Source   string    `json:"source"`
	Provider string    `json:"provider,omitempty"`
	Instance string    `json:"instance,omitempty"`
	GPU      string    `json:"gpu,omitempty"`
	GPUs     string    `json:"gpus,omitempty"`
	Region   string    `json:"region,omitempty"`
	Purchase string    `json:"purchase,omitempty"`
	Plan     string    `json:"plan,omitempty"`

	From       string         `json:"from,omitempty"`
	To         string         `json:"to,omitempty"`
	Currency   money.Currency `json:"currency,omitempty"`
	Per        string         `json:"per,omitempty"`
	VerifiedAt time.Time      `json:"verified_at,omitzero"`
}

// Unjudged is a subject whose condition could not be decided.
type Unjudged struct {
	Rule    string `json:"rule"`
	Subject string `json:"subject"`
	Why     string `json:"why"`
}

// WatchAnswer is what one evaluation of watch rules found.
type WatchAnswer struct {
	Store                 string
	At                    time.Time
	Rules, Checked        int
	Fired                 []WatchEvent
	Unjudged              []Unjudged
	Sent, Failed, Pending int // events and the webhook
	Lang                  Lang
}

// Doc makes the answer presentable in every format.
func (a WatchAnswer) Doc() Doc {
	l := a.Lang
	fired, unjudged := a.Fired, a.Unjudged
	if fired == nil {
		fired = []WatchEvent{}
	}
	if unjudged == nil {
		unjudged = []Unjudged{}
	}
	d := Doc{
		Object: struct {
			SchemaVersion int          `json:"schema_version"`
			Command       string       `json:"command"`
			Store         string       `json:"store"`
			At            time.Time    `json:"at"`
			Rules         int          `json:"rules"`
			Checked       int          `json:"checked"`
			Fired         []WatchEvent `json:"fired"`
			Unjudged      []Unjudged   `json:"unjudged"`
			Sent          int          `json:"sent"`
			Pending       int          `json:"pending"`
		}{1, "prices watch", a.Store, a.At.UTC(), a.Rules, a.Checked, fired, unjudged, a.Sent, a.Pending},
		Records: Records{Header: []string{
			"id", "rule", "kind", "source", "provider", "instance", "gpu", "gpus", "region", "purchase", "plan",
			"from", "to", "currency", "per", "fired_at", "verified_at", "message",
		}},
	}
	var said []string
	for i := range fired {
		e := &fired[i]
		d.Rows = append(d.Rows, *e)
		d.Records.Rows = append(d.Records.Rows, []Cell{
			Num(fmt.Sprint(e.ID)), Text(e.Rule), Text(e.Kind), Text(e.Source), Text(e.Provider), Text(e.Instance), Text(e.GPU), Text(e.GPUs), Text(e.Region),
			Text(e.Purchase), Text(e.Plan), Num(e.From), Num(e.To), Text(string(e.Currency)), Text(e.Per), Text(e.FiredAt.UTC().Format(time.RFC3339)),
			Text(stampText(&e.VerifiedAt)), Text(e.Message),
		})
		said = append(said, e.Rule+": "+e.Message)
	}
	lines := []string{l.T("watch.summary", a.Rules, a.Checked, len(fired))}
	for _, text := range a.doubts() {
		lines = append(lines, text)
		d.Warnings = append(d.Warnings, Warning{"not_judged", text})
	}
	if a.Sent+a.Pending > 0 {
		lines = append(lines, l.T("watch.sent", a.Sent, a.Pending))
	}
	d.Screen = Screen{Title: "gpucost prices watch", Blocks: []Block{Lines{Tone: Strong, Text: said}, Say(lines...)}}
	return d
}

// doubts tells per rule and reason how much could not be judged.
func (a WatchAnswer) doubts() (lines []string) {
	type key struct{ rule, why string }
	counts := map[key]int{}
	var order []key
	for _, u := range a.Unjudged {
		k := key{u.Rule, u.Why}
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k]++
	}
	for _, k := range order {
		lines = append(lines, a.Lang.T("watch.unjudged", k.rule, counts[k], k.why))
	}
	return lines
}
