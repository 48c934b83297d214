package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/spot/buying"
)

// ruleColdStart: a platform's cold start and minimum billing, two parts. A cold
// start depends on the image and the model: a figure agrees when smaller and
// larger ones are reported, and is contradicted by reports of a single size
// that are more than twice or less than half as long.
func ruleColdStart(r *run) error {
	low, _, err := r.articleRange()
	if err != nil {
		return err
	}
	billing, err := r.given("billing_ms")
	if err != nil {
		return err
	}
	colds, bills := r.coldStarts()
	r.tell("colds", numbers(colds, "s", "秒"))
	r.tell("bills", numbers(bills, "ms", "毫秒"))
	r.say("token_prices", fmt.Sprint(r.tokenPrices()))
	good, bad := 0, 0
	count := func(yes, no bool) {
		switch {
		case yes:
			good++
		case no:
			bad++
		}
	}
	if n := len(colds); n > 0 {
		count(colds[0] <= low && low <= colds[n-1], 2*low < colds[0] || low > 2*colds[n-1])
		r.our(colds[0], colds[n-1], "s")
	}
	if r.has("not_by_time") { // a fact that excludes billing by time
		if _, err := r.given("not_by_time"); err != nil {
			return err
		}
		count(false, true)
	} else {
		count(slices.Contains(bills, billing), len(bills) > 0)
	}
	r.parts(good, bad, 2)
	if n := len(colds); n > 0 {
		r.condition(colds[0], colds[n-1], "s")
	}
	return nil
}

// coldStarts are the reported cold starts of the claim's platforms in seconds
// and their stated minimum billing in milliseconds, sorted, articles left out.
func (r *run) coldStarts() (colds, bills []float64) {
	for i := range r.cat.Serverless {
		s := &r.cat.Serverless[i]
		ours := slices.Contains(r.e.Words, s.Provider)
		general := s.Provider == "generic" && slices.ContainsFunc(r.e.Words, func(w string) bool {
			return strings.Contains(strings.ToLower(s.GPU+" "+s.Note), w)
		})
		if !ours && !general || r.file.article(s.Source) != nil || strings.Contains(s.GPU, "not serverless") {
			continue
		}
		if s.ColdStartS != nil {
			colds = append(colds, *s.ColdStartS)
			r.cite(s.Source, s.AsOf)
			r.input("cold start, "+s.GPU, *s.ColdStartS, "s", s.Source, s.AsOf)
		}
		// Modal's minimum stands beside its prices, but was read in the article.
		if s.MinBillingMS != nil && ours && !mentions(s.Note, r.file) && !slices.Contains(bills, *s.MinBillingMS) {
			bills = append(bills, *s.MinBillingMS)
			r.cite(s.Source, s.AsOf)
			r.input("minimum billing, "+s.GPU, *s.MinBillingMS, "ms", s.Source, s.AsOf)
		}
	}
	slices.Sort(colds)
	slices.Sort(bills)
	return colds, bills
}

// mentions reports a note that says the figure was only seen in an article.
func mentions(note string, f *File) bool {
	for _, a := range f.Articles {
		if strings.Contains(note, "only in "+a.ID) {
			return true
		}
	}
	return false
}

func (r *run) has(name string) bool {
	return slices.ContainsFunc(r.e.Given, func(g Given) bool { return g.Name == name })
}

func (r *run) tokenPrices() int {
	n := 0
	for i := range r.cat.Tokens {
		if slices.Contains(r.e.Words, r.cat.Tokens[i].Provider) {
			n++
		}
	}
	return n
}

func numbers(xs []float64, en, zh string) Text {
	switch len(xs) {
	case 0:
		return Text{"no dated figure", "没有带日期的数据"}
	case 1:
		return Text{spoken(xs[0]) + " " + en, spoken(xs[0]) + " " + zh}
	}
	s := span(spoken(xs[0]), spoken(xs[len(xs)-1]))
	return Text{fmt.Sprintf("%s %s (%d figures)", s, en, len(xs)), fmt.Sprintf("%s %s（%d 个数据）", s, zh, len(xs))}
}

// flex is the newest per-second price of a provider's GPU outside the articles.
func (r *run) flex(provider, gpu string) money.Amount {
	set, err := r.names.ParseGPUs(gpu)
	if err != nil {
		return money.Amount{} // an unknown GPU has no price
	}
	var best *catalog.ServerlessPrice
	for i := range r.cat.Serverless {
		s := &r.cat.Serverless[i]
		if s.Provider != provider || !s.FlexPerSecond.Known() || r.file.article(s.Source) != nil || s.AsOf.Compare(r.o.AsOf) > 0 {
			continue
		}
		if g := r.gpu(s.GPU); g != nil && set.Match(&catalog.Offer{GPU: g.ID, GPUKnown: true}, g) && (best == nil || s.AsOf.Compare(best.AsOf) > 0) {
			best = s
		}
	}
	if best == nil {
		return money.Amount{}
	}
	r.cite(best.Source, best.AsOf)
	r.input(provider+" serverless "+best.GPU, perHour(best.FlexPerSecond), "USD/GPU-s", best.Source, best.AsOf)
	return best.FlexPerSecond
}

// ruleServerless: the saving of serverless against a resident GPU at a number of
// requests is decided by the billed seconds of a request.
func ruleServerless(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	g, err := r.givens("requests_per_day", "cold_s", "idle_s", "service_s")
	if err != nil {
		return err
	}
	rate := r.flex(r.e.Words[0], r.e.GPU)
	own, err := r.own("resident")
	if err != nil {
		return err
	}
	e, err := r.prices("resident")
	if err != nil {
		return err
	}
	for _, name := range []string{"edge_article", "low_article", "high_article", "threshold_article", "edge", "low", "high", "threshold", "cold_share", "per_hour", "one_s"} {
		r.say(name, "?")
	}
	if !rate.Known() || e.now.n() == 0 {
		r.verdict(NotCheckable)
		return nil
	}
	second, hour := perHour(rate), perHour(e.now.low)
	edge, _ := buying.BreakEvenSecondsPerRequest(hour, 1, second, g[0])
	one, _ := buying.ServerlessSaving(g[0], 1, second, hour, 1)
	r.num("edge", edge)
	r.num("per_hour", 3600*second)
	r.pct("one_s", one)
	w := buying.Worker{ColdStartSeconds: g[1], IdleTimeoutSeconds: g[2], ServiceSeconds: g[3]}
	if l, ok := threshold(w, hour, second); ok {
		r.num("threshold", hundreds(l))
		r.pct("cold_share", w.ColdShare(l))
	}
	if own.Known() {
		then, _ := buying.BreakEvenSecondsPerRequest(perHour(own), 1, second, g[0])
		r.num("edge_article", then)
		r.num("low_article", then*(1-high/100))
		r.num("high_article", then*(1-low/100))
		if l, ok := threshold(w, perHour(own), second); ok {
			r.num("threshold_article", hundreds(l))
		}
	}
	r.our(100*one, 100*one, "percent")
	r.verdict(HoldsIf)
	r.condition(edge*(1-high/100), edge*(1-low/100), "s/request")
	return nil
}

// threshold is the arrival rate at which the worker costs what the resident GPU
// does.
func threshold(w buying.Worker, residentPerHour, perSecond float64) (float64, bool) {
	busy, ok := buying.BreakEvenBusy(residentPerHour, perSecond)
	if !ok {
		return 0, false
	}
	return w.BreakEvenRequestsPerSecond(busy)
}

// hundreds is requests a second as whole hundreds a day.
func hundreds(perSecond float64) float64 { return 100 * math.Round(perSecond*864) }
