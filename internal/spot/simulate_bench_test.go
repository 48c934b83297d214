package spot

import "testing"

// BenchmarkSimulate72h is the promise of 10,000 runs of a 72 h job in 100 ms on
// one core, with allocations that do not grow with the number of events.
func BenchmarkSimulate72h(b *testing.B) {
	for _, c := range []struct {
		name string
		rate float64
	}{{"0.05_per_h", 0.05}, {"0.36_per_h", 0.356675}, {"1_per_h", 1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			j := Job{WorkHours: 72, IntervalHours: 1.5, CheckpointHours: 0.1, RestartHours: 0.15, WaitHours: 1, Rate: Rate{c.rate}}
			for b.Loop() {
				if _, err := Simulate(j, Simulation{Runs: 10_000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
