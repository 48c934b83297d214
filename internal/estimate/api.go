package estimate

import "github.com/gpucost/gpucost/internal/catalog"

// Method is what a training run does to the weights.
type Method string

// The training methods.
const (
	Pretrain Method = "pretrain"
	Full     Method = "full" // full fine-tuning
	LoRA     Method = "lora"
	QLoRA    Method = "qlora"
)

// Precision is the number format of the matrix products (training) or of the
// weights (serving).
type Precision string

// The number formats.
const (
	FP32 Precision = "fp32"
	BF16 Precision = "bf16"
	FP16 Precision = "fp16"
	FP8  Precision = "fp8"
	FP4  Precision = "fp4" // NVFP4 or MXFP4
	INT8 Precision = "int8"
	INT4 Precision = "int4" // GPTQ, AWQ, NF4: weights only
	Q4   Precision = "q4"   // llama.cpp Q4_K_M: weights only
)

// Recompute is how much of the forward pass is repeated to save memory.
type Recompute string

// The recomputation levels; Auto takes the cheapest that fits.
const (
	RecomputeAuto      Recompute = ""
	RecomputeNone      Recompute = "none"
	RecomputeSelective Recompute = "selective"
	RecomputeFull      Recompute = "full"
)

// Sharding is what is divided over the data-parallel GPUs.
type Sharding string

// The sharding levels (ZeRO stages 0 to 3; FSDP is stage 3).
const (
	ShardAuto  Sharding = ""
	ShardNone  Sharding = "none"
	ShardZeRO1 Sharding = "zero1"
	ShardZeRO2 Sharding = "zero2"
	ShardZeRO3 Sharding = "zero3"
)

// Optimizer is the optimiser and where its states are.
type Optimizer string

// The optimisers; empty means AdamW with fp32 states.
const (
	AdamW     Optimizer = "adamw"     // fp32 master weights and two fp32 moments: 12 bytes per parameter
	AdamW8bit Optimizer = "adamw8bit" // 2 bytes of moments and 4 of master weights per parameter
	AdamWPure Optimizer = "adamw-bf16"
	SGD       Optimizer = "sgd"
	Paged     Optimizer = "paged" // states in host memory, gradients used as they appear
)

// NetworkClass is how machines are connected.
type NetworkClass string

// The network classes, with the bandwidth per GPU and direction assumed when
// none is stated (see [NetworkGBs]).
const (
	NetAuto       NetworkClass = ""
	NetNVLink     NetworkClass = "nvlink" // inside one machine or rack domain
	NetInfiniBand NetworkClass = "ib"
	NetEFA        NetworkClass = "efa"
	NetRoCE       NetworkClass = "roce"
	NetEthernet   NetworkClass = "ethernet" // plain TCP
)

// Network is what connects the machines.
type Network struct {
	Class     NetworkClass
	GBsPerGPU float64 // GB/s per GPU and direction; 0: what the class usually has
}

// Layout is how a model is divided. Zero means chosen.
type Layout struct {
	TP, PP, DP, EP, CP int
	Virtual            int  // interleaved stages per GPU (Narayanan 2021)
	AttentionDP        bool // attention replicated per GPU, experts divided (DEP)
	LayerSplit         bool // layers on different cards, one after the other (llama.cpp)
}

// Train is one training configuration.
type Train struct {
	Model     *catalog.Model
	GPU       *catalog.GPU
	GPUs      int // all of them
	PerNode   int // GPUs of one machine; 0: 8 (4 or 72 where the GPU says so)
	Method    Method
	Precision Precision // zero: the model's usual on this GPU (bf16)
	Sequence  float64   // tokens per sequence
	MicroBatch,
	GlobalBatch float64 // sequences per GPU and pass; sequences per optimiser step
	Layout    Layout
	Sharding  Sharding
	Recompute Recompute
	Optimizer Optimizer
	Offload   bool    // optimiser states (and gradients) in host memory
	OneQuant  bool    // QLoRA without quantised scales
	LoRARank  float64 // zero: 16, 64 for QLoRA (its paper)
	Network   Network
	Stack     string  // software: megatron, fsdp, deepspeed, torchtitan, maxtext, torchtune ...; empty: a typical user's
	Recipe    string  // scaling of FP8 and FP4: "" per tensor, mx (blocks), row
	Year      float64 // 2025.5; 0: undated
	Explain   bool    // fill Factors
}

// Mode is how requests arrive.
type Mode string

