package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

// byEffective is the key of --sort for the price of finished work.
const byEffective = "effective"

// otherSpelling is --utilisation as half of the world writes it.
const otherSpelling = "utilization" //nolint:misspell // that is the point

// workOptions are the flags about work to be finished.
type workOptions struct{ work, use string }

func (o *workOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.work, "work", "", "hours of undisturbed work, such as 72h: ranks every way of buying by what a GPU-hour of finished work costs")
	const use = "share of the time in which what is paid by the month is used, with --work (default for this work alone)"
	f.StringVar(&o.use, "utilisation", "", use)
	f.StringVar(&o.use, otherSpelling, "", use)
	_ = f.MarkHidden(otherSpelling) // it exists
}

// sections are what must be read of the catalog: all of it only for work.
func (o *workOptions) sections() []catalog.Section {
	if o.work == "" {
		return []catalog.Section{catalog.SectionCompare}
	}
	return nil
}

// compareSorts lists the keys of --sort.
func compareSorts() []string { return append(pricing.SortNames(), byEffective) }

// sortKeys takes the price of finished work out of the keys of --sort. The
// engine of prices knows the others.
func (o *compareOptions) sortKeys() (rest string, err error) {
	keys := strings.Split(o.sort, ",")
	first := strings.TrimSpace(keys[0])
	at := slices.IndexFunc(keys, func(k string) bool { return strings.TrimPrefix(strings.TrimSpace(k), "-") == byEffective })
	switch {
	case at < 0:
		return o.sort, nil
	case o.work == "":
		return "", usagef("--sort %s: without work nothing is finished", o.sort).hint("--work 72h")
	case at > 0:
		return "", usagef("--sort %s: %s comes first", o.sort, byEffective).hint("--sort %s,%s", byEffective, first)
	}
	return strings.Join(keys[1:], ","), nil
}

// finished answers --work.
func (a *App) finished(c *catalog.Catalog, q pricing.Query, o *compareOptions) (*present.Work, error) {
	hours, ok := hoursKind.read(o.work)
	if !ok || !(hours > 0 && hours <= 1e6) {
		return nil, usagef("--work %q: want %s", o.work, hoursKind.want)
	}
	if o.groupBy != "" {
		return nil, usagef("--work and --group-by: finished work is ranked row by row").hint("leave out one of them")
	}
	if slices.Equal(q.Purchases, []catalog.Purchase{catalog.Token}) {
		return nil, usagef("--purchase token: what is sold by the token has no GPU-hours to compare").hint("%s", present.TokenNext)
	}
	r := estimate.Rental{Catalog: c, Query: q, Hours: hours, Dearest: strings.HasPrefix(strings.TrimSpace(o.sort), "-"+byEffective)}
	r.Listed = o.sort != "" && strings.TrimPrefix(strings.TrimSpace(strings.Split(o.sort, ",")[0]), "-") != byEffective
	if o.use != "" {
		use, ok := shareKind.read(o.use)
		if !ok || !(use > 0 && use <= 1) {
			return nil, usagef("--utilisation %q: want %s, above 0 and up to 100%%", o.use, shareKind.want)
		}
		r.Use = money.Quantity(use*float64(money.WholeQuantity(1)) + 0.5)
		if r.Use == 0 {
			return nil, usagef("--utilisation %q: too small to count", o.use)
		}
	}
	f, err := estimate.Finish(&r)
	if err != nil {
		return nil, usagef("--work: %v", err)
	}
	return &present.Work{Finished: f, Hours: hours, Use: r.Use}, nil
}

// cheapestFinished is the lowest price of a GPU-hour of finished work.
func cheapestFinished(w *present.Work) money.Amount {
	if w.Cheapest < 0 {
		return money.Amount{}
	}
	return w.Ways[w.Cheapest].PerGPUHour.Mid
}
