// Command gencatalog compiles the YAML files of the catalog into the binary
// twin that the program loads, and writes their JSON Schema for editors. Run
// it from the project's root after a change to data/*.yaml:
//
//	go run ./cmd/gencatalog
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpucost/gpucost/internal/catalog"
)

func main() {
	dir := flag.String("dir", "data", "the folder of the catalog")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	c, ps := catalog.Load(os.DirFS(dir))
	if err := ps.Err(); err != nil {
		return err
	}
	for _, p := range ps {
		fmt.Fprintln(os.Stderr, p)
	}
	for name, data := range map[string][]byte{
		"catalog.bin":                catalog.Compile(c),
		"schema/catalog.schema.json": catalog.FileSchema(),
	} {
		if err := write(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// write replaces a file in one step, so that a build beside it never reads half.
func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".gencatalog-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone after the rename
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}
