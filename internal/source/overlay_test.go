package source

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpucost/gpucost/internal/catalog"
)

var embedded = sync.OnceValue(func() *catalog.Catalog {
	c, ps := catalog.Load(os.DirFS("../../data"))
	if err := ps.Err(); err != nil {
		panic(err)
	}
	return c
})

// TestOverlay writes what each fixture gives as YAML, lays it over the real
// catalog and finds the same offers again.
func TestOverlay(t *testing.T) {
	base := embedded()
	for _, f := range fixtures(t) {
		t.Run(f.file, func(t *testing.T) {
			f.opt.Names = catalog.NewNames(base.GPUs).ResolveGPU
			b, err := Read(f.format, strings.NewReader(f.body), f.opt)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := catalog.WriteYAML(&out, b.Catalog()); err != nil {
				t.Fatal(err)
			}
			c, ps := catalog.LoadOverlay(base.WithoutPrices(), "import.yaml", out.Bytes())
			for _, p := range ps {
				if p.Severity == catalog.SeverityError {
					t.Errorf("%s\n%s", p, out.String())
				}
			}
			if c == nil {
				t.FailNow()
			}
			if got, want := prices(c.Offers), prices(b.Offers); cmp.Diff(want, got) != "" {
				t.Errorf("-read +laid over:\n%s", cmp.Diff(want, got))
			}
		})
	}
}

// prices are the amounts by their keys.
func prices(offers []catalog.Offer) map[string]string {
	out := map[string]string{}
	for i := range offers {
		for _, p := range offers[i].Prices {
			k := KeyOf(&offers[i], &p)
			k.GPU = "" // an unknown name may be known to the loader by other rows
			out[k.String()+" "+p.AsOf.String()+string(p.Per)+k.Commitment+k.Region+k.Tier] = p.Low.String() + ".." + p.High.String() + " " + string(p.Low.Currency())
		}
	}
	return out
}

// TestTableNames: every accelerator of the machine tables is a GPU of the
// catalog, or one of those that the catalog does not have.
func TestTableNames(t *testing.T) {
	missing := map[string]bool{ // older or rarer than the catalog goes
		"K80": true, "M60": true, "T4G": true, "Radeon Pro V520": true, "Radeon Pro V710": true, "MI25": true, "Gaudi": true,
		"Inferentia": true, "Inferentia2": true, "P100 16GB": true, "P4": true, "L20": true, "NVIDIA A16": true,
	}
	names := catalog.NewNames(embedded().GPUs)
	check := func(gpu, instance string) {
		t.Helper()
		_, ok := names.ResolveGPU(gpu, 0, instance)
		if !ok && !missing[gpu] {
			t.Errorf("%s of %s is not in the catalog", gpu, instance)
		}
	}
	for family, f := range awsFamilies {
		check(f.gpu, family)
	}
	for name, m := range awsUltra {
		check(m.gpu, name)
	}
	for name, m := range azureMachines {
		check(m.gpu, name)
	}
	for name, m := range gcpMachines {
		check(m.gpu, name)
	}
	for _, gpu := range gcpAttached {
		check(gpu, "")
	}
	for _, s := range ociShapes {
		check(s.gpu, s.shape)
	}
	for _, f := range ovhFlavours {
		check(f.gpu, "")
	}
	for _, gpu := range aliyunGPUs.family {
		check(gpu, "")
	}
	for gpu, gb := range vultrCards {
		name := strings.ReplaceAll(gpu, "_", " ")
		if _, ok := names.ResolveGPU(name, float64(gb), ""); !ok && !missing[name] {
			t.Errorf("%s of %d GB is not in the catalog", name, gb)
		}
	}
}

