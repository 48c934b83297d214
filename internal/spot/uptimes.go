package spot

import (
	"slices"
	"sync"
)

// Observation is what one recorded trace says about one zone: figures derived
// from public traces, not the traces themselves.
type Observation struct {
	Provider   string
	GPU        string
	Zone       string
	PerNode    int    // GPUs of one instance
	Nodes      int    // instances that had to be up together
	KeptAlive  bool   // true: instances were held until taken; false: launch probes at intervals
	From       string // first day, ISO
	Hours      float64
	ShareUp    float64
	Up, Outage Spell
}

// Spell describes the lengths of up-times or outages, in hours. Spells shorter
// than the sampling interval of the trace (32 s to 10 min) are not seen.
type Spell struct{ MeanHours, MedianHours, CV, MaxHours float64 }

// Law is a generator with the mean and coefficient of variation of the spell and
// the median as near as it can be.
func (s Spell) Law() Law {
	l, _ := FitLaw(s.MeanHours, s.MedianHours, s.CV) // the table is checked in tests
	return l
}

// The public repositories the traces are in. H100 traces count launches of
// a3-highgpu-1g: up means at least 1 of 16 requested.
const (
	sourceAWS = "skypilot-org/spot-traces @221da1ab (Wu et al., Can't Be Late, NSDI'24)"
	sourceGCP = "andylizf/skynomad-artifact @62b9aaa1 (NSDI'27)" //nolint:misspell // a name
)

// Source names where the trace was published.
func (o Observation) Source() string {
	if o.Provider == "aws" {
		return sourceAWS
	}
	return sourceGCP
}

// Rate is the mean number of drops per hour up.
func (o Observation) Rate() Rate { return Rate{PerHour: 1 / o.Up.MeanHours} }

// Observed lists the observations of a provider and GPU; an empty name means any.
// Zones with fewer than ten up-times are left out; nothing comparable is published
// for other sellers. The list is shared: it must not be changed.
func Observed(provider, gpu string) []Observation {
	return slices.Clip(observed()[seller{provider, gpu}])
}

type seller struct{ provider, gpu string }

// observed is the table by every pair of names that may be asked for.
var observed = sync.OnceValue(func() map[seller][]Observation {
	by := map[seller][]Observation{}
	for _, o := range observations {
		for _, k := range [...]seller{{}, {provider: o.Provider}, {gpu: o.GPU}, {o.Provider, o.GPU}} {
			by[k] = append(by[k], o)
		}
	}
	return by
})

// ObservedRates are the lowest, the median and the highest drop rate over the
// zones; false without any.
func ObservedRates(of []Observation) (low, mid, high Rate, ok bool) {
	if len(of) == 0 {
		return Rate{}, Rate{}, Rate{}, false
	}
	v := make([]float64, len(of))
	for i, o := range of {
		v[i] = o.Rate().PerHour
	}
	slices.Sort(v)
	return Rate{v[0]}, Rate{quantile(v, 0.5)}, Rate{v[len(v)-1]}, true
}

