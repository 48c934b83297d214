package cli

import "testing"

// TestBuilders: a command is found by its name without the others, and those
// are there for whoever asks for another word.
func TestBuilders(t *testing.T) {
	a := &App{Env: func(string) string { return "" }}
	for _, b := range a.builders() {
		if got := a.commands(b.name); len(got) != 1 || got[0].Name() != b.name {
			t.Errorf("%s makes %v", b.name, got)
		}
	}
	for _, first := range []string{"", "help", "--help", "comprae", "-o", "__complete"} {
		if got := a.commands(first); len(got) != len(a.builders()) {
			t.Errorf("%q: %d commands", first, len(got))
		}
	}
}
