package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/pricing"
)

// ruleRatio: the price of one thing against another's, pair by pair: the
// evidence "price" over the evidence "base".
func ruleRatio(r *run) error {
	then, now, err := r.pairs("price", "base")
	if err != nil {
		return err
	}
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(r.e.Evidence, func(q Query) bool { return q.Name == "others" }) {
		was, is, err := r.pairs("others", "others_base")
		if err != nil {
			return err
		}
		r.tell("others", r.pairsText(pickPairs(is, was)))
	}
	r.tell("pairs.then", r.pairsText(then))
	r.tell("pairs.now", r.pairsText(now))
	if all := pickPairs(now, then); len(all) > 0 {
		r.our(r.sense(all[0].ratio), r.sense(all[len(all)-1].ratio), r.e.Unit)
	}
	was, is := r.inside(then, low, high), r.inside(now, low, high)
	price, base := r.found["price"], r.found["base"]
	r.tell("doubt", Text{})
	if price.then.doubt || base.then.doubt {
		was = share{}
	}
	if price.now.doubt || base.now.doubt {
		is = share{}
		r.tell("doubt", Text{" Figures of low confidence decide nothing.", " 低置信度的数字不足以定论。"})
	}
	r.shares(was, is)
	return nil
}

func pickPairs(now, then []pair) []pair {
	if len(now) > 0 {
		return now
	}
	return then
}

// pair is the ratio of two prices of one key.
type pair struct {
	key   Text
	ratio float64
}

// pairs divides the median prices of two queries, key by key, at both times.
func (r *run) pairs(a, b string) (then, now []pair, err error) {
	x, err := r.prices(a)
	if err != nil {
		return nil, nil, err
	}
	y, err := r.prices(b)
	if err != nil {
		return nil, nil, err
	}
	return r.divide(&x.then, &y.then), r.divide(&x.now, &y.now), nil
}

func (r *run) divide(a, b *spread) []pair {
	top, bottom := r.byKey(a), r.byKey(b)
	var out []pair
	for key, x := range top {
		if y, ok := bottom[key]; ok {
			if q, known := money.Ratio(x.median(), y.median()); known {
				f, _ := q.Float64()
				out = append(out, pair{r.spell(key), f})
			}
		}
	}
	slices.SortFunc(out, func(p, q pair) int {
		return cmp.Or(cmp.Compare(r.sense(p.ratio), r.sense(q.ratio)), strings.Compare(p.key.EN, q.key.EN))
	})
	return out
}

// spell writes a key with the seller's name.
func (r *run) spell(key string) Text {
	if r.e.Pair != "provider" && r.e.Pair != "provider_gpu" {
		return Text{key, key}
	}
	id, gpu, _ := strings.Cut(key, " ")
	name := r.sellers[id]
	return Text{strings.TrimSpace(name.EN + " " + gpu), strings.TrimSpace(name.ZH + " " + gpu)}
}

// byKey divides a spread by what the claim's pairs share.
func (r *run) byKey(s *spread) map[string]*spread {
	out := map[string]*spread{}
	for _, q := range s.quotes { // sorted by price, so every part is
		key := r.key(&q)
		if out[key] == nil {
			out[key] = &spread{}
		}
		out[key].quotes = append(out[key].quotes, q)
	}
	return out
}

func (r *run) key(q *pricing.Quote) string {
	switch r.e.Pair {
	case "provider":
		return q.Provider
	case "gpu":
		return q.GPU
	case "family":
		if g := q.GPUSpec(); g != nil {
			return g.Family
		}
		return q.GPU
	case "provider_gpu":
		return q.Provider + " " + q.GPU
	}
	return ""
}

// sense turns a ratio of prices into what the claim states, in its unit:
// percent more, percent less, or the ratio itself.
func (r *run) sense(ratio float64) float64 {
	switch r.e.Sense {
	case "premium":
		return 100 * (ratio - 1)
	case "saving":
		return 100 * (1 - ratio)
	}
	return ratio
}

func (r *run) inside(ps []pair, low, high float64) share {
	margin := float64(tolerance) // points of a percentage
	if r.e.Sense == "ratio" {
		margin = tolerance * high / 100
	}
	s := share{n: len(ps)}
	for _, p := range ps {
		if x := r.sense(p.ratio); x >= low-margin && x <= high+margin {
			s.in++
		}
	}
	return s
}

// shownPairs is how many pairs a reason names.
const shownPairs = 6

