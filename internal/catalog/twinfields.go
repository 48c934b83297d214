package catalog

import "github.com/gpucost/gpucost/internal/money"

// Each of these methods both writes and reads, so that the two cannot drift
// apart; a test fills every field of every type to see that none is left out.

func (t *twin) pos(p *Pos) {
	t.text(&p.File)
	t.whole(&p.Line, &p.Col)
}

func (t *twin) cite(source, ref, note *string, asOf *Date, c *Confidence) {
	t.text(source, ref, note, (*string)(c))
	t.date(asOf)
}

func (t *twin) provider(p *Provider) {
	t.text(&p.ID, &p.Name, &p.NameZH, &p.Market, &p.Kind, (*string)(&p.Currency), &p.URL, &p.Status, &p.StatusNote, &p.Note, &p.Source)
	t.textList(&p.Aliases)
	t.date(&p.StatusSince)
	t.whole(&p.Billing.IncrementS, &p.Billing.MinimumS)
	t.text(&p.Billing.StoppedBilled, &p.Billing.Source)
	list(t, &p.Storage, (*twin).storage)
	t.maybeWhole(&p.SpotNoticeS)
	t.maybeWhole(&p.SpotProtectionS)
	t.pos(&p.Pos)
}

func (t *twin) storage(s *StoragePrice) {
	t.text(&s.Kind, &s.Unit, &s.FreeAllowance)
	t.amount(&s.Amount)
	t.cite(&s.Source, &s.Ref, &s.Note, &s.AsOf, &s.Confidence)
}

func (t *twin) offer(o *Offer) {
	t.text(&o.Provider, &o.Kind, &o.Instance, &o.Tier, &o.Region, &o.Country, &o.GPU, &o.Interconnect, &o.Host, &o.Note)
	t.truth(&o.GPUKnown)
	t.signed(&o.GPUs.Num)
	t.signed(&o.GPUs.Den)
	t.float(&o.GPUMemoryGB, &o.VCPUs, &o.MemoryGiB, &o.DiskGB)
	t.maybeTruth(&o.Available)
	t.amount(&o.DiskPrice)
	t.pos(&o.Pos)
	t.pricesOf(o)
}

func (t *twin) price(p *Price) {
	t.text((*string)(&p.Purchase), &p.Plan, (*string)(&p.Per), &p.Scope, &p.Commitment, &p.Tax, &p.Override)
	t.whole(&p.TermMonths, &p.Samples)
	t.amount(&p.Low)
	t.amount(&p.High)
	t.truth(&p.Free)
	t.float(&p.TaxPercent)
	t.maybeTruth(&p.Purchasable)
	t.date(&p.ValidUntil)
	t.cite(&p.Source, &p.Ref, &p.Note, &p.AsOf, &p.Confidence)
	t.pos(&p.Pos)
}

func (t *twin) gpu(g *GPU) {
	t.text(&g.ID, &g.Name, &g.Family, &g.Vendor, &g.Architecture, &g.Form, &g.MemoryType, &g.Link, &g.Source, (*string)(&g.Confidence), &g.Note)
	t.whole(&g.Year)
	t.float(&g.MemoryGB, &g.BandwidthGBs, &g.FP32TFLOPS, &g.TF32TFLOPS, &g.BF16TFLOPS, &g.FP8TFLOPS, &g.FP4TFLOPS, &g.INT8TOPS,
		&g.SparseBF16TFLOPS, &g.SparseFP8TFLOPS, &g.SparseFP4TFLOPS, &g.MeasuredBF16TFLOPS, &g.MeasuredFP8TFLOPS, &g.LinkGBs, &g.TDPWatts)
	t.textList(&g.Aliases)
	t.textList(&g.StandsFor)
	t.pos(&g.Pos)
}

func (t *twin) model(m *Model) {
	t.text(&m.ID, &m.Family, &m.Type, &m.Attention, &m.Source, &m.Verified, &m.Note)
	t.float(&m.ParamsB, &m.ActiveB, &m.CountedB, &m.KVBytesPerTokenBF16, &m.WeightsGBBF16)
	t.whole(&m.Layers, &m.Hidden, &m.Heads, &m.KVHeads, &m.HeadDim, &m.FFN, &m.MoEFFN, &m.Experts, &m.ExpertsPerToken,
		&m.SharedExperts, &m.FirstDense, &m.Vocab, &m.Context)
	t.truth(&m.TiedEmbeddings)
	t.textList(&m.Aliases)
	t.pos(&m.Pos)
}

func (t *twin) source(s *Source) {
	t.text(&s.ID, &s.Name, &s.Kind, &s.URL, &s.Licence, &s.Attribution, &s.Note)
	t.pos(&s.Pos)
}

func (t *twin) fx(x *FXRate) {
	t.text((*string)(&x.Base), (*string)(&x.Quote))
	t.signed((*int64)(&x.Value))
	t.cite(&x.Source, &x.Ref, &x.Note, &x.AsOf, &x.Confidence)
}

func (t *twin) serverless(s *ServerlessPrice) {
	t.text(&s.Provider, &s.GPU, (*string)(&s.Currency))
	t.truth(&s.GPUKnown)
	for _, a := range []*money.Amount{&s.FlexPerSecond, &s.ActivePerSecond, &s.MinCharge} {
		t.amount(a)
	}
	t.maybeFloat(&s.ColdStartS)
	t.maybeFloat(&s.MinBillingMS)
	t.cite(&s.Source, &s.Ref, &s.Note, &s.AsOf, &s.Confidence)
}

func (t *twin) token(p *TokenPrice) {
	t.text(&p.Provider, &p.ProviderName, &p.Model, &p.ModelID, &p.Kind)
	t.amount(&p.Input)
	t.amount(&p.Output)
	t.amount(&p.Cached)
	t.whole(&p.Context)
	t.cite(&p.Source, &p.Ref, &p.Note, &p.AsOf, &p.Confidence)
}

func (t *twin) ownership(o *OwnershipCost) {
	t.text(&o.Item, &o.Low, &o.High, &o.Unit, (*string)(&o.Currency))
	t.cite(&o.Source, &o.Ref, &o.Note, &o.AsOf, &o.Confidence)
}

func (t *twin) interruption(x *Interruption) {
	t.text(&x.Provider, &x.GPU, &x.Metric, &x.Unit)
	t.maybeFloat(&x.Low)
	t.maybeFloat(&x.High)
	t.maybeWhole(&x.NoticeS)
	t.maybeWhole(&x.ProtectionS)
	t.cite(&x.Source, &x.Ref, &x.Note, &x.AsOf, &x.Confidence)
}

func (t *twin) override(o *Override) {
	t.text(&o.ID, &o.Provider, &o.GPU, &o.Region, &o.Instance, &o.Tier, &o.Source, (*string)(&o.Purchase), (*string)(&o.Per), &o.Percent, &o.Reason)
	t.whole(&o.TermMonths)
	t.amount(&o.Amount)
	t.date(&o.ValidFrom)
	t.date(&o.ValidUntil)
	t.pos(&o.Pos)
}
