package present

import (
	"fmt"

	"github.com/gpucost/gpucost/internal/catalog"
)

// Listing is a list of things of the catalog.
type Listing struct {
	Kind    string // the key in JSON: providers, gpus ...
	Columns []Column
	Items   []any
	Rows    [][]Cell
	After   []string
}

// Doc shows the list; csv has the same columns as the table.
func (l Listing) Doc() Doc {
	items := l.Items
	if items == nil {
		items = []any{}
	}
	d := Doc{Object: map[string]any{l.Kind: items}, Rows: items}
	for _, c := range l.Columns {
		d.Records.Header = append(d.Records.Header, c.Key)
	}
	d.Records.Rows = l.Rows
	d.Screen = Screen{Title: l.Kind, Blocks: []Block{Table{Caption: l.Kind, Columns: l.Columns, Rows: l.Rows}, Say(l.After...)}}
	return d
}

func (l *Listing) add(item any, cells ...Cell) {
	l.Items = append(l.Items, item)
	l.Rows = append(l.Rows, cells)
}

type providerItem struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	NameZH      string        `json:"name_zh"`
	Market      string        `json:"market"`
	Kind        string        `json:"kind"`
	Currency    string        `json:"currency"`
	Status      string        `json:"status"`
	StatusSince *string       `json:"status_since"`
	StatusNote  string        `json:"status_note"`
	URL         string        `json:"url"`
	Aliases     []string      `json:"aliases"`
	IncrementS  *int          `json:"billing_increment_s"`
	MinimumS    *int          `json:"billing_minimum_s"`
	Stopped     string        `json:"stopped_billed"`
	SpotNoticeS *int          `json:"spot_notice_s"`
	Protection  *int          `json:"spot_protection_s"`
	Storage     []storageItem `json:"storage"`
	Offers      int           `json:"offers"`
	Prices      int           `json:"prices"`
	Note        string        `json:"note"`
	Source      string        `json:"source"`
}

type storageItem struct {
	Kind       string `json:"kind"`
	Amount     any    `json:"amount"`
	Currency   string `json:"currency"`
	Unit       string `json:"unit"`
	Free       string `json:"free_allowance"`
	AsOf       string `json:"as_of"`
	Source     string `json:"source"`
	Confidence string `json:"confidence"`
	Note       string `json:"note"`
}

func provider(p *catalog.Provider, offers, prices int) providerItem {
	it := providerItem{
		ID: p.ID, Name: p.Name, NameZH: p.NameZH, Market: p.Market, Kind: p.Kind, Currency: string(p.Currency), Status: p.Status,
		StatusNote: p.StatusNote, URL: p.URL, Aliases: list(p.Aliases), IncrementS: some(p.Billing.IncrementS), MinimumS: some(p.Billing.MinimumS),
		Stopped: p.Billing.StoppedBilled, SpotNoticeS: p.SpotNoticeS, Protection: p.SpotProtectionS, Storage: []storageItem{},
		Offers: offers, Prices: prices, Note: p.Note, Source: p.Source,
	}
	if p.StatusSince.Known() {
		s := p.StatusSince.String()
		it.StatusSince = &s
	}
	for _, s := range p.Storage {
		it.Storage = append(it.Storage, storageItem{s.Kind, s.Amount, string(s.Amount.Currency()), s.Unit, s.FreeAllowance, s.AsOf.String(), s.Source, string(s.Confidence), s.Note})
	}
	return it
}

