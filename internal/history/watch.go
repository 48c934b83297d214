package history

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// RuleFile is a file of watch rules. It carries the tags of the YAML reader;
// thresholds and durations read themselves from their text.
type RuleFile struct {
	Schema int    `yaml:"schema" json:"schema"` // 1
	Rules  []Rule `yaml:"rules" json:"rules"`
}

// Rule fires once when its condition comes true for one series (or one
// source, for stale), and not again before the condition was clearly false:
// past the threshold by Rearm percent.
type Rule struct {
	Name     string    `yaml:"name" json:"name"`
	Select   Selector  `yaml:"select" json:"select"`
	When     Condition `yaml:"when" json:"when"`
	For      int       `yaml:"for" json:"for,omitempty"`           // verified so often before it fires; 1 if not stated
	Rearm    *float64  `yaml:"rearm" json:"rearm,omitempty"`       // percent; 2 if not stated
	Cooldown Duration  `yaml:"cooldown" json:"cooldown,omitempty"` // not twice for one subject within it
	MaxAge   Duration  `yaml:"max_age" json:"max_age,omitempty"`   // prices verified longer ago are unknown; 72h if not stated
	// Basis is native or report_currency. With native, the default, a rule in
	// another currency than the price does not fire when only the rate moved.
	Basis string `yaml:"basis" json:"basis,omitempty"`
}

// Selector selects series; what is not stated selects all. Regions may hold "*".
type Selector struct {
	GPU        Words `yaml:"gpu" json:"gpu,omitempty"`
	Provider   Words `yaml:"provider" json:"provider,omitempty"`
	Purchase   Words `yaml:"purchase" json:"purchase,omitempty"`
	Region     Words `yaml:"region" json:"region,omitempty"`
	Tier       Words `yaml:"tier" json:"tier,omitempty"`
	Source     Words `yaml:"source" json:"source,omitempty"`
	Instance   Words `yaml:"instance" json:"instance,omitempty"`
	TermMonths int   `yaml:"term_months" json:"term_months,omitempty"`
	MinGPUs    int   `yaml:"min_gpus" json:"min_gpus,omitempty"`
}

// Condition is one of these.
type Condition struct {
	Below  *Threshold `yaml:"below" json:"below,omitempty"`   // "1.80 USD" per GPU-hour, or "14.40 USD/instance-hour"
	Above  *Threshold `yaml:"above" json:"above,omitempty"`   // a range is below or above with both its ends
	Change *Movement  `yaml:"change" json:"change,omitempty"` // "10% over 24h", "+5% over 7d", "-20% over 30d"
	Stale  Duration   `yaml:"stale" json:"stale,omitempty"`   // a source without success for so long
	Gone   bool       `yaml:"gone" json:"gone,omitempty"`     // an offer that has disappeared
}

// Words is a word or a list of words.
type Words []string

// UnmarshalYAML accepts a single word as a list of one.
func (w *Words) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if unmarshal(&one) == nil {
		*w = Words{one}
		return nil
	}
	return unmarshal((*[]string)(w))
}

// Threshold is an amount per GPU-hour or instance-hour.
type Threshold struct {
	Amount money.Amount
	Per    unit.Per
}

