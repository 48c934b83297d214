package present

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// HistorySeries is one price of one source over time.
type HistorySeries struct {
	ID         int64          `json:"id"`
	Source     string         `json:"source"`
	Provider   string         `json:"provider"`
	Instance   string         `json:"instance"`
	GPU        string         `json:"gpu"`
	GPUName    string         `json:"gpu_name"`
	GPUs       string         `json:"gpus"`
	Region     string         `json:"region"`
	Tier       string         `json:"tier"`
	Host       string         `json:"host"`
	Purchase   string         `json:"purchase"`
	Plan       string         `json:"plan"`
	TermMonths *int           `json:"term_months"`
	Points     []HistoryPoint `json:"points"`
}

// HistoryPoint is a value and the time it held. Unknown amounts are null;
// those per GPU-hour also where the unit cannot be converted.
type HistoryPoint struct {
	ObservedAt     time.Time      `json:"observed_at"`
	LastVerifiedAt time.Time      `json:"last_verified_at"`
	EndedAt        *time.Time     `json:"ended_at"`
	EndReason      string         `json:"end_reason"`
	Low            money.Amount   `json:"low"`
	High           money.Amount   `json:"high"`
	Currency       money.Currency `json:"currency"`
	Per            string         `json:"per"`
	Free           bool           `json:"free"`
	AsOf           string         `json:"as_of"`
	PerGPUHourLow  money.Amount   `json:"price_per_gpu_hour_low"`
	PerGPUHourHigh money.Amount   `json:"price_per_gpu_hour_high"`
}

// value is the amount that a screen shows: per GPU-hour where that is known.
func (p *HistoryPoint) value() money.Amount {
	if p.PerGPUHourLow.Known() {
		return p.PerGPUHourLow
	}
	return p.Low
}

func (p *HistoryPoint) per() string {
	if p.PerGPUHourLow.Known() {
		return "gpu_hour"
	}
	return p.Per
}

// HistoryAnswer is the answer of prices history.
type HistoryAnswer struct {
	Asked    string // the GPU, as typed
	Store    string
	From, To time.Time // of the drawing
	Series   []HistorySeries
	Top      int // series to show on a screen; 0 all
	Lang     Lang
}

// Last is the newest point of a series.
func (s *HistorySeries) Last() *HistoryPoint { return &s.Points[len(s.Points)-1] }

var historyHeader = []string{
	"series_id", "source", "provider", "instance", "gpu", "gpus", "region", "tier", "host", "purchase", "plan", "term_months",
	"low", "high", "currency", "per", "free", "as_of", "observed_at", "last_verified_at", "ended_at", "end_reason",
	"price_per_gpu_hour_low", "price_per_gpu_hour_high",
}

// Doc makes the answer presentable in every format.
func (a HistoryAnswer) Doc() Doc {
	d := Doc{
		Object: struct {
			SchemaVersion int             `json:"schema_version"`
			Command       string          `json:"command"`
			Store         string          `json:"store"`
			Series        []HistorySeries `json:"series"`
		}{1, "prices history", a.Store, a.Series},
		Records: Records{Header: historyHeader},
	}
	for i := range a.Series {
		s := &a.Series[i]
		d.Rows = append(d.Rows, *s)
		for j := range s.Points {
			d.Records.Rows = append(d.Records.Rows, s.record(&s.Points[j]))
		}
	}
	d.Screen = a.screen()
	return d
}

func (s *HistorySeries) record(p *HistoryPoint) []Cell {
	return []Cell{
		Num(fmt.Sprint(s.ID)), Text(s.Source), Text(s.Provider), Text(s.Instance), Text(s.GPU), Text(s.GPUs), Text(s.Region), Text(s.Tier),
		Text(s.Host), Text(s.Purchase), Text(s.Plan), integer(s.TermMonths), Exact(p.Low), Exact(p.High), Text(string(p.Currency)), Text(p.Per),
		Text(fmt.Sprint(p.Free)), Text(p.AsOf), Text(p.ObservedAt.Format(time.RFC3339)), Text(p.LastVerifiedAt.Format(time.RFC3339)),
		Text(stampText(p.EndedAt)), Text(p.EndReason), Exact(p.PerGPUHourLow), Exact(p.PerGPUHourHigh),
	}
}

// sparkCells is the width of a drawn history, in columns.
const sparkCells = 14

