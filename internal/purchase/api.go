package purchase

import (
	"errors"
	"math"
	"math/big"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// API answers from how many tokens a day on hosting a model oneself beats paying
// per token.
//
// Inputs: api_per_mtok, or api_input_per_mtok, api_output_per_mtok and
// optionally api_cached_per_mtok with input_share, cached_share and
// output_share; replica_per_hour, tokens_per_second (of one replica, in the
// tokens the price is for), min_replicas, max_replicas (0: as many as needed),
// busy_share (planned at most), engineering_per_month, hours_per_month; optional
// tokens_per_day.
func API(in Inputs, effects bool) (Answer, error) {
	a := Answer{Command: "breakeven api", Inputs: in, Deciding: []string{"break_even_tokens_per_day"}, Verdict: "api.above"}
	var err error
	if a.Figures, err = Solve(in, perToken, effects); err != nil {
		return a, err
	}
	p := in.point(func(i *Input) any { return i.Mid })
	if _, ok := a.Num("break_even_tokens_per_day"); !ok {
		a.Verdict = "api.never"
		if err := a.whyNever(p); err != nil {
			return a, err
		}
	}
	if !p.Has("engineering_per_month") {
		a.Doubt("no_engineering", nil)
	}
	if v, ok := a.Num("load_share"); ok && v > 1 {
		a.Doubt("over_capacity", nil)
	}
	g := Grid{Name: "by_tokens", Columns: []Column{
		{"tokens_per_day", "tokens/day"}, {"api_per_month", ""}, {"self_host_per_month", ""}, {"self_host_per_mtok", ""}, {"replicas", "count"}, {"load_share", "share"},
	}}
	for _, n := range []float64{1e6, 1e7, 1e8, 1e9} {
		if err := g.row(p, perToken, map[string]any{"tokens_per_day": n}); err != nil {
			return a, err
		}
	}
	a.Grids = append(a.Grids, g)
	return a, nil
}

// whyNever tells a price that never pays from hardware that is too small.
func (a *Answer) whyNever(p Point) error {
	h, err := p.selfHost()
	if err != nil {
		return err
	}
	most := h.MaxReplicas
	h.MaxReplicas = 0
	flip, err := h.FlipVolume(plain(blended(&figures{}, p)))
	if err != nil {
		return err
	}
	if flip.Exists && most > 0 {
		a.Doubt("flip_over_capacity", map[string]any{"tokens_per_day": flip.TokensPerMonth * 24 / h.HoursPerMonth, "replicas": float64(flip.Replicas)})
		return nil
	}
	a.Doubt("flip_never", nil)
	return nil
}

func (p Point) selfHost() (buying.SelfHost, error) {
	h := buying.SelfHost{
		PerReplicaHour: p.Plain("replica_per_hour"), TokensPerSecond: p.Num("tokens_per_second"),
		MinReplicas: int(math.Round(p.Or("min_replicas", 1))), MaxReplicas: int(math.Round(p.Num("max_replicas"))),
		HighestBusyShare: min(1, p.Num("busy_share")), HoursPerMonth: p.Num("hours_per_month"), EngineeringPerMonth: p.Plain("engineering_per_month"),
	}
	if !(h.TokensPerSecond > 0 && h.HoursPerMonth > 0) {
		return h, errors.New("tokens per second and hours per month must be above 0")
	}
	return h, nil
}

// blended is the API's price of a million tokens of the mix.
func blended(f *figures, p Point) money.Amount {
	if p.Has("api_per_mtok") {
		return p.Money("api_per_mtok")
	}
	cached := p.Money("api_cached_per_mtok")
	if !cached.Known() {
		cached = p.Money("api_input_per_mtok")
	}
	total := p.Num("input_share") + p.Num("cached_share") + p.Num("output_share")
	if !(total > 0) {
		f.fail(errors.New("the shares of input and output tokens must be above 0"))
		return money.Amount{}
	}
	return f.sum(
		part{p.Money("api_input_per_mtok"), p.Num("input_share") / total},
		part{cached, p.Num("cached_share") / total},
		part{p.Money("api_output_per_mtok"), p.Num("output_share") / total},
	)
}

func perToken(p Point) ([]Figure, error) {
	h, err := p.selfHost()
	if err != nil {
		return nil, err
	}
	var f figures
	api := blended(&f, p)
	if f.err != nil {
		return nil, f.err
	}
	flip, err := h.FlipVolume(plain(api))
	if err != nil {
		return nil, err
	}
	days := h.HoursPerMonth / 24
	if flip.Exists { // the same volume, from the exact amounts
		month := f.sum(part{p.Money("replica_per_hour"), float64(flip.Replicas) * h.HoursPerMonth}, part{f.engineering(p, api), 1})
		if r, ok := money.Ratio(month, api); ok {
			flip.TokensPerMonth, _ = r.Mul(r, big.NewRat(1e6, 1)).Float64()
		}
	}
	f.num("break_even_tokens_per_day", "tokens/day", flip.TokensPerMonth/days, flip.Exists)
	f.num("break_even_tokens_per_month", "tokens/month", flip.TokensPerMonth, flip.Exists)
	f.num("break_even_capacity_share", "share", flip.CapacityShare, flip.Exists)
	f.num("break_even_replicas", "count", float64(flip.Replicas), flip.Exists)
	f.money("api_per_mtok", api)
	f.money("self_host_per_mtok_at_full_load", f.sum(part{p.Money("replica_per_hour"), 1e6 / (h.TokensPerSecond * 3600)}))
	f.num("replica_tokens_per_month", "tokens/month", h.TokensPerSecond*3600*h.HoursPerMonth*p.Or("busy_share", 1), true)
	f.volume(p, h, api, days)
	return f.list, f.err
}

// engineering is what was stated, else 0.
func (figures) engineering(p Point, like money.Amount) money.Amount {
	if e := p.Money("engineering_per_month"); e.Known() {
		return e
	}
	return money.Zero(like.Currency())
}

// volume is what the stated tokens cost either way. Work that the hardware cannot
// do has no price.
func (f *figures) volume(p Point, h buying.SelfHost, api money.Amount, days float64) {
	if !p.Has("tokens_per_day") {
		return
	}
	tokens := p.Num("tokens_per_day") * days
	m, err := h.Month(tokens)
	if err != nil {
		f.fail(err)
		return
	}
	apiMonth := f.sum(part{api, tokens / 1e6})
	f.money("api_per_month", apiMonth)
	f.num("replicas", "count", float64(m.Replicas), true)
	f.num("load_share", "share", m.BusyShare, true)
	var month, each money.Amount
	if !m.OverCapacity {
		month = f.sum(part{p.Money("replica_per_hour"), float64(m.Replicas) * h.HoursPerMonth}, part{f.engineering(p, api), 1})
		if tokens > 0 {
			each = f.sum(part{month, 1e6 / tokens})
		}
	}
	f.money("self_host_per_month", month)
	f.money("self_host_per_mtok", each)
	if month.Known() && apiMonth.Sign() > 0 {
		f.num("self_host_saving", "share", 1-plain(month)/plain(apiMonth), true)
	} else {
		f.num("self_host_saving", "share", 0, false)
	}
}
