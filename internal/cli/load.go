package cli

import (
	"os"
	"path/filepath"

	"github.com/gpucost/gpucost/data"
	"github.com/gpucost/gpucost/internal/catalog"
)

// catalog is the embedded catalog, or the wanted sections of it, with what
// the store of --store says and then the user's files laid over it.
func (a *App) catalog(want ...catalog.Section) (*catalog.Catalog, error) {
	if only := a.settings.get("catalog-only"); a.storeGiven() && only != "" {
		return nil, usagef("--store and --catalog-only %q: that file and nothing else would leave the store out", only).hint("--catalog %s lays it over the store", only)
	}
	c, err := embedded(want...)
	if err == nil && a.storeGiven() {
		c, err = a.layStore(c, want)
	}
	if err != nil {
		return nil, err
	}
	return a.withFiles(c)
}

// ground is the catalog without a store: for commands about the store.
func (a *App) ground(want ...catalog.Section) (*catalog.Catalog, error) {
	c, err := embedded(want...)
	if err != nil {
		return nil, err
	}
	return a.withFiles(c)
}

// withFiles lays the user's files over a catalog.
func (a *App) withFiles(c *catalog.Catalog) (_ *catalog.Catalog, err error) {
	files := a.settings.list("catalog")
	if only := a.settings.get("catalog-only"); only != "" {
		c = c.WithoutPrices()
		files = append([]string{only}, files...)
	}
	for _, name := range files {
		if c, err = a.overlay(c, name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func embedded(want ...catalog.Section) (*catalog.Catalog, error) {
	c, err := catalog.Embedded(data.CatalogTwin, want...)
	if err != nil {
		return nil, failf("embedded catalog: %v", err)
	}
	return c, nil
}

// overlay lays a file, every YAML file of a directory, or standard input
// over c.
func (a *App) overlay(c *catalog.Catalog, name string) (*catalog.Catalog, error) {
	files, err := expand(name)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		b, err := a.read(file)
		if err != nil {
			return nil, err
		}
		next, problems := catalog.LoadOverlay(c, display(file), b)
		if problems.Err() != nil {
			return nil, problemFault(problems)
		}
		c = next
	}
	return c, nil
}

// expand is a file's own name, or the YAML files of a directory in the order of
// their names.
func expand(name string) ([]string, error) {
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.IsDir() {
		return []string{name}, nil // whoever reads it says what is wrong with it
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, usagef("%v", err)
	}
	var files []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, usagef("%s: no .yaml or .yml file in this directory", name)
	}
	return files, nil
}

func display(file string) string {
	if file == "-" {
		return "stdin"
	}
	return file
}

// shownProblems bounds what an unreadable file prints.
const shownProblems = 20

// problemFault says what is wrong in a user's file, every place in one go.
func problemFault(ps catalog.Problems) *fault {
	f := usagef("")
	f.code = "catalog"
	errs := ps.Errors()
	for i, p := range errs {
		if i == 0 {
			f.msg = p.String()
		} else if i < shownProblems {
			f.hints = append(f.hints, "also "+p.String())
		}
		if p.Hint != "" && i < 3 {
			f = f.hint("%s", p.Hint)
		}
	}
	if len(errs) > shownProblems {
		f = f.hint("%d more problems: gpucost catalog lint FILE", len(errs)-shownProblems)
	}
	return f
}

// catalogNamed is a catalog by file name, or the embedded one.
func (a *App) catalogNamed(name string) (*catalog.Catalog, error) {
	c, err := embedded()
	if err != nil || name == "embedded" {
		return c, err
	}
	return a.overlay(c.WithoutPrices(), name)
}

// problems lints the named files on the ground of the embedded names, or the
// embedded catalog from its own YAML.
func (a *App) problems(files []string, now catalog.Date) (catalog.Problems, error) {
	if len(files) == 0 {
		c, ps := catalog.Load(data.Files)
		if c == nil {
			return ps, nil
		}
		return append(ps, catalog.Lint(c, now)...), nil
	}
	base, err := embedded()
	if err != nil {
		return nil, err
	}
	var all catalog.Problems
	c := base.WithoutPrices()
	var named []string
	for _, name := range files {
		expanded, err := expand(name)
		if err != nil {
			return nil, err
		}
		named = append(named, expanded...)
	}
	for _, name := range named {
		b, err := a.read(name)
		if err != nil {
			return nil, err
		}
		next, ps := catalog.LoadOverlay(c, display(name), b)
		all = append(all, ps...)
		if next != nil {
			c = next
		}
	}
	return append(all, catalog.Lint(c, now)...), nil
}
