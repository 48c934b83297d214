package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Comparison is the answer of compare, ready to become a Doc.
type Comparison struct {
	Asked    Asked
	Query    pricing.Query
	Catalog  Stamp
	Result   pricing.Result
	Groups   []pricing.Group
	GroupBy  string
	GPUText  string // what was asked for, as typed
	Top      int    // rows to show; 0 all, negative: what suits the format
	Collapse bool   // on a screen, only the best row of each seller and variant
	Explain  bool
	Names    map[string]Name // of providers
	Lang     Lang
	Work     *Work // what finished work costs at the quotes of Result; nil when not asked for

	moreGroups  int    // hidden by Top
	MonthOrigin string // where the length of a month was set: default, a flag, a variable or a file
}

// Name is what a seller is called in each language.
type Name struct{ EN, ZH string }

// Stamp says which catalog answered.
type Stamp struct {
	AsOf    string   `json:"as_of"`
	SHA256  string   `json:"sha256"`
	Sources []string `json:"sources"`

	Store *StoreNote `json:"store,omitempty"`
}

// Asked is the query as it was understood, for the record.
type Asked struct {
	GPU           string             `json:"gpu"`
	GPUs          int64              `json:"gpus"`
	Purchases     []catalog.Purchase `json:"purchases"`
	TermMonths    int                `json:"term_months"`
	Providers     []string           `json:"providers"`
	Market        string             `json:"market"`
	Regions       []string           `json:"regions"`
	Tiers         []string           `json:"tiers"`
	MaxPrice      money.Amount       `json:"max_price"`
	MaxPricePer   string             `json:"max_price_per"`
	Where         string             `json:"where"`
	Sort          string             `json:"sort"`
	Currency      money.Currency     `json:"currency"`
	FX            []RateUsed         `json:"fx"`
	AsOf          string             `json:"as_of"`
	Now           string             `json:"now"`
	Source        string             `json:"source"`
	MaxAgeDays    int                `json:"max_age_days"`
	HoursPerMonth string             `json:"hours_per_month"`
	DiskGB        string             `json:"disk_gb"`
	TaxPercent    *string            `json:"tax_percent"`
	AllQuotes     bool               `json:"all_quotes"`
}

// RateUsed is an exchange rate that the answer used.
type RateUsed struct {
	Base   money.Currency `json:"base"`
	Quote  money.Currency `json:"quote"`
	Rate   string         `json:"rate"`
	AsOf   string         `json:"as_of"`
	Source string         `json:"source"`
}

// Rates lists exchange rates for the record.
func Rates(rs []catalog.FXRate) []RateUsed {
	out := []RateUsed{}
	for _, r := range rs {
		asOf := r.AsOf.String()
		if r.Source == pricing.UserRate {
			asOf = ""
		}
		out = append(out, RateUsed{r.Base, r.Quote, r.Value.String(), asOf, r.Source})
	}
	return out
}

type comparisonObject struct {
	SchemaVersion int               `json:"schema_version"`
	Command       string            `json:"command"`
	Catalog       Stamp             `json:"catalog"`
	Query         Asked             `json:"query"`
	Quotes        any               `json:"quotes"`
	Groups        []pricing.Group   `json:"groups,omitempty"`
	Hidden        int               `json:"hidden"`
	LeftOut       []pricing.LeftOut `json:"left_out"`
	Warnings      []Warning         `json:"warnings"`
	Explain       *Explain          `json:"explain,omitempty"`
	Work          *workObject       `json:"work,omitempty"`
}

// Doc makes the answer presentable in every format.
func (c Comparison) Doc() Doc {
	quotes, hidden := c.Result.Quotes, 0
	if c.GroupBy == "" {
		quotes, hidden = top(quotes, c.Top)
	} else {
		c.Groups, hidden = top(c.Groups, c.Top)
		c.moreGroups = hidden
	}
	out := c.Result.LeftOut
	if out == nil {
		out = []pricing.LeftOut{}
	}
	c.Asked.FX = Rates(c.Result.Rates)
	o := comparisonObject{
		SchemaVersion: 1, Command: "compare", Catalog: c.Catalog, Query: c.Asked, Quotes: listed(quotes), Groups: c.Groups, Hidden: hidden, LeftOut: out, Warnings: c.warnings(quotes, hidden),
	}
	d := Doc{Warnings: o.Warnings, Records: c.records(quotes), Screen: c.screen(quotes)}
	if c.Explain {
		e := c.explain(quotes)
		o.Explain = &e
		d.Screen.Blocks = append(d.Screen.Blocks, e)
	}
	if c.Work != nil {
		with := c.workQuotes(quotes)
		o.Quotes, o.Work, d.Rows = with, c.workObject(), rowsOf(with)
	} else {
		d.Rows = rowsOf(quotes)
	}
	d.Object = o
	if c.GroupBy != "" {
		d.Records, d.Rows = groupRecords(c.GroupBy, c.Groups), rowsOf(c.Groups)
	}
	return d
}

func rowsOf[T any](list []T) []any {
	var out []any
	for i := range list {
		out = append(out, list[i])
	}
	return out
}