// UnmarshalText reads "1.80 USD", "1.80 USD/gpu-hour" or "14.40 USD/instance-hour".
func (t *Threshold) UnmarshalText(text []byte) error {
	amount, per, stated := strings.Cut(string(text), "/")
	number, currency, ok := strings.Cut(strings.TrimSpace(amount), " ")
	a, err := money.Parse(number, money.Currency(strings.TrimSpace(currency)))
	if err != nil || !ok || len(a.Currency()) != 3 {
		return fmt.Errorf("%q: want an amount and its currency, such as 1.80 USD", text)
	}
	*t = Threshold{a, unit.PerGPUHour}
	switch p := strings.TrimSpace(per); {
	case !stated, p == "gpu-hour":
	case p == "instance-hour":
		t.Per = unit.PerInstanceHour
	default:
		return fmt.Errorf("%q: want /gpu-hour or /instance-hour", text)
	}
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (t Threshold) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func (t Threshold) String() string {
	return t.Amount.String() + " " + string(t.Amount.Currency()) + "/" + strings.ReplaceAll(string(t.Per), "_", "-")
}

// Movement is a change in percent over a time; Sign is 0 for either direction.
type Movement struct {
	Percent float64
	Sign    int
	Over    Duration
}

// UnmarshalText reads "10% over 24h", or with + or - before it for one direction.
func (m *Movement) UnmarshalText(text []byte) error {
	percent, over, ok := strings.Cut(string(text), "% over ")
	m.Sign = 0
	switch {
	case strings.HasPrefix(percent, "+"):
		m.Sign = 1
	case strings.HasPrefix(percent, "-"):
		m.Sign = -1
	}
	q, err := money.ParseQuantity(strings.TrimLeft(percent, "+-"))
	if err != nil || !ok || q <= 0 || len(strings.TrimLeft(percent, "+-")) < len(percent)-1 {
		return fmt.Errorf("%q: want a change such as 10%% over 24h", text)
	}
	m.Percent = q.Float()
	return m.Over.UnmarshalText([]byte(strings.TrimSpace(over)))
}

// MarshalText is the inverse of UnmarshalText.
func (m Movement) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

func (m Movement) String() string {
	sign := map[int]string{1: "+", -1: "-"}[m.Sign]
	return sign + strconv.FormatFloat(m.Percent, 'f', -1, 64) + "% over " + m.Over.String()
}

// Duration is a time in words: 15m, 24h, 30d.
type Duration time.Duration

// UnmarshalText reads what time.ParseDuration reads, and whole days: 30d.
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err == nil && n > 0 && n <= 36500 {
			*d = Duration(n) * Duration(24*time.Hour)
			return nil
		}
	} else if v, err := time.ParseDuration(s); err == nil && v > 0 {
		*d = Duration(v)
		return nil
	}
	return fmt.Errorf("%q: want a time such as 24h or 30d", s)
}

// MarshalText is the inverse of UnmarshalText.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

func (d Duration) String() string {
	if day := Duration(24 * time.Hour); d > 0 && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return time.Duration(d).String()
}

// Check reports everything that is wrong with the rules.
func (f *RuleFile) Check() error {
	var errs []error
	if f.Schema != 1 {
		errs = append(errs, fmt.Errorf("schema: %d, want 1", f.Schema))
	}
	seen := map[string]bool{}
	for i := range f.Rules {
		r := &f.Rules[i]
		for _, err := range r.problems() {
			errs = append(errs, fmt.Errorf("rule %d (%s): %w", i+1, r.Name, err))
		}
		if seen[r.Name] {
			errs = append(errs, fmt.Errorf("rule %d: a second rule %q", i+1, r.Name))
		}
		seen[r.Name] = true
	}
	if len(f.Rules) == 0 {
		errs = append(errs, errors.New("no rules"))
	}
	return errors.Join(errs...)
}

func (r *Rule) problems() (errs []error) {
	say := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	n := 0
	for _, set := range []bool{r.When.Below != nil, r.When.Above != nil, r.When.Change != nil, r.When.Stale != 0, r.When.Gone} {
		if set {
			n++
		}
	}
	say(r.Name == "", "no name")
	say(n != 1, "when: %d conditions, want one of below, above, change, stale, gone", n)
	say(r.For < 0, "for: %d, want 1 or more", r.For)
	say(r.For > 1 && r.When.Gone, "for: an offer is gone only once")
	say(r.Rearm != nil && !(*r.Rearm >= 0 && *r.Rearm < 100), "rearm: want a percentage from 0 to below 100")
	say(r.Basis != "" && r.Basis != "native" && r.Basis != "report_currency", "basis: %q, want native or report_currency", r.Basis)
	for _, p := range r.Select.Purchase {
		known := false
		for _, k := range catalog.Purchases() {
			known = known || p == string(k)
		}
		say(!known, "purchase: %q is not one", p)
	}
	return errs
}

// digest changes with anything that the rule says.
func (r *Rule) digest() string {
	text, err := json.Marshal(r)
	if err != nil { // a rule holds nothing that cannot be encoded
		panic(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))[:16]
}

// Filter is the selection for the store. GPUs must be ids by then.
func (s *Selector) Filter() Filter {
	f := Filter{
		GPUs: s.GPU, Providers: s.Provider, Sources: s.Source, Regions: s.Region, Instances: s.Instance, Tiers: s.Tier, TermMonths: s.TermMonths,
	}
	for _, p := range s.Purchase {
		f.Purchases = append(f.Purchases, catalog.Purchase(p))
	}
	return f
}
