package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/unit"
)

var awsSpotAdvisor = &Format{
	Name: "aws-spot-advisor", Title: "AWS Spot Advisor", Provider: "aws", Kind: KindIndex,
	Unit:    "percent: average saving and band of interruptions over the trailing month; no price",
	Licence: "public, AWS site terms; no licence in the file", Class: ListPrice,
	Shape: Verified, Evidence: "a stored real file of 922,078 bytes (embedded by spotinfo)",
	Docs: "https://aws.amazon.com/ec2/spot/instance-advisor/", Confidence: catalog.High, MinRecords: 100,
	Requests: []Request{{URL: "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"}},
	read:     readAWSSpotAdvisor,
}

// readAWSSpotAdvisor gives interruption bands and savings, not offers: on
// demand x (1 - saving) would be an estimate, not a price.
func readAWSSpotAdvisor(c *collect, r io.Reader) error {
	var body struct {
		Ranges []struct {
			Index int    `json:"index"`
			Label string `json:"label"`
		} `json:"ranges"`
		Advisor map[string]map[string]map[string]struct {
			Saving *float64 `json:"s"`
			Range  *int     `json:"r"`
		} `json:"spot_advisor"`
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.Ranges == nil || body.Advisor == nil {
		return errors.New("no ranges or no spot_advisor: this is not the advisor's file")
	}
	bands := map[int][2]*float64{}
	for _, b := range body.Ranges {
		low, high, ok := bandOf(b.Label)
		if !ok {
			return fmt.Errorf("range %d has the label %q", b.Index, b.Label)
		}
		bands[b.Index] = [2]*float64{low, high}
	}
	for _, region := range slices.Sorted(maps.Keys(body.Advisor)) {
		types := body.Advisor[region]["Linux"]
		for instance, row := range sorted(types) {
			c.b.Records++
			m, ok := awsMachine(instance)
			if !ok {
				c.skip("a machine without a GPU", instance)
				continue
			}
			c.advise(region, instance, m, row.Saving, bands, row.Range)
		}
	}
	return nil
}

func (c *collect) advise(region, instance string, m machine, saving *float64, bands map[int][2]*float64, r *int) {
	o := catalog.Offer{GPU: m.gpu, GPUs: m.gpus, Instance: instance}
	c.resolve(&o)
	row := catalog.Interruption{
		Provider: c.f.Provider, GPU: o.GPU, Unit: "percent, region " + region, Source: c.f.Name, Ref: region + " " + instance + " Linux",
		AsOf: c.opt.AsOf, Confidence: c.f.Confidence, Note: instance + " in " + region,
	}
	if r == nil || bands[*r][0] == nil {
		c.reject("no known band of interruptions", row.Ref)
	} else {
		row.Metric, row.Low, row.High = "interruption_band_30d", bands[*r][0], bands[*r][1]
		c.b.Interruption = append(c.b.Interruption, row)
	}
	if saving == nil || *saving <= 0 || *saving >= 100 {
		c.left(NoPrice, "the saving is not between 0 and 100 percent", row.Ref)
		return
	}
	row.Metric, row.Low, row.High = "spot_discount_30d", saving, saving
	row.Unit = "percent of on demand, region " + region
	c.b.Interruption = append(c.b.Interruption, row)
}

// bandOf reads "<5%", "5-10%" and ">20%", which ends at 100. The "max"
// column of the file holds 11, 16 and 22, which are not the bands' ends.
func bandOf(label string) (low, high *float64, ok bool) {
	s := strings.TrimSuffix(label, "%")
	point := func(t string) *float64 { f := num(t).float(); return &f }
	switch a, b, span := strings.Cut(s, "-"); {
	case strings.HasPrefix(s, "<"):
		return point("0"), point(s[1:]), *point(s[1:]) > 0
	case strings.HasPrefix(s, ">"):
		return point(s[1:]), point("100"), *point(s[1:]) > 0
	case span:
		return point(a), point(b), *point(b) > *point(a)
	}
	return nil, nil, false
}

var awsSpotHistory = &Format{
	Name: "aws-spot-history", Title: "AWS spot price history (describe-spot-price-history)", Provider: "aws", Kind: KindFile,
	Unit: "instance-hour, decimal string, per availability zone; each record is a change", Licence: "account data under AWS terms",
	Class: SpotPrice, Shape: Verified, Evidence: "API documentation and several clients' types; no recorded answer",
	Docs:       "https://docs.aws.amazon.com/cli/latest/reference/ec2/describe-spot-price-history.html",
	Confidence: catalog.High, Tax: "excluded", Get: "aws ec2 describe-spot-price-history --product-descriptions Linux/UNIX -> file",
	read: readAWSSpotHistory, finish: finishAWSSpotHistory,
}

type awsSpotRecord struct {
	AvailabilityZone, InstanceType, ProductDescription string
	SpotPrice                                          num
	Timestamp                                          time.Time
}

func readAWSSpotHistory(c *collect, r io.Reader) error {
	var body struct {
		SpotPriceHistory []json.RawMessage
	}
	if err := c.decodeJSON(r, &body); err != nil {
		return err
	}
	if body.SpotPriceHistory == nil {
		return errors.New("no SpotPriceHistory list")
	}
	all, _ := c.state.([]awsSpotRecord)
	for i, raw := range body.SpotPriceHistory {
		at := fmt.Sprintf("record %d", i+1)
		rec, ok := item[awsSpotRecord](c, at, raw)
		switch {
		case !ok:
		case !strings.HasPrefix(rec.ProductDescription, "Linux/UNIX"):
			c.skip("another operating system", at+" "+rec.InstanceType+" "+rec.ProductDescription)
		case rec.Timestamp.IsZero() || rec.AvailabilityZone == "":
			c.reject("no time or no zone", at+" "+rec.InstanceType)
		default:
			all = append(all, rec)
		}
	}
	c.state = all
	return nil
}

// finishAWSSpotHistory turns changes per zone into prices per region and day:
// the range over the zones of what was in force at the end of each day.
func finishAWSSpotHistory(c *collect) error {
	all, _ := c.state.([]awsSpotRecord)
	slices.SortStableFunc(all, func(a, b awsSpotRecord) int {
		return cmp.Or(cmp.Compare(a.InstanceType, b.InstanceType), cmp.Compare(zoneRegion(a.AvailabilityZone), zoneRegion(b.AvailabilityZone)), a.Timestamp.Compare(b.Timestamp))
	})
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].InstanceType == all[i].InstanceType && zoneRegion(all[j].AvailabilityZone) == zoneRegion(all[i].AvailabilityZone) {
			j++
		}
		c.awsSpotPool(all[i:j])
		i = j
	}
	return nil
}

