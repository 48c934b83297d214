package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
	"github.com/gpucost/gpucost/internal/purchase"
)

func (a *App) breakevenCommand() *cobra.Command {
	return group("breakeven", "From where on one way of buying beats another",
		a.breakevenBuyCommand(), a.breakevenReservedCommand(), a.breakevenServerlessCommand(), a.breakevenAPICommand(), a.breakevenScheduleCommand())
}

// shop is the ground that every question about buying stands on.
type shop struct {
	*asker
	app   *App
	cat   *catalog.Catalog
	basis basis
	o     compareOptions   // what may be looked up: GPU, provider, region ...
	used  []*pricing.Quote // what the answer's prices rest on

	activeOnly bool // the serverless seller bills public models for active time only
}

// open loads the catalog and reads the flags.
func (a *App) open(cmd *cobra.Command, asks []ask, o compareOptions) (*shop, error) {
	c, err := a.catalog()
	if err != nil {
		return nil, err
	}
	b, err := a.basis(c, o.market)
	if err != nil {
		return nil, err
	}
	s := &shop{asker: &asker{cmd: cmd, exchange: b.exchange}, app: a, cat: c, basis: b, o: o}
	for flag, cur := range map[string]*money.Currency{"capex-currency": &s.own, "rent-currency": &s.rent} {
		if code := s.text(flag); code != "" {
			if *cur = money.Currency(strings.ToUpper(code)); !catalog.KnownCurrency(*cur) {
				return nil, usagef("--%s %q: want an ISO 4217 code such as USD or CNY", flag, code)
			}
		}
	}
	return s, s.read(asks)
}

// lookupFlags are the flags that name something of the catalog.
func lookupFlags(a *App, cmd *cobra.Command, o *compareOptions) {
	f := cmd.Flags()
	f.StringVar(&o.gpu, "gpu", "", "take prices of this GPU from the catalog")
	f.StringSliceVar(&o.providers, "provider", nil, "only these providers")
	f.StringSliceVar(&o.regions, "region", nil, "only these regions or countries")
	f.StringVar(&o.market, "market", "", "only this market: intl or cn")
	a.flagValues(cmd, map[string]completer{"gpu": gpuNames, "provider": providerIDs, "region": regionNames, "market": fixed("intl", "cn")})
}

// quotes asks the catalog for the GPU bought one way, in rank order.
func (s *shop) quotes(gpus int64, purchases []catalog.Purchase, term int) ([]pricing.Quote, error) {
	o := s.o
	o.gpus, o.term, o.per = gpus, term, "gpu"
	for _, p := range purchases {
		o.purchases = append(o.purchases, string(p))
	}
	q, err := s.app.query(s.cat, &o)
	if err != nil {
		return nil, err
	}
	return pricing.Compare(s.cat, q).Quotes, nil
}

// cheapest is the first priced quote without a grave doubt, else the first that
// keep accepts (nil: any); a fault of exit 4 when there is none.
func (s *shop) cheapest(gpus int64, p catalog.Purchase, term int, keep func(*pricing.Quote) bool) (*pricing.Quote, error) {
	qs, err := s.quotes(gpus, []catalog.Purchase{p}, term)
	if err != nil {
		return nil, err
	}
	q := purchase.Priced(qs, func(q *pricing.Quote) bool { return purchase.Doubtful(q) == "" && (keep == nil || keep(q)) })
	if q == nil {
		q = purchase.Priced(qs, keep)
	}
	if q == nil {
		return nil, nothingf("no %s price of %s is known here", p, s.o.gpu).hint("give one, or see: gpucost compare --gpu %s --purchase %s", s.o.gpu, p)
	}
	return q, nil
}

// first is the first priced quote that keep accepts, doubtful or not.
func (s *shop) first(gpus int64, p catalog.Purchase, keep func(*pricing.Quote) bool) (*pricing.Quote, error) {
	qs, err := s.quotes(gpus, []catalog.Purchase{p}, 0)
	if err != nil {
		return nil, err
	}
	if q := purchase.Priced(qs, keep); q != nil {
		return q, nil
	}
	return nil, nothingf("no %s price of %s is known here", p, s.o.gpu).hint("give one, or see: gpucost compare --gpu %s --purchase %s", s.o.gpu, p)
}

// perGPU makes a quote's price of a GPU-hour an input.
func (s *shop) perGPU(input string, q *pricing.Quote) {
	s.used = append(s.used, q)
	s.in.Amount(input, money.Range{Low: q.PerGPUHourLow, Mid: q.PerGPUHour, High: q.PerGPUHourHigh}, purchase.Stated(q), purchase.QuoteOrigin(q))
}

// need makes what must be paid an hour for all GPUs an input.
func (s *shop) need(input string, q *pricing.Quote) {
	s.used = append(s.used, q)
	s.in.Amount(input, q.Need(), purchase.Stated(q), purchase.QuoteOrigin(q))
}

// tell shows an answer.
func (s *shop) tell(answer purchase.Answer) error {
	answer.Currency = s.exchange.To
	rest := answer.Doubts
	answer.Doubts = nil
	for i, q := range s.used {
		if !slices.ContainsFunc(s.used[:i], func(o *pricing.Quote) bool { return o.Provider == q.Provider && o.AsOf == q.AsOf }) {
			answer.DoubtPrice(q)
		}
	}
	answer.Doubts = append(answer.Doubts, rest...)
	return s.app.show(present.Bought{
		Answer: answer, Catalog: s.app.stamp(s.cat), Rates: s.rates(), Explain: s.app.settings.is("explain"), Lang: s.app.lang(),
	}.Doc())
}

// rates are the exchange rates that inputs were converted with.
func (s *shop) rates() []catalog.FXRate {
	var out []catalog.FXRate
	for i := range s.in {
		if s.in[i].Stated == "" {
			continue
		}
		for _, cur := range []money.Currency{"USD", "CNY", "EUR", "INR", "GBP"} {
			r, ok := s.exchange.Rate(cur)
			if ok && cur != s.exchange.To && containsCode(s.in[i].Stated, cur) && !slices.ContainsFunc(out, func(x catalog.FXRate) bool { return x.Rate == r.Rate }) {
				out = append(out, r)
			}
		}
	}
	return out
}

func containsCode(stated string, cur money.Currency) bool {
	for i := 0; i+3 <= len(stated); i++ {
		if stated[i:i+3] == string(cur) {
			return true
		}
	}
	return false
}

// count reads --gpus and the like as a whole number.
func (s *shop) count(input string, fallback int64) int64 {
	for i := range s.in {
		if s.in[i].Name == input {
			if x, ok := s.in[i].Mid.(float64); ok && x >= 1 {
				return int64(x)
			}
		}
	}
	return fallback
}
