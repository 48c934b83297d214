// Command gendocs writes man pages, a Markdown reference and completion
// scripts from the command tree into a folder: gendocs DIR.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra/doc"

	"github.com/gpucost/gpucost/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "gendocs: want one folder")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	for _, sub := range []string{"man", "reference", "completions"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	root := cli.Command()
	root.DisableAutoGenTag = true // the same tree gives the same bytes
	if err := doc.GenManTree(root, &doc.GenManHeader{Title: "GPUCOST", Section: "1"}, filepath.Join(dir, "man")); err != nil {
		return err
	}
	if err := doc.GenMarkdownTree(root, filepath.Join(dir, "reference")); err != nil {
		return err
	}
	for name, gen := range map[string]func(string) error{
		"gpucost.bash": func(f string) error { return root.GenBashCompletionFileV2(f, true) },
		"_gpucost":     root.GenZshCompletionFile,
		"gpucost.fish": func(f string) error { return root.GenFishCompletionFile(f, true) },
		"gpucost.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := gen(filepath.Join(dir, "completions", name)); err != nil {
			return err
		}
	}
	return nil
}