// observations: means, medians, coefficients of variation and maxima computed from
// the traces, to three digits.
var observations = []Observation{
	{"aws", "v100", "us-east-1a", 1, 1, false, "2023-02-15", 1090, 0.167, Spell{0.719, 0.325, 1.49, 8.07}, Spell{3.58, 0.542, 2.57, 80.2}},
	{"aws", "v100", "us-east-1c", 1, 1, false, "2023-02-15", 1090, 0.467, Spell{1.48, 0.488, 2.12, 30.2}, Spell{1.69, 0.542, 1.65, 23.3}},
	{"aws", "v100", "us-east-1d", 1, 1, false, "2023-02-15", 1090, 0.447, Spell{1.66, 0.542, 2.14, 41.8}, Spell{2.05, 0.704, 2.35, 56.2}},
	{"aws", "v100", "us-east-1f", 1, 1, false, "2023-02-15", 1090, 0.591, Spell{2.26, 0.542, 2.03, 34.9}, Spell{1.56, 0.488, 1.83, 23.9}},
	{"aws", "v100", "us-east-2a", 1, 1, false, "2023-02-15", 1090, 0.759, Spell{5.68, 0.867, 2.41, 116}, Spell{1.8, 0.379, 1.73, 20.9}},
	{"aws", "v100", "us-east-2b", 1, 1, false, "2023-02-15", 1090, 0.682, Spell{4.26, 1.08, 1.77, 49.2}, Spell{1.98, 0.704, 1.46, 20.8}},
	{"aws", "v100", "us-west-2a", 1, 1, false, "2023-02-15", 1090, 0.883, Spell{6.06, 1.03, 2.56, 126}, Spell{0.808, 0.379, 1.42, 8.07}},
	{"aws", "v100", "us-west-2b", 1, 1, false, "2023-02-15", 1090, 0.905, Spell{10.4, 1.41, 2.49, 136}, Spell{1.1, 0.379, 1.34, 7.2}},
	{"aws", "v100", "us-west-2c", 1, 1, false, "2023-02-15", 1090, 0.891, Spell{6.81, 0.921, 2.62, 143}, Spell{0.836, 0.379, 1.49, 8.45}},
	{"aws", "k80", "us-west-2a", 1, 1, false, "2022-10-26", 649, 0.893, Spell{4.36, 1, 1.6, 33}, Spell{0.528, 0.167, 4.04, 24.5}},
	{"aws", "k80", "us-west-2a", 8, 1, false, "2022-10-26", 649, 0.326, Spell{1.57, 0.667, 1.38, 13}, Spell{3.22, 0.833, 2.66, 62.5}},
	{"aws", "v100", "us-west-2a", 1, 1, false, "2022-10-26", 649, 0.793, Spell{4.05, 0.5, 2.53, 85.3}, Spell{1.07, 0.5, 1.62, 10.8}},
	{"aws", "v100", "us-west-2a", 8, 1, false, "2022-10-26", 649, 0.48, Spell{1.16, 0.333, 4.4, 71.8}, Spell{1.25, 0.333, 1.98, 19.8}},
	{"aws", "k80", "us-west-2b", 1, 1, false, "2022-10-26", 649, 0.117, Spell{1.61, 0.667, 2.26, 24.2}, Spell{12.2, 0.167, 4.19, 341}},
	{"aws", "k80", "us-west-2b", 8, 1, false, "2022-10-26", 649, 0.408, Spell{1.08, 0.5, 1.39, 13.7}, Spell{1.56, 0.333, 2.22, 33}},
	{"aws", "v100", "us-west-2b", 1, 1, false, "2022-10-26", 649, 0.716, Spell{2.7, 1.17, 1.46, 25}, Spell{1.07, 0.333, 1.62, 10.3}},
	{"aws", "v100", "us-west-2b", 8, 1, false, "2022-10-26", 649, 0.466, Spell{0.756, 0.333, 1.81, 15.3}, Spell{0.867, 0.167, 2.51, 21.2}},
	{"aws", "v100", "us-east-2b", 1, 16, false, "2023-08-27", 271, 0.456, Spell{1.67, 0.333, 2.06, 21.8}, Spell{1.96, 0.333, 4.18, 68.3}},
	{"aws", "v100", "us-west-2a", 1, 16, false, "2023-08-27", 395, 0.418, Spell{1.79, 0.417, 4.36, 74}, Spell{2.5, 0.75, 2.84, 62.9}},
	{"aws", "v100", "us-west-2c", 1, 16, false, "2023-08-27", 395, 0.415, Spell{2, 0.417, 4.81, 87}, Spell{2.82, 0.875, 2.69, 60.6}},
	{"aws", "v100", "us-east-1c", 1, 1, true, "2023-04-22", 177, 0.314, Spell{1.36, 0.364, 1.53, 8.21}, Spell{2.9, 0.52, 1.82, 20.5}},
	{"aws", "v100", "us-east-1f", 1, 1, true, "2023-04-22", 177, 0.592, Spell{1.75, 0.338, 2.27, 19.8}, Spell{1.19, 0.302, 2.52, 15.7}},
	{"aws", "v100", "us-west-2b", 1, 1, true, "2023-04-22", 177, 0.793, Spell{3.13, 1.14, 1.54, 22.3}, Spell{0.817, 0.427, 1.32, 4.86}},
	{"aws", "v100", "us-west-2c", 1, 1, true, "2023-04-22", 177, 0.731, Spell{2.24, 0.733, 1.41, 14.7}, Spell{0.823, 0.369, 1.57, 7.88}},
	{"aws", "v100", "us-east-1f", 1, 4, true, "2023-08-03", 305, 0.304, Spell{1.75, 0.75, 1.42, 15.4}, Spell{3.94, 0.583, 2.73, 72.8}},
	{"aws", "v100", "us-east-2a", 1, 4, true, "2023-08-03", 428, 0.712, Spell{8.46, 2.58, 1.41, 53.9}, Spell{3.42, 0.167, 4.87, 102}},
	{"aws", "v100", "us-west-2c", 1, 4, true, "2023-08-03", 428, 0.79, Spell{3.71, 1.67, 1.39, 27.2}, Spell{1, 0.667, 1.35, 10}},
	{"gcp", "h100", "asia-southeast1-b", 1, 1, false, "2025-10-04", 352, 0.78, Spell{14.5, 0.167, 3.09, 198}, Spell{4.31, 1.5, 2.45, 47.7}},
	{"gcp", "h100", "asia-southeast1-c", 1, 1, false, "2025-10-04", 352, 0.544, Spell{12, 0.917, 2.2, 104}, Spell{10.7, 0.667, 3.25, 141}},
	{"gcp", "h100", "europe-west1-c", 1, 1, false, "2025-10-04", 352, 0.875, Spell{17.1, 0.917, 1.72, 107}, Spell{2.59, 1, 1.39, 12.8}},
	{"gcp", "h100", "europe-west3-c", 1, 1, false, "2025-10-04", 352, 0.474, Spell{9.82, 2, 2.63, 112}, Spell{11.6, 1.42, 1.57, 66.3}},
	{"gcp", "h100", "us-central1-a", 1, 1, false, "2025-10-04", 352, 0.979, Spell{10.8, 1.58, 1.74, 80.8}, Spell{0.242, 0.167, 1.1, 1.67}},
	{"gcp", "h100", "us-central1-b", 1, 1, false, "2025-10-04", 352, 0.921, Spell{3.49, 0.667, 1.7, 25.8}, Spell{0.304, 0.167, 0.861, 1.67}},
	{"gcp", "h100", "us-central1-c", 1, 1, false, "2025-10-04", 352, 0.931, Spell{3.64, 0.75, 1.74, 36}, Spell{0.273, 0.167, 0.929, 1.67}},
	{"gcp", "h100", "us-east4-a", 1, 1, false, "2025-10-04", 352, 0.858, Spell{2.1, 0.167, 3.06, 48}, Spell{0.348, 0.167, 1.5, 4.5}},
	{"gcp", "h100", "us-east4-b", 1, 1, false, "2025-10-04", 352, 0.867, Spell{3.59, 0.333, 2.58, 69.7}, Spell{0.553, 0.333, 1.49, 7}},
	{"gcp", "h100", "us-east5-a", 1, 1, false, "2025-10-04", 352, 0.879, Spell{2.48, 0.5, 1.91, 24.8}, Spell{0.339, 0.167, 2.16, 7.5}},
	{"gcp", "h100", "us-west1-a", 1, 1, false, "2025-10-04", 352, 0.583, Spell{3.6, 0.333, 2.18, 31.8}, Spell{2.58, 0.333, 2.83, 41.2}},
	{"gcp", "h100", "us-west1-b", 1, 1, false, "2025-10-04", 352, 0.241, Spell{0.563, 0.167, 4.36, 30}, Spell{1.77, 0.333, 3.97, 54.2}},
}
