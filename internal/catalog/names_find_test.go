package catalog

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	c := &Catalog{
		Providers: []Provider{
			{ID: "aliyun", Name: "Alibaba Cloud", NameZH: "阿里云", Aliases: []string{"alibaba"}},
			{ID: "lambda", Name: "Lambda"},
			{ID: "autodl", Name: "AutoDL", NameZH: "AutoDL"},
		},
		GPUs:    fewGPUs(),
		Models:  []Model{{ID: "llama-3.1-70b", Aliases: []string{"meta-llama/Llama-3.1-70B-Instruct"}}},
		Sources: []Source{{ID: "review-2026-06", Name: "Review of June 2026"}},
	}
	is := func(e Entity) string {
		switch {
		case e.Provider != nil:
			return "provider " + e.Provider.ID
		case e.Model != nil:
			return "model " + e.Model.ID
		case e.Source != nil:
			return "source " + e.Source.ID
		}
		s := "gpu"
		for _, g := range e.GPUs {
			s += " " + g.ID
		}
		return s
	}
	for name, want := range map[string]string{
		"aliyun":                            "provider aliyun",
		"ALIBABA CLOUD":                     "provider aliyun",
		"alibaba-cloud":                     "provider aliyun",
		"阿里云":                               "provider aliyun",
		" lambda ":                          "provider lambda",
		"a100-80gb":                         "gpu a100-80gb",
		"A100 80GB PCIe":                    "gpu a100-80gb-pcie",
		"A100":                              "gpu a100",
		"nvidia a100":                       "gpu a100 a100-40gb-sxm a100-80gb a100-80gb-pcie a100-80gb-sxm",
		"rtx a6000":                         "gpu a6000",
		"Llama 3.1 70B":                     "model llama-3.1-70b",
		"meta-llama/llama-3.1-70b-instruct": "model llama-3.1-70b",
		"review-2026-06":                    "source review-2026-06",
	} {
		e, err := Find(c, name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
		} else if got := is(e); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	for name, near := range map[string][]string{
		"lamdba":       {"lambda"},
		"llama-3.1-7b": {"llama-3.1-70b"},
		"阿里":           {"阿里云"},
		"frobnicator":  nil,
		"":             nil,
	} {
		_, err := Find(c, name)
		if unknown, ok := errors.AsType[*UnknownNameError](err); !ok {
			t.Errorf("%q: %v", name, err)
		} else if diff := cmp.Diff(near, unknown.Near); diff != "" {
			t.Errorf("near %q (-want +got):\n%s", name, diff)
		}
	}
	_, err := Find(c, "rtx 6000")
	if _, ok := errors.AsType[*AmbiguousGPUError](err); !ok {
		t.Errorf("rtx 6000: %v", err)
	}
}
