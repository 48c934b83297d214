package spotcheck

// inputs are all keys any family knows; a row gives those of its own family, and
// an optional key that is missing has its zero meaning.
type inputs struct {
	// units
	Probability float64 `json:"prob"`
	WindowHours float64 `json:"window_h"`

	// interval, makespan, graceful, cost, first_hour_free
	WorkHours       float64  `json:"W_h"`
	IntervalHours   *float64 `json:"tau_h"` // missing: no checkpoints
	CheckpointHours float64  `json:"C_h"`
	RestartHours    float64  `json:"R_h"`
	WaitHours       float64  `json:"D_h"`
	StretchHours    float64  `json:"L_h"`
	RatePerHour     float64  `json:"lambda_per_h"`
	FinalCheckpoint bool     `json:"final_ckpt"`
	InitialStart    bool     `json:"initial_start"`
	FreeFirstHours  float64  `json:"free_first_h"`
	MissAfterHours  float64  `json:"deadline_h"`

	// checkpoint
	BytesPerParam    float64 `json:"bytes_per_param"`
	ParamsBillion    float64 `json:"params_b"`
	NoticeSeconds    float64 `json:"notice_s"`
	WriteGBPerSecond float64 `json:"write_gb_per_s"`

	// pool
	Availability     []float64 `json:"avail"`
	Price            []float64 `json:"price"`
	OnDemandOverSpot float64   `json:"od_over_spot"`
	SpotFraction     float64   `json:"spot_fraction"`

	// deadline (and the smooth greedy rows of pool)
	DeadlineWorkHours float64 `json:"C0_h"`
	DeadlineHours     float64 `json:"R0_h"`
	ChangeoverHours   float64 `json:"changeover_h"`
	Threshold         *int    `json:"avail_threshold"`
	GapHours          float64 `json:"gap_h"`
	GapSeconds        float64 `json:"gap_seconds"`
	OnDemandPrice     float64 `json:"od_price"`
	SpotPrice         float64 `json:"spot_price"`
	Policy            string  `json:"policy"`
	Slices            int     `json:"slices"`
	TraceRuns         string  `json:"trace_rle"`
	TraceFile         string  `json:"trace_file"`
	TraceID           string  `json:"trace_id"`
	StartTick         int     `json:"start_tick"`

	// cost
	GPUs           float64 `json:"gpus"`
	OnDemandPerGPU float64 `json:"od_per_gpu_h"`
	SpotPerGPU     float64 `json:"spot_per_gpu_h"`

	// commit
	CommitPerHour     float64   `json:"commit_per_h"`
	OnDemandPerHour   float64   `json:"od_per_h"`
	TermHours         float64   `json:"term_h"`
	Upfront           float64   `json:"upfront"`
	DeclinePerYear    float64   `json:"decline_per_year"`
	TermYears         float64   `json:"term_years"`
	DemandProbability []float64 `json:"demand_probs"`
	Discount          float64   `json:"discount"`
	FeeFraction       float64   `json:"fee_fraction"`
	Monthly           float64   `json:"monthly"`
	TermMonths        float64   `json:"term_months"`
	UsedMonths        float64   `json:"used_months"`

	// serverless
	ColdStartSeconds    float64 `json:"cold_start_s"`
	IdleTimeoutSeconds  float64 `json:"idle_timeout_s"`
	RequestsPerSecond   float64 `json:"req_per_s"`
	ServiceSeconds      float64 `json:"service_s"`
	Concurrency         int     `json:"concurrency"`
	MinWorkers          int     `json:"min_workers"`
	GranularitySeconds  float64 `json:"granularity_s"`
	MinimumSeconds      float64 `json:"minimum_s"`
	DedicatedPerHour    float64 `json:"dedicated_per_h"`
	ServerlessPerSecond float64 `json:"serverless_per_s"`
	BilledSeconds       float64 `json:"billed_s"`
	RequestsPerDay      float64 `json:"requests_per_day"`
	TargetWaitSeconds   float64 `json:"target_mean_wait_s"`

	// buy
	Capex        float64 `json:"capex"`
	DaysPerMonth float64 `json:"days_per_month"`
	OpexMonth    float64 `json:"opex_month"`
	RentPerGPU   float64 `json:"rent_per_gpu_h"`
	Residual     float64 `json:"residual_frac"`
	WACC         float64 `json:"wacc"`
	Years        float64 `json:"years"`
	HoursPerDay  float64 `json:"hours_per_day"`
	Hours        float64 `json:"hours"`
	IdleKW       float64 `json:"kw_idle"`
	MaxKW        float64 `json:"kw_max"`
	PricePerKWh  float64 `json:"price_kwh"`
	PUE          float64 `json:"pue"`
	Utilisation  float64 `json:"utilisation"`
	Rate         float64 `json:"rate"`
}
