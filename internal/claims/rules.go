package claims

// rule is one way of recomputing a claim.
type rule struct {
	run   func(*run) error
	words int // that the claim must name
}

// rules are the ways claims are recomputed, by the name that the file uses.
var rules = map[string]rule{
	"price":      {rulePrice, 0},
	"term":       {ruleTerm, 0},
	"floor":      {ruleFloor, 0},
	"either":     {ruleEither, 0},
	"month":      {ruleMonth, 0},
	"consistent": {ruleConsistent, 0},
	"trend":      {ruleTrend, 0},
	"tables":     {ruleTables, 0},
	"ratio":      {ruleRatio, 0},
	"supply":     {ruleSupply, 0},
	"network":    {ruleNetwork, 2},
	"offered":    {ruleOffered, 0},
	"remarks":    {ruleRemarks, 0},
	"dearest":    {ruleDearest, 0},
	"variety":    {ruleVariety, 0},
	"vendor":     {ruleVendor, 1},
	"abroad":     {ruleAbroad, 0},
	"interval":   {ruleInterval, 0},
	"pool":       {rulePool, 0},
	"mixed":      {ruleMixed, 0},
	"reclaim":    {ruleReclaim, 0},
	"restart":    {ruleRestart, 2},
	"job_length": {ruleJobLength, 0},
	"off_peak":   {ruleOffPeak, 0},
	"cold_start": {ruleColdStart, 1},
	"serverless": {ruleServerless, 1},
	"budget":     {ruleBudget, 0},
	"tokens":     {ruleTokens, 2},
	"cluster":    {ruleCluster, 0},
	"value":      {ruleValue, 1},
	"commitment": {ruleCommitment, 0},
	"capital":    {ruleCapital, 0},
	"power":      {rulePower, 3},
	"own":        {ruleOwn, 0},
	"smaller":    {ruleSmaller, 2},
	"fp8":        {ruleFP8, 0},
	"distil":     {ruleDistil, 2},
	"sheet":      {ruleSheet, 0},
	"sparse":     {ruleSparse, 1},
	"serve_fits": {ruleServeFits, 0},
	"full_fits":  {ruleFullFits, 0},
	"lora_fits":  {ruleLoRAFits, 0},
	"stream":     {ruleStream, 1},
	"download":   {ruleDownload, 1},
	"fabric":     {ruleFabric, 0},
}