func (c *collect) awsSpotPool(recs []awsSpotRecord) {
	first := recs[0]
	m, ok := awsMachine(first.InstanceType)
	if !ok {
		c.skip("a machine without a GPU", first.InstanceType)
		return
	}
	inForce := map[string]catalog.Price{}
	var prices []catalog.Price
	for i, rec := range recs {
		at := rec.InstanceType + " " + rec.AvailabilityZone + " " + rec.Timestamp.UTC().Format(time.RFC3339)
		for _, p := range c.price(at, catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour}, rec.SpotPrice, "USD", whole) {
			inForce[rec.AvailabilityZone] = p
		}
		day := catalog.DateOf(rec.Timestamp.UTC())
		if i+1 < len(recs) && catalog.DateOf(recs[i+1].Timestamp.UTC()) == day {
			continue
		}
		if i+1 == len(recs) && c.opt.AsOf.Known() && c.opt.AsOf.Compare(day) > 0 {
			day = c.opt.AsOf // the last change is what is in force when asked
		}
		if p, ok := zoneRange(inForce, day); ok {
			prices = append(prices, p)
		}
	}
	o := catalog.Offer{Kind: "vm", Instance: first.InstanceType, Region: zoneRegion(first.AvailabilityZone), GPU: m.gpu, GPUs: m.gpus, GPUMemoryGB: m.memoryGB}
	c.offer(first.InstanceType, o, prices...)
}

