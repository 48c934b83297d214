package claims

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/pricing"
)

// scenario says what the shipped scenario of the claim costs a month: on the
// article's GPU at the article's sellers, if it names any, and at the cheapest
// anywhere. The articles state no amount of work, so this is no counterpart of
// their sum but an example of one. Empty without scenarios.
func (r *run) scenario(q *Query) error {
	r.tell("scenario", Text{})
	if r.o.Scenarios == nil || r.e.Scenario == "" {
		return nil
	}
	s, err := r.o.Scenarios.Scenario(r.e.Scenario)
	if err != nil {
		return err
	}
	anywhere, err := r.cheapest(s, &Query{})
	if err != nil {
		return err
	}
	t := Text{
		fmt.Sprintf(" The scenario %s, with an amount of work of its own, costs %s a month at the cheapest", s.ID, anywhere.EN),
		fmt.Sprintf("自带工作量的场景 %s 每月最低 %s", s.ID, anywhere.ZH),
	}
	if q != nil {
		here, err := r.cheapest(s, q)
		if err != nil {
			return err
		}
		t.EN += ", and as the article has it " + here.EN
		t.ZH += "，按文章的选择为 " + here.ZH
	}
	r.tell("scenario", Text{t.EN + ".", t.ZH + "。"})
	return nil
}

// cheapest is the monthly cost of the best feasible way of a query whose price
// is of more than low confidence.
func (r *run) cheapest(s *estimate.Scenario, q *Query) (Text, error) {
	ways := []catalog.Purchase{catalog.OnDemand, catalog.Spot, catalog.Reserved}
	if s.Kind == estimate.KindServe {
		ways = []catalog.Purchase{catalog.OnDemand, catalog.Reserved}
	}
	ask := pricing.Query{
		Need: 1, Purchases: ways, Providers: q.Providers, Now: r.o.AsOf, Exchange: r.exchange(""), HoursPerMonth: r.o.HoursPerMonth,
		Selection: catalog.Selection{AsOf: r.o.AsOf, Source: r.o.Source},
	}
	if set, err := r.names.ParseGPUs(q.GPU); q.GPU != "" && err == nil {
		ask.GPU = set.Match
	}
	answer, err := estimate.Run(&estimate.Request{Scenario: s, Catalog: r.evidence, Estimator: r.o.Estimator, Query: ask})
	if err != nil {
		return Text{}, err
	}
	for i := range answer.Estimates {
		e := &answer.Estimates[i]
		if !e.Feasible || !e.Monthly.Known() || e.Confidence == string(catalog.Low) {
			continue
		}
		r.cite(e.Source, catalog.Date{})
		sum := grouped(e.Monthly.Mid.Round(0))
		if e.Monthly.Mid.Nano() < 100_000_000_000 {
			sum = price(e.Monthly.Mid)
		}
		return Text{
			fmt.Sprintf("%s USD (%d x %s, %s, %s)", sum, e.GPUs, e.GPU, r.sellers[e.Provider].EN, wayName(e.Purchase).EN),
			fmt.Sprintf("%s 美元（%d × %s，%s，%s）", sum, e.GPUs, e.GPU, r.sellers[e.Provider].ZH, wayName(e.Purchase).ZH),
		}, nil
	}
	return Text{"nothing known", "查无报价"}, nil
}

func wayName(p catalog.Purchase) Text {
	switch p {
	case catalog.OnDemand:
		return Text{"on demand", "按量"}
	case catalog.Spot:
		return Text{"spot", "竞价"}
	case catalog.Reserved:
		return Text{"reserved", "预留"}
	}
	return Text{string(p), string(p)}
}
