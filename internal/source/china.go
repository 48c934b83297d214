package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/unit"
)

// The price queries of the Chinese clouds are signed requests for one machine
// each. They are read from saved exchanges (see exchange); list prices only:
// what the account would pay after its discounts is private and left out.

var aliyun = &Format{
	Name: "aliyun", Title: "Alibaba Cloud ECS DescribePrice, DescribeSpotPriceHistory", Provider: "aliyun", Kind: KindFile,
	Unit:    "total of the request (Amount x Period) with the system disk; the machine's own line is read",
	Licence: "Alibaba Cloud terms; OriginalPrice only, TradePrice is the account's", Class: ListPrice,
	Shape: Verified, Evidence: "structs of alibaba-cloud-sdk-go and the DescribePrice page; values constructed; not called live",
	Docs: "https://help.aliyun.com/document_detail/107829.html", Get: "aliyun ecs DescribePrice ..., kept as {request, response}",
	Confidence: catalog.High, Tax: "included", Currencies: []money.Currency{"CNY", "USD", "JPY"},
	read: func(c *collect, r io.Reader) error { return c.exchanges(r, c.aliyunExchange) },
}

type aliyunAnswer struct {
	PriceInfo *struct {
		Price struct {
			Currency      string
			OriginalPrice num
			SpotPrice     num `json:"SpotInstanceTypePrice"`
			DetailInfos   struct {
				ResourcePriceModel []struct {
					Resource      string
					OriginalPrice num
				}
			}
		}
	}
	Currency   string
	SpotPrices *struct {
		SpotPriceType []struct {
			InstanceType string
			ZoneID       string `json:"ZoneId"`
			Timestamp    string
			SpotPrice    num
		}
	}
	Code, Message string
}

func (c *collect) aliyunExchange(x exchange) error {
	var a aliyunAnswer
	if err := json.Unmarshal(x.response, &a); err != nil {
		return errors.New("the answer does not have the documented shape")
	}
	switch {
	case a.PriceInfo != nil:
		return c.aliyunPrice(x, &a)
	case a.SpotPrices != nil:
		return c.aliyunSpot(x, &a)
	}
	return fmt.Errorf("the answer is an error: %s", cmp.Or(a.Code, "no price"))
}

func (c *collect) aliyunPrice(x exchange, a *aliyunAnswer) error {
	o, err := x.machine("InstanceType", "RegionId", aliyunGPUs)
	if err != nil {
		return err
	}
	price := a.PriceInfo.Price
	n := num("")
	for _, d := range price.DetailInfos.ResourcePriceModel {
		if d.Resource == "instanceType" {
			n = d.OriginalPrice
		}
	}
	if n == "" {
		n = price.OriginalPrice
		c.warn("%s: %s: no line of its own for the machine: the system disk is in the price", x.at, o.Instance)
	}
	amount, err := x.units("Amount", "InstanceAmount")
	if err != nil {
		return err
	}
	period, err := x.units("Period")
	if err != nil {
		return err
	}
	p := catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}
	s := whole.times(1, amount)
	switch x.get("PriceUnit") {
	case "", "Hour":
		s = s.times(1, period)
	case "Month":
		p = catalog.Price{Purchase: catalog.Reserved, Plan: "monthly", TermMonths: int(period), Per: unit.PerInstanceTerm}
	case "Year":
		p = catalog.Price{Purchase: catalog.Reserved, TermMonths: 12 * int(period), Per: unit.PerInstanceTerm}
	default:
		return fmt.Errorf("PriceUnit %s is not read", x.get("PriceUnit"))
	}
	cur := money.Currency(price.Currency)
	if strategy := x.get("SpotStrategy"); strategy != "" && strategy != "NoSpot" {
		p.Purchase, n = catalog.Spot, price.SpotPrice
	}
	c.offer(x.at+" "+o.Instance, o, c.price(x.at+" "+o.Instance, p, n, cur, s)...)
	return nil
}

