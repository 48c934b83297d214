package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
)

// setting is one thing that a flag, the environment or a file can set.
type setting struct {
	name, fallback, help string
	list                 bool
}

// known lists the settings in the order shown to people. Each is also a
// persistent flag of the same name and an environment variable GPUCOST_NAME.
var known = []setting{
	{name: "output", fallback: "table", help: "format: table, wide, json, ndjson, csv, tsv, yaml, markdown or html"},
	{name: "lang", help: "language: en or zh (default from LC_ALL, LC_MESSAGES, LANG)"},
	{name: "currency", help: "show amounts in this currency (default USD; CNY with --market cn)"},
	{name: "fx", list: true, help: "own exchange rates, units for one USD, such as CNY=7.20"},
	{name: "catalog", list: true, help: "lay a catalog file or directory over the embedded one; - is stdin"},
	{name: "catalog-only", help: "use this catalog file and nothing else"},
	{name: "as-of", help: "answer as the catalog stood on this day, 2026-11-30"},
	{name: "now", help: "count ages from this day instead of today"},
	{name: "source", help: "use the prices of this source only"},
	{name: "max-age", help: "leave out prices older than this many days"},
	{name: "strict", fallback: "false", help: "exit 3 when --max-age left something out"},
	{name: "hours-per-month", fallback: "730", help: "length of a month in hours"},
	{name: "no-color", fallback: "false", help: "no colours, also with NO_COLOR or TERM=dumb"},
	{name: "ascii", fallback: "false", help: "ASCII characters only in tables"},
	{name: "store", help: "also use the prices of this store: a file, postgres://user@host/database, or the word default"},
	{name: "key-command", help: "command that prints the key of a price source, whose name it is given"},
	{name: "explain", fallback: "false", help: "show formulas, inputs and where each came from"},
}

const configFile = "gpucost.yaml"

// settings holds the values in force and where each came from.
type settings struct {
	values  map[string]string
	origins map[string]string
	flags   *pflag.FlagSet
}

func (s *settings) get(name string) string    { return s.values[name] }
func (s *settings) origin(name string) string { return s.origins[name] }
func (s *settings) is(name string) bool       { return s.values[name] == "true" }

func (s *settings) list(name string) []string {
	if s.values[name] == "" {
		return nil
	}
	return strings.Split(s.values[name], listSeparator)
}

// listSeparator cannot occur in a file name, a rate or a list on a command line.
const listSeparator = "\n"

func (s *settings) jsonErrors() bool { return strings.Contains(s.values["output"], "json") }

// resolve finds every setting: flag > GPUCOST_* > ./gpucost.yaml > the user's
// configuration directory > default. An empty variable counts as unset.
func (a *App) resolve(flags *pflag.FlagSet) (err error) {
	a.settings = settings{values: map[string]string{}, origins: map[string]string{}, flags: flags}
	if short := flags.Lookup("json"); short != nil && short.Changed && !flags.Changed("output") {
		if err := flags.Set("output", "json"); err != nil {
			return err
		}
	}
	if out := flags.Lookup("output"); out != nil { // so that an error about the files is said as asked
		a.settings.values["output"] = out.Value.String()
		if env := a.Env("GPUCOST_OUTPUT"); env != "" && !out.Changed {
			a.settings.values["output"] = env
		}
	}
	type layer struct {
		name string
		v    *viper.Viper
	}
	var layers []layer
	for _, file := range a.configFiles() {
		v, err := a.loadConfig(file)
		if err != nil {
			return err
		}
		if v != nil {
			layers = append(layers, layer{file, v})
		}
	}
	for _, s := range known {
		value, origin := s.fallback, "default"
		for _, l := range slices.Backward(layers) {
			if l.v.IsSet(s.name) {
				value, origin = s.fromFile(l.v), l.name
			}
		}
		if env := a.Env(s.variable()); env != "" {
			value, origin = env, s.variable()
			if s.list {
				value = strings.ReplaceAll(env, ",", listSeparator)
			}
		}
		if f := flags.Lookup(s.name); f != nil && f.Changed {
			value, origin = s.fromFlag(f), "--"+s.name
		}
		a.settings.origins[s.name] = origin
		if a.settings.values[s.name], err = s.check(value, origin); err != nil {
			return err
		}
	}
	return nil
}

