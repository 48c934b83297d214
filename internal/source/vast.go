package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

var vast = &Format{
	Name: "vast", Title: "Vast.ai search offers", Provider: "vast", Kind: KindMarketplace,
	Unit:    "whole offer an hour USD; dph_total includes the asked disk, dph_base does not",
	Licence: "Vast terms of service; no data licence", Class: AskPrice,
	Shape: Verified, Evidence: "vast-ai/docs OpenAPI and its example (an object where the live answer is a list); not called live",
	Docs: "https://docs.vast.ai/api-reference/search/search-offers", Confidence: catalog.High, Tax: "excluded",
	Keys: []Key{{"VAST_API_KEY"}}, KeysOpt: true, Login: bearer, Interval: 6 * time.Second, MinRecords: 50,
	Requests: []Request{{Method: "POST", URL: "https://console.vast.ai/api/v0/bundles/", Body: `{"rentable":{"eq":true},"type":"on-demand","limit":5000,"order":[["dph_total","asc"]],"allocated_storage":8}`}},
	read:     readVast, finish: finishVast,
}

type vastAsk struct {
	GPU          string `json:"gpu_name"`
	GPUs         num    `json:"num_gpus"`
	GPURAM       num    `json:"gpu_ram"` // MB of one GPU
	Base         num    `json:"dph_base"`
	Bid          num    `json:"min_bid"`
	Storage      num    `json:"storage_cost"` // USD per GB and month
	Verification string `json:"verification"`
	Hosting      num    `json:"hosting_type"` // 1: a data centre
	Geo          string `json:"geolocation"`  // "City, CC"
	Rentable     *bool  `json:"rentable"`
}

// vastKey is one comparable kind of machine.
type vastKey struct {
	gpu           string
	gpus          int64
	memoryGB      int64
	country, tier string
}

type vastGroup struct{ base, bid, storage []money.Amount }

func readVast(c *collect, r io.Reader) error {
	var body struct {
		Offers json.RawMessage `json:"offers"`
		Error  string          `json:"error"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Offers == nil || body.Error != "" {
		return fmt.Errorf("no offers list %.100s", body.Error)
	}
	var list []json.RawMessage
	if body.Offers[0] == '{' { // as the documentation's example has it
		list = []json.RawMessage{body.Offers}
	} else if err := json.Unmarshal(body.Offers, &list); err != nil {
		return errors.New("offers is not a list")
	}
	groups, _ := c.state.(map[vastKey]*vastGroup)
	if groups == nil {
		groups = map[vastKey]*vastGroup{}
		c.state = groups
	}
	for i, raw := range list {
		at := fmt.Sprintf("offer %d", i+1)
		if a, ok := item[vastAsk](c, at, raw); ok {
			c.vastAsk(groups, at, a)
		}
	}
	return nil
}

func (c *collect) vastAsk(groups map[vastKey]*vastGroup, at string, a vastAsk) {
	n, ok := a.GPUs.int()
	at += " " + a.GPU
	switch {
	case isFalse(a.Rentable):
		c.skip("not rentable", at)
		return
	case !ok || n < 1 || a.GPU == "":
		c.reject("the number of GPUs is missing or not above 0", at)
		return
	}
	_, country, _ := strings.Cut(a.Geo, ", ")
	key := vastKey{gpu: a.GPU, gpus: n, memoryGB: int64(mibToGB(a.GPURAM.float()) + 0.5), country: country, tier: cmp.Or(a.Verification, "unverified")}
	if a.Hosting == "1" {
		key.tier = "datacenter"
	}
	g := groups[key]
	if g == nil {
		g = &vastGroup{}
		groups[key] = g
	}
	// The whole offer's price becomes that of one GPU.
	per := whole.times(1, n)
	for _, f := range []struct {
		to *[]money.Amount
		n  num
		s  scale
	}{{&g.base, a.Base, per}, {&g.bid, a.Bid, per}, {&g.storage, a.Storage, whole}} {
		if v, err := f.n.amount("USD", f.s); err == nil {
			*f.to = append(*f.to, v)
		} else if f.to == &g.base {
			c.left(NoPrice, err.Error(), at)
		}
	}
}

// finishVast gives a range for each kind of machine, the 25th percentile to
// the median of its asks: one ask is not the price, and the cheapest and the
// dearest are often mistakes.
func finishVast(c *collect) error {
	groups, _ := c.state.(map[vastKey]*vastGroup)
	keys := make([]vastKey, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b vastKey) int {
		return cmp.Or(cmp.Compare(a.gpu, b.gpu), cmp.Compare(a.gpus, b.gpus), cmp.Compare(a.memoryGB, b.memoryGB), cmp.Compare(a.country, b.country), cmp.Compare(a.tier, b.tier))
	})
	for _, k := range keys {
		g := groups[k]
		var prices []catalog.Price
		for _, p := range []struct {
			purchase catalog.Purchase
			asks     []money.Amount
		}{{catalog.OnDemand, g.base}, {catalog.Spot, g.bid}} {
			if len(p.asks) == 0 {
				continue
			}
			slices.SortFunc(p.asks, money.Amount.Cmp)
			low, high := p.asks[len(p.asks)/4], p.asks[len(p.asks)/2]
			prices = append(prices, catalog.Price{
				Purchase: p.purchase, Per: unit.PerGPUHour, Low: low, High: high, Samples: len(p.asks),
				Note: fmt.Sprintf("25th percentile to median of %d asks without disk; the least is %s", len(p.asks), p.asks[0]),
			})
		}
		o := catalog.Offer{
			Kind: "marketplace", Instance: fmt.Sprintf("%dx %s", k.gpus, k.gpu), GPU: k.gpu, GPUs: unit.Whole(k.gpus),
			GPUMemoryGB: float64(k.memoryGB), Country: k.country, Region: k.country, Tier: k.tier,
		}
		if len(g.storage) > 0 {
			slices.SortFunc(g.storage, money.Amount.Cmp)
			o.DiskPrice = g.storage[len(g.storage)/2]
		}
		c.offer(o.Instance, o, prices...)
	}
	return nil
}