// zoneRange is the range over zones of one day's prices.
func zoneRange(inForce map[string]catalog.Price, day catalog.Date) (catalog.Price, bool) {
	var out catalog.Price
	for zone, p := range sorted(inForce) {
		if !p.Low.Known() {
			continue
		}
		if out.Samples == 0 {
			out = p
		}
		out.Low, out.High = minAmount(out.Low, p.Low), maxAmount(out.High, p.High)
		out.Samples++
		out.Note = joinNote(out.Note, zone+" "+p.Low.String())
	}
	out.AsOf = day
	return out, out.Samples > 0
}

// zoneRegion cuts the zone's letter: us-east-1a -> us-east-1, and a local
// zone's suffix stays: us-west-2-lax-1a -> us-west-2-lax-1.
func zoneRegion(zone string) string {
	return strings.TrimRight(zone, "abcdefghijklmnopqrstuvwxyz")
}

var awsSpotFeed = &Format{
	Name: "aws-spot-feed", Title: "AWS spot price feed (spot.js)", Provider: "aws", Kind: KindIndex,
	Unit: "instance-hour, one price per region, size and system", Licence: "public, AWS site terms",
	Class: SpotPrice, Shape: Claim, Evidence: "read by spotinfo; shape from its types, no stored file",
	Docs: "https://aws.amazon.com/ec2/spot/pricing/", Confidence: catalog.Medium, Tax: "excluded", MinRecords: 100,
	Requests: []Request{{URL: "https://website.spot.ec2.aws.a2z.com/spot.js"}},
	read:     readAWSSpotFeed,
}

// awsFeedRegions are the feed's old names of regions.
var awsFeedRegions = map[string]string{
	"us-east": "us-east-1", "us-west": "us-west-1", "eu-ireland": "eu-west-1",
	"apac-sin": "ap-southeast-1", "apac-syd": "ap-southeast-2", "apac-tokyo": "ap-northeast-1",
}

func readAWSSpotFeed(c *collect, r io.Reader) error {
	b, err := readAll(r, c.f.bodyCap())
	if err != nil {
		return err
	}
	b = bytes.TrimSuffix(bytes.TrimSpace(b), []byte(";"))
	if b, err = callbackBody(b); err != nil {
		return err
	}
	var body struct {
		Config struct {
			Rate    string
			Regions []struct {
				Region        string
				InstanceTypes []struct {
					Sizes []struct {
						Size         string
						ValueColumns []struct {
							Name   string
							Prices map[string]num
						}
					}
				}
			}
		}
	}
	if err := c.decodeJSON(bytes.NewReader(b), &body); err != nil {
		return err
	}
	if body.Config.Rate != "perhr" {
		return fmt.Errorf("the feed's rate is %q, want perhr", body.Config.Rate)
	}
	for _, region := range body.Config.Regions {
		name := cmp.Or(awsFeedRegions[region.Region], region.Region)
		for _, types := range region.InstanceTypes {
			for _, size := range types.Sizes {
				for _, column := range size.ValueColumns {
					c.b.Records++
					m, ok := awsMachine(size.Size)
					switch {
					case !ok:
						c.skip("a machine without a GPU", size.Size)
					case column.Name != "linux":
						c.skip("another operating system", size.Size+" "+column.Name)
					default:
						at := name + " " + size.Size
						p := c.price(at, catalog.Price{Purchase: catalog.Spot, Per: unit.PerInstanceHour}, column.Prices["USD"], "USD", whole)
						if len(p) == 0 {
							c.skip("no spot price there (N/A)", at)
							continue
						}
						c.offer(at, catalog.Offer{Kind: "vm", Instance: size.Size, Region: name, GPU: m.gpu, GPUs: m.gpus, GPUMemoryGB: m.memoryGB}, p...)
					}
				}
			}
		}
	}
	return nil
}

// callbackBody is the JSON inside callback(...).
func callbackBody(b []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(b, []byte("callback("))
	if !ok || !bytes.HasSuffix(rest, []byte(")")) {
		if err := looksLike(b, "c"); err != nil {
			return nil, err
		}
		return nil, errors.New("want callback(...)")
	}
	return rest[:len(rest)-1], nil
}
