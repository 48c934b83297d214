package present

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
)

// skyClouds and dstackBackends are what the engines call sellers.
var (
	skyClouds = map[string]string{
		"aws": "aws", "azure": "azure", "gcp": "gcp", "ibm": "ibm", "lambda": "lambda", "oci": "oci", "runpod": "runpod", "vast": "vast", "fluidstack": "fluidstack",
		"paperspace": "paperspace", "digitalocean": "do", "nebius": "nebius",
	}
	dstackBackends = map[string]string{
		"aws": "aws", "azure": "azure", "gcp": "gcp", "lambda": "lambda", "oci": "oci", "runpod": "runpod", "vast": "vastai", "nebius": "nebius", "tensordock": "tensordock",
		"verda": "verda", "vultr": "vultr", "crusoe": "crusoe", "digitalocean": "digitalocean", "hotaisle": "hotaisle", "jarvislabs": "jarvislabs",
	}
)

// skyPilot is a managed job: the pool in its order, tried again after every
// interruption.
func (t Task) skyPilot() (object, []string, error) {
	x := t.Plan.Chosen
	gpu, err := t.engineGPU(true)
	if err != nil {
		return nil, nil, err
	}
	accelerators := fmt.Sprintf("%s:%d", gpu, perNode(x))
	var ordered []object
	var unknown []string
	for _, o := range t.Plan.Pool {
		cloud, ok := skyClouds[o.Provider]
		if !ok {
			unknown = append(unknown, t.what(o))
			continue
		}
		ordered = append(ordered, object{{"infra", cloud}, {"accelerators", accelerators}, {"use_spot", o.Purchase == catalog.Spot}})
	}
	resources := object{{"ordered", ordered}}
	if len(ordered) == 0 {
		resources = object{{"accelerators", accelerators}, {"use_spot", x.Purchase == catalog.Spot}}
	}
	resources = append(resources, pair{"job_recovery", object{{"strategy", "EAGER_NEXT_REGION"}, {"max_restarts_on_errors", 3}}})
	o := object{{"name", t.name()}}
	if x.Instances > 1 {
		o = append(o, pair{"num_nodes", x.Instances})
	}
	o = append(o, pair{"resources", resources}, pair{"envs", t.environment()}, pair{"run", t.Run})
	return o, append(t.missing("SkyPilot", unknown), t.Lang.T("task.launch", "sky jobs launch task.yaml")), nil
}

// missing names sellers that the engine cannot ask.
func (t Task) missing(engine string, sellers []string) []string {
	if len(sellers) == 0 {
		return nil
	}
	return []string{plainLine(t.Lang.T("task.missing", engine, strings.Join(sellers, t.Lang.T("est.semi"))))}
}

// dstack is a task: it asks the pool's backends and tries again after
// interruptions, as long as the run may take.
func (t Task) dstack() (object, []string, error) {
	x := t.Plan.Chosen
	name, err := t.engineGPU(false)
	if err != nil {
		return nil, nil, err
	}
	var backends, unknown []string
	var most money.Amount
	for _, o := range t.Plan.Pool {
		b, ok := dstackBackends[o.Provider]
		if !ok {
			unknown = append(unknown, t.what(o))
			continue
		}
		if !slices.Contains(backends, b) {
			backends = append(backends, b)
		}
		if o.PerInstHour.Known() && (!most.Known() || o.PerInstHour.Cmp(most) > 0) {
			most = o.PerInstHour
		}
	}
	o := object{{"type", "task"}, {"name", t.name()}}
	if x.Instances > 1 {
		o = append(o, pair{"nodes", x.Instances})
	}
	limit := seconds(t.limitHours()) + "s"
	o = append(o, pair{"image", t.Image}, pair{"env", t.environment()}, pair{"commands", []string{t.Run}},
		pair{"resources", object{{"gpu", object{{"name", name}, {"memory", fmt.Sprintf("%.0fGB..", 0.95*t.GPU.MemoryGB)}, {"count", perNode(x)}}}}})
	if len(backends) > 0 {
		o = append(o, pair{"backends", backends})
	}
	o = append(o, pair{"spot_policy", t.spotPolicy()})
	if t.onSpot() {
		o = append(o, pair{"retry", object{{"on_events", []string{"no-capacity", "interruption"}}, {"duration", limit}}})
	}
	o = append(o, pair{"max_duration", limit})
	if most.Known() && most.Currency() == "USD" {
		o = append(o, pair{"max_price", json.Number(most.String())})
	}
	return o, append(t.missing("dstack", unknown), t.Lang.T("task.launch", "dstack apply -f task.yaml")), nil
}

