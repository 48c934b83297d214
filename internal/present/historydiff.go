package present

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// PriceMove is how one price of a store differs between two days.
type PriceMove struct {
	Source     string `json:"source"`
	Provider   string `json:"provider"`
	Instance   string `json:"instance"`
	GPU        string `json:"gpu"`
	GPUName    string `json:"gpu_name"`
	GPUs       string `json:"gpus"`
	Region     string `json:"region"`
	Tier       string `json:"tier"`
	Host       string `json:"host"`
	Purchase   string `json:"purchase"`
	Plan       string `json:"plan"`
	TermMonths *int   `json:"term_months"`
	Per        string `json:"per"`
	What       string `json:"what"` // price, exchange_rate, price_and_rate, terms, new or gone

	FromNative   money.Amount   `json:"from_native"`
	FromCurrency money.Currency `json:"from_currency"`
	ToNative     money.Amount   `json:"to_native"`
	ToCurrency   money.Currency `json:"to_currency"`

	Currency       money.Currency   `json:"currency"` // of the following
	From           money.Amount     `json:"from"`
	To             money.Amount     `json:"to"`
	ChangePercent  *pricing.Percent `json:"change_percent"`
	PriceEffect    money.Amount     `json:"price_effect"` // these two sum to the change
	RateEffect     money.Amount     `json:"rate_effect"`
	FromRateDate   string           `json:"from_rate_date"`
	ToRateDate     string           `json:"to_rate_date"`
	LastVerifiedAt string           `json:"last_verified_at"`
}

// MovesAnswer is the answer of prices diff.
type MovesAnswer struct {
	From, To  string // days
	Store     string
	Attribute bool
	Moves     []PriceMove
	Unchanged, NotWatched,
	NoRate, Top int
	Lang Lang
}

// Doc makes the answer presentable in every format.
func (a MovesAnswer) Doc() Doc {
	l := a.Lang
	d := Doc{
		Object: struct {
			SchemaVersion int         `json:"schema_version"`
			Command       string      `json:"command"`
			Store         string      `json:"store"`
			From          string      `json:"from"`
			To            string      `json:"to"`
			Unchanged     int         `json:"unchanged"`
			NotWatched    int         `json:"not_watched"`
			NoRate        int         `json:"no_rate"`
			Changes       []PriceMove `json:"changes"`
		}{1, "prices diff", a.Store, a.From, a.To, a.Unchanged, a.NotWatched, a.NoRate, a.Moves},
		Records: Records{Header: []string{
			"source", "provider", "instance", "gpu", "gpus", "region", "tier", "host", "purchase", "plan", "term_months", "per", "what",
			"from_native", "from_currency", "to_native", "to_currency", "currency", "from", "to", "change_percent", "price_effect", "rate_effect",
			"from_rate_date", "to_rate_date",
		}},
	}
	counts := map[string]int{}
	for i := range a.Moves {
		m := &a.Moves[i]
		counts[m.What]++
		d.Rows = append(d.Rows, *m)
		d.Records.Rows = append(d.Records.Rows, m.record())
	}
	if a.NoRate > 0 {
		d.Warnings = append(d.Warnings, Warning{"no_exchange_rate", l.T("moves.no_rate", a.NoRate)})
	}
	moved := len(a.Moves) - counts["new"] - counts["gone"]
	lines := []string{l.T("moves.summary", moved, counts["exchange_rate"], counts["new"], counts["gone"], a.Unchanged)}
	if a.NotWatched > 0 {
		lines = append(lines, l.T("moves.not_watched", a.NotWatched))
	}
	if a.NoRate > 0 {
		lines = append(lines, l.T("moves.no_rate", a.NoRate))
	}
	shown := a.Moves
	if a.Top > 0 && len(shown) > a.Top {
		lines = append(lines, l.T("history.more", len(shown)-a.Top))
		shown = shown[:a.Top]
	}
	blocks := []Block{Lines{Tone: Strong, Text: []string{l.T("moves.head", a.From, a.To)}}}
	if len(shown) > 0 {
		blocks = append(blocks, a.table(shown))
	}
	d.Screen = Screen{Title: "gpucost prices diff", Blocks: append(blocks, Say(lines...))}
	return d
}

