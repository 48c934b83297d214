package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var runpod = &Format{
	Name: "runpod", Title: "RunPod GPU catalog (REST v2)", Provider: "runpod", Kind: KindAPI,
	Unit: "one GPU-hour USD; serverless too", Licence: "RunPod terms of service; no data licence", Class: ListPrice,
	Shape: Verified, Evidence: "RunPod's own OpenAPI (runpod/docs), documentation example; not called live",
	Docs: "https://docs.runpod.io/api-reference", Confidence: catalog.High, Tax: "excluded", MinRecords: 5,
	Keys: []Key{{"RUNPOD_API_KEY"}}, Login: bearer,
	Requests: []Request{{URL: "https://api.runpod.io/v2/catalog/gpus?include=AVAILABILITY&product=POD"}},
	read:     readRunPod,
}

var runpodGraphQL = &Format{
	Name: "runpod-graphql", Title: "RunPod gpuTypes (GraphQL)", Provider: "runpod", Kind: KindAPI,
	Unit: "one GPU-hour USD", Licence: "RunPod terms of service; no data licence", Class: ListPrice,
	Shape: Verified, Evidence: "gpuhunt's query and public tests; not called live; whether a key is needed is a claim",
	Docs: "https://graphql-spec.runpod.io", Confidence: catalog.High, Tax: "excluded", MinRecords: 5,
	Keys: []Key{{"RUNPOD_API_KEY"}}, Login: bearer,
	Requests: []Request{{Method: "POST", URL: "https://api.runpod.io/graphql", Body: `{"query":"{ gpuTypes { id displayName memoryInGb secureCloud communityCloud securePrice communityPrice secureSpotPrice communitySpotPrice oneMonthPrice threeMonthPrice sixMonthPrice } }"}`}},
	read:     readRunPod,
}

type runpodGPU struct {
	// REST
	ID        string `json:"id"`
	Name      string `json:"name"`
	Memory    num    `json:"memory"` // GB
	Secure    *bool  `json:"secure"`
	Community *bool  `json:"community"`
	Price     struct {
		Secure     num `json:"secure"`
		Community  num `json:"community"`
		Serverless num `json:"serverless"`
	} `json:"price"`
	// GraphQL
	Display        string `json:"displayName"`
	MemoryInGB     num    `json:"memoryInGb"`
	SecureCloud    *bool  `json:"secureCloud"`
	CommunityCloud *bool  `json:"communityCloud"`
	SecurePrice    num    `json:"securePrice"`
	CommunityPrice num    `json:"communityPrice"`
	SecureSpot     num    `json:"secureSpotPrice"`
	CommunitySpot  num    `json:"communitySpotPrice"`
	Month          num    `json:"oneMonthPrice"`
	Quarter        num    `json:"threeMonthPrice"`
	HalfYear       num    `json:"sixMonthPrice"`
}

func readRunPod(c *collect, r io.Reader) error {
	var body struct {
		GPUs []json.RawMessage `json:"gpus"`
		Data *struct {
			GPUTypes []json.RawMessage `json:"gpuTypes"`
		} `json:"data"`
		Errors []struct{ Message string } `json:"errors"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if len(body.Errors) > 0 {
		return fmt.Errorf("the answer is an error: %.200s", body.Errors[0].Message)
	}
	list := body.GPUs
	if body.Data != nil {
		list = body.Data.GPUTypes
	}
	if list == nil {
		return errors.New("no gpus and no data.gpuTypes")
	}
	for i, raw := range list {
		if g, ok := item[runpodGPU](c, fmt.Sprintf("gpu %d", i+1), raw); ok {
			c.runpodGPU(g)
		}
	}
	return nil
}

// runpodGPU makes one offer for each tier: all prices are for a single GPU
// whatever number is rented.
func (c *collect) runpodGPU(g runpodGPU) {
	if g.ID == "" || g.ID == "unknown" {
		c.skip("not a GPU", g.Display)
		return
	}
	o := catalog.Offer{Kind: "pod", Instance: g.ID, GPU: firstOf(g.Name, g.Display, g.ID), GPUs: unit.Whole(1), GPUMemoryGB: max(g.Memory.float(), g.MemoryInGB.float())}
	hour := func(tier string, p catalog.Purchase, n num) []catalog.Price {
		return c.price(g.ID+" "+tier, catalog.Price{Purchase: p, Per: unit.PerGPUHour}, n, "USD", whole)
	}
	secure := append(hour("secure", catalog.OnDemand, num(firstOf(string(g.Price.Secure), string(g.SecurePrice)))), hour("secure", catalog.Spot, g.SecureSpot)...)
	for _, plan := range []struct {
		months int
		n      num
	}{{1, g.Month}, {3, g.Quarter}, {6, g.HalfYear}} {
		secure = append(secure, c.price(g.ID+" savings plan", catalog.Price{
			Purchase: catalog.Reserved, Plan: "savings_plan", TermMonths: plan.months, Per: unit.PerGPUHour,
		}, plan.n, "USD", whole)...)
	}
	community := append(hour("community", catalog.OnDemand, num(firstOf(string(g.Price.Community), string(g.CommunityPrice)))), hour("community", catalog.Spot, g.CommunitySpot)...)
	n := 0
	for _, t := range []struct {
		tier    string
		sold    *bool
		soldGQL *bool
		prices  []catalog.Price
	}{
		{"secure", g.Secure, g.SecureCloud, secure},
		{"community", g.Community, g.CommunityCloud, community},
		{"serverless", nil, nil, hour("serverless", catalog.Serverless, g.Price.Serverless)},
	} {
		if len(t.prices) == 0 || isFalse(t.sold) || isFalse(t.soldGQL) {
			continue
		}
		o.Tier, o.Kind = t.tier, "pod"
		if t.tier == "serverless" {
			o.Kind = "serverless"
		}
		c.offer(g.ID+" "+t.tier, o, t.prices...)
		n++
	}
	if n == 0 {
		c.left(NoPrice, "sold in no tier, or without a price", g.ID)
	}
}

func isFalse(b *bool) bool { return b != nil && !*b }
