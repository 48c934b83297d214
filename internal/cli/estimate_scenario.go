package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/data"
	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/estimate"
)

func library() *estimate.Library {
	b, err := data.Files.ReadFile("scenarios.yaml")
	if err != nil {
		panic(err) // embedded
	}
	return estimate.NewLibrary("scenarios.yaml", b)
}

// scenarioOf reads the scenario and lays the flags over it.
func (a *App) scenarioOf(cmd *cobra.Command, o *estimateOptions, kind estimate.Kind, c *catalog.Catalog) (*estimate.Scenario, error) {
	settings, err := a.settingsOf(cmd, o, kind)
	if err != nil {
		return nil, err
	}
	s := &estimate.Scenario{}
	dir := ""
	switch {
	case o.scenario != "":
		if s, err = a.readScenario(o.scenario); err != nil {
			return nil, err
		}
		dir = filepath.Dir(o.scenario)
		if kind != "" && s.Kind != kind {
			return nil, usagef("--scenario %s is of kind %s, not %s", o.scenario, s.Kind, kind)
		}
	case kind == "":
		return nil, usagef("state what to estimate: --scenario NAME, or train, serve, batch or rent").hint("gpucost scenario list")
	}
	if err := s.Set(settings...); err != nil {
		return nil, scenarioFault(err)
	}
	return s, a.modelConfig(s, dir, c)
}

// settingsOf are the values that the command line states.
func (a *App) settingsOf(cmd *cobra.Command, o *estimateOptions, kind estimate.Kind) ([]estimate.Setting, error) {
	var out []estimate.Setting
	if kind != "" && o.scenario == "" {
		out = append(out, estimate.Setting{Key: "kind", Value: string(kind), Flag: "estimate"})
	}
	for _, s := range append(slices.Clone(everywhere), shortcuts[kind]...) {
		if f := cmd.Flags().Lookup(s.flag); f != nil && f.Changed {
			out = append(out, estimate.Setting{Key: s.key, Value: f.Value.String(), Flag: "--" + s.flag})
		}
	}
	for _, text := range o.set {
		s, err := estimate.ParseSetting(text)
		if err != nil {
			return nil, usagef("%v", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// readScenario takes the name of a built-in scenario, a file's name, or -.
func (a *App) readScenario(name string) (*estimate.Scenario, error) {
	l := library()
	if name != "-" && !strings.ContainsAny(name, `./\`) {
		s, err := l.Scenario(name)
		if err != nil {
			return nil, scenarioFault(err)
		}
		return s, nil
	}
	b, err := a.read(name)
	if err != nil {
		return nil, err
	}
	s, ps := l.Read(display(name), b)
	if ps.Err() != nil {
		return nil, problemFault(ps)
	}
	return s, nil
}

// modelConfig reads the model's configuration beside the scenario's file.
func (a *App) modelConfig(s *estimate.Scenario, dir string, c *catalog.Catalog) error {
	file := s.ModelConfig
	if file == "" {
		return nil
	}
	if s.Origin("model_config").Kind != "flag" && !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	b, err := a.read(file)
	if err != nil {
		return err
	}
	m, err := estimate.ModelFromConfig(file, b, c)
	if err != nil {
		return scenarioFault(err)
	}
	s.SetModel(m, file)
	return nil
}

// scenarioFault gives the errors of a scenario their hints.
func scenarioFault(err error) error {
	var ps catalog.Problems
	var set *estimate.SettingError
	var unknown *estimate.UnknownScenarioError
	switch {
	case errors.As(err, &ps):
		return problemFault(ps)
	case errors.As(err, &set):
		f := usagef("%v", set)
		if set.Hint != "" {
			f = f.hint("%s", set.Hint)
		}
		return f
	case errors.As(err, &unknown):
		return usagef("%v", unknown).near(unknown.Near).hint("gpucost scenario list; a file's name ends in .yaml")
	}
	return err
}
