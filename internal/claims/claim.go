package claims

import (
	"encoding/json"
	"fmt"
)

// Verdict is what a claim is worth.
type Verdict string

// The verdicts.
const (
	Holds        Verdict = "holds"
	HoldsIf      Verdict = "holds_if" // under a condition that is a number
	DoesNotHold  Verdict = "does_not_hold"
	NotCheckable Verdict = "not_checkable"
)

// Verdicts lists every verdict in the order shown to people.
func Verdicts() []Verdict { return []Verdict{Holds, HoldsIf, DoesNotHold, NotCheckable} }

// ParseVerdict reads a verdict by its exact name.
func ParseVerdict(s string) (Verdict, error) {
	for _, v := range Verdicts() {
		if string(v) == s {
			return v, nil
		}
	}
	return "", fmt.Errorf("unknown verdict %q", s)
}

// Decimal is a plain decimal; empty is unknown, which JSON shows as null.
type Decimal string

// MarshalJSON writes the decimal as a string, so that no reader rounds it.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(d))
}

// Text is the same words in both languages.
type Text struct{ EN, ZH string }

// Value is a figure: one number (Low equals High), a range, or only words.
type Value struct {
	Low    Decimal `json:"low"`
	High   Decimal `json:"high"`
	Unit   string  `json:"unit"`
	Text   string  `json:"text"`
	TextZH string  `json:"text_zh"`
}

// Condition is what must be so for a claim to hold.
type Condition struct {
	Value
	// Met says whether it is so by the newest evidence; nil where that depends
	// on the reader's own work.
	Met *bool `json:"met"`
}

// Input is one value that a result was made of.
type Input struct {
	Name   string  `json:"name"`
	Value  Decimal `json:"value"`
	Unit   string  `json:"unit"`
	Source string  `json:"source"`
	AsOf   string  `json:"as_of"`
}

// Source is where evidence comes from: a source of the catalog, with the newest
// date used of it, or a citation.
type Source struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
	AsOf string `json:"as_of"`
}

// Claim is one claim recomputed.
type Claim struct {
	ID        string     `json:"id"`
	Source    string     `json:"source"` // the article
	Topic     string     `json:"topic"`
	Text      string     `json:"text"`
	TextZH    string     `json:"text_zh"`
	Verdict   Verdict    `json:"verdict"`
	Condition *Condition `json:"condition"` // set when, and only when, the verdict is holds_if
	Article   Value      `json:"article_value"`
	Our       Value      `json:"our_value"`
	Why       string     `json:"why"`
	WhyZH     string     `json:"why_zh"`
	Inputs    []Input    `json:"inputs"`
	Sources   []Source   `json:"sources"`
}
