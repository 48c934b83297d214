package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// told is `prices history -o csv` in short: machine, amounts, observed,
// verified and ended as day and hour, why it ended, amount per GPU-hour.
func (w *lab) told(args ...string) (lines []string) {
	w.t.Helper()
	w.want(0, append([]string{"prices", "history", "-o", "csv"}, args...)...)
	rows, err := csv.NewReader(strings.NewReader(w.out)).ReadAll()
	if err != nil {
		w.t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	hour := func(s string) string {
		if s == "" {
			return "-"
		}
		return s[8:13]
	}
	for _, r := range rows[1:] {
		get := func(name string) string { return r[at[name]] }
		lines = append(lines, strings.Join([]string{
			get("instance"), get("low"), get("high"), hour(get("observed_at")), hour(get("last_verified_at")), hour(get("ended_at")),
			get("end_reason"), get("price_per_gpu_hour_low"),
		}, " "))
	}
	slices.Sort(lines)
	return lines
}

// AWS tells changes in each zone. By hand: on the 1st 20 and 22 are in force,
// from the 4th 21 and 22, from the 6th 24 and 22; eight GPUs.
func TestHistoryOfZones(t *testing.T) {
	w := newLab(t)
	file := filepath.Join(t.TempDir(), "spot.json")
	write := func(changes string) {
		var list []string
		for change := range strings.SplitSeq(changes, ", ") {
			c := strings.Fields(change) // zone, price, day
			list = append(list, fmt.Sprintf(`{"AvailabilityZone":"us-east-1%s","InstanceType":"p5.48xlarge","ProductDescription":"Linux/UNIX","SpotPrice":"%s","Timestamp":"2026-11-%sT03:00:00Z"}`, c[0], c[1], c[2]))
		}
		if err := os.WriteFile(file, []byte(`{"SpotPriceHistory":[`+strings.Join(list, ",")+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.now = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	write("a 20.00 01, b 22.00 01, a 21.00 04, a 24.00 06")
	w.want(0, "catalog", "import", "--format", "aws-spot-history", file)
	if !strings.Contains(w.errs, "aws-spot-history: updated, 1 rows (1 new, 0 moved, 0 gone), 2 earlier values\n") {
		t.Error(w.errs)
	}
	want := []string{
		"p5.48xlarge 20.00 22.00 01T00 01T00 04T00 changed 2.50",
		"p5.48xlarge 21.00 22.00 04T00 04T00 06T00 changed 2.625",
		"p5.48xlarge 22.00 24.00 06T00 10T12 -  2.75",
	}
	if d := cmp.Diff(want, w.told("--gpu", "h100")); d != "" {
		t.Error(d)
	}
	w.now = w.now.AddDate(0, 0, 10) // a file that begins later, and one change
	write("b 22.00 04, a 24.00 06, b 23.00 15")
	w.want(0, "catalog", "import", "--format", "aws-spot-history", file)
	want[2] = "p5.48xlarge 22.00 24.00 06T00 10T12 15T00 changed 2.75"
	want = append(want, "p5.48xlarge 23.00 24.00 15T00 20T12 -  2.875")
	if d := cmp.Diff(want, w.told("--gpu", "h100")); d != "" {
		t.Error(d)
	}
	w.want(0, "compare", "--gpu", "h100", "--provider", "aws", "--purchase", "spot", "--as-of", "2026-11-05", "-o", "json", "--all-quotes")
	if !strings.Contains(w.out, `"price_per_gpu_hour": "2.6875"`) {
		t.Error("the 5th is not as it stood then: " + w.out)
	}
}

// Verda tells every day of a year: refreshed a day later, the list has moved
// on by a day, and that is neither growth nor a jump.
func TestRefreshOfSeveralDays(t *testing.T) {
	w := newLab(t)
	w.env["VERDA_CLIENT_ID"], w.env["VERDA_CLIENT_SECRET"] = "id", "a-long-secret"
	first := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	w.hosts["api.verda.com"] = func(res http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, "token") {
			fmt.Fprint(res, `{"access_token":"short-lived-token"}`)
			return
		}
		var days []string
		from := first
		if w.now.Day() > 5 {
			from = first.AddDate(0, 0, 1)
		}
		for day := from; !day.After(w.now); day = day.AddDate(0, 0, 1) {
			fixed, dynamic := "2.00", "1.50" // dynamic: 1.60 from 1 October, 1.40 from 6 November
			if day.Month() >= 10 {
				dynamic = "1.60"
			}
			if day.Month() == 11 && day.Day() >= 6 {
				dynamic = "1.40"
			}
			days = append(days, fmt.Sprintf(`{"date":"%s","fixed_price_per_hour":"%s","dynamic_price_per_hour":%s,"currency":"usd"}`, day.Format(time.DateOnly), fixed, dynamic))
		}
		list := strings.Join(days, ",")
		still := strings.NewReplacer(`"dynamic_price_per_hour":1.50`, `"x":1`, `"dynamic_price_per_hour":1.60`, `"x":1`, `"dynamic_price_per_hour":1.40`, `"x":1`).Replace(list)
		fmt.Fprintf(res, `{"1H100.80S.30V":[%s],"1A100.40S.22V":[%s],"1A100.80S.22V":[%[2]s]}`, list, still)
	}
	ask := []string{"prices", "refresh", "--source", "verda-history", "-o", "json"}
	for _, step := range []struct {
		day  int
		want string
	}{{5, "verda-history updated 4/4/0/0"}, {7, "verda-history updated 4/0/1/3"}, {8, "verda-history updated 4/0/0/4"}} {
		w.now = time.Date(2026, 11, step.day, 12, 0, 0, 0, time.UTC)
		w.want(0, ask...)
		var got refreshed
		w.decode(&got)
		if got.say() != step.want {
			t.Errorf("day %d: %s; %s", step.day, got.say(), w.errs)
		}
	}
	want := []string{
		"1H100.80S.30V 1.40 1.40 06T00 08T12 -  1.40",
		"1H100.80S.30V 1.50 1.50 01T00 30T00 01T00 changed 1.50",
		"1H100.80S.30V 1.60 1.60 01T00 05T12 06T00 changed 1.60",
		"1H100.80S.30V 2.00 2.00 01T00 08T12 -  2.00",
	}
	if d := cmp.Diff(want, w.told("--gpu", "h100")); d != "" {
		t.Error(d)
	}
}

// advisor is AWS's file about H100 in 60 regions, and one of Virginia with a
// band of its own.
func advisor(virginia, elsewhere int) string {
	regions := []string{fmt.Sprintf(`"us-east-1":{"Linux":{"p5.48xlarge":{"s":52,"r":%d}}}`, virginia)}
	for i := range 100 {
		regions = append(regions, fmt.Sprintf(`"xx-east-%d":{"Linux":{"p5.48xlarge":{"s":60,"r":%d}}}`, i, elsewhere))
	}
	return `{"ranges":[{"index":0,"label":"<5%"},{"index":1,"label":"5-10%"},{"index":2,"label":"10-15%"},{"index":4,"label":">20%"}],"spot_advisor":{` + strings.Join(regions, ",") + `}}`
}

// TestRefreshInterruption: how often spot is taken away goes into the store
// by way of the gate, is counted, and estimates go by it: 5 to 10 percent a
// month, then 10 to 15.
func TestRefreshInterruption(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { interruptions(t, newLab(t)) })
	t.Run("postgres", func(t *testing.T) { interruptions(t, newLab(t).onPostgres()) })
}

func interruptions(t *testing.T, w *lab) {
	prices := filepath.Join(t.TempDir(), "own.csv")
	if err := os.WriteFile(prices, []byte("provider,instance,gpu,gpus,region,purchase,price,per,currency\n"+
		"aws,p5.48xlarge,H100 SXM,8,us-east-1,spot,2.60,gpu_hour,USD\naws,p5.48xlarge,H100 SXM,8,us-east-1,on_demand,6.88,gpu_hour,USD\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.want(0, "catalog", "import", "--as-of", "2026-11-02", prices)
	const host = "spot-bid-advisor.s3.amazonaws.com"
	ask := []string{"prices", "refresh", "--source", "aws-spot-advisor", "-o", "json"}
	for i, step := range []struct {
		body string
		code int
		want string
		low  float64 // percent a month, as spot goes by it
		rows string
	}{
		{advisor(1, 0), 0, "aws-spot-advisor updated 202/202/0/0", 5, "202,updated"},
		{advisor(2, 0), 0, "aws-spot-advisor updated 202/0/1/201", 10, "202,updated"},
		{strings.ReplaceAll(advisor(1, 0), `"s":`, `"s":0.0`), 1, "aws-spot-advisor rejected 202/0/0/0", 10, "202,rejected"}, // shares for percent
		{strings.Replace(advisor(1, 0), "xx-east-", "xx-", 1), 0, "aws-spot-advisor updated 202/2/1/199", 5, "204,updated"},
		{`{"ranges":[],"spot_advisor":{}}`, 1, "aws-spot-advisor failed 0/0/0/0", 5, "204,failed"},
	} {
		w.now = w.now.Add(time.Hour)
		w.hosts[host] = func(res http.ResponseWriter, _ *http.Request) { fmt.Fprint(res, step.body) }
		w.want(step.code, ask...)
		var got refreshed
		w.decode(&got)
		if got.say() != step.want {
			t.Errorf("step %d: %s, want %s; %s", i, got.say(), step.want, w.errs)
		}
		w.want(0, "prices", "sources", "-o", "csv")
		if !strings.Contains(w.out, "\naws-spot-advisor,index,none,true,") || !strings.Contains(w.out, ","+step.rows+",\"public, AWS") {
			t.Errorf("step %d: %s", i, w.out)
		}
		w.want(0, "spot", "--gpu", "h100", "--provider", "aws", "--region", "us-east-1", "--work", "72h", "--checkpoint-time", "1m", "-o", "json")
		var answer struct {
			Low float64 `json:"interruptions_low"`
		}
		w.decode(&answer)
		if want := -math.Log(1-step.low/100) / 730 * 72; math.Abs(answer.Low/want-1) > 0.01 {
			t.Errorf("step %d: %g interruptions in 72 h, want %g of a month of 730 h", i, answer.Low, want)
		}
		if !strings.Contains(w.out, "aws-spot-advisor: us-east-1 p5.48xlarge Linux") {
			t.Errorf("step %d: another source: %s", i, w.out)
		}
	}
	for range 4 { // those not asked for are not gone
		w.now = w.now.Add(time.Hour)
		w.hosts[host] = func(res http.ResponseWriter, _ *http.Request) { fmt.Fprint(res, advisor(0, 0)) }
		w.want(0, "prices", "refresh", "--source", "aws-spot-advisor", "--gpu", "a100")
	}
	w.want(0, "prices", "sources", "-o", "csv")
	if !strings.Contains(w.out, ",204,") {
		t.Error(w.out)
	}
	w.want(0, "prices", "export", "--format", "yaml", "--gpu", "h100", "-")
	if !strings.Contains(w.out, "interruption_band_30d") {
		t.Error("an overlay of the store lacks the figures: " + w.out)
	}
}
