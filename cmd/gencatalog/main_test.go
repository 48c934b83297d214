package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestCompilingAgainGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	sources, err := filepath.Glob("../../data/*.yaml")
	if err != nil || len(sources) == 0 {
		t.Fatal(err, len(sources))
	}
	for _, name := range sources {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"catalog.bin", "schema/catalog.schema.json"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("../../data", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("data/%s is out of date: run go generate ./data", name)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".gencatalog-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
	}
}

func TestABrokenFileCompilesToNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.yaml"), []byte("schema: 1\nnmo: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(dir); err == nil || err.Error() != "bad.yaml:2:1: nmo: unknown key" {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "catalog.bin")); !os.IsNotExist(err) {
		t.Error("a twin beside an error")
	}
}
