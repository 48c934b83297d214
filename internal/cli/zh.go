package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpucost/gpucost/internal/present"
)

// chineseUsage is cobra's usage text in Chinese.
const chineseUsage = `用法：{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [命令]{{end}}{{if .HasExample}}

示例：
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

命令：{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

参数：
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

全局参数：
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

某个命令的说明："{{.CommandPath}} [命令] --help"{{end}}
`

// translate puts the help of a command tree into Chinese. Names, values and
// examples stay; a text without a translation stays English.
func translate(cmd *cobra.Command) {
	if !cmd.HasParent() {
		cmd.InitDefaultHelpCmd()
		cmd.SetUsageTemplate(chineseUsage)
	}
	cmd.InitDefaultHelpFlag() // also merges the persistent flags into Flags
	cmd.Short, cmd.Long = chinese(cmd.Short), chinese(cmd.Long)
	cmd.Flags().VisitAll(translateFlag)
	for _, sub := range cmd.Commands() {
		translate(sub)
	}
}

// translateFlag also says the default itself: pflag would say it in English.
func translateFlag(f *pflag.Flag) {
	if f.Name == "help" {
		f.Usage = "本说明"
		return
	}
	f.Usage = chinese(f.Usage)
	switch f.DefValue {
	case "", "0", "-1", "false", "[]": // -1: as the output asks
		return
	}
	f.Usage += "（默认 " + f.DefValue + "）"
	f.DefValue = "0"
	if f.Value.Type() == "string" {
		f.DefValue = ""
	}
}

// chinese translates a text, or the part of it before a list of names.
func chinese(text string) string {
	if zh, ok := helpZH()[text]; ok {
		return zh
	}
	for _, end := range []struct{ en, zh string }{{"\n\nKeys of --sort: ", "\n\n--sort 的键："}, {": ", "："}} {
		if head, list, ok := strings.Cut(text, end.en); ok {
			if zh, ok := helpZH()[head]; ok {
				return zh + end.zh + strings.ReplaceAll(list, ", ", "、")
			}
		}
	}
	return text
}

// askedLang is the language of a command line before it is parsed: help is
// printed without running the command.
func (a *App) askedLang(args []string) present.Lang {
	want := a.Env("GPUCOST_LANG")
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--lang="); ok {
			want = value
		} else if arg == "--lang" && i+1 < len(args) {
			want = args[i+1]
		}
	}
	return a.langOf(want)
}
