package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/history"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/source"
)

const (
	// ownStore asks for the user's own store, wherever it is.
	ownStore = "default"
	// noPlace is the code of not knowing where a store would be.
	noPlace = "no_store"
	// ownFormat is the format of the user's own lists.
	ownFormat = "csv"
	// storeWait is how long a store may take to answer before the embedded
	// catalog answers alone.
	storeWait = 15 * time.Second
)

// storeGiven reports whether the command line asks for a store. Only then do
// commands about the catalog open one.
func (a *App) storeGiven() bool { return a.settings.origin("store") == "--store" }

// storeLocation is where the prices are kept: --store, GPUCOST_STORE, the
// configuration, else a file in the user's data directory.
func (a *App) storeLocation() (string, error) {
	at := a.settings.get("store")
	if at == ownStore {
		at = a.belowFlags("store")
	}
	if at == "" || at == ownStore {
		dir := a.dataDir()
		if dir == "" {
			f := usagef("no place for a price store is known").hint("say where: --store FILE, or postgres://...")
			f.code = noPlace
			return "", f
		}
		return filepath.Join(dir, "gpucost", "prices.db"), nil
	}
	if scheme, _, found := strings.Cut(at, "://"); found && scheme != "postgres" && scheme != "postgresql" && scheme != "sqlite" {
		return "", usagef("%s %q: unknown kind of store %q", a.settings.origin("store"), withoutPassword(at), scheme).hint("want a file or postgres://user@host/database")
	}
	return at, nil
}

// belowFlags is a setting as the environment or the configuration have it.
func (a *App) belowFlags(name string) string {
	for _, s := range known {
		if env := a.Env(s.variable()); s.name == name && env != "" {
			return env
		}
	}
	for _, file := range a.configFiles() {
		if v, err := a.loadConfig(file); err == nil && v != nil && v.IsSet(name) {
			return v.GetString(name)
		}
	}
	return ""
}

