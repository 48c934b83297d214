package cli

import (
	"errors"
	"path/filepath"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
	"github.com/gpucost/gpucost/internal/present"
)

// checkScenario reads a scenario as an estimate would, and says what is wrong
// with it or what it asks for. Only an unreadable file is an error.
func (a *App) checkScenario(name string, c *catalog.Catalog) (present.Check, error) {
	report := present.Check{Name: name}
	b, err := a.read(name)
	if err != nil {
		return report, err
	}
	s, ps := library().Read(display(name), b)
	if ps.Err() == nil {
		report.Scenario = s
		err := a.modelConfig(s, filepath.Dir(name), c)
		if err == nil {
			err = estimate.Check(s, c)
		}
		if err != nil && !errors.As(err, &ps) {
			ps = catalog.Problems{{Code: "bad-scenario", File: display(name), What: err.Error()}}
		}
	}
	report.Problems = ps.Errors()
	return report, nil
}