// pairsText is the median and the ends, or the pairs themselves when they are
// few.
func (r *run) pairsText(ps []pair) Text {
	if len(ps) == 0 {
		return Text{"no such pair", "没有可比的一对价格"}
	}
	show := func(x float64) string {
		switch r.e.Sense {
		case "premium":
			return signed(r.sense(x)/100) + " %"
		case "saving":
			return percent(r.sense(x)/100) + " %"
		}
		return spoken(x)
	}
	if len(ps) == 1 && ps[0].key.EN == "" {
		s := show(ps[0].ratio)
		return Text{s, s}
	}
	if len(ps) <= shownPairs {
		var en, zh []string
		for _, p := range ps {
			en, zh = append(en, p.key.EN+" "+show(p.ratio)), append(zh, p.key.ZH+" "+show(p.ratio))
		}
		return Text{strings.Join(en, ", "), strings.Join(zh, "、")}
	}
	first, last := ps[0], ps[len(ps)-1]
	mid, low, high := show(ps[(len(ps)-1)/2].ratio), show(first.ratio), show(last.ratio)
	return Text{
		fmt.Sprintf("median %s, from %s (%s) to %s (%s)", mid, low, first.key.EN, high, last.key.EN),
		fmt.Sprintf("中位数 %s，从 %s（%s）到 %s（%s）", mid, low, first.key.ZH, high, last.key.ZH),
	}
}

// ruleValue: more bandwidth and more compute for the money than the other card,
// seller by seller: two parts.
func ruleValue(r *run) error {
	then, now, err := r.pairs("price", "base")
	if err != nil {
		return err
	}
	mine, other := r.gpu(r.e.GPU), r.gpu(r.e.Words[0])
	if mine == nil || other == nil {
		return fmt.Errorf("no GPU %q or %q", r.e.GPU, r.e.Words[0])
	}
	bandwidth, compute := mine.BandwidthGBs/other.BandwidthGBs, mine.BF16TFLOPS/other.BF16TFLOPS
	r.spec(mine, "bandwidth", mine.BandwidthGBs, "GB/s")
	r.spec(other, "bandwidth", other.BandwidthGBs, "GB/s")
	r.spec(mine, "BF16, dense", mine.BF16TFLOPS, "TFLOPS")
	r.spec(other, "BF16, dense", other.BF16TFLOPS, "TFLOPS")
	ps := pickPairs(now, then)
	better := func(times float64) share {
		s := share{n: len(ps)}
		for _, p := range ps {
			if times > p.ratio {
				s.in++
			}
		}
		return s
	}
	b, c := better(bandwidth), better(compute)
	r.num("bandwidth", bandwidth)
	r.num("compute", compute)
	r.say("bandwidth.in", fmt.Sprint(b.in))
	r.say("compute.in", fmt.Sprint(c.in))
	r.say("n", fmt.Sprint(len(ps)))
	r.tell("pairs.then", r.pairsText(then))
	r.tell("pairs.now", r.pairsText(now))
	best, name := b, Text{"bandwidth", "带宽"}
	if c.in > b.in {
		best, name = c, Text{"compute", "算力"}
	}
	r.tell("bound", name)
	r.say("bound.in", fmt.Sprint(best.in))
	if n := len(ps); n > 0 {
		r.our(ps[0].ratio, ps[n-1].ratio, "times")
	}
	switch {
	case b.verdict() == Holds && c.verdict() == Holds:
		r.verdict(Holds)
	case best.verdict() == Holds:
		r.verdict(HoldsIf)
	default:
		r.verdict(best.verdict())
	}
	r.portion(best)
	return nil
}

// ruleCommitment: what reserved prices save against on-demand ones of the same
// seller and GPU, by length of term.
func ruleCommitment(r *run) error {
	low, high, err := r.articleRange()
	if err != nil {
		return err
	}
	var all []pair
	from := 0.0
	for _, term := range []string{"months_1_6", "months_12", "months_36"} {
		then, now, err := r.pairs(term, "base")
		if err != nil {
			return err
		}
		ps := pickPairs(now, then)
		r.tell(term, r.pairsText(ps))
		s := r.inside(ps, low, high)
		r.say(term+".in", fmt.Sprint(s.in))
		r.say(term+".n", fmt.Sprint(s.n))
		all = append(all, ps...)
		if months := float64(r.found[term].Terms[0]); from == 0 && len(ps) > 0 && r.sense(ps[(len(ps)-1)/2].ratio) >= low {
			from = months
		}
	}
	r.num("use_low", 100-high)
	r.num("use_high", 100-low)
	s := r.inside(all, low, high)
	r.verdict(s.verdict())
	if len(all) == 0 {
		return nil
	}
	worst, best := r.sense(all[0].ratio), r.sense(all[0].ratio)
	for _, p := range all {
		worst, best = min(worst, r.sense(p.ratio)), max(best, r.sense(p.ratio))
	}
	r.our(worst, best, r.e.Unit)
	r.condition(from, from, "months")
	if from == 0 && r.out.Verdict == HoldsIf { // at no length of term in the middle
		r.verdict(DoesNotHold)
	}
	return nil
}