// check brings a switch to true or false and refuses a language that nobody
// translated: a setting that is not understood must not be taken as off.
func (s setting) check(value, origin string) (string, error) {
	switch {
	case s.fallback == "false":
		switch strings.ToLower(value) {
		case "true", "1", "yes", "on":
			return "true", nil
		case "false", "0", "no", "off", "":
			return "false", nil
		}
		return value, usagef("%s %q: want true or false", origin, value)
	case s.name == "lang" && value != "" && !strings.HasPrefix(strings.ToLower(value), "en") && present.LangOfLocale(value) != present.ZH:
		return value, usagef("%s %q: want en or zh", origin, value)
	}
	return value, nil
}

// askedOutput is the output format of a command line before it is parsed, so
// that an error in it is said as asked.
func (a *App) askedOutput(args []string) string {
	want := a.Env("GPUCOST_OUTPUT")
	for i, arg := range args {
		switch {
		case arg == "--json":
			want = "json"
		case (arg == "-o" || arg == "--output") && i+1 < len(args):
			want = args[i+1]
		case strings.HasPrefix(arg, "--output="):
			want = strings.TrimPrefix(arg, "--output=")
		case strings.HasPrefix(arg, "-o") && len(arg) > 2:
			want = strings.TrimPrefix(arg[2:], "=")
		}
	}
	return want
}

func (s setting) variable() string {
	return "GPUCOST_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

func (s setting) fromFile(v *viper.Viper) string {
	if s.list {
		return strings.Join(v.GetStringSlice(s.name), listSeparator)
	}
	return v.GetString(s.name)
}

func (s setting) fromFlag(f *pflag.Flag) string {
	if sv, ok := f.Value.(pflag.SliceValue); ok {
		return strings.Join(sv.GetSlice(), listSeparator)
	}
	return f.Value.String()
}

// configFiles lists the files that are read, the nearest first.
func (a *App) configFiles() []string {
	files := []string{configFile}
	dir := a.Env("XDG_CONFIG_HOME")
	if dir == "" && a.Env("HOME") != "" {
		dir = filepath.Join(a.Env("HOME"), ".config")
	}
	if appData := a.Env("AppData"); dir == "" && appData != "" {
		dir = appData
	}
	if dir != "" {
		files = append(files, filepath.Join(dir, "gpucost", configFile))
	}
	return files
}

func (a *App) loadConfig(file string) (*viper.Viper, error) {
	b, err := a.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, os.ErrPermission) && file != configFile {
		return nil, nil
	}
	if err != nil {
		return nil, failf("%s: %v", file, err)
	}
	v := viper.New()
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(b)); err != nil {
		return nil, usagef("%s: %s", file, strings.TrimPrefix(err.Error(), "While parsing config: "))
	}
	names := settingNames()
	for _, key := range v.AllKeys() {
		if !slices.Contains(names, key) {
			return nil, usagef("%s: unknown setting %q", file, key).near(catalog.Nearest(key, names, 3))
		}
	}
	return v, nil
}

func settingNames() []string {
	var names []string
	for _, s := range known {
		names = append(names, s.name)
	}
	return names
}

// addSettings declares the persistent flags.
func addSettings(flags *pflag.FlagSet) {
	for _, s := range known {
		switch {
		case s.list:
			flags.StringArray(s.name, nil, s.help)
		case s.fallback == "false":
			flags.Bool(s.name, false, s.help)
		default:
			flags.String(s.name, s.fallback, s.help)
		}
	}
	flags.Lookup("output").Shorthand = "o"
	flags.Bool("json", false, "the same as -o json")
}

func unknownSetting(name string) error {
	return usagef("unknown setting %q", name).near(catalog.Nearest(name, settingNames(), 3))
}