func (c *collect) aliyunSpot(x exchange, a *aliyunAnswer) error {
	for _, rec := range a.SpotPrices.SpotPriceType {
		x.request["InstanceType"] = num(rec.InstanceType)
		o, err := x.machine("InstanceType", "RegionId", aliyunGPUs)
		if err != nil {
			return err
		}
		day, err := catalog.ParseDate(rec.Timestamp[:min(10, len(rec.Timestamp))])
		if err != nil {
			return errors.New("no date")
		}
		o.Region = cmp.Or(o.Region, rec.ZoneID)
		at := x.at + " " + o.Instance + " " + rec.ZoneID
		c.zoned(at, o, c.price(at, catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour, AsOf: day}, rec.SpotPrice, money.Currency(a.Currency), whole)...)
	}
	return nil
}

// aliyunGPUs takes the family and the number of GPUs out of names such as
// ecs.gn7i-c8g1.2xlarge. Source: the ECS instance family page.
var aliyunGPUs = instanceGPUs{
	count: pattern(`-c\d+g(\d+)\.`),
	family: map[string]string{
		"gn6v": "V100 16GB", "gn6e": "V100 32GB", "gn6i": "T4", "gn7": "A100 SXM4 80GB", "gn7i": "A10", "gn7e": "A100 SXM4 80GB", "gn8is": "L20", "gn8v": "H20",
	},
	name: pattern(`^ecs\.(?:ebm)?(gn\d+[a-z]*)`),
}

type instanceGPUs struct {
	name, count func() *regexp.Regexp
	family      map[string]string
}

// machine is the offer that a request names. What holds its GPUs is taken
// from the request first, from the machine's name second.
func (x *exchange) machine(key, region string, table instanceGPUs) (catalog.Offer, error) {
	o := catalog.Offer{Kind: "vm", Instance: x.get(key), Region: x.get(region, "Zone", "Region"), GPU: x.get("GPU", "GPUSpec"), GPUMemoryGB: num(x.get("GPUMemoryGB")).float()}
	if o.Instance == "" {
		return o, fmt.Errorf("the request has no %s", key)
	}
	if n := x.get("GPUs", "GPUAmount"); n != "" {
		o.GPUs, _ = num(n).count()
	} else if table.count != nil {
		if m := table.count().FindStringSubmatch(o.Instance); m != nil {
			o.GPUs, _ = num(m[1]).count()
		}
	}
	if o.GPU == "" && table.name != nil {
		if m := table.name().FindStringSubmatch(o.Instance); m != nil {
			o.GPU = table.family[m[1]]
		}
	}
	if o.GPU == "" || !o.GPUs.Known() {
		return o, errors.New("the GPU of the machine is not stated: add GPU and GPUs to the request")
	}
	return o, nil
}

var tencent = &Format{
	Name: "tencent", Title: "Tencent Cloud InquiryPriceRunInstances", Provider: "tencent", Kind: KindFile,
	Unit:    "instance-hour for InstanceCount machines; prepaid: total of the period; no currency field",
	Licence: "Tencent Cloud terms; UnitPrice only, UnitPriceDiscount is the account's", Class: ListPrice,
	Shape: Claim, Evidence: "excerpts of the API documentation; values constructed; not called live",
	Docs: "https://cloud.tencent.com/document/api/213/15726", Get: "tccli cvm InquiryPriceRunInstances ..., kept as {request, response}",
	Confidence: catalog.High, Tax: "included", Currencies: []money.Currency{"CNY", "USD"},
	read: func(c *collect, r io.Reader) error { return c.exchanges(r, c.tencentExchange) },
}

func (c *collect) tencentExchange(x exchange) error {
	var a struct {
		Response struct {
			Price *struct {
				InstancePrice struct {
					UnitPrice, OriginalPrice num
					ChargeUnit               string
				}
			}
			Error *struct{ Code string }
		}
	}
	if err := json.Unmarshal(x.response, &a); err != nil {
		return errors.New("the answer does not have the documented shape")
	}
	if a.Response.Error != nil {
		return fmt.Errorf("the answer is an error: %.80s", a.Response.Error.Code)
	}
	if a.Response.Price == nil {
		return errors.New("the answer has no price")
	}
	// The answer names no currency: the site that was asked decides it.
	cur, ok := map[string]money.Currency{"cn": "CNY", "intl": "USD"}[x.get("Site")]
	if !ok {
		return errors.New("no currency: add Site cn or intl to the request")
	}
	o, err := x.machine("InstanceType", "Region", instanceGPUs{})
	if err != nil {
		return err
	}
	machines, err := x.units("InstanceCount")
	if err != nil {
		return err
	}
	price := a.Response.Price.InstancePrice
	p := catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}
	n := price.UnitPrice
	switch x.get("InstanceChargeType") {
	case "PREPAID":
		period, err := x.units("Period")
		if err != nil {
			return err
		}
		p = catalog.Price{Purchase: catalog.Reserved, Plan: "monthly", TermMonths: int(period), Per: unit.PerInstanceTerm}
		n = price.OriginalPrice
	case "SPOTPAID":
		p.Purchase = catalog.Spot
	}
	if p.Per == unit.PerInstanceHour && price.ChargeUnit != "HOUR" {
		return fmt.Errorf("ChargeUnit %q, want HOUR", price.ChargeUnit)
	}
	c.offer(x.at+" "+o.Instance, o, c.price(x.at+" "+o.Instance, p, n, cur, whole.times(1, machines))...)
	return nil
}

