package source

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"strings"
	"io"
)

func TestQuick(t *testing.T) {
	ex := func(req, f string) io.Reader { b, _ := os.ReadFile("../../../shared/sources/samples/" + f); return strings.NewReader(`{"request":` + req + `,"response":` + string(b) + `}`) }
	_ = ex
	m := map[string]string{"aws-price-list": "aws_price_list_ec2.csv aws_price_list_getproducts.json", "aws-spot-advisor": "aws_spot_advisor.json", "aws-spot-feed": "aws_spot_js.txt",
		"aws-spot-history": "aws_spot_history.json", "azure-retail": "azure_retail.json", "oci": "oci.json", "openrouter": "openrouter.json", "litellm": "litellm.json", "ecb": "fx_ecb_daily.xml",
		"frankfurter": "fx_frankfurter_v2.json", "gpuhunt": "gpuhunt_v3.csv", "skypilot": "skypilot_runpod_v8.csv", "gcp-skus": "gcp_skus.json", "runpod": "runpod_rest_v2.json", "runpod-graphql": "runpod_graphql.json",
		"vast": "vast_docs_example.json", "lambda": "lambda.json lambda_openapi_example.json", "verda": "verda_instance_types.json", "verda-history": "verda_price_history.json", "primeintellect": "primeintellect.json",
		"shadeform": "shadeform.json", "digitalocean": "digitalocean.json", "hyperstack": "hyperstack_pricebook.json", "together": "together_hardware.json together_models.json", "scaleway": "scaleway.json", "ovh": "ovh.json",
		"akash": "akash.json", "hyperbolic": "hyperbolic.json", "cudo": "cudo.json", "sfcompute": "sfcompute_quote_v0.json", "aws-capacity-blocks": "aws_capacity_block_offerings.json", "focus": "focus.csv"}
	for f, files := range m {
		for _, file := range strings.Fields(files) {
			r, err := os.Open(filepath.Join("../../../shared/sources/samples", file))
			if err != nil { t.Skip() }
			b, err := Read(f, r, Options{Provider: map[string]string{"skypilot": "runpod", "gpuhunt": "verda"}[f]})
			fmt.Println("==", f, file, err)
			if err != nil { continue }
			dump(b)
		}
	}
}

func dump(b *Batch) {
	fmt.Println("  records", b.Records, "tokens", len(b.Tokens), "fx", b.FX, "int", len(b.Interruption), "paid", len(b.Paid), b.Warnings, b.UnknownGPUs)
	for _, l := range b.Left { fmt.Println("   left", l) }
	for i, o := range b.Offers { if i > 6 { break }
		fmt.Printf("   %s|%s|%s|%s|%s|%s %v vcpu %v ram %v host %s %s\n", o.Provider, o.Instance, o.Region, o.Tier, o.GPUs, o.GPU, o.GPUMemoryGB, o.VCPUs, o.MemoryGiB, o.Host, o.Note)
		for _, p := range o.Prices { fmt.Printf("       %s %s %d %s..%s %s %s %s %s %s\n", p.Purchase, p.Plan, p.TermMonths, p.Low, p.High, p.Low.Currency(), p.Per, p.AsOf, p.Commitment, p.Note) }
	}
}