func some[T int | float64](x T) *T {
	if x == 0 {
		return nil
	}
	return &x
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// ProviderList lists the sellers.
func ProviderList(c *catalog.Catalog, l Lang) Listing {
	offers, prices := map[string]int{}, map[string]int{}
	for i := range c.Offers {
		offers[c.Offers[i].Provider]++
		prices[c.Offers[i].Provider] += len(c.Offers[i].Prices)
	}
	out := Listing{Kind: "providers", Columns: []Column{
		{Key: "id", Head: "id"},
		{Key: "name", Head: l.T("col.name"), Flex: true},
		{Key: "name_zh", Head: "中文", Flex: true},
		{Key: "market", Head: l.T("col.market")},
		{Key: "kind", Head: l.T("col.kind"), Priority: 2},
		{Key: "currency", Head: l.T("col.currency"), Priority: 3},
		{Key: "status", Head: l.T("col.status"), Priority: 1},
		{Key: "offers", Head: l.T("col.offers"), Right: true},
		{Key: "prices", Head: l.T("col.prices"), Right: true},
	}}
	for i := range c.Providers {
		p := &c.Providers[i]
		status := p.Status
		if p.StatusSince.Known() {
			status += " " + p.StatusSince.String()
		}
		out.add(provider(p, offers[p.ID], prices[p.ID]), Text(p.ID), Text(p.Name), Text(p.NameZH), Text(p.Market), Text(p.Kind), Text(string(p.Currency)),
			Text(status), Num(fmt.Sprint(offers[p.ID])), Num(fmt.Sprint(prices[p.ID])))
	}
	return out
}

type gpuItem struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Family       string   `json:"family"`
	Vendor       string   `json:"vendor"`
	Architecture string   `json:"architecture"`
	Form         string   `json:"form"`
	Year         *int     `json:"year"`
	MemoryGB     *float64 `json:"memory_gb"`
	MemoryType   string   `json:"memory_type"`
	BandwidthGBs *float64 `json:"bandwidth_gb_per_s"`
	FP32         *float64 `json:"fp32_tflops"`
	TF32         *float64 `json:"tf32_tflops_dense"`
	BF16         *float64 `json:"bf16_tflops_dense"`
	FP8          *float64 `json:"fp8_tflops_dense"`
	FP4          *float64 `json:"fp4_tflops_dense"`
	INT8         *float64 `json:"int8_tops_dense"`
	SparseBF16   *float64 `json:"bf16_tflops_sparse"`
	SparseFP8    *float64 `json:"fp8_tflops_sparse"`
	SparseFP4    *float64 `json:"fp4_tflops_sparse"`
	MeasuredBF16 *float64 `json:"measured_max_bf16_tflops"`
	MeasuredFP8  *float64 `json:"measured_max_fp8_tflops"`
	Link         string   `json:"link"`
	LinkGBs      *float64 `json:"link_gb_per_s_bidirectional"`
	TDPWatts     *float64 `json:"tdp_watts"`
	Aliases      []string `json:"aliases"`
	StandsFor    []string `json:"stands_for"`
	Source       string   `json:"source"`
	Confidence   string   `json:"confidence"`
	Note         string   `json:"note"`
	Offers       int      `json:"offers"`
}

func gpu(g *catalog.GPU, offers int) gpuItem {
	return gpuItem{
		g.ID, g.Name, g.Family, g.Vendor, g.Architecture, g.Form, some(g.Year), some(g.MemoryGB), g.MemoryType, some(g.BandwidthGBs),
		some(g.FP32TFLOPS), some(g.TF32TFLOPS), some(g.BF16TFLOPS), some(g.FP8TFLOPS), some(g.FP4TFLOPS), some(g.INT8TOPS),
		some(g.SparseBF16TFLOPS), some(g.SparseFP8TFLOPS), some(g.SparseFP4TFLOPS), some(g.MeasuredBF16TFLOPS), some(g.MeasuredFP8TFLOPS),
		g.Link, some(g.LinkGBs), some(g.TDPWatts), list(g.Aliases), list(g.StandsFor), g.Source, string(g.Confidence), g.Note, offers,
	}
}

func optional(x float64) Cell {
	if x == 0 {
		return Unknown()
	}
	return Float(x)
}