var volcengine = &Format{
	Name: "volcengine", Title: "Volcano Engine price queries", Provider: "volcengine", Kind: KindFile,
	Unit:    "total of the duration, decimal string; spot history: instance-hour CNY",
	Licence: "Volcano Engine terms; original amounts only", Class: ListPrice,
	Shape: Verified, Evidence: "names in volcengine-python-sdk; the meaning of DiscountAmount is not proven and not used; values constructed; not called live",
	Docs: "https://www.volcengine.com/docs/6269", Get: "QueryPriceForPayAsYouGo or DescribeSpotPriceHistory, kept as {request, response}",
	Confidence: catalog.High, Tax: "included", Currencies: []money.Currency{"CNY", "USD"},
	read: func(c *collect, r io.Reader) error { return c.exchanges(r, c.volcExchange) },
}

func (c *collect) volcExchange(x exchange) error {
	var a struct {
		Result *struct {
			Currency   string
			Total      num `json:"TotalOriginalAmount"`
			SpotPrices []struct {
				InstanceTypeID string `json:"InstanceTypeId"`
				ZoneID         string `json:"ZoneId"`
				Timestamp      string
				SpotPrice      num
			}
		}
		ResponseMetadata struct{ Error *struct{ Code string } }
	}
	if err := json.Unmarshal(x.response, &a); err != nil {
		return errors.New("the answer does not have the documented shape")
	}
	if a.Result == nil {
		return errors.New("the answer is an error")
	}
	if a.Result.SpotPrices == nil {
		o, err := x.machine("InstanceTypeId", "Region", instanceGPUs{})
		if err != nil {
			return err
		}
		hours, err := x.units("UseDuration")
		if err != nil {
			return err
		}
		p := c.price(x.at, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, a.Result.Total, money.Currency(a.Result.Currency), whole.times(1, hours))
		c.offer(x.at+" "+o.Instance, o, p...)
		return nil
	}
	for _, rec := range a.Result.SpotPrices {
		x.request["InstanceTypeId"] = num(rec.InstanceTypeID)
		o, err := x.machine("InstanceTypeId", "Region", instanceGPUs{})
		if err != nil {
			return err
		}
		day, err := catalog.ParseDate(rec.Timestamp[:min(10, len(rec.Timestamp))])
		if err != nil {
			return errors.New("no date")
		}
		o.Region = cmp.Or(o.Region, rec.ZoneID)
		at := x.at + " " + o.Instance + " " + rec.ZoneID
		c.zoned(at, o, c.price(at, catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour, AsOf: day}, rec.SpotPrice, "CNY", whole)...)
	}
	return nil
}

var autodl = &Format{
	Name: "autodl", Title: "AutoDL instance snapshot", Provider: "autodl", Kind: KindFile,
	Unit: "1/1000 yuan an hour for the instance, whole number", Licence: "AutoDL terms", Class: FileClass,
	Shape: Claim, Evidence: "the developer API's documentation read through wrappers; peers divide by 100 and are wrong by ten",
	Docs: "https://www.autodl.com/docs/", Get: "POST /api/v1/dev/instance/snapshot, kept as {request, response}; the request says gpu and gpus",
	Confidence: catalog.Medium, Tax: "included", Currencies: []money.Currency{"CNY"},
	read: func(c *collect, r io.Reader) error { return c.exchanges(r, c.autodlExchange) },
}

