package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// sellers are the ids of the sellers of a spread, each once, cheapest first.
func (s *spread) sellers() []string {
	var out []string
	for i := range s.quotes {
		if p := s.quotes[i].Provider; !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// list names at most so many and says how many there are.
func list(words []Text, most int) Text {
	if len(words) == 0 {
		return Text{"none", "无"}
	}
	var en, zh []string
	for _, w := range words[:min(len(words), most)] {
		en, zh = append(en, w.EN), append(zh, w.ZH)
	}
	t := Text{strings.Join(en, ", "), strings.Join(zh, "、")}
	if n := len(words); n > most {
		t.EN += fmt.Sprintf(" and %d more", n-most)
		t.ZH += fmt.Sprintf(" 等（共 %d）", n)
	}
	return t
}

// plainly are words that read alike in both languages.
func plainly(words []string) []Text {
	out := make([]Text, len(words))
	for i, w := range words {
		out[i] = Text{w, w}
	}
	return out
}

// named are sellers by their names.
func (r *run) named(ids []string) []Text {
	out := make([]Text, len(ids))
	for i, id := range ids {
		out[i] = r.sellers[id]
	}
	return out
}

// several is the number of sellers from which something counts as broadly on
// offer.
const several = 5

// ruleSupply: how many sellers the catalog knows of each of several GPUs, one
// evidence query each. Each is a part of the claim.
func ruleSupply(r *run) error {
	good, bad := 0, 0
	for i := range r.e.Evidence {
		name := r.e.Evidence[i].Name
		e, err := r.prices(name)
		if err != nil {
			return err
		}
		sellers := e.now.sellers()
		r.say(name+".n", fmt.Sprint(len(sellers)))
		r.tell(name+".sellers", list(r.named(sellers), 6))
		switch {
		case len(sellers) >= several:
			good++
		case len(sellers) == 0:
			bad++
		}
		if i == 0 {
			r.our(float64(len(sellers)), float64(len(sellers)), "sellers")
		}
	}
	r.say("several", fmt.Sprint(several))
	r.parts(good, bad, len(r.e.Evidence))
	return nil
}

// ruleNetwork: what links a seller's machines, and its minimum commitment. The
// words of the claim are alternatives divided by a bar, one part each; the last
// word is the commitment.
func ruleNetwork(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	wants, commitment := r.e.Words[:len(r.e.Words)-1], r.e.Words[len(r.e.Words)-1]
	links := r.links(e)
	r.tell("links", list(plainly(links), 6))
	good, bad := 0, 0
	var missing []string
	for _, want := range wants {
		found := slices.ContainsFunc(links, func(link string) bool {
			return slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(strings.ToLower(link), strings.ToLower(w)) })
		})
		if found {
			good++
		} else {
			missing = append(missing, strings.Split(want, "|")[0])
		}
	}
	r.tell("missing", list(plainly(missing), 6))
	stated, n := commitments(&e.now)
	r.tell("commitments", list(plainly(stated), 3))
	r.say("n_prices", fmt.Sprint(n))
	switch {
	case n == 0:
	case commitment == "none" && len(stated) == 0, slices.Contains(stated, commitment):
		good++
	default:
		bad++
	}
	r.ourWords(Text{
		list(plainly(links), 6).EN + "; commitment: " + list(plainly(stated), 3).EN,
		list(plainly(links), 6).ZH + "；最低承诺：" + list(plainly(stated), 3).ZH,
	})
	r.parts(good, bad, len(wants)+1)
	return nil
}

// links are the words about links of the offers asked for: the data sheet's for
// SXM cards, and the seller's from offers that do not also carry the article's
// price: there the words may be the article's.
func (r *run) links(e *evidence) []string {
	set, err := r.names.ParseGPUs(e.GPU)
	if err != nil {
		return nil
	}
	var out []string
	for i := range r.cat.Offers {
		o := &r.cat.Offers[i]
		g := r.gpu(o.GPU)
		if !slices.Contains(e.Providers, o.Provider) || !set.Match(o, g) {
			continue
		}
		if g != nil && g.Form == "SXM" && g.Link != "" && !slices.Contains(out, g.Link) { // the form has it by design
			out = append(out, g.Link)
			r.cite(g.Source, catalog.Date{})
		}
		tainted := slices.ContainsFunc(o.Prices, func(p catalog.Price) bool { return r.file.article(p.Source) != nil })
		if !tainted && o.Interconnect != "" && !slices.Contains(out, o.Interconnect) {
			out = append(out, o.Interconnect)
			r.cite(o.Prices[0].Source, o.Prices[0].AsOf)
		}
	}
	slices.Sort(out)
	return out
}