// GPUList lists the accelerators.
func GPUList(c *catalog.Catalog, l Lang) Listing {
	offers := map[string]int{}
	for i := range c.Offers {
		offers[c.Offers[i].GPU]++
	}
	out := Listing{Kind: "gpus", Columns: []Column{
		{Key: "id", Head: "id"},
		{Key: "name", Head: l.T("col.name"), Flex: true, Priority: 2},
		{Key: "memory_gb", Head: "GB", Right: true},
		{Key: "bandwidth_gb_per_s", Head: "GB/s", Right: true},
		{Key: "bf16_tflops", Head: "BF16", Right: true},
		{Key: "fp8_tflops", Head: "FP8", Right: true},
		{Key: "fp4_tflops", Head: "FP4", Right: true, Priority: 1},
		{Key: "link", Head: l.T("col.link"), Flex: true, Priority: 3},
		{Key: "tdp_watts", Head: "W", Right: true, Priority: 4},
		{Key: "offers", Head: l.T("col.offers"), Right: true},
	}, After: []string{l.T("gpus.after")}}
	for i := range c.GPUs {
		g := &c.GPUs[i]
		out.add(gpu(g, offers[g.ID]), Text(g.ID), Text(g.Name), optional(g.MemoryGB), optional(g.BandwidthGBs), optional(g.BF16TFLOPS), optional(g.FP8TFLOPS),
			optional(g.FP4TFLOPS), Text(g.Link), optional(g.TDPWatts), Num(fmt.Sprint(offers[g.ID])))
	}
	return out
}

type modelItem struct {
	ID        string   `json:"id"`
	Family    string   `json:"family"`
	Type      string   `json:"type"`
	ParamsB   *float64 `json:"params_b"`
	ActiveB   *float64 `json:"active_b"`
	Layers    *int     `json:"layers"`
	Hidden    *int     `json:"hidden"`
	Heads     *int     `json:"heads"`
	KVHeads   *int     `json:"kv_heads"`
	HeadDim   *int     `json:"head_dim"`
	Experts   *int     `json:"experts"`
	PerToken  *int     `json:"experts_per_token"`
	Vocab     *int     `json:"vocab"`
	Context   *int     `json:"context"`
	Attention string   `json:"attention"`
	KVBytes   *float64 `json:"kv_bytes_per_token_bf16"`
	WeightsGB *float64 `json:"weights_gb_bf16"`
	Aliases   []string `json:"aliases"`
	Source    string   `json:"source"`
	Verified  string   `json:"verified"`
	Note      string   `json:"note"`
}

func model(m *catalog.Model) modelItem {
	return modelItem{
		m.ID, m.Family, m.Type, some(m.ParamsB), some(m.ActiveB), some(m.Layers), some(m.Hidden), some(m.Heads), some(m.KVHeads), some(m.HeadDim),
		some(m.Experts), some(m.ExpertsPerToken), some(m.Vocab), some(m.Context), m.Attention, some(m.KVBytesPerTokenBF16), some(m.WeightsGBBF16),
		list(m.Aliases), m.Source, m.Verified, m.Note,
	}
}

// ModelList lists the models.
func ModelList(c *catalog.Catalog, l Lang) Listing {
	out := Listing{Kind: "models", Columns: []Column{
		{Key: "id", Head: "id"},
		{Key: "type", Head: l.T("col.kind")},
		{Key: "params_b", Head: l.T("col.params"), Right: true},
		{Key: "active_b", Head: l.T("col.active"), Right: true},
		{Key: "layers", Head: l.T("col.layers"), Right: true, Priority: 2},
		{Key: "attention", Head: l.T("col.attention"), Priority: 3},
		{Key: "context", Head: l.T("col.context"), Right: true, Priority: 1},
		{Key: "weights_gb_bf16", Head: l.T("col.weights"), Right: true},
	}}
	for i := range c.Models {
		m := &c.Models[i]
		out.add(model(m), Text(m.ID), Text(m.Type), optional(m.ParamsB), optional(m.ActiveB), optional(float64(m.Layers)), Text(m.Attention), optional(float64(m.Context)), optional(m.WeightsGBBF16))
	}
	return out
}

type sourceItem struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	URL         string `json:"url"`
	Licence     string `json:"licence"`
	Attribution string `json:"attribution"`
	Note        string `json:"note"`
	Prices      int    `json:"prices"`
	Newest      string `json:"newest"`
}

