package purchase

import (
	"errors"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// Serverless answers below how many requests a day, or how many GPU-seconds a
// request, billing by the second beats GPUs that are always there.
//
// Inputs: serverless_per_second or serverless_per_request,
// resident_per_gpu_hour, gpus (resident), hours_per_month; optional:
// seconds_per_request, requests_per_day, cold_start_s, idle_timeout_s,
// cold_share (then each request is taken alone; otherwise arrivals are Poisson and
// one worker takes what arrives), increment_s, minimum_s.
func Serverless(in Inputs, effects bool) (Answer, error) {
	a := Answer{Command: "breakeven serverless", Inputs: in, Deciding: []string{"break_even_requests_per_day", "break_even_gpu_seconds_per_request"}}
	var err error
	if a.Figures, err = Solve(in, serverless, effects); err != nil {
		return a, err
	}
	p := in.point(func(i *Input) any { return i.Mid })
	a.serverlessVerdict(p)
	return a, a.serverlessGrids(p)
}

func (a *Answer) serverlessVerdict(p Point) {
	_, requests := a.Num("break_even_requests_per_day")
	_, seconds := a.Num("break_even_gpu_seconds_per_request")
	busy, _ := a.Num("break_even_busy_share")
	be, _ := a.Num("break_even_requests_per_day")
	beyond := be*p.Num("seconds_per_request") > 86400*p.Num("gpus") // more than the resident GPUs can do
	switch {
	case requests && !beyond:
		a.Verdict = "serverless.requests"
	case beyond, busy >= 1 && p.Has("seconds_per_request") && p.keepsAlive():
		a.Verdict = "serverless.always"
	case seconds:
		a.Verdict = "serverless.seconds"
	default:
		a.Verdict = "serverless.needs_seconds"
	}
	if !p.Has("seconds_per_request") && !p.Has("serverless_per_request") {
		a.Doubt("seconds_decide", nil)
	}
	switch {
	case p.Has("cold_share"):
		a.Doubt("requests_alone", nil)
	case p.keepsAlive():
		a.Doubt("poisson_one_worker", nil)
	case p.Has("seconds_per_request") && p.Has("serverless_per_second"):
		a.Doubt("no_cold_start", nil)
	}
	if p.keepsAlive() && p.Num("cold_start_s") == 0 {
		a.Doubt("no_start", nil)
	}
	if busy > 1 {
		a.Doubt("resident_never", nil)
	}
	if load, _ := a.Num("resident_busy_share"); load > 1 {
		a.Doubt("over_capacity", nil)
	}
}

// keepsAlive reports whether start-up and idle waits are billed.
func (p Point) keepsAlive() bool {
	return !p.Has("cold_share") && (p.Num("cold_start_s") > 0 || p.Num("idle_timeout_s") > 0)
}

func (p Point) worker() buying.Worker {
	return buying.Worker{ColdStartSeconds: p.Num("cold_start_s"), IdleTimeoutSeconds: p.Num("idle_timeout_s"), ServiceSeconds: p.Num("seconds_per_request")}
}

// billedSeconds is what a request is billed, unless that depends on how many
// there are.
func (p Point) billedSeconds() (float64, bool) {
	m := buying.Metering{IncrementSeconds: p.Num("increment_s"), MinimumSeconds: p.Num("minimum_s")}
	switch {
	case !p.Has("seconds_per_request"):
		return 0, false
	case p.Has("cold_share"):
		return p.worker().AloneSeconds(m, p.Num("cold_share")), true
	case p.keepsAlive():
		return 0, false
	}
	return m.Billed(p.Num("seconds_per_request")), true
}

func serverless(p Point) ([]Figure, error) {
	if !(p.Num("gpus") > 0 && p.Num("hours_per_month") > 0) {
		return nil, errors.New("gpus and hours per month must be above 0")
	}
	var f figures
	resident, days := p.Money("resident_per_gpu_hour"), p.Num("hours_per_month")/24
	residentDay := f.sum(part{resident, 24 * p.Num("gpus")})
	be, ok := p.breakEvenRequests()
	f.num("break_even_requests_per_day", "requests/day", be, ok)
	f.num("break_even_requests_per_month", "requests/month", be*days, ok)
	busy, ok2 := buying.BreakEvenBusy(p.Plain("resident_per_gpu_hour")*p.Num("gpus"), p.Plain("serverless_per_second"))
	s, okS := buying.BreakEvenSecondsPerRequest(p.Plain("resident_per_gpu_hour"), p.Num("gpus"), p.Plain("serverless_per_second"), p.Num("requests_per_day"))
	f.num("break_even_gpu_seconds_per_request", "s", s, okS && p.Has("serverless_per_second") && p.Num("requests_per_day") > 0)
	f.num("break_even_busy_share", "share", busy, ok2 && p.Has("serverless_per_second"))
	f.num("break_even_gpu_seconds_per_day", "s", busy*86400, ok2 && p.Has("serverless_per_second"))
	if p.Has("seconds_per_request") {
		f.num("busy_hours_per_month_at_break_even", "h", be*days*p.Num("seconds_per_request")/3600, ok)
	}
	f.money("resident_per_day", residentDay)
	f.money("resident_per_month", f.sum(part{residentDay, days}))
	f.load(p, residentDay, days)
	return f.list, f.err
}

// breakEvenRequests is the requests a day at which both cost the same.
func (p Point) breakEvenRequests() (float64, bool) {
	resident, n := p.Plain("resident_per_gpu_hour"), p.Num("gpus")
	if p.Has("serverless_per_request") {
		return buying.BreakEvenRequestsPerDay(resident, n, p.Plain("serverless_per_request"), 1)
	}
	perSecond := p.Plain("serverless_per_second")
	if b, ok := p.billedSeconds(); ok {
		return buying.BreakEvenRequestsPerDay(resident, n, perSecond, b)
	}
	if !p.Has("seconds_per_request") {
		return 0, false
	}
	busy, ok := buying.BreakEvenBusy(resident*n, perSecond)
	if !ok {
		return 0, false
	}
	rate, ok := p.worker().BreakEvenRequestsPerSecond(busy)
	return rate * 86400, ok
}

// load is what the stated requests cost either way.
func (f *figures) load(p Point, residentDay money.Amount, days float64) {
	n := p.Num("requests_per_day")
	if n <= 0 || !p.Has("seconds_per_request") && !p.Has("serverless_per_request") {
		return
	}
	var day money.Amount
	if p.Has("serverless_per_request") {
		day = f.sum(part{p.Money("serverless_per_request"), n})
	} else {
		seconds := n * p.Num("seconds_per_request")
		naive := f.sum(part{p.Money("serverless_per_second"), seconds * days})
		billed := p.billedPerDay(n)
		day = f.sum(part{p.Money("serverless_per_second"), billed})
		f.num("billed_seconds_per_day", "s", billed, true)
		f.num("billed_seconds_per_request", "s", billed/n, true)
		f.num("cold_share", "share", p.coldShare(n), true)
		f.money("naive_per_month", naive)
		f.num("naive_factor", "times", billed/seconds, seconds > 0)
	}
	f.money("serverless_per_day", day)
	f.money("serverless_per_month", f.sum(part{day, days}))
	saved := 1 - plain(day)/plain(residentDay)
	f.num("saving", "share", saved, residentDay.Sign() > 0)
	if p.Has("seconds_per_request") {
		f.num("resident_busy_share", "share", n*p.Num("seconds_per_request")/(86400*p.Num("gpus")), true)
	}
}

func (p Point) billedPerDay(requests float64) float64 {
	if b, ok := p.billedSeconds(); ok {
		return requests * b
	}
	return 86400 * p.worker().BilledShare(requests/86400)
}

func (p Point) coldShare(requests float64) float64 {
	switch {
	case p.Has("cold_share"):
		return p.Num("cold_share")
	case p.keepsAlive():
		return p.worker().ColdShare(requests / 86400)
	}
	return 0
}

// The points of the curves.
var (
	curveRequests = []float64{1_000, 5_000, 10_000, 50_000, 100_000, 500_000}
	curveSeconds  = []float64{0.1, 0.2, 0.5, 1, 2, 5}
	curveSavings  = []float64{0.7, 0.4, 0}
)

func (a *Answer) serverlessGrids(p Point) error {
	if p.Has("serverless_per_request") && !p.Has("seconds_per_request") {
		return nil
	}
	if p.Has("seconds_per_request") {
		g := Grid{Name: "by_requests", Columns: []Column{
			{"requests_per_day", "requests/day"}, {"serverless_per_day", ""}, {"resident_per_day", ""}, {"saving", "share"}, {"cold_share", "share"}, {"resident_busy_share", "share"},
		}}
		for _, n := range curveRequests {
			if err := g.row(p, serverless, map[string]any{"requests_per_day": n}); err != nil {
				return err
			}
		}
		g.overCapacity()
		a.Grids = append(a.Grids, g)
		return nil
	}
	seconds := Grid{Name: "by_seconds", Columns: []Column{{"seconds_per_request", "s"}, {"break_even_requests_per_day", "requests/day"}}}
	for _, s := range curveSeconds {
		if err := seconds.row(p, serverless, map[string]any{"seconds_per_request": s}); err != nil {
			return err
		}
	}
	a.Grids = append(a.Grids, seconds)
	if at, ok := a.Num("break_even_gpu_seconds_per_request"); ok {
		savings := Grid{Name: "by_saving", Columns: []Column{{"saving", "share"}, {"gpu_seconds_per_request", "s"}}}
		for _, s := range curveSavings {
			savings.Rows = append(savings.Rows, []any{s, (1 - s) * at})
		}
		a.Grids = append(a.Grids, savings)
	}
	return nil
}

// overCapacity takes the price of work that the resident GPUs cannot do out of
// the last column's rows above 1.
func (g *Grid) overCapacity() {
	last := len(g.Columns) - 1
	for _, row := range g.Rows {
		if load, ok := row[last].(float64); ok && load > 1 {
			row[2], row[3] = nil, nil
		}
	}
}

// Fleet adds what workers of limited concurrency, some kept alive, cost at the
// stated requests: simulated, with a fixed seed.
func (a *Answer) Fleet(concurrency, minWorkers int, seed uint64) error {
	p := a.Inputs.point(func(i *Input) any { return i.Mid })
	n := p.Num("requests_per_day")
	if !p.Has("seconds_per_request") || n <= 0 || !p.Has("serverless_per_second") {
		return errors.New("a fleet needs seconds per request, requests per day and a price per second")
	}
	r, err := buying.Fleet{Worker: p.worker(), Concurrency: concurrency, MinWorkers: minWorkers}.Simulate(n/86400, fleetRequests, seed)
	if err != nil {
		return err
	}
	f := figures{}
	perDay := n*r.BilledPerRequest + r.ResidentWorkers*86400
	f.num("fleet.billed_seconds_per_request", "s", r.BilledPerRequest, true)
	f.num("fleet.cold_share", "share", r.ColdShare, true)
	f.num("fleet.mean_workers", "count", r.MeanBilledWorkers+r.ResidentWorkers, true)
	f.num("fleet.peak_workers", "count", float64(r.PeakWorkers), true)
	f.money("fleet.per_day", f.sum(part{p.Money("serverless_per_second"), perDay}))
	f.money("fleet.per_month", f.sum(part{p.Money("serverless_per_second"), perDay * p.Num("hours_per_month") / 24}))
	for i := range f.list {
		f.list[i].Low, f.list[i].High = f.list[i].Value, f.list[i].Value
	}
	a.Figures = append(a.Figures, f.list...)
	return f.err
}

// fleetRequests is how many requests a fleet is simulated for.
const fleetRequests = 200_000
