package estimate

import "math"

// FirstTokenPhysics works out the terms and features of the time to the first
// token, seconds: the request's own prefill, the wait for the prefills that
// arrive with it, and a fixed cost.
func FirstTokenPhysics(c *Serve, s *Shape, batch float64, p *Physics) {
	p.reset()
	d := c.divide(s)
	c.firstTerms(s, &d, batch, p)
	c.firstFeatures(s, p)
}

func (c *Serve) firstTerms(s *Shape, d *division, batch float64, p *Physics) {
	p.Terms = [MaxTerms]float64{}
	rate := Achievable(c.GPU, c.computePrecision()) * 1e12
	bf16 := Achievable(c.GPU, BF16) * 1e12
	link := linkGBs(c.GPU) * 1e9
	b := math.Max(1, batch/d.workers)
	pre := (1 - c.CacheHit) * c.InputTokens * (2*s.Active/rate + s.AttnFLOP(c.InputTokens)/bf16)
	g := d.tp * d.pp
	if c.DecodeGPUs > 0 {
		g = d.pre
	}
	p.Terms[vOwnPrefill] = pre / d.tp
	p.Terms[vPrefill] = math.Max(0, b-1) * pre / g
	p.Terms[vLaunch] = s.Layers * 100e-6
	p.Terms[vRequest] = b * 0.5e-3
	p.Terms[vWeights] = bytesPerWeight(c.Precision) * s.Params / (g * c.GPU.BandwidthGBs * 1e9)
	if d.tp > 1 && !c.Layout.AttentionDP {
		p.Terms[vPreTransfer] = (1 - c.CacheHit) * c.InputTokens * 8 * s.Layers * s.Hidden * (d.tp - 1) / d.tp / link
	}
}

func (c *Serve) firstFeatures(s *Shape, p *Physics) {
	for _, i := range [...]int{vOwnPrefill, vPrefill, vLaunch, vRequest, vWeights, vPreTransfer} {
		p.add("c", i+1, "", "", 1)
	}
	eng := engineFamily(c.Engine)
	kind := "dense"
	if s.MoE {
		kind = "moe"
	}
	p.add("engine", 0, eng, "", 1)
	p.add("engine", vPrefill+1, eng, "", 1)
	p.add("engine", vRequest+1, eng, "", 1)
	p.add("engine-kind", 0, eng, kind, 1)
	p.add("layout", 0, c.layoutName(), kind, 1)
	p.add("family", 0, family(c.GPU), "", 1)
	p.add("arch", 0, s.Arch, "", 1)
	p.add("gpu", 0, c.GPU.ID, "", 1)
	p.addKey(Key{Kind: "group", A: s.Arch, B: c.GPU.ID, C: string(c.Mode)}, 1)
}