// The modes of serving.
const (
	Online       Mode = "online"      // closed loop at a stated concurrency
	Offline      Mode = "offline"     // MLPerf offline: a data set, all at once
	Saturated    Mode = "saturated"   // fixed lengths, as many requests as memory holds
	Server       Mode = "server"      // MLPerf server: Poisson arrivals at loose targets
	Interactive  Mode = "interactive" // MLPerf interactive: tight targets
	SingleStream Mode = "single"
	PrefillOnly  Mode = "prefill"
	DecodeOnly   Mode = "decode"
)

// Serve is one replica of a model and its load.
type Serve struct {
	Model        *catalog.Model
	GPU          *catalog.GPU
	GPUs         int // of one replica, prefill and decode together
	Precision    Precision
	KVPrecision  Precision // zero: fp8 where weights are fp8 or fp4 on a GPU that has it, else bf16
	Engine       string    // vllm, sglang, trtllm, tensorrt, transformers, llama.cpp ...
	Year         float64   // of the software; 0: undated
	InputTokens  float64
	OutputTokens float64
	Concurrency  float64 // requests in flight per replica; 0: as many as memory allows
	Layout       Layout
	Mode         Mode
	CacheHit     float64 // share of input tokens found in the prefix cache, 0 to 1
	DraftTokens  float64 // tokens per decode step with speculative decoding; 0 or 1: none
	PrefillGPUs  int     // disaggregated: GPUs that only prefill; 0: not disaggregated
	DecodeGPUs   int     // disaggregated: GPUs that only decode
	DecodeTP     int     // disaggregated: GPUs of one decode worker
	Explain      bool
}

// Band is a value with its nominal 80 % interval.
type Band struct{ Low, Mid, High float64 }

// Class says how much was measured near a configuration; it sets the band.
type Class string

// The classes, from best to least known.
const (
	ClassSeen   Class = "seen"   // the same model on the same GPU with the same method was measured
	ClassPair   Class = "pair"   // model and GPU were both measured, not together
	ClassHalf   Class = "half"   // the model or the GPU was never measured
	ClassFamily Class = "family" // no GPU of this family was ever measured: physics only
)

// Factor is one term or multiplier of an estimate, for --explain.
type Factor struct {
	Name   string
	Value  float64
	Unit   string
	Origin string // spec, formula, calibrated, input, default
	Source string // sheet, paper or calibration file
}

// Assumption is a value nobody stated.
type Assumption struct {
	Name, Value, Unit string
	Origin            string // flag, scenario, default, calibrated, catalog
	Source            string
}

// Parts is what fills the memory of one GPU, in GB.
type Parts struct {
	Weights, Gradients, Optimizer  float64
	Activations, Logits            float64
	KVCache, Adapter, Temp, System float64
}

// Memory is whether and why a configuration fits.
type Memory struct {
	NeededGB, AvailableGB float64 // per GPU
	Parts                 Parts
	HostGB                float64 // host memory for offloaded states, all GPUs together
	Fits                  bool
	Why                   string   // empty when it fits
	Remedies              []string // what would make it fit, cheapest first
}

// TrainResult is the answer to a [Train].
type TrainResult struct {
	Config             Train // with every choice filled in
	Memory             Memory
	TokensPerSecondGPU Band   // per GPU; images per second for image models
	Unit               string // token or image
	MFU                float64
	Class              Class
	Basis              string // one line: what the number rests on
	Goodput            float64
	Factors            []Factor
	Nearest            []string // ids of the nearest measured rows
}

// ServeResult is the answer to a [Serve].
type ServeResult struct {
	Config             Serve
	Memory             Memory
	Batch              float64 // sequences decoding at once
	BatchLimit         float64 // sequences that memory allows
	TokensPerSecondGPU Band    // output tokens per second and GPU of the replica
	TPOTms, TTFTms     Band
	SingleStream       float64 // output tokens per second of a request alone on the replica
	Unit               string  // token, image or sample
	Class              Class
	Basis              string
	Factors            []Factor
	Nearest            []string
}

// Demand is what a service must carry.
type Demand struct {
	RequestsPerSecond float64 // mean over the hours the service runs
	PeakFactor        float64 // peak over mean; 0: 1
	Utilisation       float64 // target share of a replica's capacity at peak; 0: 0.8
	MaxTTFTms         float64 // 0: no target
	MaxTPOTms         float64
}

// ServePlan is a service that carries a demand.
type ServePlan struct {
	Replica           ServeResult // one replica at the concurrency that meets the targets
	Replicas          int
	GPUs              int     // Replicas x Replica.Config.GPUs
	RequestsPerSecond float64 // capacity of one replica at that concurrency
	Busy              float64 // share of the capacity used at the mean demand
	Feasible          bool
	Why               string
}