func (a MovesAnswer) table(shown []PriceMove) Table {
	l := a.Lang
	cols := []Column{
		{Key: "provider", Head: l.T("col.provider"), Flex: true},
		{Key: "gpu", Head: l.T("col.sold_as"), Flex: true},
		{Key: "region", Head: l.T("col.region"), Flex: true, Priority: 4},
		{Key: "purchase", Head: l.T("col.purchase")},
		{Key: "what", Head: l.T("col.what")},
		{Key: "old", Head: l.T("col.old"), Right: true},
		{Key: "new", Head: l.T("col.new"), Right: true},
		{Key: "change", Head: l.T("col.change"), Right: true},
	}
	if a.Attribute {
		cols = append(cols,
			Column{Key: "by_price", Head: l.T("col.by_price"), Right: true},
			Column{Key: "by_rate", Head: l.T("col.by_rate"), Right: true})
	}
	t := Table{Columns: append(cols, Column{Key: "per", Head: l.T("col.per"), Priority: 5})}
	var from, to, price, rate []money.Amount
	for i := range shown {
		m := &shown[i]
		from, to, price, rate = append(from, m.From), append(to, m.To), append(price, m.PriceEffect), append(rate, m.RateEffect)
	}
	olds, news, prices, rates := MoneyColumn(from), MoneyColumn(to), MoneyColumn(price), MoneyColumn(rate)
	for i := range shown {
		m := &shown[i]
		bought := l.T("purchase." + m.Purchase)
		if m.TermMonths != nil {
			bought += " " + l.T("months", *m.TermMonths)
		}
		row := []Cell{
			Text(m.Provider), Text(machine(m.GPUName, m.GPUs, m.Instance, m.Plan)), Text(m.Region), Text(bought), Text(l.T("moved." + m.What)), olds[i], news[i], signed(m.ChangePercent),
		}
		if a.Attribute {
			row = append(row, prices[i], rates[i])
		}
		t.Rows = append(t.Rows, append(row, Text(string(m.Currency)+" "+m.Per)))
	}
	return t
}

func (m *PriceMove) record() []Cell {
	return []Cell{
		Text(m.Source), Text(m.Provider), Text(m.Instance), Text(m.GPU), Text(m.GPUs), Text(m.Region), Text(m.Tier), Text(m.Host),
		Text(m.Purchase), Text(m.Plan), integer(m.TermMonths), Text(m.Per), Text(m.What),
		Exact(m.FromNative), Text(string(m.FromCurrency)), Exact(m.ToNative), Text(string(m.ToCurrency)), Text(string(m.Currency)),
		Exact(m.From), Exact(m.To), percentCell(m.ChangePercent), Exact(m.PriceEffect), Exact(m.RateEffect), Text(m.FromRateDate), Text(m.ToRateDate),
	}
}

// PrunedAnswer is what prices prune removed, or would remove.
type PrunedAnswer struct {
	SchemaVersion int    `json:"schema_version"`
	Command       string `json:"command"`
	Store         string `json:"store"`
	Before        string `json:"before"`
	DryRun        bool   `json:"dry_run"`
	Observations  int64  `json:"observations"`
	Series        int64  `json:"series"`
	Runs          int64  `json:"runs"`
	Rejections    int64  `json:"rejections"`
	Events        int64  `json:"events"`
}

// Doc makes the answer presentable in every format.
func (p PrunedAnswer) Doc(l Lang) Doc {
	d := one("pruned", p, l)
	d.Object = p
	key := "pruned.done"
	if p.DryRun {
		key = "pruned.dry"
	}
	text := l.T(key, p.Before, p.Observations, p.Series, p.Runs, p.Rejections, p.Events)
	d.Screen = Screen{Title: "gpucost prices prune", Blocks: []Block{Say(text, fmt.Sprint(l.T("pruned.keeps")))}}
	return d
}
