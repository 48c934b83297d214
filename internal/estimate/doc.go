// Package estimate says what a workload needs: the memory per GPU and what
// makes it up, the time a token takes, the tokens per second with a band, and
// the smallest layout that works. It is pure: no clock, no files, no network.
//
// # Use
//
//	est := estimate.New(cal)                  // cal: the shipped calibration
//	run := est.Train(&estimate.Train{Model: m, GPU: g, GPUs: 8, Method: estimate.LoRA})
//	run, ok := est.PlanTrain(&estimate.Train{...}, 64)   // smallest feasible GPU count and layout
//	rep := est.Serve(&estimate.Serve{Model: m, GPU: g, GPUs: 4, InputTokens: 1000, OutputTokens: 300, Concurrency: 32})
//	svc := est.PlanServe(&estimate.Serve{...}, estimate.Demand{...})  // replicas from peak demand and latency targets
//
// A zero field of a configuration means "choose sensibly"; what was chosen is
// listed by the Assumptions method and never silently.
//
// # How a number is made
//
// time = sum over physical terms (FLOP / achievable FLOP/s, bytes / bandwidth,
// fixed cost per layer, communication) x fitted factor of each term x fitted
// factor of the configuration. Every factor is close to 1, bounded, shrunk
// toward physics where little was measured, and listed by Explain. The terms
// and their sources stand in docs/methodology.md; package calibrate fits them.
//
// # Laws
//
// More bandwidth or FLOP/s is never slower; a longer context is never faster;
// more concurrency is never faster for a single request; a slower network is
// never faster. Fitted factors depend on names (GPU, architecture, engine,
// layout), never on the quantities these laws speak about, except where the
// coefficient is bounded to keep the law.
package estimate
