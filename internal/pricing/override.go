package pricing

import (
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
)

// override is the observation after the overrides that match it, in the order
// of their files. The observation itself is not changed.
func (c *comparison) override(o *catalog.Offer, p *catalog.Price) *catalog.Price {
	for i := range c.cat.Overrides {
		ov := &c.cat.Overrides[i]
		if !c.overrides(ov, o, p) {
			continue
		}
		changed := *p
		if ov.Amount.Known() {
			changed.Low, changed.High, changed.Per = ov.Amount, ov.Amount, ov.Per
		} else if low, high, ok := byPercent(p, ov.Percent); ok {
			changed.Low, changed.High = low, high
		} else {
			continue
		}
		changed.Override = strings.TrimPrefix(p.Override+"+"+ov.ID, "+")
		p = &changed
	}
	return p
}

func (c *comparison) overrides(ov *catalog.Override, o *catalog.Offer, p *catalog.Price) bool {
	is := func(want, have string) bool { return want == "" || strings.EqualFold(want, have) }
	g := c.gpus[o.GPU]
	family := g != nil && strings.EqualFold(ov.GPU, g.Family)
	day := c.Selection.AsOf
	return is(ov.Provider, o.Provider) && is(ov.Region, o.Region) && is(ov.Instance, o.Instance) && is(ov.Tier, o.Tier) &&
		is(ov.Source, p.Source) && is(string(ov.Purchase), string(p.Purchase)) && (is(ov.GPU, o.GPU) || family) &&
		(ov.TermMonths == 0 || ov.TermMonths == p.TermMonths) && (p.Known() || ov.Amount.Known()) &&
		(!ov.ValidFrom.Known() || ov.ValidFrom.Compare(day) <= 0) && (!ov.ValidUntil.Known() || ov.ValidUntil.Compare(day) >= 0)
}

// byPercent changes the amounts by a signed percentage such as "-12.5".
func byPercent(p *catalog.Price, percent string) (low, high money.Amount, ok bool) {
	if percent == "" {
		return
	}
	q, err := money.ParseQuantity(strings.TrimSuffix(strings.TrimLeft(percent, "+-"), "%"))
	if err != nil {
		return
	}
	if percent[0] == '-' {
		q = -q
	}
	hundred := money.WholeQuantity(100)
	low, err1 := p.Low.MulFrac(int64(hundred+q), int64(hundred))
	high, err2 := p.High.MulFrac(int64(hundred+q), int64(hundred))
	return low, high, err1 == nil && err2 == nil && q > -hundred
}

func (c *comparison) overrideReason(ids string) string {
	var out []string
	for id := range strings.SplitSeq(ids, "+") {
		for i := range c.cat.Overrides {
			if ov := &c.cat.Overrides[i]; ov.ID == id && ov.Reason != "" {
				out = append(out, ov.Reason)
			}
		}
	}
	return strings.Join(out, "; ")
}
