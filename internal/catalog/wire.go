package catalog

import (
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// The types of this file are the YAML format, field by field in the order of
// the catalog's own types, so that Go converts between the two and a field
// added to one side only does not compile.

// schemaVersion is the version of the format that this program reads.
const schemaVersion = 1

// UserSource is the source of prices in a file that names none.
const UserSource = "user"

type wireFile struct {
	At           At
	Schema       int                 `yaml:"schema,required" min:"1" doc:"version of this format: 1"`
	AsOf         Date                `yaml:"as_of" doc:"date of the prices of this file that state none"`
	Source       string              `yaml:"source" doc:"source of the prices of this file that state none"`
	Confidence   Confidence          `yaml:"confidence" doc:"confidence in the prices of this file that state none"`
	Sources      []wireSource        `yaml:"sources,flow" doc:"where figures come from"`
	FX           []wireFX            `yaml:"fx,flow" doc:"dated exchange rates"`
	GPUs         []wireGPU           `yaml:"gpus" doc:"accelerators"`
	Models       []wireModel         `yaml:"models" doc:"model architectures"`
	Providers    []wireProvider      `yaml:"providers" doc:"sellers with their offers and prices"`
	Serverless   []wireServerless    `yaml:"serverless,flow" doc:"per-second prices of GPUs that scale to zero"`
	Tokens       []wireToken         `yaml:"tokens,flow" doc:"API prices per million tokens"`
	Ownership    []wireOwnershipCost `yaml:"ownership,flow" doc:"costs of buying and running hardware"`
	Interruption []wireInterruption  `yaml:"interruption,flow" doc:"figures about spot reclaims"`
	Overrides    []wireOverrideAt    `yaml:"overrides,flow" doc:"negotiated rates, mark-ups, tax, own cost"`
}

type wireProvider struct {
	At          At
	providerKey `yaml:",inline"`
	Billing     wireBilling   `yaml:"billing,flow" doc:"how use is rounded"`
	Storage     []wireStorage `yaml:"storage,flow" doc:"prices of keeping and moving bytes"`
	Offers      []wireOffer   `yaml:"offers" doc:"what can be bought here"`
}

type providerKey struct {
	ID              string         `yaml:"id,required"`
	Name            string         `yaml:"name"`
	NameZH          string         `yaml:"name_zh"`
	Aliases         []string       `yaml:"aliases"`
	Market          string         `yaml:"market" oneof:"intl cn"`
	Kind            string         `yaml:"kind" oneof:"hyperscaler neocloud marketplace serverless reseller index on_prem"`
	Currency        money.Currency `yaml:"currency" doc:"the currency it bills in; ISO 4217"`
	URL             string         `yaml:"url"`
	Status          string         `yaml:"status" oneof:"active left unreachable"`
	StatusSince     Date           `yaml:"status_since"`
	StatusNote      string         `yaml:"status_note"`
	Billing         Billing        `yaml:"-"`
	Storage         []StoragePrice `yaml:"-"`
	SpotNoticeS     *int           `yaml:"spot_notice_s" doc:"seconds between the notice and the reclaim"`
	SpotProtectionS *int           `yaml:"spot_protection_s" doc:"seconds at the start in which nothing is reclaimed"`
	Note            string         `yaml:"note"`
	Source          string         `yaml:"source"`
	Pos             Pos
}

type wireBilling struct {
	IncrementS    int    `yaml:"increment_s" doc:"seconds that use is rounded up to"`
	MinimumS      int    `yaml:"minimum_s" doc:"seconds billed at least"`
	StoppedBilled string `yaml:"stopped_billed" doc:"what a stopped instance still costs"`
	Source        string `yaml:"source"`
}

type wireStorage struct {
	Kind          string       `yaml:"kind,required" doc:"object, network_volume, disk_running, disk_stopped, egress ..."`
	Amount        money.Amount `yaml:"amount,required"`
	Unit          string       `yaml:"unit,required" oneof:"gb gb_month gib gib_month gpu_hour vcpu_hour ip_hour ip_month hour day month"`
	FreeAllowance string       `yaml:"free_allowance"`
	Source        string       `yaml:"source"`
	Ref           string       `yaml:"ref"`
	AsOf          Date         `yaml:"as_of"`
	Confidence    Confidence   `yaml:"confidence"`
	Note          string       `yaml:"note"`
}

type wireOffer struct {
	At               At
	offerKey         `yaml:",inline"`
	MemoryMiB        float64     `yaml:"gpu_memory_mib" doc:"the same in MiB"`
	TotalMemoryGB    float64     `yaml:"total_gpu_memory_gb" doc:"of all GPUs; checked against gpus x gpu_memory_gb"`
	TotalMemoryMiB   float64     `yaml:"total_gpu_memory_mib" doc:"the same in MiB"`
	DiskPriceGBMonth Decimal     `yaml:"disk_price_gb_month" doc:"per GB and month, in the provider's or the price's currency"`
	Prices           []wirePrice `yaml:"prices,flow" doc:"dated observations"`
}

type offerKey struct {
	Provider     string       `yaml:"-"`
	Kind         string       `yaml:"kind" oneof:"vm pod marketplace serverless bare_metal"`
	Instance     string       `yaml:"instance"`
	Tier         string       `yaml:"tier"`
	Region       string       `yaml:"region"`
	Country      string       `yaml:"country" doc:"ISO 3166 code"`
	GPU          string       `yaml:"gpu,required" doc:"id or alias of a GPU, or the source's words"`
	GPUKnown     bool         `yaml:"-"`
	GPUs         unit.Count   `yaml:"gpus" doc:"GPUs per instance: a whole number, or a fraction such as 1/6"`
	GPUMemoryGB  float64      `yaml:"gpu_memory_gb" doc:"usable memory per GPU as sold"`
	VCPUs        float64      `yaml:"vcpus"`
	MemoryGiB    float64      `yaml:"memory_gib"`
	DiskGB       float64      `yaml:"disk_gb"`
	Interconnect string       `yaml:"interconnect"`
	Host         string       `yaml:"host" doc:"one machine of a marketplace"`
	Available    *bool        `yaml:"available" doc:"false: listed but not purchasable"`
	DiskPrice    money.Amount `yaml:"-"`
	Note         string       `yaml:"note"`
	Prices       []Price      `yaml:"-"`
	Pos          Pos
}

type wirePrice struct {
	At       At
	Amount   *money.Amount `yaml:"amount" doc:"plain decimal; null: known not to be known"`
	priceKey `yaml:",inline"`
}

type priceKey struct {
	Purchase    Purchase     `yaml:"purchase,required"`
	Plan        string       `yaml:"plan" oneof:"savings_plan capacity_block flex_start calendar monthly daily weekly cluster cud low_priority"`
	TermMonths  int          `yaml:"term_months" min:"1" max:"120"`
	Low         money.Amount `yaml:"low" doc:"with high, instead of amount"`
	High        money.Amount `yaml:"high"`
	Free        bool         `yaml:"free" doc:"an amount of 0 is meant"`
	Per         unit.Per     `yaml:"per" doc:"whose hour it is"`
	Scope       string       `yaml:"scope" oneof:"whole gpu_only"`
	Commitment  string       `yaml:"commitment"`
	AsOf        Date         `yaml:"as_of,always"`
	Source      string       `yaml:"source"`
	Ref         string       `yaml:"ref" doc:"page, file and commit inside the source"`
	Confidence  Confidence   `yaml:"confidence"`
	Samples     int          `yaml:"samples"`
	Tax         string       `yaml:"tax" oneof:"excluded included unknown"`
	TaxPercent  float64      `yaml:"tax_percent" max:"100"`
	Purchasable *bool        `yaml:"purchasable"`
	ValidUntil  Date         `yaml:"valid_until"`
	Note        string       `yaml:"note"`
	Override    string       `yaml:"-"`
	Pos         Pos
}

type wireGPU struct {
	ID                 string     `yaml:"id,required"`
	Name               string     `yaml:"name"`
	Family             string     `yaml:"family"`
	Vendor             string     `yaml:"vendor"`
	Architecture       string     `yaml:"architecture"`
	Form               string     `yaml:"form" doc:"SXM, PCIe, NVL, OAM; absent when a name does not say which"`
	Year               int        `yaml:"year" min:"2000" max:"2100"`
	MemoryGB           float64    `yaml:"memory_gb"`
	MemoryType         string     `yaml:"memory_type"`
	BandwidthGBs       float64    `yaml:"bandwidth_gbs" doc:"memory bandwidth, GB/s"`
	FP32TFLOPS         float64    `yaml:"fp32_tflops" doc:"dense, like the other rates"`
	TF32TFLOPS         float64    `yaml:"tf32_tflops"`
	BF16TFLOPS         float64    `yaml:"bf16_tflops"`
	FP8TFLOPS          float64    `yaml:"fp8_tflops"`
	FP4TFLOPS          float64    `yaml:"fp4_tflops"`
	INT8TOPS           float64    `yaml:"int8_tops"`
	SparseBF16TFLOPS   float64    `yaml:"sparse.bf16_tflops"`
	SparseFP8TFLOPS    float64    `yaml:"sparse.fp8_tflops"`
	SparseFP4TFLOPS    float64    `yaml:"sparse.fp4_tflops"`
	MeasuredBF16TFLOPS float64    `yaml:"measured.bf16_tflops"`
	MeasuredFP8TFLOPS  float64    `yaml:"measured.fp8_tflops"`
	Link               string     `yaml:"link"`
	LinkGBs            float64    `yaml:"link_gbs" doc:"both directions, per GPU, GB/s"`
	TDPWatts           float64    `yaml:"tdp_watts"`
	Aliases            []string   `yaml:"aliases"`
	StandsFor          []string   `yaml:"stands_for" doc:"ids of the variants that a form-less entry may be"`
	Source             string     `yaml:"source"`
	Confidence         Confidence `yaml:"confidence"`
	Note               string     `yaml:"note"`
	Pos                Pos
}

type wireModel struct {
	ID                  string   `yaml:"id,required"`
	Family              string   `yaml:"family"`
	Type                string   `yaml:"type"`
	ParamsB             float64  `yaml:"params_b" doc:"all parameters, billions"`
	ActiveB             float64  `yaml:"active_b" doc:"parameters active per token, billions"`
	CountedB            float64  `yaml:"counted_b" doc:"read from the shapes, billions"`
	Layers              int      `yaml:"layers"`
	Hidden              int      `yaml:"hidden"`
	Heads               int      `yaml:"heads"`
	KVHeads             int      `yaml:"kv_heads"`
	HeadDim             int      `yaml:"head_dim"`
	FFN                 int      `yaml:"ffn"`
	MoEFFN              int      `yaml:"moe_ffn"`
	Experts             int      `yaml:"experts"`
	ExpertsPerToken     int      `yaml:"experts_per_token"`
	SharedExperts       int      `yaml:"shared_experts"`
	FirstDense          int      `yaml:"first_dense"`
	Vocab               int      `yaml:"vocab"`
	Context             int      `yaml:"context"`
	TiedEmbeddings      bool     `yaml:"tied_embeddings"`
	Attention           string   `yaml:"attention"`
	KVBytesPerTokenBF16 float64  `yaml:"kv_bytes_per_token_bf16"`
	WeightsGBBF16       float64  `yaml:"weights_gb_bf16"`
	Aliases             []string `yaml:"aliases"`
	Source              string   `yaml:"source"`
	Verified            string   `yaml:"verified"`
	Note                string   `yaml:"note"`
	Pos                 Pos
}

type wireSource struct {
	ID          string `yaml:"id,required"`
	Name        string `yaml:"name"`
	Kind        string `yaml:"kind" oneof:"provider_page catalog third_party article api code"`
	URL         string `yaml:"url"`
	Licence     string `yaml:"licence"`
	Attribution string `yaml:"attribution" doc:"the line the licence asks for"`
	Note        string `yaml:"note"`
	Pos         Pos
}

type wireFX struct {
	At         At
	Base       money.Currency `yaml:"base,required"`
	Quote      money.Currency `yaml:"quote,required"`
	Rate       money.Quantity `yaml:"rate,required" doc:"units of quote for one unit of base"`
	AsOf       Date           `yaml:"as_of"`
	Source     string         `yaml:"source"`
	Ref        string         `yaml:"ref"`
	Confidence Confidence     `yaml:"confidence"`
	Note       string         `yaml:"note"`
}

type wireServerless struct {
	Provider        string         `yaml:"provider,required"`
	GPU             string         `yaml:"gpu,required"`
	GPUKnown        bool           `yaml:"-"`
	FlexPerSecond   money.Amount   `yaml:"flex_per_second" doc:"per GPU-second while scaling from zero"`
	ActivePerSecond money.Amount   `yaml:"active_per_second" doc:"per GPU-second for always-on workers"`
	ColdStartS      *float64       `yaml:"cold_start_s"`
	MinBillingMS    *float64       `yaml:"min_billing_ms"`
	MinCharge       money.Amount   `yaml:"min_charge"`
	Currency        money.Currency `yaml:"currency"`
	Source          string         `yaml:"source"`
	Ref             string         `yaml:"ref"`
	AsOf            Date           `yaml:"as_of"`
	Confidence      Confidence     `yaml:"confidence"`
	Note            string         `yaml:"note"`
}

type wireToken struct {
	Provider     string       `yaml:"provider,required"`
	ProviderName string       `yaml:"provider_name"`
	Model        string       `yaml:"model,required"`
	ModelID      string       `yaml:"model_id"`
	Input        money.Amount `yaml:"input" doc:"per million tokens, like the others"`
	Output       money.Amount `yaml:"output"`
	Cached       money.Amount `yaml:"cached"`
	Context      int          `yaml:"context"`
	Kind         string       `yaml:"kind"`
	Source       string       `yaml:"source"`
	Ref          string       `yaml:"ref"`
	AsOf         Date         `yaml:"as_of"`
	Confidence   Confidence   `yaml:"confidence"`
	Note         string       `yaml:"note"`
}

type wireOwnershipCost struct {
	At         At
	Item       string         `yaml:"item,required"`
	Low        Decimal        `yaml:"low"`
	High       Decimal        `yaml:"high"`
	Unit       string         `yaml:"unit"`
	Currency   money.Currency `yaml:"currency"`
	Source     string         `yaml:"source"`
	Ref        string         `yaml:"ref"`
	AsOf       Date           `yaml:"as_of"`
	Confidence Confidence     `yaml:"confidence"`
	Note       string         `yaml:"note"`
}

type wireInterruption struct {
	Provider    string     `yaml:"provider"`
	GPU         string     `yaml:"gpu"`
	Metric      string     `yaml:"metric,required"`
	Low         *float64   `yaml:"low"`
	High        *float64   `yaml:"high"`
	Unit        string     `yaml:"unit"`
	NoticeS     *int       `yaml:"notice_s"`
	ProtectionS *int       `yaml:"protection_s"`
	Source      string     `yaml:"source"`
	Ref         string     `yaml:"ref"`
	AsOf        Date       `yaml:"as_of"`
	Confidence  Confidence `yaml:"confidence"`
	Note        string     `yaml:"note"`
}

type wireOverrideAt struct {
	At           At
	wireOverride `yaml:",inline"`
}

type wireOverride struct {
	ID         string       `yaml:"id,required"`
	Provider   string       `yaml:"match.provider"`
	GPU        string       `yaml:"match.gpu"`
	Region     string       `yaml:"match.region"`
	Instance   string       `yaml:"match.instance"`
	Tier       string       `yaml:"match.tier"`
	Source     string       `yaml:"match.source"`
	Purchase   Purchase     `yaml:"match.purchase"`
	TermMonths int          `yaml:"match.term_months"`
	Amount     money.Amount `yaml:"amount" doc:"instead of the price; with per and currency"`
	Per        unit.Per     `yaml:"per"`
	Percent    string       `yaml:"percent" doc:"a signed percentage such as +8 or -12.5, instead of amount"`
	ValidFrom  Date         `yaml:"valid_from"`
	ValidUntil Date         `yaml:"valid_until"`
	Reason     string       `yaml:"reason"`
	Pos        Pos
}
