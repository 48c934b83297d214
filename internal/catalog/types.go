package catalog

import (
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Catalog is everything that is known, in one place.
type Catalog struct {
	AsOf         Date   // day the data was last reviewed
	SHA256       string // hex digest of the files it was loaded from
	Providers    []Provider
	Offers       []Offer
	GPUs         []GPU
	Models       []Model
	Sources      []Source
	FX           []FXRate
	Serverless   []ServerlessPrice
	Tokens       []TokenPrice
	Ownership    []OwnershipCost
	Interruption []Interruption
	Overrides    []Override
}

// Purchase is a way of buying compute.
type Purchase string

// The ways of buying.
const (
	OnDemand   Purchase = "on_demand"
	Spot       Purchase = "spot"
	Reserved   Purchase = "reserved"
	Serverless Purchase = "serverless" // per second, scaled to zero
	Token      Purchase = "token"      // per-token API
	Owned      Purchase = "owned"
)

// Purchases lists every purchase in the order shown to people.
func Purchases() []Purchase {
	return []Purchase{OnDemand, Spot, Reserved, Serverless, Token, Owned}
}

// Confidence says how far a figure can be trusted.
type Confidence string

// Confidence levels: high is the provider's own page or API seen at a date,
// medium a dated third party, low an article, an estimate or an undated list.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Pos is where a value stands in its file; the zero Pos is unknown.
type Pos struct {
	File      string
	Line, Col int
}

// Provider is a seller.
type Provider struct {
	ID, Name, NameZH string
	Aliases          []string
	Market           string         // intl or cn
	Kind             string         // hyperscaler, neocloud, marketplace, serverless, reseller or index
	Currency         money.Currency // the one it bills in
	URL              string
	Status           string // active, left or unreachable
	StatusSince      Date
	StatusNote       string
	Billing          Billing
	Storage          []StoragePrice
	SpotNoticeS      *int // seconds between the notice and the reclaim; nil unknown
	SpotProtectionS  *int // seconds at the start in which nothing is reclaimed
	Note             string
	Source           string
	Pos              Pos
}

// Billing is how use is rounded. Zero means not stated.
type Billing struct {
	IncrementS, MinimumS int    // seconds
	StoppedBilled        string // what a stopped instance still costs, in words
	Source               string
}

// StoragePrice is a price of keeping or moving bytes at a provider.
type StoragePrice struct {
	Kind          string // object, network_volume, disk_running, disk_stopped, egress, egress_cross_border ...
	Amount        money.Amount
	Unit          string // gb_month or gb
	FreeAllowance string
	Source        string
	Ref           string
	AsOf          Date
	Confidence    Confidence
	Note          string
}

// Offer is one buyable thing: provider, instance, GPU, GPUs per instance,
// region and tier.
type Offer struct {
	Provider     string
	Kind         string // vm, pod, marketplace, serverless or bare_metal
	Instance     string
	Tier         string
	Region       string
	Country      string // ISO 3166 code
	GPU          string // id of a GPU, or the unresolved name as written
	GPUKnown     bool   // GPU is an id of the catalog
	GPUs         unit.Count
	GPUMemoryGB  float64 // usable memory per GPU as sold, GB; 0: see the GPU
	VCPUs        float64
	MemoryGiB    float64 // host memory
	DiskGB       float64
	Interconnect string       // between GPUs and nodes, as the provider states it
	Host         string       // one machine of a marketplace
	Available    *bool        // false: listed but not purchasable; nil: not stated
	DiskPrice    money.Amount // per GB and month where it differs by host
	Note         string
	Prices       []Price
	Pos          Pos
}

// Price is one dated, sourced observation of an offer.
type Price struct {
	Purchase    Purchase
	Plan        string       // "", savings_plan, capacity_block, flex_start, calendar, monthly, daily, weekly, cluster, cud, low_priority
	TermMonths  int          // 0: no term or not stated
	Low, High   money.Amount // equal when a single amount; both unknown when the price is not known
	Free        bool         // an amount of 0 is meant
	Per         unit.Per
	Scope       string // whole: the machine with its GPUs; gpu_only: the accelerator alone, the host is extra
	Commitment  string // minimum commitment in the source's words
	AsOf        Date
	Source      string // id of a Source
	Ref         string // page, file and commit inside the source
	Confidence  Confidence
	Samples     int    // listings behind a marketplace figure; 0 not stated
	Tax         string // excluded, included or unknown
	TaxPercent  float64
	Purchasable *bool // false: listed but cannot be bought; nil: not stated
	ValidUntil  Date
	Note        string
	Override    string // the override that made this price, if any
	Pos         Pos
}

// GPU is an accelerator's specification sheet. Rates are dense; a value of 0
// means that the source does not state it or the unit does not exist.
type GPU struct {
	ID, Name, Family, Vendor, Architecture     string
	Form                                       string // SXM, PCIe, NVL, OAM ...; empty when a name does not say which
	Year                                       int
	MemoryGB                                   float64
	MemoryType                                 string
	BandwidthGBs                               float64 // memory bandwidth, GB/s
	FP32TFLOPS, TF32TFLOPS                     float64
	BF16TFLOPS, FP8TFLOPS, FP4TFLOPS, INT8TOPS float64
	SparseBF16TFLOPS, SparseFP8TFLOPS          float64
	SparseFP4TFLOPS                            float64
	MeasuredBF16TFLOPS, MeasuredFP8TFLOPS      float64 // best measured matrix product
	Link                                       string
	LinkGBs                                    float64 // both directions, per GPU
	TDPWatts                                   float64
	Aliases                                    []string
	StandsFor                                  []string // ids of the variants that a form-less entry may be
	Source                                     string
	Confidence                                 Confidence
	Note                                       string
	Pos                                        Pos
}

// Model is a model's architecture. Zero means not stated or not applicable.
type Model struct {
	ID, Family, Type           string  // type: dense, moe, diffusion, speech ...
	ParamsB, ActiveB, CountedB float64 // billions: all, active per token, read from the shapes
	Layers, Hidden, Heads      int
	KVHeads, HeadDim           int
	FFN, MoEFFN                int
	Experts, ExpertsPerToken   int
	SharedExperts, FirstDense  int
	Vocab, Context             int
	TiedEmbeddings             bool
	Attention                  string // MHA, GQA, MQA, MLA ...
	KVBytesPerTokenBF16        float64
	WeightsGBBF16              float64
	Aliases                    []string
	Source, Verified, Note     string
	Pos                        Pos
}

// Source is where figures come from.
type Source struct {
	ID, Name, Kind string // kind: provider_page, catalog, third_party, article, api, code
	URL            string
	Licence        string
	Attribution    string // the line the licence asks for
	Note           string
	Pos            Pos
}

// FXRate is a dated exchange rate.
type FXRate struct {
	money.Rate
	AsOf       Date
	Source     string
	Ref        string
	Confidence Confidence
	Note       string
}

// ServerlessPrice is per-second billing of a provider's scale-to-zero GPUs.
type ServerlessPrice struct {
	Provider        string
	GPU             string // id, or the source's words where it names several
	GPUKnown        bool
	FlexPerSecond   money.Amount // per GPU-second while scaling from zero
	ActivePerSecond money.Amount // per GPU-second for always-on workers
	ColdStartS      *float64
	MinBillingMS    *float64
	MinCharge       money.Amount
	Currency        money.Currency
	Source, Ref     string
	AsOf            Date
	Confidence      Confidence
	Note            string
}

// TokenPrice is a per-token API price, per million tokens.
type TokenPrice struct {
	Provider, ProviderName string
	Model, ModelID         string // canonical name; the provider's own id
	Input, Output, Cached  money.Amount
	Context                int
	Kind                   string
	Source, Ref            string
	AsOf                   Date
	Confidence             Confidence
	Note                   string
}

// OwnershipCost is a figure about buying and running hardware.
type OwnershipCost struct {
	Item        string
	Low, High   string // plain decimals; amounts of Currency when it is set
	Unit        string
	Currency    money.Currency
	Source, Ref string
	AsOf        Date
	Confidence  Confidence
	Note        string
}

// Interruption is a figure about spot reclaims and discounts.
type Interruption struct {
	Provider, GPU, Metric string
	Low, High             *float64
	Unit                  string
	NoticeS, ProtectionS  *int
	Source, Ref           string
	AsOf                  Date
	Confidence            Confidence
	Note                  string
}

// Override changes matched prices: negotiated rates, mark-ups, tax, own cost.
type Override struct {
	ID                              string
	Provider, GPU, Region, Instance string // empty matches all
	Tier, Source                    string
	Purchase                        Purchase
	TermMonths                      int
	Amount                          money.Amount // absolute, or
	Per                             unit.Per
	Percent                         string // a signed percentage such as "-12.5"
	ValidFrom, ValidUntil           Date
	Reason                          string
	Pos                             Pos
}
