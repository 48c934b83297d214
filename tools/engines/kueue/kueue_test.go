// Package kueue holds tests only: Kueue's admission webhook reads the Jobs of
// plans.
package kueue

import (
	"bytes"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/kueue/pkg/controller/constants"
	"sigs.k8s.io/kueue/pkg/controller/jobs/job"
	"sigs.k8s.io/yaml"

	"github.com/gpucost/gpucost/tools/engines/plans"
)

func TestKueueHoldsAndTakesTheJobs(t *testing.T) {
	for options, text := range plans.Tasks(t, "k8s") {
		for _, doc := range plans.Documents(text) {
			if !bytes.Contains(doc, []byte("kind: Job\n")) {
				continue
			}
			var j batchv1.Job
			if err := yaml.UnmarshalStrict(doc, &j); err != nil {
				t.Fatalf("%s: %v", options, err)
			}
			if _, err := (&job.JobWebhook{}).ValidateCreate(t.Context(), &j); err != nil {
				t.Errorf("%s: %v", options, err)
			}
			if j.Labels[constants.QueueLabel] == "" || j.Spec.Suspend == nil || !*j.Spec.Suspend {
				t.Errorf("%s: Kueue does not hold the Job back: %v", options, j.Labels)
			}
			if sets, err := (*job.Job)(&j).PodSets(t.Context()); err != nil || len(sets) != 1 || sets[0].Count != *j.Spec.Parallelism {
				t.Errorf("%s: machines to admit: %v, %v", options, sets, err)
			}
		}
	}
}

// The webhook is the real one: it refuses what Kueue cannot take.
func TestKueueRefuses(t *testing.T) {
	for _, labels := range []map[string]string{
		{constants.QueueLabel: "no queue"},
		{constants.QueueLabel: "q", constants.MaxExecTimeSecondsLabel: "0"},
		{constants.QueueLabel: "q", constants.MaxExecTimeSecondsLabel: "2h"},
	} {
		var j batchv1.Job
		j.Labels, j.Spec.Parallelism = labels, new(int32)
		if _, err := (&job.JobWebhook{}).ValidateCreate(t.Context(), &j); err == nil {
			t.Errorf("%v is taken", labels)
		}
	}
}
