package cli

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

//go:embed topics/*.txt
var topicFiles embed.FS

// topics lists the topics by name.
func topics() []string {
	entries, err := fs.ReadDir(topicFiles, "topics")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".txt"); !strings.HasSuffix(name, ".zh") {
			names = append(names, name)
		}
	}
	return names
}

// topic is the text of a topic, in Chinese where there is one and it is asked
// for.
func topic(name string, lang present.Lang) ([]byte, error) {
	if lang == present.ZH {
		if text, err := topicFiles.ReadFile("topics/" + name + ".zh.txt"); err == nil {
			return text, nil
		}
	}
	return topicFiles.ReadFile("topics/" + name + ".txt")
}

func (a *App) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND | TOPIC]", Short: "Help on a command or a topic: " + strings.Join(topics(), ", "),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			names := topics()
			for _, c := range root.Commands() {
				names = append(names, c.Name())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			if len(args) == 1 && slices.Contains(topics(), args[0]) {
				text, err := topic(args[0], a.lang())
				if err == nil {
					_, err = a.Stdout.Write(text)
				}
				return err
			}
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || cmd == root {
				names := topics()
				for _, c := range root.Commands() {
					names = append(names, c.Name())
				}
				return usagef("no help on %q", strings.Join(args, " ")).near(catalog.Nearest(args[0], names, 3)).hint("topics: %s", strings.Join(topics(), ", "))
			}
			return cmd.Help()
		},
	}
}

func (a *App) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Checks the program, its data and its surroundings", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.doctor() },
	}
}

func (a *App) doctor() error {
	var l checks
	c, err := a.catalog()
	if err != nil {
		return err
	}
	now, err := a.day("now", catalog.DateOf(a.Now()))
	if err != nil {
		return err
	}
	newest, fresh, total := catalog.Date{}, 0, 0
	for i := range c.Offers {
		for j := range c.Offers[i].Prices {
			p := &c.Offers[i].Prices[j]
			total++
			if p.AsOf.Compare(newest) > 0 {
				newest = p.AsOf
			}
			if p.AsOf.Known() && p.AsOf.DaysUntil(now) <= catalog.FreshDays {
				fresh++
			}
		}
	}
	l.add(total > 0, "catalog", fmt.Sprintf("%d prices of %d providers, reviewed %s", total, len(c.Providers), c.AsOf))
	l.add(newest.Known() && newest.DaysUntil(now) <= catalog.FreshDays, "freshness", fmt.Sprintf("newest price %s; %d of %d within 90 days", newest, fresh, total))
	if r, ok := pricing.NewExchange("CNY", c.FX, nil, now).Rate("USD"); ok {
		l.add(true, "exchange", fmt.Sprintf("1 %s = %s %s of %s", r.Base, r.Value, r.Quote, r.AsOf))
	} else {
		l.add(false, "exchange", "no rate between USD and CNY")
	}
	for _, file := range a.configFiles() {
		state := "not there"
		if v, err := a.loadConfig(file); err != nil {
			l.add(false, "config", err.Error())
			continue
		} else if v != nil {
			state = fmt.Sprintf("%d settings", len(v.AllKeys()))
		}
		l.add(true, "config", file+": "+state)
	}
	width, tty := a.width()
	l.add(true, "output", fmt.Sprintf("terminal %v, %d columns, language %s", tty, width, a.lang()))
	if err := a.show(l.listing(a.lang()).Doc()); err != nil {
		return err
	}
	if l.bad > 0 {
		return checkf("%d checks need attention", l.bad)
	}
	return nil
}