// TestSamples reads the recorded and documented answers where they are at
// hand; they belong to others and are no part of the project.
func TestSamples(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "sources", "samples")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the samples are not here: ", err)
	}
	names := catalog.NewNames(embedded().GPUs)
	for _, s := range []struct {
		format, file, provider string
		offers                 int
		want                   []string // lines of the rendering
	}{
		{"aws-price-list", "aws_price_list_ec2.csv", "", 0, []string{"left skipped 1: capacity block row: a surcharge, not the price"}},
		{"aws-price-list", "aws_price_list_getproducts.json", "", 0, []string{"left skipped 1: a machine without a GPU"}},
		{"aws-spot-advisor", "aws_spot_advisor.json", "", 0, []string{"interruption aws h100-80gb-sxm spot_discount_30d 52..52 percent of on demand, region us-east-1 (us-east-1 p5.48xlarge Linux)"}},
		{"aws-spot-feed", "aws_spot_js.txt", "", 1, nil},
		{"aws-spot-history", "aws_spot_history.json", "", 1, []string{"  spot 1.6729 USD instance_hour n=1 on 2023-02-01"}},
		{"aws-capacity-blocks", "aws_capacity_block_offerings.json", "", 1, []string{"  reserved/capacity_block 41.612083333 USD instance_hour commit=24 h, paid ahead"}},
		{"azure-retail", "azure_retail.json", "", 2, []string{"  on_demand 98.32 USD instance_hour", "  reserved/savings_plan 12m 5.8067 USD instance_hour"}},
		{"oci", "oci.json", "", 6, []string{"  on_demand 10.00 USD gpu_hour", "  spot 5.00 USD gpu_hour"}},
		{"openrouter", "openrouter.json", "", 0, []string{"token openrouter anthropic/claude-opus-4.7-fast in=30.00 out=150.00 cached=3.00 USD context=1000000"}},
		{"litellm", "litellm.json", "", 0, []string{"token bedrock_converse amazon.nova-2-lite-v1:0 in=0.30 out=2.50 cached=0.075 USD context=0"}},
		{"ecb", "fx_ecb_daily.xml", "", 0, []string{"fx EUR/USD 1.1628 2026-05-15", "fx EUR/CNY 7.9194 2026-05-15"}},
		{"frankfurter", "fx_frankfurter_v2.json", "", 0, []string{"fx USD/EUR 0.8739 2026-07-17"}},
		{"gpuhunt", "gpuhunt_v3.csv", "verda", 1, []string{"  on_demand 3.95 USD instance_hour", "  spot 1.70 USD instance_hour"}},
		{"skypilot", "skypilot_runpod_v8.csv", "runpod", 1, []string{"  on_demand 1.39 USD instance_hour"}},
		{"gcp-skus", "gcp_skus.json", "", 15, []string{"  on_demand 3.673385 USD instance_hour on 2023-03-24"}},
		{"runpod", "runpod_rest_v2.json", "", 3, []string{"  on_demand 0.44 USD gpu_hour", "  serverless 1.10 USD gpu_hour"}},
		{"runpod-graphql", "runpod_graphql.json", "", 2, []string{"  spot 0.52 USD gpu_hour"}},
		{"vast", "vast_docs_example.json", "", 1, []string{"  on_demand 0.030864 USD gpu_hour n=1"}},
		{"lambda", "lambda.json", "", 3, []string{"  on_demand 4.29 USD instance_hour"}},
		{"lambda", "lambda_openapi_example.json", "", 1, []string{"  on_demand 15.92 USD instance_hour"}},
		{"verda", "verda_instance_types.json", "", 3, []string{"  on_demand 3.95 USD instance_hour", "  spot 1.70 USD instance_hour"}},
		{"verda-history", "verda_price_history.json", "", 2, []string{"  on_demand 3.22 USD instance_hour on 2026-01-01 commit=dynamic price"}},
		{"primeintellect", "primeintellect.json", "", 6, []string{"  on_demand 1.6568 USD instance_hour"}},
		{"shadeform", "shadeform.json", "", 1, []string{"  on_demand 2.03 USD instance_hour"}},
		{"digitalocean", "digitalocean.json", "", 2, []string{"  on_demand 23.92 USD instance_hour"}},
		{"hyperstack", "hyperstack_pricebook.json", "", 4, []string{"  on_demand 2.40 USD gpu_hour"}},
		{"together", "together_hardware.json", "", 1, []string{"  on_demand 3.252 USD instance_hour"}},
		{"together", "together_models.json", "", 0, []string{"token together example/model in=1.11 out=1.11 cached= USD context=0"}},
		{"scaleway", "scaleway.json", "", 3, []string{"  on_demand 6.00 EUR instance_hour"}},
		{"ovh", "ovh.json", "", 1, []string{"  on_demand 1.11 EUR instance_hour"}},
		{"akash", "akash.json", "", 3, nil},
		{"hyperbolic", "hyperbolic.json", "", 1, []string{"  on_demand 20.00 USD gpu_hour"}},
		{"cudo", "cudo.json", "", 2, nil},
		{"sfcompute", "sfcompute_quote_v0.json", "", 1, []string{"  reserved/capacity_block 8.00 USD instance_hour commit=10080 min, paid ahead"}},
		{"focus", "focus.csv", "", 0, []string{"left skipped 1: a machine without a GPU"}},
	} {
		t.Run(s.file, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(dir, s.file))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Read(s.format, bytes.NewReader(b), Options{Provider: s.provider, Names: names.ResolveGPU})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Offers) != s.offers {
				t.Errorf("%d offers, want %d", len(got.Offers), s.offers)
			}
			for _, w := range s.want {
				if !strings.Contains(render(got), w+"\n") {
					t.Errorf("no line %q in\n%s", w, render(got))
				}
			}
		})
	}
	vultrSample(t, dir)
	exchangeSamples(t, dir)
}

