package spot

import (
	"fmt"
	"math"
)

// Job is one piece of work on interruptible capacity. All times are hours. The
// zero Wait, Restart and Rate are meant: no wait, no restart time, never
// interrupted.
type Job struct {
	WorkHours        float64 // W, useful work without any overhead
	IntervalHours    float64 // tau, work between checkpoints; >= W or 0 with NoCheckpoints means none
	CheckpointHours  float64 // C, time one save blocks
	RestartHours     float64 // R, billed start-up after an interruption
	WaitHours        float64 // D, unbilled wait for capacity after an interruption
	Rate             Rate
	NoCheckpoints    bool    // start over after every interruption
	ChargeFirstStart bool    // the first start-up is billed (and exposed) as well
	FinalCheckpoint  bool    // a checkpoint is also written after the last piece
	SaveOnNotice     bool    // the notice is long enough to save everything: no work is lost, no periodic checkpoints
	FreeFirstHours   float64 // an instance interrupted this soon after its start is not billed (AWS: 1)
}

// check refuses quantities outside their domain, naming the first.
func (j Job) check() error {
	for _, q := range []struct {
		name  string
		value float64
	}{
		{"work", j.WorkHours},
		{"checkpoint interval", j.IntervalHours},
		{"checkpoint time", j.CheckpointHours},
		{"restart time", j.RestartHours},
		{"wait", j.WaitHours},
		{"interruption rate", j.Rate.PerHour},
		{"free first hours", j.FreeFirstHours},
	} {
		if !(q.value >= 0) || math.IsInf(q.value, 1) {
			return fmt.Errorf("%s %g must be a finite number of at least 0", q.name, q.value)
		}
	}
	if !j.NoCheckpoints && !j.SaveOnNotice && j.IntervalHours == 0 && j.WorkHours > 0 && j.CheckpointHours > 0 {
		return fmt.Errorf("checkpoint interval 0 with a checkpoint of %g h never gets any work done", j.CheckpointHours)
	}
	return nil
}

// pieces cuts the job: count-1 stretches of the given length (tau + C) and a
// last one. A count that is not exactly whole for rounding alone is taken whole.
// count 0 means endlessly fine pieces (interval 0, free checkpoints).
func (j Job) pieces() (count, stretch, last float64) {
	switch {
	case j.NoCheckpoints || j.IntervalHours >= j.WorkHours:
		count, last = 1, j.WorkHours
	case j.IntervalHours == 0:
		return 0, 0, 0
	default:
		count = math.Max(1, math.Ceil(j.WorkHours/j.IntervalHours-1e-9))
		last = math.Max(0, j.WorkHours-(count-1)*j.IntervalHours)
	}
	if j.FinalCheckpoint && j.WorkHours > 0 {
		last += j.CheckpointHours
	}
	return count, j.IntervalHours + j.CheckpointHours, last
}
