package source

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpucost/gpucost/internal/catalog"
)

// priceFields are the fields of each format that hold the amount, and the one
// that holds the currency.
var priceFields = map[string]struct {
	amounts  []string
	currency string
}{
	"aws-price-list-csv": {[]string{"PricePerUnit"}, "Currency"}, "aws-price-list-json": {[]string{"USD", "CNY"}, ""},
	"aws-price-list-sagemaker": {[]string{"PricePerUnit"}, "Currency"}, "aws-spot-feed": {[]string{"USD"}, ""},
	"aws-spot-history": {[]string{"SpotPrice"}, ""}, "aws-capacity-blocks": {[]string{"UpfrontFee"}, "CurrencyCode"},
	"azure-retail": {[]string{"retailPrice"}, "currencyCode"}, "oci": {[]string{"value"}, "currencyCode"},
	"vultr":    {[]string{"hourly_cost", "monthly_cost", "hourly_cost_preemptible"}, ""},
	"skypilot": {[]string{"Price", "SpotPrice"}, ""}, "skypilot-gcp": {[]string{"Price", "SpotPrice"}, ""}, "gpuhunt": {[]string{"price"}, ""},
	"gcp-skus": {[]string{"units", "nanos"}, "currencyCode"}, "runpod": {[]string{"secure", "community", "serverless"}, ""},
	"runpod-graphql": {[]string{"securePrice", "secureSpotPrice", "communitySpotPrice", "threeMonthPrice"}, ""},
	"vast":           {[]string{"dph_base", "min_bid"}, ""}, "lambda": {[]string{"price_cents_per_hour"}, ""},
	"verda": {[]string{"price_per_hour", "spot_price"}, "currency"}, "verda-history": {[]string{"fixed_price_per_hour", "dynamic_price_per_hour"}, "currency"},
	"primeintellect": {[]string{"onDemand"}, "currency"}, "shadeform": {[]string{"hourly_price"}, ""}, "digitalocean": {[]string{"price_hourly"}, ""},
	"hyperstack": {[]string{"original_value"}, ""}, "together": {[]string{"cents_per_minute"}, ""}, "scaleway": {[]string{"hourly_price"}, ""},
	"ovh": {[]string{"price"}, "currencyCode"}, "akash": {[]string{"med"}, "currency"}, "hyperbolic": {[]string{"amount"}, ""},
	"cudo": {[]string{"value"}, ""}, "sfcompute": {[]string{"price"}, ""}, "compshare": {[]string{"Instance"}, ""},
	"aliyun": {[]string{"OriginalPrice", "SpotPrice"}, "Currency"}, "tencent": {[]string{"UnitPrice", "OriginalPrice"}, ""},
	"volcengine": {[]string{"TotalOriginalAmount", "SpotPrice"}, ""}, "autodl": {[]string{"payg_price"}, ""},
	"infracost": {[]string{"price"}, "currency"},
}

