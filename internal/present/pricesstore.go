package present

import (
	"strings"
)

// StoreNote says what a price store gave an answer, and how old that is; or
// why it gave nothing.
type StoreNote struct {
	Location        string   `json:"location"` // without a password
	Offers          int      `json:"offers"`
	Prices          int      `json:"prices"`
	Sources         int      `json:"sources"` // that have ever answered
	YoungestSeconds int64    `json:"youngest_age_seconds"`
	OldestSeconds   int64    `json:"oldest_age_seconds"` // since the last accepted answer
	Oldest          string   `json:"oldest_source"`
	PastLimit       []string `json:"past_limit"` // sources older than their kind of price allows
	Fallback        string   `json:"fallback"`   // why the embedded catalog answers alone; empty when it does not
}

// On adds the note to an answer: after its headline, and to its warnings. A
// nil note adds nothing.
func (n *StoreNote) On(d Doc, l Lang) Doc {
	if n == nil {
		return d
	}
	lines := n.lines(l)
	at := min(1, len(d.Screen.Blocks))
	blocks := append([]Block{}, d.Screen.Blocks[:at]...)
	blocks = append(blocks, Say(lines...))
	d.Screen.Blocks = append(blocks, d.Screen.Blocks[at:]...)
	code := "store"
	if n.Fallback != "" {
		code = "store_fallback"
	}
	d.Warnings = append([]Warning{{code, strings.Join(lines, " ")}}, d.Warnings...)
	return d
}

func (n *StoreNote) lines(l Lang) []string {
	if n.Fallback != "" {
		return []string{l.T("store.fallback", n.Fallback)}
	}
	young, old := AgeOf(n.YoungestSeconds, l), AgeOf(n.OldestSeconds, l)
	lines := []string{l.T("store.used", n.Prices, n.Sources, young, old, n.Oldest)}
	if young == old {
		lines[0] = l.T("store.used_alike", n.Prices, n.Sources, old)
	}
	if len(n.PastLimit) > 0 {
		lines = append(lines, l.T("store.past_limit", few(l, n.PastLimit, 5)))
	}
	return lines
}

// AgeOf writes an age in seconds in the unit that suits it.
func AgeOf(seconds int64, l Lang) string { return Hours(float64(seconds)/3600, l) }