// spotPolicy is auto where the pool falls back to machines on demand.
func (t Task) spotPolicy() string {
	switch {
	case !t.onSpot():
		return "on-demand"
	case slices.ContainsFunc(t.Plan.Pool, func(x *estimate.Estimate) bool { return x.Purchase != catalog.Spot }):
		return "auto"
	}
	return "spot"
}

// kubernetes is a Job that Kueue admits as a whole: one pod a machine. Pods that
// lose their machine do not count as failures.
func (t Task) kubernetes() (object, []string, error) {
	x := t.Plan.Chosen
	resource, ok := deviceNames[t.GPU.Vendor]
	if !ok {
		return nil, nil, fmt.Errorf("no device plug-in is known for %s of %s", t.GPU.Name, orText(t.GPU.Vendor, "an unnamed maker"))
	}
	env := []object{}
	for _, e := range t.environment() {
		env = append(env, object{{"name", e.key}, {"value", e.value}})
	}
	queue := orText(t.Queue, "user-queue")
	count := object{{resource, fmt.Sprint(perNode(x))}}
	pod := object{
		{"restartPolicy", "Never"},
		{"terminationGracePeriodSeconds", urgentSeconds(x)},
		{"containers", []object{{
			{"name", "train"}, {"image", t.Image}, {"command", []string{"/bin/sh", "-c", t.Run}}, {"env", env}, {"resources", object{{"requests", count}, {"limits", count}}},
		}}},
	}
	spec := object{
		{"suspend", true},
		{"completionMode", "Indexed"},
		{"completions", x.Instances},
		{"parallelism", x.Instances},
		{"backoffLimit", 6},
		{"activeDeadlineSeconds", int64(wholeSeconds(t.limitHours()))},
		{"podFailurePolicy", object{{"rules", []object{{{"action", "Ignore"}, {"onPodConditions", []object{{{"type", "DisruptionTarget"}}}}}}}}},
		{"template", object{{"spec", pod}}},
	}
	o := object{
		{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", object{{"name", t.name()}, {"labels", object{{"kueue.x-k8s.io/queue-name", queue}}}}}, {"spec", spec},
	}
	return o, []string{t.Lang.T("task.launch", "kubectl create -f task.yaml")}, nil
}

// deviceNames are the resources under which Kubernetes counts the GPUs of a
// maker.
var deviceNames = map[string]string{
	"NVIDIA": "nvidia.com/gpu", "AMD": "amd.com/gpu", "Intel": "habana.ai/gaudi", "Google": "google.com/tpu", "AWS": "aws.amazon.com/neuron", "Huawei": "huawei.com/Ascend910",
	"Cambricon": "cambricon.com/mlu",
}

// engineGPU is what SkyPilot, or dstack, calls the GPU: its family without
// hyphens, and the memory where a family has two.
func (t Task) engineGPU(sky bool) (string, error) {
	g := t.GPU
	name := strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(g.Family, "rtx-a"), "-", ""))
	if strings.HasPrefix(g.Family, "rtx-a") {
		name = "A" + name
	}
	engine := "dstack"
	if sky {
		engine = "SkyPilot"
		switch {
		case g.Vendor == "AWS" && g.Family == "trainium1":
			return "Trainium", nil
		case g.Family == "rtx-6000-ada":
			return "RTX6000-Ada", nil
		case g.Family == "a100" && g.MemoryGB > 40, g.Family == "v100" && g.MemoryGB > 16:
			name += fmt.Sprintf("-%.0fGB", g.MemoryGB)
		}
	}
	if g.Vendor != "NVIDIA" && g.Vendor != "AMD" && (sky || g.Vendor != "Intel") {
		return "", fmt.Errorf("%s has no name for %s", engine, g.Name)
	}
	return name, nil
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