// mutate rewrites the values of JSON keys or CSV columns.
func mutate(t *testing.T, body string, names []string, f func(string) string) string {
	t.Helper()
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") || strings.HasPrefix(body, "callback(") {
		for _, n := range names {
			re := regexp.MustCompile(`("` + regexp.QuoteMeta(n) + `"\s*:\s*)("[^"]*"|-?[0-9.eE+-]+)`)
			body = re.ReplaceAllStringFunc(body, func(m string) string {
				sub := re.FindStringSubmatch(m)
				return sub[1] + f(sub[2])
			})
		}
		return body
	}
	r := csv.NewReader(strings.NewReader(body))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for _, row := range rows {
		if at != nil && len(row) > at[0] {
			for _, i := range at {
				row[i] = strings.Trim(f(row[i]), `"`)
				if row[i] == "null" {
					row[i] = ""
				}
			}
			continue
		}
		for i, name := range row {
			for _, n := range names {
				if n == name {
					at = append(at, i)
				}
			}
		}
	}
	var s strings.Builder
	w := csv.NewWriter(&s)
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func known(b *Batch) int { return SummaryOf(b.Offers).Rows }

// TestMutations changes each fixture as sources go wrong, and looks at what
// becomes of it.
func TestMutations(t *testing.T) {
	for _, f := range fixtures(t) {
		name := strings.TrimSuffix(f.file, ".txt")
		fields, ok := priceFields[name]
		if !ok {
			continue
		}
		read := func(t *testing.T, body string) *Batch {
			t.Helper()
			b, err := Read(f.format, strings.NewReader(body), f.opt)
			if err != nil && strings.Contains(err.Error(), "can be used") {
				return nil // as good an end: nothing of it is usable
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Offers {
				for _, p := range b.Offers[i].Prices {
					if p.Low.Known() && p.Low.Sign() <= 0 {
						t.Errorf("%s became a price of %s", p.Low, b.Offers[i].Instance)
					}
				}
			}
			return b
		}
		good := read(t, f.body)
		for _, sentinel := range []string{"-1", "null", "0", `"NaN"`, `"x"`} {
			t.Run(name+"/"+sentinel, func(t *testing.T) {
				b := read(t, mutate(t, f.body, fields.amounts, func(string) string { return sentinel }))
				if b == nil {
					return
				}
				if n := known(b); n > 0 {
					t.Errorf("%d prices are left:\n%s", n, render(b))
				}
				if len(b.Left) == 0 {
					t.Errorf("nothing says why:\n%s", render(b))
				}
			})
		}
		t.Run(name+"/a hundred times", func(t *testing.T) {
			b := read(t, mutate(t, f.body, fields.amounts, hundredfold))
			if b == nil {
				return
			}
			v := Check(b, SummaryOf(good.Offers), Policy{})
			if v.Decision == Accept && name != "aws-spot-history" {
				t.Errorf("accepted: %v", v.Findings)
			}
			// Row by row, or as a whole, no price of a hundred times is let through.
			for i := range v.Offers {
				for _, p := range v.Offers[i].Prices {
					if old, ok := SummaryOf(good.Offers).Prices[KeyOf(&v.Offers[i], &p)]; ok && v.Decision == Accept && p.Low != old {
						t.Errorf("%s: %s became %s", v.Offers[i].Instance, old, p.Low)
					}
				}
			}
		})
		if fields.currency != "" {
			for _, cur := range []string{`""`, `"XXX"`, `"usd "`} {
				t.Run(name+"/currency "+cur, func(t *testing.T) {
					b, err := Read(f.format, strings.NewReader(mutate(t, f.body, []string{fields.currency}, func(string) string { return cur })), f.opt)
					if err == nil && known(b) > 0 && cur != `"usd "` {
						t.Errorf("prices without a currency:\n%s", render(b))
					}
				})
			}
		}
	}
}

func hundredfold(s string) string {
	quote := strings.HasPrefix(s, `"`)
	x, err := strconv.ParseFloat(strings.Trim(s, `"`), 64)
	if err != nil {
		return s
	}
	out := strconv.FormatFloat(x*100, 'f', -1, 64)
	if quote {
		return `"` + out + `"`
	}
	return out
}

// TestBrokenBodies: no broken body becomes a batch.
func TestBrokenBodies(t *testing.T) {
	firstKey := regexp.MustCompile(`\{\s*"([^"]+)"`)
	for _, f := range fixtures(t) {
		bad := map[string]string{
			"empty":     "",
			"spaces":    " \n\t",
			"page":      "<!DOCTYPE html><html><body>Sign in</body></html>",
			"error":     `{"error":{"code":"denied","message":"no"}}`,
			"null":      "null",
			"list":      "[]",
			"object":    "{}",
			"half":      f.body[:len(f.body)/2],
			"cut":       strings.TrimRight(f.body, "\n;)>}] ")[:len(strings.TrimRight(f.body, "\n;)>}] "))-1],
			"bad UTF-8": strings.Replace(f.body, "e", "e\xff", 20),
			"behind":    f.body + `{"more":1}`,
		}
		if m := firstKey.FindStringSubmatchIndex(f.body); m != nil && !strings.HasPrefix(f.body, "callback") && strings.HasPrefix(strings.TrimLeft(f.body, "["), "{") {
			bad["doubled key"] = f.body[:m[0]+1] + f.body[m[2]-1:m[3]+1] + ":null," + f.body[m[0]+1:]
		}
		for what, body := range bad {
			t.Run(f.file+"/"+what, func(t *testing.T) {
				isCSV := !strings.ContainsAny(f.body[:1], "{[<c")
				if isCSV && (what == "half" || what == "cut" || what == "behind") {
					return // see TestCSVCut
				}
				b, err := Read(f.format, strings.NewReader(body), f.opt)
				if err == nil {
					t.Errorf("read as\n%s", render(b))
				}
				if err != nil && b != nil {
					t.Error("half a batch beside the error")
				}
			})
		}
	}
}

// TestCSVCut: a row that is cut short ends the file with an error.
func TestCSVCut(t *testing.T) {
	body := "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\np5.48xlarge,H100,8,55.04,us-east-1\np5.48xlarge,H100,8,5"
	b, err := Read("skypilot", strings.NewReader(body), Options{Provider: "aws"})
	if err == nil || b != nil {
		t.Errorf("a cut row was read: %v", b)
	}
	if _, err := Read("skypilot", strings.NewReader("InstanceType,AcceleratorName,AcceleratorCount,Price,Price\n"), Options{Provider: "aws"}); err == nil {
		t.Error("a doubled column was read")
	}
	if _, err := Read("skypilot", strings.NewReader("InstanceType,AcceleratorName,AcceleratorCount,Price\na,H100,8,1\n"), Options{}); err == nil || !strings.Contains(err.Error(), "name the provider") {
		t.Errorf("whose prices? %v", err)
	}
	if _, err := Read("csv", strings.NewReader("gpu,price,currency\nL4,\"0,75\",EUR\n"), Options{}); err == nil || !strings.Contains(err.Error(), `not a plain number: "0,75"`) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a decimal comma: %v", err)
	}
}

// TestAcceptance is the acceptance test's file: per GPU 6.88, 2.60 and 7.912;
// a price of 0 is unknown and said.
func TestAcceptance(t *testing.T) {
	for _, f := range fixtures(t) {
		if f.file != "skypilot.txt" {
			continue
		}
		b, err := Read("skypilot", strings.NewReader(f.body), f.opt)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for i := range b.Offers {
			o := &b.Offers[i]
			for _, p := range o.Prices {
				if a, ok := PerGPUHour(o, &p, p.Low); ok {
					got[o.Instance+" "+string(p.Purchase)] = a.String()
				}
			}
		}
		for what, want := range map[string]string{
			"p5.48xlarge on_demand": "6.88", "p5.48xlarge spot": "2.60", "p5en.48xlarge on_demand": "7.912", "p5.4xlarge on_demand": "6.88", "p5e.48xlarge on_demand": "",
		} {
			if got[what] != want {
				t.Errorf("%s costs %q per GPU, want %q", what, got[what], want)
			}
		}
		said := false
		for _, l := range b.Left {
			said = said || l.Kind == NoPrice && strings.Contains(l.String(), "p5e.48xlarge")
		}
		if !said {
			t.Error("nothing says that p5e has no price")
		}
	}
	if d := (catalog.Date{}); d.Known() {
		t.Error("the zero date is known")
	}
}