func (a HistoryAnswer) screen() Screen {
	l := a.Lang
	shown := a.Series
	if a.Top > 0 && len(shown) > a.Top {
		shown = shown[:a.Top]
	}
	t := Table{Columns: []Column{
		{Key: "provider", Head: l.T("col.provider"), Flex: true},
		{Key: "gpu", Head: l.T("col.sold_as"), Flex: true},
		{Key: "region", Head: l.T("col.region"), Flex: true, Priority: 3},
		{Key: "purchase", Head: l.T("col.purchase")},
		{Key: "spark", Head: l.T("col.trend")},
		{Key: "last", Head: l.T("col.last"), Right: true},
		{Key: "change", Head: l.T("col.change"), Right: true, Priority: 1},
		{Key: "verified", Head: l.T("col.verified"), Priority: 2},
		{Key: "currency", Head: l.T("col.currency"), Wide: true, Priority: 5},
		{Key: "instance", Head: l.T("col.instance"), Flex: true, Wide: true, Priority: 6},
		{Key: "source", Head: l.T("col.source"), Flex: true, Wide: true, Priority: 7},
	}}
	var lasts []money.Amount
	units := map[string]bool{}
	for i := range shown {
		p := shown[i].Last()
		lasts = append(lasts, p.value())
		units[string(p.Currency)+" "+p.per()] = true
	}
	cells := MoneyColumn(lasts)
	for i := range shown {
		s := &shown[i]
		verified := s.Last().LastVerifiedAt.Format(time.DateOnly)
		if s.Last().EndedAt != nil {
			verified = l.T("history.gone", s.Last().EndedAt.Format(time.DateOnly))
		}
		t.Rows = append(t.Rows, []Cell{
			Text(s.Provider), Text(machine(s.GPUName, s.GPUs, s.Instance, s.Plan)), Text(s.Region), Text(s.bought(l)), Text(Spark(s.samples(a.From, a.To, sparkCells))), cells[i],
			signed(s.change()), Text(verified), Text(string(s.Last().Currency)), Text(s.Instance), Text(s.Source),
		})
	}
	head := l.T("history.head", a.Asked, len(a.Series), a.From.Format(time.DateOnly), a.To.Add(-time.Microsecond).Format(time.DateOnly))
	lines := []string{l.T("history.units", few(l, sortedKeys(units), 4))}
	if n := len(a.Series) - len(shown); n > 0 {
		lines = append(lines, l.T("history.more", n))
	}
	blocks := []Block{Lines{Tone: Strong, Text: []string{head}}, t, Say(lines...)}
	if len(a.Series) == 1 {
		blocks = append(blocks, a.Series[0].table(l))
	}
	return Screen{Title: "gpucost prices history", Blocks: blocks}
}

// machine is what is sold, as compare says it: "8x H100 SXM5 80"; a model for
// prices per token.
func machine(gpu, gpus, instance, plan string) string {
	if gpu == "" {
		return strings.TrimSpace(instance + " " + plan)
	}
	return soldAs(&pricing.Quote{GPUName: gpu, GPUCount: gpus})
}

func (s *HistorySeries) bought(l Lang) string {
	text := l.T("purchase." + s.Purchase)
	if s.TermMonths != nil {
		text += " " + l.T("months", *s.TermMonths)
	}
	return text
}

// change is how much the last price differs from the first known one.
func (s *HistorySeries) change() *pricing.Percent {
	last := s.Last()
	for i := range s.Points {
		first := &s.Points[i]
		if first.value().Known() && first.per() == last.per() {
			saving := pricing.Saving(last.value(), first.value())
			if saving != nil {
				*saving = -*saving
			}
			return saving
		}
	}
	return nil
}

// samples are the values that held at n moments, evenly from one time to
// another; NaN where none did. They are for drawing only.
func (s *HistorySeries) samples(from, to time.Time, n int) []float64 {
	out := make([]float64, n)
	last := s.Last()
	for i := range out {
		out[i] = math.NaN()
		start, end := from.Add(to.Sub(from)*time.Duration(i)/time.Duration(n)), from.Add(to.Sub(from)*time.Duration(i+1)/time.Duration(n))
		for j := range s.Points { // the last value of the moment counts
			p := &s.Points[j]
			if p.ObservedAt.Before(end) && (p.EndedAt == nil || p.EndedAt.After(start)) && p.value().Known() && p.value().Currency() == last.Currency {
				out[i] = float64(p.value().Nano()) / 1e9
			}
		}
	}
	return out
}

// table lists the observations of a single series.
func (s *HistorySeries) table(l Lang) Table {
	t := Table{Caption: "observations", Columns: []Column{
		{Key: "from", Head: l.T("col.from")},
		{Key: "to", Head: l.T("col.to")},
		{Key: "low", Head: l.T("col.low"), Right: true},
		{Key: "high", Head: l.T("col.high"), Right: true},
		{Key: "per", Head: l.T("col.per")},
		{Key: "verified", Head: l.T("col.verified"), Priority: 1},
		{Key: "end", Head: l.T("col.end"), Priority: 2},
	}}
	var lows, highs []money.Amount
	for i := range s.Points {
		lows, highs = append(lows, s.Points[i].Low), append(highs, s.Points[i].High)
	}
	low, high := MoneyColumn(lows), MoneyColumn(highs)
	for i := range s.Points {
		p := &s.Points[i]
		end := ""
		if p.EndedAt != nil {
			end = p.EndedAt.Format(time.DateOnly)
		}
		t.Rows = append(t.Rows, []Cell{
			Text(p.ObservedAt.Format(time.DateOnly)), Text(end), low[i], high[i], Text(string(p.Currency) + " " + p.Per),
			Text(p.LastVerifiedAt.Format(time.DateOnly)), Text(p.EndReason),
		})
	}
	return t
}
