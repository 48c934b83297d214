package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
)

// Command builds the command tree for documentation tools.
func Command() *cobra.Command {
	a := &App{Env: func(string) string { return "" }}
	return a.root("")
}

// root is the command tree, or the part of it that a command line which
// begins with a command's name needs.
func (a *App) root(first string) *cobra.Command {
	root := &cobra.Command{
		Use:           "gpucost",
		Short:         "What a GPU costs where, offline, dated and sourced",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          func(cmd *cobra.Command, args []string) error { return a.bare(cmd, args) },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.resolve(cmd.Flags())
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetIn(a.Stdin)
	addSettings(root.PersistentFlags())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd == root && first != "" && first[0] != '-' { // its flags are unknown because the command is
			return unknownCommand(root, first)
		}
		return flagError(cmd, err)
	})
	root.AddCommand(a.commands(first)...)
	root.SetHelpCommand(a.helpCommand(root))
	a.completions(root)
	return root
}

// builder is a command that is made when it is needed.
type builder struct {
	name  string
	build func() *cobra.Command
}

// builders lists every command once.
func (a *App) builders() []builder {
	return []builder{
		{"compare", a.compareCommand},
		{"estimate", a.estimateCommand},
		{"scenario", a.scenarioCommand},
		{"accuracy", a.accuracyCommand},
		{"calibrate", a.calibrateCommand},
		{"catalog", a.catalogCommand},
		{"config", a.configCommand},
		{"doctor", a.doctorCommand},
		{"version", a.versionCommand},
		{"completion", a.completionCommand},
		{"prices", a.pricesCommand},
		{"metrics", a.metricsCommand},
		{"claims", a.claimsCommand},
		{"spot", a.spotCommand},
		{"breakeven", a.breakevenCommand},
		{"plan", a.planCommand},
	}
}

// commands makes the command of a name, or all of them for any other word:
// all take a tenth of the time of a whole answer.
func (a *App) commands(first string) []*cobra.Command {
	all := a.builders()
	if i := slices.IndexFunc(all, func(b builder) bool { return b.name == first }); i >= 0 {
		return []*cobra.Command{all[i].build()}
	}
	var out []*cobra.Command
	for _, b := range all {
		out = append(out, b.build())
	}
	return out
}

// bare greets with examples, or refuses a command that does not exist.
func (a *App) bare(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	_, err := fmt.Fprint(a.Stdout, a.lang().T("bare"))
	return err
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	path := strings.TrimPrefix(cmd.CommandPath()+" "+name, "gpucost ")
	return usagef("unknown command %q", path).near(catalog.Nearest(name, names, 3)).hint("commands: %s", strings.Join(names, ", "))
}

func flagError(cmd *cobra.Command, err error) error {
	f := usagef("%v", err)
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f = usagef("--%s %q: want %s", bad.GetFlag().Name, bad.GetValue(), wantedOf(bad.GetFlag().Value.Type()))
	}
	if _, name, ok := strings.Cut(err.Error(), "unknown flag: --"); ok {
		var names []string
		for _, n := range flagNames(cmd) {
			names = append(names, "--"+n)
		}
		f = f.near(catalog.Nearest("--"+name, names, 3))
	}
	return f.hint("%s --help", cmd.CommandPath())
}

// wantedOf says what the values of a flag's type look like.
func wantedOf(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	}
	return kind
}

// group is a command that only holds others.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(subs...)
	return cmd
}

// lang is the language of people's text: --lang, else the locale.
func (a *App) lang() present.Lang { return a.langOf(a.settings.get("lang")) }

func (a *App) langOf(want string) present.Lang {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if want == "" {
			want = a.Env(name)
		}
	}
	return present.LangOfLocale(want)
}

// show writes the answer in the format asked for.
func (a *App) show(d present.Doc) error {
	format, err := present.ParseFormat(a.settings.get("output"))
	if err != nil {
		return usagef("%v", err)
	}
	width, tty := a.width()
	utf8 := !a.settings.is("ascii")
	return present.Write(a.Stdout, a.Stderr, a.store.On(d, a.lang()), present.Options{
		Format: format, Width: width, ASCII: !utf8, Lang: a.lang(),
		Color: tty && !a.settings.is("no-color") && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb",
		BOM:   a.flagged("bom"),
	})
}

func (a *App) flagged(name string) bool {
	f := a.settings.flags.Lookup(name)
	return f != nil && f.Value.String() == "true"
}

// width is COLUMNS, else the terminal's, else 80.
func (a *App) width() (columns int, tty bool) {
	columns, tty = a.Terminal()
	var n int
	if _, err := fmt.Sscanf(a.Env("COLUMNS"), "%d", &n); err == nil && n >= 20 && n <= 1000 {
		columns = n
	}
	if columns <= 0 {
		columns = 80
	}
	return columns, tty
}
