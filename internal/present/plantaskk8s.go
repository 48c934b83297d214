package present

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gpucost/gpucost/internal/estimate"
)

// kubernetes is a Job that Kueue admits as a whole: one pod a machine. Pods that
// lose their machine do not count as failures. Several find each other by the
// name of the first, through a service without an address of its own.
func (t Task) kubernetes() ([]object, []string, error) {
	x := t.Plan.Chosen
	if _, ok := deviceNames[t.GPU.Vendor]; !ok {
		return nil, nil, fmt.Errorf("no device plug-in is known for %s of %s", t.GPU.Name, orText(t.GPU.Vendor, "an unnamed maker"))
	}
	limit := int64(wholeSeconds(t.limitHours()))
	labels := object{
		{"kueue.x-k8s.io/queue-name", orText(t.Queue, "user-queue")},
		{"kueue.x-k8s.io/max-exec-time-seconds", strconv.FormatInt(min(limit, math.MaxInt32), 10)},
	}
	job := object{
		{"apiVersion", "batch/v1"},
		{"kind", "Job"},
		{"metadata", object{{"name", t.name()}, {"labels", labels}}},
		{"spec", object{
			{"suspend", true},
			{"completionMode", "Indexed"},
			{"completions", x.Instances},
			{"parallelism", x.Instances},
			{"backoffLimitPerIndex", t.failures()},
			{"maxFailedIndexes", 0},
			{"activeDeadlineSeconds", limit},
			{"podFailurePolicy", object{{"rules", []object{{{"action", "Ignore"}, {"onPodConditions", []object{{{"type", "DisruptionTarget"}, {"status", "True"}}}}}}}}},
			{"template", object{{"spec", t.pod()}}},
		}},
	}
	notes := []string{
		t.Lang.T("task.keep", t.Lang.T("task.keep.k8s")), t.Lang.T("task.type.k8s", perNode(x), x.GPUName), t.Lang.T("task.launch", "kubectl create -f task.yaml"),
	}
	if x.Instances == 1 {
		return []object{job}, notes, nil
	}
	service := object{
		{"apiVersion", "v1"},
		{"kind", "Service"},
		{"metadata", object{{"name", t.name()}}},
		{"spec", object{{"clusterIP", "None"}, {"publishNotReadyAddresses", true}, {"selector", object{{"batch.kubernetes.io/job-name", t.name()}}}}},
	}
	return []object{service, job}, notes, nil
}

// failures is how often a machine's program may fail: three times of its own
// doing and, where the loss of one machine ends the program on all others, as
// often as machines are taken away within the time.
func (t Task) failures() int64 {
	x := t.Plan.Chosen
	if x.Instances == 1 {
		return ownFailures
	}
	perHour, _ := strconv.ParseFloat(x.Value("interruptions_per_hour"), 64)
	return ownFailures + int64(math.Ceil(min(perHour*t.limitHours(), maxInterruptions)))
}

const (
	ownFailures      = 3
	maxInterruptions = 10000
)

// pod is a machine's share of the work. Its shared memory is that of the
// machine: 64 MB, as containers have, are too few for GPUs that talk.
func (t Task) pod() object {
	x := t.Plan.Chosen
	device := deviceNames[t.GPU.Vendor]
	count := object{{device, fmt.Sprint(perNode(x))}}
	p := object{{"restartPolicy", "Never"}, {"terminationGracePeriodSeconds", urgentSeconds(x)}}
	if x.Instances > 1 {
		p = append(p, pair{"subdomain", t.name()})
	}
	return append(p,
		pair{"tolerations", []object{{{"key", device}, {"operator", "Exists"}, {"effect", "NoSchedule"}}}},
		pair{"containers", []object{{
			{"name", "train"},
			{"image", t.Image},
			{"command", []string{"/bin/sh", "-c", direct(t.Run)}},
			{"env", t.podEnvironment(x)},
			{"resources", object{{"requests", count}, {"limits", count}}},
			{"volumeMounts", []object{{{"name", "shared-memory"}, {"mountPath", "/dev/shm"}}}},
		}}},
		pair{"volumes", []object{{{"name", "shared-memory"}, {"emptyDir", object{{"medium", "Memory"}}}}}})
}

func (t Task) podEnvironment(x *estimate.Estimate) []object {
	env := []object{}
	for _, e := range t.environment() {
		env = append(env, object{{"name", e.key}, {"value", e.value}})
	}
	if x.Instances < 2 {
		return env
	}
	index := object{{"fieldRef", object{{"fieldPath", "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}}
	return append(env,
		object{{"name", "MASTER_ADDR"}, {"value", t.name() + "-0." + t.name()}},
		object{{"name", "NODE_RANK"}, {"valueFrom", index}},
		object{{"name", "NNODES"}, {"value", fmt.Sprint(x.Instances)}})
}

// deviceNames are the resources under which Kubernetes counts the GPUs of a
// maker.
var deviceNames = map[string]string{
	"NVIDIA": "nvidia.com/gpu", "AMD": "amd.com/gpu", "Intel": "habana.ai/gaudi", "Google": "google.com/tpu", "AWS": "aws.amazon.com/neuron", "Huawei": "huawei.com/Ascend910",
	"Cambricon": "cambricon.com/mlu",
}