// commitments are the minimum commitments that on-demand and spot prices state.
func commitments(s *spread) (stated []string, n int) {
	for i := range s.quotes {
		q := &s.quotes[i]
		if q.Purchase != catalog.OnDemand && q.Purchase != catalog.Spot {
			continue
		}
		n++
		if c := q.Commitment; c != "" && c != "none" && !slices.Contains(stated, c) {
			stated = append(stated, c)
		}
	}
	return stated, n
}

// ruleOffered: a seller has no spot offer. Spot prices seen, or a product of
// that kind known without its price, say otherwise.
func ruleOffered(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	var known []string
	for i := range r.cat.Interruption {
		it := &r.cat.Interruption[i]
		if slices.Contains(e.Providers, it.Provider) && it.Metric == "preemptible" {
			known = append(known, it.Ref)
			r.cite(it.Source, it.AsOf)
		}
	}
	prices := max(e.then.n(), e.now.n())
	r.say("spot_prices", fmt.Sprint(prices))
	r.tell("known", list(plainly(known), 3))
	r.ourPrices(e)
	switch {
	case prices > 0 || len(known) > 0:
		r.verdict(DoesNotHold)
		r.ourWords(Text{"preemptible capacity exists", "存在可抢占容量"})
	case e.notSold.Known():
		r.verdict(Holds)
	default:
		r.verdict(NotCheckable)
	}
	return nil
}

// ruleRemarks: the remarks of the review's B200 table, a part each.
func ruleRemarks(r *run) error {
	good, bad := 0, 0
	part := func(name string, want func(*evidence) (yes, no bool)) error {
		e, err := r.prices(name)
		if err != nil {
			return err
		}
		yes, no := want(e)
		if yes {
			good++
		}
		if no {
			bad++
		}
		return nil
	}
	low, err := r.given("azure_reserved")
	if err != nil {
		return err
	}
	reserved := amount(low, "USD")
	unknown := func(*evidence) (bool, bool) { return false, false }
	listed := func(e *evidence) (bool, bool) { return e.now.n() > 0, e.now.n() == 0 }
	for _, p := range []struct {
		name string
		want func(*evidence) (yes, no bool)
	}{
		{"lambda_b200", unknown}, // a first observation is no launch date
		{"coreweave_gb200", listed},
		{"runpod_b200", unknown}, // no catalog knows how many are free
		{"azure_b200", func(e *evidence) (bool, bool) {
			s := e.now.within(reserved, reserved)
			return s.in > 0, s.in == 0 && (s.n > 0 || e.notSold.Known())
		}},
		{"aws_gb300", listed},
	} {
		if err := part(p.name, p.want); err != nil {
			return err
		}
	}
	azure := r.found["azure_b200"]
	r.tell("azure", Text{"no price", "没有价格"})
	if azure.notSold.Known() {
		day := azure.notSold.String()
		r.tell("azure", Text{"seen as not sold on " + day, day + " 查到未售"})
	}
	r.ourWords(Text{fmt.Sprintf("%d of 5 borne out", good), fmt.Sprintf("5 项中 %d 项得到证实", good)})
	r.parts(good, bad, 5)
	return nil
}

// ruleDearest: a seller is the dearest, and one of the two that can train large
// models: parts of the claim.
func ruleDearest(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	all, err := r.prices("all")
	if err != nil {
		return err
	}
	machines, err := r.prices("machines")
	if err != nil {
		return err
	}
	mine := e.now.low
	var dearer, dearerPeers []string
	for _, seller := range all.now.sellers() {
		i := slices.IndexFunc(all.now.quotes, func(q pricing.Quote) bool { return q.Provider == seller })
		if r.kinds[seller] == "marketplace" || all.now.quotes[i].PerGPUHour.Cmp(mine) <= 0 {
			continue
		}
		dearer = append(dearer, seller)
		if r.kinds[seller] == "neocloud" && !slices.Contains(e.Providers, seller) {
			dearerPeers = append(dearerPeers, seller)
		}
	}
	big := machines.now.sellers()
	r.say("mine", price(mine))
	r.tell("dearer", list(r.named(dearer), 8))
	r.tell("dearer_peers", list(r.named(dearerPeers), 8))
	r.say("n_big", fmt.Sprint(len(big)))
	r.tell("big", list(r.named(big), 8))
	if !mine.Known() {
		r.verdict(NotCheckable)
		return nil
	}
	r.our(float64(len(dearer)), float64(len(dearer)), "sellers")
	switch {
	case len(dearer) == 0 && len(big) <= 2:
		r.verdict(Holds)
	case len(dearer) > 0 && len(dearerPeers) > 0:
		r.verdict(DoesNotHold)
	default:
		r.verdict(HoldsIf)
	}
	r.condition(perHour(mine), perHour(mine), "USD/GPU-h")
	return nil
}