func (c *collect) autodlExchange(x exchange) error {
	var a struct {
		Code string `json:"code"`
		Data struct {
			Price num `json:"payg_price"`
		} `json:"data"`
	}
	if err := json.Unmarshal(x.response, &a); err != nil {
		return errors.New("the answer has no data.payg_price: a stock list has no prices")
	}
	if a.Code != "Success" {
		return errors.New("the answer is an error")
	}
	if _, ok := a.Data.Price.int(); !ok {
		return errors.New("payg_price is not a whole number of 1/1000 yuan")
	}
	o := catalog.Offer{Kind: "pod", Instance: x.get("GPU", "gpu_name"), Region: x.get("region_sign", "Region"), GPU: x.get("GPU", "gpu_name")}
	o.GPUs, _ = num(cmp.Or(x.get("GPUs", "gpu_num"), "1")).count()
	c.offer(x.at+" "+o.GPU, o, c.price(x.at+" "+o.GPU, catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, a.Data.Price, "CNY", milli)...)
	return nil
}

var compshare = &Format{
	Name: "compshare", Title: "CompShare (UCloud) GetCompShareInstancePrice", Provider: "compshare", Kind: KindFile,
	Unit:    "CNY for the period of its ChargeType and for Quantity machines, without the system disk",
	Licence: "UCloud terms; ListPriceDetails only, PriceDetails are the account's", Class: ListPrice,
	Shape: Verified, Evidence: "the vendor's documentation and its examples; not called live",
	Docs: "https://www.compshare.cn/docs", Get: "GetCompShareInstancePrice, kept as {request, response}",
	Confidence: catalog.High, Tax: "included", Currencies: []money.Currency{"CNY"},
	read: func(c *collect, r io.Reader) error { return c.exchanges(r, c.compshareExchange) },
}

func (c *collect) compshareExchange(x exchange) error {
	type detail struct {
		ChargeType string
		Instance   num
	}
	var a struct {
		RetCode                                *int
		ListPriceDetails, OriginalPriceDetails []detail
	}
	if err := json.Unmarshal(x.response, &a); err != nil {
		return errors.New("the answer does not have the documented shape")
	}
	if a.RetCode == nil || *a.RetCode != 0 {
		return errors.New("the answer is an error")
	}
	list := a.ListPriceDetails
	if list == nil {
		list = a.OriginalPriceDetails
	}
	machines, err := x.units("Quantity")
	if err != nil {
		return err
	}
	o := catalog.Offer{
		Kind: "vm", Instance: x.get("GpuType"), GPU: x.get("GpuType"), Region: x.get("Zone", "Region"),
		VCPUs: num(x.get("Cpu")).float(), MemoryGiB: num(x.get("Memory")).float() / 1024, // MB in the query
	}
	o.GPUs, _ = num(cmp.Or(x.get("Gpu"), "1")).count()
	o.Instance = fmt.Sprintf("%s x%s %sC", o.GPU, o.GPUs, x.get("Cpu"))
	var prices []catalog.Price
	for _, d := range list {
		p, s, ok := compsharePlan(d.ChargeType)
		if !ok {
			c.skip("another way of billing", x.at+" "+d.ChargeType)
			continue
		}
		prices = append(prices, c.price(x.at+" "+d.ChargeType, p, d.Instance, "CNY", s.times(1, machines))...)
	}
	c.offer(x.at+" "+o.GPU, o, prices...)
	return nil
}

// compsharePlan is the way of buying behind a ChargeType. Dynamic is Postpay
// paid ahead by the hour: the same machine at the same price.
func compsharePlan(t string) (catalog.Price, scale, bool) {
	switch t {
	case "Postpay":
		return catalog.Price{Purchase: catalog.OnDemand, Per: unit.PerInstanceHour}, whole, true
	case "Spot":
		return catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour}, whole, true
	case "Day":
		return catalog.Price{Purchase: catalog.Reserved, Plan: "daily", Per: unit.PerInstanceHour, Note: "derived: a day's price / 24"}, whole.times(1, 24), true
	case "Month":
		return catalog.Price{Purchase: catalog.Reserved, Plan: "monthly", TermMonths: 1, Per: unit.PerInstanceMonth}, whole, true
	}
	return catalog.Price{}, whole, false
}
