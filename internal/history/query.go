package history

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Filter selects series; an empty field selects all. GPUs are ids of the
// catalog: resolve what people type first. Regions may hold "*".
type Filter struct {
	GPUs, Providers, Sources, Regions, Instances, Tiers []string
	Purchases                                           []catalog.Purchase
	Plan                                                string
	TermMonths                                          int
}

// Series is one price of one source over time.
type Series struct {
	ID                                                int64
	Source                                            string
	Provider, Instance, GPU, Region, Tier, Host, Plan string
	GPUs                                              unit.Count
	Purchase                                          catalog.Purchase
	TermMonths                                        int
	Points                                            []Point // oldest first
}

// Point is an observation: a value and the time it held.
type Point struct {
	ObservedAt     time.Time    // this value was first seen
	LastVerifiedAt time.Time    // an accepted run saw it last
	EndedAt        time.Time    // zero while it is open
	EndReason      string       // changed or disappeared; empty while it is open
	Low, High      money.Amount // unknown when the source did not know
	Per            string       // a unit.Per, or million_tokens
	Free           bool
	AsOf           catalog.Date // the date the source gives the price; the day it was last verified unless the source says another
	RunID          int64
}

// Open reports whether the value still holds.
func (p *Point) Open() bool { return p.EndedAt.IsZero() }

// where builds the conditions of a query and numbers their parameters.
type where struct {
	conditions []string
	args       []any
}

// arg adds a parameter and returns its placeholder.
func (w *where) arg(v any) string {
	w.args = append(w.args, v)
	return fmt.Sprintf("$%d", len(w.args))
}

func (w *where) add(condition string) { w.conditions = append(w.conditions, condition) }

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}

func (w *where) in(column string, list []string) {
	if len(list) == 0 {
		return
	}
	marks := make([]string, len(list))
	for i, v := range list {
		marks[i] = w.arg(v)
	}
	w.add(column + " IN (" + strings.Join(marks, ", ") + ")")
}

// like matches any of the patterns, in which * stands for anything.
func (w *where) like(column string, patterns []string) {
	if len(patterns) == 0 {
		return
	}
	escape := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "*", "%")
	var any []string
	for _, p := range patterns {
		any = append(any, "lower("+column+") LIKE "+w.arg(escape.Replace(strings.ToLower(p)))+` ESCAPE '\'`)
	}
	w.add("(" + strings.Join(any, " OR ") + ")")
}

// identity narrows a filter on GPUs to their parts of the index.
func (w *where) identity(f *Filter) {
	providers, bytes := f.Providers, 4
	if len(providers) == 0 || len(providers)*len(f.GPUs) > 30 {
		providers, bytes = []string{""}, 2
	}
	var ranges []string
	for _, gpu := range f.GPUs {
		for _, provider := range providers {
			p := prefix(gpu, provider)
			low, high := make([]byte, 16), [16]byte(slices.Repeat([]byte{0xff}, 16))
			copy(low, p[:bytes])
			copy(high[:], p[:bytes])
			ranges = append(ranges, "s.identity BETWEEN "+w.arg(low)+" AND "+w.arg(high[:]))
		}
	}
	if len(ranges) > 0 {
		w.add("(" + strings.Join(ranges, " OR ") + ")")
	}
}

// series adds the conditions of a filter on the table series, alias s.
func (w *where) series(f *Filter) {
	w.identity(f)
	w.in("s.gpu", f.GPUs)
	w.in("s.provider", f.Providers)
	w.in("src.name", f.Sources)
	w.in("s.instance", f.Instances)
	w.in("s.tier", f.Tiers)
	w.like("s.region", f.Regions)
	purchases := make([]string, len(f.Purchases))
	for i, p := range f.Purchases {
		purchases[i] = string(p)
	}
	w.in("s.purchase", purchases)
	if f.Plan != "" {
		w.add("s.plan = " + w.arg(f.Plan))
	}
	if f.TermMonths > 0 {
		w.add("s.term_months = " + w.arg(int64(f.TermMonths)))
	}
}

const (
	seriesSelect = "s.id, src.name, s.provider, s.gpu, s.gpus, s.instance, s.region, s.tier, s.host, s.purchase, s.plan, s.term_months"
	seriesFrom   = " FROM series s JOIN source src ON src.id = s.source_id"
)

func pointSelect(alias string) string {
	return strings.ReplaceAll("@.observed_at, @.last_verified_at, @.ended_at, @.end_reason, @.low_nano, @.high_nano, @.currency, @.per, @.free, @.as_of, @.run_id",
		"@", alias)
}

// seriesRow receives a row of seriesSelect.
type seriesRow struct {
	id     int64
	source string
	identity
}

func (r *seriesRow) dest() []any {
	i := &r.identity
	return []any{
		&r.id, &r.source, &i.provider, &i.gpu, &i.gpus, &i.instance, &i.region, &i.tier, &i.host, &i.purchase, &i.plan, &i.termMonths,
	}
}

func (r *seriesRow) series() (Series, error) {
	count, err := parseCount(r.gpus)
	return Series{
		ID: r.id, Source: r.source, Provider: r.provider, Instance: r.instance, GPU: r.gpu, Region: r.region, Tier: r.tier,
		Host: r.host, Plan: r.plan, GPUs: count, Purchase: catalog.Purchase(r.purchase), TermMonths: int(r.termMonths),
	}, err
}

// pointRow receives a row of pointSelect; valid is false for a row of NULLs.
type pointRow struct {
	observed, verified, ended, low, high, run sql.NullInt64
	reason, currency, per, asOf               sql.NullString
	free                                      sql.NullBool
}

func (r *pointRow) dest() []any {
	return []any{
		&r.observed, &r.verified, &r.ended, &r.reason, &r.low, &r.high, &r.currency, &r.per, &r.free, &r.asOf, &r.run,
	}
}

func (r *pointRow) valid() bool { return r.observed.Valid }

func (r *pointRow) value() value {
	c := money.Currency(r.currency.String)
	return value{money.FromNano(r.low.Int64, c), money.FromNano(r.high.Int64, c), r.per.String, r.free.Bool}
}

func (r *pointRow) point() (Point, error) {
	v := r.value()
	code, err := parseDateCode(r.asOf)
	p := Point{
		ObservedAt: time.UnixMicro(r.observed.Int64).UTC(), LastVerifiedAt: time.UnixMicro(r.verified.Int64).UTC(),
		EndReason: r.reason.String, Low: v.low, High: v.high, Per: v.per, Free: v.free, RunID: r.run.Int64,
	}
	p.AsOf = code.date(p.LastVerifiedAt)
	if r.ended.Int64 != openEnd {
		p.EndedAt = time.UnixMicro(r.ended.Int64).UTC()
	}
	return p, err
}