// unreliable is the share of failing hosts, in percent, from which hosts differ
// in quality.
const unreliable = 10

// ruleVariety: a marketplace's machines differ in place and in quality: three
// parts, of which disks and networks are in no catalog.
func ruleVariety(r *run) error {
	e, err := r.prices("price")
	if err != nil {
		return err
	}
	var places []string
	for i := range r.evidence.Offers {
		if o := &r.evidence.Offers[i]; slices.Contains(e.Providers, o.Provider) && o.Region != "" && !slices.Contains(places, o.Region) {
			places = append(places, o.Region)
		}
	}
	slices.Sort(places)
	widest := 1.0
	for _, s := range r.byKey(&e.then) {
		if x, ok := money.Ratio(s.quotes[len(s.quotes)-1].PerGPUHour, s.quotes[0].PerGPUHour); ok {
			f, _ := x.Float64()
			widest = max(widest, f)
		}
	}
	failing := 0.0
	for i := range r.cat.Interruption {
		it := &r.cat.Interruption[i]
		if slices.Contains(e.Providers, it.Provider) && it.Metric == "host_failure" && it.High != nil {
			failing = *it.High
			r.cite(it.Source, it.AsOf)
			r.input("failing share of the cheapest hosts", failing, "percent", it.Source, it.AsOf)
		}
	}
	r.num("widest", widest)
	r.say("n_places", fmt.Sprint(len(places)))
	r.tell("places", list(plainly(places), 6))
	r.num("failing", failing)
	good, bad := 0, 0
	for _, yes := range []bool{len(places) >= several, failing >= unreliable} {
		if yes {
			good++
		}
	}
	r.our(float64(len(places)), float64(len(places)), "places")
	r.parts(good, bad, 3)
	return nil
}

// ruleVendor: a maker's share of the market. The catalog holds offers, not
// sales: its share of them is stated, and is no market share.
func ruleVendor(r *run) error {
	n, of := 0, 0
	for i := range r.cat.Offers {
		if g := r.gpu(r.cat.Offers[i].GPU); g != nil {
			of++
			if strings.EqualFold(g.Vendor, r.e.Words[0]) {
				n++
			}
		}
	}
	r.say("offers", fmt.Sprint(of))
	r.pct("share", float64(n)/float64(max(of, 1)))
	r.our(100*float64(n)/float64(max(of, 1)), 100*float64(n)/float64(max(of, 1)), "percent")
	r.verdict(NotCheckable)
	return nil
}

// ruleAbroad: advice on law, payment and routes. What the catalog can say is who
// sells from the countries named.
func ruleAbroad(r *run) error {
	var sellers, foreign []string
	for i := range r.cat.Offers {
		o := &r.cat.Offers[i]
		if slices.Contains(r.e.Words, strings.ToUpper(o.Country)) || slices.ContainsFunc(r.e.Words, func(w string) bool {
			return strings.Contains(strings.ToLower(o.Region), strings.ToLower(w)) && len(w) > 2
		}) {
			if !slices.Contains(sellers, o.Provider) {
				sellers = append(sellers, o.Provider)
			}
		}
	}
	intl := 0
	for i := range r.cat.Providers {
		p := &r.cat.Providers[i]
		if p.Market == "intl" {
			intl++
			if p.Currency != "CNY" {
				foreign = append(foreign, p.ID)
			}
		}
	}
	slices.Sort(sellers)
	r.tell("sellers", list(r.named(sellers), 8))
	r.say("n_sellers", fmt.Sprint(len(sellers)))
	r.say("n_foreign", fmt.Sprint(len(foreign)))
	r.say("n_intl", fmt.Sprint(intl))
	r.our(float64(len(sellers)), float64(len(sellers)), "sellers")
	r.verdict(NotCheckable)
	return nil
}