// dataDir is the platform's directory for a user's data.
func (a *App) dataDir() string {
	home := a.Env("HOME")
	switch {
	case a.Env("XDG_DATA_HOME") != "":
		return a.Env("XDG_DATA_HOME")
	case runtime.GOOS == "windows":
		return a.Env("LocalAppData")
	case home == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	return filepath.Join(home, ".local", "share")
}

// withoutPassword is a location that may be shown.
func withoutPassword(location string) string {
	if !strings.Contains(location, "://") {
		return location
	}
	u, err := url.Parse(location)
	if err != nil {
		return "..." + location[strings.LastIndexByte(location, '@')+1:]
	}
	if q := u.Query(); q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// existingStore opens a store for writing that must be there.
func (a *App) existingStore(ctx context.Context) (*history.Store, error) {
	at, err := a.storeLocation()
	if err != nil {
		return nil, err
	}
	s, err := openExisting(ctx, at)
	return s, storeFault(err)
}

// openExisting is history.Open for a store that must be there.
func openExisting(ctx context.Context, at string) (*history.Store, error) {
	s, err := history.OpenRead(ctx, at)
	switch {
	case errors.Is(err, history.ErrNoStore):
		return nil, err
	case err == nil: // any other trouble, such as an old version, is Open's to mend
		s.Close() //nolint:errcheck // nothing was read
	}
	return history.Open(ctx, at)
}

// readStore opens a store that must be there.
func (a *App) readStore(ctx context.Context) (*history.Store, error) {
	at, err := a.storeLocation()
	if err != nil {
		return nil, err
	}
	s, err := history.OpenRead(ctx, at)
	return s, storeFault(err)
}

func storeFault(err error) error {
	if errors.Is(err, history.ErrNoStore) {
		return failf("%v", err).hint("fill one: gpucost prices refresh, or gpucost catalog import --store FILE ...")
	}
	return err
}

// layStore lays what the store says last over the embedded catalog. Whatever
// is wrong with the store, the embedded catalog answers, and says so.
func (a *App) layStore(c *catalog.Catalog, want []catalog.Section) (*catalog.Catalog, error) {
	at, err := a.storeLocation()
	if f, ok := errors.AsType[*fault](err); ok && f.code == noPlace {
		a.store = &present.StoreNote{PastLimit: []string{}, Fallback: f.msg}
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	now, err := a.moment()
	if err != nil {
		return nil, err
	}
	var asOf time.Time
	if a.settings.get("as-of") != "" {
		day, err := a.day("as-of", catalog.Date{})
		if err != nil {
			return nil, err
		}
		asOf = endOf(day).Add(-time.Microsecond)
	}
	a.store = &present.StoreNote{Location: withoutPassword(at), PastLimit: []string{}}
	ctx, cancel := context.WithTimeout(a.context(), storeWait)
	defer cancel()
	latest, sources, err := a.latestOf(ctx, at, asOf, c)
	if cause := context.Cause(a.context()); cause != nil {
		return nil, cause
	}
	if err != nil {
		a.store.Fallback = storeTrouble(err)
		return c, nil
	}
	describeStore(a.store, latest, sources, now)
	if a.store.Prices == 0 && len(latest.Interruption) == 0 {
		a.store.Fallback = a.lang().T("store.empty")
		return c, nil
	}
	return lay(c, sectioned(latest, want)), nil
}

// storeTrouble is why a store cannot be used, on one line.
func storeTrouble(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// manyPrices is from where on a store is read for the GPUs and the sellers
// asked for only, and mostPrices how many of those an answer takes. Tests make
// them small.
var manyPrices, mostPrices = 20_000, 300_000

// latestOf is what a store says last, and how its sources stand.
func (a *App) latestOf(ctx context.Context, at string, asOf time.Time, c *catalog.Catalog) (*catalog.Catalog, []history.SourceStatus, error) {
	s, err := history.OpenRead(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close() //nolint:errcheck // reading only
	sources, err := s.Sources(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows := 0
	for i := range sources {
		rows += sources[i].Rows
	}
	var f history.Filter
	if rows > manyPrices {
		f.GPUs, f.Providers = a.askedGPUs(c), a.askedProviders(c)
	}
	if len(f.GPUs) > 0 {
		f.GPUs = append(f.GPUs, "") // prices per token are of no GPU
	}
	if rows > mostPrices {
		meant, err := s.Count(ctx, f)
		if err != nil {
			return nil, nil, err
		}
		if meant > mostPrices {
			return nil, nil, errors.New(a.lang().T("store.large", rows, meant, mostPrices))
		}
	}
	latest, err := s.Latest(ctx, f, asOf)
	return latest, sources, err
}

// askedGPUs are the ids that the command's --gpu means; none when it has no
// such flag. What is wrong with it is the command's to say.
func (a *App) askedGPUs(c *catalog.Catalog) []string {
	flag := a.settings.flags.Lookup("gpu")
	if flag == nil || len(c.GPUs) == 0 {
		return nil
	}
	set, err := catalog.NewNames(c.GPUs).WithOffers(c.Offers).ParseGPUs(strings.Trim(flag.Value.String(), "[]"))
	if err != nil {
		return nil
	}
	var ids []string
	for _, q := range set.Queries {
		ids = append(append(ids, q.IDs...), q.Raw...)
	}
	return ids
}

// askedProviders are the ids of the command's --provider; none when it has no
// such flag.
func (a *App) askedProviders(c *catalog.Catalog) []string {
	flag := a.settings.flags.Lookup("provider")
	if flag == nil {
		return nil
	}
	list, ok := flag.Value.(interface{ GetSlice() []string })
	if !ok {
		return nil
	}
	return providersNamed(c, list.GetSlice())
}

// describeStore counts what the store gave and how old it is.
func describeStore(n *present.StoreNote, latest *catalog.Catalog, sources []history.SourceStatus, now time.Time) {
	n.Offers = len(latest.Offers)
	for i := range latest.Offers {
		n.Prices += len(latest.Offers[i].Prices)
	}
	n.Prices += len(latest.Tokens) + len(latest.Serverless) + len(latest.FX)
	for i := range sources {
		st := &sources[i]
		if st.LastSuccess.IsZero() || st.LastSuccess.After(now) {
			continue
		}
		n.Sources++
		age := int64(now.Sub(st.LastSuccess) / time.Second)
		if n.Sources == 1 || age < n.YoungestSeconds {
			n.YoungestSeconds = age
		}
		if age >= n.OldestSeconds {
			n.OldestSeconds, n.Oldest = age, st.Source
		}
		if f := formatOf(st.Source); f != nil && time.Duration(age)*time.Second > f.TTL().Hard {
			n.PastLimit = append(n.PastLimit, st.Source)
		}
	}
}

// formatOf is the format of a source of the store; nil for a source of the
// user's own.
func formatOf(name string) *source.Format {
	base, _, _ := strings.Cut(name, "/")
	f, err := source.Lookup(base)
	if err != nil || f.Name == ownFormat {
		return nil
	}
	return f
}

// sectioned is the wanted part of a catalog.
func sectioned(c *catalog.Catalog, want []catalog.Section) *catalog.Catalog {
	if len(want) == 0 {
		return c
	}
	var all catalog.Section
	for _, w := range want {
		all |= w
	}
	out := &catalog.Catalog{}
	if all&catalog.SectionOffers != 0 {
		out.Offers = c.Offers
	}
	if all&catalog.SectionFX != 0 {
		out.FX = c.FX
	}
	if all&catalog.SectionTokens != 0 {
		out.Tokens = c.Tokens
	}
	if all&catalog.SectionServerless != 0 {
		out.Serverless = c.Serverless
	}
	if all&catalog.SectionInterruption != 0 {
		out.Interruption = c.Interruption
	}
	return out
}

// lay adds observations to a catalog: the prices of one offer come together,
// so that the newest counts and a contradiction shows.
func lay(c, part *catalog.Catalog) *catalog.Catalog {
	out := *c
	out.Offers, out.Providers, out.Sources = slices.Clone(c.Offers), slices.Clone(c.Providers), slices.Clone(c.Sources)
	out.FX = slices.Concat(c.FX, part.FX)
	out.Tokens = slices.Concat(c.Tokens, part.Tokens)
	out.Serverless = slices.Concat(c.Serverless, part.Serverless)
	out.Interruption = slices.Concat(c.Interruption, part.Interruption)
	names := catalog.NewNames(c.GPUs)
	at := make(map[catalog.OfferKey]int, len(out.Offers)+len(part.Offers))
	for i := range out.Offers {
		at[out.Offers[i].Key()] = i
	}
	for _, o := range part.Offers {
		if !o.GPUKnown {
			if id, ok := names.ResolveGPU(o.GPU, o.GPUMemoryGB, o.Instance); ok {
				o.GPU, o.GPUKnown = id, true
			}
		}
		i, known := at[o.Key()]
		if !known {
			at[o.Key()] = len(out.Offers)
			out.Offers = append(out.Offers, o)
			continue
		}
		old := out.Offers[i]
		old.Prices = slices.Concat(old.Prices, o.Prices)
		old.Available = cmp.Or(o.Available, old.Available)
		out.Offers[i] = old
	}
	introduce(&out)
	return &out
}

// introduce lists the sellers and the sources that only the observations
// name, and brings the offers of one seller together.
func introduce(c *catalog.Catalog) {
	order, listed := map[string]int{}, map[string]bool{}
	for i := range c.Providers {
		order[c.Providers[i].ID] = i
	}
	for i := range c.Sources {
		listed[c.Sources[i].ID] = true
	}
	list := func(id string) {
		if listed[id] {
			return
		}
		listed[id] = true
		s := catalog.Source{ID: id, Name: id, Kind: "catalog"}
		if f := formatOf(id); f != nil {
			s = f.Source()
			s.ID = id
		}
		c.Sources = append(c.Sources, s)
	}
	for i := range c.Offers {
		o := &c.Offers[i]
		if _, known := order[o.Provider]; !known {
			order[o.Provider] = len(c.Providers)
			c.Providers = append(c.Providers, catalog.Provider{ID: o.Provider, Name: o.Provider})
		}
		for j := range o.Prices {
			list(o.Prices[j].Source)
		}
	}
	for i := range c.Interruption {
		list(c.Interruption[i].Source)
	}
	slices.SortStableFunc(c.Offers, func(a, b catalog.Offer) int { return cmp.Compare(order[a.Provider], order[b.Provider]) })
}

// moment is now, or the end of the day that --now names.
func (a *App) moment() (time.Time, error) {
	now := a.Now().UTC()
	day, err := a.day("now", catalog.DateOf(now))
	if err != nil || day == catalog.DateOf(now) {
		return now, err
	}
	return endOf(day).Add(-time.Microsecond), nil
}

// endOf is the first moment after a day, a month or a year.
func endOf(d catalog.Date) time.Time {
	first := d.First()
	switch {
	case d.Month == 0:
		return first.AddDate(1, 0, 0)
	case d.Day == 0:
		return first.AddDate(0, 1, 0)
	}
	return first.AddDate(0, 0, 1)
}

// dayFlag reads a date of a flag; unknown when it is not given.
func dayFlag(name, text string) (catalog.Date, error) {
	if text == "" {
		return catalog.Date{}, nil
	}
	d, err := catalog.ParseDate(text)
	if err != nil || !d.Known() {
		return d, usagef("--%s %q: want a date such as 2026-11-30", name, text)
	}
	return d, nil
}

// between reads --since and --until: from the first day's start to the last
// one's end. A zero time is no bound.
func between(since, until string) (from, to time.Time, err error) {
	first, err := dayFlag("since", since)
	if err != nil {
		return from, to, err
	}
	last, err := dayFlag("until", until)
	if err != nil {
		return from, to, err
	}
	if first.Known() {
		from = first.First()
	}
	if last.Known() {
		to = endOf(last)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, usagef("--since %s is after --until %s", since, until)
	}
	return from, to, nil
}

func (a *App) context() context.Context {
	if a.ctx == nil {
		return context.Background()
	}
	return a.ctx
}

// tool is what this program calls itself in a store.
func tool() string { return fmt.Sprintf("gpucost %s", version) }
