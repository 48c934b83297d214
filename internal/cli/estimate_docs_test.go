package cli

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
)

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// The worked examples come out as they are written: every line under a command
// is found in its output, or in the reason on standard error.
func TestWorkedExamples(t *testing.T) {
	text, err := os.ReadFile("../../docs/worked-examples.md")
	if err != nil {
		t.Fatal(err)
	}
	commands, figures := 0, 0
	for _, block := range consoleBlock.FindAllStringSubmatch(string(text), -1) {
		var shown string
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			if command, ok := strings.CutPrefix(line, "$ gpucost "); ok {
				var out, errs bytes.Buffer
				Main(context.Background(), strings.Fields(command), []string{"LC_ALL=C.UTF-8", "COLUMNS=80", "XDG_CONFIG_HOME=" + t.TempDir()}, strings.NewReader(""), &out, &errs)
				shown = strings.Join(strings.Fields(out.String()+errs.String()), " ")
				commands++
				continue
			}
			if line == "" || strings.HasPrefix(line, "exit ") {
				continue
			}
			figures++
			if !strings.Contains(shown, line) {
				t.Errorf("%q is not in\n%s", line, shown)
			}
		}
	}
	if commands < 15 || figures < 15 {
		t.Errorf("%d commands and %d figures found", commands, figures)
	}
}
