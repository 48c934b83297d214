package cli

import (
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpucost/gpucost/internal/present"
)

// helpTexts hands every text of the command tree's help to say.
func helpTexts(say func(where, text string)) {
	root := Command()
	root.InitDefaultHelpCmd()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		say(c.CommandPath()+" short", c.Short)
		say(c.CommandPath()+" long", c.Long)
		each := func(f *pflag.Flag) {
			if f.Name != "help" {
				say(c.CommandPath()+" --"+f.Name, f.Usage)
			}
		}
		c.PersistentFlags().VisitAll(each)
		c.Flags().VisitAll(each)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// Every command and flag says what it is in Chinese as well.
func TestHelpIsTranslated(t *testing.T) {
	helpTexts(func(where, text string) {
		if text != "" && chinese(text) == text {
			t.Errorf("%s: no Chinese for %q", where, text)
		}
	})
}

// No translation outlives its text.
func TestHelpTranslationsAreUsed(t *testing.T) {
	used := map[string]bool{}
	helpTexts(func(_, text string) {
		for key := range helpZH() {
			if rest, ok := strings.CutPrefix(text, key); ok && (rest == "" || rest[0] == ':' || rest[0] == '\n') {
				used[key] = true
			}
		}
	})
	for key := range helpZH() {
		if !used[key] {
			t.Errorf("no command or flag says %q any more", key)
		}
	}
}

// Every topic is there in both languages.
func TestTopicsAreTranslated(t *testing.T) {
	for _, name := range []string{"catalog", "environment", "exit-codes", "methodology", "output", "scenarios"} {
		if _, err := topic(name, present.EN); err != nil {
			t.Error(err)
		}
	}
	for _, name := range topics() {
		text, err := topic(name, present.ZH)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		han := 0
		for _, r := range string(text) {
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
		if han < 50 {
			t.Errorf("%s: %d Chinese characters", name, han)
		}
	}
}
