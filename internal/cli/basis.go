package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/money"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

// basis is what every answer about prices rests on: day, source, currency and
// length of the month.
type basis struct {
	selection catalog.Selection
	now       catalog.Date
	exchange  *pricing.Exchange
	month     money.Quantity
}

func (a *App) basis(c *catalog.Catalog, market string) (b basis, err error) {
	if b.now, err = a.day("now", catalog.DateOf(a.Now())); err != nil {
		return b, err
	}
	if b.selection.AsOf, err = a.day("as-of", b.now); err != nil {
		return b, err
	}
	if a.settings.get("as-of") != "" && a.settings.get("now") == "" {
		b.now = b.selection.AsOf // a day in the past is answered as of that day
	}
	b.selection.Dated = b.selection.AsOf.Compare(c.AsOf) < 0
	if age := a.settings.get("max-age"); age != "" {
		if b.selection.MaxAgeDays, err = strconv.Atoi(age); err != nil || b.selection.MaxAgeDays < 1 {
			return b, a.badSetting("max-age", "want days, at least 1")
		}
	}
	if id := a.settings.get("source"); id != "" {
		if b.selection.Source, err = findSource(c, id); err != nil {
			return b, err
		}
	}
	if b.month, err = money.ParseQuantity(a.settings.get("hours-per-month")); err != nil || b.month <= 0 || b.month > money.WholeQuantity(744) {
		return b, a.badSetting("hours-per-month", "want hours, above 0 and up to 744")
	}
	b.exchange, err = a.exchange(c, market, b.selection.AsOf)
	return b, err
}

func (a *App) day(name string, fallback catalog.Date) (catalog.Date, error) {
	s := a.settings.get(name)
	if s == "" {
		return fallback, nil
	}
	d, err := catalog.ParseDate(s)
	if err != nil || !d.Known() {
		return d, a.badSetting(name, "want a date such as 2026-11-30")
	}
	return d, nil
}

// badSetting names the place that a bad value came from.
func (a *App) badSetting(name, want string) *fault {
	return usagef("%s %q: %s", a.settings.origin(name), a.settings.get(name), want)
}

// exchange converts into --currency; without it into yuan when the market is
// cn, else into dollars.
func (a *App) exchange(c *catalog.Catalog, market string, day catalog.Date) (*pricing.Exchange, error) {
	to := strings.ToUpper(a.settings.get("currency"))
	switch {
	case to == "" && market == "cn":
		to = "CNY"
	case to == "":
		to = "USD"
	case !catalog.KnownCurrency(money.Currency(to)):
		return nil, a.badSetting("currency", "want an ISO 4217 code such as USD or CNY")
	}
	var own []catalog.FXRate
	for _, text := range a.settings.list("fx") {
		r, err := pricing.ParseFX(text)
		if err != nil {
			return nil, usagef("%s: %v", a.settings.origin("fx"), err)
		}
		own = append(own, r)
	}
	x := pricing.NewExchange(money.Currency(to), c.FX, own, day)
	if to != "USD" {
		if _, ok := x.Rate("USD"); !ok {
			return nil, usagef("no exchange rate from USD to %s at %s", to, day).hint("give one: --fx %s=RATE, units for one USD", to)
		}
	}
	return x, nil
}

// amount reads a limit such as 3 or 2.50 in the currency of the answer.
func (a *App) amount(flag, text string, cur money.Currency) (money.Amount, error) {
	m, err := money.Parse(text, cur)
	if err != nil {
		return m, usagef("--%s %q: want a plain amount such as 2.50", flag, text)
	}
	return m, nil
}

func gigabytes(flag, text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	t := strings.ToUpper(strings.TrimSpace(text))
	scale := 1.0
	switch {
	case strings.HasSuffix(t, "GIB"):
		t, scale = strings.TrimSuffix(t, "GIB"), 1.073741824
	case strings.HasSuffix(t, "TB"):
		t, scale = strings.TrimSuffix(t, "TB"), 1000
	default:
		t = strings.TrimSuffix(strings.TrimSuffix(t, "GB"), "G")
	}
	q, err := money.ParseQuantity(strings.TrimSpace(t))
	if err != nil {
		return 0, usagef("--%s %q: want GB, such as 80, 80GB or 74.5GiB", flag, text)
	}
	return q.Float() * scale, nil
}

// stamp says which catalog answers.
func (a *App) stamp(c *catalog.Catalog) present.Stamp {
	s := present.Stamp{AsOf: c.AsOf.String(), SHA256: c.SHA256, Sources: []string{}, Store: a.store}
	for i := range c.Sources {
		s.Sources = append(s.Sources, c.Sources[i].ID)
	}
	return s
}

func providerNames(c *catalog.Catalog) map[string]present.Name {
	m := make(map[string]present.Name, len(c.Providers))
	for i := range c.Providers {
		p := &c.Providers[i]
		m[p.ID] = present.Name{EN: p.Name, ZH: p.NameZH}
	}
	return m
}

func findProvider(c *catalog.Catalog, name string) (string, error) {
	if p := catalog.FindProvider(c, name); p != nil {
		return p.ID, nil
	}
	return "", usagef("unknown provider %q", name).near(catalog.Nearest(name, providerIDs(c), 3))
}

func findSource(c *catalog.Catalog, id string) (string, error) {
	var ids []string
	for i := range c.Sources {
		if strings.EqualFold(c.Sources[i].ID, id) {
			return c.Sources[i].ID, nil
		}
		ids = append(ids, c.Sources[i].ID)
	}
	for i := range c.Offers { // a source that only an overlay names
		for j := range c.Offers[i].Prices {
			if c.Offers[i].Prices[j].Source == id {
				return id, nil
			}
		}
	}
	return "", usagef("unknown source %q", id).near(catalog.Nearest(id, ids, 3)).hint("gpucost catalog list sources")
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument, got %q", cmd.CommandPath(), args[0]).hint("%s --help", cmd.CommandPath())
	}
	return nil
}

// takes is noArgs for commands that want between low and high arguments.
func takes(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return usagef("%s wants %s, got %d", cmd.CommandPath(), what, len(args)).hint("%s --help", cmd.CommandPath())
		}
		return nil
	}
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