// SourceList lists where the figures come from.
func SourceList(c *catalog.Catalog, l Lang) Listing {
	prices, newest := map[string]int{}, map[string]catalog.Date{}
	for i := range c.Offers {
		for j := range c.Offers[i].Prices {
			p := &c.Offers[i].Prices[j]
			prices[p.Source]++
			if p.AsOf.Compare(newest[p.Source]) > 0 {
				newest[p.Source] = p.AsOf
			}
		}
	}
	out := Listing{Kind: "sources", Columns: []Column{
		{Key: "id", Head: "id"},
		{Key: "name", Head: l.T("col.name"), Flex: true, Priority: 1},
		{Key: "kind", Head: l.T("col.kind"), Priority: 2},
		{Key: "licence", Head: l.T("col.licence"), Flex: true, Priority: 3},
		{Key: "prices", Head: l.T("col.prices"), Right: true},
		{Key: "newest", Head: l.T("col.newest")},
	}}
	for i := range c.Sources {
		s := &c.Sources[i]
		day := newest[s.ID].String()
		out.add(sourceItem{s.ID, s.Name, s.Kind, s.URL, s.Licence, s.Attribution, s.Note, prices[s.ID], day},
			Text(s.ID), Text(s.Name), Text(s.Kind), Text(s.Licence), Num(fmt.Sprint(prices[s.ID])), Text(day))
	}
	return out
}

type offerItem struct {
	Provider     string      `json:"provider"`
	Kind         string      `json:"kind"`
	Instance     string      `json:"instance"`
	Tier         string      `json:"tier"`
	Region       string      `json:"region"`
	GPU          string      `json:"gpu"`
	GPUKnown     bool        `json:"gpu_known"`
	GPUs         string      `json:"gpu_count"`
	VCPUs        *float64    `json:"vcpus"`
	MemoryGiB    *float64    `json:"memory_gib"`
	Interconnect string      `json:"interconnect"`
	Prices       []priceItem `json:"prices"`
	Note         string      `json:"note"`
}

type priceItem struct {
	Purchase   string `json:"purchase"`
	Plan       string `json:"plan"`
	TermMonths *int   `json:"term_months"`
	Low        any    `json:"low"`
	High       any    `json:"high"`
	Currency   string `json:"currency"`
	Per        string `json:"per"`
	AsOf       string `json:"as_of"`
	Source     string `json:"source"`
	Ref        string `json:"ref"`
	Confidence string `json:"confidence"`
	Note       string `json:"note"`
}

// OfferList lists everything buyable with every observation of its price.
func OfferList(c *catalog.Catalog, l Lang) Listing {
	out := Listing{Kind: "offers", Columns: []Column{
		{Key: "provider", Head: l.T("col.provider")},
		{Key: "gpu", Head: "GPU"},
		{Key: "gpu_count", Head: l.T("col.sold_as"), Right: true},
		{Key: "instance", Head: l.T("col.instance"), Flex: true, Priority: 2},
		{Key: "region", Head: l.T("col.region"), Flex: true, Priority: 1},
		{Key: "tier", Head: l.T("col.tier"), Priority: 3},
		{Key: "prices", Head: l.T("col.prices"), Right: true},
		{Key: "newest", Head: l.T("col.newest")},
	}}
	for i := range c.Offers {
		o := &c.Offers[i]
		it := offerItem{o.Provider, o.Kind, o.Instance, o.Tier, o.Region, o.GPU, o.GPUKnown, o.GPUs.String(), some(o.VCPUs), some(o.MemoryGiB), o.Interconnect, []priceItem{}, o.Note}
		var newest catalog.Date
		for j := range o.Prices {
			p := &o.Prices[j]
			if p.AsOf.Compare(newest) > 0 {
				newest = p.AsOf
			}
			it.Prices = append(it.Prices, priceItem{
				string(p.Purchase), p.Plan, some(p.TermMonths), p.Low, p.High, string(p.Low.Currency()), string(p.Per),
				p.AsOf.String(), p.Source, p.Ref, string(p.Confidence), p.Note,
			})
		}
		count := Num(o.GPUs.String())
		if o.GPUs.Fraction() {
			count = Text(o.GPUs.String())
		}
		out.add(it, Text(o.Provider), Text(o.GPU), count, Text(o.Instance), Text(o.Region), Text(o.Tier), Num(fmt.Sprint(len(o.Prices))), Text(newest.String()))
	}
	return out
}
