package cli

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

type metricsOptions struct {
	gpu, market                   string
	providers, purchases, regions []string
	most                          int
}

// mostSeries bounds the price series of one answer when nobody says: a
// monitoring system pays for each.
const mostSeries = 2000

func (a *App) metricsCommand() *cobra.Command {
	var o metricsOptions
	cmd := &cobra.Command{
		Use: "metrics", Short: "Prices and the age of their sources as Prometheus text",
		Long: "Writes gauges in the text format of Prometheus, for a textfile collector or a scrape by way of a script.\n" +
			"Prices are in US dollars, on demand and spot unless --purchase says otherwise. With --store, those of the store too.",
		Example: "  gpucost metrics --gpu h100,h200 > /var/lib/node_exporter/gpucost.prom\n  gpucost metrics --gpu h100 --store default",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.metrics(&o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.gpu, "gpu", "", "GPUs: any name people type, a family, or vendor:names:memory:count")
	f.StringVar(&o.market, "market", "", "only this market: intl or cn")
	f.StringSliceVar(&o.providers, "provider", nil, "only these providers")
	f.StringSliceVar(&o.purchases, "purchase", []string{"on_demand", "spot"}, "ways of buying: on_demand, spot, reserved, serverless, token, owned")
	f.StringSliceVar(&o.regions, "region", nil, "only these regions (us, us-east-1) or countries")
	f.IntVar(&o.most, "max-series", mostSeries, "refuse to write more price series than this")
	a.flagValues(cmd, map[string]completer{"gpu": gpuNames, "provider": providerIDs, "region": regionNames, "market": fixed("intl", "cn")})
	return cmd
}

func (a *App) metrics(o *metricsOptions) error {
	c, err := a.catalog(catalog.SectionCompare)
	if err != nil {
		return err
	}
	q, err := a.metricsQuery(c, o)
	if err != nil {
		return err
	}
	m, n := priceMetrics(pricing.Compare(c, q).Quotes)
	if n == 0 {
		return nothingf("no price matches")
	}
	if n > o.most {
		return usagef("%d price series, more than --max-series %d", n, o.most).hint("narrow it with --gpu, --provider or --purchase")
	}
	up := "0"
	if a.store != nil && a.store.Fallback == "" {
		up = "1"
		m = append(m, a.sourceMetrics()...)
	}
	if a.store != nil {
		m = append(m, present.Metric{Name: "gpucost_store_up", Help: "1 when the store answered, 0 when the embedded catalog answers alone.", Samples: []present.Sample{{Value: up}}})
	}
	m = append(m,
		present.Metric{
			Name: "gpucost_catalog_as_of_timestamp_seconds", Help: "Day on which the embedded catalog was last reviewed.",
			Samples: []present.Sample{{Value: strconv.FormatInt(c.AsOf.First().Unix(), 10)}},
		},
		present.Metric{
			Name: "gpucost_build_info", Help: "The version of gpucost that wrote this.",
			Samples: []present.Sample{{Labels: [][2]string{{"version", version}, {"goversion", runtime.Version()}}, Value: "1"}},
		})
	if format := a.settings.get("output"); format != "table" {
		return a.show(m.Doc())
	}
	for _, w := range a.store.On(present.Doc{}, a.lang()).Warnings {
		fmt.Fprintf(a.Stderr, "gpucost: %s\n", w.Message)
	}
	_, err = io.WriteString(a.Stdout, m.Text())
	return err
}

func (a *App) metricsQuery(c *catalog.Catalog, o *metricsOptions) (q pricing.Query, err error) {
	b, err := a.basis(c, "")
	if err != nil {
		return q, err
	}
	q = pricing.Query{
		Need: 1, Market: o.market, Regions: o.regions, Selection: b.selection, Now: b.now, HoursPerMonth: b.month,
		Exchange: pricing.NewExchange("USD", c.FX, nil, b.selection.AsOf),
	}
	if o.market != "" && o.market != "intl" && o.market != "cn" {
		return q, usagef("--market %q: want intl or cn", o.market)
	}
	if q.Purchases, err = purchasesNamed(o.purchases); err != nil {
		return q, err
	}
	return q, a.gpuFlags(&q, c, &compareOptions{gpu: o.gpu, providers: o.providers})
}

// priceTier is how a way of buying is called in the metrics that others
// publish (cloudcost-exporter: spot, ondemand, capacityblock).
func priceTier(q *pricing.Quote) string {
	switch {
	case q.Plan == "capacity_block":
		return "capacityblock"
	case q.Purchase == catalog.OnDemand:
		return "ondemand"
	}
	return string(q.Purchase)
}

// priceMetrics are the price families, and how many series they have. Of
// quotes with the same labels the cheapest counts.
func priceMetrics(quotes []pricing.Quote) (present.Metrics, int) {
	perGPU := present.Metric{Name: "gpucost_instance_gpu_usd_per_gpu_hour", Help: "Price of one GPU for one hour in US dollars, without tax."}
	perInstance := present.Metric{Name: "gpucost_instance_price_dollars_per_hour", Help: "Price of the whole machine for one hour in US dollars, without tax."}
	asOf := present.Metric{Name: "gpucost_price_as_of_timestamp_seconds", Help: "Day of the price, and the source that told it."}
	seen := map[string]bool{}
	for i := range quotes {
		q := &quotes[i]
		if !q.PerGPUHour.Known() || q.Currency != "USD" {
			continue
		}
		term := ""
		if q.TermMonths != nil {
			term = strconv.Itoa(*q.TermMonths)
		}
		labels := [][2]string{
			{"provider", q.Provider},
			{"region", q.Region},
			{"machine_type", q.Instance},
			{"gpu", q.GPU},
			{"gpus", q.GPUCount},
			{"tier", q.Tier},
			{"host", q.Host},
			{"price_tier", priceTier(q)},
			{"plan", q.Plan},
			{"term_months", term},
		}
		key := fmt.Sprint(labels)
		if seen[key] {
			continue
		}
		seen[key] = true
		perGPU.Samples = append(perGPU.Samples, present.Sample{Labels: labels, Value: q.PerGPUHour.String()})
		if q.PerInstanceHour.Known() {
			perInstance.Samples = append(perInstance.Samples, present.Sample{Labels: labels, Value: q.PerInstanceHour.String()})
		}
		if q.Date().Known() {
			of := append(slices.Clone(labels), [2]string{"source", q.Source}) // not above: a price has one series, whoever tells it
			asOf.Samples = append(asOf.Samples, present.Sample{Labels: of, Value: strconv.FormatInt(q.Date().First().Unix(), 10)})
		}
	}
	return present.Metrics{perGPU, perInstance, asOf}, len(seen)
}

// sourceMetrics say how the sources of the store stand; none when it cannot
// be read.
func (a *App) sourceMetrics() present.Metrics {
	at, err := a.storeLocation()
	if err != nil {
		return nil
	}
	list, err := a.storeSources(at)
	if err != nil {
		return nil
	}
	success := present.Metric{Name: "gpucost_source_last_success_timestamp_seconds", Help: "Time of the last accepted answer of a price source."}
	rows := present.Metric{Name: "gpucost_source_rows", Help: "Prices of a source that hold."}
	rejected := present.Metric{Name: "gpucost_source_rejected_rows", Help: "Rows that the last attempt left out."}
	failures := present.Metric{Name: "gpucost_source_failures", Help: "Attempts since the last accepted answer that failed or were rejected."}
	for i := range list {
		st := &list[i]
		labels := [][2]string{{"source", st.Source}}
		sample := func(n int64) present.Sample { return present.Sample{Labels: labels, Value: strconv.FormatInt(n, 10)} }
		if !st.LastSuccess.IsZero() {
			success.Samples = append(success.Samples, sample(st.LastSuccess.Unix()))
		}
		rows.Samples = append(rows.Samples, sample(int64(st.Rows)))
		rejected.Samples = append(rejected.Samples, sample(int64(st.LastRejected)))
		failures.Samples = append(failures.Samples, sample(int64(st.Failures)))
	}
	return present.Metrics{success, rows, rejected, failures}
}
