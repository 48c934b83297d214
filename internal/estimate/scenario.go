package estimate

import (
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// Kind is what a scenario asks for.
type Kind string

// The kinds of scenarios.
const (
	KindTrain Kind = "train" // pre-training, fine-tuning
	KindServe Kind = "serve" // answering requests as they come
	KindBatch Kind = "batch" // working through a set of requests
	KindRent  Kind = "rent"  // holding GPUs for some time
)

// Kinds lists the kinds in the order shown to people.
func Kinds() []Kind { return []Kind{KindTrain, KindServe, KindBatch, KindRent} }

// Scenario describes a workload: what is to be done, how much of it, and what
// is known about where. It is read from strict YAML (see [ReadScenario]); a
// key that is not written has a default, and [Scenario.Origin] says which of
// the two a value is.
type Scenario struct {
	At            catalog.At
	Schema        int    `yaml:"schema,required" min:"1" max:"1" doc:"version of this format: 1"`
	ID            string `yaml:"id" doc:"short name, used on the command line"`
	Name          string `yaml:"name" doc:"title in English"`
	NameZH        string `yaml:"name_zh" doc:"title in Chinese"`
	Description   string `yaml:"description" doc:"what is done, and why this much of it"`
	DescriptionZH string `yaml:"description_zh" doc:"the same in Chinese"`
	Kind          Kind   `yaml:"kind" oneof:"train serve batch rent" doc:"train, serve, batch or rent"`
	Extends       string `yaml:"extends" doc:"built-in scenario whose values hold where this file states none"`
	Model         string `yaml:"model" doc:"id or alias of a model of the catalog"`
	ModelConfig   string `yaml:"model_config" doc:"Hugging Face config.json of the model, beside this file"`
	Deadline      Hours  `yaml:"deadline" doc:"a run must take no longer: 48h, 3d"`
	DataIn        string `yaml:"data_in" oneof:"cn" doc:"cn: the data are in mainland China; sellers abroad get a note"`

	ModelSize *ModelSize  `yaml:"model_size" doc:"a model by its numbers"`
	Train     *TrainWork  `yaml:"train"`
	Serve     *ServeWork  `yaml:"serve"`
	Batch     *BatchWork  `yaml:"batch"`
	Rent      *RentWork   `yaml:"rent"`
	Hardware  *Hardware   `yaml:"hardware"`
	Storage   *Storage    `yaml:"storage"`
	Startup   *Startup    `yaml:"startup"`
	Offer     *OwnOffer   `yaml:"offer" doc:"a price of one's own; nothing else is compared"`
	Offers    []OwnOffer  `yaml:"offers" doc:"several prices of one's own, ranked"`
	Other     []OtherCost `yaml:"other" doc:"costs beside compute and storage"`
	FX        []OwnRate   `yaml:"fx" doc:"exchange rates of one's own"`

	origins map[string]Origin
	model   *catalog.Model // of model_config or model_size
	text    []byte         // the file, for people who want to change it
}

// ModelSize is a model of which only numbers are known.
type ModelSize struct {
	At       catalog.At
	Params   Number `yaml:"params" doc:"all parameters: 13B"`
	Active   Number `yaml:"active" doc:"parameters a token passes through, of a mixture of experts"`
	Layers   int    `yaml:"layers" min:"1" max:"1000"`
	Hidden   int    `yaml:"hidden" min:"1" max:"1000000"`
	Heads    int    `yaml:"heads" min:"1" max:"10000"`
	KVHeads  int    `yaml:"kv_heads" min:"1" max:"10000"`
	Vocab    int    `yaml:"vocab" min:"1" max:"10000000"`
	Experts  int    `yaml:"experts" min:"1" max:"10000"`
	PerToken int    `yaml:"experts_per_token" min:"1" max:"1000"`
}

// TrainWork is a training run and how often it is made. The work is tokens, or
// samples of a sequence length, or hours that are known already.
type TrainWork struct {
	At            catalog.At
	Method        string `yaml:"method" oneof:"pretrain full lora qlora"`
	Tokens        Number `yaml:"tokens" doc:"of one epoch: 100M"`
	Samples       Number `yaml:"samples" doc:"of one epoch, each of sequence tokens; images of an image model"`
	Epochs        Number `yaml:"epochs" doc:"default 1"`
	RunsPerMonth  Number `yaml:"runs_per_month" doc:"default 1"`
	Hours         Hours  `yaml:"hours" doc:"wall clock of a run, when it is known"`
	GPUHours      Number `yaml:"gpu_hours" doc:"of a run, when they are known"`
	Sequence      Number `yaml:"sequence" doc:"tokens of a sequence; default 4096"`
	MicroBatch    Number `yaml:"micro_batch" doc:"sequences per GPU and pass"`
	GlobalBatch   Number `yaml:"global_batch" doc:"sequences per optimiser step"`
	Precision     string `yaml:"precision" oneof:"fp32 bf16 fp16 fp8 fp4 int8"`
	Optimizer     string `yaml:"optimizer" oneof:"adamw adamw8bit adamw-bf16 sgd paged"`
	Recompute     string `yaml:"recompute" oneof:"none selective full"`
	Sharding      string `yaml:"sharding" oneof:"none zero1 zero2 zero3"`
	Offload       bool   `yaml:"offload" doc:"optimiser states in host memory"`
	LoRARank      Number `yaml:"lora_rank"`
	Goodput       Share  `yaml:"goodput" doc:"share of the time that makes progress; default from the number of GPUs"`
	Stack         string `yaml:"stack" doc:"software: megatron, fsdp, deepspeed, torchtitan, maxtext, torchtune"`
	TokensPerGPUS Number `yaml:"tokens_per_second_per_gpu" doc:"measured by yourself: replaces the estimate"`
}

// ServeWork is a service and its demand.
type ServeWork struct {
	At             catalog.At
	RequestsPerDay Number  `yaml:"requests_per_day"`
	RequestsPerS   Number  `yaml:"requests_per_second" doc:"mean over the hours of service"`
	TokensPerMonth Number  `yaml:"tokens_per_month" doc:"output tokens, instead of requests"`
	InputTokens    Number  `yaml:"input_tokens" doc:"of a request; default 1024"`
	OutputTokens   Number  `yaml:"output_tokens" doc:"of an answer; default 256"`
	PeakFactor     Number  `yaml:"peak_factor" doc:"peak over mean demand; default 2"`
	TTFT           Number  `yaml:"ttft_ms" doc:"time to the first token, at most; default 2000"`
	TPOT           Number  `yaml:"tpot_ms" doc:"time per output token, at most; default 100"`
	CacheHit       Share   `yaml:"cache_hit" doc:"share of input tokens found in the prefix cache"`
	HoursPerDay    Number  `yaml:"hours_per_day" doc:"default 24"`
	DaysPerMonth   Number  `yaml:"days_per_month" doc:"default the whole month"`
	Precision      string  `yaml:"precision" oneof:"bf16 fp16 fp8 fp4 int8 int4 q4"`
	Engine         string  `yaml:"engine" doc:"vllm, sglang, trtllm ...; default vllm"`
	Utilisation    Share   `yaml:"utilisation" doc:"share of a replica's capacity used at peak; default 80%"`
	MinReplicas    Number  `yaml:"min_replicas" doc:"default 1"`
	Growth         Percent `yaml:"growth_percent_per_month" doc:"of the demand"`
	GPUSeconds     Number  `yaml:"gpu_seconds_per_request" doc:"when it is known: replaces the estimate"`
	EgressBytes    Bytes   `yaml:"egress_bytes_per_request" doc:"sent to the internet: 2kB"`
}

// BatchWork is a set of requests worked through at once.
type BatchWork struct {
	At           catalog.At
	Requests     Number `yaml:"requests" doc:"of one run; images of an image model"`
	Tokens       Number `yaml:"tokens" doc:"output tokens of one run, instead of requests"`
	AudioHours   Number `yaml:"audio_hours" doc:"of speech to transcribe, in windows of 30 seconds"`
	InputTokens  Number `yaml:"input_tokens" doc:"of a request; default 1024"`
	OutputTokens Number `yaml:"output_tokens" doc:"of an answer; default 256"`
	CacheHit     Share  `yaml:"cache_hit"`
	Precision    string `yaml:"precision" oneof:"bf16 fp16 fp8 fp4 int8 int4 q4"`
	Engine       string `yaml:"engine" doc:"vllm, sglang, trtllm ...; default vllm"`
	RunsPerMonth Number `yaml:"runs_per_month" doc:"default 1"`
	GPUHours     Number `yaml:"gpu_hours" doc:"of a run, when they are known"`
}

// RentWork is time for which GPUs are held.
type RentWork struct {
	At           catalog.At
	Hours        Hours     `yaml:"hours" doc:"in all"`
	GPUHours     Number    `yaml:"gpu_hours" doc:"in all, instead of hours"`
	Months       Number    `yaml:"months"`
	Years        Number    `yaml:"years"`
	HoursPerDay  Number    `yaml:"hours_per_day" doc:"with days_per_month: a month of sessions"`
	DaysPerMonth Number    `yaml:"days_per_month"`
	Utilisation  Share     `yaml:"utilisation" doc:"share of the time in which the GPUs do something useful"`
	Segments     []Segment `yaml:"segments" doc:"stretches at prices of their own"`
}

// Segment is a stretch of time at a price of its own.
type Segment struct {
	At       catalog.At
	Name     string          `yaml:"name,required"`
	Hours    Hours           `yaml:"hours" doc:"2h, 527s"`
	GPUs     int             `yaml:"gpus" min:"0" max:"100000" doc:"0: no GPU; default 1"`
	Amount   catalog.Decimal `yaml:"amount,required"`
	Per      unit.Per        `yaml:"per,required"`
	Currency money.Currency  `yaml:"currency,required"`
}

// Hardware narrows where the work may run.
type Hardware struct {
	At          catalog.At
	GPU         string `yaml:"gpu" doc:"any name people type, several with commas"`
	GPUs        int    `yaml:"gpus" min:"1" max:"1000000" doc:"in all; default the smallest number that works"`
	Machines    int    `yaml:"machines" min:"1" max:"100000"`
	MinMemoryGB GB     `yaml:"min_memory_gb" doc:"of one GPU"`
}

// Storage is what is kept and moved.
type Storage struct {
	At           catalog.At
	DatasetGB    GB     `yaml:"dataset_gb" doc:"kept all month in object storage"`
	CheckpointGB GB     `yaml:"checkpoint_gb" doc:"all kept checkpoints together"`
	DiskGB       GB     `yaml:"disk_gb" doc:"of the machine, paid while it runs"`
	VolumeGB     GB     `yaml:"volume_gb" doc:"network volume, kept all month"`
	HoursStopped Hours  `yaml:"hours_stopped" doc:"for which the disk is kept while the machine is stopped"`
	EgressGB     GB     `yaml:"egress_gb" doc:"sent to the internet, per run or month"`
	Kept         Number `yaml:"checkpoints_kept" doc:"of the default size; default 2"`
}

// Startup is what passes before work begins.
type Startup struct {
	At      catalog.At
	Minutes Minutes `yaml:"minutes" doc:"boot and preparation; default 5"`
	ImageGB GB      `yaml:"image_gb" doc:"container image to pull; default 15"`
}

// OwnOffer is a price that the scenario brings along.
type OwnOffer struct {
	At           catalog.At
	Name         string          `yaml:"name" doc:"what the row is called"`
	Provider     string          `yaml:"provider"`
	Region       string          `yaml:"region"`
	GPU          string          `yaml:"gpu"`
	GPUs         unit.Count      `yaml:"gpus" doc:"of one machine; default 1"`
	Purchase     string          `yaml:"purchase" oneof:"on_demand spot reserved serverless owned" doc:"default on_demand"`
	Amount       catalog.Decimal `yaml:"amount"`
	Low          catalog.Decimal `yaml:"low"`
	High         catalog.Decimal `yaml:"high"`
	Per          unit.Per        `yaml:"per" doc:"gpu_hour, instance_hour, gpu_month, instance_month, gpu_second"`
	Currency     money.Currency  `yaml:"currency" doc:"default USD"`
	AsOf         catalog.Date    `yaml:"as_of"`
	Source       string          `yaml:"source"`
	Interconnect string          `yaml:"interconnect"`
	IncrementS   int             `yaml:"increment_s" min:"0" max:"2678400" doc:"time is rounded up to this many seconds"`
	MinimumS     int             `yaml:"minimum_s" min:"0" max:"2678400"`
	BlockHours   Number          `yaml:"block_hours" doc:"sold in whole prepaid blocks of so many hours"`
	TokensPerS   Number          `yaml:"tokens_per_second" doc:"measured output of one machine: replaces the estimate"`

	DiskRunning catalog.Decimal `yaml:"disk_running" doc:"per GB and month while running"`
	DiskStopped catalog.Decimal `yaml:"disk_stopped" doc:"per GB and month while stopped"`
	Object      catalog.Decimal `yaml:"object_storage" doc:"per GB and month"`
	Volume      catalog.Decimal `yaml:"network_volume" doc:"per GB and month"`
	Egress      catalog.Decimal `yaml:"egress" doc:"per GB sent to the internet"`
	Transfer    *Transfer       `yaml:"transfer" doc:"data to bring there first"`

	ColdStartS   Number          `yaml:"cold_start_seconds" doc:"serverless: of a request that finds no worker"`
	ColdShare    Share           `yaml:"cold_start_share" doc:"serverless: share of such requests"`
	IdleTimeoutS Number          `yaml:"idle_timeout_seconds" doc:"serverless: billed after each request"`
	ProtectedH   Number          `yaml:"protected_hours" doc:"spot: billed at the price of the start, and not reclaimed"`
	BidCap       catalog.Decimal `yaml:"bid_cap" doc:"spot: reclaimed when the market is dearer"`
	Market       []MarketStep    `yaml:"market" doc:"spot: the market price over time"`
}

// Transfer is data that must be moved to an offer before it is of use.
type Transfer struct {
	At       catalog.At
	GB       GB              `yaml:"gb"`
	Amount   catalog.Decimal `yaml:"amount" doc:"per GB"`
	Currency money.Currency  `yaml:"currency"`
}

// MarketStep is a spot price from an hour of the run on, in the unit and
// currency of its offer.
type MarketStep struct {
	At       catalog.At
	FromHour Number          `yaml:"from_hour,required"`
	Amount   catalog.Decimal `yaml:"amount,required"`
}

// OtherCost is a quantity at a price: anything that is neither compute nor
// storage of an offer.
type OtherCost struct {
	At       catalog.At
	Name     string          `yaml:"name,required"`
	Quantity Number          `yaml:"quantity,required" doc:"a month, or in all"`
	Unit     string          `yaml:"unit,required" doc:"gb_month, gb, gb_second, request, hour, month ..."`
	Amount   catalog.Decimal `yaml:"amount" doc:"per unit"`
	Currency money.Currency  `yaml:"currency"`
	Region   string          `yaml:"region"`
	Prices   []OtherPrice    `yaml:"prices" doc:"published in several currencies: the one of the answer is taken, none is converted needlessly"`
}

// OtherPrice is one published price of an [OtherCost].
type OtherPrice struct {
	At       catalog.At
	Amount   catalog.Decimal `yaml:"amount,required"`
	Currency money.Currency  `yaml:"currency,required"`
}

// OwnRate is an exchange rate of the scenario.
type OwnRate struct {
	At    catalog.At
	Base  money.Currency `yaml:"base,required"`
	Quote money.Currency `yaml:"quote,required"`
	Rate  money.Quantity `yaml:"rate,required" doc:"units of quote for one of base"`
	AsOf  catalog.Date   `yaml:"as_of"`
}

// Origin is where a value of a scenario came from.
type Origin struct {
	Kind   string // flag, scenario, default, calibrated or catalog
	Source string // the file and line, the flag, or what the default rests on
}

// Origin says where the value of a key, such as train.tokens, came from.
func (s *Scenario) Origin(key string) Origin {
	if o, ok := s.origins[key]; ok {
		return o
	}
	return Origin{Kind: "default"}
}

// Stated reports whether a file or a flag states the key.
func (s *Scenario) Stated(key string) bool {
	_, ok := s.origins[key]
	return ok
}

// Text is the file that the scenario was read from, empty for flags.
func (s *Scenario) Text() []byte { return s.text }
