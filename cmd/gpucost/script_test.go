package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gpucost/gpucost/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gpucost": main})
}

// The scripts run the program as a user would; each says what it shows.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("LC_ALL", "C.UTF-8")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir)
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		ContinueOnError: true,
	})
}

// commandBlock is a fenced block of a document that shows commands.
var commandBlock = regexp.MustCompile("(?s)```(?:console|sh)\n(.*?)```")

// Every `$ gpucost` line of the README and of docs/ runs, with the exit code
// that a following line `exit N` states.
func TestDocumentsRun(t *testing.T) {
	docs, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, doc := range append(docs, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range commandBlock.FindAllStringSubmatch(string(text), -1) {
			ran += runBlock(t, filepath.Base(doc), block[1])
		}
	}
	if ran < 3 {
		t.Errorf("only %d commands found in the documents", ran)
	}
}

func runBlock(t *testing.T, doc, block string) int {
	t.Helper()
	lines, ran := strings.Split(block, "\n"), 0
	for i, line := range lines {
		command, ok := strings.CutPrefix(line, "$ gpucost ")
		if !ok {
			continue
		}
		want := 0
		for _, after := range lines[i+1:] {
			if strings.HasPrefix(after, "$ ") {
				break
			}
			if code, ok := strings.CutPrefix(after, "exit "); ok && len(code) == 1 {
				want = int(code[0] - '0')
			}
		}
		var out, errs bytes.Buffer
		env := []string{"LC_ALL=C.UTF-8", "XDG_CONFIG_HOME=" + t.TempDir()}
		if got := cli.Main(context.Background(), words(command), env, strings.NewReader(""), &out, &errs); got != want {
			t.Errorf("%s: gpucost %s: exit %d, want %d\n%s", doc, command, got, want, errs.String())
		}
		ran++
	}
	return ran
}

// words splits a command line at spaces, keeping what is quoted together and
// leaving out what follows a pipe or a redirection.
func words(line string) []string {
	line, _, _ = strings.Cut(line, " > ")
	line, _, _ = strings.Cut(line, " | ")
	var out []string
	var quote rune
	word, open := "", false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, open = r, true
		case quote == 0 && r == ' ':
			if open || word != "" {
				out = append(out, word)
			}
			word, open = "", false
		default:
			word += string(r)
		}
	}
	if open || word != "" {
		out = append(out, word)
	}
	return out
}