// top is the first n rows, all when n is not above 0, and how many that hides.
func top[T any](rows []T, n int) (shown []T, hidden int) {
	if n <= 0 || n >= len(rows) {
		return rows, 0
	}
	return rows[:n], len(rows) - n
}

// warnings are the doubts about the whole answer.
func (c Comparison) warnings(qs []pricing.Quote, hidden int) []Warning {
	out := []Warning{}
	add := func(code, key string, args ...any) { out = append(out, Warning{code, c.Lang.T(key, args...)}) }
	if n := count(qs, pricing.WarnStale); n > 0 {
		add(pricing.WarnStale, "compare.warn.stale", n)
	}
	if n := count(qs, pricing.WarnUndated); n > 0 {
		add(pricing.WarnUndated, "compare.warn.undated", n)
	}
	if n := count(qs, pricing.WarnLow); n > 0 {
		add(pricing.WarnLow, "compare.warn.low", n)
	}
	if hidden > 0 {
		add("hidden", "compare.warn.hidden", hidden)
	}
	if n := len(c.Result.LeftOut); n > 0 {
		add("left_out", "compare.warn.left_out", n)
	}
	for _, r := range Rates(c.Result.Rates) {
		add("exchange_rate", "compare.warn.rate", r.Quote, r.Base, r.Rate, rateOrigin(r))
	}
	return out
}

func rateOrigin(r RateUsed) string {
	if r.AsOf == "" {
		return r.Source
	}
	return r.AsOf + ", " + r.Source
}

func count(qs []pricing.Quote, code string) int {
	n := 0
	for i := range qs {
		if qs[i].Has(code) {
			n++
		}
	}
	return n
}

var compareHeader = strings.Split("rank,provider,instance,tier,region,gpu,gpus,purchase,term_months,currency,price_per_gpu_hour,price_per_gpu_hour_low,"+
	"price_per_gpu_hour_high,price_per_instance_hour,instances,need_per_hour,need_per_month,saving_percent,as_of,source,confidence,notes", ",")

func (c Comparison) records(qs []pricing.Quote) Records {
	r := Records{Header: slices.Concat(compareHeader, workHeader)}
	for i := range qs {
		q := &qs[i]
		var notes []string
		for _, w := range q.Warnings {
			notes = append(notes, w.Code)
		}
		notes = append(notes, c.workNotes(q)...)
		r.Rows = append(r.Rows, append([]Cell{
			Num(fmt.Sprint(q.Rank)), Text(q.Provider), Text(q.Instance), Text(q.Tier), Text(q.Region), Text(q.GPU), Text(q.GPUCount),
			Text(string(q.Purchase)), integer(q.TermMonths), Text(string(q.Currency)), Exact(q.PerGPUHour), Exact(q.PerGPUHourLow),
			Exact(q.PerGPUHourHigh), Exact(q.PerInstanceHour), integer(q.Instances), Exact(q.NeedPerHour), Exact(q.NeedPerMonth),
			percentCell(q.SavingPercent), Text(q.AsOf), Text(q.Source), Text(q.Confidence), Text(strings.Join(notes, " ")),
		}, c.workCells(q)...))
	}
	return r
}

func groupRecords(by string, gs []pricing.Group) Records {
	r := Records{Header: []string{by, "offers", "priced", "providers", "currency", "price_per_gpu_hour_low", "price_per_gpu_hour_high", "best_provider", "best_need_per_hour"}}
	for i := range gs {
		g := &gs[i]
		r.Rows = append(r.Rows, []Cell{
			Text(g.Key), Num(fmt.Sprint(g.Offers)), Num(fmt.Sprint(g.Priced)), Num(fmt.Sprint(g.Providers)), Text(string(g.Currency)),
			Exact(g.PerGPUHourLow), Exact(g.PerGPUHourHi), Text(g.Best.Provider), Exact(g.Best.NeedPerHour),
		})
	}
	return r
}

func integer[T int | int64](p *T) Cell {
	if p == nil {
		return Unknown()
	}
	return Num(fmt.Sprint(*p))
}

func percentCell(p *pricing.Percent) Cell {
	if p == nil {
		return Unknown()
	}
	return Num(p.String())
}

func (c Comparison) name(q *pricing.Quote) string {
	if c.Work != nil && q.Provider == estimate.OwnSeller {
		return c.Lang.T("work.own")
	}
	if n := c.Names[q.Provider]; c.Lang == ZH && n.ZH != "" {
		return n.ZH
	}
	return q.ProviderName
}

func (c Comparison) purchaseWords() string {
	var words []string
	for _, p := range c.Query.Purchases {
		if p == catalog.Owned && len(c.Query.Purchases) > 1 && slices.Contains(c.Query.Purchases, catalog.OnDemand) {
			continue // asked for by nobody: owned machines of a user's own file
		}
		word := c.Lang.T("purchase." + string(p))
		if p == catalog.Reserved && c.Query.TermMonths > 0 {
			word += " " + c.Lang.T("months", c.Query.TermMonths)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