// vultrSample holds two answers in one file.
func vultrSample(t *testing.T, dir string) {
	var both struct {
		Plans json.RawMessage `json:"plans_response"`
		Metal json.RawMessage `json:"plans_metal_response"`
	}
	b, err := os.ReadFile(filepath.Join(dir, "vultr.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &both); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		body []byte
		want string
	}{
		{both.Plans, "offer vultr vcg-a100-1c-6g-4vram @ewr 1/20xNVIDIA A100 mem=4 vcpus=1 gib=6 disk=70"},
		{both.Metal, "offer vultr vbm-112c-2048gb-8-h100-gpu @sea 8xH100 vcpus=224 gib=2048 disk=1920"},
	} {
		got, err := Read("vultr", bytes.NewReader(c.body), Options{})
		if err != nil || !strings.Contains(render(got), c.want) {
			t.Errorf("%v\n%s", err, render(got))
		}
	}
}

// exchangeSamples wraps the answers that do not say what was asked.
func exchangeSamples(t *testing.T, dir string) {
	for _, s := range []struct{ format, file, request, want string }{
		{"compshare", "compshare_user_price.json", `{"GpuType":"4090","Gpu":1,"Cpu":16,"Memory":65536,"Zone":"cn-wlcb-01"}`, "  on_demand 1.66 CNY instance_hour"},
		{"compshare", "compshare.json", `{"GpuType":"4090","Gpu":1,"Cpu":16,"Memory":65536}`, "  reserved/monthly 1m 1068.00 CNY instance_month"},
		{"aliyun", "aliyun_describe_price.json", `{"InstanceType":"ecs.dummy","GPU":"A10","GPUs":1,"PriceUnit":"Hour"}`, "  on_demand 10.00 CNY instance_hour"},
		{"aliyun", "aliyun_spot_history.json", `{"GPU":"A10","GPUs":1}`, "  spot 1.11 CNY instance_hour on 2026-01-01"},
		{"tencent", "tencent_inquiry.json", `{"Site":"cn","InstanceType":"GN7.x","GPU":"T4","GPUs":1}`, "  on_demand 11.11 CNY instance_hour"},
		{"volcengine", "volcengine_payg.json", `{"InstanceTypeId":"ecs.dummy","GPU":"A10","GPUs":1}`, "  on_demand 11.11 CNY instance_hour"},
		{"volcengine", "volcengine_spot_history.json", `{"GPU":"A10","GPUs":1}`, "  spot 1.11 CNY instance_hour on 2026-01-01"},
		{"autodl", "autodl_instance_snapshot.json", `{"GPU":"RTX 4090","GPUs":1}`, "  on_demand 1.577 CNY instance_hour"},
	} {
		b, err := os.ReadFile(filepath.Join(dir, s.file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(s.format, strings.NewReader(`{"request":`+s.request+`,"response":`+string(b)+`}`), Options{})
		if err != nil {
			t.Errorf("%s: %v", s.file, err)
		} else if !strings.Contains(render(got), s.want) {
			t.Errorf("%s: no %q in\n%s", s.file, s.want, render(got))
		}
		if _, err := Read(s.format, bytes.NewReader(b), Options{}); err == nil || !strings.Contains(err.Error(), "what was asked") {
			t.Errorf("%s alone: %v", s.file, err)
		}
	}
}
